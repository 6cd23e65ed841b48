//! What is read of every body that others come by, in the order of where the bodies start.
//!
//! With many bodies it is memory that takes time: neighbours in space are neighbours in memory, at least to begin with. Nobody
//! outside sees that order, and nothing that is found depends on it.

use std::ops::{Index, IndexMut};

use super::collider::Collider;
use super::paths::Ball;
use crate::broad_phase::Groups;
use crate::math::DVec3;
use crate::world::World;

/// What is read of every body that others come by: two lines of a cache, and no more.
#[derive(Debug, Clone, Copy)]
#[repr(align(128))]
pub(super) struct Passer {
    /// A ball that is on a parabola, as long as its cover stands.
    pub(super) ball: Option<Ball>,
    /// When its cover ends.
    pub(super) until: f64,
    /// The last sweep over several bodies in which it was searched.
    pub(super) sweep: u64,
    pub(super) company: Company,
}

const _: () = assert!(size_of::<Passer>() == 128, "two lines of a cache");

/// Whom a body meets, apart from its shape: read for every candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Company {
    groups: Groups,
    pub(super) is_mobile: bool,
}

impl Company {
    fn of(collider: Option<&Collider>) -> Self {
        collider.map_or(Self { groups: Groups::NONE, is_mobile: false }, |collider| Self {
            groups: collider.groups,
            is_mobile: collider.is_mobile,
        })
    }

    /// Whether two bodies may touch at all.
    pub(super) fn meets(self, other: Self) -> bool {
        (self.is_mobile || other.is_mobile) && self.groups.meets(other.groups)
    }
}

/// All of them, by body.
#[derive(Debug, Clone)]
pub(super) struct Passers {
    list: Vec<Passer>,
    /// The body at each place of the list, and the place of each body.
    bodies: Vec<u32>,
    places: Vec<u32>,
    /// One for each body, which changes whenever its motion does: what was found before is void. Apart from the others, as
    /// they are read for every task of the agenda, of bodies anywhere.
    pub(super) versions: Vec<u32>,
}

impl Passers {
    pub(super) fn new(world: &World, colliders: &[Option<Collider>]) -> Self {
        let starts: Vec<DVec3> = world.body_ids().map(|id| world.body(id).start_pose().position).collect();
        let low = starts.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = starts.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut order: Vec<(u64, u32)> =
            starts.iter().zip(0..).map(|(start, body)| (along_curve(*start, low, high), body)).collect();
        order.sort_unstable();
        let passer = |(_, body): &(u64, u32)| Passer {
            ball: None,
            until: f64::NEG_INFINITY,
            sweep: 0,
            company: Company::of(colliders[*body as usize].as_ref()),
        };
        let bodies: Vec<u32> = order.iter().map(|(_, body)| *body).collect();
        let mut places = vec![0; bodies.len()];
        for (place, body) in bodies.iter().enumerate() {
            places[*body as usize] = place as u32;
        }
        let versions = vec![0; bodies.len()];
        Self { list: order.iter().map(passer).collect(), bodies, places, versions }
    }

    /// The tag of a body in the tree of covers.
    pub(super) fn tag(&self, body: u32) -> u32 {
        self.places[body as usize]
    }

    /// Turns tags into the bodies that they stand for, ascending.
    pub(super) fn name(&self, tags: &mut [u32]) {
        for tag in tags.iter_mut() {
            *tag = self.bodies[*tag as usize];
        }
        tags.sort_unstable();
    }
}

impl Index<u32> for Passers {
    type Output = Passer;

    fn index(&self, body: u32) -> &Passer {
        &self.list[self.places[body as usize] as usize]
    }
}

impl IndexMut<u32> for Passers {
    fn index_mut(&mut self, body: u32) -> &mut Passer {
        &mut self.list[self.places[body as usize] as usize]
    }
}

/// Bits of each coordinate.
const BITS: u32 = 20;

/// The place of a point of a box along Morton's curve: the bits of its coordinates in turn.
fn along_curve(point: DVec3, low: DVec3, high: DVec3) -> u64 {
    let cells = f64::from(1_u32 << BITS);
    // Along a side without extent all are in one cell: 0/0 is in the last.
    let cell = ((point - low) / (high - low) * cells).to_array().map(|x| x.min(cells - 1.0) as u64);
    (0..BITS).rev().fold(0, |code, bit| cell.iter().fold(code, |code, x| (code << 1) | ((x >> bit) & 1)))
}
