//! The page of the viewer: built by npm, and tested in a browser.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::{cargo, root, run};

/// Where Debian puts its browser.
const BROWSER: &str = "/usr/bin/chromium";

fn folder() -> PathBuf {
    root().join("crates/dolmen-view/page")
}

/// Installs what the page needs and builds it, each only if something has changed since.
pub(crate) fn build() -> Result<(), String> {
    let page = folder();
    let (lock, installed) = (page.join("package-lock.json"), page.join("node_modules/.package-lock.json"));
    if changed(&installed).is_none_or(|then| changed(&lock).is_none_or(|now| now > then)) {
        npm(&["ci", "--no-audit", "--no-fund"])?;
    }
    let built = changed(&page.join("dist/viewer.js"));
    let sources = ["src", "index.html", "vite.config.ts", "tsconfig.json", "package-lock.json"];
    let newest = sources.iter().filter_map(|name| newest(&page.join(name))).max();
    if built.is_none() || newest > built {
        npm(&["run", "build"])?;
    }
    Ok(())
}

/// Installs Debian's Chromium if there is no browser, which takes the rights to do so. `BROWSER` names another one.
pub(crate) fn install_browser() -> Result<(), String> {
    let named = std::env::var_os("BROWSER").map(PathBuf::from);
    if named.as_deref().unwrap_or(Path::new(BROWSER)).exists() {
        return Ok(());
    }
    if let Some(named) = named {
        return Err(format!("BROWSER names {}, which is not there", named.display()));
    }
    if !cfg!(target_os = "linux") {
        return Err("there is no browser to test in: let BROWSER name Chromium or Chrome".to_owned());
    }
    run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run(Command::new("apt-get").args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]))
}

/// What the demo looks like after 1.2 s: it is simulated as fast as possible, and then gone back to.
const PICTURE: [&str; 9] = [
    "1280",
    "760",
    "key=+",
    "key=+",
    "key=+",
    "key=+",
    "wait=6000",
    "eval=window.dolmen.source.send({ do: 'seek', t: 1.2 })",
    "wait=2500",
];

/// A picture of the viewer at work, in a browser.
pub(crate) fn picture(file: &Path) -> Result<(), String> {
    build()?;
    install_browser()?;
    cargo(&["build", "--release", "--locked", "--package", "dolmen-cli"])?;
    let here =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program is: {error}"))?;
    let target = here.ancestors().nth(2).unwrap_or(&here);
    let program = target.join("release").join(format!("dolmen{}", std::env::consts::EXE_SUFFIX));
    let mut viewer = Command::new(program);
    let mut viewer = viewer
        .args(["view", "bricks", "--no-open"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start the viewer: {error}"))?;
    let mut address = String::new();
    let told = viewer.stdout.take().map_or(Ok(0), |told| BufReader::new(told).read_line(&mut address));
    let mut node = Command::new("node");
    node.arg(folder().join("tests/shot.mjs")).arg(address.trim()).arg(file).args(PICTURE);
    let done =
        told.map_err(|error| format!("the viewer tells no address: {error}")).and_then(|_| run(&mut node));
    // It has nothing to lose, and may have ended by itself.
    let _ = viewer.kill();
    let _ = viewer.wait();
    done
}

fn npm(arguments: &[&str]) -> Result<(), String> {
    println!("$ npm {}", arguments.join(" "));
    let page = folder();
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    let status = command.args(arguments).current_dir(&page).status().map_err(|error| {
        format!("cannot start npm: {error}; install Node.js 20 or newer, which brings it")
    })?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}

/// When anything in a folder, or a file, last changed.
fn newest(path: &Path) -> Option<SystemTime> {
    let Ok(entries) = fs::read_dir(path) else { return changed(path) };
    entries.filter_map(|entry| newest(&entry.ok()?.path())).chain(changed(path)).max()
}
