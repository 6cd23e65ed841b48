//! The simple ways of the sources: test the end of the step, and go back if the shapes overlap there.
//!
//! Both miss a contact that is over before the step ends; that is why they are not the default.

use super::{Meeting, Pair, Search, tolerances::MOST_STEPS};
use crate::motion::Motion;

/// How to go back from a step whose end overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backstep {
    /// Halve the interval. [NOTES II, bisection]
    Bisection,
    /// Predict the instant from how deep the shapes are in one another: the root of the chord through both ends.
    /// [PAPER, NOTES II: faster than bisection]
    Prediction,
}

/// The instant in [`t_0`, `t_1`] at which the gap is within `tolerance` of zero, if the shapes overlap at `t_1`.
///
/// The gap must be wider than `tolerance` at `t_0`; else the answer is a touch or an overlap there.
pub fn contact_by_backstep(
    pair: &mut dyn Pair,
    motions: [&dyn Motion; 2],
    interval: (f64, f64),
    tolerance: f64,
    method: Backstep,
) -> Search {
    let mut search = back(pair, motions, interval, tolerance, method);
    if let Meeting::Touch { t, .. } = search.meeting {
        search.features = pair.features(&motions[0].pose(t), &motions[1].pose(t));
    }
    search
}

fn back(
    pair: &mut dyn Pair,
    motions: [&dyn Motion; 2],
    interval: (f64, f64),
    tolerance: f64,
    method: Backstep,
) -> Search {
    let mut gap = |t: f64| pair.gap(&motions[0].pose(t), &motions[1].pose(t));
    let (mut low, mut high) = interval;
    let (start, end) = (gap(low), gap(high));
    let found = Search::without_touch;
    if start.separation < -tolerance {
        return found(Meeting::Overlap { depth: -start.separation }, 2);
    }
    if start.separation <= tolerance {
        return found(Meeting::Touch { t: low, normal: start.normal }, 2);
    }
    if end.separation > tolerance {
        return found(Meeting::Apart, 2);
    }
    let (mut g_low, mut g_high) = (start.separation, end.separation);
    for steps in 3..=MOST_STEPS {
        let chord = low + (high - low) * g_low / (g_low - g_high);
        let middle = 0.5 * (low + high);
        // Every third prediction is a bisection, so that a curved gap cannot stall it at one end.
        let t = if method == Backstep::Bisection || steps % 3 == 0 { middle } else { chord };
        let here = gap(t);
        if here.separation.abs() <= tolerance || t <= low || t >= high {
            return found(Meeting::Touch { t, normal: here.normal }, steps);
        }
        if here.separation > 0.0 {
            (low, g_low) = (t, here.separation);
        } else {
            (high, g_high) = (t, here.separation);
        }
    }
    found(Meeting::Unknown { t: low }, MOST_STEPS)
}
