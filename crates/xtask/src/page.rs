//! The page of the viewer: built by npm, and tested in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::{root, run};

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

/// Installs Debian's Chromium if there is no browser, which takes the rights to do so.
pub(crate) fn install_browser() -> Result<(), String> {
    if Path::new(BROWSER).exists() {
        return Ok(());
    }
    run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run(Command::new("apt-get").args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]))
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
