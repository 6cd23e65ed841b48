//! The event queue: tasks in the order of time.
//!
//! In come tasks with the time at which they are due; out goes the earliest, ties by kind and then by the rank of the bodies. A task
//! that a change of motion has overtaken stays until it is due: who takes it asks whether it is void.

use serde::{Deserialize, Serialize};

/// A task at an instant. The order of the variants is the order at equal times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Two bodies touch, if neither has changed its motion since that was found.
    Contact { bodies: [u32; 2], versions: [u32; 2] },
    /// The search for the contact of two bodies continues: it reached no further.
    Search { bodies: [u32; 2], versions: [u32; 2] },
    /// The modes of the contacts of an island end.
    Guard { track: u32, version: u32 },
    /// The fat AABB of a body expires.
    Refit { body: u32, version: u32 },
    /// The span of an island ends.
    Step { track: u32, version: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The time as an integer of the same order.
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

/// Tasks by time. Stale ones stay until they are due, or until they are too many.
///
/// With many bodies memory access dominates the cost, and a heap of a hundred thousand tasks touches a dozen distant
/// places for each task taken. So only the nearest tasks are in a heap, with four children for each entry; later ones
/// wait unsorted in slots of equal duration, and those after the last slot all together. A slot becomes the heap when
/// all before it is done. The order of tasks does not depend on the slots. [Brown 1988]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct EventQueue {
    /// The nearest: all tasks in slots before `next`.
    heap: Vec<Entry>,
    slots: Vec<Vec<Entry>>,
    /// The first slot that is not in the heap.
    next: usize,
    /// When the first slot begins, s, and the slots per second; all tasks are in the heap if that is 0.
    start: f64,
    per_second: f64,
    /// After the last slot.
    later: Vec<Entry>,
    /// The number of tasks, and how many were left after the last clearing: the next clearing is at twice as many.
    count: usize,
    kept: usize,
    /// The heap may hold so many alone before slots are made.
    most: usize,
}

/// Fewer entries than this are never worth clearing.
const MIN_TO_CLEAR: usize = 1024;

/// So many fit into the cache, and need no slots.
const MIN_TO_SLOT: usize = 4096;

/// Tasks of a slot when it is made. More are added before its turn; tried on a gas of hard spheres, 4 and 32 cost the
/// same.
const TASKS_PER_SLOT: usize = 8;

/// Children of each entry of the heap.
const CHILDREN: usize = 4;

impl EventQueue {
    /// Adds a task; one at infinity is never due.
    pub(crate) fn add(&mut self, t: f64, task: Task) {
        if t == f64::INFINITY {
            return;
        }
        self.count += 1;
        self.put(Entry::new(t, task));
        if self.heap.len() > self.most.max(MIN_TO_SLOT) && self.per_second == 0.0 {
            self.later.append(&mut self.heap);
            self.make_slots();
        }
        self.bring_near();
    }

    /// The next task, without taking it.
    pub(crate) fn peek(&self) -> Option<(f64, Task)> {
        self.heap.first().map(|entry| (entry.time(), entry.task))
    }

    /// Takes the next task.
    pub(crate) fn pop(&mut self) -> Option<(f64, Task)> {
        if self.heap.is_empty() {
            return None;
        }
        let first = self.heap.swap_remove(0);
        self.count -= 1;
        self.sink(0);
        self.bring_near();
        Some((first.time(), first.task))
    }

    /// That its parts agree, and that every task is due at `t` or later and `exists`: one that was read from a file need not be so.
    pub(crate) fn check(&self, t: f64, exists: impl Fn(&Task) -> bool) -> Result<(), &'static str> {
        let Some(done) = self.slots.get(..self.next) else { return Err("its event queue has too few slots") };
        let entries = || self.slots.iter().chain([&self.heap, &self.later]);
        if done.iter().any(|slot| !slot.is_empty()) || entries().map(Vec::len).sum::<usize>() != self.count {
            return Err("its event queue has another number of tasks");
        }
        // A task that is not in the heap comes after all that are.
        if self.heap.is_empty() && self.count > 0 || self.kept.max(self.most) > isize::MAX as usize / 2 {
            return Err("the parts of its event queue do not agree");
        }
        let is_sound = |entry: &Entry| entry.time() >= t && entry.time().is_finite() && exists(&entry.task);
        if entries().flatten().all(is_sound) {
            Ok(())
        } else {
            Err("a task of its event queue cannot be done")
        }
    }

    /// All tasks with their times, in no order.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = (f64, Task)> {
        let entries = self.slots.iter().chain([&self.heap, &self.later]).flatten();
        entries.map(|entry| (entry.time(), entry.task))
    }

    /// Drops stale tasks, when there may be many.
    pub(crate) fn tidy(&mut self, is_void: impl Fn(&Task) -> bool) {
        if self.count <= MIN_TO_CLEAR.max(2 * self.kept) {
            return;
        }
        for entries in self.slots.iter_mut().chain([&mut self.heap, &mut self.later]) {
            entries.retain(|entry| !is_void(&entry.task));
        }
        self.kept = self.heap.len() + self.later.len() + self.slots.iter().map(Vec::len).sum::<usize>();
        self.count = self.kept;
        self.order();
        self.bring_near();
    }

    /// Puts an entry into the heap, its slot, or behind the last slot.
    fn put(&mut self, entry: Entry) {
        // Monotonic in time, so a later task never comes before an earlier one; before the start it is 0.
        let slot = ((entry.time() - self.start) * self.per_second) as usize;
        if slot < self.next || self.per_second == 0.0 {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1);
        } else if let Some(entries) = self.slots.get_mut(slot) {
            entries.push(entry);
        } else {
            self.later.push(entry);
        }
    }

    /// Fills the heap from the next slot, if it is empty.
    fn bring_near(&mut self) {
        while self.heap.is_empty() && self.count > 0 {
            if self.next < self.slots.len() {
                std::mem::swap(&mut self.heap, &mut self.slots[self.next]);
                self.next += 1;
                self.order();
            } else {
                self.make_slots();
            }
        }
    }

    /// Spreads the nearer half of the later tasks over slots, all of which are empty.
    fn make_slots(&mut self) {
        let half = self.later.len() / 2;
        let first = self.later.iter().map(|entry| entry.due).min().unwrap_or_default();
        let (_, middle, _) = self.later.select_nth_unstable_by_key(half, |entry| entry.due);
        let (start, end) = (Entry { due: first, ..*middle }.time(), middle.time());
        let per_second = (half / TASKS_PER_SLOT) as f64 / (end - start);
        (self.start, self.per_second, self.next) = (start, 0.0, 0);
        // All at one instant, or too far apart for numbers: there is nothing to spread.
        let may_spread = per_second.is_finite() && per_second > 0.0 && (per_second * end).is_finite();
        if self.later.len() <= MIN_TO_SLOT || !may_spread {
            self.most = 2 * self.later.len();
            self.heap.append(&mut self.later);
            self.order();
            return;
        }
        self.per_second = per_second;
        self.slots.resize_with(self.slots.len().max(half / TASKS_PER_SLOT), Vec::new);
        let mut entries = std::mem::take(&mut self.later);
        for entry in entries.drain(..) {
            self.put(entry);
        }
        // What was later is in a buffer of its own by now: the larger one is kept.
        if self.later.capacity() < entries.capacity() {
            entries.append(&mut self.later);
            self.later = entries;
        }
    }

    /// Restores the heap order.
    fn order(&mut self) {
        for at in (0..self.heap.len().div_ceil(CHILDREN)).rev() {
            self.sink(at);
        }
    }

    /// Moves an entry up to its place.
    fn rise(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let above = (at - 1) / CHILDREN;
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
            let first = CHILDREN * at + 1;
            let Some(mut next) = self.heap.get(first) else { break };
            let mut place = first;
            for (k, other) in self.heap.iter().enumerate().take(first + CHILDREN).skip(first + 1) {
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

    /// Tasks come in the order of time, ties in the order of the tasks, as sorting gives; clearing keeps that.
    #[test]
    fn tasks_come_in_order() {
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 33
        };
        let mut queue = EventQueue::default();
        let mut expected = Vec::new();
        for k in 0..5000_u32 {
            // Few different times, negative ones and both zeros among them: many ties.
            let t = (next() % 300) as f64 - 20.0;
            let task = Task::Refit { body: (next() % 50) as u32, version: k };
            queue.add(t, task);
            expected.push((t, task));
        }
        queue.tidy(|task| matches!(task, Task::Refit { body, .. } if body % 3 == 0));
        expected.retain(|(_, task)| !matches!(task, Task::Refit { body, .. } if body % 3 == 0));
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let taken: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert!(taken == expected, "{} of {} tasks", taken.len(), expected.len());
    }

    /// The same while tasks come and go, due soon, late, all at once or far away, as an ordered set gives.
    #[test]
    fn tasks_come_in_order_while_others_are_added() {
        let mut random = 11_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 33
        };
        let mut queue = EventQueue::default();
        let mut expected = std::collections::BTreeSet::new();
        let mut now = 0.0;
        for k in 0..200_000_u32 {
            // Grows to 40,000 tasks, and shrinks to none.
            let grows = k < 80_000 || (k < 120_000 && k % 2 == 0);
            if grows || k % 3 == 0 {
                let ahead = match next() % 8 {
                    0 => 0.0,
                    1 => (next() % 5) as f64 * 1e-3,
                    2 => (next() % 1000) as f64 * 1e6,
                    3 if next() % 64 == 0 => 1e300,
                    _ => (next() % 100_000) as f64 * 1e-4,
                };
                let task = Task::Refit { body: (next() % 50) as u32, version: k };
                queue.add(now + ahead, task);
                expected.insert((Entry::new(now + ahead, task).due, task));
            }
            if !grows || k % 2 == 0 {
                let due = expected.pop_first();
                let taken = queue.pop();
                let sorted = taken.map(|(t, task)| (Entry::new(t, task).due, task));
                assert!(sorted == due, "after {k}: {taken:?}");
                now = taken.map_or(now, |(t, _)| t);
            }
            if k % 4096 == 0 {
                let before = queue.count;
                queue.tidy(|task| matches!(task, Task::Refit { body: 3, .. }));
                if queue.count < before {
                    expected.retain(|(_, task)| !matches!(task, Task::Refit { body: 3, .. }));
                }
            }
            assert!(queue.count == expected.len(), "{} of {} tasks", queue.count, expected.len());
        }
    }
}
