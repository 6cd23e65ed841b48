//! Where round shapes touch: named examples of lying, upright and rolling.

use super::round::Thing;
use dolmen::math::real::{FRAC_PI_2, sin_cos};
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::narrow_phase::{
    Contact, ContactId, Feature, Feature::*, Manifold, Statistics, Witness, contacts, separate,
};
use dolmen::shape::{Plane, Shape, Sides};

fn touching(a: &Thing, b: &Thing) -> Vec<Contact> {
    let mut manifold = Manifold::default();
    contacts(&a.placed(), &b.placed(), &mut Witness::Unknown, &mut Statistics::default(), &mut manifold)
        .unwrap();
    manifold.contacts().to_vec()
}

fn at(shape: Shape, x: f64, y: f64, z: f64) -> Thing {
    Thing::new(shape, dvec3(x, y, z), DQuat::IDENTITY)
}

/// With the axis z of the shape along x.
fn lying(shape: Shape, x: f64, y: f64, z: f64) -> Thing {
    Thing::new(shape, dvec3(x, y, z), DQuat::from_rotation_y(FRAC_PI_2))
}

fn floor() -> Thing {
    at(Plane::new(DVec3::Z, 0.0).unwrap().into(), 0.0, 0.0, 0.0)
}

/// A box with its top at z = 0.
fn block(x: f64, y: f64) -> Thing {
    at(Shape::cuboid(dvec3(x, y, 0.5)).unwrap(), 0.0, 0.0, -0.5)
}

/// The top of the block as a face.
const TOP: Feature = Face(4);

fn ids(found: &[Contact]) -> Vec<(Feature, Feature)> {
    found.iter().map(|c| (c.id.a, c.id.b)).collect()
}

/// Points in the plane z = 0, along its normal, without a gap.
fn assert_on_floor(found: &[Contact]) {
    for contact in found {
        assert!((contact.normal - DVec3::Z).length() < 1e-14, "{contact:?}");
        assert!(contact.separation.abs() < 1e-14 && contact.point.z.abs() < 1e-14, "{contact:?}");
    }
}

fn assert_points(found: &[Contact], expected: &[[f64; 2]]) {
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (contact, [x, y]) in found.iter().zip(expected) {
        assert!((contact.point - dvec3(*x, *y, 0.0)).length() < 1e-14, "{} but {x}, {y}", contact.point);
    }
}

/// A ball has one contact, wherever it lies: under its centre.
#[test]
fn a_ball_touches_in_a_point() {
    for floor in [floor(), block(2.0, 2.0)] {
        let found = touching(&at(Shape::sphere(0.3).unwrap(), 0.2, 0.1, 0.3), &floor);
        assert_on_floor(&found);
        assert_points(&found, &[[0.2, 0.1]]);
    }
    let other = at(Shape::sphere(0.3).unwrap(), 0.0, 0.0, -0.3);
    let found = touching(&at(Shape::sphere(0.3).unwrap(), 0.0, 0.0, 0.3), &other);
    assert_eq!(ids(&found), [(Surface(0), Surface(0))]);
    assert_on_floor(&found);
}

/// Lying capsules and cylinders touch along a segment: its ends, cut off at the border of what they lie on.
#[test]
fn lying_capsules_and_cylinders_have_two_contacts() {
    let capsule = || Shape::capsule(0.25, 1.0).unwrap();
    let cylinder = || Shape::cylinder(0.25, 1.0).unwrap();
    let found = touching(&lying(capsule(), 0.5, 0.0, 0.25), &floor());
    assert_eq!(ids(&found), [(Surface(1), Face(0)), (Surface(2), Face(0))]);
    assert_on_floor(&found);
    assert_points(&found, &[[-0.5, 0.0], [1.5, 0.0]]);
    let found = touching(&lying(cylinder(), 0.5, 0.0, 0.25), &block(1.0, 1.0));
    assert_eq!(ids(&found), [(Rim(0), TOP), (Surface(0), Edge(10))]);
    assert_on_floor(&found);
    assert_points(&found, &[[-0.5, 0.0], [1.0, 0.0]]);
    let table =
        at(Plane::new(DVec3::Z, 0.0).unwrap().circular(DVec3::ZERO, 1.0).unwrap().into(), 0.0, 0.0, 0.0);
    let found = touching(&lying(cylinder(), 0.5, 0.6, 0.25), &table);
    assert_eq!(ids(&found), [(Rim(0), Face(0)), (Surface(0), Rim(20))]);
    assert_on_floor(&found);
    assert_points(&found, &[[-0.5, 0.6], [0.8, 0.6]]);
}

/// Two parallel ones on each other: the ends of what they have in common.
#[test]
fn parallel_cylinders_touch_along_their_common_part() {
    let cylinder = || Shape::cylinder(0.25, 1.0).unwrap();
    let found = touching(
        &lying(cylinder(), 0.5, 0.0, 0.25),
        &lying(Shape::capsule(0.5, 1.0).unwrap(), 0.0, 0.0, -0.5),
    );
    assert_eq!(ids(&found), [(Rim(0), Surface(0)), (Surface(0), Surface(2))]);
    assert_on_floor(&found);
    assert_points(&found, &[[-0.5, 0.0], [1.0, 0.0]]);
    // Crossed they touch in a point; end to end along a segment no more.
    let crossed = Thing::new(cylinder(), dvec3(0.0, 0.0, 0.25), DQuat::from_rotation_x(FRAC_PI_2));
    let found = touching(&crossed, &lying(cylinder(), 0.0, 0.0, -0.25));
    assert_eq!(ids(&found), [(Surface(0), Surface(0))]);
    assert_on_floor(&found);
}

/// A cone on its side touches along a generator, from apex to rim; on its base all around; on its tip in a point.
#[test]
fn cones_lie_stand_and_balance() {
    let cone = || Shape::cone(3.0, 4.0).unwrap();
    // The generator from (0, 0, 4) to (3, 0, 0) laid along x: its outward normal (4, 0, 3)/5 turned down.
    let down = DQuat::from_rotation_arc(dvec3(0.8, 0.0, 0.6), -DVec3::Z);
    let apex = down * dvec3(0.0, 0.0, 4.0);
    let found = touching(&Thing::new(cone(), -apex, down), &floor());
    assert_eq!(ids(&found), [(Vertex(0), Face(0)), (Rim(0), Face(0))]);
    for contact in &found {
        assert!(contact.separation.abs() < 1e-14 && contact.normal == DVec3::Z, "{contact:?}");
    }
    assert!((found[0].point.distance(found[1].point) - 5.0).abs() < 1e-14, "{found:?}");
    let found = touching(&at(cone(), 0.0, 0.0, 0.0), &floor());
    assert_eq!(found.len(), 8);
    assert_on_floor(&found);
    let tip = Thing::new(cone(), dvec3(0.0, 0.0, 4.0), DQuat::from_rotation_x(2.0 * FRAC_PI_2));
    let found = touching(&tip, &block(1.0, 1.0));
    assert_eq!(found.len(), 1);
    assert_on_floor(&found);
}

/// An upright cylinder has the eight fixed points of its rim, wherever it is turned; their ids stay with them.
#[test]
fn standing_cylinders_have_fixed_points() {
    for angle in [0.0, 0.1, 0.7, 2.0] {
        let turn = DQuat::from_rotation_z(angle);
        let a = Thing::new(Shape::cylinder(0.5, 1.0).unwrap(), dvec3(0.0, 0.0, 1.0), turn);
        for floor in [floor(), block(2.0, 2.0), at(Shape::disc(3.0).unwrap(), 0.0, 0.0, 0.0)] {
            let found = touching(&a, &floor);
            assert_eq!(found.len(), 8);
            assert_on_floor(&found);
            for (k, contact) in found.iter().enumerate() {
                assert_eq!(contact.id.a, Rim(2 + 2 * k as u32));
                let (s, c) = sin_cos(angle + k as f64 * 0.5 * FRAC_PI_2);
                assert!((contact.point - dvec3(0.5 * c, 0.5 * s, 0.0)).length() < 1e-14, "{contact:?}");
            }
        }
    }
}

/// Half over the border: fixed points on this side, and the crossings of rim and edge; within a large circle the corners.
#[test]
fn flat_faces_that_overlap_in_part() {
    let cylinder = Shape::cylinder(0.5, 1.0).unwrap();
    let found = touching(&at(cylinder.clone(), 1.0, 0.0, 1.0), &block(1.0, 1.0));
    assert_on_floor(&found);
    // The points at 90° and 270° are on the edge x = 1 itself: they are the crossings.
    let left: Vec<_> = found.iter().map(|c| c.point.x).collect();
    assert!(left.iter().all(|x| *x <= 1.0 + 1e-14) && found.len() == 5, "{found:#?}");
    let found = touching(&at(cylinder, 0.8, 0.0, 1.0), &block(1.0, 1.0));
    assert!(
        ids(&found).contains(&(Rim(18), Edge(10))) && ids(&found).contains(&(Rim(20), Edge(10))),
        "{found:#?}"
    );
    assert_on_floor(&found);
    let found = touching(&at(Shape::cylinder(2.0, 1.0).unwrap(), 0.0, 0.0, 1.0), &block(0.5, 0.7));
    assert_eq!(ids(&found), [4, 5, 6, 7].map(|v| (Face(0), Vertex(v))));
    assert_on_floor(&found);
    let found = touching(
        &at(Shape::disc(1.0).unwrap(), 1.0, 0.0, 0.0),
        &at(Shape::disc(1.0).unwrap(), 0.0, 0.0, 0.0),
    );
    let crossings = found.iter().filter(|c| matches!(c.id, ContactId { a: Rim(18 | 20), b: Rim(18 | 20) }));
    assert_eq!(crossings.count(), 2, "{found:#?}");
    assert!(found.iter().all(|c| c.separation.abs() < 1e-14));
}

/// A disc rolling on its rim touches in a point under its centre, rim on rim too.
#[test]
fn a_disc_on_its_edge_touches_in_a_point() {
    let disc = || Shape::disc(0.5).unwrap();
    let found = touching(&lying(disc(), 0.3, 0.0, 0.5), &floor());
    assert_eq!(ids(&found), [(Rim(0), Face(0))]);
    assert_on_floor(&found);
    assert_points(&found, &[[0.3, 0.0]]);
    let other = Thing::new(disc(), dvec3(0.0, 0.0, -0.5), DQuat::from_rotation_x(FRAC_PI_2));
    let found = touching(&lying(disc(), 0.0, 0.0, 0.5), &other);
    assert_eq!(ids(&found), [(Rim(0), Rim(0))]);
    assert!(found[0].separation.abs() < 1e-14 && found[0].point.length() < 1e-14, "{found:?}");
}

/// With the roles exchanged the same contacts, their normals turned around.
#[test]
fn exchanged_pairs_have_exchanged_contacts() {
    let stand = at(Shape::cylinder(0.5, 1.0).unwrap(), 0.9, 0.3, 1.0);
    let lie = lying(Shape::capsule(0.25, 1.0).unwrap(), 0.5, 0.0, 0.25);
    for a in [stand, lie] {
        for b in [floor(), block(1.0, 1.0), at(Shape::disc(0.8).unwrap(), 0.0, 0.0, 0.0)] {
            let (here, there) = (touching(&a, &b), touching(&b, &a));
            assert_eq!(here.len(), there.len(), "{here:#?} {there:#?}");
            for contact in &here {
                let id = ContactId { a: contact.id.b, b: contact.id.a };
                let other = there.iter().find(|c| c.id == id).expect("the same contact");
                assert!((other.point - contact.point).length() < 1e-14);
                assert!((other.normal + contact.normal).length() < 1e-14);
            }
        }
    }
}

/// A finite plane that is touched from its front lets pass round shapes from behind, and supports them once they have passed.
#[test]
fn one_sided_planes_let_pass_from_behind() {
    let plane = Plane::new(DVec3::Z, 0.0).unwrap().with_sides(Sides::Front);
    let circle: Shape = plane.circular(DVec3::ZERO, 4.0).unwrap().into();
    let square: Shape = plane.square(DVec3::ZERO, 4.0, DVec3::X).unwrap().into();
    let ball = Shape::sphere(0.5).unwrap();
    let block = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let pin = Shape::cylinder(0.2, 0.5).unwrap();
    for (plane, shape) in
        [(&circle, &ball), (&square, &ball), (&circle, &block), (&circle, &pin), (&square, &pin)]
    {
        let plane = at(plane.clone(), 0.0, 0.0, 0.0);
        let (mut witness, mut back, mut statistics) =
            (Witness::Unknown, Witness::Unknown, Statistics::default());
        for z in [-2.0, -0.6, -0.4, 0.0, 0.2, 0.45] {
            let a = at(shape.clone(), 0.0, 0.0, z);
            let mut look = |a: &Thing, b: &Thing, witness: &mut Witness| {
                separate(&a.placed(), &b.placed(), witness, &mut statistics).unwrap().distance
            };
            assert_eq!(look(&a, &plane, &mut witness), f64::INFINITY, "{shape:?} at {z}");
            assert_eq!(look(&plane, &a, &mut back), f64::INFINITY, "{shape:?} at {z}");
        }
        for z in [0.6, 1.0, 0.4, -0.1] {
            let a = at(shape.clone(), 0.0, 0.0, z);
            let found = separate(&a.placed(), &plane.placed(), &mut witness, &mut statistics).unwrap();
            assert!(
                (found.distance - (z - 0.5)).abs() < 1e-14 && found.normal == DVec3::Z,
                "{found:?} at {z}"
            );
            let other = separate(&plane.placed(), &a.placed(), &mut back, &mut statistics).unwrap();
            assert!(
                (other.distance - (z - 0.5)).abs() < 1e-14 && other.normal == -DVec3::Z,
                "{other:?} at {z}"
            );
        }
    }
}

/// The area of the polygon of contact points, seen along z.
fn area(found: &[Contact]) -> f64 {
    let middle = found.iter().fold(DVec3::ZERO, |sum, c| sum + c.point / found.len() as f64);
    let mut arms: Vec<DVec3> = found.iter().map(|c| c.point - middle).collect();
    arms.sort_by(|p, q| dolmen::math::real::atan2(p.y, p.x).total_cmp(&dolmen::math::real::atan2(q.y, q.x)));
    (0..arms.len()).map(|k| 0.5 * arms[k].cross(arms[(k + 1) % arms.len()]).z).sum()
}

/// A cylinder that hangs over the rim of a block keeps the piece of its cap that is on it, however small: contacts lie on the
/// border of the true region.
///
/// The piece of a disc of radius 1 beyond a line at distance h is ½(θ − sin θ) with cos θ/2 = h. Chords of an arc of angle φ
/// leave out ½(φ − sin φ): a quarter of a short arc with its middle, and 0.27 of a quarter turn in arcs of up to π/4.
#[test]
fn a_cap_that_hangs_over_a_rim_keeps_its_region() {
    for turn in [0.0, 0.1, 0.2, 0.35, 0.39] {
        for h in [-0.999, -0.9, -0.5, 0.0, 0.3, 0.7, 0.9, 0.95, 0.99, 0.9999] {
            // The block ends at x = 2, the axis is h beyond that.
            let cylinder = Thing::new(
                Shape::cylinder(1.0, 0.5).unwrap(),
                dvec3(2.0 + h, 0.1, 0.5),
                DQuat::from_rotation_z(turn),
            );
            let found = touching(&cylinder, &block(2.0, 3.0));
            assert_on_floor(&found);
            let half = dolmen::math::real::acos(h);
            let expected = half - dolmen::math::real::sin(2.0 * half) * 0.5;
            for contact in &found {
                let arm = contact.point - dvec3(2.0 + h, 0.1, 0.0);
                let on_border = (arm.length() - 1.0).abs() < 1e-13 || (arm.x + h).abs() < 1e-13;
                assert!(on_border && arm.length() < 1.0 + 1e-13 && arm.x < -h + 1e-13, "{h}: {contact:?}");
            }
            let ends = found.iter().filter(|c| (c.point.x - 2.0).abs() < 1e-13).count();
            assert_eq!(ends, 2, "the chord of the rim at {h}, turn {turn}: {found:#?}");
            let left_out = expected - area(&found);
            assert!(
                left_out > -1e-13 && left_out <= 0.3 * expected,
                "at {h}, turn {turn}: area {} of {expected}",
                area(&found)
            );
        }
    }
}

/// Two discs whose rims cross in a narrow lens have the two crossings and a point of each arc between them.
#[test]
fn a_lens_of_two_caps_has_an_inside() {
    for (apart, turn) in [(1.99, 0.3), (1.9, 0.39), (1.5, 0.2), (1.999, 0.1)] {
        let lower = at(Shape::cylinder(1.0, 0.5).unwrap(), 0.0, 0.0, -0.5);
        let upper = Thing::new(
            Shape::cylinder(1.0, 0.5).unwrap(),
            dvec3(apart * 0.6, apart * 0.8, 0.5),
            DQuat::from_rotation_z(turn),
        );
        let found = touching(&upper, &lower);
        assert_on_floor(&found);
        let half = dolmen::math::real::acos(0.5 * apart);
        let expected = 2.0 * (half - dolmen::math::real::sin(2.0 * half) * 0.5);
        let found_area = area(&found);
        assert!(
            found_area <= expected + 1e-13 && found_area >= 0.7 * expected,
            "at {apart}: area {found_area} of {expected}, {found:#?}"
        );
    }
}
