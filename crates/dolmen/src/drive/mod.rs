//! Drivers: what takes a world through time. They may use everything; nothing uses them.
//!
//! `exact` finds the instant of every event; `intro` is the update loop of INTRO, for teaching. [`Driver`] is what both offer.

pub mod exact;
pub mod intro;

mod driver;

pub use driver::{Advance, Driver};
