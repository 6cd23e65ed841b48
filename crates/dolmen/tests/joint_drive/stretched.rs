//! Joints stretched straight: what takes infinite force is said, what folds or has slack moves.

use super::common::off;
use super::described::{Maker, bar, body};
use dolmen::drive::exact::{Simulation, Stop};
use dolmen::joint::{Frame, JointKind, Placement};
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::Prescribed;
use dolmen::world::Body;

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Knots on rods along x between two fixed points that are as far apart as the rods are long together, less `slack`.
fn row(knots: usize, slack: f64, velocity: DVec3, gravity: DVec3) -> Result<Simulation, Stop> {
    let mut maker = Maker::new();
    let count = knots + 1;
    let rod = 0.37;
    // Rods of a shallow tent: half of them go up, half come down.
    let way = rod * count as f64 - slack;
    let step = way / count as f64;
    let drop = (rod * rod - step * step).max(0.0).sqrt();
    let at = |i: usize| {
        let deep = i.min(count - i) as f64;
        dvec3(step * i as f64, 0.0, -drop * deep)
    };
    let centre = Frame::at(DVec3::ZERO);
    let name = |i: usize| format!("k{i}");
    for i in 1..=knots {
        let knot = body(0.21, DVec3::splat(3e-4), &name(i)).centred_at(at(i), DQuat::IDENTITY);
        maker.add(knot.moving(velocity, DVec3::ZERO));
    }
    for i in 0..count {
        let kind = JointKind::Rod { length: Some(rod) };
        let (a, b) = (name(i + 1), name(i));
        let (a, b) = ((i < knots).then_some(a.as_str()), (i > 0).then_some(b.as_str()));
        // The first side is a body.
        let sides = if a.is_some() { [a, b] } else { [b, a] };
        let other = if i == 0 {
            Frame::at(at(0))
        } else if i == knots {
            Frame::at(at(count))
        } else {
            centre
        };
        maker.join(&format!("rod {i}"), kind, sides, DVec3::ZERO, DVec3::Z);
        maker.placed(Placement::Each(centre, other));
    }
    Simulation::new(maker.world(gravity))
}

/// Every rod of a straight row is stretched by what goes across it, Σ |Δv|²/ℓ > 0: no tension carries a load across. The rods
/// are named.
#[test]
fn a_straight_row_of_rods_between_fixed_points_cannot_carry_across() {
    for (knots, velocity, gravity) in
        [(1, DVec3::ZERO, DOWN), (4, DVec3::ZERO, DOWN), (3, 0.1 * DVec3::Y, DVec3::ZERO)]
    {
        let stop = row(knots, 0.0, velocity, gravity)
            .expect_err("a row that would have to carry with infinite force");
        let text = stop.to_string();
        println!("{text}");
        assert!((0..=knots).all(|i| text.contains(&format!("rod {i}"))), "{text}");
        assert!(text.contains("infinite force"), "{text}");
    }
}

/// Along itself the same row is a column that is supported at both ends: it is at rest, and its rods share the weight.
#[test]
fn the_same_row_carries_along_itself() {
    let mut simulation = row(3, 0.0, DVec3::ZERO, 9.81 * DVec3::X).expect("a start");
    simulation.advance(1.0).expect("to go on");
    let [value, rate] = off(&simulation);
    assert!(value < 1e-12 && rate < 1e-12, "{value:e} {rate:e}");
    let forces: Vec<f64> = simulation.joint_forces().iter().map(|force| force.force.x).collect();
    // On the first and the last rod by the world, together the weight of three knots.
    let sum = forces[0] + forces[3];
    let weight = 3.0 * 0.21 * 9.81;
    assert!((sum.abs() - weight).abs() < 1e-9 || (forces[0] - forces[3]).abs() - weight < 1e-9, "{forces:?}");
}

/// With some slack it is a mechanism: it hangs as a tent, falls, and its rods keep their length.
#[test]
fn a_row_with_slack_moves() {
    for slack in [1e-2, 1e-4] {
        let mut simulation = row(3, slack, DVec3::ZERO, DOWN).expect("a start");
        simulation.advance(0.2).expect("to go on");
        let [value, rate] = off(&simulation);
        assert!(value < 1e-11 && rate < 1e-9, "slack {slack}: {value:e} {rate:e}");
    }
}

/// A four-bar folded flat depends on itself as well, and its form has both signs: it is not refused.
#[test]
fn a_folded_four_bar_is_not_refused() {
    let mut maker = Maker::new();
    let at = |x: f64| dvec3(x, 0.0, 0.0);
    for (name, from, to) in [("left", 0.0, 1.0), ("top", 1.0, 3.0), ("right", 2.0, 3.0)] {
        if name == "top" {
            let link = body(1.0, dvec3(1e-3, 0.4, 0.4), name).centred_at(at(2.0), DQuat::IDENTITY);
            maker.add(link.moving(-DVec3::Y, DVec3::ZERO));
        } else {
            let pivot = 0.5 * (from + to) - from;
            maker.add(bar(name, at(from), at(to)).moving(-pivot * DVec3::Y, -DVec3::Z));
        }
    }
    for (name, sides, x) in [
        ("a", [Some("left"), None], 0.0),
        ("b", [Some("top"), Some("left")], 1.0),
        ("c", [Some("top"), Some("right")], 3.0),
        ("d", [Some("right"), None], 2.0),
    ] {
        maker.join(name, JointKind::Hinge, sides, at(x), DVec3::Z);
    }
    let mut simulation = Simulation::new(maker.world(DVec3::ZERO)).expect("a start");
    simulation.advance(0.5).expect("to go on");
    let [value, rate] = off(&simulation);
    assert!(value < 1e-9 && rate < 1e-7, "{value:e} {rate:e}");
}

/// A hand pulls two knots on three rods straight: it arrives there at W/v, and no force takes it further. The rods are named.
#[test]
fn a_row_that_is_pulled_straight_stops_there() {
    let (rod, speed) = (0.31_f64, 0.11);
    let way = 0.93 * 3.0 * rod;
    let side = 0.5 * (way - rod);
    let drop = (rod * rod - side * side).sqrt();
    let mut maker = Maker::new();
    let still = Pose { position: dvec3(way, 0.0, 0.0), ..Pose::IDENTITY };
    let twist = Twist { velocity: speed * DVec3::X, spin: DVec3::ZERO };
    maker.add(Body::prescribed(Prescribed::Uniform { start: still, twist }).named("hand"));
    for (name, x) in [("k1", side), ("k2", side + rod)] {
        maker.add(body(0.2, DVec3::splat(1e-3), name).centred_at(dvec3(x, 0.0, -drop), DQuat::IDENTITY));
    }
    let centre = Frame::at(DVec3::ZERO);
    for (name, sides) in
        [("r0", [Some("k1"), None]), ("r1", [Some("k2"), Some("k1")]), ("r2", [Some("k2"), Some("hand")])]
    {
        maker.join(name, JointKind::Rod { length: Some(rod) }, sides, DVec3::ZERO, DVec3::Z);
        maker.placed(Placement::Each(centre, centre));
    }
    let mut simulation = Simulation::new(maker.world(DOWN)).expect("a start");
    let stop = simulation.advance(2.0).expect_err("it is straight before that");
    let straight = (3.0 * rod - way) / speed;
    println!("{stop}");
    assert!((stop.t - straight).abs() < 1e-6 && stop.t <= straight + 1e-12, "{} for {straight}", stop.t);
    let text = stop.to_string();
    assert!(["r0", "r1", "r2", "infinite force"].iter().all(|word| text.contains(word)), "{text}");
}
