//! Drivers: what takes a world through time. They may use everything; nothing uses them.
//!
//! `exact` finds the instant of every event; `fixed` takes steps of one length, for scale; `intro` is the update loop of INTRO, for
//! teaching. [`Driver`] is what all of them offer.

pub mod exact;
pub mod fixed;
pub mod intro;

mod driver;
mod sensors;
mod snapshot;

pub use driver::{Advance, Driver};
pub use sensors::{Readings, SensorReader};
pub use snapshot::SnapshotError;
