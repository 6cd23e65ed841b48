//! `cargo xtask python`: the Python package, built and tested in a fresh virtual environment.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::{beside, root, run};

/// Makes `target/python`, installs the package into it from the root of the repository, and runs its tests; with `is_long` those that
/// take minutes too (all scenes beside the command, Ray with nodes that are killed, a notebook, a million simulations).
pub(crate) fn test(is_long: bool) -> Result<(), String> {
    let folder = root().join("target").join("python");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    run(Command::new(interpreter()).args(["-m", "venv"]).arg(&folder))?;
    let python = inside(&folder);
    let python = python.as_path();
    // In the profile of development, which compiles faster than that of a release; `test` would make a test harness of the module.
    let install = ["-m", "pip", "install", "--quiet", "--config-settings=build-args=--profile=dev --locked"];
    let extras = if is_long { ".[test,long]" } else { ".[test]" };
    run(Command::new(python).args(install).arg(extras).current_dir(root()))?;
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "--quiet", "crates/dolmen-py/tests"]).args(is_long.then_some("--long"));
    // The command to compare with, of the same build as this program.
    if let Ok(dolmen) = beside("dolmen")
        && dolmen.exists()
    {
        pytest.env("DOLMEN", dolmen);
    }
    run(pytest.current_dir(root()))
}

/// The Python of a virtual environment.
pub(crate) fn inside(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("Scripts/python.exe") } else { folder.join("bin/python") }
}

/// The Python to build with: that of `PYTHON`, or the one on the path.
pub(crate) fn interpreter() -> PathBuf {
    env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}
