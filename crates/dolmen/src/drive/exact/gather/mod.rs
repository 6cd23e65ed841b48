//! The cluster of one event: all bodies that it concerns, and their contacts.
//!
//! In comes the pair that met, with the instant and, before a time step, its length. Out goes a [`cluster::Cluster`]: the
//! bodies that touch the pair directly or through others, with the islands and articulations that are solved with them;
//! their contacts now, and those that may close within the step; and the same contacts as the impact law takes them. Its
//! buffers are scratch and are refilled at every event.
//!
//! - [`cluster`]: gathers the bodies, finds their contacts.
//! - [`impact_row`]: limits, ropes and joint friction as constraint rows of an impact.
//! - `tolerances`: the thresholds.

pub(crate) mod cluster;
pub(crate) mod impact_row;
mod tolerances;
