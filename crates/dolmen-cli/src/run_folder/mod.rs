//! The folder of a run: tables, summary, a copy of the scene and of the files it needs.
//!
//! It is a run from its first second: `summary.json` comes first and says `running`, every file that is not a table is written as
//! a whole, and tables grow by whole samples. So a process that is killed leaves a run that can be read, resumed or overwritten
//! ([`crate::run_record`] reads it). One process at a time writes ([`lock`]); an old run stays until the new one has begun
//! ([`swap`]).

mod disk;
mod lock;
mod scene_copy;
mod swap;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use dolmen::record::{
    Carried, ContactFiles, Event, Happened, JointEvent, JointEventTable, Output, Progress, RunTables, Sample,
    Table, TableFiles, Violation, can_touch,
};
use dolmen::world::World;
use serde_json::Value;

use crate::args::RunOptions;
use crate::built_in::Found;
use crate::checkpoint::{self, Checkpoint};
use crate::clock::Timing;
use crate::failure::Failure;
use crate::files::{PART, cannot_write, replace_file};
use crate::shapes;
use crate::summary::{self, Identity, Outcome};
use disk::{Disk, TableFile};
use lock::Lock;
use scene_copy::SceneCopy;

/// The results of a run on disk.
pub(crate) struct RunFolder {
    path: PathBuf,
    /// Where files go: the folder itself, or one inside it as long as an old run stays.
    place: PathBuf,
    identity: Identity,
    tables: RunTables<TableFile>,
    /// It is there only if anything happened in joints.
    joint_events: Option<JointEventTable<TableFile>>,
    output: Output,
    disk: Rc<Disk>,
    whole: Whole,
    _lock: Lock,
}

/// How far all tables have come together.
#[derive(Debug, Clone, Default)]
struct Whole {
    /// Bytes of each table.
    lengths: BTreeMap<String, u64>,
    progress: Progress,
}

impl RunFolder {
    /// Makes the folder, says that a run is going on, copies the scene and starts the tables.
    pub(crate) fn create(options: &RunOptions, found: &Found, world: &World) -> Result<Self, Failure> {
        let path = match &options.out {
            Some(path) => path.clone(),
            None => make_free_folder(&found.name)?,
        };
        check_free(&path, options.overwrite)?;
        fs::create_dir_all(&path).map_err(|error| cannot_make(&path, &error))?;
        let lock = Lock::take(&path)?;
        swap::tidy(&path).and_then(|()| swap::forget(&path)).map_err(|error| cannot_write(&path, &error))?;
        // Again: another process may have written and ended before the lock was ours.
        let is_taken = check_free(&path, options.overwrite)?;
        let scene = SceneCopy::new(found, options).map_err(|error| {
            Failure::input(format!("cannot read the files of the scene {}: {error}", found.name))
        })?;
        let output = found.document.scene().output(world);
        let identity = Identity::new(&found.name, found.document.scene(), scene.hash(), &output);
        let place = if is_taken { swap::staging(&path) } else { path.clone() };
        let begin = || {
            fs::create_dir_all(&place).map_err(|error| cannot_write(&place, &error))?;
            write_json(&place.join("summary.json"), &summary::running(&identity))?;
            scene.write(&place)?;
            begin_tables(&place, world, &output)
        };
        let (tables, disk) = begin().inspect_err(|_| {
            // The old run is as it was; that the rest of the new one cannot be removed adds nothing.
            let _ = swap::forget(&path);
        })?;
        let whole = Whole { lengths: disk.lengths(), progress: Progress::default() };
        Ok(Self { path, place, identity, tables, joint_events: None, output, disk, whole, _lock: lock })
    }

    /// Adds a sample to the tables, with what contacts and joints carry there. The first one ends the old run, if there is one.
    pub(crate) fn write(&mut self, sample: &Sample, carried: &Carried) -> Result<(), Failure> {
        let written = self.tables.write(sample, carried);
        self.flushed(written)?;
        if self.is_waiting() {
            swap::replace(&self.path).map_err(|error| cannot_write(&self.path, &error))?;
            self.place.clone_from(&self.path);
        }
        Ok(())
    }

    /// Adds what happened to the tables of events.
    pub(crate) fn write_events(
        &mut self,
        world: &World,
        events: &[Event],
        joint_events: &[JointEvent],
    ) -> Result<(), Failure> {
        let is_wanted = |event: &&JointEvent| self.output.has_joint(world, event.joint);
        let joint_events: Vec<JointEvent> = if self.output.has(Table::JointEvents) {
            joint_events.iter().filter(is_wanted).copied().collect()
        } else {
            Vec::new()
        };
        if self.joint_events.is_none() && !joint_events.is_empty() {
            let file = TableFile::create(&self.place, Table::JointEvents.file(), &self.disk)?;
            let table = JointEventTable::new(world, file);
            self.joint_events = Some(table.map_err(|error| cannot_write(&self.place, &error))?);
        }
        let written = self.tables.write_events(events);
        let written = written.and_then(|()| match &mut self.joint_events {
            Some(table) => table.write(&joint_events),
            None => Ok(()),
        });
        self.flushed(written)
    }

    /// Adds what happened in the order in which it did.
    pub(crate) fn write_happened(&mut self, world: &World, happened: &Happened) -> Result<(), Failure> {
        for (events, violation) in happened.pieces() {
            // Those of joints have a table of their own.
            let joint_events = if violation.is_none() { &happened.joint_events[..] } else { &[] };
            self.write_events(world, events, joint_events)?;
            self.write_violations(violation.map_or(&[], std::slice::from_ref))?;
        }
        Ok(())
    }

    /// Adds laws that were broken.
    pub(crate) fn write_violations(&mut self, violations: &[Violation]) -> Result<(), Failure> {
        if violations.is_empty() {
            return Ok(());
        }
        let written = self.tables.write_violations(violations);
        self.flushed(written)
    }

    /// Writes out what is buffered. If that fails, every table is cut back to where all of them were whole.
    fn flushed(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        let flush_joint_events =
            |table: &mut Option<JointEventTable<_>>| table.as_mut().map_or(Ok(()), JointEventTable::flush);
        let done = written
            .and_then(|()| self.tables.flush())
            .and_then(|()| flush_joint_events(&mut self.joint_events));
        let Err(error) = done else {
            self.whole = Whole { lengths: self.disk.lengths(), progress: self.tables.progress().clone() };
            return Ok(());
        };
        self.cut_back();
        let (name, reason) = self.disk.failure().unwrap_or_else(|| (String::new(), error.to_string()));
        let path = self.place.join(name);
        Err(Failure::stopped(format!("cannot write {}: {reason}", path.display())))
    }

    fn cut_back(&self) {
        for name in self.disk.lengths().keys() {
            let path = self.place.join(name);
            // A cut needs no room. If it fails all the same, readers leave out what is not whole.
            let _ = match self.whole.lengths.get(name) {
                Some(length) => OpenOptions::new().write(true).open(&path).and_then(|f| f.set_len(*length)),
                None => fs::remove_file(&path),
            };
        }
    }

    /// Writes a checkpoint of everything up to now; `engine` is the state of the simulation at this instant.
    pub(crate) fn write_checkpoint(&self, run: checkpoint::RunState, engine: Vec<u8>) -> Result<(), Failure> {
        let Whole { lengths, progress } = self.whole.clone();
        // What the checkpoint counts on has to be on the disk before it.
        for name in lengths.keys() {
            let path = self.path.join(name);
            let synced = OpenOptions::new().write(true).open(&path).and_then(|file| file.sync_data());
            synced.map_err(|error| cannot_write(&path, &error))?;
        }
        checkpoint::write(&self.path.join(checkpoint::NAME), &Checkpoint { lengths, progress, run, engine })
    }

    /// Whether a later process can go on from where this one was.
    pub(crate) fn has_checkpoint(&self) -> bool {
        self.path.join(checkpoint::NAME).is_file()
    }

    /// Writes how long it took, and the summary, which ends the run.
    pub(crate) fn finish(&self, outcome: &Outcome, timing: &Timing) -> Result<(), Failure> {
        let summary = summary::whole(&self.identity, self.progress(), outcome, timing);
        write_json(&self.path.join("timings.json"), &summary["timing"])?;
        write_json(&self.path.join("summary.json"), &summary)?;
        if outcome.end.is_final() {
            // A checkpoint that stays does no harm: the summary says that the run has ended.
            let _ = fs::remove_file(self.path.join(checkpoint::NAME));
        }
        Ok(())
    }

    /// Whether an old run is still in its place, because the new one has not begun.
    pub(crate) fn is_waiting(&self) -> bool {
        self.place != self.path && !swap::is_decided(&self.path)
    }

    /// Removes the new run that never began.
    pub(crate) fn forget(&self) {
        // What stays is removed by the next run that is written here.
        let _ = swap::forget(&self.path);
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is on disk: how well energy has added up, what contacts have come to, how many samples.
    pub(crate) fn progress(&self) -> &Progress {
        &self.whole.progress
    }
}

/// The folder of a run that did not finish, taken by this process to go on with it.
#[derive(Debug)]
pub(crate) struct Resumed {
    path: PathBuf,
    lock: Lock,
}

impl Resumed {
    /// Takes the folder, unless another process writes into it.
    pub(crate) fn take(path: &Path) -> Result<Self, Failure> {
        let lock = Lock::take(path)?;
        swap::tidy(path).and_then(|()| swap::forget(path)).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// Goes on behind a checkpoint: what was written after it is dropped.
    pub(crate) fn go_on(
        self,
        identity: Identity,
        (world, output): (&World, Output),
        checkpoint: &Checkpoint,
    ) -> Result<RunFolder, Failure> {
        let disk = Rc::new(Disk::default());
        let length = |name: &str| checkpoint.lengths.get(name).copied();
        let reopen = |name: &str| {
            let missing =
                || checkpoint::useless(&self.path.join(checkpoint::NAME), &format!("it lacks {name}"));
            TableFile::reopen(&self.path, name, length(name).ok_or_else(missing)?, &disk)
        };
        let files = table_files(world, &output, reopen)?;
        let tables = RunTables::resume(world, files, checkpoint.progress.clone()).limited_to(output.clone());
        let name = Table::JointEvents.file();
        let joint_events = length(name).is_some().then(|| reopen(name)).transpose()?;
        let joint_events = joint_events.map(|file| JointEventTable::resume(world, file));
        let whole = Whole { lengths: checkpoint.lengths.clone(), progress: checkpoint.progress.clone() };
        self.begin(&identity, |name| length(name).is_some())?;
        let Self { path, lock } = self;
        let place = path.clone();
        Ok(RunFolder { path, place, identity, tables, joint_events, output, disk, whole, _lock: lock })
    }

    /// Starts again from the beginning, with the scene that is there.
    pub(crate) fn restart(
        self,
        identity: Identity,
        world: &World,
        output: Output,
    ) -> Result<RunFolder, Failure> {
        self.begin(&identity, |_| false)?;
        let Self { path, lock } = self;
        let (tables, disk) = begin_tables(&path, world, &output)?;
        let whole = Whole { lengths: disk.lengths(), progress: Progress::default() };
        let place = path.clone();
        Ok(RunFolder { path, place, identity, tables, joint_events: None, output, disk, whole, _lock: lock })
    }

    /// Says again that the run is going on, and removes what is no longer so.
    fn begin(&self, identity: &Identity, is_kept: impl Fn(&str) -> bool) -> Result<(), Failure> {
        write_json(&self.path.join("summary.json"), &summary::running(identity))?;
        swap::remove_tables_but(&self.path, is_kept)
            .and_then(|()| swap::remove_derived(&self.path))
            .map_err(|error| cannot_write(&self.path, &error))
    }
}

/// Outlines of the bodies, and tables with their header lines.
fn begin_tables(
    place: &Path,
    world: &World,
    output: &Output,
) -> Result<(RunTables<TableFile>, Rc<Disk>), Failure> {
    write_json_line(&place.join("shapes.json"), &shapes::to_json(world))?;
    let disk = Rc::new(Disk::default());
    let files = table_files(world, output, |name| TableFile::create(place, name, &disk))?;
    let begun = RunTables::new(world, files).and_then(|mut tables| {
        tables.flush()?;
        Ok(tables.limited_to(output.clone()))
    });
    let tables = begun.map_err(|error| {
        let (name, reason) = disk.failure().unwrap_or_else(|| (String::new(), error.to_string()));
        Failure::stopped(format!("cannot write {}: {reason}", place.join(name).display()))
    })?;
    Ok((tables, disk))
}

/// The tables that a world needs and that are wanted.
fn table_files(
    world: &World,
    output: &Output,
    open: impl Fn(&str) -> Result<TableFile, Failure>,
) -> Result<TableFiles<TableFile>, Failure> {
    let has_particles = world.sets().iter().any(|set| !set.is_empty());
    let has_joints = !world.joints().is_empty();
    let table = |table: Table, has_rows: bool| {
        (has_rows && output.has(table)).then(|| open(table.file())).transpose()
    };
    let contacts = || {
        let (events, forces) = (table(Table::Events, true)?, table(Table::Forces, true)?);
        Ok(ContactFiles { events, forces, resultants: table(Table::Resultants, true)? })
    };
    Ok(TableFiles {
        states: table(Table::States, true)?,
        bodies: table(Table::Bodies, true)?,
        particles: table(Table::Particles, has_particles)?,
        energy: open("energy.csv")?,
        momentum: open("momentum.csv")?,
        contacts: can_touch(world).then(contacts).transpose()?,
        joints: table(Table::Joints, has_joints)?,
        coordinates: table(Table::Coordinates, has_joints)?,
        sensors: table(Table::Sensors, !world.sensors().is_empty())?,
    })
}

fn write_json(path: &Path, value: &Value) -> Result<(), Failure> {
    replace_file(path, format!("{value:#}\n").as_bytes())
}

/// On one line.
fn write_json_line(path: &Path, value: &Value) -> Result<(), Failure> {
    replace_file(path, format!("{value}\n").as_bytes())
}

/// Whether a folder holds a run, finished or not.
///
/// Before runs said so from their first second, one that was killed had tables and outlines and no summary.
pub(crate) fn is_run(path: &Path) -> bool {
    let has = |name: &str| path.join(name).is_file();
    has("summary.json") || swap::is_decided(path) || (has("shapes.json") && has("states.csv"))
}

/// Whether a process is writing into the folder at this moment.
pub(crate) fn is_being_written(path: &Path) -> bool {
    Lock::is_held(path)
}

/// Finishes what a process that was killed while it overwrote a run had decided.
pub(crate) fn tidy(path: &Path) -> io::Result<()> {
    if is_being_written(path) { Ok(()) } else { swap::tidy(path) }
}

/// Refuses a folder that is not to be written into; returns whether an old run is in it.
fn check_free(path: &Path, overwrite: bool) -> Result<bool, Failure> {
    let shown = path.display();
    let is_taken = is_taken(path);
    if is_taken && !overwrite {
        let help = "name another folder, or add --overwrite";
        return Err(Failure::input(format!("{shown} is not empty\n  help: {help}")));
    }
    if is_taken && !is_run(path) {
        let help = "--overwrite replaces runs only; name another folder";
        return Err(Failure::input(format!("{shown} holds something that is not a run\n  help: {help}")));
    }
    Ok(is_taken)
}

/// Whether there is anything in a folder but what a process leaves that was killed before it wrote its summary.
fn is_taken(path: &Path) -> bool {
    let is_left_over = |name: &str| {
        name == lock::NAME
            || name == format!("summary.json{PART}")
            || (swap::is_ours(name) && !swap::is_decided(path))
    };
    fs::read_dir(path).is_ok_and(|entries| {
        entries.flatten().any(|entry| !entry.file_name().to_str().is_some_and(is_left_over))
    })
}

/// Makes `runs/NAME`, or the first of `runs/NAME-2`, `runs/NAME-3` … that is not there yet.
fn make_free_folder(name: &str) -> Result<PathBuf, Failure> {
    let runs = Path::new("runs");
    fs::create_dir_all(runs).map_err(|error| cannot_make(runs, &error))?;
    let mut number = 1_u32;
    loop {
        let folder = if number == 1 { runs.join(name) } else { runs.join(format!("{name}-{number}")) };
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot_make(&folder, &error)),
        }
    }
}

fn cannot_make(folder: &Path, error: &io::Error) -> Failure {
    Failure::stopped(format!("cannot make the folder {}: {error}", folder.display()))
}
