//! A number that changes with time: targets of motors, prescribed motions.

use std::fmt;
use std::sync::Arc;

use crate::math::real::{TAU, sin_cos};

/// A number given by a program at any time, with its derivatives.
pub trait UserCourse: fmt::Debug + Send + Sync {
    /// s, ṡ and s̈ at time `t`; each the derivative of the one before.
    fn at(&self, t: f64) -> [f64; 3];
    /// Times at which s̈ jumps: steps end there.
    fn jumps(&self) -> &[f64] {
        &[]
    }
}

/// How a target moves in time; in the unit of what it is the target of.
#[derive(Debug, Clone)]
pub enum Course {
    /// Always the same.
    Constant(f64),
    /// start + rate·t.
    Ramp {
        /// At t = 0.
        start: f64,
        /// Per second.
        rate: f64,
    },
    /// middle + amplitude·sin(2πft + φ).
    Sine {
        /// The middle of the swing.
        middle: f64,
        /// Half its width.
        amplitude: f64,
        /// f, Hz.
        frequency: f64,
        /// φ, rad.
        phase: f64,
    },
    /// From one value to another by the quintic 10u³ − 15u⁴ + 6u⁵ of the share u of the time gone, with s̈ continuous.
    Move {
        /// The value up to `begin`.
        from: f64,
        /// The value from `end` on.
        to: f64,
        /// When it begins and when it ends, s.
        times: [f64; 2],
    },
    /// Given by a program.
    User(Arc<dyn UserCourse>),
}

impl Course {
    /// s, ṡ and s̈ at time `t`.
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Constant(value) => [*value, 0.0, 0.0],
            Self::Ramp { start, rate } => [start + rate * t, *rate, 0.0],
            Self::Sine { middle, amplitude, frequency, phase } => {
                let w = TAU * frequency;
                let (s, c) = sin_cos(w * t + phase);
                [middle + amplitude * s, amplitude * w * c, -amplitude * w * w * s]
            }
            Self::Move { from, to, times: [begin, end] } => {
                let length = end - begin;
                let u = ((t - begin) / length).clamp(0.0, 1.0);
                let (way, rest) = (to - from, 1.0 - u);
                [
                    from + way * u * u * u * (10.0 - 15.0 * u + 6.0 * u * u),
                    way * 30.0 * u * u * rest * rest / length,
                    way * 60.0 * u * rest * (1.0 - 2.0 * u) / (length * length),
                ]
            }
            Self::User(course) => course.at(t),
        }
    }

    /// Times at which it is not smooth.
    pub fn jumps(&self) -> &[f64] {
        match self {
            Self::Move { times, .. } => times,
            Self::User(course) => course.jumps(),
            _ => &[],
        }
    }

    /// Whether all its numbers are finite, and those of a move in order.
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Constant(value) => value.is_finite(),
            Self::Ramp { start, rate } => start.is_finite() && rate.is_finite(),
            Self::Sine { middle, amplitude, frequency, phase } => {
                [middle, amplitude, frequency, phase].iter().all(|v| v.is_finite())
            }
            Self::Move { from, to, times } => {
                [*from, *to, times[0], times[1]].iter().all(|v| v.is_finite()) && times[0] < times[1]
            }
            Self::User(course) => course.at(0.0).iter().all(|v| v.is_finite()),
        }
    }
}
