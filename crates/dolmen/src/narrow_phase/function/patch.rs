//! Pieces of surfaces, as the contact function sees them.

use crate::math::{DQuat, DVec3, Pose};
use serde::{Deserialize, Serialize};

/// A piece of the surface of a shape: all points at distance `radius` from a simple form, outside of it.
///
/// A sphere is a point with a radius, the side of a cylinder or capsule a line with one; a rim is a circle, an edge of a
/// polyhedron a line and a corner a point with radius 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// What the radius is measured from.
    pub form: Form,
    /// m, zero or more.
    pub radius: f64,
}

/// A simple form, in the frame of its shape or body; directions are unit vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Form {
    /// A point.
    Point(DVec3),
    /// A straight line.
    Line {
        /// On it.
        point: DVec3,
        /// Along it.
        direction: DVec3,
    },
    /// A circle.
    Circle {
        /// Its centre.
        centre: DVec3,
        /// At right angles to it.
        axis: DVec3,
        /// m.
        radius: f64,
    },
    /// A plane.
    Plane {
        /// On it.
        point: DVec3,
        /// Out of the shape.
        normal: DVec3,
    },
    /// The side of a circular cone.
    Cone {
        /// Its tip.
        apex: DVec3,
        /// From the tip into the cone.
        axis: DVec3,
        /// Of the angle between axis and side.
        sine: f64,
        /// Of the same angle.
        cosine: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Its centre.
        centre: DVec3,
        /// Turns its axes into the frame.
        axes: DQuat,
        /// Semi-axes, m.
        half: DVec3,
    },
}

impl Patch {
    /// The same patch seen from the frame in which its own has this pose.
    #[must_use]
    pub fn placed(&self, frame: &Pose) -> Self {
        Self { form: self.form.placed(frame), radius: self.radius }
    }
}

impl Form {
    /// The same form seen from the frame in which its own has this pose.
    #[must_use]
    pub fn placed(&self, frame: &Pose) -> Self {
        let (at, along) = (|x| frame.point(x), |d| frame.direction(d));
        match *self {
            Self::Point(point) => Self::Point(at(point)),
            Self::Line { point, direction } => Self::Line { point: at(point), direction: along(direction) },
            Self::Circle { centre, axis, radius } => {
                Self::Circle { centre: at(centre), axis: along(axis), radius }
            }
            Self::Plane { point, normal } => Self::Plane { point: at(point), normal: along(normal) },
            Self::Cone { apex, axis, sine, cosine } => {
                Self::Cone { apex: at(apex), axis: along(axis), sine, cosine }
            }
            Self::Ellipsoid { centre, axes, half } => {
                Self::Ellipsoid { centre: at(centre), axes: frame.orientation * axes, half }
            }
        }
    }
}
