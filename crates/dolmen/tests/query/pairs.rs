//! Pairs of bodies: how far apart, which of them overlap.

use dolmen::broad_phase::Groups;
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Witness, separate};
use dolmen::query::{Arrangement, QueryError, closest_points, overlaps, overlaps_with};
use dolmen::shape::Shape;
use dolmen::world::{Body, WorldBuilder};
use proptest::prelude::*;

use super::{arrange, floor, hull, id, pose};

/// Bodies of these shapes that forces move.
fn dynamic(scene: &[(Shape, Pose)]) -> Arrangement {
    let mut builder = WorldBuilder::new();
    for (i, (shape, pose)) in scene.iter().enumerate() {
        let body = Body::solid(shape.clone(), 1.0).expect("a mass").named(format!("b{i:04}"));
        builder.body(body.at(pose.position, pose.orientation)).expect("a finite pose");
    }
    Arrangement::new(&builder.build().expect("different names"))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: dvec3(x, y, z), orientation: DQuat::IDENTITY }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The tree leaves no pair out: as many as of all pairs have a negative separation, and just as deep.
    #[test]
    fn overlaps_are_those_of_all_pairs(places in proptest::collection::vec(pose(3.0), 2..30)) {
        let shapes = [Shape::cuboid(dvec3(0.3, 0.6, 0.4)).unwrap(), hull(0.6)];
        let scene: Vec<(Shape, Pose)> =
            places.iter().enumerate().map(|(i, place)| (shapes[i % 2].clone(), *place)).collect();
        let bodies = dynamic(&scene);
        let geometries = [Geometry::new(&shapes[0]), Geometry::new(&shapes[1])];
        let depth = |i: usize, j: usize| {
            let placed = |k: usize| Placed { geometry: &geometries[k % 2], pose: bodies.shape_pose(id(k)).unwrap() };
            -separate(&placed(i), &placed(j), &mut Witness::default(), &mut Statistics::default()).unwrap().distance
        };
        let found = overlaps(&bodies).unwrap();
        let mut next = found.iter().peekable();
        for i in 0..scene.len() {
            for j in i + 1..scene.len() {
                let expected = depth(i, j);
                if let Some(pair) = next.next_if(|pair| (pair.a, pair.b) == (id(i), id(j))) {
                    prop_assert_eq!(pair.depth, expected);
                } else {
                    // Less than rounding is no overlap.
                    prop_assert!(expected < 1e-13, "{i} and {j} overlap by {expected:e} m");
                }
            }
        }
        prop_assert!(next.next().is_none(), "a pair that is none");

        // A shape in the place of a body overlaps the body, and what the body overlaps.
        let (shape, _) = &scene[0];
        let mut expected: Vec<_> = found.iter().filter(|pair| pair.a == id(0)).map(|pair| pair.b).collect();
        expected.insert(0, id(0));
        let with = overlaps_with(&bodies, shape, &bodies.shape_pose(id(0)).unwrap()).unwrap();
        prop_assert_eq!(with.iter().map(|(body, _)| *body).collect::<Vec<_>>(), expected);

        let apart = closest_points(&bodies, id(0), id(1)).unwrap();
        prop_assert_eq!(apart.distance == 0.0, depth(0, 1) >= -1e-14);
        prop_assert!((apart.points[0].distance(apart.points[1]) - apart.distance).abs() < 1e-13);
    }
}

/// Two unit cubes 3 m apart along x, and one 0.25 m into the other; touching is no overlap.
#[test]
fn boxes_are_as_far_apart_and_as_deep_as_they_are() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let of = |x: f64| dynamic(&[(cube.clone(), at(0.0, 0.0, 0.0)), (cube.clone(), at(x, 0.1, 0.0))]);
    let apart = closest_points(&of(4.0), id(0), id(1)).unwrap();
    assert_eq!((apart.distance, apart.normal), (3.0, -DVec3::X));
    assert_eq!(closest_points(&of(4.0), id(1), id(0)).unwrap().normal, DVec3::X);
    let deep = overlaps(&of(0.75)).unwrap();
    assert_eq!((deep.len(), deep[0].a, deep[0].b, deep[0].depth), (1, id(0), id(1), 0.25));
    assert_eq!(overlaps(&of(1.0)).unwrap(), []);
    assert_eq!(overlaps(&of(4.0)).unwrap(), []);
    assert_eq!(overlaps_with(&of(4.0), &cube, &at(0.75, 0.0, 0.0)).unwrap(), [(id(0), 0.25)]);
}

/// Pairs that would never collide are left out: neither is moved by forces, or their groups let them pass.
#[test]
fn overlaps_are_of_bodies_that_may_collide() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let make = |i: usize, body: Body| body.named(format!("b{i}"));
    let mut builder = WorldBuilder::new();
    let solid = || Body::solid(cube.clone(), 1.0).unwrap();
    let groups = |member, with| Groups { member, with };
    builder.body(make(0, Body::fixed(Pose::IDENTITY).with_shape(cube.clone()))).unwrap();
    builder.body(make(1, Body::fixed(Pose::IDENTITY).with_shape(floor().into()))).unwrap();
    builder.body(make(2, solid())).unwrap();
    builder.body(make(3, solid().in_groups(groups(1, 2)))).unwrap();
    builder.body(make(4, solid().in_groups(groups(2, 2)))).unwrap();
    let bodies = Arrangement::new(&builder.build().unwrap());
    let pairs: Vec<_> =
        overlaps(&bodies).unwrap().iter().map(|pair| (pair.a.index(), pair.b.index())).collect();
    // 3 meets only group 2, and 4 only group 2: not each other, since 3 is not in it.
    assert_eq!(pairs, [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4)]);
}

/// What has no answer is refused by the names of the bodies; so are bodies without a shape, and of other worlds.
#[test]
fn pairs_without_an_answer_are_refused_by_name() {
    let bodies = arrange(&[(floor().into(), Pose::IDENTITY), (floor().into(), at(0.0, 0.0, 1.0))]);
    let refused = closest_points(&bodies, id(0), id(1)).unwrap_err();
    insta::assert_snapshot!(refused, @r#"body "b0000" and body "b0001": a infinite plane and a infinite plane cannot be tested against each other: both are immobile; leave the pair out"#);
    let refused = overlaps_with(&bodies, &floor().into(), &Pose::IDENTITY).unwrap_err();
    assert!(refused.to_string().starts_with("the shape and body \"b0000\": "), "{refused}");
    assert!(matches!(
        closest_points(&bodies, id(0), id(7)),
        Err(QueryError::Stranger { index: 7, count: 2 })
    ));
    let mut builder = WorldBuilder::new();
    builder.body(Body::fixed(Pose::IDENTITY).named("ghost")).unwrap();
    let ghost = Arrangement::new(&builder.build().unwrap());
    insta::assert_snapshot!(closest_points(&ghost, id(0), id(0)).unwrap_err(), @r#"body "ghost" has no shape; ask about one that has"#);
    let bad = Shape::Sphere { radius: -1.0 };
    assert!(matches!(overlaps_with(&bodies, &bad, &Pose::IDENTITY), Err(QueryError::Shape(_))));
    let off = Pose { position: DVec3::NAN, orientation: DQuat::IDENTITY };
    assert!(matches!(overlaps_with(&bodies, &hull(1.0), &off), Err(QueryError::NotFinite { .. })));
}
