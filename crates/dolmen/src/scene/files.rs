//! Files that a scene names: only regular ones, only below the folder of the scene, and not larger than a bound.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use super::import::{ImportRequest, ImportedText, Importer};
use super::read::shown;
use super::tolerances::{LARGEST_SUM, MOST_DATA_FILES};

/// Which files a scene may name.
#[derive(Debug, Clone)]
pub struct Files {
    /// The folder of the scene; paths in it are relative to this one.
    pub base: PathBuf,
    /// Whether files outside that folder may be read.
    pub allow_outside: bool,
    /// Whether any file may be read.
    allow_any: bool,
    /// What reads included files of other formats.
    importer: Option<Importer>,
    /// What was opened so far.
    opened: RefCell<Opened>,
}

/// The files that one scene has opened, and how large they are together; one that is named again counts once.
#[derive(Debug, Clone, Default)]
struct Opened {
    paths: BTreeSet<PathBuf>,
    bytes: u64,
}

/// Why a file that a scene names is of no use. Nothing of the file is quoted: it may be one that the reader of the message has no
/// business with.
#[derive(Debug)]
pub(crate) struct FileError {
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: &'static str,
}

impl FileError {
    pub(crate) fn new(message: String, help: &'static str) -> Self {
        Self { message, help }
    }
}

/// The path of a file in a message: whatever it contains, it stays on its line.
pub(crate) fn named(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

impl Files {
    /// Files below `base`.
    pub fn below(base: &Path) -> Self {
        Self::new(base.to_owned(), false)
    }

    /// Files below `base`, and elsewhere if that is allowed.
    pub fn new(base: PathBuf, allow_outside: bool) -> Self {
        Self { base, allow_outside, allow_any: true, importer: None, opened: RefCell::default() }
    }

    /// The same, and included files of other formats are read by `importer`.
    #[must_use]
    pub fn importing(mut self, importer: Option<Importer>) -> Self {
        self.importer = importer;
        self
    }

    /// A real path that may be read as a scene, by the importer; none without one, or if it does not know the format.
    pub(crate) fn import(&self, real: &Path, free_base: bool) -> Option<Result<ImportedText, String>> {
        let request = ImportRequest { allow_outside: self.allow_outside, free_base };
        self.importer.and_then(|importer| importer(real, &request))
    }

    /// No files at all, for a scene from somebody who is not to read any.
    pub fn none() -> Self {
        Self { allow_any: false, ..Self::new(PathBuf::new(), false) }
    }

    /// Opens a file that the scene names, having looked at what it is before: opening a pipe would wait for ever.
    ///
    /// # Errors
    /// Why it is not read.
    pub(crate) fn open(&self, path: &Path, largest: u64) -> Result<File, FileError> {
        let full = self.path(path)?;
        let (file, length) = open_regular(&full, path, largest)?;
        let mut opened = self.opened.borrow_mut();
        if opened.paths.insert(full) {
            opened.bytes = opened.bytes.saturating_add(length);
        }
        if opened.bytes > LARGEST_SUM || opened.paths.len() > MOST_DATA_FILES {
            let message = format!(
                "with {} the scene names {} files of {} bytes, and may name {MOST_DATA_FILES} files of {LARGEST_SUM} bytes",
                named(path),
                opened.paths.len(),
                opened.bytes
            );
            return Err(FileError::new(message, "use the same files again, or simpler ones"));
        }
        Ok(file)
    }

    /// Reads a file that the scene names.
    ///
    /// # Errors
    /// Why it is not read.
    pub(crate) fn read(&self, path: &Path, largest: u64) -> Result<Vec<u8>, FileError> {
        let file = self.open(path, largest)?;
        let mut bytes = Vec::new();
        // It may grow while it is read.
        file.take(largest).read_to_end(&mut bytes).map_err(|error| cannot(path, &error))?;
        Ok(bytes)
    }

    /// Whether a real path is below the folder of the scene.
    pub(crate) fn holds(&self, full: &Path) -> bool {
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        base.canonicalize().is_ok_and(|base| full.starts_with(base))
    }

    /// The real path of a file that the scene names.
    ///
    /// # Errors
    /// When it is not there or may not be read.
    pub(crate) fn path(&self, path: &Path) -> Result<PathBuf, FileError> {
        if !self.allow_any {
            let message = format!("{} is a file, and this scene can read none", named(path));
            return Err(FileError::new(message, "put the scene beside its files and open it as a file"));
        }
        if path.as_os_str().is_empty() {
            return Err(FileError::new("the path is empty".to_owned(), "name a file"));
        }
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        let outside = || {
            let message = format!("{} is outside the folder of the scene", named(path));
            FileError::new(message, "copy it there, or let all files be read with --allow-outside")
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
        if self.holds(&full) { Ok(full) } else { Err(outside()) }
    }
}

/// Whether a text says that it is a scene, before any of it is shown.
pub(crate) fn says_format(text: &str) -> bool {
    let key = |line: &str| line.trim_start().trim_start_matches(['{', '"', ' ']).starts_with("format");
    text.lines().any(key)
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

/// Opens `full` if it is a regular file of at most `largest` bytes; messages call it `path`.
fn open_regular(full: &Path, path: &Path, largest: u64) -> Result<(File, u64), FileError> {
    let found = std::fs::metadata(full).map_err(|error| cannot(path, &error))?;
    if found.is_dir() {
        return Err(FileError::new(format!("{} is a folder", named(path)), "name a file in it"));
    }
    if !found.is_file() {
        let message = format!("{} is no regular file", named(path));
        return Err(FileError::new(
            message,
            "pipes and devices have no end; write what they give into a file",
        ));
    }
    if found.len() > largest {
        let message = format!("{} has {} bytes, and at most {largest} are read", named(path), found.len());
        return Err(FileError::new(message, "split it, or leave out what is not needed"));
    }
    let file = File::open(full).map_err(|error| cannot(path, &error))?;
    Ok((file, found.len()))
}

fn cannot(path: &Path, error: &std::io::Error) -> FileError {
    match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("there is no file {}", named(path));
            FileError::new(message, "paths are relative to the folder of the scene")
        }
        _ => FileError::new(format!("cannot read {}: {error}", named(path)), "may you read it?"),
    }
}
