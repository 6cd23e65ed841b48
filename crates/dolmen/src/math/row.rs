//! One row of a Jacobian between two bodies.

use super::{DVec3, Twist};

/// A row of J: the linear map from (v, ω) of two bodies to a rate, u = l_a·v_a + a_a·ω_a + l_b·v_b + a_b·ω_b, and from (v̇, ω̇) to an
/// acceleration less its part from velocities. [NOTES app. D]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Row {
    /// By the velocity of a; of a contact the normal or a tangent.
    pub linear_a: DVec3,
    /// By the spin of a.
    pub angular_a: DVec3,
    /// By the velocity of b.
    pub linear_b: DVec3,
    /// By the spin of b.
    pub angular_b: DVec3,
}

impl Row {
    /// The rate along `direction` of the point of a, at `arm_a` from its centre, relative to that of b.
    pub fn of_point(direction: DVec3, arm_a: DVec3, arm_b: DVec3) -> Self {
        Self {
            linear_a: direction,
            angular_a: arm_a.cross(direction),
            linear_b: -direction,
            angular_b: -arm_b.cross(direction),
        }
    }

    /// Its two entries of one body: 0 for a, 1 for b.
    pub fn side(&self, side: usize) -> (DVec3, DVec3) {
        if side == 0 { (self.linear_a, self.angular_a) } else { (self.linear_b, self.angular_b) }
    }

    /// The map applied to velocities, m/s, or accelerations, m/s².
    pub fn apply(&self, (linear_a, angular_a): (DVec3, DVec3), (linear_b, angular_b): (DVec3, DVec3)) -> f64 {
        self.linear_a.dot(linear_a)
            + self.angular_a.dot(angular_a)
            + self.linear_b.dot(linear_b)
            + self.angular_b.dot(angular_b)
    }

    /// The rate for these motions of the bodies.
    pub fn rate(&self, twists: &[Twist; 2]) -> f64 {
        self.side_rate(0, &twists[0]) + self.side_rate(1, &twists[1])
    }

    /// What one body adds to the rate.
    pub fn side_rate(&self, side: usize, twist: &Twist) -> f64 {
        let (linear, angular) = self.side(side);
        linear.dot(twist.velocity) + angular.dot(twist.spin)
    }
}
