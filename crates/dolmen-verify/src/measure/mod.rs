//! Programs that measure what no scene can: each returns numbers by name, which expectations then look at.
//!
//! A new one is a file here, and a line in [`ALL`].

mod ccd_queries;
mod random_scenes;

use std::path::Path;

use crate::numbers::Numbers;

/// A measurement.
#[derive(Debug)]
pub(crate) struct Measurement {
    /// What `measure = …` calls it.
    pub(crate) name: &'static str,
    /// What can be asked of it; none takes arguments.
    pub(crate) words: &'static [(&'static str, &'static str)],
    /// Measures, with the folder of data that the case `needs`.
    pub(crate) measure: fn(data: &Path) -> Result<Numbers, String>,
}

/// Every measurement.
const ALL: &[Measurement] = &[ccd_queries::MEASUREMENT, random_scenes::MEASUREMENT];

/// A measurement by name.
pub(crate) fn find(name: &str) -> Option<&'static Measurement> {
    ALL.iter().find(|measurement| measurement.name == name)
}

/// The names of all.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|measurement| measurement.name).collect()
}
