//! The smooth motion of one island: its equations, its constraint forces and its track through time.
//!
//! In come an island of the world, its active set (contacts with their modes) and the state of its joints; out go spans, the
//! contact and joint forces on them, and the energy that friction and projection take. Between events the modes are fixed,
//! and the forces follow from equalities; `modes` decides what changes.
//!
//! - [`track`]: an island with its clock and its current span: flight, rest, time step or integrated.
//! - [`equations`]: ẏ = f(t, y) with contacts, projection, equilibrium.
//! - [`joints`], [`joint_scales`], [`articulation`]: joints in these equations, their scales, which bodies they connect.
//! - [`articulated_motion`]: an articulation through a time step.
//! - [`implicit`]: the implicit method for slow slips.
//! - [`rolling`]: rolling and spinning resistance.
//! - [`step_forces`], [`warm_start`]: the forces of time steps, and the mode decision that starts from them.
//! - [`rounds`], [`row`], [`scratch`], [`states`]: the end of an iteration, one constraint row, buffers, states.
//! - [`tolerances`]: the thresholds.

pub(crate) mod articulation;
pub(crate) mod articulated_motion;
pub(crate) mod equations;
pub(crate) mod step_forces;
pub(crate) mod implicit;
pub(crate) mod joint_scales;
pub(crate) mod joints;
pub(crate) mod rolling;
pub(crate) mod rounds;
pub(crate) mod row;
pub(crate) mod scratch;
pub(crate) mod states;
pub(crate) mod tolerances;
pub(crate) mod track;
pub(crate) mod warm_start;
