//! Files that others wrote: regular ones only, from folders that the user meant, and never more of them than fits.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::Options;
use crate::note::{ImportError, Place};

/// The largest file that is read, bytes.
pub(crate) const MAX_FILE: u64 = 256 << 20;

/// The most bytes that all files of one import have together.
const MAX_TOTAL: u64 = 1 << 30;

/// Which files an import may read, and how much it has read so far.
#[derive(Debug)]
pub(crate) struct Files {
    /// The file that was named by the user: wherever it is, it is meant.
    main: PathBuf,
    /// Its bytes, where it is no file on the disk.
    given: Option<Vec<u8>>,
    /// Folders below which files are read.
    roots: Vec<PathBuf>,
    allow_outside: bool,
    total: u64,
}

impl Files {
    /// Files below the folder of `main` and below the folders of packages.
    pub(crate) fn new(main: &Path, options: &Options) -> Self {
        let mut files = Self {
            main: main.to_owned(),
            given: None,
            roots: Vec::new(),
            allow_outside: options.allow_outside,
            total: 0,
        };
        files.allow_below(&folder(main));
        options.package_paths.iter().for_each(|folder| files.allow_below(folder));
        files
    }

    /// The same with the bytes of the main file, which need not be on the disk.
    pub(crate) fn with_main(mut self, bytes: &[u8]) -> Self {
        self.given = Some(bytes.to_vec());
        self
    }

    /// Lets files below a folder be read, too.
    pub(crate) fn allow_below(&mut self, folder: &Path) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // As it is found, for what is not there; as it is in truth, for what links lead to.
        self.roots.extend(std::path::absolute(folder));
        self.roots.extend(folder.canonicalize());
    }

    /// Whether a file may be read; links are followed first. What is not there is judged by its name.
    fn is_allowed(&self, path: &Path) -> bool {
        let below = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        match path.canonicalize() {
            _ if self.allow_outside || path == self.main => true,
            Ok(real) => below(&real),
            Err(_) => std::path::absolute(path).is_ok_and(|path| below(&without_climbing(&path))),
        }
    }

    /// The bytes of a regular file; its size is known before anything is read.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, ImportError> {
        let place = Place::file(&path.display().to_string());
        if path == self.main
            && let Some(bytes) = &self.given
        {
            return Ok(bytes.clone());
        }
        // First: whether a file elsewhere is there, or what it is, is not told.
        if !self.is_allowed(path) {
            let message =
                "this is outside the folder of the model and of its packages, where files are not read";
            return Err(ImportError::new(&place, message)
                .help("name its folder with --package-path, or let all files be read with --allow-outside"));
        }
        let cannot = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ImportError::new(&place, "there is no such file")
                .help("paths are relative to the file that names them"),
            _ => ImportError::new(&place, format!("cannot read the file: {error}")),
        };
        // Looked at before it is opened: opening a pipe waits for a writer.
        let metadata = std::fs::metadata(path).map_err(cannot)?;
        if !metadata.is_file() {
            return Err(ImportError::new(&place, "this is no regular file")
                .help("name a file, not a folder or device"));
        }
        let file = File::open(path).map_err(cannot)?;
        let metadata = file.metadata().map_err(cannot)?;
        let (length, left) = (metadata.len(), MAX_TOTAL.saturating_sub(self.total));
        if !metadata.is_file() || length > MAX_FILE || length > left {
            let message = format!("the file has {length} bytes; at most {} may be read", MAX_FILE.min(left));
            return Err(ImportError::new(&place, message).help("simplify the mesh, or split the model"));
        }
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).map_err(cannot)?;
        self.total += bytes.len() as u64;
        Ok(bytes)
    }

    /// The text of a file.
    pub(crate) fn read_text(&mut self, path: &Path) -> Result<String, ImportError> {
        let bytes = self.read(path)?;
        String::from_utf8(bytes).map_err(|_| {
            ImportError::new(&Place::file(&path.display().to_string()), "the file is not UTF-8 text")
                .help("save it as UTF-8")
        })
    }
}

/// An absolute path with its `..` carried out.
fn without_climbing(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}
