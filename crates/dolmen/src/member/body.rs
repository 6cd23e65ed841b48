//! A rigid body as it is put into a world.

use super::MemberError;
use crate::body::{BodyState, Inertia};
use crate::broad_phase::Groups;
use crate::mass::{self, MassError, MassProperties};
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

    /// A point mass of `mass` kg, which touches other bodies and cannot be turned; at rest at the origin.
    ///
    /// # Errors
    /// When the mass is not positive and finite.
    pub fn point(mass: f64) -> Result<Self, MemberError> {
        if !(mass.is_finite() && mass > 0.0) {
            return Err(MassError::Mass { value: mass }.into());
        }
        let kind = BodyKind::Dynamic(Inertia::point(mass));
        let start = Pose::IDENTITY;
        let (name, shape) = (None, Some(Shape::POINT));
        let (material, groups, shape_origin, twist) = (None, Groups::ALL, DVec3::ZERO, Twist::ZERO);
        Ok(Self { name, kind, shape, material, groups, shape_origin, start, twist, placed: false })
    }

    /// A solid of uniform density, kg/m³.
    ///
    /// # Errors
    /// When shape or density have no mass properties.
    pub fn solid(shape: Shape, density: f64) -> Result<Self, MemberError> {
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

    /// A body at rest.
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

    /// That all its numbers are finite, and that it is placed where it is free to be.
    pub(crate) fn check(&self) -> Result<(), MemberError> {
        let body = || self.name.clone().unwrap_or_default();
        let finite = [
            ("the position", self.start.position.is_finite()),
            ("the orientation", self.start.orientation.is_finite() && self.start.orientation.length() > 0.0),
            ("the velocity", self.twist.velocity.is_finite()),
            ("the spin", self.twist.spin.is_finite()),
        ];
        match finite.iter().find(|(_, ok)| !ok) {
            Some((what, _)) => Err(MemberError::NotFinite { body: body(), what }),
            None if self.placed && !self.is_dynamic() => Err(MemberError::Placed { body: body() }),
            None => self.check_motion().map_err(|problem| MemberError::Motion { body: body(), problem }),
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
