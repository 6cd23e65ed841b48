//! Lists the scenes of the repository, so that the command carries them along.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    // A package carries them along; in the repository they are beside the crates. There, `scenes` is a link, which a system
    // without links checks out as a file.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("scenes"), here.join("../../scenes")];
    let folder = folders.iter().find(|folder| folder.is_dir()).unwrap_or(&folders[1]);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the repository has a folder of scenes")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    // NAME.toml is a scene, NAME.expect.toml what is expected of it.
    let (expectations, scenes): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| name.ends_with(".expect"));
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for (file, names) in [("scenes.rs", scenes), ("expectations.rs", expectations)] {
        let mut list = String::from("[\n");
        for name in names {
            let path = folder.join(format!("{name}.toml"));
            let called = name.strip_suffix(".expect").unwrap_or(&name);
            writeln!(list, "    ({called:?}, include_str!({:?})),", path.display().to_string())
                .expect("a string grows");
        }
        list.push(']');
        fs::write(Path::new(&out).join(file), list).expect("OUT_DIR can be written");
    }
}
