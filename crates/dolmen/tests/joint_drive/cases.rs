//! Published cases and long runs: toppling, walking, hanging, heavy on light, energy over a hundred seconds.

use std::path::Path;

use super::common::{balance, off, point};
use super::described::{Maker, body};
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Control, JointKind};
use dolmen::math::real::{atan2, cos, sin};
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::record::{EventKind, JointEventKind};
use dolmen::scene::Document;

const G: f64 = 9.81;
const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

fn scene(name: &str) -> Simulation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let document = Document::load(folder.join(format!("{name}.toml"))).expect("a sound scene");
    Simulation::new(document.build(&folder).expect("a world")).expect("a start")
}

/// CASES A30: a box on a hinge at its edge, 0.02 rad past the vertical, lies flat after 1.01416398533 s with 6.35758536774 rad/s.
#[test]
fn a30_a_box_topples_about_its_edge() {
    let (b, h) = (0.05_f64, 0.3_f64);
    let far = (b * b + h * h).sqrt();
    let mut maker = Maker::new();
    let inertia = far * far / 3.0;
    let at = far * dvec3(sin(0.02), 0.0, cos(0.02));
    maker.add(body(1.0, DVec3::splat(inertia), "box").centred_at(at, DQuat::IDENTITY));
    maker.join("edge", JointKind::Hinge, [Some("box"), None], DVec3::ZERO, DVec3::Y);
    // Flat: the centre stands at atan(b/h) above the ground.
    let swept = atan2(h, b) - 0.02;
    maker.with(Axis::TurnZ, Control::Limit { lower: -1.0, upper: swept, restitution: 0.0 });
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(2.0).expect("to go on");
    let event =
        simulation.joint_events().iter().find(|e| e.kind == JointEventKind::Struck).expect("it lands");
    assert!((event.t - 1.014_163_985_33).abs() < 1e-10, "{}", event.t);
    assert!((event.approach + 6.357_585_367_74).abs() < 1e-9, "{}", event.approach);
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-10, "{error}");
}

/// CASES A29 with hub inertia: from any start the rimless wheel walks at 1.12795075686 rad/s after and 1.53727593606 before a
/// step, each of 0.908086653461 s.
#[test]
fn a29_a_rimless_wheel_comes_to_its_limit_cycle() {
    let mut simulation = scene("rimless-wheel");
    let id = simulation.world().find_body("wheel").expect("the wheel");
    let mut steps: Vec<(f64, f64)> = Vec::new();
    while simulation.time() < 30.0 {
        let seen = simulation.events().len();
        if !simulation.advance_to_event(30.0, &mut |_| true).expect("to go on") {
            break;
        }
        let struck =
            simulation.events()[seen..].iter().any(|e| e.kind == EventKind::Collision && e.approach < -0.1);
        if struck {
            steps.push((simulation.time(), simulation.twist(id).spin.y));
        }
    }
    let [.., (before, _), (last, rate)] = steps[..] else { panic!("it walks: {steps:?}") };
    println!("{} steps, {rate} rad/s, {} s", steps.len(), last - before);
    assert!((rate - 1.127_950_756_86).abs() < 1e-8, "{rate}");
    assert!((last - before - 0.908_086_653_461).abs() < 1e-8, "{}", last - before);
}

/// Directions of the links of a chain between two points of equal height, under a horizontal force: tan θ = V/H at the middle of
/// each link, V the weight that is on either side.
fn catenary(n: usize, weight: f64, pull: f64) -> Vec<f64> {
    (0..n).map(|k| atan2(weight * (n as f64 / 2.0 - k as f64 - 0.5), pull)).collect()
}

/// A chain hung between two points as the discrete catenary stands still, without cost, and its ends carry H and half the
/// weight.
#[test]
fn a_hung_chain_is_the_discrete_catenary() {
    let (n, link, weight, pull) = (20, 0.25, 0.3 * G, 12.0);
    let angles = catenary(n, weight, pull);
    let mut maker = Maker::new();
    let mut at = DVec3::ZERO;
    let mut places = Vec::new();
    for (k, angle) in angles.iter().enumerate() {
        let along = dvec3(cos(*angle), 0.0, -sin(*angle));
        let (own, before) = (format!("l{k:02}"), format!("l{:02}", k.wrapping_sub(1)));
        let centre = at + 0.5 * link * along;
        places.push(centre);
        maker.add(body(0.3, DVec3::splat(1e-3), &own).centred_at(centre, DQuat::IDENTITY));
        let sides = [Some(&own[..]), (k > 0).then_some(&before[..])];
        maker.join(&format!("j{k:02}"), JointKind::Ball, sides, at, DVec3::Z);
        at += link * along;
    }
    maker.join("k", JointKind::Ball, [Some(&format!("l{:02}", n - 1)), None], at, DVec3::Z);
    let mut simulation = maker.simulation(DOWN);
    simulation.advance(100.0).expect("to go on");
    for (k, place) in places.iter().enumerate() {
        let found = point(&simulation, &format!("l{k:02}"), DVec3::ZERO);
        assert!((found - *place).length() < 1e-9, "link {k} at {found} for {place}");
    }
    let forces = simulation.joint_forces();
    let first = forces[0].force;
    let expected = dvec3(-pull, 0.0, 0.5 * n as f64 * weight);
    assert!((first - expected).length() < 1e-8, "{first} for {expected}");
}

/// Heavy on light, 10⁶ : 1, and light on heavy: the chain holds and energy stays.
#[test]
fn chains_of_a_million_to_one_hold() {
    for masses in [[1.0, 1.0, 1.0, 1e6], [1e6, 1.0, 1e6, 1.0]] {
        let mut maker = Maker::new();
        for (i, mass) in masses.iter().enumerate() {
            let (own, before) = (format!("l{i}"), format!("l{}", i.wrapping_sub(1)));
            let at = dvec3(0.25 + 0.5 * i as f64, 0.0, 0.0);
            let moments = *mass * dvec3(1e-3, 0.02, 0.02);
            maker.add(body(*mass, moments, &own).centred_at(at, DQuat::IDENTITY));
            let sides = [Some(&own[..]), (i > 0).then_some(&before[..])];
            maker.join(&format!("j{i}"), JointKind::Hinge, sides, dvec3(0.5 * i as f64, 0.0, 0.0), DVec3::Y);
        }
        let mut simulation = maker.simulation(DOWN);
        let start = balance(&mut simulation);
        let scale = masses.iter().sum::<f64>() * G;
        simulation.advance(2.0).expect("to go on");
        let (error, off) = (balance(&mut simulation) - start, off(&simulation));
        println!("{masses:?}: energy {error} of {scale}, off {off:?}");
        assert!(error.abs() < 1e-9 * scale && off[0] < 1e-10, "{error} {off:?}");
    }
}

/// Conservative mechanisms keep their energy to 1e-9 of what is in play, over a hundred seconds.
#[test]
fn conservative_mechanisms_keep_their_energy() {
    for name in ["a24-double-four-bar", "a26-bricard", "double-pendulum"] {
        let mut simulation = scene(name);
        let start = simulation.ledger().total();
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for k in 1..=20 {
            simulation.advance(5.0 * f64::from(k)).expect("to go on");
            let ledger = simulation.ledger();
            worst = worst.max((ledger.total() - start).abs());
            largest = largest.max(ledger.kinetic);
        }
        println!("{name}: {worst:e} of {largest}");
        assert!(worst < 1e-9 * largest.max(start.abs()), "{name}: {worst} of {largest}");
    }
}

/// Newton's cradle on strings: one ball comes, one leaves and rises as high; the others hang still, and no string is stretched.
#[test]
fn a_cradle_on_strings_passes_the_blow_on() {
    let mut simulation = scene("cradle-on-strings");
    let start = balance(&mut simulation);
    let mut highest = 0.0_f64;
    for k in 0..=40 {
        simulation.advance(0.7 + 0.01 * f64::from(k)).expect("to go on");
        highest = highest.max(point(&simulation, "e", DVec3::ZERO).z);
    }
    // Near its highest point a hundredth of a second is less than g/2 of that squared.
    assert!((highest - 0.2).abs() < 0.5 * G * 1e-4, "{highest}");
    for name in ["a", "b", "c", "d"] {
        let id = simulation.world().find_body(name).expect("a ball");
        let speed = simulation.twist(id).velocity.length();
        assert!(speed < 1e-6, "{name} moves with {speed}");
    }
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-9, "{error}");
}

/// A drawbridge falls until its ropes are taut, all its energy lost, and hangs: each rope carries half the moment of the weight.
#[test]
fn a_drawbridge_hangs_on_its_ropes() {
    let mut simulation = scene("drawbridge-on-ropes");
    let start = balance(&mut simulation);
    simulation.advance(4.0).expect("to go on");
    let end = point(&simulation, "deck", dvec3(1.5, 0.0, 0.0));
    assert!((end - dvec3(3.5, 0.0, 0.0)).length() < 1e-8, "{end}");
    let (ledger, error) = (simulation.ledger(), balance(&mut simulation) - start);
    assert!(ledger.kinetic < 1e-15 && ledger.friction > 0.0 && error.abs() < 1e-7, "{ledger:?} {error}");
    let forces = simulation.joint_forces();
    // Friction of the hinge may carry a part of the moment: at most its 20 N·m.
    let moment: f64 = forces.iter().filter(|f| f.joint > 0).map(|f| f.force.z * 3.5).sum();
    assert!((moment - 400.0 * G * 2.0).abs() <= 20.0 + 1e-6, "{moment}");
}
