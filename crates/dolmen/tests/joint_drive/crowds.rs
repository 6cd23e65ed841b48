//! Mechanisms among many contacts, which go by steps over all of them: joints hold, and nothing gives them energy.

use super::common::{balance, energy, off};
use super::described::{Maker, body};
use super::random::Random;
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Control, Course, Friction, JointKind};
use dolmen::math::{DQuat, DVec3, Pose, dvec3, real};
use dolmen::shape::{Plane, Shape, Sides};
use dolmen::world::{Body, ContactSettings, Material, World};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn cuboid(mass: f64, size: DVec3, name: &str) -> Body {
    let square = size * size;
    let moments = mass / 12.0 * dvec3(square.y + square.z, square.z + square.x, square.x + square.y);
    body(mass, moments, name).with_shape(Shape::cuboid(0.5 * size).expect("a box"))
}

fn floor() -> Body {
    let floor = Plane::new(DVec3::Z, 0.0).expect("a normal").with_sides(Sides::Front);
    Body::fixed(Pose::IDENTITY).with_shape(floor.into()).named("floor")
}

fn rough(mut world: World, restitution: f64, friction: f64) -> Simulation {
    let material =
        Material { restitution, static_friction: friction, kinetic_friction: friction, ..Material::SMOOTH };
    let contact = ContactSettings { default_material: material, ..ContactSettings::default() };
    world.set_contact(contact).expect("a material");
    Simulation::new(world).expect("a start")
}

/// What one of these mechanisms is measured by.
struct Swing {
    simulation: Simulation,
    /// The weight of all bricks by their size, J.
    bricks: f64,
    /// The longest arm of a joint, m, and the speed of the weight at the lowest place, m/s.
    size: f64,
    speed: f64,
}

/// A weight on two to four links swings out of the horizontal into a stack of two to five bricks.
fn swing(seed: u64) -> Swing {
    let mut random = Random(seed);
    let links = 2 + (3.0 * random.unit()) as usize;
    let (length, radius) = (random.within(0.25, 0.4), random.within(0.15, 0.25));
    let reach = links as f64 * length + radius;
    let height = reach + radius + random.within(0.02, 0.1);
    let angle = random.within(0.1, 0.6);
    let along = dvec3(-real::cos(angle), 0.05 * random.unit(), -real::sin(angle)).normalize();
    let turn = DQuat::from_rotation_arc(DVec3::X, along);
    let pivot = dvec3(0.0, 0.0, height);
    let mut maker = Maker::new();
    maker.add(floor());
    for i in 0..links {
        let name = format!("l{i}");
        let at = pivot + (i as f64 + 0.5) * length * along;
        maker.add(cuboid(0.3, dvec3(0.8 * length, 0.05, 0.05), &name).centred_at(at, turn));
        let before = (i > 0).then(|| format!("l{}", i - 1));
        let kind = if i % 2 == 0 { JointKind::Ball } else { JointKind::Universal };
        let at = pivot + i as f64 * length * along;
        maker.join(&format!("j{i}"), kind, [Some(name.as_str()), before.as_deref()], at, along);
    }
    let mass = random.within(5.0, 15.0);
    let weight = body(mass, DVec3::splat(0.4 * mass * radius * radius), "weight")
        .with_shape(Shape::sphere(radius).expect("a ball"));
    maker.add(weight.centred_at(pivot + reach * along, DQuat::IDENTITY));
    let (hook, last) = (pivot + links as f64 * length * along, format!("l{}", links - 1));
    maker.join("hook", JointKind::Ball, [Some("weight"), Some(last.as_str())], hook, along);
    let count = 2 + (4.0 * random.unit()) as usize;
    let (mut z, mut bricks) = (0.0, 0.0);
    for i in 0..count {
        let size = dvec3(random.within(0.15, 0.3), random.within(0.3, 0.5), random.within(0.12, 0.2));
        let brick = cuboid(random.within(0.5, 2.0), size, &format!("brick {i}"));
        let at = dvec3(radius + 0.2 + 0.02 * random.unit(), 0.03 * random.unit(), z + 0.5 * size.z);
        z += size.z;
        bricks += 2.0 * 9.81 * size.length();
        maker.add(brick.centred_at(at, DQuat::from_rotation_z(0.2 * random.unit())));
    }
    let restitution = [0.0, 0.0, 0.3][(3.0 * random.unit()) as usize];
    let simulation = rough(maker.world(DOWN), restitution, random.within(0.2, 0.6));
    Swing { simulation, bricks, size: length + radius, speed: (2.0 * 9.81 * reach).sqrt() }
}

/// Joints hold to 1e-10 of their size, velocities to 1e-10 of the velocity scale, at every sample, whatever the weight meets. Without
/// motors and with ε < 1 energy is lost: what it may seem to gain is that of bricks, whose steps are of first order, ½ h F·Δv, a
/// thousandth of their weight by their size in all.
#[test]
fn a_weight_on_a_chain_swung_into_bricks_keeps_to_its_joints_and_gains_no_energy() {
    let mut steps = 0;
    for seed in 0..8 {
        let Swing { mut simulation, bricks, size, speed } = swing(seed);
        let (start, mut before) = (balance(&mut simulation), energy(&mut simulation));
        let (mut worst, mut gained) = ([0.0_f64; 2], 0.0_f64);
        for k in 1..=75 {
            let t = 0.02 * f64::from(k);
            simulation.advance(t).unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let [value, rate] = off(&simulation);
            worst = [worst[0].max(value / size), worst[1].max(rate / speed)];
            assert!(
                value < 1e-10 * size && rate < 1e-10 * speed,
                "seed {seed} at {t}: {value:e} m, {rate:e} m/s"
            );
            let now = energy(&mut simulation);
            gained = gained.max(now - before);
            assert!(now - before <= 1e-3 * bricks, "seed {seed} at {t}: {} J gained", now - before);
            before = now;
            let error = balance(&mut simulation) - start;
            assert!(error.abs() < 1e-9 * start.abs(), "seed {seed} at {t}: energy off by {error:e} J");
        }
        let ledger = simulation.ledger();
        println!(
            "seed {seed}: {} steps over crowds, joints off {:.0e} {:.0e}, gained {gained:.1e} J, closing {:.1e} of {start:.0} J",
            simulation.time_steps(),
            worst[0],
            worst[1],
            ledger.closing
        );
        assert!(ledger.closing > -1e-3 * bricks, "seed {seed}: {ledger:?}");
        steps += simulation.time_steps();
    }
    assert!(steps > 100, "bricks and weight are a crowd: {steps} steps");
}

/// The same with hinges that rub and have limits, and one that is driven: these are rows and loads of the same steps, and what they
/// do is booked.
#[test]
fn a_driven_chain_with_limits_and_friction_falls_onto_bricks_and_keeps_its_books() {
    let mut maker = Maker::new();
    maker.add(floor());
    for (i, x) in [-0.23, 0.01, 0.26].into_iter().enumerate() {
        let brick = cuboid(0.7, dvec3(0.2, 0.37, 0.11), &format!("brick {i}"));
        maker.add(brick.centred_at(dvec3(x, 0.0, 0.055), DQuat::IDENTITY));
    }
    for i in 0..5 {
        let (name, x) = (format!("l{i}"), 0.17 * f64::from(i) - 0.3);
        maker
            .add(cuboid(0.4, dvec3(0.14, 0.09, 0.05), &name).centred_at(dvec3(x, 0.0, 0.4), DQuat::IDENTITY));
        if i > 0 {
            let before = format!("l{}", i - 1);
            let at = dvec3(x - 0.085, 0.0, 0.4);
            maker.join(
                &format!("j{i}"),
                JointKind::Hinge,
                [Some(name.as_str()), Some(before.as_str())],
                at,
                DVec3::Y,
            );
            maker.with(Axis::TurnZ, Control::Limit { lower: -0.6, upper: 0.45, restitution: 0.0 });
            let friction = Friction { constant: 0.02, coefficient: 0.1, arm: 0.01 };
            maker.with(Axis::TurnZ, Control::Friction(friction));
        }
        if i == 2 {
            maker.with(Axis::TurnZ, Control::Force(Course::Constant(0.06)));
        }
    }
    let mut simulation = rough(maker.world(DOWN), 0.0, 0.5);
    let start = balance(&mut simulation);
    for k in 1..=25 {
        let t = 0.02 * f64::from(k);
        simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
        let [value, rate] = off(&simulation);
        assert!(value < 1e-10 && rate < 1e-10, "at {t}: {value:e} m, {rate:e} m/s");
        let error = balance(&mut simulation) - start;
        assert!(error.abs() < 1e-9 * start, "at {t}: energy off by {error:e} J of {start}");
    }
    let ledger = simulation.ledger();
    let (overlap, share) = simulation.deepest_overlap();
    println!("{} steps over crowds, {overlap:e} m deep, {ledger:?}", simulation.time_steps());
    // Of what the fall gave them.
    let lost = ledger.collisions + ledger.friction;
    assert!(ledger.closing.abs() < 1e-3 * lost, "{ledger:?}");
    assert!(share <= simulation.overlap_bound(), "{overlap:e} m deep, {share} of what counts as touching");
    // Long before the end everything lies still.
    assert!(ledger.kinetic == 0.0, "{ledger:?}");
}
