//! The thresholds of time steps.

use crate::drive::exact::tolerances::{STEP_OVERLAP, STEP_RESIDUAL, TOUCHING};

// Event-rate limit.

/// The share of its event-rate limit that a body gets back after a time step; half as much after each that follows, but at
/// least [`MIN_RENEWED`] events, and nothing within a run of time steps of several pairs.
pub(super) const RENEWED_SHARE: f64 = 0.2;
pub(super) const MIN_RENEWED: f64 = 4.0;

/// The share that several pairs get for events in a trial of event-driven motion; for integrator steps, and for one pair, it
/// is [`RENEWED_SHARE`].
pub(super) const TRIAL_SHARE: f64 = 0.05;

/// The weight of a collision of bodies in flight, by that of an event of bodies in contact.
pub(super) const FLIGHT_WEIGHT: f64 = 0.02;

/// The weight of an integrator step of bodies in contact: where there are many, the equations are stiff or singular.
pub(super) const STEP_WEIGHT: f64 = 6.0;

/// An implicit step of slow slips counts only where it is shorter than this share of the characteristic time: it costs more,
/// but is long.
pub(super) const STIFF_STEP: f64 = 1e-3;

/// With this many contacts a step has twice the weight.
pub(super) const WEIGHT_CONTACTS: f64 = 8.0;

/// The additional weight of an event of more than one pair: a body may rattle between two others for ever, where the bounces
/// of a single pair end.
pub(super) const SEVERAL_PAIRS_WEIGHT: f64 = 1.5;

/// A time step follows another within this many of its lengths or, in a pile, within [`FOLLOWS_TIME`] of the characteristic
/// time.
pub(super) const FOLLOWS_STEPS: f64 = 10.0;
pub(super) const FOLLOWS_TIME: f64 = 0.1;

// Length of a time step.

/// The error of a time step by the square of its length, both by the characteristic time of the bodies.
pub(super) const STEP_ERROR: f64 = 10.0;

/// The largest residual speed of a time step, by the velocity scale: that of its impulses.
pub(super) const MAX_STEP_ERROR: f64 = 1e-6;

/// The longest time step, by the characteristic time of the bodies.
pub(super) const FIRST_MAX_STEP: f64 = 1e-4;

/// The longest step grows by itself with every so many time steps of one pair that follow each other; with every one of
/// several pairs, and faster with more of them; up to [`MAX_GROWTH`] times, and with more pairs than [`PILE_PAIRS`] up to
/// [`MAX_PILE_GROWTH`] times as long in proportion to them.
pub(super) const GROWTH_STEPS: f64 = 4.0;
pub(super) const MAX_GROWTH: f64 = 50.0;
pub(super) const MAX_PILE_GROWTH: f64 = 8.0;

/// More pairs than this are a pile: its steps double in length up to [`MAX_STEP`].
pub(super) const PILE_PAIRS: f64 = 16.0;

/// The longest time step of a pile, by the characteristic time of the bodies: arcs within it are below their chords by half
/// its square of the size of a body, which is half of the overlap that time steps may leave.
pub(super) const MAX_STEP: f64 = 0.03;

/// A time step of a pile may move a body this many times as far as one that turns: with [`MAX_STEP`] a quarter of its size.
pub(super) const STRAIGHT: f64 = 8.0;

// Back to event-driven motion.

/// Up to this many pairs try event-driven motion again, after runs of time steps that double in length.
pub(super) const FEW_PAIRS: usize = 48;

/// The first trial is after this many time steps in a row; slow bodies are tried for rest every so many.
pub(super) const TRIAL_INTERVAL: u32 = 8;

/// Bodies slower than this share of their speed after falling by their size are slow, and below [`REST_RATIO`] at rest.
pub(super) const SLOW_RATIO: f64 = 1e-3;
pub(super) const REST_RATIO: f64 = 1e-9;

// Impulses and overlaps of a time step.

/// A solution with a larger residual is rejected: bodies are jammed.
pub(super) const MAX_RESIDUAL: f64 = STEP_RESIDUAL;

/// A step that gives more than this share of the energy in play is taken again by a scheme that gives less: a tenth of what the law of
/// dissipation allows.
pub(super) const GIVEN: f64 = 1e-10;

/// The most rounds of depenetration; each squares what is left.
pub(super) const DEPENETRATION_ROUNDS: usize = 4;

/// The most rounds that solve for impulses without overlap at the end of the step.
pub(super) const IMPULSE_ROUNDS: usize = 8;

/// A step is too long after which bodies overlap by more than this, by the contact tolerance; it is halved down to the share
/// [`MIN_STEP`], or [`MIN_PILE_STEP`] in a pile.
pub(super) const MAX_OVERLAP: f64 = 1e3;
pub(super) const MIN_STEP: f64 = 0.2;
pub(super) const MIN_PILE_STEP: f64 = 0.02;

/// The overlap at the end of a step that time steps promise not to exceed in a run, by the contact tolerance: half of what is allowed
/// altogether, since points on arcs are deeper half-way.
pub(super) const PROMISED_OVERLAP: f64 = 0.5 * STEP_OVERLAP / TOUCHING;

/// Overlaps below this share of what a step may leave are not worth a depenetration.
pub(super) const OVERLAP_ROUNDING: f64 = 0.04;

/// With more contacts than this, a round that leaves more than [`ROUND_GAIN`] of the overlap of the round before is the last.
pub(super) const MANY_CONTACTS: usize = 24;
pub(super) const ROUND_GAIN: f64 = 0.5;

/// The overlap that is accepted at the end of a step, by the contact tolerance; and with many contacts, or joints, the share
/// [`ALLOWED_OF_ARCS`] of the overlap that arcs may cause half-way.
pub(super) const ALLOWED_OVERLAP: f64 = 0.25;
pub(super) const ALLOWED_OF_ARCS: f64 = 0.125;

/// Bodies slower than this, by their speed after falling by their size, may leave less overlap: depenetration removes it and
/// they return, so by a step of length h they never become slower than overlap/h.
pub(super) const FLAT_ARC_RATIO: f64 = 0.1;

/// Start impulses with a larger residual are discarded.
pub(super) const MAX_START_RESIDUAL: f64 = 1e-6;

// The end of a time step.

/// How often other features are sought at the end of a step, and other balls within it.
pub(super) const END_SAMPLES: usize = 3;
pub(super) const WAY_SAMPLES: usize = 12;

/// The least cosine of the angle by which the normal of a contact rotates within a step.
pub(super) const SAME_NORMAL: f64 = 0.9;

/// A contact lies beyond its feature if it is this many times farther out than it overlaps.
pub(super) const BEYOND_FEATURE: f64 = 2.0;

/// Half-way through steps shorter than this share of the characteristic time nothing overlaps deeper than at the ends.
pub(super) const SHORT_STEP: f64 = 1e-5;
