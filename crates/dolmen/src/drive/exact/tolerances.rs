//! The thresholds of the driver that belong to no folder of it.

/// The contact tolerance, as a share of the size of the smaller body.
pub(crate) const TOUCHING: f64 = 1e-9;

/// Bounces lower than this share of the contact tolerance are none.
pub(crate) const NO_BOUNCE: f64 = 1e-2;

/// Series of pairs that are kept; a pile of more is no series that ends.
pub(crate) const MOST_SERIES: usize = 1 << 16;

/// What an event may give by the rounding of its own terms, as a share of them.
pub(crate) const GAIN_ROUNDING: f64 = 1e-9;

/// At the start, joints may be violated by this share of the longest arm.
pub(crate) const START_TOLERANCE: f64 = 1e-6;

/// Bodies that the user moves may violate their joints by this share of the longest arm; projection removes it.
pub(crate) const PLACEMENT_TOLERANCE: f64 = 1e-3;

/// The overlap that time steps may leave, by the size of the smaller body.
pub(crate) const STEP_OVERLAP: f64 = 1e-3;

/// The residual that the impulses of a time step may have, by the velocities without them.
pub(crate) const STEP_RESIDUAL: f64 = 1e-2;

/// Time steps that follow each other are a run from this many on.
pub(crate) const MIN_RUN: u32 = 3;

/// Impacts of a body over which their rate is averaged.
pub(crate) const IMPACTS_PER_AVERAGE: u32 = 1000;

/// The impact rate grows if the body gains speed over this many averages in a row, each time by more than
/// [`SPEED_GAIN`], which excludes rounding.
pub(crate) const GROWING_AVERAGES: u32 = 3;

pub(crate) const SPEED_GAIN: f64 = 1e-6;

/// Bodies that overlap by this share of the smaller one were typed with eight digits, and are moved apart.
pub(crate) const TYPED_DIGITS: f64 = 1e-8;

/// Bodies between others may be moved by this many times as much.
pub(crate) const LARGEST_MOVE: f64 = 100.0;

/// What is left of an overlap that was taken out, by the contact tolerance.
pub(crate) const LEFT_OVER: f64 = 1e-2;

/// A law that was told to be broken is told again when it is worse by this factor.
pub(crate) const WORSE: f64 = 10.0;

/// How far points of two bodies that turn may lie below the chords of their arcs within a step that is this share of the own
/// time of the bodies, by the contact tolerance.
///
/// An arc of radius r that is gone through at ω for a time h is ω²h²r/8 higher than its chord. With ω at most the inverse of
/// the time in which the body moves by its size, and two bodies that turn, that is ½ (h/characteristic time)² of the size.
pub(crate) fn below_chord(share: f64) -> f64 {
    0.5 * share * share / TOUCHING
}
