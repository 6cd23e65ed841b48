//! Joints that cannot be: each refused in words that say what to change.

use dolmen::joint::{Axis, Control, Coupling, Course, Joint, JointKind, Side};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DVec3, Pose};
use dolmen::world::{Body, BodyId, World, WorldBuilder};

fn world() -> (World, BodyId, BodyId) {
    let properties = MassProperties::new(1.0, DVec3::ZERO, DMat3::IDENTITY).expect("a mass");
    let mut builder = WorldBuilder::new();
    let bar = builder.body(Body::dynamic(&properties).named("bar")).expect("a body");
    let wall = builder.body(Body::fixed(Pose::IDENTITY).named("wall")).expect("a body");
    let world = builder.build().expect("a world");
    let (bar, wall) = (world.id(bar), world.id(wall));
    (world, bar, wall)
}

fn refused(make: impl Fn(Side, Side) -> Joint, expect: &str) {
    let (mut world, bar, wall) = world();
    let error = world.add_joint(make(Side::Body(bar), Side::Body(wall))).expect_err(expect);
    assert!(error.to_string().contains(expect), "{error}");
    assert!(world.joints().is_empty());
}

fn hinge(a: Side, b: Side) -> Joint {
    Joint::new("pin", JointKind::Hinge, a, b).at(DVec3::ZERO, DVec3::Z)
}

/// Bad input: sides, axes, limits, lengths, controls that fight.
#[test]
fn joints_that_cannot_be_are_refused() {
    refused(|a, _| hinge(a, a), "joins body \"bar\" to itself");
    refused(|_, b| hinge(b, Side::World), "no force moves");
    refused(|a, _| hinge(a, Side::Body(BodyId::from_rank(9))), "not in this world");
    refused(|a, b| hinge(a, b).at(DVec3::ZERO, DVec3::ZERO), "of any length but zero");
    refused(|a, b| hinge(a, b).at(DVec3::NAN, DVec3::Z), "three finite numbers");
    refused(|a, b| hinge(a, b).limited(Axis::TurnZ, 1.0, -1.0), "exclude each other");
    refused(|a, b| hinge(a, b).limited(Axis::TurnX, -1.0, 1.0), "it leaves free: turn-z");
    refused(|a, b| hinge(a, b).limited(Axis::TurnZ, f64::NAN, 1.0), "exclude each other");
    refused(|a, b| Joint::new("", JointKind::Weld, a, b), "not empty");
    refused(
        |a, b| Joint::new("rod", JointKind::Rod { length: None }, a, b),
        "a ball joint keeps points together",
    );
    refused(|a, b| Joint::new("rod", JointKind::Rod { length: Some(-1.0) }, a, b), "greater than zero");
    refused(|a, b| Joint::new("bolt", JointKind::Screw { pitch: 0.0 }, a, b), "not zero");
    let velocity = |largest| Control::Velocity { target: Course::Constant(1.0), largest };
    refused(
        |a, b| {
            let driven = hinge(a, b).with(Axis::TurnZ, Control::Motion(Course::Constant(0.0)));
            driven.with(Axis::TurnZ, velocity(1.0))
        },
        "would need infinite force",
    );
    refused(
        |a, b| hinge(a, b).limited(Axis::TurnZ, 0.0, 1.0).with(Axis::TurnZ, velocity(f64::INFINITY)),
        "would need infinite force",
    );
    refused(
        |a, b| {
            let spring = Control::Spring { stiffness: -1.0, rest: 0.0, damping: 0.0 };
            hinge(a, b).with(Axis::TurnZ, spring)
        },
        "zero or more",
    );
}

/// Names are unique; couplings name joints that are there, and axes that move.
#[test]
fn couplings_that_cannot_be_are_refused() {
    let (mut world, bar, _) = world();
    world.add_joint(hinge(Side::Body(bar), Side::World)).expect("a joint");
    let error = world.add_joint(hinge(Side::Body(bar), Side::World)).expect_err("the name is taken");
    assert!(error.to_string().contains("two joints named"), "{error}");
    let refused = |world: &mut World, coupling: Coupling, expect: &str| {
        let error = world.add_coupling(coupling).expect_err(expect);
        assert!(error.to_string().contains(expect), "{error}");
    };
    refused(&mut world, Coupling::gear("gear", "pin", "pon", 2.0), "is not there");
    refused(&mut world, Coupling::gear("gear", "pin", "pin", 0.0), "not zero");
    refused(&mut world, Coupling::rack_and_pinion("rack", "pin", "pin", 1.0), "couple a free axis");
}

/// Bodies of a joint do not collide unless a joint says so; joints and couplings keep their places whatever the order.
#[test]
fn joined_bodies_are_listed_once() {
    let (mut world, bar, wall) = world();
    for name in ["b", "a"] {
        let joint = Joint::new(name, JointKind::Hinge, Side::Body(bar), Side::Body(wall));
        world.add_joint(joint.at(DVec3::ZERO, DVec3::Z)).expect("a joint");
    }
    assert_eq!(world.jointed_pairs(), [[bar.min(wall), bar.max(wall)]]);
    world.add_coupling(Coupling::gear("gear", "b", "a", 1.0)).expect("a coupling");
    assert_eq!(world.couplings()[0].joints, [1, 0]);
    let joint = Joint::new("aa", JointKind::Weld, Side::Body(bar), Side::Body(wall)).colliding();
    world.add_joint(joint).expect("a joint");
    assert_eq!(world.couplings()[0].joints, [2, 0]);
    assert!(world.jointed_pairs().is_empty());
}
