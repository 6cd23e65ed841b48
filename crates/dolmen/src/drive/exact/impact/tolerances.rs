//! The thresholds of impacts.

// Impacts of contacts.

/// Relative speeds below this share of the speeds of the bodies, and of their speeds after falling by their size, are zero:
/// rounding leaves as much of a difference.
pub(super) const SPEED_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// After slips were taken to have ended, the same pair waits this share of its characteristic time before that may be
/// assumed again.
pub(super) const SLIP_END_INTERVAL: f64 = 1e-6;

/// The impact laws take at most this many contacts.
pub(super) const MAX_CONTACTS: usize = 128;

/// Before a time step at most this many contacts collide by the impact law of the world, and at most [`MAX_IN_REGIME`]
/// within a run of time steps; the step itself handles more.
pub(super) const MAX_BEFORE_STEP: usize = 64;
pub(super) const MAX_IN_REGIME: usize = 32;

/// Half as many where all restitution is at most this: the impact laws were three quarters of the cost of the first 0.8 s of
/// a hundred boxes, and at so little restitution the result of the step differs little.
pub(super) const LOW_RESTITUTION: f64 = 0.3;

/// Without restitution the step itself handles more contacts than this: impact law and step are then the same law.
pub(super) const MAX_INELASTIC: usize = 24;

// Ghost contacts.

/// How deep the bodies overlap after the probe time, by the contact tolerance.
pub(super) const PROBE_DEPTH: f64 = 4.0;

/// The longest probe time, by the characteristic time of the bodies: bodies that approach very slowly would have moved
/// elsewhere by then.
pub(super) const MAX_PROBE_TIME: f64 = 1e-4;

/// Normals with a larger cosine between them are the same.
pub(super) const SAME_NORMAL: f64 = 0.999;

/// Normals with a smaller cosine between them are those of opposite sides: a thin body has gone through.
pub(super) const OPPOSITE_NORMAL: f64 = -0.1;

// Impact rate.

/// Impacts are in close succession if a body moves by no more than this share of its size between them: spheres with so
/// little space are packed as in a crystal.
pub(super) const CLOSE_SUCCESSION: f64 = 0.01;

/// The relative rounding of an instant, with some operations on it. With a quarter of it, impacts between plates that have no
/// closed form take minutes. With four times as much, what is rejected is less than a hundredth of the contact tolerance.
pub(super) const TIME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The largest rounding of an instant, by the time between impacts.
pub(super) const MAX_TIME_ERROR: f64 = 1e-3;

// Joints.

/// A limit reached more slowly than this share of the velocity scale does not bounce: the bounce would rise by the square
/// of that, which is within the error of the integrator. Without this, a lossless limit rattles for ever.
pub(super) const NO_BOUNCE_RATE: f64 = 1e-6;

/// The most rounds of joint friction and impulses. Each round gains a factor of the friction coefficient; as many rounds as
/// there are rows gain as much as their responses are linear.
pub(super) const FRICTION_ROUNDS: usize = 200;

/// The rounds have converged when they change friction by less than this, by the largest bound.
pub(super) const FRICTION_CONVERGED: f64 = 1e-13;

/// Changes below this may be rounding: the impulses of redundant contacts are solved to 1e-9.
pub(super) const FRICTION_ROUNDING: f64 = 1e-8;

/// Energy that grows by less than this share of Σ |p|·|v| is rounding.
pub(super) const ENERGY_ROUNDING: f64 = 1e-12;
