//! Contacts of meshes and compounds: as if the solid were of one piece, however it is cut into triangles and parts.

use super::common::{Random, at, cuboid};
use super::composite::{four_boxes, part, separation};
use super::meshes::{box_mesh, crack, cup, ell, shape, spike, torus, wedge};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    Contact, ContactKind, Geometry, Manifold, Placed, Statistics, Tolerance, Witness, contacts,
};
use dolmen::shape::{Plane, Shape, Sides};

/// The contacts, each checked for what all contacts are.
pub(crate) fn contacts_of(a: &Placed, b: &Placed) -> Vec<Contact> {
    let mut manifold = Manifold::default();
    contacts(a, b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
    let found = manifold.contacts().to_vec();
    for c in &found {
        assert!(c.normal.is_normalized() && c.point.is_finite(), "{c:?}");
        let size = c.point.length() + a.pose.position.length() + b.pose.position.length() + 10.0;
        let value = c.function.value(&a.pose, &b.pose);
        assert!((value - c.separation).abs() < 1e-15 * size, "{c:?}: the function is {value}");
        let normal = c.function.normal(&a.pose, &b.pose);
        assert!((normal - c.normal).length() < 1e-9, "{c:?}: its normal is {normal}");
    }
    assert!(found.windows(2).all(|w| w[0].id <= w[1].id), "not sorted: {found:?}");
    found
}

/// One line each.
fn brief(contacts: &[Contact]) -> String {
    let line = |c: &Contact| format!("\n  {:?} {:?} at {:.9} along {:.9}", c.id.a, c.id.b, c.point, c.normal);
    contacts.iter().map(line).collect()
}

/// As sets of points and normals: each of one list has its like in the other.
fn assert_alike(found: &[Contact], expected: &[Contact], slack: f64, what: &str) {
    let like = |c: &Contact, d: &Contact| {
        (c.point - d.point).length() < slack && (c.normal - d.normal).length() < 1e-6
    };
    let covers = |p: &[Contact], q: &[Contact]| p.iter().all(|c| q.iter().any(|d| like(c, d)));
    assert!(
        covers(found, expected) && covers(expected, found),
        "{what}: {}\nexpected {}",
        brief(found),
        brief(expected)
    );
    assert_eq!(found.len(), expected.len(), "{what}: {}\nexpected {}", brief(found), brief(expected));
}

/// The trap of internal edges: a box on a floor cut into triangles rests on its four corners, wherever it is, and the floor
/// pushes straight up. (CASES A07, internal-edges)
#[test]
fn a_box_on_a_floor_of_triangles_stands_on_four_corners() {
    let mut random = Random::new(11);
    for n in [1, 2, 4] {
        let floor = Geometry::new(&box_mesh(dvec3(2.0, 0.5, 2.0), n));
        for (name, form) in four_boxes(dvec3(0.4, 0.3, 0.5)).into_iter().take(2) {
            let form = Geometry::new(&form);
            // Also with corners and edges exactly over the grid.
            for (x, z, turn) in [
                (0.4, 0.5, 0.0),
                (0.0, 0.0, 0.0),
                (0.6, 0.5, 0.0),
                (random.unit(), random.unit(), random.unit()),
            ] {
                let a = at(&form, dvec3(x, 0.8, z), DQuat::from_rotation_y(turn));
                let b = at(&floor, DVec3::ZERO, DQuat::IDENTITY);
                for found in [contacts_of(&a, &b), contacts_of(&b, &a)] {
                    assert_eq!(found.len(), 4, "{name} on {n} × {n} at {x}, {z}: {}", brief(&found));
                    assert!(found.iter().all(|c| c.normal.y.abs() > 1.0 - 1e-15), "{}", brief(&found));
                    assert!(found.iter().all(|c| c.kind() == ContactKind::VertexFace), "{}", brief(&found));
                }
            }
        }
    }
}

/// A mesh of a box has the contacts of the box: hanging over an edge, flush with one, corner on corner, turned, on its edge.
#[test]
fn a_mesh_of_a_box_touches_like_the_box() {
    let half = dvec3(0.5, 0.4, 0.3);
    let forms = four_boxes(half);
    let table = dvec3(1.0, 0.5, 1.0);
    let (solid, mesh) = (cuboid(table.x, table.y, table.z), Geometry::new(&box_mesh(table, 3)));
    let edge_down = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let (sine, cosine) = (0.5_f64.sqrt(), 0.5_f64.sqrt());
    let low = half.x * sine + half.y * cosine;
    let places = [
        ("inside", dvec3(0.1, 0.9, 0.2), DQuat::IDENTITY),
        ("turned", dvec3(0.1, 0.9, 0.2), DQuat::from_rotation_y(0.3)),
        ("over an edge", dvec3(0.9, 0.9, 0.2), DQuat::IDENTITY),
        ("over a corner, turned", dvec3(0.9, 0.9, 0.8), DQuat::from_rotation_y(0.3)),
        ("flush with an edge", dvec3(0.5, 0.9, 0.1), DQuat::IDENTITY),
        ("flush with a corner", dvec3(0.5, 0.9, 0.7), DQuat::IDENTITY),
        ("on an edge", dvec3(0.1, 0.5 + low, 0.2), edge_down),
        ("on an edge over the rim", dvec3(0.1, 0.5 + low, 0.9), edge_down),
    ];
    for (place, x, q) in places {
        let box_form = Geometry::new(&forms[0].1);
        let expected = contacts_of(&at(&box_form, x, q), &at(&solid, DVec3::ZERO, DQuat::IDENTITY));
        assert!(!expected.is_empty(), "{place}");
        for (name, shape) in &forms[..2] {
            let form = Geometry::new(shape);
            let found = contacts_of(&at(&form, x, q), &at(&mesh, DVec3::ZERO, DQuat::IDENTITY));
            assert_alike(&found, &expected, 1e-8, &format!("{name} {place}, on a mesh"));
        }
        let form = Geometry::new(&forms[1].1);
        let found = contacts_of(&at(&form, x, q), &at(&solid, DVec3::ZERO, DQuat::IDENTITY));
        assert_alike(&found, &expected, 1e-8, &format!("mesh {place}, on a box"));
    }
}

/// Random boxes brought to touch: a vertex on a face or two edges, found by the mesh as by the box.
#[test]
fn random_touches_are_found() {
    let mut random = Random::new(13);
    let mut kinds = [0; 2];
    for _ in 0..150 {
        let half = dvec3(random.between(0.3, 1.0), random.between(0.3, 1.0), random.between(0.3, 1.0));
        let (solid, mesh) = (cuboid(half.x, half.y, half.z), Geometry::new(&box_mesh(half, 2)));
        let other = dvec3(random.between(0.3, 1.0), random.between(0.3, 1.0), random.between(0.3, 1.0));
        let (guest, guest_mesh) = (cuboid(other.x, other.y, other.z), Geometry::new(&box_mesh(other, 2)));
        let (q, p, way) = (random.turn(), random.turn(), random.direction());
        let (mut low, mut high) = (0.0, 4.0);
        while high - low > 1e-14 {
            let middle: f64 = 0.5 * (low + high);
            let found = separation(&at(&guest, middle * way, q), &at(&solid, DVec3::ZERO, p));
            (low, high) = if found.distance < 0.0 { (middle, high) } else { (low, middle) };
        }
        let x = high * way;
        let expected = contacts_of(&at(&guest, x, q), &at(&solid, DVec3::ZERO, p));
        assert_eq!(expected.len(), 1);
        match expected[0].kind() {
            ContactKind::VertexFace => kinds[0] += 1,
            ContactKind::EdgeEdge => kinds[1] += 1,
            other => panic!("{other:?}"),
        }
        for (a, b) in [(&guest, &mesh), (&guest_mesh, &solid), (&guest_mesh, &mesh)] {
            let found = contacts_of(&at(a, x, q), &at(b, DVec3::ZERO, p));
            assert_alike(&found, &expected, 1e-8, "random");
            assert_eq!(found[0].kind(), expected[0].kind());
        }
    }
    assert!(kinds[0] > 20 && kinds[1] > 20, "{kinds:?}");
}

/// In a groove every face pushes by itself: a box in the corner of an L is supported by the floor and by the wall.
#[test]
fn a_box_in_a_corner_is_held_by_both_walls() {
    let half = dvec3(0.25, 0.25, 0.3);
    let angle = Shape::compound(vec![
        part(Shape::cuboid(dvec3(1.0, 0.5, 0.5)).unwrap(), dvec3(1.0, 0.5, 0.0), DQuat::IDENTITY),
        part(Shape::cuboid(dvec3(0.5, 0.5, 0.5)).unwrap(), dvec3(0.5, 1.5, 0.0), DQuat::IDENTITY),
    ]);
    for corner in [ell(0.5), angle.unwrap()] {
        let corner = Geometry::new(&corner);
        for (name, form) in four_boxes(half).into_iter().take(2) {
            let form = Geometry::new(&form);
            let a = at(&form, dvec3(1.25, 1.25, 0.1), DQuat::IDENTITY);
            let found = contacts_of(&a, &at(&corner, DVec3::ZERO, DQuat::IDENTITY));
            let count = |n: DVec3| found.iter().filter(|c| (c.normal - n).length() < 1e-12).count();
            assert_eq!(
                (count(DVec3::Y), count(DVec3::X), found.len()),
                (4, 4, 8),
                "{name}: {}",
                brief(&found)
            );
        }
    }
}

/// Parts of a compound side by side are one floor: at the seam there is no ghost contact, even where a box is flush with it.
#[test]
fn a_seam_between_parts_is_not_felt() {
    let slab =
        |x: f64| part(Shape::cuboid(dvec3(1.0, 0.5, 1.0)).unwrap(), dvec3(x, -0.5, 0.0), DQuat::IDENTITY);
    let mesh = |x: f64| part(box_mesh(dvec3(1.0, 0.5, 1.0), 2), dvec3(x, -0.5, 0.0), DQuat::IDENTITY);
    for parts in [vec![slab(-1.0), slab(1.0)], vec![mesh(-1.0), mesh(1.0)], vec![slab(-1.0), mesh(1.0)]] {
        let floor = Geometry::new(&Shape::compound(parts).unwrap());
        for (name, form) in four_boxes(dvec3(0.3, 0.2, 0.3)) {
            let form = Geometry::new(&form);
            for x in [-0.3, 0.3, 0.0, 0.1, -0.299_999_999_9] {
                let found = contacts_of(
                    &at(&form, dvec3(x, 0.2, 0.1), DQuat::IDENTITY),
                    &at(&floor, DVec3::ZERO, DQuat::IDENTITY),
                );
                assert!(found.len() >= 4, "{name} at {x}: {}", brief(&found));
                assert!(
                    found.iter().all(|c| (c.normal - DVec3::Y).length() < 1e-12),
                    "{name} at {x}: {}",
                    brief(&found)
                );
            }
        }
    }
}

/// A wedge steeper than a crack rests on its ridge in the crack's bottom line only where there is room; here it touches the
/// two rims, and each pushes along the wedge's side. (CASES A07, wedge-in-crack)
#[test]
fn a_wedge_in_a_crack_is_held_by_the_rims() {
    // The wedge's sides have slope 6; at half width 0.2 it is 1.2 deep, and the crack is deeper.
    let crack = Geometry::new(&crack(0.2, 0.9));
    let wedge = Geometry::new(&wedge(1.0));
    let found = contacts_of(
        &at(&wedge, dvec3(0.0, -0.9, 0.0), DQuat::IDENTITY),
        &at(&crack, DVec3::ZERO, DQuat::IDENTITY),
    );
    // The ridge reaches the bottom before the rims are touched: the wedge is narrower there.
    assert!(found.is_empty() || found.iter().all(|c| c.normal.y > 0.0), "{}", brief(&found));
    let shallow = Geometry::new(&super::meshes::crack(0.1, 0.9));
    let found = contacts_of(
        &at(&wedge, dvec3(0.0, -0.6, 0.0), DQuat::IDENTITY),
        &at(&shallow, DVec3::ZERO, DQuat::IDENTITY),
    );
    let side = dvec3(-6.0, 1.0, 0.0).normalize();
    let left = found.iter().filter(|c| (c.normal - side).length() < 1e-9).count();
    let right = found.iter().filter(|c| (c.normal - dvec3(-side.x, side.y, 0.0)).length() < 1e-9).count();
    assert_eq!((left, right, found.len()), (2, 2, 4), "{}", brief(&found));
}

/// Half-spaces: the low corners of a mesh, the corners of its hull where a face lies on the plane.
#[test]
fn meshes_stand_on_planes() {
    let plane = Plane::new(DVec3::Y, 0.0).unwrap();
    for sides in [Sides::Both, Sides::Front] {
        let floor = Geometry::new(&plane.with_sides(sides).into());
        let ground = at(&floor, DVec3::ZERO, DQuat::IDENTITY);
        for (shape, height, count) in [
            (box_mesh(DVec3::ONE, 4), 1.0, 4),
            (ell(0.5), 0.0, 4),
            (spike(), 0.0, 1),
            (crack(0.5, 0.6), 1.0, 4),
        ] {
            let geometry = Geometry::new(&shape);
            let a = at(&geometry, dvec3(0.3, height, 0.1), DQuat::from_rotation_y(0.7));
            for found in [contacts_of(&a, &ground), contacts_of(&ground, &a)] {
                assert_eq!(found.len(), count, "{}", brief(&found));
                assert!(
                    found.iter().all(|c| c.separation.abs() < 1e-15 && c.normal.y.abs() > 0.999_999),
                    "{}",
                    brief(&found)
                );
            }
        }
    }
    // Upside down the crack's block rests on two strips.
    let floor = Geometry::new(&plane.into());
    let block = Geometry::new(&crack(0.5, 0.6));
    let over = at(&block, DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::PI));
    let found = contacts_of(&over, &at(&floor, DVec3::ZERO, DQuat::IDENTITY));
    assert_eq!(found.len(), 8, "{}", brief(&found));
}

/// Corner on corner, corner on edge and edge on edge have a local plane that parts the two. (CASES A07, spikes and wedges)
#[test]
fn points_meet_points() {
    let (spike_up, ridge) = (Geometry::new(&spike()), Geometry::new(&wedge(1.0)));
    let over = DQuat::from_rotation_z(std::f64::consts::PI);
    let below = |g| at(g, DVec3::ZERO, over);
    let spikes = contacts_of(&at(&spike_up, DVec3::ZERO, DQuat::IDENTITY), &below(&spike_up));
    assert_eq!(spikes.len(), 1, "{}", brief(&spikes));
    assert!(
        spikes[0].kind() == ContactKind::VertexVertex && (spikes[0].normal - DVec3::Y).length() < 1e-9,
        "{}",
        brief(&spikes)
    );
    let on_ridge = contacts_of(&at(&spike_up, DVec3::ZERO, DQuat::IDENTITY), &below(&ridge));
    assert_eq!(on_ridge.len(), 1, "{}", brief(&on_ridge));
    assert!(
        on_ridge[0].kind() == ContactKind::VertexEdge && (on_ridge[0].normal - DVec3::Y).length() < 1e-9,
        "{}",
        brief(&on_ridge)
    );
    let ridges = contacts_of(&at(&ridge, DVec3::ZERO, DQuat::IDENTITY), &below(&ridge));
    assert_eq!(ridges.len(), 2, "{}", brief(&ridges));
    assert!(ridges.iter().all(|c| (c.normal - DVec3::Y).length() < 1e-9), "{}", brief(&ridges));
}

/// The same contacts have the same names from one instant to the next.
#[test]
fn ids_stay_under_small_motions() {
    let mut random = Random::new(17);
    let floor = Geometry::new(&box_mesh(dvec3(2.0, 0.5, 2.0), 3));
    for form in [box_mesh(dvec3(0.4, 0.3, 0.5), 2), ell(0.4), cup(0.5, 0.4, 0.6, 0.1, 12)] {
        let form = Geometry::new(&form);
        let stand = match &form {
            _ if random.unit() < 0.5 => DQuat::IDENTITY,
            _ => DQuat::from_rotation_y(0.3),
        };
        let start = dvec3(0.123, 0.5, -0.217);
        let lift = -separation(&at(&form, start, stand), &at(&floor, DVec3::ZERO, DQuat::IDENTITY)).distance;
        let ids = |x: DVec3, q: DQuat| -> Vec<_> {
            let found = contacts_of(&at(&form, x, q), &at(&floor, DVec3::ZERO, DQuat::IDENTITY));
            found.iter().map(|c| c.id).collect()
        };
        let start = start + lift.max(0.0) * DVec3::Y;
        let known = ids(start, stand);
        for _ in 0..20 {
            let q = (stand * DQuat::from_scaled_axis(1e-11 * random.vector())).normalize();
            assert_eq!(ids(start + 1e-11 * random.vector(), q), known);
        }
    }
}

/// A ring on a floor touches with both its faces' rims reduced to a hull, and its names tell outer corners only.
#[test]
fn a_cup_stands_on_its_foot_and_on_its_rim() {
    let floor = Geometry::new(&box_mesh(dvec3(2.0, 2.0, 0.5), 3));
    let mug = Geometry::new(&cup(0.5, 0.4, 0.6, 0.1, 12));
    let base = at(&floor, dvec3(0.0, 0.0, -0.5), DQuat::IDENTITY);
    for q in [DQuat::IDENTITY, DQuat::from_rotation_x(std::f64::consts::PI)] {
        let x = if q == DQuat::IDENTITY { DVec3::ZERO } else { 0.6 * DVec3::Z };
        let found = contacts_of(&at(&mug, x, q), &base);
        assert_eq!(found.len(), 12, "{}", brief(&found));
        assert!(found.iter().all(|c| (c.normal - DVec3::Z).length() < 1e-12), "{}", brief(&found));
    }
}

/// Overlapping and random poses: contacts are numbers, and shapes far apart have none.
#[test]
fn contacts_are_numbers_and_end_with_distance() {
    let mut random = Random::new(19);
    let shapes = [torus(1.0, 0.3, 12, 6), ell(0.4), cup(1.0, 0.8, 1.2, 0.2, 8), crack(0.5, 0.6), spike()];
    let geometries: Vec<Geometry> = shapes.iter().map(Geometry::new).collect();
    for _ in 0..200 {
        let pick = |r: f64| &geometries[(r * 5.0) as usize];
        let (a, b) = (pick(random.unit()), pick(random.unit()));
        let a = at(a, random.between(0.0, 4.0) * random.direction(), random.turn());
        let b = Placed { geometry: b, pose: Pose::IDENTITY };
        let found = contacts_of(&a, &b);
        let apart = separation(&a, &b).distance;
        let tolerance = Tolerance::of_pair(&a, &b, 0.0).length;
        assert!(apart <= tolerance || found.is_empty(), "{apart} apart: {found:?}");
    }
}

/// A block of 2 × 1 × 2 m with a pit in its top, y = 0: an upside-down pyramid of half-width w and depth d.
fn pit(w: f64, d: f64) -> Shape {
    let ring = |half: f64, y: f64| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| dvec3(x * half, y, z * half))
    };
    let mut vertices = [ring(1.0, -1.0), ring(1.0, 0.0), ring(w, 0.0)].concat();
    vertices.push(dvec3(0.0, -d, 0.0));
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    for k in 0..4 {
        let next = (k + 1) % 4;
        for (low, high) in [(0, 4), (4, 8)] {
            triangles.extend([[low + k, high + next, low + next], [low + k, high + k, high + next]]);
        }
        triangles.push([8 + k, 12, 8 + next]);
    }
    shape(&vertices, &triangles)
}

/// A tip at the bottom of a pit, where only grooves meet, touches all four faces; along each the push is that of the face.
/// (CASES A07, spike-in-hole)
#[test]
fn a_tip_in_a_pit_touches_the_faces_around_it() {
    let (pit, spike) = (Geometry::new(&pit(0.5, 0.5)), Geometry::new(&spike()));
    for depth in [0.0, 1e-10] {
        for turn in [0.0, 0.2, -0.5] {
            let a = at(&spike, dvec3(0.0, -0.5 - depth, 0.0), DQuat::from_rotation_z(turn));
            let b = at(&pit, DVec3::ZERO, DQuat::IDENTITY);
            for (found, sign) in [(contacts_of(&a, &b), 1.0), (contacts_of(&b, &a), -1.0)] {
                assert_eq!(found.len(), 4, "{depth}, {turn}: {}", brief(&found));
                for normal in
                    [dvec3(1.0, 1.0, 0.0), dvec3(-1.0, 1.0, 0.0), dvec3(0.0, 1.0, 1.0), dvec3(0.0, 1.0, -1.0)]
                {
                    let is_its = |c: &Contact| (sign * c.normal).distance(normal.normalize()) < 1e-9;
                    assert!(found.iter().any(is_its), "none along {normal}: {}", brief(&found));
                }
            }
        }
    }
}

/// A ridge in a crack that juts out of its end is carried where the crack ends, on both sides; else it would tip about its
/// other end. (CASES A07, wedge-in-crack)
#[test]
fn a_ridge_is_carried_up_to_the_end_of_its_crack() {
    let (crack, wedge) = (Geometry::new(&crack(0.5, 0.5)), Geometry::new(&wedge(1.0)));
    for lean in [0.0, 0.2, -0.3] {
        let a = at(&wedge, dvec3(0.0, -0.5, 1.6), DQuat::from_rotation_z(lean));
        let b = at(&crack, DVec3::ZERO, DQuat::IDENTITY);
        for found in [contacts_of(&a, &b), contacts_of(&b, &a)] {
            for (z, side) in [(0.6, 1.0), (0.6, -1.0), (2.0, 1.0), (2.0, -1.0)] {
                let is_there = |c: &Contact| {
                    let along = if c.normal.y > 0.0 { c.normal } else { -c.normal };
                    (c.point - dvec3(0.0, -0.5, z)).length() < 1e-8 && along.x * side > 0.5
                };
                assert!(found.iter().any(is_there), "none at z = {z} on side {side}: {}", brief(&found));
            }
        }
    }
}
