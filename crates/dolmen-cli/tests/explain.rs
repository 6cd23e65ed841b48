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
