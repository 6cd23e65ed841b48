//! The thresholds of the search, each with its reason.

/// Gaps below this many ulp of the coordinates are zero. A pose has an error of some ulp, and a gap is a sum of a dozen
/// products; a decade less and the search creeps through noise, a decade more shifts contact times visibly.
pub(super) const NOISE_ULPS: f64 = 8.0;

/// A bound that allows less than this share of its window was made for too long a time; a shorter window bends less.
pub(super) const SHRINK: f64 = 0.05;

/// Far beyond what Newton-like convergence and grazes need; bounds the work on input that was not foreseen.
pub(super) const MOST_STEPS: u32 = 20_000;

/// Rounds of the root of g; each at least halves its bracket or gains digits like the chord method.
pub(super) const CHORDS: usize = 60;

/// The root of g need not be known better: the next gap is computed afresh.
pub(super) const CHORD_ENOUGH: f64 = 1e-3;

/// Of one step: bounds of two motions, and the root of a bound.
pub(super) const OPERATIONS_PER_STEP: u64 = 2000;
