//! The event counters of a body, for the event-rate limit.

use crate::drive::exact::state::law_record::WorkAccount;
use crate::drive::exact::tolerances::{GROWING_AVERAGES, IMPACTS_PER_AVERAGE, MIN_RUN, SPEED_GAIN};
use serde::{Deserialize, Serialize};

/// Shares of a body's characteristic time, and the most events within each; in the longest, events of piles have more
/// weight. A bounce series that ends by itself stays below: it is closed before.
pub(crate) const WINDOWS: [(f64, f64); 4] = [(1e-9, 120.0), (1e-3, 3000.0), (0.1, 600.0), (1.0, 250.0)];

/// The event counters of one body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventCounter {
    /// The start of each window, s, and the events counted in it.
    pub(crate) windows: [(f64, f64); WINDOWS.len()],
    /// The time in which it moves by its own size, at its speed or by falling, s.
    pub(crate) characteristic_time: f64,
    /// When its last event was, s.
    pub(crate) last: f64,
    /// The length of its last time step, s.
    pub(crate) step: f64,
    /// Time steps in a row.
    pub(crate) steps_in_row: u32,
    /// The same, where in a pile they may be further apart.
    pub(crate) steps_in_pile: u32,
    /// When the last time step ended, s.
    pub(crate) ended: f64,
    /// The rate of impacts in flight.
    pub(crate) impact_rate: ImpactRate,
    /// What was computed for it.
    pub(crate) work: WorkAccount,
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
            work: WorkAccount::default(),
        }
    }
}

impl EventCounter {
    pub(crate) fn count(&mut self, t: f64, characteristic_time: f64, (weight, steps_in_pile): (f64, f64)) {
        self.characteristic_time = characteristic_time;
        // Another event at the same instant has no extra weight.
        let (weight, steps_in_pile) = if t == self.last { (1.0, 1.0) } else { (weight, steps_in_pile) };
        // The end of one of the first time steps does not count as an event of a longer run.
        let is_first = t == self.ended && self.steps_in_pile < MIN_RUN;
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

/// The impact rate of a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImpactRate {
    /// When the current average began, s.
    pub(crate) since: f64,
    pub(crate) impacts: u32,
    /// Averages over which it gained speed, and its speed at the end of the last, m/s.
    pub(crate) growing: u32,
    pub(crate) speed: f64,
}

impl Default for ImpactRate {
    fn default() -> Self {
        Self { since: f64::NEG_INFINITY, impacts: 0, growing: 0, speed: 0.0 }
    }
}

impl ImpactRate {
    /// Counts an impact; returns the mean time between impacts where that completes an average, s.
    pub(crate) fn count(&mut self, t: f64) -> Option<f64> {
        self.impacts += 1;
        if self.impacts < IMPACTS_PER_AVERAGE {
            return None;
        }
        let interval = (t - self.since) / f64::from(IMPACTS_PER_AVERAGE);
        (self.since, self.impacts) = (t, 0);
        Some(interval)
    }

    /// Records the speed at the end of an average, m/s; returns whether it keeps growing.
    pub(crate) fn grows(&mut self, speed: f64) -> bool {
        self.growing = if speed > (1.0 + SPEED_GAIN) * self.speed { self.growing + 1 } else { 0 };
        self.speed = speed;
        self.growing >= GROWING_AVERAGES
    }
}
