//! Numbers as NumPy arrays that cannot be written.

use dolmen::math::DVec3;
use numpy::ndarray::Dimension;
use numpy::{Ix1, Ix2, Ix3, PyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors;

/// A list of numbers.
pub(crate) fn list(py: Python<'_>, numbers: Vec<f64>) -> Bound<'_, PyArray<f64, Ix1>> {
    let array = PyArray1::from_vec(py, numbers);
    array.readwrite().make_nonwriteable();
    array
}

/// A list of whole numbers.
pub(crate) fn whole(py: Python<'_>, numbers: Vec<i64>) -> Bound<'_, PyArray<i64, Ix1>> {
    let array = PyArray1::from_vec(py, numbers);
    array.readwrite().make_nonwriteable();
    array
}

/// Rows of `N` numbers.
pub(crate) fn table<const N: usize>(
    py: Python<'_>,
    rows: impl Iterator<Item = [f64; N]>,
) -> PyResult<Bound<'_, PyArray<f64, Ix2>>> {
    let numbers: Vec<f64> = rows.flatten().collect();
    let count = numbers.len() / N;
    let array = PyArray1::from_vec(py, numbers).reshape([count, N])?;
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// For each of `count` instants as many rows of `N` numbers.
pub(crate) fn tables<const N: usize>(
    py: Python<'_>,
    (count, rows_each): (usize, usize),
    rows: impl Iterator<Item = [f64; N]>,
) -> PyResult<Bound<'_, PyArray<f64, Ix3>>> {
    let array = PyArray1::from_vec(py, rows.flatten().collect()).reshape([count, rows_each, N])?;
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// A vector as a tuple.
pub(crate) fn tuple(v: DVec3) -> (f64, f64, f64) {
    (v.x, v.y, v.z)
}

/// What was given for `name` as numbers of double precision: any array or nested list of numbers, however it lies in memory.
pub(crate) fn numbers<'py, D: Dimension>(
    given: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyArray<f64, D>>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.getattr("asarray")?.call1((given,));
    let array = array.map_err(|error| errors::input(format!("{name}: {error}")))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u") {
        let kind = array.getattr("dtype")?;
        return Err(errors::input(format!("{name} is of type {kind}: give real numbers")));
    }
    let array = array.call_method1("astype", ("float64",))?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let wanted = D::NDIM.unwrap_or(dimensions);
    array
        .cast_into::<PyArray<f64, D>>()
        .map_err(|_| errors::input(format!("{name} of {dimensions} dimensions: give {wanted}")))
}

/// What was given for `name` as a vector.
pub(crate) fn vector(given: &Bound<'_, PyAny>, name: &str) -> PyResult<[f64; 3]> {
    let array = numbers::<Ix1>(given, name)?;
    let array = array.readonly();
    let array = array.as_array();
    let count = array.len();
    <[f64; 3]>::try_from(array.to_vec())
        .map_err(|_| errors::input(format!("{name} of {count} numbers: give three")))
}
