//! What `deny.toml` says of licences and sources, without the tool: every crate of the lock file comes from the registry, with a
//! checksum, under a licence of the list.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The entries of `allow` in deny.toml.
fn allowed() -> Vec<String> {
    let text = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let list = text.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a licence expression can be fulfilled by the list. `/` is the old way to write OR.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    // The weakest operator first, outside of brackets.
    for (operator, all) in [(" OR ", false), ("/", false), (" AND ", true)] {
        let (mut depth, mut parts, mut start) = (0, Vec::new(), 0);
        for (at, c) in expression.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if depth == 0 && at >= start && expression[at..].starts_with(operator) => {
                    parts.push(&expression[start..at]);
                    start = at + operator.len();
                }
                _ => {}
            }
        }
        if !parts.is_empty() {
            parts.push(&expression[start..]);
            let mut parts = parts.into_iter().map(|part| is_allowed(part, allowed));
            return if all { parts.all(|good| good) } else { parts.any(|good| good) };
        }
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => is_allowed(inner, allowed),
        None => allowed.iter().any(|licence| licence == expression),
    }
}

/// The check of expressions is not a yes to everything.
#[test]
fn expressions_are_understood() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "GPL-3.0/MIT",
        "(MIT OR GPL-3.0) AND Zlib",
        "Apache-2.0 WITH LLVM-exception OR X",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "Apache-2.0", ""] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

/// Of all packages that any platform builds: those that this one does not need are fetched for it.
#[test]
fn licences_are_on_the_list() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 100, "{} packages", packages.len());
    let allowed = allowed();
    assert!(allowed.len() > 3, "{allowed:?}");
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence, &allowed), "{}: {licence} is not in deny.toml", package["name"]);
    }
}

/// Nothing from other registries or from git, and everything with a checksum.
#[test]
fn crates_come_from_the_registry() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock");
    let mut foreign = 0;
    for package in lock.split("[[package]]").skip(1) {
        if let Some(source) = package.lines().find(|line| line.starts_with("source = ")) {
            assert!(source.contains("\"registry+") && source.contains("crates.io-index"), "{package}");
            assert!(package.contains("\nchecksum = \""), "{package}");
            foreign += 1;
        }
    }
    assert!(foreign > 100, "{foreign} packages");
}

/// Packages hold what is beside their sources: the scenes of the command, and the page where it was built.
#[test]
fn packages_are_whole() {
    let list = |package: &str| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["package", "--list", "--allow-dirty", "--offline", "--package", package]);
        let output = cargo.current_dir(root()).output().expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).replace('\\', "/")
    };
    let command = list("dolmen-cli");
    let scenes = fs::read_dir(root().join("scenes")).expect("scenes").filter_map(Result::ok);
    let names: Vec<String> = scenes.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    for name in names.iter().filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "toml"))
    {
        assert!(command.lines().any(|line| line == format!("scenes/{name}")), "the command lacks {name}");
    }
    let view = list("dolmen-view");
    assert!(view.lines().any(|line| line == "page/src/main.ts"));
    if root().join("crates/dolmen-view/page/dist/viewer.js").exists() {
        assert!(view.lines().any(|line| line == "page/dist/viewer.js"), "the viewer lacks its page: {view}");
    }
}

/// The compiler that manifests ask for is the one that documents and workflows name.
#[test]
fn one_compiler_is_named() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap_or_default();
    let manifest = read("Cargo.toml");
    let version = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next());
    let version = version.expect("a version");
    for name in ["README.md", "docs/start.md", "docs/install.md", "docs/python.md"] {
        assert!(
            read(name).contains(&format!("Rust {version}")),
            "{name} names another compiler than {version}"
        );
    }
    let workflow = read(".github/workflows/test.yml");
    assert!(
        workflow.contains(&format!("toolchain install {version} ")),
        "the workflow uses another compiler"
    );
}
