//! The state of one body and what is derived from it.

use super::Inertia;
use crate::math::{DMat3, DQuat, DVec3, Pose, Twist};
use serde::{Deserialize, Serialize};

/// The state that the equations of motion carry: x, q, P, L. [NOTES I, SLIDES]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// Position of the centre of mass x, m.
    pub position: DVec3,
    /// Unit quaternion q, body to world.
    pub orientation: DQuat,
    /// Linear momentum P, kg·m/s.
    pub momentum: DVec3,
    /// Angular momentum L about the centre of mass, world frame, kg·m²/s.
    pub angular_momentum: DVec3,
}

impl BodyState {
    /// The state of a body with this pose and twist.
    pub fn new(inertia: &Inertia, pose: &Pose, twist: &Twist) -> Self {
        let r = DMat3::from_quat(pose.orientation);
        Self {
            position: pose.position,
            orientation: pose.orientation,
            momentum: inertia.mass * twist.velocity,
            angular_momentum: inertia.angular_momentum(&r, twist.spin),
        }
    }

    /// Whether all its numbers are finite, and its orientation has a length.
    pub(crate) fn is_finite(&self) -> bool {
        let vectors = [self.position, self.momentum, self.angular_momentum];
        let length = self.orientation.length();
        vectors.iter().all(|vector| vector.is_finite()) && length.is_finite() && length > 0.0
    }

    /// Position and orientation.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, orientation: self.orientation }
    }

    /// v = P/m and ω = I⁻¹L.
    pub fn twist(&self, inertia: &Inertia) -> Twist {
        let r = DMat3::from_quat(self.orientation);
        Twist { velocity: self.momentum * inertia.inv_mass, spin: inertia.spin(&r, self.angular_momentum) }
    }

    /// ½ P·v + ½ L·ω, J. [NOTES app. C]
    pub fn kinetic_energy(&self, inertia: &Inertia) -> f64 {
        let twist = self.twist(inertia);
        0.5 * self.momentum.dot(twist.velocity) + 0.5 * self.angular_momentum.dot(twist.spin)
    }

    /// x × P + L: the angular momentum about the origin of the world.
    pub fn angular_momentum_about_origin(&self) -> DVec3 {
        self.position.cross(self.momentum) + self.angular_momentum
    }
}

/// Total force and torque on a body.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    /// F, N.
    pub force: DVec3,
    /// τ about the centre of mass, N·m.
    pub torque: DVec3,
}

/// Pose, twist and acceleration of a body at an instant, from which those of any of its points follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kinematics {
    /// Position and orientation.
    pub pose: Pose,
    /// Velocity and spin.
    pub twist: Twist,
    /// v̇, m/s².
    pub acceleration: DVec3,
    /// ω̇, rad/s².
    pub spin_rate: DVec3,
}

impl Kinematics {
    /// v̇ = F/m and ω̇ = I⁻¹(τ + L×ω). [NOTES app. C]
    pub fn new(state: &BodyState, inertia: &Inertia, load: &Load) -> Self {
        let r = DMat3::from_quat(state.orientation);
        let twist = state.twist(inertia);
        let gyroscopic = state.angular_momentum.cross(twist.spin);
        Self {
            pose: state.pose(),
            twist,
            acceleration: load.force * inertia.inv_mass,
            spin_rate: inertia.spin(&r, load.torque + gyroscopic),
        }
    }

    /// v + ω×r of a point of the body.
    pub fn velocity_of(&self, point_body: DVec3) -> DVec3 {
        self.twist.at(self.pose.direction(point_body))
    }

    /// v̇ + ω̇×r + ω×(ω×r) of a point of the body. [NOTES app. C]
    pub fn acceleration_of(&self, point_body: DVec3) -> DVec3 {
        let arm = self.pose.direction(point_body);
        let spin = self.twist.spin;
        self.acceleration + self.spin_rate.cross(arm) + spin.cross(spin.cross(arm))
    }
}
