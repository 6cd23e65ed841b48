//! What is to be done, in the order of time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One thing to be done at an instant. The order of the variants is the order at equal times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Two bodies touch, if neither has changed its motion since that was found.
    Meet { bodies: [u32; 2], versions: [u32; 2] },
    /// Two bodies are looked at again: the search for their contact came no further.
    Look { bodies: [u32; 2], versions: [u32; 2] },
    /// The modes of the contacts of an island end.
    Mode { track: u32, version: u32 },
    /// The cover of a body ends.
    Cover { body: u32, version: u32 },
    /// The span of an island ends.
    Step { track: u32, version: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    t: f64,
    task: Task,
}

impl Eq for Entry {}

impl Ord for Entry {
    /// The earliest is the greatest, as the heap serves that first; ties by kind, then by the rank of the bodies.
    fn cmp(&self, other: &Self) -> Ordering {
        other.t.total_cmp(&self.t).then(other.task.cmp(&self.task))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Tasks by time. Those that have become void stay until they are due, or until they are too many.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda {
    heap: BinaryHeap<Entry>,
    /// Entries after the last clearing; the next comes when there are twice as many.
    kept: usize,
}

/// Fewer entries than this are never worth clearing.
const SMALL: usize = 1024;

impl Agenda {
    /// Adds a task; one at infinity is never due.
    pub(super) fn add(&mut self, t: f64, task: Task) {
        if t < f64::INFINITY {
            self.heap.push(Entry { t, task });
        }
    }

    /// The next task, without taking it.
    pub(super) fn peek(&self) -> Option<(f64, Task)> {
        self.heap.peek().map(|entry| (entry.t, entry.task))
    }

    /// Takes the next task.
    pub(super) fn pop(&mut self) -> Option<(f64, Task)> {
        self.heap.pop().map(|entry| (entry.t, entry.task))
    }

    /// Drops tasks that are void, when there may be many.
    pub(super) fn tidy(&mut self, is_void: impl Fn(&Task) -> bool) {
        if self.heap.len() > SMALL.max(4 * self.kept) {
            self.heap.retain(|entry| !is_void(&entry.task));
            self.kept = self.heap.len();
        }
    }
}
