//! Sweeps: the same as `dolmen sweep`, with measures that may be functions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dolmen::math::work::Interrupt;
use dolmen_sweep::{Column, Finished, Plan, Spec, SweepError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arrays;
use crate::background::{self, Ended, Waiting, nothing};
use crate::errors;
use crate::simulation::PyDriver;
use crate::world::PyWorld;

fn refused(error: &SweepError) -> PyErr {
    match error {
        SweepError::Input(text) => errors::input(text.clone()),
        other => errors::failed(other.to_string()),
    }
}

/// A sweep that was checked.
#[pyclass(module = "dolmen._dolmen", name = "Plan", frozen)]
pub(crate) struct PyPlan {
    plan: Plan,
    spec: String,
    base: PathBuf,
}

impl PyPlan {
    fn folder(folder: &Path) -> PyResult<PathBuf> {
        Ok(std::path::absolute(folder)?)
    }

    /// Numbers of a variant by functions of its simulation; what one raises is the reason of the row.
    fn measure(functions: &Py<PyTuple>, finished: Finished) -> Result<Vec<f64>, String> {
        Python::attach(|py| {
            let document = finished.document.clone();
            let world = Arc::new(finished.simulation.world().clone());
            let world = PyWorld::of(document, finished.base.to_owned(), world);
            let measured = Py::new(py, world)
                .and_then(|world| PyDriver::exact(py, world, finished.simulation))
                .and_then(|simulation| {
                    let mut numbers = Vec::new();
                    for function in functions.bind(py) {
                        numbers.push(function.call1((simulation.clone_ref(py),))?.extract::<f64>()?);
                    }
                    Ok(numbers)
                });
            measured.map_err(|error| error.to_string())
        })
    }
}

#[pymethods]
impl PyPlan {
    #[new]
    fn new(py: Python<'_>, spec: &str, base: PathBuf) -> PyResult<Self> {
        let parsed: Spec = serde_json::from_str(spec).map_err(|error| errors::input(error.to_string()))?;
        let plan = py
            .detach(|| Plan::new(parsed, &base, crate::world::reading()))
            .map_err(|error| refused(&error))?;
        Ok(Self { plan, spec: spec.to_owned(), base })
    }

    #[getter]
    fn variants(&self) -> usize {
        self.plan.variants()
    }

    #[getter]
    fn parts(&self) -> usize {
        self.plan.parts()
    }

    fn overrides(&self, variant: usize) -> PyResult<Vec<String>> {
        if variant >= self.plan.variants() {
            return Err(errors::input(format!("there is no variant {variant}")));
        }
        Ok(self.plan.overrides(variant))
    }

    /// Runs what the folder lacks; `on_done` hears how many variants are done, a few times a second.
    #[pyo3(signature = (folder, jobs, functions, on_done = None))]
    #[allow(clippy::needless_pass_by_value, reason = "objects of Python are taken by value")]
    fn run(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        jobs: usize,
        functions: Py<PyTuple>,
        on_done: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let folder = Self::folder(&folder)?;
        let interrupt = Interrupt::new();
        let hook = |finished: Finished| Self::measure(&functions, finished);
        let done = AtomicUsize::new(0);
        let work = || {
            let count = |n: usize| {
                done.fetch_add(n, Ordering::Relaxed);
            };
            dolmen_sweep::run(&self.plan, &folder, jobs, &interrupt, Some(&hook), &count)
        };
        let tell = |py: Python<'_>| match &on_done {
            Some(function) => function.call1(py, (done.load(Ordering::Relaxed),)).map(|_| ()),
            None => Ok(()),
        };
        match background::run_telling(py, &interrupt, work, &Waiting { tell, cut: nothing })? {
            Ended::Done(Ok(_)) => Ok(()),
            Ended::Done(Err(error)) => Err(refused(&error)),
            Ended::Signal(error) => Err(error),
            Ended::Panicked(text) => Err(errors::failed(format!("a mistake of the program: {text}"))),
        }
    }

    /// The bytes of a part, made here.
    #[allow(clippy::needless_pass_by_value, reason = "objects of Python are taken by value")]
    fn part<'py>(
        &self,
        py: Python<'py>,
        part: usize,
        functions: Py<PyTuple>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if part >= self.plan.parts() {
            return Err(errors::input(format!("there is no part {part}")));
        }
        let interrupt = Interrupt::new();
        let hook = |finished: Finished| Self::measure(&functions, finished);
        match background::run(py, &interrupt, || self.plan.part_bytes(part, &interrupt, Some(&hook)))? {
            Ended::Done(Ok(Some(bytes))) => Ok(PyBytes::new(py, &bytes)),
            Ended::Done(Ok(None)) => Err(errors::failed("the part was interrupted")),
            Ended::Done(Err(error)) => Err(refused(&error)),
            Ended::Signal(error) => Err(error),
            Ended::Panicked(text) => Err(errors::failed(format!("a mistake of the program: {text}"))),
        }
    }

    /// Takes a folder: an object that keeps it, and the parts it lacks.
    #[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
    fn open(&self, folder: PathBuf) -> PyResult<(PyLock, Vec<usize>)> {
        let folder = Self::folder(&folder)?;
        let (lock, missing) = self.plan.open(&folder).map_err(|error| refused(&error))?;
        Ok((PyLock { _lock: lock }, missing))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.import("dolmen._dolmen")?.getattr("Plan")?;
        Ok((class, (&self.spec, &self.base).into_pyobject(py)?))
    }
}

/// Keeps a folder as long as it lives.
#[pyclass(module = "dolmen._dolmen", name = "Lock", frozen)]
pub(crate) struct PyLock {
    _lock: std::fs::File,
}

/// Puts a part into a folder.
#[pyfunction]
#[pyo3(name = "_write_part")]
#[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
pub(crate) fn write_part(folder: PathBuf, part: usize, bytes: &[u8]) -> PyResult<()> {
    dolmen_sweep::write_part(&folder, part, bytes).map_err(|error| refused(&error))
}

/// Takes a sweep out of a folder, and nothing else.
#[pyfunction]
#[pyo3(name = "_clear_sweep")]
#[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
pub(crate) fn clear_sweep(folder: PathBuf) -> PyResult<()> {
    dolmen_sweep::clear(&folder).map_err(|error| refused(&error))
}

/// The table of a folder: arrays and lists by column.
#[pyfunction]
#[pyo3(name = "_read_sweep")]
#[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
pub(crate) fn read_sweep(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let table = py.detach(|| dolmen_sweep::read(&folder)).map_err(|error| refused(&error))?;
    let dict = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::Number(numbers) => dict.set_item(name, arrays::list(py, numbers))?,
            Column::Whole(numbers) => dict.set_item(name, arrays::whole(py, numbers))?,
            Column::Text(texts) => dict.set_item(name, texts)?,
        }
    }
    Ok(dict)
}
