//! Vectors with their derivatives in time.

use crate::body::Kinematics;
use crate::math::DVec3;

/// Below this |N| the edges are parallel, or the mean normals equal, to rounding: there is no normal.
pub(super) const NO_NORMAL: f64 = 1e-14;

/// A vector that changes: value, first and second derivative.
#[derive(Clone, Copy)]
pub(super) struct Changing(pub(super) DVec3, pub(super) DVec3, pub(super) DVec3);

impl Changing {
    /// A vector fixed in a body: u̇ = ω×u, ü = ω̇×u + ω×(ω×u).
    pub(super) fn fixed(u_body: DVec3, body: &Kinematics) -> Self {
        let u = body.pose.direction(u_body);
        let rate = body.twist.spin.cross(u);
        Self(u, rate, body.spin_rate.cross(u) + body.twist.spin.cross(rate))
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }

    pub(super) fn cross(self, other: Self) -> Self {
        Self(
            self.0.cross(other.0),
            self.1.cross(other.0) + self.0.cross(other.1),
            self.2.cross(other.0) + 2.0 * self.1.cross(other.1) + self.0.cross(other.2),
        )
    }

    /// The unit vector; constant zero when there is none.
    pub(super) fn unit(self) -> Self {
        let length = self.0.length();
        if length.is_nan() || length <= NO_NORMAL {
            return Self(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        }
        let n = self.0 / length;
        let length_rate = n.dot(self.1);
        let rate = (self.1 - n * length_rate) / length;
        let length_curvature = n.dot(self.2) + rate.dot(self.1);
        Self(n, rate, (self.2 - n * length_curvature - 2.0 * length_rate * rate) / length)
    }
}

/// v by |N|, zero where there is no normal.
pub(super) fn over(v: DVec3, direction: DVec3) -> DVec3 {
    let length = direction.length();
    if length > NO_NORMAL { v / length } else { DVec3::ZERO }
}
