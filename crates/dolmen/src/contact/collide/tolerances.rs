//! The thresholds of collisions, without unit: speeds are judged by the largest speed at any contact.

/// A contact approaches when it does so faster than this times the largest normal speed met so far. Velocities carry a
/// few roundings of that size. A decade less: rounds are spent on noise; a decade more: nothing that can be seen.
pub(super) const APPROACH: f64 = 64.0 * f64::EPSILON;

/// Energy that grows by less than this times the sizes of its terms has not grown.
pub(super) const GAIN: f64 = 64.0 * f64::EPSILON;

/// Residual with which an answer of the cone solver is used as it is; above, it is used if it is admissible, and the
/// impact says that it is approximate.
pub(super) const SOLVED: f64 = 1e-9;

/// Slip below this times the largest speed at the start is none: a rounding of the path.
pub(super) const STILL: f64 = 1e-15;

/// A slip whose direction turns by less than this, by the sizes of the terms that could turn it, keeps it.
pub(super) const STRAIGHT: f64 = 16.0 * f64::EPSILON;

/// Last terms of the series of the path where it turns, by the slip. A decade less: no more digits, rounding rules.
pub(super) const PATH_TOLERANCE: f64 = 1e-16;

/// Pieces of a path: compression, restitution, slip, stick. Four or five occur.
pub(super) const PATH_PIECES: usize = 64;

/// Steps of the path where it turns; some ten occur, more where slip ends slowly beside the largest rate.
pub(super) const PATH_STEPS: usize = 2_000;

/// Rounds with friction are at most this times the number of contacts: each is a path or a cone problem. With ε = 0.9
/// the approach falls below rounding after 300; what is left then is closed inelastically.
pub(super) const FRICTION_ROUNDS: u32 = 300;

/// A coefficient of friction beyond this, infinite ones too, is taken for it: slip then ends within this part of the normal
/// impulse, and the answer is its limit to as many digits. More: the work along the normal while slip ends,
/// which decides what friction that lifts gives back, is lost in rounding.
pub(super) const GRIP: f64 = 1e14;

/// Friction problems of several contacts that may fail before rounds of reflections end: each costs a long search.
pub(super) const FAILURES: u32 = 3;

/// More contacts than this, with friction, are compressed by the sparse solver: the cost of the dense one grows with their cube,
/// and a hundred contacts would take it minutes.
pub(super) const SEVERAL: usize = 24;

/// More than this are not given to the dense solver where the sparse one finds nothing.
pub(super) const MANY: usize = 48;
