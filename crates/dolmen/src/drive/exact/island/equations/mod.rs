//! The equations of motion of an island with contacts and joints.
//!
//! In come a state vector, an active set with its modes and the loads; out go rates, the forces of contacts and joints, and a state
//! that is projected onto all of them.
//!
//! - `island_equations`: ẏ = f(t, y), projection, equilibrium; the active set.
//! - [`joints`], [`joint_scales`]: joints in these equations, and their scales.
//! - [`rolling`]: rolling and spinning resistance.
//! - [`step_forces`]: the forces of a time step.
//! - [`rounds`]: when an iteration has converged.

mod island_equations;
pub(crate) mod joint_scales;
pub(crate) mod joints;
pub(crate) mod rolling;
pub(crate) mod rounds;
pub(crate) mod step_forces;

pub(crate) use island_equations::{ActiveSet, IslandEquations, SUMS};
