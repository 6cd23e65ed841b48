//! The exact driver: every island advances by its own spans, and reading a time never cuts one.
//!
//! Pseudocode of [`Simulation::advance`], with x(t) the state of an island:
//!
//! ```text
//! while an island's clock is before t, for the one furthest behind:
//!     at the end of a smooth interval: start the next one there, in closed form where nothing but gravity acts
//!     else: one step of the integrator, which ends at the next jump at the latest        (force, motion, integrate)
//! every state at t is read from the spans
//! ```
//!
//! The one furthest behind goes first, so that every span begins no later than the smallest clock: whatever stops the run,
//! all states up to that clock can be read.

mod detect;
mod event_rate;
mod gather;
mod halt;
mod impact;
mod island;
mod joint_check;
mod log;
mod modes;
mod next_event;
mod queue;
mod readout;
mod scratch;
mod simulation;
mod start;
mod state;
mod step;
mod stepping;
mod stop;
mod zeno;

pub use detect::detection::DetectionStatistics;
pub use island::track::BodyMotion;
pub use simulation::Simulation;
pub use stop::{Reason, Stop};
