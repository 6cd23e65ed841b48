//! Contacts and collisions of articulations.

use super::common::{balance, off, point, spin};
use super::described::{Maker, body};
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Frame, JointKind, Placement};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Plane, Shape, Sides};
use dolmen::world::{Body, ContactSettings, Material, World};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn with_restitution(mut world: World, restitution: f64) -> Simulation {
    let material = Material { restitution, ..Material::SMOOTH };
    let contact = ContactSettings { default_material: material, ..ContactSettings::default() };
    world.set_contact(contact).expect("a material");
    Simulation::new(world).expect("a start")
}

fn ball(mass: f64, radius: f64, name: &str) -> Body {
    body(mass, DVec3::splat(0.4 * mass * radius * radius), name)
        .with_shape(Shape::sphere(radius).expect("a ball"))
}

/// A ball hits the end of a bar on a pin, I = 1/3 about it: p (1/m + 1/I) = (1 + ε) v; angular momentum about the pin stays.
#[test]
fn a_ball_that_hits_a_bar_on_a_pin_feels_the_pin() {
    for restitution in [0.0, 1.0] {
        let mut maker = Maker::new();
        let bar = body(1.0, dvec3(1e-3, 1.0 / 12.0, 1.0 / 12.0), "bar");
        let shape = Shape::cuboid(dvec3(0.55, 0.05, 0.05)).expect("a box");
        maker.add(bar.centred_at(dvec3(0.5, 0.0, 0.0), DQuat::IDENTITY).with_shape(shape));
        let start = dvec3(1.0, -0.5, 0.0);
        maker.add(ball(1.0, 0.05, "ball").centred_at(start, DQuat::IDENTITY).moving(DVec3::Y, DVec3::ZERO));
        maker.join("pin", JointKind::Hinge, [Some("bar"), None], DVec3::ZERO, DVec3::Z);
        let mut simulation = with_restitution(maker.world(DVec3::ZERO), restitution);
        let start = balance(&mut simulation);
        simulation.advance(0.4 + 1e-9).expect("to go on");
        let turning = 3.0 * (1.0 + restitution) / 4.0;
        let found = spin(&simulation, "bar").z;
        assert!((found - turning).abs() < 1e-7, "ε = {restitution}: {found} for {turning}");
        simulation.advance(0.6).expect("to go on");
        let id = simulation.world().find_body("ball").expect("the ball");
        let (r, v) = (simulation.pose(id).position, simulation.twist(id).velocity);
        let momentum =
            spin(&simulation, "bar").z / 3.0 + r.cross(v).z + 0.4 * 0.0025 * spin(&simulation, "ball").z;
        assert!((momentum - 1.0).abs() < 1e-9, "{momentum}");
        let (error, off) = (balance(&mut simulation) - start, off(&simulation));
        assert!(error.abs() < 1e-9 && off[0] < 1e-10 && off[1] < 1e-9, "{error} {off:?}");
    }
}

/// An arm on a pin leans on a ball on the floor: the floor carries the ball and half of the arm, the pin the other half.
#[test]
fn a_floor_carries_half_an_arm() {
    let mut maker = Maker::new();
    let floor = Plane::new(DVec3::Z, 0.0).expect("a normal").with_sides(Sides::Front);
    maker.add(Body::fixed(Pose::IDENTITY).with_shape(floor.into()).named("floor"));
    let arm = body(2.0, dvec3(1e-3, 0.2, 0.2), "arm");
    maker.add(arm.centred_at(dvec3(0.5, 0.0, 0.25), DQuat::IDENTITY));
    maker.add(ball(3.0, 0.25, "ball").centred_at(dvec3(1.0, 0.0, 0.25), DQuat::IDENTITY));
    maker.join("pin", JointKind::Hinge, [Some("arm"), None], dvec3(0.0, 0.0, 0.25), DVec3::Y);
    maker.join("end", JointKind::Ball, [Some("ball"), Some("arm")], dvec3(1.0, 0.0, 0.25), DVec3::Z);
    let mut simulation = with_restitution(maker.world(DOWN), 0.0);
    simulation.advance(1.0).expect("to go on");
    let carried: f64 = simulation.contact_forces().iter().map(|f| f.normal_force).sum();
    assert!((carried - 4.0 * 9.81).abs() < 1e-9, "{carried}");
    let forces = simulation.joint_forces();
    let (end, pin) = (forces[0].force, forces[1].force);
    assert!((pin - dvec3(0.0, 0.0, 9.81)).length() < 1e-9, "{pin}");
    assert!((end - dvec3(0.0, 0.0, -9.81)).length() < 1e-9, "{end}");
    assert!((point(&simulation, "ball", DVec3::ZERO).z - 0.25).abs() < 1e-10);
}

/// Equal balls on rods exchange their motion: after the blow at the bottom the first hangs still.
#[test]
fn balls_on_rods_pass_the_blow_on() {
    let mut maker = Maker::new();
    for (i, name) in ["a", "b", "c"].into_iter().enumerate() {
        let top = dvec3(0.2 * i as f64, 0.0, 1.0);
        let at = if i == 0 { top + dvec3(-0.6, 0.0, -0.8) } else { top - DVec3::Z };
        maker.add(ball(1.0, 0.1, name).centred_at(at, DQuat::IDENTITY));
        maker.join(name, JointKind::Rod { length: Some(1.0) }, [Some(name), None], top, DVec3::Z);
        maker.placed(Placement::Each(Frame::at(DVec3::ZERO), Frame::at(top)));
    }
    let mut simulation = with_restitution(maker.world(DOWN), 1.0);
    let start = balance(&mut simulation);
    // A quarter of the period from 36.9°: between that of small swings, 0.5015 s, and 3 % more.
    simulation.advance(0.6).expect("to go on");
    let speeds = ["a", "b", "c"].map(|name| {
        let id = simulation.world().find_body(name).expect("a ball");
        simulation.twist(id).velocity.length()
    });
    assert!(speeds[0] < 1e-6 && speeds[1] < 1e-6 && speeds[2] > 1.0, "{speeds:?}");
    // ½v² + g h = g 0.2 for the ball that left.
    let height = point(&simulation, "c", DVec3::ZERO).z;
    let error = 0.5 * speeds[2] * speeds[2] + 9.81 * (height - 0.2);
    assert!(error.abs() < 1e-6, "{error}");
    let error = balance(&mut simulation) - start;
    assert!(error.abs() < 1e-8, "{error}");
}

/// A ball is thrown onto a chain on a pin, without loss: energy stays through every blow.
#[test]
fn a_ball_that_bounces_on_a_chain_keeps_the_energy() {
    let mut maker = Maker::new();
    for i in 0..4 {
        let (own, before) = (format!("l{i}"), format!("l{}", i - 1));
        let link = body(0.5, dvec3(1e-3, 0.01, 0.01), &own);
        let shape = Shape::cuboid(dvec3(0.22, 0.05, 0.05)).expect("a box");
        let at = dvec3(-0.75 + 0.5 * f64::from(i), 0.0, 0.0);
        maker.add(link.centred_at(at, DQuat::IDENTITY).with_shape(shape));
        let sides = [Some(&own[..]), (i > 0).then_some(&before[..])];
        maker.join(
            &format!("j{i}"),
            JointKind::Hinge,
            sides,
            dvec3(-1.0 + 0.5 * f64::from(i), 0.0, 0.0),
            DVec3::Y,
        );
    }
    let ball = ball(1.0, 0.1, "ball").moving(dvec3(0.0, 0.0, -3.0), DVec3::ZERO);
    maker.add(ball.centred_at(dvec3(0.1, 0.0, 0.4), DQuat::IDENTITY));
    let mut simulation = with_restitution(maker.world(DOWN), 1.0);
    let start = balance(&mut simulation);
    simulation.advance(0.5).expect("to go on");
    let (ledger, off) = (simulation.ledger(), off(&simulation));
    println!("{} collisions, off {off:?}, {ledger:?}", simulation.collisions().1);
    assert!(simulation.collisions().1 > 0, "the ball hits the chain");
    assert!((ledger.total() - start).abs() < 1e-8 && ledger.work.abs() < 1e-8, "{ledger:?} from {start}");
    assert!(off[0] < 1e-10, "{off:?}");
}

/// A block whose four lower corners are contacts made bilateral hangs from a ceiling as it would rest on a floor: it slides
/// along, and the corners together pull with its weight.
#[test]
fn contacts_made_bilateral_pull_as_well() {
    use dolmen::articulation::AssemblySettings;
    use dolmen::joint::{Joint, Side};
    use dolmen::world::WorldBuilder;
    let mut builder = WorldBuilder::new();
    let block = body(2.0, DVec3::splat(0.1), "block").moving(DVec3::X, DVec3::ZERO);
    builder.body(block.centred_at(dvec3(0.0, 0.0, -0.5), DQuat::IDENTITY)).expect("a body");
    builder.gravity(DOWN);
    let mut world = builder.build().expect("a world");
    let sides = [Side::Body(world.find_body("block").expect("the block")), Side::World];
    for (i, (x, y)) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)].into_iter().enumerate() {
        let joint = Joint::new(format!("corner {i}"), JointKind::PointOnPlane, sides[0], sides[1])
            .at(dvec3(x, y, 0.0), -DVec3::Z);
        world.add_joint(joint).expect("a joint");
    }
    let report = world.assemble(&AssemblySettings::default()).expect("joints that fit");
    assert_eq!(report.redundant.len(), 1, "three points are a plane: {:?}", report.redundant);
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(2.0).expect("to go on");
    let at = point(&simulation, "block", DVec3::ZERO);
    assert!((at - dvec3(2.0, 0.0, -0.5)).length() < 1e-9, "{at}");
    let forces = simulation.joint_forces();
    let sum: DVec3 = forces.iter().map(|f| f.force).sum();
    assert!((sum + 2.0 * DOWN).length() < 1e-9 && forces.iter().all(|f| !f.is_unique), "{sum}");
}
