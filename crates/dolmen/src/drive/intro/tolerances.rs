//! Every threshold of this folder.

/// A share of a step that is rounding and no step of its own.
pub(super) const CRUMB: f64 = 1e-9;

/// Rounds over the contacts of an instant, of impulses or of rest: far more than small piles need.
pub(super) const ROUNDS: u32 = 200;

/// What is left of the largest push when rounds of rest end: rounding, no more.
pub(super) const RELAXED: f64 = 1e-15;

/// Centres that move apart slower than this, by the speed of rest, do not move apart: far more than the rounding of a velocity, and
/// the energy that a body gains as it rises so fast without its weight is nothing.
pub(super) const STILL: f64 = 1e-9;

/// How far the ledger may be out of balance by the energy in play, unless `[laws]` says otherwise. The loop has no error control:
/// a block that flips at 9 rad/s is off by 2e-5 within a second in steps of 0.01 s, and by 3e-4 in steps of 0.02 s (`dolmen run
/// tumbling-block --for 1 --samples 2 --set run.driver=intro`). A decade less calls that broken; a decade more lets gains pass that are seen.
pub(super) const LEDGER: f64 = 1e-3;

/// Roundings of a sum of energies that are no imbalance, for the square root of the number of steps.
pub(super) const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// Predictions before halvings take over. Newton's method doubles the digits from trial to trial: from a tenth of a step to the contact
/// tolerance in five; more than these help no more.
pub(super) const PREDICTIONS: u32 = 8;
