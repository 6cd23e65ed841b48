//! The time a measurement has spent on a processor.

use std::time::Instant;

/// Since when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuTime {
    started: Instant,
    spent: Option<f64>,
}

impl CpuTime {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), spent: on_processor() }
    }

    /// Seconds of processor time since then; by the clock on systems that do not tell.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.spent, on_processor()) {
            (Some(before), Some(now)) => now - before,
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

/// Linux counts it for each thread, in nanoseconds.
fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds as f64)
}
