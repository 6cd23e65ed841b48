//! The fixed-step driver: order of its error on single contacts, laws, bits, and what it refuses.

use dolmen::drive::fixed::{FixedError, FixedSettings, FixedSimulation, Precision};
use dolmen::drive::{Advance, Driver, SnapshotError};
use dolmen::joint::{Joint, JointKind};
use dolmen::material::Material;
use dolmen::math::real;
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Witness, separate};
use dolmen::prelude::*;
use dolmen::record::{Event, EventKind};
use dolmen::shape::{Plane, Sides};
use dolmen::world::Handle;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

const G: f64 = 9.81;

fn uniform(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn floor() -> Body {
    let plane = Plane::new(DVec3::Z, 0.0).unwrap().with_sides(Sides::Front);
    Body::fixed(Pose::IDENTITY).with_shape(Shape::Plane(plane)).named("floor")
}

/// Gravity leaning by an angle: the floor is a slope.
fn leaning(angle: f64) -> DVec3 {
    G * dvec3(real::sin(angle), 0.0, -real::cos(angle))
}

fn rough(mu: f64, restitution: f64) -> Material {
    Material { static_friction: mu, kinetic_friction: mu, restitution, ..Material::SMOOTH }
}

fn world(gravity: DVec3, material: Material, bodies: Vec<Body>) -> (World, Vec<BodyId>) {
    let mut builder = WorldBuilder::new();
    builder.gravity(gravity).default_material(material);
    let handles: Vec<Handle> = bodies.into_iter().map(|body| builder.body(body).unwrap()).collect();
    builder.body(floor()).unwrap();
    let world = builder.build().unwrap();
    let ids = handles.iter().map(|handle| world.id(*handle)).collect();
    (world, ids)
}

fn settings(step: f64, precision: Precision) -> FixedSettings {
    FixedSettings { step, precision, ..FixedSettings::default() }
}

fn ball(radius: f64) -> Body {
    Body::solid(Shape::sphere(radius).unwrap(), 1000.0).unwrap().named("ball")
}

fn cube(half: f64) -> Body {
    Body::solid(Shape::cuboid(DVec3::splat(half)).unwrap(), 1000.0).unwrap().named("cube")
}

/// The errors of a quantity at 1/60, 1/120, … s against the exact driver's.
fn errors(world: &World, t: f64, quantity: impl Fn(Pose, Twist) -> f64, id: BodyId) -> Vec<f64> {
    let mut exact = Simulation::new(world.clone()).unwrap();
    exact.advance(t).unwrap();
    let truth = quantity(exact.pose(id), exact.twist(id));
    (0..5)
        .map(|k| {
            let step = 1.0 / (60.0 * f64::from(1 << k));
            let mut fixed = FixedSimulation::new(world.clone(), settings(step, Precision::F64)).unwrap();
            fixed.advance(t).unwrap();
            (quantity(fixed.pose(id), fixed.twist(id)) - truth).abs()
        })
        .collect()
}

/// Errors of order 1 fall eightfold over three halvings of the step; fourfold is asked for, of the larger of two neighbours: one alone may
/// happen to be small.
fn assert_order_one(what: &str, errors: &[f64]) {
    let larger = |k: usize| errors[k].max(errors[k + 1]);
    assert!(larger(3) < larger(0) / 4.0 + 1e-9, "{what}: errors {errors:?} do not fall with the step");
}

/// Errors stay below one multiple of the step for all steps. For what depends on where in a step something happens: there errors of order 1 do
/// not fall evenly.
fn assert_below(what: &str, errors: &[f64], rate: f64) {
    for (k, error) in errors.iter().enumerate() {
        let step = 1.0 / (60.0 * f64::from(1 << k));
        assert!(*error <= rate * step, "{what}: errors {errors:?} are above {rate} times the step");
    }
}

/// A ball that rebounds from a floor: its height later is that of the exact driver, to first order.
#[test]
fn restitution_converges() {
    let (world, ids) =
        world(-G * DVec3::Z, rough(0.0, 0.7), vec![ball(0.1).at(1.0 * DVec3::Z, DQuat::IDENTITY)]);
    assert_order_one("bounce", &errors(&world, 0.7, |pose, _| pose.position.z, ids[0]));
}

/// A ball that strikes a rough floor obliquely: its slip ends within the impact (μ = 0.6) or does not (μ = 0.1), with and without a rebound,
/// with and without spin; speed and spin after it are those of the exact driver's law of impact, to first order.
#[test]
fn friction_of_impacts_converges() {
    for (mu, restitution, spin) in [
        (0.1, 0.0, 0.0),
        (0.1, 0.6, 0.0),
        (0.6, 0.0, 0.0),
        (0.6, 0.6, 0.0),
        (0.2, 0.5, -40.0),
        (0.6, 0.5, -40.0),
    ] {
        let start =
            ball(0.1).at(1.0 * DVec3::Z, DQuat::IDENTITY).moving(dvec3(1.5, 0.5, 0.0), dvec3(0.0, spin, 3.0));
        let (world, ids) = world(-G * DVec3::Z, rough(mu, restitution), vec![start]);
        let what = format!("impact, μ = {mu}, ε = {restitution}, spin {spin}");
        // 0.43 s is the time of the fall; at 0.5 s there was one impact. Its time is known to a step, speeds of approach and rebound to what
        // gravity gives in two; friction changes the speed by no more than they, and the spin by 5/(2r) times that.
        let after = |quantity: fn(Pose, Twist) -> f64| errors(&world, 0.5, quantity, ids[0]);
        let (speed, jump) = (4.0 * G, 8.0);
        assert_below(&format!("{what}: x"), &after(|pose, _| pose.position.x), jump);
        assert_below(&format!("{what}: speed"), &after(|_, twist| twist.velocity.x), speed);
        assert_below(&format!("{what}: speed across"), &after(|_, twist| twist.velocity.y), speed);
        assert_below(&format!("{what}: spin"), &after(|_, twist| twist.spin.y), 25.0 * speed);
    }
}

/// Friction of an impact of any direction stays within the cone of its normal impulse, turns no slip round, and never gives energy.
#[test]
fn friction_of_impacts_stays_within_its_cone() {
    let mut random = Pcg64Mcg::new(5);
    for _ in 0..40 {
        let mut number = |most: f64| most * (2.0 * uniform(&mut random) - 1.0);
        let (mu, restitution) = (0.4 + number(0.4), 0.45 + number(0.45));
        let (velocity, spin) =
            (dvec3(number(4.0), number(4.0), -3.0), dvec3(number(30.0), number(30.0), number(30.0)));
        let start = ball(0.1).at(0.15 * DVec3::Z, DQuat::IDENTITY).moving(velocity, spin);
        let (world, ids) = world(DVec3::ZERO, rough(mu, restitution), vec![start]);
        let mut simulation = FixedSimulation::new(world, settings(1.0 / 240.0, Precision::F64)).unwrap();
        let before = simulation.ledger().kinetic;
        simulation.advance(0.1).unwrap();
        let twist = simulation.twist(ids[0]);
        let change = twist.velocity - velocity;
        let (normal, across) = (change.z, change.truncate().length());
        assert!(across <= mu * normal * (1.0 + 1e-9), "Δv {change} outside of the cone of μ = {mu}");
        assert!(
            (twist.velocity.z - 3.0 * restitution).abs() < 1e-9,
            "rebound {} of ε = {restitution}",
            twist.velocity.z
        );
        let slip = |v: DVec3, w: DVec3| (v + w.cross(-0.1 * DVec3::Z)).truncate();
        let (old, new) = (slip(velocity, spin), slip(twist.velocity, twist.spin));
        assert!(new.dot(old) >= -1e-9 * old.length_squared(), "slip {old} became {new}");
        // Either all of the cone is used, or nothing slips.
        let is_full = across >= mu * normal * (1.0 - 1e-9);
        assert!(is_full || new.length() < 1e-9 * old.length(), "slip {new} is left of {old}, μ = {mu}");
        assert!(simulation.ledger().kinetic <= before * (1.0 + 1e-12));
    }
}

/// A ball that slides at first and rolls in the end, with more static than kinetic friction: its way is the exact driver's to first order.
#[test]
fn sliding_turns_into_rolling() {
    let start =
        ball(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY).moving(dvec3(2.0, 0.0, 0.0), dvec3(0.0, -10.0, 0.0));
    let material = Material { static_friction: 0.4, ..rough(0.3, 0.0) };
    let (world, ids) = world(-G * DVec3::Z, material, vec![start]);
    assert_order_one("way", &errors(&world, 1.5, |pose, _| pose.position.x, ids[0]));
    assert_order_one("spin", &errors(&world, 1.5, |_, twist| twist.spin.y, ids[0]));
}

/// A ball with rolling and spinning resistance stops rolling and spinning where the exact driver's does.
#[test]
fn resistance_converges() {
    let start =
        ball(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY).moving(dvec3(1.0, 0.0, 0.0), dvec3(0.0, 10.0, 5.0));
    let material = Material { rolling_resistance: 0.005, spinning_resistance: 0.002, ..rough(0.5, 0.0) };
    let (world, ids) = world(-G * DVec3::Z, material, vec![start]);
    assert_order_one("way", &errors(&world, 1.0, |pose, _| pose.position.x, ids[0]));
    assert_order_one("spin", &errors(&world, 0.8, |_, twist| twist.spin.z, ids[0]));
}

/// A box that spins about its middle axis and tumbles: its orientation converges to the exact driver's with order 2.
#[test]
fn tumbling_converges() {
    let solid = Body::solid(Shape::cuboid(dvec3(0.3, 0.2, 0.1)).unwrap(), 1000.0).unwrap();
    let start = solid.named("box").at(DVec3::Z, DQuat::IDENTITY).moving(DVec3::ZERO, dvec3(0.02, 5.0, 0.01));
    let (world, ids) = world(DVec3::ZERO, rough(0.0, 0.0), vec![start]);
    for axis in [DVec3::X, DVec3::Z] {
        for other in [DVec3::X, DVec3::Y] {
            let errors = errors(&world, 3.0, |pose, _| (pose.orientation * axis).dot(other), ids[0]);
            let larger = |k: usize| errors[k].max(errors[k + 1]);
            assert!(
                larger(3) < larger(0) / 20.0 + 1e-9,
                "{axis} along {other}: errors {errors:?} are not of order 2"
            );
        }
    }
}

/// A cube on a slope of 0.5 rad with μ = 0.3 slides with g(sin − μ cos).
#[test]
fn sliding_converges() {
    let start = cube(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY);
    let (world, ids) = world(leaning(0.5), rough(0.3, 0.0), vec![start]);
    assert_order_one("slide", &errors(&world, 1.0, |pose, _| pose.position.x, ids[0]));
}

/// A ball on a slope rolls with 5/7 g sin.
#[test]
fn rolling_converges() {
    let start = ball(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY);
    let (world, ids) = world(leaning(0.3), rough(0.8, 0.0), vec![start]);
    assert_order_one("roll", &errors(&world, 1.0, |pose, _| pose.position.x, ids[0]));
}

/// A cube that slides at first and then sticks comes to rest where it does in the exact driver.
#[test]
fn stopping_converges() {
    let start = cube(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY).moving(dvec3(2.0, 0.0, 0.0), DVec3::ZERO);
    let (world, ids) = world(-G * DVec3::Z, rough(0.4, 0.0), vec![start]);
    assert_order_one("stop", &errors(&world, 1.5, |pose, _| pose.position.x, ids[0]));
}

/// A cube on a slope below the angle of friction does not creep: less than a micrometre in ten seconds.
#[test]
fn stiction_holds() {
    for precision in [Precision::F32, Precision::F64] {
        let start = cube(0.1).at(0.1 * DVec3::Z, DQuat::IDENTITY);
        let (world, ids) = world(leaning(0.3), rough(0.5, 0.0), vec![start]);
        let mut simulation = FixedSimulation::new(world, settings(1.0 / 60.0, precision)).unwrap();
        simulation.advance(1.0).unwrap();
        let from = simulation.pose(ids[0]).position;
        simulation.advance(11.0).unwrap();
        let crept = (simulation.pose(ids[0]).position - from).length();
        assert!(crept < 1e-5, "{precision:?}: crept {crept:e} m in 10 s");
    }
}

/// Ten cubes on each other stand for ten seconds, and the overlap is that of springs, below 2 mm of 1 m.
#[test]
fn a_column_stands() {
    for precision in [Precision::F32, Precision::F64] {
        let bodies = (0..10)
            .map(|k| {
                cube(0.5).named(format!("c{k}")).at(dvec3(0.0, 0.0, 0.5 + f64::from(k)), DQuat::IDENTITY)
            })
            .collect();
        let (world, ids) = world(-G * DVec3::Z, rough(0.5, 0.0), bodies);
        let mut simulation = FixedSimulation::new(world, settings(1.0 / 60.0, precision)).unwrap();
        simulation.advance(10.0).unwrap();
        let top = simulation.pose(ids[9]).position;
        assert!((top - 9.5 * DVec3::Z).length() < 0.02, "{precision:?}: the top is at {top}");
        let overlap = simulation.statistics().worst_overlap;
        assert!(overlap < 3e-3, "{precision:?}: overlap {overlap} m");
    }
}

/// A heap of balls, boxes and capsules in a bowl of walls.
fn heap(count: u32) -> World {
    let mut builder = WorldBuilder::new();
    builder.gravity(-G * DVec3::Z).default_material(rough(0.5, 0.2));
    let mut random = Pcg64Mcg::new(7);
    for k in 0..count {
        let shape = match k % 4 {
            0 => Shape::sphere(0.2).unwrap(),
            1 => Shape::cuboid(dvec3(0.2, 0.15, 0.25)).unwrap(),
            2 => Shape::capsule(0.1, 0.15).unwrap(),
            _ => Shape::cylinder(0.15, 0.15).unwrap(),
        };
        let at = dvec3(uniform(&mut random) - 0.5, uniform(&mut random) - 0.5, 0.5 + 0.5 * f64::from(k));
        let turned = DQuat::from_rotation_y(3.0 * uniform(&mut random));
        builder.body(Body::solid(shape, 800.0).unwrap().named(format!("b{k:03}")).at(at, turned)).unwrap();
    }
    for (k, n) in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y].into_iter().enumerate() {
        let plane = Plane::new(n, 1.0).unwrap().with_sides(Sides::Front);
        let wall = Body::fixed(Pose::IDENTITY).with_shape(Shape::Plane(plane)).named(format!("wall{k}"));
        builder.body(wall).unwrap();
    }
    builder.body(floor()).unwrap();
    builder.build().unwrap()
}

/// The same world gives the same bits, and copies go on alike.
#[test]
fn bits_are_the_same() {
    for precision in [Precision::F32, Precision::F64] {
        let run = |simulation: &mut FixedSimulation, t: f64| {
            simulation.advance(t).unwrap();
            simulation.sample().hash()
        };
        let mut first = FixedSimulation::new(heap(24), settings(1.0 / 60.0, precision)).unwrap();
        let mut second = first.clone();
        assert_eq!(run(&mut first, 1.5), run(&mut second, 1.5));
        let mut copy = first.clone();
        assert_eq!(run(&mut first, 2.5), run(&mut copy, 2.5));
    }
}

/// What touches far away changes no bit of a body, whichever lane its contact is in. They fall so slowly that no more sub-steps are made.
#[test]
fn lanes_do_not_see_each_other() {
    let alone = |others: u32| {
        let mut bodies = vec![cube(0.2).named("a").at(dvec3(0.0, 0.0, 0.4), DQuat::from_rotation_x(0.4))];
        for k in 0..others {
            let at = dvec3(10.0 + f64::from(k), 0.0, 0.35 + 0.002 * f64::from(k));
            bodies.push(cube(0.2).named(format!("b{k}")).at(at, DQuat::from_rotation_y(0.3)));
        }
        let (world, ids) = world(-G * DVec3::Z, rough(0.5, 0.3), bodies);
        let mut simulation = FixedSimulation::new(world, settings(1.0 / 60.0, Precision::F32)).unwrap();
        simulation.advance(2.0).unwrap();
        (simulation.pose(ids[0]), simulation.twist(ids[0]))
    };
    let truth = alone(0);
    for others in [1, 7, 8, 20] {
        assert_eq!(alone(others), truth, "with {others} others");
    }
}

/// Nothing leaves a heap, overlaps stay small, and energy is never made: what is not lost stays within the drift of the steps.
#[test]
fn a_heap_keeps_its_laws() {
    let world = heap(40);
    let mut simulation = FixedSimulation::new(world, settings(1.0 / 60.0, Precision::F32)).unwrap();
    let start = simulation.ledger().total();
    simulation.advance(6.0).unwrap();
    let sample = simulation.sample();
    for (pose, _) in &sample.bodies {
        assert!(pose.position.z > -0.1 && pose.position.abs().max_element() < 30.0, "at {}", pose.position);
    }
    // From 20 m they hit each other at 20 m/s, a third of a metre in a step: none may pass through another, and at rest they touch.
    let (worst, last) = (simulation.statistics().worst_overlap, simulation.statistics().last.overlap);
    assert!(worst < 0.25 && last < 5e-3, "overlap {worst} m at worst, {last} m at the end");
    assert!(sample.ledger.total() <= start * 1.001, "{} J of {start} J", sample.ledger.total());
    let drift = simulation.energy_drift().abs();
    assert!(drift < 0.05 * start, "drift {drift} J of {start} J");
}

/// The overlap that a step reports for two boxes is that of the exact queries, whatever way they lie.
#[test]
fn overlaps_of_boxes_agree_with_the_queries() {
    let mut random = Pcg64Mcg::new(3);
    let mut overlapping = 0;
    for round in 0..400 {
        let mut number = || uniform(&mut random);
        let half = [(); 2].map(|()| 0.1 + 0.4 * dvec3(number(), number(), number()));
        let turned = [(); 2].map(|()| {
            let q = DQuat::from_xyzw(number() - 0.5, number() - 0.5, number() - 0.5, number() - 0.5);
            if round % 4 == 0 { DQuat::IDENTITY } else { q.normalize() }
        });
        let at = [DVec3::ZERO, 1.2 * (dvec3(number(), number(), number()) - DVec3::splat(0.5))];
        let shapes = half.map(|half| Shape::cuboid(half).unwrap());
        let mut builder = WorldBuilder::new();
        for k in 0..2 {
            let body = Body::solid(shapes[k].clone(), 1000.0).unwrap().at(at[k], turned[k]);
            builder.body(body).unwrap();
        }
        let settings = settings(1e-4, Precision::F64);
        let mut simulation = FixedSimulation::new(builder.build().unwrap(), settings).unwrap();
        let report = simulation.step().unwrap();
        let geometries = shapes.map(|shape| Geometry::new(&shape));
        let placed = |k: usize| Placed {
            geometry: &geometries[k],
            pose: Pose { position: at[k], orientation: turned[k] },
        };
        let truth = separate(&placed(0), &placed(1), &mut Witness::Unknown, &mut Statistics::default())
            .unwrap()
            .distance;
        // Faces are preferred to edges within 2e-3 of the smaller half side, and clipped points lie a little higher.
        let depth = (-truth).max(0.0);
        let near = 3e-3 * half[0].min_element().min(half[1].min_element()) + 1e-6;
        assert!((report.overlap - depth).abs() <= near, "round {round}: {} against {depth}", report.overlap);
        overlapping += usize::from(depth > 0.0);
    }
    assert!(overlapping > 100, "only {overlapping} of 400 overlap");
}

/// A chain of three links, let go from the horizontal.
fn chain() -> World {
    let mut builder = WorldBuilder::new();
    builder.gravity(-G * DVec3::Z);
    let mut last: Option<Handle> = None;
    for k in 0..3 {
        let x = 0.5 + f64::from(k);
        let link = Body::solid(Shape::cuboid(dvec3(0.4, 0.05, 0.05)).unwrap(), 1000.0).unwrap();
        let link = builder.body(link.named(format!("l{k}")).at(dvec3(x, 0.0, 0.0), DQuat::IDENTITY)).unwrap();
        let b = last.map_or(dolmen::joint::Side::World, Into::into);
        let joint = Joint::new(format!("j{k}"), JointKind::Hinge, link, b);
        builder.joint(joint.at(dvec3(x - 0.5, 0.0, 0.0), DVec3::Y));
        last = Some(link);
    }
    builder.build().unwrap()
}

/// Joints stay together to 10 µm; the energy that turning costs them falls with the step, and none is given.
#[test]
fn joints_hold() {
    for precision in [Precision::F32, Precision::F64] {
        let lost = |step: f64| {
            let mut simulation = FixedSimulation::new(chain(), settings(step, precision)).unwrap();
            simulation.advance(0.8).unwrap();
            let error = simulation.statistics().worst_joint_error;
            assert!(error < 1e-5, "{precision:?}: joints are off by {error} m");
            let ledger = simulation.ledger();
            -ledger.total() / ledger.kinetic
        };
        let losses = [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0].map(lost);
        assert!(losses.iter().all(|lost| *lost > -1e-3), "{precision:?}: energy from nothing, {losses:?}");
        assert!(losses[2] < 0.4 * losses[0] + 1e-4, "{precision:?}: losses {losses:?} do not fall");
    }
}

/// Settings out of range, particles, and times in the past are refused by name.
#[test]
fn what_it_cannot_do_is_refused() {
    let (world, _) = world(-G * DVec3::Z, rough(0.0, 0.0), vec![ball(0.1).at(DVec3::Z, DQuat::IDENTITY)]);
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY, 2.0] {
        let error = FixedSimulation::new(world.clone(), settings(step, Precision::F32)).unwrap_err();
        assert!(matches!(error, FixedError::Setting { name: "step", .. }), "{error}");
    }
    for substeps in [0, 1_000_000] {
        let settings = FixedSettings { substeps, ..FixedSettings::default() };
        let error = FixedSimulation::new(world.clone(), settings).unwrap_err();
        assert!(matches!(error, FixedError::Setting { name: "substeps", .. }), "{error}");
    }
    let mut simulation = FixedSimulation::new(world, FixedSettings::default()).unwrap();
    simulation.advance(0.1).unwrap();
    for t in [0.05, f64::NAN, f64::INFINITY] {
        assert!(matches!(simulation.advance(t), Err(FixedError::Time { .. })));
    }
}

/// A body whose numbers overflow ends the run with its name.
#[test]
fn a_body_that_is_not_finite_is_named() {
    let fast = ball(0.1).at(DVec3::Z, DQuat::IDENTITY).moving(1e300 * DVec3::X, DVec3::ZERO);
    let (world, _) = world(-G * DVec3::Z, rough(0.0, 0.0), vec![fast]);
    let mut simulation = FixedSimulation::new(world, FixedSettings::default()).unwrap();
    let error = simulation.advance(1.0).unwrap_err();
    assert!(matches!(&error, FixedError::NotFinite { body, .. } if body == "ball"), "{error}");
}

/// A heap with a chain in it: contacts, joints and limits at once.
fn heap_with_chain() -> World {
    let mut builder = WorldBuilder::new();
    builder.gravity(-G * DVec3::Z).default_material(rough(0.5, 0.2));
    let mut last: Option<Handle> = None;
    for k in 0..4 {
        let x = 0.5 + f64::from(k);
        let link = Body::solid(Shape::cuboid(dvec3(0.4, 0.05, 0.05)).unwrap(), 1000.0).unwrap();
        let link = builder.body(link.named(format!("l{k}")).at(dvec3(x, 0.0, 1.0), DQuat::IDENTITY)).unwrap();
        let b = last.map_or(dolmen::joint::Side::World, Into::into);
        builder.joint(
            Joint::new(format!("j{k}"), JointKind::Hinge, link, b).at(dvec3(x - 0.5, 0.0, 1.0), DVec3::Y),
        );
        last = Some(link);
    }
    for k in 0..12 {
        let at = dvec3(0.3 * f64::from(k), 0.1 * f64::from(k % 3), 1.5 + 0.3 * f64::from(k % 4));
        builder.body(ball(0.12).named(format!("b{k}")).at(at, DQuat::IDENTITY)).unwrap();
    }
    builder.body(floor()).unwrap();
    builder.build().unwrap()
}

/// A snapshot goes on with the same bits, in a new simulation and through the trait; other bytes and other worlds are refused.
#[test]
fn snapshots_keep_the_bits() {
    for precision in [Precision::F32, Precision::F64] {
        for world in [heap(24), heap_with_chain()] {
            let mut simulation =
                FixedSimulation::new(world.clone(), settings(1.0 / 60.0, precision)).unwrap();
            simulation.keep_events(true);
            simulation.advance(0.8).unwrap();
            let bytes = simulation.snapshot();
            let mut restored = FixedSimulation::restore(world.clone(), &bytes).unwrap();
            let mut loaded =
                FixedSimulation::new(world.clone(), settings(1.0 / 240.0, Precision::F64)).unwrap();
            loaded.load_snapshot(&bytes).unwrap();
            assert_eq!(restored.contact_forces(), simulation.contact_forces());
            assert_eq!(restored.joint_forces(), simulation.joint_forces());
            for other in [&mut simulation, &mut restored, &mut loaded] {
                other.advance(2.0).unwrap();
            }
            assert_eq!(restored.sample().hash(), simulation.sample().hash());
            assert_eq!(loaded.sample().hash(), simulation.sample().hash());
            assert_eq!(restored.snapshot(), simulation.snapshot());
            assert_eq!(restored.take_events(), simulation.take_events());
            let mut broken = bytes.clone();
            *broken.last_mut().unwrap() ^= 1;
            let error = FixedSimulation::restore(world.clone(), &broken).map(|_| ()).unwrap_err();
            assert!(matches!(error, SnapshotError::Damaged { .. }), "{error}");
            let error = FixedSimulation::restore(chain(), &bytes).map(|_| ()).unwrap_err();
            assert_eq!(error, SnapshotError::World);
            let exact = Simulation::new(chain()).unwrap().snapshot();
            let error = FixedSimulation::restore(world, &exact).map(|_| ()).unwrap_err();
            assert_eq!(error, SnapshotError::NotASnapshot);
        }
    }
}

/// Any number of threads gives the same bits, and more than there may be are refused.
#[test]
fn threads_change_no_bit() {
    for precision in [Precision::F32, Precision::F64] {
        let run = |threads: u32| {
            let settings = FixedSettings { threads, ..settings(1.0 / 60.0, precision) };
            let mut simulation = FixedSimulation::new(heap(150), settings).unwrap();
            simulation.advance(1.0).unwrap();
            simulation.sample().hash()
        };
        let truth = run(1);
        for threads in [2, 4, 8] {
            assert_eq!(run(threads), truth, "{precision:?}, {threads} threads");
        }
    }
    for threads in [0, 65] {
        let settings = FixedSettings { threads, ..FixedSettings::default() };
        let error = FixedSimulation::new(heap(1), settings).unwrap_err();
        assert!(matches!(error, FixedError::Setting { name: "threads", .. }), "{error}");
    }
}

/// The forces under a column are its weight, those in a chain at rest the weight of what hangs below; either driver says so through
/// the same trait.
#[test]
fn forces_carry_the_weight() {
    fn press<D: Driver>(driver: &mut D, t: f64) -> (f64, f64)
    where
        D::Stop: std::fmt::Debug,
    {
        let mut events: Vec<Event> = Vec::new();
        driver.advance_into(t, &mut events, &mut |_| true).unwrap();
        let floor = driver.world().body_ids().find(|id| driver.world().body_name(*id) == "floor");
        let on_floor = |f: &&dolmen::record::ContactForce| Some(f.bodies[1]) == floor;
        let normal = driver.contact_forces().iter().filter(on_floor).map(|f| f.normal_force).sum();
        let joints = driver.joint_forces().first().map_or(0.0, |joint| joint.force.length());
        (normal, joints)
    }
    let bodies = (0..3)
        .map(|k| cube(0.5).named(format!("c{k}")).at(dvec3(0.0, 0.0, 0.5 + f64::from(k)), DQuat::IDENTITY))
        .collect();
    let (column, _) = world(-G * DVec3::Z, rough(0.5, 0.0), bodies);
    let weight = 3.0 * 1000.0 * G;
    let fixed =
        press(&mut FixedSimulation::new(column.clone(), settings(1.0 / 60.0, Precision::F64)).unwrap(), 3.0);
    let exact = press(&mut Simulation::new(column).unwrap(), 0.1);
    assert!((exact.0 - weight).abs() < 1e-6 * weight, "exact {exact:?}, weight {weight}");
    assert!((fixed.0 - weight).abs() < 1e-3 * weight, "fixed {fixed:?}, weight {weight}");
    let hanging = || {
        let mut builder = WorldBuilder::new();
        builder.gravity(-G * DVec3::Z);
        let link = builder.body(cube(0.1).at(dvec3(0.0, 0.0, -1.0), DQuat::IDENTITY)).unwrap();
        builder.joint(
            Joint::new("pin", JointKind::Ball, link, dolmen::joint::Side::World).at(DVec3::ZERO, DVec3::Z),
        );
        builder.build().unwrap()
    };
    let weight = 8.0 * G;
    let fixed =
        press(&mut FixedSimulation::new(hanging(), settings(1.0 / 60.0, Precision::F64)).unwrap(), 0.5);
    assert!((fixed.1 - weight).abs() < 1e-3 * weight, "a joint carries {fixed:?}, not {weight}");
}

/// A ball that falls from 1 m: the event comes in the step of the impact with its speeds and its impulse, and the one of its leaving
/// follows.
#[test]
fn events_tell_what_touches() {
    let start = ball(0.1).at(1.1 * DVec3::Z, DQuat::IDENTITY);
    let (world, _) = world(-G * DVec3::Z, rough(0.0, 0.5), vec![start]);
    let step = 1.0 / 240.0;
    let mut simulation = FixedSimulation::new(world, settings(step, Precision::F64)).unwrap();
    let mut events: Vec<Event> = Vec::new();
    let gone = simulation.advance_to_event(1.0, &mut events, &mut |_| true).unwrap();
    assert_eq!(gone, Advance::Event);
    let (speed, fall) = ((2.0 * G).sqrt(), (2.0 / G).sqrt());
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let event = events[0];
    assert_eq!((event.kind, event.t), (EventKind::Collision, simulation.time()));
    assert!((event.t - fall).abs() < 2.0 * step, "at {} s, not {fall}", event.t);
    assert!((event.approach + speed).abs() < 0.1, "approach {}", event.approach);
    assert!((event.separation - 0.5 * speed).abs() < 0.1, "separation {}", event.separation);
    assert!((event.impulse - 1.5 * mass * speed).abs() < 0.05 * mass * speed, "impulse {}", event.impulse);
    assert!((event.lost - 0.5 * mass * 0.75 * speed * speed).abs() < 0.05 * mass * speed * speed);
    assert_eq!(simulation.advance_to_event(1.0, &mut events, &mut |_| true).unwrap(), Advance::Event);
    assert_eq!(events[1].kind, EventKind::Break);
    assert_eq!(simulation.advance_to_event(1.0, &mut events, &mut |_| false).unwrap(), Advance::Interrupted);
    assert_eq!(simulation.advance_into(1.0, &mut events, &mut |_| true).unwrap(), Advance::Reached);
    assert_eq!(simulation.time(), 1.0);
    assert!(simulation.advance_to_event(0.5, &mut events, &mut |_| true).is_err());
}

/// A body that is put elsewhere meets what is there, its energy is booked as work, and a fixed one is refused.
#[test]
fn a_body_can_be_put_elsewhere() {
    let bodies = vec![
        ball(0.1).named("a").at(dvec3(50.0, 0.0, 5.0), DQuat::IDENTITY),
        cube(0.5).named("b").at(dvec3(0.0, 0.0, 0.5), DQuat::IDENTITY),
    ];
    let (world, ids) = world(-G * DVec3::Z, rough(0.5, 0.0), bodies);
    let mut simulation = FixedSimulation::new(world, settings(1.0 / 60.0, Precision::F32)).unwrap();
    simulation.advance(0.2).unwrap();
    let above = Pose { position: dvec3(0.0, 0.0, 1.3), orientation: DQuat::IDENTITY };
    simulation.set_state(ids[0], &above, &Twist::ZERO).unwrap();
    simulation.advance(1.0).unwrap();
    let z = simulation.pose(ids[0]).position.z;
    assert!((z - 1.1).abs() < 0.01, "it lies at {z} m, not on the cube at 1.1");
    assert!(simulation.energy_drift().abs() < 2.0, "drift {} J", simulation.energy_drift());
    let floor =
        simulation.world().body_ids().find(|id| simulation.world().body_name(*id) == "floor").unwrap();
    let error = simulation.set_state(floor, &above, &Twist::ZERO).unwrap_err();
    assert!(matches!(&error, FixedError::Intervention { body, .. } if body == "floor"), "{error}");
    let nowhere = Pose { position: f64::NAN * DVec3::X, orientation: DQuat::IDENTITY };
    assert!(simulation.set_state(ids[0], &nowhere, &Twist::ZERO).is_err());
}

/// A column of twenty, and boxes with one on top that is up to a thousand times as heavy, stand and sink by a millimetre at most.
#[test]
fn heavy_bodies_stand_on_light_ones() {
    for precision in [Precision::F32, Precision::F64] {
        for (count, ratio) in [(20, 1.0), (5, 10.0), (5, 100.0), (5, 1000.0)] {
            let bodies = (0..count)
                .map(|k| {
                    let density = if k == count - 1 { 1000.0 * ratio } else { 1000.0 };
                    let cube = Body::solid(Shape::cuboid(DVec3::splat(0.5)).unwrap(), density).unwrap();
                    cube.named(format!("c{k:02}")).at(dvec3(0.0, 0.0, 0.5 + f64::from(k)), DQuat::IDENTITY)
                })
                .collect();
            let (world, ids) = world(-G * DVec3::Z, rough(0.5, 0.0), bodies);
            let settings = FixedSettings { stiff: true, ..settings(1.0 / 60.0, precision) };
            let mut simulation = FixedSimulation::new(world, settings).unwrap();
            simulation.advance(3.0).unwrap();
            let top = simulation.pose(ids[count as usize - 1]).position;
            let sunk = (top - (0.5 + f64::from(count - 1)) * DVec3::Z).length();
            let substeps = simulation.statistics().last.substeps;
            assert!(sunk < 1e-3, "{precision:?}, {count} boxes, {ratio} : 1: {sunk} m, {substeps} sub-steps");
        }
    }
}

/// Two columns fall asleep and lie still to the last bit; a ball that is thrown at one wakes all of it, and the other sleeps on; snapshots and
/// threads keep the bits.
#[test]
fn islands_sleep_until_something_comes() {
    let mut bodies: Vec<Body> = (0..8)
        .map(|k| {
            let at = dvec3(4.0 * f64::from(k / 4), 0.0, 0.5 + f64::from(k % 4));
            cube(0.5).named(format!("c{k}")).at(at, DQuat::IDENTITY)
        })
        .collect();
    bodies.push(ball(0.3).at(dvec3(-2.0, 0.0, 40.0), DQuat::IDENTITY));
    let (world, ids) = world(-G * DVec3::Z, rough(0.5, 0.0), bodies);
    let settings = FixedSettings { sleep: true, ..FixedSettings::default() };
    let mut simulation = FixedSimulation::new(world.clone(), settings).unwrap();
    simulation.advance(2.0).unwrap();
    let (columns, thrown) = (&ids[..8], ids[8]);
    assert!(columns.iter().all(|id| simulation.is_asleep(*id)), "{:?}", simulation.statistics().last);
    assert!(!simulation.is_asleep(thrown));
    let before: Vec<_> = columns.iter().map(|id| simulation.pose(*id)).collect();
    simulation.advance(2.5).unwrap();
    assert!(
        columns.iter().zip(&before).all(|(id, pose)| simulation.pose(*id) == *pose),
        "a sleeping body moves"
    );
    let at = Pose { position: dvec3(-1.5, 0.0, 3.2), orientation: DQuat::IDENTITY };
    simulation.set_state(thrown, &at, &Twist { velocity: dvec3(6.0, 0.0, 0.0), spin: DVec3::ZERO }).unwrap();
    let mut restored = FixedSimulation::restore(world, &simulation.snapshot()).unwrap();
    restored.set_threads(2).unwrap();
    for other in [&mut simulation, &mut restored] {
        other.advance(2.8).unwrap();
        assert!(!columns[..4].iter().any(|id| other.is_asleep(*id)), "the column that was hit sleeps");
        assert!(columns[4..].iter().all(|id| other.is_asleep(*id)), "the other column does not");
        other.wake();
        assert_eq!(other.statistics().last.asleep, 4);
        assert!(!columns.iter().any(|id| other.is_asleep(*id)));
        other.advance(3.0).unwrap();
    }
    assert_eq!(restored.sample().hash(), simulation.sample().hash());
    assert!(simulation.pose(columns[3]).position.x > 1e-3, "it was not moved");
}
