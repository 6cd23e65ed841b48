//! What can be shown: separating planes, joints, particles, and contacts under the hand.

mod common;

use std::f64::consts::FRAC_PI_4;

use common::{Client, ball_over_floor, number, runtime};
use dolmen::joint::{Axis, Joint, JointKind, Side};
use dolmen::prelude::*;
use dolmen::record::EventKind;
use dolmen::shape::Plane;
use dolmen_view::describe::describe;
use dolmen_view::export::{glb, record};
use dolmen_view::recording::{Frame, Recording};
use dolmen_view::witnesses::Witnesses;
use dolmen_view::{DriverChoice, Take, Viewer, Went};

fn cube(name: &str, at: DVec3, turned: DQuat) -> Body {
    let body = Body::solid(Shape::cuboid(DVec3::splat(0.5)).expect("a box"), 1.0).expect("a mass");
    body.named(name).centred_at(at, turned)
}

fn world_of(bodies: Vec<Body>) -> World {
    let mut builder = WorldBuilder::new();
    for body in bodies {
        builder.body(body).expect("a body");
    }
    builder.build().expect("names of their own")
}

/// Between a ball and a floor the plane is half-way: the separation is the height of the centre less the radius.
#[test]
fn the_plane_between_a_ball_and_a_floor_is_half_way() {
    let mut builder = WorldBuilder::new();
    let ball = Body::solid(Shape::sphere(0.1).expect("a radius"), 1.0).expect("a mass");
    builder.body(ball.named("ball").centred_at(dvec3(0.3, 0.0, 0.15), DQuat::IDENTITY)).expect("a body");
    let floor = Plane::new(DVec3::Z, 0.0).expect("a plane");
    builder.body(Body::fixed(Pose::IDENTITY).named("floor").with_shape(floor.into())).expect("a body");
    let world = builder.build().expect("two names");
    let found = Witnesses::new(&world).of(&Frame::at_start(&world), None);
    assert_eq!(found.len(), 1, "{found:?}");
    let plane = found[0];
    // Single precision of a tenth of a metre.
    assert!((plane.separation - 0.05).abs() < 1e-8 && (plane.point[2] - 0.025).abs() < 1e-8, "{plane:?}");
    assert!((plane.normal[2].abs() - 1.0).abs() < 1e-7, "{plane:?}");
    // At 1.25 m, many times its radius, it is not near; and another body has no part in it.
    let far = ball_over_floor();
    assert_eq!(Witnesses::new(&far).of(&Frame::at_start(&far), None), []);
    assert_eq!(Witnesses::new(&world).of(&Frame::at_start(&world), Some(7)), []);
}

/// Two cubes whose nearest edges cross are separated by the plane along both; side by side by that of a face.
#[test]
fn planes_of_edges_and_of_faces_are_told_apart() {
    let reach = 0.5_f64.sqrt();
    let tilted = DQuat::from_rotation_x(FRAC_PI_4);
    let crossed = DQuat::from_rotation_y(FRAC_PI_4);
    let edges = world_of(vec![
        cube("lower", DVec3::ZERO, tilted),
        cube("upper", dvec3(0.0, 0.0, 2.0 * reach + 0.1), crossed),
    ]);
    let found = Witnesses::new(&edges).of(&Frame::at_start(&edges), None);
    assert!(found.len() == 1 && found[0].is_of_edges, "{found:?}");
    assert!((f64::from(found[0].separation) - 0.1).abs() < 1e-6, "{found:?}");
    let faces = world_of(vec![
        cube("lower", DVec3::ZERO, DQuat::IDENTITY),
        cube("upper", dvec3(0.2, 0.1, 1.3), DQuat::IDENTITY),
    ]);
    let found = Witnesses::new(&faces).of(&Frame::at_start(&faces), None);
    assert!(found.len() == 1 && !found[0].is_of_edges, "{found:?}");
    assert!((f64::from(found[0].separation) - 0.3).abs() < 1e-6, "{found:?}");
}

/// The socket sends planes only while a page shows them.
#[test]
fn planes_are_sent_on_demand() {
    let near = world_of(vec![
        cube("a", DVec3::ZERO, DQuat::IDENTITY),
        cube("b", dvec3(1.2, 0.0, 0.0), DQuat::IDENTITY),
    ]);
    let showing = Viewer::new().world("near", near).start().expect("it starts");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        for (wanted, count) in [("true", 1.0), ("false", 0.0)] {
            client.send(&format!("{{\"do\":\"see\",\"witnesses\":{wanted}}}")).await;
            client.frame(|frame| number(frame, 42) == count).await;
        }
    });
}

/// A joint is described with its frames, its bodies (none is the world) and its bounds.
#[test]
fn joints_are_described() {
    let mut world = world_of(vec![cube("door", DVec3::X, DQuat::IDENTITY)]);
    let door = world.find_body("door").expect("it was named so");
    let hinge = Joint::new("pin", JointKind::Hinge, Side::Body(door), Side::World).at(DVec3::ZERO, DVec3::Z);
    world.add_joint(hinge.limited(Axis::TurnZ, -0.5, f64::INFINITY)).expect("it fits");
    let joint = describe(&world)["joints"][0].clone();
    assert_eq!((joint["name"].as_str(), joint["kind"].as_str()), (Some("pin"), Some("hinge")));
    assert_eq!((joint["bodies"][0].as_u64(), joint["bodies"][1].is_null()), (Some(0), true), "{joint}");
    // The pin is a metre to the left of the centre of mass.
    assert_eq!(joint["frames"][0][0], serde_json::json!([-1.0, 0.0, 0.0]));
    assert_eq!(joint["limits"], serde_json::json!([["turn-z", -0.5, null]]));
    assert_eq!(joint["locked"], serde_json::json!([true, true, true, true, true, false]));
}

/// A cube that rests and is pulled too weakly to move keeps resting: the hand that moves is no event.
#[test]
fn a_hand_on_a_resting_body_is_no_event() {
    let mut builder = WorldBuilder::new();
    builder.body(cube("cube", dvec3(0.0, 0.0, 0.5), DQuat::IDENTITY)).expect("a body");
    let floor = Plane::new(DVec3::Z, 0.0).expect("a plane");
    builder.body(Body::fixed(Pose::IDENTITY).named("floor").with_shape(floor.into())).expect("a body");
    builder.gravity(dvec3(0.0, 0.0, -10.0));
    let world = builder.build().expect("two names");
    let cube = world.find_body("cube").expect("it was named so");
    let mut take =
        Take::new(world, &DriverChoice::Exact, Recording::new(1.0 / 60.0, 1 << 24), None).expect("it starts");
    assert_eq!(take.go(0.5, &mut || true), Went::There);
    // Without friction a body that lies still slides at no speed.
    let is_rest = |kind: &str| [EventKind::Rest, EventKind::Slide].iter().any(|rest| rest.name() == kind);
    let rests = |take: &Take| take.happened().iter().filter(|event| is_rest(event.kind)).count();
    let before = rests(&take);
    assert!(before > 0, "it never came to rest: {:?}", take.happened());
    // The spring pulls at most by m ω² 0.02 m ≈ 1.1 N straight down: less than nothing against the floor.
    let held = dvec3(0.0, 0.0, 0.5);
    take.grab(cube, held, dvec3(0.0, 0.0, 0.99));
    for i in 1..=30 {
        assert_eq!(take.go(0.5 + 0.02 * f64::from(i), &mut || true), Went::There, "{:?}", take.stop());
        take.move_hand(dvec3(0.0, 0.0, 0.99 - 3e-4 * f64::from(i)));
    }
    take.let_go();
    assert_eq!(take.go(1.3, &mut || true), Went::There);
    assert_eq!(rests(&take), before, "{:?}", take.happened());
    // But that it is lifted, and lands, is.
    take.grab(cube, held, dvec3(0.0, 0.0, 3.0));
    assert_eq!(take.go(2.0, &mut || true), Went::There, "{:?}", take.stop());
    take.let_go();
    assert_eq!(take.go(4.0, &mut || true), Went::There, "{:?}", take.stop());
    assert!(take.happened().len() > before, "{:?}", take.happened());
}

/// A scene that cannot start is shown as it is, with the reason.
#[test]
fn a_scene_that_cannot_start_is_shown_as_it_is() {
    // Cubes in each other.
    let stuck = world_of(vec![
        cube("a", DVec3::ZERO, DQuat::IDENTITY),
        cube("b", dvec3(0.25, 0.0, 0.0), DQuat::IDENTITY),
    ]);
    let showing = Viewer::new().world("stuck", stuck).start().expect("it starts");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        assert!(client.world["error"].is_string(), "{}", client.world["error"]);
        // The only frame may have come before the description.
        client.send("{\"do\":\"pause\"}").await;
        let frame = client.frame(|frame| number(frame, 7) == 2.0).await;
        assert_eq!(number(&frame, 2), 0.0);
    });
}

/// Particles are nodes of a glTF file, each with its motion; a body without a shape is seen as well.
#[test]
fn particles_are_in_gltf() {
    let mut builder = WorldBuilder::new();
    let (here, there) = (vec![DVec3::ZERO, DVec3::X], vec![DVec3::Y, DVec3::Z]);
    builder.particles(ParticleSet::new("dust", vec![1.0, 2.0], here, there).expect("a set"));
    let take = record(builder.build().expect("a name"), 1.0).expect("it starts");
    let bytes = glb::glb(&take, "dust").expect("it fits");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let document: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    assert_eq!(document["animations"][0]["channels"].as_array().map(Vec::len), Some(2), "{document}");
    assert_eq!(document["meshes"].as_array().map(Vec::len), Some(1));
    // They fly straight: a key at either end is enough.
    for sampler in document["animations"][0]["samplers"].as_array().expect("samplers") {
        let input = sampler["input"].as_u64().expect("an accessor") as usize;
        assert_eq!(document["accessors"][input]["count"], 2);
    }
}
