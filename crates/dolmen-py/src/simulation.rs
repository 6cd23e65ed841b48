//! Simulations: what both drivers offer, and the two of them.

use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedSettings, FixedSimulation, Precision};
use dolmen::math::{DVec3, Pose, Twist};
use dolmen::query::{self, Arrangement, QueryError};
use dolmen::record::{Event, EventKind};
use dolmen::world::{BodyId, Change, World};
use numpy::{Ix2, PyArray, PyArrayMethods, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::arrays;
use crate::articulation;
use crate::background::{self, Ended, Waiting};
use crate::engine::{Engine, Halt, How, Log, Watch};
use crate::errors::{self, LawError, LawWarning};
use crate::field::Field;
use crate::intervene::{self, History};
use crate::joints;
use crate::picture;
use crate::rows;
use crate::run::{PyRun, Recording};
use crate::world::PyWorld;

type Rows<'py> = Bound<'py, PyArray<f64, Ix2>>;

/// The calls of a controller are at k / rate: beyond 2⁵³ whole numbers k follow each other no more.
const MOST_CALLS: f64 = 9_007_199_254_740_992.0;

/// The kinds of events that `next_event` knows.
const KINDS: [EventKind; 12] = [
    EventKind::Collision,
    EventKind::Settled,
    EventKind::Rest,
    EventKind::Slide,
    EventKind::Break,
    EventKind::Roll,
    EventKind::Rolled,
    EventKind::Spin,
    EventKind::Spun,
    EventKind::Overlap,
    EventKind::TimeStep,
    EventKind::Indeterminate,
];

/// A world on its way through time: what all drivers do.
#[pyclass(module = "dolmen", name = "Driver", frozen, subclass)]
pub(crate) struct PyDriver {
    world: Py<PyWorld>,
    how: How,
    field: Option<Py<Field>>,
    simulation: Mutex<Slot>,
    is_strict: bool,
    controller: Mutex<Option<Controller>>,
}

/// Every event at its instant.
#[pyclass(module = "dolmen", name = "Exact", frozen, extends = PyDriver)]
pub(crate) struct PyExact;

/// Steps of one length.
#[pyclass(module = "dolmen", name = "Fixed", frozen, extends = PyDriver)]
pub(crate) struct PyFixed;

/// A simulation, or why there is none.
enum Slot {
    Ready(Box<Changed>),
    /// A mistake of the program left it half done.
    Broken,
    Closed,
}

/// A simulation, what a program changed on the way, and what happened.
#[derive(Clone)]
struct Changed {
    engine: Engine,
    history: History,
    log: Log,
}

impl Changed {
    fn new(mut engine: Engine, history: History, how: How) -> Self {
        let mut log = Log::of(how);
        engine.drain(&mut log);
        log.told = log.events.len();
        Self { engine, history, log }
    }
}

/// A function that is called with the simulation at even times, k / rate.
struct Controller {
    function: Py<PyAny>,
    rate: f64,
    /// The next k.
    next: u64,
}

/// A simulation that this thread has for itself.
struct Held<'a>(MutexGuard<'a, Slot>);

impl Held<'_> {
    fn engine(&mut self) -> PyResult<&mut Engine> {
        Ok(&mut self.changed()?.engine)
    }

    fn changed(&mut self) -> PyResult<&mut Changed> {
        match &mut *self.0 {
            Slot::Ready(changed) => Ok(changed),
            Slot::Broken => Err(unusable()),
            Slot::Closed => Err(errors::failed("the simulation is closed; make another from its world")),
        }
    }
}

fn unusable() -> PyErr {
    errors::failed(
        "the simulation ended with a mistake of the program and cannot be used; restore a snapshot",
    )
}

/// How long a call may take, and who shows how far it is.
struct Call {
    deadline: Option<Instant>,
    bar: Option<Py<PyAny>>,
}

impl Call {
    fn new(py: Python<'_>, timeout: Option<f64>, until: f64) -> PyResult<Self> {
        let deadline = match timeout {
            Some(seconds) if seconds.is_nan() || seconds <= 0.0 => {
                return Err(errors::input(format!("timeout = {seconds}: give seconds above zero, or None")));
            }
            Some(seconds) => {
                Duration::try_from_secs_f64(seconds).ok().and_then(|d| Instant::now().checked_add(d))
            }
            None => None,
        };
        let bar = py.import("dolmen._progress")?.getattr("bar")?.call1((until,))?;
        let bar = (!bar.is_none()).then(|| bar.unbind());
        Ok(Self { deadline, bar })
    }

    /// Shows how far it is, and ends what takes too long.
    fn look(&self, py: Python<'_>, t: f64) -> PyResult<()> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(errors::TimeoutError::new_err("the call took longer than its timeout"));
        }
        match &self.bar {
            Some(bar) => bar.call_method1(py, "tell", (t,)).map(|_| ()),
            None => Ok(()),
        }
    }

    fn end(&self, py: Python<'_>) -> PyResult<()> {
        match &self.bar {
            Some(bar) => bar.call_method0(py, "end").map(|_| ()),
            None => Ok(()),
        }
    }
}

impl PyDriver {
    /// An object of the class that its driver has.
    fn into_object(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self.how {
            How::Exact => Py::new(py, PyClassInitializer::from(self).add_subclass(PyExact))?.into_any(),
            How::Fixed(..) => Py::new(py, PyClassInitializer::from(self).add_subclass(PyFixed))?.into_any(),
        })
    }

    /// A world at its start, or where `state` says.
    fn start(
        py: Python<'_>,
        world: Py<PyWorld>,
        how: How,
        is_strict: bool,
        (state, field, timeout): (Option<&Bound<'_, PyAny>>, Option<Py<PyAny>>, Option<f64>),
    ) -> PyResult<Self> {
        let history = start_of(state)?;
        let field = field.map(|function| Field::new(py, function)).transpose()?;
        let built = history.world(world.get().built(), of(field.as_ref()))?;
        let engine = begin(py, (of(field.as_ref()), timeout), how, built, |halt| match halt {
            Halt::Exact(stop) => world.get().refused(&stop),
            Halt::Fixed(error) => world.get().refused_by_steps(&error),
            other @ Halt::Interrupted => other.into(),
        })?;
        let simulation = Mutex::new(Slot::Ready(Box::new(Changed::new(engine, history, how))));
        Ok(Self { world, how, field, simulation, is_strict, controller: Mutex::new(None) })
    }

    /// A simulation that has run elsewhere, without interventions.
    pub(crate) fn exact(py: Python<'_>, world: Py<PyWorld>, simulation: Simulation) -> PyResult<Py<PyAny>> {
        let changed = Changed::new(Engine::Exact(Box::new(simulation)), History::default(), How::Exact);
        let simulation = Mutex::new(Slot::Ready(Box::new(changed)));
        let controller = Mutex::new(None);
        Self { world, how: How::Exact, field: None, simulation, is_strict: false, controller }.into_object(py)
    }

    /// How a world is taken through time like this one, by many at once.
    pub(crate) fn recipe(&self) -> PyResult<(Arc<World>, How)> {
        if self.field.is_some() {
            return Err(errors::input("rollout: the driver has a field of Python, which all would wait for"));
        }
        Ok((Arc::clone(self.built()), self.how))
    }

    /// When the controller is due next, if that is before `t`.
    fn due(&self, t: f64) -> Option<f64> {
        let controller = self.controller.lock().unwrap_or_else(PoisonError::into_inner);
        let controller = controller.as_ref()?;
        let due = controller.next as f64 / controller.rate;
        (due < t).then_some(due)
    }

    /// Calls the controller, which may change what comes.
    fn call_controller(slf: &Bound<'_, Self>, call: &Call) -> PyResult<()> {
        let (due, function) = {
            let mut held = slf.get().controller.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(controller) = held.as_mut() else { return Ok(()) };
            let due = controller.next as f64 / controller.rate;
            controller.next += 1;
            (due, controller.function.clone_ref(slf.py()))
        };
        call.look(slf.py(), due)?;
        let Some(deadline) = call.deadline else {
            return function.call1(slf.py(), (slf,)).map(|_| ());
        };
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        let limited = slf.py().import("dolmen._timeout")?.getattr("call")?;
        limited.call1((function, slf, left)).map(|_| ())
    }

    /// Goes on to `t` from call to call of the controller, without looking at laws.
    fn control_up_to(slf: &Bound<'_, Self>, t: f64, call: &Call) -> PyResult<()> {
        if !t.is_finite() {
            return Ok(());
        }
        while let Some(due) = slf.get().due(t) {
            if due > slf.get().time()? {
                slf.get()
                    .drive(slf.py(), call, |engine, watch, log| engine.advance(due, watch, log))?
                    .map_err(PyErr::from)?;
            }
            Self::call_controller(slf, call)?;
        }
        Ok(())
    }

    fn change(&self, py: Python<'_>, change: Change) -> PyResult<()> {
        let mut held = self.hold()?;
        let Changed { engine, history, .. } = held.changed()?;
        let changed = py.detach(|| intervene::intervene(engine, history, change));
        self.raised()?;
        Ok(changed?)
    }

    /// What a field raised while something else was done.
    fn raised(&self) -> PyResult<()> {
        self.field().and_then(Field::take_raised).map_or(Ok(()), Err)
    }

    fn body(&self, name: &str) -> PyResult<BodyId> {
        let world = self.built();
        world.find_body(name).ok_or_else(|| {
            let names: Vec<String> = world.described_ids().map(|id| world.body_name(id)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let help = dolmen::scene::suggestion(name, &names);
            let help = help.unwrap_or_else(|| "`world.names` lists the bodies".to_owned());
            errors::input(format!("there is no body {name:?}; {help}"))
        })
    }

    /// Bodies where they are now, for questions.
    fn arranged<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Arrangement) -> Result<T, QueryError> + Send,
    ) -> PyResult<T> {
        let asked = self.read(py, |engine| {
            let mut bodies = Arrangement::new(engine.world());
            bodies.place(|id| engine.pose(id))?;
            ask(&bodies)
        })?;
        asked.map_err(|error| errors::input(error.to_string()))
    }

    fn built(&self) -> &Arc<World> {
        self.world.get().built()
    }

    fn field(&self) -> Option<&Field> {
        of(self.field.as_ref())
    }

    fn hold(&self) -> PyResult<Held<'_>> {
        match self.simulation.try_lock() {
            Ok(held) => Ok(Held(held)),
            Err(TryLockError::WouldBlock) => Err(errors::failed(
                "the simulation is in use by another thread; wait for it, or give each thread its own with `fork()`",
            )),
            Err(TryLockError::Poisoned(_)) => Err(unusable()),
        }
    }

    /// Reads something without holding the interpreter.
    fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&Engine) -> T + Send) -> PyResult<T> {
        let mut held = self.hold()?;
        let engine = held.engine()?;
        let found = py.detach(|| read(engine));
        self.raised()?;
        Ok(found)
    }

    /// Does something that takes time, then tells of laws that were broken meanwhile.
    fn drive<T: Send>(
        &self,
        py: Python<'_>,
        call: &Call,
        task: impl FnOnce(&mut Engine, &Watch, &mut Log) -> T + Send,
    ) -> PyResult<T> {
        let mut held = self.hold()?;
        let Changed { engine, log, .. } = held.changed()?;
        let watch = Watch::starting(engine.time());
        let waiting = waiting_for(self.field(), call, &watch);
        let work = || {
            let result = task(engine, &watch, log);
            (engine.take_broken(log), result)
        };
        let ended = background::run_telling(py, &watch.interrupt, work, &waiting)?;
        if matches!(ended, Ended::Panicked(_)) {
            *held.0 = Slot::Broken;
        }
        // A warning may be heard by something that looks at the simulation.
        drop(held);
        let (broken, result) = finished(ended, self.field())?;
        for text in broken {
            if self.is_strict {
                return Err(LawError::new_err(text));
            }
            let text = CString::new(text.replace('\0', "?"))?;
            PyErr::warn(py, py.get_type::<LawWarning>().as_any(), &text, 1)?;
        }
        Ok(result)
    }

    /// A table of one row for each body.
    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        row: impl Fn(Pose, Twist) -> [f64; N] + Send + Sync,
    ) -> PyResult<Rows<'py>> {
        let read = |engine: &Engine| -> Vec<[f64; N]> {
            let ids = engine.world().described_ids();
            ids.map(|id| row(engine.pose(id), engine.twist(id))).collect()
        };
        arrays::table(py, self.read(py, read)?.into_iter())
    }
}

/// The field that an object of Python is.
fn of(field: Option<&Py<Field>>) -> Option<&Field> {
    field.map(Py::get)
}

/// Who waits for work that may be in a field.
fn waiting_for<'a>(
    field: Option<&'a Field>,
    call: &'a Call,
    watch: &'a Watch,
) -> Waiting<impl Fn(Python<'_>) -> PyResult<()> + 'a, impl Fn(Python<'_>, &PyErr) + 'a> {
    Waiting {
        tell: move |py: Python<'_>| call.look(py, watch.time()),
        cut: move |py: Python<'_>, error: &PyErr| {
            if let Some(field) = field {
                field.interrupt(py, error.get_type(py).as_any());
            }
        },
    }
}

/// What came of work, unless a signal, a field or a mistake ended it.
fn finished<T>(ended: Ended<T>, field: Option<&Field>) -> PyResult<T> {
    let raised = field.and_then(Field::take_raised);
    match (ended, raised) {
        (Ended::Signal(error), _) | (Ended::Done(_), Some(error)) => Err(error),
        (Ended::Done(result), None) => Ok(result),
        (Ended::Panicked(text), _) => {
            Err(errors::failed(format!("a mistake of the program, please report it with the scene: {text}")))
        }
    }
}

/// Goes on to `t` and holds the state there against the laws.
fn advance(engine: &mut Engine, t: f64, watch: &Watch, log: &mut Log) -> Result<(), Halt> {
    engine.advance(t, watch, log)?;
    engine.check_laws(log)
}

/// The next event of a kind that was not given yet: of this instant, or the first one on the way to `t`.
fn advance_to_kind(
    engine: &mut Engine,
    t: f64,
    kind: Option<EventKind>,
    watch: &Watch,
    log: &mut Log,
) -> Result<Option<Event>, Halt> {
    let is_asked = |event: &Event| kind.is_none_or(|kind| event.kind == kind);
    while t >= engine.time() {
        let rest = &log.events[log.told..];
        if let Some(place) = rest.iter().position(is_asked) {
            log.told += place + 1;
            return Ok(Some(log.events[log.told - 1]));
        }
        log.told = log.events.len();
        if !engine.advance_to_event(t, watch, log)? {
            return Ok(None);
        }
    }
    // Refuses such a time.
    engine.advance_to_event(t, watch, log).map(|_| None)
}

fn kind_named(name: &str) -> PyResult<EventKind> {
    KINDS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
        errors::input(format!("there are no events of kind {name:?}; give one of {}", known.join(", ")))
    })
}

/// The state that an array gives, to start from.
fn start_of(state: Option<&Bound<'_, PyAny>>) -> PyResult<History> {
    let mut history = History::default();
    if let Some(state) = state {
        let array = arrays::numbers::<Ix2>(state, "state")?;
        let array = array.readonly();
        let array = array.as_array();
        if array.ncols() != 13 {
            let text = format!("state of {} columns: give 13, as `state` has them", array.ncols());
            return Err(errors::input(text));
        }
        history.start = Some(array.rows().into_iter().map(|row| std::array::from_fn(|k| row[k])).collect());
    }
    Ok(history)
}

/// Makes the engine of a world, which may take seconds.
fn begin(
    py: Python<'_>,
    (field, timeout): (Option<&Field>, Option<f64>),
    how: How,
    world: Arc<World>,
    refuse: impl FnOnce(Halt) -> PyErr,
) -> PyResult<Engine> {
    let call = Call::new(py, timeout, 0.0)?;
    let watch = Watch::default();
    let waiting = waiting_for(field, &call, &watch);
    let start = || Engine::start(world, how, &watch.interrupt);
    let ended = background::run_telling(py, &watch.interrupt, start, &waiting)?;
    finished(ended, field)?.map_err(refuse)
}

#[pymethods]
impl PyExact {
    /// At t = 0, from the start that the world describes.
    ///
    /// `tolerance` takes the place of that of the scene. Laws that are broken are warnings (`LawWarning`), or errors (`LawError`) if
    /// `strict`. `state` is where bodies start, as `state` gives it. `field(t, state)` is called at every evaluation of the forces
    /// and gives a row of force (and torque) for each body. What takes longer than `timeout` seconds raises `TimeoutError`.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "each is a setting that Python gives by its name")]
    #[pyo3(signature = (world, tolerance = None, *, strict = false, state = None, field = None, timeout = None))]
    fn new(
        py: Python<'_>,
        world: Py<PyWorld>,
        tolerance: Option<f64>,
        strict: bool,
        state: Option<&Bound<'_, PyAny>>,
        field: Option<Py<PyAny>>,
        timeout: Option<f64>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let world = match tolerance {
            Some(tolerance) => Py::new(py, world.get().with_tolerance(tolerance)?)?,
            None => world,
        };
        let driver = PyDriver::start(py, world, How::Exact, strict, (state, field, timeout))?;
        Ok(PyClassInitializer::from(driver).add_subclass(Self))
    }
}

#[pymethods]
impl PyFixed {
    /// At t = 0, from the start that the world describes.
    ///
    /// `step` (s), `substeps`, `precision` ("f32" or "f64"), `threads`, `sleep` and `stiff` take the place of those of the scene. A
    /// bound of the scene that is exceeded is a warning (`LawWarning`), or an error (`LawError`) if `strict`. `state`, `field` and
    /// `timeout` are those of `Exact`.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "each is a setting that Python gives by its name")]
    #[pyo3(signature = (
        world, step = None, *, substeps = None, precision = None, threads = None, sleep = None, stiff = None, strict = false,
        state = None, field = None, timeout = None,
    ))]
    fn new(
        py: Python<'_>,
        world: Py<PyWorld>,
        step: Option<f64>,
        substeps: Option<i64>,
        precision: Option<&str>,
        threads: Option<i64>,
        sleep: Option<bool>,
        stiff: Option<bool>,
        strict: bool,
        state: Option<&Bound<'_, PyAny>>,
        field: Option<Py<PyAny>>,
        timeout: Option<f64>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (mut settings, bounds) = world.get().fixed_settings();
        settings.step = step.unwrap_or(settings.step);
        settings.substeps = substeps.map_or(Ok(settings.substeps), |n| whole(n, "substeps"))?;
        settings.threads = threads.map_or(Ok(settings.threads), |n| whole(n, "threads"))?;
        settings.sleep = sleep.unwrap_or(settings.sleep);
        settings.stiff = stiff.unwrap_or(settings.stiff);
        settings.precision = match precision {
            None => settings.precision,
            Some("f32") => Precision::F32,
            Some("f64") => Precision::F64,
            Some(other) => {
                return Err(errors::input(format!("precision = {other:?}: give \"f32\" or \"f64\"")));
            }
        };
        let how = How::Fixed(settings, bounds);
        let driver = PyDriver::start(py, world, how, strict, (state, field, timeout))?;
        Ok(PyClassInitializer::from(driver).add_subclass(Self))
    }

    /// Step, sub-steps, precision, threads, and whether bodies at rest sleep and few contacts get more sub-steps.
    #[getter]
    fn settings<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let settings: FixedSettings = with_fixed(slf, |simulation| *simulation.settings())?;
        let dict = PyDict::new(slf.py());
        dict.set_item("step", settings.step)?;
        dict.set_item("substeps", settings.substeps)?;
        dict.set_item("precision", if settings.precision == Precision::F32 { "f32" } else { "f64" })?;
        dict.set_item("threads", settings.threads)?;
        dict.set_item("sleep", settings.sleep)?;
        dict.set_item("stiff", settings.stiff)?;
        Ok(dict)
    }

    /// How good the steps were so far: their number, the deepest overlap (m), the largest error of a joint (m or rad), what energy,
    /// work and losses do not add up to now (J), and how many bodies sleep.
    fn statistics<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (statistics, drift) =
            with_fixed(slf, |simulation| (*simulation.statistics(), simulation.energy_drift()))?;
        let dict = PyDict::new(slf.py());
        dict.set_item("steps", statistics.steps)?;
        dict.set_item("worst_overlap", statistics.worst_overlap)?;
        dict.set_item("worst_joint_error", statistics.worst_joint_error)?;
        dict.set_item("energy_drift", drift)?;
        dict.set_item("asleep", statistics.last.asleep)?;
        Ok(dict)
    }
}

/// A number of something; the driver says which numbers it takes.
fn whole(given: i64, name: &str) -> PyResult<u32> {
    u32::try_from(given)
        .map_err(|_| errors::input(format!("{name} = {given}: give a whole number above zero")))
}

fn with_fixed<T>(slf: &Bound<'_, PyFixed>, read: impl FnOnce(&FixedSimulation) -> T) -> PyResult<T> {
    let mut held = slf.as_super().get().hold()?;
    match held.engine()? {
        Engine::Fixed(simulation) => Ok(read(simulation)),
        Engine::Exact(_) => Err(unusable()),
    }
}

#[pymethods]
impl PyDriver {
    /// The description that is simulated.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyWorld> {
        self.world.clone_ref(py)
    }

    /// Whether broken laws are errors.
    #[getter]
    fn strict(&self) -> bool {
        self.is_strict
    }

    /// The present time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.hold()?.engine()?.time())
    }

    /// Goes on to time `t`, s. Of the exact driver, results do not depend on how time is cut up; fixed steps end at `t`. A call
    /// that takes longer than `timeout` seconds of the clock raises `TimeoutError`.
    #[pyo3(signature = (t, *, timeout = None))]
    fn advance_to(slf: &Bound<'_, Self>, t: f64, timeout: Option<f64>) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        let call = Call::new(py, timeout, t)?;
        Self::control_up_to(slf, t, &call)?;
        this.drive(py, &call, |engine, watch, log| advance(engine, t, watch, log))??;
        call.end(py)
    }

    /// Ends the simulation and gives its memory back; `with` does it at the end of a block.
    fn close(&self) -> PyResult<()> {
        let mut held = self.hold()?;
        *held.0 = Slot::Closed;
        *self.controller.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// A controller or a field may know its simulation: Python collects them together.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(field) = &self.field {
            visit.call(field)?;
        }
        if let Ok(controller) = self.controller.try_lock()
            && let Some(controller) = &*controller
        {
            visit.call(&controller.function)?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        if let Ok(mut controller) = self.controller.try_lock() {
            *controller = None;
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close()
    }

    /// Joint (or body) and axis of every coordinate of the articulations: those of joints, then of bodies that no joint ties to the
    /// world.
    #[getter]
    fn coordinates(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str)>> {
        Ok(self.tree(py)?.names)
    }

    /// The rates of the coordinates.
    #[getter]
    fn rates<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("dolmen._articulation")?.getattr("rates")?.call1((slf,))
    }

    /// Velocity and spin of a body by the rates of the coordinates, (6, n); of its centre of mass, or of the point of it that is at
    /// `point` in the world.
    #[pyo3(signature = (body, point = None))]
    fn jacobian<'py>(
        slf: &Bound<'py, Self>,
        body: &str,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = slf.get().body(body)?;
        let point = point.map(|point| arrays::vector(point, "point")).transpose()?;
        slf.py().import("dolmen._articulation")?.getattr("jacobian")?.call1((slf, id.index(), point))
    }

    /// The mass matrix in the coordinates, (n, n): kinetic energy is half of rates · M · rates.
    fn mass_matrix<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("dolmen._articulation")?.getattr("mass_matrix")?.call1((slf,))
    }

    /// The forces along the coordinates that give them these accelerations, under gravity and `forces` (a row of force, or of force
    /// and torque, for each body). Contacts, motors, springs and friction of joints are left out.
    #[pyo3(signature = (accelerations, forces = None))]
    fn inverse_dynamics<'py>(
        slf: &Bound<'py, Self>,
        accelerations: &Bound<'py, PyAny>,
        forces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = slf.py().import("dolmen._articulation")?.getattr("inverse_dynamics")?;
        function.call1((slf, accelerations, forces))
    }

    #[pyo3(name = "_articulation")]
    fn articulation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tree = self.tree(py)?;
        let dict = PyDict::new(py);
        dict.set_item("bodies", tree.bodies)?;
        dict.set_item("coordinates", tree.names.len())?;
        let width = 6 * tree.masses.len();
        let rows = numpy::PyArray1::from_vec(py, tree.rows.concat()).reshape([tree.offsets.len(), width])?;
        dict.set_item("rows", rows)?;
        dict.set_item("offsets", arrays::table(py, tree.offsets.into_iter())?)?;
        let masses = tree.masses.iter().map(|(mass, _)| *mass).collect();
        dict.set_item("masses", arrays::list(py, masses))?;
        let inertias = tree.masses.iter().map(|(_, inertia)| inertia.transpose().to_cols_array());
        dict.set_item("inertias", arrays::table(py, inertias)?)?;
        Ok(dict)
    }

    /// Positions, orientations, velocities, spins or state, written into `out` if one is given.
    #[pyo3(name = "read", signature = (what, *, out = None))]
    fn read_rows<'py>(
        slf: &Bound<'py, Self>,
        what: &str,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (this, py) = (slf.get(), slf.py());
        let rows = match what {
            "positions" => this.positions(py)?,
            "orientations" => this.orientations(py)?,
            "velocities" => this.velocities(py)?,
            "spins" => this.spins(py)?,
            "state" => this.state(py)?,
            other => {
                return Err(errors::input(format!(
                    "{other:?}: give positions, orientations, velocities, spins or state"
                )));
            }
        };
        let Some(out) = out else { return Ok(rows.into_any()) };
        let shape = rows.shape().to_vec();
        let refuse = || {
            errors::input(format!(
                "out: give an array of float64 and shape ({}, {}) that can be written",
                shape[0], shape[1]
            ))
        };
        let mut target: PyReadwriteArray2<'py, f64> = out.extract().map_err(|_| refuse())?;
        if target.shape() != shape {
            return Err(refuse());
        }
        target.as_array_mut().assign(&rows.readonly().as_array());
        drop(target);
        Ok(out)
    }

    /// Calls `function(simulation)` at the times k / `rate` from now on, before the motion goes on from there: what it sets holds
    /// until the next call. None ends it.
    #[pyo3(signature = (function, rate = 100.0))]
    fn control(&self, py: Python<'_>, function: Option<Py<PyAny>>, rate: f64) -> PyResult<()> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(errors::input(format!(
                "rate = {rate}: give a finite number of calls a second above zero"
            )));
        }
        let t = self.time()?;
        if (t + 1.0) * rate >= MOST_CALLS {
            return Err(errors::input(format!(
                "rate = {rate}: times of calls cannot be told apart; give fewer calls a second"
            )));
        }
        let controller = match function {
            Some(function) if !function.bind(py).is_callable() => {
                return Err(errors::input("a controller is a function of the simulation, or None"));
            }
            // To rounding, a call at this very instant is still to come.
            Some(function) => {
                Some(Controller { function, rate, next: (t * rate * (1.0 - 1e-12)).ceil() as u64 })
            }
            None => None,
        };
        *self.controller.lock().unwrap_or_else(PoisonError::into_inner) = controller;
        Ok(())
    }

    /// The motors that take targets, by joint.
    #[getter]
    fn motors<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("dolmen._motors")?.getattr("Motors")?.call1((slf,))
    }

    #[pyo3(name = "_target", signature = (joint, axis = None))]
    fn target(&self, py: Python<'_>, joint: &str, axis: Option<&str>) -> PyResult<Option<f64>> {
        self.read(py, |engine| intervene::target(engine.world(), engine.time(), joint, axis))
    }

    #[pyo3(name = "_set_target", signature = (joint, target, axis = None))]
    fn set_target(&self, py: Python<'_>, joint: String, target: f64, axis: Option<String>) -> PyResult<()> {
        self.change(py, Change::Target { joint, axis, target })
    }

    /// Lets a force (N, through the centre of mass) and a torque (N·m) act on a body from now until a time, both constant in the
    /// world. Several add up.
    #[pyo3(signature = (body, *, force = None, torque = None, until))]
    fn apply(
        &self,
        py: Python<'_>,
        body: String,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        until: f64,
    ) -> PyResult<()> {
        self.body(&body)?;
        let [force, torque] = [(force, "force"), (torque, "torque")]
            .map(|(given, name)| given.map_or(Ok([0.0; 3]), |given| arrays::vector(given, name)));
        let (force, torque) = (force?, torque?);
        self.change(py, Change::Push { body, force, torque, until })
    }

    /// What was changed on the way, in the order of time; `replay` takes it.
    #[getter]
    fn interventions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut held = self.hold()?;
        let changes = &held.changed()?.history.changes;
        rows::list(py, changes.iter().map(|(t, change)| intervene::shown(py, *t, change)))
    }

    /// Does interventions of another simulation again, each at its time, and goes on to `until`.
    #[allow(clippy::needless_pass_by_value, reason = "a list of Python is taken by value")]
    fn replay(slf: &Bound<'_, Self>, interventions: Vec<Bound<'_, PyDict>>, until: f64) -> PyResult<()> {
        for intervention in &interventions {
            let (t, change) = intervene::read(intervention)?;
            Self::advance_to(slf, t, None)?;
            slf.get().change(slf.py(), change)?;
        }
        Self::advance_to(slf, until, None)
    }

    /// Coordinates of hinges, sliders and their like: joint, axis, coordinate (m, or rad in (−π, π]) and rate.
    fn joint_coordinates(&self, py: Python<'_>) -> PyResult<Vec<joints::Coordinate>> {
        self.read(py, joints::coordinates)
    }

    /// All of the motion now: a row of position, orientation (w, x, y, z), velocity and spin for each body.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |pose, twist| rows::motion(&pose, &twist))
    }

    /// The first surface that a ray passes, or None: body, distance, point, normal.
    #[pyo3(signature = (origin, direction, reach = f64::INFINITY))]
    fn ray<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        reach: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let origin = DVec3::from_array(arrays::vector(origin, "origin")?);
        let direction = DVec3::from_array(arrays::vector(direction, "direction")?);
        let hit = self.arranged(py, |bodies| query::cast_ray(bodies, origin, direction, reach))?;
        hit.map(|hit| rows::hit(py, self.built(), &hit)).transpose()
    }

    /// The closest points of two bodies: distance, points on each, the normal from the second to the first.
    fn closest_points<'py>(&self, py: Python<'py>, a: &str, b: &str) -> PyResult<Bound<'py, PyDict>> {
        let (a, b) = (self.body(a)?, self.body(b)?);
        let found = self.arranged(py, |bodies| query::closest_points(bodies, a, b))?;
        rows::closest(py, &found)
    }

    /// The pairs of bodies that overlap: names and depth, m.
    fn overlaps(&self, py: Python<'_>) -> PyResult<Vec<(String, String, f64)>> {
        let found = self.arranged(py, query::overlaps)?;
        let world = self.built();
        Ok(found.iter().map(|o| (world.body_name(o.a), world.body_name(o.b), o.depth)).collect())
    }

    #[pyo3(name = "_picture")]
    fn picture<'py>(&self, py: Python<'py>, width: usize, height: usize) -> PyResult<Bound<'py, PyBytes>> {
        let world = self.built();
        let bytes = self.read(py, |engine| picture::picture(world, engine, width, height))??;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes on to the next event at a contact, of this kind if one is given, and returns it; to `until` and None if there is none.
    /// Events of one instant, or of one fixed step, come one after the other.
    #[pyo3(signature = (kind = None, *, until, timeout = None))]
    fn next_event<'py>(
        slf: &Bound<'py, Self>,
        kind: Option<&str>,
        until: f64,
        timeout: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (this, py) = (slf.get(), slf.py());
        let kind = kind.map(kind_named).transpose()?;
        let call = Call::new(py, timeout, until)?;
        loop {
            // Up to the next call of a controller, which may change what comes.
            let due = this.due(until).filter(|_| until.is_finite());
            let end = due.unwrap_or(until).max(if due.is_some() { this.time()? } else { until });
            let task = |engine: &mut Engine, watch: &Watch, log: &mut Log| {
                advance_to_kind(engine, end, kind, watch, log)
            };
            let event = this.drive(py, &call, task)??;
            match (event, due) {
                (Some(event), _) => {
                    call.end(py)?;
                    return rows::event(py, this.built(), &event).map(Some);
                }
                (None, Some(_)) => Self::call_controller(slf, &call)?,
                (None, None) => {
                    call.end(py)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Goes on to `until` and takes a sample now, every `every` seconds, and at the end. `tables` are those that `Run.save` writes and
    /// `Run.table` has; None for all. What was taken before an error is its `run`.
    #[pyo3(signature = (until, every, tables = None, *, timeout = None))]
    fn record(
        slf: &Bound<'_, Self>,
        until: f64,
        every: f64,
        tables: Option<Vec<String>>,
        timeout: Option<f64>,
    ) -> PyResult<PyRun> {
        let (this, py) = (slf.get(), slf.py());
        let start = this.time()?;
        let is_exact = matches!(this.how, How::Exact);
        let tables = crate::run::chosen(tables, is_exact)?;
        let mut recording = Recording::new(start, until, every)?;
        let call = Call::new(py, timeout, until)?;
        let gone = Self::follow(slf, &mut recording, until, &call);
        if let Ok(mut held) = this.hold()
            && let Ok(changed) = held.changed()
        {
            recording.end(&mut changed.log);
        }
        let run = PyRun::new(this.world.clone_ref(py), Arc::clone(this.built()), recording, tables, is_exact);
        let Err(error) = gone else {
            call.end(py)?;
            return Ok(run);
        };
        // A signal is not ours to write on.
        if error.is_instance_of::<errors::Error>(py) {
            error.value(py).setattr("run", Py::new(py, run)?)?;
        }
        Err(error)
    }

    /// Every event at a contact so far that was not taken, in the order of time.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.hold()?.changed()?.log.events.clone();
        rows::list(py, events.iter().map(|e| rows::event(py, self.built(), e)))
    }

    /// The events at contacts since they were last taken; they are not kept any longer.
    fn take_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut held = self.hold()?;
        let log = &mut held.changed()?.log;
        log.told = 0;
        let events = std::mem::take(&mut log.events);
        drop(held);
        rows::list(py, events.iter().map(|e| rows::event(py, self.built(), e)))
    }

    /// What happened in joints since it was last taken; it is not kept any longer.
    fn take_joint_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut held = self.hold()?;
        held.engine()?.exact("events of joints")?;
        let events = std::mem::take(&mut held.changed()?.log.joint_events);
        drop(held);
        rows::list(py, events.iter().map(|e| rows::joint_event(py, self.built(), e)))
    }

    /// Takes all events, for one who looks at none.
    #[pyo3(name = "_forget")]
    fn forget(&self) -> PyResult<()> {
        let mut held = self.hold()?;
        let log = &mut held.changed()?.log;
        log.events.clear();
        log.joint_events.clear();
        log.told = 0;
        Ok(())
    }

    /// Everything that happened in joints so far that was not taken, in the order of time.
    #[getter]
    fn joint_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut held = self.hold()?;
        held.engine()?.exact("events of joints")?;
        let events = held.changed()?.log.joint_events.clone();
        drop(held);
        rows::list(py, events.iter().map(|e| rows::joint_event(py, self.built(), e)))
    }

    /// Centres of mass, m: a row of x, y, z for each of `world.names`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |pose, _| pose.position.to_array())
    }

    /// Unit quaternions: a row of w, x, y, z for each of `world.names`.
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |pose, _| rows::quaternion(&pose))
    }

    /// Velocities of the centres of mass, m/s.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |_, twist| twist.velocity.to_array())
    }

    /// Angular velocities in the world frame, rad/s.
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |_, twist| twist.spin.to_array())
    }

    /// Positions and velocities of the particles of a set, m and m/s.
    fn particles<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(Rows<'py>, Rows<'py>)> {
        let world = self.built();
        let id = world.set_ids().find(|id| world.set(*id).name() == name).ok_or_else(|| {
            errors::input(format!("there are no particles {name:?}; `world.particle_sets` lists their sets"))
        })?;
        let (positions, velocities) = {
            let mut held = self.hold()?;
            let (positions, velocities) = held.engine()?.exact("particles")?.particles(id);
            (positions.to_vec(), velocities.to_vec())
        };
        let rows = |vectors: Vec<dolmen::math::DVec3>| {
            arrays::table(py, vectors.into_iter().map(|vector| vector.to_array()))
        };
        Ok((rows(positions)?, rows(velocities)?))
    }

    /// The forces of all contacts that carry any now, N.
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let forces = self.read(py, Engine::contact_forces)?;
        rows::list(py, forces.iter().map(|f| rows::contact_force(py, self.built(), f)))
    }

    /// The forces and torques of all joints now, N and N·m.
    fn joint_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let forces = self.read(py, Engine::joint_forces)?;
        rows::list(py, forces.iter().map(|f| rows::joint_force(py, self.built(), f)))
    }

    /// Kinetic and potential energy now, the work done and the energy lost since the start, J.
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rows::ledger(py, &self.read(py, Engine::ledger)?)
    }

    /// The state as bytes, from which `restore` goes on with the same bits. Events that were seen are not in it.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut held = self.hold()?;
        let Changed { engine, history, .. } = held.changed()?;
        let state = py.detach(|| engine.snapshot());
        Ok(PyBytes::new(py, &history.bytes(&state)?))
    }

    /// Goes back, or on, to the state of a snapshot of the same world.
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let mut held = self.hold()?;
        if matches!(&*held.0, Slot::Closed) {
            held.changed()?;
        }
        let restored = restore(py, self.built(), snapshot, self.how, self.field())?;
        *held.0 = Slot::Ready(Box::new(restored));
        Ok(())
    }

    /// Another simulation in the same state, without the controller; the two know nothing of each other.
    fn fork(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut held = self.hold()?;
        let changed = held.changed()?;
        let copy = py.detach(|| changed.clone());
        let copy = Changed { log: copy.log.unrecorded(), ..copy };
        drop(held);
        let simulation = Mutex::new(Slot::Ready(Box::new(copy)));
        let (world, field) = (self.world.clone_ref(py), self.field.as_ref().map(|field| field.clone_ref(py)));
        let (how, is_strict, controller) = (self.how, self.is_strict, Mutex::new(None));
        Self { world, how, field, simulation, is_strict, controller }.into_object(py)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.fork(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.fork(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restored = py.import("dolmen._dolmen")?.getattr("_restored")?;
        let snapshot = self.snapshot(py)?;
        let field = self.field().and_then(|field| field.function(py));
        let is_exact = matches!(self.how, How::Exact);
        let parts = (self.world.clone_ref(py), snapshot, self.is_strict, field, is_exact);
        Ok((restored, parts.into_pyobject(py)?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (class, bodies) = (slf.get_type().name()?, slf.get().built().bodies().len());
        let time = slf.get().time();
        let state = time.map_or_else(|_| "not usable now".to_owned(), |t| format!("at t = {t} s"));
        Ok(format!("<dolmen.{class} {state}: {bodies} bodies>"))
    }
}

impl PyDriver {
    /// Takes the samples of a recording, from call to call of the controller if there is one.
    fn follow(slf: &Bound<'_, Self>, recording: &mut Recording, until: f64, call: &Call) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        if this.due(until).is_none() {
            let task =
                |engine: &mut Engine, watch: &Watch, log: &mut Log| recording.follow(engine, watch, log);
            return Ok(this.drive(py, call, task)??);
        }
        while let Some(t) = recording.next() {
            Self::control_up_to(slf, t, call)?;
            let task =
                |engine: &mut Engine, watch: &Watch, log: &mut Log| recording.sample(engine, t, watch, log);
            this.drive(py, call, task)??;
        }
        Ok(())
    }

    fn tree(&self, py: Python<'_>) -> PyResult<articulation::Tree> {
        self.read(py, articulation::tree)?.map_err(errors::input)
    }
}

/// A simulation from a snapshot, for pickle.
#[pyfunction]
#[pyo3(name = "_restored", signature = (world, snapshot, strict, field = None, is_exact = true))]
pub(crate) fn restored(
    py: Python<'_>,
    world: Py<PyWorld>,
    snapshot: &[u8],
    strict: bool,
    field: Option<Py<PyAny>>,
    is_exact: bool,
) -> PyResult<Py<PyAny>> {
    let field = field.map(|function| Field::new(py, function)).transpose()?;
    let (settings, bounds) = world.get().fixed_settings();
    let how = if is_exact { How::Exact } else { How::Fixed(settings, bounds) };
    let changed = restore(py, world.get().built(), snapshot, how, of(field.as_ref()))?;
    let how = match &changed.engine {
        Engine::Exact(_) => how,
        // It has the settings that it was made with.
        Engine::Fixed(simulation) => How::Fixed(*simulation.settings(), bounds),
    };
    let simulation = Mutex::new(Slot::Ready(Box::new(changed)));
    let controller = Mutex::new(None);
    PyDriver { world, how, field, simulation, is_strict: strict, controller }.into_object(py)
}

fn restore(
    py: Python<'_>,
    world: &Arc<World>,
    snapshot: &[u8],
    how: How,
    field: Option<&Field>,
) -> PyResult<Changed> {
    let (history, state) = History::split(snapshot)?;
    let world = history.world(world, field)?;
    let restored = py.detach(|| Engine::restore(world, how, state));
    let engine = restored.map_err(|error| errors::input(error.to_string()))?;
    Ok(Changed::new(engine, history, how))
}
