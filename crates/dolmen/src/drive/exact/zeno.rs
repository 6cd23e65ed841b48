//! Bounces that become ever smaller: when the rest of their Zeno series can be closed at its limit. [SYSTEM, trap 4]
//!
//! A pair that bounces with ε < 1 does so infinitely often in finite time. The times of its last bounces are stored;
//! from the lengths of the last two runs of `RUN` bounces each, w₀ and w₁, the ratio of the series is ρ = w₁/w₀ and its
//! rest lasts w₁ρ/(1 − ρ). It is closed when in that time the pair moves by less than the contact tolerance.

use serde::{Deserialize, Serialize};

/// Bounces in a run: a multiple of the periods of common patterns, so that the ratio is that of whole periods (a ball 1, a
/// rocking block 2, a box on its corners 4).
const RUN: usize = 4;

/// The last bounces of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Series {
    /// Times, the latest first.
    times: [f64; 2 * RUN + 1],
    count: usize,
}

impl Default for Series {
    fn default() -> Self {
        Self { times: [0.0; 2 * RUN + 1], count: 0 }
    }
}

impl Series {
    /// Records a bounce.
    pub(crate) fn add(&mut self, t: f64) {
        self.times.copy_within(..2 * RUN, 1);
        self.times[0] = t;
        self.count = (self.count + 1).min(self.times.len());
    }

    /// The time since the bounce before the last; none before there are enough to judge convergence.
    pub(crate) fn interval(&self) -> Option<f64> {
        (self.count == self.times.len()).then(|| self.times[0] - self.times[1])
    }

    /// How long the rest of the series lasts, if it converges; none before there are enough bounces.
    pub(crate) fn rest(&self) -> Option<f64> {
        if self.count < self.times.len() {
            return None;
        }
        let (last, before) = (self.times[0] - self.times[RUN], self.times[RUN] - self.times[2 * RUN]);
        let ratio = last / before;
        (ratio < 1.0).then(|| last * ratio / (1.0 - ratio))
    }
}
