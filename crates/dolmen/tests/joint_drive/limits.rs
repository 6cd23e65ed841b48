//! Limits, ropes, friction and motors with a largest force: closed forms, times of events, the ledger.

use super::common::{balance, point, spin};
use super::described::{Maker, body};
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Control, Course, Frame, Friction, JointKind, Placement};
use dolmen::math::real::{PI, atan2, cos, sin};
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::record::JointEventKind;

const G: f64 = 9.81;
const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

/// A bar of length 2, mass 1, on a pin about y at the origin, its centre at angle `angle` below the x axis.
fn bar(maker: &mut Maker, angle: f64, speed: f64) {
    let turn = DQuat::from_rotation_y(angle);
    let at = turn * DVec3::X;
    let spin = DVec3::Y * speed;
    let bar = body(1.0, dvec3(1e-3, 1.0 / 3.0, 1.0 / 3.0), "bar");
    maker.add(bar.centred_at(at, turn).moving(spin.cross(at), spin));
    maker.join("pin", JointKind::Hinge, [Some("bar"), None], DVec3::ZERO, DVec3::Y);
}

/// Moment of inertia of the bar about its pin.
const I: f64 = 4.0 / 3.0;

fn limit(lower: f64, upper: f64, restitution: f64) -> Control {
    Control::Limit { lower, upper, restitution }
}

fn struck(simulation: &Simulation) -> Vec<(f64, f64, f64)> {
    let events = simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Struck);
    events.map(|e| (e.t, e.approach, e.separation)).collect()
}

/// A bar falls from the horizontal onto a stop straight below: ½Iω² = mgl there, and back with εω; the rest is lost.
#[test]
fn a_bar_bounces_off_its_stop() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut maker = Maker::new();
        bar(&mut maker, 0.0, 0.0);
        // Angles of the pin are counted from where it is placed.
        maker.with(Axis::TurnZ, limit(-1.0, 0.5 * PI, restitution));
        let mut simulation = maker.simulation(DOWN);
        let start = balance(&mut simulation);
        simulation.advance(1.0).expect("to go on");
        let hits = struck(&simulation);
        let omega = (2.0 * G / I).sqrt();
        let (t, before, after) = hits[0];
        // A quarter of the swing from rest at 90°: K(½)/ω₀ with ω₀² = g/(I/m l).
        let quarter = 1.854_074_677_301_371_9 / (G / I).sqrt();
        assert!((t - quarter).abs() < 1e-10, "ε = {restitution}: at {t} for {quarter}");
        assert!((before + omega).abs() < 1e-9 && (after - restitution * omega).abs() < 1e-9, "{hits:?}");
        let ledger = simulation.ledger();
        let lost = (1.0 - restitution * restitution) * G;
        assert!((ledger.collisions - lost).abs() < 1e-8, "{} for {lost}", ledger.collisions);
        let error = balance(&mut simulation) - start;
        assert!(error.abs() < 1e-9, "{error}");
        let deepest = point(&simulation, "bar", DVec3::X).x;
        assert!(deepest >= -1e-9, "{deepest}");
        if restitution == 0.0 {
            assert!(spin(&simulation, "bar").length() < 1e-12, "it leans on the stop");
        }
    }
}

/// A body on a vertical guide bounces off the end of it: with ε the series of bounces ends after t₀ (1 + ε)/(1 − ε), and the end
/// carries the weight.
#[test]
fn bounces_off_the_end_of_a_guide_come_to_rest() {
    let mut maker = Maker::new();
    maker.add(body(2.0, DVec3::splat(0.1), "weight").centred_at(dvec3(0.0, 0.0, 1.0), DQuat::IDENTITY));
    maker.join("guide", JointKind::Slider, [Some("weight"), None], dvec3(0.0, 0.0, 1.0), DVec3::Z);
    maker.with(Axis::Z, limit(-1.0, f64::INFINITY, 0.5));
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    let fall = (2.0 / G).sqrt();
    simulation.advance(3.0 * fall + 0.1).expect("to go on");
    let hits = struck(&simulation);
    assert!((hits[0].0 - fall).abs() < 1e-12 && (hits[1].0 - 2.0 * fall).abs() < 1e-11, "{hits:?}");
    let height = point(&simulation, "weight", DVec3::ZERO).z;
    assert!(height.abs() < 1e-9, "{height}");
    let force = simulation.joint_forces()[0].force;
    assert!((force - dvec3(0.0, 0.0, 2.0 * G)).length() < 1e-9, "{force}");
    let (ledger, error) = (simulation.ledger(), balance(&mut simulation) - start);
    assert!((ledger.collisions + ledger.closing - 2.0 * G).abs() < 1e-8 && error.abs() < 1e-9, "{ledger:?}");
}

/// A weight thrown sideways on a slack rope: it flies until the rope has its length, loses what it has along the rope, and swings.
#[test]
fn a_rope_reaches_its_length_and_the_weight_swings() {
    let mut maker = Maker::new();
    let weight = body(1.0, DVec3::splat(0.01), "weight").moving(dvec3(1.0, 0.0, 0.0), DVec3::ZERO);
    maker.add(weight.centred_at(dvec3(0.0, 0.0, -0.2), DQuat::IDENTITY));
    let rope = JointKind::Rope { length: Some(1.0), restitution: 0.0 };
    maker.join("rope", rope, [Some("weight"), None], DVec3::ZERO, DVec3::Z);
    maker.placed(Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO)));
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(0.3).expect("to go on");
    let free = point(&simulation, "weight", DVec3::ZERO);
    let expected = dvec3(0.3, 0.0, -0.2 - 0.5 * G * 0.09);
    assert!((free - expected).length() < 1e-10, "in free flight at {free} for {expected}");
    simulation.advance(0.5).expect("to go on");
    let (t, before, after) = struck(&simulation)[0];
    let at = dvec3(t, 0.0, -0.2 - 0.5 * G * t * t);
    assert!((at.length() - 1.0).abs() < 1e-11 && before < 0.0 && after.abs() < 1e-12, "{t} {at}");
    let velocity = dvec3(1.0, 0.0, -G * t);
    let along = velocity.dot(at);
    let lost = simulation.ledger().collisions;
    assert!((lost - 0.5 * along * along).abs() < 1e-9, "{lost} for {}", 0.5 * along * along);
    for k in 1..40 {
        simulation.advance(0.5 + 0.1 * f64::from(k)).expect("to go on");
        let far = point(&simulation, "weight", DVec3::ZERO).length();
        assert!(far <= 1.0 + 1e-10, "stretched to {far}");
        let error = balance(&mut simulation) - start;
        assert!(error.abs() < 1e-9, "{error}");
    }
}

/// A weight on a rope goes over the top too slowly: the rope goes slack where v² = g ℓ sin α above the horizontal.
#[test]
fn a_rope_goes_slack_where_it_would_have_to_push() {
    let mut maker = Maker::new();
    // At the bottom, v² = 4 g ℓ: slack at 3 sin α = v²/gℓ − 2.
    let speed = (4.0 * G).sqrt();
    let weight = body(1.0, DVec3::splat(0.01), "weight").moving(dvec3(speed, 0.0, 0.0), DVec3::ZERO);
    maker.add(weight.centred_at(dvec3(0.0, 0.0, -1.0), DQuat::IDENTITY));
    let rope = JointKind::Rope { length: Some(1.0), restitution: 0.0 };
    maker.join("rope", rope, [Some("weight"), None], DVec3::ZERO, DVec3::Z);
    maker.placed(Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO)));
    let mut simulation = maker.simulation(DOWN);
    simulation.advance(1.0).expect("to go on");
    let released = simulation.joint_events().iter().find(|e| e.kind == JointEventKind::Released);
    let t = released.expect("it goes slack").t;
    let mut copy = Simulation::new(simulation.world().clone()).expect("a start");
    copy.advance(t).expect("to go on");
    let sine = point(&copy, "weight", DVec3::ZERO).z;
    assert!((sine - 2.0 / 3.0).abs() < 1e-8, "slack at {sine}");
}

/// A motor of largest torque τ speeds a wheel up: ω = τt/I up to its target, reached at I ω/τ; its work is ½Iω².
#[test]
fn a_motor_with_a_largest_torque_takes_its_time() {
    let mut maker = Maker::new();
    maker.add(body(1.0, DVec3::splat(0.5), "wheel"));
    maker.join("axle", JointKind::Hinge, [Some("wheel"), None], DVec3::ZERO, DVec3::Z);
    maker.with(Axis::TurnZ, Control::Velocity { target: Course::Constant(6.0), largest: 2.0 });
    let mut simulation = maker.simulation(DVec3::ZERO);
    simulation.advance(1.0).expect("to go on");
    assert!((spin(&simulation, "wheel").z - 4.0).abs() < 1e-10);
    simulation.advance(3.0).expect("to go on");
    assert!((spin(&simulation, "wheel").z - 6.0).abs() < 1e-11);
    let active = simulation.joint_events().iter().find(|e| e.kind == JointEventKind::Active);
    let t = active.expect("it reaches its speed").t;
    assert!((t - 1.5).abs() < 1e-10, "reached at {t}");
    let ledger = simulation.ledger();
    assert!((ledger.work - 9.0).abs() < 1e-9, "{ledger:?}");
}

/// A motor lifts an arm until its weight is too much: τ = m g l cos φ is the largest torque; from there it gives way and stops.
#[test]
fn a_motor_gives_way_where_the_load_is_too_much() {
    let mut maker = Maker::new();
    // From hanging straight down, upwards towards the horizontal.
    bar(&mut maker, 0.5 * PI, 0.0);
    let largest = 0.5 * G;
    maker.with(Axis::TurnZ, Control::Velocity { target: Course::Constant(-0.01), largest });
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(60.0).expect("to go on");
    let events = simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Saturated);
    let times: Vec<f64> = events.map(|e| e.t).collect();
    // m g l sin(0.01 t) = τ: at 30°, after it has been brought to speed in no time to speak of.
    let expected = PI / 6.0 / 0.01;
    assert!(times.iter().any(|t| (t - expected).abs() < 1e-2), "{times:?} for {expected}");
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-8, "{error}");
}

/// Dry friction of a constraint stops a wheel after I ω/τ, on an angle of I ω²/2τ, and takes all its energy.
#[test]
fn friction_in_a_bearing_stops_a_wheel() {
    let mut maker = Maker::new();
    maker.add(body(1.0, DVec3::splat(0.5), "wheel").moving(DVec3::ZERO, DVec3::Z * 3.0));
    maker.join("axle", JointKind::Hinge, [Some("wheel"), None], DVec3::ZERO, DVec3::Z);
    maker.with(Axis::TurnZ, Control::Friction(Friction { constant: 0.75, coefficient: 0.0, arm: 0.0 }));
    let mut simulation = maker.simulation(DVec3::ZERO);
    simulation.advance(10.0).expect("to go on");
    let active = simulation.joint_events().iter().find(|e| e.kind == JointEventKind::Active);
    let t = active.expect("it stops").t;
    assert!((t - 2.0).abs() < 1e-10, "stops at {t}");
    let x = point(&simulation, "wheel", DVec3::X);
    assert!((x - dvec3(cos(3.0), sin(3.0), 0.0)).length() < 1e-9, "{x}");
    let ledger = simulation.ledger();
    assert!((ledger.friction - 2.25).abs() < 1e-9 && ledger.kinetic < 1e-20, "{ledger:?}");
}

/// A block on a tilted guide with μ of its reaction: a = g (sin α − μ cos α) down the slope, or none below the angle of friction.
#[test]
fn friction_in_a_guide_grows_with_what_it_carries() {
    for (mu, slides) in [(0.2, true), (0.8, false)] {
        let (alpha, mut maker) = (0.5, Maker::new());
        let along = dvec3(cos(alpha), 0.0, -sin(alpha));
        maker.add(body(3.0, DVec3::splat(0.1), "block"));
        maker.join("guide", JointKind::Slider, [Some("block"), None], DVec3::ZERO, along);
        let friction = Friction { constant: 0.0, coefficient: mu, arm: 1.0 };
        maker.with(Axis::Z, Control::Friction(friction));
        let mut simulation = maker.simulation(DOWN);
        let start = balance(&mut simulation);
        simulation.advance(1.0).expect("to go on");
        let way = point(&simulation, "block", DVec3::ZERO).dot(along);
        let expected = if slides { 0.5 * G * (sin(alpha) - mu * cos(alpha)) } else { 0.0 };
        assert!((way - expected).abs() < 1e-9, "μ = {mu}: {way} for {expected}");
        let (error, friction) = (balance(&mut simulation) - start, simulation.ledger().friction);
        let lost = 3.0 * mu * G * cos(alpha) * expected;
        assert!(error.abs() < 1e-9 && (friction - lost).abs() < 1e-8, "{error}; {friction} for {lost}");
    }
}

/// An impact on a stop of one link is felt in the whole chain at once: angular momentum about the pivot changes by the stop's
/// impulse alone, and the joints are satisfied.
#[test]
fn a_stop_in_a_chain_is_felt_by_all_links() {
    let mut maker = Maker::new();
    for i in 0..4 {
        let (own, before) = (format!("l{i}"), format!("l{}", i - 1));
        let at = dvec3(0.25 + 0.5 * f64::from(i), 0.0, 0.0);
        maker.add(body(0.5, dvec3(1e-3, 0.01, 0.01), &own).centred_at(at, DQuat::IDENTITY));
        let sides = [Some(&own[..]), (i > 0).then_some(&before[..])];
        let pin = dvec3(0.5 * f64::from(i), 0.0, 0.0);
        maker.join(&format!("j{i}"), JointKind::Hinge, sides, pin, DVec3::Y);
        maker.with(Axis::TurnZ, limit(-0.3, 0.3, 0.4));
    }
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    for k in 1..=40 {
        simulation.advance(0.05 * f64::from(k)).expect("to go on");
        let error = balance(&mut simulation) - start;
        assert!(error.abs() < 1e-8, "at {}: {error}", simulation.time());
        for i in 0..4 {
            let own = simulation.world().find_body(&format!("l{i}")).expect("a link");
            let turn = |id| simulation.pose(id).orientation * DVec3::X;
            let x = turn(own);
            let before = if i == 0 {
                DVec3::X
            } else {
                turn(simulation.world().find_body(&format!("l{}", i - 1)).expect("a link"))
            };
            let angle = atan2(before.cross(x).length(), before.dot(x));
            assert!(angle <= 0.3 + 1e-9, "link {i} at {}: {angle}", simulation.time());
        }
    }
    let ledger = simulation.ledger();
    println!("{} strikes, {ledger:?}", simulation.collisions().1);
    assert!(simulation.collisions().1 > 4 && ledger.collisions > 0.0, "{ledger:?}");
}

/// CASES A28: two links fall onto a stop at −90° under gravity (−30, 10, −50) and rest there; reactions by statics.
#[test]
fn a28_reactions_of_two_links_on_a_stop() {
    let mut maker = Maker::new();
    let moments = DVec3::splat(1.0);
    maker.add(body(10.0, moments, "one").centred_at(dvec3(0.0, 0.0, 0.5), DQuat::IDENTITY));
    // Link 1 hangs on its centre; its frame has its origin half a metre below.
    maker.add(body(10.0, moments, "two").centred_at(dvec3(0.0, 0.0, 2.0), DQuat::IDENTITY));
    maker.join("first", JointKind::Hinge, [Some("one"), None], dvec3(0.0, 0.0, 0.5), DVec3::X);
    maker.with(Axis::TurnZ, limit(-0.5 * PI, 0.5 * PI, 0.0));
    maker.join("second", JointKind::Hinge, [Some("two"), Some("one")], dvec3(0.0, 0.0, 1.5), DVec3::Z);
    let mut simulation = maker.simulation(dvec3(-30.0, 10.0, -50.0));
    simulation.advance(5.0).expect("to go on");
    let forces = simulation.joint_forces();
    let one = simulation.world().find_body("one").expect("link 1");
    let down = simulation.pose(one).orientation;
    // On link 1 by the ground, and on link 2 by link 1, in the frame of link 1.
    let in_frame = |k: usize| (down.conjugate() * forces[k].torque, down.conjugate() * forces[k].force);
    let near = |(torque, force): (DVec3, DVec3), expected: [f64; 6]| {
        let [a, b, c, d, e, f] = expected;
        let (t, g) = (torque - dvec3(a, b, c), force - dvec3(d, e, f));
        assert!(t.length() < 1e-6 && g.length() < 1e-6, "{torque} {force} for {expected:?}");
    };
    println!("{:?} {:?} {}", in_frame(0), in_frame(1), simulation.time());
    near(in_frame(0), [750.0, 450.0, 0.0, 600.0, -1000.0, -200.0]);
    near(in_frame(1), [250.0, 150.0, 0.0, 300.0, -500.0, -100.0]);
}

/// A vertical chain of 100 links at rest: each joint carries the weight below it, and the chain is at rest without cost.
#[test]
fn each_joint_of_a_hanging_chain_carries_what_hangs_on_it() {
    let mut maker = Maker::new();
    let n = 100;
    for i in 0..n {
        let (own, before) = (format!("l{i:03}"), format!("l{:03}", i - 1));
        let at = dvec3(0.0, 0.0, -0.05 - 0.1 * f64::from(i));
        maker.add(body(0.2, dvec3(1e-3, 1e-3, 1e-4), &own).centred_at(at, DQuat::IDENTITY));
        let sides = [Some(&own[..]), (i > 0).then_some(&before[..])];
        maker.join(&format!("j{i:03}"), JointKind::Ball, sides, at + dvec3(0.0, 0.0, 0.05), DVec3::Z);
    }
    let mut simulation = maker.simulation(DOWN);
    simulation.advance(100.0).expect("to go on");
    assert_eq!(simulation.statistics().steps, 0, "it is at rest without steps");
    for force in simulation.joint_forces() {
        let expected = 0.2 * G * (f64::from(n) - force.joint as f64);
        assert!((force.force.z - expected).abs() < 1e-10 * expected, "{} for {expected}", force.force);
    }
}

/// Bad input: a start beyond a limit, a state far off a joint, a prescribed motion against a stop; each names the joint.
#[test]
fn what_cannot_be_is_refused_by_name() {
    use dolmen::world::World;
    let two = |upper: f64| -> World {
        let mut maker = Maker::new();
        bar(&mut maker, 0.0, 0.0);
        maker.with(Axis::TurnZ, Control::Motion(Course::Ramp { start: 0.0, rate: 0.5 }));
        maker.join("stop", JointKind::Hinge, [Some("bar"), None], DVec3::ZERO, DVec3::Y);
        maker.with(Axis::TurnZ, limit(-1.0, upper, 0.0));
        maker.world(DOWN)
    };
    let mut simulation = Simulation::new(two(0.25)).expect("a start");
    let stop = simulation.advance(1.0).expect_err("a stop in the way of a prescribed motion");
    assert!((stop.t - 0.5).abs() < 1e-9, "{stop}");
    let text = stop.to_string();
    assert!(text.contains("\"stop\"") && text.contains("infinite force"), "{text}");

    let mut maker = Maker::new();
    bar(&mut maker, 0.0, 0.0);
    let mut simulation = maker.simulation(DOWN);
    simulation.advance(0.1).expect("to go on");
    let id = simulation.world().find_body("bar").expect("the bar");
    let mut state = simulation.state(id).expect("a state");
    state.position += dvec3(0.0, 0.5, 0.0);
    let text = simulation.set_state(id, state).expect_err("far off the pin").to_string();
    assert!(text.contains("\"pin\"") && text.contains("apart"), "{text}");
    simulation.advance(0.2).expect("it goes on from where it was");
    let mut state = simulation.state(id).expect("a state");
    (state.momentum, state.angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
    simulation.set_state(id, state).expect("brought to a stop");
    assert!(spin(&simulation, "bar").length() < 1e-12);
    simulation.advance(0.3).expect("to go on");
}
