//! What is asked of the impulses of time steps over many contacts, with and without joints.

/// Of more contacts than this impulses are sought to what is enough.
pub(super) const MANY: usize = 64;

/// A larger residual of so many is no answer.
pub(super) const POOR: f64 = 1e-4;

/// The residual that is enough for so many, by the velocity scale: what it leaves of an overlap at the end of a step is below
/// what arcs within it make.
pub(super) const ENOUGH: f64 = 1e-5;
