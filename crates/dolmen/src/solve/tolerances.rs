//! The thresholds of the solvers, all without unit: every problem is scaled before it is judged.

/// A pivot of a matrix with unit diagonal below this is zero. A pivot is the squared sine of the angle between a row and
/// those before it, so that rows 3e-7 apart still count as one; a mass ratio of 1e6 makes pivots of 1e-6. A decade
/// less: rounding of a long elimination is taken for a direction. A decade more: bodies 1e12 times lighter are lost.
pub(super) const RANK: f64 = 1e-13;

/// A residual w below this times the sizes of the terms in its sum is zero. Sums of n terms carry n/2 roundings each.
/// Less: noise is pivoted on; more: gaps close by that much.
pub(super) const NOISE: f64 = 4.0 * f64::EPSILON;

/// A contact whose w is below this times the largest of q belongs to the solution set over which the norm is
/// minimised. A decade less: a redundant contact that rounding lifts is left out and its share goes to others.
pub(super) const TOUCHING: f64 = 1e-11;

/// Least-norm answers and Newton's answers are accepted with this residual.
pub(super) const ACCEPTED: f64 = 1e-12;

/// Tikhonov's term in Newton's matrix, by the diagonal: keeps it regular where contacts are redundant. Convergence is
/// then linear with the factor δ/λ, λ the least eigenvalue other than zero.
pub(super) const DAMPING: f64 = 1e-11;

/// Steps of Newton's method in one attempt.
pub(super) const NEWTON_STEPS: usize = 60;

/// Halvings of a step in its line search.
pub(super) const HALVINGS: usize = 24;

/// Sweeps of the projected iteration between two attempts of Newton's method.
pub(super) const SWEEPS: usize = 100;

/// Cubes of unknowns that a search from several starts may cost before it ends with the best found: a tenth of a second. Of up to
/// 14 contacts all starts fit in. Half as much: of 11; a decade more: one of fifty that has no answer takes seconds, and such ones come in
/// rows.
pub(super) const WORK: f64 = 2.5e8;

/// Forces of linear programs that differ by less, relative to the largest, are the same: the library ends at 1e-7, refinement far below.
pub(super) const SAME: f64 = 1e-7;
