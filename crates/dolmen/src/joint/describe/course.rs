//! A number that changes with time: targets of motors, prescribed motions.

use std::fmt;
use std::sync::Arc;

use crate::math::monotone_slopes;
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

/// A course through given values, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq)]
pub struct TableCourse {
    times: Vec<f64>,
    values: Vec<f64>,
    /// At the nodes; none for straight lines.
    slopes: Option<Vec<f64>>,
}

impl TableCourse {
    /// Through `values` at `times`: by straight lines, or by monotone quintics, which have s̈ continuous (zero at the values) and do
    /// not overshoot. None if there are no values, not as many as times, times that do not increase, or numbers that are not finite.
    pub fn new(times: &[f64], values: &[f64], linear: bool) -> Option<Self> {
        let is_sound = !times.is_empty()
            && times.len() == values.len()
            && times.iter().chain(values).all(|number| number.is_finite())
            && times.windows(2).all(|pair| pair[0] < pair[1]);
        let slopes = (!linear && is_sound).then(|| quintic_slopes(times, values));
        is_sound.then(|| Self { times: times.to_vec(), values: values.to_vec(), slopes })
    }
}

impl UserCourse for TableCourse {
    fn at(&self, t: f64) -> [f64; 3] {
        // The node at or before t; a node belongs to the interval that it begins.
        let after = self.times.partition_point(|time| *time <= t);
        if after == 0 {
            return [self.values[0], 0.0, 0.0];
        }
        let i = after - 1;
        if after == self.times.len() {
            return [self.values[i], 0.0, 0.0];
        }
        let h = self.times[after] - self.times[i];
        let (u, way) = ((t - self.times[i]) / h, self.values[after] - self.values[i]);
        let Some(slopes) = &self.slopes else {
            return [self.values[i] + way * u, way / h, 0.0];
        };
        let (m, n) = (slopes[i] * h, slopes[after] * h);
        // p + m u + c₃u³ + c₄u⁴ + c₅u⁵, with the value, the slope n and no second derivative at u = 1.
        let (d, e) = (way - m, n - m);
        let (c3, c4, c5) = (10.0 * d - 4.0 * e, 7.0 * e - 15.0 * d, 6.0 * d - 3.0 * e);
        [
            self.values[i] + u * (m + u * u * (c3 + u * (c4 + u * c5))),
            (m + u * u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5))) / h,
            u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5)) / (h * h),
        ]
    }

    fn jumps(&self) -> &[f64] {
        &self.times
    }
}

/// Slopes with which quintics without curvature at their ends are monotone. Their Bernstein coefficients p, p + m/5, p + 2m/5,
/// q − 2n/5, q − n/5, q are in order if m + n ≤ 5/2 of the chord, so no slope is more than 5/4 of a chord beside it.
fn quintic_slopes(times: &[f64], values: &[f64]) -> Vec<f64> {
    let mut slopes = monotone_slopes(times, values);
    for i in 1..times.len().saturating_sub(1) {
        let chord = |j: usize| ((values[j + 1] - values[j]) / (times[j + 1] - times[j])).abs();
        let most = 1.25 * chord(i - 1).min(chord(i));
        slopes[i] = slopes[i].clamp(-most, most);
    }
    slopes
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
