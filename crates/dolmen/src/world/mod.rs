//! The description of what is simulated: bodies, particles, forces. A step reads it and never changes it.

mod body;
mod error;
mod joint;
mod material;
mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use body::{Body, BodyKind, Cast, Handle, ParticleSet};
pub use error::WorldError;
pub use material::{Combine, ContactSettings, Material, Overlaps};
pub use settings::{Form, MotionSettings};

use crate::force::{Custom, Force};
use crate::joint::{FittedCoupling, FittedJoint};
use crate::math::DVec3;

/// A body of a world: the rank of its name. Bodies without a name come after the named ones, in the order in which they
/// were made. So the order of a file or a program never reaches a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

/// A set of particles of a world: the rank of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(pub(crate) u32);

impl BodyId {
    /// The body of this rank.
    pub fn from_rank(rank: usize) -> Self {
        Self(rank as u32)
    }

    /// Position in every list that has one entry per body.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl SetId {
    /// The set of this rank.
    pub fn from_rank(rank: usize) -> Self {
        Self(rank as u32)
    }

    /// Position in every list that has one entry per set.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A body or a set of particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// A body.
    Body(BodyId),
    /// All particles of a set.
    Set(SetId),
}

/// Everything that moves, and what moves it.
#[derive(Debug, Clone)]
pub struct World {
    gravity: DVec3,
    bodies: Vec<Body>,
    sets: Vec<ParticleSet>,
    forces: Vec<Arc<dyn Force>>,
    /// Sort keys of `forces`, so that their order is that of their descriptions and not of their creation.
    force_keys: Vec<String>,
    names: BTreeMap<String, Member>,
    ranks: Vec<BodyId>,
    settings: MotionSettings,
    contact: ContactSettings,
    /// In the order of their names.
    joints: Vec<FittedJoint>,
    /// In the order of their names.
    couplings: Vec<FittedCoupling>,
}

impl World {
    /// A world of these bodies and particles, without gravity or forces.
    ///
    /// # Errors
    /// When two of them share a name.
    pub fn new(cast: Cast) -> Result<Self, WorldError> {
        let (bodies, sets, ranks) = cast.ranked();
        let mut names = BTreeMap::new();
        let named_bodies = bodies.iter().enumerate().filter_map(|(i, body)| {
            let name = body.name()?;
            Some((name.to_owned(), Member::Body(BodyId(i as u32))))
        });
        let named_sets =
            sets.iter().enumerate().map(|(i, s)| (s.name().to_owned(), Member::Set(SetId(i as u32))));
        for (name, member) in named_bodies.chain(named_sets).collect::<Vec<_>>() {
            if name.starts_with('#') {
                return Err(WorldError::ReservedName { name });
            }
            if names.insert(name.clone(), member).is_some() {
                return Err(WorldError::DuplicateName { name });
            }
        }
        Ok(Self {
            gravity: DVec3::ZERO,
            bodies,
            sets,
            forces: Vec::new(),
            force_keys: Vec::new(),
            names,
            ranks,
            settings: MotionSettings::default(),
            contact: ContactSettings::default(),
            joints: Vec::new(),
            couplings: Vec::new(),
        })
    }

    /// Sets the uniform acceleration of everything that moves, m/s².
    ///
    /// # Errors
    /// When it is not finite.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), WorldError> {
        if !gravity.is_finite() {
            return Err(WorldError::Gravity { gravity });
        }
        self.gravity = gravity;
        Ok(())
    }

    /// Adds a force. Forces act in the order of their descriptions, whatever the order in which they were added.
    ///
    /// # Errors
    /// When the force cannot act in this world: a member that is not in it, or a parameter out of range.
    pub fn add_force(&mut self, force: impl Force + 'static) -> Result<(), WorldError> {
        force.check(self)?;
        let key = format!("{force:?}");
        if force.kind() == Custom::KIND && self.force_keys.contains(&key) {
            return Err(WorldError::SameForce { name: key });
        }
        let place = self.force_keys.partition_point(|other| *other <= key);
        self.force_keys.insert(place, key);
        self.forces.insert(place, Arc::new(force));
        Ok(())
    }

    /// Sets how motion is computed.
    ///
    /// # Errors
    /// When the integrator's settings are out of range.
    pub fn set_settings(&mut self, settings: MotionSettings) -> Result<(), WorldError> {
        settings.integrator.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Sets what surfaces are made of and how bodies collide.
    ///
    /// # Errors
    /// When a coefficient is out of range, or a body names a material that is not described.
    pub fn set_contact(&mut self, contact: ContactSettings) -> Result<(), WorldError> {
        contact.check()?;
        let named = self.bodies.iter().filter_map(Body::material);
        if let Some(name) = named.into_iter().find(|name| !contact.materials.contains_key(*name)) {
            return Err(WorldError::NoMaterial { name: name.to_owned() });
        }
        self.contact = contact;
        Ok(())
    }

    /// Materials and how bodies collide.
    pub fn contact(&self) -> &ContactSettings {
        &self.contact
    }

    /// The coefficients between two bodies.
    pub fn surface(&self, a: BodyId, b: BodyId) -> Material {
        self.contact.of_pair(self.body(a).material(), self.body(b).material())
    }

    /// Uniform gravity, m/s².
    pub fn gravity(&self) -> DVec3 {
        self.gravity
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

    /// All forces, in the order in which they act.
    pub fn forces(&self) -> &[Arc<dyn Force>] {
        &self.forces
    }

    /// How motion is computed.
    pub fn settings(&self) -> &MotionSettings {
        &self.settings
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

    /// The id of a body that was added to the cast of this world.
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
}
