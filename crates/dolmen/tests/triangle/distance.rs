//! Distances of triangles: all feature pairs in fractions as referee, and a separating slab as proof for any other.

use crate::rational::{Fraction, Vector, along, cross, dot, float, is_zero, minus, vector};
use dolmen::math::DVec3;
use dolmen::triangle::{Triangle, closest, intersect};
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;

fn square(a: Vector, b: Vector) -> Fraction {
    dot(minus(a, b), minus(a, b))
}

/// Squared distance of a point from a segment.
fn from_segment(p: Vector, q: Vector, r: Vector) -> Fraction {
    let length = square(q, r);
    if length.is_zero() {
        return square(p, q);
    }
    let s = dot(minus(p, q), minus(r, q)) / length;
    square(p, along(q, r, s.clamp(Fraction::zero(), Fraction::one())))
}

/// Squared height of a point above a triangle, if its foot is inside.
fn from_face(p: Vector, t: [Vector; 3]) -> Option<Fraction> {
    let n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    if is_zero(n) {
        return None;
    }
    let inside = |k: usize| !dot(n, cross(minus(t[(k + 1) % 3], t[k]), minus(p, t[k]))).is_negative();
    let height = dot(n, minus(p, t[0]));
    (0..3).all(inside).then(|| height * height / dot(n, n))
}

/// Squared distance of two lines, if the common perpendicular meets both segments.
fn across(p: [Vector; 2], q: [Vector; 2]) -> Option<Fraction> {
    let (u, v, r) = (minus(p[1], p[0]), minus(q[1], q[0]), minus(q[0], p[0]));
    let n = cross(u, v);
    if is_zero(n) {
        return None;
    }
    let unit = Fraction::zero()..=Fraction::one();
    let (s, t) = (dot(cross(r, v), n) / dot(n, n), dot(cross(r, u), n) / dot(n, n));
    (unit.contains(&s) && unit.contains(&t)).then(|| dot(r, n) * dot(r, n) / dot(n, n))
}

/// Squared distance: zero when an edge passes through a face, else the least of all feature pairs.
fn referee(a: [Vector; 3], b: [Vector; 3]) -> Fraction {
    let edge = |t: [Vector; 3], k: usize| [t[k], t[(k + 1) % 3]];
    let mut all = Vec::new();
    for (t, u) in [(a, b), (b, a)] {
        let n = cross(minus(u[1], u[0]), minus(u[2], u[0]));
        for i in 0..3 {
            all.extend(from_face(t[i], u));
            all.extend((0..3).map(|k| from_segment(t[i], u[k], u[(k + 1) % 3])));
            let [p, q] = edge(t, i);
            let (h_p, h_q) = (dot(n, minus(p, u[0])), dot(n, minus(q, u[0])));
            if (h_p * h_q).is_negative() && from_face(along(p, q, h_p / (h_p - h_q)), u).is_some() {
                return Fraction::zero();
            }
        }
    }
    for i in 0..3 {
        all.extend((0..3).filter_map(|k| across(edge(a, i), edge(b, k))));
    }
    all.into_iter().min().unwrap()
}

/// A triangle that is a segment, one edge of which is a point in the plane of the other triangle but beside it.
#[test]
fn an_edge_that_is_a_point_meets_nothing_beside_it() {
    let a = [[0, 0, 0], [2, 0, 1], [2, 0, 1]];
    let b = [[2, 2, -3], [0, 3, -1], [3, -1, 1]];
    let (found, exact) =
        (closest(a.map(float), b.map(float)).distance, referee(a.map(vector), b.map(vector)));
    let exact = (*exact.numer() as f64 / *exact.denom() as f64).sqrt();
    assert!((found - exact).abs() < 1e-14, "{found} but {exact}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    /// The distance is that of the nearest features in fractions, triangles without area included.
    #[test]
    fn distances_are_those_of_the_nearest_features(
        a in prop::array::uniform3(prop::array::uniform3(-3_i8..=3)),
        b in prop::array::uniform3(prop::array::uniform3(-3_i8..=3)),
    ) {
        let exact = referee(a.map(vector), b.map(vector));
        let exact = (*exact.numer() as f64 / *exact.denom() as f64).sqrt();
        let found = closest(a.map(float), b.map(float));
        // Points are rounded to 1e-15 (coordinates 3, the foot on lines at an angle of at least 1/70 to 70² times that
        // along the line, which changes a distance by its square only).
        prop_assert!((found.distance - exact).abs() < 1e-14, "{exact} but {found:?} for {a:?}, {b:?}");
        prop_assert!((exact == 0.0) == (found.distance < 1e-14));
        let (Ok(t), Ok(u)) = (Triangle::new(a.map(float)), Triangle::new(b.map(float))) else { return Ok(()) };
        prop_assert_eq!(intersect(&t, &u).is_some(), exact == 0.0);
    }

    /// A slab between the closest points separates the triangles, which proves that nothing is closer; and no two of many
    /// points of them are.
    #[test]
    fn a_slab_as_thick_as_the_distance_fits_between(
        a in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)),
        b in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)),
        shift in 0.0..3.0_f64,
    ) {
        let a = a.map(DVec3::from_array);
        let b = b.map(|p| DVec3::from_array(p) + shift * DVec3::X);
        let found = closest(a, b);
        let grid = |t: [DVec3; 3]| (0..=8).flat_map(move |i| (0..=8 - i).map(move |j| {
            let (u, v) = (f64::from(i) / 8.0, f64::from(j) / 8.0);
            t[0] * (1.0 - u - v) + t[1] * u + t[2] * v
        }));
        for p in grid(a) {
            for q in grid(b) {
                prop_assert!(found.distance <= p.distance(q) + 1e-15, "{} < {}", p.distance(q), found.distance);
            }
        }
        if found.distance > 0.1 {
            let n = (found.point_a - found.point_b) / found.distance;
            let least_a = a.iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
            let most_b = b.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            // Feet on lines at an angle θ are rounded by 1e-16/θ², and tilt n by ten times that; θ > 1e-3 in all likelihood.
            prop_assert!((least_a - most_b - found.distance).abs() < 1e-9, "{} < {}", least_a - most_b, found.distance);
        }
    }
}
