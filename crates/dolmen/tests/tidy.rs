//! The map of the engine: layers, and folders that the documents name.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The modules of the crate that a source file names, in code and in comments.
fn imports(text: &str) -> Vec<&str> {
    text.split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
        .collect()
}

/// `integrate/`, `solve/` and `math/` could be lifted out: they know only `math/` and themselves.
#[test]
fn pure_mathematics_knows_no_bodies() {
    let engine = root().join("crates/dolmen/src");
    for (folder, allowed) in
        [("integrate", &["math", "integrate"][..]), ("solve", &["math", "solve"]), ("math", &["math"])]
    {
        for (path, text) in sources(&engine.join(folder)) {
            for import in imports(&text) {
                assert!(allowed.contains(&import), "{} imports crate::{import}", path.display());
            }
        }
    }
}

/// Nobody imports a driver, and shapes and masses know nothing of worlds.
#[test]
fn layers_point_downwards() {
    let engine = root().join("crates/dolmen/src");
    for (path, text) in sources(&engine) {
        let own = path.strip_prefix(&engine).expect("inside the engine");
        if own.starts_with("drive") || own == Path::new("lib.rs") {
            continue;
        }
        assert!(!imports(&text).contains(&"drive"), "{} imports a driver", path.display());
        if own.starts_with("shape") || own.starts_with("mass") || own.starts_with("body") {
            let above = ["world", "scene", "force", "motion", "integrate", "record"];
            let found: Vec<_> = imports(&text).into_iter().filter(|i| above.contains(i)).collect();
            assert!(found.is_empty(), "{} imports {found:?}", path.display());
        }
    }
}

/// Every folder of the engine is on the map, and every test that the map names exists.
#[test]
fn the_map_is_true() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    let engine = root().join("crates/dolmen/src");
    for entry in fs::read_dir(&engine).expect("the engine").filter_map(Result::ok) {
        if entry.path().is_dir() {
            let name = format!("{}/", entry.file_name().to_string_lossy());
            assert!(map.contains(&name), "{name} is not in ARCHITECTURE.md");
        }
    }
    for word in map.split('`').filter(|w| w.starts_with("tests/")) {
        assert!(root().join("crates/dolmen").join(word).exists(), "ARCHITECTURE.md names {word}");
    }
}

/// Links between the documents lead somewhere.
#[test]
fn links_of_the_documents_work() {
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|d| root().join(d)).to_vec();
    documents.extend(fs::read_dir(root().join("docs")).expect("docs").filter_map(|e| Some(e.ok()?.path())));
    for document in documents.iter().filter(|d| d.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).expect("a document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or("");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = document.parent().expect("a folder").join(file);
            assert!(path.exists(), "{} links to {target}", document.display());
        }
    }
}

/// Files stay short enough to read in one go.
#[test]
fn files_are_short() {
    for crate_name in ["dolmen", "dolmen-view", "dolmen-verify", "dolmen-cli", "dolmen-hunt", "xtask"] {
        for (path, text) in sources(&root().join("crates").join(crate_name)) {
            let lines = text.lines().count();
            assert!(lines <= 700, "{} has {lines} lines", path.display());
        }
    }
}
