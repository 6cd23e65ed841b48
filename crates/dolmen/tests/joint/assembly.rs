//! Putting bodies onto their joints, and what is said when that cannot be.

use super::common::Random;
use dolmen::articulation::{AssemblyError, AssemblySettings, Conflict, JointSystem, Level, assemble};
use dolmen::joint::{Axis, Control, Course, Frame, Joint, JointKind, Placement, Side};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::world::{Body, BodyId, Cast, World};

fn bodies(count: usize, place: impl Fn(usize) -> (DVec3, DQuat)) -> (World, Vec<BodyId>) {
    let mut cast = Cast::new();
    let mut handles = Vec::new();
    for i in 0..count {
        let properties =
            MassProperties::new(1.0 + i as f64, DVec3::ZERO, DMat3::IDENTITY * 0.1).expect("a mass");
        let (position, turn) = place(i);
        let body = Body::dynamic(&properties).named(format!("b{i:02}")).centred_at(position, turn);
        handles.push(cast.add(body).expect("a body"));
    }
    let world = World::new(cast).expect("a world");
    let ids = handles.into_iter().map(|handle| world.id(handle)).collect();
    (world, ids)
}

/// A chain of hinges whose bodies stand a little off.
fn shaken_chain(seed: u64, by: f64) -> World {
    let mut random = Random::new(seed);
    let offsets: Vec<(DVec3, DVec3)> = (0..6).map(|_| (by * random.vector(), by * random.vector())).collect();
    let (mut world, ids) = bodies(6, |i| {
        (dvec3(i as f64 + 0.5, 0.0, 0.0) + offsets[i].0, DQuat::from_scaled_axis(offsets[i].1))
    });
    for i in 0..6 {
        let b = if i == 0 { Side::World } else { Side::Body(ids[i - 1]) };
        let (left, right) = (dvec3(-0.5, 0.0, 0.0), if i == 0 { DVec3::ZERO } else { dvec3(0.5, 0.0, 0.0) });
        let axis = if i % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let frames = Placement::Each(Frame::along(left, axis), Frame::along(right, axis));
        let joint = Joint::new(format!("j{i}"), JointKind::Hinge, Side::Body(ids[i]), b).placed(frames);
        world.add_joint(joint).expect("a joint");
    }
    world
}

fn worst(world: &World, poses: &[Pose], twists: &[Twist], level: Level) -> f64 {
    let mut system = JointSystem::whole(world);
    let turns: Vec<_> = (0..world.joints().len()).map(|place| world.joint_at_start(place).1).collect();
    let still = |id: BodyId| dolmen::body::Kinematics {
        pose: poses[id.index()],
        twist: twists[id.index()],
        acceleration: DVec3::ZERO,
        spin_rate: DVec3::ZERO,
    };
    system.evaluate(world, still, 0.0, &turns);
    system.lines().iter().map(|line| system.left(*line, level).abs()).fold(0.0, f64::max)
}

/// Bodies that stand and move a little off end on their joints to rounding, and a second time nothing changes.
#[test]
fn a_shaken_chain_falls_into_place() {
    for seed in 0..5 {
        let mut world = shaken_chain(seed, 0.01);
        let assembly = assemble(&world, &AssemblySettings::default()).expect("it can be assembled");
        assert!(worst(&world, &assembly.poses, &assembly.twists, Level::Position) < 1e-13);
        assert!(worst(&world, &assembly.poses, &assembly.twists, Level::Velocity) < 1e-13);
        assert!(assembly.report.redundant.is_empty() && assembly.report.steps < 8, "{:?}", assembly.report);
        world.assemble(&AssemblySettings::default()).expect("it can be assembled");
        let again = assemble(&world, &AssemblySettings::default()).expect("it stands already");
        assert_eq!(again.report.steps, 0, "{:?}", again.report);
    }
}

/// The change of velocities is the least in the metric of the masses: at right angles to every motion that joints allow, so
/// the momentum taken away does no work on what is left.
#[test]
fn velocities_change_as_little_as_they_can() {
    let mut random = Random::new(5);
    let (mut world, ids) = {
        let speeds: Vec<(DVec3, DVec3)> = (0..3).map(|_| (random.vector(), random.vector())).collect();
        let mut cast = Cast::new();
        for (i, (velocity, spin)) in speeds.iter().enumerate() {
            let properties = MassProperties::new(1.0, DVec3::ZERO, DMat3::IDENTITY).expect("a mass");
            let body = Body::dynamic(&properties).named(format!("b{i}"));
            let body = body.centred_at(dvec3(i as f64, 0.0, 0.0), DQuat::IDENTITY).moving(*velocity, *spin);
            cast.add(body).expect("a body");
        }
        let world = World::new(cast).expect("a world");
        let ids: Vec<BodyId> = world.body_ids().collect();
        (world, ids)
    };
    for i in 0..2 {
        let joint = Joint::new(format!("j{i}"), JointKind::Ball, Side::Body(ids[i]), Side::Body(ids[i + 1]));
        world.add_joint(joint.at(dvec3(i as f64 + 0.5, 0.0, 0.0), DVec3::Z)).expect("a joint");
    }
    let assembly = assemble(&world, &AssemblySettings::default()).expect("it can be assembled");
    // With unit masses and inertias: Σ Δv·v⁺ + Δω·ω⁺ = 0.
    let mut product = 0.0;
    for (id, after) in ids.iter().zip(&assembly.twists) {
        let before = world.body(*id).start_twist();
        product += (after.velocity - before.velocity).dot(after.velocity)
            + (after.spin - before.spin).dot(after.spin);
    }
    assert!(product.abs() < 1e-14, "{product}");
}

/// Frames too far apart: refused with the joint and the distance.
#[test]
fn frames_that_do_not_meet_are_refused() {
    let world = shaken_chain(1, 0.5);
    let error = assemble(&world, &AssemblySettings::default()).expect_err("too far");
    let AssemblyError::Apart { distance, allowed, .. } = &error else { panic!("{error}") };
    assert!(distance > allowed);
    assert!(error.to_string().contains("m apart at the start"), "{error}");
}

/// A door with two hinges on one axis: five rows too many, which both hinges share.
#[test]
fn a_door_on_two_hinges_is_redundant_and_stands() {
    let (mut world, ids) = bodies(1, |_| (dvec3(0.5, 0.0, 0.0), DQuat::IDENTITY));
    for (name, height) in [("low", -0.4), ("high", 0.4)] {
        let joint = Joint::new(name, JointKind::Hinge, Side::Body(ids[0]), Side::World);
        world.add_joint(joint.at(dvec3(0.0, 0.0, height), DVec3::Z)).expect("a joint");
    }
    let assembly = assemble(&world, &AssemblySettings::default()).expect("the hinges agree");
    assert_eq!(assembly.report.redundant.len(), 5, "{:?}", assembly.report);
    let both = |names: &Vec<String>| names.contains(&"low".to_owned()) && names.contains(&"high".to_owned());
    assert!(assembly.report.redundant.iter().any(both), "{:?}", assembly.report);
}

/// A bar of length one between pins at a distance of 1.01, and a third pin that agrees with the first.
fn torn() -> World {
    let (mut world, ids) = bodies(1, |_| (dvec3(0.5, 0.0, 0.0), DQuat::IDENTITY));
    for (name, on, at) in [("left", -0.5, 0.0), ("right", 0.5, 1.01), ("middle", 0.0, 0.5)] {
        let ends = Placement::Each(Frame::at(dvec3(on, 0.0, 0.0)), Frame::at(dvec3(at, 0.0, 0.0)));
        let joint = Joint::new(name, JointKind::Ball, Side::Body(ids[0]), Side::World).placed(ends);
        world.add_joint(joint).expect("a joint");
    }
    world
}

/// Joints that contradict each other are named; least squares shares out what is left, least absolute leaves it to one.
#[test]
fn contradictory_joints_are_named_or_settled_as_asked() {
    let world = torn();
    let error = assemble(&world, &AssemblySettings::default()).expect_err("they cannot all hold");
    let AssemblyError::Conflict { joints } = &error else { panic!("{error}") };
    assert_eq!(joints[0].joint, "right", "{error}");
    let ask = |conflict| {
        let settings = AssemblySettings { conflict, ..AssemblySettings::default() };
        assemble(&world, &settings).expect("it was asked for")
    };
    // Offsets 0, 0.01, 0 from one position: squares are least at their mean, absolute values at their median.
    let squares = ask(Conflict::LeastSquares);
    assert!((squares.poses[0].position.x - 0.5 - 0.01 / 3.0).abs() < 1e-9, "{:?}", squares.poses);
    let absolute = ask(Conflict::LeastAbsolute);
    assert!((absolute.poses[0].position.x - 0.5).abs() < 1e-8, "{:?}", absolute.poses);
    assert_eq!(absolute.report.left.len(), 1, "{:?}", absolute.report);
}

/// Two drives that ask for different velocities of one axis.
#[test]
fn contradictory_drives_are_named() {
    let (mut world, ids) = bodies(1, |_| (DVec3::ZERO, DQuat::IDENTITY));
    for (name, rate) in [("slow", 1.0), ("fast", 2.0)] {
        let course = Course::Ramp { start: 0.0, rate };
        let joint = Joint::new(name, JointKind::Hinge, Side::Body(ids[0]), Side::World);
        let joint = joint.at(DVec3::ZERO, DVec3::Z).with(Axis::TurnZ, Control::Motion(course));
        world.add_joint(joint).expect("a joint");
    }
    let error = assemble(&world, &AssemblySettings::default()).expect_err("they contradict");
    let AssemblyError::Velocities { joints } = &error else { panic!("{error}") };
    assert_eq!(joints.len(), 2, "{error}");
}

/// A rope that is too long at the start is pulled in; one that is slack is left alone.
#[test]
fn limits_that_are_overstepped_are_kept() {
    for (length, moves) in [(0.98, true), (1.2, false)] {
        let (mut world, ids) = bodies(1, |_| (dvec3(1.0, 0.0, 0.0), DQuat::IDENTITY));
        let kind = JointKind::Rope { length: Some(length), restitution: 0.0 };
        let ends = Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO));
        let joint = Joint::new("rope", kind, Side::Body(ids[0]), Side::World).placed(ends);
        world.add_joint(joint).expect("a joint");
        let assembly = assemble(&world, &AssemblySettings::default()).expect("a rope");
        let distance = assembly.poses[0].position.length();
        let wanted = if moves { length } else { 1.0 };
        assert!((distance - wanted).abs() < 1e-12, "{distance} of {length}");
    }
}

/// A rope or a limit that is overstepped by more than is mended: refused with the joint and by how much, angles at the longest
/// arm.
#[test]
fn limits_that_are_far_overstepped_are_refused() {
    let (mut world, ids) = bodies(1, |_| (dvec3(1.0, 0.0, 0.0), DQuat::IDENTITY));
    let kind = JointKind::Rope { length: Some(0.73), restitution: 0.0 };
    let ends = Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO));
    let rope = Joint::new("rope", kind, Side::Body(ids[0]), Side::World).placed(ends);
    world.add_joint(rope).expect("a joint");
    let error = assemble(&world, &AssemblySettings::default()).expect_err("too long");
    let AssemblyError::Beyond { joint, distance, allowed, .. } = &error else { panic!("{error}") };
    // (r·r − ℓ²)/2ℓ
    let expected = (1.0 - 0.73 * 0.73) / (2.0 * 0.73);
    assert!(joint == "rope" && (distance - expected).abs() < 1e-12 && distance > allowed, "{error}");

    let (mut world, ids) = bodies(1, |_| (dvec3(1.3, 0.0, 0.0), DQuat::IDENTITY));
    let pin = Joint::new("pin", JointKind::Hinge, Side::Body(ids[0]), Side::World).at(DVec3::ZERO, DVec3::Z);
    world.add_joint(pin.limited(Axis::TurnZ, 0.37, 0.9)).expect("a joint");
    let error = assemble(&world, &AssemblySettings::default()).expect_err("far from its limits");
    let AssemblyError::Beyond { distance, .. } = &error else { panic!("{error}") };
    assert!((distance - 0.37 * 1.3).abs() < 1e-12, "{error}");
}
