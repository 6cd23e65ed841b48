//! Motors by position with a largest force, cones, friction in joints where velocities jump: closed forms and the ledger.

use super::common::{balance, off, point, spin};
use super::described::{Maker, body};
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Cone, Control, Course, Frame, Friction, JointKind, Placement};
use dolmen::math::real::{PI, atan2, cos, sin};
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::record::JointEventKind;
use dolmen::shape::Shape;
use dolmen::world::{ContactSettings, Material};

const G: f64 = 9.81;
const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

/// A wheel (I) on a motor of stiffness k and largest torque τ, target 1 rad: τ until k(1 − θ) = τ, then harmonic with
/// ω² = k/I through the target until it is −τ, and so on: every instant of the first turn is known.
#[test]
fn a_motor_by_position_comes_to_its_largest_torque_at_events() {
    let (inertia, stiffness, largest) = (0.5, 8.0, 2.0);
    let mut maker = Maker::new();
    maker.add(body(1.0, DVec3::splat(inertia), "wheel"));
    maker.join("axle", JointKind::Hinge, [Some("wheel"), None], DVec3::ZERO, DVec3::Z);
    let target = Course::Constant(1.0);
    maker.with(Axis::TurnZ, Control::Position { target, stiffness, damping: 0.0, largest });
    let mut simulation = maker.simulation(DVec3::ZERO);
    let start = balance(&mut simulation);
    simulation.advance(3.0).expect("to go on");
    let reached = 1.0 - largest / stiffness;
    let first = (2.0 * inertia * reached / largest).sqrt();
    let speed = largest / inertia * first;
    let omega = (stiffness / inertia).sqrt();
    let through = 2.0 * atan2(largest / stiffness * omega, speed) / omega;
    // From there to where it turns back, and the same way again.
    let back = 2.0 * inertia * speed / largest;
    let (held, yields) = (JointEventKind::Active, JointEventKind::Saturated);
    let expected = [
        (0.0, yields),
        (first, held),
        (first + through, yields),
        (first + through + back, held),
        (first + 2.0 * through + back, yields),
    ];
    let events: Vec<_> = simulation.joint_events().iter().map(|e| (e.t, e.kind)).collect();
    for ((t, kind), (found, found_kind)) in expected.iter().zip(&events) {
        assert!((t - found).abs() < 1e-8 && kind == found_kind, "{events:?} for {expected:?}");
    }
    let (ledger, error) = (simulation.ledger(), balance(&mut simulation) - start);
    assert!(error.abs() < 1e-9 && ledger.work > 0.0, "{ledger:?} {error}");
    // The largest torque is no noise to the steps: without events the kink would cost hundreds of them.
    assert!(simulation.statistics().steps < 400, "{} steps", simulation.statistics().steps);
}

/// A motor by position too weak for its load: it holds τ, and the arm hangs where m g l cos φ = τ, with a damper.
#[test]
fn a_weak_motor_by_position_lets_its_load_sink() {
    let mut maker = Maker::new();
    maker.add(body(1.0, dvec3(1e-3, 1.0 / 3.0, 1.0 / 3.0), "arm").centred_at(DVec3::X, DQuat::IDENTITY));
    maker.join("pin", JointKind::Hinge, [Some("arm"), None], DVec3::ZERO, DVec3::Y);
    let (target, largest) = (Course::Constant(0.0), 0.5 * G);
    maker.with(Axis::TurnZ, Control::Position { target, stiffness: 500.0, damping: 50.0, largest });
    maker.with(Axis::TurnZ, Control::Spring { stiffness: 0.0, rest: 0.0, damping: 4.0 });
    let mut simulation = maker.simulation(DOWN);
    let start = balance(&mut simulation);
    simulation.advance(40.0).expect("to go on");
    let at = point(&simulation, "arm", DVec3::ZERO);
    // cos φ = ½ below the horizontal.
    let expected = dvec3(0.5, 0.0, -sin(PI / 3.0));
    assert!((at - expected).length() < 1e-8, "{at} for {expected}");
    let yields = simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Saturated).count();
    let error = balance(&mut simulation) - start;
    assert!(yields >= 1 && error.abs() < 1e-9, "{yields} {error}");
}

/// A stick on a ball joint leans out of the vertical up to its cone: it strikes at the cone's angle with the speed of its
/// fall, ½Iω² = m g l (cos φ₀ − cos φ), and comes back with ε of it, or stays there.
#[test]
fn a_cone_stops_what_leans_too_far() {
    for restitution in [0.0, 0.5, 1.0] {
        let (lean, largest, inertia) = (0.1, 0.6, 4.0 / 3.0);
        let mut maker = Maker::new();
        let turn = DQuat::from_rotation_y(lean);
        let stick = body(1.0, dvec3(1.0 / 3.0, 1.0 / 3.0, 1e-3), "stick");
        maker.add(stick.centred_at(turn * DVec3::Z, turn));
        maker.join("foot", JointKind::Ball, [Some("stick"), None], DVec3::ZERO, DVec3::Z);
        let (on_stick, on_world) = (Frame::along(-DVec3::Z, DVec3::Z), Frame::along(DVec3::ZERO, DVec3::Z));
        maker.placed(Placement::Each(on_stick, on_world));
        maker.change(|joint| joint.within_cone(Cone { largest, restitution }));
        let mut simulation = maker.simulation(DOWN);
        let start = balance(&mut simulation);
        simulation.advance(2.0).expect("to go on");
        let strikes: Vec<_> =
            simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Struck).copied().collect();
        let omega = (2.0 * G * (cos(lean) - cos(largest)) / inertia).sqrt();
        let (rate, first) = (sin(largest) * omega, &strikes[0]);
        assert!((first.approach + rate).abs() < 1e-9, "{first:?} for {rate}");
        assert!((first.separation - restitution * rate).abs() < 1e-9, "{first:?} for ε = {restitution}");
        let up = simulation.pose(simulation.world().find_body("stick").expect("it")).orientation * DVec3::Z;
        assert!(up.z >= cos(largest) - 1e-9, "leans by more than its cone: {up}");
        let error = balance(&mut simulation) - start;
        assert!(error.abs() < 1e-9, "{error}");
        if restitution == 0.0 {
            assert!(spin(&simulation, "stick").length() < 1e-9, "it leans on its cone");
            assert!((up.z - cos(largest)).abs() < 1e-9, "{up}");
        }
    }
}

/// A ball of mass m hits a ball of mass M on a guide at an angle θ to it: p = (1 + ε) v/(1/m + cos θ (cos θ − μ sin θ)/M)
/// along the normal, V = p (cos θ − μ sin θ)/M; with μ tan θ ≥ 1 the guide does not let go of it at all.
#[test]
fn friction_in_a_guide_acts_in_the_blow() {
    let (m, mass, speed, theta) = (1.0, 3.0, 2.0, PI / 3.0);
    for restitution in [0.0, 0.5, 1.0] {
        for mu in [0.0, 0.2, 0.9] {
            let mut maker = Maker::new();
            let normal = dvec3(cos(theta), 0.0, -sin(theta));
            let ball = |mass: f64, name: &str| {
                body(mass, DVec3::splat(0.4 * mass * 0.01), name)
                    .with_shape(Shape::sphere(0.1).expect("a ball"))
            };
            maker.add(ball(mass, "slide"));
            let from = ball(m, "ball").centred_at(-0.5 * normal, DQuat::IDENTITY);
            maker.add(from.moving(speed * normal, DVec3::ZERO));
            maker.join("guide", JointKind::Slider, [Some("slide"), None], DVec3::ZERO, DVec3::X);
            let friction = Friction { constant: 0.0, coefficient: mu, arm: 1.0 };
            maker.with(Axis::Z, Control::Friction(friction));
            let mut simulation = weightless(maker, restitution);
            let start = balance(&mut simulation);
            simulation.advance(0.15 + 1e-6).expect("to go on");
            let along = (cos(theta) - mu * sin(theta)).max(0.0);
            let p = (1.0 + restitution) * speed / (1.0 / m + cos(theta) * along / mass);
            let velocity =
                |name: &str| simulation.twist(simulation.world().find_body(name).expect("a ball")).velocity;
            let (slide, left) = (velocity("slide"), velocity("ball"));
            let (expected, expected_left) = (p * along / mass, speed - p / m);
            assert!((slide - expected * DVec3::X).length() < 1e-9, "μ = {mu}: {slide} for {expected}");
            assert!((left - expected_left * normal).length() < 1e-9, "{left} for {expected_left}");
            let (error, off) = (balance(&mut simulation) - start, off(&simulation));
            assert!(error.abs() < 1e-11 && off[0] < 1e-12, "ε = {restitution}, μ = {mu}: {error} {off:?}");
            let rubbed = simulation.joint_events().iter().filter(|e| e.kind == JointEventKind::Friction);
            assert_eq!(rubbed.count(), usize::from(mu > 0.0), "{:?}", simulation.joint_events());
        }
    }
}

/// What was made, without gravity, its contacts smooth.
fn weightless(maker: Maker, restitution: f64) -> Simulation {
    let mut world = maker.world(DVec3::ZERO);
    let material = Material { restitution, ..Material::SMOOTH };
    let contact = ContactSettings { default_material: material, ..ContactSettings::default() };
    world.set_contact(contact).expect("a material");
    Simulation::new(world).expect("a start")
}

/// A bar on a pin of radius r with journal friction μ is hit across at the distance d from the pin, which answers with N:
/// I ω = p d − μ r |N|, m l ω = p + N, and the ball parts with ε of its speed.
#[test]
fn friction_of_a_journal_takes_its_share_of_a_blow() {
    let (mu, arm, d, restitution) = (0.3, 0.1, 0.9, 0.5);
    let mut maker = Maker::new();
    let bar = body(2.0, dvec3(1e-3, 2.0 / 3.0, 2.0 / 3.0), "bar");
    let shape = Shape::cuboid(dvec3(1.0, 0.05, 0.05)).expect("a box");
    maker.add(bar.centred_at(DVec3::X, DQuat::IDENTITY).with_shape(shape));
    let ball = body(1.0, DVec3::splat(0.001), "ball").with_shape(Shape::sphere(0.05).expect("a ball"));
    maker.add(ball.centred_at(dvec3(d, -0.5, 0.0), DQuat::IDENTITY).moving(DVec3::Y, DVec3::ZERO));
    maker.join("pin", JointKind::Hinge, [Some("bar"), None], DVec3::ZERO, DVec3::Z);
    maker.with(Axis::TurnZ, Control::Friction(Friction { constant: 0.0, coefficient: mu, arm }));
    let mut simulation = weightless(maker, restitution);
    let start = balance(&mut simulation);
    simulation.advance(0.4 + 1e-9).expect("to go on");
    // I ω = p d − μ r |N|, N = m l ω − p across the bar, ω d − (1 − p) = ε.
    let (inertia, ml) = (8.0 / 3.0, 2.0);
    // N is against the blow, less than p: |N| = p − m l ω.
    let per_p = (d - mu * arm) / (inertia - mu * arm * ml);
    let p = (1.0 + restitution) / (1.0 + per_p * d);
    let omega = per_p * p;
    assert!(ml * omega < p, "the pin holds back");
    let found = spin(&simulation, "bar").z;
    assert!((found - omega).abs() < 1e-7, "{found} for {omega}");
    let ball = simulation.twist(simulation.world().find_body("ball").expect("it")).velocity.y;
    assert!((ball - (1.0 - p)).abs() < 1e-9, "{ball} for {}", 1.0 - p);
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-11 && simulation.ledger().friction > 0.0, "{error}");
}
