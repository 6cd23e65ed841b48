//! Files that others wrote: regular ones only, and never more of them than fits.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::note::{ImportError, Place};

/// The largest file that is read, bytes.
pub(crate) const MAX_FILE: u64 = 256 << 20;

/// The most bytes that all files of one import have together.
const MAX_TOTAL: u64 = 1 << 30;

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct Files {
    total: u64,
}

impl Files {
    /// The bytes of a regular file; its size is known before anything is read.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, ImportError> {
        let place = Place::file(&path.display().to_string());
        let cannot =
            |error: std::io::Error| ImportError::new(&place, format!("cannot read the file: {error}"));
        // Looked at before it is opened: opening a pipe waits for a writer.
        let metadata = std::fs::metadata(path).map_err(cannot)?;
        if !metadata.is_file() {
            return Err(ImportError::new(&place, "this is no regular file"));
        }
        let file = File::open(path).map_err(cannot)?;
        let metadata = file.metadata().map_err(cannot)?;
        let (length, left) = (metadata.len(), MAX_TOTAL.saturating_sub(self.total));
        if !metadata.is_file() || length > MAX_FILE || length > left {
            let message = format!("the file has {length} bytes; at most {} may be read", MAX_FILE.min(left));
            return Err(ImportError::new(&place, message));
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

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}
