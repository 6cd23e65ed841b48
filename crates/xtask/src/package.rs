//! `cargo xtask package`: what would be published.

use std::fs;
use std::process::Command;

use crate::{cargo, page, root, run};

/// What packages must hold beside their sources: without it the program has no page, or no scenes.
const NEEDED: [(&str, &str); 3] = [
    ("dolmen-view", "page/dist/viewer.js"),
    ("dolmen-cli", "scenes/dominoes.toml"),
    ("dolmen-cli", "scenes/a01-symmetric-body.expect.toml"),
];

/// The largest that the program may be, bytes.
const LARGEST: u64 = 30 << 20;

/// Builds the page, looks into the packages, weighs the program, and tries to publish without doing so.
pub(crate) fn check(verify: bool) -> Result<(), String> {
    page::build()?;
    for (package, file) in NEEDED {
        let mut command = Command::new("cargo");
        command.args(["package", "--list", "--allow-dirty", "--package", package]).current_dir(root());
        let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let list = String::from_utf8_lossy(&output.stdout);
        if !list.lines().any(|line| line.replace('\\', "/") == file) {
            return Err(format!("the package {package} lacks {file}"));
        }
    }
    cargo(&["build", "--release", "--locked", "--package", "dolmen-cli"])?;
    let program = root().join("target/release").join(format!("dolmen{}", std::env::consts::EXE_SUFFIX));
    let bytes = fs::metadata(&program).map_err(|error| format!("{}: {error}", program.display()))?.len();
    println!("the program has {:.1} MiB", bytes as f64 / f64::from(1 << 20));
    if bytes > LARGEST {
        return Err(format!("{} has {bytes} bytes, and may have {LARGEST}", program.display()));
    }
    let mut publish = Command::new("cargo");
    publish.args(["publish", "--workspace", "--dry-run", "--locked"]);
    if !verify {
        publish.arg("--no-verify");
    }
    run(&mut publish)
}
