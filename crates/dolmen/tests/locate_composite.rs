//! The first instant at which meshes and compounds touch, against closed forms, convex shapes and dense sampling.

#[path = "narrow_phase/meshes.rs"]
mod meshes;

use dolmen::body::{BodyState, Inertia};
use dolmen::locate::{Bodies, Encounter, Meeting};
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Flight, Motion, Prescribed};
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Witness, separate};
use dolmen::shape::{Part, Plane, Shape, Sides};
use meshes::{box_mesh, crack, cup, ell, spike, torus, triangles, wedge};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

struct Random(Pcg64Mcg);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }
}

fn flight(position: DVec3, velocity: DVec3, spin: DVec3, gravity: DVec3) -> Flight {
    let inertia = Inertia::principal(1.0, dvec3(0.2, 0.3, 0.4));
    let pose = Pose { position, orientation: DQuat::IDENTITY };
    Flight::new(&inertia, &BodyState::new(&inertia, &pose, &Twist { velocity, spin }), gravity, 0.0)
}

fn still(position: DVec3) -> Prescribed {
    Prescribed::Still(Pose { position, orientation: DQuat::IDENTITY })
}

fn bodies(a: &Shape, b: &Shape) -> Bodies {
    Bodies::new((a, DVec3::ZERO), (b, DVec3::ZERO)).unwrap()
}

fn touch(found: &Encounter) -> f64 {
    match found.search.meeting {
        Meeting::Touch { t, .. } => t,
        other => panic!("no touch: {other:?}"),
    }
}

/// The signed separation at an instant.
fn separation(a: &Geometry, b: &Geometry, pose_a: Pose, pose_b: Pose) -> f64 {
    let (a, b) = (Placed { geometry: a, pose: pose_a }, Placed { geometry: b, pose: pose_b });
    separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default()).unwrap().distance
}

/// The first instant by dense sampling, and the bracket around it halved: apart at its start, overlapping at its end.
fn sampled(shapes: [&Shape; 2], motions: [&dyn Motion; 2], t_1: f64, steps: u32) -> Option<f64> {
    let (a, b) = (Geometry::new(shapes[0]), Geometry::new(shapes[1]));
    let at = |t: f64| separation(&a, &b, motions[0].pose(t), motions[1].pose(t));
    let time = |k: u32| t_1 * f64::from(k) / f64::from(steps);
    let hit = (1..=steps).find(|k| at(time(*k)) < 0.0)?;
    let (mut low, mut high) = (time(hit - 1), time(hit));
    while high - low > 1e-13 {
        let middle = 0.5 * (low + high);
        (low, high) = if at(middle) < 0.0 { (low, middle) } else { (middle, high) };
    }
    Some(high)
}

/// A cube falls by 0.05 m on a floor of many triangles: √(2h/g), whatever lies inside of the floor. (CASES A07,
/// internal-edges)
#[test]
fn a_cube_falls_on_internal_edges() {
    let gravity = dvec3(0.0, -9.8, 0.0);
    let expected = (2.0 * 0.05 / 9.8_f64).sqrt();
    let cubes = [Shape::cuboid(DVec3::splat(0.5)).unwrap(), box_mesh(DVec3::splat(0.5), 1)];
    let floor = box_mesh(dvec3(1.0, 0.5, 1.0), 4);
    for cube in &cubes {
        let body = flight(dvec3(0.0, 0.05, 0.0), DVec3::ZERO, DVec3::ZERO, gravity);
        for swap in [false, true] {
            let still = still(dvec3(0.0, -1.0, 0.0));
            let found = if swap {
                bodies(&floor, cube).first_contact(&still, &body, 0.0, 1.0)
            } else {
                bodies(cube, &floor).first_contact(&body, &still, 0.0, 1.0)
            };
            let t = touch(&found);
            assert!((t - expected).abs() < 1e-14, "t = {t}, expected {expected}");
            let Meeting::Touch { normal, .. } = found.search.meeting else { unreachable!() };
            assert!(normal.y.abs() > 1.0 - 1e-12, "{found:?}");
        }
    }
}

/// Spikes and wedges over a crack, thrown sideways: against dense sampling. (CASES A07, spike-in-crack, wedge-in-crack)
#[test]
fn spikes_and_wedges_fall_into_a_crack() {
    let gravity = dvec3(0.0, -9.8, 0.0);
    for (shape, push) in [(spike(), 0.001), (wedge(1.0), 0.01), (spike(), 1.0)] {
        for (width, depth) in [(0.5, 0.9), (0.1, 0.9), (0.3, 0.2)] {
            let ground = crack(width, depth);
            for height in [1e-4, 0.3] {
                let start = dvec3(-0.05, height, 0.0);
                let body = flight(start, dvec3(1.0, 0.0, 0.0), DVec3::ZERO, gravity + push * DVec3::X);
                let fixed = still(DVec3::ZERO);
                let found = bodies(&shape, &ground).first_contact(&body, &fixed, 0.0, 1.0);
                let t = touch(&found);
                let known = sampled([&shape, &ground], [&body, &fixed], 1.0, 4000).unwrap();
                assert!(
                    (t - known).abs() < 1e-10,
                    "t = {t}, sampled {known}, crack {width} × {depth} from {height}"
                );
            }
        }
    }
}

/// Vertex on vertex, ridge on parallel ridge, vertex on ridge: 0.1 mm down at 9.8 m/s². (CASES A07, spikes and wedges)
#[test]
fn points_and_ridges_meet_when_they_should() {
    let expected = 0.00451753951453;
    let turned = DQuat::from_rotation_z(std::f64::consts::PI);
    for (a, b) in [(spike(), spike()), (wedge(1.0), wedge(1.0)), (spike(), wedge(1.0)), (wedge(1.0), spike())]
    {
        let body = flight(dvec3(0.0, 1e-4, 0.0), DVec3::ZERO, DVec3::ZERO, dvec3(0.0, -9.8, 0.0));
        let fixed = Prescribed::Still(Pose { position: DVec3::ZERO, orientation: turned });
        let found = bodies(&a, &b).first_contact(&body, &fixed, 0.0, 1.0);
        assert!((touch(&found) - expected).abs() < 1e-13, "{found:?}");
    }
}

/// A spike slides 0.1 mm over a floor of triangles for 10 m: nothing happens. (CASES A07, sliding-spike)
#[test]
fn sliding_over_triangles_touches_nothing() {
    let floor = box_mesh(dvec3(20.0, 0.5, 2.0), 3);
    for shape in [spike(), wedge(0.5), Shape::cuboid(dvec3(0.3, 0.3, 0.3)).unwrap()] {
        let lift = if matches!(shape, Shape::Cuboid { .. }) { 0.3 } else { 0.0 };
        let body = flight(dvec3(-5.0, 1e-4 + lift, 0.0), dvec3(10.0, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO);
        let found = bodies(&shape, &floor).first_contact(&body, &still(dvec3(0.0, -0.5, 0.0)), 0.0, 1.0);
        assert_eq!(found.search.meeting, Meeting::Apart);
        assert!(found.search.steps < 5000, "{} steps", found.search.steps);
    }
}

/// The same box as one, as a mesh and as two halves meets a tumbling box at the same instant.
#[test]
fn one_solid_in_three_forms_is_met_at_one_instant() {
    let mut random = Random(Pcg64Mcg::seed_from_u64(21));
    let half = dvec3(0.5, 0.4, 0.3);
    let own = dvec3(0.25, 0.4, 0.3);
    let piece = |x: f64| Part {
        shape: Shape::cuboid(own).unwrap(),
        pose: Pose { position: dvec3(x, 0.0, 0.0), orientation: DQuat::IDENTITY },
    };
    let forms = [box_mesh(half, 2), Shape::compound(vec![piece(-0.25), piece(0.25)]).unwrap()];
    let solid = Shape::cuboid(half).unwrap();
    let other = dvec3(0.3, 0.6, 0.2);
    let others = [Shape::cuboid(other).unwrap(), box_mesh(other, 2)];
    let mut touches = 0;
    for _ in 0..25 {
        let from = 2.5 * random.vector().normalize();
        let towards = -2.0 * from + random.vector();
        let a = flight(from, towards, 10.0 * random.vector(), dvec3(0.0, -9.8, 0.0));
        let b = flight(0.3 * random.vector(), DVec3::ZERO, 5.0 * random.vector(), dvec3(0.0, -9.8, 0.0));
        let known = sampled([&others[0], &solid], [&a, &b], 2.0, 4000);
        let (g, h) = (Geometry::new(&others[0]), Geometry::new(&solid));
        for (form, guest) in forms.iter().flat_map(|f| others.iter().map(move |g| (f, g))) {
            let found = bodies(guest, form).first_contact(&a, &b, 0.0, 2.0);
            match (known, found.search.meeting) {
                (Some(t), Meeting::Touch { t: s, .. }) => {
                    touches += 1;
                    assert!((t - s).abs() < 1e-12, "{s}, sampled {t}");
                }
                // Sampling may step over a graze.
                (None, Meeting::Touch { t, .. }) => {
                    let gap = separation(&g, &h, a.pose(t), b.pose(t));
                    assert!(gap.abs() < 1e-12, "gap {gap:e} at {t}");
                }
                (x, y) => assert!(x.is_none() && y == Meeting::Apart, "{y:?}, sampled {x:?}"),
            }
        }
    }
    assert!(touches > 40, "{touches}");
}

/// Tumbling rings, angles and cups: the surfaces do not meet before the instant found, and do after it.
#[test]
fn tumbling_meshes_meet_when_sampling_says_so() {
    let mut random = Random(Pcg64Mcg::seed_from_u64(22));
    let shapes = [torus(1.0, 0.2, 12, 6), ell(0.3), cup(0.6, 0.5, 0.8, 0.1, 8), spike()];
    let (mut touches, mut misses) = (0, 0);
    for k in 0..16 {
        let (p, q) = (&shapes[k % 4], &shapes[(k / 4) % 4]);
        let from = 4.0 * random.vector().normalize();
        let a = flight(from, -2.0 * from + 1.5 * random.vector(), 4.0 * random.vector(), DVec3::ZERO);
        let b = flight(DVec3::ZERO, DVec3::ZERO, 2.0 * random.vector(), DVec3::ZERO);
        let found = bodies(p, q).first_contact(&a, &b, 0.0, 1.0);
        match (found.search.meeting, sampled([p, q], [&a, &b], 1.0, 1000)) {
            (Meeting::Touch { t, .. }, Some(known)) => {
                touches += 1;
                // Sampling may step over a graze; it never sees an overlap that is not there.
                assert!(t <= known + 1e-11, "t = {t}, sampled {known}");
                let (g, h) = (Geometry::new(p), Geometry::new(q));
                let gap = separation(&g, &h, a.pose(t), b.pose(t));
                assert!(gap.abs() < 1e-12, "gap {gap:e} at {t}");
            }
            (Meeting::Apart, None) => misses += 1,
            (Meeting::Touch { t, .. }, None) => {
                let (g, h) = (Geometry::new(p), Geometry::new(q));
                let gap = separation(&g, &h, a.pose(t), b.pose(t));
                assert!(gap.abs() < 1e-12, "gap {gap:e} at {t}");
            }
            (x, y) => panic!("{x:?}, sampled {y:?}"),
        }
    }
    assert!(touches > 5, "{touches} touches, {misses} misses");
}

/// A bullet a thousand times smaller than its step does not pass through the thin wall of a cup.
#[test]
fn bullets_do_not_pass_through_walls() {
    let mut random = Random(Pcg64Mcg::seed_from_u64(23));
    let mug = cup(1.0, 0.999, 2.0, 0.001, 24);
    let walls = triangles(&mug, |p| p);
    let bullets = [Shape::cuboid(DVec3::splat(1e-3)).unwrap(), box_mesh(DVec3::splat(1e-3), 1)];
    for k in 0..20 {
        let aim = dvec3(0.5, 0.5, 1.9) * random.vector() + dvec3(0.0, 0.0, 1.0);
        let from = aim + 50.0 * random.vector().normalize();
        let way = (aim - from) * 2.0;
        let body = flight(from, way, 300.0 * random.vector(), DVec3::ZERO);
        let found = bodies(&bullets[k % 2], &mug).first_contact(&body, &still(DVec3::ZERO), 0.0, 1.0);
        // The centre's line meets the wall at most a diagonal of the bullet later, or passes it by.
        let hit = walls.iter().filter_map(|[a, b, c]| {
            let n = (*b - *a).cross(*c - *a);
            let t = n.dot(*a - from) / n.dot(way);
            let x = from + way * t;
            let inside =
                [(a, b), (b, c), (c, a)].iter().all(|(p, q)| n.dot((**q - **p).cross(x - **p)) >= 0.0);
            (inside && (0.0..=1.0).contains(&t)).then_some(t)
        });
        let first = hit.fold(f64::INFINITY, f64::min);
        match found.search.meeting {
            Meeting::Touch { t, .. } => assert!(t <= first + 1e-12, "t = {t}, the centre at {first}"),
            other => assert!(first == f64::INFINITY, "{other:?}, but the centre passes a wall at {first}"),
        }
    }
}

/// What is inside of a mesh at the start overlaps; what touches and parts is no touch, what stays is one.
#[test]
fn starts_are_told_apart() {
    let ring = torus(2.0, 0.5, 24, 12);
    let pebble = box_mesh(DVec3::splat(0.1), 1);
    let inside = flight(dvec3(2.0, 0.0, 0.0), dvec3(0.0, 0.0, 1.0), DVec3::ZERO, DVec3::ZERO);
    let found = bodies(&pebble, &ring).first_contact(&inside, &still(DVec3::ZERO), 0.0, 1.0);
    assert!(matches!(found.search.meeting, Meeting::Overlap { depth } if depth > 0.2), "{found:?}");

    let floor = box_mesh(dvec3(2.0, 0.5, 2.0), 3);
    let gravity = dvec3(0.0, -9.8, 0.0);
    for (name, cube) in
        [("box", Shape::cuboid(DVec3::splat(0.5)).unwrap()), ("mesh", box_mesh(DVec3::splat(0.5), 2))]
    {
        let fixed = still(dvec3(0.0, -0.5, 0.0));
        let parting = flight(dvec3(0.1, 0.5, 0.2), dvec3(0.0, 3.0, 0.0), DVec3::ZERO, gravity);
        let again = touch(&bodies(&cube, &floor).first_contact(&parting, &fixed, 0.0, 2.0));
        assert!((again - 6.0 / 9.8).abs() < 1e-14, "{name} comes down again at {again}");
        let resting = flight(dvec3(0.1, 0.5, 0.2), DVec3::ZERO, DVec3::ZERO, gravity);
        assert_eq!(touch(&bodies(&cube, &floor).first_contact(&resting, &fixed, 0.0, 2.0)), 0.0, "{name}");
    }
}

/// Infinite planes meet the hull of a mesh first, at the instant known for its lowest corner.
#[test]
fn meshes_fall_on_planes() {
    let gravity = dvec3(0.0, -9.8, 0.0);
    let floor: Shape = Plane::new(DVec3::Y, 0.0).unwrap().with_sides(Sides::Front).into();
    let two = Shape::compound(vec![
        Part { shape: ell(0.5), pose: Pose { position: dvec3(3.0, 0.5, 0.0), orientation: DQuat::IDENTITY } },
        Part {
            shape: torus(1.0, 0.25, 12, 8),
            pose: Pose { position: dvec3(0.0, 2.0, 0.0), orientation: DQuat::IDENTITY },
        },
    ])
    .unwrap();
    for (shape, low, part) in [(ell(0.5), 0.0, 0), (crack(0.5, 0.6), -1.0, 0), (two, 0.5, 0)] {
        let body = flight(dvec3(0.0, 2.0, 0.0), DVec3::ZERO, DVec3::ZERO, gravity);
        let found = bodies(&shape, &floor).first_contact(&body, &still(DVec3::ZERO), 0.0, 2.0);
        let expected = (2.0 * (2.0 + low) / 9.8_f64).sqrt();
        assert!((touch(&found) - expected).abs() < 1e-14, "{found:?}, expected {expected}");
        assert_eq!(found.members.map(|m| m[0].part), Some(part), "{found:?}");
    }
}

/// The first part to touch is named: the second step of a stair is higher.
#[test]
fn the_part_that_is_met_is_named() {
    let step = |x: f64, top: f64| Part {
        shape: Shape::cuboid(dvec3(0.5, 0.5, 0.5)).unwrap(),
        pose: Pose { position: dvec3(x, top - 0.5, 0.0), orientation: DQuat::IDENTITY },
    };
    let stair = Shape::compound(vec![step(0.0, 0.0), step(1.0, 0.2), step(2.0, 0.1)]).unwrap();
    let plank = Shape::cuboid(dvec3(2.0, 0.1, 0.4)).unwrap();
    let body = flight(dvec3(1.0, 1.0, 0.0), DVec3::ZERO, DVec3::ZERO, dvec3(0.0, -9.8, 0.0));
    let found = bodies(&plank, &stair).first_contact(&body, &still(DVec3::ZERO), 0.0, 1.0);
    assert!((touch(&found) - (2.0 * 0.7 / 9.8_f64).sqrt()).abs() < 1e-14, "{found:?}");
    assert_eq!(found.members.map(|m| m[1].part), Some(1), "{found:?}");
}

/// Two flat lids in one plane slide into each other edge on: they meet when the edges do, not at the start.
#[test]
fn coplanar_triangles_meet_edge_on() {
    let lid = box_mesh(dvec3(1.0, 0.1, 1.0), 1);
    let a = flight(dvec3(-3.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO);
    let found = bodies(&lid, &lid).first_contact(&a, &still(DVec3::ZERO), 0.0, 4.0);
    assert!((touch(&found) - 1.0).abs() < 1e-14, "{found:?}");
}

/// A block that lies with one edge on another block of triangles and turns down onto it is found where it lies flat, though it
/// touched, within the slack, all along. Members that meet are no distance apart, and no depth was computed.
#[test]
fn what_touches_along_an_edge_is_found_when_it_lies_down() {
    let (tilt, spin) = (1.7e-3, 2.8);
    let upper = box_mesh(dvec3(0.25, 0.2, 0.3), 1);
    let lower = box_mesh(dvec3(0.25, 0.5, 1.0), 1);
    let geometries = [Geometry::new(&upper), Geometry::new(&lower)];
    // About the edge at x = 0, y = 0 of both.
    let arm = DQuat::from_rotation_z(tilt) * dvec3(0.25, 0.2, 0.0);
    let pose = Pose { position: arm, orientation: DQuat::from_rotation_z(tilt) };
    let inertia = Inertia::principal(1.0, dvec3(0.2, 0.3, 0.4));
    let spin = dvec3(0.0, 0.0, -spin);
    for lift in [0.0, 1e-6] {
        let twist = Twist { velocity: spin.cross(arm) + lift * DVec3::Y, spin };
        let upper_moves = Flight::new(&inertia, &BodyState::new(&inertia, &pose, &twist), DVec3::ZERO, 0.0);
        let lower_stays = still(dvec3(0.25, -0.5, 0.0));
        let mut bodies = bodies(&upper, &lower);
        let slack = 1e-9;
        let found = bodies.first_overlap([&upper_moves, &lower_stays], (0.0, 2e-3), slack);
        let t = touch(&found);
        let expected = tilt / -spin.z;
        let deep = separation(&geometries[0], &geometries[1], upper_moves.pose(t), lower_stays.pose(t));
        assert!((t - expected).abs() < 1e-5, "{t}, not {expected}");
        assert!(deep > -1e-7, "{deep:e} m deep at {t}");
    }
}
