//! The command as a user meets it: exit codes, messages, files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn dolmen(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.current_dir(folder).args(arguments).output().expect("the command starts")
}

/// Exit code and what was said, both streams.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = dolmen(folder, arguments);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

const BALL: &str = "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 2\nsamples = 5\n[[body]]\nname = \"ball\"\nmass = 3\nshape = { kind = \"sphere\", radius = 0.1 }\nvelocity = [1, 0, 10]\n";

/// Every promised file is there, and the numbers are those of a throw.
#[test]
fn a_run_writes_its_tables() {
    let folder = folder_with(&[("ball.toml", BALL)]);
    let (code, text) = said(folder.path(), &["run", "ball.toml", "--out", "out", "--also", "parquet", "-q"]);
    assert_eq!(code, Some(0), "{text}");
    let out = folder.path().join("out");
    let read =
        |name: &str| fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let states = read("states.csv");
    let lines: Vec<&str> = states.lines().collect();
    assert_eq!(lines[0], "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
    assert_eq!(lines[2], "0.5,ball,0.5,0.0,3.75,1.0,0.0,0.0,0.0,1.0,0.0,5.0,0.0,0.0,0.0");
    assert_eq!(lines.len(), 6);
    assert!(read("energy.csv").starts_with("t,kinetic,potential,work,total,error\n0.0,151.5,"));
    assert_eq!(read("scene.toml"), BALL);
    assert!(out.join("states.parquet").is_file() && out.join("momentum.csv").is_file());
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).expect("JSON");
    assert_eq!((summary["status"].as_str(), summary["samples"].as_u64()), (Some("done"), Some(5)));
}

/// The same scene gives the same bits however it is sampled, and `--set` changes what it names.
#[test]
fn sampling_changes_nothing_and_set_does() {
    let folder = TempDir::new().expect("a temporary folder");
    let hash = |name: &str, extra: &[&str]| {
        let arguments = [&["run", "spring-chain", "--for", "2", "-q", "--out", name], extra].concat();
        let (code, text) = said(folder.path(), &arguments);
        assert_eq!(code, Some(0), "{text}");
        let summary = fs::read_to_string(folder.path().join(name).join("summary.json")).expect("a summary");
        let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        summary["state_hash"].as_str().expect("a hash").to_owned()
    };
    let first = hash("a", &["--samples", "3"]);
    assert_eq!(first, hash("b", &["--every", "0.013"]));
    assert_ne!(first, hash("c", &["--set", "body.first.mass=1.01"]));
    let copy = fs::read_to_string(folder.path().join("c/scene.toml")).expect("the copy of the scene");
    assert!(copy.contains("mass = 1.01"), "{copy}");
}

/// A run that cannot go on ends with code 1, says when and why, and keeps what it had.
#[test]
fn a_singularity_ends_with_code_1_and_a_record() {
    let scene = "format = 1\n[run]\nduration = 2\nevery = 0.25\n[[particles]]\nname = \"comet\"\nmass = 1\npositions = [[1, 0, 0]]\n[[force]]\nkind = \"attract\"\nto = [0, 0, 0]\nstrength = 1\n";
    let folder = folder_with(&[("fall.toml", scene)]);
    let (code, text) = said(folder.path(), &["run", "fall.toml", "-q", "--out", "out"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.starts_with("error: at t = 1.11") && text.contains("comet") && text.contains("(6 samples)"),
        "{text}"
    );
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).expect("a summary");
    assert!(
        summary.contains("\"status\": \"failed\"") && summary.contains("\"stopped_at\": 1.11"),
        "{summary}"
    );
    let rows = fs::read_to_string(folder.path().join("out/particles.csv")).expect("a table");
    assert_eq!(rows.lines().count(), 7, "the stop is a sample, too");
}

/// Mistakes: code 2, place, offending text, remedy; all of them at once.
#[test]
fn mistakes_are_shown_with_their_place() {
    let wrong = "format = 1\ngravty = [0, 0, -9.81]\n[[body]]\nname = \"a\"\nmas = 1\nshape = { kind = \"spere\", radius = 1 }\n";
    let open = "format = 1\n[[body]]\nname = \"a\"\ndensity = 1\nshape = { kind = \"mesh\", vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], triangles = [[0,2,1],[0,1,3],[0,3,2]] }\n";
    let folder = folder_with(&[("wrong.toml", wrong), ("open.toml", open)]);
    let (code, text) = said(folder.path(), &["check", "wrong.toml"]);
    assert_eq!(code, Some(2), "{text}");
    insta::assert_snapshot!(text);
    let (code, text) = said(folder.path(), &["check", "open.toml"]);
    assert_eq!(code, Some(2), "{text}");
    insta::assert_snapshot!(text);
}

/// What is wrong on the command line itself.
#[test]
fn wrong_arguments_are_refused() {
    let folder = folder_with(&[("ball.toml", BALL), ("no-end.toml", "format = 1\n")]);
    let here = folder.path();
    let mut all = String::new();
    for arguments in [
        &["run", "tumbling-blok"][..],
        &["run", "nowhere.toml"],
        &["run", "no-end.toml"],
        &["run", "ball.toml", "--for", "nan"],
        &["run", "ball.toml", "--for=-1"],
        &["run", "ball.toml", "--samples", "0"],
        &["run", "ball.toml", "--every", "0"],
        &["run", "ball.toml", "--every", "1e-30"],
        &["run", "ball.toml", "--set", "body.bal.mass=2"],
        &["run", "ball.toml", "--set", "body.ball.mass=-2"],
        &["run", "ball.toml", "--set", "gravity"],
        &["run", "ball.toml", "--out", "."],
        &["plot", "."],
        &["scenes", "figure-nine"],
    ] {
        let (code, text) = said(here, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        all.extend(["$ dolmen ", &arguments.join(" "), "\n", &text, "\n"]);
    }
    insta::assert_snapshot!(all);
}

/// The list of scenes, the text of one, the schema and completions.
#[test]
fn the_small_commands_print() {
    let folder = TempDir::new().expect("a temporary folder");
    let (code, list) = said(folder.path(), &["scenes"]);
    assert!(code == Some(0) && list.lines().count() >= 13 && list.contains("tumbling-block"), "{list}");
    let (code, text) = said(folder.path(), &["scenes", "tumbling-block"]);
    assert!(code == Some(0) && text.starts_with("format = 1\n"));
    let (code, schema) = said(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    assert!(code == Some(0) && schema["properties"]["body"].is_object());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, text) = said(folder.path(), &["completions", shell]);
        assert!(code == Some(0) && text.contains("dolmen"), "{shell}");
    }
}

/// Every built-in scene runs from its name alone, and its figures are drawn.
#[test]
fn every_built_in_scene_runs_and_draws() {
    let folder = TempDir::new().expect("a temporary folder");
    let (_, list) = said(folder.path(), &["scenes"]);
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let (code, text) = said(folder.path(), &["run", name, "-q", "--for", "0.5", "--samples", "11"]);
        assert_eq!(code, Some(0), "{name}: {text}");
        let run = format!("runs/{name}");
        let (code, text) = said(folder.path(), &["plot", &run]);
        assert!(
            code == Some(0) && text.contains("energy.svg") && text.contains("index.html"),
            "{name}: {text}"
        );
    }
    // A second run finds another folder, and nothing is lost.
    let (_, text) = said(folder.path(), &["run", "tumbling-block", "-q"]);
    assert!(text.contains("runs/tumbling-block-2"), "{text}");
}

/// A scene with files of its own takes them along, so that the copy runs from where it lies.
#[test]
fn a_copy_of_a_scene_with_files_runs() {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let scene = "format = 1\n[run]\nduration = 1\n[[body]]\nname = \"t\"\ndensity = 2\nshape = { kind = \"mesh\", path = \"t.obj\" }\nspin = [1, 2, 3]\n[[particles]]\nname = \"p\"\npath = \"p.csv\"\n";
    let folder =
        folder_with(&[("t.obj", tetrahedron), ("p.csv", "x,y,z,m\n1,2,3,4\n5,6,7,8\n"), ("s.toml", scene)]);
    let (code, text) = said(folder.path(), &["run", "s.toml", "-q", "--out", "a"]);
    assert_eq!(code, Some(0), "{text}");
    fs::remove_file(folder.path().join("t.obj")).expect("the mesh goes away");
    let (code, text) = said(folder.path(), &["run", "a/scene.toml", "-q", "--out", "b"]);
    assert_eq!(code, Some(0), "{text}");
    let hash = |run: &str| {
        let text = fs::read_to_string(folder.path().join(run).join("summary.json")).expect("a summary");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["state_hash"].clone()
    };
    assert_eq!(hash("a"), hash("b"));
}
