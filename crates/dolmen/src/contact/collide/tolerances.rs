//! The thresholds of collisions, dimensionless: speeds are judged by the largest speed at any contact.

/// A contact approaches when it does so faster than this times the largest normal speed so far. Velocities carry a few
/// roundings of that size. With a tenth of it, rounds are spent on noise; with ten times as much, nothing changes.
pub(super) const APPROACH: f64 = 64.0 * f64::EPSILON;

/// Energy that grows by less than this times the sizes of its terms has not grown.
pub(super) const ENERGY_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The residual up to which a solution of the cone solver is used as it is; above, it is used if it is admissible, and
/// the impact reports that it is approximate.
pub(super) const SOLVED: f64 = 1e-9;

/// A solution of what the one before left that leaves more than this share of it is of no use. One that is good for ten digits leaves 1e-10.
pub(super) const HELPS: f64 = 0.5;

/// Slip below this times the largest speed at the start is zero: rounding of the path.
pub(super) const ZERO_SLIP: f64 = 1e-15;

/// A slip keeps its direction if that rotates by less than this, by the sizes of the terms that could rotate it.
pub(super) const CONSTANT_DIRECTION: f64 = 16.0 * f64::EPSILON;

/// The last terms of the series of the path where the slip direction rotates, by the slip. With a tenth of it: no more
/// digits, rounding dominates.
pub(super) const PATH_TOLERANCE: f64 = 1e-16;

/// Pieces of a path: compression, restitution, slip, stick. Four or five occur.
pub(super) const PATH_PIECES: usize = 64;

/// Steps of the path where the slip direction rotates; some ten occur, more where slip ends slowly beside the largest
/// rate.
pub(super) const PATH_STEPS: usize = 2_000;

/// Rounds with friction are at most this times the number of contacts: each is a path or a cone problem. With ε = 0.9
/// the approach falls below rounding after 300; what is left then is stopped inelastically.
pub(super) const FRICTION_ROUNDS: u32 = 300;

/// Coefficients of friction above this, also infinite ones, are replaced by it: slip then ends within this part of the
/// normal impulse, and the result is the limit to as many digits. With more, the work along the normal while slip ends,
/// which decides what friction that lifts returns, is lost in rounding.
pub(super) const MAX_FRICTION: f64 = 1e14;

/// Friction problems of several contacts that may fail before rounds of reflections end: each costs a long search.
pub(super) const FAILURES: u32 = 3;

/// The sparse solver compresses more contacts than this, with friction: the cost of the dense one grows with their
/// cube, and a hundred contacts would take it minutes.
pub(super) const SPARSE_CONTACTS: usize = 24;

/// More than this never go to the dense solver where the sparse one finds nothing.
pub(super) const MAX_DENSE_CONTACTS: usize = 48;

/// Degree of the series of the path. At 20 a step of an exponential spans about one e-fold at full precision.
pub(super) const SERIES_DEGREE: usize = 20;

/// The longest step of the series, in units of 1/`rate`: the series of e⁻ˣ is good for no more.
pub(super) const MAX_SERIES_STEP: f64 = 2.0;
