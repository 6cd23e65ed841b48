//! Points: what is nearest, what they are in.

use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::query::{Arrangement, QueryError, contains, nearest_body};
use dolmen::shape::{Shape, Sides};
use dolmen::world::{Body, WorldBuilder};
use proptest::prelude::*;

use super::{arrange, floor, id, pose, separation, solids, unit};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The least of all signed distances, and all that are not positive.
    #[test]
    fn points_find_what_brute_force_finds(
        places in proptest::collection::vec(pose(6.0), 1..40),
        away in unit(),
        far in prop_oneof![0.0..6.0_f64, Just(1e7)],
        with_floor in any::<bool>(),
    ) {
        let shapes = solids(0.7);
        let mut scene: Vec<(Shape, Pose)> =
            places.iter().enumerate().map(|(i, place)| (shapes[i % shapes.len()].clone(), *place)).collect();
        if with_floor {
            scene.push((floor().with_sides(Sides::Front).into(), Pose { position: dvec3(0.0, 0.0, -5.0), ..places[0] }));
        }
        let bodies = arrange(&scene);
        let point = far * away;
        let off = |i: usize, p: DVec3| {
            let place = bodies.shape_pose(id(i)).unwrap();
            separation(&scene[i].0, place.orientation.conjugate() * (p - place.position))
        };
        let all: Vec<f64> = (0..scene.len()).map(|i| off(i, point)).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);

        let found = nearest_body(&bodies, point).unwrap().unwrap();
        prop_assert_eq!(found.separation, least);
        prop_assert_eq!(found.body.index(), all.iter().position(|s| *s == least).unwrap());
        let tolerance = 32.0 * f64::EPSILON * (8.0 + far);
        prop_assert!((point - found.point).dot(found.normal) - found.separation <= tolerance);
        prop_assert!((point.distance(found.point) - found.separation.abs()).abs() <= tolerance);
        prop_assert!((found.normal.length() - 1.0).abs() < 1e-14);
        prop_assert!(off(found.body.index(), found.point).abs() <= tolerance);

        let inside: Vec<_> = (0..scene.len()).filter(|i| all[*i] <= 0.0).map(id).collect();
        prop_assert_eq!(contains(&bodies, point).unwrap(), inside);
    }
}

/// Pieces of planes: the foot, or the nearest point of the rim; they contain nothing.
#[test]
fn planes_are_near_where_they_are() {
    let near = |shape: Shape, point: DVec3| {
        let bodies = arrange(&[(shape, Pose::IDENTITY)]);
        let found = nearest_body(&bodies, point).unwrap().unwrap();
        (found.separation, found.point, contains(&bodies, point).unwrap().len())
    };
    let circle: Shape = floor().circular(DVec3::X, 1.0).unwrap().into();
    let square: Shape = floor().square(DVec3::X, 1.0, DVec3::Y).unwrap().into();
    assert_eq!(near(circle.clone(), dvec3(1.5, 0.0, -2.0)), (2.0, dvec3(1.5, 0.0, 0.0), 0));
    assert_eq!(near(circle, dvec3(6.0, 0.0, 3.0)), (5.0, dvec3(2.0, 0.0, 0.0), 0));
    assert_eq!(near(square.clone(), dvec3(0.5, -0.5, 2.0)), (2.0, dvec3(0.5, -0.5, 0.0), 0));
    assert_eq!(near(square, dvec3(5.0, 5.0, 0.0)), (5.0, dvec3(2.0, 1.0, 0.0), 0));
    assert_eq!(near(floor().into(), dvec3(3.0, 4.0, -2.0)), (2.0, dvec3(3.0, 4.0, 0.0), 0));
    let ground = floor().with_sides(Sides::Front);
    assert_eq!(near(ground.into(), dvec3(3.0, 4.0, -2.0)), (-2.0, dvec3(3.0, 4.0, 0.0), 1));
    assert_eq!(near(Shape::disc(1.0).unwrap(), DVec3::ZERO), (0.0, DVec3::ZERO, 0));
}

/// Points that are none are refused; where there is nothing nothing is near; bodies without a shape are nothing.
#[test]
fn odd_questions_have_answers() {
    assert_eq!(nearest_body(&arrange(&[]), DVec3::ZERO), Ok(None));
    assert_eq!(contains(&arrange(&[]), DVec3::ZERO), Ok(Vec::new()));
    let bodies = arrange(&[(Shape::sphere(1.0).unwrap(), Pose::IDENTITY)]);
    for point in [DVec3::NAN, DVec3::INFINITY] {
        assert!(matches!(nearest_body(&bodies, point), Err(QueryError::NotFinite { .. })));
        assert!(matches!(contains(&bodies, point), Err(QueryError::NotFinite { .. })));
    }
    let mut builder = WorldBuilder::new();
    builder.body(Body::fixed(Pose::IDENTITY).named("nothing")).unwrap();
    let world = builder.build().unwrap();
    assert_eq!(nearest_body(&Arrangement::new(&world), DVec3::ZERO), Ok(None));
}

/// A body is found by its centre of mass: that of a cone is a quarter of its height above its base.
#[test]
fn bodies_are_placed_by_their_centres_of_mass() {
    let cone = Shape::cone(1.0, 4.0).unwrap();
    let mut builder = WorldBuilder::new();
    builder.body(Body::solid(cone, 1.0).unwrap().named("cone")).unwrap();
    let world = builder.build().unwrap();
    let mut bodies = Arrangement::new(&world);
    assert_eq!(contains(&bodies, dvec3(0.0, 0.0, 3.9)).unwrap(), [id(0)]);
    let turned = DQuat::from_rotation_x(std::f64::consts::PI);
    bodies.place(|_| Pose { position: dvec3(0.0, 0.0, 1.0), orientation: turned }).unwrap();
    // Upside down about its centre: the apex is three m below that.
    assert_eq!(contains(&bodies, dvec3(0.0, 0.0, -1.9)).unwrap(), [id(0)]);
    assert_eq!(contains(&bodies, dvec3(0.0, 0.0, 3.9)).unwrap(), []);
    let origin = bodies.shape_pose(id(0)).unwrap().position;
    assert!(origin.distance(dvec3(0.0, 0.0, 2.0)) < 1e-15, "{origin}");

    // What cannot be a place moves nothing.
    let before = nearest_body(&bodies, DVec3::X).unwrap();
    let off = Pose { position: DVec3::ZERO, orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5) };
    assert!(matches!(bodies.place(|_| off), Err(QueryError::Orientation { .. })));
    let off = Pose { position: DVec3::NAN, orientation: DQuat::IDENTITY };
    assert!(matches!(bodies.place(|_| off), Err(QueryError::NotFinite { .. })));
    assert_eq!(nearest_body(&bodies, DVec3::X).unwrap(), before);
}
