//! The thresholds of islands.

// Equations of motion.

/// Joint friction has converged when a round changes it by at most this share.
pub(super) const FRICTION_CONVERGED: f64 = 1e-14;

/// Changes of joint friction below this share may be rounding: joint forces beside redundant contacts are good for ten
/// digits.
pub(super) const FRICTION_ROUNDING: f64 = 1e-9;

/// The most rounds of joint friction and joint forces; each gains a factor of the load by friction, and one of 0.95 gains nine digits.
pub(super) const MAX_FRICTION_ROUNDS: usize = 400;

/// A kinetic energy below this share of what loads could give to bodies within a step is rounding: speeds of 1e-6 of theirs.
pub(super) const REST_ENERGY: f64 = 1e-12;

/// Contact forces that pull by less than this share of the largest are rounding.
pub(super) const TENSION_ROUNDING: f64 = 1e-12;

/// The most projections of positions: each squares the error, which is below 1e-9 at the start.
pub(super) const MAX_PROJECTIONS: usize = 3;

/// The most steps up to an instant within a span. The span itself was one step, so that a step up to any instant of it leaves less than
/// its error: where more are asked for, the motion is singular there, and smaller steps know no more than the span does.
pub(super) const MAX_CUT_STEPS: u32 = 64;

// Joints.

/// Position errors below this share of coordinates and arms are rounding.
pub(super) const POSITION_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A limit within this share of the longest arm is reached. With a tenth of it, the end of a time step of contacts misses the
/// limit.
pub(crate) const LIMIT_TOLERANCE: f64 = 1e-9;

// Implicit integration of slow slips.

/// Slips are stiff if their component across decays at least this many times while they change, and while the body turns by one.
/// Below, explicit steps are as cheap.
pub(super) const STIFF_RATIO: f64 = 300.0;

/// Slips are stiff only if they are this many times slower than what friction could reach over the size of a body. Faster
/// slips barely limit steps.
pub(super) const STIFF_SLOWNESS: f64 = 20.0;

/// The explicit method returns when the stiffness falls to this share of the threshold: so the method does not alternate.
pub(super) const STIFF_HYSTERESIS: f64 = 0.5;

/// The most bodies: matrices are dense, and each column of the Jacobian takes two evaluations.
pub(super) const MAX_IMPLICIT_BODIES: usize = 8;

/// Differences of speeds for the Jacobian, by the slowest slip: the bend of the slip direction grows with its square, and the
/// rounding of forces is divided by it.
pub(super) const JACOBIAN_SPEED_STEP: f64 = 1e-4;

/// The same for positions and angles, by the size of a body: the cube root of the rounding of numbers.
pub(super) const JACOBIAN_POSE_STEP: f64 = 6e-6;

/// The largest relative change of a slip in a step: each Newton iteration leaves a third of the component across.
pub(super) const MAX_SLIP_CHANGE: f64 = 0.5;

// Iterations and warm starts.

/// An iteration has stalled after this many rounds in a row without progress where changes are near rounding, and after
/// [`MAX_STALLED_ROUNDS`] at any size: then what each round solves has several solutions, and a fixed point may not exist.
pub(super) const STALLED_ROUNDS: u32 = 2;
pub(super) const MAX_STALLED_ROUNDS: u32 = 12;

/// Up to this many contacts the mode decision starts cold.
pub(super) const MIN_WARM_START: usize = 64;
