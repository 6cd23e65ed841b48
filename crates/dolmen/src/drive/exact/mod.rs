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

mod advance;
mod agenda;
mod aggregate;
mod balls;
mod bounces;
mod buffers;
mod candidates;
mod collider;
mod cover;
mod detection;
mod dips;
mod drift;
mod ends;
mod given;
mod guards;
mod halt;
mod held;
mod impact;
mod joint_guards;
mod joint_impact;
mod joint_motors;
mod joint_rows;
mod joint_rubbing;
mod joints;
mod likely;
mod linkages;
mod log;
mod looks;
mod meeting;
mod motions;
mod pace;
mod paradox;
mod parting;
mod paths;
mod patience;
mod next_event;
mod read_ahead;
mod rounds;
mod seams;
mod series;
mod settle;
mod simulation;
mod standing;
mod start;
mod stiff;
mod stop;
mod straight;
mod strike;
mod taut;
mod track;
mod turning;

use buffers::{Buffers, States};
pub use detection::DetectionStatistics;
pub use simulation::Simulation;
pub use stop::{Reason, Stop};
pub use track::BodyMotion;
