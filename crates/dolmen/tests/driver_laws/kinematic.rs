//! Bodies that give way to nothing: jams end in a report, pistons do work that is booked.

use dolmen::drive::exact::Reason;
use dolmen::math::real;
use dolmen::motion::Prescribed;
use dolmen::prelude::*;
use dolmen::record::Balance;
use dolmen::shape::{Plane, Sides};

use crate::clouds::Random;
use crate::common::{ball, elastic, material, room, solid, wall, world};

/// A plane n·x ≥ `at` that moves with this speed along its normal.
fn piston(normal: DVec3, at: f64, speed: f64, name: &str) -> Body {
    let plane = Plane::new(normal, -at).expect("unit").with_sides(Sides::Front);
    let twist = Twist { velocity: speed * normal, spin: DVec3::ZERO };
    Body::prescribed(Prescribed::Uniform { start: Pose::IDENTITY, twist })
        .with_shape(plane.into())
        .named(name)
}

/// A ball of radius 0.2 m between walls that are 2 m apart and close in at 1 m/s: there is no room for it after 1.6 s.
fn closing_walls(restitution: f64) -> Simulation {
    let bodies = vec![
        piston(DVec3::X, -1.0, 0.5, "left wall"),
        piston(-DVec3::X, -1.0, 0.5, "right wall"),
        ball("ball", 0.2, dvec3(0.1, 0.0, 0.0)).moving(dvec3(0.3, 0.1, 0.0), DVec3::ZERO),
    ];
    Simulation::new(world(bodies, DVec3::ZERO, material(restitution, 0.2))).expect("a start")
}

/// Walls that close in on a ball: the run ends in time with a report that names the culprits.
#[test]
fn a_ball_jammed_between_closing_walls_ends_in_a_report() {
    for restitution in [0.0, 0.5, 0.9] {
        let mut simulation = closing_walls(restitution);
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        let stop = simulation.advance(10.0).expect_err("there is no room after 1.6 s");
        let off = balance.add(&simulation.ledger());
        assert!(balance.relative() < 1e-9, "ε = {restitution}: off by {off:e} J of {:e}", balance.turnover);
        println!("ε = {restitution}: {stop}; {} events", simulation.events().len());
        assert!(stop.t <= 1.6 + 1e-9 && stop.t > 1.5, "ε = {restitution}: {stop}");
        assert!(matches!(stop.reason, Reason::Jammed { .. }), "{stop}");
        assert!(stop.to_string().contains("ball"), "{stop}");
        assert_eq!(simulation.sample().not_finite(simulation.world()), None);
        assert_eq!(simulation.advance(11.0).expect_err("for good"), stop);
    }
}

/// The most hits before a run between walls that close in has to end.
const MOST_STEPS: u64 = 1_000_000;

/// That a run ends within so many steps, shortly before `until`, in a report that names a body; the ledger balances, and so it
/// stays. Returns the report.
fn ends_in_a_report(simulation: &mut Simulation, (body, until): (&str, f64), case: &str) -> Reason {
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    let mut steps = 0_u64;
    let outcome = simulation.advance_while(10.0 * until, &mut |_| {
        steps += 1;
        steps < MOST_STEPS
    });
    let stop = outcome.expect_err("there is no room any more");
    let off = balance.add(&simulation.ledger());
    println!("{case}: {stop}; {steps} steps");
    assert_ne!(stop.reason, Reason::Interrupted, "{case}: after {steps} steps");
    assert!(stop.t > 0.99 * until && stop.t <= until, "{case}: {stop}");
    assert!(stop.to_string().contains(body), "{case}: {stop}");
    assert!(balance.relative() < 1e-9, "{case}: off by {off:e} J of {:e}", balance.turnover);
    assert!(simulation.deepest_overlap().1 <= 1.0, "{case}: {:?}", simulation.deepest_overlap());
    assert_eq!(simulation.sample().not_finite(simulation.world()), None);
    assert_eq!(simulation.advance(20.0 * until).expect_err("for good"), stop);
    stop.reason
}

/// The same, and that the report is of hits that time cannot tell, at a speed that bodies have.
fn ends_unresolved(mut simulation: Simulation, (body, until): (&str, f64), case: &str) {
    let reason = ends_in_a_report(&mut simulation, (body, until), case);
    let Reason::Unresolved { speed, interval, force, rounding, tolerance, .. } = reason else {
        panic!("{case}: {reason}");
    };
    let bodies = simulation.world().body_ids();
    let fastest = bodies.map(|id| simulation.twist(id).velocity.length()).fold(0.0, f64::max);
    // Of one relative to the other: two may be so fast, and turn.
    assert!(speed > 0.3 * fastest && speed < 3.0 * fastest, "{case}: {speed} beside {fastest}");
    assert!(force > 0.0 && force.is_finite(), "{case}: {reason}");
    assert!(speed * rounding > tolerance || rounding > 1e-3 * interval, "{case}: {reason}");
}

/// An elastic ball between closing walls becomes ever faster, v ∝ 1/L: a thousand millions of hits before there is no room.
/// None of them is at the same instant as another, so that it never stands still; the run ends where time cannot tell them.
#[test]
fn an_elastic_ball_between_closing_walls_ends_in_a_report() {
    ends_unresolved(closing_walls(1.0), ("ball", 1.6), "both walls");
}

/// The same when one wall closes in, both do so slowly, one a hundred thousand times faster than the other, under gravity, and
/// with a second ball.
#[test]
fn elastic_balls_between_all_kinds_of_closing_walls_end_in_a_report() {
    let still = DVec3::ZERO;
    let walls = |left: f64, right: f64| {
        vec![piston(DVec3::X, -1.0, left, "left wall"), piston(-DVec3::X, -1.0, right, "right wall")]
    };
    // One of 5 cm: the walls have 40 times its size to go, and there are fewer hits.
    let small = || ball("ball", 0.05, dvec3(0.1, 0.0, 0.0)).moving(dvec3(0.3, 0.1, 0.0), still);
    let other = || ball("other ball", 0.05, dvec3(0.5, 0.01, 0.0)).moving(dvec3(-0.2, 0.0, 0.0), still);
    let run = |mut bodies: Vec<Body>, more: Vec<Body>, (gravity, until): (f64, f64), case: &str| {
        bodies.extend(more);
        let world = world(bodies, dvec3(0.0, 0.0, -gravity), material(1.0, 0.2));
        ends_unresolved(Simulation::new(world).expect("a start"), ("ball", until), case);
    };
    run(walls(0.0, 0.5), vec![small()], (0.0, 3.8), "one wall");
    run(walls(1e-3, 1e-3), vec![small()], (0.0, 950.0), "slow walls");
    run(walls(100.0, 1e-3), vec![small()], (0.0, 1.9 / 100.001), "unlike walls");
    run(walls(0.5, 0.5), vec![small()], (9.81, 1.9), "gravity");
    run(walls(0.5, 0.5), vec![small(), other()], (0.0, 1.9), "two balls");
}

/// The same where there is but a millimetre of room to begin with: it may be that it ends in a step over both contacts.
#[test]
fn an_elastic_ball_with_little_room_ends_in_a_report() {
    let gap = 1e-3;
    let bodies = vec![
        wall(DVec3::X, -0.05 - 0.5 * gap, "floor"),
        piston(-DVec3::X, -0.05 - 0.5 * gap, 0.1 * gap, "lid"),
        ball("ball", 0.05, DVec3::ZERO).moving(dvec3(0.1 * gap, 0.0, 0.0), DVec3::ZERO),
    ];
    let mut simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a start");
    let reason = ends_in_a_report(&mut simulation, ("ball", 10.0), "little room");
    assert!(matches!(reason, Reason::Unresolved { .. } | Reason::Jammed { .. }), "{reason}");
}

/// Hits close upon each other are no reason to stop, nor is it late: a ball rattles between walls that leave it a hundred
/// thousandth of its size, and one bounces so high and for so long that it moves by many tolerances within the rounding of time.
#[test]
fn balls_that_rattle_or_bounce_for_long_go_on() {
    let play = 1e-5;
    let between = vec![
        wall(DVec3::X, -1.0, "left"),
        wall(-DVec3::X, -1.0 - play, "right"),
        ball("ball", 1.0, dvec3(0.3 * play, 0.0, 0.0)).moving(DVec3::X, DVec3::ZERO),
    ];
    let high = vec![crate::common::floor(), ball("ball", 0.1, dvec3(0.0, 0.0, 1e4))];
    for (bodies, gravity, until, least) in [(between, 0.0, 1.0, 90_000), (high, 9.81, 1e6, 10_000)] {
        let world = world(bodies, dvec3(0.0, 0.0, -gravity), elastic());
        let mut simulation = Simulation::new(world).expect("a start");
        let before = simulation.ledger().total();
        simulation.advance(until).expect("nothing closes in");
        let (hits, _) = simulation.collisions();
        let off = simulation.ledger().total() / before - 1.0;
        println!("{hits} hits, energy off by {off:e}, {} steps over crowds", simulation.time_steps());
        assert!(hits > least, "{hits} hits");
        assert!(off.abs() < 1e-9, "energy is off by {off:e}");
    }
}

/// The same for a box between plates that are boxes themselves.
#[test]
fn a_box_jammed_between_closing_plates_ends_in_a_report() {
    for restitution in [0.0, 0.7] {
        let plate = |sign: f64, name: &str| {
            let start = Pose { position: dvec3(sign, 0.0, 0.0), orientation: DQuat::IDENTITY };
            let twist = Twist { velocity: dvec3(-0.5 * sign, 0.0, 0.0), spin: DVec3::ZERO };
            let shape = Shape::cuboid(dvec3(0.1, 1.0, 1.0)).expect("sound");
            Body::prescribed(Prescribed::Uniform { start, twist }).with_shape(shape).named(name)
        };
        let cube = Shape::cuboid(DVec3::splat(0.2)).expect("sound");
        let turn = DQuat::from_rotation_z(0.2);
        let bodies = vec![plate(-1.0, "left"), plate(1.0, "right"), solid("box", cube, DVec3::ZERO, turn)];
        let mut simulation =
            Simulation::new(world(bodies, DVec3::ZERO, material(restitution, 0.2))).expect("a start");
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        let stop = simulation.advance(10.0).expect_err("there is no room after 1.4 s");
        let off = balance.add(&simulation.ledger());
        assert!(balance.relative() < 1e-9, "ε = {restitution}: off by {off:e} J of {:e}", balance.turnover);
        println!("ε = {restitution}: {stop}; {} events", simulation.events().len());
        assert!(stop.t <= 1.4 + 1e-9 && stop.t > 0.9, "ε = {restitution}: {stop}");
        assert_eq!(simulation.sample().not_finite(simulation.world()), None);
    }
}

/// A ball between a wall and a piston that comes slowly: v L is the adiabatic invariant, and the work is booked.
///
/// Elastic hits of a piston of speed u change the speed by 2u; with the path L left, the product v⁺L just after a hit is
/// the same after the next up to u/v: exactly, (v + u) L⁺ is constant from hit to hit.
#[test]
fn a_piston_heats_a_ball_and_its_work_is_booked() {
    let speed = 0.01;
    let bodies = vec![
        wall(DVec3::X, -0.1, "wall"),
        piston(-DVec3::X, -1.1, speed, "piston"),
        ball("ball", 0.1, dvec3(0.5, 0.0, 0.0)).moving(DVec3::X, DVec3::ZERO),
    ];
    let mut simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a start");
    let id = simulation.world().find_body("ball").expect("named");
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    let mut after_hit = Vec::new();
    for k in 1..=90 {
        simulation.advance(f64::from(k)).expect("to go on");
        balance.add(&simulation.ledger());
    }
    assert!(balance.relative() < 1e-12, "{balance:?}");
    let mut v = 1.0;
    for event in simulation.events() {
        let names = event.bodies.map(|id| simulation.world().body_name(id));
        if names.contains(&"piston".to_owned()) {
            v += 2.0 * speed;
            after_hit.push((v - speed) * (1.0 - speed * event.t));
        }
    }
    assert!(after_hit.len() > 50, "{} hits", after_hit.len());
    // L from wall to piston when hit, v⁻ + u = v⁺ − u: one invariant through all hits.
    let spread = after_hit.iter().fold(0.0_f64, |most, x| most.max((x - after_hit[0]).abs()));
    println!("{} hits, invariant {} to {spread:e}", after_hit.len(), after_hit[0]);
    assert!((simulation.twist(id).velocity.x.abs() - v).abs() < 1e-11 * v, "{v}");
    assert!(spread < 1e-10, "{spread:e} {:?}", &after_hit[..4]);
    assert!(simulation.ledger().work > 0.0 && real::powi(v, 2) > 4.0);
}

/// A piston compresses a gas of balls to half its room: kinetic energy grows by the work, to the last digits.
#[test]
fn a_piston_compresses_a_gas_and_its_work_is_booked() {
    let mut random = Random(9);
    let mut bodies: Vec<Body> = room(1.0).into_iter().filter(|b| b.name() != Some("wall +x")).collect();
    bodies.push(piston(-DVec3::X, -1.0, 0.5, "piston"));
    for i in 0..27 {
        let cell = dvec3(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - 1.0;
        let sphere = ball(&format!("ball {i:02}"), 0.1, 0.55 * cell);
        bodies.push(sphere.moving(2.0 * random.in_cube(), DVec3::ZERO));
    }
    for restitution in [1.0, 0.8] {
        let world = world(bodies.clone(), DVec3::ZERO, material(restitution, 0.1));
        let mut simulation = Simulation::new(world).expect("a start");
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        for k in 1..=20 {
            simulation.advance(0.1 * f64::from(k)).expect("to go on");
            balance.add(&simulation.ledger());
        }
        let ledger = simulation.ledger();
        println!("ε = {restitution}: {ledger:?}, {:?}", simulation.collisions());
        assert!(ledger.work > 0.0, "{ledger:?}");
        assert!(balance.relative() < 1e-12, "ε = {restitution}: {balance:?} {ledger:?}");
        assert!(simulation.deepest_overlap().1 <= 1.0, "{:?}", simulation.deepest_overlap());
    }
}

/// A ball on a plate that swings up and down is thrown or carried; the drive's work is booked either way.
#[test]
fn a_shaken_plate_does_work_that_is_booked() {
    for (restitution, amplitude) in [(0.0, 0.01), (0.0, 0.2), (0.7, 0.02)] {
        let shaker = Prescribed::Oscillate {
            middle: Pose::IDENTITY,
            amplitude: dvec3(0.0, 0.0, amplitude),
            axis: DVec3::X,
            angle: 0.0,
            frequency: 2.0,
            phase: 0.0,
        };
        let plate = Shape::cuboid(dvec3(1.0, 1.0, 0.1)).expect("sound");
        let bodies = vec![
            Body::prescribed(shaker).with_shape(plate).named("plate"),
            ball("ball", 0.1, dvec3(0.0, 0.0, 0.2)),
        ];
        let gravity = dvec3(0.0, 0.0, -9.81);
        let mut simulation =
            Simulation::new(world(bodies, gravity, material(restitution, 0.5))).expect("a start");
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        for k in 1..=40 {
            simulation.advance(0.05 * f64::from(k)).expect("to go on");
            balance.add(&simulation.ledger());
        }
        println!("{restitution} {amplitude}: {balance:?}, {} events", simulation.events().len());
        assert!(balance.relative() < 1e-10, "{restitution} {amplitude}: {balance:?}");
    }
}

/// A force that has no value for a body that rises: the run stops at the bounce, after its impulse was booked, with states
/// and ledger of after it. v⁺ = −ε v⁻, and ½m(1 − ε²)v² is lost.
#[test]
fn a_run_that_stops_at_a_bounce_balances() {
    use dolmen::force::Custom;
    use dolmen::world::Member;
    let restitution = 0.5;
    for beside in [false, true] {
        let mut bodies = vec![crate::common::floor(), ball("ball", 0.1, dvec3(0.0, 0.0, 1.1))];
        if beside {
            // One more body that the force couples, which takes no part in the bounce.
            bodies.push(ball("other", 0.1, dvec3(5.0, 0.0, 9.1)));
        }
        let mut world = world(bodies, dvec3(0.0, 0.0, -10.0), material(restitution, 0.0));
        let id = world.find_body("ball").expect("named");
        let members: Vec<Member> =
            ["ball", "other"].iter().filter_map(|name| world.find_body(name)).map(Member::Body).collect();
        let one_way = Custom::new("one way", members, move |_, view, loads, booked| {
            let up = view.twist(id).velocity.z;
            loads.at_centre(id, dvec3(if up > 0.1 { f64::NAN } else { 0.0 }, 0.0, 0.0), booked);
        });
        world.add_force(one_way).expect("a force");
        let mut simulation = Simulation::new(world).expect("a start");
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        let stop = simulation.advance(10.0).expect_err("there is no force after the bounce");
        let off = balance.add(&simulation.ledger());
        assert!((stop.t - 0.2_f64.sqrt()).abs() < 1e-9, "{stop}");
        assert!(stop.to_string().contains("ball"), "{stop}");
        assert!(balance.relative() < 1e-9, "{stop}: off by {off:e} J of {:e}", balance.turnover);
        let v = 20.0_f64.sqrt();
        let got = simulation.twist(id).velocity.z;
        assert!((got - restitution * v).abs() < 1e-9 * v, "rises at {got}, not {}", restitution * v);
        let mass = 1.0 / simulation.world().body(id).inertia().inv_mass;
        let lost = 0.5 * mass * v * v * (1.0 - restitution * restitution);
        let booked = simulation.ledger().collisions;
        assert!((booked - lost).abs() < 1e-9 * lost, "lost {booked}, not {lost}");
    }
}
