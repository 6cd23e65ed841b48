//! The numbers that steer integration, each with its reason.

/// Fraction of the step that the error estimate would allow which is taken. 0.8 wastes a sixth of the steps, 0.95
/// rejects every fifth. [HNW II.4]
pub(super) const SAFETY: f64 = 0.9;

/// A step is never cut by more than this at once: the estimate of a much too long step is not to be trusted.
pub(super) const SHRINK: f64 = 0.2;

/// A step never grows by more than this at once, for the same reason.
pub(super) const GROWTH: f64 = 6.0;

/// Weight of the previous error in the step control, as a fraction of the exponent 1/k: h is proportional to
/// e⁻⁰·⁸⁵ᐟᵏ e₋₁⁰·²ᐟᵏ. For Dormand–Prince this is the β = 0.04 of [HNW II.4]; 0 gives steps that ring where stability
/// limits them, 0.4 reacts slowly.
pub(super) const INTEGRAL_SHARE: f64 = 0.2;

/// The error of the previous step enters the control as at least this, lest one lucky step stop all growth.
pub(super) const SMALLEST_PREVIOUS_ERROR: f64 = 1e-4;

/// Shortest step in units of the spacing of floating-point times around t: below 4 of them a step is not resolved.
pub(super) const SMALLEST_STEP_ULPS: f64 = 4.0;

/// A fixed step may be this fraction longer to end on `stop`: the sum of many steps misses it by rounding only.
pub(super) const FIXED_STEP_SLACK: f64 = 1e-9;

/// After so many rejections of one step, components that start it at exactly zero with rate zero are left out of the
/// error: such a component grows as a high power of h, of which no shorter step makes the relative error smaller.
/// By then the step is some thousand times shorter than first thought, and so is what it leaves unmeasured.
pub(super) const SCALELESS_AFTER: u32 = 6;

/// |h λ| beyond which the stability of Dormand–Prince 5(4) limits the step. [HNW IV.2]
pub(super) const STIFF_DORMAND_PRINCE: f64 = 3.25;

/// |h λ| beyond which the stability of DOP853 limits the step. [HNW IV.2]
pub(super) const STIFF_DOP853: f64 = 6.1;

/// Steps that must look stiff before the problem is called so, and others in a row that clear it. [HNW IV.2]
pub(super) const STIFF_STEPS: u32 = 15;
pub(super) const CLEAR_STEPS: u32 = 6;

/// Simplified Newton gives up after so many iterations ([HW IV.8] has 7, without the event count below).
pub(super) const NEWTON_ITERATIONS: u32 = 9;

/// So many iterations may pass before increments must shrink fast enough.
pub(super) const NEWTON_PATIENCE: u32 = 2;

/// Newton's increments are rounding below so many ε of the solution: there they no longer contract.
pub(super) const NEWTON_FLOOR: f64 = 10.0 * f64::EPSILON;

/// The largest error that Newton leaves, in units of the tolerance of the step. [HW IV.8]
pub(super) const NEWTON_SHARE: f64 = 0.03;

/// A Jacobian is kept for the next step while Newton contracts at least this fast per iteration. [HW IV.8]
pub(super) const KEEP_JACOBIAN_RATE: f64 = 1e-3;

/// Factors are kept while the step would grow by less than this. [HW IV.8]
pub(super) const KEEP_FACTORS_GROWTH: f64 = 1.2;

/// Order conditions of a tableau hold to this, relative to the sum of the sizes of their terms: decimals cut after
/// six digits miss it, fractions evaluated in floating point meet it by three decades.
pub(super) const ORDER_CONDITION: f64 = 1e-12;
