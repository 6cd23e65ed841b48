//! Reading a run's tables: what `dolmen plot` and the page draw from.
//!
//! A table is CSV with a header line. Columns are found by name, so that a table may grow new ones. States and
//! particles can be far larger than a figure can show; they are thinned while they are read, to a fixed number
//! of rows in memory, by keeping every 2ᵏ-th sample and the last one.

mod contacts;

pub(crate) use contacts::{ContactCurve, Event, Events, Forces};

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

/// Rows of states (or of particles) kept in memory, about 120 bytes each.
///
/// A decade more and a long run of many bodies fills a small machine; a decade less and a single body's path
/// shows its corners.
const MAX_ROWS: usize = 500_000;

/// Why a run's tables could not be read.
#[derive(Debug, Error)]
pub(crate) enum TableError {
    /// The path is not there or is a file.
    #[error("{} is not a directory; give the directory that `dolmen run` wrote", .0.display())]
    NoDirectory(PathBuf),
    /// The directory has no summary.
    #[error("{} is not a run: it has no {missing}; give the directory that `dolmen run` wrote", .path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// The file that is not there.
        missing: &'static str,
    },
    /// The operating system refused.
    #[error("{}: {source}; check that the file exists and that you may read it", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A column that is needed is not in the header line.
    #[error("{}, line 1: no column {column:?} (the header has {found}); run the scene again", .file.display())]
    Column {
        /// The file.
        file: PathBuf,
        /// The column that was looked for.
        column: &'static str,
        /// The header as it stands.
        found: String,
    },
    /// The last line has no line break: it was cut while it was written.
    #[error(
        "{}, line {line}: the file ends without a line break, so its last line may be cut; delete that line, \
         or add the line break if it is whole, or run the scene again", .file.display()
    )]
    Truncated {
        /// The file.
        file: PathBuf,
        /// The last line, from 1.
        line: u64,
    },
    /// A line has too few or too many fields.
    #[error(
        "{}, line {line}: {found} fields where the header has {expected}; delete the line or run the scene again",
        .file.display()
    )]
    Fields {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Fields on this line.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A field is not a number, or a time is not finite.
    #[error(
        "{}, line {line}, column {column}: {text:?} is not a {what}; correct it or run the scene again",
        .file.display()
    )]
    Number {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The field as it stands.
        text: String,
        /// What was expected: "number", "finite time" or "whole number".
        what: &'static str,
    },
    /// Time runs backwards.
    #[error(
        "{}, line {line}: t = {t} s comes after t = {before} s; the lines must be sorted by t: \
         run the scene again", .file.display()
    )]
    Order {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Time on this line, s.
        t: f64,
        /// Time on an earlier line, s.
        before: f64,
    },
    /// The file is not JSON, or not of the form that is needed.
    #[error("{}: {what}; correct it or run the scene again", .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong and where.
        what: String,
    },
}

/// One body at one time, world frame, SI. A particle has q = (1, 0, 0, 0) and w = 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Which sample of the run this is, from 0; counts those that were thinned out.
    pub(crate) frame: u64,
    /// Time, s.
    pub(crate) t: f64,
    /// Position, m.
    pub(crate) x: [f64; 3],
    /// Orientation, body to world: w, x, y, z.
    pub(crate) q: [f64; 4],
    /// Angular velocity, rad/s.
    pub(crate) w: [f64; 3],
}

/// The samples of one body, in the order of time.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    /// The body's name, or the particle's set and index.
    pub(crate) name: String,
    /// What was kept of it.
    pub(crate) samples: Vec<Sample>,
}

/// All bodies, or all particles, of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tracks {
    /// One per body, in the order of the table.
    pub(crate) all: Vec<Track>,
    /// (number, t in s) of every sample that was kept. Two may have one t: before and after an event.
    pub(crate) frames: Vec<(u64, f64)>,
    /// Samples in the table, kept or not.
    pub(crate) frames_total: u64,
    /// Every `stride`-th sample was kept, and the last.
    pub(crate) stride: u64,
}

/// One line of energy.csv; J.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Energy {
    /// Time, s.
    pub(crate) t: f64,
    /// Kinetic energy.
    pub(crate) kinetic: f64,
    /// Potential energy.
    pub(crate) potential: f64,
    /// Work done on the system since the start.
    pub(crate) work: f64,
    /// Lost in collisions since the start.
    pub(crate) collisions: f64,
    /// Lost to friction since the start.
    pub(crate) friction: f64,
    /// Taken out where series of bounces were closed and states put back onto contacts.
    pub(crate) closing: f64,
    /// Kinetic and potential.
    pub(crate) total: f64,
    /// The ledger's imbalance, total − total(0) − work + all that was lost.
    pub(crate) error: f64,
}

/// One line of momentum.csv.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Momentum {
    /// Time, s.
    pub(crate) t: f64,
    /// Linear momentum, N·s.
    pub(crate) p: [f64; 3],
    /// Angular momentum about the origin of the world, N·m·s.
    pub(crate) l: [f64; 3],
}

/// A run directory as read.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// summary.json.
    pub(crate) summary: Value,
    /// states.csv.
    pub(crate) bodies: Tracks,
    /// particles.csv; empty without one.
    pub(crate) particles: Tracks,
    /// energy.csv.
    pub(crate) energy: Vec<Energy>,
    /// momentum.csv.
    pub(crate) momentum: Vec<Momentum>,
    /// events.csv; empty without one.
    pub(crate) events: Events,
    /// forces.csv; empty without one.
    pub(crate) forces: Forces,
}

impl Run {
    /// Reads a run directory, thinning states and particles.
    ///
    /// # Errors
    /// When `path` is not a run, or a table is cut, out of order or has something else than a number; the text
    /// names the file, the line and the remedy. NaN and infinities are numbers: a failed run may end in them.
    pub(crate) fn load(path: &Path) -> Result<Self, TableError> {
        let summary = read_summary(path)?;
        let particles_file = path.join("particles.csv");
        let has_particles = particles_file.is_file();
        let states_file = path.join("states.csv");
        // A run of particles alone may leave states.csv out.
        let bodies = if has_particles && !states_file.exists() {
            Tracks::default()
        } else {
            read_tracks(&states_file, &STATE_COLUMNS, MAX_ROWS, state_row)?
        };
        let particles = if has_particles {
            read_tracks(&particles_file, &PARTICLE_COLUMNS, MAX_ROWS, particle_row)?
        } else {
            Tracks::default()
        };
        let energy = read_rows(&path.join("energy.csv"), &ENERGY_COLUMNS, |r| {
            let [t, kinetic, potential, work, collisions, friction, closing, total, error] = r.numbers(0)?;
            Ok(Energy { t, kinetic, potential, work, collisions, friction, closing, total, error })
        })?;
        let momentum = read_rows(&path.join("momentum.csv"), &MOMENTUM_COLUMNS, |r| {
            let [t, px, py, pz, lx, ly, lz] = r.numbers(0)?;
            Ok(Momentum { t, p: [px, py, pz], l: [lx, ly, lz] })
        })?;
        let events = Events::load(&path.join("events.csv"))?;
        let forces = Forces::load(&path.join("forces.csv"))?;
        Ok(Self { summary, bodies, particles, energy, momentum, events, forces })
    }

    /// The run's title for a person: `title`, else `scene`, of the summary.
    pub(crate) fn title(&self) -> String {
        let field =
            |name: &str| self.summary.get(name).and_then(Value::as_str).filter(|s| !s.trim().is_empty());
        field("title").or_else(|| field("scene")).unwrap_or("untitled run").to_owned()
    }

    /// Whether the summary says that the run did not reach its end.
    pub(crate) fn has_failed(&self) -> bool {
        self.summary.get("status").and_then(Value::as_str) == Some("failed")
    }
}

const STATE_COLUMNS: [&str; 15] =
    ["t", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];
const PARTICLE_COLUMNS: [&str; 9] = ["t", "set", "index", "x", "y", "z", "vx", "vy", "vz"];
const ENERGY_COLUMNS: [&str; 9] =
    ["t", "kinetic", "potential", "work", "collisions", "friction", "closing", "total", "error"];
const MOMENTUM_COLUMNS: [&str; 7] = ["t", "px", "py", "pz", "lx", "ly", "lz"];

fn read_summary(path: &Path) -> Result<Value, TableError> {
    if !path.is_dir() {
        return Err(TableError::NoDirectory(path.to_owned()));
    }
    if !path.join("summary.json").is_file() {
        return Err(TableError::NotARun { path: path.to_owned(), missing: "summary.json" });
    }
    read_json(&path.join("summary.json"))
}

/// Reads a JSON object.
///
/// # Errors
/// When the file cannot be read, is not JSON, or is not an object.
pub(crate) fn read_json(file: &Path) -> Result<Value, TableError> {
    let text =
        std::fs::read_to_string(file).map_err(|source| TableError::Read { file: file.to_owned(), source })?;
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(TableError::Json { file: file.to_owned(), what: "not a JSON object".to_owned() }),
        Err(e) => Err(TableError::Json { file: file.to_owned(), what: e.to_string() }),
    }
}

/// A table that is open, its header read.
pub(crate) struct Table {
    file: PathBuf,
    reader: csv::Reader<BufReader<File>>,
    /// Names of the columns, as in the header.
    pub(crate) header: Vec<String>,
    record: csv::StringRecord,
}

impl Table {
    /// Opens a table and checks that its last line is whole.
    ///
    /// # Errors
    /// When the file cannot be read or its last line has no line break.
    pub(crate) fn open(file: &Path) -> Result<Self, TableError> {
        let fail = |source| TableError::Read { file: file.to_owned(), source };
        let mut handle = File::open(file).map_err(fail)?;
        check_last_line(file, &mut handle)?;
        let buffered = BufReader::with_capacity(1 << 20, handle);
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(buffered);
        let header = reader.headers().map_err(|e| csv_error(file, e))?.iter().map(str::to_owned).collect();
        Ok(Self { file: file.to_owned(), reader, header, record: csv::StringRecord::new() })
    }

    /// The next line, or None at the end.
    ///
    /// # Errors
    /// When the line has not as many fields as the header, or cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<&csv::StringRecord>, TableError> {
        if !self.reader.read_record(&mut self.record).map_err(|e| csv_error(&self.file, e))? {
            return Ok(None);
        }
        if self.record.len() == self.header.len() {
            return Ok(Some(&self.record));
        }
        Err(TableError::Fields {
            file: self.file.clone(),
            line: self.line(),
            found: self.record.len(),
            expected: self.header.len(),
        })
    }

    /// The line of the record last read, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// The error of a field of the record last read that is not `what`.
    pub(crate) fn bad_field(&self, column: usize, what: &'static str) -> TableError {
        TableError::Number {
            file: self.file.clone(),
            line: self.line(),
            column: self.header[column].clone(),
            text: self.record.get(column).unwrap_or_default().to_owned(),
            what,
        }
    }

    fn columns<const N: usize>(&self, names: &[&'static str; N]) -> Result<[usize; N], TableError> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.header.iter().position(|h| h == name).ok_or_else(|| TableError::Column {
                file: self.file.clone(),
                column: name,
                found: if self.header.is_empty() { "nothing".to_owned() } else { self.header.join(",") },
            })?;
        }
        Ok(places)
    }
}

/// A number as the tables write it; NaN and infinities too.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

fn csv_error(file: &Path, error: csv::Error) -> TableError {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(source) => TableError::Read { file: file.to_owned(), source },
        kind => TableError::Number {
            file: file.to_owned(),
            line,
            column: "?".to_owned(),
            text: format!("{kind:?}").chars().take(80).collect(),
            what: "line of UTF-8 text",
        },
    }
}

fn check_last_line(file: &Path, handle: &mut File) -> Result<(), TableError> {
    let fail = |source| TableError::Read { file: file.to_owned(), source };
    let length = handle.seek(SeekFrom::End(0)).map_err(fail)?;
    let mut last = [b'\n'];
    if length > 0 {
        handle.seek(SeekFrom::End(-1)).map_err(fail)?;
        handle.read_exact(&mut last).map_err(fail)?;
    }
    handle.seek(SeekFrom::Start(0)).map_err(fail)?;
    if last == [b'\n'] {
        return Ok(());
    }
    let mut breaks = 0;
    let mut block = vec![0; 1 << 16];
    loop {
        let n = handle.read(&mut block).map_err(fail)?;
        if n == 0 {
            return Err(TableError::Truncated { file: file.to_owned(), line: breaks + 1 });
        }
        breaks += block[..n].split(|&b| b == b'\n').count() as u64 - 1;
    }
}

/// The wanted columns of the line last read, in the order asked for; the first is the time.
struct Row<'a> {
    table: &'a Table,
    places: &'a [usize],
}

impl Row<'_> {
    fn text(&self, i: usize) -> &str {
        self.table.record.get(self.places[i]).unwrap_or_default()
    }

    /// `N` numbers from the `from`-th wanted column on.
    fn numbers<const N: usize>(&self, from: usize) -> Result<[f64; N], TableError> {
        let mut numbers = [0.0; N];
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = parse_number(self.text(from + k))
                .ok_or_else(|| self.table.bad_field(self.places[from + k], "number"))?;
        }
        Ok(numbers)
    }

    fn time(&self) -> Result<f64, TableError> {
        parse_number(self.text(0))
            .filter(|t| t.is_finite())
            .ok_or_else(|| self.table.bad_field(self.places[0], "finite time"))
    }
}

/// Calls `each` on every line; refuses a time that is not finite or that runs backwards.
fn for_each_row<const N: usize>(
    file: &Path,
    names: &[&'static str; N],
    mut each: impl FnMut(f64, &Row) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let mut table = Table::open(file)?;
    let places = table.columns(names)?;
    let mut before = f64::NEG_INFINITY;
    while table.next()?.is_some() {
        let row = Row { table: &table, places: &places };
        let t = row.time()?;
        if t < before {
            return Err(TableError::Order { file: file.to_owned(), line: table.line(), t, before });
        }
        before = t;
        each(t, &row)?;
    }
    Ok(())
}

fn read_rows<T, const N: usize>(
    file: &Path,
    names: &[&'static str; N],
    parse: impl Fn(&Row) -> Result<T, TableError>,
) -> Result<Vec<T>, TableError> {
    let mut rows = Vec::new();
    for_each_row(file, names, |_, row| {
        rows.push(parse(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// Name and sample of one line; the frame is set later.
type ParseSample = fn(&Row, name: &mut String) -> Result<Sample, TableError>;

fn state_row(row: &Row, name: &mut String) -> Result<Sample, TableError> {
    name.clear();
    name.push_str(row.text(1));
    // The velocity is checked but not kept: no figure shows it.
    let [x, y, z, qw, qx, qy, qz, _, _, _, wx, wy, wz] = row.numbers(2)?;
    Ok(Sample { frame: 0, t: row.time()?, x: [x, y, z], q: [qw, qx, qy, qz], w: [wx, wy, wz] })
}

fn particle_row(row: &Row, name: &mut String) -> Result<Sample, TableError> {
    name.clear();
    name.push_str(row.text(1));
    name.push_str(" #");
    name.push_str(row.text(2));
    let [x, y, z, _, _, _] = row.numbers(3)?;
    Ok(Sample { frame: 0, t: row.time()?, x: [x, y, z], q: [1.0, 0.0, 0.0, 0.0], w: [0.0; 3] })
}

fn read_tracks<const N: usize>(
    file: &Path,
    names: &[&'static str; N],
    max_rows: usize,
    parse: ParseSample,
) -> Result<Tracks, TableError> {
    let mut gather = Gather::new(max_rows);
    let mut name = String::new();
    for_each_row(file, names, |_, row| {
        let sample = parse(row, &mut name)?;
        gather.add(&name, sample);
        Ok(())
    })?;
    Ok(gather.finish())
}

/// Gathers lines into frames and keeps every 2ᵏ-th frame.
struct Gather {
    tracks: Tracks,
    /// Where a body's track is.
    index: BTreeMap<String, usize>,
    /// The frame in which a track was last seen.
    seen: Vec<u64>,
    /// The frame that is being read; its number is `tracks.frames_total`.
    frame: Vec<(usize, Sample)>,
    rows: usize,
    max_rows: usize,
}

impl Gather {
    fn new(max_rows: usize) -> Self {
        let tracks = Tracks { stride: 1, ..Tracks::default() };
        Self { tracks, index: BTreeMap::new(), seen: Vec::new(), frame: Vec::new(), rows: 0, max_rows }
    }

    fn add(&mut self, name: &str, mut sample: Sample) {
        let id = self.id(name);
        // A new time, or a body for the second time at one time (before and after an event): a new frame.
        let is_new_time = self.frame.first().is_some_and(|(_, first)| first.t != sample.t);
        if is_new_time || self.seen[id] == self.tracks.frames_total {
            self.end_frame(false);
        }
        sample.frame = self.tracks.frames_total;
        self.seen[id] = sample.frame;
        self.frame.push((id, sample));
    }

    fn id(&mut self, name: &str) -> usize {
        // Bodies come in the same order at every time: try the one after the last first.
        let guess = self.frame.last().map_or(0, |(id, _)| id + 1);
        if self.tracks.all.get(guess).is_some_and(|track| track.name == name) {
            return guess;
        }
        if let Some(&id) = self.index.get(name) {
            return id;
        }
        let id = self.tracks.all.len();
        self.index.insert(name.to_owned(), id);
        self.tracks.all.push(Track { name: name.to_owned(), samples: Vec::new() });
        self.seen.push(u64::MAX);
        id
    }

    fn end_frame(&mut self, is_last: bool) {
        let number = self.tracks.frames_total;
        if let Some((_, first)) = self.frame.first()
            && (is_last || number.is_multiple_of(self.tracks.stride))
        {
            self.tracks.frames.push((number, first.t));
            self.rows += self.frame.len();
            for (id, sample) in &self.frame {
                self.tracks.all[*id].samples.push(*sample);
            }
        }
        self.frame.clear();
        self.tracks.frames_total += 1;
        if self.rows > self.max_rows && self.tracks.frames.len() > 2 && !is_last {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.tracks.stride *= 2;
        let stride = self.tracks.stride;
        self.tracks.frames.retain(|(number, _)| number.is_multiple_of(stride));
        for track in &mut self.tracks.all {
            track.samples.retain(|s| s.frame.is_multiple_of(stride));
        }
        self.rows = self.tracks.all.iter().map(|track| track.samples.len()).sum();
    }

    fn finish(mut self) -> Tracks {
        if !self.frame.is_empty() {
            self.end_frame(true);
        }
        self.tracks
    }
}

#[cfg(test)]
pub(crate) mod tests;
