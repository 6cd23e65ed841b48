//! The thresholds of the checks of laws.

/// Tasks between two checks: at least so many, and so many for each body, of which a check reads all. A check of a gas of a
/// thousand balls takes as long as some two hundred of its tasks.
pub(super) const MIN_TASKS_BETWEEN_CHECKS: f64 = 256.0;
pub(super) const TASKS_PER_BODY: f64 = 8.0;

/// The ledger may be off by this many relative tolerances, unless the user says otherwise.
pub(super) const LEDGER: f64 = 100.0;

/// Bodies whose centre is nearer to a plane than this share of their size are on neither side of it.
pub(super) const ON_PLANE: f64 = 1e-6;

/// A central difference of the motion takes this share of the span about the present: its error is the square of that, and rounding
/// of the state is amplified by its inverse.
pub(super) const DIFFERENCE: f64 = 1e-3;

/// Units in the last place of the energies that their sums may be off by.
pub(super) const ENERGY_ROUNDINGS: f64 = 16.0;

/// Roundings of a momentum at either end of a difference.
pub(super) const MOMENTUM_ROUNDINGS: f64 = 64.0;

/// Operations of a task besides those of its loops: the event queue, allocation, copies.
pub(super) const OPERATIONS_PER_TASK: f64 = 5000.0;
