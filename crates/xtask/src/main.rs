//! The project's own chores: `cargo xtask demo` and `cargo xtask test`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask demo | test | pictures | bench

  demo      build everything, run a scene and open its page in the browser
  test      formatting, lints, unit, property, scene and documentation tests
  pictures  draw the pictures of the documentation again
  bench     run the benchmarks whose figures are in docs/performance.md
";

fn main() -> ExitCode {
    let done = match env::args().nth(1).as_deref() {
        Some("demo") => demo(),
        Some("test") => test(),
        Some("pictures") => pictures(),
        Some("bench") => cargo(&["bench", "-p", "dolmen"]),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("failed: {what}");
            ExitCode::FAILURE
        }
    }
}

/// The scene that the demonstration shows.
const DEMO: &str = "tumbling-block";

fn demo() -> Result<(), String> {
    let run = root().join("runs").join("demo");
    simulate(DEMO, &run)?;
    let page = run.join("index.html");
    println!("\nThe page is {}", page.display());
    // CI and machines without a screen have no browser; the page is there all the same.
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if env::var_os("CI").is_none() && Command::new(opener).arg(&page).status().is_err() {
        println!("Open it in a browser.");
    }
    Ok(())
}

fn test() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"])?;
    cargo(&["test", "--workspace", "--locked"])?;
    let documentation = ["doc", "--workspace", "--no-deps", "--locked", "--quiet"];
    run(Command::new("cargo").args(documentation).env("RUSTDOCFLAGS", "--deny warnings"))
}

/// The pictures that the documentation shows, each from a run of a built-in scene.
fn pictures() -> Result<(), String> {
    let pictures = root().join("docs").join("pictures");
    for (scene, figure) in [(DEMO, "spin"), ("off-centre-force", "energy"), ("figure-eight", "trajectories")]
    {
        let run = root().join("runs").join("pictures").join(scene);
        simulate(scene, &run)?;
        let (from, to) = (run.join(format!("{figure}.svg")), pictures.join(format!("{scene}-{figure}.svg")));
        std::fs::copy(&from, &to).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
    }
    Ok(())
}

/// Runs a scene into a folder and draws its figures.
fn simulate(scene: &str, folder: &Path) -> Result<(), String> {
    let folder = folder.display().to_string();
    dolmen(&["run", scene, "--out", &folder, "--overwrite"])?;
    dolmen(&["plot", &folder])
}

fn dolmen(arguments: &[&str]) -> Result<(), String> {
    let build = ["run", "--release", "--quiet", "--locked", "--package", "dolmen-cli", "--"];
    cargo(&[&build[..], arguments].concat())
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    println!("$ cargo {}", arguments.join(" "));
    run(Command::new("cargo").args(arguments))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status =
        command.current_dir(root()).status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Two folders up, without the detour in its name.
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}
