//! A joint as it is described: what it joins, where, of which kind, and what acts in it.

use std::sync::Arc;

use super::{Axis, Constraint, Course, Friction};
use crate::id::BodyId;
use crate::math::{DQuat, DVec3};
use crate::member::Handle;

/// What a joint attaches to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A body.
    Body(BodyId),
    /// A body that was given to the builder of the world; a body from the moment that the joint is fitted into it.
    Added(Handle),
    /// The world, which does not move.
    World,
}

impl From<BodyId> for Side {
    fn from(id: BodyId) -> Self {
        Self::Body(id)
    }
}

impl From<Handle> for Side {
    fn from(handle: Handle) -> Self {
        Self::Added(handle)
    }
}

/// A frame of a joint: a point and directions. The z axis is that of hinges, sliders and screws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The origin, m: from the centre of mass in the body's axes, or in the world.
    pub point: DVec3,
    /// How it is turned.
    pub turned: Turned,
}

/// How a frame is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turned {
    /// By a rotation, from the frame to that in which it is given.
    By(DQuat),
    /// Its z axis along this direction, of any length but zero; x is chosen.
    Along(DVec3),
    /// Its z axis along the first direction, x in the plane of both on the side of the second.
    AlongAndAcross(DVec3, DVec3),
}

impl Frame {
    /// A point, with axes as they are where it is given.
    pub fn at(point: DVec3) -> Self {
        Self { point, turned: Turned::By(DQuat::IDENTITY) }
    }

    /// A point and the direction of z.
    pub fn along(point: DVec3, axis: DVec3) -> Self {
        Self { point, turned: Turned::Along(axis) }
    }
}

/// Where a joint is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placement {
    /// One frame in the world; both sides take it over as they are at the start.
    World(Frame),
    /// One frame in the body on side a; the other side takes it over at the start.
    OnA(Frame),
    /// One frame in the body on side b; the other side takes it over at the start.
    OnB(Frame),
    /// A frame on each side, a first; an end on the world is given in the world.
    Each(Frame, Frame),
}

/// What a joint forbids. Frame a moves in frame b.
#[derive(Debug, Clone)]
pub enum JointKind {
    /// The points stay together.
    Ball,
    /// Turns about z.
    Hinge,
    /// Moves along z.
    Slider,
    /// Moves along z and turns about it.
    Cylindrical,
    /// Turns about x of frame b and y of frame a, which stay at right angles, as the cross of a cardan shaft.
    Universal,
    /// Moves along x and y and turns about z.
    Planar,
    /// Locks every axis.
    Weld,
    /// Turns about z and moves along it by `pitch` a turn, m.
    Screw {
        /// Metres a turn; a right-handed screw has a positive one.
        pitch: f64,
    },
    /// The points keep their distance.
    Rod {
        /// m; none takes that of the start.
        length: Option<f64>,
    },
    /// The points come no further apart.
    Rope {
        /// m; none takes the distance at the start.
        length: Option<f64>,
        /// Share of the speed with which it rebounds when it reaches its length.
        restitution: f64,
    },
    /// The point of a stays on the z axis of frame b.
    PointOnLine,
    /// The point of a stays in the xy plane of frame b.
    PointOnPlane,
    /// Each of the six axes free or locked; what is limited, sprung or driven is free.
    SixAxis {
        /// x, y, z, and the turns about them: true if locked.
        locked: [bool; 6],
    },
    /// The user's own.
    Own(Arc<dyn Constraint>),
}

impl JointKind {
    /// What it is called in scenes and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Planar => "planar",
            Self::Weld => "weld",
            Self::Screw { .. } => "screw",
            Self::Rod { .. } => "rod",
            Self::Rope { .. } => "rope",
            Self::PointOnLine => "point-on-line",
            Self::PointOnPlane => "point-on-plane",
            Self::SixAxis { .. } => "six-axis",
            Self::Own(_) => "own",
        }
    }

    /// Which of the six axes are locked.
    pub fn locked(&self) -> [bool; 6] {
        const O: bool = false;
        const I: bool = true;
        match self {
            Self::Ball => [I, I, I, O, O, O],
            Self::Hinge => [I, I, I, I, I, O],
            Self::Slider => [I, I, O, I, I, I],
            Self::Cylindrical | Self::Screw { .. } => [I, I, O, I, I, O],
            Self::Universal => [I, I, I, O, O, I],
            Self::Planar => [O, O, I, I, I, O],
            Self::Weld => [I; 6],
            Self::PointOnLine => [I, I, O, O, O, O],
            Self::PointOnPlane => [O, O, I, O, O, O],
            Self::SixAxis { locked } => *locked,
            Self::Rod { .. } | Self::Rope { .. } | Self::Own(_) => [O; 6],
        }
    }
}

/// What acts along a free axis of a joint.
#[derive(Debug, Clone)]
pub enum Control {
    /// The coordinate stays within bounds. Equal bounds lock it.
    Limit {
        /// Smallest, m or rad; −∞ for none.
        lower: f64,
        /// Largest, m or rad; +∞ for none.
        upper: f64,
        /// Share of the speed with which it bounces off a bound.
        restitution: f64,
    },
    /// F = −k(q − q₀) − c q̇.
    Spring {
        /// k, N/m or N·m/rad.
        stiffness: f64,
        /// q₀, m or rad.
        rest: f64,
        /// c, N·s/m or N·m·s/rad.
        damping: f64,
    },
    /// A force given in time, N or N·m.
    Force(Course),
    /// Keeps q̇ at a target, with whatever force that takes up to the largest.
    Velocity {
        /// Of q̇, m/s or rad/s.
        target: Course,
        /// N or N·m; may be infinite.
        largest: f64,
    },
    /// F = −k(q − s) − c(q̇ − ṡ) with a target s in time, up to the largest force.
    Position {
        /// s, m or rad.
        target: Course,
        /// k.
        stiffness: f64,
        /// c.
        damping: f64,
        /// N or N·m; may be infinite.
        largest: f64,
    },
    /// q = s(t), with whatever force that takes.
    Motion(Course),
    /// Coulomb's friction: |F| ≤ constant + arm·μ·N with the joint's reaction N across the axis.
    Friction(Friction),
}

/// A joint between two bodies, or a body and the world.
#[derive(Debug, Clone)]
pub struct Joint {
    pub(in crate::joint) name: String,
    pub(in crate::joint) a: Side,
    pub(in crate::joint) b: Side,
    pub(in crate::joint) placement: Placement,
    pub(in crate::joint) kind: JointKind,
    pub(in crate::joint) controls: Vec<(Axis, Control)>,
    pub(in crate::joint) cone: Option<Cone>,
    pub(in crate::joint) collides: bool,
}

/// The z axes of the two frames stay within an angle of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// rad, in (0, π).
    pub largest: f64,
    /// Share of the speed with which it bounces back.
    pub restitution: f64,
}

impl Joint {
    /// A joint between side a and side b at the origin of the world, until it is placed.
    pub fn new(name: impl Into<String>, kind: JointKind, a: impl Into<Side>, b: impl Into<Side>) -> Self {
        let (a, b) = (a.into(), b.into());
        let placement = Placement::World(Frame::at(DVec3::ZERO));
        Self { name: name.into(), a, b, placement, kind, controls: Vec::new(), cone: None, collides: false }
    }

    /// With other sides.
    #[must_use]
    pub fn between(mut self, a: impl Into<Side>, b: impl Into<Side>) -> Self {
        (self.a, self.b) = (a.into(), b.into());
        self
    }

    /// Puts it at a point of the world, z along an axis.
    #[must_use]
    pub fn at(self, point: DVec3, axis: DVec3) -> Self {
        self.placed(Placement::World(Frame::along(point, axis)))
    }

    /// Puts it somewhere.
    #[must_use]
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Adds what acts along one of its axes.
    #[must_use]
    pub fn with(mut self, axis: Axis, control: Control) -> Self {
        self.controls.push((axis, control));
        self
    }

    /// Keeps a coordinate within bounds, without bouncing.
    #[must_use]
    pub fn limited(self, axis: Axis, lower: f64, upper: f64) -> Self {
        self.with(axis, Control::Limit { lower, upper, restitution: 0.0 })
    }

    /// Keeps the z axes of its frames within an angle of each other.
    #[must_use]
    pub fn within_cone(mut self, cone: Cone) -> Self {
        self.cone = Some(cone);
        self
    }

    /// Lets the bodies that it joins collide with each other.
    #[must_use]
    pub fn colliding(mut self) -> Self {
        self.collides = true;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its kind.
    pub fn kind(&self) -> &JointKind {
        &self.kind
    }

    /// Its sides, a first.
    pub fn sides(&self) -> [Side; 2] {
        [self.a, self.b]
    }

    /// What acts in it.
    pub fn controls(&self) -> &[(Axis, Control)] {
        &self.controls
    }

    /// How far its axes may lean from each other, if that is bounded.
    pub fn cone(&self) -> Option<Cone> {
        self.cone
    }

    /// Whether the bodies that it joins may collide with each other.
    pub fn collides(&self) -> bool {
        self.collides
    }
}
