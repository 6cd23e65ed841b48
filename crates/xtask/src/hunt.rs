//! `cargo xtask hunt`, and the hunt of `cargo xtask test`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{beside, cargo, root, run};

/// How long `cargo xtask test` hunts, s.
const SECONDS: &str = "120";

/// What the hunt ends with when it has found something.
const FOUND: i32 = 1;

/// Random scenes by an optimised program, with these options.
pub(crate) fn hunt(arguments: &[String]) -> Result<(), String> {
    cargo(&[
        "build",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "dolmen-cli",
        "--package",
        "dolmen-hunt",
    ])?;
    run(Command::new(root().join("target/release/hunt")).args(arguments))
}

/// Two minutes of random scenes, other ones for each commit, by the program that was tested. What the parent commit does wrong
/// as well is printed and blocks nothing.
pub(crate) fn hunt_tested() -> Result<(), String> {
    let seed = seed()?;
    let (hunt, dolmen) = (beside("hunt")?, beside("dolmen")?);
    println!("$ cargo xtask hunt --seconds {SECONDS} --seed {seed}");
    let mut command = Command::new(&hunt);
    command.args(["--seconds", SECONDS, "--seed", &seed, "--dolmen"]).arg(&dolmen);
    let status =
        command.current_dir(root()).status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    match status.code() {
        Some(0) => return Ok(()),
        Some(FOUND) => {}
        _ => return Err(format!("the hunt ended with {status}")),
    }
    let Some(parent) = parent() else {
        println!("the hunt has found something, and there is no commit to compare with: it blocks nothing");
        return Ok(());
    };
    println!("the hunt has found something: the same scenes by the program of {parent}");
    let old = match build(&parent) {
        Ok(old) => old,
        Err(what) => {
            println!("that program could not be built, so that nothing is blocked: {what}");
            return Ok(());
        }
    };
    let mut command = Command::new(&hunt);
    command.arg("--dolmen").arg(&dolmen).arg("--against").arg(&old).arg("--scene").args(found()?);
    run(&mut command)
}

/// The first digits of the commit, as a number.
fn seed() -> Result<String, String> {
    let commit = git(&["rev-parse", "HEAD"]).ok_or("git does not know the commit")?;
    let digits = commit.get(..8).ok_or("the commit has no digits")?;
    u64::from_str_radix(digits, 16).map(|seed| seed.to_string()).map_err(|error| format!("{commit}: {error}"))
}

/// The commit to compare with: the present one where files were changed since, else the one before; none in a shallow clone.
fn parent() -> Option<String> {
    let is_changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|changes| !changes.is_empty());
    git(&["rev-parse", "--verify", "--quiet", if is_changed { "HEAD" } else { "HEAD^" }])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Builds the command of a commit in `target/hunt-parent`, in the profile of the tests; dependencies are those that are built.
fn build(commit: &str) -> Result<PathBuf, String> {
    let target = root().join("target");
    let (source, programs) = (target.join("hunt-parent/source"), target.join("hunt-parent/programs"));
    remove(&source)?;
    run(Command::new("git").args(["worktree", "add", "--detach", "--force"]).arg(&source).arg(commit))?;
    let mut command = Command::new("cargo");
    command.args([
        "build",
        "--quiet",
        "--locked",
        "--package",
        "dolmen-cli",
        "--profile",
        "test",
        "--manifest-path",
    ]);
    command
        .arg(source.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", &programs)
        .env("CARGO_BUILD_BUILD_DIR", &target);
    let built = run(&mut command);
    remove(&source)?;
    built.map(|()| programs.join(format!("debug/dolmen{}", env::consts::EXE_SUFFIX)))
}

/// Takes a worktree away, if it is there.
fn remove(source: &Path) -> Result<(), String> {
    if source.exists() {
        run(Command::new("git").args(["worktree", "remove", "--force"]).arg(source))?;
    }
    Ok(())
}

/// The scenes that the hunt laid down.
fn found() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("target/hunt/found");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort_unstable();
    Ok(files)
}
