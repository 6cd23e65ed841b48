//! Euclidean distance and closest points.

use super::common::{Random, Solid, at, cuboid, distance, separating_axes};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{ClosestHint, Placed, closest};
use proptest::prelude::*;

const ROUNDING: f64 = 1e-13;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The distance is that of brute force over all features, with and without a hint, near and far.
    #[test]
    fn distance_agrees_with_all_features(seed in 0_u64..u64::MAX) {
        let mut random = Random::new(seed);
        let (a, b) = (random.geometry(), random.geometry());
        let (turn, velocity, axis) = (random.turn(), random.direction(), random.direction());
        let gap = if random.unit() < 0.3 { 1e-3 } else { 2.0 };
        let mut hint = ClosestHint::default();
        for step in 0..10 {
            let t = f64::from(step) * 0.05;
            let place = 1.2 * velocity + gap * random.unit() * velocity;
            let pose_a = Pose { position: place, orientation: DQuat::from_axis_angle(axis, t) * turn };
            let (a, b) = (Placed { geometry: &a, pose: pose_a }, at(&b, DVec3::ZERO, DQuat::IDENTITY));
            let (solid_a, solid_b) = (Solid::new(&a), Solid::new(&b));
            let found = closest(&a, &b, &mut hint).unwrap();
            if separating_axes(&solid_a, &solid_b) <= 0.0 {
                prop_assert!(found.distance < ROUNDING, "{} but they overlap", found.distance);
                continue;
            }
            let expected = distance(&solid_a, &solid_b);
            prop_assert!((found.distance - expected).abs() < ROUNDING, "{} but {expected}", found.distance);
            let [on_a, on_b] = found.points;
            prop_assert!(((on_a - on_b) - found.distance * found.normal).length() < 1e-11, "{found:?}");
            let fresh = closest(&a, &b, &mut ClosestHint::default()).unwrap();
            prop_assert!((fresh.distance - found.distance).abs() < ROUNDING, "{fresh:?} {found:?}");
        }
    }
}

/// Faces, edges and corners that are parallel or aligned: the closed forms of boxes.
#[test]
fn aligned_boxes_have_their_textbook_distances() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let still = at(&cube, DVec3::ZERO, DQuat::IDENTITY);
    for x in [0.0, 0.3, 1.0, 1.5, 2.0] {
        for y in [0.0, 0.7, 1.0, 1.25] {
            for z in [0.0, 0.5, 1.0, 3.0] {
                let gaps = (dvec3(x, y, z) - 1.0).max(DVec3::ZERO);
                let other = at(&cube, dvec3(x, y, z), DQuat::IDENTITY);
                let found = closest(&other, &still, &mut ClosestHint::default()).unwrap();
                assert!((found.distance - gaps.length()).abs() < 1e-15, "{x} {y} {z}: {found:?}");
            }
        }
    }
}

/// Touching is at distance zero, with a common point.
#[test]
fn overlapping_shapes_share_a_point() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let (a, b) = (random.geometry(), random.geometry());
        let a = at(&a, 0.1 * random.vector(), random.turn());
        let b = at(&b, DVec3::ZERO, random.turn());
        if separating_axes(&Solid::new(&a), &Solid::new(&b)) > -1e-12 {
            continue;
        }
        let found = closest(&a, &b, &mut ClosestHint::default()).unwrap();
        assert_eq!((found.distance, found.normal), (0.0, DVec3::ZERO));
        let inside = |placed: &Placed| {
            Solid::new(placed).faces.iter().all(|f| Solid::normal(f).dot(found.points[0] - f[0]) < 1e-12)
        };
        assert!(inside(&a) && inside(&b), "{found:?}");
    }
}
