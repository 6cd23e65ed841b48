//! Numbers as NumPy arrays that cannot be written.

use dolmen::math::DVec3;
use numpy::{Ix1, Ix2, Ix3, PyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

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
