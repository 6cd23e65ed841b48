//! The exact driver: every island advances by its own spans, and reading a time never cuts one.
//!
//! Pseudocode of [`Simulation::advance`], with x(t) the state of an island:
//!
//! ```text
//! for every island, until its clock has reached t:
//!     at the end of a smooth interval: start the next one there, in closed form where nothing but gravity acts
//!     else: one step of the integrator, which ends at the next jump at the latest        (force, motion, integrate)
//! every state at t is read from the spans
//! ```

mod simulation;
mod track;

pub use simulation::{Simulation, Stop};
