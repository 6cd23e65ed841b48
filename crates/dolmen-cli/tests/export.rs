//! `dolmen export` and `dolmen view` as commands.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn dolmen(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dolmen"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts")
}

/// Runs a command that must succeed; what it prints.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = dolmen(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Tables go where they are asked to, the same bytes as in the run, or as Parquet without leaving copies behind.
#[test]
fn tables_are_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    done(at, &["run", "bouncing-ball", "--out", "run", "--samples", "5", "--quiet"]);
    done(at, &["export", "run", "--to", "csv", "--out", "tables"]);
    let read = |name: &str| fs::read(at.join(name)).expect(name);
    assert_eq!(read("run/states.csv"), read("tables/states.csv"));
    let printed = done(at, &["export", "run", "--to", "parquet", "--out", "columns"]);
    assert!(printed.lines().any(|line| line.ends_with("states.parquet")), "{printed}");
    assert_eq!(&read("columns/states.parquet")[..4], b"PAR1");
    assert!(!at.join("columns/states.csv").exists());
}

/// One file each, in the folder of the run unless said otherwise; a run that is none is refused with a remedy.
#[test]
fn files_are_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    done(at, &["run", "newtons-cradle", "--out", "run", "--samples", "3", "--for", "1", "--quiet"]);
    done(at, &["export", "run", "--to", "glb"]);
    assert_eq!(&fs::read(at.join("run/run.glb")).expect("the file")[..4], b"glTF");
    let printed = done(
        at,
        &["export", "newtons-cradle", "--to", "png", "--for", "0.5", "--width", "64", "--height", "48"],
    );
    assert_eq!(printed.trim(), "newtons-cradle.png");
    let moving = ["--to", "apng", "--for", "0.5", "--width", "64", "--height", "48", "--frames", "7"];
    let printed = done(at, &[&["export", "newtons-cradle"][..], &moving].concat());
    assert_eq!(printed.trim(), "newtons-cradle.apng");
    let file = fs::read(at.join("newtons-cradle.apng")).expect("the file");
    let count = file.windows(4).position(|word| word == b"acTL").expect("it moves") + 4;
    assert_eq!(file[count..count + 4], 7_u32.to_be_bytes());
    let refused = dolmen(at, &["export", "elsewhere", "--to", "csv"]);
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("elsewhere is not a run") && text.contains("help:"), "{text}");
    let refused = dolmen(at, &["export", "newtons-cradle", "--to", "png", "--width", "1"]);
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
}

/// A run is recorded anew by the driver that made it, also where only the command named it; of a scene another one can be asked for.
#[test]
fn exports_have_the_driver_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    done(at, &["run", "intro-cube", "--driver", "intro", "--out", "taught", "--quiet"]);
    let scene = fs::read_to_string(at.join("taught/scene.toml")).expect("a scene");
    assert!(scene.contains("driver = \"intro\""), "{scene}");
    let model = |target: &str, more: &[&str]| {
        let words =
            [&["export", target, "--to", "glb", "--for", "4", "--out", "model.glb"][..], more].concat();
        let output = dolmen(at, &words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(at.join("model.glb")).expect("a model")
    };
    let exact = model("intro-cube", &[]);
    assert!(exact == model("intro-cube", &["--driver", "exact"]), "the scene's own driver");
    // Steps fall ½ g h t less than the parabola.
    assert!(exact != model("intro-cube", &["--driver", "fixed", "--step", "1/10"]), "fixed steps");
    // Below 0.05 m/s a bounce ends at once there.
    assert!(model("intro-cube", &["--driver", "intro"]) == model("taught", &[]), "the driver of the run");
}

/// A run is shown by simulating its scene again; one that was changed since is refused, and so are its exports.
#[test]
fn a_run_whose_scene_was_changed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    done(at, &["run", "bouncing-ball", "--out", "run", "--samples", "3", "--for", "0.2", "--quiet"]);
    let exported = dolmen(at, &["export", "run", "--to", "png", "--width", "64", "--height", "48"]);
    let said = String::from_utf8_lossy(&exported.stderr).into_owned();
    assert!(exported.status.success() && said.is_empty(), "{said}");
    // A record of another end is told, since it is not what is shown.
    let summary = fs::read_to_string(at.join("run/summary.json")).expect("a summary");
    let hash = serde_json::from_str::<serde_json::Value>(&summary).expect("JSON")["state_hash"].clone();
    let other = summary.replace(hash.as_str().expect("a hash"), "0000");
    fs::write(at.join("run/summary.json"), other).expect("written");
    let exported = dolmen(at, &["export", "run", "--to", "png", "--width", "64", "--height", "48"]);
    let said = String::from_utf8_lossy(&exported.stderr).into_owned();
    assert!(exported.status.success() && said.contains("ends in another state"), "{said}");
    let scene = fs::read_to_string(at.join("run/scene.toml")).expect("a scene");
    fs::write(at.join("run/scene.toml"), format!("{scene}\n# changed\n")).expect("written");
    for arguments in [&["export", "run", "--to", "html"][..], &["view", "run", "--no-open"]] {
        let refused = dolmen(at, arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("was changed after the run") && said.contains("help:"), "{said}");
    }
}

/// A hundred balls that collide all the time, for ten seconds, fit into a page of 3 MB.
#[test]
fn replays_are_small() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let output =
        dolmen(at, &["export", "box-of-hard-spheres", "--to", "html", "--for", "10", "--out", "gas.html"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if text.contains("built without its page") {
        // Said, and nothing written: there is nothing to measure.
        assert!(!at.join("gas.html").exists());
        return;
    }
    assert!(output.status.success(), "{text}");
    let bytes = fs::metadata(at.join("gas.html")).expect("the file").len();
    assert!(bytes < 3_000_000, "{bytes} bytes");
}

/// The address is printed at once, with a token; a scene with mistakes is refused before anything is served.
#[test]
fn view_prints_its_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_dolmen"))
        .args(["view", "bouncing-ball", "--no-open"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let path = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/'));
    assert_eq!(path.map(|(_, token)| token.len()), Some(33), "{line}");
    fs::write(folder.path().join("bad.toml"), "format = 1\n[[body]]\nmas = 1\n").expect("a file");
    let refused = dolmen(folder.path(), &["view", "bad.toml", "--no-open"]);
    assert_eq!(refused.status.code(), Some(2));
}
