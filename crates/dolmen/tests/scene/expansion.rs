//! Scenes that are written short: expressions, repeats, templates, includes. Each is compared with what it stands for.

use std::path::Path;
use std::time::{Duration, Instant};

use dolmen::scene::{Document, ReadOptions, Scene, SceneErrors};
use proptest::prelude::*;

fn scene(text: &str) -> Scene {
    match Document::parse("scene.toml", &format!("format = 1\n{text}")) {
        Ok(document) => document.into_scene(),
        Err(errors) => panic!("{errors}"),
    }
}

fn refusal(text: &str) -> String {
    match Document::parse("scene.toml", &format!("format = 1\n{text}")) {
        Ok(document) => panic!("accepted:\n{}", document.scene().to_toml()),
        Err(errors) => errors.to_string(),
    }
}

fn value(expression: &str) -> f64 {
    let gravity = scene(&format!("gravity = [\"= {expression}\", 0, 0]")).gravity.expect("gravity");
    gravity[0]
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.body.iter().filter_map(|body| body.name.as_deref()).collect()
}

// -- expressions --

/// Values by hand, one for each rule of the language.
#[test]
#[expect(clippy::float_cmp, reason = "the same bits are meant")]
fn expressions_have_the_values_that_they_say() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("10 - 4 - 3", 3.0),
        ("64/4/2", 8.0),
        ("7 % 3", 1.0),
        ("-1 % 3", 2.0),
        ("if(1 < 2 and not (3 == 4), 5, 6)", 5.0),
        ("max(1, [4, 2][0], 3)", 4.0),
        ("norm([3, 4])", 5.0),
        ("len([1, 2, 3]) + min(4, 5)", 7.0),
        ("([1, 2] + 2*[3, 4])[1]", 10.0),
        ("30 deg", 30_f64.to_radians()),
        ("5 mm + 2 cm", 0.005 + 0.02),
        ("floor(2.7) + ceil(2.2) + round(2.5) + trunc(-1.5)", 7.0),
        ("if(false, 1/0, 2)", 2.0),
        ("clamp(7, 0, 5)", 5.0),
        ("sign(-3) + abs(-3)", 2.0),
        ("sqrt(16) + cbrt(27)", 7.0),
        ("1e3 + 1.5e-1", 1000.15),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[derive(Debug, Clone)]
enum Tree {
    Number(f64),
    Operation(char, Box<Tree>, Box<Tree>),
    Function(&'static str, Box<Tree>),
    Negative(Box<Tree>),
}

impl Tree {
    /// By the rules of Rust, which are the referee.
    fn value(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Operation('+', a, b) => a.value() + b.value(),
            Self::Operation('-', a, b) => a.value() - b.value(),
            Self::Operation('*', a, b) => a.value() * b.value(),
            Self::Operation(_, a, b) => a.value() / b.value(),
            Self::Function("abs", a) => a.value().abs(),
            Self::Function("floor", a) => a.value().floor(),
            Self::Function(_, a) => a.value().abs().sqrt(),
            Self::Negative(a) => -a.value(),
        }
    }

    /// With as few parentheses as the precedence of operators needs, so that a wrong precedence shows.
    fn text(&self, outer: u8) -> String {
        let (text, own) = match self {
            Self::Number(number) => (format!("{number:?}"), 9),
            Self::Operation(sign, a, b) => {
                let own = if matches!(sign, '+' | '-') { 4 } else { 5 };
                (format!("{} {sign} {}", a.text(own), b.text(own + 1)), own)
            }
            Self::Function("root", a) => (format!("sqrt(abs({}))", a.text(0)), 9),
            Self::Function(name, a) => (format!("{name}({})", a.text(0)), 9),
            Self::Negative(a) => (format!("-{}", a.text(7)), 6),
        };
        if own < outer { format!("({text})") } else { text }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (0.0..1e3_f64).prop_map(Tree::Number);
    leaf.prop_recursive(5, 24, 2, |inner| {
        prop_oneof![
            (prop::sample::select(vec!['+', '-', '*', '/']), inner.clone(), inner.clone())
                .prop_map(|(sign, a, b)| Tree::Operation(sign, Box::new(a), Box::new(b))),
            (prop::sample::select(vec!["abs", "floor", "root"]), inner.clone())
                .prop_map(|(name, a)| Tree::Function(name, Box::new(a))),
            inner.prop_map(|a| Tree::Negative(Box::new(a))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random expressions have the bits that Rust gives them.
    #[test]
    fn random_expressions_have_the_bits_of_rust(tree in trees()) {
        let (text, expected) = (tree.text(0), tree.value());
        if expected.is_finite() && text.len() < 900 {
            prop_assert_eq!(value(&text).to_bits(), (expected + 0.0).to_bits(), "{}", text);
        }
    }

    /// No text makes the reader panic, hang or give a number that is not finite.
    #[test]
    fn no_expression_panics(text in "[-+*/%^()\\[\\],.<>=!&|a-e0-9 ]{0,60}") {
        let text = format!("format = 1\n[let]\na = 1\nb = [1, 2]\nc = 'x'\n[[body]]\nmass = '= {text}'\n");
        if let Ok(document) = Document::parse("scene.toml", &text) {
            prop_assert!(document.scene().body[0].mass.is_none_or(f64::is_finite));
        }
    }
}

/// A mistake in an expression is shown at its bytes, with a remedy.
#[test]
fn mistakes_in_expressions_have_their_place() {
    let shown = refusal("[let]\nradius = 2\n[[body]]\nmass = \"= 2*radus + 1\"\n");
    assert!(shown.starts_with("scene.toml:5:13: error: there is no variable `radus` here"), "{shown}");
    assert!(shown.contains("did you mean `radius`?"), "{shown}");
    for (text, message) in [
        ("2 +", "expected a number or a name, and the expression ends"),
        ("2 3", "expected an operator"),
        ("(2", "expected `)`"),
        ("2 bananas", "`bananas` is no unit"),
        ("sin(1, 2)", "`sin` takes 1 values, not 2"),
        ("sine(1)", "there is no function `sine`; did you mean `sin`?"),
        ("sqrt(-1)", "`sqrt(-1)` is not a finite number"),
        ("1/0", "not finite"),
        ("[1, 2][2]", "there is no element 2: there are 2, counted from 0"),
        ("1 and 2", "expected true or false, found a number"),
    ] {
        let shown = refusal(&format!("[[body]]\nmass = \"= {text}\"\n"));
        assert!(shown.contains(message) && shown.starts_with("scene.toml:3:"), "{text}:\n{shown}");
    }
}

/// Variables come in any order, and in no circle.
#[test]
fn variables_need_no_order_and_make_no_circle() {
    let found = scene("[let]\na = \"= 2*b\"\nb = \"= c + 1\"\nc = \"5 mm\"\n[[body]]\nmass = \"= a\"\n");
    assert_eq!(found.body[0].mass, Some(2.0 * (0.005 + 1.0)));
    let shown = refusal("[let]\na = \"= b\"\nb = \"= c\"\nc = \"= a\"\n");
    assert!(shown.contains("these variables need each other: `a`, `b`, `c`"), "{shown}");
    assert!(!shown.contains("format"), "nothing else is wrong: {shown}");
    let shown = refusal("[let]\npi = 3\n");
    assert!(shown.contains("`pi` has a meaning of its own"), "{shown}");
}

/// Numbers with units stand wherever numbers do; texts with them stay texts.
#[test]
fn quantities_stand_for_numbers() {
    let found = scene(
        "[[body]]\nname = \"5 mm\"\nmass = \"250 g\"\nposition = [\"1 cm\", 0, \"2 ft\"]\n\
         orientation = { axis = [0, 0, 1], angle = \"90 deg\" }\n",
    );
    let body = &found.body[0];
    assert_eq!((body.name.as_deref(), body.mass), (Some("5 mm"), Some(0.25)));
    assert_eq!(body.position, Some([0.01, 0.0, 0.6096]));
    let shown = refusal("[[body]]\nmass = \"250 grams\"\n");
    assert!(shown.contains("expected a number, found text \"250 grams\""), "{shown}");
    assert!(shown.contains("`grams` is no unit"), "{shown}");
    for (text, near) in
        [("3 rads", "did you mean `rad`"), ("3 km/furlong", "`furlong` is no unit; possible here: `m`, `km`")]
    {
        let shown = refusal(&format!("[[body]]\nmass = \"{text}\"\n"));
        assert!(shown.contains(near), "{shown}");
    }
}

// -- repeats --

#[test]
fn a_grid_a_ring_and_a_stack_are_what_they_say() {
    let found = scene(
        r#"
[let]
n = 6
[[body]]
repeat = { i = 3, j = 2 }
name = "grid {i}-{j}"
mass = 1
position = ["= 2*i", "= 3*j", 0]
[[body]]
repeat = "= n"
name = "ring {i:02}"
mass = 1
let.angle = "= tau*i/n"
position = ["= cos(angle)", "= sin(angle)", 0]
[[body]]
repeat = { row = 4, i = "= 4 - row" }
when = "= row != 1"
name = "stack {row} {i}"
mass = 1
position = ["= i + row/2", 0, "= row"]
"#,
    );
    let found_names = names(&found);
    assert_eq!(&found_names[..6], ["grid 0-0", "grid 0-1", "grid 1-0", "grid 1-1", "grid 2-0", "grid 2-1"]);
    assert_eq!(found.body[5].position, Some([4.0, 3.0, 0.0]));
    assert_eq!(found_names[11], "ring 05");
    let [x, y, _] = found.body[8].position.unwrap();
    assert!((x + 0.5).abs() < 1e-15 && (y - 0.75_f64.sqrt()).abs() < 1e-15, "{x} {y}");
    assert_eq!(found_names[12..].len(), 4 + 2 + 1);
}

/// Repeats of joints and forces refer to the copies of bodies.
#[test]
fn joints_and_forces_are_repeated_too() {
    let found = scene(
        r#"
[[body]]
repeat = 4
name = "link {i}"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, "= -i"]
[[joint]]
repeat = { i = { from = 1, count = 3 } }
name = "pin {i}"
kind = "ball"
a = "link {i}"
b = "link {i - 1}"
at = [0, 0, "= 0.5 - i"]
[[force]]
repeat = { i = [0, 3] }
kind = "push"
body = "link {i}"
force = ["= 10*i", 0, 0]
"#,
    );
    assert_eq!(found.joint.len(), 3);
    assert_eq!((found.joint[2].a.as_deref(), found.joint[2].b.as_deref()), (Some("link 3"), Some("link 2")));
    assert_eq!(found.force.len(), 2);
    let world = found.build(Path::new(".")).expect("a world");
    assert_eq!(world.bodies().len(), 4);
}

/// A mistake in every copy is shown once, at its text, with the copy that it was found in.
#[test]
fn a_mistake_in_a_repeat_is_shown_once() {
    let shown = refusal("[[body]]\nrepeat = 50\nname = \"b{i}\"\nmass = \"= 3 - i\"\n");
    assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    assert!(shown.starts_with("scene.toml:5:8: error: `mass` has to be greater than 0, not 0"), "{shown}");
    assert!(shown.contains("in: body \"b3\".mass"), "{shown}");
    let shown = refusal("[[body]]\nrepeat = { i = 5 }\nname = \"b{i}\"\nmass = \"= sqrt(2.5 - i)\"\n");
    assert!(shown.contains("(at i = 3)") && shown.matches("error:").count() == 1, "{shown}");
    let shown = refusal("[[body]]\nrepeat = 2\nname = \"b\"\nmass = 1\n");
    assert!(shown.contains("the name \"b\" is taken already"), "{shown}");
}

/// What would be too much is refused before it is made.
#[test]
fn counts_and_depths_are_bounded_before_anything_is_made() {
    let begun = Instant::now();
    for text in [
        "[[body]]\nrepeat = 1e12\nmass = 1\n",
        "[[body]]\nrepeat = { i = 1000000, j = 1000000, k = 1000000 }\nmass = 1\n",
        "[[body]]\nrepeat = { i = 100000, j = \"= i\" }\nmass = 1\n",
        "[[body]]\nrepeat = { i = 1e15, j = \"= 0*i\" }\nmass = 1\n",
    ] {
        let shown = refusal(text);
        assert!(shown.contains("more than 4000000 elements"), "{text}\n{shown}");
    }
    // Each template places two of the next: 2^12 would be fine, a circle is not.
    let shown = refusal(
        "[template.t]\nplace = [{ template = \"t\" }, { template = \"t\" }]\n[[place]]\ntemplate = \"t\"\n",
    );
    assert!(shown.contains("more than 16 deep"), "{shown}");
    let deep = "(".repeat(200) + "1" + &")".repeat(200);
    assert!(refusal(&format!("gravity = [\"= {deep}\", 0, 0]\n")).contains("at most 64 deep"));
    let long = "1".to_owned() + &"+1".repeat(2000);
    assert!(refusal(&format!("gravity = [\"= {long}\", 0, 0]\n")).contains("at most 1000 bytes"));
    assert!(
        refusal("[[body]]\nrepeat = -1\nmass = 1\n")
            .contains("a count is a whole number of 0 or more, not -1")
    );
    assert!(refusal("[[body]]\nrepeat = 1.5\nmass = 1\n").contains("a count is a whole number"));
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

// -- templates --

const PENDULUM: &str = r#"
gravity = [0, 0, -9.81]
[template.pendulum]
let = { length = 1.0, mass = 2.0 }
[[template.pendulum.body]]
name = "bob"
mass = "= mass"
shape = { kind = "sphere", radius = 0.1 }
position = ["= length", 0, 0]
velocity = [0, 0, 1]
[[template.pendulum.joint]]
name = "pin"
kind = "hinge"
a = "bob"
axis = [0, 1, 0]
[[template.pendulum.force]]
kind = "spring"
a = { body = "bob" }
b = { body = "anchor" }
stiffness = 3
length = 0
"#;

/// A placed copy is the template turned, moved and renamed: the same as one written by hand.
#[test]
fn a_placed_copy_is_the_template_turned_moved_and_renamed() {
    let found = scene(&format!(
        r#"{PENDULUM}
[[body]]
name = "anchor"
kind = "fixed"
[[place]]
template = "pendulum"
name = "east"
[[place]]
template = "pendulum"
name = "north"
with = {{ length = 2 }}
position = [10, 0, 5]
orientation = {{ axis = [0, 0, 1], angle_deg = 90 }}
"#
    ));
    assert_eq!(names(&found), ["anchor", "east:bob", "north:bob"]);
    // Without a pose nothing changes, not in the last bit.
    assert_eq!(found.body[1].position, Some([1.0, 0.0, 0.0]));
    let near = |found: [f64; 3], wanted: [f64; 3]| {
        let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{found:?} {wanted:?}");
    };
    near(found.body[2].position.unwrap(), [10.0, 2.0, 5.0]);
    near(found.body[2].velocity.unwrap(), [0.0, 0.0, 1.0]);
    let joint = &found.joint[1];
    assert_eq!((joint.name.as_str(), joint.a.as_deref()), ("north:pin", Some("north:bob")));
    near(joint.at.unwrap(), [10.0, 0.0, 5.0]);
    near(joint.axis.unwrap(), [-1.0, 0.0, 0.0]);
    // A name that the copy does not have is looked for outside.
    let text = found.to_toml();
    assert!(
        text.contains("a = { body = \"north:bob\" }, b = { body = \"anchor\" }")
            || text.contains("body = \"anchor\""),
        "{text}"
    );
    // The flat scene is a scene, and the same one.
    assert_eq!(Document::parse("flat.toml", &text).expect("a scene").scene(), &found);
    found.build(Path::new(".")).expect("a world");
}

/// A copy inside a copy: poses and names are chained.
#[test]
fn copies_inside_copies_chain_their_poses_and_names() {
    let found = scene(
        r#"
[template.wheel]
let.r = 0.3
body = [{ name = "rim", mass = 1, shape = { kind = "sphere", radius = "= r" } }]
[template.axle]
place = [
  { template = "wheel", name = "left", position = [0, 1, 0], with = { r = 0.5 } },
  { template = "wheel", name = "right", position = [0, -1, 0] },
]
joint = [{ name = "bar", kind = "rod", a = "left:rim", b = "right:rim", frame_a = { at = [0, 0, 0] }, frame_b = { at = [0, 0, 0] } }]
[[place]]
repeat = 2
template = "axle"
name = "axle {i}"
position = ["= 3*i", 0, 0]
orientation = { axis = [1, 0, 0], angle_deg = 180 }
"#,
    );
    assert_eq!(names(&found), ["axle 0:left:rim", "axle 0:right:rim", "axle 1:left:rim", "axle 1:right:rim"]);
    let [x, y, z] = found.body[2].position.unwrap();
    assert!((x - 3.0).abs() + (y + 1.0).abs() + z.abs() < 1e-14, "{x} {y} {z}");
    assert_eq!(found.joint[1].b.as_deref(), Some("axle 1:right:rim"));
    found.build(Path::new(".")).expect("a world");
}

#[test]
fn what_a_template_does_not_have_is_refused() {
    let shown = refusal(&format!("{PENDULUM}\n[[place]]\ntemplate = \"pendulm\"\n"));
    assert!(
        shown.contains("there is no template \"pendulm\"") && shown.contains("did you mean `pendulum`?"),
        "{shown}"
    );
    let shown =
        refusal(&format!("{PENDULUM}\n[[place]]\ntemplate = \"pendulum\"\nwith = {{ lenght = 2 }}\n"));
    assert!(shown.contains("it has no variable `lenght` to set") && shown.contains("`length`"), "{shown}");
    let shown = refusal("[template.t]\ngravity = [0, 0, 0]\n");
    assert!(shown.contains("unknown key `gravity` of a template"), "{shown}");
    let shown = refusal("[place]\ntemplate = \"t\"\n");
    assert!(shown.contains("write [[place]] with two brackets"), "{shown}");
}

// -- overrides --

/// Overrides reach variables before, and single copies after the scene is expanded.
#[test]
fn overrides_reach_variables_and_copies() {
    let text = "format = 1\n[let]\nr = 1\n[[body]]\nrepeat = 3\nname = \"b{i}\"\nmass = \"= r*(i + 1)\"\n";
    let set = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        Document::parse_with("scene.toml", text, &changes)
    };
    let masses =
        |document: Document| document.scene().body.iter().map(|b| b.mass.unwrap()).collect::<Vec<_>>();
    assert_eq!(masses(set(&["let.r=2"]).unwrap()), [2.0, 4.0, 6.0]);
    assert_eq!(masses(set(&["let.r=2", "body.b1.mass=9"]).unwrap()), [2.0, 9.0, 6.0]);
    assert_eq!(masses(set(&["body.2.mass=\"= 10*r\""]).unwrap()), [1.0, 2.0, 10.0]);
    let shown = set(&["let.q=2"]).unwrap_err().to_string();
    assert!(shown.contains("the scene has no variable `q`"), "{shown}");
    let shown = set(&["body.b7.mass=2"]).unwrap_err().to_string();
    assert!(shown.contains("nothing here is named \"b7\""), "{shown}");
    let shown = set(&["body.7.mass=2"]).unwrap_err().to_string();
    assert!(shown.contains("there is no element 7"), "{shown}");
}

// -- files --

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn load(folder: &Path, text: &str) -> Result<Document, SceneErrors> {
    write(folder, "main.toml", &format!("format = 1\n{text}"));
    Document::load(folder.join("main.toml"))
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A file is included with a pose, a prefix and variables; its templates and meshes come along, its settings do not.
#[test]
fn files_are_included_with_pose_prefix_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "parts/solid.obj", TETRAHEDRON);
    write(
        folder.path(),
        "parts/leg.toml",
        "format = 1\ngravity = [1, 2, 3]\n[let]\nh = 1\n[template.foot]\nbody = [{ name = \"foot\", mass = \"= h\", inertia = [1, 1, 1] }]\n\
         [[body]]\nname = \"leg\"\ndensity = 1\nshape = { kind = \"mesh\", path = \"solid.obj\" }\nposition = [0, 0, \"= h\"]\n",
    );
    let document = load(
        folder.path(),
        "[[include]]\nrepeat = 2\nfile = \"parts/leg.toml\"\nname = \"table {i}\"\nposition = [\"= 5*i\", 0, 0]\nwith = { h = 3 }\n\
         [[place]]\ntemplate = \"foot\"\nname = \"own\"\n",
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(names(document.scene()), ["table 0:leg", "table 1:leg", "own:foot"]);
    assert_eq!(document.scene().body[1].position, Some([5.0, 0.0, 3.0]));
    assert_eq!(document.scene().body[2].mass, Some(3.0));
    assert_eq!(document.scene().gravity, None);
    assert_eq!(document.build(folder.path()).expect("a world").bodies().len(), 3);
}

/// A mistake in an included file is shown there, with where it is included.
#[test]
fn a_mistake_in_an_included_file_is_shown_there() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "inner.toml", "format = 1\n[[body]]\nname = \"b\"\nmass = -1\n");
    write(folder.path(), "middle.toml", "format = 1\n\n[[include]]\nfile = \"inner.toml\"\nname = \"m\"\n");
    let shown = load(folder.path(), "[[include]]\nfile = \"middle.toml\"\n").unwrap_err().to_string();
    assert!(shown.starts_with("inner.toml:4:8: error: `mass` has to be greater than 0"), "{shown}");
    assert!(shown.contains("included at: middle.toml:4:8"), "{shown}");
    assert!(shown.contains("main.toml:3:8") && shown.contains("in: body \"m:b\".mass"), "{shown}");
    write(folder.path(), "inner.toml", "format = 2\n");
    let shown = load(folder.path(), "[[include]]\nfile = \"inner.toml\"\n").unwrap_err().to_string();
    assert!(
        shown.starts_with("inner.toml:1:10: error: this version of Dolmen reads format 1, not 2"),
        "{shown}"
    );
    write(folder.path(), "inner.toml", "format = 1\n[[body]\n");
    let shown = load(folder.path(), "[[include]]\nfile = \"inner.toml\"\n").unwrap_err().to_string();
    assert!(shown.starts_with("inner.toml:2:"), "{shown}");
}

#[test]
fn files_that_include_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.toml", "format = 1\n[[include]]\nfile = \"b.toml\"\n");
    write(folder.path(), "b.toml", "format = 1\n[[include]]\nfile = \"a.toml\"\n");
    let shown = load(folder.path(), "[[include]]\nfile = \"a.toml\"\n").unwrap_err().to_string();
    assert!(shown.contains("a.toml includes itself"), "{shown}");
    let shown =
        Document::parse("text", "format = 1\n[[include]]\nfile = \"a.toml\"\n").unwrap_err().to_string();
    assert!(shown.contains("this scene has no folder"), "{shown}");
}

/// What is outside the folder, no regular file, or too large is not read; and nothing of it is told.
#[test]
fn files_outside_and_devices_are_refused_at_once() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("scene");
    write(outer.path(), "secret.toml", "format = 1\nsecret words\n");
    write(outer.path(), "solid.obj", TETRAHEDRON);
    write(&folder, "empty", "");
    let begun = Instant::now();
    let include =
        |file: &str| load(&folder, &format!("[[include]]\nfile = {file:?}\n")).unwrap_err().to_string();
    for file in ["../secret.toml", "x/../../secret.toml", "/etc/passwd", "/dev/zero"] {
        let shown = include(file);
        assert!(shown.contains("outside the folder") && shown.contains("main.toml:3:8"), "{shown}");
        assert!(!shown.contains("secret words") && !shown.contains("root:"), "{shown}");
    }
    let mesh = |path: &str| {
        let text = format!("[[body]]\ndensity = 1\nshape = {{ kind = \"mesh\", path = {path:?} }}\n");
        load(&folder, &text).unwrap().build(&folder).unwrap_err().to_string()
    };
    assert!(mesh("../solid.obj").contains("outside the folder"));
    assert!(mesh("nowhere.obj").contains("there is no file nowhere.obj"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", folder.join("zero.obj")).unwrap();
        std::os::unix::fs::symlink("../secret.toml", folder.join("link.toml")).unwrap();
        assert!(mesh("zero.obj").contains("outside the folder"), "{}", mesh("zero.obj"));
        assert!(include("link.toml").contains("outside the folder"));
    }
    // With leave, files outside are read, and devices still are not.
    let options = ReadOptions { allow_outside: true, ..ReadOptions::default() };
    let text = "format = 1\n[[body]]\ndensity = 1\nshape = { kind = \"mesh\", path = \"../solid.obj\" }\n";
    write(&folder, "main.toml", text);
    let document = Document::open(folder.join("main.toml"), &options).unwrap();
    assert_eq!(document.build(&folder).expect("a world").bodies().len(), 1);
    write(&folder, "main.toml", "format = 1\n[[include]]\nfile = \"/dev/zero\"\n");
    let shown = Document::open(folder.join("main.toml"), &options).unwrap_err().to_string();
    assert!(shown.contains("/dev/zero is no scene"), "{shown}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

// -- scenes of the repository --

/// The scenes that were rewritten with repeats are the same to the last bit: the hash is that of the longhand they replaced.
#[test]
fn rewritten_scenes_are_the_scenes_that_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    for (name, hash) in REWRITTEN {
        let mut scene = Document::load(folder.join(format!("{name}.toml")))
            .unwrap_or_else(|e| panic!("{e}"))
            .into_scene();
        scene.body.sort_by(|a, b| a.name.cmp(&b.name));
        scene.joint.sort_by(|a, b| a.name.cmp(&b.name));
        let found = blake3::hash(scene.to_json().as_bytes()).to_hex();
        assert_eq!(&found[..16], *hash, "{name}");
    }
}

/// Name and hash of the flat scene in the order of names.
const REWRITTEN: &[(&str, &str)] = &[
    ("arch", "37bd26801c099284"),
    ("box-of-hard-spheres", "b147a4df47137df3"),
    ("brick-wall", "ef90179f80936648"),
    ("chain-on-pivot", "d6077fcaba237227"),
    ("stack-of-bricks", "f476ab37bcf04e92"),
];
