//! Which bodies may touch, kept from step to step.
//!
//! Every body has a fat box in a tree; only bodies that leave theirs are looked up again. A pair lives in its slot as long as the
//! fat boxes meet; slots and their order follow from the states that came before, and from nothing else.

use super::tolerances::{FAT, NOBODY};
use std::sync::Arc;

use super::bodies::{Bodies, Solid, bounds_of};
use super::manifold::{Manifold, Sight};
use super::number::{Real, V3};
use super::sleep::Sleep;
use crate::broad_phase::{DynamicTree, Leaf, overlap};
use crate::math::{Aabb, DVec3};
use crate::narrow_phase::Witness;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// How a pair is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Family {
    Spheres,
    /// a is a ball.
    SpherePlane,
    /// a is a ball, or b is if `true`.
    SphereBox(bool),
    Boxes,
    /// a is a box or hull.
    CornersPlane,
    /// By the queries of `narrow_phase`; the points move with the bodies for a while if `true`.
    Queries(bool),
}

/// A pair in its slot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Contact<R> {
    /// Dynamic; `NOBODY` if the slot is free.
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) family: Family,
    /// Whether b can be moved by impulses.
    pub(super) moves_b: bool,
    /// Neither body is awake: nothing of it changes.
    pub(super) is_idle: bool,
    /// On the back of a two-sided plane.
    pub(super) is_behind: bool,
    /// Index of the pair of materials.
    pub(super) surface: u32,
    /// Separation when it was last looked at, while nothing touches, m.
    pub(super) slack: f64,
    /// What both had travelled then, m.
    pub(super) travelled: f64,
    /// Rate of separation at the mean point before the step, while they do not touch, m/s.
    pub(super) approach: f64,
    pub(super) sight: Option<Sight<R>>,
    pub(super) manifold: Manifold<R>,
    /// Further manifolds, of shapes with parts.
    pub(super) more: Vec<Manifold<R>>,
    pub(super) witness: Option<Box<Witness>>,
}

/// The pairs and what finds them.
#[derive(Debug, Clone)]
pub(super) struct Pairs<R> {
    tree: DynamicTree,
    leaves: Vec<Option<Leaf>>,
    fat: Vec<Aabb>,
    /// Infinite planes.
    planes: Vec<u32>,
    /// Pairs that a joint keeps from touching, sorted.
    apart: Vec<[u32; 2]>,
    pub(super) contacts: Vec<Contact<R>>,
    free: Vec<u32>,
    /// (a, b) and slot, sorted.
    index: Vec<([u32; 2], u32)>,
    moved: Vec<u32>,
    is_moved: Vec<bool>,
    found: Vec<u32>,
    open: Vec<u32>,
    fresh: Vec<[u32; 2]>,
}

/// What a snapshot keeps of the pairs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PairState<R> {
    tree: DynamicTree,
    leaves: Vec<Option<Leaf>>,
    fat: Vec<Aabb>,
    contacts: Vec<Contact<R>>,
    free: Vec<u32>,
    index: Vec<([u32; 2], u32)>,
}

impl<R: Real> Pairs<R> {
    pub(super) fn new(world: &World, bodies: &Bodies<R>) -> Self {
        let count = world.bodies().len();
        let mut apart: Vec<[u32; 2]> = world
            .joints()
            .iter()
            .filter(|joint| !joint.joint().collides())
            .filter_map(|joint| match joint.bodies() {
                [Some(a), Some(b)] => {
                    let (a, b) = (a.index() as u32, b.index() as u32);
                    Some([a.min(b), a.max(b)])
                }
                _ => None,
            })
            .collect();
        apart.sort_unstable();
        apart.dedup();
        let planes = (0..count)
            .filter(|i| matches!(bodies.constant[*i].solid, Solid::Plane { .. }))
            .map(|i| i as u32)
            .collect();
        Self {
            tree: DynamicTree::new(),
            leaves: vec![None; count],
            fat: vec![Aabb::EMPTY; count],
            planes,
            apart,
            contacts: Vec::new(),
            free: Vec::new(),
            index: Vec::new(),
            moved: Vec::new(),
            is_moved: vec![false; count],
            found: Vec::new(),
            open: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Brings boxes and pairs up to date for a step h.
    pub(super) fn update(
        &mut self,
        world: &World,
        bodies: &Bodies<R>,
        surfaces: &Surfaces,
        (h, sleep): (f64, &Sleep),
    ) {
        self.moved.clear();
        for i in 0..world.bodies().len() {
            let constant = &bodies.constant[i];
            if self.leaves[i].is_some() && (constant.is_still || sleep.is_asleep(i)) {
                continue;
            }
            let tight = match (&constant.solid, world.bodies()[i].shape()) {
                (Solid::Other, Some(shape)) => Some(bounds_of(shape, constant.origin, &bodies.pose(i))),
                _ => bodies.bounds(i),
            };
            let Some(tight) = tight else { continue };
            let size = if constant.size.is_finite() { constant.size } else { 0.0 };
            // Ahead of the body, and around it for its turning.
            let twist = bodies.twist(i);
            let turn = if twist.spin == DVec3::ZERO { 0.0 } else { h * twist.spin.length() * constant.swing };
            let ahead = |steps: f64, share: f64| {
                let way = steps * h * twist.velocity;
                let grown = tight.grown(share * FAT * size + steps * turn);
                Aabb { min: grown.min + way.min(DVec3::ZERO), max: grown.max + way.max(DVec3::ZERO) }
            };
            let needed = ahead(1.0, 0.5);
            let is_within = self.leaves[i].is_some()
                && self.fat[i].min.cmple(needed.min).all()
                && self.fat[i].max.cmpge(needed.max).all();
            if is_within || !needed.min.is_finite() || !needed.max.is_finite() {
                continue;
            }
            let fat = ahead(2.0, 1.0);
            self.fat[i] = fat;
            match self.leaves[i] {
                Some(leaf) => self.tree.replace(leaf, fat),
                None => self.leaves[i] = Some(self.tree.insert(fat, i as u32)),
            }
            self.moved.push(i as u32);
            self.is_moved[i] = true;
        }
        if !self.moved.is_empty() {
            self.drop_pairs(bodies);
            self.find_pairs(world, bodies, surfaces);
            for i in &self.moved {
                self.is_moved[*i as usize] = false;
            }
        }
    }

    /// Forgets pairs whose fat boxes do not meet any more.
    fn drop_pairs(&mut self, bodies: &Bodies<R>) {
        let Self { fat, contacts, free, index, is_moved, .. } = self;
        index.retain(|([a, b], slot)| {
            let (i, j) = (*a as usize, *b as usize);
            if !is_moved[i] && !is_moved[j] {
                return true;
            }
            let stays = match (&bodies.constant[i].solid, &bodies.constant[j].solid) {
                (_, Solid::Plane { .. }) => plane_meets(bodies, j, &fat[i]),
                (Solid::Plane { .. }, _) => plane_meets(bodies, i, &fat[j]),
                _ => overlap(&fat[i], &fat[j]),
            };
            if !stays {
                let contact = &mut contacts[*slot as usize];
                contact.a = NOBODY;
                contact.manifold.count = 0;
                contact.more.clear();
                contact.witness = None;
                free.push(*slot);
            }
            stays
        });
    }

    fn find_pairs(&mut self, world: &World, bodies: &Bodies<R>, surfaces: &Surfaces) {
        self.fresh.clear();
        for k in 0..self.moved.len() {
            let i = self.moved[k];
            let fat = self.fat[i as usize];
            self.tree.meet(&fat, &mut self.found, &mut self.open);
            for &j in &self.found {
                // Of two that moved, the lower one reports.
                if j != i && !(self.is_moved[j as usize] && j < i) && overlap(&fat, &self.fat[j as usize]) {
                    self.fresh.push([i.min(j), i.max(j)]);
                }
            }
            for &plane in &self.planes {
                if plane_meets(bodies, plane as usize, &fat) {
                    self.fresh.push([i.min(plane), i.max(plane)]);
                }
            }
        }
        let may_meet = |[i, j]: &[u32; 2]| {
            let (x, y) = (&world.bodies()[*i as usize], &world.bodies()[*j as usize]);
            (x.is_dynamic() || y.is_dynamic()) && x.groups().meets(y.groups())
        };
        let (index, apart) = (&self.index, &self.apart);
        self.fresh.retain(|pair| {
            may_meet(pair)
                && index.binary_search_by_key(pair, |(key, _)| *key).is_err()
                && apart.binary_search(pair).is_err()
        });
        self.fresh.sort_unstable();
        self.fresh.dedup();
        if self.fresh.is_empty() {
            return;
        }
        for k in 0..self.fresh.len() {
            let pair = self.fresh[k];
            let contact = contact_of(bodies, surfaces, pair);
            let slot = if let Some(slot) = self.free.pop() {
                self.contacts[slot as usize] = contact;
                slot
            } else {
                self.contacts.push(contact);
                (self.contacts.len() - 1) as u32
            };
            self.index.push((pair, slot));
        }
        self.index.sort_unstable();
    }

    /// Everything that the way ahead depends on.
    pub(super) fn state(&self) -> PairState<R> {
        PairState {
            tree: self.tree.clone(),
            leaves: self.leaves.clone(),
            fat: self.fat.clone(),
            contacts: self.contacts.clone(),
            free: self.free.clone(),
            index: self.index.clone(),
        }
    }

    /// Takes a state over; says what is wrong with one that is not of these bodies.
    pub(super) fn set_state(&mut self, state: PairState<R>) -> Result<(), &'static str> {
        let (bodies, slots) = (self.leaves.len() as u32, state.contacts.len() as u32);
        if state.leaves.len() != self.leaves.len() || state.fat.len() != self.fat.len() {
            return Err("it has another number of bodies");
        }
        let is_in =
            |(tag, leaf): (usize, &Option<Leaf>)| leaf.is_none_or(|leaf| state.tree.has(leaf, tag as u32));
        if !state.tree.is_sound(self.leaves.len()) || !state.leaves.iter().enumerate().all(is_in) {
            return Err("its tree of boxes is none");
        }
        let is_sound = |contact: &Contact<R>| {
            contact.manifold.has_room() && (contact.a == NOBODY || contact.a.max(contact.b) < bodies)
        };
        let is_known = |([a, b], slot): &([u32; 2], u32)| *a.max(b) < bodies && *slot < slots;
        if !state.contacts.iter().all(is_sound)
            || !state.index.iter().all(is_known)
            || state.free.iter().any(|slot| *slot >= slots)
        {
            return Err("a contact is between bodies that there are not");
        }
        let PairState { tree, leaves, fat, contacts, free, index } = state;
        (self.tree, self.leaves, self.fat) = (tree, leaves, fat);
        (self.contacts, self.free, self.index) = (contacts, free, index);
        Ok(())
    }

    /// The slots of all pairs, in the order of their bodies.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Contact<R>> {
        self.index.iter().map(|(_, slot)| &self.contacts[*slot as usize])
    }

    /// Pairs of fat boxes that meet.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }
}

/// Whether a box reaches an infinite plane, or what is behind it. One that moves comes to everything: its pairs wait for their clocks.
fn plane_meets<R: Real>(bodies: &Bodies<R>, plane: usize, bounds: &Aabb) -> bool {
    let Solid::Plane { two_sided, .. } = &bodies.constant[plane].solid else { return false };
    if !bodies.constant[plane].is_still {
        return true;
    }
    let (normal, offset) = plane_of(bodies, plane);
    let (centre, half) = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min));
    let (at, reach) = (normal.dot(centre) - offset, normal.abs().dot(half));
    if *two_sided { at.abs() <= reach } else { at <= reach }
}

/// Normal and offset n·x of an infinite plane in the world.
pub(super) fn plane_of<R: Real>(bodies: &Bodies<R>, plane: usize) -> (DVec3, f64) {
    let Solid::Plane { normal, offset, .. } = &bodies.constant[plane].solid else { return (DVec3::Z, 0.0) };
    let pose = bodies.pose(plane);
    let n = pose.orientation * *normal;
    (n, offset + n.dot(pose.point(bodies.constant[plane].origin)))
}

/// A new pair; a is dynamic.
fn contact_of<R: Real>(bodies: &Bodies<R>, surfaces: &Surfaces, [i, j]: [u32; 2]) -> Contact<R> {
    let dynamic = |i: u32| bodies.constant[i as usize].is_dynamic;
    let (a, b) = if dynamic(i) { (i, j) } else { (j, i) };
    let (x, y) = (&bodies.constant[a as usize], &bodies.constant[b as usize]);
    let family = match (&x.solid, &y.solid) {
        (Solid::Sphere { .. }, Solid::Sphere { .. }) => Family::Spheres,
        (Solid::Sphere { .. }, Solid::Plane { .. }) => Family::SpherePlane,
        (Solid::Sphere { .. }, Solid::Cuboid { .. }) => Family::SphereBox(false),
        (Solid::Cuboid { .. }, Solid::Sphere { .. }) => Family::SphereBox(true),
        (Solid::Cuboid { .. }, Solid::Cuboid { .. }) => Family::Boxes,
        (Solid::Cuboid { .. } | Solid::Hull { .. }, Solid::Plane { .. }) => Family::CornersPlane,
        _ => Family::Queries(x.is_flat && y.is_flat),
    };
    let is_behind = match &y.solid {
        Solid::Plane { two_sided: true, .. } => {
            let (normal, offset) = plane_of(bodies, b as usize);
            normal.dot(bodies.position[a as usize]) < offset
        }
        _ => false,
    };
    Contact {
        a,
        b,
        family,
        moves_b: dynamic(b),
        is_idle: false,
        is_behind,
        surface: surfaces.of(a, b),
        slack: f64::NEG_INFINITY,
        travelled: 0.0,
        approach: 0.0,
        sight: None,
        manifold: Manifold::new(),
        more: Vec::new(),
        witness: None,
    }
}

/// The coefficients of all pairs of materials.
#[derive(Debug, Clone)]
pub(super) struct Surfaces {
    of_body: Vec<u32>,
    count: u32,
    pub(super) materials: Arc<[crate::world::Material]>,
}

impl Surfaces {
    pub(super) fn new(world: &World) -> Self {
        let mut names: Vec<Option<&str>> = world.bodies().iter().map(crate::world::Body::material).collect();
        names.sort_unstable();
        names.dedup();
        let place = |name: Option<&str>| names.binary_search(&name).unwrap_or(0) as u32;
        let of_body = world.bodies().iter().map(|body| place(body.material())).collect();
        let pairs = names.iter().flat_map(|a| names.iter().map(move |b| (*a, *b)));
        let materials = pairs.map(|(a, b)| world.contact().of_pair(a, b)).collect();
        Self { of_body, count: names.len() as u32, materials }
    }

    fn of(&self, a: u32, b: u32) -> u32 {
        self.of_body[a as usize] * self.count + self.of_body[b as usize]
    }
}

/// The centre of a shape from the centre of mass, world.
pub(super) fn centre<R: Real>(bodies: &Bodies<R>, i: usize) -> V3<R> {
    let origin = bodies.constant[i].origin;
    if origin == DVec3::ZERO { V3::zero() } else { bodies.turned[i].rotate(V3::of(origin)) }
}
