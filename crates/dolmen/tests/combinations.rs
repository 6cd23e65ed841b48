//! Mechanisms that meet: motors with contacts, joints with contacts, friction in joints under load, spinning discs on planes.
//!
//! Each test runs random members of a class, and no law may be broken by any of them.

use std::fmt::Write as _;
use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::prelude::DVec3;
use dolmen::record::JointEventKind;
use dolmen::scene::Document;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Uniform in `low … high`.
fn between(rng: &mut Pcg64Mcg, low: f64, high: f64) -> f64 {
    low + (high - low) * (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The simulation of a scene after so long, with its laws looked at fifty times on the way.
fn run(text: &str, duration: f64) -> Result<Simulation, String> {
    let document = Document::parse("test.toml", text).map_err(|e| e.to_string())?;
    let world = document.build(Path::new(".")).map_err(|e| e.to_string())?;
    let mut simulation = Simulation::new(world).map_err(|e| e.to_string())?;
    for i in 1..=50 {
        simulation.advance(duration * f64::from(i) / 50.0).map_err(|e| e.to_string())?;
        simulation.check_laws().map_err(|e| e.to_string())?;
    }
    match simulation.laws().violations.first() {
        Some(violation) => Err(format!("{violation:?}")),
        None => Ok(simulation),
    }
}

fn position(simulation: &Simulation, name: &str) -> DVec3 {
    let id = simulation.world().find_body(name).expect("a body");
    simulation.pose(id).position
}

fn head(friction: f64) -> String {
    format!(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 3\n[contact]\nrestitution = 0\nfriction = {friction}\n"
    )
}

/// A box stands half on a fixed ledge and half on a tray that a motor moves up by a prescribed motion. Redundant contacts that stick
/// contradict each other as soon as the tray moves: the box tilts, and its speed stays that of the tray and of a fall by its size.
#[test]
fn a_box_half_on_a_ledge_is_lifted_by_a_prescribed_motion() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for trial in 0..6 {
        let (x, height) = (between(&mut rng, 0.03, 0.08), between(&mut rng, 0.1, 0.2));
        let (begin, to) = (between(&mut rng, 0.1, 0.3), between(&mut rng, 0.05, 0.2));
        let mut text = head(between(&mut rng, 0.3, 0.8));
        write!(
            text,
            "[[body]]\nname = \"ledge\"\nkind = \"fixed\"\nshape = {{ kind = \"box\", size = [0.5, 0.5, 0.1] }}\nposition = [-0.25, 0, 0.45]\n\
             [[body]]\nname = \"tray\"\nshape = {{ kind = \"box\", size = [0.5, 0.5, 0.1] }}\nmass = 4\nposition = [0.26, 0, 0.45]\n\
             [[body]]\nname = \"box\"\nshape = {{ kind = \"box\", size = [0.4, 0.2, {height}] }}\nmass = 2\nposition = [{x}, 0, {}]\n\
             [[joint]]\nname = \"lift\"\nkind = \"slider\"\na = \"tray\"\nat = [0.26, 0, 0.45]\naxis = [0, 0, 1]\n\
             [[joint.motor]]\nkind = \"motion\"\ncourse = {{ kind = \"move\", from = 0, to = {to}, begin = {begin}, end = {} }}\n",
            0.5 + 0.5 * height,
            begin + 1.2
        )
        .expect("a string");
        let simulation =
            run(&text, begin + 1.0).unwrap_or_else(|what| panic!("trial {trial}: {what}\n{text}"));
        let id = simulation.world().find_body("box").expect("a body");
        let speed = simulation.twist(id).velocity.length();
        assert!(speed < 3.0, "trial {trial}: the box moves at {speed} m/s");
        let tray = position(&simulation, "tray").z - 0.45;
        assert!(tray > 0.3 * to, "trial {trial}: the tray is at {tray} m of {to} m");
    }
}

/// Two fingers press a box by forces whose friction exceeds its weight, and a prescribed motion lifts the palm: the box goes up with it.
#[test]
fn a_gripper_lifts_what_its_friction_carries() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for trial in 0..5 {
        let (mass, friction) = (between(&mut rng, 0.4, 1.2), between(&mut rng, 0.5, 0.9));
        let grip = between(&mut rng, 1.3, 2.5) * mass * 9.81 / (2.0 * friction);
        let to = between(&mut rng, 0.1, 0.3);
        let mut text = head(friction);
        write!(
            text,
            "[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }}\n\
             [[body]]\nname = \"palm\"\nshape = {{ kind = \"box\", size = [0.05, 0.3, 0.04] }}\nmass = 1\nposition = [0, 0, 0.32]\n\
             [[body]]\nname = \"box\"\nshape = {{ kind = \"box\", size = [0.08, 0.12, 0.2] }}\nmass = {mass}\nposition = [0, 0, 0.1]\n\
             [[joint]]\nname = \"lift\"\nkind = \"slider\"\na = \"palm\"\nat = [0, 0, 0.32]\naxis = [0, 0, 1]\n\
             [[joint.motor]]\nkind = \"motion\"\ncourse = {{ kind = \"move\", from = 0, to = {to}, begin = 0.5, end = 1.5 }}\n"
        )
        .expect("a string");
        for (name, side) in [("l", 1.0), ("r", -1.0)] {
            write!(
                text,
                "[[body]]\nname = \"finger {name}\"\nshape = {{ kind = \"box\", size = [0.04, 0.02, 0.16] }}\nmass = 0.2\nposition = [0, {}, 0.22]\n\
                 [[joint]]\nname = \"slide {name}\"\nkind = \"slider\"\na = \"finger {name}\"\nb = \"palm\"\nat = [0, {}, 0.3]\naxis = [0, {}, 0]\n\
                 [[joint.motor]]\nkind = \"force\"\ntarget = {grip}\n",
                0.09 * side,
                0.09 * side,
                -side
            )
            .expect("a string");
        }
        let simulation = run(&text, 2.0).unwrap_or_else(|what| panic!("trial {trial}: {what}\n{text}"));
        let lifted = position(&simulation, "box").z - 0.1;
        assert!((lifted - to).abs() < 1e-9, "trial {trial}: lifted by {lifted} m of {to} m");
    }
}

/// Friction that grows with the joint force on every kind of joint, with arms up to ten times the bodies: finite and dissipative, and
/// where it locks itself the log says so.
#[test]
fn joint_friction_under_load_is_finite_and_dissipates() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let mut jammed = 0;
    let kinds = [
        ("hinge", "turn-z"),
        ("slider", "z"),
        ("cylindrical", "z"),
        ("cylindrical", "turn-z"),
        ("screw", "turn-z"),
    ];
    for trial in 0..20 {
        let (kind, axis) = kinds[trial % kinds.len()];
        let at = [0; 3].map(|_| between(&mut rng, -0.4, 0.4));
        let along = [between(&mut rng, -1.0, 1.0), between(&mut rng, -1.0, 1.0), 0.7];
        let (coefficient, arm) = (between(&mut rng, 0.05, 0.6), between(&mut rng, 0.05, 1.0));
        let mut text = head(0.5);
        write!(
            text,
            "[[body]]\nname = \"a\"\nshape = {{ kind = \"sphere\", radius = 0.05 }}\nmass = {}\nposition = [0.3, 0.1, 0]\nspin = [1, 2, -1]\n\
             [[body]]\nname = \"b\"\nshape = {{ kind = \"sphere\", radius = 0.06 }}\nmass = 0.9\nposition = [-0.3, 0, 0.1]\n\
             [[joint]]\nname = \"j\"\nkind = \"{kind}\"\na = \"a\"\nb = \"b\"\nat = {at:?}\naxis = {along:?}\n{}\
             friction = [{{ axis = \"{axis}\", constant = 0.1, coefficient = {coefficient}, arm = {arm} }}]\n",
            between(&mut rng, 0.3, 3.0),
            if kind == "screw" { "pitch = 0.3\n" } else { "" }
        )
        .expect("a string");
        let simulation = match run(&text, 0.2) {
            Ok(simulation) => simulation,
            // Velocities at the start that the joint contradicts.
            Err(what) if what.contains("joint") && what.contains("start") => continue,
            Err(what) => panic!("trial {trial}: {what}\n{text}"),
        };
        assert!(simulation.ledger().friction >= 0.0, "trial {trial}: {:?}", simulation.ledger());
        jammed += usize::from(simulation.joint_events().iter().any(|e| e.kind == JointEventKind::Jammed));
    }
    println!("{jammed} of 20 joints jam");
}

/// Two cylinders on parallel hinges touch: no force moves either along the normal, and the one of least norm is none. They turn on.
#[test]
fn cylinders_on_parallel_hinges_touch_without_force() {
    let mut text = "format = 1\n[run]\nduration = 0.1\n[contact]\nfriction = 0.4\n".to_owned();
    for (name, x, spin) in [("one", 0.0, 6.0), ("two", 0.1, -3.0)] {
        write!(
            text,
            "[[body]]\nname = \"{name}\"\nspin = [0, 0, {spin}]\nshape = {{ kind = \"cylinder\", radius = 0.05, length = 0.02 }}\nmass = 0.5\nposition = [{x}, 0, 0]\n\
             [[joint]]\nname = \"hinge {name}\"\nkind = \"hinge\"\na = \"{name}\"\nat = [{x}, 0, 0]\naxis = [0, 0, 1]\n"
        )
        .expect("a string");
    }
    let simulation = run(&text, 0.1).unwrap_or_else(|what| panic!("{what}"));
    for (name, spin) in [("one", 6.0), ("two", -3.0)] {
        let id = simulation.world().find_body(name).expect("a body");
        let found = simulation.twist(id).spin.z;
        assert!((found - spin).abs() < 1e-12, "{name} turns at {found} rad/s");
    }
}

/// Discs, cylinders and cones that spin fast and land on a plane: time steps over a rim that rolls give no energy. Forces are those of a
/// time step there, of first order in its length, so that the law that compares them with the motion is loose.
#[test]
fn spinning_rims_on_a_plane_gain_no_energy() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for trial in 0..12 {
        let shape = match trial % 3 {
            0 => "kind = \"disc\", radius = 0.05",
            1 => "kind = \"cylinder\", radius = 0.05, length = 0.03",
            _ => "kind = \"cone\", radius = 0.05, height = 0.08",
        };
        let spin = [0; 3].map(|_| between(&mut rng, -60.0, 60.0));
        let axis = [between(&mut rng, -1.0, 1.0), between(&mut rng, -1.0, 1.0), 0.4];
        let mut text = head(between(&mut rng, 0.0, 0.8));
        write!(
            text,
            "[laws]\nforces = 0.1\n\
             [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n\
             [[body]]\nname = \"rim\"\nshape = {{ {shape} }}\nmass = 0.4\nposition = [0, 0, 0.12]\nspin = {spin:?}\n\
             orientation = {{ axis = {axis:?}, angle_deg = {} }}\n",
            between(&mut rng, 5.0, 80.0)
        )
        .expect("a string");
        let simulation = run(&text, 0.4).unwrap_or_else(|what| panic!("trial {trial}: {what}\n{text}"));
        let above = position(&simulation, "rim").z;
        assert!(above > -1e-9, "trial {trial}: the rim is at {above} m");
    }
}

/// Bodies with rims, points and round sides fall on what lies, slopes, moves along and swings up and down: they bounce, tumble, roll and
/// begin to slip.
#[test]
fn round_bodies_roll_and_slip_on_every_support() {
    let shapes = [
        "kind = \"cone\", radius = 0.11, height = 0.23",
        "kind = \"cylinder\", radius = 0.11, length = 0.23",
        "kind = \"disc\", radius = 0.14",
        "kind = \"ellipsoid\", size = [0.2, 0.3, 0.4]",
        "kind = \"box\", size = [0.2, 0.31, 0.17]",
    ];
    let supports = [
        "kind = \"fixed\"\nshape = { kind = \"plane\", normal = [0.1, 0, 1] }",
        "kind = \"kinematic\"\nshape = { kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }\n\
         motion = { kind = \"uniform\", velocity = [0.3, -0.1, 0] }",
        "kind = \"kinematic\"\nshape = { kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }\n\
         motion = { kind = \"oscillate\", amplitude = [0, 0, 0.02], frequency = 3 }",
    ];
    for (shape, support) in shapes.iter().flat_map(|shape| supports.map(|support| (shape, support))) {
        let text = format!(
            "format = 1\ngravity = [0.2, -0.1, -9.1]\n[run]\nduration = 1\n[contact]\nfriction = 0.37\nrestitution = 0.21\n\
             [[body]]\nname = \"support\"\n{support}\n[[body]]\nname = \"body\"\nshape = {{ {shape} }}\nmass = 1.3\n\
             position = [0.11, 0.07, 0.6]\norientation = {{ axis = [0.3, 1, 0.2], angle_deg = 23 }}\nspin = [0.4, -1, 2]\n"
        );
        let simulation = run(&text, 0.8).unwrap_or_else(|what| panic!("{what}\n{text}"));
        let height = position(&simulation, "body").z;
        assert!((-0.1..0.35).contains(&height), "it is at {height} m\n{text}");
    }
}
