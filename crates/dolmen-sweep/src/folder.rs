//! The folder of a sweep: what was asked for, and the table in parts.
//!
//! ```text
//! sweep.json             what was asked for; everything else follows from it
//! part-00017.parquet     rows of part 17, complete since the file has this name
//! sweep.lock             held while a process works here; the system lets go of it when the process ends, however it ends
//! ```

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dolmen::math::work::Interrupt;

use crate::plan::{Plan, Spec};
use crate::table::{Column, Table};
use crate::variant::{Hook, Row, Status};
use crate::{Summary, SweepError};

/// What was asked for.
pub const SPEC_FILE: &str = "sweep.json";

const LOCK_FILE: &str = "sweep.lock";

/// The folder of runs that are kept.
pub const RUNS: &str = "runs";

/// Of a part that is being written.
const UNFINISHED: &str = "unfinished";

/// The stack of a main thread, which is what the engine has in the command.
const STACK: usize = 8 << 20;

/// Whether a folder is one of a sweep.
pub fn is_sweep(folder: &Path) -> bool {
    folder.join(SPEC_FILE).is_file()
}

fn part_file(folder: &Path, part: usize) -> PathBuf {
    folder.join(format!("part-{part:05}.parquet"))
}

/// Works through all parts that are not in the folder yet, on `jobs` threads; `on_done` hears of every variant that is done, and of
/// those that were there.
///
/// # Errors
/// When the folder holds another sweep or other files, a file cannot be written, or it was interrupted.
pub fn run(
    plan: &Plan,
    folder: &Path,
    jobs: usize,
    interrupt: &Interrupt,
    hook: Option<Hook>,
    on_done: &(dyn Fn(usize) + Sync),
) -> Result<Summary, SweepError> {
    let _lock = take(plan, folder)?;
    let parts: Vec<usize> = missing(plan, folder)?;
    let todo: usize = parts.iter().map(|part| plan.part(*part).len()).sum();
    on_done(plan.variants() - todo);
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<SweepError>> = Mutex::new(None);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let rows = plan.part(*part).map(|variant| {
                let row = plan.run(variant, interrupt, hook);
                on_done(usize::from(row.is_some()));
                row
            });
            let Some(rows) = rows.collect::<Option<Vec<Row>>>() else { return };
            if let Err(error) = put(folder, *part, &Table::of(plan, &rows)) {
                failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                // The others need not go on for a disk that is full.
                next.store(parts.len(), Ordering::Relaxed);
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, parts.len().max(1)) {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)
                .map_err(|error| SweepError::input(format!("cannot start a thread: {error}")))?;
        }
        Ok::<(), SweepError>(())
    })?;
    if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error);
    }
    if interrupt.is_raised() {
        return Err(SweepError::Interrupted);
    }
    summary(&read(folder)?)
}

/// The folder is this process's as long as it keeps the file.
fn lock(folder: &Path) -> Result<File, SweepError> {
    let lock_file = folder.join(LOCK_FILE);
    let lock = File::create(&lock_file).map_err(|error| SweepError::file(&lock_file, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            let text = format!("another process works in {}; wait for it", folder.display());
            Err(SweepError::Input(text))
        }
        Err(TryLockError::Error(error)) => Err(SweepError::file(&lock_file, &error)),
    }
}

/// Takes a folder for a sweep: a new or empty one, or one that holds the same sweep.
fn take(plan: &Plan, folder: &Path) -> Result<File, SweepError> {
    let spec_file = folder.join(SPEC_FILE);
    let spec =
        serde_json::to_string_pretty(plan.spec()).map_err(|error| SweepError::file(&spec_file, &error))?;
    let is_there = is_sweep(folder);
    if !is_there && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let text = format!("{} is not empty and holds no sweep; name another folder", folder.display());
        return Err(SweepError::Input(text));
    }
    fs::create_dir_all(folder).map_err(|error| SweepError::file(folder, &error))?;
    let lock = lock(folder)?;
    if is_there && fs::metadata(&spec_file).is_ok_and(|file| file.len() > 0) {
        let old = self::spec(folder)?;
        // Compared as they are written, where a number that is not finite cannot hide.
        if serde_json::to_string_pretty(&old).ok().as_ref() != Some(&spec) {
            let text = format!(
                "{} holds another sweep: its scene, values, measures, time or seed differ; name another folder",
                folder.display()
            );
            return Err(SweepError::Input(text));
        }
    } else {
        let unfinished = folder.join(format!("{SPEC_FILE}.{UNFINISHED}"));
        fs::write(&unfinished, spec)
            .and_then(|()| fs::rename(&unfinished, &spec_file))
            .map_err(|error| SweepError::file(&spec_file, &error))?;
    }
    Ok(lock)
}

/// Whether a file of a folder is a part of a table.
fn is_part(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("part-") && name.ends_with(".parquet")
}

/// Takes the table, the runs and what was asked for out of a folder of a sweep, and nothing else, so that another sweep may be there.
/// A folder of no sweep is left as it is.
///
/// # Errors
/// When another process works there, or a file cannot be removed.
pub fn clear(folder: &Path) -> Result<(), SweepError> {
    if !is_sweep(folder) {
        return Ok(());
    }
    let _lock = lock(folder)?;
    let entries = fs::read_dir(folder).map_err(|error| SweepError::file(folder, &error))?;
    let parts = entries.flatten().map(|entry| entry.path()).filter(|file| is_part(file));
    for file in parts.collect::<Vec<_>>() {
        fs::remove_file(&file).map_err(|error| SweepError::file(&file, &error))?;
    }
    let runs = folder.join(RUNS);
    if runs.is_dir() {
        fs::remove_dir_all(&runs).map_err(|error| SweepError::file(&runs, &error))?;
    }
    // Last, so that what is interrupted here can be begun again. An empty text stands for no sweep.
    let spec = folder.join(SPEC_FILE);
    fs::write(&spec, "").map_err(|error| SweepError::file(&spec, &error))
}

/// The parts that are not there, or not whole.
fn missing(plan: &Plan, folder: &Path) -> Result<Vec<usize>, SweepError> {
    let mut missing = Vec::new();
    for part in 0..plan.parts() {
        let file = part_file(folder, part);
        let mut table = Table::default();
        let is_whole = file.is_file() && table.append(&file).is_ok() && table.rows() == plan.part(part).len();
        if !is_whole {
            missing.push(part);
        }
    }
    let entries = fs::read_dir(folder).map_err(|error| SweepError::file(folder, &error))?;
    for entry in entries.flatten().map(|entry| entry.path()) {
        if entry.extension().is_some_and(|extension| extension == UNFINISHED) {
            fs::remove_file(&entry).map_err(|error| SweepError::file(&entry, &error))?;
        }
    }
    Ok(missing)
}

fn put(folder: &Path, part: usize, table: &Table) -> Result<(), SweepError> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).map_err(|error| SweepError::file(part_file(folder, part), &error))?;
    write_part(folder, part, &bytes)
}

/// Puts the bytes of a part into the folder: the file is there whole, or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write_part(folder: &Path, part: usize, bytes: &[u8]) -> Result<(), SweepError> {
    let file = part_file(folder, part);
    let unfinished = file.with_added_extension(UNFINISHED);
    fs::write(&unfinished, bytes)
        .and_then(|()| fs::rename(&unfinished, &file))
        .map_err(|error| SweepError::file(&file, &error))
}

/// The whole table of a folder, by variant number.
///
/// # Errors
/// When the folder is none of a sweep, or a part cannot be read.
pub fn read(folder: &Path) -> Result<Table, SweepError> {
    let entries = fs::read_dir(folder).map_err(|error| SweepError::file(folder, &error))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut parts: Vec<PathBuf> = files.filter(|file| is_part(file)).collect();
    parts.sort_unstable();
    let mut table = Table::default();
    for part in parts {
        table.append(&part)?;
    }
    Ok(table)
}

/// What was asked for, of a folder.
///
/// # Errors
/// When the folder is none of a sweep.
pub fn spec(folder: &Path) -> Result<Spec, SweepError> {
    let file = folder.join(SPEC_FILE);
    let text = fs::read_to_string(&file).map_err(|error| SweepError::file(&file, &error))?;
    serde_json::from_str(&text).map_err(|error| SweepError::file(&file, &error))
}

fn summary(table: &Table) -> Result<Summary, SweepError> {
    let (Some(Column::Text(status)), Some(Column::Text(reason)), Some(Column::Whole(variant))) =
        (table.column("status"), table.column("reason"), table.column("variant"))
    else {
        return Err(SweepError::input("the parts are none of a sweep"));
    };
    let mut summary = Summary::default();
    for ((status, reason), variant) in status.iter().zip(reason).zip(variant) {
        summary.add(*variant as u64, Status::named(status).unwrap_or(Status::Stopped), reason);
    }
    Ok(summary)
}

impl Plan {
    /// Takes a folder for this sweep and says which parts it lacks, for callers that have their parts made elsewhere and put them
    /// there by [`write_part`]. The folder is theirs as long as they keep the file.
    ///
    /// # Errors
    /// As [`run`].
    pub fn open(&self, folder: &Path) -> Result<(File, Vec<usize>), SweepError> {
        let lock = take(self, folder)?;
        Ok((lock, missing(self, folder)?))
    }

    /// The bytes of a part; none when it was interrupted.
    ///
    /// # Errors
    /// When the format refuses.
    pub fn part_bytes(
        &self,
        part: usize,
        interrupt: &Interrupt,
        hook: Option<Hook>,
    ) -> Result<Option<Vec<u8>>, SweepError> {
        let rows: Option<Vec<Row>> =
            self.part(part).map(|variant| self.run(variant, interrupt, hook)).collect();
        let Some(rows) = rows else { return Ok(None) };
        let mut bytes = Vec::new();
        Table::of(self, &rows).write(&mut bytes).map_err(|error| SweepError::file("part", &error))?;
        Ok(Some(bytes))
    }
}
