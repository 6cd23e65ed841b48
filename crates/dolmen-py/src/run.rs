//! Samples of a run, as arrays and as the tables that `dolmen run` writes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use dolmen::drive::{Readings, SensorReader};
use dolmen::math::{Pose, Twist};
use dolmen::record::{
    Carried, ContactFiles, ContactForce, Happened, JointCoordinate, JointEvent, JointEventTable, JointForce,
    Ledger, Output, RunTables, Sample, Table, TableFiles, can_touch,
};
use dolmen::world::World;
use numpy::{Ix3, PyArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use serde::{Deserialize, Serialize};

use crate::arrays;
use crate::engine::{Engine, Halt, Log, Watch};
use crate::errors;
use crate::rows;
use crate::world::PyWorld;

/// An entry of the ledger: its name, and how it is read.
type Column = (&'static str, fn(&Ledger) -> f64);

/// More samples than this are refused, as the command does.
const MOST_SAMPLES: f64 = 1e8;

/// What is recorded on the way.
pub(crate) struct Recording {
    start: f64,
    until: f64,
    every: f64,
    instants: Vec<Instant>,
    /// From the first sample on.
    sensors: Option<SensorReader>,
    /// Its number in the log, from the first sample on.
    number: Option<usize>,
}

/// A sample, and what happened since the one before.
#[derive(Serialize, Deserialize)]
pub(crate) struct Instant {
    pub(crate) happened: Happened,
    pub(crate) sample: Sample,
    pub(crate) forces: Vec<ContactForce>,
    joints: Vec<JointForce>,
    coordinates: Vec<JointCoordinate>,
    /// What sensors showed, by the columns of the world.
    sensors: Vec<f64>,
}

impl Recording {
    pub(crate) fn new(start: f64, until: f64, every: f64) -> PyResult<Self> {
        if !(until.is_finite() && until >= start) {
            let text = format!("until = {until}: give a finite time, not before the present, {start} s");
            return Err(errors::input(text));
        }
        if !(every.is_finite() && every > 0.0) {
            let text = format!("every = {every}: give a finite number of seconds above zero");
            return Err(errors::input(text));
        }
        let samples = (until - start) / every;
        if samples > MOST_SAMPLES {
            let text =
                format!("{samples:.1e} samples: give a larger `every`, for at most {MOST_SAMPLES:.0e}");
            return Err(errors::input(text));
        }
        Ok(Self { start, until, every, instants: Vec::new(), sensors: None, number: None })
    }

    /// Takes all samples. What was taken before a stop is kept.
    pub(crate) fn follow(&mut self, engine: &mut Engine, watch: &Watch, log: &mut Log) -> Result<(), Halt> {
        while let Some(t) = self.next() {
            self.sample(engine, t, watch, log)?;
        }
        Ok(())
    }

    /// The time of the next sample, if there is one more.
    pub(crate) fn next(&self) -> Option<f64> {
        if self.instants.last().is_some_and(|last| last.sample.t >= self.until) {
            return None;
        }
        Some((self.start + self.instants.len() as f64 * self.every).min(self.until))
    }

    /// Ends what its log keeps for it.
    pub(crate) fn end(&self, log: &mut Log) {
        if let Some(number) = self.number {
            log.end_recording(number);
        }
    }

    pub(crate) fn sample(
        &mut self,
        engine: &mut Engine,
        t: f64,
        watch: &Watch,
        log: &mut Log,
    ) -> Result<(), Halt> {
        // A run from the start has what happened there, whether somebody looked before or not.
        let is_start = self.start == 0.0;
        let number = *self.number.get_or_insert_with(|| log.begin_recording(is_start));
        let sensors = self.sensors.get_or_insert_with(|| engine.sensors());
        engine.advance(t, watch, log)?;
        let (sample, forces) = (engine.sample(), engine.contact_forces());
        engine.check_laws_at(&sample, &forces, log)?;
        let Readings { contacts: forces, joints, coordinates, sensors } = engine.readings(forces, sensors);
        self.instants.push(Instant {
            happened: log.take_happened(number),
            sample,
            forces,
            joints,
            coordinates,
            sensors,
        });
        Ok(())
    }
}

/// Samples of a simulation, with all events between them.
#[pyclass(module = "dolmen", name = "Run", frozen)]
pub(crate) struct PyRun {
    described: Py<PyWorld>,
    world: Arc<World>,
    instants: Vec<Instant>,
    /// The tables that are asked for.
    tables: Vec<&'static str>,
    /// Whether the exact driver made it.
    is_exact: bool,
}

/// Every table that a run can have.
const TABLES: [&str; 12] = [
    "states",
    "bodies",
    "particles",
    "energy",
    "momentum",
    "events",
    "forces",
    "resultants",
    "joints",
    "coordinates",
    "joint-events",
    "sensors",
];

/// Columns of text: a body may be named "1".
const TEXT_COLUMNS: [&str; 14] = [
    "body",
    "set",
    "joint",
    "body_a",
    "body_b",
    "feature_a",
    "feature_b",
    "kind",
    "law",
    "restitution",
    "mode",
    "note",
    "status",
    "axis",
];

/// The table that a driver of fixed steps leaves empty.
const EXACT_TABLE: &str = "joint-events";

/// The tables of these names; `contacts` stands for events, forces and resultants.
pub(crate) fn chosen(names: Option<Vec<String>>, is_exact: bool) -> PyResult<Vec<&'static str>> {
    let Some(names) = names else { return Ok(TABLES.to_vec()) };
    let mut found = Vec::new();
    for name in names {
        if !is_exact && name == EXACT_TABLE {
            return Err(errors::UnsupportedError::new_err(format!(
                "the driver of fixed steps fills no table {name:?}; leave it out, or use dolmen.Exact"
            )));
        }
        match TABLES.iter().find(|known| **known == name) {
            Some(known) => found.push(*known),
            None if name == "contacts" => found.extend(["events", "forces", "resultants"]),
            None => {
                let known = TABLES.join(", ");
                return Err(errors::input(format!(
                    "there is no table {name:?}; give some of {known}, contacts"
                )));
            }
        }
    }
    Ok(found)
}

/// Where a table goes.
enum Sink {
    File(BufWriter<File>),
    Memory(Arc<Mutex<Vec<u8>>>),
    Nowhere,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => return file.write(bytes),
            Self::Memory(memory) => {
                memory.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            }
            Self::Nowhere => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Self::File(file) = self { file.flush() } else { Ok(()) }
    }
}

impl PyRun {
    pub(crate) fn new(
        described: Py<PyWorld>,
        world: Arc<World>,
        recording: Recording,
        tables: Vec<&'static str>,
        is_exact: bool,
    ) -> Self {
        Self { described, world, instants: recording.instants, tables, is_exact }
    }

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.instants.iter().map(|instant| &instant.sample)
    }

    /// For each sample a row for each body.
    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        row: impl Fn(&Pose, &Twist) -> [f64; N],
    ) -> PyResult<Bound<'py, PyArray<f64, Ix3>>> {
        let shape = (self.instants.len(), self.world.described_bodies().len());
        let bodies = self.samples().flat_map(|sample| &sample.bodies);
        arrays::tables(py, shape, bodies.map(|(pose, twist)| row(pose, twist)))
    }

    /// Writes all tables, in the order in which the command does.
    fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        self.write_to(&self.output(), &|name| {
            if !self.tables.iter().any(|table| name.strip_suffix(".csv") == Some(table)) {
                return Ok(Sink::Nowhere);
            }
            File::create_new(folder.join(name)).map(|file| Sink::File(BufWriter::new(file)))
        })
    }

    /// What is saved: what the scene says under `[output]`, unless tables were asked for.
    fn output(&self) -> Output {
        if self.tables.len() == TABLES.len() { self.described.get().output() } else { Output::default() }
    }

    fn write_to(&self, output: &Output, open: &dyn Fn(&str) -> io::Result<Sink>) -> io::Result<()> {
        let world = &*self.world;
        let table = |table: Table, has_rows: bool| {
            (has_rows && output.has(table)).then(|| open(table.file())).transpose()
        };
        let contacts = || {
            let (events, forces) = (table(Table::Events, true)?, table(Table::Forces, true)?);
            Ok::<_, io::Error>(ContactFiles { events, forces, resultants: table(Table::Resultants, true)? })
        };
        let has_particles = world.sets().iter().any(|set| !set.is_empty());
        let has_joints = !world.joints().is_empty();
        let files = TableFiles {
            states: table(Table::States, true)?,
            bodies: table(Table::Bodies, true)?,
            particles: table(Table::Particles, has_particles)?,
            energy: open("energy.csv")?,
            momentum: open("momentum.csv")?,
            contacts: can_touch(world).then(contacts).transpose()?,
            joints: table(Table::Joints, has_joints)?,
            coordinates: table(Table::Coordinates, has_joints)?,
            sensors: table(Table::Sensors, !world.sensors().is_empty())?,
        };
        let mut tables = RunTables::new(world, files)?.limited_to(output.clone());
        let is_wanted =
            |event: &JointEvent| output.has(Table::JointEvents) && output.has_joint(world, event.joint);
        let has_joint_events =
            self.instants.iter().any(|instant| instant.happened.joint_events.iter().any(is_wanted));
        let joint_events = has_joint_events.then(|| JointEventTable::new(world, open("joint-events.csv")?));
        let mut joint_events = joint_events.transpose()?;
        for instant in &self.instants {
            let Instant { happened, sample, forces: contacts, joints, coordinates, sensors } = instant;
            for (events, violation) in happened.pieces() {
                tables.write_events(events)?;
                tables.write_violations(violation.map_or(&[], std::slice::from_ref))?;
            }
            if let Some(table) = &mut joint_events {
                let wanted: Vec<JointEvent> =
                    happened.joint_events.iter().filter(|event| is_wanted(event)).copied().collect();
                table.write(&wanted)?;
            }
            tables.write(sample, &Carried { contacts, joints, coordinates, sensors })?;
        }
        joint_events.as_mut().map_or(Ok(()), JointEventTable::flush)?;
        tables.flush()
    }
}

#[pymethods]
impl PyRun {
    /// The names of the bodies, in the order of the rows of arrays.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.world.described_ids().map(|id| self.world.body_name(id)).collect()
    }

    /// `t` (m), `positions` (m, n, 3), `orientations` (m, n, 4), `velocities` and `spins` (m, n, 3) of m samples and n bodies.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("t", arrays::list(py, self.samples().map(|sample| sample.t).collect()))?;
        dict.set_item("positions", self.rows(py, |pose, _| pose.position.to_array())?)?;
        dict.set_item("orientations", self.rows(py, |pose, _| rows::quaternion(pose))?)?;
        dict.set_item("velocities", self.rows(py, |_, twist| twist.velocity.to_array())?)?;
        dict.set_item("spins", self.rows(py, |_, twist| twist.spin.to_array())?)?;
        Ok(dict)
    }

    /// `t` and every entry of `Exact.ledger`, an array of m samples each.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("t", arrays::list(py, self.samples().map(|sample| sample.t).collect()))?;
        let columns: [Column; 8] = [
            ("kinetic", |ledger| ledger.kinetic),
            ("potential", |ledger| ledger.potential),
            ("work", |ledger| ledger.work),
            ("collisions", |ledger| ledger.collisions),
            ("friction", |ledger| ledger.friction),
            ("closing", |ledger| ledger.closing),
            ("total", Ledger::total),
            ("lost", Ledger::lost),
        ];
        for (name, column) in columns {
            let numbers = self.samples().map(|sample| column(&sample.ledger)).collect();
            dict.set_item(name, arrays::list(py, numbers))?;
        }
        Ok(dict)
    }

    /// Every event at a contact, in the order of time.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.instants.iter().flat_map(|instant| &instant.happened.events);
        rows::list(py, events.map(|e| rows::event(py, &self.world, e)))
    }

    /// A table by its name, as `save` would write it: numbers and texts by column, which pyarrow, polars and pandas take over.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if !self.tables.contains(&name) {
            let known = self.tables.join(", ");
            return Err(errors::input(format!("the run has no table {name:?}; it has {known}")));
        }
        let memory = Arc::new(Mutex::new(Vec::new()));
        let wanted = format!("{name}.csv");
        let open =
            |other: &str| Ok(if other == wanted { Sink::Memory(Arc::clone(&memory)) } else { Sink::Nowhere });
        self.write_to(&Output::default(), &open).map_err(|error| errors::failed(error.to_string()))?;
        let text = std::mem::take(&mut *memory.lock().unwrap_or_else(PoisonError::into_inner));
        let wrong = |error: csv::Error| errors::failed(error.to_string());
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let names: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader.records() {
            for (column, field) in columns.iter_mut().zip(&record.map_err(wrong)?) {
                column.push(field.to_owned());
            }
        }
        let dict = PyDict::new(py);
        for (name, column) in names.into_iter().zip(columns) {
            let number = |field: &String| if field.is_empty() { Some(f64::NAN) } else { field.parse().ok() };
            let numbers: Option<Vec<f64>> = column.iter().map(number).collect();
            match numbers {
                Some(numbers) if !TEXT_COLUMNS.contains(&name.as_str()) => {
                    dict.set_item(name, arrays::list(py, numbers))?;
                }
                _ => dict.set_item(name, column)?,
            }
        }
        py.import("dolmen._arrow")?.getattr("Table")?.call1((dict,))
    }

    /// The tables of this run that are asked for.
    #[getter]
    fn tables(&self) -> Vec<&'static str> {
        self.tables.clone()
    }

    /// The world that was recorded.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyWorld> {
        self.described.clone_ref(py)
    }

    /// A page with the viewer's replay.
    #[pyo3(name = "_page")]
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.described.get().place().0.to_owned();
        py.detach(|| crate::picture::page(&self.world, &name, &self.instants))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let made = py.import("dolmen._dolmen")?.getattr("_unpickled_run")?;
        let bytes = postcard::to_stdvec(&self.instants).map_err(|error| errors::failed(error.to_string()))?;
        let bytes = PyBytes::new(py, &bytes);
        let parts = (self.described.clone_ref(py), bytes, self.tables.clone(), self.is_exact);
        Ok((made, parts.into_pyobject(py)?))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Writes the tables into a new or empty folder: the files that `dolmen run` calls the same, byte for byte.
    #[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let text = format!("{} is not empty; name another folder", folder.display());
            return Err(errors::input(text));
        }
        py.detach(|| self.write(&folder))
            .map_err(|error| errors::failed(format!("cannot write {}: {error}", folder.display())))
    }

    fn __len__(&self) -> usize {
        self.instants.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<dolmen.Run: {} samples of {} bodies>",
            self.instants.len(),
            self.world.described_bodies().len()
        )
    }
}

/// A run from what its pickle holds.
#[pyfunction]
#[pyo3(name = "_unpickled_run")]
#[allow(clippy::needless_pass_by_value, reason = "a list of Python is taken by value")]
pub(crate) fn unpickled(
    world: Py<PyWorld>,
    instants: &[u8],
    tables: Vec<String>,
    is_exact: bool,
) -> PyResult<PyRun> {
    let built = Arc::clone(world.get().built());
    let instants: Vec<Instant> =
        postcard::from_bytes(instants).map_err(|_| errors::input("this is not a run that was pickled"))?;
    if instants.iter().any(|instant| instant.sample.bodies.len() != built.described_bodies().len()) {
        return Err(errors::input("the run that was pickled is of another world"));
    }
    let tables = TABLES.into_iter().filter(|known| tables.iter().any(|name| name == known)).collect();
    Ok(PyRun { described: world, world: built, instants, tables, is_exact })
}
