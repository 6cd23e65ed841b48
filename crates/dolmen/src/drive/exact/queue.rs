//! Which island is behind: a queue by clocks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An island waiting for its next step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    clock: f64,
    track: usize,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The smallest clock is the greatest, as the heap serves that first; ties by the order of the islands.
    fn cmp(&self, other: &Self) -> Ordering {
        other.clock.total_cmp(&self.clock).then(other.track.cmp(&self.track))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Islands whose clocks are behind, the furthest behind first.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue(BinaryHeap<Waiting>);

impl Queue {
    /// Nobody waits.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Lets an island wait.
    pub(super) fn push(&mut self, clock: f64, track: usize) {
        self.0.push(Waiting { clock, track });
    }

    /// The island that is furthest behind.
    pub(super) fn pop(&mut self) -> Option<usize> {
        self.0.pop().map(|waiting| waiting.track)
    }
}
