//! Interventions: what a program changes on the way acts from that instant on, is in the ledger, and can be done again.

use std::sync::Arc;

use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedError, FixedSettings, FixedSimulation, Precision};
use dolmen::math::{DVec3, Pose, Twist};
use dolmen::scene::Document;
use dolmen::world::{Change, World};

fn world(text: &str) -> World {
    let document = Document::parse("scene.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    document.build(std::path::Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

const BALL: &str = r#"
format = 1
gravity = [0, 0, -10]
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 2
position = [0, 0, 50]
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
"#;

fn push(force: [f64; 3], until: f64) -> Change {
    Change::Push { body: "ball".to_owned(), force, torque: [0.0; 3], until }
}

/// Free fall for a second, a push of 20 N on 2 kg for half a second, fall again: closed forms of position, velocity and work.
#[test]
fn a_push_acts_from_now_until_its_end() {
    let mut simulation = Simulation::new(world(BALL)).unwrap();
    let ball = simulation.world().find_body("ball").unwrap();
    simulation.advance(1.0).unwrap();
    simulation.intervene(&push([20.0, 0.0, 0.0], 1.5)).unwrap();
    simulation.advance(2.0).unwrap();
    let (pose, twist) = (simulation.pose(ball), simulation.twist(ball));
    // a = 10 m/s² for 0.5 s: 1.25 m, then 5 m/s for 0.5 s.
    assert!((pose.position - DVec3::new(3.75, 0.0, 30.0)).length() < 1e-10, "{}", pose.position);
    assert!((twist.velocity - DVec3::new(5.0, 0.0, -20.0)).length() < 1e-10, "{}", twist.velocity);
    // F·s = 20 N · 1.25 m.
    assert!((simulation.ledger().work - 25.0).abs() < 1e-9, "{}", simulation.ledger().work);
    assert!((simulation.ledger().total() - 25.0 - 1000.0).abs() < 1e-8, "{:?}", simulation.ledger());
}

/// A thousand pushes one after the other leave one force behind, and a ball on the floor slides as under one push.
#[test]
fn pushes_that_are_over_leave_no_forces() {
    let text = BALL.replace("[0, 0, 50]", "[0, 0, 0.1]");
    let mut simulation = Simulation::new(world(&text)).unwrap();
    let ball = simulation.world().find_body("ball").unwrap();
    for k in 0..1000 {
        simulation.advance(f64::from(k) * 0.001).unwrap();
        simulation.intervene(&push([2.0, 0.0, 0.0], f64::from(k + 1) * 0.001)).unwrap();
    }
    simulation.advance(1.0).unwrap();
    assert_eq!(simulation.world().forces().len(), 1);
    let x = simulation.pose(ball).position;
    assert!((x - DVec3::new(0.5, 0.0, 0.1)).length() < 1e-9, "{x}");
}

/// A thrust of the weight at rest lifts a ball off; contact and rest come back when it ends.
#[test]
fn a_ball_at_rest_is_lifted_and_comes_back() {
    let text = BALL.replace("[0, 0, 50]", "[0, 0, 0.1]");
    let mut simulation = Simulation::new(world(&text)).unwrap();
    let ball = simulation.world().find_body("ball").unwrap();
    simulation.advance(1.0).unwrap();
    simulation.intervene(&push([0.0, 0.0, 40.0], 1.2)).unwrap();
    simulation.advance(1.2).unwrap();
    // a = 10 m/s² up.
    assert!((simulation.pose(ball).position.z - 0.3).abs() < 1e-9, "{}", simulation.pose(ball).position);
    simulation.advance(3.0).unwrap();
    assert!((simulation.pose(ball).position.z - 0.1).abs() < 1e-9, "{}", simulation.pose(ball).position);
    assert_eq!(simulation.contact_forces().len(), 1);
}

const ARM: &str = r#"
format = 1
[[body]]
name = "arm"
shape = { kind = "box", size = [1, 0.1, 0.1] }
mass = 3
position = [0.5, 0, 0]
[[joint]]
name = "pivot"
kind = "hinge"
a = "arm"
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint.motor]]
kind = "force"
target = 0.0
"#;

fn target(target: f64) -> Change {
    Change::Target { joint: "pivot".to_owned(), axis: None, target }
}

/// A torque of 1 N·m from t = 1 on turns a bar about its end: φ = ½ M t²/I with I = m(l² + w²)/12 + m (l/2)².
#[test]
fn a_target_acts_from_now_on() {
    let mut simulation = Simulation::new(world(ARM)).unwrap();
    let arm = simulation.world().find_body("arm").unwrap();
    simulation.advance(1.0).unwrap();
    simulation.intervene(&target(1.0)).unwrap();
    simulation.advance(1.5).unwrap();
    simulation.intervene(&target(0.0)).unwrap();
    simulation.advance(2.0).unwrap();
    let inertia = 3.0 * (1.0 + 0.01) / 12.0 + 3.0 * 0.25;
    let (spin, angle) = (0.5 / inertia, (0.5 * 0.25 + 0.25) / inertia);
    assert!((simulation.twist(arm).spin.z - spin).abs() < 1e-9, "{}", simulation.twist(arm).spin);
    let x = simulation.pose(arm).position;
    let wanted = 0.5 * DVec3::new(dolmen::math::real::cos(angle), dolmen::math::real::sin(angle), 0.0);
    assert!((x - wanted).length() < 1e-9, "{x} for {wanted}");
    // M φ while it acted.
    assert!((simulation.ledger().work - 0.125 / inertia).abs() < 1e-9, "{:?}", simulation.ledger());
}

/// The same changes at the same times give the same bits; a snapshot goes on with a world that was changed alike, and only with it.
#[test]
fn changes_can_be_done_again() {
    let run = |until: f64| {
        let mut simulation = Simulation::new(world(ARM)).unwrap();
        for k in 0..50 {
            let t = f64::from(k) * 0.02;
            if t >= until {
                break;
            }
            simulation.advance(t).unwrap();
            simulation.intervene(&target(f64::from(k % 7) - 2.5)).unwrap();
        }
        simulation
    };
    let (mut once, mut twice) = (run(1.0), run(1.0));
    once.advance(1.5).unwrap();
    twice.advance(1.5).unwrap();
    assert_eq!(once.sample().hash(), twice.sample().hash());
    let half = run(0.5);
    let snapshot = half.snapshot();
    assert!(Simulation::restore(world(ARM), &snapshot).is_err());
    let mut changed = world(ARM);
    for k in 0..25 {
        changed.change(f64::from(k) * 0.02, &target(f64::from(k % 7) - 2.5)).unwrap();
    }
    let mut restored = Simulation::restore(Arc::new(changed), &snapshot).unwrap();
    for k in 25..50 {
        restored.advance(f64::from(k) * 0.02).unwrap();
        restored.intervene(&target(f64::from(k % 7) - 2.5)).unwrap();
    }
    restored.advance(1.5).unwrap();
    assert_eq!(restored.sample().hash(), once.sample().hash());
}

/// What cannot be is refused, and the simulation goes on as if nothing had been asked.
#[test]
fn wrong_changes_change_nothing() {
    let mut simulation = Simulation::new(world(BALL)).unwrap();
    simulation.advance(1.0).unwrap();
    let wrong = [
        push([f64::NAN, 0.0, 0.0], 2.0),
        push([1.0, 0.0, 0.0], 1.0),
        push([1.0, 0.0, 0.0], f64::NAN),
        Change::Push { body: "floor".to_owned(), force: [1.0; 3], torque: [0.0; 3], until: 2.0 },
        Change::Push { body: "nobody".to_owned(), force: [1.0; 3], torque: [0.0; 3], until: 2.0 },
        target(1.0),
    ];
    for change in wrong {
        let text = simulation.intervene(&change).unwrap_err().to_string();
        assert!(text.contains("refused"), "{change:?}: {text}");
    }
    let mut arm = Simulation::new(world(ARM)).unwrap();
    assert!(arm.intervene(&target(f64::INFINITY)).is_err());
    simulation.advance(2.0).unwrap();
    let mut alone = Simulation::new(world(BALL)).unwrap();
    alone.advance(2.0).unwrap();
    assert_eq!(simulation.sample().hash(), alone.sample().hash());
}

/// A pendulum that starts elsewhere keeps its joint.
#[test]
fn a_body_can_start_elsewhere() {
    let mut changed = world(ARM);
    let arm = changed.find_body("arm").unwrap();
    let turned = dolmen::math::DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
    let pose = Pose { position: DVec3::new(0.0, 0.5, 0.0), orientation: turned };
    let twist = Twist { velocity: DVec3::new(-1.0, 0.0, 0.0), spin: DVec3::new(0.0, 0.0, 2.0) };
    changed.set_start(arm, pose, twist).unwrap();
    let mut simulation = Simulation::new(changed).unwrap();
    simulation.advance(1.0).unwrap();
    assert!((simulation.pose(arm).position.length() - 0.5).abs() < 1e-10);
    assert!((simulation.twist(arm).spin.z - 2.0).abs() < 1e-9);
}

/// The same push in fixed steps: 20 N on 2 kg for half a second give 5 m/s and the work of the force over its way; a body that is not
/// there is refused, and nothing is changed.
#[test]
fn fixed_steps_are_pushed_as_well() {
    let settings =
        FixedSettings { step: 1e-3, substeps: 8, precision: Precision::F64, ..FixedSettings::default() };
    let world = world(BALL);
    let ball = world.find_body("ball").unwrap();
    let mut simulation = FixedSimulation::new(world, settings).unwrap();
    simulation.advance(1.0).unwrap();
    simulation.intervene(&push([20.0, 0.0, 0.0], 1.5)).unwrap();
    simulation.advance(2.0).unwrap();
    let velocity = simulation.twist(ball).velocity;
    // The end of the push is met to one sub-step: F/m · 1/8000 s.
    assert!((velocity.x - 5.0).abs() < 1.3e-3, "{velocity}");
    // F ½ (F/m) t² of the push.
    let work = simulation.ledger().work;
    assert!((work - 25.0).abs() < 0.02, "{work}");
    let wrong = Change::Push { body: "nobody".to_owned(), force: [1.0; 3], torque: [0.0; 3], until: 9.0 };
    assert!(matches!(simulation.intervene(&wrong), Err(FixedError::Change { .. })));
}
