//! The smooth motion of one island: its equations, its constraint forces and its track through time.
//!
//! In come an island of the world, its active set (contacts with their modes) and the state of its joints; out go spans, the
//! contact and joint forces on them, and the energy that friction and projection take. Between events the modes are fixed,
//! and the forces follow from equalities; `modes` decides what changes.
//!
//! - [`track`]: an island with its clock and its current span: flight, rest, time step or integrated.
//! - [`equations`]: ẏ = f(t, y) with contacts, rolling resistance and joints; projection, equilibrium.
//! - [`articulation`]: which bodies joints connect.
//! - [`articulated_motion`]: an articulation through a time step.
//! - [`implicit`]: the implicit method for slow slips.
//! - [`warm_start`]: forces from which the next mode decision starts.
//! - [`scratch`], [`states`]: buffers, states.
//! - [`tolerances`]: the thresholds.

pub(crate) mod articulation;
pub(crate) mod articulated_motion;
pub(crate) mod equations;
pub(crate) mod implicit;
pub(crate) mod scratch;
pub(crate) mod states;
pub(crate) mod tolerances;
pub(crate) mod track;
pub(crate) mod warm_start;
