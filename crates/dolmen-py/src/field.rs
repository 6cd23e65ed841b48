//! Force fields written in Python: a function of the time and the state of all bodies, called at every evaluation of the forces.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dolmen::force::{Custom, Loads, Moment, View};
use dolmen::math::DVec3;
use dolmen::world::{BodyId, Member, World};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors;

/// A function of Python that gives forces.
///
/// It may know the simulation that it acts in (a method of an object that keeps both), so that Python has to collect the two
/// together. Simulations and their forks own this object, which alone owns the function; worlds hold it without owning it.
#[pyclass(module = "dolmen._dolmen", name = "Field", frozen)]
pub(crate) struct Field(Mutex<Option<Arc<Inner>>>);

struct Inner {
    function: Py<PyAny>,
    /// What the function raised first, until somebody takes it.
    raised: Mutex<Option<PyErr>>,
    /// The thread of Python that is in the function now; zero if none is.
    thread: AtomicU64,
}

#[pymethods]
impl Field {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(inner) => inner.as_ref().map_or(Ok(()), |inner| visit.call(&inner.function)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        // What it owns is dropped when nothing is locked any more: that may run Python.
        let inner = self.0.try_lock().ok().and_then(|mut inner| inner.take());
        drop(inner);
    }
}

impl Field {
    pub(crate) fn new(py: Python<'_>, function: Py<PyAny>) -> PyResult<Py<Self>> {
        if !function.bind(py).is_callable() {
            return Err(errors::input(
                "field is a function of the time and the state that gives forces, (n, 3) or (n, 6)",
            ));
        }
        let inner = Inner { function, raised: Mutex::new(None), thread: AtomicU64::new(0) };
        Py::new(py, Self(Mutex::new(Some(Arc::new(inner)))))
    }

    /// None after Python collected it.
    fn inner(&self) -> MutexGuard<'_, Option<Arc<Inner>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn function(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.inner().as_ref().map(|inner| inner.function.clone_ref(py))
    }

    /// Lets the field act in a world.
    pub(crate) fn add_to(&self, world: &mut World) -> PyResult<()> {
        let ids: Vec<BodyId> = world.described_ids().collect();
        let dynamic: Vec<BodyId> = ids.iter().copied().filter(|id| world.body(*id).is_dynamic()).collect();
        if dynamic.is_empty() {
            return Ok(());
        }
        let Some(inner) = self.inner().as_ref().map(Arc::downgrade) else { return Ok(()) };
        let apply = move |moment: &Moment, view: &View, loads: &mut Loads, booked| {
            let forces = inner.upgrade().and_then(|inner| inner.call(moment.t, view, &ids));
            // A force that is no number stops the motion; `take_raised` says why.
            let nothing = [f64::NAN; 6];
            for id in &dynamic {
                let row = forces.as_ref().map_or(&nothing, |rows| &rows[id.index()]);
                let vector = |k: usize| DVec3::new(row[k], row[k + 1], row[k + 2]);
                loads.at_centre(*id, vector(0), booked);
                loads.torque(*id, vector(3), booked);
            }
        };
        // It reads all of them.
        let members: Vec<Member> = world.described_ids().map(Member::Body).collect();
        let force = Custom::new("field of Python", members, apply);
        world.add_force(force).map_err(|error| errors::input(error.to_string()))
    }

    /// What the function raised, once.
    pub(crate) fn take_raised(&self) -> Option<PyErr> {
        let inner = self.inner().clone()?;
        inner.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Raises an exception of this class in the function, if it is running.
    pub(crate) fn interrupt(&self, py: Python<'_>, class: &Bound<'_, PyAny>) {
        let thread = self.inner().as_ref().map_or(0, |inner| inner.thread.load(Ordering::Relaxed));
        if thread != 0 {
            // A function that ended meanwhile is no mistake.
            let _ = py
                .import("dolmen._timeout")
                .and_then(|module| module.getattr("raise_in")?.call1((thread, class)));
        }
    }
}

impl Inner {
    /// A row of force and torque for each body, or None after a mistake.
    fn call(&self, t: f64, view: &View, ids: &[BodyId]) -> Option<Vec<[f64; 6]>> {
        if self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return None;
        }
        let rows: Vec<[f64; 13]> =
            ids.iter().map(|id| crate::rows::motion(&view.pose(*id), &view.twist(*id))).collect();
        let called = Python::attach(|py| {
            let ident: u64 = py.import("threading")?.getattr("get_ident")?.call0()?.extract()?;
            self.thread.store(ident, Ordering::Relaxed);
            let state = arrays::table(py, rows.into_iter())?;
            let given = self.function.call1(py, (t, state));
            self.thread.store(0, Ordering::Relaxed);
            read(py, given?.bind(py), ids.len())
        });
        called
            .map_err(|error| {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            })
            .ok()
    }
}

/// What the function gave as rows of force and torque.
fn read(py: Python<'_>, given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[f64; 6]>> {
    let array = py.import("numpy")?.getattr("asarray")?.call1((given, "float64"))?;
    let refuse = || {
        let shape = array.getattr("shape").map_or_else(|_| String::new(), |shape| shape.to_string());
        errors::input(format!(
            "the field gave an array of shape {shape}: give ({count}, 3), forces, or ({count}, 6), forces and torques"
        ))
    };
    let rows: PyReadonlyArray2<'_, f64> = array.extract().map_err(|_| refuse())?;
    let width = rows.shape()[1];
    if rows.shape()[0] != count || !(width == 3 || width == 6) {
        return Err(refuse());
    }
    let rows = rows.as_array();
    if rows.iter().any(|number| !number.is_finite()) {
        return Err(errors::input("the field gave a force that is not finite"));
    }
    Ok(rows
        .rows()
        .into_iter()
        .map(|row| std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0)))
        .collect())
}
