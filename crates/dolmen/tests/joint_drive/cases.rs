//! Published cases and long runs: toppling, walking, hanging, heavy on light, energy over a hundred seconds.

use std::path::Path;

use super::common::{balance, off, point};
use super::described::{Maker, body, squeezer};
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
    // Flat: the centre is at atan(b/h) above the ground.
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

/// A chain hung between two points as the discrete catenary is at rest, without cost, and its ends carry H and half the
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

/// A damped chain of hinges, released from two straight halves, comes to the discrete catenary: the horizontal pull is that at
/// which its links span the distance.
#[test]
fn a_damped_chain_settles_to_the_discrete_catenary() {
    let (n, link, mass) = (8, 0.25, 0.3);
    let span = 0.8 * n as f64 * link;
    let spanned = |pull: f64| -> f64 {
        catenary(n, mass * G, pull).iter().map(|angle| link * cos(*angle)).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if spanned(middle) < span { low = middle } else { high = middle }
    }
    let angles = catenary(n, mass * G, low);
    let ratio: f64 = span / (n as f64 * link);
    let slope = atan2((1.0 - ratio * ratio).sqrt(), ratio);
    let (mut maker, mut at) = (Maker::new(), DVec3::ZERO);
    for k in 0..n {
        let down = if 2 * k < n { slope } else { -slope };
        let along = dvec3(cos(down), 0.0, -sin(down));
        let (own, before) = (format!("l{k}"), format!("l{}", k.wrapping_sub(1)));
        let turn = DQuat::from_rotation_y(down);
        let moments = mass * link * link / 12.0 * DVec3::ONE;
        maker.add(body(mass, moments, &own).centred_at(at + 0.5 * link * along, turn));
        let sides = [Some(&own[..]), (k > 0).then_some(&before[..])];
        maker.join(&format!("j{k}"), JointKind::Hinge, sides, at, DVec3::Y);
        maker.with(Axis::TurnZ, Control::Spring { stiffness: 0.0, rest: 0.0, damping: 0.15 });
        at += link * along;
    }
    maker.join("k", JointKind::Ball, [Some(&format!("l{}", n - 1)), None], at, DVec3::Z);
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(30.0).expect("to go on");
    let (mut at, mut worst) = (DVec3::ZERO, 0.0_f64);
    for (k, angle) in angles.iter().enumerate() {
        let along = dvec3(cos(*angle), 0.0, -sin(*angle));
        let found = point(&simulation, &format!("l{k}"), DVec3::ZERO);
        worst = worst.max((found - (at + 0.5 * link * along)).length());
        at += link * along;
    }
    let (error, steps) = (balance(&mut simulation) - start, simulation.statistics().steps);
    println!("{worst:e} m off the catenary, balance {error:e}, {steps} steps");
    assert!(worst < 1e-9 && error.abs() < 1e-9, "{worst} {error}");
    let first = simulation.joint_forces()[0].force;
    let expected = dvec3(-low, 0.0, 0.5 * n as f64 * mass * G);
    assert!((first - expected).length() < 1e-7, "{first} for {expected}");
}

/// Heavy on light, 10⁶ : 1, and light on heavy: the joints are satisfied and energy stays.
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

/// A mechanism, and for how long the short test runs it, s.
type Conservative = (&'static str, f64, fn() -> Simulation);

/// Conservative mechanisms; what a constant torque or a prescribed motion does is taken out.
const CONSERVATIVE: &[Conservative] = &[
    ("A22 pendulum", 100.0, || scene("a22-pendulum-on-a-hinge")),
    ("A23 mass on a rod", 100.0, || scene("a23-simple-pendulum")),
    ("A24 double four-bar", 20.0, || scene("a24-double-four-bar")),
    ("A25 squeezer", 0.03, || squeezer().simulation(DVec3::ZERO)),
    ("A26 Bricard", 100.0, || scene("a26-bricard")),
    ("A27 boot", 100.0, || scene("a27-chaotic-boot")),
    ("chain of ten", 0.5, || scene("chain-on-pivot")),
    ("cradle on rods", 100.0, || scene("cradle-on-rods")),
    ("cradle on strings", 10.0, || scene("cradle-on-strings")),
    ("double pendulum", 100.0, || scene("double-pendulum")),
    ("gyroscope in gimbals", 1.0, || scene("gyroscope-in-gimbals")),
    ("slider-crank, driven", 5.0, || scene("slider-crank")),
    ("slider-crank, free", 5.0, free_slider_crank),
    ("pendulum of 1 : 10⁶", 5.0, || pendulum_of([1.0, 1e6])),
    ("pendulum of 10⁶ : 1", 5.0, || pendulum_of([1e6, 1.0])),
];

/// A crank of 0.3 m, a rod of 1 m and a slide of 2 kg that runs up and down, with 5 rad/s to begin with.
fn free_slider_crank() -> Simulation {
    let mut maker = Maker::new();
    let spin = dvec3(0.0, 5.0, 0.0);
    let crank = body(1.0, dvec3(1e-3, 0.01, 0.01), "crank").moving(spin.cross(0.15 * DVec3::X), spin);
    maker.add(crank.centred_at(0.15 * DVec3::X, DQuat::IDENTITY));
    let (knee, slide) = (dvec3(0.3, 0.0, 0.0), dvec3(0.0, 0.0, 0.91_f64.sqrt()));
    let turn = DQuat::from_rotation_arc(DVec3::X, (slide - knee).normalize());
    maker.add(body(0.5, dvec3(1e-3, 0.04, 0.04), "rod").centred_at(0.5 * (knee + slide), turn));
    maker.add(body(2.0, DVec3::splat(0.02), "slide").centred_at(slide, DQuat::IDENTITY));
    maker.join("axle", JointKind::Hinge, [Some("crank"), None], DVec3::ZERO, DVec3::Y);
    maker.join("knee", JointKind::Hinge, [Some("rod"), Some("crank")], knee, DVec3::Y);
    maker.join("eye", JointKind::Hinge, [Some("slide"), Some("rod")], slide, DVec3::Y);
    maker.join("guide", JointKind::Slider, [Some("slide"), None], slide, DVec3::Z);
    maker.simulation(DOWN)
}

/// Two bars of 1 m on hinges, released from the horizontal, with these masses.
fn pendulum_of(masses: [f64; 2]) -> Simulation {
    let mut maker = Maker::new();
    for (i, mass) in masses.iter().enumerate() {
        let own = format!("l{i}");
        let at = dvec3(0.5 + i as f64, 0.0, 0.0);
        let moments = *mass * dvec3(1e-3, 1.0 / 12.0, 1.0 / 12.0);
        maker.add(body(*mass, moments, &own).centred_at(at, DQuat::IDENTITY));
        let sides = [Some(&own[..]), (i > 0).then_some("l0")];
        maker.join(&format!("j{i}"), JointKind::Hinge, sides, dvec3(i as f64, 0.0, 0.0), DVec3::Y);
    }
    maker.simulation(DOWN)
}

/// Runs a mechanism; returns the largest error of its energy, by the energy in play.
fn energy_error(name: &str, mut simulation: Simulation, time: f64) -> f64 {
    let start = balance(&mut simulation);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for k in 1..=20 {
        simulation.advance(time * f64::from(k) / 20.0).expect("to go on");
        let ledger = simulation.ledger();
        worst = worst.max((ledger.total() - ledger.work - start).abs());
        largest = largest.max(ledger.kinetic).max(ledger.potential.abs());
    }
    let steps = simulation.statistics().steps;
    println!("{name}: {time} s, {worst:.1e} of {largest:.1} J, {steps} steps");
    worst / largest
}

/// Conservative mechanisms keep their energy to 1e-9 of the energy in play, for a while; the projection onto joints is in it.
#[test]
fn conservative_mechanisms_keep_their_energy() {
    for (name, time, make) in CONSERVATIVE {
        let error = energy_error(name, make(), *time);
        assert!(error < 1e-9, "{name}: {error}");
    }
}

/// The same over a hundred seconds; over a hundred times its published run for the squeezer, which is as fast.
#[test]
#[ignore = "minutes"]
fn conservative_mechanisms_keep_their_energy_for_a_hundred_seconds() {
    let run = |(name, time, make): &Conservative| {
        let time = if *time < 0.1 { 100.0 * time } else { 100.0 };
        (*name, energy_error(name, make(), time))
    };
    let failed: Vec<_> =
        CONSERVATIVE.iter().map(run).filter(|(_, error)| error.is_nan() || *error >= 1e-9).collect();
    assert!(failed.is_empty(), "{failed:?}");
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

/// A drawbridge falls until its ropes reach their length, all its energy lost, and hangs: each rope carries half the moment of the
/// weight.
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
