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
//!
//! Curved surfaces and rims have no point that stays in contact: their foot points are solved for anew, see
//! [`NormalRule::Patches`].

mod changing;
mod curved;
mod form;
mod patch;
mod system;

pub use patch::{Form, Patch};

use crate::body::Kinematics;
use crate::math::{DVec3, Pose, Row};
use changing::{Changing, over};
use curved::Touch;
use serde::{Deserialize, Serialize};

/// How the normal of a contact follows the two bodies; all vectors fixed in the frame of their body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// The common normal of two patches at their foot points; make it with [`ContactFunction::between_patches`].
    ///
    /// d = D − `radius_a` − `radius_b`, where n is at right angles to both forms and D n leads from the foot point of b to
    /// that of a, each solved for from `point_b` and `point_a`, which are on the forms or near. n points out of a form that
    /// is a surface; else D ≥ 0, but for two curves without radius, which have n along `t_a` × `t_b` (a circle runs
    /// about its axis in the positive sense), as edges have.
    ///
    /// Where the foot points are not determined (parallel lines, a line on a plane, a circle flat on one, circles about one
    /// axis) the weaker form is taken as its starting point, which then belongs to its body. The side of a cone over a plane
    /// is the circle of it through its starting point. A point that falls together with a point or curve when both radii
    /// are zero has no normal: it is zero then, and d = 0. A mean normal suits such contacts better. What lies flat for good
    /// is better given by points of it than by its rim, whose lowest point is anywhere after the least tilt.
    ///
    /// Of two curves without radius that overlap the foot points are determined as long as the overlap is small beside sin² of
    /// the angle between them by the sum of their curvatures.
    Patches {
        /// Of a.
        a: Patch,
        /// Of b.
        b: Patch,
    },
}

/// The separation at one contact as a function of where the bodies are.
///
/// Points and directions are in the frames whose poses it is given: those of the shapes as [`super::contacts`] makes it, or
/// those of the bodies after [`ContactFunction::in_bodies`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContactFunction {
    /// The point of a: its vertex, any point of its edge or face, or where on the form of its patch the search starts.
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

impl ContactFunction {
    /// The separation of two patches near given points of their forms, each in its own frame.
    ///
    /// `normal`, from b to a in the world, at `poses`, settles the sense of curves that cross; nothing else depends on it.
    #[must_use]
    pub fn between_patches(
        [mut a, b]: [Patch; 2],
        [point_a, point_b]: [DVec3; 2],
        poses: [&Pose; 2],
        normal: DVec3,
    ) -> Self {
        a.form = curved::with_sense(a.form, [point_a, point_b], &b.form, poses, normal);
        Self { point_a, point_b, normal: NormalRule::Patches { a, b } }
    }

    /// The sine of the angle between two curves without radius, where they start; none for all other patches and rules.
    pub(super) fn crossing(&self, poses: [&Pose; 2]) -> Option<f64> {
        let NormalRule::Patches { a, b } = &self.normal else { return None };
        let is_sharp = a.radius == 0.0 && b.radius == 0.0;
        let [t_a, t_b] = curved::tangents([&a.form, &b.form], [self.point_a, self.point_b], poses);
        Some(t_a?.cross(t_b?).length()).filter(|_| is_sharp)
    }

    /// The same separation with the roles of the bodies exchanged: the normal turns around.
    #[must_use]
    pub fn exchanged(&self) -> Self {
        let normal = match self.normal {
            NormalRule::OfA(n) => NormalRule::OfB(-n),
            NormalRule::OfB(n) => NormalRule::OfA(-n),
            NormalRule::Edges { along_a, along_b } => {
                NormalRule::Edges { along_a: along_b, along_b: along_a }
            }
            NormalRule::Mean { mean_a, mean_b } => NormalRule::Mean { mean_a: mean_b, mean_b: mean_a },
            NormalRule::Patches { a, b } => NormalRule::Patches { a: b, b: a },
        };
        Self { point_a: self.point_b, point_b: self.point_a, normal }
    }

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
            NormalRule::Patches { a, b } => {
                NormalRule::Patches { a: a.placed(frame_a), b: b.placed(frame_b) }
            }
        };
        Self { point_a: frame_a.point(self.point_a), point_b: frame_b.point(self.point_b), normal }
    }

    /// d, m. Zero while edges are parallel: they have no common normal then (patches: see [`NormalRule::Patches`]).
    pub fn value(&self, a: &Pose, b: &Pose) -> f64 {
        if let NormalRule::Patches { a: of_a, b: of_b } = &self.normal {
            return self.touch([of_a, of_b], [a, b]).separation();
        }
        self.normal(a, b).dot(self.between(a, b))
    }

    /// The unit normal, from b to a; zero while edges are parallel.
    pub fn normal(&self, a: &Pose, b: &Pose) -> DVec3 {
        let direction = match self.normal {
            NormalRule::OfA(n) => return a.direction(n),
            NormalRule::OfB(n) => return b.direction(n),
            NormalRule::Edges { along_a, along_b } => a.direction(along_a).cross(b.direction(along_b)),
            NormalRule::Mean { mean_a, mean_b } => b.direction(mean_b) - a.direction(mean_a),
            NormalRule::Patches { a: of_a, b: of_b } => return self.touch([&of_a, &of_b], [a, b]).normal,
        };
        over(direction, direction)
    }

    /// The points of a and of b where they are nearest along the normal, world frame, m.
    ///
    /// On a face, the vertex of the other and what it is over; on edges and patches, the foot points of the common normal
    /// (on parallel edges their points); where corners meet, these.
    pub fn points(&self, a: &Pose, b: &Pose) -> [DVec3; 2] {
        let [on_a, on_b] = [a.point(self.point_a), b.point(self.point_b)];
        match self.normal {
            NormalRule::OfA(n) => [on_b + a.direction(n) * self.value(a, b), on_b],
            NormalRule::OfB(n) => [on_a, on_a - b.direction(n) * self.value(a, b)],
            NormalRule::Mean { .. } => [on_a, on_b],
            NormalRule::Edges { along_a, along_b } => {
                let (e_a, e_b) = (a.direction(along_a), b.direction(along_b));
                let (r, n) = (self.between(a, b), e_a.cross(e_b));
                // r + s e_a − t e_b is along N: s = −r·(e_b×N)/N², t = −r·(e_a×N)/N²
                let along = |e: DVec3, other: DVec3| -e * r.dot(over(over(other.cross(n), n), n));
                [on_a + along(e_a, e_b), on_b + along(e_b, e_a)]
            }
            NormalRule::Patches { a: of_a, b: of_b } => self.touch([&of_a, &of_b], [a, b]).points(a, b),
        }
    }

    /// The velocity of the point of a where the bodies touch, m/s: of the place, which may move over both bodies.
    ///
    /// For bodies that touch: a vertex moves with its body, the crossing of two edges along both, the foot points of
    /// patches as the surfaces roll and slide. Of corners that meet it is the mean.
    pub fn point_velocity(&self, a: &Kinematics, b: &Kinematics) -> DVec3 {
        let (v_a, v_b) = (a.velocity_of(self.point_a), b.velocity_of(self.point_b));
        match self.normal {
            NormalRule::OfA(_) => v_b,
            NormalRule::OfB(_) => v_a,
            NormalRule::Mean { .. } => 0.5 * (v_a + v_b),
            NormalRule::Edges { along_a, along_b } => {
                let (e_a, e_b) = (a.pose.direction(along_a), b.pose.direction(along_b));
                let n = e_a.cross(e_b);
                let [on_a, on_b] = self.points(&a.pose, &b.pose);
                let (v_a, v_b) = (a.twist.at(on_a - a.pose.position), b.twist.at(on_b - b.pose.position));
                // v_a + s e_a − v_b − t e_b is along N, so s = −(v_a − v_b)·(e_b×N)/N².
                v_a - e_a * (v_a - v_b).dot(over(over(e_b.cross(n), n), n))
            }
            NormalRule::Patches { a: of_a, b: of_b } => {
                self.touch([&of_a, &of_b], [&a.pose, &b.pose]).point_velocity(a, b)
            }
        }
    }

    /// The normal with its derivatives; none for patches, whose foot points move.
    fn changing_normal(&self, a: &Kinematics, b: &Kinematics) -> Option<Changing> {
        match &self.normal {
            NormalRule::OfA(n) => Some(Changing::fixed(*n, a)),
            NormalRule::OfB(n) => Some(Changing::fixed(*n, b)),
            NormalRule::Edges { along_a, along_b } => {
                Some(Changing::fixed(*along_a, a).cross(Changing::fixed(*along_b, b)).unit())
            }
            NormalRule::Mean { mean_a, mean_b } => {
                Some(Changing::fixed(*mean_b, b).minus(Changing::fixed(*mean_a, a)).unit())
            }
            NormalRule::Patches { .. } => None,
        }
    }

    /// ṅ, 1/s: how the normal turns.
    pub fn normal_rate(&self, a: &Kinematics, b: &Kinematics) -> DVec3 {
        match (&self.normal, self.changing_normal(a, b)) {
            (_, Some(Changing(_, rate, _))) => rate,
            (NormalRule::Patches { a: of_a, b: of_b }, None) => {
                self.touch([of_a, of_b], [&a.pose, &b.pose]).normal_rate(a, b)
            }
            _ => DVec3::ZERO,
        }
    }

    /// d, ḋ and d̈ for bodies that move and accelerate.
    pub fn motion(&self, a: &Kinematics, b: &Kinematics) -> ContactMotion {
        if let NormalRule::Patches { a: of_a, b: of_b } = &self.normal {
            return self.touch([of_a, of_b], [&a.pose, &b.pose]).motion(a, b);
        }
        let Some(Changing(n, n_rate, n_curvature)) = self.changing_normal(a, b) else {
            unreachable!("patches were taken care of")
        };
        let r = self.between(&a.pose, &b.pose);
        let r_rate = a.velocity_of(self.point_a) - b.velocity_of(self.point_b);
        let r_curvature = a.acceleration_of(self.point_a) - b.acceleration_of(self.point_b);
        ContactMotion {
            value: n.dot(r),
            rate: n_rate.dot(r) + n.dot(r_rate),
            curvature: n_curvature.dot(r) + 2.0 * n_rate.dot(r_rate) + n.dot(r_curvature),
        }
    }

    /// The row of the constraint: ḋ = row (v, ω), d̈ = row (v̇, ω̇) + what velocities alone make.
    ///
    /// n·r̈ gives n and arm × n; n̈·r gives the part of N̈ with ω̇, seen across n: r⊥·N̈/L with r⊥ = r − n (n·r).
    pub fn row(&self, a: &Pose, b: &Pose) -> Row {
        if let NormalRule::Patches { a: of_a, b: of_b } = &self.normal {
            return self.touch([of_a, of_b], [a, b]).row();
        }
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
            // Between foot points r is along n: nothing across.
            NormalRule::Patches { .. } => (DVec3::ZERO, DVec3::ZERO),
        };
        Row {
            linear_a: n,
            angular_a: arm_a.cross(n) + turn_a,
            linear_b: -n,
            angular_b: -arm_b.cross(n) + turn_b,
        }
    }

    /// r = `p_a` − `p_b`, from the difference of the positions first, so that far from the origin little is lost.
    fn between(&self, a: &Pose, b: &Pose) -> DVec3 {
        (a.position - b.position) + (a.direction(self.point_a) - b.direction(self.point_b))
    }

    fn touch(&self, patches: [&Patch; 2], poses: [&Pose; 2]) -> Touch {
        Touch::new(patches, [self.point_a, self.point_b], poses)
    }
}
