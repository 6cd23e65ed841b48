//! Small worlds that once went wrong, named after what did.

use dolmen::force::{Anchor, Spring};
use dolmen::math::real;
use dolmen::prelude::*;
use dolmen::record::EventKind;

use crate::clouds::Random;
use crate::common::{GRAVITY, ball, body_of, floor, material, turn, world};

/// More steps of the driver than any of these worlds needs, by far.
const BUDGET: u64 = 20_000;

/// Runs to `end`, which must not take more steps than the budget.
fn run(world: World, end: f64) -> Simulation {
    let mut simulation = Simulation::new(world).expect("a start without overlaps");
    let mut steps = 0;
    let outcome = simulation.advance_while(end, &mut |_| {
        steps += 1;
        steps < BUDGET
    });
    let last = simulation.events().last().copied();
    assert_eq!(outcome, Ok(()), "after {} events, the last {last:?}", simulation.events().len());
    simulation
}

/// A solid of this kind that falls onto a rough floor.
fn dropped(kind: &str, seed: u64, restitution: f64, friction: f64) -> World {
    let mut random = Random(seed);
    let body = body_of(kind, 0.3, &mut random).centred_at(0.5 * DVec3::Z, turn(&mut random)).named("body");
    world(vec![floor(), body], GRAVITY, material(restitution, friction))
}

/// A ball on a spring bounces: z = z₀ + A cos ωt between hits, with the phase that each hit leaves.
///
/// The search for the next contact of a motion without closed form found the one that was just over, for ever.
#[test]
fn a_ball_on_a_spring_bounces() {
    let (radius, start, anchor, stiffness, rest) = (0.1, 0.6, 1.0, 20.0, 0.4);
    for restitution in [0.0, 0.5, 1.0] {
        let mut w = world(vec![floor(), ball("ball", radius, start * DVec3::Z)], GRAVITY, material(restitution, 0.0));
        let body = w.find_body("ball").expect("named");
        let mass = 1.0 / w.body(body).inertia().inv_mass;
        w.add_force(Spring {
            a: Anchor::Body { body, at: DVec3::ZERO },
            b: Anchor::World(anchor * DVec3::Z),
            stiffness,
            length: rest,
            damping: 0.0,
        })
        .expect("sound");
        let simulation = run(w, 1.0);
        // m z̈ = k (anchor − rest − z) − m g: about the height z₀ with ω² = k/m. From rest at `start` it is at the floor,
        // z = radius, at ωt = acos((radius − z₀)/(start − z₀)).
        let omega = (stiffness / mass).sqrt();
        let middle = anchor - rest - mass * 9.81 / stiffness;
        let first = real::acos((radius - middle) / (start - middle)) / omega;
        let hits: Vec<f64> =
            simulation.events().iter().filter(|e| e.kind == EventKind::Collision).map(|e| e.t).collect();
        assert!((hits[0] - first).abs() < 1e-10, "ε = {restitution}: {} against {first}", hits[0]);
        if restitution == 0.0 {
            continue;
        }
        // It leaves with ε v: back at the floor after 2 atan2(εv/ω, radius − z₀) … of its circle.
        let speed = restitution * omega * real::sin(omega * first) * (start - middle);
        let flight = 2.0 * real::atan2(speed / omega, radius - middle) / omega;
        let period = std::f64::consts::TAU / omega;
        let second = first + if flight < 0.0 { flight + period } else { flight };
        assert!((hits[1] - second).abs() < 1e-10, "ε = {restitution}: {} against {second}", hits[1]);
    }
}

/// A vertex that rested breaks away at the instant at which another of the same pair collides.
///
/// The pair was found again at that instant for ever: the slack of one of its contacts was taken for all of them.
#[test]
fn a_contact_breaks_while_another_of_its_pair_collides() {
    for (kind, seed, restitution, friction) in [
        ("box", 2, 0.4, 0.8),
        ("box", 5, 0.3, 0.4),
        ("cylinder", 5, 0.3, 0.4),
        ("hull", 5, 0.3, 0.4),
    ] {
        let simulation = run(dropped(kind, seed, restitution, friction), 1.0);
        assert!(simulation.deepest_overlap().1 <= 1.0, "{kind} {seed}: {:?}", simulation.deepest_overlap());
    }
}

/// A capsule and a disc that tip over from one end or rim point onto the other stay above the floor.
///
/// New points of a cap or rim that was in contact already were taken for the known contact.
#[test]
fn round_solids_that_tip_over_do_not_sink() {
    for kind in ["capsule", "disc"] {
        let simulation = run(dropped(kind, 5, 0.3, 0.4), 1.0);
        let (depth, share) = simulation.deepest_overlap();
        assert!(share <= 1.0, "{kind}: {depth:e} m, {share} tolerances");
    }
}

/// Bounces of less than a picometre end their series.
///
/// The slack for a pair that parts let it fall a little deeper each time, which kept the bounces going at √(2a·slack).
#[test]
fn tiny_bounces_settle() {
    let cone = Shape::cone(0.13167576535604594, 0.25512463154503967).expect("sound");
    let cone = Body::solid(cone, 1000.0)
        .expect("sound")
        .centred_at(
            dvec3(-0.4752434821544958, -0.7145036780525936, 0.6692112242405737),
            DQuat::from_xyzw(-0.09731320136957443, 0.042676207507771256, -0.988696251890579, -0.10577619604371881),
        )
        .moving(
            dvec3(-0.9998985484353632, -0.9722622562825081, 2.0156901319265934),
            dvec3(0.04035808025614651, -2.873695372779721, 3.1759145541025258),
        );
    let sphere = ball("sphere", 0.17814957828273023, dvec3(-0.21354775761026773, -0.6012318437617087, 0.6632486093023643))
        .moving(
            dvec3(-0.7401034051191833, -0.7537070793107573, 1.7628556345800948),
            dvec3(-0.8097290034332614, 3.2129832632676165, -1.0264395619807145),
        );
    let world = world(vec![cone.named("cone"), sphere], DVec3::ZERO, material(0.3367440625334436, 0.7596445190875951));
    let simulation = run(world, 0.01);
    assert!(simulation.events().len() < 50, "{} events", simulation.events().len());
    assert!(simulation.deepest_overlap().1 < 0.1, "{:?}", simulation.deepest_overlap());
}
