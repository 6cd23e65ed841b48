//! How far apart two polytopes are, and at which points.

use super::search::{Outcome, Simplex, walk};
use super::{Pair, Polytope, View};
use crate::math::{DVec3, Pose};
use crate::narrow_phase::answer::exchanged;
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::{Closest, Placed, Witness};

/// Where the last answer on a pair was found; makes the next one quick and never wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClosestHint {
    pairs: [[u32; 2]; 4],
    count: usize,
    /// Of a sphere on a polytope.
    pub(crate) rolling: Witness,
}

impl ClosestHint {
    pub(super) fn store(&mut self, simplex: &Simplex) {
        self.count = simplex.corners().len();
        for (pair, corner) in self.pairs.iter_mut().zip(simplex.corners()) {
            *pair = [corner.a, corner.b];
        }
    }

    /// The pairs of vertices remembered, or the first of each shape.
    pub(super) fn start(&self, a: &Polytope, b: &Polytope) -> &[[u32; 2]] {
        let pairs = &self.pairs[..self.count];
        let known =
            |p: &[u32; 2]| (p[0] as usize) < a.vertices().len() && (p[1] as usize) < b.vertices().len();
        if pairs.is_empty() || !pairs.iter().all(known) { &[[0, 0]] } else { pairs }
    }
}

/// The distance and the closest points of two shapes.
pub(crate) fn closest(pair: &Pair, (a, b): (&Placed, &Placed), hint: &mut ClosestHint) -> Closest {
    match *pair {
        Pair::Polytopes(p, q) | Pair::Plate(p, q, _) => polytopes((p, &a.pose), (q, &b.pose), hint),
        Pair::OnPlane(p, plane) => plane.closest(p, &a.pose, &b.pose),
        Pair::UnderPolytope(plane, p) => {
            let other = plane.closest(p, &b.pose, &a.pose);
            let (normal, points) = exchanged(other.normal, other.points);
            Closest { normal, points, ..other }
        }
    }
}

fn polytopes(
    (a, pose_a): (&Polytope, &Pose),
    (b, pose_b): (&Polytope, &Pose),
    hint: &mut ClosestHint,
) -> Closest {
    let view = View::new(a, b, Relative::new(pose_a, pose_b));
    let (simplex, meeting) = match walk(&view, hint.start(a, b)) {
        Outcome::Apart(simplex) => (simplex, false),
        Outcome::Meeting(simplex) => (simplex, true),
    };
    hint.store(&simplex);
    let corners = || simplex.corners().iter().zip(simplex.weights());
    let point_a = corners().fold(DVec3::ZERO, |sum, (c, w)| sum + *w * a.vertex(c.a));
    let on_a = pose_a.point(point_a);
    if meeting {
        return Closest { distance: 0.0, normal: DVec3::ZERO, points: [on_a, on_a] };
    }
    let point_b = corners().fold(DVec3::ZERO, |sum, (c, w)| sum + *w * b.vertex(c.b));
    let distance = simplex.nearest.length();
    let normal = pose_b.direction(simplex.nearest / distance);
    Closest { distance, normal, points: [on_a, pose_b.point(point_b)] }
}
