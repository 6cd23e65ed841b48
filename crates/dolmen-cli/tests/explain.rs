//! `dolmen run --explain`: the numbers that it writes are those of statics and of the law of impact.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

fn dolmen(folder: &TempDir, words: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_dolmen")).args(words).current_dir(folder.path()).output();
    command.expect("the command starts")
}

/// Two smooth bricks at rest: eight rows, a quarter of a weight at each corner, no acceleration, and a choice among forces.
#[test]
fn a_stack_at_rest_is_explained() {
    let folder = TempDir::new().expect("a folder");
    let output = dolmen(&folder, &["run", "two-bricks-at-rest", "--explain", "0", "--out", "run"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("explain-0.md"));
    let text = fs::read_to_string(folder.path().join("run/explain-0.md")).expect("the explanation");
    let rows: Vec<&str> = text.lines().filter(|line| line.split_whitespace().nth(2) == Some("n")).collect();
    assert_eq!(rows.len(), 8, "{text}");
    for (i, row) in rows.iter().enumerate() {
        let expected = if i < 4 { "| -9.81 | 9.81 | 0 |" } else { "| 0 | 4.905 | 0 |" };
        assert!(row.ends_with(expected), "{row}");
    }
    assert!(text.contains("Several sets of forces"), "{text}");
}

/// A bounce: v⁻ + A j is v⁺, with A = 1/m.
#[test]
fn a_bounce_is_explained() {
    let folder = TempDir::new().expect("a folder");
    let output = dolmen(&folder, &["run", "bouncing-ball", "--for", "1", "--explain", "1", "--out", "run"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.path().join("run/explain-1.md")).expect("the explanation");
    assert!(text.contains("| 1 ball – floor | -4.429447 | 3.986502 | 3.986502 |"), "{text}");
}

/// Changes of modes after a collision, or without any, are in its group: each instant has a part, with the forces that were found there.
#[test]
fn every_change_of_modes_is_explained() {
    let folder = TempDir::new().expect("a folder");
    let scene = "format = 1\ngravity = [0, 0, -9.81]\ncontact = { restitution = 0, friction = 0 }\nrun = { duration = 0.4 }\n\
                 [[body]]\nname = \"table\"\nkind = \"fixed\"\nposition = [-1, 0, -0.5]\nshape = { kind = \"box\", size = [2, 2, 1] }\n\
                 [[body]]\nname = \"a\"\nmass = 1\nposition = [0.2, 0, 0.15]\nshape = { kind = \"box\", size = [1, 0.5, 0.3] }\n\
                 [[body]]\nname = \"b\"\nmass = 2\nposition = [0.35, 0, 0.4]\nshape = { kind = \"box\", size = [1, 0.5, 0.2] }\n";
    fs::write(folder.path().join("tips.toml"), scene).expect("a scene");
    let output = dolmen(&folder, &["run", "tips.toml", "--explain", "0", "--out", "run"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.path().join("run/explain-0.md")).expect("the explanation");
    let parts: Vec<&str> = text.split("# Event 0 at t = ").skip(1).collect();
    assert!(parts.len() >= 3 && parts[0].starts_with("0 s"), "{} parts\n{text}", parts.len());
    for part in parts {
        let answered = part.contains("| A f + b, m/s² |") || part.contains("No contact of these bodies");
        assert!(answered, "{part}");
    }
}

/// An event that there is not, and a driver that solves no such problem, are refused with a remedy.
#[test]
fn what_cannot_be_explained_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let output =
        dolmen(&folder, &["run", "bouncing-ball", "--for", "1", "--explain", "9999", "--out", "run"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("column `group`"), "{said}");
    let words = ["run", "intro-cube", "--set", "run.driver=intro", "--explain", "1"];
    let output = dolmen(&folder, &words);
    assert_eq!(output.status.code(), Some(2));
}
