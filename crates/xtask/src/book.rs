//! `cargo xtask book`: the documents of `docs/` as a site, by mdBook.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, links, root, run};

/// The version the book is written for.
const VERSION: &str = "0.5.4";

/// Builds the book into `target/book`; installs mdBook into `target/tools` if this version is not there.
pub(crate) fn build() -> Result<(), String> {
    let tools = root().join("target").join("tools");
    let own = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let mdbook = if is_right(Path::new("mdbook")) { PathBuf::from("mdbook") } else { own };
    if !is_right(&mdbook) {
        let folder = tools.display().to_string();
        // Without its server: 100 crates less.
        let lean = ["--no-default-features", "--features", "search"];
        let install = ["install", "mdbook", "--version", VERSION, "--locked", "--root", &folder];
        cargo(&[&install[..], &lean].concat())?;
    }
    run(Command::new(&mdbook).arg("build").arg(root().join("docs")))?;
    let book = root().join("target").join("book");
    links::check(&book)?;
    println!("{}", book.join("index.html").display());
    Ok(())
}

/// Whether a program is mdBook of the version asked for.
fn is_right(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION))
}
