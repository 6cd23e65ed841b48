//! Who looks on while a run goes on: whoever may interrupt it, and whoever wants to know how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

/// Marks of the progress bar.
const MARKS: u64 = 1000;

/// What watches a run.
#[derive(Debug)]
pub(crate) struct Watch {
    interrupted: Arc<AtomicBool>,
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
        Self { interrupted: catch_signals(), bar, end }
    }

    /// Shows that time `t` is reached.
    pub(crate) fn show(&self, t: f64) {
        self.bar.set_position((t / self.end * MARKS as f64) as u64);
        self.bar.set_message(format!("{t:.6}"));
    }

    /// Whether the run is asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
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

/// A flag that Ctrl-C or a request to terminate raises; the second one ends the program at once.
fn catch_signals() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // If a handler cannot be set, a signal simply ends the program.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
    interrupted
}
