//! Errors of the engine as exceptions of the package.

use dolmen::drive::exact::{Reason, Stop};
use pyo3::prelude::*;

/// The exceptions, which `python/dolmen/_errors.py` describes.
mod exceptions {
    #![allow(unreachable_pub, reason = "the macro makes its types public")]
    pyo3::import_exception!(dolmen._errors, Error);
    pyo3::import_exception!(dolmen._errors, ImportNote);
    pyo3::import_exception!(dolmen._errors, InputError);
    pyo3::import_exception!(dolmen._errors, LawError);
    pyo3::import_exception!(dolmen._errors, LawWarning);
    pyo3::import_exception!(dolmen._errors, SceneError);
    pyo3::import_exception!(dolmen._errors, TimeoutError);
    pyo3::import_exception!(dolmen._errors, UnsupportedError);
}

pub(crate) use exceptions::{
    Error, ImportNote, InputError, LawError, LawWarning, SceneError, TimeoutError, UnsupportedError,
};

/// An argument that cannot be used.
pub(crate) fn input(text: impl Into<String>) -> PyErr {
    InputError::new_err(text.into())
}

/// Anything else that went wrong.
pub(crate) fn failed(text: impl Into<String>) -> PyErr {
    Error::new_err(text.into())
}

/// A scene that is wrong, with every mistake in its place.
pub(crate) fn scene(text: &str) -> PyErr {
    SceneError::new_err(text.trim_end().to_owned())
}

/// A simulation that does not go on.
pub(crate) fn stopped(stop: &Stop) -> PyErr {
    match stop.reason {
        Reason::Time { .. } | Reason::Change { .. } => input(stop.to_string()),
        Reason::Abandoned => {
            failed(format!("{stop}; restore an earlier snapshot, or start again from the world"))
        }
        _ => failed(stop.to_string()),
    }
}
