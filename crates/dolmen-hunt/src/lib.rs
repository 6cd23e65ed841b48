//! Random scenes, and the bits of runs.
//!
//! [`generate`] makes valid scenes from seeds; [`pin`] hashes everything that a run of the exact driver reports; [`entry`] names
//! the worlds that are pinned in `pins.txt`. The program `pins` compares the two.

pub mod entry;
pub mod generate;
pub mod pin;
