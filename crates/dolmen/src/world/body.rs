//! Bodies and particles as they are put into a world.

use super::{BodyId, WorldError};
use crate::body::{BodyState, Inertia};
use crate::broad_phase::Groups;
use crate::mass::{self, MassProperties};
use crate::math::{DQuat, DVec3, Pose, Twist};
use crate::motion::{Motion, MotionError, Prescribed};
use crate::shape::Shape;

/// How a body comes to move.
#[derive(Debug, Clone)]
pub enum BodyKind {
    /// By the forces on it.
    Dynamic(Inertia),
    /// As prescribed; zero inverse mass and inertia. [NOTES II, LECTURE]
    Prescribed(Prescribed),
}

/// One rigid body and how it starts.
#[derive(Debug, Clone)]
pub struct Body {
    name: Option<String>,
    kind: BodyKind,
    shape: Option<Shape>,
    material: Option<String>,
    groups: Groups,
    /// Origin of the frame in which the shape is given, seen from the centre of mass, in the body's axes.
    shape_origin: DVec3,
    start: Pose,
    twist: Twist,
    /// Whether it was placed or set in motion by hand.
    placed: bool,
}

impl Body {
    /// A body that moves under forces, with mass properties given in the frame of its shape; at rest at the origin.
    pub fn dynamic(properties: &MassProperties) -> Self {
        let centre = properties.centre();
        Self {
            name: None,
            kind: BodyKind::Dynamic(Inertia::new(properties)),
            shape: None,
            material: None,
            groups: Groups::ALL,
            shape_origin: -centre,
            start: Pose { position: centre, orientation: DQuat::IDENTITY },
            twist: Twist::ZERO,
            placed: false,
        }
    }

    /// A solid of uniform density, kg/m³.
    ///
    /// # Errors
    /// When shape or density have no mass properties.
    pub fn solid(shape: Shape, density: f64) -> Result<Self, WorldError> {
        let properties = mass::of_shape(&shape, density)?;
        Ok(Self::dynamic(&properties).with_shape(shape))
    }

    /// A body that follows a prescribed motion; its centre is the origin of its shape's frame.
    pub fn prescribed(motion: Prescribed) -> Self {
        let (start, twist) = (motion.pose(0.0), motion.twist(0.0));
        let kind = BodyKind::Prescribed(motion);
        Self {
            name: None,
            kind,
            shape: None,
            material: None,
            groups: Groups::ALL,
            shape_origin: DVec3::ZERO,
            start,
            twist,
            placed: false,
        }
    }

    /// A body that stands still.
    pub fn fixed(pose: Pose) -> Self {
        Self::prescribed(Prescribed::Still(pose))
    }

    /// Gives it a name, by which it is found and ranked.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Gives it a shape, in the frame in which its mass properties were given.
    #[must_use]
    pub fn with_shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Says what its surface is made of, by the name of a material of the world.
    #[must_use]
    pub fn of_material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Says with which groups of bodies it collides.
    #[must_use]
    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// Puts the origin of its shape's frame at `origin`, turned by `orientation`.
    #[must_use]
    pub fn at(mut self, origin: DVec3, orientation: DQuat) -> Self {
        let orientation = orientation.normalize();
        self.start = Pose { position: origin - orientation * self.shape_origin, orientation };
        self.placed = true;
        self
    }

    /// Puts its centre of mass at `centre`, turned by `orientation`.
    #[must_use]
    pub fn centred_at(mut self, centre: DVec3, orientation: DQuat) -> Self {
        self.start = Pose { position: centre, orientation: orientation.normalize() };
        self.placed = true;
        self
    }

    /// Gives it a velocity (of the centre of mass) and a spin, both in the world frame.
    #[must_use]
    pub fn moving(mut self, velocity: DVec3, spin: DVec3) -> Self {
        self.twist = Twist { velocity, spin };
        self.placed = true;
        self
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How it comes to move.
    pub fn kind(&self) -> &BodyKind {
        &self.kind
    }

    /// Its mass and inertia; immobile for a prescribed body.
    pub fn inertia(&self) -> &Inertia {
        match &self.kind {
            BodyKind::Dynamic(inertia) => inertia,
            BodyKind::Prescribed(_) => &Inertia::IMMOBILE,
        }
    }

    /// Its prescribed motion, if it has one.
    pub fn prescribed_motion(&self) -> Option<&Prescribed> {
        match &self.kind {
            BodyKind::Prescribed(motion) => Some(motion),
            BodyKind::Dynamic(_) => None,
        }
    }

    /// Whether forces move it.
    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, BodyKind::Dynamic(_))
    }

    /// Its shape, if it has one.
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// The name of its material, if it has one.
    pub fn material(&self) -> Option<&str> {
        self.material.as_deref()
    }

    /// With which groups of bodies it collides.
    pub fn groups(&self) -> Groups {
        self.groups
    }

    /// Origin of the shape's frame, seen from the centre of mass, in the body's axes.
    pub fn shape_origin(&self) -> DVec3 {
        self.shape_origin
    }

    /// The pose of its centre of mass at t = 0.
    pub fn start_pose(&self) -> Pose {
        self.start
    }

    /// The twist at t = 0.
    pub fn start_twist(&self) -> Twist {
        self.twist
    }

    /// The state at t = 0; without momenta for a prescribed body, whose mass is infinite.
    pub fn start_state(&self) -> BodyState {
        if self.is_dynamic() {
            return BodyState::new(self.inertia(), &self.start, &self.twist);
        }
        let Pose { position, orientation } = self.start;
        BodyState { position, orientation, momentum: DVec3::ZERO, angular_momentum: DVec3::ZERO }
    }

    /// Another start, found from its joints.
    pub(super) fn restart(&mut self, pose: Pose, twist: Twist) {
        (self.start, self.twist) = (pose, twist);
    }

    fn check(&self) -> Result<(), WorldError> {
        let body = || self.name.clone().unwrap_or_default();
        let finite = [
            ("the position", self.start.position.is_finite()),
            ("the orientation", self.start.orientation.is_finite() && self.start.orientation.length() > 0.0),
            ("the velocity", self.twist.velocity.is_finite()),
            ("the spin", self.twist.spin.is_finite()),
        ];
        match finite.iter().find(|(_, ok)| !ok) {
            Some((what, _)) => Err(WorldError::NotFinite { body: body(), what }),
            None if self.placed && !self.is_dynamic() => Err(WorldError::Placed { body: body() }),
            None => self.check_motion().map_err(|problem| WorldError::Motion { body: body(), problem }),
        }
    }
}

impl Body {
    fn check_motion(&self) -> Result<(), MotionError> {
        let Some(motion) = self.prescribed_motion() else { return Ok(()) };
        if let Prescribed::Oscillate { amplitude, axis, angle, frequency, phase, .. } = motion {
            let numbers = [amplitude.length(), *angle, *frequency, *phase];
            if !numbers.iter().all(|n| n.is_finite()) {
                return Err(MotionError::NotFinite { what: "a number of an oscillation" });
            }
            if *angle != 0.0 && !axis.is_normalized() {
                return Err(MotionError::Axis { length: axis.length() });
            }
        }
        Ok(())
    }
}

/// Point masses that move together under the same forces. [LECTURE I]
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleSet {
    name: String,
    masses: Vec<f64>,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl ParticleSet {
    /// Particles with their masses, positions and velocities.
    ///
    /// # Errors
    /// When the lists differ in length, a mass is not positive, or a number is not finite.
    pub fn new(
        name: impl Into<String>,
        masses: Vec<f64>,
        positions: Vec<DVec3>,
        velocities: Vec<DVec3>,
    ) -> Result<Self, WorldError> {
        let set = name.into();
        for (what, found) in [("masses", masses.len()), ("velocities", velocities.len())] {
            if found != positions.len() {
                return Err(WorldError::Particles { set, positions: positions.len(), what, found });
            }
        }
        if let Some(index) = masses.iter().position(|m| !(m.is_finite() && *m > 0.0)) {
            return Err(WorldError::ParticleMass { set, index, mass: masses[index] });
        }
        if !positions.iter().chain(&velocities).all(|v| v.is_finite()) {
            return Err(WorldError::NotFinite { body: set, what: "a position or velocity" });
        }
        Ok(Self { name: set, masses, positions, velocities })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Masses, kg.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Positions at t = 0, m.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Velocities at t = 0, m/s.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocities
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

/// A body in a cast; [`super::World::id`] tells its id once the world is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub(crate) usize);

/// The bodies and particles from which a world is made.
#[derive(Debug, Clone, Default)]
pub struct Cast {
    bodies: Vec<Body>,
    sets: Vec<ParticleSet>,
}

impl Cast {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body.
    ///
    /// # Errors
    /// When a number of its start is not finite.
    pub fn add(&mut self, body: Body) -> Result<Handle, WorldError> {
        body.check()?;
        self.bodies.push(body);
        Ok(Handle(self.bodies.len() - 1))
    }

    /// Adds a set of particles.
    pub fn add_particles(&mut self, set: ParticleSet) {
        self.sets.push(set);
    }

    /// Bodies and sets in the order of their names, bodies without a name last; and the id of each body by the order of
    /// creation.
    pub(super) fn ranked(self) -> (Vec<Body>, Vec<ParticleSet>, Vec<BodyId>) {
        let mut numbered: Vec<(usize, Body)> = self.bodies.into_iter().enumerate().collect();
        numbered.sort_by(|(i, a), (j, b)| {
            let key = |body: &Body| (body.name.is_none(), body.name.clone());
            key(a).cmp(&key(b)).then(i.cmp(j))
        });
        let mut ranks = vec![BodyId(0); numbered.len()];
        for (rank, (i, _)) in numbered.iter().enumerate() {
            ranks[*i] = BodyId(rank as u32);
        }
        let mut sets = self.sets;
        sets.sort_by(|a, b| a.name.cmp(&b.name));
        (numbered.into_iter().map(|(_, body)| body).collect(), sets, ranks)
    }
}
