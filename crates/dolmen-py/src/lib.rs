//! The Python package `dolmen`: worlds from scene files, the exact driver, recorded runs.
//!
//! A thin layer: every number comes from the engine, every text of an error is the one that the command prints. The engine works on a
//! thread of its own while the caller waits without the interpreter and hears signals (`background.rs`).

mod arrays;
mod articulation;
mod background;
mod engine;
mod errors;
mod field;
mod intervene;
mod joints;
mod picture;
mod rollout;
mod rows;
mod run;
mod simulation;
mod sweep;
mod world;

use pyo3::prelude::*;

/// The compiled part of the package `dolmen`.
#[pymodule]
mod _dolmen {
    #[pymodule_export]
    use crate::rollout::rollout;
    #[pymodule_export]
    use crate::run::{PyRun, unpickled};
    #[pymodule_export]
    use crate::simulation::{PyDriver, PyExact, PyFixed, restored};
    #[pymodule_export]
    use crate::sweep::{PyLock, PyPlan, clear_sweep, read_sweep, write_part};
    #[pymodule_export]
    use crate::world::{PyWorld, load, loads, scenes};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
