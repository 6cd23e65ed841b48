//! How far many points reach in a direction: a tree of boxes over them.
//!
//! The planes of all faces of a hull with n vertices ask for the furthest of n vertices each: n² products, or n log n by leaving out
//! boxes that cannot reach further than what is known. A box gives the largest rounded product of its points, exactly: rounding keeps
//! the order of sums and products, so the corner of the box is a bound without any allowance, and the answer has the same bits as
//! that of trying all points.

use crate::math::DVec3;
use crate::narrow_phase::tolerances::POINTS_PER_LEAF;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dvec3;

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
