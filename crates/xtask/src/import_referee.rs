//! `cargo xtask import-referee`: imported robots against MuJoCo, Pinocchio and Drake.

use std::process::Command;

use crate::{cargo, python, root, run};

/// Packages with what they need.
const PACKAGES: [&str; 4] = ["numpy", "mujoco", "gymnasium", "pin"];

/// Packages of which only the models, or a library without its tools, are wanted.
const ALONE: [&str; 3] = ["dm_control", "example-robot-data", "drake"];

/// Builds the command, installs the referees into `target/import-referee` unless they are there, and compares.
pub(crate) fn compare(arguments: &[String]) -> Result<(), String> {
    cargo(&["build", "--release", "--quiet", "--locked", "--package", "dolmen-cli"])?;
    let folder = root().join("target").join("import-referee");
    let python = python::inside(&folder);
    if !python.exists() {
        run(Command::new(python::interpreter()).args(["-m", "venv"]).arg(&folder))?;
    }
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(ALONE))?;
    let script = root().join("crates/dolmen-import/referee/referee.py");
    run(Command::new(&python).arg("-B").arg(script).arg(root().join("target/release/dolmen")).args(arguments))
}
