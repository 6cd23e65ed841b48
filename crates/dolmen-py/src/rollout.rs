//! Many states and controls through time at once, on all cores.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dolmen::world::{Change, World};
use numpy::{Ix3, PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::background::{self, Ended};
use crate::engine::{Engine, How, Log, Watch};
use crate::errors::{self, LawWarning};
use crate::intervene::{Start, motors, place};
use crate::rows;
use crate::simulation::PyDriver;
use crate::world::PyWorld;

/// The stack of a main thread.
const STACK: usize = 8 << 20;

/// What came of one: a row of 13 numbers for each instant and body, why it ended early, and the first law that it broke.
type Rolled = (Vec<f64>, Option<String>, Option<String>);

/// Runs every row of `states` (k, n, 13) under its row of `controls` (k, steps, motors), each held for `step` seconds.
///
/// Gives `states` (k, steps + 1, n, 13) and `errors`, a list of k texts or None. What comes after an error is NaN. One warning tells how many
/// broke a law, and which the first of them.
#[pyfunction]
#[pyo3(name = "_rollout", signature = (world, states, controls, step, jobs, like = None))]
#[allow(clippy::needless_pass_by_value, reason = "arrays of Python are taken by value")]
#[allow(clippy::too_many_arguments, reason = "each is an argument that Python gives")]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    world: Py<PyWorld>,
    states: &Bound<'py, PyAny>,
    controls: &Bound<'py, PyAny>,
    step: f64,
    jobs: usize,
    like: Option<Py<PyDriver>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (built, how) = match &like {
        Some(like) => like.get().recipe()?,
        None => (Arc::clone(world.get().built()), How::Exact),
    };
    let (states, controls) =
        (arrays::numbers::<Ix3>(states, "states")?, arrays::numbers::<Ix3>(controls, "controls")?);
    let (bodies, drives) = (built.described_bodies().len(), motors(&built));
    let (&[count, rows, width], &[of_controls, steps, targets]) = (states.shape(), controls.shape()) else {
        return Err(errors::input("states and controls have three dimensions"));
    };
    if rows != bodies || width != 13 {
        let text = format!("states of shape ({count}, {rows}, {width}): give (k, {bodies}, 13)");
        return Err(errors::input(text));
    }
    if of_controls != count || targets != drives.len() {
        let shape = format!("({of_controls}, {steps}, {targets})");
        let text = format!(
            "controls of shape {shape}: give ({count}, steps, {}), a target for each motor",
            drives.len()
        );
        return Err(errors::input(text));
    }
    if !(step.is_finite() && step > 0.0) {
        return Err(errors::input(format!("step = {step}: give a finite number of seconds above zero")));
    }
    let states: Vec<f64> = states.readonly().as_array().iter().copied().collect();
    let controls: Vec<f64> = controls.readonly().as_array().iter().copied().collect();
    for (name, numbers) in [("states", &states), ("controls", &controls)] {
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(errors::input(format!("{name}: a number is not finite")));
        }
    }
    if jobs == 0 {
        return Err(errors::input("jobs = 0: give at least one"));
    }
    let one = |k: usize, watch: &Watch| -> Rolled {
        let start: Start = states[k * rows * 13..(k + 1) * rows * 13]
            .chunks_exact(13)
            .map(|row| std::array::from_fn(|i| row[i]))
            .collect();
        let mut taken = Vec::with_capacity((steps + 1) * rows * 13);
        let controls = &controls[k * steps * targets..(k + 1) * steps * targets];
        let mut log = Log::of(how);
        let rolling = (controls, &drives[..], step, steps);
        let (error, broken) = match follow((&built, how), &start, rolling, (watch, &mut log), &mut taken) {
            Ok(engine) => (None, engine.take_broken(&mut log).into_iter().next()),
            Err(error) => (Some(error), None),
        };
        taken.resize((steps + 1) * rows * 13, f64::NAN);
        (taken, error, broken)
    };
    let watch = Watch::default();
    let next = AtomicUsize::new(0);
    let rolled: Mutex<Vec<Option<Rolled>>> = Mutex::new((0..count).map(|_| None).collect());
    let work = || {
        thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, count.max(1)) {
                let worker = || loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count || watch.interrupt.is_raised() {
                        return;
                    }
                    let done = one(k, &watch);
                    rolled.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[k] = Some(done);
                };
                // A thread that cannot be started leaves its work to the others; at least this one is there.
                if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).is_err() {
                    worker();
                }
            }
        });
    };
    match background::run(py, &watch.interrupt, work)? {
        Ended::Done(()) => {}
        Ended::Signal(error) => return Err(error),
        Ended::Panicked(text) => return Err(errors::failed(format!("a mistake of the program: {text}"))),
    }
    let rolled = rolled.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (mut numbers, mut texts, mut broken) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (taken, error, law)) in rolled.into_iter().flatten().enumerate() {
        numbers.extend(taken);
        texts.push(error);
        broken.extend(law.map(|law| (k, law)));
    }
    if let Some((k, law)) = broken.first() {
        let text = format!("{} of {count} rollouts broke a law; rollout {k}: {law}", broken.len());
        let text = CString::new(text.replace('\0', "?"))?;
        PyErr::warn(py, py.get_type::<LawWarning>().as_any(), &text, 1)?;
    }
    let array = PyArray1::from_vec(py, numbers).reshape([count, steps + 1, rows, 13])?;
    let dict = PyDict::new(py);
    dict.set_item("states", array)?;
    dict.set_item("errors", texts)?;
    Ok(dict)
}

/// Controls of one, its motors, the time that each is held, and how many.
type Controls<'a> = (&'a [f64], &'a [(String, &'static str, &'static str)], f64, usize);

fn follow(
    (built, how): (&Arc<World>, How),
    start: &Start,
    (controls, drives, step, steps): Controls,
    (watch, log): (&Watch, &mut Log),
    taken: &mut Vec<f64>,
) -> Result<Engine, String> {
    let mut world = World::clone(built);
    place(&mut world, start).map_err(|error| error.to_string())?;
    let mut engine =
        Engine::start(Arc::new(world), how, &watch.interrupt).map_err(|halt| halt.to_string())?;
    take(&engine, taken);
    for i in 0..steps {
        for (k, (joint, axis, _)) in drives.iter().enumerate() {
            let target = controls[i * drives.len() + k];
            let change = Change::Target { joint: joint.clone(), axis: Some((*axis).to_owned()), target };
            engine.intervene(&change).map_err(|halt| halt.to_string())?;
        }
        engine.advance((i + 1) as f64 * step, watch, log).map_err(|halt| halt.to_string())?;
        // Events on the way are not asked for; broken laws are told.
        log.forget_events();
        take(&engine, taken);
    }
    engine.check_laws(log).map_err(|halt| halt.to_string())?;
    Ok(engine)
}

/// The states of all bodies.
fn take(engine: &Engine, taken: &mut Vec<f64>) {
    for id in engine.world().described_ids() {
        taken.extend(rows::motion(&engine.pose(id), &engine.twist(id)));
    }
}
