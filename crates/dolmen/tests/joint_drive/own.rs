//! Constraints of a user in motion: g(q) = 0 and g(q) ≥ 0, with impacts.

use std::sync::Arc;

use super::common::{balance, point};
use super::described::{Maker, body};
use dolmen::joint::{Constraint, JointKind, Law};
use dolmen::math::Row;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::record::JointEventKind;

const G: f64 = 9.81;
const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

/// z = x²/2 for the centre of body a, as a wire or as a bowl; its second derivative is given.
#[derive(Debug)]
struct Parabola {
    law: Law,
}

impl Constraint for Parabola {
    fn law(&self, _: usize) -> Law {
        self.law
    }

    fn value(&self, _: usize, a: &Pose, _: &Pose, _: f64) -> f64 {
        a.position.z - 0.5 * a.position.x * a.position.x
    }

    fn row(&self, _: usize, a: &Pose, _: &Pose, _: f64) -> Row {
        let gradient = dvec3(-a.position.x, 0.0, 1.0);
        Row { linear_a: gradient, angular_a: DVec3::ZERO, linear_b: DVec3::ZERO, angular_b: DVec3::ZERO }
    }

    fn drift(&self, _: usize, (_, twist): (&Pose, &Twist), _: (&Pose, &Twist), _: f64) -> f64 {
        -twist.velocity.x * twist.velocity.x
    }
}

/// x ≤ 1 for the centre of body a; its second derivative by differences.
#[derive(Debug)]
struct Wall;

impl Constraint for Wall {
    fn law(&self, _: usize) -> Law {
        Law::AtLeast { restitution: 0.5 }
    }

    fn value(&self, _: usize, a: &Pose, _: &Pose, _: f64) -> f64 {
        1.0 - a.position.x
    }

    fn row(&self, _: usize, _: &Pose, _: &Pose, _: f64) -> Row {
        Row { linear_a: -DVec3::X, angular_a: DVec3::ZERO, linear_b: DVec3::ZERO, angular_b: DVec3::ZERO }
    }
}

fn velocity(simulation: &dolmen::drive::exact::Simulation) -> DVec3 {
    simulation.twist(simulation.world().find_body("bead").expect("a bead")).velocity
}

/// A bead on a wire z = x²/2 from x = −1: ½ẋ²(1 + x²) + g x²/2 stays, and it stays on the wire.
#[test]
fn a_bead_slides_on_a_users_wire() {
    let mut maker = Maker::new();
    maker.add(body(2.0, DVec3::splat(0.1), "bead").centred_at(dvec3(-1.0, 0.0, 0.5), DQuat::IDENTITY));
    let wire = JointKind::Own(Arc::new(Parabola { law: Law::Equal }));
    maker.join("wire", wire, [Some("bead"), None], DVec3::ZERO, DVec3::Z);
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    for k in 1..=50 {
        simulation.advance(0.2 * f64::from(k)).expect("to go on");
        let (at, v) = (point(&simulation, "bead", DVec3::ZERO), velocity(&simulation));
        assert!((at.z - 0.5 * at.x * at.x).abs() < 1e-10 && at.y.abs() < 1e-12, "{at}");
        let square = G * (1.0 - at.x * at.x) / (1.0 + at.x * at.x);
        assert!((v.x * v.x - square).abs() < 1e-8, "{} for {square}", v.x * v.x);
    }
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-9, "{error}");
}

/// The same wire with a wall of the user's own at x = 1, ε = ½: the bead comes with ẋ² = g(x₀² − 1)/(1 + 1) and goes with half
/// of it, and the wire feels the blow.
#[test]
fn a_bead_bounces_off_a_users_wall() {
    let mut maker = Maker::new();
    maker.add(body(2.0, DVec3::splat(0.1), "bead").centred_at(dvec3(-1.5, 0.0, 1.125), DQuat::IDENTITY));
    let wire = JointKind::Own(Arc::new(Parabola { law: Law::Equal }));
    maker.join("wire", wire, [Some("bead"), None], DVec3::ZERO, DVec3::Z);
    maker.join("wall", JointKind::Own(Arc::new(Wall)), [Some("bead"), None], DVec3::ZERO, DVec3::Z);
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(6.0).expect("to go on");
    let strikes: Vec<_> =
        simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Struck).collect();
    let speed = (G * (1.5 * 1.5 - 1.0) / 2.0).sqrt();
    let first = strikes[0];
    assert!((first.approach + speed).abs() < 1e-8, "{first:?} for {speed}");
    assert!((first.separation - 0.5 * speed).abs() < 1e-8, "{first:?}");
    // ½ m ẋ² (1 + x²) at x = 1.
    assert!((first.lost - 2.0 * speed * speed * 0.75).abs() < 1e-7, "{first:?}");
    let (at, error) = (point(&simulation, "bead", DVec3::ZERO), balance(&mut simulation) - start);
    assert!((at.z - 0.5 * at.x * at.x).abs() < 1e-10 && at.x <= 1.0 + 1e-9, "{at}");
    assert!(error.abs() < 1e-8, "{error}");
}

/// A ball falls into a bowl z ≥ x²/2 of the user's own: v⁺ = v⁻ − (1 + ε)(v⁻·n) n at the first blow, and the ledger balances
/// through all that follow.
#[test]
fn a_ball_bounces_in_a_users_bowl() {
    let restitution = 0.8;
    let mut maker = Maker::new();
    let bead = body(2.0, DVec3::splat(0.1), "bead").centred_at(dvec3(0.5, 0.0, 1.0), DQuat::IDENTITY);
    maker.add(bead.moving(dvec3(0.3, 0.0, 0.0), DVec3::ZERO));
    let bowl = JointKind::Own(Arc::new(Parabola { law: Law::AtLeast { restitution } }));
    maker.join("bowl", bowl, [Some("bead"), None], DVec3::ZERO, DVec3::Z);
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    // 1 − ½gt² = ½(0.5 + 0.3t)².
    let (a, b, c) = (0.5 * G + 0.045, 0.15, 0.125 - 1.0);
    let t = (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    simulation.advance(t + 1e-9).expect("to go on");
    let before = dvec3(0.3, 0.0, -G * t);
    let n = dvec3(-(0.5 + 0.3 * t), 0.0, 1.0).normalize();
    let after = before - (1.0 + restitution) * before.dot(n) * n;
    assert!((velocity(&simulation) - after).length() < 1e-7, "{} for {after}", velocity(&simulation));
    simulation.advance(4.0).expect("to go on");
    let (at, error) = (point(&simulation, "bead", DVec3::ZERO), balance(&mut simulation) - start);
    assert!(at.z - 0.5 * at.x * at.x > -1e-9 && error.abs() < 1e-8, "{at} {error}");
    let strikes = simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Struck).count();
    assert!(strikes > 5, "{strikes}");
}
