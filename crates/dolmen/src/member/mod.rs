//! What a world consists of: rigid bodies and sets of particles, and how they start.
//!
//! A [`Body`] is described by itself: shape, mass, material, place, or a motion that is prescribed. [`Members`] are all bodies
//! and sets of a world, ranked by their names; a [`crate::id::BodyId`] is such a rank. Forces and joints read these and know
//! nothing of the world above.

mod body;
mod error;
mod particles;

use std::collections::BTreeMap;

pub use body::{Body, BodyKind};
pub use error::MemberError;
pub use particles::ParticleSet;

use crate::id::{BodyId, Member, SetId};
use crate::math::{Pose, Twist};

/// A body that was given to a builder; [`Members::id`] tells its id once the world is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub(crate) usize);

/// All bodies and sets of particles of a world, by id and by name.
#[derive(Debug, Clone)]
pub struct Members {
    bodies: Vec<Body>,
    sets: Vec<ParticleSet>,
    names: BTreeMap<String, Member>,
    /// The id of each body by the order of creation.
    ranks: Vec<BodyId>,
}

impl Members {
    /// These, in the order of their names, bodies without a name last.
    ///
    /// # Errors
    /// When two of them share a name, or a name begins with #.
    pub fn new(bodies: Vec<Body>, mut sets: Vec<ParticleSet>) -> Result<Self, MemberError> {
        let (bodies, ranks) = ranked(bodies);
        sets.sort_by(|a, b| a.name().cmp(b.name()));
        let mut names = BTreeMap::new();
        let named_bodies = bodies.iter().enumerate().filter_map(|(i, body)| {
            let name = body.name()?;
            Some((name.to_owned(), Member::Body(BodyId(i as u32))))
        });
        let named_sets =
            sets.iter().enumerate().map(|(i, s)| (s.name().to_owned(), Member::Set(SetId(i as u32))));
        for (name, member) in named_bodies.chain(named_sets) {
            if name.starts_with('#') {
                return Err(MemberError::ReservedName { name });
            }
            if names.insert(name.clone(), member).is_some() {
                return Err(MemberError::DuplicateName { name });
            }
        }
        Ok(Self { bodies, sets, names, ranks })
    }

    /// All bodies, by id.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// One body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }

    /// The ids of all bodies, in order.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// All sets of particles, by id.
    pub fn sets(&self) -> &[ParticleSet] {
        &self.sets
    }

    /// One set of particles.
    pub fn set(&self, id: SetId) -> &ParticleSet {
        &self.sets[id.index()]
    }

    /// The ids of all sets, in order.
    pub fn set_ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.sets.len() as u32).map(SetId)
    }

    /// The body or set of this name.
    pub fn find(&self, name: &str) -> Option<Member> {
        self.names.get(name).copied()
    }

    /// The body of this name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        match self.find(name) {
            Some(Member::Body(id)) => Some(id),
            _ => None,
        }
    }

    /// The id of a body that was given to the builder of this world.
    pub fn id(&self, handle: Handle) -> BodyId {
        self.ranks[handle.0]
    }

    /// The name of a body, or a number for one without.
    pub fn body_name(&self, id: BodyId) -> String {
        self.body(id).name().map_or_else(|| format!("#{}", id.0), str::to_owned)
    }

    /// The name of a body or set.
    pub fn member_name(&self, member: Member) -> String {
        match member {
            Member::Body(id) => self.body_name(id),
            Member::Set(id) => self.set(id).name().to_owned(),
        }
    }

    /// Another start of a body, found from its joints.
    pub(crate) fn restart(&mut self, id: BodyId, pose: Pose, twist: Twist) {
        self.bodies[id.index()].restart(pose, twist);
    }
}

/// Bodies in the order of their names, those without a name last; and the id of each by the order of creation.
fn ranked(bodies: Vec<Body>) -> (Vec<Body>, Vec<BodyId>) {
    let mut numbered: Vec<(usize, Body)> = bodies.into_iter().enumerate().collect();
    numbered.sort_by(|(i, a), (j, b)| {
        let key = |body: &Body| (body.name().is_none(), body.name().map(str::to_owned));
        key(a).cmp(&key(b)).then(i.cmp(j))
    });
    let mut ranks = vec![BodyId(0); numbered.len()];
    for (rank, (i, _)) in numbered.iter().enumerate() {
        ranks[*i] = BodyId(rank as u32);
    }
    (numbered.into_iter().map(|(_, body)| body).collect(), ranks)
}
