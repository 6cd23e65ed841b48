//! Where two triangles meet.
//!
//! The common part of two triangles is convex. Each of its corners lies in exactly one feature of either triangle, and
//! is the only common point of these two: a vertex with anything, an edge with a face, or two edges that cross. So all
//! the corners are found by asking each such pair of features, and none is found twice. [LECTURE, triangle–triangle]

use super::{Feature, Triangle};
use crate::math::double::Double;
use crate::math::{DVec3, dvec3};
use crate::shape::exact::{Drop, plane_of, side};

/// How two triangles meet; the features at the [`Corner`]s tell the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Two edges of a pierce b: the whole cut of a with the plane of b lies in b.
    TwoEdgesOfA,
    /// Two edges of b pierce a.
    TwoEdgesOfB,
    /// One edge of each pierces the other.
    EdgeOfEach,
    /// In different planes without crossing: at a point, or along a segment of which one triangle stays on one side.
    Touch,
    /// In one plane: one corner, a segment, or an area with three to six corners.
    Coplanar,
}

/// An extreme point of what two triangles share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Where, in m, rounded (exact at a vertex).
    pub point: DVec3,
    /// The smallest feature of the first triangle that it is in.
    pub feature_a: Feature,
    /// The smallest feature of the second triangle that it is in.
    pub feature_b: Feature,
}

/// What two triangles share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// How they meet.
    pub kind: Kind,
    corners: [Corner; 6],
    count: usize,
}

impl Intersection {
    /// One corner for a point, two for a segment, else those of a polygon, in no special order.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// The two corners furthest apart: the segment that triangles in different planes share, or a point twice.
    pub fn segment(&self) -> [DVec3; 2] {
        let points = || self.corners().iter().map(|c| c.point);
        let mut best = [self.corners[0].point; 2];
        for p in points() {
            for q in points() {
                if p.distance_squared(q) > best[0].distance_squared(best[1]) {
                    best = [p, q];
                }
            }
        }
        best
    }

    fn push(&mut self, point: DVec3, feature_a: Feature, feature_b: Feature) {
        debug_assert!(self.count < 6, "two triangles share a polygon of at most six corners");
        if self.count < 6 {
            self.corners[self.count] = Corner { point, feature_a, feature_b };
            self.count += 1;
        }
    }
}

/// Where two closed triangles meet, or `None`.
///
/// Whether, how and with which features is exact. Points are computed with twice the digits and then rounded, hence
/// right to the last digits unless the triangles are within 1e-30 of their size of one plane without being in it.
pub fn intersect(a: &Triangle, b: &Triangle) -> Option<Intersection> {
    let a_sides = a.0.map(|p| sign(side(b.0[0], b.0[1], b.0[2], p)));
    let b_sides = b.0.map(|p| sign(side(a.0[0], a.0[1], a.0[2], p)));
    let apart = |s: [i8; 3]| s == [1; 3] || s == [-1; 3];
    if apart(a_sides) || apart(b_sides) {
        return None;
    }

    let nothing = Corner { point: DVec3::ZERO, feature_a: Feature::Face, feature_b: Feature::Face };
    let mut meet = Intersection { kind: Kind::Touch, corners: [nothing; 6], count: 0 };
    corners_at_vertices(a, b, a_sides, b_sides, &mut meet);
    corners_at_edges(a, b, a_sides, b_sides, &mut meet);
    if meet.count == 0 {
        return None;
    }
    meet.kind = kind(a_sides, b_sides, meet.corners());
    Some(meet)
}

fn kind(a_sides: [i8; 3], b_sides: [i8; 3], corners: &[Corner]) -> Kind {
    if a_sides == [0; 3] {
        return Kind::Coplanar;
    }
    let straddles = |s: [i8; 3]| s.contains(&1) && s.contains(&-1);
    if corners.len() < 2 || !straddles(a_sides) || !straddles(b_sides) {
        return Kind::Touch;
    }
    if corners.iter().all(|c| c.feature_a != Feature::Face) {
        Kind::TwoEdgesOfA
    } else if corners.iter().all(|c| c.feature_b != Feature::Face) {
        Kind::TwoEdgesOfB
    } else {
        Kind::EdgeOfEach
    }
}

fn corners_at_vertices(
    a: &Triangle,
    b: &Triangle,
    a_sides: [i8; 3],
    b_sides: [i8; 3],
    meet: &mut Intersection,
) {
    for i in (0..3).filter(|i| a_sides[*i] == 0) {
        if let Some(feature_b) = locate(b, a.0[i]) {
            meet.push(a.0[i], Feature::Vertex(i as u8), feature_b);
        }
    }
    for i in (0..3).filter(|i| b_sides[*i] == 0) {
        match locate(a, b.0[i]) {
            // Two vertices at one place were found above.
            None | Some(Feature::Vertex(_)) => {}
            Some(feature_a) => meet.push(b.0[i], feature_a, Feature::Vertex(i as u8)),
        }
    }
}

fn corners_at_edges(a: &Triangle, b: &Triangle, a_sides: [i8; 3], b_sides: [i8; 3], meet: &mut Intersection) {
    // Which way edge i of a turns around edge k of b: the sign of the volume that they span.
    let mut turns = [[0_i8; 3]; 3];
    for (i, row) in turns.iter_mut().enumerate() {
        for (k, turn) in row.iter_mut().enumerate() {
            let ([p, q], [r, s]) = (a.edge(i), b.edge(k));
            *turn = sign(side(p, q, r, s));
            if *turn == 0 && cross_properly([p, q], [r, s]) {
                meet.push(crossing([p, q], [r, s]), Feature::Edge(i as u8), Feature::Edge(k as u8));
            }
        }
    }
    let around = |t: [i8; 3]| t == [1; 3] || t == [-1; 3];
    for i in 0..3 {
        if a_sides[i] * a_sides[(i + 1) % 3] < 0 && around(turns[i]) {
            meet.push(piercing(a.edge(i), b), Feature::Edge(i as u8), Feature::Face);
        }
        if b_sides[i] * b_sides[(i + 1) % 3] < 0 && around([turns[0][i], turns[1][i], turns[2][i]]) {
            meet.push(piercing(b.edge(i), a), Feature::Face, Feature::Edge(i as u8));
        }
    }
}

/// The feature of the triangle that a point of its plane is in, exactly; `None` outside.
pub(super) fn locate(triangle: &Triangle, p: DVec3) -> Option<Feature> {
    let [a, b, c] = triangle.0;
    let drop = plane_of(a, b, c).expect("a checked triangle has an area");
    let way = sign(drop.turn(a, b, c));
    let turns = [(a, b), (b, c), (c, a)].map(|(u, v)| way * sign(drop.turn(u, v, p)));
    if turns.contains(&-1) {
        return None;
    }
    let on = turns.map(|t| t == 0);
    Some(match on {
        [true, true, _] => Feature::Vertex(1),
        [_, true, true] => Feature::Vertex(2),
        [true, _, true] => Feature::Vertex(0),
        [true, ..] => Feature::Edge(0),
        [_, true, _] => Feature::Edge(1),
        [.., true] => Feature::Edge(2),
        _ => Feature::Face,
    })
}

/// Whether two segments of one plane cross at a point inside of both.
fn cross_properly([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> bool {
    let Some(drop) = plane_of(p, q, r) else {
        return false;
    };
    let opposite = |x: f64, y: f64| sign(x) * sign(y) < 0;
    opposite(drop.turn(p, q, r), drop.turn(p, q, s)) && opposite(drop.turn(r, s, p), drop.turn(r, s, q))
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// The point where the segment pq, whose ends are on different sides, passes the plane: p + (q − p) s/(s − s'), with
/// s and s' the volumes that p and q span with the triangle.
fn piercing([p, q]: [DVec3; 2], triangle: &Triangle) -> DVec3 {
    let [a, b, c] = triangle.0.map(wide);
    let n = cross(minus(b, a), minus(c, a));
    between(p, q, dot(n, minus(wide(p), a)), dot(n, minus(wide(q), a)))
}

/// The point where two segments of one plane cross: the signed areas of r, s with p and q take the place of the volumes.
fn crossing([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> DVec3 {
    let drop = plane_of(p, q, r).expect("crossing segments span a plane");
    let (pw, qw, rw, sw) = (wide(p), wide(q), wide(r), wide(s));
    let component = match drop {
        Drop::X => 0,
        Drop::Y => 1,
        Drop::Z => 2,
    };
    let area = |x: [Double; 3]| cross(minus(sw, rw), minus(x, rw))[component];
    between(p, q, area(pw), area(qw))
}

/// p + (q − p) h/(h − h'), where the heights h of p and h' of q have different signs; within the segment however badly rounded.
fn between(p: DVec3, q: DVec3, h_p: Double, h_q: Double) -> DVec3 {
    let fraction = h_p / (h_p - h_q);
    let fraction = if fraction.hi.is_finite() { fraction } else { Double::from(0.5) };
    let step = minus(wide(q), wide(p));
    let at = |i: usize| (Double::from(p[i]) + fraction * step[i]).value();
    dvec3(at(0), at(1), at(2)).clamp(p.min(q), p.max(q))
}

fn wide(p: DVec3) -> [Double; 3] {
    p.to_array().map(Double::from)
}

fn minus(a: [Double; 3], b: [Double; 3]) -> [Double; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a×b with 32 digits.
pub(super) fn cross(a: [Double; 3], b: [Double; 3]) -> [Double; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [Double; 3], b: [Double; 3]) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// (b − a)×(c − a), rounded once: the direction is right for slivers as well.
pub(super) fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let [a, b, c] = [a, b, c].map(wide);
    DVec3::from_array(cross(minus(b, a), minus(c, a)).map(Double::value))
}
