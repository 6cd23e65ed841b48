//! Scenes as MJCF and URDF: read back they move as they did.

use std::path::Path;
use std::sync::Arc;

use dolmen::drive::exact::Simulation;
use dolmen::math::DVec3;
use dolmen::scene::Document;
use dolmen::world::World;
use dolmen_import::{Options, import_text, to_mjcf, to_urdf};

const LEG: &str = include_str!("models/leg.xml");
const GRIPPER: &str = include_str!("models/gripper.urdf");

fn world(toml: &str) -> World {
    let document = Document::parse("scene.toml", toml).unwrap_or_else(|error| panic!("{error}"));
    document.build(Path::new(".")).unwrap_or_else(|error| panic!("{error}"))
}

fn without_contacts() -> Options {
    Options { contacts: false, ..Options::default() }
}

/// Where the centres of the bodies of these names are after a while.
fn centres(world: World, names: &[String], t: f64) -> Vec<DVec3> {
    let mut simulation = Simulation::new(Arc::new(world)).unwrap_or_else(|stop| panic!("{stop}"));
    simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
    let place = |name: &String| {
        let id = simulation.world().find_body(name).unwrap_or_else(|| panic!("no body {name}"));
        simulation.state(id).expect("a body that moves").position
    };
    names.iter().map(place).collect()
}

fn moving(world: &World) -> Vec<String> {
    world.body_ids().filter(|id| world.body(*id).is_dynamic()).map(|id| world.body_name(id)).collect()
}

/// Out and in again, the leg falls as before: joints, springs, servos, masses.
#[test]
fn a_leg_goes_to_mjcf_and_back() {
    let first = import_text("leg.xml", LEG, &without_contacts()).expect("a model");
    let text = to_mjcf(&world(&first.toml), "leg").text;
    // Targets of servos are in a key frame.
    let options = Options { keyframe: Some("start".into()), ..without_contacts() };
    let second = import_text("again.xml", &text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let names = moving(&world(&first.toml));
    assert_eq!(names, moving(&world(&second.toml)));
    for t in [0.0, 0.3] {
        let (before, after) =
            (centres(world(&first.toml), &names, t), centres(world(&second.toml), &names, t));
        for ((a, b), name) in before.iter().zip(&after).zip(&names) {
            assert!(a.distance(*b) < 1e-9, "{name} at {t} s: {a} and {b}");
        }
    }
}

/// A universal joint in a URDF is two joints with a link without mass between; in again it is one.
#[test]
fn a_gripper_goes_to_urdf_and_back() {
    let first = import_text("gripper.urdf", GRIPPER, &without_contacts()).expect("a model");
    let exported = to_urdf(&world(&first.toml), "gripper");
    let second = import_text("again.urdf", &exported.text, &without_contacts());
    let second = second.unwrap_or_else(|error| panic!("{error}\n{}", exported.text));
    let hand = |made: &dolmen_import::Imported| {
        let link = made.links.iter().find(|link| link.link == "hand").and_then(|link| link.body.clone());
        centres(world(&made.toml), &[link.expect("a body")], 0.0)[0]
    };
    assert!(hand(&first).distance(hand(&second)) < 1e-12);
    let universal = second.scene.joint.iter().find(|joint| joint.name.starts_with("pan"));
    assert_eq!(
        universal.map(|joint| joint.kind),
        Some(dolmen::scene::typed::JointKind::Universal),
        "{}",
        second.toml
    );
    assert!(exported.notes.iter().any(|note| note.to_string().contains("gear")), "what is lost is said");
}

/// What the formats cannot say is listed.
#[test]
fn what_is_lost_is_listed() {
    let scene = "format = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\nvelocity = [1, 0, 0]\n[[body]]\nname = \"b\"\nmass = 1\n\
                 inertia = [1, 1, 1]\nposition = [1, 0, 0]\n[[joint]]\nname = \"rope\"\nkind = \"rope\"\na = \"a\"\nb = \"b\"\nframe_a = {}\nframe_b = {}\n\
                 [[force]]\nkind = \"drag\"\nlinear = 1\n";
    let exported = to_mjcf(&world(scene), "lost");
    let all: Vec<String> = exported.notes.iter().map(ToString::to_string).collect();
    for words in ["rope", "velocities", "forces"] {
        assert!(all.iter().any(|note| note.contains(words)), "{words} is not in {all:?}");
    }
}
