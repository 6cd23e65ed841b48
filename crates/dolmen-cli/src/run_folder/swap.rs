//! `--overwrite`: the old run stays until the new one has begun.
//!
//! The new run is written into a folder inside that of the old one until its first sample is on disk. Then the old results are
//! removed and the new ones moved up. Two marks make that safe to be killed at any moment: without one the old run counts and
//! the new one is forgotten; with `REPLACE` the new one counts and the old one may be gone in part; with `MOVE` the old one is
//! gone and the new one may be moved in part. Each step can be done twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::PART;

/// Where the new run is written.
const STAGING: &str = ".new-run";
const REPLACE: &str = "replace.mark";
const MOVE: &str = "move.mark";

/// The folder for the new run.
pub(super) fn staging(folder: &Path) -> PathBuf {
    folder.join(STAGING)
}

/// Whether a file in the folder of a run belongs to the work of overwriting.
pub(super) fn is_ours(name: &str) -> bool {
    name == STAGING
}

/// Whether the new run counts.
pub(super) fn is_decided(folder: &Path) -> bool {
    let staging = staging(folder);
    staging.join(REPLACE).exists() || staging.join(MOVE).exists()
}

/// Puts the new run into the place of the old one.
pub(super) fn replace(folder: &Path) -> io::Result<()> {
    fs::write(staging(folder).join(REPLACE), "")?;
    tidy(folder)
}

/// Goes on with what a process that was killed had decided.
pub(super) fn tidy(folder: &Path) -> io::Result<()> {
    let staging = staging(folder);
    if staging.join(REPLACE).exists() {
        remove_results(folder)?;
        fs::rename(staging.join(REPLACE), staging.join(MOVE))?;
    }
    if staging.join(MOVE).exists() {
        // All names first: a listing that changes while it is read may leave some out.
        let names = fs::read_dir(&staging)?.map(|entry| Ok(entry?.file_name()));
        for name in names.collect::<io::Result<Vec<_>>>()? {
            if name != MOVE {
                fs::rename(staging.join(&name), folder.join(&name))?;
            }
        }
        fs::remove_file(staging.join(MOVE))?;
        fs::remove_dir(&staging)?;
    }
    Ok(())
}

/// Removes a new run that never counted.
pub(super) fn forget(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(staging(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

const TABLES: [&str; 10] = [
    "states",
    "bodies",
    "particles",
    "energy",
    "momentum",
    "events",
    "forces",
    "resultants",
    "joints",
    "joint-events",
];
const FIGURES: [&str; 6] = ["energy", "momentum", "trajectories", "spin", "events", "forces"];
const OTHERS: [&str; 7] = [
    "timings.json",
    "profile.csv",
    "checkpoint.bin",
    "shapes.json",
    "scene.toml",
    "scene.json",
    "summary.json",
];

/// Removes everything that a run or its figures may have left, and nothing else.
fn remove_results(folder: &Path) -> io::Result<()> {
    remove_derived(folder)?;
    for table in TABLES {
        remove(&folder.join(format!("{table}.csv")))?;
    }
    for name in OTHERS {
        remove(&folder.join(name))?;
    }
    match fs::remove_dir_all(folder.join("files")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what was made from the tables, copies of them and figures, and files that are half written.
pub(super) fn remove_derived(folder: &Path) -> io::Result<()> {
    for table in TABLES {
        remove(&folder.join(format!("{table}.parquet")))?;
        remove(&folder.join(format!("{table}.parquet{PART}")))?;
    }
    for name in OTHERS {
        remove(&folder.join(format!("{name}{PART}")))?;
    }
    for figure in FIGURES {
        remove(&folder.join(format!("{figure}.svg")))?;
        remove(&folder.join(format!("{figure}.png")))?;
    }
    remove(&folder.join("index.html"))
}

/// Removes all tables but those that are to stay.
pub(super) fn remove_tables_but(folder: &Path, is_kept: impl Fn(&str) -> bool) -> io::Result<()> {
    for table in TABLES {
        let name = format!("{table}.csv");
        if !is_kept(&name) {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
