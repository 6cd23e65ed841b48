//! Small models of our own in every format: what becomes of them, and that no text can make the reader fall.

use std::fmt::Write as _;
use std::path::Path;

use dolmen::joint::Axis;
use dolmen::scene::{Document, ReadOptions, SceneErrors, typed};
use dolmen::world::World;
use dolmen_import::{Imported, Meshes, Options, import, import_text};

const MJCF: &str = include_str!("models/leg.xml");
const URDF: &str = include_str!("models/gripper.urdf");
const SDF: &str = include_str!("models/cart.sdf");
const GLTF: &str = include_str!("models/stack.gltf");

fn imported(name: &str, text: &str) -> Imported {
    import_text(name, text, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn world(imported: &Imported) -> World {
    let document = Document::parse("made.toml", &imported.toml).unwrap_or_else(|error| panic!("{error}"));
    document.build(Path::new(".")).unwrap_or_else(|error| panic!("{error}"))
}

fn body<'a>(imported: &'a Imported, name: &str) -> &'a typed::Body {
    let found = imported.scene.body.iter().find(|body| body.name.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("no body {name} in\n{}", imported.toml))
}

fn joint<'a>(imported: &'a Imported, name: &str) -> &'a typed::Joint {
    let found = imported.scene.joint.iter().find(|joint| joint.name == name);
    found.unwrap_or_else(|| panic!("no joint {name} in\n{}", imported.toml))
}

fn says(imported: &Imported, words: &str) -> bool {
    imported.notes.iter().any(|note| note.to_string().contains(words))
}

/// Several joints of one body are one joint, coordinates keep their names, signs and offsets.
#[test]
fn mjcf_joints_of_one_body_become_one_joint() {
    let made = imported("leg.xml", MJCF);
    assert_eq!(joint(&made, "root x + root z + root y").kind, typed::JointKind::Planar);
    assert_eq!(joint(&made, "hip x + hip y").kind, typed::JointKind::Universal);
    assert_eq!(joint(&made, "knee").kind, typed::JointKind::Hinge);
    // Nothing stands between them.
    assert!(made.scene.body.iter().all(|body| !body.name.as_deref().unwrap_or_default().contains("behind")));
    let knee = made.coordinates.iter().find(|c| c.joint == "knee").expect("knee");
    assert!((knee.offset - 0.5_f64).abs() < 1e-15, "ref in degrees becomes radians: {}", knee.offset);
    let limit = &joint(&made, "knee").limit[0];
    let expected = [-100_f64.to_radians() - 0.5, 20_f64.to_radians() - 0.5];
    assert!((limit.lower.unwrap() - expected[0]).abs() < 1e-15);
    assert!((limit.upper.unwrap() - expected[1]).abs() < 1e-15);
    world(&made);
}

/// Defaults, compiler options, fixed bodies and shapes: masses by hand.
#[test]
fn mjcf_masses_are_those_of_the_shapes() {
    let made = imported("leg.xml", MJCF);
    // The torso is a box of 0.2 × 0.2 × 0.4 m at 500 kg/m³, and a head of 1 kg is fixed to it.
    let torso = body(&made, "torso");
    assert!((torso.mass.unwrap() - (0.2 * 0.2 * 0.4 * 500.0 + 1.0)).abs() < 1e-12);
    let centre = torso.centre_of_mass.unwrap();
    assert!((centre[2] - 0.3 / 9.0).abs() < 1e-15, "{centre:?}");
    assert!(matches!(torso.shape, Some(typed::Shape::Compound(_))));
    assert!(body(&made, "floor").kind == Some(typed::BodyKind::Fixed));
    let head = made.links.iter().find(|link| link.link == "head").expect("head");
    assert_eq!(head.body.as_deref(), Some("torso"));
    assert_eq!(head.position, [0.0, 0.0, 0.3]);
}

/// Springs, friction, servos; what cannot be said is said.
#[test]
fn mjcf_actuators_springs_and_notes() {
    let made = imported("leg.xml", MJCF);
    let knee = joint(&made, "knee");
    assert_eq!(knee.spring[0].stiffness, Some(3.0));
    assert_eq!(knee.spring[0].damping, Some(0.2));
    assert!((knee.spring[0].rest.unwrap() - (0.25 - 0.5)).abs() < 1e-15);
    assert_eq!(knee.friction[0].constant, Some(0.05));
    let servo = &knee.motor[0];
    // kp = 10 through a gear of 2.
    assert_eq!(
        (servo.kind, servo.stiffness, servo.damping),
        (typed::MotorKind::Position, Some(40.0), Some(4.0))
    );
    assert_eq!(servo.largest, Some(60.0));
    assert!((servo.target.unwrap() + 0.5).abs() < 1e-15, "zero of the file is -offset: {:?}", servo.target);
    for words in ["armature of a joint", "<tendon>: tendons", "<sensor>", "touches nothing"] {
        assert!(says(&made, words), "no note on {words}: {:#?}", made.notes);
    }
    assert!(made.toml.contains("# - leg.xml:"), "notes have their places");
}

/// Masks and exclusions become groups: the foot meets the floor, the ghost nothing but the floor.
#[test]
fn mjcf_masks_become_groups() {
    let made = imported("leg.xml", MJCF);
    let meets = |a: &str, b: &str| {
        let (a, b) = (body(&made, a), body(&made, b));
        let one = |a: &typed::Body, b: &typed::Body| match (&a.collides_with, &b.groups) {
            (None, _) => true,
            (Some(with), Some(groups)) => groups.iter().any(|group| with.contains(group)),
            (Some(_), None) => false,
        };
        one(a, b) && one(b, a)
    };
    assert!(meets("shank", "floor"));
    assert!(meets("ghost", "floor"));
    assert!(!meets("ghost", "shank"));
    assert!(!meets("torso", "shank"), "they are excluded");
    assert!(meets("thigh", "floor"));
}

/// A key frame places bodies and sets them in motion; a foot on two hinges moves as the chain rule says.
#[test]
fn mjcf_key_frames_are_starts() {
    let options = Options { keyframe: Some("bent".into()), limits: false, ..Options::default() };
    let made = import_text("leg.xml", MJCF, &options).expect("a model");
    let world = world(&made);
    let knee = world.joints().iter().position(|joint| joint.name() == "knee").expect("knee");
    let (geometry, turns) = world.joint_at_start(knee);
    let angle = world.joints()[knee].coordinate(&geometry, Axis::TurnZ, &turns);
    assert!((angle.value - (-0.7 - 0.5)).abs() < 1e-12, "{}", angle.value);
    assert!((angle.rate - 2.0).abs() < 1e-12, "{}", angle.rate);
    let ghost = body(&made, "ghost");
    assert_eq!(ghost.position, Some([0.0, 2.0, 1.0]));
    assert_eq!(ghost.velocity, Some([0.0, 0.0, 3.0]));
}

/// Links without mass hand their joints on, fixed ones are one body, a mimic joint is a gear, the tip stays where it is.
#[test]
fn urdf_mimics_and_links_without_mass() {
    let made = imported("gripper.urdf", URDF);
    let wrist = joint(&made, "pan + tilt");
    assert_eq!(wrist.kind, typed::JointKind::Universal);
    let gear = joint(&made, "right mimics left");
    assert_eq!(gear.kind, typed::JointKind::Gear);
    assert_eq!(gear.ratio, Some(-1.0));
    let world = world(&made);
    assert_eq!(world.couplings().len(), 1);
    assert_eq!(world.couplings()[0].coupling.first.1, Axis::Z, "sliders are coupled along their axes");
    // The start of the left finger is moved into its limits, and the right one follows.
    let place = |name: &str| made.coordinates.iter().find(|c| c.joint == name).expect("a finger").start;
    assert_eq!((place("left"), place("right")), (0.01, -0.01));
    assert!(says(&made, "outside its limits"));
    assert!(says(&made, "is not there"), "the mesh is missing, and that is said");
    assert!(made.links.iter().any(|link| link.link == "camera" && link.body.as_deref() == Some("hand")));
}

/// The base can be let go.
#[test]
fn urdf_bases_can_float() {
    let free = import_text("gripper.urdf", URDF, &Options { free_base: true, ..Options::default() }).unwrap();
    assert_eq!(body(&free, "base").kind, None);
    let fixed = imported("gripper.urdf", URDF);
    assert_eq!(body(&fixed, "base").kind, Some(typed::BodyKind::Fixed));
}

/// Poses relative to other frames, axes of the model, loops, static models.
#[test]
fn sdf_frames_and_loops() {
    let made = imported("cart.sdf", SDF);
    let rod = body(&made, "machine::rod");
    let at = rod.position.expect("a place");
    // The frame is 1 m above the cart, turned by a quarter about z; the rod 0.5 m along its x.
    for (own, expected) in at.iter().zip([0.0, 0.5, 1.2]) {
        assert!((own - expected).abs() < 1e-12, "{at:?}");
    }
    assert_eq!(joint(&made, "machine::rail").kind, typed::JointKind::Slider);
    assert_eq!(joint(&made, "machine::loop").kind, typed::JointKind::Ball);
    assert_eq!(body(&made, "floor::ground slab").kind, Some(typed::BodyKind::Fixed));
    assert_eq!(made.scene.gravity, Some([0.0, 0.0, -1.6]));
    world(&made);
}

/// With physics: bodies, implicit shapes, materials, a joint; y up becomes z up.
#[test]
fn gltf_with_rigid_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stack.gltf");
    std::fs::write(&path, GLTF).expect("a file");
    let made = import(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let cube = body(&made, "cube");
    assert_eq!(cube.mass, Some(2.0));
    let at = cube.position.expect("a place");
    assert!((at[2] - 3.0).abs() < 1e-12 && at[1].abs() < 1e-12, "y is up: {at:?}");
    assert_eq!(body(&made, "ground").kind, Some(typed::BodyKind::Fixed));
    assert_eq!(joint(&made, "hook").kind, typed::JointKind::SixAxis);
    assert_eq!(made.scene.material.len(), 1);
    // A tetrahedron of 1/6 m³ as a mesh, without mass of its own: 1000 kg/m³.
    let wedge = body(&made, "wedge");
    assert!((wedge.mass.unwrap() - 1000.0 / 6.0).abs() < 1e-4, "{:?}", wedge.mass);
    world(&made);
}

/// A mesh by itself is a body; the ways to take it differ in volume as they must.
#[test]
fn lone_meshes_are_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("corner.obj");
    // An L of three unit cubes, as one closed surface.
    let mut text = String::new();
    for z in [0, 1] {
        for (x, y) in [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)] {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
    }
    for [a, b] in [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 1]] {
        let _ = writeln!(text, "f {a} {b} {} {}", b + 6, a + 6);
    }
    text += "f 4 3 2\nf 4 2 1\nf 4 1 6\nf 4 6 5\nf 8 9 10\nf 7 8 10\nf 12 7 10\nf 11 12 10\n";
    std::fs::write(&path, text).expect("a file");
    for (meshes, mass) in
        [(Meshes::Exact, 3000.0), (Meshes::Hull, 3500.0), (Meshes::Box, 4000.0), (Meshes::Parts, 3000.0)]
    {
        let made = import(&path, &Options { meshes, ..Options::default() })
            .unwrap_or_else(|error| panic!("{error}"));
        let own = body(&made, "corner").mass.expect("a mass");
        assert!((own - mass).abs() < 1e-9 * mass, "{meshes:?}: {own} and not {mass}");
        world(&made);
    }
}

/// Wrong files are refused with their place.
#[test]
fn refusals_have_places() {
    let cases = [
        ("<mujoco><worldbody><body><geom size='x'/></body></worldbody></mujoco>", "t.xml:1:26", "no number"),
        (
            "<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>",
            "t.xml:1:26",
            "no direction",
        ),
        ("<mujoco><worldbody><geom type='box' size='1 1'/></worldbody></mujoco>", "t.xml:1:20", "size"),
        (
            "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint></robot>",
            "t.xml:1:1",
            "circle",
        ),
        ("<html/>", "t.xml:1:1", "root element"),
        ("<mujoco>", "t.xml:1", "XML"),
    ];
    for (text, place, words) in cases {
        let error = import_text("t.xml", text, &Options::default()).expect_err(text).to_string();
        assert!(error.starts_with(place) && error.contains(words), "{error}");
    }
}

/// No change of a few bytes makes the readers fall; what they accept is a scene.
#[test]
fn no_text_makes_the_readers_fall() {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};
    let mut random = Pcg64Mcg::seed_from_u64(27);
    let words = [
        "nan",
        "inf",
        "-1",
        "0",
        "1e308",
        "1e-308",
        "\"",
        "<",
        ">",
        "/",
        "",
        "-0 0 0",
        "99999999999",
        "world",
        "é",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut accepted = 0;
    for round in 0..1200 {
        let (name, text) = [("m.xml", MJCF), ("r.urdf", URDF), ("s.sdf", SDF), ("g.gltf", GLTF)][round % 4];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.next_u32() % 4 {
            let at = random.next_u64() as usize % bytes.len();
            let length = (random.next_u32() % 12) as usize;
            let end = (at + length).min(bytes.len());
            match random.next_u32() % 4 {
                0 => bytes[at] = random.next_u32() as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let copy = bytes[at..end].to_vec();
                    let to = random.next_u64() as usize % bytes.len();
                    bytes.splice(to..to, copy);
                }
                _ => {
                    let word = words[random.next_u64() as usize % words.len()];
                    // Numbers are the interesting places.
                    let start =
                        bytes[at..].iter().position(u8::is_ascii_digit).map_or(at, |digit| at + digit);
                    bytes.splice(start..(start + 1).min(bytes.len()), word.bytes());
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let result = if name == "g.gltf" {
            let path = folder.path().join(name);
            std::fs::write(&path, &bytes).expect("a file");
            import(&path, &Options::default())
        } else {
            import_text(name, &String::from_utf8_lossy(&bytes), &Options::default())
        };
        if let Ok(made) = result {
            accepted += 1;
            Document::parse("made.toml", &made.toml).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    assert!(accepted > 100, "only {accepted} changed texts were accepted: the test sees nothing but syntax");
}

/// The same for meshes, where counts and indices can lie.
#[test]
fn no_mesh_makes_the_readers_fall() {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n\
               property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    let binary = {
        let mut bytes =
            ply.split("0 0 0\n").next().unwrap().replace("ascii", "binary_little_endian").into_bytes();
        bytes
            .extend([0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|x| x.to_le_bytes()));
        for face in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2_i32]] {
            bytes.push(3);
            bytes.extend(face.iter().flat_map(|k| k.to_le_bytes()));
        }
        bytes
    };
    let off = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    let dae = include_str!("models/tetrahedron.dae");
    let corpus: [(&str, Vec<u8>); 4] = [
        ("a.ply", ply.as_bytes().to_vec()),
        ("b.ply", binary),
        ("c.off", off.as_bytes().to_vec()),
        ("d.dae", dae.as_bytes().to_vec()),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Pcg64Mcg::seed_from_u64(28);
    for (name, whole) in &corpus {
        let path = folder.path().join(name);
        std::fs::write(&path, whole).expect("a file");
        let made = import(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let mass = made.scene.body[0].mass.expect("a mass");
        assert!((mass - 1000.0 / 6.0).abs() < 1e-4, "{name}: {mass}");
        for _ in 0..200 {
            let mut bytes = whole.clone();
            for _ in 0..=random.next_u32() % 3 {
                let at = random.next_u64() as usize % bytes.len();
                match random.next_u32() % 3 {
                    0 => bytes[at] = random.next_u32() as u8,
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes[at] = b"0123456789-.e "[random.next_u64() as usize % 14],
                }
            }
            std::fs::write(&path, &bytes).expect("a file");
            let _ = import(&path, &Options::default());
        }
    }
}

/// A scene beside the models of the tests, read with the importer.
fn including(folder: &Path, text: &str) -> Result<Document, SceneErrors> {
    let scene = folder.join("scene.toml");
    std::fs::write(&scene, format!("format = 1\ngravity = [0, 0, -9.81]\n{text}")).expect("a scene");
    let options = ReadOptions { importer: Some(dolmen_import::importer), ..ReadOptions::default() };
    Document::open(&scene, &options)
}

/// Scenes include robots and meshes: twice, turned and moved, with a prefix; what gets lost is told once a file.
#[test]
fn scenes_include_robots_and_meshes() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("gripper.urdf"), URDF).expect("a file");
    std::fs::write(at.join("leg.xml"), MJCF).expect("a file");
    std::fs::write(
        at.join("tet.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .expect("a file");
    let text = "[contact]\noverlaps = \"report\"\n\
        [[include]]\nrepeat = 2\nfile = \"gripper.urdf\"\nname = \"g{i}\"\nposition = [0, \"= 2*i\", 5]\n\
        orientation = { axis = [0, 0, 1], angle_deg = 90 }\n\
        [[include]]\nfile = \"leg.xml\"\nname = \"leg\"\n\
        [[include]]\nfile = \"tet.obj\"\nname = \"stone\"\nposition = [4, 0, 0]\n\
        [[joint]]\nname = \"hold\"\nkind = \"weld\"\na = \"stone:tet\"\n";
    let document = including(at, text).unwrap_or_else(|errors| panic!("{errors}"));
    let included = document.build(at).unwrap_or_else(|errors| panic!("{errors}"));
    let alone = world(&imported("gripper.urdf", URDF));
    let leg = world(&imported("leg.xml", MJCF));
    assert_eq!(included.bodies().len(), 2 * alone.bodies().len() + leg.bodies().len() + 1);
    assert_eq!(included.joints().len(), 2 * alone.joints().len() + leg.joints().len() + 1);
    for body in alone.bodies() {
        let name = body.name().expect("parts of robots have names");
        let copy = included.body(included.find_body(&format!("g1:{name}")).expect("it is there"));
        let place = body.start_pose().position;
        // Turned by a quarter about z, then moved.
        let wanted = dolmen::math::dvec3(-place.y, place.x + 2.0, place.z + 5.0);
        assert!(copy.start_pose().position.distance(wanted) < 1e-12, "{name}: {:?}", copy.start_pose());
        if body.is_dynamic() {
            assert_eq!(copy.inertia().mass.to_bits(), body.inertia().mass.to_bits());
        }
    }
    assert!(document.notes().iter().any(|note| note.contains("tet.obj")), "{:?}", document.notes());
    let of_gripper = document.notes().iter().filter(|note| note.contains("gripper.urdf")).count();
    assert_eq!(of_gripper, imported("gripper.urdf", URDF).notes.len(), "each file is read once");
}

/// The root of a URDF is fixed, or free where the scene says so; for a scene that means nothing.
#[test]
fn an_included_robot_may_be_free() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("gripper.urdf"), URDF).expect("a file");
    std::fs::write(at.join("part.toml"), "format = 1\n").expect("a file");
    let bodies = |free: &str| {
        let text = format!("[[include]]\nfile = \"gripper.urdf\"\n{free}");
        let document = including(at, &text).unwrap_or_else(|errors| panic!("{errors}"));
        document.build(at).unwrap_or_else(|errors| panic!("{errors}"))
    };
    let free = |world: &World| world.bodies().iter().filter(|body| body.is_dynamic()).count();
    let (fixed, floating) = (bodies(""), bodies("free_base = true\n"));
    assert_eq!(free(&floating), free(&fixed) + 1, "the root moves too");
    let refused = including(at, "[[include]]\nfile = \"part.toml\"\nfree_base = true\n");
    assert!(refused.is_err_and(|errors| errors.to_string().contains("`free_base` goes with robots")));
}

/// Mistakes in an included robot are told at the include, with the place in the robot; without an importer none is read.
#[test]
fn robots_that_cannot_be_included_are_refused_in_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("broken.urdf"), "<robot name='r'>\n<link/>\n</robot>").expect("a file");
    let errors =
        including(at, "[[include]]\nfile = \"broken.urdf\"\n").expect_err("it is broken").to_string();
    assert!(errors.contains("scene.toml:4:8: error:") && errors.contains("broken.urdf:2:"), "{errors}");
    let errors = including(at, "[[include]]\nfile = \"../broken.urdf\"\n").expect_err("outside").to_string();
    assert!(errors.contains("outside the folder"), "{errors}");
    let plain = Document::load(at.join("scene.toml")).expect_err("there is no importer").to_string();
    assert!(plain.contains("outside the folder"), "{plain}");
    std::fs::write(at.join("scene.toml"), "format = 1\n[[include]]\nfile = \"broken.urdf\"\n")
        .expect("a file");
    let plain = Document::load(at.join("scene.toml")).expect_err("there is no importer").to_string();
    assert!(plain.contains("broken.urdf is no scene"), "{plain}");
}
