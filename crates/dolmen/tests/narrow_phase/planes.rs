//! Immobile planes: infinite, square, one- and two-sided. [INTRO]

use super::common::{Random, at, cuboid};
use dolmen::mass::{MassError, of_shape};
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::narrow_phase::{
    ClosestHint, ContactKind, Feature, Geometry, Manifold, Statistics, Witness, closest, contacts, separate,
};
use dolmen::shape::{Plane, PlaneError, Shape, Sides};

fn floor() -> Plane {
    Plane::new(dvec3(0.0, 0.0, 2.0), -6.0).unwrap()
}

/// A x + B y + C z + D = 0 with a normal of any length: the same plane, up to rounding.
#[test]
fn the_length_of_the_normal_does_not_matter() {
    for length in [1e-200, 1e-3, 1.0, 7.0, 1e200] {
        let plane = Plane::new(dvec3(3.0, 0.0, 4.0) * length, -10.0 * length).unwrap();
        assert!((plane.normal() - dvec3(0.6, 0.0, 0.8)).length() < 1e-15);
        assert!((plane.offset() - 2.0).abs() < 1e-15);
    }
}

/// What is no plane is refused by name.
#[test]
fn impossible_planes_are_refused() {
    let plane = floor();
    assert!(matches!(Plane::new(DVec3::ZERO, 1.0), Err(PlaneError::Normal { .. })));
    assert!(matches!(Plane::new(dvec3(f64::NAN, 0.0, 1.0), 1.0), Err(PlaneError::Normal { .. })));
    assert!(matches!(Plane::new(DVec3::X, f64::INFINITY), Err(PlaneError::Offset { .. })));
    assert!(matches!(Plane::new(DVec3::X * 1e-300, 1e300), Err(PlaneError::Offset { .. })));
    assert!(matches!(plane.circular(DVec3::ZERO, 0.0), Err(PlaneError::Length { .. })));
    assert!(matches!(plane.circular(DVec3::NAN, 1.0), Err(PlaneError::Centre { .. })));
    assert!(matches!(plane.square(DVec3::ZERO, 1.0, DVec3::Z), Err(PlaneError::Direction { .. })));
    assert!(matches!(plane.square(DVec3::ZERO, -1.0, DVec3::X), Err(PlaneError::Length { .. })));
    let error = plane.square(DVec3::ZERO, 1.0, DVec3::ZERO).unwrap_err();
    insta::assert_snapshot!(error, @"the square has the direction (0.0, 0.0, 0.0); it must be finite, and not along the normal: give a vector in the plane");
}

/// Bounds: infinite but for its normal; the finite ones by their corners and circle.
#[test]
fn planes_have_bounds_and_no_mass() {
    let infinite = Shape::from(floor());
    let bounds = infinite.aabb();
    assert_eq!((bounds.min.z, bounds.max.z), (3.0, 3.0));
    assert_eq!((bounds.min.x, bounds.max.y), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(Shape::from(floor().with_sides(Sides::Front)).aabb().min.z, f64::NEG_INFINITY);
    assert_eq!(infinite.bounding_radius(DVec3::ZERO), f64::INFINITY);

    let circle = Shape::from(floor().circular(dvec3(1.0, 0.0, 9.0), 2.0).unwrap());
    assert_eq!((circle.aabb().min, circle.aabb().max), (dvec3(-1.0, -2.0, 3.0), dvec3(3.0, 2.0, 3.0)));
    assert!((circle.bounding_radius(dvec3(1.0, 3.0, 3.0)) - 5.0).abs() < 1e-15);
    let square = Shape::from(floor().square(DVec3::ZERO, 2.0, dvec3(1.0, 1.0, 5.0)).unwrap());
    let reach = 2.0 * 2.0_f64.sqrt();
    assert!((square.aabb().max - dvec3(reach, reach, 3.0)).length() < 1e-14);
    assert!((square.bounding_radius(dvec3(0.0, 0.0, 3.0)) - reach).abs() < 1e-14);
    for shape in [infinite, circle, square] {
        assert_eq!(of_shape(&shape, 1.0).unwrap_err(), MassError::Plane);
    }
}

/// A box over a floor: the height of its lowest corner, from either side of a two-sided plane.
#[test]
fn boxes_over_infinite_planes_have_the_height_of_their_lowest_corner() {
    let mut random = Random::new(1);
    let cube = cuboid(0.3, 0.4, 0.5);
    let (both, front) =
        (Geometry::new(&floor().into()), Geometry::new(&floor().with_sides(Sides::Front).into()));
    for _ in 0..200 {
        let (turn, place, tilt) = (random.turn(), 6.0 * random.vector(), random.turn());
        let a = at(&cube, place, turn);
        let heights = super::common::Solid::new(&a)
            .vertices
            .iter()
            .map(|x| (tilt.inverse() * *x).z - 3.0)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        for (plane, expected) in [(&front, heights.0), (&both, heights.0.max(-heights.1))] {
            let plane = at(plane, DVec3::ZERO, tilt);
            let found = separate(&a, &plane, &mut Witness::Unknown, &mut Statistics::default()).unwrap();
            assert!((found.distance - expected).abs() < 1e-14, "{found:?} {expected}");
            let other = separate(&plane, &a, &mut Witness::Unknown, &mut Statistics::default()).unwrap();
            assert_eq!((other.distance, other.normal), (found.distance, -found.normal));
            let near = closest(&a, &plane, &mut ClosestHint::default()).unwrap();
            assert!((near.distance - expected.max(0.0)).abs() < 1e-14, "{near:?} {expected}");
        }
    }
}

/// A cube on a floor rests on its four lower corners; on an edge on two, on a corner on one.
#[test]
fn a_cube_on_a_floor_has_vertex_face_contacts() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let plane = Geometry::new(&floor().into());
    let eighth = std::f64::consts::FRAC_PI_4;
    let on_corner = DQuat::from_rotation_arc(dvec3(1.0, 1.0, 1.0).normalize(), DVec3::Z);
    for (turn, height, count) in [
        (DQuat::IDENTITY, 0.5, 4),
        (DQuat::from_rotation_x(eighth), 0.5_f64.sqrt(), 2),
        (on_corner, 0.75_f64.sqrt(), 1),
    ] {
        let a = at(&cube, dvec3(0.0, 0.0, 3.0 + height), turn);
        let mut manifold = Manifold::default();
        let b = at(&plane, DVec3::ZERO, DQuat::IDENTITY);
        contacts(&a, &b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
        assert_eq!(manifold.contacts().len(), count);
        for contact in manifold.contacts() {
            assert_eq!((contact.kind(), contact.id.b), (ContactKind::VertexFace, Feature::Face(0)));
            assert_eq!(contact.normal, DVec3::Z);
            assert!(contact.separation.abs() < 1e-15 && (contact.point.z - 3.0).abs() < 1e-15);
        }
        contacts(&b, &a, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
        assert!(manifold.contacts().iter().all(|c| c.normal == -DVec3::Z && c.id.a == Feature::Face(0)));
    }
}

/// A square plane ends: beside it a box falls past, on its rim it hangs over, and under it it is stopped from below.
#[test]
fn square_planes_have_edges() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let table = Geometry::new(&floor().square(DVec3::ZERO, 1.0, DVec3::X).unwrap().into());
    let table = at(&table, DVec3::ZERO, DQuat::IDENTITY);
    let find = |x: f64, z: f64| {
        let a = at(&cube, dvec3(x, 0.2, z), DQuat::IDENTITY);
        separate(&a, &table, &mut Witness::Unknown, &mut Statistics::default()).unwrap()
    };
    assert_eq!(find(0.0, 3.75).distance, 0.25);
    assert_eq!(find(0.0, 2.25).distance, 0.25);
    assert_eq!(find(0.0, 2.25).normal, -DVec3::Z);
    assert_eq!(find(1.75, 3.0).distance, 0.25);
    assert!(find(0.0, 3.25).distance + 0.25 < 1e-15);

    let mut manifold = Manifold::default();
    let a = at(&cube, dvec3(0.75, 0.2, 3.5), DQuat::IDENTITY);
    contacts(&a, &table, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
    let count = |kind| manifold.contacts().iter().filter(|c| c.kind() == kind).count();
    assert_eq!(
        (count(ContactKind::VertexFace), count(ContactKind::EdgeEdge)),
        (2, 2),
        "{:?}",
        manifold.contacts()
    );
    assert!(manifold.contacts().iter().all(|c| (c.normal - DVec3::Z).length() < 1e-15));
}

/// A square that is touched from its front lets pass what comes from behind, and supports it once it has passed.
#[test]
fn one_sided_squares_let_pass_from_behind() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let table = floor().square(DVec3::ZERO, 4.0, DVec3::X).unwrap().with_sides(Sides::Front);
    let table = Geometry::new(&table.into());
    let table = at(&table, DVec3::ZERO, DQuat::IDENTITY);
    let (mut witness, mut back, mut statistics) = (Witness::Unknown, Witness::Unknown, Statistics::default());
    for z in [1.0, 2.4, 2.6, 3.0, 3.2, 3.45] {
        let a = at(&cube, dvec3(0.0, 0.0, z), DQuat::IDENTITY);
        assert_eq!(separate(&a, &table, &mut witness, &mut statistics).unwrap().distance, f64::INFINITY);
        assert_eq!(separate(&table, &a, &mut back, &mut statistics).unwrap().distance, f64::INFINITY);
    }
    for z in [3.6, 4.0, 3.4, 2.9] {
        let a = at(&cube, dvec3(0.0, 0.0, z), DQuat::IDENTITY);
        let found = separate(&a, &table, &mut witness, &mut statistics).unwrap();
        assert!((found.distance - (z - 3.5)).abs() < 1e-15 && found.normal == DVec3::Z, "{found:?} at {z}");
        let other = separate(&table, &a, &mut back, &mut statistics).unwrap();
        assert!((other.distance - (z - 3.5)).abs() < 1e-15 && other.normal == -DVec3::Z, "{other:?} at {z}");
    }
}
