//! A run folder as it is found on disk, whether its process ended by itself or was killed.
//!
//! Tables of a run that did not finish may end in the middle of a line, and some may be a sample ahead of others. They are read up to
//! the last sample that is whole in all of them; what comes behind stays on disk untouched.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::table::{TableError, TablePart, read_json, whole_lines};
use crate::run_folder;
use crate::summary::RUNNING;

/// Tables that have the same number of rows at every sample, zero for what a world does not have, unless the summary says that they
/// are thinned.
const REGULAR: [&str; 8] = [
    "energy.csv",
    "momentum.csv",
    "states.csv",
    "bodies.csv",
    "particles.csv",
    "joints.csv",
    "coordinates.csv",
    "sensors.csv",
];
/// Of these every run has a row at every sample.
const ALWAYS: [&str; 2] = ["energy.csv", "momentum.csv"];
/// Tables in the order of time that have rows when there is something to tell.
const TIMED: [&str; 4] = ["events.csv", "forces.csv", "resultants.csv", "joint-events.csv"];

/// A run on disk: its summary, and how much of its tables counts.
#[derive(Debug, Clone)]
pub(crate) struct RunRecord {
    folder: PathBuf,
    summary: Value,
    /// Whether a process is at work on it.
    is_being_written: bool,
    /// Bytes that count, of tables in which not all do.
    lengths: BTreeMap<String, u64>,
    /// Tables whose last line is cut.
    cut: Vec<String>,
    /// What all tables have; not counted where a run ended by itself and no table is cut.
    common: Option<Common>,
}

/// What all tables of a run have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Common {
    samples: u64,
    /// The time of the last of them, s.
    t: Option<f64>,
}

impl RunRecord {
    /// Opens the folder of a run.
    ///
    /// # Errors
    /// When it is not a run, or its summary cannot be read.
    pub(crate) fn open(folder: &Path) -> Result<Self, TableError> {
        if !folder.is_dir() {
            return Err(TableError::NoDirectory(folder.to_owned()));
        }
        if !run_folder::is_run(folder) {
            return Err(TableError::NotARun { path: folder.to_owned(), missing: "summary.json" });
        }
        run_folder::tidy(folder)
            .map_err(|source| TableError::Overwritten { folder: folder.to_owned(), source })?;
        let file = folder.join("summary.json");
        let summary = if file.exists() { read_json(&file)? } else { json!({ "status": RUNNING }) };
        let mut record = Self {
            folder: folder.to_owned(),
            summary,
            is_being_written: run_folder::is_being_written(folder),
            lengths: BTreeMap::new(),
            cut: Vec::new(),
            common: None,
        };
        record.find_cut_lines()?;
        if record.status() == RUNNING || !record.cut.is_empty() {
            record.count()?;
        }
        Ok(record)
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// summary.json.
    pub(crate) fn summary(&self) -> &Value {
        &self.summary
    }

    /// How it ended, or that it did not.
    pub(crate) fn status(&self) -> &str {
        self.summary.get("status").and_then(Value::as_str).unwrap_or(RUNNING)
    }

    /// Whether its process did not get as far as the first sample.
    pub(crate) fn has_no_samples(&self) -> bool {
        self.status() == RUNNING && self.common.is_some_and(|common| common.samples == 0)
    }

    /// The time of the last sample, s.
    pub(crate) fn t_end(&self) -> Option<f64> {
        self.common.map_or_else(|| self.summary["t_end"].as_f64(), |common| common.t)
    }

    /// A table by its name, whether it is there or not.
    pub(crate) fn table(&self, name: &str) -> TablePart {
        TablePart { file: self.folder.join(name), length: self.lengths.get(name).copied() }
    }

    /// All tables that are there, also those of others, in the order of their names.
    pub(crate) fn tables(&self) -> Vec<TablePart> {
        let names = table_names(&self.folder).unwrap_or_default();
        names.iter().map(|name| self.table(name)).collect()
    }

    /// What a reader should know: that it did not finish, or that a line is cut.
    pub(crate) fn note(&self) -> Option<String> {
        let folder = self.folder.display();
        let cut = match self.cut.as_slice() {
            [] => None,
            [one] => Some(format!("the last line of {one} is cut and left out")),
            several => Some(format!("the last lines of {} are cut and left out", several.join(", "))),
        };
        let upto = match self.t_end() {
            Some(t) => format!("showing what was written up to t = {t} s"),
            None => "no whole sample was written yet".to_owned(),
        };
        let state = match (self.status() == RUNNING, self.is_being_written) {
            (true, true) => Some(format!("the run in {folder} is still going on: {upto}")),
            (true, false) => Some(format!("the run in {folder} did not finish (status {RUNNING}): {upto}")),
            (false, _) if cut.is_some() => Some(format!("the tables in {folder} are cut: {upto}")),
            (false, _) => None,
        };
        state.map(|state| [Some(state), cut].into_iter().flatten().collect::<Vec<_>>().join("; "))
    }

    fn find_cut_lines(&mut self) -> Result<(), TableError> {
        let fail = |file: &Path, source| TableError::Read { file: file.to_owned(), source };
        for name in table_names(&self.folder).map_err(|source| fail(&self.folder, source))? {
            let path = self.folder.join(&name);
            let (length, whole) = File::open(&path)
                .and_then(|mut file| Ok((file.metadata()?.len(), whole_lines(&mut file)?)))
                .map_err(|source| fail(&path, source))?;
            // A live process may have written more in between.
            if whole < length {
                self.lengths.insert(name.clone(), whole);
                self.cut.push(name);
            }
        }
        Ok(())
    }

    /// Finds the last sample that is whole in all tables, and how many bytes of each table there are up to it.
    fn count(&mut self) -> Result<(), TableError> {
        let mut found: BTreeMap<&str, Scan> = BTreeMap::new();
        let (thinned, regular): (Vec<&str>, Vec<&str>) =
            REGULAR.into_iter().partition(|name| self.is_thinned(name));
        for name in &regular {
            found.insert(*name, self.scan(name, |_, _| true)?);
        }
        let has_some = |name: &str| ALWAYS.contains(&name) || found[name].per_sample > 0;
        let whole = |scan: &Scan| scan.rows.checked_div(scan.per_sample).unwrap_or(0);
        let samples = regular.iter().filter(|name| has_some(name)).map(|name| whole(&found[*name])).min();
        let samples = samples.unwrap_or(0);
        for name in regular {
            let rows = samples * found[name].per_sample;
            if found[name].rows > rows {
                let cut = self.scan(name, |before, _| before < rows)?;
                found.insert(name, cut);
            }
            self.keep(name, &found[name]);
        }
        let t = found["energy.csv"].last.filter(|_| samples > 0);
        // The last table to be written out is one that has every sample: what thinned ones have up to its time is whole.
        for name in TIMED.into_iter().chain(thinned) {
            let scan = self.scan(name, |_, at| t.is_some_and(|t| at <= t))?;
            self.keep(name, &scan);
        }
        self.common = Some(Common { samples, t });
        Ok(())
    }

    /// Whether a table has rows at some samples only, as its scene asks.
    fn is_thinned(&self, name: &str) -> bool {
        let thinned = self.summary.get("thinned").and_then(Value::as_array);
        thinned.is_some_and(|names| names.iter().any(|thinned| thinned == name))
    }

    fn keep(&mut self, name: &str, scan: &Scan) {
        if self.folder.join(name).exists() {
            self.lengths.insert(name.to_owned(), scan.bytes);
        }
    }

    /// Reads the rows of a table as long as they are whole and wanted, by the number of rows before and the time.
    fn scan(&self, name: &str, mut is_wanted: impl FnMut(u64, f64) -> bool) -> Result<Scan, TableError> {
        let part = self.table(name);
        let mut scan = Scan::default();
        if !part.file.is_file() {
            return Ok(scan);
        }
        let fail = |source| TableError::Read { file: part.file.clone(), source };
        let mut file = File::open(&part.file).map_err(fail)?;
        let length = whole_lines(&mut file).map_err(fail)?;
        let buffered = BufReader::with_capacity(1 << 20, file.take(length));
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(buffered);
        let columns = reader.byte_headers().map_or(0, csv::ByteRecord::len);
        scan.bytes = reader.position().byte();
        let mut record = csv::ByteRecord::new();
        let mut first = None;
        // A row that is not one ends what is whole, and is not an error: a name may have a line break in it, where it was cut.
        while reader.read_byte_record(&mut record).is_ok_and(|is_there| is_there && record.len() == columns) {
            let t = record.get(0).and_then(|field| str::from_utf8(field).ok()?.parse::<f64>().ok());
            let Some(t) = t.filter(|t| is_wanted(scan.rows, *t)) else { break };
            if *first.get_or_insert(t) == t {
                scan.per_sample += 1;
            }
            scan.rows += 1;
            scan.last = Some(t);
            scan.bytes = reader.position().byte();
        }
        Ok(scan)
    }
}

/// What was found in a table.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    rows: u64,
    /// Rows at the time of the first: no two samples have the same.
    per_sample: u64,
    /// Bytes up to the end of the last row.
    bytes: u64,
    /// The time of the last row, s.
    last: Option<f64>,
}

/// The names of all tables in a folder, sorted.
fn table_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|ending| ending == "csv") {
            names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}
