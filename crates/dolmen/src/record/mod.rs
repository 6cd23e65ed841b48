//! The record of a run: samples, the energy ledger, tables and a hash.

mod sample;
mod tables;

pub use sample::{Balance, Ledger, Sample};
pub use tables::{RunTables, TableFiles};
