//! The signed separation and its witness.

use super::common::{Random, Solid, at, cuboid, distance, hull, polytope, separating_axes, separation_along};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    Class, Feature, Geometry, Overlap, Placed, Statistics, Tolerance, Witness, classify, overlap, search_all,
    separate,
};
use dolmen::shape::Plane;
use proptest::prelude::*;

/// Sums of ten products of lengths below 10, and normals right to a few ulps.
const ROUNDING: f64 = 1e-13;

fn fresh(a: &Placed, b: &Placed) -> dolmen::narrow_phase::Separation {
    separate(a, b, &mut Witness::Unknown, &mut Statistics::default()).unwrap()
}

/// A pair in a random place, near enough that half of them overlap.
fn random_pair(seed: u64) -> (Geometry, Geometry, Pose, Pose) {
    let mut random = Random::new(seed);
    let (a, b) = (random.geometry(), random.geometry());
    let middle = 3.0 * random.vector();
    let apart = random.direction() * random.between(0.0, 2.5);
    let pose_a = Pose { position: middle + apart, orientation: random.turn() };
    (a, b, pose_a, Pose { position: middle, orientation: random.turn() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The sign is that of brute force over all axes; the depth is the least of all; no separation exceeds the distance.
    #[test]
    fn separation_agrees_with_all_axes(seed in 0_u64..u64::MAX) {
        let (a, b, pose_a, pose_b) = random_pair(seed);
        let (a, b) = (Placed { geometry: &a, pose: pose_a }, Placed { geometry: &b, pose: pose_b });
        let (solid_a, solid_b) = (Solid::new(&a), Solid::new(&b));
        let best = separating_axes(&solid_a, &solid_b);
        let found = fresh(&a, &b);
        let (_, searched) = search_all(&a, &b).unwrap();
        // Apart, brute force also tries edges that do not face each other; they are no facets of the difference body.
        prop_assert!(searched < best + ROUNDING, "all axes: {searched} here, {best} by brute force");
        prop_assert!(best > 0.0 || searched > best - ROUNDING, "all axes: {searched} here, {best} by brute force");
        if best < -1e-12 {
            prop_assert!((found.distance - best).abs() < ROUNDING, "depth {} but {best}", found.distance);
        } else if best > 1e-12 {
            prop_assert!(found.distance > 0.0 && searched > 0.0, "{} but apart by {best}", found.distance);
            prop_assert!(found.distance <= distance(&solid_a, &solid_b) + ROUNDING);
        }
        let along = separation_along(found.normal, &solid_a, &solid_b);
        prop_assert!((along - found.distance).abs() < ROUNDING, "{along} along the normal, {} given", found.distance);
        let [on_a, on_b] = found.points;
        let between = found.normal.dot(on_a - on_b);
        prop_assert!((between - found.distance).abs() < ROUNDING, "{between} between the points, {}", found.distance);
    }

    /// Exchanging the shapes turns the normal around and keeps the search's separation.
    #[test]
    fn exchanging_the_shapes_changes_only_the_sense(seed in 0_u64..u64::MAX) {
        let (a, b, pose_a, pose_b) = random_pair(seed);
        let (a, b) = (Placed { geometry: &a, pose: pose_a }, Placed { geometry: &b, pose: pose_b });
        let ((witness, here), (_, there)) = (search_all(&a, &b).unwrap(), search_all(&b, &a).unwrap());
        prop_assert!((here - there).abs() < ROUNDING, "{here} and {there}");
        let (mut forth, mut back) = (witness, witness.exchanged());
        let one = separate(&a, &b, &mut forth, &mut Statistics::default()).unwrap();
        let two = separate(&b, &a, &mut back, &mut Statistics::default()).unwrap();
        prop_assert!((one.distance - two.distance).abs() < ROUNDING, "{one:?} {two:?}");
        if forth == back.exchanged() {
            prop_assert!((one.normal + two.normal).length() < ROUNDING, "{one:?} {two:?}");
        }
    }

    /// A witness kept through a motion gives the same sign as none; bodies that pass each other use it most of the time.
    #[test]
    fn a_kept_witness_never_lies(seed in 0_u64..u64::MAX) {
        let (a, b, pose_a, pose_b) = random_pair(seed);
        let mut random = Random::new(seed ^ 1);
        let (axis, velocity) = (random.direction(), random.direction());
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        for step in 0..30 {
            let t = f64::from(step) / 10.0 - 1.5;
            let orientation = DQuat::from_axis_angle(axis, t) * pose_a.orientation;
            let position = pose_a.position + 1.5 * t * velocity;
            let (a, b) = (at(&a, position, orientation), Placed { geometry: &b, pose: pose_b });
            let kept = separate(&a, &b, &mut witness, &mut statistics).unwrap();
            let (_, best) = search_all(&a, &b).unwrap();
            let most = if best > 0.0 { distance(&Solid::new(&a), &Solid::new(&b)) } else { best };
            prop_assert!(kept.distance <= most + ROUNDING, "{} exceeds {most}", kept.distance);
            prop_assert!(best.abs() < 1e-9 || (kept.distance > 0.0) == (best > 0.0), "{} but {best}", kept.distance);
            if best < -1e-8 {
                prop_assert!((kept.distance - best).abs() < ROUNDING, "depth {} but {best}", kept.distance);
            }
        }
        let Statistics { queries, hits, neighbours, walks, searches } = statistics;
        prop_assert_eq!(queries, hits + neighbours + walks + searches);
    }

    /// Turned by right angles and moved by halves of their sides, boxes are parallel in every way; nothing is lost.
    #[test]
    fn parallel_boxes_agree_with_intervals(
        (i, j, k) in (-5_i32..=5, -5_i32..=5, -5_i32..=5), quarter in 0_u32..4, half in 1_u32..4,
    ) {
        let big = cuboid(1.0, 1.0, 1.0);
        let small = cuboid(0.5, 0.5, 0.5 * f64::from(half));
        let turn = DQuat::from_rotation_z(f64::from(quarter) * std::f64::consts::FRAC_PI_2);
        let place = 0.5 * dvec3(f64::from(i), f64::from(j), f64::from(k));
        let sides = dvec3(1.5, 1.5, 1.0 + 0.5 * f64::from(half));
        let expected = (place.abs() - sides).max_element();
        let found = fresh(&at(&small, place, turn), &at(&big, DVec3::ZERO, DQuat::IDENTITY));
        prop_assert!(found.distance <= expected + ROUNDING, "{} but {expected}", found.distance);
        prop_assert!((found.distance >= -ROUNDING) == (expected >= 0.0), "{} but {expected}", found.distance);
        if expected < 0.0 {
            prop_assert!((found.distance - expected).abs() < ROUNDING, "{} but {expected}", found.distance);
        }
    }

    /// Lengths have no scale: a nanometre and a kilometre give the same digits as a metre.
    #[test]
    fn scale_changes_nothing_but_the_unit(seed in 0_u64..u64::MAX, exponent in prop::sample::select(vec![-30, 10])) {
        let mut random = Random::new(seed);
        let scale = if exponent > 0 { 1024.0 } else { 1.0 / f64::from(1 << 30) };
        let points: Vec<Vec<DVec3>> = (0..2).map(|_| (0..12).map(|_| random.direction()).collect()).collect();
        let place = Pose { position: 1.5 * random.direction(), orientation: random.turn() };
        let separation = |scale: f64| {
            let hulls: Vec<Geometry> = points
                .iter()
                .map(|p| {
                    let scaled: Vec<DVec3> = p.iter().map(|x| *x * scale).collect();
                    Geometry::new(&dolmen::shape::Hull::new(&scaled).unwrap().into())
                })
                .collect();
            let a = at(&hulls[0], place.position * scale, place.orientation);
            fresh(&a, &at(&hulls[1], DVec3::ZERO, DQuat::IDENTITY)).distance / scale
        };
        // Powers of two: not one bit may differ.
        prop_assert_eq!(separation(1.0), separation(scale));
    }
}

/// In a slow tumble the plane found once answers almost every query.
#[test]
fn coherent_motion_is_answered_by_the_witness() {
    let mut random = Random::new(7);
    let (a, b) = (hull(&mut random, 32), hull(&mut random, 32));
    let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
    for step in 0..10_000 {
        let t = f64::from(step) * 1e-3;
        let a = at(&a, dvec3(2.2, 0.0, 0.0), DQuat::from_axis_angle(DVec3::Z, t));
        let b = at(&b, DVec3::ZERO, DQuat::from_axis_angle(DVec3::Y, 0.7 * t));
        assert!(separate(&a, &b, &mut witness, &mut statistics).unwrap().distance > 0.0);
    }
    assert!(statistics.hits * 100 > statistics.queries * 99, "{statistics:?}");
    assert_eq!(statistics.searches, 0, "{statistics:?}");
}

/// Equal cubes exactly one on the other, one lowered: no vertex inside, no edge through a face, and yet seen. [NOTES]
#[test]
fn equal_cubes_lowered_into_each_other_are_seen() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let below = at(&cube, DVec3::ZERO, DQuat::IDENTITY);
    for depth in [0.25, 1e-3, 1e-12] {
        let above = at(&cube, dvec3(0.0, 0.0, 1.0 - depth), DQuat::IDENTITY);
        let found = fresh(&above, &below);
        assert!((found.distance + depth).abs() < 1e-15, "{found:?}");
        assert_eq!(found.normal, DVec3::Z);
        assert_eq!(overlap(&above, &below, None).unwrap(), Some(Overlap::Aligned), "depth {depth}");
    }
    let above = at(&cube, dvec3(0.0, 0.0, 1.0), DQuat::IDENTITY);
    assert_eq!(fresh(&above, &below).distance, 0.0);
    assert_eq!(overlap(&above, &below, None).unwrap(), None);
}

/// A corner in a box, an edge through a plate-like box, and each found again from the hint.
#[test]
fn overlap_has_a_witness_of_each_kind() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let blade = cuboid(2.0, 0.1, 0.1);
    let still = at(&cube, DVec3::ZERO, DQuat::IDENTITY);
    let corner = at(&cube, dvec3(0.9, 0.9, 0.9), DQuat::IDENTITY);
    let through = at(&blade, dvec3(0.01, 0.02, 0.03), DQuat::IDENTITY);
    let apart = at(&cube, dvec3(1.1, 0.0, 0.0), DQuat::IDENTITY);
    let found = overlap(&corner, &still, None).unwrap();
    assert_eq!(found, Some(Overlap::VertexOfA(0)));
    assert_eq!(overlap(&corner, &still, found).unwrap(), found);
    let found = overlap(&through, &still, None).unwrap();
    assert!(matches!(found, Some(Overlap::EdgeOfA { .. })), "{found:?}");
    assert_eq!(
        overlap(&still, &through, None).unwrap().map(|o| matches!(o, Overlap::EdgeOfB { .. })),
        Some(true)
    );
    assert_eq!(overlap(&apart, &still, found).unwrap(), None);
}

/// Two knives crossing at a tiny angle are apart by what is between the edges, which no face can show.
#[test]
fn edges_almost_parallel_still_separate() {
    let roof = |sense: f64| {
        let points = [-1.0, 1.0].map(|x| [dvec3(x, 0.0, 0.0), dvec3(x, 0.3, sense), dvec3(x, -0.3, sense)]);
        Geometry::new(&dolmen::shape::Hull::new(points.as_flattened()).unwrap().into())
    };
    let (upper, lower) = (roof(1.0), roof(-1.0));
    for angle in [1e-3, 1e-6, 1e-9, 1e-11] {
        for gap in [1e-3, 1e-9, 1e-14] {
            let a = at(&upper, dvec3(0.0, 0.0, gap), DQuat::from_rotation_z(angle));
            let (_, best) = search_all(&a, &at(&lower, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
            assert!((best - gap).abs() < 1e-15, "angle {angle}, gap {gap}: {best}");
        }
    }
}

/// 1e7 m from the origin only the positions lose digits: a separation is right to 4 ulps of a coordinate.
#[test]
fn far_from_the_origin_only_positions_round() {
    let mut random = Random::new(11);
    let far = dvec3(1e7, -1e7, 1e7);
    for _ in 0..200 {
        let (a, b) = (random.geometry(), random.geometry());
        let (offset, turn_a, turn_b) = (1.5 * random.direction(), random.turn(), random.turn());
        let (_, here) = search_all(&at(&a, offset, turn_a), &at(&b, DVec3::ZERO, turn_b)).unwrap();
        let (_, there) = search_all(&at(&a, far + offset, turn_a), &at(&b, far, turn_b)).unwrap();
        assert!((here - there).abs() < 4.0 * 1e7 * f64::EPSILON, "{here} and {there}");
    }
}

/// A witness of other shapes, with numbers that there are not, is only a bad guess.
#[test]
fn a_foreign_witness_is_harmless() {
    let (a, b) = (cuboid(1.0, 1.0, 1.0), cuboid(0.5, 0.5, 0.5));
    let (a, b) = (at(&a, dvec3(3.0, 0.0, 0.0), DQuat::IDENTITY), at(&b, DVec3::ZERO, DQuat::IDENTITY));
    for feature in
        [Feature::Vertex(999), Feature::Edge(999), Feature::Face(999), Feature::Rim(0), Feature::Face(3)]
    {
        for other in [Feature::Vertex(999), Feature::Edge(3), Feature::Face(2), Feature::Surface(1)] {
            let mut witness = Witness::Plane { a: feature, b: other };
            let found = separate(&a, &b, &mut witness, &mut Statistics::default()).unwrap();
            assert_eq!(found.distance, 1.5, "{feature:?} {other:?}");
        }
    }
}

/// The five classes, with both bounds in the middle. [INTRO]
#[test]
fn contacts_are_classified_by_tolerance() {
    let tolerance = Tolerance { length: 1e-9, speed: 1e-6 };
    let class = |separation, rate| classify(separation, rate, &tolerance);
    assert_eq!(class(2e-9, -1.0), Class::Clear);
    assert_eq!(class(-2e-9, 1.0), Class::Penetrating);
    assert_eq!(class(0.0, -2e-6), Class::Colliding);
    assert_eq!(class(1e-9, 2e-6), Class::Separating);
    assert_eq!(class(-1e-9, 1e-6), Class::Resting);
    assert_eq!(class(f64::NAN, 0.0), Class::Penetrating);
}

/// The tolerance belongs to the pair: 1e-9 of the smaller, or 64 ulps of the coordinates.
#[test]
fn the_tolerance_belongs_to_the_pair() {
    let (large, small) = (cuboid(500.0, 500.0, 500.0), cuboid(5e-10, 5e-10, 5e-10));
    let near = |position| {
        let (a, b) = (at(&small, position, DQuat::IDENTITY), at(&large, DVec3::ZERO, DQuat::IDENTITY));
        Tolerance::of_pair(&a, &b, 0.0).length
    };
    assert!((near(DVec3::ZERO) - 1e-18).abs() < 1e-30);
    assert_eq!(near(dvec3(1e7, 0.0, 0.0)), 64.0 * f64::EPSILON * 1e7);
}

/// A pair without an answer says so, with both names.
#[test]
fn unsupported_pairs_are_refused_in_words() {
    let plane = Plane::new(DVec3::Z, 0.0).unwrap();
    let circle = Geometry::new(&plane.circular(DVec3::ZERO, 1.0).unwrap().into());
    let plane = Geometry::new(&plane.into());
    let (circle, plane) =
        (at(&circle, DVec3::ZERO, DQuat::IDENTITY), at(&plane, DVec3::ZERO, DQuat::IDENTITY));
    let error = separate(&circle, &plane, &mut Witness::Unknown, &mut Statistics::default()).unwrap_err();
    insta::assert_snapshot!(error, @"a circular plane and a infinite plane cannot be tested against each other: both are immobile; leave the pair out");
}

/// A box made of points is the same polytope as a box, but for the numbers of its parts.
#[test]
fn a_box_of_points_is_a_box() {
    let cube = cuboid(0.3, 0.4, 0.5);
    let points = polytope(&cube).vertices().to_vec();
    let hull = Geometry::new(&dolmen::shape::Hull::new(&points).unwrap().into());
    assert_eq!(polytope(&hull).face_count(), 6);
    assert_eq!(polytope(&hull).edges().len(), 12);
    let mut random = Random::new(3);
    for _ in 0..100 {
        let other = random.geometry();
        let (place, turn) = (1.2 * random.direction(), random.turn());
        let one = search_all(&at(&cube, place, turn), &at(&other, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
        let two = search_all(&at(&hull, place, turn), &at(&other, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
        assert!((one.1 - two.1).abs() < 1e-14, "{one:?} {two:?}");
    }
}

/// Round hulls in each other, where the depth is found by growing a polytope: the same as over all axes, to rounding.
#[test]
fn the_depth_of_large_hulls_is_the_least_of_all() {
    let mut random = Random::new(17);
    for count in [24, 60] {
        let (a, b) = (hull(&mut random, count), hull(&mut random, count));
        for _ in 0..60 {
            let reach = random.between(0.0, 1.0);
            let a = at(&a, reach * random.direction(), random.turn());
            let b = at(&b, DVec3::ZERO, random.turn());
            let (found, (_, best)) = (fresh(&a, &b), search_all(&a, &b).unwrap());
            let right =
                if best < 0.0 { (found.distance - best).abs() < ROUNDING } else { found.distance > 0.0 };
            assert!(right, "{} but {best}", found.distance);
        }
    }
}

/// A block that rests within the tolerance is answered by its witness, on either side of zero.
#[test]
fn resting_is_answered_by_the_witness() {
    let (table, cube) = (cuboid(2.0, 2.0, 0.5), cuboid(0.5, 0.5, 0.5));
    let table = at(&table, DVec3::ZERO, DQuat::IDENTITY);
    let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
    for step in 0..1000 {
        let shake = 1e-12 * f64::from(step % 7 - 3);
        let cube = at(&cube, dvec3(0.3, 0.4, 1.0 + shake), DQuat::from_rotation_z(0.3));
        let found = separate(&cube, &table, &mut witness, &mut statistics).unwrap();
        assert!((found.distance - shake).abs() < 1e-15, "{found:?}");
    }
    assert!(statistics.hits >= 998, "{statistics:?}");
}
