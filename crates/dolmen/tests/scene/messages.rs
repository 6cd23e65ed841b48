//! What people see when they have made a mistake. The messages are pinned: read them when they change.

use super::pinned;
use dolmen::scene::{Diagnostic, Document, Excerpt, PathSegment, Scene, SceneErrors, Source};

fn refusal(name: &str, text: &str) -> String {
    Document::parse(name, text).expect_err(text).to_string()
}

/// The messages of several texts, one after the other.
fn refusals(name: &str, texts: &[&str]) -> String {
    texts.iter().map(|text| refusal(name, text) + "\n").collect()
}

/// The messages of several bodies, each in a scene of its own.
fn body_refusals(bodies: &[&str]) -> String {
    bodies
        .iter()
        .map(|body| refusal("body.toml", &format!("format = 1\n[[body]]\n{body}\n")) + "\n")
        .collect()
}

fn force_refusals(forces: &[&str]) -> String {
    let prelude = super::PRELUDE.trim();
    let refuse =
        |force: &&str| refusal("force.toml", &format!("format = 1\n{prelude}\n[[force]]\n{force}\n")) + "\n";
    forces.iter().map(refuse).collect()
}

/// One file with a mistake of nearly every kind: all are shown at once, in the order of the file.
#[test]
fn many_mistakes_are_shown_at_once() {
    let text = r#"format = 1
title = 3
bodies = 2
joint = 1

[run]
duratin = -1
samples = 1.0

[[body]]
name = "top"
shape = { kind = "sphre", radius = 1 }
mas = "10"
velocity = [1, 2]
spin = [1, "a", nan]

[[body]]
shape = { kind = "sphere", radis = 1 }
inertia = [1, "a", 3]
mass = -1

[[body]]
name = "top"
mass = -1
orientation = { quaternion = [1, 1, 0, 0] }

[[force]]
kind = "push"
body = "top"

[[force]]
body = "x"

[[force]]
kind = "push"
body = "top"
force = [0, 0, 0]
from = 3
until = 2

[[force]]
kind = "short-range"
radius = 1
law = 3
foo = 1
"#;
    pinned("many_mistakes", &refusal("many.toml", text));
}

/// TOML and JSON that cannot be read at all.
#[test]
fn mistakes_of_syntax() {
    let several = "format = 1\na = hello\nb = \n[[body]]\nname = \"x\nmass = 1.2.3\nmass = 2\n";
    let numbers = "format = 1\na = 1e999\nb = 99999999999999999999\nc = 1979-05-27\n";
    pinned("syntax_toml", &refusals("a.toml", &["mass 3\n", "a = [1, 2\n", several, numbers]));
    let twice = r#"{"format": 1, "body": [{"mass": null, "mass": 2}], "run": {"duration": 1e999}}"#;
    let texts = [
        "",
        "[1]",
        "{\"a\": 1,}",
        "{\"a\" 1}",
        "{'a': 1}",
        "{\"a\": 01}",
        "// no\n{}",
        "{\"a\": \"\\q\"}",
        twice,
    ];
    pinned("syntax_json", &refusals("a.json", &texts));
}

/// The top of the file.
#[test]
fn mistakes_of_the_file_as_a_whole() {
    let texts = [
        "",
        "# nothing\n",
        "format = 2\nfoo = 1\n",
        "format = \"1\"\n",
        "format = 1\n[body]\nmass = 1\n",
        "format = 1\nforces = [{ kind = \"push\" }]\n",
        "format = 1\n[solver]\n",
        "format = 1\n[material]\nname = \"ice\"\n",
        "format = 1\ngravity = 9.81\n",
        "format = 1\ngravity = [0, 0, inf]\n",
    ];
    pinned("file", &refusals("top.toml", &texts));
}

/// Run, accuracy, integrator, particles.
#[test]
fn mistakes_of_settings() {
    let texts = [
        "format = 1\n[run]\nduration = 0\nsamples = 1\nevery = 1\n",
        "format = 1\n[run]\nsamples = -3\n",
        "format = 1\n[run]\nduration = 1\ntimes = [0, 2, 2]\n",
        "format = 1\n[accuracy]\ntolerance = 1\nabsolute = -1\n",
        "format = 1\n[integrator]\nmethod = \"rk45\"\n",
        "format = 1\n[integrator]\nmethod = \"rk4\"\norder = 3\nstep = 0.1\nlargest_step = 1\n",
        "format = 1\n[integrator]\nmethod = \"tableau\"\n",
        "format = 1\n[integrator]\ntableau = { a = [[]], b = [1], order = 1 }\n",
        "format = 1\n[integrator]\nmethod = \"tableau\"\ntableau = { a = [[], [1, 2]], b = [0.5, 0.6], c = [0, 1], order = 0, b_hat = [1] }\n",
        "format = 1\n[[particles]]\nmass = 1\n",
        "format = 1\n[[particles]]\nname = \"s\"\nmass = 1\nmasses = [1, 0]\npositions = [[0, 0, 0]]\nvelocities = []\n",
        "format = 1\n[[particles]]\nname = \"s\"\npositions = [[0, 0, 0]]\npath = \"s.csv\"\n",
        "format = 1\n[[particles]]\nname = \"s\"\nmass = 1\npositions = [[0, 0], [0, 0, \"0\"]]\n",
    ];
    pinned("settings", &refusals("settings.toml", &texts));
}

/// Bodies, their shapes and orientations.
#[test]
fn mistakes_of_bodies() {
    pinned(
        "body",
        &body_refusals(&[
            "name = \"a;b\"\nmass = 1",
            "name = \" a\"\nmass = 1",
            "name = \"\"\nmass = 1",
            "",
            "mass = 1\ndensity = 1",
            "density = 1",
            "density = true",
            "density = { gradient = [0, 0, 1] }\nshape = { kind = \"sphere\", radius = 1 }",
            "inertia = [1, 1, 1]\ndensity = 1\nshape = { kind = \"sphere\", radius = 1 }",
            "mass = 1\ninertia = [1, 1, 3]",
            "mass = 1\ninertia = [1, 1, -1]",
            "mass = 1\ninertia = [1, 1]",
            "mass = 1\ninertia = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]",
            "mass = 1\nposition = [0, 0, 0]\ncentre = [0, 0, 0]\nspin = [0, 0, 0]\nspin_body = [0, 0, 0]",
            "kind = \"fixed\"\nvelocity = [0, 0, 1]",
            "kind = \"static\"",
            "mass = 1\nmotion = { kind = \"uniform\" }",
            "kind = \"kinematic\"\nmotion = { kind = \"oscillate\", frequency = 0, axis = [0, 0, 0] }",
            "kind = \"kinematic\"\nmotion = { kind = \"path\", times = [1, 0], positions = [[0, 0, 0]] }",
            "mass = 1\nangular_velocity = [0, 0, 1]",
        ]),
    );
    pinned(
        "shape",
        &body_refusals(&[
            "mass = 1\nshape = \"sphere\"",
            "mass = 1\nshape = { radius = 1 }",
            "mass = 1\nshape = { kind = \"sphere\" }",
            "mass = 1\nshape = { kind = \"sphere\", radius = 0, size = 1 }",
            "mass = 1\nshape = { kind = \"box\", size = [1, 0, 1] }",
            "mass = 1\nshape = { kind = \"hull\", points = [[0, 0, 0]] }",
            "mass = 1\nshape = { kind = \"mesh\" }",
            "mass = 1\nshape = { kind = \"mesh\", path = \"a.obj\", vertices = [[0, 0, 0]] }",
            "mass = 1\nshape = { kind = \"mesh\", vertices = [[0, 0, 0]], triangles = [[0, 1, 2]] }",
            "shape = { kind = \"compound\", parts = [{ shape = { kind = \"disc\", radius = 1 }, density = 1 }, { shape = { kind = \"cube\" } }] }",
            "shape = { kind = \"compound\", parts = [{ shape = { kind = \"disc\", radius = 1 }, mass = 1 }, { shape = { kind = \"disc\", radius = 1 } }] }",
            "mass = 1\nshape = { kind = \"points\", points = [{ mass = 0, position = [0, 0, 0] }] }",
            "density = 1\nshape = { kind = \"disc\", radius = 1 }",
        ]),
    );
    let fixed = |shape: &str| format!("kind = \"fixed\"\nshape = {{ kind = \"plane\", {shape} }}");
    let planes = [
        "mass = 1\nshape = { kind = \"plane\", normal = [0, 0, 1] }".to_owned(),
        "kind = \"kinematic\"\nmass = 1\ncentre = [0, 0, 1]\nshape = { kind = \"plane\", normal = [0, 0, 1] }".to_owned(),
        "mass = 1\nshape = { kind = \"compound\", parts = [{ shape = { kind = \"plane\", normal = [0, 0, 1] } }] }".to_owned(),
        fixed("offset = 1"),
        fixed("normal = [0, 0, 0]"),
        fixed("normal = [0, 0, 1], offset = 1, point = [0, 0, 1]"),
        fixed("normal = [0, 0, 1], coefficients = [0, 0, 1, 0]"),
        fixed("coefficients = [0, 0, 0, 1]"),
        fixed("coefficients = [0, 0, 1]"),
        fixed("normal = [1, 1, 1], point = [1e308, 1e308, 1e308]"),
        fixed("normal = [0, 0, 1], extent = { kind = \"circle\", radius = 0 }"),
        fixed("normal = [0, 0, 1], extent = { kind = \"circular\", radius = 1 }"),
        fixed("normal = [0, 0, 1], extent = { kind = \"square\", radius = 1 }"),
        fixed("normal = [0, 0, 1], extent = { kind = \"square\", half_side = 1, direction = [0, 0, 2] }"),
        fixed("normal = [0, 0, 1], sides = \"back\""),
    ];
    pinned("plane", &body_refusals(&planes.each_ref().map(String::as_str)));
    pinned(
        "orientation",
        &body_refusals(&[
            "mass = 1\norientation = {}",
            "mass = 1\norientation = [1, 0, 0, 0]",
            "mass = 1\norientation = { quaternion = [0, 0, 0, 0] }",
            "mass = 1\norientation = { quaternion = [1, 0, 0] }",
            "mass = 1\norientation = { quaternion = [0.7, 0.7, 0, 0] }",
            "mass = 1\norientation = { axis = [0, 0, 0], angle = 1, angle_deg = 1 }",
            "mass = 1\norientation = { axis = [0, 0, 1] }",
            "mass = 1\norientation = { angle = 1 }",
            "mass = 1\norientation = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 2]] }",
            "mass = 1\norientation = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }",
            "mass = 1\norientation = { matrix = [[1, 0, 0], [0, 1, 0]] }",
            "mass = 1\norientation = { euler = [0, 0, 0], quaternion = [1, 0, 0, 0] }",
            "mass = 1\norientation = { euler = [0, 0, 0], order = \"xxy\" }",
        ]),
    );
}

/// Materials, pairs of them, and groups.
#[test]
fn mistakes_of_surfaces() {
    let materials = "format = 1\n[[material]]\nname = \"ice\"\n[[material]]\nname = \"wood\"\n";
    let with = |more: &str| format!("{materials}{more}\n");
    let body = |i: usize| format!("[[body]]\nmass = 1\ngroups = [\"g{i}\"]\n");
    let bodies: String = (0..40).map(body).collect();
    let texts = [
        "format = 1\n[contact]\nrestitution = 1.5\nfriction = -0.1\nlaw = \"newton\"\n".to_owned(),
        "format = 1\n[contact]\nrestitution = 1.5\nfriction = -0.1\n".to_owned(),
        "format = 1\n[contact]\nfriction = nan\noverlaps = \"ignore\"\ncombine_friction = \"average\"\n"
            .to_owned(),
        "format = 1\n[contact]\nfriction = 1\nstatic_friction = 1\nkinetic_friction = 0.5\n".to_owned(),
        "format = 1\n[contact]\nstatic_friction = 0.3\nkinetic_friction = 0.5\n".to_owned(),
        "format = 1\n[contact]\nkinetic_friction = 0.5\n".to_owned(),
        "format = 1\n[[material]]\nrestitution = -1\n".to_owned(),
        with("[[material]]\nname = \"ice\"\nmu = 0.1"),
        with("[[material]]\nname = \"a;b\"\nrestitution = 2"),
        with("[[material_pair]]\nmaterials = [\"ice\", \"wod\"]\nfriction = 0.1"),
        with("[[material_pair]]\nmaterials = \"ice\"\nfriction = 0.1"),
        with("[[material_pair]]\nmaterials = [\"ice\"]\nfriction = 0.1"),
        with("[[material_pair]]\nmaterials = [\"ice\", \"wood\"]"),
        with(
            "[[material_pair]]\nmaterials = [\"ice\", \"wood\"]\nfriction = 1\n\
              [[material_pair]]\nmaterials = [\"wood\", \"ice\"]\nfriction = 1",
        ),
        with("[[body]]\nmass = 1\nmaterial = \"Ice \""),
        with("[[body]]\nmass = 1\nmaterial = 3"),
        "format = 1\n[[body]]\nmass = 1\nmaterial = \"ice\"\n".to_owned(),
        "format = 1\n[[body]]\nmass = 1\ngroups = []\ncollides_with = [\"floor\"]\n".to_owned(),
        "format = 1\n[[body]]\nmass = 1\ngroups = [\"a\", \"a\", \"\"]\ncollides_with = [\"b\", \"b\"]\n"
            .to_owned(),
        "format = 1\n[[body]]\nmass = 1\ngroups = [\"floor\"]\ncollides_with = [\"flor\"]\n".to_owned(),
        format!("format = 1\n{bodies}"),
        format!("format = 1\n[[body]]\nmass = 1\n{bodies}"),
    ];
    pinned("surfaces", &refusals("surfaces.toml", &texts.each_ref().map(String::as_str)));
}

/// Forces and what they refer to.
#[test]
fn mistakes_of_forces() {
    pinned(
        "forces",
        &force_refusals(&[
            "kind = \"pull\"",
            "body = \"top\"",
            "kind = \"push\"\nbody = \"tops\"\nforce = [0, 0, 1]",
            "kind = \"push\"\nbody = \"cloud\"\nforce = [0, 0, 1]",
            "kind = \"push\"\nbody = \"\"\nforce = [0, 0, 1]\nat = 3\nframe = \"local\"",
            "kind = \"torque\"\nbody = \"top\"\ntorque = [0, 0, 1]\nuntil = 0\nwave = { kind = \"sine\", frequency = -1 }",
            "kind = \"push\"\nbody = \"top\"\nforce = [0, 0, 1]\nwave = { kind = \"table\", times = [0, 1], factors = [0] }",
            "kind = \"spring\"\na = { body = \"top\" }\nb = { body = \"top\" }\nstiffness = -1",
            "kind = \"spring\"\na = { point = [0, 0, 0] }\nb = { point = [0, 0, 1] }\nk = 1",
            "kind = \"spring\"\na = { body = \"top\", point = [0, 0, 0] }\nb = { at = [0, 0, 1] }\nstiffness = 1",
            "kind = \"drag\"\nbodies = [\"top\", \"top\", \"bal\"]\nwind = [1, 0, 0]",
            "kind = \"drag\"\nbodies = []\nlinear = -1",
            "kind = \"attract\"\nto = [0, 0]\nstrength = 1",
            "kind = \"attract\"\nto = 3\nstrength = 1",
            "kind = \"attract\"\nto = \"top\"\nbodies = [\"top\"]\nstrength = 1\nsoftening = -1",
            "kind = \"field\"",
            "kind = \"nbody\"\nconstant = 0\nmethod = \"direct\"\nopening = 0.5",
            "kind = \"short-range\"\nsets = [\"ball\"]\nradius = 0\nlaw = { kind = \"repulsion\", stiffness = -1 }",
            "kind = \"short-range\"\nradius = 1\nlaw = { kind = \"lennard-jones\", depth = 0, sigma = 1 }",
            "kind = \"field\"\nname = \"f\"\nuniform = [0, 0, 0]\n[[force]]\nkind = \"field\"\nname = \"f\"\nuniform = [0, 0, 0]",
        ]),
    );
}

/// Overrides are shown as they were typed.
#[test]
fn mistakes_of_overrides() {
    let text = "format = 1\n[[body]]\nname = \"top\"\nmass = 1\nshape = { kind = \"box\", size = [1, 2, 3] }\n[[body]]\nmass = 2\n";
    let refused = [
        "body.tpo.mass=2",
        "body.2.mass=2",
        "body.0.mas=2",
        "run.duration=x",
        "run.duration=1e999",
        "force.0.x=3",
        "force=3",
        "bdy.0.mass=3",
        "body.0.mass.x=3",
        "body",
        "=3",
        "body..mass=3",
        "body.'top.mass=3",
        "title=",
        "body.0.shape.size.1=[1",
        "body.0.shape.size.1=-5",
        "body.0.shape.size.x=-5",
        "integrator.method=rk5",
        "contact.restitution=2",
        "material.ice.friction=0.1",
        "body.top.material=ice",
    ];
    let messages: String = refused
        .iter()
        .map(|change| {
            Document::parse_with("s.toml", text, &[(*change).to_owned()]).expect_err(change).to_string()
                + "\n"
        })
        .collect();
    pinned("overrides", &messages);
}

/// A path goes through keys, positions and names, and a value that is no TOML is text.
#[test]
fn overrides_change_the_scene() {
    let text = "format = 1\n[[body]]\nname = \"a.b\"\nmass = 1\nposition = [1, 2, 3]\n[[body]]\nname = \"0\"\nmass = 2\n";
    let changes = [
        "title = Hello world",
        "about=\"x=y\"",
        "run.duration=5",
        "integrator.method=rk4",
        "body.\"a.b\".mass= 3.5 ",
        "body.0.position.2=-1",
        "body.'0'.mass=7",
        "body.1.shape={ kind = \"sphere\", radius = 2 }",
        "body.1.shape.radius=3",
        "contact.enabled=false",
        "contact.law=propagation",
        "material=[{ name = \"ice\", friction = 0.1 }]",
        "material.ice.friction=0.2",
        "body.1.material=ice",
        "body.1.groups=[\"a\", \"b\"]",
        "body.0.collides_with=[\"b\"]",
    ];
    let changes = changes.map(str::to_owned);
    let document = Document::parse_with("s.toml", text, &changes).unwrap_or_else(|errors| panic!("{errors}"));
    pinned("overridden", &document.scene().to_toml());
}

/// Files that cannot be read.
#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("latin.toml"), b"format = 1\ntitle = \"caf\xe9\"\n").unwrap();
    let large = std::fs::File::create(path("large.toml")).unwrap();
    large.set_len(dolmen::scene::MAX_BYTES + 1).unwrap();
    std::fs::write(path("bom.toml"), "\u{feff}format = 1\n").unwrap();
    std::fs::write(path("upper.JSON"), "  {\"format\": 1}").unwrap();

    let refused = |name: &str| Document::load(path(name)).unwrap_err().to_string();
    assert!(refused("none.toml").ends_with("none.toml: error: there is no such file\n"));
    assert!(refused("").contains(": error: this is a folder\n"));
    assert!(refused("latin.toml").contains("latin.toml:2:13: error: the file is not UTF-8 text\n"));
    assert!(
        refused("large.toml")
            .contains("error: the file has 268435457 bytes; a scene has at most 268435456\n")
    );
    assert!(Document::load(path("bom.toml")).is_ok());
    assert!(Document::load(path("upper.JSON")).is_ok());
}

fn excerpt(text: &str, part: &str) -> (usize, usize, Excerpt) {
    let source = Source::new("x".to_owned(), text.to_owned());
    let start = text.find(part).unwrap();
    let (line, column) = source.line_column(start);
    (line, column, Excerpt::new(&source, &(start..start + part.len())))
}

/// Columns count characters; the underline counts columns of the terminal.
#[test]
fn the_underline_stands_under_the_text() {
    let (line, column, shown) = excerpt("a\r\né日 = \tX\r\nb", "X");
    assert_eq!((line, column), (2, 7));
    // é 1, 日 2, " = " 3, tab 4.
    assert_eq!(shown, Excerpt { line: "é日 =     X".to_owned(), indent: 10, width: 1 });

    let long = "k = ".to_owned() + &"0123456789".repeat(100) + "WRONG" + &"abcdefghij".repeat(100);
    let (_, column, shown) = excerpt(&long, "WRONG");
    assert_eq!(column, 1005);
    assert_eq!((shown.indent, shown.width), (41, 5));
    assert!(shown.line.starts_with('…') && shown.line.ends_with('…') && shown.line.chars().count() < 120);
    assert_eq!(shown.line.chars().skip(41).take(5).collect::<String>(), "WRONG");

    let (_, _, shown) = excerpt("a = \"\u{1b}[31m\u{202e}\"\n", "\u{1b}");
    assert_eq!(shown.line, "a = \"\u{fffd}[31m\u{fffd}\"");

    // A span over several lines is underlined to the end of the first, an empty one by one caret.
    let (_, _, shown) = excerpt("a = [1,\n2]", "[1,\n2]");
    assert_eq!((shown.indent, shown.width), (4, 3));
    let source = Source::new("x".to_owned(), "ab\n".to_owned());
    assert_eq!(Excerpt::new(&source, &(3..3)), Excerpt { line: String::new(), indent: 0, width: 1 });
    assert_eq!(source.line_column(1000), (2, 1));
}

/// What is found later, with a world, is shown at the value, or at the nearest thing around it.
#[test]
fn later_mistakes_find_their_place() {
    let text = "format = 1\n[[body]]\nname = \"a\"\nmass = 1\n[[body]]\nmass = 2\nvelocity = [1, 2, 3]\n";
    let document = Document::parse("s.toml", text).unwrap();
    let at = |path: &[PathSegment]| {
        let diagnostic = document.diagnostic_at(path, "too much", Some("take less".to_owned()));
        (diagnostic.path.clone(), text[diagnostic.span].to_owned())
    };
    let key = |key: &str| PathSegment::from(key);
    assert_eq!(at(&[key("body"), 1.into(), key("mass")]), ("body[1].mass".to_owned(), "2".to_owned()));
    assert_eq!(at(&[key("body"), 0.into(), key("mass")]), ("body \"a\".mass".to_owned(), "1".to_owned()));
    assert_eq!(at(&[key("body"), 1.into(), key("velocity"), 2.into()]).1, "3");
    assert_eq!(at(&[key("body"), 1.into(), key("shape"), key("radius")]).1, "[[body]]");
    assert_eq!(at(&[key("run"), key("duration")]).1, "");
    let diagnostic: Diagnostic =
        document.diagnostic_at(&[key("body"), 1.into(), key("mass")], "too much", None);
    let errors: SceneErrors = document.errors(vec![diagnostic]);
    assert!(errors.to_string().starts_with("s.toml:6:8: error: too much\n"));
}

/// A scene made by a program is checked too, numbers that are not finite included.
#[test]
fn scenes_made_by_programs_are_checked() {
    let mut scene = Document::parse("s.toml", "format = 1\n[[body]]\nmass = 1\n").unwrap().into_scene();
    assert_eq!(scene.check(), []);
    scene.body[0].velocity = Some([0.0, f64::NAN, 0.0]);
    let problems = scene.check();
    let path: Vec<PathSegment> = vec!["body".into(), 0.into(), "velocity".into(), 1.into()];
    assert_eq!((problems.len(), &problems[0].path), (1, &path));
    assert!(Document::parse("s.toml", &scene.to_toml()).is_err());
    assert!(Document::parse("s.json", &scene.to_json()).is_err());
    assert_eq!(Scene { format: 2, ..Scene::default() }.check().len(), 1);
}
