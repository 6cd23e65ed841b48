//! The thresholds of contact forces and of the impulses of time steps.

// Mode decision.

/// The most rounds that turn the friction of sliding contacts exactly against their slip; each gains a factor of
/// [`FAST_SLIP`].
pub(super) const SLIP_ROUNDS: usize = 8;

/// The most rounds with rolling resistance: each updates the bounds of its moments, and gains a factor of the resistance by
/// the size of the bodies.
pub(super) const RESISTANCE_ROUNDS: usize = 60;

/// The slip that the problem assumes for a sliding contact, by the largest acceleration without contact forces. Such a slip
/// does not end within the problem, and its direction is right to the inverse of this before the first correction.
pub(super) const FAST_SLIP: f64 = 1e3;

/// The modes have converged when a round changes forces by less than this share.
pub(super) const CONVERGED: f64 = 1e-12;

/// Friction above this share of its limit slides: the rounding of the solver.
pub(super) const AT_LIMIT: f64 = 1.0 - 1e-10;

/// The same for resistance moments, whose bounds are those of the round before: contacts with redundant forces share a load
/// a little differently in each round.
pub(super) const AT_RESISTANCE_LIMIT: f64 = 1.0 - 5e-9;

/// Accelerations below this share of those that the loads alone would give are zero.
pub(super) const ZERO_ACCELERATION: f64 = 1e-10;

/// The residual up to which a solution is consistent.
pub(super) const CONSISTENT: f64 = 1e-9;

/// The largest change that the last round may leave. Where forces are a choice (redundant contacts that slide), the choice
/// differs a little from round to round; in a Painlevé configuration they grow without bound.
pub(super) const MAX_LAST_CHANGE: f64 = 1e-2;

/// Up to this many contacts the dense solver is faster.
pub(super) const FEW_CONTACTS: usize = 16;

/// Up to this many contacts the friction law is classified: every subset is tried.
pub(super) const MAX_CLASSIFIED: usize = 8;

// Equality solve and refinement.

/// A slip has a reliable direction above this many times its zero-speed tolerance: rounding rotates slower ones, and force
/// with them, by more than the tolerance of a step. A slower slip changes too little for its direction to matter.
pub(super) const SLOW_SLIP: f64 = 1e3;

/// The ratio of masses above which refinement pays: below, less than four digits are lost and twelve are left.
pub(super) const REFINE_MASS_RATIO: f64 = 1e3;

/// The number of contacts above which refinement pays: the condition number of W of a column of n bodies grows as n², and
/// only refinement keeps a body at rest on many contacts to rounding.
pub(super) const REFINE_CONTACTS: usize = 16;

/// Rounds of refinement; each gains as many digits as the conditioning leaves, at least six.
pub(super) const REFINE_ROUNDS: usize = 2;

// Frames and projection.

/// The largest rotation of a contact frame within a time step, rad: a faster one does not last through the step.
pub(super) const MAX_FRAME_ROTATION: f64 = 0.25;

/// The part of its acceleration due to its own motion below this share is rounding.
pub(super) const CURVATURE_ROUNDING: f64 = 1e-9;

/// A projection is rejected if it moves a body by more than this many times what it corrects: contacts that almost depend on
/// each other ask for that by their rounding. Shifts below [`SMALL_SHIFT`] of its size, or of the velocity scale, are
/// accepted.
pub(super) const MAX_SHIFT: f64 = 1e3;
pub(super) const SMALL_SHIFT: f64 = 1e-9;

// Impulses of time steps.

/// The residual up to which a solution is not solved again.
pub(super) const GOOD_RESIDUAL: f64 = 1e-9;

/// With more contacts than this the impulses are taken as found: those of least norm cost some more factorisations.
pub(super) const SEVERAL_CONTACTS: usize = 24;

/// The residual that is enough for so many contacts.
pub(super) const ENOUGH_FOR_SEVERAL: f64 = 1e-9;

/// With more contacts than this impulses are solved to [`ENOUGH_RESIDUAL`] only.
pub(super) const MANY_CONTACTS: usize = 64;

/// A larger residual of so many contacts is no solution.
pub(super) const POOR_RESIDUAL: f64 = 1e-4;

/// For so many contacts, the residual up to which a second, short search is enough; above it everything is tried.
pub(super) const VERY_POOR_RESIDUAL: f64 = 1e-3;

/// The residual that is enough for so many contacts, by the velocity scale: the overlap that it leaves at the end of a step is
/// below that of the arcs within it.
pub(super) const ENOUGH_RESIDUAL: f64 = 1e-5;

/// The same in a run of time steps of a pile, and the residual that is no solution there: the error of the step itself is larger.
pub(super) const ENOUGH_IN_PILE: f64 = 5e-4;
pub(super) const POOR_IN_PILE: f64 = 1e-2;

/// What a depenetration may leave, by the overlap that is accepted.
pub(super) const DEPENETRATION_RESIDUAL: f64 = 0.1;
