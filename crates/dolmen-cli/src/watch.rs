//! What watches a run: signals that interrupt it, and the bar that shows how far it is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use dolmen::math::work::Interrupt;
use indicatif::{ProgressBar, ProgressStyle};

/// Marks of the progress bar.
const MARKS: u64 = 1000;

/// What watches a run.
#[derive(Debug)]
pub(crate) struct Watch {
    interrupt: Interrupt,
    bar: ProgressBar,
    end: f64,
}

impl Watch {
    /// Catches Ctrl-C and requests to terminate, and shows how far a run is that ends at `end` s.
    pub(crate) fn new(quiet: bool, end: f64) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(MARKS) };
        let style =
            ProgressStyle::with_template("{bar:40} {percent:>3} %  t = {msg} s  {elapsed} (left: {eta})");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { interrupt: catch_signals(), bar, end }
    }

    /// Shows that time `t` is reached.
    pub(crate) fn show(&self, t: f64) {
        self.bar.set_position((t / self.end * MARKS as f64) as u64);
        self.bar.set_message(format!("{t:.6}"));
    }

    /// Whether the run is asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// What is raised when the run is asked to stop.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Leaves the bar where the run stopped, or takes it away when it is done.
    pub(crate) fn end(&self, is_done: bool) {
        if is_done {
            self.bar.finish_and_clear();
        } else {
            self.bar.abandon();
        }
    }
}

/// How long a task may still take when the run is asked to stop.
const TASK_TIME: Duration = Duration::from_millis(300);

/// Signals after the first that are ignored, since the run is about to end and writes what it has.
const IGNORED_SIGNALS: u32 = 3;

/// What Ctrl-C or a request to terminate raises. A run hears it within a fraction of a second; only if it does not, many signals
/// end the program at once.
pub(crate) fn catch_signals() -> Interrupt {
    let interrupt = Interrupt::new();
    let raised = interrupt.clone();
    let signals = AtomicU32::new(0);
    // If a handler cannot be set, a signal simply ends the program.
    let _ = ctrlc::set_handler(move || {
        raised.raise();
        let cut = raised.clone();
        // Most tasks are over by then, and the run ends whole; one that is not is cut short.
        thread::spawn(move || {
            thread::sleep(TASK_TIME);
            cut.cut();
        });
        if signals.fetch_add(1, Ordering::Relaxed) > IGNORED_SIGNALS {
            std::process::exit(1);
        }
    });
    interrupt
}
