//! The separation at a contact as a smooth function of the two poses, with its derivatives in time.
//!
//! d = n·(`p_a` − `p_b`) for a point fixed to each body and a unit normal n = N/|N| from b to a that moves with them
//! [NOTES, resting contact; app. D]:
//!
//! ```text
//! ḋ = ṅ·r + n·ṙ                 r = p_a − p_b
//! d̈ = n̈·r + 2ṅ·ṙ + n·r̈
//! ```
//!
//! with |N| = L: ṅ = (Ṅ − n L̇)/L, L̇ = n·Ṅ, n̈ = (N̈ − n L̈ − 2L̇ ṅ)/L, L̈ = n·N̈ + ṅ·Ṅ. Nothing is dropped: the notes leave
//! out n̈·r because r = 0 at a contact, but along a pair of edges the points that touch move, and r leaves zero.

use crate::body::Kinematics;
use crate::math::{DVec3, Pose, Twist};

/// How the normal of a contact follows the two bodies; all vectors fixed in the frame of their body.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum NormalRule {
    /// Fixed in a: a face of a. The unit normal, inwards.
    OfA(DVec3),
    /// Fixed in b: a face of b. The unit normal, outwards.
    OfB(DVec3),
    /// N = `e_a` × `e_b` of two edges, their senses chosen so that it points from b to a.
    Edges {
        /// `e_a`, unit.
        along_a: DVec3,
        /// `e_b`, unit.
        along_b: DVec3,
    },
    /// N = `m_b` − `m_a` of mean outward normals: the local plane where corners and edges meet.
    Mean {
        /// `m_a`.
        mean_a: DVec3,
        /// `m_b`.
        mean_b: DVec3,
    },
}

/// The separation at one contact as a function of where the bodies are.
///
/// Points and directions are in the frames whose poses it is given: those of the shapes as [`super::contacts`] makes it, or
/// those of the bodies after [`ContactFunction::in_bodies`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactFunction {
    /// The point of a: its vertex, or any point of its edge or face.
    pub point_a: DVec3,
    /// The point of b.
    pub point_b: DVec3,
    /// The normal.
    pub normal: NormalRule,
}

/// The separation at an instant and how it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMotion {
    /// d, m.
    pub value: f64,
    /// ḋ, m/s.
    pub rate: f64,
    /// d̈, m/s².
    pub curvature: f64,
}

/// The linear map from (v, ω) of both bodies to ḋ, and from (v̇, ω̇) to d̈ less its part from velocities. [NOTES app. D]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// On the velocity of a: the normal.
    pub linear_a: DVec3,
    /// On the spin of a.
    pub angular_a: DVec3,
    /// On the velocity of b.
    pub linear_b: DVec3,
    /// On the spin of b.
    pub angular_b: DVec3,
}

impl Row {
    /// The map applied to velocities, m/s, or accelerations, m/s².
    pub fn apply(&self, (linear_a, angular_a): (DVec3, DVec3), (linear_b, angular_b): (DVec3, DVec3)) -> f64 {
        self.linear_a.dot(linear_a)
            + self.angular_a.dot(angular_a)
            + self.linear_b.dot(linear_b)
            + self.angular_b.dot(angular_b)
    }
}

/// Below this |N| the edges are parallel, or the mean normals equal, to rounding: there is no normal.
const NO_NORMAL: f64 = 1e-14;

/// A vector that changes: value, first and second derivative.
#[derive(Clone, Copy)]
struct Changing(DVec3, DVec3, DVec3);

impl Changing {
    /// A vector fixed in a body: u̇ = ω×u, ü = ω̇×u + ω×(ω×u).
    fn fixed(u_body: DVec3, body: &Kinematics) -> Self {
        let u = body.pose.direction(u_body);
        let rate = body.twist.spin.cross(u);
        Self(u, rate, body.spin_rate.cross(u) + body.twist.spin.cross(rate))
    }

    fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }

    fn cross(self, other: Self) -> Self {
        Self(
            self.0.cross(other.0),
            self.1.cross(other.0) + self.0.cross(other.1),
            self.2.cross(other.0) + 2.0 * self.1.cross(other.1) + self.0.cross(other.2),
        )
    }

    /// The unit vector; constant zero when there is none.
    fn unit(self) -> Self {
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

fn still(pose: &Pose) -> Kinematics {
    Kinematics { pose: *pose, twist: Twist::ZERO, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

impl ContactFunction {
    /// The same function of the poses of the bodies, given where the frames of the shapes are in those of the bodies.
    ///
    /// A body whose frame has its origin in the centre of mass has its shape's frame at (`shape_origin`, identity).
    #[must_use]
    pub fn in_bodies(&self, frame_a: &Pose, frame_b: &Pose) -> Self {
        let (a, b) = (|d| frame_a.direction(d), |d| frame_b.direction(d));
        let normal = match self.normal {
            NormalRule::OfA(n) => NormalRule::OfA(a(n)),
            NormalRule::OfB(n) => NormalRule::OfB(b(n)),
            NormalRule::Edges { along_a, along_b } => {
                NormalRule::Edges { along_a: a(along_a), along_b: b(along_b) }
            }
            NormalRule::Mean { mean_a, mean_b } => NormalRule::Mean { mean_a: a(mean_a), mean_b: b(mean_b) },
        };
        Self { point_a: frame_a.point(self.point_a), point_b: frame_b.point(self.point_b), normal }
    }

    /// d, m. Zero while edges are parallel: they have no common normal then.
    pub fn value(&self, a: &Pose, b: &Pose) -> f64 {
        self.normal(a, b).dot(self.between(a, b))
    }

    /// The unit normal, from b to a; zero while edges are parallel.
    pub fn normal(&self, a: &Pose, b: &Pose) -> DVec3 {
        let direction = match self.normal {
            NormalRule::OfA(n) => return a.direction(n),
            NormalRule::OfB(n) => return b.direction(n),
            NormalRule::Edges { along_a, along_b } => a.direction(along_a).cross(b.direction(along_b)),
            NormalRule::Mean { mean_a, mean_b } => b.direction(mean_b) - a.direction(mean_a),
        };
        over(direction, direction)
    }

    /// d, ḋ and d̈ for bodies that move and accelerate.
    pub fn motion(&self, a: &Kinematics, b: &Kinematics) -> ContactMotion {
        let Changing(n, n_rate, n_curvature) = self.normal_at(a, b);
        let r = self.between(&a.pose, &b.pose);
        let r_rate = a.velocity_of(self.point_a) - b.velocity_of(self.point_b);
        let r_curvature = a.acceleration_of(self.point_a) - b.acceleration_of(self.point_b);
        ContactMotion {
            value: n.dot(r),
            rate: n_rate.dot(r) + n.dot(r_rate),
            curvature: n_curvature.dot(r) + 2.0 * n_rate.dot(r_rate) + n.dot(r_curvature),
        }
    }

    /// The row of the constraint: ḋ = row (v, ω), d̈ = row (v̇, ω̇) + remainder.
    ///
    /// n·r̈ gives n and arm × n; n̈·r gives the part of N̈ with ω̇, seen across n: r⊥·N̈/L with r⊥ = r − n (n·r).
    pub fn row(&self, a: &Pose, b: &Pose) -> Row {
        let n = self.normal(a, b);
        let (arm_a, arm_b) = (a.direction(self.point_a), b.direction(self.point_b));
        let r = self.between(a, b);
        let across = r - n * n.dot(r);
        let (turn_a, turn_b) = match self.normal {
            NormalRule::OfA(_) => (n.cross(across), DVec3::ZERO),
            NormalRule::OfB(_) => (DVec3::ZERO, n.cross(across)),
            NormalRule::Edges { along_a, along_b } => {
                let (e_a, e_b) = (a.direction(along_a), b.direction(along_b));
                // r⊥·((ω_a×e_a)×e_b) = ω_a·(e_a×(e_b×r⊥)), r⊥·(e_a×(ω_b×e_b)) = ω_b·(e_b×(r⊥×e_a))
                (
                    over(e_a.cross(e_b.cross(across)), e_a.cross(e_b)),
                    over(e_b.cross(across.cross(e_a)), e_a.cross(e_b)),
                )
            }
            NormalRule::Mean { mean_a, mean_b } => {
                let (m_a, m_b) = (a.direction(mean_a), b.direction(mean_b));
                (over(-m_a.cross(across), m_b - m_a), over(m_b.cross(across), m_b - m_a))
            }
        };
        Row {
            linear_a: n,
            angular_a: arm_a.cross(n) + turn_a,
            linear_b: -n,
            angular_b: -arm_b.cross(n) + turn_b,
        }
    }

    /// The part of d̈ that velocities alone make: b of d̈ = row (v̇, ω̇) + b. [NOTES app. D]
    pub fn remainder(&self, (pose_a, twist_a): (&Pose, &Twist), (pose_b, twist_b): (&Pose, &Twist)) -> f64 {
        let a = Kinematics { twist: *twist_a, ..still(pose_a) };
        let b = Kinematics { twist: *twist_b, ..still(pose_b) };
        self.motion(&a, &b).curvature
    }

    /// r = `p_a` − `p_b`, from the difference of the positions first, so that far from the origin little is lost.
    fn between(&self, a: &Pose, b: &Pose) -> DVec3 {
        (a.position - b.position) + (a.direction(self.point_a) - b.direction(self.point_b))
    }

    fn normal_at(&self, a: &Kinematics, b: &Kinematics) -> Changing {
        match self.normal {
            NormalRule::OfA(n) => Changing::fixed(n, a),
            NormalRule::OfB(n) => Changing::fixed(n, b),
            NormalRule::Edges { along_a, along_b } => {
                Changing::fixed(along_a, a).cross(Changing::fixed(along_b, b)).unit()
            }
            NormalRule::Mean { mean_a, mean_b } => {
                Changing::fixed(mean_b, b).minus(Changing::fixed(mean_a, a)).unit()
            }
        }
    }
}

/// v by |N|, zero where there is no normal.
fn over(v: DVec3, direction: DVec3) -> DVec3 {
    let length = direction.length();
    if length > NO_NORMAL { v / length } else { DVec3::ZERO }
}
