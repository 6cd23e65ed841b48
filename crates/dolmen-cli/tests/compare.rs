//! `dolmen compare`: errors that fall with the step, a tolerance that is met or not, wrong input; and runs in fixed steps: their tables and
//! checkpoints.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn dolmen(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dolmen")).args(arguments).output().expect("the command starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const SLIDING: &str = r#"
format = 1
gravity = [4, 0, -9.81]
[contact]
friction = 0
[run]
duration = 1.0
driver = "fixed"
precision = "f64"
[[body]]
name = "block"
shape = { kind = "box", size = [0.2, 0.2, 0.1] }
density = 1000
position = [0, 0, 0.05]
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
density = 1000
position = [0, 1, 0.5]
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
"#;

fn scene(folder: &Path) -> String {
    let file = folder.join("sliding.toml");
    fs::write(&file, SLIDING).expect("a scene");
    file.to_string_lossy().into_owned()
}

/// Errors fall with the step; the longest step within a tolerance is named; the tables and the figure are there. In double precision: in
/// single precision the rounding of some thousand sums of a velocity (half an ulp each, 6e-4 m/s at 4 m/s) hides how it falls.
#[test]
fn errors_fall_with_the_step() {
    let folder = TempDir::new().expect("a folder");
    let scene = scene(folder.path());
    let out = folder.path().join("out");
    let steps = ["compare", &scene, "--steps", "1/60,1/240,1/960", "--out", out.to_str().expect("a path")];
    let output = dolmen(&[&steps[..], &["--tolerance", "position=1"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("the longest step that meets the tolerance: 1/60 s"), "{}", said(&output));
    let text = fs::read_to_string(out.join("compare.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let error = |k: usize, kind: &str| summary["steps"][k][kind].as_f64().expect("a number");
    for kind in ["position", "velocity", "time"] {
        assert!(error(2, kind) < 0.5 * error(0, kind) + 1e-9, "{kind}: {text}");
    }
    assert_eq!(summary["steps"][2]["pairs_found_by_both"], 2, "{text}");
    assert_eq!(summary["steps"][2]["pairs_found_by_one"], 0, "{text}");
    let rows = fs::read_to_string(out.join("compare.csv")).expect("a table");
    assert!(rows.starts_with("step,t,position,velocity,energy\n") && rows.lines().count() > 100);
    assert!(out.join("errors.svg").exists() && out.join("errors.png").exists());
    let output = dolmen(&[&steps[..4], &["--tolerance", "position=0,time=0.1"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
}

/// What makes no sense is refused with the place.
#[test]
fn wrong_input_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let scene = scene(folder.path());
    for (arguments, place) in [
        (&["--steps", "0"][..], "--steps 0"),
        (&["--steps", "1/0"], "--steps 1/0"),
        (&["--steps", "two"], "--steps two"),
        (&["--steps", "5"], "--steps 5"),
        (&["--tolerance", "colour=1"], "--tolerance colour=1"),
        (&["--tolerance", "position=-1"], "--tolerance position=-1"),
        (&["--for=-1"], "--for -1"),
        (&["--samples", "0"], "--samples 0"),
    ] {
        let output = dolmen(&[&["compare", &scene][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(place), "{arguments:?}: {}", said(&output));
    }
}

/// A run in fixed steps has events and forces in its tables, and goes on from its checkpoint to the same tables.
#[test]
fn fixed_runs_have_tables_and_checkpoints() {
    let folder = TempDir::new().expect("a folder");
    let scene = scene(folder.path());
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let run = |out: &str, more: &[&str]| {
        let output =
            dolmen(&[&["run", &scene, "--driver", "fixed", "--out", &place(out)][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    };
    run("whole", &[]);
    let whole = folder.path().join("whole");
    let table = |name: &str| fs::read_to_string(whole.join(name)).expect("a table");
    assert_eq!(table("events.csv").lines().filter(|line| line.contains(",collision,")).count(), 2);
    let last = table("resultants.csv").lines().rfind(|line| line.contains(",block,")).map(str::to_owned);
    let last = last.expect("the block stands on something");
    let up: f64 = last.split(',').nth(5).expect("a force").parse().expect("a number");
    assert!((up - 4.0 * 9.81).abs() < 0.05, "{last}");
    // Of a run that is done nothing is left to go on with, but its checkpoint was taken on the way.
    run("marked", &["--checkpoint", "0"]);
    let tables = |name: &str| {
        ["bodies.csv", "events.csv", "forces.csv"]
            .map(|t| fs::read(folder.path().join(name).join(t)).expect("a table"))
    };
    assert_eq!(tables("whole"), tables("marked"));
}
