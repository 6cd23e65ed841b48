//! The exact answer: signs of polynomials with whole coefficients at their roots.
//!
//! While the four points are not coplanar nothing meets, so a meeting is at a root of the cubic p(t), six times the volume
//! that they span. At a root, with four points in a plane, a projection that keeps the plane a plane decides by the signs
//! of its turns; where triangle or pair of edges are degenerate and no projection does, a point lies on a segment.
//! If p is zero throughout, the earliest meeting is at t = 0 or when a point comes to lie on a segment.

use super::integer::{Integer, lowest_bit};
use super::polynomial::{Polynomial, Time};
use super::{Meeting, Moving, Primitive};
use crate::triangle::Feature;

/// Coordinates of a point (or of a difference of two) as polynomials of degree 1 with whole coefficients.
type Line = [Polynomial; 3];

/// Four moving points on a grid fine enough for all of them.
pub(super) struct Grid {
    primitive: Primitive,
    points: [Line; 4],
}

/// Where a point (by number) may come to lie on a segment (by numbers), and what its parts are called.
struct Incidence {
    point: usize,
    segment: [usize; 2],
    /// Features of the first and second figure when inside of the segment, and at its two ends.
    inside: [Feature; 2],
    ends: [[Feature; 2]; 2],
}

impl Grid {
    pub(super) fn new(primitive: Primitive, points: &[Moving; 4]) -> Self {
        let numbers = points.iter().flat_map(|p| p.start.to_array().into_iter().chain(p.end.to_array()));
        let exponent = numbers.filter_map(lowest_bit).min().unwrap_or(0);
        let line = |p: &Moving| {
            [0, 1, 2].map(|i| {
                let start = Integer::from_f64(p.start[i], exponent);
                let change = &Integer::from_f64(p.end[i], exponent) - &start;
                Polynomial::new(vec![start, change])
            })
        };
        Self { primitive, points: [0, 1, 2, 3].map(|i| line(&points[i])) }
    }

    /// Six times the signed volume of the four points.
    pub(super) fn volume(&self) -> Polynomial {
        let n = cross(&self.arm(0, 1), &self.arm(0, 2));
        dot(&n, &self.arm(0, 3)).reduced()
    }

    /// The earliest meeting.
    pub(super) fn earliest(&self) -> Option<Meeting> {
        let volume = self.volume();
        if volume.is_zero() {
            return self.earliest_in_plane();
        }
        volume.roots().into_iter().find_map(|time| {
            let time = time.polished();
            self.features_at(&time).map(|features| Meeting::new(time.bounds(), features))
        })
    }

    fn arm(&self, from: usize, to: usize) -> Line {
        [0, 1, 2].map(|i| self.points[to][i].minus(&self.points[from][i]))
    }

    /// Turns of pairs of points around a third, as vectors: for a vertex and a face, around the vertex along each edge;
    /// for two edges, ends of either around the other. Whatever the projection, where the figures meet no two of them have
    /// opposite signs, and where two planar figures do not meet, two have.
    fn turns(&self) -> Vec<Line> {
        let around = |o: usize, p: usize, q: usize| cross(&self.arm(o, p), &self.arm(o, q));
        match self.primitive {
            Primitive::VertexFace => vec![around(0, 1, 2), around(0, 2, 3), around(0, 3, 1)],
            Primitive::EdgeEdge => vec![around(0, 1, 2), around(0, 3, 1), around(2, 0, 3), around(2, 3, 1)],
        }
    }

    /// Which features meet at a time at which the points are coplanar.
    fn features_at(&self, time: &Time) -> Option<[Feature; 2]> {
        let turns = self.turns();
        // The normal of the face, or of the plane along both edges.
        let summed = if self.primitive == Primitive::VertexFace { 3 } else { 2 };
        for axis in 0..3 {
            let normal = turns[..summed].iter().fold(Polynomial::new(vec![]), |n, t| n.plus(&t[axis]));
            if time.sign(&normal) == 0 {
                continue;
            }
            let signs: Vec<i32> = turns.iter().map(|t| time.sign(&t[axis])).collect();
            if signs.contains(&1) && signs.contains(&-1) {
                return None;
            }
            return Some(self.features_from(&signs));
        }
        self.incidences().iter().find_map(|i| self.lies_on(i, time))
    }

    fn features_from(&self, turns: &[i32]) -> [Feature; 2] {
        let on: Vec<bool> = turns.iter().map(|s| *s == 0).collect();
        match self.primitive {
            Primitive::VertexFace => {
                let feature = match (on[0], on[1], on[2]) {
                    (true, true, _) => Feature::Vertex(1),
                    (_, true, true) => Feature::Vertex(2),
                    (true, _, true) => Feature::Vertex(0),
                    (true, ..) => Feature::Edge(0),
                    (_, true, _) => Feature::Edge(1),
                    (.., true) => Feature::Edge(2),
                    _ => Feature::Face,
                };
                [Feature::Vertex(0), feature]
            }
            Primitive::EdgeEdge => {
                let feature = |first: bool, second: bool| match (first, second) {
                    (true, _) => Feature::Vertex(0),
                    (_, true) => Feature::Vertex(1),
                    _ => Feature::Edge(0),
                };
                [feature(on[2], on[3]), feature(on[0], on[1])]
            }
        }
    }

    fn incidences(&self) -> Vec<Incidence> {
        match self.primitive {
            Primitive::VertexFace => (0..3_u8)
                .map(|k| {
                    let (first, second) = (k, (k + 1) % 3);
                    let with = |feature| [Feature::Vertex(0), feature];
                    Incidence {
                        point: 0,
                        segment: [1 + first as usize, 1 + second as usize],
                        inside: with(Feature::Edge(k)),
                        ends: [with(Feature::Vertex(first)), with(Feature::Vertex(second))],
                    }
                })
                .collect(),
            Primitive::EdgeEdge => (0..4_u8)
                .map(|k| {
                    let (of_a, vertex) = (k < 2, Feature::Vertex(k % 2));
                    let with = |feature| if of_a { [vertex, feature] } else { [feature, vertex] };
                    Incidence {
                        point: k as usize,
                        segment: if of_a { [2, 3] } else { [0, 1] },
                        inside: with(Feature::Edge(0)),
                        ends: [with(Feature::Vertex(0)), with(Feature::Vertex(1))],
                    }
                })
                .collect(),
        }
    }

    /// The features if the point lies on the segment: p − q and p − r are parallel and do not point the same way.
    fn lies_on(&self, incidence: &Incidence, time: &Time) -> Option<[Feature; 2]> {
        let [q, r] = incidence.segment.map(|end| self.arm(incidence.point, end));
        if cross(&q, &r).iter().any(|component| time.sign(component) != 0) {
            return None;
        }
        match time.sign(&dot(&q, &r)) {
            1 => None,
            0 if time.sign(&dot(&q, &q)) == 0 => Some(incidence.ends[0]),
            0 => Some(incidence.ends[1]),
            _ => Some(incidence.inside),
        }
    }

    /// For points that are coplanar throughout.
    ///
    /// A vertex strictly inside a triangle, or two edges that cross inside, have met before: such a meeting begins at
    /// t = 0 or with a point on a segment.
    fn earliest_in_plane(&self) -> Option<Meeting> {
        let start = Time::Dyadic(Integer::zero(), 0);
        if let Some(features) = self.features_at(&start) {
            return Some(Meeting::new([0.0; 2], features));
        }
        let mut best: Option<Meeting> = None;
        for incidence in self.incidences() {
            let [q, r] = incidence.segment.map(|end| self.arm(incidence.point, end));
            let components = cross(&q, &r);
            // In line throughout, they meet when the point first is at an end.
            let opposed = dot(&q, &r);
            let guard = components.iter().find(|c| !c.is_zero()).unwrap_or(&opposed);
            let found = guard.roots().into_iter().find_map(|time| {
                self.lies_on(&incidence, &time).map(|f| Meeting::new(time.polished().bounds(), f))
            });
            best = match (best, found) {
                (Some(old), Some(new)) => Some(old.or_earlier(new)),
                (old, new) => old.or(new),
            };
        }
        best
    }
}

fn cross(a: &Line, b: &Line) -> Line {
    let component = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn dot(a: &Line, b: &Line) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}
