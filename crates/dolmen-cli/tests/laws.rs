//! What `dolmen run` says of laws, progress, signals and starts.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use dolmen::math::real::{cos, sin};
use serde_json::Value;
use tempfile::TempDir;

const FALL: &str = r#"
format = 1
gravity = [0, 0, -9.81]
[run]
duration = 1
samples = 21
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
[[body]]
name = "ball"
density = 1000
position = [0, 0, 0.5]
velocity = [0.1, 0.2, 0]
shape = { kind = "box", size = [0.1, 0.2, 0.3] }
spin = [1, 2, 3]
[contact]
friction = 0.4
"#;

/// Twenty boxes that fall as one: every impact with friction takes seconds.
fn tower() -> String {
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 2\nsamples = 201\n[contact]\nrestitution = 0.5\nfriction = 0.5\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n",
    );
    for i in 0..40 {
        let (x, z) = (0.01 * f64::from(i % 3), 0.1 + 0.1 * f64::from(i));
        let _ = writeln!(
            text,
            "[[body]]\nname = \"b{i}\"\ndensity = 500\nposition = [{x}, 0, {z}]\nshape = {{ kind = \"box\", size = [0.1, 0.1, 0.1] }}"
        );
    }
    text
}

fn dolmen(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.current_dir(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).expect("a summary")).expect("JSON")
}

fn written(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("scene.toml"), text).expect("to write");
    folder
}

/// A broken law is an event, a status, a line with a remedy, and exit code 3; bounds stand beside what was reached.
#[test]
fn a_broken_law_ends_with_exit_code_three() {
    let folder = written(FALL);
    let sound = dolmen(folder.path(), &["run", "scene.toml", "--out", "sound"]).output().expect("to run");
    assert_eq!(sound.status.code(), Some(0), "{}", said(&sound));
    let done = summary(&folder.path().join("sound"));
    assert_eq!(done["status"], "done");
    assert_eq!(done["violations"].as_array().expect("a list").len(), 0);
    for law in ["ledger", "overlap", "drift", "dissipation", "residual", "forces", "closing", "work"] {
        let status = &done["laws"][law];
        assert!(status["bound"].as_f64() > Some(0.0) && status["holds"] == true, "{law}: {status}");
    }
    assert!(done["timing"]["cpu_seconds"].is_number() && done["timing"]["stages"]["integrate"].is_number());

    let bound = ["run", "scene.toml", "--out", "run", "--set", "laws.forces=1e-300"];
    let broken = dolmen(folder.path(), &bound).output().expect("to run");
    let text = said(&broken);
    assert_eq!(broken.status.code(), Some(3), "{text}");
    assert!(
        text.contains("violated: at t = ") && text.contains("ball") && text.contains("`forces` under [laws]"),
        "{text}"
    );
    let run = folder.path().join("run");
    let told = summary(&run);
    assert_eq!(told["status"], "violated");
    assert_eq!(told["violations"][0]["law"], "forces");
    assert_eq!(told["violations"][0]["bodies"][0], "ball");
    let events = fs::read_to_string(run.join("events.csv")).expect("events");
    let (header, row) =
        (events.lines().next().expect("a header"), events.lines().find(|l| l.contains(",violated,")));
    let row = row.expect("an event `violated`");
    assert!(
        header.ends_with(",note,value,bound") && row.ends_with(",1e-300") && row.contains(",forces,"),
        "{row}"
    );
    assert_eq!(header.split(',').count(), row.split(',').count());
    let resumed = dolmen(folder.path(), &["run", "--resume", "run"]).output().expect("to run");
    assert!(said(&resumed).contains("is done"), "{}", said(&resumed));
    let plotted = dolmen(folder.path(), &["plot", "run"]).output().expect("to run");
    assert_eq!(plotted.status.code(), Some(0), "{}", said(&plotted));
}

/// A bound of fixed steps and a law of the loop for teaching are told as those of the exact driver are: an event, a status, a line with a
/// remedy, exit code 3, and bounds beside what was reached.
#[test]
fn every_driver_tells_what_it_breaks() {
    let fixed =
        FALL.replace("[run]", "[run]\ndriver = \"fixed\"\nbounds = { overlap = 1e-12, joint_error = 1 }");
    let intro = FALL
        .replace("[run]", "[laws]\nledger = 1e-300\n[run]\ndriver = \"intro\"")
        .replace("friction = 0.4", "");
    for (text, law, section) in [(fixed, "overlap", "run.bounds"), (intro, "ledger", "laws")] {
        let folder = written(&text);
        let broken = dolmen(folder.path(), &["run", "scene.toml", "--out", "run"]).output().expect("to run");
        let said = said(&broken);
        assert_eq!(broken.status.code(), Some(3), "{said}");
        assert!(
            said.contains("violated: at t = ") && said.contains(&format!("`{law}` under [{section}]")),
            "{said}"
        );
        let run = folder.path().join("run");
        let told = summary(&run);
        assert_eq!(
            (&told["status"], &told["violations"][0]["law"]),
            (&"violated".into(), &law.into()),
            "{told}"
        );
        let status = &told["laws"][law];
        assert!(
            status["holds"] == false && status["reached"].as_f64() > status["bound"].as_f64(),
            "{status}"
        );
        let events = fs::read_to_string(run.join("events.csv")).expect("events");
        let rows: Vec<&str> = events.lines().filter(|line| line.contains(",violated,")).collect();
        assert!(rows.len() == 1 && rows[0].contains(&format!(",{law},")), "{rows:?}");
    }
    let folder = written(&FALL.replace("[run]", "[run]\ndriver = \"fixed\"\nbounds = { overlap = 0.1 }"));
    let output = dolmen(folder.path(), &["run", "scene.toml", "--out", "run"]).output().expect("to run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told = summary(&folder.path().join("run"));
    assert!(told["status"] == "done" && told["laws"]["overlap"]["holds"] == true, "{told}");
    // What the scene gives no bound for is told all the same.
    assert!(told["laws"]["energy_drift"]["bound"].is_null(), "{told}");
}

/// Too much work for no progress: exit code 1 and a report, in seconds.
#[test]
fn no_progress_is_reported() {
    let folder = written(FALL);
    let little = ["run", "scene.toml", "--out", "run", "--set", "laws.work=1e5"];
    let output = dolmen(folder.path(), &little).output().expect("to run");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("next to no progress") && said(&output).contains("ball"),
        "{}",
        said(&output)
    );
}

/// Signals in the middle of an impact that takes long: heard within a second, twice too, and what was computed is there.
#[test]
fn a_signal_is_heard_in_the_middle_of_an_impact() {
    let folder = written(&tower());
    for signals in [1, 2] {
        let out = format!("run{signals}");
        let arguments = ["run", "scene.toml", "--quiet", "--out", &out, "--set", "laws.work=1e300"];
        let mut child = dolmen(folder.path(), &arguments).spawn().expect("to start");
        let run = folder.path().join(&out);
        let begun = Instant::now();
        let states = run.join("states.csv");
        while begun.elapsed() < Duration::from_mins(5)
            && fs::read_to_string(&states).map_or(0, |text| text.lines().count()) < 41 * 14
        {
            thread::sleep(Duration::from_millis(20));
        }
        thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().expect("a status").is_none(), "a faster machine needs a taller tower");
        let asked = Instant::now();
        for _ in 0..signals {
            let pid = child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
            thread::sleep(Duration::from_millis(50));
        }
        let output = child.wait_with_output().expect("an end");
        assert!(asked.elapsed() < Duration::from_secs(2), "it took {:?}", asked.elapsed());
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let told = summary(&run);
        assert_eq!(told["status"], "interrupted", "{told}");
        assert!(told["samples"].as_u64() >= Some(10), "{told}");
    }
}

/// `check` does the start of a run: refusals have a place, and typed digits are good enough.
#[test]
fn check_does_the_start() {
    let scene = |z: &str| {
        FALL.replace("position = [0, 0, 0.5]", &format!("position = [0, 0, {z}]"))
            .replace("spin = [1, 2, 3]", "")
    };
    let folder = written(&scene("0.1"));
    let refused = dolmen(folder.path(), &["check", "scene.toml"]).output().expect("to run");
    let text = said(&refused);
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("scene.toml:11:") || text.contains("scene.toml:12:"), "{text}");
    assert!(
        text.contains("overlap at the start by") && text.contains("floor") && text.contains("ball"),
        "{text}"
    );
    let run = dolmen(folder.path(), &["run", "scene.toml", "--out", "run"]).output().expect("to run");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(said(&run).contains("scene.toml:"), "{}", said(&run));

    let folder = written(&scene("0.1499999995"));
    let noted = dolmen(folder.path(), &["check", "scene.toml"]).output().expect("to run");
    assert_eq!(noted.status.code(), Some(0), "{}", said(&noted));
    assert!(said(&noted).contains("moved apart"), "{}", said(&noted));
}

/// Built-in scenes break no law, but for those of a list that may only shrink.
#[test]
fn built_in_scenes_break_no_law() {
    let list = include_str!("known-violations.txt");
    let mut known: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').next())
        // Those of the book are for its test.
        .filter(|name| Path::new(name).extension().is_none_or(|ending| ending != "toml"))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let listed = dolmen(folder.path(), &["scenes"]).output().expect("to run");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 100, "{names:?}");
    let (even, odd): (Vec<_>, Vec<_>) = names.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let run_all = |part: Vec<(usize, &&str)>| {
        let run = |(_, name): &(usize, &&str)| {
            let arguments = ["run", name, "--quiet", "--checkpoint", "off", "--out", name];
            let output = dolmen(folder.path(), &arguments).output().expect("to run");
            (output.status.code() != Some(0)).then(|| (name.to_string(), said(&output)))
        };
        part.iter().filter_map(run).collect::<Vec<_>>()
    };
    let failed = thread::scope(|scope| {
        let other = scope.spawn(|| run_all(odd));
        let mut failed = run_all(even);
        failed.extend(other.join().expect("a thread"));
        failed
    });
    for (name, text) in &failed {
        assert!(known.contains(&name.as_str()), "{name} is not in tests/known-violations.txt: {text}");
        known.retain(|other| other != name);
    }
    assert!(known.is_empty(), "these scenes break no law any more: take them off the list: {known:?}");
}

/// A slab that falls onto 2500 boxes on a floor: 20,000 contacts at one instant.
fn slab() -> String {
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 100\nsamples = 101\n[contact]\nrestitution = 0.3\nfriction = 0.5\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
         [[body]]\nname = \"slab\"\ndensity = 500\nposition = [5, 5, 0.2]\nvelocity = [0.3, 0.1, -1]\n\
         shape = { kind = \"box\", size = [10.1, 10.1, 0.1] }\n",
    );
    for i in 0..2500 {
        let (x, y) = (0.1 + 0.2 * f64::from(i % 50), 0.1 + 0.2 * f64::from(i / 50));
        let _ = writeln!(
            text,
            "[[body]]\nname = \"b{i}\"\ndensity = 500\nposition = [{x}, {y}, 0.05]\nshape = {{ kind = \"box\", size = [0.1, 0.1, 0.1] }}"
        );
    }
    text
}

/// The hull of a hundred thousand points on a sphere, which rolls and tumbles on a floor.
fn large_hull() -> String {
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 1000\nsamples = 101\n[contact]\nrestitution = 0.5\nfriction = 0.5\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
         [[body]]\nname = \"stone\"\ndensity = 500\nposition = [0, 0, 1.5]\nvelocity = [1, 0, 0]\nspin = [1, 2, 3]\n\
         shape = { kind = \"hull\", points = [\n",
    );
    // A spiral from pole to pole: the points are nearly even, and no four are in one plane.
    for i in 0..100_000 {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 100_000.0;
        let (r, angle) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * f64::from(i));
        let _ = writeln!(text, "[{}, {}, {z}],", r * cos(angle), r * sin(angle));
    }
    text + "] }\n"
}

/// After so long, ms, a second signal follows the first.
const AGAIN: u64 = 2500;

/// Rows of nails, and as many nails in each.
const NAILS: usize = 32;

/// 1024 nails, one mesh, that fall onto a rough plate, a mesh of 2048 triangles on its upper side: every nail meets the middle of a triangle of its own at
/// the same instant, with friction and restitution.
fn nails() -> String {
    // Heights of the rough plate at its vertices; no two neighbouring triangles are in one plane.
    let height = |i: usize, j: usize| 0.004 * ((7 * i + 3 * j + i * j) % 5) as f64;
    let side = NAILS + 1;
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 1000\nsamples = 1001\n[contact]\nrestitution = 0.8\nfriction = 0.5\n",
    );
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    let mut triangles: Vec<[usize; 3]> = Vec::new();
    for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
        vertices.push([0.1 * i as f64, 0.1 * j as f64, height(i, j)]);
    }
    // The other side of the plate is level.
    for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
        vertices.push([0.1 * i as f64, 0.1 * j as f64, -0.1]);
    }
    let mut level = |below: bool, i: usize, j: usize| {
        let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            .map(|(i, j)| i * side + j + if below { side * side } else { 0 });
        triangles.extend(if below { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] });
    };
    for (i, j) in (0..NAILS).flat_map(|i| (0..NAILS).map(move |j| (i, j))) {
        level(false, i, j);
        level(true, i, j);
    }
    let rim = |k: usize| match (k / NAILS, k % NAILS) {
        (0, m) => (m, 0),
        (1, m) => (NAILS, m),
        (2, m) => (NAILS - m, NAILS),
        (_, m) => (0, NAILS - m),
    };
    for k in 0..4 * NAILS {
        let [a, b] = [rim(k), rim((k + 1) % (4 * NAILS))].map(|(i, j)| i * side + j);
        triangles.extend([[a, a + side * side, b + side * side], [a, b + side * side, b]]);
    }
    add_mesh(&mut text, "rough", "kind = \"fixed\"", (&vertices, &triangles));
    // Tetrahedra on their tips.
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (i, j) in (0..NAILS).flat_map(|i| (0..NAILS).map(move |j| (i, j))) {
        let (x, y) = (0.1 * (i as f64 + 2.0 / 3.0), 0.1 * (j as f64 + 1.0 / 3.0));
        let tip = (height(i, j) + height(i + 1, j) + height(i + 1, j + 1)) / 3.0 + 0.05;
        let first = vertices.len();
        vertices.push([x, y, tip]);
        vertices.extend([[x + 0.02, y, 0.2], [x - 0.01, y + 0.02, 0.2], [x - 0.01, y - 0.02, 0.2]]);
        triangles.extend(
            [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]].map(|face: [usize; 3]| face.map(|k| first + k)),
        );
    }
    add_mesh(&mut text, "nails", "density = 2000\nvelocity = [0, 0, -1]", (&vertices, &triangles));
    text
}

fn add_mesh(text: &mut String, name: &str, keys: &str, (vertices, triangles): (&[[f64; 3]], &[[usize; 3]])) {
    let _ = writeln!(
        text,
        "[[body]]\nname = \"{name}\"\n{keys}\nshape = {{ kind = \"mesh\", vertices = {vertices:?}, triangles = {triangles:?} }}"
    );
}

/// SIGTERM, once and twice, with 20,000 contacts, with an impact of the contacts of two meshes and with a hull of 100,000 points, while they
/// are read, started and run: heard within a second or so, and what was begun says that it was interrupted.
#[test]
fn a_signal_is_heard_whatever_is_large() {
    for (name, text) in [("slab", slab()), ("nails", nails()), ("hull", large_hull())] {
        let folder = written(&text);
        for wait in [100, 700, AGAIN, 6000] {
            let out = format!("{name}{wait}");
            let arguments = ["run", "scene.toml", "--quiet", "--out", &out, "--set", "laws.work=1e300"];
            let mut child = dolmen(folder.path(), &arguments).spawn().expect("to start");
            thread::sleep(Duration::from_millis(wait));
            assert!(child.try_wait().expect("a status").is_none(), "{name} was done after {wait} ms");
            let asked = Instant::now();
            let pid = child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
            if wait == AGAIN {
                thread::sleep(Duration::from_millis(50));
                // It may be gone by then.
                let _ =
                    Command::new("kill").args(["-TERM", &pid]).stderr(Stdio::null()).status().expect("kill");
            }
            let output = child.wait_with_output().expect("an end");
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(3), "{name}, after {wait} ms: it took {took:?}");
            let run = folder.path().join(&out);
            // Before the run begins the signal ends the process by itself.
            assert!(matches!(output.status.code(), Some(1) | None), "{name}: {}", said(&output));
            if output.status.code() == Some(1) && run.join("summary.json").is_file() {
                assert_eq!(
                    summary(&run)["status"],
                    "interrupted",
                    "{name}, after {wait} ms: {}",
                    said(&output)
                );
            }
        }
    }
}
