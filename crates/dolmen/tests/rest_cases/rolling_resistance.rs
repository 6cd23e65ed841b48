//! Resistance to rolling and to spinning, against closed forms.

use std::fmt::Write;

use dolmen::drive::exact::Simulation;
use dolmen::math::{DVec3, real};
use dolmen::record::{Balance, EventKind};

use super::common::*;

const G: f64 = 9.81;

/// A ball of radius 0.1 on a floor of these resistances, moving as said.
fn ball(contact: &str, motion: &str) -> Simulation {
    of_text(&format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, {contact} }}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = \
         {{ kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }}\n[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ kind = \"sphere\", \
         radius = 0.1 }}\nposition = [0, 0, 0.1]\n{motion}\n"
    ))
}

/// When the last event of a kind was.
fn last(simulation: &Simulation, kind: EventKind) -> f64 {
    of_kind(simulation, kind).last().unwrap_or_else(|| panic!("no event {}", kind.name())).t
}

/// Advances in parts and checks that kinetic, potential and lost energy sum to the same.
fn balanced(simulation: &mut Simulation, until: f64) -> f64 {
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    let start = simulation.time();
    (1..=20).fold(0.0_f64, |most, k| {
        advance(simulation, start + (until - start) * f64::from(k) / 20.0);
        most.max(balance.add(&simulation.ledger()).abs())
    })
}

/// (m + I/r²) a = δ m g/r: a ball stops after 7 r v/(5 δ g), halfway as far, at every heading alike.
#[test]
fn a_ball_rolls_to_rest_at_all_headings() {
    let (delta, v, r) = (0.002, 1.0, 0.1);
    let expected = 1.4 * r * v / (delta * G);
    for k in 0..24 {
        let (sin, cos) = real::sin_cos((15.0 * f64::from(k) + 0.1).to_radians());
        let motion =
            format!("velocity = [{cos:?}, {sin:?}, 0]\nspin = [{:?}, {:?}, 0]", -10.0 * sin, 10.0 * cos);
        let mut simulation = ball("friction = 0.5, rolling_resistance = 0.002", &motion);
        let off = balanced(&mut simulation, 1.2 * expected);
        near(last(&simulation, EventKind::Rolled), expected, 1e-9, "stop");
        let place = position(&simulation, "ball");
        let along = place.x * cos + place.y * sin;
        near(along, 0.5 * v * expected, 1e-9, "way");
        assert!((place.y * cos - place.x * sin).abs() < 1e-9, "heading {k}: aside by {place}");
        assert_eq!(velocity(&simulation, "ball"), DVec3::ZERO, "it is at rest");
        assert!(off < 1e-10, "ledger off by {off:e}");
        let lost = simulation.ledger().friction;
        near(lost, 0.5 * v * v * 1.4, 1e-9, "all of its energy is booked as friction");
    }
}

/// I ω̇ = −σ m g: a ball that spins on its pole stops after 2 r² ω/(5 σ g) and stays where it is.
#[test]
fn a_ball_spins_to_rest_on_its_pole() {
    let (sigma, r, spin) = (0.001, 0.1, -20.0_f64);
    let mut simulation = ball("friction = 0.5, spinning_resistance = 0.001", "spin = [0, 0, -20]");
    let expected = 0.4 * r * r * spin.abs() / (sigma * G);
    let off = balanced(&mut simulation, 2.0 * expected);
    near(last(&simulation, EventKind::Spun), expected, 1e-9, "stop");
    let place = position(&simulation, "ball");
    assert!(place.x.abs() + place.y.abs() < 1e-12, "it moved to {place}");
    assert!(off < 1e-10, "ledger off by {off:e}");
}

/// Rolling and spinning have bounds of their own: neither knows of the other.
#[test]
fn rolling_and_spinning_stop_independently() {
    let mut simulation = ball(
        "friction = 0.5, rolling_resistance = 0.002, spinning_resistance = 0.001",
        "velocity = [0, 1, 0]\nspin = [-10, 0, 20]",
    );
    let off = balanced(&mut simulation, 9.0);
    near(last(&simulation, EventKind::Rolled), 1.4 * 0.1 / (0.002 * G), 1e-9, "rolled");
    near(last(&simulation, EventKind::Spun), 0.4 * 0.01 * 20.0 / (0.001 * G), 1e-9, "spun");
    assert!(off < 1e-10, "ledger off by {off:e}");
}

/// A ball or a cylinder on a slope of angle α, which hangs on the resistance δ.
fn on_a_slope(shape: &str, alpha: f64, delta: f64) -> Simulation {
    let (sin, cos) = real::sin_cos(alpha);
    let mut text = String::new();
    let _ = write!(
        text,
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = 0.8, rolling_resistance = {delta:?} }}\n\
         [[body]]\nname = \"slope\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [{sin:?}, 0, {cos:?}], sides = \"front\" }}\n\
         [[body]]\nname = \"round\"\nmass = 2\nshape = {shape}\norientation = {{ axis = [1, 0, 0], angle_deg = 90 }}\nposition = [{:?}, 0, \
         {:?}]\n",
        0.1 * sin,
        0.1 * cos
    );
    of_text(&text)
}

/// tan α below δ/r: it stays, and the contact carries the moment m g r sin α. Above: a = g (sin α − δ cos α/r)/(1 + k).
#[test]
fn a_ball_rests_on_a_slope_up_to_its_rolling_resistance() {
    let alpha = 0.1_f64;
    let (sin, cos) = real::sin_cos(alpha);
    let limit = 0.1 * sin / cos;
    let ball = "{ kind = \"sphere\", radius = 0.1 }";
    let cylinder = "{ kind = \"cylinder\", radius = 0.1, length = 0.3 }";
    for (shape, k) in [(ball, 0.4), (cylinder, 0.5)] {
        let mut simulation = on_a_slope(shape, alpha, limit * (1.0 + 1e-6));
        let moved = moved_until(&mut simulation, 60.0);
        assert!(moved <= 1e-9, "{shape}: moved by {moved:e}");
        let moment: DVec3 = simulation.contact_forces().iter().map(|f| f.moment).sum();
        near(moment.length(), 2.0 * G * sin * 0.1, 1e-9, "moment");
        for share in [0.5, 0.99] {
            let delta = share * limit;
            let mut simulation = on_a_slope(shape, alpha, delta);
            let before = position(&simulation, "round");
            advance(&mut simulation, 2.0);
            let a = G * (sin - delta * cos / 0.1) / (1.0 + k);
            near(position(&simulation, "round").distance(before), 2.0 * a, 1e-9, "way down");
            assert!(!of_kind(&simulation, EventKind::Roll).is_empty(), "no event that it rolls");
        }
    }
}

/// The same as near to the bound as rounding allows: one part in 10⁸ within it rests, beyond it rolls, in a few steps.
/// (Accelerations below 1e-9 of those of the loads are none.)
#[test]
fn a_ball_rests_on_a_slope_at_the_very_bound() {
    let alpha = 0.1_f64;
    let (sin, cos) = real::sin_cos(alpha);
    let limit = 0.1 * sin / cos;
    let ball = "{ kind = \"sphere\", radius = 0.1 }";
    let cylinder = "{ kind = \"cylinder\", radius = 0.1, length = 0.3 }";
    // A cylinder has two contacts, which share the moment in many ways.
    for (shape, k) in [(ball, 0.4), (cylinder, 0.5)] {
        for off in [1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8] {
            let mut simulation = on_a_slope(shape, alpha, limit * (1.0 + off));
            let moved = moved_until(&mut simulation, 60.0);
            assert!(moved <= 1e-12, "{shape}, {off:e} within: moved by {moved:e}");
            let mut simulation = on_a_slope(shape, alpha, limit * (1.0 - off));
            let before = position(&simulation, "round");
            advance(&mut simulation, 2.0);
            let (steps, a) = (simulation.statistics().steps, G * sin * off / (1.0 + k));
            let way = position(&simulation, "round").distance(before);
            // Forces are rounded to some 1e-15 of the weight, and steps are good to 1e-9 of what they do.
            assert!(
                (way - 2.0 * a).abs() <= 1e-9 * 2.0 * a + 2.0 * 1e-14 * G,
                "{shape}, {off:e} beyond: {way:e}, not {:e}",
                2.0 * a
            );
            assert!(steps < 100, "{shape}, {off:e} beyond: {steps} steps");
        }
    }
}

/// 289 balls on one plate on a slope, one island of 293 contacts: below the bound all stay, each with the moment m g r sin α; above
/// it they roll.
#[test]
fn many_balls_rest_by_rolling_resistance() {
    let (alpha, r) = (0.1_f64, 0.1);
    let (sin, cos) = real::sin_cos(alpha);
    let limit = r * sin / cos;
    let balls = |delta: f64| {
        let mut bodies = String::from(
            "[[body]]\nname = \"plate\"\nmass = 100\nshape = { kind = \"box\", size = [6, 6, 0.1] }\nposition = [0, 0, 0.05]\n",
        );
        for k in 0..289 {
            let (x, y) = (f64::from(k % 17 - 8), f64::from(k / 17 - 8));
            let _ = write!(
                bodies,
                "[[body]]\nname = \"ball {k}\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nposition = [{}, {}, 0.2]\n",
                0.3 * x,
                0.3 * y
            );
        }
        let text = on_a_floor(0.8, &bodies)
            .replace("friction = 0.8", &format!("friction = 0.8, rolling_resistance = {delta:?}"))
            .replace("gravity = [0, 0, -9.81]", &format!("gravity = [{:?}, 0, {:?}]", G * sin, -G * cos));
        of_text(&text)
    };
    let mut simulation = balls(1.01 * limit);
    let moved = moved_until(&mut simulation, 1.0);
    assert!(moved <= 1e-9, "moved by {moved:e}");
    let forces = simulation.contact_forces();
    assert_eq!(forces.len(), 293);
    for force in forces.iter().filter(|force| force.moment != DVec3::ZERO) {
        near(force.moment.length(), G * sin * r, 1e-9, "moment");
    }
    assert_eq!(forces.iter().filter(|force| force.moment != DVec3::ZERO).count(), 289);

    let mut simulation = balls(0.5 * limit);
    let before = position(&simulation, "ball 144");
    let (t, a) = (0.02, 0.5 * G * sin / 1.4);
    advance(&mut simulation, t);
    // Within a step every ball has the speed of its end, a (t + h), impulses being sought to 1e-6 of the velocity scale.
    let [speed, way] = [velocity(&simulation, "ball 144").x, position(&simulation, "ball 144").x - before.x];
    advance(&mut simulation, 2.0 * t);
    let ends: Vec<f64> = of_kind(&simulation, EventKind::TimeStep).iter().map(|event| event.t).collect();
    let end = ends.iter().copied().find(|end| *end > t).expect("steps go on");
    assert!((speed - a * end).abs() <= 1e-5 * G * t, "speed {speed:e}, not {:e}", a * end);
    // So that way is ahead by half of a step's length times the speed, and a little.
    let expected = 0.5 * a * t * t;
    assert!(
        way > expected && way < expected + a * t * (end - t).max(0.1 * t),
        "way {way:e}, not {expected:e}"
    );
    // To the residual of a time step, like the speed of the balls.
    let plate = velocity(&simulation, "plate").length();
    assert!(plate < 1e-5 * G * t, "the plate stays: {plate:e}");
}

/// A ball that slides at first: friction μ m g against resistance δ m g gives I ω̇ = (μ r − δ) m g until v = ω r.
#[test]
fn a_sliding_ball_comes_to_roll_and_to_rest() {
    let (mu, delta, r, v) = (0.3, 0.002, 0.1, 2.0);
    let mut simulation = ball("friction = 0.3, rolling_resistance = 0.002", "velocity = [2, 0, 0]");
    let off = balanced(&mut simulation, 12.0);
    let angular = (mu * r - delta) * G / (0.4 * r * r);
    let rolls = v / (mu * G + angular * r);
    let rest = of_kind(&simulation, EventKind::Rest);
    assert!(
        rest.iter().any(|event| (event.t - rolls).abs() < 1e-9),
        "{rolls}: {:?}",
        rest.iter().map(|e| e.t).collect::<Vec<_>>()
    );
    let stop = rolls + 1.4 * r * (v - mu * G * rolls) / (delta * G);
    near(last(&simulation, EventKind::Rolled), stop, 1e-9, "stop");
    assert!(off < 1e-10, "ledger off by {off:e}");
}

/// Two balls that roll on each other: a moment and its reaction keep momentum. A ball on top of a fixed one falls off the other way
/// round only in what it loses.
#[test]
fn resistance_between_two_bodies_is_a_couple() {
    let text = on_a_floor(
        0.5,
        "[[body]]\nname = \"plate\"\nmass = 2\nshape = { kind = \"box\", size = [2, 2, 0.1] }\nposition = [0, 0, 0.05]\n\
         [[body]]\nname = \"ball\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0.2]\nvelocity = [0.5, 0, 0]\n\
         spin = [0, 5, 0]\n",
    );
    // The plate is on ice.
    let text = text.replace(
        "contact = { restitution = 0, friction = 0.5 }",
        "contact = { restitution = 0, friction = 0.5, rolling_resistance = 0.005 }\nmaterial = [{ name = \"ice\", friction = 0, \
         rolling_resistance = 0 }]",
    );
    let text = text.replacen("kind = \"fixed\"", "kind = \"fixed\"\nmaterial = \"ice\"", 1);
    let mut simulation = of_text(&text);
    let off = balanced(&mut simulation, 6.0);
    assert!(off < 1e-10, "ledger off by {off:e}");
    // They end together, with the momentum that there was.
    for body in ["ball", "plate"] {
        near(velocity(&simulation, body).x, 0.5 / 3.0, 1e-9, body);
    }
}

/// Resistances that cannot be are refused by name, value and unit.
#[test]
fn impossible_resistances_are_refused() {
    for (given, said) in [
        ("rolling_resistance = -0.1", "-0.1"),
        ("rolling_resistance = inf", "finite"),
        ("spinning_resistance = -1e-9", "metres"),
        ("spinning_resistance = nan", "spinning_resistance"),
    ] {
        let error = try_text(&format!("format = 1\ncontact = {{ {given} }}\n")).err().unwrap_or_default();
        assert!(error.contains(said), "{given}: {error:?}");
    }
}

/// A pile of balls with resistance comes to rest, by time steps or otherwise, and balances its ledger.
#[test]
fn a_heap_of_balls_with_resistance_keeps_its_books() {
    let mut bodies = String::new();
    for k in 0..6 {
        let _ = write!(
            bodies,
            "[[body]]\nname = \"ball {k}\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nposition = [{}, {}, {}]\n",
            0.03 * f64::from(k % 2),
            0.02 * f64::from(k % 3),
            0.12 + 0.25 * f64::from(k)
        );
    }
    let text = on_a_floor(0.4, &bodies)
        .replace("friction = 0.4", "friction = 0.4, rolling_resistance = 0.01, spinning_resistance = 0.01");
    let mut simulation = of_text(&text);
    let off = balanced(&mut simulation, 4.0);
    assert!(off < 1e-9, "ledger off by {off:e}");
    for k in 0..6 {
        let speed = velocity(&simulation, &format!("ball {k}")).length();
        assert!(speed < 1e-9, "ball {k} still moves at {speed}");
    }
}
