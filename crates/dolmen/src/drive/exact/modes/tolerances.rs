//! The thresholds of mode decisions and guards.

// Speeds, accelerations and forces that are zero.

/// Speeds below this share of the velocity scale are zero. Rounding leaves 1e-15 of them, solvers 1e-12. With ten times as
/// much, a bounce that should end its series by itself would end here.
pub(super) const ZERO_SPEED: f64 = 1e-11;

/// After a time step over many contacts, the largest such share.
pub(super) const MAX_STEPPED_SPEED: f64 = 1e-6;

/// Accelerations below this share of those that the loads alone would give are zero.
pub(crate) const ZERO_ACCELERATION: f64 = 1e-9;

/// A force of a joint row below this share of the force scale is zero; less would let rounding decide.
pub(super) const ZERO_FORCE: f64 = 1e-11;

// Guards of contacts.

/// Forces may pull, and friction may exceed its cone, by this share of the largest force: the rounding of the solution.
pub(super) const FORCE_ROUNDING: f64 = 1e-9;

/// What fixed modes may leave of accelerations that they require to be zero, by the largest acceleration: more is no rounding of redundant
/// contacts, which are good for nine digits, but a contradiction.
pub(super) const CONTRADICTION: f64 = 1e-8;

/// The separation of a contact that separates is rounded by less than this share of the contact tolerance.
pub(super) const SEPARATION_ROUNDING: f64 = 1e-3;

/// A rim tips flat if its points, about to touch, have come nearer by this share of the contact tolerance.
pub(super) const RIM_CLOSING: f64 = 0.05;

/// Points of a rim nearer than this share of the contact tolerance, and that have come nearer, tip flat.
pub(super) const RIM_FLAT: f64 = 0.25;

/// A contact point jumps if it moves by more than this share of the size of a body at one instant.
pub(super) const POINT_JUMP: f64 = 0.1;

/// How long before a jump its event is, by the characteristic time of the bodies: in it they move by a tenth of the contact
/// tolerance.
pub(super) const JUMP_LEAD: f64 = 1e-10;

/// How often, after a guard event is found, an earlier one is sought.
pub(super) const EARLIER_SAMPLES: usize = 4;

/// Points of a feature closer than this share of the size of a body are one contact.
pub(super) const SAME_POINT: f64 = 1e-2;

/// How far beyond the border of a face or the end of an edge a contact has left it, by the contact tolerance: up to once the
/// tolerance the narrow phase still takes it for one on the border.
pub(super) const LEFT_FEATURE: f64 = 1.5;

/// A contact that was beyond at the start has left when it is this many times further.
pub(super) const LEFT_GROWTH: f64 = 2.0;

/// An overlap of meshes or compounds deeper than this, by the contact tolerance, is an event: deep inside of a mesh there are
/// no contacts.
pub(super) const COMPOSITE_OVERLAP: f64 = 0.75;

/// The slips of several contacts of a pair, all below this many times the zero-speed tolerance, have ended when one has.
pub(super) const SLIPS_END_TOGETHER: f64 = 1e3;

// Minima between samples.

/// Samples along a span, its two ends included.
pub(super) const SAMPLES: usize = 5;

/// A margin that may fall below this share of its samples on either side is worth one more sample.
pub(super) const SUSPECT: f64 = 0.5;

/// Places between two samples at which the polynomial is evaluated.
pub(super) const MINIMUM_TRIALS: usize = 8;

/// Halvings of the distance between two places in the search for the minimum: then its place is known to 1e-6 of the
/// distance of samples, and its value, which is flat there, to the square of that.
pub(super) const MINIMUM_HALVINGS: usize = 20;

// Joint rows.

/// A limit may be violated by this share of the longest arm before that is an event: the integrator is as inexact.
pub(super) const LIMIT_VIOLATION: f64 = 1e-12;

/// A force above this share of its bound is at the bound: the rounding of the solver.
pub(super) const AT_BOUND: f64 = 1.0 - 1e-10;

/// The decay of the largest speed from one decision to the next: where everything stops, the velocity scale is that of the
/// speeds before.
pub(super) const SCALE_DECAY: f64 = 0.9;

/// Instants closer than this share of the time are the same.
pub(super) const SAME_INSTANT: f64 = 64.0 * f64::EPSILON;

/// The most rounds of joint friction and joint forces, and the relative change at which they have converged.
pub(super) const FRICTION_ROUNDS: usize = 40;
pub(super) const FRICTION_CONVERGED: f64 = 1e-12;

/// Changes below this may be rounding: forces of redundant contacts are good for nine digits.
pub(super) const FRICTION_ROUNDING: f64 = 1e-9;

/// Bounds above this many times the loads are capped: they would spoil the scale of the problem.
pub(super) const LARGE_BOUND: f64 = 1e6;

/// A motor changes its mode when its demand passes its force limit by this share, and is taken to have changed at half of it:
/// the step that ends there is less inexact.
pub(super) const SATURATION_HYSTERESIS: f64 = 1e-9;

// Rigidity.

/// A stretch below this share of the curvatures that it consists of is zero.
pub(super) const ZERO_STRETCH: f64 = 1e-6;

/// Speeds below this share of the velocity scale are zero: then the accelerations give the motion.
pub(super) const RIGIDITY_ZERO_SPEED: f64 = 1e-9;

/// Motions on which the sign of the form is tested.
pub(super) const TRIAL_MOTIONS: u64 = 24;

/// A joint whose part in ω is below this share of the largest does not take part.
pub(super) const ZERO_STRESS: f64 = 1e-6;

/// The most joints that a message names.
pub(super) const MAX_NAMED_JOINTS: usize = 6;

/// Joint forces of this many times the largest load grow without bound.
pub(super) const UNBOUNDED_FORCE: f64 = 1e4;

/// Joints with less than this share of the largest force do not take part.
pub(super) const MAJOR_FORCE: f64 = 0.1;
