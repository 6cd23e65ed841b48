//! Shapes on their way: closed forms, and the distance at every fraction as referee.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{ClosestHint, Geometry, Placed, Witness, closest};
use dolmen::query::{QueryError, ShapeCast, ShapeHit, cast_shape};
use dolmen::shape::{Shape, Sides};
use proptest::prelude::*;

use super::{arrange, floor, hull, id, pose, unit};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: dvec3(x, y, z), orientation: DQuat::IDENTITY }
}

fn hit(cast: &Result<ShapeCast, QueryError>) -> ShapeHit {
    match cast {
        Ok(ShapeCast::Hit(hit)) => *hit,
        other => panic!("{other:?}"),
    }
}

/// A ball of radius 1 falls 10 m onto a floor 5 m below its centre: 4/10 of the way. A cube comes as far; turned by 45° its
/// edge comes first, √2 below the centre.
#[test]
fn shapes_fall_as_far_as_the_floor() {
    for sides in [Sides::Front, Sides::Both] {
        let bodies = arrange(&[(floor().with_sides(sides).into(), at(0.0, 0.0, -5.0))]);
        let fall = |shape: &Shape, turn: f64| {
            let pose = Pose { position: DVec3::ZERO, orientation: DQuat::from_rotation_x(turn) };
            hit(&cast_shape(&bodies, shape, &pose, dvec3(3.0, 0.0, -10.0), DVec3::ZERO))
        };
        let ball = fall(&Shape::sphere(1.0).unwrap(), 0.0);
        assert!((ball.fraction - 0.4).abs() < 1e-14 && ball.normal == DVec3::Z, "{ball:?}");
        let cube = fall(&Shape::cuboid(DVec3::ONE).unwrap(), 0.0);
        assert!((cube.fraction - 0.4).abs() < 1e-14 && cube.normal == DVec3::Z, "{cube:?}");
        assert_ne!(cube.witness, Witness::Unknown);
        let edge = fall(&Shape::cuboid(DVec3::ONE).unwrap(), FRAC_PI_4);
        assert!((edge.fraction - (5.0 - 2_f64.sqrt()) / 10.0).abs() < 1e-14, "{edge:?}");
    }
}

/// A rod of length 2 about its middle, turned by a right angle, meets a post at 30° after a third of the turn.
#[test]
fn a_turning_rod_meets_a_post() {
    let rod = Shape::cuboid(dvec3(1.0, 1e-6, 0.1)).unwrap();
    let post = Shape::cuboid(dvec3(1e-6, 1e-6, 1.0)).unwrap();
    let (s, c) = (0.5, 3_f64.sqrt() / 2.0);
    let bodies = arrange(&[(post, Pose { position: 0.9 * dvec3(c, s, 0.0), orientation: DQuat::IDENTITY })]);
    let found = hit(&cast_shape(&bodies, &rod, &Pose::IDENTITY, DVec3::ZERO, dvec3(0.0, 0.0, FRAC_PI_2)));
    // Rod and post are a few μm thick: at an arm of 0.9 m that is a few μrad.
    assert!((found.fraction - 1.0 / 3.0).abs() < 5e-6, "{found:?}");
    let back = cast_shape(&bodies, &rod, &Pose::IDENTITY, DVec3::ZERO, dvec3(0.0, 0.0, -FRAC_PI_2));
    assert_eq!(back, Ok(ShapeCast::Clear));
}

/// Overlap at the start is a hit at once; a touch at the start that opens is none; what is beside the way is none.
#[test]
fn starts_that_touch_or_overlap() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let bodies = arrange(&[(cube.clone(), Pose::IDENTITY), (cube.clone(), at(3.0, 0.0, 0.0))]);
    let go =
        |x: f64, way: f64| cast_shape(&bodies, &cube, &at(x, 0.0, 0.0), dvec3(way, 0.0, 0.0), DVec3::ZERO);
    let inside = hit(&go(0.75, 2.0));
    assert_eq!((inside.body, inside.fraction, inside.depth), (id(0), 0.0, 0.25));
    let across = hit(&go(1.0, 2.0));
    assert_eq!((across.body, across.depth), (id(1), 0.0));
    assert!((across.fraction - 0.5).abs() < 1e-14 && across.normal == -DVec3::X, "{across:?}");
    assert_eq!(go(1.0, 0.9), Ok(ShapeCast::Clear));
    let beside = cast_shape(&bodies, &cube, &at(1.5, 2.0, 0.0), dvec3(0.0, 5.0, 0.0), DVec3::ZERO);
    assert_eq!(beside, Ok(ShapeCast::Clear));
}

/// Casts with bad input are refused.
#[test]
fn casts_that_are_none_are_refused() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let bodies = arrange(&[(cube.clone(), Pose::IDENTITY)]);
    let cast =
        |shape: &Shape, way: DVec3, turn: DVec3| cast_shape(&bodies, shape, &Pose::IDENTITY, way, turn);
    assert!(matches!(
        cast(&cube, DVec3::NAN, DVec3::ZERO),
        Err(QueryError::NotFinite { what: "translation", .. })
    ));
    assert!(matches!(
        cast(&cube, DVec3::X, DVec3::INFINITY),
        Err(QueryError::NotFinite { what: "turn", .. })
    ));
    assert!(matches!(cast(&floor().into(), DVec3::X, DVec3::ZERO), Err(QueryError::MovingPlane)));
    assert!(matches!(cast(&Shape::Disc { radius: 0.0 }, DVec3::X, DVec3::ZERO), Err(QueryError::Shape(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Before the hit nothing is touched, at it the bodies are at no distance, and nothing is hit that is touched later.
    #[test]
    fn the_first_touch_is_where_the_distance_vanishes(
        places in proptest::collection::vec(pose(4.0), 1..12),
        way in unit(),
        turn in prop_oneof![Just(0.0), 0.0..3.0_f64],
        axis in unit(),
        scale in prop::sample::select(vec![1e-9, 1.0, 1e3]),
    ) {
        let shapes = [Shape::cuboid(scale * dvec3(0.3, 0.6, 0.4)).unwrap(), hull(0.6 * scale)];
        let scene: Vec<(Shape, Pose)> = places.iter().enumerate().map(|(i, place)| {
            (shapes[i % 2].clone(), Pose { position: scale * place.position, ..*place })
        }).collect();
        let bodies = arrange(&scene);
        let probe = Shape::cuboid(scale * dvec3(0.5, 0.1, 0.2)).unwrap();
        let geometry = Geometry::new(&probe);
        let start = Pose { position: -6.0 * scale * way, orientation: DQuat::IDENTITY };
        let (translation, turning) = (12.0 * scale * way, turn * axis);
        let others: Vec<Geometry> = scene.iter().map(|(shape, _)| Geometry::new(shape)).collect();
        // The distance to each body after a part of the way.
        let distances = |fraction: f64| -> Vec<f64> {
            let orientation = DQuat::from_axis_angle(axis, turn * fraction);
            let pose = Pose { position: start.position + fraction * translation, orientation };
            let probe = Placed { geometry: &geometry, pose };
            let of = |(other, (_, pose)): (&Geometry, &(Shape, Pose))| {
                closest(&probe, &Placed { geometry: other, pose: *pose }, &mut ClosestHint::default()).unwrap().distance
            };
            others.iter().zip(&scene).map(of).collect()
        };
        let end = match cast_shape(&bodies, &probe, &start, translation, turning).unwrap() {
            ShapeCast::Clear => 1.0,
            ShapeCast::Hit(found) => {
                let distance = distances(found.fraction)[found.body.index()];
                prop_assert!(distance <= 1e-12 * scale, "{:e} m apart at the touch", distance);
                found.fraction
            }
            ShapeCast::Unknown { .. } => { prop_assert!(false, "the search gave up"); 0.0 }
        };
        for k in 0..100 {
            let fraction = end * f64::from(k) / 100.0;
            let least = distances(fraction).into_iter().fold(f64::INFINITY, f64::min);
            prop_assert!(least > 0.0, "touched at {fraction} of the way, before {end}");
        }
    }
}
