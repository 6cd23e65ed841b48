//! Meshes and compounds: separation and distance, against brute force and against the same solids as convex shapes.

use super::common::{Random, at, cuboid};
use super::meshes::{box_mesh, crack, cup, ell, spike, torus, triangles};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    Closest, ClosestHint, Geometry, Overlap, Placed, Separation, Statistics, Witness, closest, overlap,
    separate, separate_within,
};
use dolmen::shape::{Part, Plane, Shape, Sides};
use dolmen::triangle;

pub(crate) fn separation(a: &Placed, b: &Placed) -> Separation {
    separate(a, b, &mut Witness::Unknown, &mut Statistics::default()).unwrap()
}

fn distance(a: &Placed, b: &Placed) -> Closest {
    closest(a, b, &mut ClosestHint::default()).unwrap()
}

pub(crate) fn part(shape: Shape, position: DVec3, orientation: DQuat) -> Part {
    Part { shape, pose: Pose { position, orientation } }
}

/// The same box as one, as a mesh of many triangles, as two halves and as four quarters within two compounds.
pub(crate) fn four_boxes(half: DVec3) -> [(&'static str, Shape); 4] {
    let piece = |half: DVec3, x: f64| part(Shape::cuboid(half).unwrap(), dvec3(x, 0.0, 0.0), DQuat::IDENTITY);
    let halves = |half: DVec3| {
        let own = dvec3(0.5 * half.x, half.y, half.z);
        Shape::compound(vec![piece(own, -own.x), piece(own, own.x)]).unwrap()
    };
    let own = dvec3(0.5 * half.x, half.y, half.z);
    let turned = DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    let quarters = vec![
        part(halves(own), dvec3(-own.x, 0.0, 0.0), DQuat::IDENTITY),
        part(halves(own), dvec3(own.x, 0.0, 0.0), turned),
    ];
    [
        ("box", Shape::cuboid(half).unwrap()),
        ("mesh", box_mesh(half, 3)),
        ("two halves", halves(half)),
        ("quarters", Shape::compound(quarters).unwrap()),
    ]
}

/// A solid is where its points are, however it is put together: apart, all distances and normals are the same.
#[test]
fn one_solid_in_four_forms_is_equally_far_from_everything() {
    let mut random = Random::new(1);
    for _ in 0..60 {
        let half = dvec3(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
        let forms = four_boxes(half).map(|(name, shape)| (name, Geometry::new(&shape)));
        let other = random.geometry();
        let (x, q) = (random.between(1.0, 3.0) * random.direction(), random.turn());
        let guest = at(&other, x, q);
        let pose = Pose { position: random.vector(), orientation: random.turn() };
        let place = |geometry| Placed { geometry, pose };
        let known = distance(&place(&forms[0].1), &guest);
        let depth = separation(&place(&forms[0].1), &guest).distance;
        for (name, form) in &forms[1..] {
            let found = distance(&place(form), &guest);
            let signed = separation(&place(form), &guest);
            let turned = separation(&guest, &place(form));
            assert!((found.distance - known.distance).abs() < 1e-14, "{name}: {found:?}, {known:?}");
            assert!((signed.distance - turned.distance).abs() < 1e-14, "{name}: {signed:?}, {turned:?}");
            if known.distance > 0.0 {
                assert_eq!(signed.distance, found.distance, "{name}");
                assert!((signed.normal - found.normal).length() < 1e-9, "{name}: {signed:?}, {found:?}");
                let along = signed.normal.dot(signed.points[0] - signed.points[1]);
                assert!((along - signed.distance).abs() < 1e-14, "{name}: {signed:?}");
                let angle = (found.normal - known.normal).length();
                assert!(angle < 1e-12 / known.distance, "{name}: {found:?}, {known:?}");
            } else {
                assert!(signed.distance < 0.0, "{name}: {signed:?}, box {depth}");
                // Each part, and each triangle, is at most as deep as the whole.
                assert!(signed.distance >= depth - 1e-12, "{name}: {signed:?}, box {depth}");
            }
            let met = overlap(&place(form), &guest, None).unwrap();
            assert_eq!(met.is_some(), known.distance == 0.0, "{name}: {met:?}");
            assert!(met.is_none_or(|m| m == Overlap::Measured), "{name}: {met:?}");
        }
    }
}

/// The distance of two surfaces is the least over all pairs of triangles, and the sign is by crossing or containment.
#[test]
fn meshes_are_as_far_apart_as_their_nearest_triangles() {
    let mut random = Random::new(2);
    let shapes = [
        torus(1.0, 0.3, 12, 6),
        ell(0.4),
        cup(1.0, 0.8, 1.2, 0.2, 8),
        crack(0.5, 0.6),
        spike(),
        box_mesh(DVec3::ONE, 2),
    ];
    let geometries: Vec<Geometry> = shapes.iter().map(Geometry::new).collect();
    let (mut apart, mut meeting) = (0, 0);
    for _ in 0..150 {
        let (i, j) = ((random.unit() * 6.0) as usize, (random.unit() * 6.0) as usize);
        let a = at(&geometries[i], random.between(0.5, 4.0) * random.direction(), random.turn());
        let b = at(&geometries[j], random.vector(), random.turn());
        let (of_a, of_b) =
            (triangles(&shapes[i], |p| a.pose.point(p)), triangles(&shapes[j], |p| b.pose.point(p)));
        let mut least = f64::INFINITY;
        for t in &of_a {
            for u in &of_b {
                least = least.min(triangle::closest(*t, *u).distance);
            }
        }
        let found = separation(&a, &b);
        if least > 0.0 {
            apart += 1;
            // One wholly inside of the other cannot be: all are too large.
            assert!((found.distance - least).abs() < 1e-13, "{found:?}, brute force {least}");
            assert!((distance(&a, &b).distance - least).abs() < 1e-13);
            assert!(found.normal.is_normalized(), "{found:?}");
        } else {
            meeting += 1;
            assert!(found.distance < 0.0, "{found:?} though triangles cross");
            assert_eq!(distance(&a, &b).distance, 0.0);
        }
    }
    assert!(apart > 30 && meeting > 30, "{apart} apart, {meeting} meeting");
}

/// A query with a reach gives the same for all that is within it, to the last bit, and nothing for the rest: apart,
/// touching, overlapping, wholly inside, over planes and behind such as are touched from their front only.
#[test]
fn a_reach_leaves_out_what_is_beyond_it_and_nothing_else() {
    let mut random = Random::new(8);
    let plane = Plane::new(DVec3::Y, 0.0).unwrap();
    let square = plane.square(DVec3::ZERO, 1.5, DVec3::X).unwrap().with_sides(Sides::Front);
    let mut shapes = vec![torus(1.0, 0.3, 12, 6), ell(0.4), plane.into(), square.into()];
    shapes.extend(four_boxes(dvec3(0.1, 0.2, 0.15)).map(|(_, shape)| shape));
    shapes.push(Shape::sphere(0.3).unwrap());
    let geometries: Vec<Geometry> = shapes.iter().map(Geometry::new).collect();
    let (mut within, mut beyond) = ([0; 2], 0);
    for a in &geometries {
        for b in &geometries {
            for _ in 0..20 {
                let a = at(a, random.between(0.0, 2.0) * random.direction(), random.turn());
                let b = at(b, DVec3::ZERO, random.turn());
                let known = separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default());
                let Ok(known) = known else { continue };
                let d = known.distance;
                for reach in [-0.1, 0.0, 0.1, d.next_down(), d, f64::INFINITY] {
                    let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
                    let found = separate_within(reach, (&a, &b), &mut witness, &mut statistics).unwrap();
                    let expected = Some(known).filter(|known| known.distance <= reach);
                    assert_eq!(
                        found,
                        expected,
                        "within {reach} of {} and {}",
                        a.geometry.kind(),
                        b.geometry.kind()
                    );
                    assert_eq!(statistics.queries, 1);
                    within[usize::from(d > 0.0)] += u32::from(found.is_some());
                    beyond += u32::from(found.is_none());
                }
            }
        }
    }
    assert!(within[0] > 500 && within[1] > 500 && beyond > 500, "{within:?} within, {beyond} beyond");
}

/// Inside is overlap, also where no surfaces meet: a box in a solid, a solid in a box; but not in a cavity or a hole.
#[test]
fn what_is_inside_overlaps_and_what_is_in_a_cavity_does_not() {
    let small = cuboid(0.1, 0.1, 0.1);
    let ring = Geometry::new(&torus(2.0, 0.5, 48, 24));
    let origin = at(&ring, DVec3::ZERO, DQuat::IDENTITY);
    let inside = separation(&at(&small, dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY), &origin);
    assert!(inside.distance < -0.3, "{inside:?}");
    let large = cuboid(5.0, 5.0, 5.0);
    let around = separation(&at(&large, dvec3(0.1, 0.2, 0.3), DQuat::IDENTITY), &origin);
    assert!(around.distance < -0.3, "{around:?}");
    let hole = separation(&at(&small, DVec3::ZERO, DQuat::IDENTITY), &origin);
    assert!((1.2..1.5).contains(&hole.distance), "{hole:?}");

    let mug = Geometry::new(&cup(1.0, 0.9, 2.0, 0.1, 32));
    let upright = at(&mug, DVec3::ZERO, DQuat::IDENTITY);
    let held = separation(&at(&small, dvec3(0.0, 0.0, 0.7), DQuat::IDENTITY), &upright);
    assert!((held.distance - 0.5).abs() < 1e-15 && held.normal == DVec3::Z, "{held:?}");
    // The same as a mesh and as a compound of meshes.
    let little = box_mesh(DVec3::splat(0.1), 1);
    let compound = Shape::compound(vec![part(little.clone(), DVec3::ZERO, DQuat::IDENTITY)]).unwrap();
    for shape in [little, compound] {
        let geometry = Geometry::new(&shape);
        let found = separation(&at(&geometry, dvec3(0.0, 0.0, 0.7), DQuat::IDENTITY), &upright);
        assert!((found.distance - 0.5).abs() < 1e-15, "{found:?}");
        let found = separation(&at(&geometry, dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY), &origin);
        assert!(found.distance < -0.3, "{found:?}");
        let found = separation(
            &at(&large, DVec3::ZERO, DQuat::IDENTITY),
            &at(&geometry, DVec3::ONE, DQuat::IDENTITY),
        );
        assert!(found.distance < 0.0, "{found:?}");
        assert_eq!(distance(&at(&geometry, dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY), &origin).distance, 0.0);
    }
}

/// Shapes exactly over each other overlap, though no surfaces cross: boxes in one place, and one lowered into the other.
#[test]
fn aligned_solids_overlap() {
    let forms = four_boxes(dvec3(0.5, 0.4, 0.3)).map(|(_, shape)| Geometry::new(&shape));
    for a in &forms {
        for b in &forms {
            for lift in [0.0, 0.1, 0.3] {
                let found = separation(
                    &at(a, dvec3(0.0, 0.0, lift), DQuat::IDENTITY),
                    &at(b, DVec3::ZERO, DQuat::IDENTITY),
                );
                assert!(found.distance < -1e-3, "{found:?} at {lift}");
            }
        }
    }
}

/// Through the instant of touching the separation is the height, on both sides of zero.
#[test]
fn separation_passes_through_zero() {
    let (foot, ground) = (box_mesh(dvec3(0.3, 0.2, 0.3), 2), crack(0.5, 0.6));
    let forms = four_boxes(dvec3(0.3, 0.2, 0.3)).map(|(_, shape)| shape);
    let ground = Geometry::new(&ground);
    for shape in forms.iter().chain([&foot]) {
        let geometry = Geometry::new(shape);
        for turn in [DQuat::IDENTITY, DQuat::from_rotation_y(0.4)] {
            for height in [1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3] {
                let a = at(&geometry, dvec3(1.1, 0.2 + height, 0.1), turn);
                let found = separation(&a, &at(&ground, DVec3::ZERO, DQuat::IDENTITY));
                assert!((found.distance - height).abs() < 1e-15, "{found:?} at {height:e}");
                assert!(
                    (found.normal - DVec3::Y).length() < 1e-9 || height.abs() < 1e-14,
                    "{found:?} at {height:e}"
                );
            }
        }
    }
}

/// Nanometres, kilometres and coordinates far from the origin give the same digits.
#[test]
fn scale_does_not_matter() {
    let mut random = Random::new(5);
    for _ in 0..20 {
        let (x, q, p) = (2.5 * random.direction(), random.turn(), random.turn());
        let mut known = None;
        for scale in [1.0, 1e-9, 1e3] {
            let Shape::Mesh(mesh) = ell(0.4) else { panic!("no mesh") };
            let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale).collect();
            let scaled = Geometry::new(&super::meshes::shape(&vertices, mesh.triangles()));
            let other = Geometry::new(&box_mesh(dvec3(0.5, 0.3, 0.7) * scale, 2));
            let found = separation(&at(&scaled, x * scale, q), &at(&other, DVec3::ZERO, p));
            let value = found.distance / scale;
            let known = *known.get_or_insert(value);
            assert!((value - known).abs() < 1e-13, "{value} and {known} at {scale}");
        }
    }
}

/// Infinite and square planes: a mesh is over one, through it, or behind it.
#[test]
fn planes_see_meshes_as_they_see_boxes() {
    let mut random = Random::new(6);
    let plane = Plane::new(dvec3(0.2, 1.0, -0.1), 0.3).unwrap();
    let square = plane.square(dvec3(0.1, 0.0, 0.3), 1.5, DVec3::X).unwrap();
    let planes = [plane, plane.with_sides(Sides::Front), square, square.with_sides(Sides::Front)];
    for plane in planes {
        let plane_geometry = Geometry::new(&plane.into());
        for _ in 0..40 {
            let half = dvec3(random.between(0.2, 0.6), random.between(0.2, 0.6), random.between(0.2, 0.6));
            let forms = four_boxes(half).map(|(_, shape)| Geometry::new(&shape));
            let pose = Pose { position: 1.5 * random.vector(), orientation: random.turn() };
            let ground = at(&plane_geometry, DVec3::ZERO, DQuat::IDENTITY);
            let place = |geometry| Placed { geometry, pose };
            let near = distance(&place(&forms[0]), &ground).distance;
            let signed = separation(&place(&forms[0]), &ground);
            for form in &forms[1..] {
                let found = separation(&place(form), &ground);
                let turned = separation(&ground, &place(form));
                assert_eq!(found.distance, turned.distance);
                assert!((distance(&place(form), &ground).distance - near).abs() < 1e-14);
                let infinite = signed.distance == f64::INFINITY;
                assert_eq!(found.distance == f64::INFINITY, infinite, "{found:?}, box {signed:?}");
                if near > 0.0 && !infinite {
                    assert!((found.distance - near).abs() < 1e-14, "{found:?}, box {near}");
                } else if !infinite && near == 0.0 {
                    assert!(found.distance < 1e-14, "{found:?}, box {signed:?}");
                }
            }
        }
    }
    let floor = Geometry::new(&Plane::new(DVec3::Y, 0.0).unwrap().into());
    let with_plane =
        Shape::compound(vec![part(Plane::new(DVec3::X, 0.0).unwrap().into(), DVec3::ZERO, DQuat::IDENTITY)]);
    let with_plane = Geometry::new(&with_plane.unwrap());
    let refused = separate(
        &at(&with_plane, DVec3::ONE, DQuat::IDENTITY),
        &at(&floor, DVec3::ZERO, DQuat::IDENTITY),
        &mut Witness::Unknown,
        &mut Statistics::default(),
    );
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("compound") && text.contains("infinite plane"), "{text}");
}

/// A plane among the parts of a compound is a floor like any other.
#[test]
fn a_compound_may_hold_a_plane() {
    let room = Shape::compound(vec![
        part(
            Plane::new(DVec3::Y, 0.0).unwrap().with_sides(Sides::Front).into(),
            DVec3::ZERO,
            DQuat::IDENTITY,
        ),
        part(Shape::cuboid(dvec3(0.1, 1.0, 1.0)).unwrap(), dvec3(2.0, 1.0, 0.0), DQuat::IDENTITY),
    ]);
    let room = Geometry::new(&room.unwrap());
    for (_, shape) in four_boxes(dvec3(0.5, 0.5, 0.5)) {
        let geometry = Geometry::new(&shape);
        for (x, expected) in [(0.0, 0.7), (1.2, 0.2), (0.0, 0.7)] {
            let found = separation(
                &at(&geometry, dvec3(x, 1.2, 0.0), DQuat::IDENTITY),
                &at(&room, DVec3::ZERO, DQuat::IDENTITY),
            );
            assert!((found.distance - expected).abs() < 1e-15, "{found:?}, expected {expected}");
        }
    }
}

/// Odd poses and tiny, huge and coincident shapes: always a finite answer, with a unit normal.
#[test]
fn nothing_is_no_number() {
    let mut random = Random::new(8);
    let shapes = [
        box_mesh(DVec3::ONE, 1),
        box_mesh(dvec3(1.0, 1e-7, 1.0), 2),
        ell(0.5),
        spike(),
        Shape::cuboid(DVec3::ONE).unwrap(),
        Shape::compound(vec![
            part(box_mesh(DVec3::ONE, 1), DVec3::ZERO, DQuat::IDENTITY),
            part(Shape::cuboid(DVec3::ONE).unwrap(), DVec3::ZERO, DQuat::IDENTITY),
        ])
        .unwrap(),
    ];
    let geometries: Vec<Geometry> = shapes.iter().map(Geometry::new).collect();
    let offsets = [0.0, 1.0, 2.0, -1.0, 1e-300, 1e-16, 2.0 + 1e-15, 1e7, 1e150];
    let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    for a in &geometries {
        for b in geometries
            .iter()
            .filter(|b| matches!((a, b), (Geometry::Composite(_), _) | (_, Geometry::Composite(_))))
        {
            for _ in 0..60 {
                let mut pick = || offsets[(random.unit() * offsets.len() as f64) as usize];
                let x = dvec3(pick(), pick(), pick());
                let q = [DQuat::IDENTITY, quarter, random.turn()][(random.unit() * 3.0) as usize];
                let (a, b) = (at(a, x, q), at(b, DVec3::ZERO, DQuat::IDENTITY));
                let found = separation(&a, &b);
                assert!(!found.distance.is_nan() && found.normal.is_finite(), "{found:?} at {x}, {q}");
                assert!(found.normal.length() > 0.9, "{found:?} at {x}, {q}");
                let near = distance(&a, &b);
                assert!(near.distance >= 0.0 && near.points.iter().all(|p| p.is_finite()), "{near:?}");
                overlap(&a, &b, None).unwrap();
                super::composite_contacts::contacts_of(&a, &b);
            }
        }
    }
}

/// Along a slow flight the last answer is the first guess, and the answer is that of a query without a start.
#[test]
fn a_witness_changes_nothing_but_the_time() {
    let (a, b) = (Geometry::new(&torus(1.0, 0.3, 24, 12)), Geometry::new(&ell(0.4)));
    let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
    for k in 0..400 {
        let s = f64::from(k) * 0.01;
        let a = at(&a, dvec3(3.0 - s, 0.2, 0.1 * s), DQuat::from_scaled_axis(dvec3(0.3 * s, s, 0.0)));
        let b = at(&b, DVec3::ZERO, DQuat::IDENTITY);
        let found = separate(&a, &b, &mut witness, &mut statistics).unwrap();
        let fresh = separation(&a, &b);
        assert!((found.distance - fresh.distance).abs() < 1e-13, "{found:?}, {fresh:?}");
    }
    assert_eq!(statistics.queries, 400);
}
