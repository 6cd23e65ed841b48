//! The exact driver.

use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::math::work::Interrupt;
use dolmen::math::{DVec3, Pose, Twist};
use dolmen::query::{self, Arrangement, QueryError};
use dolmen::record::{EventKind, Violation};
use dolmen::world::{BodyId, Change, World};
use numpy::{Ix2, PyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::arrays;
use crate::background::{self, Ended};
use crate::errors::{self, LawError, LawWarning};
use crate::intervene::{self, History};
use crate::joints;
use crate::picture;
use crate::rollout;
use crate::rows;
use crate::run::{PyRun, Recording};
use crate::world::PyWorld;

type Rows<'py> = Bound<'py, PyArray<f64, Ix2>>;

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

/// A world on its way through time, every event at its instant.
#[pyclass(module = "dolmen", name = "Exact", frozen)]
pub(crate) struct PyExact {
    world: Py<PyWorld>,
    /// None after a mistake of the program left it half done.
    simulation: Mutex<Option<Changed>>,
    is_strict: bool,
    controller: Mutex<Option<Controller>>,
}

/// A simulation, and what a program changed on the way.
#[derive(Clone)]
struct Changed {
    simulation: Simulation,
    history: History,
}

/// A function that is called with the simulation at even times, k / rate.
struct Controller {
    function: Py<PyAny>,
    rate: f64,
    /// The next k.
    next: u64,
}

/// A simulation that this thread has for itself.
struct Held<'a>(MutexGuard<'a, Option<Changed>>);

impl Held<'_> {
    fn simulation(&mut self) -> PyResult<&mut Simulation> {
        Ok(&mut self.changed()?.simulation)
    }

    fn changed(&mut self) -> PyResult<&mut Changed> {
        self.0.as_mut().ok_or_else(unusable)
    }
}

fn unusable() -> PyErr {
    errors::failed(
        "the simulation ended with a mistake of the program and cannot be used; restore a snapshot",
    )
}

impl PyExact {
    fn from_changed(world: Py<PyWorld>, changed: Changed, is_strict: bool) -> Self {
        Self { world, simulation: Mutex::new(Some(changed)), is_strict, controller: Mutex::new(None) }
    }

    /// A simulation that has run elsewhere, without interventions.
    pub(crate) fn of(world: Py<PyWorld>, simulation: Simulation) -> Self {
        Self::from_changed(world, Changed { simulation, history: History::default() }, false)
    }

    /// When the controller is due next, if that is before `t`.
    fn due(&self, t: f64) -> Option<f64> {
        let controller = self.controller.lock().unwrap_or_else(PoisonError::into_inner);
        let controller = controller.as_ref()?;
        let due = controller.next as f64 / controller.rate;
        (due < t).then_some(due)
    }

    /// Calls the controller, which may change what comes.
    fn call_controller(slf: &Bound<'_, Self>) -> PyResult<()> {
        let function = {
            let mut held = slf.get().controller.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(controller) = held.as_mut() else { return Ok(()) };
            controller.next += 1;
            controller.function.clone_ref(slf.py())
        };
        function.call1(slf.py(), (slf,)).map(|_| ())
    }

    /// Goes on to `t` from call to call of the controller, without looking at laws.
    fn control_up_to(slf: &Bound<'_, Self>, t: f64) -> PyResult<()> {
        if !t.is_finite() {
            return Ok(());
        }
        while let Some(due) = slf.get().due(t) {
            if due > slf.get().time()? {
                slf.get()
                    .drive(slf.py(), |simulation| (Vec::new(), simulation.advance(due)))?
                    .map_err(|stop| errors::stopped(&stop))?;
            }
            Self::call_controller(slf)?;
        }
        Ok(())
    }

    fn change(&self, py: Python<'_>, change: Change) -> PyResult<()> {
        let mut held = self.hold()?;
        let Changed { simulation, history } = held.changed()?;
        let done = py.detach(|| intervene::intervene(simulation, history, change));
        done.map_err(|stop| errors::stopped(&stop))
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
        let asked = self.read(py, |simulation| {
            let mut bodies = Arrangement::new(simulation.world());
            bodies.place(|id| simulation.pose(id))?;
            ask(&bodies)
        })?;
        asked.map_err(|error| errors::input(error.to_string()))
    }

    fn built(&self) -> &Arc<World> {
        self.world.get().built()
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
    fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&Simulation) -> T + Send) -> PyResult<T> {
        let mut held = self.hold()?;
        let simulation = held.simulation()?;
        Ok(py.detach(|| read(simulation)))
    }

    /// Does something that takes time, then tells of laws that were broken meanwhile.
    fn drive<T: Send>(
        &self,
        py: Python<'_>,
        task: impl FnOnce(&mut Simulation) -> (Vec<Violation>, T) + Send,
    ) -> PyResult<T> {
        let mut held = self.hold()?;
        let simulation = held.simulation()?;
        let interrupt = Interrupt::new();
        simulation.set_interrupt(interrupt.clone());
        let ended = background::run(py, &interrupt, || task(simulation))?;
        if matches!(ended, Ended::Panicked(_)) {
            *held.0 = None;
        }
        // Whoever hears a warning may want to look.
        drop(held);
        match ended {
            Ended::Done((violations, result)) => {
                self.report(py, &violations)?;
                Ok(result)
            }
            Ended::Signal(error) => Err(error),
            Ended::Panicked(text) => Err(errors::failed(format!(
                "a mistake of the program, please report it with the scene: {text}"
            ))),
        }
    }

    fn report(&self, py: Python<'_>, violations: &[Violation]) -> PyResult<()> {
        for violation in violations {
            let text = violation.describe(self.built());
            if self.is_strict {
                return Err(LawError::new_err(text));
            }
            let text = CString::new(text.replace('\0', "?"))?;
            PyErr::warn(py, py.get_type::<LawWarning>().as_any(), &text, 1)?;
        }
        Ok(())
    }

    /// A table of one row for each body.
    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        row: impl Fn(Pose, Twist) -> [f64; N] + Send + Sync,
    ) -> PyResult<Rows<'py>> {
        let read = |simulation: &Simulation| -> Vec<[f64; N]> {
            let ids = simulation.world().described_ids();
            ids.map(|id| row(simulation.pose(id), simulation.twist(id))).collect()
        };
        arrays::table(py, self.read(py, read)?.into_iter())
    }
}

/// Goes on to `t` and holds the state there against the laws.
fn advance(simulation: &mut Simulation, t: f64) -> (Vec<Violation>, Result<(), Stop>) {
    let gone = simulation.advance(t).and_then(|()| simulation.check_laws());
    (simulation.take_violations(), gone)
}

/// Goes on to the next event of a kind, or to `t`; its place among the events.
fn advance_to_kind(
    simulation: &mut Simulation,
    t: f64,
    kind: Option<EventKind>,
) -> Result<Option<usize>, Stop> {
    loop {
        let seen = simulation.events().len();
        if !simulation.advance_to_event(t, &mut |_| true)? {
            return Ok(None);
        }
        let is_asked = |event: &dolmen::record::Event| kind.is_none_or(|kind| event.kind == kind);
        if let Some(place) = simulation.events()[seen..].iter().position(is_asked) {
            return Ok(Some(seen + place));
        }
    }
}

fn kind_named(name: &str) -> PyResult<EventKind> {
    KINDS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
        errors::input(format!("there are no events of kind {name:?}; give one of {}", known.join(", ")))
    })
}

#[pymethods]
impl PyExact {
    /// At t = 0, from the start that the world describes.
    ///
    /// `tolerance` takes the place of that of the scene. Laws that are broken are warnings (`LawWarning`), or errors (`LawError`) if
    /// `strict`.
    #[new]
    #[pyo3(signature = (world, tolerance = None, *, strict = false, state = None))]
    #[allow(clippy::needless_pass_by_value, reason = "an array of Python is taken by value")]
    fn new(
        py: Python<'_>,
        world: Py<PyWorld>,
        tolerance: Option<f64>,
        strict: bool,
        state: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Self> {
        let world = match tolerance {
            Some(tolerance) => Py::new(py, world.get().with_tolerance(tolerance)?)?,
            None => world,
        };
        let mut history = History::default();
        if let Some(state) = state {
            let array = state.as_array();
            if array.ncols() != 13 {
                let text = format!("state of {} columns: give 13, as `Exact.state` has them", array.ncols());
                return Err(errors::input(text));
            }
            history.start =
                Some(array.rows().into_iter().map(|row| std::array::from_fn(|k| row[k])).collect());
        }
        let interrupt = Interrupt::new();
        let built = history.world(world.get().built())?;
        let listening = interrupt.clone();
        let start = move || Simulation::with_interrupt(built, Some(listening));
        match background::run(py, &interrupt, start)? {
            Ended::Done(Ok(simulation)) => {
                Ok(Self::from_changed(world, Changed { simulation, history }, strict))
            }
            Ended::Done(Err(stop)) => Err(world.get().refused(&stop)),
            Ended::Signal(error) => Err(error),
            Ended::Panicked(text) => Err(errors::failed(format!(
                "a mistake of the program, please report it with the scene: {text}"
            ))),
        }
    }

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
        Ok(self.hold()?.simulation()?.time())
    }

    /// Goes on to time `t`, s. Results do not depend on how time is cut up.
    fn advance_to(slf: &Bound<'_, Self>, t: f64) -> PyResult<()> {
        Self::control_up_to(slf, t)?;
        slf.get().drive(slf.py(), |simulation| advance(simulation, t))?.map_err(|stop| errors::stopped(&stop))
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
        self.read(py, |simulation| intervene::target(simulation.world(), simulation.time(), joint, axis))
    }

    #[pyo3(name = "_set_target", signature = (joint, target, axis = None))]
    fn set_target(&self, py: Python<'_>, joint: String, target: f64, axis: Option<String>) -> PyResult<()> {
        self.change(py, Change::Target { joint, axis, target })
    }

    /// Lets a force (N, through the centre of mass) and a torque (N·m) act on a body from now until a time, both constant in the
    /// world. Several add up.
    #[pyo3(signature = (body, *, force = [0.0; 3], torque = [0.0; 3], until))]
    fn apply(
        &self,
        py: Python<'_>,
        body: String,
        force: [f64; 3],
        torque: [f64; 3],
        until: f64,
    ) -> PyResult<()> {
        self.body(&body)?;
        self.change(py, Change::Push { body, force, torque, until })
    }

    /// What was changed on the way, in the order of time; `replay` takes it.
    #[getter]
    fn interventions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut held = self.hold()?;
        let changes = &held.changed()?.history.changes;
        list(py, changes.iter().map(|(t, change)| intervene::shown(py, *t, change)))
    }

    /// Does interventions of another simulation again, each at its time, and goes on to `until`.
    #[allow(clippy::needless_pass_by_value, reason = "a list of Python is taken by value")]
    fn replay(slf: &Bound<'_, Self>, interventions: Vec<Bound<'_, PyDict>>, until: f64) -> PyResult<()> {
        for intervention in &interventions {
            let (t, change) = intervene::read(intervention)?;
            Self::advance_to(slf, t)?;
            slf.get().change(slf.py(), change)?;
        }
        Self::advance_to(slf, until)
    }

    /// Coordinates of hinges, sliders and their like: joint, axis, coordinate (m, or rad in (−π, π]) and rate.
    fn joint_coordinates(&self, py: Python<'_>) -> PyResult<Vec<joints::Coordinate>> {
        self.read(py, joints::coordinates)
    }

    /// All of the motion now: a row of position, orientation (w, x, y, z), velocity and spin for each body.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        let read = |simulation: &Simulation| -> Vec<[f64; 13]> {
            simulation.world().described_ids().map(|id| rollout::state(simulation, id)).collect()
        };
        arrays::table(py, self.read(py, read)?.into_iter())
    }

    /// The first surface that a ray passes, or None: body, distance, point, normal.
    #[pyo3(signature = (origin, direction, reach = f64::INFINITY))]
    fn ray<'py>(
        &self,
        py: Python<'py>,
        origin: [f64; 3],
        direction: [f64; 3],
        reach: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (origin, direction) = (DVec3::from_array(origin), DVec3::from_array(direction));
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
        let bytes = self.read(py, |simulation| picture::picture(simulation, width, height))??;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes on to the next event at a contact, of this kind if one is given, and returns it; to `until` and None if there is none.
    #[pyo3(signature = (kind = None, *, until))]
    fn next_event<'py>(
        slf: &Bound<'py, Self>,
        kind: Option<&str>,
        until: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (this, py) = (slf.get(), slf.py());
        let kind = kind.map(kind_named).transpose()?;
        loop {
            // Up to the next call of a controller, which may change what comes.
            let due = this.due(until).filter(|_| until.is_finite());
            let end = due.unwrap_or(until).max(if due.is_some() { this.time()? } else { until });
            let task = |simulation: &mut Simulation| {
                let gone = advance_to_kind(simulation, end, kind);
                let event = gone.map(|place| place.map(|place| simulation.events()[place]));
                (simulation.take_violations(), event)
            };
            let event = this.drive(py, task)?.map_err(|stop| errors::stopped(&stop))?;
            match (event, due) {
                (Some(event), _) => return rows::event(py, this.built(), &event).map(Some),
                (None, Some(_)) => Self::call_controller(slf)?,
                (None, None) => return Ok(None),
            }
        }
    }

    /// Goes on to `until` and takes a sample now, every `every` seconds, and at the end. `tables` are those that `Run.save` writes and
    /// `Run.table` has; None for all.
    #[pyo3(signature = (until, every, tables = None))]
    fn record(slf: &Bound<'_, Self>, until: f64, every: f64, tables: Option<Vec<String>>) -> PyResult<PyRun> {
        let (this, py) = (slf.get(), slf.py());
        let start = this.time()?;
        let tables = crate::run::chosen(tables)?;
        let mut recording = Recording::new(start, until, every)?;
        let mut gone = Ok(());
        if this.due(until).is_none() {
            let taken = &mut recording;
            let task = move |simulation: &mut Simulation| {
                let gone = taken.follow(simulation);
                (taken.violations(), gone)
            };
            gone = this.drive(py, task)?;
        } else {
            while let Some(t) = recording.next() {
                Self::control_up_to(slf, t)?;
                let taken = &mut recording;
                let task = move |simulation: &mut Simulation| {
                    let gone = taken.sample(simulation, t);
                    (taken.last_violations(), gone)
                };
                gone = this.drive(py, task)?;
                if gone.is_err() {
                    break;
                }
            }
        }
        let changed = !this.hold()?.changed()?.history.changes.is_empty();
        let run = PyRun::new(this.world.clone_ref(py), Arc::clone(this.built()), recording, tables, changed);
        let Err(stop) = gone else { return Ok(run) };
        let error = errors::stopped(&stop);
        error.value(py).setattr("run", Py::new(py, run)?)?;
        Err(error)
    }

    /// Every event at a contact so far that was not taken, in the order of time.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.read(py, |simulation| simulation.events().to_vec())?;
        list(py, events.iter().map(|e| rows::event(py, self.built(), e)))
    }

    /// The events at contacts since they were last taken; they are not kept any longer.
    fn take_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.hold()?.simulation()?.take_events();
        list(py, events.iter().map(|e| rows::event(py, self.built(), e)))
    }

    /// Everything that happened in joints so far, in the order of time.
    #[getter]
    fn joint_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.read(py, |simulation| simulation.joint_events().to_vec())?;
        list(py, events.iter().map(|e| rows::joint_event(py, self.built(), e)))
    }

    /// Centres of mass, m: a row of x, y, z for each of `world.names`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |pose, _| pose.position.to_array())
    }

    /// Unit quaternions: a row of w, x, y, z for each of `world.names`.
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        self.rows(py, |pose, _| quaternion(&pose))
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
        let (positions, velocities) = self.read(py, |simulation| {
            let (positions, velocities) = simulation.particles(id);
            (positions.to_vec(), velocities.to_vec())
        })?;
        let rows = |vectors: Vec<dolmen::math::DVec3>| {
            arrays::table(py, vectors.into_iter().map(|vector| vector.to_array()))
        };
        Ok((rows(positions)?, rows(velocities)?))
    }

    /// The forces of all contacts that carry any now, N.
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let forces = self.read(py, Simulation::contact_forces)?;
        list(py, forces.iter().map(|f| rows::contact_force(py, self.built(), f)))
    }

    /// The forces and torques of all joints now, N and N·m.
    fn joint_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let forces = self.read(py, Simulation::joint_forces)?;
        list(py, forces.iter().map(|f| rows::joint_force(py, self.built(), f)))
    }

    /// Kinetic and potential energy now, the work done and the energy lost since the start, J.
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rows::ledger(py, &self.read(py, Simulation::ledger)?)
    }

    /// The state as bytes, from which `restore` goes on with the same bits.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut held = self.hold()?;
        let Changed { simulation, history } = held.changed()?;
        let state = py.detach(|| simulation.snapshot());
        Ok(PyBytes::new(py, &history.bytes(&state)?))
    }

    /// Goes back, or on, to the state of a snapshot of the same world.
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let mut held = self.hold()?;
        *held.0 = Some(restore(py, self.built(), snapshot)?);
        Ok(())
    }

    /// Another simulation in the same state; the two know nothing of each other.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        let mut held = self.hold()?;
        let changed = held.changed()?;
        let copy = py.detach(|| changed.clone());
        Ok(Self::from_changed(self.world.clone_ref(py), copy, self.is_strict))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.fork(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.fork(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restored = py.import("dolmen._dolmen")?.getattr("_restored")?;
        let parts = (self.world.clone_ref(py), self.snapshot(py)?, self.is_strict);
        Ok((restored, parts.into_pyobject(py)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        let t = self.time()?;
        Ok(format!("<dolmen.Exact at t = {t} s: {} bodies>", self.built().bodies().len()))
    }
}

/// A simulation from a snapshot, for pickle.
#[pyfunction]
#[pyo3(name = "_restored")]
pub(crate) fn restored(
    py: Python<'_>,
    world: Py<PyWorld>,
    snapshot: &[u8],
    strict: bool,
) -> PyResult<PyExact> {
    let changed = restore(py, world.get().built(), snapshot)?;
    Ok(PyExact::from_changed(world, changed, strict))
}

fn restore(py: Python<'_>, world: &Arc<World>, snapshot: &[u8]) -> PyResult<Changed> {
    let (history, state) = History::split(snapshot)?;
    let world = history.world(world)?;
    let restored = py.detach(|| Simulation::restore(world, state));
    let simulation = restored.map_err(|error| errors::input(error.to_string()))?;
    Ok(Changed { simulation, history })
}

/// w, x, y, z.
pub(crate) fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.orientation;
    [q.w, q.x, q.y, q.z]
}

/// A list of what is made one by one.
pub(crate) fn list<'py>(
    py: Python<'py>,
    items: impl Iterator<Item = PyResult<Bound<'py, PyDict>>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}
