//! Scenes that are kept come out right, or fail as `known-failures.txt` says.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dolmen_hunt::known;

/// The command: the one that `DOLMEN` names, else one of the profile of this test, which is built first.
fn program() -> PathBuf {
    if let Some(program) = env::var_os("DOLMEN") {
        return program.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let build = ["build", "--quiet", "--locked", "--package", "dolmen-cli", "--profile"];
    // Tests lie in a folder below that of programs, which is named after the profile.
    let here = env::current_exe().expect("this program is somewhere");
    let folder = here.ancestors().nth(2).expect("two folders up").to_owned();
    let profile = if folder.ends_with("release") { "release" } else { "test" };
    let status =
        Command::new(env!("CARGO")).args(build).arg(profile).current_dir(root).status().expect("cargo");
    assert!(status.success(), "dolmen-cli could not be built");
    folder.join(format!("dolmen{}", env::consts::EXE_SUFFIX))
}

/// A scene that is not listed is right; one that is listed fails as its line says, and no other way.
#[test]
fn kept_scenes_do_as_their_lines_say() {
    let (program, lines) = (program(), known::load().expect("known-failures.txt"));
    let scenes = known::scenes().expect("folders of scenes");
    let folder = tempfile::tempdir().expect("a folder");
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(scene) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let verdict = known::replay(&program, scene, &folder.path().join(scene)).expect("a run");
            let line = lines.iter().find(|line| line.scene == *scene);
            complaints.lock().expect("a lock").extend(verdict.complaint(scene, line));
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut complaints = complaints.into_inner().expect("a lock");
    complaints.sort_unstable();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Every line is about a scene that is there, and each scene has one line at most, and says what is right.
#[test]
fn lines_are_about_scenes() {
    let (lines, scenes) =
        (known::load().expect("known-failures.txt"), known::scenes().expect("folders of scenes"));
    for (k, line) in lines.iter().enumerate() {
        assert!(scenes.contains(&line.scene), "there is no {}", line.scene);
        assert!(lines[..k].iter().all(|other| other.scene != line.scene), "{} has two lines", line.scene);
    }
    for scene in scenes {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{scene}.toml"));
        let text = std::fs::read_to_string(path).expect("a scene");
        assert!(text.starts_with("# What is right: "), "{scene} does not say what is right");
    }
}
