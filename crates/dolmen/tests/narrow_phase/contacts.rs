//! Contact regions of polyhedra.

use super::common::{Random, at, cuboid};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    Contact, ContactId, ContactKind, Feature, Geometry, Manifold, NormalRule, Placed, Statistics, Witness,
    contacts,
};
use dolmen::shape::Hull;
use proptest::prelude::*;
use std::f64::consts::FRAC_PI_4;

fn find(a: &Placed, b: &Placed) -> Vec<Contact> {
    let mut manifold = Manifold::default();
    contacts(a, b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
    manifold.contacts().to_vec()
}

fn count(contacts: &[Contact], kind: ContactKind) -> usize {
    contacts.iter().filter(|c| c.kind() == kind).count()
}

/// The corners of the intersection of two convex polygons in a plane, by half-planes on a list of points, by hand.
fn intersection(polygon: &[(f64, f64)], other: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut points = polygon.to_vec();
    for k in 0..other.len() {
        let ((px, py), (qx, qy)) = (other[k], other[(k + 1) % other.len()]);
        let side = |(x, y): (f64, f64)| (qx - px) * (y - py) - (qy - py) * (x - px);
        let mut kept = Vec::new();
        for i in 0..points.len() {
            let (u, v) = (points[i], points[(i + 1) % points.len()]);
            let (s, t) = (side(u), side(v));
            if s >= 0.0 {
                kept.push(u);
            }
            if s * t < 0.0 {
                let w = s / (s - t);
                kept.push((u.0 + w * (v.0 - u.0), u.1 + w * (v.1 - u.1)));
            }
        }
        points = kept;
    }
    points
}

fn rectangle(x: f64, y: f64, angle: f64, half: (f64, f64)) -> Vec<(f64, f64)> {
    let turn = DQuat::from_rotation_z(angle);
    [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
        .iter()
        .map(|(sx, sy)| {
            let p = turn * dvec3(sx * half.0, sy * half.1, 0.0);
            (x + p.x, y + p.y)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A box on a box, shifted and turned in any way: the contacts are the corners of the common polygon.
    #[test]
    fn a_box_on_a_box_touches_in_the_common_polygon(
        (x, y) in (-1.4_f64..1.4, -1.4_f64..1.4), angle in 0.0..1.5_f64, tilt_seed in 0_u64..u64::MAX,
    ) {
        let (lower, upper) = (cuboid(1.0, 0.8, 0.5), cuboid(0.6, 0.7, 0.3));
        let expected = intersection(
            &rectangle(x, y, angle, (0.6, 0.7)),
            &rectangle(0.0, 0.0, 0.0, (1.0, 0.8)),
        );
        // The whole stack in any attitude.
        let mut random = Random::new(tilt_seed);
        let (tilt, shift) = (random.turn(), random.vector());
        let place = |p: DVec3| shift + tilt * p;
        let a = at(&upper, place(dvec3(x, y, 0.8)), tilt * DQuat::from_rotation_z(angle));
        let b = at(&lower, place(DVec3::ZERO), tilt);
        for (found, sense) in [(find(&a, &b), 1.0), (find(&b, &a), -1.0)] {
            // A sliver of the polygon may be dropped; random positions have none.
            prop_assert_eq!(found.len(), expected.len(), "{:?} for {:?}", found, expected);
            for contact in &found {
                prop_assert!((sense * contact.normal - tilt * DVec3::Z).length() < 1e-6, "{contact:?}");
                prop_assert!(contact.separation.abs() < 1e-14, "{contact:?}");
                let p = tilt.inverse() * (contact.point - shift);
                let near = expected.iter().any(|(x, y)| (p - dvec3(*x, *y, 0.5)).length() < 1e-9);
                prop_assert!(near, "{p} is no corner of {expected:?}");
            }
            prop_assert!(found.is_sorted_by_key(|c| c.id));
        }
    }

    /// A small motion of a stack changes no id, and exchanging the boxes exchanges the features.
    #[test]
    fn ids_are_stable(x in 0.1..0.5_f64, y in 0.1..0.5_f64, seed in 0_u64..u64::MAX) {
        let (lower, upper) = (cuboid(1.0, 0.8, 0.5), cuboid(0.7, 0.75, 0.3));
        let mut random = Random::new(seed);
        let b = at(&lower, DVec3::ZERO, DQuat::IDENTITY);
        let (mut witness, mut manifold) = (Witness::Unknown, Manifold::default());
        let mut ids: Option<Vec<ContactId>> = None;
        for _ in 0..20 {
            let shake = 1e-11 * random.vector();
            let turn = DQuat::from_scaled_axis(1e-11 * random.vector()) * DQuat::from_rotation_z(0.01);
            let a = at(&upper, dvec3(x, y, 0.8) + shake, turn);
            contacts(&a, &b, &mut witness, &mut Statistics::default(), &mut manifold).unwrap();
            let now: Vec<ContactId> = manifold.contacts().iter().map(|c| c.id).collect();
            let mut there: Vec<ContactId> =
                find(&b, &a).iter().map(|c| ContactId { a: c.id.b, b: c.id.a }).collect();
            there.sort_unstable();
            prop_assert_eq!(&now, &there);
            prop_assert_eq!(ids.get_or_insert_with(|| now.clone()), &now);
        }
    }

    /// Any two shapes in any place: no panic, no NaN, unit normals; every contact is near both shapes' surfaces.
    #[test]
    fn random_contacts_are_sound(seed in 0_u64..u64::MAX) {
        let mut random = Random::new(seed);
        let (a, b) = (random.geometry(), random.geometry());
        let reach = random.between(0.0, 2.0);
        let a = Placed { geometry: &a, pose: Pose { position: reach * random.direction(), orientation: random.turn() } };
        let b = at(&b, DVec3::ZERO, random.turn());
        for contact in find(&a, &b) {
            let (value, normal) = (contact.function.value(&a.pose, &b.pose), contact.function.normal(&a.pose, &b.pose));
            prop_assert!((value - contact.separation).abs() < 1e-13, "{contact:?} has the value {value}");
            prop_assert!((normal - contact.normal).length() < 1e-12, "{contact:?} has the normal {normal}");
            prop_assert!((contact.normal.length() - 1.0).abs() < 1e-12, "{contact:?}");
            prop_assert!(contact.point.is_finite() && contact.separation <= 1e-9, "{contact:?}");
        }
    }

    /// Lowered along any direction until they touch, random polyhedra have one contact, vertex–face or edge–edge, whose
    /// function vanishes there.
    #[test]
    fn random_polyhedra_touch_in_one_point(seed in 0_u64..u64::MAX) {
        let mut random = Random::new(seed);
        let (a, b) = (random.geometry(), random.geometry());
        let (turn_a, turn_b, direction) = (random.turn(), random.turn(), random.direction());
        let b = at(&b, DVec3::ZERO, turn_b);
        let (mut low, mut high) = (0.0, 5.0);
        // Bisection along a line through the other; the last step touches to 1e-15.
        let apart = |t: f64| {
            let mut witness = Witness::Unknown;
            let a = at(&a, t * direction, turn_a);
            dolmen::narrow_phase::separate(&a, &b, &mut witness, &mut Statistics::default()).unwrap().distance > 0.0
        };
        prop_assume!(!apart(low));
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if apart(middle) { high = middle } else { low = middle }
        }
        let found = find(&at(&a, high * direction, turn_a), &b);
        prop_assert_eq!(found.len(), 1, "{:?}", found);
        let kind = found[0].kind();
        prop_assert!(matches!(kind, ContactKind::VertexFace | ContactKind::EdgeEdge), "{found:?}");
        prop_assert!(found[0].separation.abs() < 1e-13, "{found:?}");
    }
}

/// A cube hanging over a table's edge: two vertices on the table, and two edges that cross its edge. [NOTES]
#[test]
fn a_cube_over_a_tables_edge_has_two_contacts_of_each_kind() {
    let (table, cube) = (cuboid(2.0, 2.0, 0.5), cuboid(0.5, 0.5, 0.5));
    let table = at(&table, DVec3::ZERO, DQuat::IDENTITY);
    for x in [1.6, 2.0, 2.4] {
        let cube = at(&cube, dvec3(x, 0.3, 1.0), DQuat::IDENTITY);
        for found in [find(&cube, &table), find(&table, &cube)] {
            assert_eq!(count(&found, ContactKind::VertexFace), 2, "{found:?}");
            assert_eq!(count(&found, ContactKind::EdgeEdge), 2, "{found:?}");
            assert!(found.iter().all(|c| c.separation == 0.0 && c.normal.z.abs() == 1.0), "{found:?}");
            let at_edge = |c: &&Contact| (c.point.x - 2.0).abs() < 1e-15;
            assert_eq!(found.iter().filter(at_edge).count(), 2, "{found:?}");
        }
    }
}

/// Equal cubes exactly one on the other touch in four contacts with the normal of the faces, not in corners.
#[test]
fn equal_cubes_stacked_touch_in_their_faces() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let below = at(&cube, DVec3::ZERO, DQuat::IDENTITY);
    for depth in [0.0, 1e-10, -1e-10, 0.1] {
        let above = at(&cube, dvec3(0.0, 0.0, 1.0 - depth), DQuat::IDENTITY);
        let found = find(&above, &below);
        assert_eq!((found.len(), count(&found, ContactKind::VertexFace)), (4, 4), "{found:?}");
        assert!(
            found.iter().all(|c| c.normal == DVec3::Z && (c.separation + depth).abs() < 1e-15),
            "{found:?}"
        );
    }
    assert!(find(&at(&cube, dvec3(0.0, 0.0, 1.0 + 2e-9), DQuat::IDENTITY), &below).is_empty());
}

/// An edge of a cube on the middle of a table: two vertices on a face; over its rim a vertex and an edge crossing.
#[test]
fn an_edge_on_a_face_touches_in_a_segment() {
    let (table, cube) = (cuboid(2.0, 2.0, 0.5), cuboid(0.5, 0.5, 0.5));
    let table = at(&table, DVec3::ZERO, DQuat::IDENTITY);
    let height = 0.5 + 0.5_f64.sqrt();
    let turn = DQuat::from_rotation_y(FRAC_PI_4);
    let found = find(&at(&cube, dvec3(0.0, 0.0, height), turn), &table);
    assert_eq!((found.len(), count(&found, ContactKind::VertexFace)), (2, 2), "{found:?}");
    let found = find(&at(&cube, dvec3(0.0, 1.8, height), turn), &table);
    assert_eq!(count(&found, ContactKind::VertexFace), 1, "{found:?}");
    assert_eq!(count(&found, ContactKind::EdgeEdge), 1, "{found:?}");
    assert!(found.iter().all(|c| (c.normal - DVec3::Z).length() < 1e-12), "{found:?}");
}

/// Corner to corner and corner to edge: the local plane is that between the mean normals.
#[test]
fn corners_meet_in_a_local_plane() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let still = at(&cube, DVec3::ZERO, DQuat::IDENTITY);
    let found = find(&at(&cube, DVec3::ONE, DQuat::IDENTITY), &still);
    assert_eq!((found.len(), found[0].kind()), (1, ContactKind::VertexVertex), "{found:?}");
    assert!((found[0].normal - DVec3::ONE.normalize()).length() < 1e-15, "{found:?}");
    assert!(matches!(found[0].function.normal, NormalRule::Mean { .. }));

    // Corner down on the edge of the cube below: x = z = 0.5.
    let corner_down =
        DQuat::from_rotation_arc(dvec3(-1.0, -1.0, -1.0).normalize(), -dvec3(1.0, 0.0, 1.0).normalize());
    let place = dvec3(0.5, 0.1, 0.5) + 0.75_f64.sqrt() * dvec3(1.0, 0.0, 1.0).normalize();
    let found = find(&at(&cube, place, corner_down), &still);
    assert_eq!((found.len(), found[0].kind()), (1, ContactKind::VertexEdge), "{found:?}");
    assert!((found[0].normal - dvec3(1.0, 0.0, 1.0).normalize()).length() < 1e-9, "{found:?}");
    assert!((found[0].point - dvec3(0.5, 0.1, 0.5)).length() < 1e-9, "{found:?}");

    // Edge along edge: two contacts, one plane.
    let found = find(&at(&cube, dvec3(1.0, 0.25, 1.0), DQuat::IDENTITY), &still);
    assert_eq!((found.len(), count(&found, ContactKind::VertexEdge)), (2, 2), "{found:?}");
    assert!(
        found.iter().all(|c| (c.normal - dvec3(1.0, 0.0, 1.0).normalize()).length() < 1e-15),
        "{found:?}"
    );
    assert!(found.iter().all(|c| c.separation.abs() < 1e-15), "{found:?}");
}

/// Crossed knives touch in one edge–edge contact with the normal between the edges.
#[test]
fn crossed_edges_touch_in_one_point() {
    let roof = |sense: f64| {
        let points = [-1.0, 1.0].map(|x| [dvec3(x, 0.0, 0.0), dvec3(x, 0.3, sense), dvec3(x, -0.3, sense)]);
        Geometry::new(&Hull::new(points.as_flattened()).unwrap().into())
    };
    let (upper, lower) = (roof(1.0), roof(-1.0));
    let found = find(
        &at(&upper, dvec3(0.1, 0.2, 0.0), DQuat::from_rotation_z(0.7)),
        &at(&lower, DVec3::ZERO, DQuat::IDENTITY),
    );
    assert_eq!((found.len(), found[0].kind()), (1, ContactKind::EdgeEdge), "{found:?}");
    assert!((found[0].normal - DVec3::Z).length() < 1e-15 && found[0].separation.abs() < 1e-15, "{found:?}");
    assert!(matches!(found[0].function.normal, NormalRule::Edges { .. }));
    assert!(matches!((found[0].id.a, found[0].id.b), (Feature::Edge(_), Feature::Edge(_))));
}

/// A side with a third corner along it, off the line by less than the tolerance either way, keeps its ends, whichever way it
/// is turned: rounding must not put the corner in the middle in front of an end.
#[test]
fn a_side_with_several_points_along_it_keeps_its_ends() {
    let bottom = [dvec3(0.0, 0.0, 0.0), dvec3(2.0, 0.0, 0.0), dvec3(2.0, 1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    for (k, off) in [1e-12, 1e-11, 1e-10].into_iter().enumerate() {
        let middle = [dvec3(0.7, -off, 0.0), dvec3(1.3, -off, 0.0), dvec3(2.0 + off, 0.4, 0.0)];
        let points: Vec<DVec3> =
            bottom.iter().chain(&middle).copied().chain([dvec3(1.0, 0.5, 1.0)]).collect();
        let hull: dolmen::shape::Shape = dolmen::shape::Hull::new(&points).unwrap().into();
        let floor: dolmen::shape::Shape = dolmen::shape::Plane::new(DVec3::Z, 0.0).unwrap().into();
        let (hull, floor) = (Geometry::new(&hull), Geometry::new(&floor));
        for step in 0..200 {
            let turn = DQuat::from_rotation_z(0.0314159 * f64::from(step) + k as f64);
            let a = Placed { geometry: &hull, pose: Pose { position: DVec3::ZERO, orientation: turn } };
            let b = Placed { geometry: &floor, pose: Pose::IDENTITY };
            let mut manifold = Manifold::default();
            contacts(&a, &b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
            assert_eq!(manifold.contacts().len(), 4, "turned by step {step}: {:#?}", manifold.contacts());
            for corner in bottom {
                let at = turn * corner;
                let near = manifold.contacts().iter().any(|c| c.point.distance(at) < 1e-9);
                assert!(near, "no contact at the corner {corner} in step {step}");
            }
        }
    }
}
