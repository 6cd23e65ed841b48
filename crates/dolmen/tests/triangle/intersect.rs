//! Triangles that meet: clipping in fractions as referee, over small whole coordinates, where every special position is common.

use crate::rational::{
    Fraction, Vector, along, cross, dot, float, is_zero, minus, on_segment, rounded, vector,
};
use dolmen::math::{DVec3, dvec3};
use dolmen::triangle::{Feature, Intersection, Kind, Triangle, intersect};
use insta::assert_snapshot;
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;

type Corners = [[i8; 3]; 3];

/// What is left of the convex hull of the points after each half space n·(x − o) ≥ 0 has cut it.
fn clip(mut points: Vec<Vector>, half_spaces: &[(Vector, Vector)]) -> Vec<Vector> {
    for (n, o) in half_spaces {
        let height = |p: &Vector| dot(*n, minus(*p, *o));
        let mut kept: Vec<Vector> = points.iter().copied().filter(|p| !height(p).is_negative()).collect();
        // Every pair stands in for every edge: a chord that crosses the plane does so in the hull as well.
        for p in points.iter().filter(|p| height(p).is_positive()) {
            for q in points.iter().filter(|q| height(q).is_negative()) {
                kept.push(along(*p, *q, height(p) / (height(p) - height(q))));
            }
        }
        points = kept;
    }
    extreme(points)
}

/// The corners of the convex hull of points of which none is strictly inside of a plane figure that the others span.
fn extreme(mut points: Vec<Vector>) -> Vec<Vector> {
    points.sort_unstable();
    points.dedup();
    let inside = |p: &Vector| {
        let others = || points.iter().filter(|q| *q != p);
        others().any(|q| others().any(|r| q != r && on_segment(*p, *q, *r)))
            || others().any(|q| {
                others()
                    .any(|r| others().any(|s| q != r && r != s && s != q && in_triangle(*p, [*q, *r, *s])))
            })
    };
    points.iter().copied().filter(|p| !inside(p)).collect()
}

fn in_triangle(p: Vector, t: [Vector; 3]) -> bool {
    let n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    !is_zero(n) && (0..3).all(|k| !dot(n, cross(minus(t[(k + 1) % 3], t[k]), minus(p, t[k]))).is_negative())
}

/// The corners of what two triangles share.
fn referee(a: [Vector; 3], b: [Vector; 3]) -> Vec<Vector> {
    let n = cross(minus(b[1], b[0]), minus(b[2], b[0]));
    let opposite = n.map(|x| -x);
    let mut half_spaces = vec![(n, b[0]), (opposite, b[0])];
    half_spaces.extend((0..3).map(|k| (cross(n, minus(b[(k + 1) % 3], b[k])), b[k])));
    clip(a.to_vec(), &half_spaces)
}

fn feature(t: [Vector; 3], p: Vector) -> Feature {
    if let Some(k) = t.iter().position(|q| *q == p) {
        return Feature::Vertex(k as u8);
    }
    (0..3).find(|k| on_segment(p, t[*k], t[(k + 1) % 3])).map_or(Feature::Face, |k| Feature::Edge(k as u8))
}

fn expected_kind(a: [Vector; 3], b: [Vector; 3], corners: &[Vector]) -> Kind {
    let sides = |t: [Vector; 3], others: [Vector; 3]| {
        let n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
        others.map(|p| dot(n, minus(p, t[0])).signum())
    };
    let straddle = |s: [Fraction; 3]| s.contains(&Fraction::one()) && s.contains(&-Fraction::one());
    let (a_sides, b_sides) = (sides(b, a), sides(a, b));
    if a_sides.iter().all(Zero::is_zero) {
        Kind::Coplanar
    } else if corners.len() < 2 || !straddle(a_sides) || !straddle(b_sides) {
        Kind::Touch
    } else if corners.iter().all(|p| feature(a, *p) != Feature::Face) {
        Kind::TwoEdgesOfA
    } else if corners.iter().all(|p| feature(b, *p) != Feature::Face) {
        Kind::TwoEdgesOfB
    } else {
        Kind::EdgeOfEach
    }
}

/// Compares with the referee; tells how they meet.
fn check(a: Corners, b: Corners) -> Result<Option<Kind>, TestCaseError> {
    let (Ok(t), Ok(u)) = (Triangle::new(a.map(float)), Triangle::new(b.map(float))) else {
        return Ok(None);
    };
    let (ta, ub) = (a.map(vector), b.map(vector));
    let expected = referee(ta, ub);
    let found = intersect(&t, &u);
    let corners = found.as_ref().map_or(&[][..], Intersection::corners);
    prop_assert_eq!(corners.len(), expected.len(), "{:?} and {:?}: {:?}", a, b, found);
    let Some(found) = &found else {
        return Ok(None);
    };
    prop_assert_eq!(found.kind, expected_kind(ta, ub, &expected), "{:?} and {:?}", a, b);
    for p in expected {
        let (feature_a, feature_b, point) = (feature(ta, p), feature(ub, p), rounded(p));
        let same = corners.iter().find(|c| (c.feature_a, c.feature_b) == (feature_a, feature_b));
        // Two fractions rounded once, below 4: half a unit in the last place each.
        let close = |c: DVec3| (c - point).abs().max_element() <= 4.0 * f64::EPSILON;
        prop_assert!(same.is_some_and(|c| close(c.point)), "{point} of {a:?} and {b:?}: {found:?}");
    }
    Ok(Some(found.kind))
}

fn corners(range: std::ops::RangeInclusive<i8>) -> impl Strategy<Value = Corners> {
    prop::array::uniform3(prop::array::uniform3(range))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    /// Emptiness, number of corners, features and kind agree with clipping in fractions, on a grid of 3³ points.
    #[test]
    fn special_positions_are_seen_exactly(a in corners(-1..=1), b in corners(-1..=1)) {
        check(a, b)?;
    }

    /// The same on a grid of 9³ points, where triangles mostly cross.
    #[test]
    fn crossings_are_seen_exactly(a in corners(-4..=4), b in corners(-4..=4)) {
        check(a, b)?;
    }

    /// The same in the plane z = x.
    #[test]
    fn coplanar_overlaps_are_seen_exactly(mut a in corners(-3..=3), mut b in corners(-3..=3)) {
        a.iter_mut().chain(&mut b).for_each(|p| p[2] = p[0]);
        check(a, b)?;
    }
}

/// The three crossings of the lecture, touching in all ways, and the plane: each has its kind.
#[test]
fn every_kind_has_its_example() {
    let a = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
    let examples = [
        ([[1, 1, -1], [1, 1, 3], [2, 1, 3]], Kind::TwoEdgesOfB, 2),
        ([[-9, 1, -9], [9, 1, -9], [0, 1, 9]], Kind::TwoEdgesOfA, 2),
        ([[1, 1, -1], [1, 1, 1], [1, -9, 1]], Kind::EdgeOfEach, 2),
        ([[1, 1, 0], [1, 1, 3], [2, 1, 3]], Kind::Touch, 1), // vertex on face
        ([[0, 0, 0], [0, -1, 3], [0, -2, -3]], Kind::Touch, 1), // vertex on vertex
        ([[1, 0, -1], [1, 0, 1], [1, -3, 0]], Kind::Touch, 1), // edge across edge
        ([[1, 1, 0], [2, 1, 0], [1, 1, 3]], Kind::Touch, 2), // edge in face
        ([[0, 0, 0], [4, 0, 0], [0, 0, 4]], Kind::Touch, 2), // common edge
        ([[1, 1, 0], [9, 1, 0], [1, 9, 0]], Kind::Coplanar, 3),
        ([[3, 3, 0], [-1, 3, 0], [3, -1, 0]], Kind::Coplanar, 6),
        ([[0, 0, 0], [4, 0, 0], [0, -4, 0]], Kind::Coplanar, 2),
        ([[0, 0, 0], [-4, 0, 0], [0, -4, 0]], Kind::Coplanar, 1),
    ];
    for (b, kind, count) in examples {
        let (t, u) = (Triangle::new(a.map(float)).unwrap(), Triangle::new(b.map(float)).unwrap());
        let found = intersect(&t, &u).unwrap();
        assert_eq!((found.kind, found.corners().len()), (kind, count), "{b:?}: {found:?}");
        check(a, b).unwrap();
    }
}

/// A corner above a plane by the last bit does not touch it, whatever the size; on it, it does.
#[test]
fn one_unit_in_the_last_place_decides() {
    for scale in [1e-40, 1.0, 1e40] {
        let floor =
            Triangle::new([dvec3(-1., -1., 1.), dvec3(1., -1., 1.), dvec3(0., 1., 1.)].map(|p| p * scale));
        let floor = floor.unwrap();
        let tip = |z: f64| {
            Triangle::new([dvec3(0., 0., z), dvec3(0., scale, 3. * scale), dvec3(scale, 0., 3. * scale)])
        };
        assert!(intersect(&floor, &tip(scale).unwrap()).is_some());
        assert!(intersect(&floor, &tip(scale.next_up()).unwrap()).is_none());
        let below = intersect(&floor, &tip(scale.next_down()).unwrap()).unwrap();
        assert_eq!(below.kind, Kind::TwoEdgesOfB, "at scale {scale:e}");
        let reach = below.segment()[0].distance(dvec3(0., 0., scale));
        assert!(reach <= 1e-15 * scale, "cut {reach:e} away from the tip at scale {scale:e}");
    }
}

/// Three points in line, or beyond the range of exact arithmetic, are refused in words.
#[test]
fn points_that_are_no_triangle_are_refused() {
    let line = [DVec3::ZERO, DVec3::ONE, DVec3::splat(3.0)];
    assert_snapshot!(Triangle::new(line).unwrap_err(), @"the corners (0.0, 0.0, 0.0), (1.0, 1.0, 1.0) and (3.0, 3.0, 3.0) are in line, so the triangle has no area; move one of them or remove the triangle");
    assert_snapshot!(Triangle::new([DVec3::X, DVec3::Y, DVec3::NAN]).unwrap_err(), @"corner 2 of the triangle is at (NaN, NaN, NaN); coordinates must be 0 or between 1e-60 and 1e60 m in size: correct the corner or choose another unit of length");
}
