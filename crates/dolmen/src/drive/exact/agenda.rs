//! What is to be done, in the order of time.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// The time as a whole number of the same order.
    due: u64,
    task: Task,
}

const SIGN: u64 = 1 << 63;

impl Entry {
    /// Positive numbers are ordered like their bits, negative ones the other way round.
    fn new(t: f64, task: Task) -> Self {
        let bits = t.to_bits();
        Self { due: if bits & SIGN == 0 { bits | SIGN } else { !bits }, task }
    }

    fn time(&self) -> f64 {
        f64::from_bits(if self.due & SIGN == 0 { !self.due } else { self.due & !SIGN })
    }
}

impl Entry {
    /// Ties by kind, then by the rank of the bodies.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        if self.due == other.due { self.task < other.task } else { self.due < other.due }
    }
}

/// Tasks by time. Those that have become void stay until they are due, or until they are too many.
///
/// A heap in which each entry has four below it: with many bodies it is memory that takes time, and this is half as deep as
/// one with two.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda {
    heap: Vec<Entry>,
    /// Entries after the last clearing; the next comes when there are twice as many.
    kept: usize,
}

/// Fewer entries than this are never worth clearing.
const SMALL: usize = 1024;

/// Entries below each.
const BELOW: usize = 4;

impl Agenda {
    /// Adds a task; one at infinity is never due.
    pub(super) fn add(&mut self, t: f64, task: Task) {
        if t < f64::INFINITY {
            self.heap.push(Entry::new(t, task));
            self.rise(self.heap.len() - 1);
        }
    }

    /// The next task, without taking it.
    pub(super) fn peek(&self) -> Option<(f64, Task)> {
        self.heap.first().map(|entry| (entry.time(), entry.task))
    }

    /// Takes the next task.
    pub(super) fn pop(&mut self) -> Option<(f64, Task)> {
        if self.heap.is_empty() {
            return None;
        }
        let first = self.heap.swap_remove(0);
        self.sink(0);
        Some((first.time(), first.task))
    }

    /// Drops tasks that are void, when there may be many.
    pub(super) fn tidy(&mut self, is_void: impl Fn(&Task) -> bool) {
        if self.heap.len() > SMALL.max(2 * self.kept) {
            self.heap.retain(|entry| !is_void(&entry.task));
            self.kept = self.heap.len();
            for at in (0..self.heap.len().div_ceil(BELOW)).rev() {
                self.sink(at);
            }
        }
    }

    /// Moves an entry up to its place.
    fn rise(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let above = (at - 1) / BELOW;
            if !entry.is_before(&self.heap[above]) {
                break;
            }
            self.heap[at] = self.heap[above];
            at = above;
        }
        self.heap[at] = entry;
    }

    /// Moves an entry down to its place.
    fn sink(&mut self, mut at: usize) {
        let Some(&entry) = self.heap.get(at) else { return };
        loop {
            let first = BELOW * at + 1;
            let Some(mut next) = self.heap.get(first) else { break };
            let mut place = first;
            for (k, other) in self.heap.iter().enumerate().take(first + BELOW).skip(first + 1) {
                if other.is_before(next) {
                    (next, place) = (other, k);
                }
            }
            if !next.is_before(&entry) {
                break;
            }
            self.heap[at] = *next;
            at = place;
        }
        self.heap[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken comes in the order of time, ties in the order of the tasks, as sorting says; clearing keeps that.
    #[test]
    fn tasks_come_in_order() {
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 33
        };
        let mut agenda = Agenda::default();
        let mut expected = Vec::new();
        for k in 0..5000_u32 {
            // Few different times, negative ones and both zeros among them: many ties.
            let t = (next() % 300) as f64 - 20.0;
            let task = Task::Cover { body: (next() % 50) as u32, version: k };
            agenda.add(t, task);
            expected.push((t, task));
        }
        agenda.tidy(|task| matches!(task, Task::Cover { body, .. } if body % 3 == 0));
        expected.retain(|(_, task)| !matches!(task, Task::Cover { body, .. } if body % 3 == 0));
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let taken: Vec<_> = std::iter::from_fn(|| agenda.pop()).collect();
        assert!(taken == expected, "{} of {} tasks", taken.len(), expected.len());
    }
}
