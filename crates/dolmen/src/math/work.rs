//! How much is computed, and whether it may go on.
//!
//! Loops that can be long count their operations here and ask at every round whether to end. Two things end them: an
//! [`Interrupt`] that another thread raises, and a limit on the operations of one task, which is the same on every machine. A
//! loop that is told to end returns what it has, as if its iterations were used up; the driver asks [`end_task`] before it looks at
//! any result, and throws that one away.
//!
//! The meter belongs to the thread, and not to the arguments of some hundred functions between the driver and the innermost
//! solver. What it counts is taken into the state after every task; nothing else of it outlives one.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A request to stop, from another thread or a signal handler.
///
/// First it is raised: a run stops before its next task, complete and able to go on. Where a task is long it is then cut: loops end at
/// once, and what the task was about is lost. When to go from the one to the other is for the one who has a clock.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicU8>);

/// No request, one to stop before the next task, and one to stop in the middle of the present one.
const LEVELS: [u8; 3] = [0, 1, 2];

impl Interrupt {
    /// Not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a stop before the next task.
    pub fn raise(&self) {
        self.0.fetch_max(LEVELS[1], Ordering::Relaxed);
    }

    /// Asks for a stop at once.
    pub fn cut(&self) {
        self.0.store(LEVELS[2], Ordering::Relaxed);
    }

    /// Takes the request back.
    pub fn clear(&self) {
        self.0.store(LEVELS[0], Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) > LEVELS[0]
    }

    fn is_cut(&self) -> bool {
        self.0.load(Ordering::Relaxed) == LEVELS[2]
    }
}

/// Why a task was told to end before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// An [`Interrupt`] asked for it.
    Interrupted,
    /// It took more operations than it may.
    Limit,
}

/// What the present thread computes.
struct Meter {
    operations: Cell<u64>,
    limit: Cell<u64>,
    cut: Cell<Option<Cut>>,
    interrupt: RefCell<Option<Interrupt>>,
}

thread_local! {
    static METER: Meter = const {
        Meter {
            operations: Cell::new(0),
            limit: Cell::new(u64::MAX),
            cut: Cell::new(None),
            interrupt: RefCell::new(None),
        }
    };
}

/// Counts floating-point operations, or work that takes as long.
pub fn count(operations: u64) {
    METER.with(|meter| meter.operations.set(meter.operations.get().saturating_add(operations)));
}

/// Whether a loop is to end with what it has.
pub fn is_over() -> bool {
    METER.with(|meter| {
        if meter.cut.get().is_some() {
            return true;
        }
        let cut = if meter.operations.get() > meter.limit.get() {
            Cut::Limit
        } else if meter.interrupt.borrow().as_ref().is_some_and(Interrupt::is_cut) {
            Cut::Interrupted
        } else {
            return false;
        };
        meter.cut.set(Some(cut));
        true
    })
}

/// A task begins that may take so many operations.
pub fn begin_task(limit: u64) {
    METER.with(|meter| {
        meter.operations.set(0);
        meter.limit.set(limit);
        meter.cut.set(None);
    });
}

/// The present task may take this many operations, if that is more.
pub fn raise_limit(limit: u64) {
    METER.with(|meter| meter.limit.set(meter.limit.get().max(limit)));
}

/// The task is over: the operations that it took, and why it was cut short, if it was.
pub fn end_task() -> (u64, Option<Cut>) {
    METER.with(|meter| {
        meter.limit.set(u64::MAX);
        (meter.operations.replace(0), meter.cut.take())
    })
}

/// As long as it lives, loops of this thread hear an interrupt.
#[derive(Debug)]
pub struct Listening(Option<Interrupt>);

impl Listening {
    /// To this one, instead of any other.
    pub fn to(interrupt: &Interrupt) -> Self {
        Self(METER.with(|meter| meter.interrupt.replace(Some(interrupt.clone()))))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        METER.with(|meter| meter.interrupt.replace(self.0.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, Interrupt, Listening, begin_task, count, end_task, is_over};

    /// A loop runs until the operations of its task are used up; the next task begins anew.
    #[test]
    fn a_task_ends_at_its_limit() {
        begin_task(1000);
        let mut rounds = 0;
        while !is_over() {
            count(100);
            rounds += 1;
        }
        assert_eq!(rounds, 11);
        assert_eq!(end_task(), (1100, Some(Cut::Limit)));
        begin_task(1000);
        assert!(!is_over());
        assert_eq!(end_task(), (0, None));
    }

    /// An interrupt that cuts is heard as long as it is listened to, and stays heard until the task ends; one that is only raised
    /// does not end a task.
    #[test]
    fn an_interrupt_is_heard() {
        let interrupt = Interrupt::new();
        let listening = Listening::to(&interrupt);
        begin_task(u64::MAX);
        interrupt.raise();
        assert!(interrupt.is_raised() && !is_over());
        interrupt.cut();
        assert!(is_over());
        interrupt.clear();
        assert!(is_over(), "the results of this task are thrown away in any case");
        assert_eq!(end_task(), (0, Some(Cut::Interrupted)));
        drop(listening);
        interrupt.cut();
        begin_task(u64::MAX);
        assert!(!is_over());
    }
}
