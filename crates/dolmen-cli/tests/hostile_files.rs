//! Files that a scene or a model names: pipes, devices, files elsewhere and files that are something else are refused at once, with
//! the place and a remedy, and nothing of them is printed.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Seek};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What no message may show.
const SECRET: &str = "correct-horse-battery-staple";

/// Runs the command; one that waits for a pipe or reads a device without end is ended, and the test fails.
fn dolmen(at: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    // Into files: a pipe that nobody reads while it waits would fill up.
    let [mut out, mut err] = [(); 2].map(|()| tempfile::tempfile().expect("a file"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_dolmen"))
        .args(arguments)
        .current_dir(at)
        .stdout(out.try_clone().expect("a file"))
        .stderr(err.try_clone().expect("a file"))
        .spawn()
        .expect("the command starts");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > Duration::from_mins(1) {
            let _ = child.kill();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = child.wait().expect("it ended");
    let mut bytes = Vec::new();
    for file in [&mut out, &mut err] {
        file.rewind().expect("a file");
        file.read_to_end(&mut bytes).expect("a file");
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    assert!(!text.contains(SECRET), "{arguments:?} quotes a file: {text}");
    (status.code(), text)
}

/// A folder with a scene's folder in it, and beside that a file of somebody else; pipes and links in the scene's.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("scenes");
    fs::create_dir(&inside).expect("a folder");
    let made = Command::new("mkfifo").arg(inside.join("pipe")).status().expect("mkfifo starts");
    assert!(made.success());
    for ending in ["", ".obj", ".stl", ".toml", ".csv", ".urdf"] {
        let secret = folder.path().join(format!("secret{ending}"));
        fs::write(&secret, format!("{SECRET},{SECRET}\n{SECRET}\nv {SECRET} 1 2\n")).expect("a file");
        symlink(&secret, inside.join(format!("link{ending}"))).expect("a link");
        symlink("/dev/zero", inside.join(format!("zero{ending}"))).expect("a link");
        symlink("pipe", inside.join(format!("fifo{ending}"))).expect("a link");
        // In the scene's own folder, but no mesh, table or scene.
        if ending != ".toml" {
            fs::copy(&secret, inside.join(format!("own{ending}"))).expect("a copy");
        }
    }
    folder
}

fn naming(list: &str) -> String {
    format!("format = 1\n[run]\nduration = 1\n{list}\n")
}

fn mesh(path: &str) -> String {
    naming(&format!("[[body]]\nmass = 1\nshape = {{ kind = \"mesh\", path = \"{path}\" }}"))
}

fn table(path: &str) -> String {
    naming(&format!("[[particles]]\nname = \"p\"\nmass = 1\npath = \"{path}\""))
}

fn include(path: &str) -> String {
    naming(&format!("[[include]]\nfile = \"{path}\""))
}

/// Whatever a scene names, and in whichever way.
#[test]
fn scenes_read_only_regular_files_of_their_folder() {
    let folder = folder();
    let at = folder.path().join("scenes");
    let mut tried = 0;
    for (kind, scene) in [("mesh", mesh as fn(&str) -> String), ("table", table), ("include", include)] {
        for name in [
            "pipe",
            "fifo",
            "fifo.obj",
            "fifo.stl",
            "fifo.csv",
            "fifo.toml",
            "zero",
            "zero.obj",
            "zero.stl",
            "zero.csv",
            "zero.toml",
            "link",
            "link.obj",
            "link.stl",
            "link.csv",
            "link.toml",
            "own",
            "own.obj",
            "own.stl",
            "own.csv",
            "../secret.obj",
            "../secret.csv",
            "../secret.toml",
            "/dev/zero",
            "/etc/passwd",
            ".",
            "",
            "missing.obj",
            "missing.csv",
            "missing.toml",
            "\\u001b[31mred\\n\\r.obj",
        ] {
            fs::write(at.join("scene.toml"), scene(name)).expect("a file");
            for outside in [&["check", "scene.toml"][..], &["check", "scene.toml", "--allow-outside"]] {
                let (code, text) = dolmen(&at, outside);
                assert_eq!(code, Some(2), "{kind} {name:?}, {outside:?}: {text}");
                assert!(text.starts_with("scene.toml:"), "{kind} {name:?}: no place in {text}");
                assert!(text.contains("help: "), "{kind} {name:?}: no remedy in {text}");
                assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{kind} {name:?}: {text:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 150);
    // What is meant to be read is.
    fs::write(folder.path().join("points.csv"), "x,y,z\n0,0,0\n").expect("a file");
    fs::write(at.join("scene.toml"), table("../points.csv")).expect("a file");
    assert_eq!(dolmen(&at, &["check", "scene.toml", "--allow-outside"]).0, Some(0));
    let (code, text) = dolmen(&at, &["check", "scene.toml"]);
    assert!(code == Some(2) && text.contains("--allow-outside"), "{text}");
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A robot with one mesh.
fn urdf(mesh: &str) -> String {
    format!(
        "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\
         <collision><geometry><mesh filename='{mesh}'/></geometry></collision></link></robot>"
    )
}

/// A model reads meshes below its folder, from packages that say that they are packages, and from folders that the user names.
#[test]
fn models_read_only_their_packages() {
    let folder = folder();
    let root = folder.path();
    for package in ["robot/urdf", "robot/meshes", "other/meshes", "plain/meshes", "share/third/meshes"] {
        fs::create_dir_all(root.join(package)).expect("a folder");
    }
    for mesh in [
        "robot/meshes/m.obj",
        "other/meshes/m.obj",
        "plain/meshes/m.obj",
        "share/third/meshes/m.obj",
        "m.obj",
    ] {
        fs::write(root.join(mesh), TETRAHEDRON).expect("a mesh");
    }
    fs::write(root.join("other/package.xml"), "<package/>").expect("a file");
    let at = root.join("robot/urdf");
    fs::write(at.join("m.obj"), TETRAHEDRON).expect("a mesh");
    symlink(root.join("m.obj"), at.join("link.obj")).expect("a link");
    symlink("/dev/zero", at.join("zero.obj")).expect("a link");
    symlink(root.join("scenes/pipe"), at.join("pipe.obj")).expect("a link");
    let root_name = root.file_name().expect("a name").to_string_lossy().into_owned();
    let outside = root.join("m.obj").to_string_lossy().into_owned();
    for (uri, more, is_read) in [
        ("m.obj", &[][..], true),
        ("package://robot/meshes/m.obj", &[], true),
        ("package://other/meshes/m.obj", &[], true),
        ("package://plain/meshes/m.obj", &[], false),
        ("package://plain/meshes/m.obj", &["--package-path", "../.."], true),
        ("package://third/meshes/m.obj", &[], false),
        ("package://third/meshes/m.obj", &["--package-path", "../.."], true),
        (&format!("package://{root_name}/m.obj"), &[], false),
        ("package://other/../m.obj", &[], false),
        ("../../m.obj", &[], false),
        ("../../m.obj", &["--allow-outside"], true),
        ("link.obj", &[], false),
        ("link.obj", &["--allow-outside"], true),
        (&outside, &[], false),
        (&format!("file://{outside}"), &[], false),
        ("zero.obj", &["--allow-outside"], false),
        ("pipe.obj", &["--allow-outside"], false),
        ("/dev/zero", &["--allow-outside"], false),
        ("/etc/passwd", &[], false),
    ] {
        fs::write(at.join("model.urdf"), urdf(uri)).expect("a file");
        let (code, text) = dolmen(&at, &[&["import", "model.urdf"], more].concat());
        assert_eq!(code, Some(0), "{uri} {more:?}: {text}");
        assert_eq!(text.contains("points = "), is_read, "{uri} {more:?}: {text}");
    }
    // A model that is one of the devices itself.
    for name in ["zero.obj", "pipe.obj", "/dev/zero"] {
        let (code, text) = dolmen(&at, &["import", name]);
        assert!(code == Some(2) && text.contains("no regular file"), "{name}: {text}");
    }
}

/// A mistake far inside a long text has its place, as in a short one.
#[test]
fn places_in_long_texts() {
    use std::fmt::Write;

    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut text = naming("gravity = [0, 0, -10]").replace("[run]\nduration = 1\ngravity", "gravity")
        + "[run]\nduration = 1\n";
    let mut wrong_line = 0;
    for i in 0..20_000 {
        let key = if i == 15_000 { "mas" } else { "mass" };
        let _ = writeln!(
            text,
            "[[body]]\nname = \"b{i}\"\n{key} = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nposition = [{i}, 0, 0]"
        );
        if i == 15_000 {
            wrong_line = text.lines().count() - 2;
        }
    }
    assert!(text.len() > 1 << 20, "{}", text.len());
    fs::write(at.join("long.toml"), &text).expect("a file");
    let (code, said) = dolmen(at, &["check", "long.toml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(&format!("long.toml:{wrong_line}:1: error: unknown key `mas`")), "{said:.500}");
    assert!(said.contains("in: body \"b15000\".mas") && said.contains("did you mean `mass`?"), "{said:.500}");
    fs::write(at.join("long.toml"), text.replace("mas = 1", "mass = 1")).expect("a file");
    let (code, said) = dolmen(at, &["check", "long.toml", "--set", "body.b999.mass=2"]);
    let row = said.lines().find(|line| line.starts_with("b999 ")).unwrap_or_default();
    assert!(code == Some(0) && row.split_whitespace().nth(1) == Some("2"), "{row} in {said:.300}");
    let (code, said) = dolmen(at, &["check", "long.toml", "--set", "body.b20000.mass=2"]);
    assert!(code == Some(2) && said.contains("b20000"), "{said:.300}");
}

/// What no real thing has, and what would never end, is refused when it is read: with place, reason and remedy.
#[test]
fn absurd_numbers_are_refused_with_place_and_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let scene = "format = 1\n[run]\nduration = 1\n[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n\
                 [[body]]\nname = \"k\"\nkind = \"kinematic\"\nposition = [9, 0, 0]\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
                 motion = { kind = \"oscillate\", amplitude = [0, 0, 1], frequency = 1 }\n\
                 [[force]]\nname = \"s\"\nkind = \"spring\"\na = { body = \"a\" }\nb = { point = [0, 0, 9] }\nstiffness = 1\nlength = 1\n";
    fs::write(at.join("scene.toml"), scene).expect("a file");
    assert_eq!(dolmen(at, &["check", "scene.toml"]).0, Some(0));
    for absurd in [
        "run.samples=1000000000000000000",
        "run.samples=1e18",
        "run.every=1e-300",
        "run.duration=1e300",
        "gravity=[0,0,-1e308]",
        "force.s.stiffness=1e300",
        "body.k.motion.frequency=1e9",
        "run.intro.step=1e-300",
        "run.step=1e-300",
        "integrator.step=1e-300",
        "body.a.mass=1e300",
        "body.a.velocity=[1e300,0,0]",
        "body.a.spin=[0,1e300,0]",
        "body.a.position=[0,0,1e300]",
    ] {
        let driver = match absurd.split('.').nth(1) {
            Some("intro") => "run.driver=\"intro\"",
            Some(step) if step.starts_with("step") && absurd.starts_with("run") => "run.driver=\"fixed\"",
            _ => "run.driver=\"exact\"",
        };
        let (code, text) = dolmen(at, &["check", "scene.toml", "--set", driver, "--set", absurd]);
        assert_eq!(code, Some(2), "{absurd}: {text}");
        assert!(text.starts_with("override:1:") && text.contains("help: "), "{absurd}: {text}");
        assert!(text.lines().all(|line| line.len() < 200), "{absurd}: rows of zeros in {text}");
    }
    for (arguments, word) in [
        (&["run", "scene.toml", "--samples", "1000000000000000000"][..], "--samples"),
        (&["run", "scene.toml", "--every", "1e-300"], "--every"),
        (&["run", "scene.toml", "--for", "1e300"], "--for"),
    ] {
        let (code, text) = dolmen(at, arguments);
        assert!(code == Some(2) && text.contains(word) && text.len() < 300, "{arguments:?}: {text}");
    }
}

/// Keys and lists that are nested too deep are reported where they are.
#[test]
fn deep_nesting_is_reported_in_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let dotted = vec!["a"; 500].join(".");
    for (name, text) in [
        ("keys.toml", format!("format = 1\n\n{dotted} = 1\n")),
        ("header.toml", format!("format = 1\n\n[{dotted}]\nb = 1\n")),
        ("lists.toml", format!("format = 1\n\nx = {}{}\n", "[".repeat(500), "]".repeat(500))),
        ("tables.toml", format!("format = 1\n\nx = {}1{}\n", "{a=".repeat(500), "}".repeat(500))),
        (
            "lists.json",
            format!("{{\"format\": 1,\n\n\"x\": {}{}}}\n", "[".repeat(100_000), "]".repeat(100_000)),
        ),
    ] {
        fs::write(at.join(name), text).expect("a file");
        let (code, said) = dolmen(at, &["check", name]);
        assert_eq!(code, Some(2), "{name}: {said}");
        assert!(said.starts_with(&format!("{name}:3:")) && said.contains("help: "), "{name}: {said}");
        assert!(said.contains("too deep") || said.contains("64 deep"), "{name}: {said}");
    }
}

/// Moments and masses are printed with sensible digits.
#[test]
fn numbers_are_printed_for_people() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let scene = "format = 1\n[run]\nduration = 1e20\nsamples = 2\n[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.1 }\n";
    fs::write(at.join("scene.toml"), scene).expect("a file");
    let (_, text) = dolmen(at, &["check", "scene.toml"]);
    assert!(text.contains("0.004, 0.004, 0.004"), "{text}");
    let (_, text) = dolmen(at, &["check", "scene.toml", "--set", "body.a.mass=1e-30"]);
    assert!(text.contains("1e-30 ") && text.contains("4e-33"), "{text}");
    let (_, text) = dolmen(at, &["run", "scene.toml", "--out", "run", "-q"]);
    assert!(text.starts_with("1e20 s simulated"), "{text}");
}
