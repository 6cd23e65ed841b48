//! Joints in scene files: what they come to, and what is said of those that cannot be.

use std::path::Path;

use dolmen::joint::{Axis, Control, Turns};
use dolmen::math::dvec3;
use dolmen::scene::Document;

const BODIES: &str = r#"
format = 1
[[body]]
name = "door"
shape = { kind = "box", size = [1, 0.1, 2] }
density = 500
position = [0.5, 0, 1]
[[body]]
name = "car"
mass = 2
inertia = [1, 1, 1]
position = [3, 0, 0]
velocity = [1, 0, 0]
[[body]]
name = "wall"
kind = "fixed"
"#;

fn world(joints: &str) -> dolmen::world::World {
    let document = Document::parse("joints.toml", &format!("{BODIES}{joints}"));
    let document = document.unwrap_or_else(|errors| panic!("{errors}"));
    document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Everything that is wrong with the joints, of the text or of the world.
fn errors(joints: &str) -> String {
    match Document::parse("joints.toml", &format!("{BODIES}{joints}")) {
        Err(errors) => errors.to_string(),
        Ok(document) => document.build(Path::new(".")).expect_err("a mistake").to_string(),
    }
}

/// A hinge given once in the world has its frame in both bodies; points of a body are in the frame of its description.
#[test]
fn frames_are_given_once_in_the_world_or_in_a_body() {
    let world = world(
        r#"
[[joint]]
name = "pin"
kind = "hinge"
a = "door"
b = "wall"
at = [0, 0, 0.5]
[[joint.limit]]
lower_deg = -90
upper_deg = 90
[[joint]]
name = "rail"
kind = "slider"
a = "car"
frame = "a"
at = [0, 0, -1]
axis = [2, 0, 0]
[[joint.motor]]
kind = "velocity"
target = 2
largest = 10
[[joint]]
name = "rack"
kind = "rack-and-pinion"
joints = ["pin", "rail"]
radius = 0.3
"#,
    );
    let pin = world.find_joint("pin").expect("a joint");
    assert!((pin.frames()[0].position - dvec3(-0.5, 0.0, -0.5)).length() < 1e-15, "{:?}", pin.frames());
    let Control::Limit { lower, .. } = pin.joint().controls()[0].1 else { panic!("a limit") };
    assert!((lower + std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    let (geometry, turns) = world.joint_at_start(1);
    let rail = &world.joints()[1];
    assert_eq!(rail.name(), "rail");
    assert_eq!(rail.joint().controls()[0].0, Axis::Z);
    assert!(rail.coordinate(&geometry, Axis::Z, &turns).value.abs() < 1e-15 && turns == Turns::default());
    assert!((geometry.axis_b(2) - dvec3(1.0, 0.0, 0.0)).length() < 1e-15);
    assert_eq!(world.couplings()[0].joints, [0, 1]);
    assert_eq!(world.joined_pairs().len(), 1);
    // The car moves, and the pinion with it: q₂ = radius·q₁.
    let (door, car) = (world.find_body("door").expect("a body"), world.find_body("car").expect("a body"));
    let (spin, speed) = (world.body(door).start_twist().spin.z, world.body(car).start_twist().velocity.x);
    assert!((0.3 * spin - speed).abs() < 1e-12 && speed > 1e-3, "{spin} {speed}");
}

/// A body that is a little off is put onto its joint; one that is far off is refused with the distance.
#[test]
fn roughly_right_is_enough() {
    let text = |x: f64| {
        format!(
            "[[joint]]\nname = \"pin\"\nkind = \"ball\"\na = \"door\"\n\
             frame_a = {{ at = [-0.5, 0, 0] }}\nframe_b = {{ at = [{x}, 0, 1] }}\n"
        )
    };
    let world = world(&text(0.01));
    let door = world.find_body("door").expect("a body");
    assert!((world.body(door).start_pose().position.x - 0.51).abs() < 1e-12);
    let message = errors(&text(0.3));
    assert!(message.contains("the frames of joint \"pin\" are 0.3 m apart"), "{message}");
}

/// Bad input, each with its place and a remedy.
#[test]
fn mistakes_are_shown_where_they_stand() {
    let cases = [
        ("kind = \"hinge\"\na = \"door\"\nb = \"door\"", "both sides of the joint are the same body"),
        ("kind = \"hinge\"\na = \"dor\"", "there is no body \"dor\""),
        ("kind = \"hinge\"", "`a` is missing"),
        ("kind = \"hinge\"\na = \"wall\"", "no force moves"),
        ("kind = \"hinge\"\na = \"door\"\naxis = [0, 0, 0]", "`axis` has no direction"),
        ("kind = \"hinge\"\na = \"door\"\npitch = 1", "`pitch` goes with a screw"),
        ("kind = \"screw\"\na = \"door\"", "`pitch` is missing"),
        ("kind = \"screw\"\na = \"door\"\npitch = 0", "`pitch` cannot be 0"),
        ("kind = \"rod\"\na = \"door\"\nlength = -1", "`length` has to be greater than 0"),
        (
            "kind = \"hinge\"\na = \"door\"\nlimit = [{ lower = 1, upper = 0 }]",
            "the limits exclude each other",
        ),
        ("kind = \"ball\"\na = \"door\"\nlimit = [{ lower = 0 }]", "more than one free axis"),
        ("kind = \"hinge\"\na = \"door\"\nlimit = [{ axis = \"x\", lower = 0 }]", "it leaves free: turn-z"),
        (
            "kind = \"hinge\"\na = \"door\"\nmotor = [{ kind = \"motion\" }]",
            "`target` or `course` is missing",
        ),
        (
            "kind = \"hinge\"\na = \"door\"\nlimit = [{ upper = 1 }]\nmotor = [{ kind = \"motion\", target = 2 }]",
            "would need infinite force",
        ),
        ("kind = \"gear\"\njoints = [\"p\", \"q\"]\nratio = 2", "there is no joint \"p\""),
        ("kind = \"gear\"\njoints = [\"p\", \"q\"]", "`ratio` is missing"),
        ("kind = \"henge\"\na = \"door\"", "did you mean"),
        ("kind = \"weld\"\na = \"door\"\nat = [0, 0, 0]\nframe_a = { at = [0, 0, 0] }", "placed twice"),
    ];
    for (text, expect) in cases {
        let message = errors(&format!("[[joint]]\nname = \"j\"\n{text}\n"));
        assert!(message.contains(expect), "{text}\n{message}");
    }
    let message = errors("[[joint]]\nkind = \"weld\"\na = \"door\"\n");
    assert!(message.contains("`name` is missing") || message.contains("name"), "{message}");
    let massless =
        "[[body]]\nname = \"link\"\nmass = 0\n[[joint]]\nname = \"j\"\nkind = \"weld\"\na = \"link\"\n";
    assert!(errors(massless).contains("`mass` has to be greater than 0"), "{}", errors(massless));
}
