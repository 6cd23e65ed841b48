//! Files that a scene names: only regular ones, only below the folder of the scene, and not larger than a bound.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// Which files a scene may name.
#[derive(Debug, Clone)]
pub struct Files {
    /// The folder of the scene; paths in it are relative to this one.
    pub base: PathBuf,
    /// Whether files outside that folder may be read.
    pub allow_outside: bool,
}

impl Files {
    /// Files below `base`.
    pub fn below(base: &Path) -> Self {
        Self { base: base.to_owned(), allow_outside: false }
    }

    /// Opens a file that the scene names, having looked at what it is before: opening a pipe would wait for ever.
    ///
    /// # Errors
    /// Why it is not read, in words.
    pub(crate) fn open(&self, path: &Path, largest: u64) -> Result<(File, u64), String> {
        let full = self.path(path)?;
        open_regular(&full, path, largest)
    }

    /// Reads a file that the scene names.
    ///
    /// # Errors
    /// Why it is not read, in words.
    pub(crate) fn read(&self, path: &Path, largest: u64) -> Result<Vec<u8>, String> {
        let (file, length) = self.open(path, largest)?;
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        // It may grow while it is read.
        file.take(largest).read_to_end(&mut bytes).map_err(|error| cannot(path, &error))?;
        Ok(bytes)
    }

    /// The real path of a file that the scene names.
    ///
    /// # Errors
    /// When it is not there or may not be read.
    pub(crate) fn path(&self, path: &Path) -> Result<PathBuf, String> {
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        let outside = || {
            format!(
                "{} is outside the folder of the scene, where files are read only with --allow-outside",
                path.display()
            )
        };
        // Whether a file outside exists is not told either.
        let leaves = path.is_absolute() || climbs(path);
        if leaves && !self.allow_outside {
            return Err(outside());
        }
        let full = base.join(path).canonicalize().map_err(|error| cannot(path, &error))?;
        if self.allow_outside {
            return Ok(full);
        }
        let base = base.canonicalize().map_err(|error| cannot(base, &error))?;
        if full.starts_with(&base) { Ok(full) } else { Err(outside()) }
    }
}

/// Whether a relative path leads above where it begins.
fn climbs(path: &Path) -> bool {
    let mut depth = 0_i64;
    path.components().any(|component| {
        depth += match component {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            _ => 0,
        };
        depth < 0
    })
}

/// Opens `full` if it is a regular file of at most `largest` bytes; messages call it `name`.
///
/// # Errors
/// Why it is not opened, in words.
pub(crate) fn open_regular(full: &Path, name: &Path, largest: u64) -> Result<(File, u64), String> {
    let found = std::fs::metadata(full).map_err(|error| cannot(name, &error))?;
    if found.is_dir() {
        return Err(format!("{} is a folder", name.display()));
    }
    if !found.is_file() {
        return Err(format!("{} is no regular file", name.display()));
    }
    if found.len() > largest {
        let message = format!("{} has {} bytes, and at most {largest} are read", name.display(), found.len());
        return Err(message);
    }
    let file = File::open(full).map_err(|error| cannot(name, &error))?;
    Ok((file, found.len()))
}

fn cannot(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("there is no file {}", path.display()),
        _ => format!("cannot read {}: {error}", path.display()),
    }
}
