//! Takes the built page into the library, if it has been built.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// What `vite build` writes.
const FILES: [&str; 3] = ["index.html", "viewer.js", "viewer.css"];

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/dist");
    let is_built = FILES.iter().all(|name| dist.join(name).is_file());
    // A path that is not there would run this script at every build; the folder of the page is always there.
    let watched = if is_built { dist.clone() } else { Path::new(env!("CARGO_MANIFEST_DIR")).join("page") };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut text = String::new();
    if is_built {
        let paths = FILES.map(|name| dist.join(name).display().to_string());
        write!(
            text,
            "Some(Page {{ html: include_str!({:?}), script: include_str!({:?}), style: include_str!({:?}) }})",
            paths[0], paths[1], paths[2]
        )
        .expect("a string grows");
    } else {
        text.push_str("None");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("page.rs"), text).expect("OUT_DIR can be written");
}
