//! Reading a run's tables: what `dolmen plot` and the page draw from.
//!
//! How much of each table counts is for [`RunRecord`] to say. States and particles can be far larger than a figure can show; they
//! are thinned while they are read, to a fixed number of rows in memory, by keeping every 2ᵏ-th sample and the last one.

mod contacts;
mod record;
mod table;

pub(crate) use contacts::{ContactCurve, Event, Events, Forces};
pub(crate) use record::RunRecord;
pub(crate) use table::{Table, TableError, TablePart, parse_number, read_json};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::summary::RUNNING;
use table::{Row, for_each_row};

/// Rows of states (or of particles) kept in memory, about 120 bytes each.
///
/// A decade more and a long run of many bodies fills a small machine; a decade less and a single body's path
/// shows its corners.
const MAX_ROWS: usize = 500_000;

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
    /// Taken out where series of bounces were closed and states projected onto contacts.
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

/// How far orientations are from rotations at a time, the most of all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drift {
    /// Time, s.
    pub(crate) t: f64,
    /// ||q| − 1|, or the largest entry of R Rᵀ − 1.
    pub(crate) most: f64,
}

/// A run directory as read.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// What a reader should know about it: that it did not finish, or that a table is cut.
    pub(crate) note: Option<String>,
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
    /// The column `drift` of bodies.csv; empty without the table.
    pub(crate) drift: Vec<Drift>,
    /// events.csv; empty without one.
    pub(crate) events: Events,
    /// forces.csv; empty without one.
    pub(crate) forces: Forces,
}

impl Run {
    /// Reads a run directory, thinning states and particles.
    ///
    /// # Errors
    /// When `path` is not a run or has no samples, or a table is out of order or has something else than a number; the text
    /// names the file, the line and the remedy. NaN and infinities are numbers: a failed run may end in them.
    pub(crate) fn load(path: &Path) -> Result<Self, TableError> {
        let record = RunRecord::open(path)?;
        if record.has_no_samples() {
            return Err(TableError::NoSamples(path.to_owned()));
        }
        let bodies = tracks_of(&record.table("states.csv"), &STATE_COLUMNS, state_row)?;
        let particles = tracks_of(&record.table("particles.csv"), &PARTICLE_COLUMNS, particle_row)?;
        let energy = read_rows(&record.table("energy.csv"), &ENERGY_COLUMNS, |r| {
            let [t, kinetic, potential, work, collisions, friction, closing, total, error] = r.numbers(0)?;
            Ok(Energy { t, kinetic, potential, work, collisions, friction, closing, total, error })
        })?;
        let momentum = read_rows(&record.table("momentum.csv"), &MOMENTUM_COLUMNS, |r| {
            let [t, px, py, pz, lx, ly, lz] = r.numbers(0)?;
            Ok(Momentum { t, p: [px, py, pz], l: [lx, ly, lz] })
        })?;
        let drift = drifts_of(&record.table("bodies.csv"))?;
        let events = Events::load(&record.table("events.csv"))?;
        let forces = Forces::load(&record.table("forces.csv"))?;
        let (folder, note, summary) = (path.to_owned(), record.note(), record.summary().clone());
        Ok(Self { folder, note, summary, bodies, particles, energy, momentum, drift, events, forces })
    }

    /// The run's title for a person: `title`, else `scene`, of the summary.
    pub(crate) fn title(&self) -> String {
        let field =
            |name: &str| self.summary.get(name).and_then(Value::as_str).filter(|s| !s.trim().is_empty());
        field("title").or_else(|| field("scene")).unwrap_or("untitled run").to_owned()
    }

    /// What its summary says of a run that did not reach its end, for a title.
    pub(crate) fn unfinished(&self) -> Option<&'static str> {
        match self.summary.get("status").and_then(Value::as_str) {
            Some("failed") => Some("run failed"),
            Some(RUNNING) | None => Some("run did not finish"),
            _ => None,
        }
    }
}

const STATE_COLUMNS: [&str; 15] =
    ["t", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];
const PARTICLE_COLUMNS: [&str; 9] = ["t", "set", "index", "x", "y", "z", "vx", "vy", "vz"];
const ENERGY_COLUMNS: [&str; 9] =
    ["t", "kinetic", "potential", "work", "collisions", "friction", "closing", "total", "error"];
const MOMENTUM_COLUMNS: [&str; 7] = ["t", "px", "py", "pz", "lx", "ly", "lz"];

/// The largest drift at every time of the table; none where the run left it out, or wrote none yet.
fn drifts_of(part: &TablePart) -> Result<Vec<Drift>, TableError> {
    let mut drifts: Vec<Drift> = Vec::new();
    if !part.file.exists() || !Table::open(part)?.header.iter().any(|column| column == "drift") {
        return Ok(drifts);
    }
    for_each_row(part, &["t", "drift"], |t, row| {
        let [_, drift] = row.numbers(0)?;
        match drifts.last_mut().filter(|last| last.t == t) {
            Some(last) if drift.is_nan() || drift > last.most => last.most = drift,
            Some(_) => {}
            None => drifts.push(Drift { t, most: drift }),
        }
        Ok(())
    })?;
    Ok(drifts)
}

fn read_rows<T, const N: usize>(
    part: &TablePart,
    names: &[&'static str; N],
    parse: impl Fn(&Row) -> Result<T, TableError>,
) -> Result<Vec<T>, TableError> {
    let mut rows = Vec::new();
    for_each_row(part, names, |_, row| {
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

/// The tracks of a table; none where the run left it out.
fn tracks_of<const N: usize>(
    part: &TablePart,
    names: &[&'static str; N],
    parse: ParseSample,
) -> Result<Tracks, TableError> {
    if part.file.exists() { read_tracks(part, names, MAX_ROWS, parse) } else { Ok(Tracks::default()) }
}

fn read_tracks<const N: usize>(
    part: &TablePart,
    names: &[&'static str; N],
    max_rows: usize,
    parse: ParseSample,
) -> Result<Tracks, TableError> {
    let mut gather = Gather::new(max_rows);
    let mut name = String::new();
    for_each_row(part, names, |_, row| {
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
