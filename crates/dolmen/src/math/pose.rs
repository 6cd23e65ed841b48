//! Where a body is and how it moves.

use super::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Position of the centre of mass and orientation (body to world).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Position of the centre of mass, m.
    pub position: DVec3,
    /// Unit quaternion that turns body coordinates into world coordinates.
    pub orientation: DQuat,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// World coordinates of a point given in the body's frame.
    pub fn point(&self, point_body: DVec3) -> DVec3 {
        self.position + self.orientation * point_body
    }

    /// World components of a direction given in the body's frame.
    pub fn direction(&self, direction_body: DVec3) -> DVec3 {
        self.orientation * direction_body
    }
}

/// Velocity of the centre of mass and angular velocity, both in the world frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity ω, rad/s.
    pub spin: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self { velocity: DVec3::ZERO, spin: DVec3::ZERO };

    /// Velocity v + ω×r of the point at `arm` (world frame) from the centre of mass. [SLIDES; its mistake corrected]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }
}

/// A box with sides along the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Smallest corner.
    pub min: DVec3,
    /// Largest corner.
    pub max: DVec3,
}

impl Aabb {
    /// Contains nothing; the neutral element of [`Aabb::join`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box of a single point.
    pub fn point(point: DVec3) -> Self {
        Self { min: point, max: point }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Moved outwards by `margin` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }
}
