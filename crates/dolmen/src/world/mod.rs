//! The description of what is simulated: bodies, particles, forces, joints, settings. A step reads it and never changes it.
//!
//! A [`WorldBuilder`] takes everything in any order and checks it; a [`World`] has all of it in an order that follows from names
//! and descriptions alone. The layers below describe the parts: `member`, `material`, `force`, `joint`.

mod builder;
mod change;
mod error;
mod joint;
mod laws;
mod sensor;
mod settings;

use std::sync::Arc;

pub use builder::WorldBuilder;
pub use change::Change;
pub use error::WorldError;
pub use laws::LawBounds;
pub use sensor::{Mount, Sensor, SensorKind};
pub use settings::{Conflict, Form, MotionSettings};

pub use crate::id::{BodyId, Member, SetId};
pub use crate::material::{Combine, ContactSettings, Material, MaterialError, Overlaps};
pub use crate::member::{Body, BodyKind, Handle, MemberError, Members, ParticleSet, SetHandle};

use crate::broad_phase::Choice;
use crate::force::{Custom, Force};
use crate::joint::{FittedCoupling, FittedJoint};
use crate::math::DVec3;

/// Everything that moves, and what moves it.
#[derive(Debug, Clone)]
pub struct World {
    gravity: DVec3,
    members: Members,
    forces: Vec<Arc<dyn Force>>,
    /// Sort keys of `forces`, so that their order is that of their descriptions and not of their creation.
    force_keys: Vec<String>,
    /// How many of `forces` are of the description, once a program has added others.
    described_forces: Option<usize>,
    settings: MotionSettings,
    contact: ContactSettings,
    laws: LawBounds,
    broad_phase: Choice,
    conflict: Conflict,
    /// In the order of their names.
    joints: Vec<FittedJoint>,
    /// In the order of their names.
    couplings: Vec<FittedCoupling>,
    /// They only read.
    sensors: Vec<Sensor>,
}

impl World {
    /// A world of these members, without gravity, forces or joints; for callers that collect mistakes and go on.
    pub(crate) fn new(members: Members) -> Self {
        Self {
            gravity: DVec3::ZERO,
            members,
            forces: Vec::new(),
            force_keys: Vec::new(),
            described_forces: None,
            settings: MotionSettings::default(),
            contact: ContactSettings::default(),
            laws: LawBounds::default(),
            broad_phase: Choice::default(),
            conflict: Conflict::default(),
            joints: Vec::new(),
            couplings: Vec::new(),
            sensors: Vec::new(),
        }
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
        force.check(&self.members)?;
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
        let sets = self.sets().iter().filter_map(ParticleSet::material);
        let named = self.bodies().iter().filter_map(Body::material).chain(sets);
        if let Some(name) = named.into_iter().find(|name| !contact.materials.contains_key(*name)) {
            return Err(MaterialError::NoMaterial { name: name.to_owned() }.into());
        }
        self.contact = contact;
        Ok(())
    }

    /// Sets what laws a run is held to while it goes on.
    ///
    /// # Errors
    /// When a bound is not positive.
    pub fn set_laws(&mut self, laws: LawBounds) -> Result<(), WorldError> {
        laws.check()?;
        self.laws = laws;
        Ok(())
    }

    /// Says what is done with joints that contradict each other while they move; [`World::assemble`] says it of the start as well.
    pub fn set_conflict(&mut self, conflict: Conflict) {
        self.conflict = conflict;
    }

    /// What is done with joints that contradict each other.
    pub fn conflict(&self) -> Conflict {
        self.conflict
    }

    /// What laws a run is held to while it goes on.
    pub fn laws(&self) -> &LawBounds {
        &self.laws
    }

    /// Sets which broad phase drivers with steps and queries use. The exact driver has a tree of its own.
    pub fn set_broad_phase(&mut self, choice: Choice) {
        self.broad_phase = choice;
    }

    /// Which broad phase drivers with steps and queries use.
    pub fn broad_phase(&self) -> Choice {
        self.broad_phase
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

    /// All bodies and sets of particles.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// All bodies, by id; particles that can touch something are the last of them.
    pub fn bodies(&self) -> &[Body] {
        self.members.bodies()
    }

    /// One body.
    pub fn body(&self, id: BodyId) -> &Body {
        self.members.body(id)
    }

    /// The ids of all bodies, in order.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        self.members.body_ids()
    }

    /// All sets of particles, by id.
    pub fn sets(&self) -> &[ParticleSet] {
        self.members.sets()
    }

    /// One set of particles.
    pub fn set(&self, id: SetId) -> &ParticleSet {
        self.members.set(id)
    }

    /// The ids of all sets, in order.
    pub fn set_ids(&self) -> impl Iterator<Item = SetId> + use<> {
        self.members.set_ids()
    }

    /// The bodies that were described: all but particles of sets.
    pub fn described_bodies(&self) -> &[Body] {
        &self.bodies()[..self.members.described()]
    }

    /// The ids of the bodies that were described: all but particles of sets.
    pub fn described_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.members.described() as u32).map(BodyId)
    }

    /// What a force reads or loads and can move or be a support: sets whose particles are bodies are there as these.
    pub(crate) fn moved_by(&self, force: usize) -> Vec<Member> {
        self.members.in_motion(&self.forces[force].members())
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
        self.members.find(name)
    }

    /// The body of this name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.members.find_body(name)
    }

    /// The id of a body that was given to the builder of this world.
    pub fn id(&self, handle: Handle) -> BodyId {
        self.members.id(handle)
    }

    /// The id of a set of particles that was given to the builder of this world.
    pub fn set_id(&self, handle: SetHandle) -> SetId {
        self.members.set_id(handle)
    }

    /// The name of a body, or a number for one without.
    pub fn body_name(&self, id: BodyId) -> String {
        self.members.body_name(id)
    }

    /// The name of a body or set.
    pub fn member_name(&self, member: Member) -> String {
        self.members.member_name(member)
    }
}
