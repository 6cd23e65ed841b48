//! Some of the pinned runs.

use dolmen_hunt::entry::{self, Entry};
use dolmen_hunt::pin;

/// One in so many entries is run: some seconds in this profile. `pins` runs all of them.
const EVERY: usize = 20;

/// Runs give the bits that are pinned.
#[test]
fn runs_give_their_bits() {
    let entries = entry::load().expect("the file of pins");
    let mut wrong = Vec::new();
    for entry in entries.iter().skip(EVERY / 2).step_by(EVERY) {
        let (world, _) = entry::world(&entry.name).expect("a sound scene");
        let found = pin::run(world, entry.end).pin;
        if found != entry.pin {
            wrong.push(format!("{}: {}", entry.name, found.differences(&entry.pin).join(", ")));
        }
    }
    assert!(wrong.is_empty(), "these differ:\n{}", wrong.join("\n"));
}

/// Lines of the file are read as they are written, and every name stands there once.
#[test]
fn the_file_is_sound() {
    let entries = entry::load().expect("the file of pins");
    for entry in &entries {
        assert_eq!(entry.line().parse::<Entry>().as_ref(), Ok(entry));
    }
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), entries.len());
}

/// All four hashes see a run: none is that of nothing, and a longer run has others.
#[test]
fn hashes_see_the_run() {
    let run = |end: f64| pin::run(entry::world("scene/wrecking-ball").expect("a sound scene").0, end).pin;
    let (short, long) = (run(0.5), run(1.9));
    assert_eq!(short, run(0.5));
    assert_eq!(short.differences(&long), ["states", "events", "ledger", "forces"]);
}
