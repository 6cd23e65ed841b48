//! A run folder is a run from its first second: whatever ends its process, what was written can be read, replaced or gone on with.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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

/// Every file of a folder, and of the folders in it, by its path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            all.insert(name, fs::read(&path).expect("a file"));
        }
    }
    all
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// Thirty balls in a box that collide for as long as one lets them, with some hundred rows a sample.
const ENDLESS: [&str; 8] =
    ["run", "box-of-hard-spheres", "-q", "--for", "1e5", "--every", "0.01", "--overwrite"];

fn start(folder: &Path, arguments: &[&str]) -> Child {
    command(folder, arguments).spawn().expect("the command starts")
}

fn kill(mut child: Child) {
    child.kill().expect("SIGKILL is sent");
    child.wait().expect("the command ends");
}

/// Waits until something is so; fails after a minute.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..12_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}: not after a minute");
}

/// The tables of a run end with whole lines, have as many samples and end at the same time; returns that time.
fn end_of_tables(run: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(run.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let times = |name: &str| -> Vec<f64> {
        let text = read(name);
        assert!(text.ends_with('\n'), "{name} ends in the middle of a line");
        let row = |line: &str| line.split(',').next().and_then(|t| t.parse().ok()).expect("a time");
        text.lines().skip(1).map(row).collect()
    };
    let energy = times("energy.csv");
    assert_eq!(energy, times("momentum.csv"));
    for name in ["states.csv", "bodies.csv"] {
        let mut rows = times(name);
        let per_sample = rows.iter().take_while(|t| **t == rows[0]).count();
        assert_eq!(rows.len(), energy.len() * per_sample, "{name}");
        rows.dedup();
        assert_eq!(rows, energy, "{name}");
    }
    // Events go on until the next sample, which may not be there.
    let events = times("events.csv");
    assert!(events.is_sorted(), "{events:?}");
    energy.last().copied()
}

/// Killed with SIGKILL at any moment, from its first milliseconds on, a run is one: it says that it did not finish, its figures are
/// drawn and its tables exported up to its last whole sample, and another run can replace it.
#[test]
fn a_killed_run_can_be_read_and_replaced() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let mut dice = Dice(1);
    let (mut read, mut early) = (0, 0);
    for i in 0..24 {
        // Every third in the first milliseconds, where there is not yet anything to read.
        let after = if i % 3 == 0 { dice.below(20) } else { 30 + dice.below(300) };
        let child = start(at, &[&ENDLESS[..], &["--out", "run"]].concat());
        std::thread::sleep(Duration::from_millis(after));
        kill(child);
        let run = at.join("run");
        if !run.join("summary.json").exists() {
            // Nothing was there before, so the run never began.
            assert_eq!((i, read), (early, 0), "the old run is gone");
            early += 1;
            continue;
        }
        assert_eq!(summary(&run)["status"], "running", "after {after} ms");
        let (code, text) = said(at, &["plot", "run", "--out", "figures"]);
        if code == Some(2) {
            assert!(text.contains("did not finish (status running) and has no whole sample yet"), "{text}");
            assert!(read == 0, "the old run is gone, and the new one has not begun: {text}");
            early += 1;
            continue;
        }
        assert_eq!(code, Some(0), "after {after} ms: {text}");
        let expected =
            "note: the run in run did not finish (status running): showing what was written up to t = ";
        assert!(text.contains(expected), "{text}");
        let text = done(at, &["export", "run", "--to", "csv", "--out", "tables"]);
        assert!(text.contains(expected), "{text}");
        let end = end_of_tables(&at.join("tables")).expect("samples");
        assert!(text.contains(&format!("up to t = {end} s")), "{text}");
        let events = fs::read_to_string(at.join("tables/events.csv")).expect("events");
        let last = events.lines().skip(1).last().and_then(|line| line.split(',').next()?.parse().ok());
        assert!(last.is_none_or(|t: f64| t <= end), "{last:?} s, {end} s");
        done(at, &["export", "run", "--to", "parquet", "--out", "columns"]);
        read += 1;
    }
    assert!(read >= 8, "{read} runs had samples, {early} had none");
    let picture = ["export", "run", "--to", "png", "--width", "64", "--height", "48", "--out", "a.png"];
    assert!(done(at, &picture).contains("did not finish (status running)"));
    let ended =
        ["run", "bouncing-ball", "-q", "--for", "0.5", "--samples", "3", "--overwrite", "--out", "run"];
    done(at, &ended);
    assert_eq!(summary(&at.join("run"))["status"], "done");
    let names: Vec<String> = files(&at.join("run")).into_keys().collect();
    let expected = [
        "bodies.csv",
        "energy.csv",
        "events.csv",
        "forces.csv",
        "momentum.csv",
        "resultants.csv",
        "scene.toml",
        "shapes.json",
        "states.csv",
        "summary.json",
        "timings.json",
    ];
    assert_eq!(names, expected, "nothing else is left");
}

const OVERLAP: &str = "format = 1\n[run]\nduration = 1\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n[[body]]\nname = \"crate\"\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 0.25]\n";

/// A new run that cannot start leaves the old one as it was, to the last byte.
#[test]
fn a_start_that_fails_keeps_the_old_run() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    fs::write(at.join("overlap.toml"), OVERLAP).expect("a scene");
    fs::write(at.join("wrong.toml"), OVERLAP.replace("mass", "mas")).expect("a scene");
    let inside = OVERLAP.replace("duration = 1", "duration = 1\ndriver = \"intro\"");
    fs::write(at.join("intro.toml"), inside).expect("a scene");
    done(at, &["run", "bouncing-ball", "-q", "--samples", "11", "--out", "run"]);
    done(at, &["plot", "run"]);
    fs::write(at.join("run/notes.txt"), "mine").expect("a file");
    let before = files(&at.join("run"));
    for (scene, expected) in [("overlap.toml", 1), ("wrong.toml", 2), ("intro.toml", 2), ("nowhere.toml", 2)]
    {
        let (code, text) = said(at, &["run", scene, "-q", "--out", "run", "--overwrite"]);
        assert_eq!(code, Some(expected), "{text}");
        assert_eq!(expected == 1, text.contains("the run that was in run is untouched"), "{text}");
        assert!(files(&at.join("run")) == before, "{scene}: the old run has changed");
    }
    // One that starts takes everything of the old run away, and nothing else; also if its scene is the copy in the folder itself.
    done(
        at,
        &["run", "run/scene.toml", "-q", "--for", "0.1", "--samples", "3", "--out", "run", "--overwrite"],
    );
    let after = files(&at.join("run"));
    assert_eq!(summary(&at.join("run"))["samples"], 3);
    assert_eq!(after["notes.txt"], b"mine");
    assert!(!after.contains_key("energy.svg") && !after.contains_key("index.html"), "{:?}", after.keys());
    fs::create_dir(at.join("other")).expect("a folder");
    fs::write(at.join("other/notes.txt"), "mine").expect("a file");
    let (code, text) = said(at, &["run", "bouncing-ball", "-q", "--out", "other", "--overwrite"]);
    assert!(code == Some(2) && text.contains("holds something that is not a run"), "{text}");
    assert_eq!(files(&at.join("other")).len(), 1);
}

/// Wherever the work of overwriting is cut off, the next command finds the old run whole or the new one.
#[test]
fn an_overwrite_that_was_cut_off_is_finished() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let (old, new, run) = (at.join("old"), at.join("new"), at.join("run"));
    done(at, &["run", "bouncing-ball", "-q", "--samples", "5", "--out", "old"]);
    done(at, &["run", "newtons-cradle", "-q", "--samples", "4", "--for", "1", "--out", "new"]);
    let copy = |from: &Path, to: &Path, keep: &dyn Fn(usize) -> bool| {
        fs::create_dir_all(to).expect("a folder");
        for (i, (name, bytes)) in files(from).into_iter().enumerate().filter(|(i, _)| keep(*i)) {
            let _ = i;
            fs::write(to.join(name), bytes).expect("a file");
        }
    };
    let count = files(&new).len();
    let staged = run.join(".new-run");
    let scene = |run: &Path| summary(run)["scene"].clone();
    for moved in 0..=count {
        // Not decided: the old run counts.
        copy(&old, &run, &|_| true);
        copy(&new, &staged, &|i| i < moved);
        done(at, &["plot", "run", "--out", "figures"]);
        assert_eq!(scene(&run), "bouncing-ball");
        // Decided, and the old one is gone in part.
        fs::remove_dir_all(&run).expect("removed");
        copy(&old, &run, &|i| i >= moved);
        copy(&new, &staged, &|_| true);
        fs::write(staged.join("replace.mark"), "").expect("a mark");
        done(at, &["plot", "run", "--out", "figures"]);
        assert!(files(&run) == files(&new), "{moved} files of the old run were removed");
        // The old one is gone, and the new one moved in part.
        fs::remove_dir_all(&run).expect("removed");
        copy(&new, &run, &|i| i < moved);
        copy(&new, &staged, &|i| i >= moved);
        fs::write(staged.join("move.mark"), "").expect("a mark");
        done(at, &["export", "run", "--to", "csv", "--out", "tables"]);
        assert!(files(&run) == files(&new), "{moved} files of the new run were moved");
        fs::remove_dir_all(&run).expect("removed");
    }
}

/// While a process writes into a folder, others may look and not write.
#[test]
fn one_process_writes_at_a_time() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let child = start(at, &[&ENDLESS[..], &["--out", "run"]].concat());
    let rows = || fs::read_to_string(at.join("run/momentum.csv")).map_or(0, |text| text.lines().count());
    wait_until("three samples", || rows() > 3);
    let (code, text) = said(at, &["run", "bouncing-ball", "-q", "--out", "run", "--overwrite"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("another process is writing a run into run") && text.contains("help:"), "{text}");
    let text = done(at, &["plot", "run", "--out", "figures"]);
    assert!(
        text.contains("note: the run in run is still going on: showing what was written up to"),
        "{text}"
    );
    kill(child);
    done(at, &["run", "bouncing-ball", "-q", "--for", "0.1", "--out", "run", "--overwrite"]);
}

/// A disk that is full: code 1, the file and the reason, and what was written before is a run that can be read. Here a limit on the
/// length of files stands in for the disk.
#[test]
fn a_full_disk_ends_a_run_that_can_be_read() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let limited = |blocks: u32, arguments: &[&str]| {
        // Without a handler the signal is ignored, and writing says EFBIG.
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let output = Command::new("bash")
            .args(["-c", &line, env!("CARGO_BIN_EXE_dolmen")])
            .args(arguments)
            .current_dir(at)
            .output()
            .expect("bash starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for blocks in [40, 100, 333] {
        let name = format!("run-{blocks}");
        let (code, text) = limited(blocks, &[&ENDLESS[..], &["--out", &name]].concat());
        assert_eq!(code, Some(1), "{text}");
        let expected = [format!("error: cannot write {name}/"), ".csv: File too large".to_owned()];
        assert!(expected.iter().all(|part| text.contains(part)), "{text}");
        let run = at.join(&name);
        let end = end_of_tables(&run).expect("samples");
        let summary = summary(&run);
        assert_eq!((summary["status"].as_str(), summary["t_end"].as_f64()), (Some("interrupted"), Some(end)));
        assert!(summary["reason"].as_str().is_some_and(|reason| reason.contains("File too large")));
        let rows = fs::read_to_string(run.join("energy.csv")).expect("a table").lines().count() as u64;
        assert_eq!(summary["samples"].as_u64(), Some(rows - 1));
        done(at, &["plot", &name]);
        done(at, &["export", &name, "--to", "parquet"]);
    }
    // No room for the first sample: the old run stays.
    done(at, &["run", "bouncing-ball", "-q", "--samples", "5", "--out", "run"]);
    let before = files(&at.join("run"));
    for blocks in [0, 1, 8] {
        let (code, text) = limited(blocks, &[&ENDLESS[..], &["--out", "run"]].concat());
        assert!(code == Some(1) && text.contains("cannot write run/"), "{blocks}: {text}");
        assert!(files(&at.join("run")) == before, "{blocks}: the old run has changed");
    }
}

/// From run to run everything is the same bytes but the time that it took, which stands in `timings.json` and under `timing`.
#[test]
fn only_timings_differ_between_runs() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    for name in ["a", "b"] {
        done(at, &["run", "newtons-cradle", "-q", "--for", "1", "--out", name, "--also", "parquet"]);
    }
    let [mut a, mut b] = ["a", "b"].map(|name| files(&at.join(name)));
    for run in [&mut a, &mut b] {
        let timings: Value =
            serde_json::from_slice(&run.remove("timings.json").expect("timings")).expect("JSON");
        let mut summary: Value = serde_json::from_slice(&run["summary.json"]).expect("JSON");
        let timing = summary.as_object_mut().and_then(|fields| fields.remove("timing")).expect("a timing");
        assert_eq!(timing, timings);
        assert!(timing["wall_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{timing}");
        if cfg!(target_os = "linux") {
            assert!(timing["cpu_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{timing}");
        }
        run.insert("summary.json".to_owned(), summary.to_string().into_bytes());
    }
    assert!(a == b);
}

/// Runs that were written before summaries said so from the start: a finished one opens, and one that was killed is a run, too.
#[test]
fn older_runs_open() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    done(at, &["run", "bouncing-ball", "-q", "--samples", "5", "--out", "run"]);
    fs::remove_file(at.join("run/timings.json")).expect("removed");
    let file = at.join("run/summary.json");
    let mut older = summary(&at.join("run"));
    older.as_object_mut().expect("an object").remove("timing");
    older["wall_seconds"] = 0.5.into();
    fs::write(&file, older.to_string()).expect("written");
    // A kind of event that this program does not know.
    let events = fs::read_to_string(at.join("run/events.csv")).expect("events");
    fs::write(at.join("run/events.csv"), events.replace("settled", "came-to-rest")).expect("written");
    let text = done(at, &["plot", "run"]);
    assert!(!text.contains("note:"), "{text}");
    let picture = ["export", "run", "--to", "png", "--width", "64", "--height", "48", "--out", "a.png"];
    assert!(!done(at, &picture).contains("note:"));
    fs::remove_file(&file).expect("removed");
    let text = done(at, &["plot", "run"]);
    assert!(text.contains("did not finish (status running): showing what was written up to t = "), "{text}");
    done(at, &["run", "bouncing-ball", "-q", "--samples", "5", "--out", "run", "--overwrite"]);
}

/// A table without these columns.
fn without(table: &str, columns: &[&str]) -> String {
    let header: Vec<&str> = table.lines().next().unwrap_or_default().split(',').collect();
    let kept = |line: &str| {
        let fields = line.split(',').zip(&header).filter(|(_, name)| !columns.contains(name));
        fields.map(|(field, _)| field).collect::<Vec<_>>().join(",")
    };
    table.lines().map(|line| kept(line) + "\n").collect()
}

/// A ball that falls on a floor, and a bar that falls to its limit: events of contacts and of joints.
const BALL_AND_BAR: &str = r#"
format = 1
gravity = [0, 0, -10]

[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }

[[body]]
name = "ball"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.2]

[[body]]
name = "bar"
mass = 1
shape = { kind = "box", size = [1, 0.1, 0.1] }
position = [3, 0, 3]

[[joint]]
name = "hinge"
kind = "hinge"
a = "bar"
at = [2.5, 0, 3]
axis = [0, 1, 0]
limit = [{ axis = "turn-z", lower = -0.1, upper = 0.1 }]
"#;

/// A run with the columns, kinds of events and keys of the summary that older programs wrote: figures, pictures, copies of the
/// tables and the page are made of it, and figures name the kinds as they are written.
#[test]
fn runs_with_older_names_open() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    fs::write(at.join("s.toml"), BALL_AND_BAR).expect("written");
    done(at, &["run", "s.toml", "-q", "--for", "1.5", "--samples", "20", "--out", "run"]);
    let run = at.join("run");
    let change = |name: &str, change: &dyn Fn(String) -> String| {
        let file = run.join(name);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.lines().count() > 1, "{name} has no rows");
        fs::write(&file, change(text)).expect("written");
    };
    change("events.csv", &|text| {
        let older = without(&text, &["value", "bound"]);
        assert_ne!(older, text, "the columns of laws have other names");
        older.replace("collision", "aggregated")
    });
    change("joint-events.csv", &|text| text.replace("active", "held"));
    let file = run.join("summary.json");
    let mut older = summary(&run);
    let fields = older.as_object_mut().expect("an object");
    for name in ["timing", "laws", "violations", "state_hash"] {
        fields.remove(name);
    }
    for (path, now, then) in
        [("/contact/events", "collision", "aggregated"), ("/contact/detection", "fat_aabbs", "covers")]
    {
        let part = older.pointer_mut(path).and_then(Value::as_object_mut).expect("a part of the summary");
        let value = part.remove(now).expect("a number");
        part.insert(then.to_owned(), value);
    }
    fs::write(&file, older.to_string()).expect("written");
    fs::remove_file(run.join("timings.json")).expect("removed");

    done(at, &["plot", "run"]);
    let figures = files(&run)
        .into_iter()
        .filter(|(name, _)| Path::new(name).extension().is_some_and(|ending| ending == "svg"));
    let shown = figures.filter(|(_, svg)| String::from_utf8_lossy(svg).contains("aggregated")).count();
    assert!(shown > 0, "no figure names the older kind");
    for to in ["csv", "parquet", "glb", "png"] {
        let small: &[&str] = if to == "png" { &["--width", "64", "--height", "48"] } else { &[] };
        let out = format!("out.{to}");
        done(at, &[&["export", "run", "--to", to, "--out", &out][..], small].concat());
    }
    let mut page = start(at, &["view", "run", "--no-open"]);
    let mut line = String::new();
    BufReader::new(page.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    kill(page);
    assert!(line.starts_with("http://127.0.0.1:"), "{line}");
}

/// A folder in which a process was killed before it wrote anything is as good as empty; one without its scene says so.
#[test]
fn a_run_without_its_first_files_says_so() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let run = at.join("run");
    fs::create_dir(&run).expect("a folder");
    for name in ["running.lock", "summary.json.part"] {
        fs::write(run.join(name), "{").expect("a file");
    }
    for arguments in [&["plot", "run"][..], &["export", "run", "--to", "csv"], &["view", "run", "--no-open"]]
    {
        let (code, text) = said(at, arguments);
        assert!(code == Some(2) && text.contains("run is not a run"), "{text}");
    }
    done(at, &["run", "bouncing-ball", "-q", "--samples", "3", "--out", "run"]);
    fs::write(run.join("summary.json"), "{\"scene\": \"s\", \"status\": \"running\"}").expect("written");
    fs::remove_file(run.join("scene.toml")).expect("removed");
    for arguments in [&["export", "run", "--to", "png"][..], &["view", "run", "--no-open"]] {
        let (code, text) = said(at, arguments);
        assert!(
            code == Some(2) && text.contains("the run in run has no scene") && text.contains("help:"),
            "{text}"
        );
    }
}

/// `--profile` shows the stages of the driver and writes them to a file of their own; no table changes.
#[test]
fn a_profile_is_shown_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_dolmen"))
        .args(["run", "bricks", "--for", "0.3", "--profile", "--quiet", "--out"])
        .arg(&out)
        .output()
        .expect("to start");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("integrate"), "{told}");
    let table = std::fs::read_to_string(out.join("profile.csv")).expect("a profile");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 9, "{table}");
    let shares: f64 = rows.iter().map(|row| row[3].parse::<f64>().expect("a share")).sum();
    assert!((shares - 1.0).abs() < 1e-4, "{table}");
    let impacts = rows.iter().find(|row| row[0] == "impact").expect("a stage");
    assert!(impacts[1].parse::<u64>().expect("a count") > 0, "{table}");
}
