//! Closest points of points, segments and triangles.
//!
//! All answers are points of the given figures (up to rounding), so a distance is never too small by more than that.

use super::Feature;
use crate::math::DVec3;
use crate::shape::exact::{collinear, segment_meets_triangle};

/// The closest points of two figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Their distance, m; zero when the figures meet.
    pub distance: f64,
    /// The one on the first figure.
    pub point_a: DVec3,
    /// The one on the second figure.
    pub point_b: DVec3,
    /// The feature of the first figure that it is in, as far as rounding lets it be seen.
    pub feature_a: Feature,
    /// The feature of the second figure that it is in.
    pub feature_b: Feature,
}

impl Closest {
    fn new(point_a: DVec3, point_b: DVec3, feature_a: Feature, feature_b: Feature) -> Self {
        Self { distance: point_a.distance(point_b), point_a, point_b, feature_a, feature_b }
    }

    fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            ..self
        }
    }

    fn nearer(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// The closest points of two closed triangles; of several pairs, the first in the order vertices of a, vertices of b,
/// edge pairs.
///
/// Triangles apart have closest points at a vertex and a face, or at two edges: 6 + 9 pairs of features. Triangles that
/// meet without such a pair meeting have an edge that passes through the face of the other, which is asked exactly.
/// Triangles without area are allowed. [Larsen, Gottschalk, Lin, Manocha, Fast proximity queries with swept sphere
/// volumes, 1999]
pub fn closest(a: [DVec3; 3], b: [DVec3; 3]) -> Closest {
    let mut best = Closest::new(a[0], b[0], Feature::Vertex(0), Feature::Vertex(0));
    let mut keep = |c: Closest| best = best.nearer(c);
    for i in 0..3 {
        let (point, feature) = closest_on_triangle(a[i], b);
        keep(Closest::new(a[i], point, Feature::Vertex(i as u8), feature));
    }
    for i in 0..3 {
        let (point, feature) = closest_on_triangle(b[i], a);
        keep(Closest::new(point, b[i], feature, Feature::Vertex(i as u8)));
    }
    let edge = |t: [DVec3; 3], k: usize| [t[k], t[(k + 1) % 3]];
    for i in 0..3 {
        for k in 0..3 {
            let mut c = closest_on_segments(edge(a, i), edge(b, k));
            c.feature_a = renamed(c.feature_a, i);
            c.feature_b = renamed(c.feature_b, k);
            keep(c);
        }
    }
    if best.distance == 0.0 {
        return best;
    }
    piercing(a, b).or_else(|| piercing(b, a).map(Closest::swapped)).unwrap_or(best)
}

/// A feature of the segment that is edge k, as a feature of the triangle.
fn renamed(feature: Feature, k: usize) -> Feature {
    match feature {
        Feature::Vertex(end) => Feature::Vertex(((k + end as usize) % 3) as u8),
        _ => Feature::Edge(k as u8),
    }
}

/// The point where an edge of a passes through b, if any does.
fn piercing(a: [DVec3; 3], b: [DVec3; 3]) -> Option<Closest> {
    if collinear(b[0], b[1], b[2]) {
        return None;
    }
    let k = (0..3).find(|k| segment_meets_triangle(a[*k], a[(k + 1) % 3], b))?;
    let (p, q) = (a[k], a[(k + 1) % 3]);
    let n = super::intersect::normal(b);
    let (h_p, h_q) = (n.dot(p - b[0]).abs(), n.dot(q - b[0]).abs());
    let fraction = if h_p + h_q > 0.0 { h_p / (h_p + h_q) } else { 0.5 };
    let point = p + (q - p) * fraction;
    Some(Closest {
        distance: 0.0,
        point_a: point,
        point_b: point,
        feature_a: Feature::Edge(k as u8),
        feature_b: Feature::Face,
    })
}

/// The point of a closed triangle closest to p, and the feature it is in.
///
/// Goes through the Voronoi regions of corners, edges and face. [Ericson, Real-time collision detection, 5.1.5] A
/// triangle that is a segment or a point up to rounding is seen as its edges.
pub fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Feature) {
    let n = super::intersect::normal([a, b, c]);
    let (along, length_squared) = (p - a, n.length_squared());
    // Barycentric weights of the foot of p, times |n|²: which side of each edge it is on.
    let weight = |u: DVec3, v: DVec3| n.dot((v - u).cross(p - u));
    let weights = [weight(a, b), weight(b, c), weight(c, a)];
    if length_squared > 0.0 && weights.iter().all(|w| *w > 0.0) {
        // Kept in the box of the triangle, so that a box further away cannot hold a closer point even after rounding.
        let foot = p - n * (n.dot(along) / length_squared);
        return (foot.clamp(a.min(b).min(c), a.max(b).max(c)), Feature::Face);
    }
    let mut best = (a, Feature::Vertex(0), f64::INFINITY);
    for (k, ends) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
        // The foot is not beyond this edge; the closest point is on another.
        if weights[k] > 0.0 {
            continue;
        }
        let (point, feature) = closest_on_segment(p, ends);
        let distance = p.distance_squared(point);
        if distance < best.2 {
            best = (point, renamed(feature, k), distance);
        }
    }
    if best.2 < f64::INFINITY {
        return (best.0, best.1);
    }
    // Only where the weights are no numbers: coordinates beyond all range.
    (a, Feature::Vertex(0))
}

/// The point of a closed segment closest to p; `Vertex(0)`, `Vertex(1)` or `Edge(0)`.
fn closest_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> (DVec3, Feature) {
    let along = b - a;
    let (from_a, from_b) = (along.dot(p - a), along.dot(b - p));
    if from_a <= 0.0 {
        (a, Feature::Vertex(0))
    } else if from_b <= 0.0 {
        (b, Feature::Vertex(1))
    } else {
        // Measured from the nearer end, where it is rounded least.
        let point = if from_a <= from_b {
            a + along * (from_a / along.length_squared())
        } else {
            b - along * (from_b / along.length_squared())
        };
        (point.clamp(a.min(b), a.max(b)), Feature::Edge(0))
    }
}

/// The closest points of two closed segments; features `Vertex(0)`, `Vertex(1)` or `Edge(0)`.
///
/// At an end of one of them, or where the common perpendicular meets both inside: with u, v the directions, r from the
/// start of the first to that of the second and n = u×v, it meets the first at r×v·n/n² and the second at r×u·n/n².
pub fn closest_on_segments(a: [DVec3; 2], b: [DVec3; 2]) -> Closest {
    let vertex = |k: usize| Feature::Vertex(k as u8);
    let at_end = |k: usize| {
        let (point, feature) = closest_on_segment(a[k], b);
        Closest::new(a[k], point, vertex(k), feature)
    };
    let at_other_end = |k: usize| {
        let (point, feature) = closest_on_segment(b[k], a);
        Closest::new(point, b[k], feature, vertex(k))
    };
    let best = at_end(0).nearer(at_end(1)).nearer(at_other_end(0)).nearer(at_other_end(1));

    let (u, v, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = u.cross(v);
    let length_squared = n.length_squared();
    let s = r.cross(v).dot(n) / length_squared;
    let t = r.cross(u).dot(n) / length_squared;
    if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
        let inside = Closest::new(a[0] + u * s, b[0] + v * t, Feature::Edge(0), Feature::Edge(0));
        return best.nearer(inside);
    }
    best
}
