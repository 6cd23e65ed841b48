//! The update loop for teaching: its broad phases, its ways to the instant of a contact, its laws.

use std::path::{Path, PathBuf};

use dolmen::broad_phase::{Choice, Method};
use dolmen::drive::intro::{ImpulseOrder, IntroSettings, IntroSimulation, LocateRule};
use dolmen::prelude::*;
use dolmen::query::{self, Arrangement};
use dolmen::record::CheckedLaw;
use dolmen::shape::{Plane, Sides};
use dolmen::world::Material;

const G: f64 = 9.81;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn scene(name: &str, overrides: &[&str]) -> (World, IntroSettings) {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let document = Document::load_with(folder().join(format!("{name}.toml")), &overrides)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(&folder()).unwrap_or_else(|errors| panic!("{errors}"));
    let run = document.scene().run.as_ref().expect("a run");
    (world, run.intro.as_ref().map_or_else(IntroSettings::default, IntroSettings::from))
}

fn world(bodies: Vec<Body>, restitution: f64) -> World {
    let mut builder = WorldBuilder::new();
    let plane = Plane::new(DVec3::Z, 0.0).expect("a normal").with_sides(Sides::Front);
    builder.body(Body::fixed(Pose::IDENTITY).with_shape(plane.into()).named("floor")).expect("a name");
    for body in bodies {
        builder.body(body).expect("a name");
    }
    builder.gravity(dvec3(0.0, 0.0, -G));
    builder.default_material(Material { restitution, ..Material::SMOOTH });
    builder.build().expect("a world")
}

fn solid(shape: Shape, name: &str, at: DVec3) -> Body {
    Body::solid(shape, 1.0).expect("a solid").at(at, DQuat::IDENTITY).named(name)
}

const METHODS: [&str; 7] =
    ["sort-and-sweep", "uniform-grid", "bvh", "octree", "kd-tree", "brute-force", "auto"];

/// Every broad phase finds the same pairs, so that the motion has the same bits; sort and sweep keeps its order: it starts from
/// nothing once, and then exchanges neighbours.
#[test]
fn every_broad_phase_gives_the_same_bits() {
    let mut expected: Option<Vec<(Pose, Twist)>> = None;
    for method in METHODS {
        let (world, settings) =
            scene("balls-by-sort-and-sweep", &[&format!("detection.broad_phase={method}")]);
        let mut simulation = IntroSimulation::new(world, settings).expect("a start");
        simulation.advance(0.4).expect("to go on");
        let cost = simulation.statistics().broad_phase;
        assert!(cost.updates > 40 && cost.pairs >= cost.updates, "{method}: {cost:?}");
        if method == "sort-and-sweep" {
            assert_eq!(simulation.broad_phase(), method);
            assert!(cost.restarts == 1 && cost.exchanges > 100, "{method}: {cost:?}");
        } else if method != "auto" {
            assert_eq!(simulation.broad_phase(), method);
            assert_eq!(cost.exchanges, 0, "{method}");
        }
        let states = simulation.sample().bodies;
        assert_eq!(expected.get_or_insert_with(|| states.clone()), &states, "{method}");
    }
}

/// Overlaps of a world are the same by every broad phase, and the arrangement says which one it uses.
#[test]
fn queries_take_every_broad_phase() {
    let (mut world, _) = scene("balls-by-sort-and-sweep", &["contact.overlaps=report"]);
    world.set_broad_phase(Choice::Only(Method::BruteForce));
    let mut bodies = Arrangement::new(&world);
    // All balls nearer to each other: some overlap.
    let start: Vec<Pose> = world.body_ids().map(|id| world.body(id).start_pose()).collect();
    let squeezed = |id: BodyId| Pose { position: 0.5 * start[id.index()].position, ..start[id.index()] };
    bodies.place(squeezed).expect("poses");
    let expected = query::overlaps(&bodies).expect("an answer");
    assert!(expected.len() > 10, "{}", expected.len());
    for method in Method::ALL {
        bodies.set_broad_phase(Choice::Only(method));
        bodies.place(squeezed).expect("poses");
        assert_eq!(query::overlaps(&bodies).expect("an answer"), expected, "{}", method.name());
        assert_eq!(bodies.broad_phase().0, method.name());
    }
}

/// Unknown broad phases and ways to a contact are refused.
#[test]
fn unknown_methods_are_refused() {
    for bad in [
        "[detection]\nbroad_phase = \"grid\"",
        "[detection]\nbroad = 1",
        "[run]\nduration = 1\ndriver = \"intro\"\nintro = { locate = \"guess\" }",
    ] {
        let text = format!("format = 1\n{bad}\n");
        assert!(Document::parse("bad.toml", &text).is_err(), "{bad}");
    }
}

const RULES: [LocateRule; 3] = [LocateRule::Backstep, LocateRule::Bisection, LocateRule::Prediction];

/// All ways find the instant at which a ball lands, to the contact tolerance by the speed; a prediction takes a few trials where
/// halvings take dozens.
#[test]
fn every_way_finds_the_landing_of_a_ball() {
    let expected = (2.0 / G).sqrt();
    let mut trials = Vec::new();
    for locate in RULES {
        let ball = solid(Shape::sphere(0.5).expect("a radius"), "ball", dvec3(0.0, 0.0, 1.5));
        let settings = IntroSettings { step: 0.07, locate, ..IntroSettings::default() };
        let mut simulation = IntroSimulation::new(world(vec![ball], 0.5), settings).expect("a start");
        simulation.advance(0.5).expect("to go on");
        let t = simulation.last_collision().expect("a landing");
        // δ/v with δ = 1e-9 · 1 m and v = 4.4 m/s.
        assert!((t - expected).abs() < 3e-10, "{locate:?}: {t}, not {expected}");
        trials.push(simulation.statistics().back_steps);
    }
    assert!(trials[0] > 15 && trials[1] > 15, "{trials:?}");
    assert!(trials[2] <= 8, "{trials:?}");
}

/// Of a box that tumbles: every way converges to the instant that root finding gives, with the fourth power of the step.
#[test]
fn every_way_converges_to_the_landing_of_a_tumbling_box() {
    let make = || {
        let shape = Shape::cuboid(dvec3(0.5, 0.3, 0.2)).expect("a box");
        let body = solid(shape, "box", dvec3(0.0, 0.0, 2.0));
        world(vec![body.moving(dvec3(0.3, 0.0, 0.5), dvec3(3.0, 4.0, 2.0))], 0.5)
    };
    let mut exact = Simulation::new(make()).expect("a start");
    exact.advance(1.0).expect("to go on");
    let expected = exact.events().first().expect("a collision").t;
    for locate in RULES {
        let error = |step: f64| {
            let settings = IntroSettings { step, locate, ..IntroSettings::default() };
            let mut simulation = IntroSimulation::new(make(), settings).expect("a start");
            while simulation.last_collision().is_none() {
                let t = simulation.time() + step;
                simulation.advance(t).expect("to go on");
            }
            (simulation.last_collision().expect("a collision") - expected).abs()
        };
        let errors = [0.08, 0.01].map(error);
        assert!(errors[1] < 1e-6 && errors[1] < errors[0] / 512.0 + 1e-9, "{locate:?}: {errors:?} s");
    }
}

/// A box that lands off-centre on the rim of a finite plane may lose time of its own; a ball that falls beside it does not.
#[test]
fn time_lost_belongs_to_the_body() {
    let mut builder = WorldBuilder::new();
    let table = Plane::new(DVec3::Z, 0.0).expect("a normal");
    let table = table.square(DVec3::ZERO, 1.0, DVec3::X).expect("a square");
    builder.body(Body::fixed(Pose::IDENTITY).with_shape(table.into()).named("table")).expect("a name");
    let shape = Shape::cuboid(dvec3(0.3, 0.3, 0.2)).expect("a box");
    let tilt = DQuat::from_axis_angle(dvec3(0.6, 0.8, 0.0), 0.4);
    let body = Body::solid(shape, 100.0).expect("a solid").at(dvec3(0.95, 0.2, 1.0), tilt);
    builder.body(body.named("box")).expect("a name");
    let ball = Body::solid(Shape::sphere(0.1).expect("a radius"), 100.0).expect("a solid");
    builder.body(ball.at(dvec3(5.0, 0.0, 0.0), DQuat::IDENTITY).named("ball")).expect("a name");
    builder.gravity(dvec3(0.0, 0.0, -G));
    builder.default_material(Material { restitution: 0.3, ..Material::SMOOTH });
    let world = builder.build().expect("a world");
    // One contact a step: what comes on top is lost.
    let settings = IntroSettings { rounds: 1, order: ImpulseOrder::InTurn, ..IntroSettings::default() };
    let mut simulation = IntroSimulation::new(world, settings).expect("a start");
    simulation.advance(2.0).expect("to go on");
    let id = |name: &str| simulation.world().find_body(name).expect("a body");
    let fallen = simulation.pose(id("ball")).position.z;
    assert!((fallen + 0.5 * G * 4.0).abs() < 1e-9, "the ball fell to {fallen}");
    assert_eq!(simulation.lost_time(id("ball")), 0.0);
    let lost = simulation.lost_time(id("box"));
    assert_eq!(simulation.statistics().lost_time, lost);
    let ledger = simulation.law_status().into_iter().find(|s| s.law == CheckedLaw::Ledger).expect("a law");
    assert!(ledger.holds(), "{ledger:?}, {lost} s lost");
}

/// Impulses all at once give a tall box energy: that is a broken law, told with its numbers. One after the other keep it.
#[test]
fn energy_gained_is_a_broken_law() {
    for (order, holds) in [(ImpulseOrder::Together, false), (ImpulseOrder::InTurn, true)] {
        let shape = Shape::cuboid(dvec3(0.1, 0.1, 0.5)).expect("a box");
        let world = world(vec![solid(shape, "tall", dvec3(0.0, 0.0, 1.0))], 1.0);
        let settings = IntroSettings { order, ..IntroSettings::default() };
        let mut simulation = IntroSimulation::new(world, settings).expect("a start");
        simulation.advance(0.4).expect("to go on");
        let found = simulation.take_violations();
        let gained = found.iter().find(|violation| violation.law == CheckedLaw::Dissipation);
        assert_eq!(gained.is_none(), holds, "{order:?}: {found:?}");
        if let Some(violation) = gained {
            assert!(violation.value > 0.5 && violation.bodies.len() == 2, "{violation:?}");
        }
    }
}

/// Work of forces without a potential, and of a kinematic body that strikes, is booked: the ledger balances.
#[test]
fn work_is_booked() {
    let text = "format = 1\n\
        [run]\nduration = 1\ndriver = \"intro\"\n\
        [contact]\nrestitution = 0.5\n\
        [[body]]\nname = \"bat\"\nkind = \"kinematic\"\nshape = { kind = \"sphere\", radius = 0.5 }\n\
        motion = { kind = \"uniform\", velocity = [2, 0, 0] }\nposition = [0, 0, 0]\n\
        [[body]]\nname = \"ball\"\nmass = 2\nshape = { kind = \"sphere\", radius = 0.5 }\nposition = [2, 0, 0]\n\
        [[force]]\nkind = \"drag\"\nlinear = 0.3\n\
        [[force]]\nkind = \"push\"\nbody = \"ball\"\nforce = [0, 1, 0]\n";
    let world = Document::parse("bat.toml", text).expect("a scene").build(&folder()).expect("a world");
    let mut simulation = IntroSimulation::new(world, IntroSettings::default()).expect("a start");
    simulation.advance(1.0).expect("to go on");
    assert!(simulation.last_collision().is_some(), "the bat strikes");
    let ledger = simulation.ledger();
    assert!(ledger.work > 1.0, "{ledger:?}");
    let status = simulation.law_status();
    assert!(status.iter().all(dolmen::record::LawStatus::holds), "{status:?}, {ledger:?}");
}

/// A step that goes back to a contact says where and with how many trials; what follows at that instant is the collision there.
#[test]
fn back_steps_lead_to_the_contacts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let document = Document::load(folder.join("bouncing-domino.toml")).expect("a scene");
    let mut simulation =
        IntroSimulation::new(document.build(&folder).expect("a world"), IntroSettings::default())
            .expect("a start");
    simulation.advance(0.5).expect("to go on");
    let (hits, back) = (simulation.take_events(), simulation.take_back_steps());
    assert!(!back.is_empty() && simulation.take_back_steps().is_empty());
    let tried: u64 = back.iter().map(|back| u64::from(back.trials)).sum();
    assert!(tried <= simulation.statistics().back_steps, "{tried} of {:?}", simulation.statistics());
    for hit in &hits {
        let found = back.iter().find(|back| (back.t - hit.t).abs() < 1e-12);
        let found = found.unwrap_or_else(|| panic!("{hit:?} in {back:?}"));
        assert_eq!(found.bodies, hit.bodies);
        assert!(found.trials > 0 && found.point.z.abs() < 1e-6, "{found:?}");
    }
}
