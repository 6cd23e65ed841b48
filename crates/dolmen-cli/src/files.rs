//! Files that are whole or not there at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The ending of a file that is being written and will be renamed.
pub(crate) const PART: &str = ".part";

/// That a file could not be written, and why.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::stopped(format!("cannot write {}: {error}", path.display()))
}

/// Replaces a file as a whole: a reader sees the old or the new one, also after the process was killed on the way.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = part_of(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&part);
        cannot_write(path, &error)
    })
}

/// The same, and the bytes are on the disk before the file has its name: it survives a loss of power.
pub(crate) fn replace_file_synced(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = part_of(path);
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&part, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        cannot_write(path, &error)
    })
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    PathBuf::from(name)
}
