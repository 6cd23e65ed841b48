//! Ever smaller bounces: closed forms of their sums, rocking, and coming to rest.

use dolmen::math::real;
use dolmen::prelude::*;
use dolmen::record::{Balance, EventKind};

use crate::clouds::Random;
use crate::common::{GRAVITY, ball, body_of, elastic, floor, material, solid, turn, world};

/// A ball dropped from h rests at t = (1 + ε)/(1 − ε) √(2h/g), having bounced ever lower, for any ε < 1; then mgh is gone.
#[test]
fn a_bouncing_ball_rests_at_the_limit_of_its_series() {
    for restitution in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999] {
        let (g, height, radius) = (9.81, 0.02, 0.1);
        let bodies = vec![floor(), ball("ball", radius, dvec3(0.0, 0.0, radius + height))];
        let mut simulation =
            Simulation::new(world(bodies, GRAVITY, material(restitution, 0.0))).expect("a start");
        let start = simulation.ledger().total();
        let limit = (1.0 + restitution) / (1.0 - restitution) * (2.0 * height / g).sqrt();
        simulation.advance(1.5 * limit).expect("to go on");
        let last = *simulation.events().last().expect("events");
        let ledger = simulation.ledger();
        let id = simulation.world().find_body("ball").expect("named");
        println!("{restitution}: {} events, {:e}", simulation.events().len(), last.t - limit);
        // What is left of a series is closed when it moves the ball by less than 1e-9 of its size.
        assert!((last.t - limit).abs() < 1e-9 * limit, "ε = {restitution}: {} against {limit}", last.t);
        assert_eq!(simulation.twist(id).velocity, DVec3::ZERO, "ε = {restitution}");
        assert!((simulation.pose(id).position.z - radius).abs() < 1e-9 * radius);
        let weight: f64 = simulation.contact_forces().iter().map(|f| f.normal_force.abs()).sum();
        let expected = g / simulation.world().body(id).inertia().inv_mass;
        assert!(
            (weight - expected).abs() < 1e-9 * expected,
            "ε = {restitution}: {weight} against {expected}"
        );
        let error = ledger.total() - start + ledger.lost();
        let in_play = height * expected;
        assert!(error.abs() < 1e-10 * in_play, "ε = {restitution}: {error:e} J of {in_play}; {ledger:?}");
        assert!((ledger.lost() - in_play).abs() < 1e-8 * in_play, "ε = {restitution}: {ledger:?}");
    }
}

/// With ε = 1 there is no limit: the thousandth bounce is as high as the first.
#[test]
fn an_elastic_ball_never_rests() {
    let bodies = vec![floor(), ball("ball", 0.1, dvec3(0.0, 0.0, 0.2))];
    let mut simulation = Simulation::new(world(bodies, GRAVITY, elastic())).expect("a start");
    let fall = (2.0 * 0.1 / 9.81_f64).sqrt();
    simulation.advance(2000.0 * fall).expect("to go on");
    let events = simulation.events();
    assert_eq!(events.len(), 1000);
    let error = (events[999].t - 1999.0 * fall).abs();
    // A time is rounded to half an ulp of 285 s, and each bounce by as much of its own: √1000 of them.
    assert!(error < 1000.0 * f64::EPSILON * 300.0, "the last is off by {error:e} s");
}

/// Time from one impact of a rocking block to the next: 2 ∫₀^θₘ dθ/θ̇ with θ̇² = 2p²(cos(α − θₘ) − cos(α − θ)), p² = 3g/4R.
///
/// With θ = θₘ(1 − u²) the integrand is smooth: 4θₘ u/θ̇, and Simpson's rule with 2000 intervals is exact to rounding.
fn half_period(alpha: f64, p2: f64, theta_m: f64) -> f64 {
    let integrand = |u: f64| {
        // cos(α − θₘ) − cos(α − θ) = 2 sin(α − (θ + θₘ)/2) sin((θₘ − θ)/2); near u = 0 the last is θₘu²/2.
        let (theta, x) = (theta_m * (1.0 - u * u), 0.5 * theta_m * u * u);
        let sinc = if x < 1e-8 { 1.0 } else { real::sin(x) / x };
        let rate = 4.0 * p2 * real::sin(alpha - 0.5 * (theta + theta_m)) * 0.5 * theta_m * sinc;
        4.0 * theta_m / rate.sqrt()
    };
    let n = 2000;
    let sum: f64 = (0..=n)
        .map(|k| {
            let weight = if k == 0 || k == n {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * integrand(f64::from(k) / f64::from(n))
        })
        .sum();
    sum / (3.0 * f64::from(n))
}

/// A tall block that rocks from edge to edge with ε = 0 and no slip: each impact leaves 1 − (3/2) sin²α of the spin.
/// [Housner 1963]
#[test]
fn a_rocking_block_keeps_housners_ratio() {
    let (b, h, tilt) = (0.25_f64, 1.0_f64, 0.1_f64);
    let (radius, alpha) = ((b * b + h * h).sqrt(), real::atan2(b, h));
    let p2 = 3.0 * 9.81 / (4.0 * radius);
    let ratio = 1.0 - 1.5 * real::powi(real::sin(alpha), 2);
    let (s, c) = real::sin_cos(tilt);
    let shape = Shape::cuboid(dvec3(b, 0.5, h)).expect("sound");
    let block = solid("block", shape, dvec3(0.0, 0.0, b * s + h * c), DQuat::from_rotation_y(tilt));
    let mut simulation =
        Simulation::new(world(vec![floor(), block], GRAVITY, material(0.0, 1.0))).expect("a start");
    let id = simulation.world().find_body("block").expect("named");
    // θ̇² at θ = 0 is 2p²(cos(α − θₘ) − cos α).
    let spin = |theta_m: f64| (2.0 * p2 * (real::cos(alpha - theta_m) - real::cos(alpha))).sqrt();
    let reached = |spin: f64| alpha - real::acos(spin * spin / (2.0 * p2) + real::cos(alpha));
    let (mut theta_m, mut t) = (tilt, 0.5 * half_period(alpha, p2, tilt));
    for impact in 1..=8 {
        simulation.advance(t - 1e-7).expect("to go on");
        let before = simulation.twist(id).spin.y;
        simulation.advance(t + 1e-7).expect("to go on");
        let after = simulation.twist(id).spin.y;
        let sign = if impact % 2 == 1 { -1.0 } else { 1.0 };
        // 1e-7 s at p²α ≈ 2 rad/s² are 2e-7 rad/s.
        let slack = 4e-7 * p2 * alpha;
        assert!((before - sign * spin(theta_m)).abs() < slack, "impact {impact}: {before} {}", spin(theta_m));
        assert!(
            (after - ratio * before).abs() < 2.0 * slack,
            "impact {impact}: {after} / {before}, not {ratio}"
        );
        let last = simulation.events().iter().rfind(|e| e.kind == EventKind::Collision).expect("an impact");
        assert!((last.t - t).abs() < 1e-9, "impact {impact} at {}, not {t}", last.t);
        theta_m = reached(ratio * spin(theta_m));
        t += half_period(alpha, p2, theta_m);
    }
}

/// Solids dropped onto a rough floor come to rest: finite energy, a balanced ledger, the floor carries the weight.
#[test]
fn dropped_solids_end_still() {
    for (kind, seed) in [("box", 1), ("box", 2), ("hull", 1), ("cylinder", 1), ("cone", 1), ("capsule", 1)] {
        for (restitution, friction) in [(0.0, 0.5), (0.4, 0.8)] {
            let mut random = Random(seed);
            let body =
                body_of(kind, 0.3, &mut random).centred_at(0.5 * DVec3::Z, turn(&mut random)).named("body");
            let world = world(vec![floor(), body], GRAVITY, material(restitution, friction));
            let mut simulation = Simulation::new(world).expect("a start");
            let id = simulation.world().find_body("body").expect("named");
            let mut balance = Balance::default();
            balance.add(&simulation.ledger());
            for k in 1..=30 {
                let outcome = simulation.advance(0.2 * f64::from(k));
                assert_eq!(outcome, Ok(()), "{kind} {seed}, ε = {restitution}");
                balance.add(&simulation.ledger());
            }
            let twist = simulation.twist(id);
            let names = format!("{kind} {seed}, ε = {restitution}, μ = {friction}");
            println!("{names}: {} events, {:e}, {twist:?}", simulation.events().len(), balance.relative());
            assert!(balance.relative() < 1e-10, "{names}: {balance:?}");
            assert!(simulation.deepest_overlap().1 <= 1.0, "{names}: {:?}", simulation.deepest_overlap());
            // Boxes and hulls rest on faces; what is round may roll on for ever, as nothing brakes rolling.
            if matches!(kind, "box" | "hull") {
                assert!(twist.velocity.length() + twist.spin.length() < 1e-12, "{names}: {twist:?}");
                let weight: f64 = simulation.contact_forces().iter().map(|f| f.normal_force.abs()).sum();
                let expected = 9.81 / simulation.world().body(id).inertia().inv_mass;
                assert!((weight - expected).abs() < 1e-9 * expected, "{names}: {weight} of {expected}");
            }
        }
    }
}
