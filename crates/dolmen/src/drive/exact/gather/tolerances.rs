//! The thresholds of gathering.

/// How far ahead of a time step contacts are searched, by the distance that the fastest body moves in it: both bodies may
/// move, and velocities change within the step.
pub(super) const SEARCH_REACH: f64 = 4.0;

/// The approach speed that is assumed of two bodies, by the sum of their speeds; times [`SEARCH_REACH`].
pub(super) const APPROACH_SHARE: f64 = 0.4;
