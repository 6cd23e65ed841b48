//! `dolmen run --resume`: whenever its process was killed, a run that goes on ends with the same bytes as one that was left alone.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.current_dir(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit code and what was said, both streams.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(folder, arguments).output().expect("the command starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, text) = said(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {text}");
    text
}

fn summary(run: &Path) -> Value {
    let text = fs::read_to_string(run.join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

/// Every file of a run but what it took, by its name.
fn results(run: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(run).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        // A process may be killed between its summary and the end of its work.
        if name == "checkpoint.bin" || name == "running.lock" {
            continue;
        }
        all.insert(name, fs::read_to_string(&path).expect("text"));
    }
    all.remove("timings.json").expect("timings");
    let mut summary = summary(run);
    assert!(summary.as_object_mut().expect("an object").remove("timing").is_some());
    all.insert("summary.json".to_owned(), summary.to_string());
    all
}

fn assert_same(run: &Path, expected: &BTreeMap<String, String>, what: &str) {
    let found = results(run);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    for (name, text) in expected {
        let at = found[name].bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let (found, expected) = (found[name].len(), text.len());
        assert!(
            at == expected && found == expected,
            "{what}: {name} differs at byte {at} of {found} and {expected}"
        );
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// Lets a process run for so long and kills it; returns whether it was still alive, and what it said on its error stream.
fn kill_after(mut child: Child, wait: Duration) -> (bool, String) {
    std::thread::sleep(wait);
    let was_alive = child.try_wait().expect("a status").is_none();
    if was_alive {
        child.kill().expect("SIGKILL is sent");
    }
    let output = child.wait_with_output().expect("the command ends");
    (was_alive, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Kills a run `kills` times at random moments of its life, going on each time; returns how often it went on from a checkpoint.
fn killed_and_resumed(at: &Path, scene: &[&str], kills: usize, dice: &mut Dice) -> usize {
    let start = [&["run", "-q", "--checkpoint", "0"], scene].concat();
    let began = Instant::now();
    done(at, &[&start[..], &["--out", "whole"]].concat());
    let whole = results(&at.join("whole"));
    let life = began.elapsed().as_millis() as u64;
    let (mut left, mut from_checkpoint) = (kills, 0);
    let run = at.join("run");
    let can_go_on = || run.join("summary.json").exists() && summary(&run)["status"] != "done";
    while left > 0 {
        let _ = fs::remove_dir_all(&run);
        let mut arguments = [&start[..], &["--out", "run"]].concat();
        loop {
            let is_resumed = arguments.contains(&"--resume");
            let child = command(at, &arguments).spawn().expect("it starts");
            let (was_alive, text) = kill_after(child, Duration::from_millis(1 + dice.below(life)));
            assert!(!text.contains("error"), "{text}");
            from_checkpoint += usize::from(is_resumed && !text.contains("starts again from the beginning"));
            left -= usize::from(was_alive);
            if left == 0 || !can_go_on() {
                break;
            }
            arguments = vec!["run", "-q", "--checkpoint", "0", "--resume", "run"];
        }
        if can_go_on() {
            done(at, &["run", "-q", "--resume", "run"]);
            assert!(!run.join("checkpoint.bin").exists() && !run.join("running.lock").exists());
        }
        if run.join("summary.json").exists() {
            assert_same(&run, &whole, scene[0]);
        }
    }
    from_checkpoint
}

/// Bodies that collide; joints with limits and ropes; particles; contacts that rest and slide, exactly and in fixed steps; and many
/// events between samples.
const SCENES: [&[&str]; 6] = [
    &["box-of-hard-spheres", "--for", "1.5", "--samples", "61"],
    &["drawbridge-on-ropes", "--samples", "31"],
    &["lennard-jones", "--for", "0.5", "--samples", "31"],
    &["bricks", "--for", "0.5", "--samples", "21"],
    &["bricks", "--driver", "fixed", "--for", "60", "--samples", "301"],
    &["bouncing-ball", "--set", "contact.restitution=1", "--for", "40000", "--samples", "4"],
];

/// Killed with SIGKILL at thirty random moments, runs go on from their checkpoints and end with the same bytes.
#[test]
fn runs_that_were_killed_end_with_the_same_bytes() {
    let mut dice = Dice(7);
    let mut from_checkpoint = 0;
    for scene in SCENES {
        let folder = TempDir::new().expect("a temporary folder");
        from_checkpoint += killed_and_resumed(folder.path(), scene, 6, &mut dice);
    }
    assert!(from_checkpoint >= 15, "{from_checkpoint} times from a checkpoint");
}

/// A ball that bounces for three years, with a sample each minute.
const ENDLESS: [&str; 9] =
    ["run", "bouncing-ball", "-q", "--set", "contact.restitution=1", "--for", "1e8", "--every", "60"];

/// Starts a run without end and ends it with a signal when it has written some samples; what it said.
fn signalled(at: &Path, signal: &str, extra: &[&str]) -> String {
    let child = command(at, &[&ENDLESS[..], &["--out", "run"], extra].concat()).spawn().expect("it starts");
    let rows = || fs::read_to_string(at.join("run/momentum.csv")).map_or(0, |text| text.lines().count());
    while rows() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let output = child.wait_with_output().expect("the command ends");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A run that was interrupted goes on behind its last sample that was asked for: the one of the interruption is not in it.
#[test]
fn an_interrupted_run_goes_on() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let text = signalled(at, "INT", &[]);
    assert!(
        text.contains("the run was interrupted") && text.contains("to go on: dolmen run --resume run"),
        "{text}"
    );
    let run = at.join("run");
    assert_eq!(summary(&run)["status"], "interrupted");
    let first = fs::read_to_string(run.join("momentum.csv")).expect("a table");
    assert!(run.join("checkpoint.bin").is_file());
    let child = command(at, &["run", "-q", "--resume", "run"]).spawn().expect("it starts");
    let rows = || fs::read_to_string(run.join("momentum.csv")).map_or(0, |text| text.lines().count());
    while rows() < first.lines().count() + 10 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (_, text) = kill_after(child, Duration::ZERO);
    assert!(!text.contains("from the beginning"), "{text}");
    let second = fs::read_to_string(run.join("momentum.csv")).expect("a table");
    let kept: Vec<&str> = first.lines().take(first.lines().count() - 1).collect();
    assert!(second.lines().take(kept.len()).eq(kept.iter().copied()), "samples before the interruption");
    let times = second.lines().skip(1).filter_map(|line| line.split(',').next()?.parse().ok());
    let times: Vec<f64> = times.collect();
    assert!(times.iter().all(|t: &f64| t % 60.0 == 0.0), "{times:?}");
}

/// What cannot be resumed says why and what to do, with code 2, and stays as it is.
#[test]
fn what_cannot_be_resumed_says_why() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let (code, text) = said(at, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?} are not in: {text}");
    };
    let resume = ["run", "-q", "--resume", "run"];
    refused(&resume, &["run is not a run", "help:"]);
    done(at, &["run", "bouncing-ball", "-q", "--samples", "5", "--out", "run"]);
    refused(&resume, &["the run in run is done: it went to its end at t = ", "help:", "--overwrite"]);
    let overlap = "format = 1\n[run]\nduration = 1\n[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n[[body]]\nname = \"b\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n";
    fs::write(at.join("overlap.toml"), overlap).expect("a scene");
    assert_eq!(said(at, &["run", "overlap.toml", "-q", "--out", "failed"]).0, Some(1));
    refused(
        &["run", "--resume", "failed"],
        &["the run in failed failed and would fail again", "overlap", "help:"],
    );

    fs::remove_dir_all(at.join("run")).expect("removed");
    signalled(at, "KILL", &[]);
    refused(&["run", "bouncing-ball", "--resume", "run"], &["cannot be used with"]);
    refused(&["run", "--resume", "run", "--for", "3"], &["cannot be used with"]);
    for (bytes, part) in [
        (&b"something else"[..], "checkpoint.bin: it is not a checkpoint"),
        (b"DOLMENCP\x03\0\0\0 and then", "checkpoint.bin: it is damaged"),
        (b"DOLMENCP\x63\0\0\0 and then", "checkpoint.bin: it has version 99 of its form"),
    ] {
        fs::write(at.join("run/checkpoint.bin"), bytes).expect("written");
        refused(&resume, &["cannot go on from run/", part, "help: start again from the beginning"]);
    }
    fs::remove_file(at.join("run/checkpoint.bin")).expect("removed");
    let scene = fs::read_to_string(at.join("run/scene.toml")).expect("a scene");
    fs::write(at.join("run/scene.toml"), format!("{scene}\n# changed\n")).expect("written");
    refused(&resume, &["the scene in run was changed after the run", "help:"]);
    fs::remove_file(at.join("run/scene.toml")).expect("removed");
    refused(&resume, &["the run in run has no scene", "help:"]);
}

/// Killed before its first checkpoint, a run starts again from the beginning, without figures and copies of what is no more.
#[test]
fn without_a_checkpoint_a_run_starts_again() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let whole = ["run", "newtons-cradle", "-q", "--for", "1", "--samples", "11", "--checkpoint", "off"];
    done(at, &[&whole[..], &["--out", "whole"]].concat());
    done(at, &[&whole[..], &["--out", "run"]].concat());
    done(at, &["plot", "run"]);
    done(at, &["export", "run", "--to", "parquet"]);
    // As if it had been killed: half of the tables.
    let energy = fs::read_to_string(at.join("run/energy.csv")).expect("a table");
    fs::write(at.join("run/energy.csv"), &energy[..energy.len() / 2]).expect("written");
    let mut early = summary(&at.join("run"));
    early
        .as_object_mut()
        .expect("an object")
        .retain(|key, _| ["scene", "title", "scene_hash"].contains(&key.as_str()));
    early["status"] = "running".into();
    fs::write(at.join("run/summary.json"), early.to_string()).expect("written");
    fs::write(at.join("run/joint-events.csv"), "t,joint\n").expect("written");
    let text = done(at, &["run", "-q", "--resume", "run"]);
    assert!(text.contains("note: run has no checkpoint; the run starts again from the beginning"), "{text}");
    assert_same(&at.join("run"), &results(&at.join("whole")), "from the beginning");
}

/// The driver for teaching takes no checkpoints: asked for by name they are refused, and a run of it starts again.
#[test]
fn the_driver_for_teaching_takes_no_checkpoints() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let run = ["run", "intro-cube", "-q", "--for", "0.5", "--set", "run.driver=intro", "--out", "run"];
    let (code, text) = said(at, &[&run[..], &["--checkpoint", "5"]].concat());
    assert!(
        code == Some(2) && text.contains("--checkpoint: the driver \"intro\" takes no checkpoints"),
        "{text}"
    );
    assert!(!at.join("run").exists());
    let (code, text) = said(at, &[&run[..], &["--checkpoint", "often"]].concat());
    assert!(code == Some(2) && text.contains("give a number of seconds"), "{text}");
    done(at, &[&run[..], &["--checkpoint", "off"]].concat());
    let whole = results(&at.join("run"));
    let mut early = summary(&at.join("run"));
    early["status"] = "running".into();
    fs::write(at.join("run/summary.json"), early.to_string()).expect("written");
    done(at, &["run", "-q", "--resume", "run"]);
    assert_same(&at.join("run"), &whole, "from the beginning");
}
