//! What is known of laws and work so far; part of the state.

use serde::{Deserialize, Serialize};

use crate::drive::exact::tolerances::WORSE;
use crate::record::{Balance, CheckedLaw, EventSink, Ledger, Violation};

/// How the run stands with the laws.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct LawRecord {
    /// The most that was found, for each law.
    pub(crate) reached: [f64; CheckedLaw::ALL.len()],
    /// What was last told of each law.
    told: [f64; CheckedLaw::ALL.len()],
    pub(crate) balance: Balance,
    /// Losses at the last check.
    pub(crate) losses: Option<Ledger>,
    /// The most that `closing` ever was, J.
    pub(crate) most_closed: f64,
    pub(crate) sides: Vec<PlaneSide>,
    /// Tasks since the last check.
    pub(crate) tasks: u64,
    /// Everything that was computed, in floating-point operations.
    pub(crate) operations: u64,
    /// The most for one body while it moved by its size.
    pub(crate) most_work: f64,
    pub(crate) violations: Vec<Violation>,
}

/// On which side of an infinite plane the centre of a body is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlaneSide {
    /// The plane and the body, by rank.
    pub(crate) pair: [u32; 2],
    pub(crate) is_in_front: bool,
}

/// What was computed for one body since a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkAccount {
    /// From when on, and until when: the time in which the body moves by its size.
    pub(crate) since: f64,
    pub(crate) until: f64,
    pub(crate) operations: f64,
    pub(crate) events: u64,
}

impl Default for WorkAccount {
    fn default() -> Self {
        Self { since: f64::NEG_INFINITY, until: f64::NEG_INFINITY, operations: 0.0, events: 0 }
    }
}

impl LawRecord {
    /// Hands all violations to a sink.
    pub(crate) fn hand_over(&mut self, sink: &mut dyn EventSink) {
        self.violations.drain(..).for_each(|violation| sink.violation(&violation));
    }

    /// A body was put elsewhere: sides of planes are those where it is then.
    pub(crate) fn forget_sides(&mut self) {
        self.sides.clear();
    }

    /// Takes note of a value; it is a violation if it exceeds its bound, and is told once and again when it is much worse.
    pub(crate) fn note(&mut self, found: Violation) {
        let law = found.law as usize;
        // A number that is not finite must show, where a comparison would drop it.
        if found.value.is_nan() || found.value > self.reached[law] {
            self.reached[law] = found.value;
        }
        let holds = found.value <= found.bound;
        if holds || found.value <= WORSE * self.told[law] {
            return;
        }
        self.told[law] = if found.value.is_nan() { f64::INFINITY } else { found.value };
        self.violations.push(found);
    }
}
