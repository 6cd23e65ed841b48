//! Particles and bodies of points that meet planes and bodies. [SYSTEM A1; NOTES I, II]

use std::fmt::Write as _;
use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::drive::intro::{IntroSettings, IntroSimulation, LocateRule};
use dolmen::math::{DVec3, dvec3, real};
use dolmen::record::EventKind;
use dolmen::scene::Document;
use dolmen::world::World;

const G: f64 = 9.81;

/// The simulation of a scene; gravity points down.
fn simulation(text: &str) -> Simulation {
    let text = format!("format = 1\ngravity = [0, 0, -{G}]\n{text}");
    let document = Document::parse("particles", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

/// Position and velocity of a particle of the first set.
fn particle(simulation: &Simulation, index: usize) -> (DVec3, DVec3) {
    let set = simulation.world().set_ids().next().expect("a set");
    let (positions, velocities) = simulation.particles(set);
    (positions[index], velocities[index])
}

/// That the ledger balances to `share` of the energy at the start.
fn assert_balanced(simulation: &Simulation, start: f64, share: f64) {
    let ledger = simulation.ledger();
    let off = ledger.kinetic + ledger.potential + ledger.collisions + ledger.friction + ledger.closing
        - ledger.work
        - start;
    assert!(off.abs() <= share * start.abs().max(1.0), "off by {off:e} J of {start} J: {ledger:?}");
}

fn energy(simulation: &Simulation) -> f64 {
    let ledger = simulation.ledger();
    ledger.kinetic + ledger.potential
}

const FLOOR: &str = "[[body]]\nname = \"floor\"\nkind = \"fixed\"\n\
                     shape = { kind = \"plane\", normal = [0, 0, 1] }\n";

/// The notes' first example: dropped from h it bounces back with ε √(2gh), and the series of bounces ends after
/// √(2h/g) (1 + ε)/(1 − ε).
#[test]
fn a_particle_dropped_on_a_floor_bounces_and_comes_to_rest_at_the_limit_of_its_bounces() {
    let (h, e) = (1.3_f64, 0.5);
    let mut run = simulation(&format!(
        "contact = {{ restitution = {e} }}\n{FLOOR}\n[[particles]]\nname = \"drop\"\nmass = 0.2\npositions = [[0.3, 0.1, {h}]]\n"
    ));
    let start = energy(&run);
    let fall = (2.0 * h / G).sqrt();
    run.advance(fall + 1e-3).expect("a bounce");
    let (_, v) = particle(&run, 0);
    assert!((v.z - (e * G * fall - G * 1e-3)).abs() < 1e-12, "{v}");
    let limit = fall * (1.0 + e) / (1.0 - e);
    run.advance(3.0 * limit).expect("rest");
    let settled = run.events().iter().find(|event| event.kind == EventKind::Settled).expect("an end");
    assert!((settled.t - limit).abs() < 1e-9 * limit, "{} instead of {limit}", settled.t);
    let (x, v) = particle(&run, 0);
    assert!(x.distance(dvec3(0.3, 0.1, 0.0)) < 1e-12 && v == DVec3::ZERO, "{x} {v}");
    assert_eq!(run.world().body_name(settled.bodies[1]), "drop[0]");
    assert_balanced(&run, start, 1e-10);
}

/// A point mass on an incline slides with g (sin a − μ cos a), or sticks; it has no spin to share energy with.
#[test]
fn a_point_mass_on_an_incline_slides_as_the_textbook_says() {
    let (s, c) = (0.5, 0.75_f64.sqrt());
    for (friction, expected) in [(0.0, G * s), (0.4, G * (s - 0.4 * c)), (0.7, 0.0)] {
        let mut run = simulation(&format!(
            "contact = {{ friction = {friction} }}\n\
             [[body]]\nname = \"slope\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [-0.5, 0, {c}], sides = \"front\" }}\n\
             [[body]]\nname = \"stone\"\nmass = 2\nshape = {{ kind = \"point\" }}\n"
        ));
        let start = energy(&run);
        run.advance(1.0).expect("sliding");
        let stone = run.world().find_body("stone").expect("a body");
        let along = dvec3(-c, 0.0, -s);
        let (x, v) = (run.pose(stone).position, run.twist(stone).velocity);
        assert!((x.dot(along) - 0.5 * expected).abs() < 1e-11, "μ = {friction}: {x}");
        assert!((v.dot(along) - expected).abs() < 1e-11 && run.twist(stone).spin == DVec3::ZERO, "{v}");
        assert_balanced(&run, start, 1e-10);
    }
}

/// An oblique hit: the normal speed is reversed by ε, friction takes μ (1 + ε) v_n from the slip, or all of it.
#[test]
fn friction_acts_in_the_collision_of_a_particle() {
    let (e, mu, fall) = (0.5, 0.3, 0.4);
    for speed in [5.0, 0.2] {
        let v_n = G * fall;
        let mut run = simulation(&format!(
            "contact = {{ restitution = {e}, friction = {mu} }}\n{FLOOR}\n[[particles]]\nname = \"p\"\nmass = 1\n\
             positions = [[0, 0, {}]]\nvelocities = [[{speed}, 0, 0]]\n",
            0.5 * G * fall * fall
        ));
        run.advance(fall + 1e-6).expect("a hit");
        let (_, v) = particle(&run, 0);
        let expected = (speed - mu * (1.0 + e) * v_n).max(0.0);
        assert!(
            (v.x - expected).abs() < 1e-12 && (v.z - e * v_n + G * 1e-6).abs() < 1e-11,
            "{v}, slip {expected}"
        );
    }
}

/// A particle and a body that it hits share their momentum; a body with a particle at rest on it carries both weights.
#[test]
fn particles_push_bodies_and_rest_on_them() {
    let mut run = simulation(&format!(
        "contact = {{ restitution = 0, friction = 0.5 }}\n{FLOOR}\n\
         [[body]]\nname = \"box\"\nmass = 3\nposition = [0, 0, 0.5]\nshape = {{ kind = \"box\", size = [1, 1, 1] }}\n\
         [[particles]]\nname = \"grains\"\nmass = 1\npositions = [[0.1, 0.2, 1.5], [-0.2, 0.1, 2]]\n"
    ));
    let start = energy(&run);
    run.advance(2.0).expect("rest");
    for index in 0..2 {
        let (x, v) = particle(&run, index);
        assert!((x.z - 1.0).abs() < 1e-9 && v.length() < 1e-9, "{x} {v}");
    }
    let floor = run.world().find_body("floor").expect("a floor");
    let carried: f64 = run
        .contact_forces()
        .iter()
        .filter(|force| force.bodies.contains(&floor))
        .map(|force| force.normal_force)
        .sum();
    assert!((carried - 5.0 * G).abs() < 1e-8, "{carried} N");
    assert_balanced(&run, start, 1e-10);
}

/// Momentum and energy in a smooth elastic hit on every shape that there is, without gravity's help: the particle comes from
/// above with 2 m/s onto a body of 4 kg.
#[test]
fn particles_meet_every_shape() {
    for shape in [
        "{ kind = \"sphere\", radius = 0.4 }",
        "{ kind = \"box\", size = [0.8, 0.6, 0.5] }",
        "{ kind = \"capsule\", radius = 0.2, length = 0.5 }",
        "{ kind = \"cylinder\", radius = 0.3, length = 0.6 }",
        "{ kind = \"cone\", radius = 0.5, height = 0.7 }",
        "{ kind = \"ellipsoid\", size = [0.8, 0.6, 0.5] }",
        "{ kind = \"disc\", radius = 0.5 }",
        "{ kind = \"hull\", points = [[-0.5, -0.5, -0.2], [0.5, -0.4, -0.2], [0.1, 0.5, -0.2], [0.05, 0.02, 0.4]] }",
        "{ kind = \"mesh\", vertices = [[-0.5, -0.5, -0.2], [0.5, -0.4, -0.2], [0.1, 0.5, -0.2], [0.05, 0.02, 0.4]], \
         triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }",
        "{ kind = \"compound\", parts = [{ shape = { kind = \"sphere\", radius = 0.2 }, position = [0.1, 0, 0.2] }, \
         { shape = { kind = \"box\", size = [0.4, 0.4, 0.2] } }] }",
    ] {
        let mut run = simulation(&format!(
            "contact = {{ restitution = 1 }}\n[[body]]\nname = \"target\"\nmass = 4\nshape = {shape}\n\
             [[particles]]\nname = \"p\"\nmass = 0.5\npositions = [[0.07, 0.05, 1.0]]\nvelocities = [[0, 0, -2]]\n"
        ));
        let (start, momentum) = (energy(&run), run.momentum());
        run.advance(1.0).unwrap_or_else(|stop| panic!("{shape}: {stop}"));
        let hits = run.events().iter().filter(|event| event.kind == EventKind::Collision).count();
        assert!(hits >= 1, "{shape}: nothing was hit");
        let fall = 4.5 * G * DVec3::NEG_Z;
        let off = (run.momentum().0 - momentum.0 - fall).length();
        assert!(off < 1e-11, "{shape}: momentum is off by {off:e}");
        assert_balanced(&run, start, 1e-10);
        let (_, v) = particle(&run, 0);
        assert!(v.z > -2.0 - G, "{shape}: the particle passed, {v}");
    }
}

/// A set that collides with nothing passes, as if there were no body: a parabola to the last bit.
#[test]
fn a_set_that_should_pass_says_so() {
    let scene = |with: &str| {
        simulation(&format!(
            "{FLOOR}\n[[particles]]\nname = \"p\"\nmass = 1\npositions = [[0, 0, 1]]\nvelocities = [[1, 0, 0]]\n{with}"
        ))
    };
    let mut passing = scene("collides_with = []\n");
    passing.advance(1.0).expect("a fall");
    let (x, _) = particle(&passing, 0);
    assert!((x.z - (1.0 - 0.5 * G)).abs() < 1e-12, "{x}");
    let mut meeting = scene("");
    meeting.advance(1.0).expect("a fall");
    assert!(particle(&meeting, 0).0.z >= -1e-12);
}

/// Over a fixed sphere particles bounce, settle, slide and stick, fall off it onto the floor, and none of it takes a time step: what acts
/// on a point acts through it, so that nothing turns it, and a slide is smooth however slow.
#[test]
fn particles_over_a_sphere_move_smoothly() {
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64
    };
    let row = |_| {
        let (angle, r) = (real::TAU * next(), 0.3 * next());
        format!("[{}, {}, {}]", r * real::cos(angle), r * real::sin(angle), 1.2 + 0.8 * next())
    };
    let rows: Vec<String> = (0..40).map(row).collect();
    let mut run = simulation(&format!(
        "contact = {{ restitution = 0.5, friction = 0.3 }}\n{FLOOR}\n\
         [[body]]\nname = \"sphere\"\nkind = \"fixed\"\nposition = [0, 0, 0.6]\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n\
         [[particles]]\nname = \"grains\"\nmass = 0.001\npositions = [{}]\n",
        rows.join(", ")
    ));
    let start = energy(&run);
    run.advance(5.0).unwrap_or_else(|stop| panic!("{stop}"));
    let count = |kind: EventKind| run.events().iter().filter(|event| event.kind == kind).count();
    assert_eq!(count(EventKind::TimeStep), 0);
    assert!(
        count(EventKind::Slide) >= 5 && count(EventKind::Break) >= 1,
        "{} slides",
        count(EventKind::Slide)
    );
    let (mut stuck, cone) = (0, 1.0 / (1.0 + 0.3_f64 * 0.3).sqrt());
    for index in 0..40 {
        let (x, v) = particle(&run, index);
        let arm = x - dvec3(0.0, 0.0, 0.6);
        assert!(v.length() < 1e-9, "{index}: {v} m/s");
        if (arm.length() - 0.5).abs() < 1e-11 {
            // Friction holds it inside the cone.
            assert!(arm.z / 0.5 > cone - 1e-9, "{index} is stuck at {arm}");
            stuck += 1;
        } else {
            assert!(x.z.abs() < 1e-11, "{index} is neither on the sphere nor on the floor: {x}");
        }
    }
    assert!(stuck >= 5, "{stuck} stick on the sphere");
    assert_balanced(&run, start, 1e-10);
}

/// Forces on sets act on particles that meet bodies too: two particles on a spring fall, bounce and swing; the ledger balances.
#[test]
fn forces_between_particles_act_while_they_touch() {
    let mut run = simulation(&format!(
        "contact = {{ restitution = 0.3, friction = 0.2 }}\n{FLOOR}\n\
         [[particles]]\nname = \"pair\"\nmass = 0.5\npositions = [[0, 0, 0.3], [0.4, 0, 0.5]]\n\
         [[force]]\nkind = \"spring\"\na = {{ particles = \"pair\", index = 0 }}\nb = {{ particles = \"pair\", index = 1 }}\n\
         stiffness = 40\nlength = 0.3\ndamping = 0.5\n\
         [[force]]\nkind = \"drag\"\nlinear = 0.05\n"
    ));
    let start = energy(&run);
    run.advance(5.0).expect("a fall");
    let ((a, _), (b, _)) = (particle(&run, 0), particle(&run, 1));
    assert!(a.z >= -1e-9 && b.z >= -1e-9, "{a} {b}");
    assert_balanced(&run, start, 1e-8);
    assert!(run.ledger().work < 0.0, "the damper takes energy: {:?}", run.ledger());
}

/// A body of points stands on three of them, and its weight is carried there.
#[test]
fn a_body_of_points_stands_on_its_points() {
    let mut run = simulation(&format!(
        "contact = {{ restitution = 0.2, friction = 0.5 }}\n{FLOOR}\n\
         [[body]]\nname = \"jack\"\nposition = [0, 0, 0.3]\nshape = {{ kind = \"points\", points = [\
         {{ mass = 1, position = [0.3, 0, 0] }}, {{ mass = 1, position = [-0.2, 0.25, 0] }}, \
         {{ mass = 1, position = [-0.2, -0.25, 0] }}, {{ mass = 2, position = [0, 0, 0.4] }}] }}\n"
    ));
    let start = energy(&run);
    run.advance(3.0).expect("rest");
    let carried: f64 = run.contact_forces().iter().map(|force| force.normal_force).sum();
    assert!((carried - 5.0 * G).abs() < 1e-6, "{carried} N");
    assert_balanced(&run, start, 1e-9);
}

/// The same particles in one run or cut into pieces give the same bits, and thousands cost no more than they do alone: the
/// searches grow with their number, not with its square.
#[test]
fn cost_follows_the_events() {
    let searches = |count: u32| {
        let rows: Vec<String> = (0..count)
            .map(|i| {
                let (x, y) = (0.01 * f64::from(i % 20), 0.01 * f64::from(i / 20));
                format!("[{x}, {y}, {}]", 0.5 + 0.001 * f64::from(i))
            })
            .collect();
        let rows = rows.join(", ");
        let mut run = simulation(&format!(
            "contact = {{ restitution = 0.5, friction = 0.3 }}\n{FLOOR}\n[[particles]]\nname = \"p\"\nmass = 1\npositions = [{rows}]\n"
        ));
        run.advance(2.0).expect("rest");
        run.detection().searches
    };
    let (few, many) = (searches(20), searches(200));
    assert!(many <= 15 * few, "{few} searches for 20 particles, {many} for 200");
}

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.next()
    }
}

/// The normal of a tilted plane through the origin, and a scene of points before it and behind it that are thrown at it.
fn thrown_at_a_plane(seed: u64, more: &str) -> (DVec3, String) {
    let mut random = Random(seed);
    let tilt = [random.between(-0.6, 0.6), random.between(-0.6, 0.6)];
    let normal = dvec3(tilt[0], tilt[1], 1.0).normalize();
    let (restitution, friction) = (random.between(0.0, 0.9), random.between(0.0, 0.5));
    let (mut places, mut velocities) = (String::new(), String::new());
    for k in 0..6 {
        let (height, away) = (random.between(0.1, 1.0), random.between(5.0, 8.0));
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let place = side * height * normal + dvec3(random.next(), random.next(), 0.0).reject_from(normal);
        let velocity = -side * away * normal + dvec3(random.next(), 0.0, random.next());
        let _ = write!(places, "[{}, {}, {}],", place.x, place.y, place.z);
        let _ = write!(velocities, "[{}, {}, {}],", velocity.x, velocity.y, velocity.z);
    }
    let friction = if more.contains("driver") { 0.0 } else { friction };
    let text = format!(
        "format = 1\ngravity = [0, 0, -{G}]\ncontact = {{ restitution = {restitution}, friction = {friction} }}\n{more}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [{}, {}, 1] }}\n\
         [[particles]]\nname = \"grain\"\nmass = 0.01\npositions = [{places}]\nvelocities = [{velocities}]\n",
        tilt[0], tilt[1]
    );
    (normal, text)
}

fn world_of(text: &str) -> World {
    let document = Document::parse("particles", text).unwrap_or_else(|errors| panic!("{errors}"));
    document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A plane has two sides unless it is said otherwise, and a point that touches it is on one of them by rounding alone: it stays on the one it came
/// from, in flight and under forces that are integrated, beside bodies that it hits.
#[test]
fn points_stay_on_their_side_of_a_plane_with_two_sides() {
    let drag = "[[force]]\nname = \"air\"\nkind = \"drag\"\nlinear = 0.002\n";
    let block = "[[body]]\nname = \"block\"\nmass = 1\nposition = [0, 0, 2.5]\nspin = [1, 2, 0.3]\nshape = { kind = \"box\", size = [1, 1, 1] }\n";
    for seed in 0..30 {
        for more in ["", drag, block] {
            let (normal, text) = thrown_at_a_plane(seed, more);
            let mut run = Simulation::new(world_of(&text)).unwrap_or_else(|stop| panic!("{stop}"));
            for k in 1..=10 {
                run.advance(0.12 * f64::from(k)).unwrap_or_else(|stop| panic!("seed {seed}: {stop}\n{text}"));
                for index in 0..6 {
                    let side = if index % 2 == 0 { 1.0 } else { -1.0 };
                    let height = side * particle(&run, index).0.dot(normal);
                    assert!(height > -1e-9, "seed {seed}: point {index} is {height} m through\n{text}");
                }
            }
            let hits = run.events().iter().filter(|event| event.kind == EventKind::Collision).count();
            assert!(hits >= 6, "seed {seed}: {hits} collisions\n{text}");
            run.check_laws().unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let broken = run.take_violations();
            assert!(broken.is_empty(), "seed {seed}: {broken:?}\n{text}");
        }
    }
}

/// Particles lie on what has no thickness, a disc, a circle, a square or a plane, on the side that they fell on; bodies of points on planes.
#[test]
fn points_stay_on_what_has_no_thickness() {
    let floors = [
        "kind = \"disc\", radius = 5",
        "kind = \"plane\", normal = [0, 0, 1], extent = { kind = \"circle\", radius = 5 }",
        "kind = \"plane\", normal = [0, 0, 1], extent = { kind = \"square\", half_side = 5 }",
        "kind = \"plane\", normal = [0, 0, 1]",
        "kind = \"plane\", normal = [0, 0, -1]",
    ];
    for floor in floors {
        for seed in 0..6 {
            let mut random = Random(seed);
            let mut vector =
                |most: f64| [0; 3].map(|_| random.between(-most, most)).map(|x| x.to_string()).join(", ");
            let text = format!(
                "contact = {{ restitution = 0.4, friction = 0.3 }}\n\
                 [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ {floor} }}\norientation = {{ axis = [0, 0, 1], angle = 0.7 }}\n\
                 [[body]]\nname = \"jack\"\nposition = [0, 0, 1]\nspin = [{}]\nshape = {{ kind = \"points\", points = [\
                 {{ mass = 1, position = [{}] }}, {{ mass = 1, position = [{}] }}, {{ mass = 1, position = [{}] }}, \
                 {{ mass = 1, position = [{}] }}] }}\n\
                 [[particles]]\nname = \"grains\"\nmass = 0.1\npositions = [[1, 0, 0.5], [1, 1, 0.7]]\nvelocities = [[{}], [{}]]\n",
                vector(3.0),
                vector(0.3),
                vector(0.3),
                vector(0.3),
                vector(0.3),
                vector(1.0),
                vector(1.0)
            );
            let mut run = simulation(&text);
            run.advance(1.0).unwrap_or_else(|stop| panic!("{floor}, seed {seed}: {stop}\n{text}"));
            // On a bounded piece another point of a body that rests on one is not told from one below.
            let is_bounded = floor.contains("radius") || floor.contains("half_side");
            for id in run.world().body_ids().filter(|id| run.world().body(*id).is_dynamic()) {
                let height = run.pose(id).position.z;
                let name = run.world().body_name(id);
                if is_bounded && name == "jack" {
                    continue;
                }
                assert!(height > -1e-9, "{floor}, seed {seed}: {name} is {height} m through\n{text}");
            }
        }
    }
}

/// The same in the update loop, however it finds the instants: it tests the ends of steps, where a point is through already.
#[test]
fn points_stay_on_their_side_in_the_update_loop() {
    for seed in 0..12 {
        for locate in [LocateRule::Backstep, LocateRule::Bisection, LocateRule::Prediction] {
            let (normal, text) = thrown_at_a_plane(seed, "[run]\nduration = 1\ndriver = \"intro\"\n");
            let settings = IntroSettings { locate, ..IntroSettings::default() };
            let mut run =
                IntroSimulation::new(world_of(&text), settings).unwrap_or_else(|error| panic!("{error}"));
            run.advance(1.0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(run.statistics().impulses >= 6, "seed {seed}, {locate:?}: {:?}", run.statistics());
            let grains = run.world().body_ids().filter(|id| run.world().body(*id).is_dynamic());
            for (index, id) in grains.enumerate() {
                let side = if index % 2 == 0 { 1.0 } else { -1.0 };
                let height = side * run.pose(id).position.dot(normal);
                assert!(
                    height > -1e-6,
                    "seed {seed}, {locate:?}: point {index} is {height} m through\n{text}"
                );
            }
        }
    }
}
