//! The project's own chores: `cargo xtask demo`, `cargo xtask test`, `cargo xtask verify`, `cargo xtask hunt`.

mod book;
mod chart;
mod hunt;
mod import_referee;
mod links;
mod package;
mod page;
mod python;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask demo | page | book | package [--verify] | test [--long] | python [--long] | verify [--long] | hunt [OPTIONS] | import-referee [FORMAT] | pictures | bench | peers [SCENE …] | chart

  demo      build everything and show the bricks in the browser, live
  page      build the page of the viewer (needs Node.js and npm)
  book      build the documentation as a site, in target/book (installs mdBook if it is not there)
  package   see that the packages for crates.io hold the page and the scenes and that the program is small, and try to publish them
            without doing so; with --verify each is also built from its package
  test      formatting, lints, unit, property, scene, documentation and browser tests, the verification suite, a hunt;
            with --long also what takes minutes in Python (all scenes beside the command, Ray)
  python    build the Python package into target/python and test it (needs Python 3.11 and pip)
  verify    run the verification suite; with --long also hours of simulated time, mass ratios, random scenes
  hunt      run random scenes and judge them: --seconds S, --seed N, --profile P, --scene FILE, --reduce FILE, --jobs N, --help
  import-referee
            imported robots against MuJoCo, Pinocchio and Drake (needs Python 3.11 and pip): mjcf, urdf, sdf
  pictures  draw the pictures of the documentation again (that of the viewer needs npm and Chromium)
  bench     run the benchmarks whose figures are in docs/performance.md
  peers     build bench/peers for this processor and run its scenes in the fixed-step driver and in other engines
  chart     draw docs/pictures/peers.svg from docs/peers.txt, which is what peers printed
";

fn main() -> ExitCode {
    let done = match env::args().nth(1).as_deref() {
        Some("demo") => demo(),
        Some("page") => page::build(),
        Some("book") => book::build(),
        Some("package") => package::check(env::args().nth(2).as_deref() == Some("--verify")),
        Some("test") => test(is_long()),
        Some("python") => python::test(is_long()),
        Some("verify") => {
            let more: Vec<String> = env::args().skip(2).collect();
            verify(&more.iter().map(String::as_str).collect::<Vec<&str>>())
        }
        Some("hunt") => hunt::hunt(&env::args().skip(2).collect::<Vec<String>>()),
        Some("import-referee") => import_referee::compare(&env::args().skip(2).collect::<Vec<String>>()),
        Some("pictures") => pictures(),
        Some("bench") => cargo(&["bench", "-p", "dolmen"]),
        Some("chart") => chart::draw(),
        Some("peers") => peers(&env::args().skip(2).collect::<Vec<String>>()),
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

/// Scenes in the fixed-step driver and in other engines. A workspace of its own, so that none of them is a dependency of ours; all
/// are built for the processor at hand.
fn peers(arguments: &[String]) -> Result<(), String> {
    let manifest = root().join("bench/peers/Cargo.toml");
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--quiet", "--locked", "--manifest-path"]).arg(manifest);
    // Engines that not every machine can build come first.
    let arguments = match arguments {
        [option, features, rest @ ..] if option == "--features" => {
            command.args([option, features]);
            rest
        }
        all => all,
    };
    command.arg("--").args(arguments);
    run(command.env("RUSTFLAGS", "-C target-cpu=native"))
}

/// The scene of which the documentation shows a picture first.
const FIRST_PICTURE: &str = "tumbling-block";

/// The scene of which it shows a rendered picture, and the one of which it shows a strip.
const RENDERED: &str = "box-of-hard-spheres";
const STRIP: &str = "destructive-chain";

/// The scene that moves on the first page.
const MOVING: &str = "destructive-chain";

fn demo() -> Result<(), String> {
    if let Err(what) = page::build() {
        // The program runs without its page and says so; without npm this message says what is missing.
        println!("the page was not built: {what}");
    }
    // CI and machines without a screen have no browser: there it is only built, and not shown.
    if env::var_os("CI").is_some() {
        return cargo(&["build", "--release", "--locked", "--package", "dolmen-cli"]);
    }
    dolmen(&["view"])
}

/// Whether `--long` was asked for.
fn is_long() -> bool {
    env::args().nth(2).as_deref() == Some("--long")
}

fn test(is_long: bool) -> Result<(), String> {
    page::build()?;
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"])?;
    // The program that the tests are compiled beside serves those that start it: none builds another.
    println!("$ cargo test --workspace --locked --no-fail-fast");
    run(Command::new("cargo")
        .args(["test", "--workspace", "--locked", "--no-fail-fast"])
        .env("DOLMEN", beside("dolmen")?))?;
    let documentation = ["doc", "--workspace", "--no-deps", "--locked", "--quiet"];
    run(Command::new("cargo").args(documentation).env("RUSTDOCFLAGS", "--deny warnings"))?;
    python::test(is_long)?;
    verify_tested()?;
    hunt::hunt_tested()?;
    page::install_browser()?;
    // Not with the others: they need Node.js and a browser.
    cargo(&["test", "--workspace", "--locked", "--test", "browser", "--", "--ignored", "--nocapture"])
}

/// Scenes with known answers and the laws of all scenes; with the recorded data if `DOLMEN_DATA` says where they are.
fn verify(arguments: &[&str]) -> Result<(), String> {
    let data = recorded_data();
    let given: Vec<&str> = data.iter().map(String::as_str).collect();
    dolmen(&[&["verify"], arguments, &given].concat())
}

/// The same by the program that the tests were compiled for, which lies beside this one: another build of everything would take
/// longer than the whole suite.
fn verify_tested() -> Result<(), String> {
    println!("$ dolmen verify");
    run(Command::new(beside("dolmen")?).arg("verify").args(recorded_data()))
}

/// A program that lies beside this one.
fn beside(name: &str) -> Result<PathBuf, String> {
    let here = env::current_exe().map_err(|error| format!("cannot tell where this program is: {error}"))?;
    Ok(here.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Where the recorded data are, as the program takes it.
fn recorded_data() -> Vec<String> {
    env::var("DOLMEN_DATA").map_or_else(|_| Vec::new(), |folder| vec!["--data".to_owned(), folder])
}

/// The pictures that the documentation shows, each from a run of a built-in scene.
fn pictures() -> Result<(), String> {
    let pictures = root().join("docs").join("pictures");
    for (scene, figure) in
        [(FIRST_PICTURE, "spin"), ("off-centre-force", "energy"), ("figure-eight", "trajectories")]
    {
        let run = root().join("runs").join("pictures").join(scene);
        simulate(scene, &run)?;
        let (from, to) = (run.join(format!("{figure}.svg")), pictures.join(format!("{scene}-{figure}.svg")));
        std::fs::copy(&from, &to).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
    }
    let moving = pictures.join(format!("{MOVING}-moving.png")).display().to_string();
    dolmen(&[
        "export", MOVING, "--to", "apng", "--out", &moving, "--frames", "60", "--width", "560", "--height",
        "340",
    ])?;
    render(RENDERED, &["--at", "2", "--width", "840", "--height", "480"], &pictures)?;
    let strip = ["--at", "0", "--at", "0.9", "--at", "1.2", "--at", "2", "--width", "420", "--height", "380"];
    render(STRIP, &strip, &pictures)?;
    page::picture(&pictures.join("view.png"))
}

/// A picture of a scene, without a display.
fn render(scene: &str, how: &[&str], folder: &Path) -> Result<(), String> {
    let picture = folder.join(format!("{scene}.png")).display().to_string();
    dolmen(&[&["export", scene, "--to", "png", "--out", &picture], how].concat())
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
