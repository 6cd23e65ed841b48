//! Triangles of a mesh that meet where they should not.

use super::exact::{plane_of, segment_meets_triangle, side};
use crate::math::{Aabb, DVec3};

/// How many pairs are worth telling the user.
pub(super) const MAX_PAIRS: usize = 4;

/// The first pairs of triangles (by their numbers) that meet beyond the vertices and edges they share; at most
/// [`MAX_PAIRS`], sorted.
///
/// Exact. Boxes are swept along the longest side of the whole, then each pair whose boxes meet is tested. Vertices must
/// be welded: two triangles share a vertex when they name the same index.
pub(super) fn overlapping_pairs(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[usize; 2]> {
    let boxes: Vec<Aabb> = triangles.iter().map(|t| box_of(corners(vertices, *t))).collect();
    let extent = boxes.iter().fold(Aabb::EMPTY, |all, b| all.join(b));
    let axis = (extent.max - extent.min).max_position();

    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min[axis].total_cmp(&boxes[j].min[axis]).then(i.cmp(&j)));

    let mut pairs = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &i in &order {
        open.retain(|&j| boxes[j].max[axis] >= boxes[i].min[axis]);
        for &j in &open {
            if boxes_meet(&boxes[i], &boxes[j]) && triangles_clash(vertices, triangles[i], triangles[j]) {
                pairs.push([i.min(j), i.max(j)]);
            }
        }
        open.push(i);
        if pairs.len() >= MAX_PAIRS {
            break;
        }
    }
    pairs.sort_unstable();
    pairs.truncate(MAX_PAIRS);
    pairs
}

/// Whether two triangles share more than the vertices or the edge that they both name.
fn triangles_clash(vertices: &[DVec3], t: [u32; 3], u: [u32; 3]) -> bool {
    let shared: Vec<u32> = t.into_iter().filter(|v| u.contains(v)).collect();
    let (ts, us) = (corners(vertices, t), corners(vertices, u));
    let apart = |[a, b, c]: [DVec3; 3], others: [DVec3; 3]| {
        let sides = others.map(|p| side(a, b, c, p));
        sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
    };
    match shared.len() {
        3 => true,
        2 => {
            // A common edge ab: more is shared only when both lie in one plane, on one side of that edge.
            let [a, b] = [shared[0], shared[1]].map(|v| vertices[v as usize]);
            let c = vertices[other_than(t, &shared) as usize];
            let d = vertices[other_than(u, &shared) as usize];
            side(a, b, c, d) == 0.0
                && plane_of(a, b, c)
                    .is_none_or(|drop| (drop.turn(a, b, c) > 0.0) == (drop.turn(a, b, d) > 0.0))
        }
        1 => {
            // A common corner v: if another point is shared, so is the segment to it from v, and prolonged from v that
            // segment leaves one of the two triangles through the edge opposite v while still in the other.
            let [a, b] = opposite(vertices, t, shared[0]);
            let [c, d] = opposite(vertices, u, shared[0]);
            segment_meets_triangle(a, b, us) || segment_meets_triangle(c, d, ts)
        }
        _ => {
            if apart(ts, us) || apart(us, ts) {
                return false;
            }
            (0..3).any(|k| segment_meets_triangle(ts[k], ts[(k + 1) % 3], us))
                || (0..3).any(|k| segment_meets_triangle(us[k], us[(k + 1) % 3], ts))
        }
    }
}

fn other_than(t: [u32; 3], shared: &[u32]) -> u32 {
    t.into_iter()
        .find(|v| !shared.contains(v))
        .expect("two triangles that share two corners differ in the third")
}

fn opposite(vertices: &[DVec3], t: [u32; 3], corner: u32) -> [DVec3; 2] {
    let k = t.iter().position(|v| *v == corner).expect("the shared corner is one of the triangle's");
    [vertices[t[(k + 1) % 3] as usize], vertices[t[(k + 2) % 3] as usize]]
}

/// Where the corners of a triangle are.
pub(crate) fn corners(vertices: &[DVec3], t: [u32; 3]) -> [DVec3; 3] {
    t.map(|v| vertices[v as usize])
}

/// The box around three points.
pub(crate) fn box_of([a, b, c]: [DVec3; 3]) -> Aabb {
    Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
}

/// Whether two closed boxes have a point in common.
pub(crate) fn boxes_meet(a: &Aabb, b: &Aabb) -> bool {
    (a.min.cmple(b.max) & b.min.cmple(a.max)).all()
}
