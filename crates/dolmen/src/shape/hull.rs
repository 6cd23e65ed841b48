//! Convex hulls of points, exact: what is coplanar is one face, and no face is a sliver made by rounding.

use super::exact::{LARGEST, SMALLEST, canonical, collinear, compare, in_range, shown, side};
use crate::math::DVec3;
use std::collections::BTreeMap;
use thiserror::Error;

/// A convex polyhedron with an inside.
///
/// Every vertex is a corner, every edge separates two faces of different planes, and every face is a whole convex polygon,
/// all by exact arithmetic on the points given. It depends on the order of the points only by the numbers of its vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    /// Loops of all faces, one after the other.
    corners: Vec<u32>,
    /// Where each loop starts in `corners`, and where the last ends.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    triangles: Vec<[u32; 3]>,
}

/// Two vertices of a hull and the faces they separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Vertices at its ends, the lower number first.
    pub ends: [u32; 2],
    /// The face whose loop walks it in that order, then the other one.
    pub faces: [u32; 2],
}

/// Why points have no hull with an inside.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum HullError {
    /// No points.
    #[error("a convex hull of no points; give at least 4 that are not in one plane")]
    Empty,
    /// A coordinate is NaN, infinite, or too large or small for exact arithmetic.
    #[error(
        "point {point} of the hull is at {}; coordinates must be 0 or between {SMALLEST:e} and {LARGEST:e} m in size: \
         correct the point or choose another unit of length", shown(*at)
    )]
    Coordinate {
        /// Its number, from 0.
        point: usize,
        /// Where it is.
        at: DVec3,
    },
    /// All points coincide.
    #[error(
        "all {count} points of the hull are at {}; give at least 4 that are not in one plane, or use a sphere", shown(*at)
    )]
    Point {
        /// How many were given.
        count: usize,
        /// Where they are.
        at: DVec3,
    },
    /// All points are exactly on one line.
    #[error(
        "all {count} points of the hull are on the line through {} and {}; add points off it, or use a capsule",
        shown(through[0]), shown(through[1])
    )]
    Collinear {
        /// How many were given.
        count: usize,
        /// Two of them.
        through: [DVec3; 2],
    },
    /// All points are exactly in one plane.
    #[error(
        "all {count} points of the hull are in the plane through {}, {} and {}; give it a thickness by points off that plane",
        shown(through[0]), shown(through[1]), shown(through[2])
    )]
    Flat {
        /// How many were given.
        count: usize,
        /// Three of them.
        through: [DVec3; 3],
    },
}

impl Hull {
    /// The convex hull of the points, in any order, with any repetitions.
    ///
    /// # Errors
    /// When there is no hull with an inside: no points, or all in one place, line or plane, or a coordinate that is no
    /// number.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        if points.is_empty() {
            return Err(HullError::Empty);
        }
        if let Some(point) = points.iter().position(|p| !in_range(*p)) {
            return Err(HullError::Coordinate { point, at: points[point] });
        }
        let points: Vec<DVec3> = points.iter().map(|p| canonical(*p)).collect();
        let mut growing = Growing::simplex(&points)?;
        growing.grow();
        Ok(growing.merged())
    }

    /// The corners, m, in the order in which they were given.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Corners of a face, counterclockwise seen from outside, the lowest number first.
    ///
    /// # Panics
    /// When `face` is not less than [`Hull::face_count`].
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// All faces in order.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.face_count()).map(|f| self.face(f))
    }

    /// All edges, sorted by their ends.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The surface as triangles, face after face: a fan about the first corner of each.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// From loops over the numbers of `points`; renumbers and sorts.
    fn from_loops(points: &[DVec3], loops: Vec<Vec<u32>>) -> Self {
        let mut used: Vec<u32> = loops.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut numbers = vec![0; points.len()];
        for (number, v) in used.iter().enumerate() {
            numbers[*v as usize] = number as u32;
        }
        let number = |v: u32| numbers[v as usize];
        let mut loops: Vec<Vec<u32>> =
            loops.into_iter().map(|face| lowest_first(face.into_iter().map(number).collect())).collect();
        loops.sort_unstable();

        let mut hull = Self {
            vertices: used.iter().map(|v| points[*v as usize]).collect(),
            corners: Vec::new(),
            starts: vec![0],
            edges: Vec::new(),
            triangles: Vec::new(),
        };
        for face in &loops {
            hull.triangles.extend((1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]));
            hull.corners.extend_from_slice(face);
            hull.starts.push(hull.corners.len() as u32);
        }
        hull.edges = edges_of(&loops).into_iter().map(|(edge, _)| edge).collect();
        hull
    }
}

/// The edges of a closed surface that is given by the loops of its faces, sorted by their ends. With each come the places, in all
/// loops one after the other, at which its two faces begin to walk it.
pub(crate) fn edges_of(loops: &[Vec<u32>]) -> Vec<(Edge, [u32; 2])> {
    // Each edge is walked twice, first from its lower end to its higher one: sorted, the two are side by side.
    let mut walked: Vec<([u32; 2], bool, u32, u32)> = Vec::with_capacity(loops.iter().map(Vec::len).sum());
    for (f, face) in loops.iter().enumerate() {
        for k in 0..face.len() {
            let (a, b) = (face[k], face[(k + 1) % face.len()]);
            walked.push(([a.min(b), a.max(b)], a > b, f as u32, walked.len() as u32));
        }
    }
    walked.sort_unstable();
    let pairs = walked.chunks(2).map(|pair| match pair {
        [(ends, false, left, first), (other, true, right, second)] if ends == other => {
            (Edge { ends: *ends, faces: [*left, *right] }, [*first, *second])
        }
        _ => unreachable!("each edge of a closed surface is walked both ways: {pair:?}"),
    });
    pairs.collect()
}

fn lowest_first(mut face: Vec<u32>) -> Vec<u32> {
    let lowest = (0..face.len()).min_by_key(|&k| face[k]).unwrap_or(0);
    face.rotate_left(lowest);
    face
}

/// A triangle of the growing hull.
struct Facet {
    /// Corners, counterclockwise from outside.
    corners: [u32; 3],
    /// The facet across the edge from corner k to corner k + 1.
    across: [usize; 3],
    /// Points strictly above it that no other facet has.
    above: Vec<u32>,
    alive: bool,
}

/// Quickhull [Barber, Dobkin, Huhdanpaa 1996] with exact sides.
///
/// Only facets *strictly* below the new point are removed. So a new triangle is never degenerate: were its point in line
/// with the edge of the horizon, it would be in the plane of the removed facet there, and not strictly above it. And the
/// hull stays exactly convex, though several facets may share a plane until [`Growing::merged`]. A point that saw a removed
/// facet and is still outside sees one of the new: beside the horizon, the normal of the new facet is a non-negative
/// combination of those of the two facets that met there.
struct Growing<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    /// By point: the new facet whose edge of the horizon starts there. Only of points on the horizon at hand.
    starting_at: Vec<u32>,
}

impl<'a> Growing<'a> {
    /// A tetrahedron of four points far apart, each other point above one of its facets or inside.
    fn simplex(points: &'a [DVec3]) -> Result<Self, HullError> {
        let count = points.len();
        let best = |score: &dyn Fn(DVec3) -> Option<f64>| {
            let scored = points.iter().enumerate().filter_map(|(i, p)| score(*p).map(|s| (i, s)));
            scored.max_by(|(i, s), (j, t)| {
                s.total_cmp(t).then_with(|| compare(points[*j], points[*i])).then_with(|| j.cmp(i))
            })
        };
        let first = (0..count).min_by(|&i, &j| compare(points[i], points[j])).unwrap_or(0);
        let a = points[first];
        let Some((second, _)) = best(&|p| (p != a).then(|| (p - a).length_squared())) else {
            return Err(HullError::Point { count, at: a });
        };
        let b = points[second];
        // The sizes are rounded and may even be zero: they are only a preference, the filter is exact.
        let area = |p: DVec3| (b - a).cross(p - a).length_squared();
        let Some((third, _)) = best(&|p| (!collinear(a, b, p)).then(|| area(p))) else {
            return Err(HullError::Collinear { count, through: [a, b] });
        };
        let c = points[third];
        let height = |p: DVec3| side(a, b, c, p);
        let Some((fourth, _)) = best(&|p| (height(p) != 0.0).then(|| height(p).abs())) else {
            return Err(HullError::Flat { count, through: [a, b, c] });
        };

        let mut t = [first, second, third, fourth].map(|v| v as u32);
        if height(points[fourth]) > 0.0 {
            t.swap(1, 2);
        }
        // Now the fourth is below the first three.
        let facet = |corners, across| Facet { corners, across, above: Vec::new(), alive: true };
        let facets = vec![
            facet([t[0], t[1], t[2]], [1, 2, 3]),
            facet([t[1], t[0], t[3]], [0, 3, 2]),
            facet([t[2], t[1], t[3]], [0, 1, 3]),
            facet([t[0], t[2], t[3]], [0, 2, 1]),
        ];
        let mut growing = Self { points, facets, starting_at: vec![0; count] };
        growing.assign((0..count as u32).collect(), &[0, 1, 2, 3]);
        Ok(growing)
    }

    fn side_of(&self, facet: usize, point: u32) -> f64 {
        let [a, b, c] = self.facets[facet].corners.map(|v| self.points[v as usize]);
        side(a, b, c, self.points[point as usize])
    }

    /// Gives each point to the first of the facets that it is strictly above; the others are inside.
    fn assign(&mut self, points: Vec<u32>, facets: &[usize]) {
        for p in points {
            if let Some(&f) = facets.iter().find(|&&f| self.side_of(f, p) > 0.0) {
                self.facets[f].above.push(p);
            }
        }
    }

    fn grow(&mut self) {
        let mut next = 0;
        // Facets are only ever appended, and one that has lost its points never gets any again.
        while next < self.facets.len() {
            if self.facets[next].alive && !self.facets[next].above.is_empty() {
                self.add_highest_above(next);
            }
            next += 1;
        }
    }

    /// Adds the point highest above the facet, which thereby vanishes; any point above would be right.
    fn add_highest_above(&mut self, facet: usize) {
        let heights = self.facets[facet].above.iter().map(|&p| (p, self.side_of(facet, p)));
        let (eye, _) = heights
            .max_by(|&(i, high_i), &(j, high_j)| {
                let places = || compare(self.points[j as usize], self.points[i as usize]);
                high_i.total_cmp(&high_j).then_with(places).then(j.cmp(&i))
            })
            .expect("only called with points above");

        let horizon = self.remove_visible(facet, eye);
        let first_new = self.facets.len();
        for (k, edge) in horizon.edges.iter().enumerate() {
            let [a, b] = edge.ends;
            self.starting_at[a as usize] = (first_new + k) as u32;
            let across = [edge.beyond, usize::MAX, usize::MAX];
            self.facets.push(Facet { corners: [a, b, eye], across, above: Vec::new(), alive: true });
            let beyond = &mut self.facets[edge.beyond];
            let at = (0..3)
                .find(|&e| beyond.corners[e] == b)
                .expect("neighbours share an edge, walked the other way");
            beyond.across[at] = first_new + k;
        }
        for f in first_new..self.facets.len() {
            let b = self.facets[f].corners[1];
            // The horizon is a closed loop: an edge of it starts where this one ends.
            let follower = self.starting_at[b as usize] as usize;
            self.facets[f].across[1] = follower;
            self.facets[follower].across[2] = f;
        }
        let new: Vec<usize> = (first_new..self.facets.len()).collect();
        self.assign(horizon.orphans, &new);
    }

    /// Removes the facets strictly below `eye`, found from one of them across edges.
    fn remove_visible(&mut self, facet: usize, eye: u32) -> Horizon {
        let mut horizon = Horizon { edges: Vec::new(), orphans: Vec::new() };
        let mut stack = vec![facet];
        let mut removed = Vec::new();
        self.facets[facet].alive = false;
        while let Some(f) = stack.pop() {
            removed.push(f);
            horizon.orphans.append(&mut std::mem::take(&mut self.facets[f].above));
            for neighbour in self.facets[f].across {
                if self.facets[neighbour].alive && self.side_of(neighbour, eye) > 0.0 {
                    self.facets[neighbour].alive = false;
                    stack.push(neighbour);
                }
            }
        }
        for f in removed {
            let Facet { corners, across, .. } = self.facets[f];
            for k in 0..3 {
                if self.facets[across[k]].alive {
                    horizon
                        .edges
                        .push(HorizonEdge { ends: [corners[k], corners[(k + 1) % 3]], beyond: across[k] });
                }
            }
        }
        horizon.orphans.retain(|p| *p != eye);
        horizon
    }

    /// Joins facets of one plane into faces and drops the corners that are none.
    fn merged(&self) -> Hull {
        let mut face_of = vec![usize::MAX; self.facets.len()];
        let mut loops = Vec::new();
        for start in 0..self.facets.len() {
            if !self.facets[start].alive || face_of[start] != usize::MAX {
                continue;
            }
            face_of[start] = start;
            let own = self.facets[start].corners;
            // Its own corners are in its plane; to find that out again would take the slow path of the predicate.
            let is_in_plane = |v: &u32| own.contains(v) || self.side_of(start, *v) == 0.0;
            let (mut stack, mut members) = (vec![start], Vec::new());
            while let Some(f) = stack.pop() {
                members.push(f);
                for neighbour in self.facets[f].across {
                    let corners = self.facets[neighbour].corners;
                    if face_of[neighbour] == usize::MAX && corners.iter().all(is_in_plane) {
                        face_of[neighbour] = start;
                        stack.push(neighbour);
                    }
                }
            }
            if members.len() == 1 {
                // No facet is degenerate: a triangle by itself is a face.
                loops.push(own.to_vec());
                continue;
            }
            let mut follower: BTreeMap<u32, u32> = BTreeMap::new();
            for f in members {
                let facet = &self.facets[f];
                for k in 0..3 {
                    if face_of[facet.across[k]] != start {
                        follower.insert(facet.corners[k], facet.corners[(k + 1) % 3]);
                    }
                }
            }
            loops.push(self.corners_of(&follower));
        }
        Hull::from_loops(self.points, loops)
    }

    /// The boundary of a convex face without the points in the middle of its sides.
    fn corners_of(&self, follower: &BTreeMap<u32, u32>) -> Vec<u32> {
        let Some((&start, _)) = follower.first_key_value() else { return Vec::new() };
        let mut boundary = vec![start];
        let mut at = follower[&start];
        while at != start && boundary.len() < follower.len() {
            boundary.push(at);
            at = follower[&at];
        }
        let n = boundary.len();
        let place = |k: usize| self.points[boundary[k % n] as usize];
        (0..n)
            .filter(|&k| !collinear(place(k + n - 1), place(k), place(k + 1)))
            .map(|k| boundary[k])
            .collect()
    }
}

/// Where the removed part of the hull ends.
struct Horizon {
    edges: Vec<HorizonEdge>,
    /// Points that were above removed facets, without the new one.
    orphans: Vec<u32>,
}

struct HorizonEdge {
    /// As the removed facet walked it.
    ends: [u32; 2],
    /// The facet that stays.
    beyond: usize,
}
