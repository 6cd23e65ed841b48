//! One table of exit codes for all commands (docs/run.md): 0 done, 1 could not go on, 2 wrong input, 3 a law was broken or a
//! verification failed. Each way to get there is tried.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const BALL: &str = "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 0.5\nsamples = 5\n[[body]]\nname = \"ball\"\nmass = 3\n\
                    shape = { kind = \"sphere\", radius = 0.1 }\nvelocity = [1, 0, 10]\n";

const EXPECTED: &str = "format = 1\n[[expect]]\nquantity = \"position(ball).z\"\ntime = 0.5\nvalue = \"1000\"\nabsolute = 1e-9\n";

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.current_dir(folder);
    command
}

fn dolmen(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().expect("the command starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("ball.toml"), BALL).expect("a file");
    folder
}

fn run(folder: &Path) {
    let output = dolmen(folder, &["run", "ball.toml", "-q", "--out", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// Wrong input is 2 in every command that takes any, with a message and without a panic.
#[test]
fn wrong_input_is_two_everywhere() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("wrong.toml"), "format = 1\n[[body]]\nmas = 3\n").expect("a file");
    for arguments in [
        &["run", "wrong.toml"][..],
        &["run", "nowhere.toml"],
        &["run", "ball.toml", "--for", "nan"],
        &["run", "--resume", "."],
        &["run", "--no-such-option"],
        &["check", "wrong.toml"],
        &["check", "nowhere.toml"],
        &["scenes", "no-such-scene"],
        &["verify", "no-such-case"],
        &["verify", "wrong.toml"],
        &["view", "wrong.toml", "--no-open"],
        &["view", "ball.toml", "--no-open", "--host", "0.0.0.0"],
        &["view", "ball.toml", "--no-open", "--insecure"],
        &["export", "wrong.toml", "--to", "glb"],
        &["export", "nowhere", "--to", "csv"],
        &["export", "ball.toml", "--to", "gif"],
        &["plot", "nowhere"],
        &["plot", "."],
        &["expand", "wrong.toml"],
        &["expand", "nowhere.toml"],
        &["sweep", "ball.toml", "--measure", "nothing", "--out", "sweep"],
        &["sweep", "wrong.toml", "--measure", "t", "--out", "sweep"],
        &["sweep", "ball.toml", "--vary", "contact.friction=0.1:0.9", "--measure", "t", "--out", "sweep"],
        &["compare", "wrong.toml"],
        &["compare", "ball.toml", "--steps", "-1"],
        &["query", "wrong.toml", "--overlaps"],
        &["query", "ball.toml", "--ray", "0,0,0"],
        &["query", "ball.toml", "--closest", "ball,nobody"],
        &["import", "nowhere.urdf"],
        &["import", "wrong.toml"],
        &["completions", "no-such-shell"],
        &["no-such-command"],
        &[],
    ] {
        let output = dolmen(at, arguments);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(!text.is_empty() && !text.contains("panicked"), "{arguments:?}: {text}");
    }
}

/// A law that is broken and a verification that fails are 3.
#[test]
fn broken_laws_and_failed_verifications_are_three() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("ball.expect.toml"), EXPECTED).expect("a file");
    let output = dolmen(at, &["verify", "ball.toml"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let fall = BALL
        .replace("velocity = [1, 0, 10]", "spin = [1, 2, 3]\nposition = [0, 0, 1]")
        .replace("{ kind = \"sphere\", radius = 0.1 }", "{ kind = \"box\", size = [0.1, 0.2, 0.3] }");
    let floor =
        "[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n";
    fs::write(at.join("fall.toml"), fall.replace("duration = 0.5", "duration = 2") + floor).expect("a file");
    let output = dolmen(at, &["run", "fall.toml", "-q", "--out", "run", "--set", "laws.ledger=1e-300"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("violated: at t = "), "{}", said(&output));
}

/// Results that cannot be written are 1 in every command, with the place and the system's reason. A file stands where a folder is
/// asked for: that stops everyone, the superuser too.
#[test]
fn what_cannot_be_written_is_one() {
    let folder = folder();
    let at = folder.path();
    run(at);
    for arguments in [
        &["run", "ball.toml", "-q", "--out", "ball.toml/run"][..],
        &["plot", "run", "--out", "ball.toml/figures"],
        &["export", "run", "--to", "glb", "--out", "ball.toml/run.glb"],
        &["export", "run", "--to", "csv", "--out", "ball.toml/tables"],
        &["export", "run", "--to", "glb", "--out", "missing/run.glb"],
        &["verify", "ball.toml", "--report", "ball.toml/report"],
    ] {
        let output = dolmen(at, arguments);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("ball.toml/") || text.contains("missing"), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    }
    // A device that is always full.
    if Path::new("/dev/full").exists() {
        let output = dolmen(at, &["export", "run", "--to", "png", "--out", "/dev/full"]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        for arguments in [&["scenes"][..], &["schema"], &["check", "ball.toml"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
            let output = command(at).args(arguments).stdout(full).output().expect("the command starts");
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
            assert!(said(&output).contains("cannot print"), "{}", said(&output));
        }
    }
}

/// A folder that vanishes under a run is 1, and nothing panics.
#[test]
fn a_vanished_folder_is_one() {
    let folder = folder();
    let at = folder.path();
    let endless = ["run", "bouncing-ball", "-q", "--out", "gone", "--set", "contact.restitution=1"];
    let mut child = command(at)
        .args(endless)
        .args(["--for", "1e7", "--every", "60", "--checkpoint", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let begun = std::time::Instant::now();
    while !at.join("gone/states.csv").exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::rename(at.join("gone"), at.join("elsewhere")).expect("the folder moves");
    fs::remove_dir_all(at.join("elsewhere")).expect("the folder goes");
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while child.try_wait().expect("a child").is_none() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let is_over = child.try_wait().expect("a child").is_some();
    let _ = child.kill();
    let output = child.wait_with_output().expect("it ends");
    assert!(is_over, "it goes on without a folder");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("gone") && !said(&output).contains("panicked"), "{}", said(&output));
}

/// A reader that has gone away (`| head`) is no failure, on neither stream; nor is a stream that is closed.
#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = folder();
    let at = folder.path();
    run(at);
    let line = |line: &str| {
        let output = Command::new("bash")
            .args(["-c", &format!("set -o pipefail; {line}"), env!("CARGO_BIN_EXE_dolmen")])
            .current_dir(at)
            .output()
            .expect("bash starts");
        (output.status.code(), said(&output))
    };
    for quiet in [
        "\"$0\" scenes | head -n 1",
        "\"$0\" schema | head -c 10",
        "\"$0\" check ball.toml | true",
        "\"$0\" plot run | true",
        "\"$0\" run ball.toml --out other | true",
        "\"$0\" scenes >&-",
        "\"$0\" check ball.toml 2>&-",
    ] {
        let (code, text) = line(quiet);
        assert!(code == Some(0) && !text.contains("panicked"), "{quiet}: {code:?} {text}");
    }
    // What is wrong is told by the code where nobody reads.
    for wrong in ["\"$0\" check nowhere.toml 2>&1 | true", "\"$0\" check nowhere.toml 2>&-"] {
        assert_eq!(line(wrong).0, Some(2), "{wrong}");
    }
}

/// Paths need not be text.
#[test]
fn paths_that_are_no_text_work() {
    let folder = folder();
    let at = folder.path();
    let strange = OsStr::from_bytes(b"r\xff\xfen");
    let output =
        command(at).args(["run", "ball.toml", "-q", "--out"]).arg(strange).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(at.join(strange).join("summary.json").is_file());
    let output = command(at).arg("plot").arg(strange).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // So may the names of scenes be.
    let scene = OsStr::from_bytes(b"sc\xe8ne.toml");
    fs::copy(at.join("ball.toml"), at.join(scene)).expect("a copy");
    for before in [
        &["check"][..],
        &["expand"],
        &["run", "-q"],
        &["compare", "--steps", "1/100"],
        &["export", "--to", "mjcf"],
    ] {
        let output = command(at).args(before).arg(scene).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{before:?}: {}", said(&output));
    }
    let missing = command(at).arg("check").arg(OsStr::from_bytes(b"n\xf6.toml")).output().expect("it starts");
    assert_eq!(missing.status.code(), Some(2), "{}", said(&missing));
    assert!(said(&missing).contains("there is no file"), "{}", said(&missing));
}

/// Without a terminal, and with `NO_COLOR`, nothing but text is printed.
#[test]
fn no_colours_where_none_are_wanted() {
    let folder = folder();
    let at = folder.path();
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
        for arguments in [
            &["run", "ball.toml", "--out", name][..],
            &["check", "nowhere.toml"],
            &["--help"],
            &["run", "--nope"],
        ] {
            let output = command(at).args(arguments).env(name, value).output().expect("it starts");
            assert!(!said(&output).contains('\u{1b}'), "{arguments:?} with {name}: {:?}", said(&output));
        }
    }
}

/// Line ends of Windows and a byte-order mark change nothing; mistakes keep their lines.
#[test]
fn line_ends_of_windows_are_read() {
    let folder = folder();
    let at = folder.path();
    let windows = BALL.replace('\n', "\r\n");
    fs::write(at.join("windows.toml"), &windows).expect("a file");
    let output = dolmen(at, &["run", "windows.toml", "-q", "--out", "windows"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    run(at);
    let states = |run: &str| fs::read(at.join(run).join("states.csv")).expect("a table");
    assert!(states("run") == states("windows"), "line ends change a number");
    fs::write(at.join("wrong.toml"), windows.replace("mass = 3", "mas = 3")).expect("a file");
    let output = dolmen(at, &["check", "wrong.toml"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("wrong.toml:8:"), "{}", said(&output));
}

/// Other machines are let in only if that is asked for twice.
#[test]
fn other_machines_are_not_let_in_by_accident() {
    let folder = folder();
    let output = dolmen(folder.path(), &["view", "ball.toml", "--no-open", "--host", "0.0.0.0"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("--insecure") && text.contains("not encrypted"), "{text}");
}

/// The table of the book is the one that `--help` shows.
#[test]
fn the_table_is_in_the_help_and_in_the_book() {
    let folder = folder();
    let help = said(&dolmen(folder.path(), &["--help"]));
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(
        words.join(" ").contains(
            "Exit codes: 0 done, 1 it could not go on or was interrupted, 2 the input is wrong, 3 a law was broken or a verification failed."
        ),
        "{help}"
    );
    let book = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run.md"))
        .expect("the book");
    for row in ["| 0 | done |", "| 1 | ", "| 2 | ", "| 3 | "] {
        assert!(book.contains(row), "docs/run.md has no row {row:?}");
    }
}
