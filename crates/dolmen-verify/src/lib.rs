//! Scenes with known answers: expectations beside them, laws that all of them keep, and the report.
//!
//! A [`Library`] holds scenes and files of expectations; [`Library::choose`] reads the [`Case`]s that are meant, [`verify`]
//! runs them, [`table`] prints what became of them, [`report`] draws it. `docs/verify.md` describes the files.

mod case;
pub mod cpu_time;
mod expression;
mod format;
mod laws;
mod library;
mod measure;
mod numbers;
mod precision;
mod probe;
mod problem;
pub mod report;
mod row;
mod run;
mod suite;
pub mod table;
pub mod tosses;
mod words;

pub use case::Case;
pub use library::{ENDING, Library, VerifyError};
pub use probe::{Probe, Quantity};
pub use row::{Row, Shown, Verdict};
pub use suite::{Options, Outcome, Totals, verify};
