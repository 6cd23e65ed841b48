//! Programs that measure what no scene can: each returns numbers by name, which expectations then compare.
//!
//! A new one is a file here, and a line in [`ALL`].

mod ccd_queries;
mod cube_tosses;
mod random_scenes;

use std::path::Path;

use crate::numbers::Numbers;

/// What a measurement found.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) numbers: Numbers,
    pub(crate) cloud: Cloud,
}

/// Points for a picture of it.
#[derive(Debug, Clone)]
pub(crate) struct Cloud {
    /// What the axes are.
    pub(crate) axes: [&'static str; 2],
    /// Whether both are logarithmic.
    pub(crate) is_log: bool,
    /// By name.
    pub(crate) groups: Vec<(String, Vec<(f64, f64)>)>,
}

/// A measurement.
#[derive(Debug)]
pub(crate) struct Measurement {
    /// What `measure = …` calls it.
    pub(crate) name: &'static str,
    /// What can be asked of it; none takes arguments.
    pub(crate) words: &'static [(&'static str, &'static str)],
    /// Measures, with the folder of data that the case `needs`.
    pub(crate) measure: fn(data: &Path) -> Result<Measured, String>,
}

/// Every measurement.
const ALL: &[Measurement] =
    &[ccd_queries::MEASUREMENT, cube_tosses::SOME, cube_tosses::ALL, random_scenes::MEASUREMENT];

/// A measurement by name.
pub(crate) fn find(name: &str) -> Option<&'static Measurement> {
    ALL.iter().find(|measurement| measurement.name == name)
}

/// The names of all.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|measurement| measurement.name).collect()
}
