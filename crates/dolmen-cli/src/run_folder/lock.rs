//! One process at a time writes into the folder of a run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::files::cannot_write;

/// Locked for as long as a process writes; the lock goes with the process, however that ends.
pub(super) const NAME: &str = "running.lock";

/// A command that only looks holds the lock for less than this, s.
const LOOK: Duration = Duration::from_millis(20);

/// The lock of a folder, held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: Option<File>,
}

impl Lock {
    /// Takes the lock, unless another process has it. Where the file system knows no locks there is none.
    pub(super) fn take(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(NAME);
        for _ in 0..5 {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(|error| cannot_write(&path, &error))?;
            match file.try_lock() {
                // The process that had it before may have removed the file in between.
                Ok(()) if path.exists() => return Ok(Self { path, _file: Some(file) }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
                Err(TryLockError::Error(_)) => return Ok(Self { path, _file: None }),
            }
        }
        let help = "wait until it is done, or name another folder";
        Err(Failure::input(format!(
            "another process is writing a run into {}\n  help: {help}",
            folder.display()
        )))
    }

    /// Whether a process that is alive writes into the folder.
    pub(super) fn is_held(folder: &Path) -> bool {
        let file = File::open(folder.join(NAME));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays is an empty one, and the next process takes it.
        let _ = fs::remove_file(&self.path);
    }
}
