//! Whether two polytopes have a point in common: yes or no, and nothing else.

use super::search::Axis;
use super::search::{Outcome, walk};
use super::{ClosestHint, Pair, Polytope, View, separate};
use crate::math::{DQuat, DVec3, Pose};
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::tolerances::ROUNDING;
use crate::narrow_phase::{Feature, Placed, Statistics, Witness};

/// What the last answer on a pair rested on; makes the next one quick and never wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeetingHint {
    /// The plane between them, of the last time that they were apart.
    pub(crate) witness: Witness,
    /// Of a witness of two edges: whether their product points from a to b.
    is_reversed: bool,
    /// Pairs of vertices whose differences hold the origin, of the last time that they met; else the nearest ones.
    nearest: ClosestHint,
}

/// Whether two shapes have a point in common, up to rounding.
pub(crate) fn meets(
    pair: &Pair,
    (a, b): (&Placed, &Placed),
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> bool {
    match *pair {
        Pair::Polytopes(p, q) | Pair::Plate(p, q, _) => {
            polytopes((p, &a.pose), (q, &b.pose), hint, statistics)
        }
        Pair::OnPlane(..) | Pair::UnderPolytope(..) => {
            separate(pair, (a, b), &mut hint.witness, statistics).distance <= 0.0
        }
    }
}

fn polytopes(
    (a, pose_a): (&Polytope, &Pose),
    (b, pose_b): (&Polytope, &Pose),
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> bool {
    statistics.queries += 1;
    if are_parted((a, pose_a), (b, pose_b), hint) {
        statistics.hits += 1;
        return false;
    }
    let view = View::new(a, b, Relative::new(pose_a, pose_b));
    let start = hint.nearest.start(a, b);
    if let [p, q, r, s] = start
        && is_around_origin([p, q, r, s].map(|pair| view.vertex_a(pair[0]) - b.vertex(pair[1])))
    {
        statistics.hits += 1;
        return true;
    }
    match walk(&view, start) {
        Outcome::Meeting(simplex) => {
            statistics.walks += 1;
            hint.nearest.store(&simplex);
            true
        }
        Outcome::Apart(simplex) => {
            statistics.neighbours += 1;
            hint.nearest.store(&simplex);
            let axes = simplex.corners().iter().map(|c| view.best_at([c.a, c.b]));
            let best = axes.reduce(|x, y| if y.separation > x.separation { y } else { x });
            hint.witness = best.map_or(Witness::Unknown, |axis| axis.witness());
            if let Some(Axis { a: Feature::Edge(e), b: Feature::Edge(f), normal, .. }) = best {
                let cross = (view.frame.turn * a.edge_direction(e)).cross(b.edge_direction(f));
                hint.is_reversed = cross.dot(normal) < 0.0;
            }
            false
        }
    }
}

/// Whether the plane of a witness certainly has one shape on either side. In world axes: two or four vectors are turned,
/// where a common frame takes a dozen.
///
/// The direction need not be that of the features to the last bit, nor of unit length: what both shapes reach along it counts.
fn are_parted((a, pose_a): (&Polytope, &Pose), (b, pose_b): (&Polytope, &Pose), hint: &MeetingHint) -> bool {
    let Witness::Plane { a: of_a, b: of_b } = hint.witness else { return false };
    let between = pose_a.position - pose_b.position;
    let rounding = 2.0 * ROUNDING * (a.extent() + b.extent() + between.abs().element_sum());
    let (q_a, q_b) = (pose_a.orientation, pose_b.orientation);
    match (of_a, of_b) {
        (Feature::Vertex(hint), Feature::Face(face)) if face < b.face_count() => {
            let (normal, offset) = b.plane(face);
            let up = turned(q_b, normal);
            let down = turned(q_a.conjugate(), -up);
            let low = down.dot(a.vertex(a.support(down, hint)));
            up.dot(between) - low - offset > rounding
        }
        (Feature::Face(face), Feature::Vertex(hint)) if face < a.face_count() => {
            let (normal, offset) = a.plane(face);
            let down = turned(q_a, normal);
            let up = turned(q_b.conjugate(), -down);
            let high = up.dot(b.vertex(b.support(up, hint)));
            -down.dot(between) - high - offset > rounding
        }
        (Feature::Edge(e), Feature::Edge(f))
            if (e as usize) < a.edges().len() && (f as usize) < b.edges().len() =>
        {
            let cross = turned(q_a, a.edge_direction(e)).cross(turned(q_b, b.edge_direction(f)));
            let up = if hint.is_reversed { -cross } else { cross };
            let (down, over) = (turned(q_a.conjugate(), -up), turned(q_b.conjugate(), up));
            let low = down.dot(a.vertex(a.support(down, a.edge(e).ends[0])));
            let high = over.dot(b.vertex(b.support(over, b.edge(f).ends[0])));
            let apart = up.dot(between) - low - high;
            apart > 0.0 && apart * apart > rounding * rounding * up.length_squared()
        }
        _ => false,
    }
}

/// v turned by the unit quaternion (b, w): v + w t + b × t with t = 2 b × v. In fewer operations than by way of b·b, and small
/// enough to be no call.
#[inline]
fn turned(q: DQuat, v: DVec3) -> DVec3 {
    let b = DVec3::new(q.x, q.y, q.z);
    let t = 2.0 * b.cross(v);
    v + q.w * t + b.cross(t)
}

/// Whether four points certainly have the origin between them: its coordinates with respect to them, four volumes, have one
/// sign by more than the rounding of their twenty products.
fn is_around_origin([p, q, r, s]: [DVec3; 4]) -> bool {
    let (pq, rs) = (p.cross(q), r.cross(s));
    let volumes = [q.dot(rs), -p.dot(rs), s.dot(pq), -r.dot(pq)];
    let size = p.abs().max(q.abs()).max(r.abs()).max(s.abs()).max_element();
    let least = 64.0 * f64::EPSILON * size * size * size;
    volumes.iter().all(|v| *v > least) || volumes.iter().all(|v| *v < -least)
}
