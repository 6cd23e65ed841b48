//! What a world is made from.

use crate::broad_phase::Choice;
use std::fmt;

use super::{LawBounds, MotionSettings, World, WorldError};
use crate::force::{Force, ForceError};
use crate::joint::{Coupling, Joint};
use crate::material::{ContactSettings, Material};
use crate::math::DVec3;
use crate::member::{Body, Handle, MemberError, Members, ParticleSet, SetHandle};

/// Adds a force to a world whose members are known.
type AddForce = Box<dyn FnOnce(&mut World) -> Result<(), WorldError> + Send>;

/// Everything of which a world consists, in any order.
///
/// Bodies and sets of particles are known by handles until the world is built: ids are ranks of names, and another name may
/// still come. Joints take handles as their sides; forces are given as functions of the [`Members`], which tell ids.
///
/// ```
/// use dolmen::force::{Anchor, Spring};
/// use dolmen::joint::{Joint, JointKind, Side};
/// use dolmen::prelude::*;
///
/// let mut builder = WorldBuilder::new();
/// builder.gravity(dvec3(0.0, 0.0, -9.81));
/// let arm = builder.body(Body::solid(Shape::cuboid(dvec3(0.5, 0.1, 0.1))?, 800.0)?.named("arm"))?;
/// builder.joint(Joint::new("pivot", JointKind::Hinge, arm, Side::World).at(dvec3(-0.5, 0.0, 0.0), DVec3::Y));
/// builder.force(move |members| Spring {
///     a: Anchor::Body { body: members.id(arm), at: DVec3::ZERO },
///     b: Anchor::World(DVec3::Z),
///     stiffness: 50.0,
///     length: 1.0,
///     damping: 2.0,
/// });
/// let world = builder.build()?;
/// assert_eq!(world.find_body("arm"), Some(world.id(arm)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct WorldBuilder {
    bodies: Vec<Body>,
    sets: Vec<ParticleSet>,
    gravity: DVec3,
    motion: MotionSettings,
    contact: ContactSettings,
    laws: LawBounds,
    broad_phase: Choice,
    forces: Vec<AddForce>,
    joints: Vec<Joint>,
    couplings: Vec<Coupling>,
}

impl WorldBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body.
    ///
    /// # Errors
    /// When a number of its start is not finite, or it is placed although its motion is prescribed.
    pub fn body(&mut self, body: Body) -> Result<Handle, MemberError> {
        body.check()?;
        self.bodies.push(body);
        Ok(Handle(self.bodies.len() - 1))
    }

    /// Adds a set of particles.
    pub fn particles(&mut self, set: ParticleSet) -> SetHandle {
        self.sets.push(set);
        SetHandle(self.sets.len() - 1)
    }

    /// Sets the uniform acceleration of everything that moves, m/s²; zero unless it is given.
    pub fn gravity(&mut self, gravity: DVec3) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets how motion is computed.
    pub fn motion(&mut self, settings: MotionSettings) -> &mut Self {
        self.motion = settings;
        self
    }

    /// Sets what surfaces are made of and how bodies collide, all of it.
    pub fn contact(&mut self, settings: ContactSettings) -> &mut Self {
        self.contact = settings;
        self
    }

    /// Sets what laws a run is held to while it goes on.
    pub fn laws(&mut self, laws: LawBounds) -> &mut Self {
        self.laws = laws;
        self
    }

    /// Sets which broad phase drivers with steps and queries use.
    pub fn broad_phase(&mut self, choice: Choice) -> &mut Self {
        self.broad_phase = choice;
        self
    }

    /// Describes a material, by the name that bodies give.
    pub fn material(&mut self, name: impl Into<String>, material: Material) -> &mut Self {
        self.contact.materials.insert(name.into(), material);
        self
    }

    /// Sets what bodies are made of that name no material.
    pub fn default_material(&mut self, material: Material) -> &mut Self {
        self.contact.default_material = material;
        self
    }

    /// Adds a force, given the members on which it can act.
    pub fn force<F: Force + 'static>(
        &mut self,
        make: impl FnOnce(&Members) -> F + Send + 'static,
    ) -> &mut Self {
        self.try_force(|members| Ok(make(members)))
    }

    /// Adds a force that cannot always be made, given the members on which it can act.
    pub fn try_force<F: Force + 'static>(
        &mut self,
        make: impl FnOnce(&Members) -> Result<F, ForceError> + Send + 'static,
    ) -> &mut Self {
        self.forces.push(Box::new(|world| world.add_force(make(world.members())?)));
        self
    }

    /// Adds a joint, or a constraint of the user's own. Its sides may be handles of this builder.
    pub fn joint(&mut self, joint: Joint) -> &mut Self {
        self.joints.push(joint);
        self
    }

    /// Adds a coupling between two joints, by their names.
    pub fn coupling(&mut self, coupling: Coupling) -> &mut Self {
        self.couplings.push(coupling);
        self
    }

    /// The world of all that.
    ///
    /// # Errors
    /// The first thing that cannot be: two of one name, a number out of range, a material that is not described, a force or a
    /// joint on something that is not there.
    pub fn build(self) -> Result<World, WorldError> {
        let mut world = World::new(Members::new(self.bodies, self.sets)?);
        world.set_gravity(self.gravity)?;
        world.set_settings(self.motion)?;
        world.set_contact(self.contact)?;
        world.set_laws(self.laws)?;
        world.set_broad_phase(self.broad_phase);
        for add in self.forces {
            add(&mut world)?;
        }
        for joint in self.joints {
            world.add_joint(joint)?;
        }
        for coupling in self.couplings {
            world.add_coupling(coupling)?;
        }
        Ok(world)
    }
}

impl fmt::Debug for WorldBuilder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("WorldBuilder")
            .field("bodies", &self.bodies)
            .field("sets", &self.sets)
            .field("gravity", &self.gravity)
            .field("motion", &self.motion)
            .field("contact", &self.contact)
            .field("laws", &self.laws)
            .field("broad_phase", &self.broad_phase)
            .field("forces", &self.forces.len())
            .field("joints", &self.joints)
            .field("couplings", &self.couplings)
            .finish()
    }
}
