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
use crate::math::{DQuat, DVec3, Pose, Twist};

/// A body that was given to a builder; [`Members::id`] tells its id once the world is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub(crate) usize);

/// A set of particles that was given to a builder; [`Members::set_id`] tells its id once the world is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetHandle(pub(crate) usize);

/// All bodies and sets of particles of a world, by id and by name.
#[derive(Debug, Clone)]
pub struct Members {
    bodies: Vec<Body>,
    sets: Vec<ParticleSet>,
    names: BTreeMap<String, Member>,
    /// The id of each body by the order of creation.
    ranks: Vec<BodyId>,
    /// The id of each set by the order of creation.
    set_ranks: Vec<SetId>,
    /// How many bodies were described; the particles that can touch something come after them.
    described: usize,
    /// For each set whose particles can touch something, the place of its first particle among the bodies.
    first_particles: Vec<Option<usize>>,
}

impl Members {
    /// These, in the order of their names, bodies without a name last.
    ///
    /// # Errors
    /// When two of them share a name, or a name begins with #.
    ///
    /// The particles of a set that meets a body with a shape are bodies too, after all others and in their order: what holds
    /// of a point mass on the floor then holds of every one of them. Sets that meet nothing stay lists of points.
    pub fn new(bodies: Vec<Body>, sets: Vec<ParticleSet>) -> Result<Self, MemberError> {
        // Bodies without a name after those with one.
        let (bodies, ranks) = ranked(bodies, |body| (body.name().is_none(), body.name()));
        let (sets, set_ranks) = ranked(sets, |set| (false, Some(set.name())));
        let (ranks, set_ranks) =
            (ranks.into_iter().map(BodyId).collect(), set_ranks.into_iter().map(SetId).collect());
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
        let described = bodies.len();
        let mut bodies = bodies;
        let mut first_particles = Vec::with_capacity(sets.len());
        for set in &sets {
            let is_met = |body: &Body| body.shape().is_some() && body.groups().meets(set.groups());
            if !bodies[..described].iter().any(is_met) {
                first_particles.push(None);
                continue;
            }
            first_particles.push(Some(bodies.len()));
            for ((mass, position), velocity) in set.masses().iter().zip(set.positions()).zip(set.velocities())
            {
                let point = Body::point(*mass)?.centred_at(*position, DQuat::IDENTITY);
                let point = point.moving(*velocity, DVec3::ZERO).in_groups(set.groups());
                bodies.push(match set.material() {
                    Some(material) => point.of_material(material),
                    None => point,
                });
            }
        }
        Ok(Self { bodies, sets, names, ranks, set_ranks, described, first_particles })
    }

    /// How many bodies were described; those after them are particles of sets that can touch something.
    pub fn described(&self) -> usize {
        self.described
    }

    /// The bodies that the particles of a set are, if they can touch something.
    pub fn particle_bodies(&self, id: SetId) -> Option<std::ops::Range<usize>> {
        let first = self.first_particles[id.index()]?;
        Some(first..first + self.set(id).len())
    }

    /// The set and the number in it of a body that is a particle.
    pub fn particle_of(&self, id: BodyId) -> Option<(SetId, usize)> {
        if id.index() < self.described {
            return None;
        }
        let holds = |set: &SetId| self.particle_bodies(*set).is_some_and(|range| range.contains(&id.index()));
        let set = self.set_ids().find(holds)?;
        Some((set, id.index() - self.first_particles[set.index()]?))
    }

    /// The members that a list names, with the bodies of sets whose particles are bodies.
    pub(crate) fn in_motion(&self, members: &[Member]) -> Vec<Member> {
        let mut all = Vec::with_capacity(members.len());
        for member in members {
            match *member {
                Member::Set(id) if let Some(range) = self.particle_bodies(id) => {
                    all.extend(range.map(|k| Member::Body(BodyId(k as u32))));
                }
                other => all.push(other),
            }
        }
        all
    }

    /// All bodies, by id.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// One body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }

    /// The ids of all bodies, in order; particles that can touch something come last.
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
    ///
    /// # Panics
    /// When the handle is of another builder, with more bodies.
    pub fn id(&self, handle: Handle) -> BodyId {
        self.ranks[handle.0]
    }

    /// The id of a set of particles that was given to the builder of this world.
    ///
    /// # Panics
    /// When the handle is of another builder, with more sets.
    pub fn set_id(&self, handle: SetHandle) -> SetId {
        self.set_ranks[handle.0]
    }

    /// As [`Members::id`], or none.
    pub(crate) fn find_handle(&self, handle: Handle) -> Option<BodyId> {
        self.ranks.get(handle.0).copied()
    }

    /// The name of a body, or a number for one without.
    pub fn body_name(&self, id: BodyId) -> String {
        if let Some((set, index)) = self.particle_of(id) {
            return format!("{}[{index}]", self.set(set).name());
        }
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

/// Things in the order of their keys, of equal ones in that of creation; and the rank of each by the order of creation.
fn ranked<T>(mut things: Vec<T>, key: impl Fn(&T) -> (bool, Option<&str>)) -> (Vec<T>, Vec<u32>) {
    // Numbers are sorted, and the things moved once: a million bodies are half a gigabyte.
    let mut order: Vec<u32> = (0..things.len() as u32).collect();
    order.sort_by(|i, j| key(&things[*i as usize]).cmp(&key(&things[*j as usize])).then(i.cmp(j)));
    let mut ranks = vec![0; order.len()];
    for (rank, i) in order.iter().enumerate() {
        ranks[*i as usize] = rank as u32;
    }
    // Where the thing at each place has to go; every exchange brings one to its place.
    let mut goes_to = ranks.clone();
    for place in 0..things.len() {
        while goes_to[place] as usize != place {
            let target = goes_to[place] as usize;
            things.swap(place, target);
            goes_to.swap(place, target);
        }
    }
    (things, ranks)
}
