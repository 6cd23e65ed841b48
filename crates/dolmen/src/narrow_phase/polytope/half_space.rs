//! Infinite planes.

use super::Polytope;
use crate::math::{DVec3, Pose};
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::tolerance::ROUNDING;
use crate::narrow_phase::{Closest, Feature, Witness};
use crate::shape::{Plane, Sides};

/// An infinite plane, with a solid behind it when it is one-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Unit normal to the front.
    pub normal: DVec3,
    /// n·x of its points, m.
    pub offset: f64,
    /// From where it can be touched.
    pub sides: Sides,
}

/// A polytope over a side of a plane, in the frame of the plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Height {
    /// Of the side: 0 is the front, 1 the back.
    pub(super) face: u32,
    /// Unit, away from that side.
    pub(super) normal: DVec3,
    /// n·x on the plane.
    pub(super) offset: f64,
    /// Of the lowest vertex, m.
    pub(super) lowest: f64,
    pub(super) vertex: u32,
}

impl HalfSpace {
    pub(crate) fn new(plane: &Plane) -> Self {
        Self { normal: plane.normal(), offset: plane.offset(), sides: plane.sides() }
    }

    fn over(&self, face: u32, a: &Polytope, frame: &Relative, hint: u32) -> Height {
        let sign = if face == 0 { 1.0 } else { -1.0 };
        let (normal, offset) = (sign * self.normal, sign * self.offset);
        let vertex = a.support(-frame.back(normal), hint);
        Height { face, normal, offset, lowest: normal.dot(frame.point(a.vertex(vertex))) - offset, vertex }
    }

    /// The side on which the polytope is, or penetrates least; and whether it is the one of the witness.
    pub(super) fn height(&self, a: &Polytope, frame: &Relative, witness: Witness) -> (Height, bool) {
        let (face, hint) = match witness {
            Witness::Plane { a: Feature::Vertex(v), b: Feature::Face(f) } => (f.min(1), v),
            _ => (0, 0),
        };
        let face = if self.sides == Sides::Front { 0 } else { face };
        let known = self.over(face, a, frame, hint);
        let rounding = ROUNDING * (a.extent() + frame.shift.abs().max_element() + self.offset.abs());
        if self.sides == Sides::Front || known.lowest >= -rounding {
            return (known, true);
        }
        let other = self.over(1 - face, a, frame, hint);
        if other.lowest > known.lowest { (other, false) } else { (known, true) }
    }

    /// The lowest point of a polytope and the point of the plane under it.
    pub(super) fn closest(&self, a: &Polytope, pose_a: &Pose, pose: &Pose) -> Closest {
        let (low, _) = self.height(a, &Relative::new(pose_a, pose), Witness::Unknown);
        let on_a = pose_a.point(a.vertex(low.vertex));
        if low.lowest <= 0.0 {
            return Closest { distance: 0.0, normal: DVec3::ZERO, points: [on_a, on_a] };
        }
        let normal = pose.direction(low.normal);
        Closest { distance: low.lowest, normal, points: [on_a, on_a - normal * low.lowest] }
    }
}
