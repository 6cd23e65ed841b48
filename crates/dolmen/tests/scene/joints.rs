//! Joints in scene files: what they come to, and what is said of those that cannot be.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Control, Turns};
use dolmen::math::dvec3;
use dolmen::record::{JointEvent, JointEventKind};
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
    assert_eq!(world.jointed_pairs().len(), 1);
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

/// A bar of one metre between pins 1.01 m apart, as a scene: refused with the names, or settled as the scene says and simulated so:
/// squares are least at the mean of the offsets, absolute values at their median, and there the bar stays.
#[test]
fn joints_that_contradict_each_other_are_refused_or_settled() {
    let pin = |name: &str, on: f64, at: f64| {
        format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"ball\"\na = \"bar\"\n\
             frame_a = {{ at = [{on}, 0, 0] }}\nframe_b = {{ at = [{at}, 0, 5] }}\n"
        )
    };
    let bar = "[[body]]\nname = \"bar\"\nmass = 1\ninertia = [0.01, 0.1, 0.1]\n\
               position = [0.5, 0, 5]\n";
    let pins = [pin("left", -0.5, 0.0), pin("right", 0.5, 1.01), pin("middle", 0.0, 0.5)].concat();
    let text = |conflict: &str| {
        let body = BODIES.replace("format = 1", "format = 1\ngravity = [0, 0, -9.81]");
        format!("{body}{bar}{pins}[assembly]\nconflict = \"{conflict}\"\n")
    };
    let build = |conflict: &str| {
        let document = Document::parse("torn.toml", &text(conflict)).unwrap_or_else(|e| panic!("{e}"));
        document.build(Path::new("."))
    };
    let message = build("refuse").expect_err("they cannot all be satisfied").to_string();
    assert!(message.contains("\"right\""), "{message}");
    for (conflict, expected) in [("least-squares", 0.5 + 0.01 / 3.0), ("least-absolute", 0.5)] {
        let world = build(conflict).unwrap_or_else(|errors| panic!("{errors}"));
        let mut simulation = Simulation::new(world).expect("it was asked for");
        simulation.advance(1.0).expect("to go on");
        let bar = simulation.world().find_body("bar").expect("the bar");
        let at = simulation.pose(bar).position;
        assert!((at - dvec3(expected, 0.0, 5.0)).length() < 1e-7, "{conflict}: {at}");
        let carried: f64 = simulation.joint_forces().iter().map(|force| force.force.z).sum();
        assert!((carried - 9.81).abs() < 1e-9, "{conflict}: {carried}");
    }
}

/// A cone, a motor by position that is too weak and a guide with friction, all from a scene: their events are in the log.
#[test]
fn cones_weak_motors_and_friction_of_a_scene_act() {
    let text = r#"
format = 1
gravity = [0, 0, -9.81]
[[body]]
name = "stick"
mass = 1
inertia = [0.33, 0.33, 0.001]
position = [0, 0, 1]
velocity = [0.5, 0, 0]
spin = [0, 0.5, 0]
[[body]]
name = "arm"
mass = 1
inertia = [0.001, 0.33, 0.33]
position = [4, 0, 0]
[[body]]
name = "car"
mass = 2
inertia = [1, 1, 1]
position = [8, 0, 0]
velocity = [1, 0, 0]
[[joint]]
name = "foot"
kind = "ball"
a = "stick"
cone_deg = 30
[[joint]]
name = "pin"
kind = "hinge"
a = "arm"
at = [3, 0, 0]
axis = [0, 1, 0]
[[joint.motor]]
kind = "position"
target = 0
stiffness = 100
damping = 10
largest = 4
[[joint]]
name = "guide"
kind = "slider"
a = "car"
axis = [1, 0, 0]
at = [8, 0, 0]
[[joint.friction]]
coefficient = 0.5
arm = 1
"#;
    let document = Document::parse("acts.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(1.5).expect("to go on");
    let has = |joint: &str, kind: JointEventKind| {
        let name = |event: &JointEvent| simulation.world().joints()[event.joint].name() == joint;
        simulation.joint_events().iter().any(|event| name(event) && event.kind == kind)
    };
    assert!(has("foot", JointEventKind::Struck), "the cone is struck");
    assert!(has("pin", JointEventKind::Saturated), "the motor is too weak");
    assert!(has("guide", JointEventKind::Active), "friction stops the car");
    // v²/2μg from where it was.
    let car = simulation.world().find_body("car").expect("the car");
    let way = simulation.pose(car).position.x - 8.0;
    assert!((way - 1.0 / 9.81).abs() < 1e-9, "{way}");
}
