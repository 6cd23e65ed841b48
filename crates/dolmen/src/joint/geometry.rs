//! The two frames of a joint in motion, and the functions of them that equations use.
//!
//! Frame a is fixed in body a, frame b in body b (or the world). With r from the origin of frame b to that of frame a and the
//! axes `a_j`, `b_i`:
//!
//! ```text
//! b_i·r      ġ = b_i·ṙ + ḃ_i·r     g̈ = b_i·r̈ + 2ḃ_i·ṙ + b̈_i·r
//! b_i·a_j    ġ = b_i·ȧ_j + ḃ_i·a_j  …
//! ```
//!
//! where u̇ = ω×u and ü = ω̇×u + ω×(ω×u) of an axis u of a body. [NOTES app. D]

use super::Jet;
use super::describe::axis::Turning;
use crate::body::Kinematics;
use crate::math::Row;
use crate::math::{DVec3, Pose};

/// A vector with its two derivatives in time.
#[derive(Debug, Clone, Copy)]
struct Moving {
    value: DVec3,
    rate: DVec3,
    curvature: DVec3,
}

impl Moving {
    /// A direction fixed in a body.
    fn axis(body: &Kinematics, direction: DVec3) -> Self {
        let (spin, turn) = (body.twist.spin, body.spin_rate);
        let rate = spin.cross(direction);
        Self { value: direction, rate, curvature: turn.cross(direction) + spin.cross(rate) }
    }
}

/// The frames of a joint at an instant.
#[derive(Debug, Clone, Copy)]
pub struct Geometry {
    axes_a: [Moving; 3],
    axes_b: [Moving; 3],
    /// From the centres of the bodies to their points.
    arm_a: DVec3,
    arm_b: DVec3,
    /// From the point of b to that of a.
    between: Moving,
}

impl Geometry {
    /// Of frames given in the bodies.
    pub fn new(a: &Kinematics, b: &Kinematics, frame_a: &Pose, frame_b: &Pose) -> Self {
        let axes = |body: &Kinematics, frame: &Pose| {
            let turned = body.pose.orientation * frame.orientation;
            DVec3::AXES.map(|axis| Moving::axis(body, turned * axis))
        };
        let (p, q) = (frame_a.position, frame_b.position);
        let (arm_a, arm_b) = (a.pose.direction(p), b.pose.direction(q));
        let between = Moving {
            // Differences of centres and arms apart: less is lost far from the origin.
            value: (a.pose.position - b.pose.position) + (arm_a - arm_b),
            rate: a.twist.at(arm_a) - b.twist.at(arm_b),
            curvature: a.acceleration_of(p) - b.acceleration_of(q),
        };
        Self { axes_a: axes(a, frame_a), axes_b: axes(b, frame_b), arm_a, arm_b, between }
    }

    /// Where frame a is, seen from frame b: position and axes in frame b.
    pub fn between(&self) -> DVec3 {
        self.between.value
    }

    /// Axis i of frame b, world.
    pub fn axis_b(&self, i: usize) -> DVec3 {
        self.axes_b[i].value
    }

    /// The arm of the joint's point on a, and that of the same point of space on b, world.
    pub fn arms(&self) -> [DVec3; 2] {
        [self.arm_a, self.arm_b + self.between.value]
    }

    /// `b_i`·r: how far a is along axis i of b, m.
    pub fn along(&self, i: usize) -> Jet {
        let (axis, r) = (&self.axes_b[i], &self.between);
        let n = axis.value;
        Jet {
            value: n.dot(r.value),
            row: Row {
                linear_a: n,
                angular_a: self.arm_a.cross(n),
                linear_b: -n,
                // −`arm_b`×n of the point of b, and n×r of the axis that turns with b.
                angular_b: -(self.arm_b + r.value).cross(n),
            },
            rate: n.dot(r.rate) + axis.rate.dot(r.value),
            curvature: n.dot(r.curvature) + 2.0 * axis.rate.dot(r.rate) + axis.curvature.dot(r.value),
        }
    }

    /// `b_i`·`a_j`: an entry of the rotation from frame a to frame b.
    pub fn entry(&self, i: usize, j: usize) -> Jet {
        let (b, a) = (&self.axes_b[i], &self.axes_a[j]);
        Jet {
            value: b.value.dot(a.value),
            row: Row {
                linear_a: DVec3::ZERO,
                angular_a: a.value.cross(b.value),
                linear_b: DVec3::ZERO,
                angular_b: b.value.cross(a.value),
            },
            rate: b.rate.dot(a.value) + b.value.dot(a.rate),
            curvature: b.curvature.dot(a.value) + 2.0 * b.rate.dot(a.rate) + b.value.dot(a.curvature),
        }
    }

    /// (r·r − ℓ²)/2ℓ: the excess of the distance over ℓ to first order, and smooth where the distance is not, m.
    pub fn excess(&self, length: f64) -> Jet {
        let r = &self.between;
        let n = r.value / length;
        Jet {
            value: 0.5 * (r.value.dot(n) - length),
            row: Row {
                linear_a: n,
                angular_a: self.arm_a.cross(n),
                linear_b: -n,
                angular_b: -self.arm_b.cross(n),
            },
            rate: r.rate.dot(n),
            curvature: (r.rate.dot(r.rate) + r.value.dot(r.curvature)) / length,
        }
    }

    /// |r|, m. Where it is zero it has no direction: zero with all its derivatives.
    pub fn distance(&self) -> Jet {
        let length = self.between.value.length();
        if length == 0.0 {
            return Jet::ZERO;
        }
        // With ℓ = |r| at this instant the excess has the same gradient; d̈ = ė-curvature − ḋ²/ℓ.
        let excess = self.excess(length);
        Jet { value: length, curvature: excess.curvature - excess.rate * excess.rate / length, ..excess }
    }

    /// An angle between the frames, rad, in (−π, π].
    pub fn angle(&self, turning: Turning) -> Jet {
        let m = |i, j| self.entry(i, j);
        let minus = |i, j| self.entry(i, j).scaled(-1.0);
        match turning {
            // Of the part of the rotation about axis k: tan φ = (m_ji − m_ij)/(m_ii + m_jj).
            Turning::Twist(k) => {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let sine = Jet::combined((1.0, &m(j, i)), (-1.0, &m(i, j)));
                let cosine = Jet::combined((1.0, &m(i, i)), (1.0, &m(j, j)));
                Jet::angle(&sine, &cosine)
            }
            Turning::FirstOfXy => Jet::angle(&m(2, 1), &m(1, 1)),
            Turning::SecondOfXy => Jet::angle(&m(0, 2), &m(0, 0)),
            Turning::FirstOfYz => Jet::angle(&m(0, 2), &m(2, 2)),
            Turning::SecondOfYz => Jet::angle(&m(1, 0), &m(1, 1)),
            Turning::First => Jet::angle(&minus(1, 2), &m(2, 2)),
            Turning::Middle => Jet::angle(&m(0, 2), &Jet::hypotenuse(&m(1, 2), &m(2, 2))),
            Turning::Last => Jet::angle(&minus(0, 1), &m(0, 0)),
        }
    }
}
