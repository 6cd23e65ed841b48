//! Many variants of a scene: values that vary, quantities that are measured, and one table of all variants.
//!
//! A [`Spec`] says what is asked for, a [`Plan`] is one that was checked. Variant i is a function of the plan and of i alone, so
//! that the table is the same for any number of threads, on one machine or many. [`run`] works through the parts of the table
//! that are not in the folder yet and puts each there by a rename, so that a process that is killed loses at most the parts it
//! was at. `docs/sweep.md` describes the folder.

mod axis;
mod folder;
mod plan;
mod random;
mod table;
mod variant;

pub use folder::{RUNS, SPEC_FILE, clear, is_sweep, read, run, spec, write_part};
pub use plan::{Design, Measure, Plan, Scene, Spec, read_parameters};
pub use table::{Column, Table};
pub use variant::{Finished, Hook, Row, Status};

use std::path::PathBuf;

use thiserror::Error;

/// Why there is no sweep.
#[derive(Debug, Error)]
pub enum SweepError {
    /// What was asked for cannot be.
    #[error("{0}")]
    Input(String),
    /// A file cannot be read or written.
    #[error("{}: {text}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system or the format said.
        text: String,
    },
    /// It was asked to stop.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
}

impl SweepError {
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    pub(crate) fn file(file: impl Into<PathBuf>, text: &impl ToString) -> Self {
        Self::File { file: file.into(), text: text.to_string() }
    }
}

/// How many variants ended how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// All of them.
    pub variants: u64,
    /// Went to the end and kept all laws.
    pub done: u64,
    /// Went to the end and broke a law.
    pub violated: u64,
    /// Could not go on.
    pub stopped: u64,
    /// Are no scene, or one that cannot start.
    pub refused: u64,
    /// The first reason of each kind of failure: variant and text.
    pub reasons: Vec<(u64, String)>,
}

impl Summary {
    pub(crate) fn add(&mut self, variant: u64, status: Status, reason: &str) {
        self.variants += 1;
        let count = match status {
            Status::Done => &mut self.done,
            Status::Violated => &mut self.violated,
            Status::Stopped => &mut self.stopped,
            Status::Refused => &mut self.refused,
        };
        *count += 1;
        if status != Status::Done && *count == 1 {
            self.reasons.push((variant, reason.to_owned()));
        }
    }
}
