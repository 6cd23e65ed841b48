//! The exact driver: every event at its instant, every island by its own spans.
//!
//! `step.rs` is the page to read first: the next task of the event queue, top to bottom. In come a [`World`](crate::world::World) and a
//! `State`; out go the state at a later time, events and read-outs. `Scratch` is memory that is used again: throwing it away between
//! any two tasks changes no bit.
//!
//! | | |
//! |---|---|
//! | `queue` | the event queue: what is due, in the order of time |
//! | `detect/` | fat AABBs and pairs → when two bodies touch first |
//! | `island/` | one island on its way: flight, rest, integrated span, time step; its equations with contacts and joints |
//! | `gather/` | an event → what takes part in it, with all contacts |
//! | `impact/` | x⁻ → x⁺: impulses, losses, the log |
//! | `modes/` | x⁺ → which contacts persist, their modes and forces, new islands; guards that end modes |
//! | `stepping/` | events too fast to follow → time steps over all contacts, and out of them to rest |
//! | `laws/` | world and state → laws that are broken; work against simulated time |
//! | `readout/` | world and state → energy, momentum, forces |
//!
//! Reading a time never cuts a span, so that results do not hang on how time is cut up: `advance(1.0)` and ten times `advance` give
//! the same bits. The island furthest behind goes first, so that every span begins no later than the smallest clock: whatever
//! stops the run, all states up to that clock can be read.

mod depenetrate;
mod detect;
mod gather;
mod impact;
mod intervene;
mod island;
mod joint_check;
mod laws;
mod log;
mod modes;
mod queue;
pub mod readout;
mod scratch;
mod simulation;
mod snapshot;
mod stage;
mod start;
mod state;
mod step;
mod stepping;
mod stop;
mod tolerances;

pub use crate::drive::SnapshotError;
pub use depenetrate::Moved;
pub use detect::detection::DetectionStatistics;
pub use island::track::BodyMotion;
pub use readout::{ContactProblem, ExplainedContact};
pub use simulation::Simulation;
pub use stage::{Profile, Stage, StageCost};
pub use state::State;

pub use stop::{MotionPlace, Reason, Stop};
