//! `dolmen export`: a run as a page, an animated glTF, a picture that stands or moves, or tables.
//!
//! Pages, glTF and pictures show what is between the samples of a run, so they are recorded anew from its scene: the same
//! scene moves in the same way, to the last bit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dolmen_view::export::png::Picture;
use dolmen_view::export::{ExportError, glb, html, png, record_by};
use dolmen_view::{DriverChoice, Take, base_rate};

use crate::args::{ExportFormat, ExportOptions};
use crate::built_in::Found;
use crate::failure::Failure;
use crate::files::cannot_write;
use crate::fingerprint::{self, Recorded};
use crate::tables::{RunRecord, TablePart};
use crate::tell::tell;
use crate::{import, parquet, run_folder, view};

/// Writes a run in another format and prints where to.
pub(crate) fn export(options: &ExportOptions) -> Result<(), Failure> {
    let written = match options.to {
        ExportFormat::Csv | ExportFormat::Parquet => tables(options)?,
        ExportFormat::Mjcf | ExportFormat::Urdf => vec![model(options)?],
        _ => vec![one_file(options)?],
    };
    let list: Vec<String> = written.iter().map(|file| format!("{}\n", file.display())).collect();
    crate::print(&list.concat())
}

/// The scene in the format of another simulator; what that cannot say is listed.
fn model(options: &ExportOptions) -> Result<PathBuf, Failure> {
    let found = view::find(&options.target, &[], false)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let (exported, ending) = match options.to {
        ExportFormat::Urdf => (dolmen_import::to_urdf(&world, &found.name), "urdf"),
        _ => (dolmen_import::to_mjcf(&world, &found.name), "xml"),
    };
    let file = options.out.clone().unwrap_or_else(|| default_file(options, &found, ending));
    let same =
        |a: &Path, b: &Path| fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b));
    if same(&file, options.target.as_path()) {
        let help = "name another file by --out";
        return Err(Failure::input(format!("{} would overwrite itself\n  help: {help}", file.display())));
    }
    fs::write(&file, exported.text).map_err(|error| cannot_write(&file, &error))?;
    import::list("what the scene says and the file does not:", &exported.notes);
    Ok(file)
}

fn one_file(options: &ExportOptions) -> Result<PathBuf, Failure> {
    let set = options.driver.overrides();
    let found = view::find(&options.target, &set, false)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let run = found.document.scene().run.clone().unwrap_or_default();
    let folder = options.target.as_path();
    let recorded = if folder.is_dir() { fingerprint::check(folder, &found)? } else { None };
    let end = options.duration.or(recorded.as_ref().map(|recorded| recorded.t_end));
    let end = end.or(run.duration).or_else(|| run.times.as_ref()?.last().copied());
    let end = end.ok_or_else(|| {
        Failure::input("how long? give --for SECONDS, or a `duration` under [run] in the scene")
    })?;
    let choice = DriverChoice::from(&run);
    let mut take = record_by(world, &choice, end).map_err(|error| Failure::stopped(error.to_string()))?;
    if let Some(stop) = take.stop() {
        tell!("note: {stop}; the export ends there");
    }
    if let Some(note) = recorded.filter(|_| set.is_empty()).and_then(|recorded| differs(&mut take, &recorded))
    {
        tell!("note: {note}");
    }
    let title = found.document.scene().title.clone().unwrap_or_else(|| found.name.clone());
    let (bytes, ending) = match options.to {
        ExportFormat::Glb => (glb::glb(&take, &title), "glb"),
        ExportFormat::Png => (png::png(&take, &picture(options, &take)), "png"),
        ExportFormat::Apng => (moving(options, &take, end), "apng"),
        _ => (html::html(&take, &found.name, &title, Some(end)).map(String::into_bytes), "html"),
    };
    let bytes = bytes.map_err(|error| Failure::input(error.to_string()))?;
    let file = options.out.clone().unwrap_or_else(|| default_file(options, &found, ending));
    fs::write(&file, bytes)
        .map_err(|error| Failure::stopped(format!("cannot write {}: {error}", file.display())))?;
    Ok(file)
}

/// What to say if the run, simulated anew, ends elsewhere than the record.
fn differs(take: &mut Take, recorded: &Recorded) -> Option<String> {
    let hash = recorded.state_hash.as_ref().filter(|_| take.head() == recorded.t_end)?;
    let now = take.state_hash();
    (now != *hash).then(|| {
        format!(
            "simulated anew, the run ends in another state than its tables say (hash {now} and not {hash}): it was made by \
             another version of the program; run it again"
        )
    })
}

/// Inside the folder of a run; for a scene, here.
fn default_file(options: &ExportOptions, found: &Found, ending: &str) -> PathBuf {
    let name = format!("{}.{ending}", found.name);
    let run = options.target.as_path();
    if run.is_dir() { run.join(name) } else { PathBuf::from(name) }
}

fn picture(options: &ExportOptions, take: &Take) -> Picture {
    let end = take.head();
    let times = match options.frames {
        Some(1) => vec![end],
        Some(n) => (0..n).map(|i| end * i as f64 / (n.max(2) - 1) as f64).collect(),
        None if options.at.is_empty() => vec![end],
        None => options.at.clone(),
    };
    Picture { times, width: options.width, height: options.height }
}

/// Pictures that move, a second that `dolmen view` shows.
const FRAMES_PER_SECOND: f64 = 20.0;

/// Of these, without being asked for more.
const MOST_MOVING: f64 = 100.0;

/// Pictures from the start to `end`, s, in the time that the page takes at speed 1.
fn moving(options: &ExportOptions, take: &Take, end: f64) -> Result<Vec<u8>, ExportError> {
    let seconds = end / base_rate(Some(end));
    let count =
        options.frames.unwrap_or_else(|| (FRAMES_PER_SECOND * seconds).clamp(2.0, MOST_MOVING) as usize);
    let delay = (1e3 * seconds / count.max(1) as f64).round().clamp(1.0, f64::from(u16::MAX));
    let head = take.head();
    let times = (0..count).map(|i| head * i as f64 / (count.max(2) - 1) as f64).collect();
    png::apng(take, &Picture { times, width: options.width, height: options.height }, delay as u16)
}

/// The tables of a run, in its own folder or another, as far as they are whole.
fn tables(options: &ExportOptions) -> Result<Vec<PathBuf>, Failure> {
    let run = options.target.as_path();
    if !run_folder::is_run(run) {
        let help = "tables come from a folder that `dolmen run` wrote";
        return Err(Failure::input(format!("{} is not a run\n  help: {help}", run.display())));
    }
    let record = RunRecord::open(run).map_err(|error| Failure::input(error.to_string()))?;
    if let Some(note) = record.note() {
        tell!("note: {note}");
    }
    let folder = options.out.clone().unwrap_or_else(|| run.to_owned());
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    if options.to == ExportFormat::Parquet {
        return parquet::write_tables(&record.tables(), &folder)
            .map_err(|error| Failure::stopped(error.to_string()));
    }
    let mut copies = Vec::new();
    for table in record.tables() {
        let copy = folder.join(table.file.file_name().unwrap_or_default());
        // A table that stays in its run stays as it is.
        if copy != table.file {
            copy_table(&table, &copy).map_err(|error| cannot_write(&copy, &error))?;
        }
        copies.push(copy);
    }
    Ok(copies)
}

fn copy_table(table: &TablePart, copy: &Path) -> io::Result<()> {
    let mut from = File::open(&table.file)?.take(table.length.unwrap_or(u64::MAX));
    io::copy(&mut from, &mut File::create(copy)?).map(|_| ())
}
