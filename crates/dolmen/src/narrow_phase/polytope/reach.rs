//! How far the corners of a body reach in the direction of a face: from neighbour to neighbour, or by a tree of boxes over all of them.
//!
//! The planes of all faces of a hull with n vertices ask for the furthest of n vertices each: n² products. The corners beside a face decide,
//! if they are few ([`beside`]); else boxes that cannot reach further than what is known are left out. A box gives the largest rounded product of its points, exactly: rounding keeps
//! the order of sums and products, so the corner of the box is a bound without any allowance, and the answer has the same bits as
//! that of trying all points.

use crate::math::DVec3;
use crate::narrow_phase::tolerances::{CORNERS_BESIDE, HEIGHT_ROUNDING, POINTS_PER_LEAF};

struct Node {
    low: DVec3,
    high: DVec3,
    /// Its points; the left half of them belongs to the next node.
    points: std::ops::Range<usize>,
    /// The node of the right half; none of a leaf.
    right: Option<usize>,
}

/// Points, sorted into boxes.
pub(super) struct Reach {
    points: Vec<DVec3>,
    nodes: Vec<Node>,
}

impl Reach {
    pub(super) fn new(points: &[DVec3]) -> Self {
        let mut reach = Self { points: points.to_vec(), nodes: Vec::new() };
        reach.split(0..points.len());
        reach
    }

    /// Makes the nodes of a range of points; returns the place of the first.
    fn split(&mut self, range: std::ops::Range<usize>) -> usize {
        let points = &mut self.points[range.clone()];
        let (low, high) = points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| {
            (low.min(*point), high.max(*point))
        });
        let place = self.nodes.len();
        self.nodes.push(Node { low, high, points: range.clone(), right: None });
        if range.len() > POINTS_PER_LEAF {
            let axis = (high - low).max_position();
            let half = range.len() / 2;
            points.select_nth_unstable_by(half, |a, b| a[axis].total_cmp(&b[axis]));
            self.split(range.start..range.start + half);
            let right = self.split(range.start + half..range.end);
            self.nodes[place].right = Some(right);
        }
        place
    }

    /// The largest n·x of all points, at least `known`.
    pub(super) fn along(&self, n: DVec3, known: f64) -> f64 {
        let mut most = known;
        let mut open = vec![0];
        while let Some(place) = open.pop() {
            let Node { low, high, points, right } = &self.nodes[place];
            let corner = DVec3::select(n.cmpge(DVec3::ZERO), *high, *low);
            if n.dot(corner) <= most {
                continue;
            }
            if let Some(right) = right {
                open.extend([*right, place + 1]);
            } else {
                most = self.points[points.clone()].iter().fold(most, |most, x| most.max(n.dot(*x)));
            }
        }
        most
    }
}

/// The largest n·x of all corners of a convex body, with the bits of a scan, found from the corners of a face; none where many corners are
/// almost as high. `extent` is the largest coordinate.
///
/// Corners above any plane are connected by edges. Let M be the largest n·x without rounding and e the rounding of one product. Of what was
/// seen the highest corner b has no higher neighbour: it would have passed the test below, since the largest product so far is at most
/// n·b + e. So n·b = M. The largest rounded product belongs to a corner with n·x ≥ M − 2e; these are connected with b, their products are at
/// least M − 3e, and the largest so far is at most M + e: what is at most 4e below that is followed, and so all of them are seen.
pub(super) fn beside<'n>(
    points: &[DVec3],
    neighbours: impl Fn(u32) -> &'n [u32],
    n: DVec3,
    face: &[u32],
    extent: f64,
) -> Option<f64> {
    if face.len() > CORNERS_BESIDE {
        return None;
    }
    let height = |v: u32| n.dot(points[v as usize]);
    let mut most = face.iter().fold(f64::NEG_INFINITY, |most, v| most.max(height(*v)));
    let mut seen = face.to_vec();
    let mut next = 0;
    while let Some(corner) = seen.get(next) {
        for other in neighbours(*corner) {
            let reached = height(*other);
            if reached < most - HEIGHT_ROUNDING * extent || seen.contains(other) {
                continue;
            }
            if seen.len() == CORNERS_BESIDE {
                return None;
            }
            most = most.max(reached);
            seen.push(*other);
        }
        next += 1;
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dvec3;
    use crate::shape::Hull;

    /// Of faces of hulls of points on a sphere, in a box, on a grid (many in one plane) and on a cap so flat that rounding bends it: from
    /// neighbour to neighbour with the bits of a scan, or not at all.
    #[test]
    fn corners_beside_a_face_give_the_bits_of_a_scan() {
        let mut seed = 11_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut answers = [0; 2];
        for kind in 0..4 {
            for count in [4, 9, 60, 700] {
                let mut point = || {
                    let p = dvec3(random(), random(), random());
                    let flat = dvec3(1e-4 * p.x, 1e-4 * p.y, 0.0);
                    let cap = flat + DVec3::Z * (1.0 - 0.5 * flat.length_squared());
                    [p.normalize_or_zero(), p, (4.0 * p).round(), cap][kind]
                };
                let points: Vec<DVec3> = (0..count).map(|_| point()).collect();
                let Ok(hull) = Hull::new(&points) else { continue };
                let mut neighbours = vec![Vec::new(); hull.vertices().len()];
                for edge in hull.edges() {
                    let [a, b] = edge.ends;
                    neighbours[a as usize].push(b);
                    neighbours[b as usize].push(a);
                }
                let extent = hull.vertices().iter().fold(0.0_f64, |most, x| most.max(x.abs().max_element()));
                for face in hull.faces() {
                    let corner = |k: usize| hull.vertices()[face[k] as usize];
                    let n = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalize_or_zero();
                    let all = hull.vertices().iter().fold(f64::NEG_INFINITY, |most, x| most.max(n.dot(*x)));
                    let found = beside(hull.vertices(), |v| &neighbours[v as usize][..], n, face, extent);
                    answers[usize::from(found.is_some())] += 1;
                    assert!(
                        found.is_none_or(|found| found == all),
                        "{kind}, {count} points: {found:?} and not {all:e} along {n}"
                    );
                }
            }
        }
        assert!(answers[1] > 100 * answers[0].max(1), "it is asked in vain: {answers:?}");
    }

    /// The same bits as by trying all, of points in general, on a sphere, in a plane, on a line and in one place.
    #[test]
    fn the_furthest_point_has_the_bits_of_a_scan() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for kind in 0..5 {
            for count in [1, 2, 16, 17, 33, 400, 3000] {
                let mut point = || {
                    let p = dvec3(random(), random(), random());
                    [p, p.normalize_or_zero(), dvec3(p.x, p.y, 0.3), DVec3::ONE * p.x, DVec3::X][kind]
                };
                let points: Vec<DVec3> = (0..count).map(|_| point()).collect();
                let reach = Reach::new(&points);
                for _ in 0..50 {
                    let n = [dvec3(random(), random(), random()).normalize_or_zero(), DVec3::Z, DVec3::ZERO];
                    for n in n {
                        let all = points.iter().fold(f64::NEG_INFINITY, |most, x| most.max(n.dot(*x)));
                        let found = reach.along(n, f64::NEG_INFINITY);
                        assert!(found == all, "{kind}, {count} points: {found:e} and not {all:e} along {n}");
                    }
                }
            }
        }
    }
}
