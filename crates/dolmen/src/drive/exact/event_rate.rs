//! Counts of events of a body, by which they are found to come too fast.

use serde::{Deserialize, Serialize};

/// Shares of a body's characteristic time, and how many events are too many within them; in the longest, those of piles count more.
/// Series of bounces that end by themselves have fewer: they are closed before.
pub(crate) const WINDOWS: [(f64, f64); 4] = [(1e-9, 120.0), (1e-3, 3000.0), (0.1, 600.0), (1.0, 250.0)];

/// Storms that follow on each other last from this many on.
pub(crate) const LASTING: u32 = 3;

/// Hits of a body over which their pace is taken.
const RUN: u32 = 1000;

/// Runs in a row, each of which left the body faster than the one before, and by more than this share: rounding does not count.
const GROWING: u32 = 3;

const FASTER: f64 = 1e-6;

/// The count of one body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventCounter {
    /// Since when, s, and how many.
    pub(crate) windows: [(f64, f64); WINDOWS.len()],
    /// The time in which it moves by its own size, at its speed or by falling, s.
    pub(crate) characteristic_time: f64,
    /// The last event, s.
    pub(crate) last: f64,
    /// The last time step, s.
    pub(crate) step: f64,
    /// Storms that followed on each other.
    pub(crate) steps_in_row: u32,
    /// The same where in a pile they may be further apart.
    pub(crate) steps_in_pile: u32,
    /// When it ended.
    pub(crate) ended: f64,
    /// Hits in flight that are counted to see how fast they come.
    pub(crate) impact_rate: ImpactRate,
}

impl Default for EventCounter {
    fn default() -> Self {
        Self {
            windows: [(f64::NEG_INFINITY, 0.0); WINDOWS.len()],
            characteristic_time: 0.0,
            last: f64::NAN,
            step: 0.0,
            steps_in_row: 0,
            steps_in_pile: 0,
            ended: f64::NEG_INFINITY,
            impact_rate: ImpactRate::default(),
        }
    }
}

impl EventCounter {
    pub(crate) fn count(&mut self, t: f64, characteristic_time: f64, (weight, steps_in_pile): (f64, f64)) {
        self.characteristic_time = characteristic_time;
        // An event at the same instant again brings nothing forward.
        let (weight, steps_in_pile) = if t == self.last { (1.0, 1.0) } else { (weight, steps_in_pile) };
        // Nor is the end of the first time steps one of a run of time steps that goes on.
        let is_first = t == self.ended && self.steps_in_pile < LASTING;
        let steps_in_pile = if is_first { 0.0 } else { steps_in_pile };
        self.last = t;
        for ((since, counted), (share, _)) in self.windows.iter_mut().zip(WINDOWS) {
            if t - *since > share * characteristic_time {
                (*since, *counted) = (t, 0.0);
            }
            *counted += if share < 1.0 { weight } else { steps_in_pile };
        }
    }

    pub(crate) fn exceeds_limit(&self) -> bool {
        self.windows.iter().zip(&WINDOWS).any(|((_, counted), (_, most))| counted > most)
    }
}

/// How fast a body is hit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImpactRate {
    /// When the present run of hits began, s.
    pub(crate) since: f64,
    pub(crate) hits: u32,
    /// Runs in which it became faster, and its speed at the end of the last, m/s.
    pub(crate) growing: u32,
    pub(crate) speed: f64,
}

impl Default for ImpactRate {
    fn default() -> Self {
        Self { since: f64::NEG_INFINITY, hits: 0, growing: 0, speed: 0.0 }
    }
}

impl ImpactRate {
    /// Counts a hit; the mean time between hits where that ends a run of them, s.
    pub(crate) fn count(&mut self, t: f64) -> Option<f64> {
        self.hits += 1;
        if self.hits < RUN {
            return None;
        }
        let interval = (t - self.since) / f64::from(RUN);
        (self.since, self.hits) = (t, 0);
        Some(interval)
    }

    /// Takes note of the speed at the end of a run, m/s; whether it grows.
    pub(crate) fn grows(&mut self, speed: f64) -> bool {
        self.growing = if speed > (1.0 + FASTER) * self.speed { self.growing + 1 } else { 0 };
        self.speed = speed;
        self.growing >= GROWING
    }
}
