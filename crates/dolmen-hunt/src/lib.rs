//! Random scenes, the bits of runs, and a judge of runs.
//!
//! [`generate`] makes valid scenes from seeds. [`pin`] hashes everything that a run of the exact driver reports; [`entry`] names
//! the worlds that are pinned in `pins.txt`; the program `pins` compares the two. The program `hunt` runs random scenes by the
//! command `dolmen` ([`process`]) and has each run looked at by a [`judge`] that shares no code with the engine.

pub mod coverage;
pub mod entry;
pub mod generate;
pub mod judge;
pub mod known;
pub mod pin;
pub mod process;
pub mod reduce;
pub mod right;
pub mod trial;
