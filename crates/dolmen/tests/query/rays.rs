//! Rays against every shape: marching with signed distances, a second library, and what must hold exactly.

use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::query::{Crossing, QueryError, RayHit, cast_ray, cast_ray_all, contains};
use dolmen::shape::{Part, Shape, Sides};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{Ray, RayCast};
use parry3d_f64::shape as theirs;
use proptest::prelude::*;

use super::{arrange, convex, cuboid_mesh, floor, id, letter, orientation, pose, separation, solids, unit};

fn all(shape: &Shape, origin: DVec3, direction: DVec3) -> Vec<RayHit> {
    let bodies = arrange(&[(shape.clone(), Pose::IDENTITY)]);
    cast_ray_all(&bodies, origin, direction, f64::INFINITY).expect("a sound ray")
}

fn passages(shape: &Shape, origin: DVec3, direction: DVec3) -> Vec<(f64, DVec3, Crossing)> {
    all(shape, origin, direction).iter().map(|hit| (hit.distance, hit.normal, hit.crossing)).collect()
}

/// The steps of a march along a ray.
const STEPS: u32 = 200;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Marching: hits lie on the surface, and between them signed distances say inside and outside by turns. For sizes from
    /// a nanometre to a kilometre, and 10⁷ m away.
    #[test]
    fn hits_are_where_the_signed_distance_changes_its_sign(
        which in any::<prop::sample::Index>(),
        size in prop::sample::select(vec![1e-9_f64, 1.0, 1e3]),
        far in prop::sample::select(vec![0.0, 0.0, 1e7]),
        placed in pose(1.0),
        (start, reach, aim) in (unit(), 0.0..4.0_f64, unit()),
        length in prop::sample::select(vec![1e-200, 1.0, 1e200]),
    ) {
        // A nanometre is less than the last bit of 10⁷ m.
        let size = if far > 0.0 { size.max(1.0) } else { size };
        let shapes = solids(size);
        let shape = which.get(&shapes);
        let place = Pose { position: far * DVec3::ONE + size * placed.position, ..placed };
        let origin = place.point(size * reach * start);
        // At a point near the middle of the shape, so that most rays hit.
        let direction = place.point(0.5 * size * aim) - origin;
        prop_assume!(direction.length() > 1e-3 * size);
        let (direction, max) = (direction.normalize(), 8.0 * size);
        let bodies = arrange(&[(shape.clone(), place)]);
        let hits = cast_ray_all(&bodies, origin, length * direction, max).unwrap();
        // Ten roundings of the coordinates and of the size.
        let tolerance = 32.0 * f64::EPSILON * (far + 8.0 * size);
        let off = |p: DVec3| separation(shape, place.orientation.conjugate() * (p - place.position));

        let mut is_in = contains(&bodies, origin).unwrap() == [id(0)];
        if off(origin).abs() > tolerance {
            prop_assert_eq!(is_in, off(origin) < 0.0);
        } else {
            // On the surface it is where it goes.
            is_in = hits.first().is_some_and(|first| first.crossing == Crossing::Out);
        }
        for hit in &hits {
            prop_assert!((0.0..=max).contains(&hit.distance) && hit.body == id(0));
            prop_assert!(hit.point.distance(origin + hit.distance * direction) <= tolerance);
            prop_assert!(off(hit.point).abs() <= tolerance, "{shape:?}: off by {:e} m", off(hit.point));
            prop_assert!((hit.normal.length() - 1.0).abs() < 1e-14);
            prop_assert_eq!(hit.crossing, if is_in { Crossing::Out } else { Crossing::In });
            let along = hit.normal.dot(direction);
            prop_assert!(if is_in { along > -1e-7 } else { along < 1e-7 }, "{along:e}");
            is_in = !is_in;
        }
        let mut passed = 0;
        let inside_at_start = is_in != (hits.len() % 2 == 1);
        for k in 0..=STEPS {
            let t = max * f64::from(k) / f64::from(STEPS);
            while hits.get(passed).is_some_and(|hit| hit.distance < t) {
                passed += 1;
            }
            let expected = inside_at_start != (passed % 2 == 1);
            let found = off(origin + t * direction);
            prop_assert!(found.abs() <= tolerance || (found < 0.0) == expected,
                "{shape:?}: at {t} m the surface is {found:e} m away, hits at {:?}",
                hits.iter().map(|hit| hit.distance).collect::<Vec<_>>());
        }
        prop_assert_eq!(cast_ray(&bodies, origin, length * direction, max).unwrap(), hits.first().copied());
    }

    /// The normal at a hit on a convex solid: a little way along it, the surface is just as far away.
    #[test]
    fn normals_are_those_of_the_surface(
        which in any::<prop::sample::Index>(),
        turn in orientation(),
        start in unit(),
        aim in unit(),
    ) {
        let shapes = convex(1.0);
        let shape = which.get(&shapes);
        let place = Pose { position: DVec3::ZERO, orientation: turn };
        let bodies = arrange(&[(shape.clone(), place)]);
        let origin = 3.0 * start;
        for hit in cast_ray_all(&bodies, origin, 0.5 * aim - origin, 10.0).unwrap() {
            let out = 1e-3;
            let found = separation(shape, turn.conjugate() * (hit.point + out * hit.normal));
            // Along a normal at a point off by rounding; grazing by an angle a multiplies that by 1/a.
            prop_assert!((found - out).abs() < 1e-11, "{shape:?}: {found:e} m away, normal {}", hit.normal);
        }
    }

    /// A second opinion, by closed forms and by Minkowski portals.
    #[test]
    fn another_library_agrees(which in 0..7_usize, start in unit(), aim in unit(), from in 2.0..4.0_f64) {
        let shape = &convex(1.0)[which];
        let (origin, target) = (from * start, 0.6 * aim);
        let direction = (target - origin).normalize();
        let (shift, exact, other): (f64, bool, Box<dyn RayCast>) = match shape {
            Shape::Sphere { radius } => (0.0, true, Box::new(theirs::Ball::new(*radius))),
            Shape::Cuboid { half } => {
                // Their axes are ours, moved on by one.
                (0.0, true, Box::new(theirs::Cuboid::new(Vector::new(half.y, half.z, half.x))))
            }
            Shape::Capsule { radius, half_length } => (0.0, true, Box::new(theirs::Capsule::new_y(*half_length, *radius))),
            Shape::Cylinder { radius, half_length } => (0.0, false, Box::new(theirs::Cylinder::new(*half_length, *radius))),
            Shape::Cone { radius, height } => (0.5 * height, false, Box::new(theirs::Cone::new(0.5 * height, *radius))),
            Shape::Hull(hull) => {
                let points: Vec<Vector> = hull.vertices().iter().map(|v| Vector::new(v.y, v.z, v.x)).collect();
                (0.0, false, Box::new(theirs::ConvexPolyhedron::from_convex_hull(&points).unwrap()))
            }
            _ => return Ok(()),
        };
        let into = |v: DVec3| Vector::new(v.y, v.z, v.x);
        let ray = Ray::new(into(origin - dvec3(0.0, 0.0, shift)), into(direction));
        let found = other.cast_local_ray(&ray, 100.0, false);
        let ours = all(shape, origin, direction);
        // What passes within this of the surface may be seen either way.
        // Their iterations end at about 1e-6.
        let tolerance = if exact { 1e-12 } else { 1e-5 };
        match (ours.first(), found) {
            (Some(hit), Some(distance)) => {
                let graze = hit.normal.dot(direction).abs().max(1e-3);
                prop_assert!((hit.distance - distance).abs() < tolerance / graze, "{shape:?}: {} and {distance}", hit.distance);
            }
            (None, None) => {}
            (Some(hit), None) => {
                let middle = 0.5 * (hit.point + ours[1].point);
                let depth = separation(shape, middle);
                prop_assert!(depth > -1e-3, "{shape:?}: they miss what we are {depth} m deep in");
            }
            (None, Some(distance)) => {
                let off = separation(shape, origin + distance * direction);
                prop_assert!(off > 0.0 || off.abs() < tolerance, "{shape:?}: we miss a hit {off:e} m off");
            }
        }
    }

    /// Two boxes that touch are one solid: the same hits as on the mesh of both, with nothing in between.
    #[test]
    fn parts_that_touch_are_one_solid(start in unit(), aim in unit(), from in 0.0..4.0_f64) {
        let (mesh, boxes) = letter();
        let middle = dvec3(0.8, 0.5, 0.8);
        let origin = middle + from * start;
        let direction = middle + aim - origin;
        prop_assume!(direction.length() > 1e-3);
        let (a, b) = (all(&mesh, origin, direction), all(&boxes, origin, direction));
        let is_near = |hit: &RayHit| {
            // A graze along a face may be seen either way.
            let along = hit.normal.dot(direction.normalize()).abs();
            along > 1e-6
        };
        if a.iter().chain(&b).all(is_near) && separation(&mesh, origin).abs() > 1e-9 {
            prop_assert_eq!(a.len(), b.len(), "{:?} and {:?}", a, b);
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a.distance - b.distance).abs() < 1e-13, "{} and {}", a.distance, b.distance);
                // All faces are at whole numbers; on an edge the normals of both its faces are as good.
                let on_faces = a.point.to_array().iter().filter(|x| (**x - x.round()).abs() < 1e-9).count();
                prop_assert!(on_faces > 1 || a.normal.distance(b.normal) < 1e-13);
                prop_assert_eq!(a.crossing, b.crossing);
            }
        }
    }

    /// The tree leaves nothing out: as many hits as on each body alone, in order; and the first is the first.
    #[test]
    fn the_tree_finds_what_brute_force_finds(
        places in proptest::collection::vec(pose(6.0), 1..40),
        start in unit(),
        aim in unit(),
        max in 0.0..30.0_f64,
    ) {
        let shapes = solids(0.7);
        let scene: Vec<(Shape, Pose)> =
            places.iter().enumerate().map(|(i, place)| (shapes[i % shapes.len()].clone(), *place)).collect();
        let bodies = arrange(&scene);
        let (origin, direction) = (8.0 * start, 4.0 * aim - 8.0 * start);
        prop_assume!(direction.length() > 0.0);
        let mut expected = Vec::new();
        for (i, (shape, place)) in scene.iter().enumerate() {
            let alone = arrange(&[(shape.clone(), *place)]);
            let hits = cast_ray_all(&alone, origin, direction, max).unwrap();
            expected.extend(hits.into_iter().map(|hit| RayHit { body: id(i), ..hit }));
        }
        expected.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body)));
        let found = cast_ray_all(&bodies, origin, direction, max).unwrap();
        prop_assert_eq!(&found, &expected);

        // A tree that was made for other places, and refitted, answers with the same bits.
        let elsewhere: Vec<(Shape, Pose)> = scene.iter().map(|(shape, _)| (shape.clone(), scene[0].1)).collect();
        let mut moved = arrange(&elsewhere);
        moved.place(|body| scene[body.index()].1).unwrap();
        prop_assert_eq!(&cast_ray_all(&moved, origin, direction, max).unwrap(), &expected);
        prop_assert_eq!(cast_ray(&moved, origin, direction, max).unwrap(), expected.first().copied());
        prop_assert_eq!(cast_ray(&bodies, origin, direction, max).unwrap(), expected.first().copied());
    }
}

/// From inside a ray hits where it leaves, with the normal along it; from the surface inwards it hits at once.
#[test]
fn a_ray_from_inside_hits_where_it_leaves() {
    let ball = Shape::sphere(2.0).unwrap();
    assert_eq!(passages(&ball, DVec3::ZERO, DVec3::X), [(2.0, DVec3::X, Crossing::Out)]);
    assert_eq!(
        passages(&ball, dvec3(-3.0, 0.0, 0.0), DVec3::X),
        [(1.0, -DVec3::X, Crossing::In), (5.0, DVec3::X, Crossing::Out)]
    );
    assert_eq!(
        passages(&ball, dvec3(-2.0, 0.0, 0.0), DVec3::X),
        [(0.0, -DVec3::X, Crossing::In), (4.0, DVec3::X, Crossing::Out)]
    );
    assert_eq!(passages(&ball, dvec3(2.0, 0.0, 0.0), DVec3::X), [(0.0, DVec3::X, Crossing::Out)]);
    assert_eq!(passages(&ball, dvec3(3.0, 0.0, 0.0), DVec3::X), []);
    for shape in convex(1.0) {
        let middle = if matches!(shape, Shape::Cone { .. }) { dvec3(0.0, 0.0, 0.1) } else { DVec3::ZERO };
        for direction in [DVec3::X, -DVec3::Y, DVec3::Z, dvec3(1.0, 1.0, -1.0)] {
            let hits = all(&shape, middle, direction);
            assert_eq!(hits.len(), 1, "{shape:?} along {direction}: {hits:?}");
            assert_eq!(hits[0].crossing, Crossing::Out);
            assert!(hits[0].normal.dot(direction) > 0.0);
        }
    }
}

/// What only touches is not hit: tangents, faces, edges, corners, rims, the apex of a cone; a hair's breadth inside is.
#[test]
fn touching_is_not_hitting() {
    let far = 5.0;
    let cases = [
        (Shape::sphere(1.0).unwrap(), dvec3(-far, 1.0, 0.0), DVec3::X, -DVec3::Y),
        (Shape::cuboid(DVec3::ONE).unwrap(), dvec3(-far, 1.0, 0.5), DVec3::X, -DVec3::Y),
        (Shape::cuboid(DVec3::ONE).unwrap(), dvec3(-far, 1.0, 1.0), DVec3::X, -DVec3::Y - DVec3::Z),
        (Shape::cuboid(DVec3::ONE).unwrap(), dvec3(-1.0, 3.0, 0.0), dvec3(1.0, -1.0, 0.0), -DVec3::Y),
        (cuboid_mesh(-DVec3::ONE, DVec3::ONE).into(), dvec3(-far, 1.0, 0.5), DVec3::X, -DVec3::Y),
        (Shape::cylinder(1.0, 2.0).unwrap(), dvec3(1.0, 0.0, -far), DVec3::Z, -DVec3::X),
        (Shape::cylinder(1.0, 2.0).unwrap(), dvec3(-far, 0.0, 2.0), DVec3::X, -DVec3::Z),
        (Shape::capsule(1.0, 2.0).unwrap(), dvec3(0.0, 1.0, -far), DVec3::Z, -DVec3::Y),
        (Shape::cone(1.0, 2.0).unwrap(), dvec3(-far, 0.0, 2.0), DVec3::X, -DVec3::Z),
        (Shape::cone(1.0, 2.0).unwrap(), dvec3(-far, 0.0, 0.0), DVec3::X, DVec3::Z),
        // Along a side of the cone, from the base to the apex.
        (Shape::cone(1.0, 2.0).unwrap(), dvec3(2.0, 0.0, -2.0), dvec3(-1.0, 0.0, 2.0), -DVec3::X),
        (Shape::ellipsoid(dvec3(1.0, 2.0, 3.0)).unwrap(), dvec3(-far, 2.0, 0.0), DVec3::X, -DVec3::Y),
    ];
    for (shape, origin, direction, inwards) in cases {
        assert_eq!(passages(&shape, origin, direction), [], "{shape:?}");
        assert_eq!(passages(&shape, origin - 1e-6 * inwards, direction), [], "{shape:?}");
        let hits = all(&shape, origin + 1e-6 * inwards, direction);
        assert_eq!(hits.len(), 2, "{shape:?}: {hits:?}");
    }
}

/// Axes of symmetry, where the quadratic equations degenerate.
#[test]
fn rays_along_the_axes_are_exact() {
    let down = |shape: Shape| -> Vec<f64> {
        let hits = all(&shape, dvec3(0.0, 0.0, 10.0), -DVec3::Z);
        assert!(hits.iter().all(|hit| hit.normal.length() == 1.0), "{shape:?}: {hits:?}");
        hits.iter().map(|hit| hit.distance).collect()
    };
    assert_eq!(down(Shape::sphere(1.0).unwrap()), [9.0, 11.0]);
    assert_eq!(down(Shape::cuboid(dvec3(1.0, 2.0, 3.0)).unwrap()), [7.0, 13.0]);
    assert_eq!(down(Shape::capsule(1.0, 2.0).unwrap()), [7.0, 13.0]);
    assert_eq!(down(Shape::cylinder(1.0, 2.0).unwrap()), [8.0, 12.0]);
    assert_eq!(down(Shape::cone(1.0, 2.0).unwrap()), [8.0, 10.0]);
    assert_eq!(down(Shape::ellipsoid(dvec3(1.0, 2.0, 3.0)).unwrap()), [7.0, 13.0]);
    assert_eq!(down(Shape::disc(1.0).unwrap()), [10.0]);
    // Parallel to the side of a cone, a quarter of its radius inside: through the base and the far side.
    let hits = all(&Shape::cone(1.0, 2.0).unwrap(), dvec3(1.75, 0.0, -2.0), dvec3(-1.0, 0.0, 2.0));
    assert_eq!(hits.len(), 2);
    assert!(hits[0].point.distance(dvec3(0.75, 0.0, 0.0)) < 1e-15, "{hits:?}");
    // Where x = ¾ − z/2 meets −x = 1 − z/2: z = 7/4, x = −1/8.
    assert!(hits[1].point.distance(dvec3(-0.125, 0.0, 1.75)) < 1e-15, "{hits:?}");
}

/// Discs and planes are passed through, with the normal to the side the ray came from; a plane touched from its front only
/// is a solid behind, or, if finite, not there from behind.
#[test]
fn sheets_are_passed_through() {
    let (above, below) = (dvec3(0.1, 0.0, 2.0), dvec3(0.1, 0.0, -3.0));
    let sheets = [
        Shape::disc(1.0).unwrap(),
        floor().into(),
        floor().circular(DVec3::ZERO, 1.0).unwrap().into(),
        floor().square(DVec3::ZERO, 1.0, DVec3::X).unwrap().into(),
    ];
    for sheet in sheets {
        assert_eq!(passages(&sheet, above, -DVec3::Z), [(2.0, DVec3::Z, Crossing::Through)], "{sheet:?}");
        assert_eq!(passages(&sheet, below, DVec3::Z), [(3.0, -DVec3::Z, Crossing::Through)], "{sheet:?}");
        assert_eq!(passages(&sheet, above, DVec3::Z), [], "{sheet:?}");
        assert_eq!(passages(&sheet, above, DVec3::X), [], "{sheet:?}");
        assert_eq!(passages(&sheet, dvec3(-3.0, 0.0, 0.0), DVec3::X), [], "{sheet:?}: within it");
        let is_whole = sheet == floor().into();
        let beside = passages(&sheet, dvec3(1.5, 0.0, 2.0), -DVec3::Z);
        assert_eq!(beside.len(), usize::from(is_whole), "{sheet:?}");
    }
    // A corner of the square, beyond the circle.
    let square: Shape = floor().square(DVec3::ZERO, 1.0, DVec3::X).unwrap().into();
    assert_eq!(passages(&square, dvec3(0.9, -0.9, 1.0), -DVec3::Z).len(), 1);
    let front = floor().with_sides(Sides::Front);
    assert_eq!(passages(&front.into(), above, -DVec3::Z), [(2.0, DVec3::Z, Crossing::In)]);
    assert_eq!(passages(&front.into(), below, DVec3::Z), [(3.0, DVec3::Z, Crossing::Out)]);
    let piece: Shape = front.circular(DVec3::ZERO, 1.0).unwrap().into();
    assert_eq!(passages(&piece, above, -DVec3::Z), [(2.0, DVec3::Z, Crossing::Through)]);
    assert_eq!(passages(&piece, below, DVec3::Z), []);
}

/// A ball that stands out of the ground: one solid without end, into which a ray goes once; from within, nothing of it is
/// seen until the ray leaves the ground.
#[test]
fn the_ground_is_part_of_a_compound_like_any_other() {
    let part = |shape: Shape, z: f64| Part {
        shape,
        pose: Pose { position: dvec3(0.0, 0.0, z), orientation: DQuat::IDENTITY },
    };
    let ground = floor().with_sides(Sides::Front);
    let ball = Shape::sphere(1.0).unwrap();
    let hill =
        Shape::compound(vec![part(ground.into(), 0.0), part(ball.clone(), 0.5), part(ball, -5.0)]).unwrap();
    assert_eq!(passages(&hill, dvec3(0.0, 0.0, 4.0), -DVec3::Z), [(2.5, DVec3::Z, Crossing::In)]);
    assert_eq!(passages(&hill, dvec3(0.0, 0.0, -9.0), DVec3::Z), [(10.5, DVec3::Z, Crossing::Out)]);
    assert_eq!(passages(&hill, dvec3(-9.0, 0.0, -5.0), DVec3::X), []);
    assert_eq!(passages(&hill, dvec3(-9.0, 0.0, 0.5), DVec3::X).len(), 2);
}

/// A ray that starts on an edge of a mesh and leaves it at once is not inside for ever after.
#[test]
fn a_ray_from_an_edge_of_a_mesh_is_outside() {
    let (mesh, _) = letter();
    for k in 0..100 {
        let y = f64::from(k) / 100.0;
        let direction = dvec3(0.77, y - 0.4, -0.62);
        let hits = all(&mesh, dvec3(0.0, y, 0.0), direction);
        assert!(hits.iter().all(|hit| hit.distance < 1e-15), "{hits:?}");
        assert!(hits.last().is_none_or(|hit| hit.crossing == Crossing::Out), "{hits:?}");
    }
}

/// Equal distances are ordered by id, whatever the order in the tree.
#[test]
fn ties_go_to_the_lowest_id() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let places =
        [4.0, -4.0, 0.0].map(|y| Pose { position: dvec3(0.0, y, 0.0), orientation: DQuat::IDENTITY });
    let mut scene: Vec<(Shape, Pose)> = places.iter().map(|place| (cube.clone(), *place)).collect();
    scene.push((cube, places[2]));
    let bodies = arrange(&scene);
    let hit = cast_ray(&bodies, dvec3(-5.0, 0.0, 0.0), DVec3::X, 100.0).unwrap().unwrap();
    assert_eq!((hit.body, hit.distance), (id(2), 4.0));
    let hits = cast_ray_all(&bodies, dvec3(-5.0, 0.0, 0.0), DVec3::X, 100.0).unwrap();
    let order: Vec<_> = hits.iter().map(|hit| (hit.distance, hit.body)).collect();
    assert_eq!(order, [(4.0, id(2)), (4.0, id(3)), (6.0, id(2)), (6.0, id(3))]);
}

/// The end of the ray belongs to it, and infinity is an end.
#[test]
fn rays_end_where_they_are_told() {
    let bodies = arrange(&[(Shape::sphere(1.0).unwrap(), Pose::IDENTITY)]);
    let first = |max: f64| cast_ray(&bodies, dvec3(-3.0, 0.0, 0.0), dvec3(7.0, 0.0, 0.0), max).unwrap();
    assert!(first(2.0).is_some() && first(f64::INFINITY).is_some());
    assert!(first(2.0_f64.next_down()).is_none() && first(0.0).is_none());
    let hits = cast_ray_all(&bodies, dvec3(-3.0, 0.0, 0.0), DVec3::X, 3.9).unwrap();
    assert_eq!(hits.len(), 1);
}

/// Rays that are none are refused in words.
#[test]
fn rays_that_are_none_are_refused() {
    let bodies = arrange(&[(Shape::sphere(1.0).unwrap(), Pose::IDENTITY)]);
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, dvec3(0.0, f64::NAN, 1.0)] {
        assert!(matches!(cast_ray(&bodies, DVec3::ZERO, direction, 1.0), Err(QueryError::Direction { .. })));
    }
    for origin in [DVec3::NAN, dvec3(f64::INFINITY, 0.0, 0.0)] {
        assert!(matches!(cast_ray_all(&bodies, origin, DVec3::X, 1.0), Err(QueryError::NotFinite { .. })));
    }
    for max in [f64::NAN, -1.0] {
        assert!(matches!(cast_ray(&bodies, DVec3::ZERO, DVec3::X, max), Err(QueryError::Reach { .. })));
    }
    insta::assert_snapshot!(cast_ray(&bodies, DVec3::ZERO, DVec3::ZERO, 1.0).unwrap_err(), @"the direction of the ray is (0.0, 0.0, 0.0); it must be finite, and of a length other than 0");
    insta::assert_snapshot!(cast_ray(&bodies, DVec3::ZERO, DVec3::X, -1.0).unwrap_err(), @"the ray goes up to -1.0 m; give 0 or more, infinity for a ray without end");
    assert_eq!(cast_ray(&arrange(&[]), DVec3::ZERO, DVec3::X, 1.0), Ok(None));
}
