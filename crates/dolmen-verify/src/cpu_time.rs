//! The time that the present thread has spent on a processor.

use std::time::Instant;

/// Since when.
#[derive(Debug, Clone, Copy)]
pub struct CpuTime {
    started: Instant,
    spent: Option<f64>,
}

impl CpuTime {
    /// Starts now.
    pub fn start() -> Self {
        Self { started: Instant::now(), spent: on_processor() }
    }

    /// Seconds of processor time since then; wall time on systems without it.
    pub fn seconds(&self) -> f64 {
        match (self.spent, on_processor()) {
            (Some(before), Some(now)) => now - before,
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

/// What the system has counted for this thread, to the nanosecond.
#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn on_processor() -> Option<f64> {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64)
}

#[cfg(not(target_os = "linux"))]
fn on_processor() -> Option<f64> {
    None
}
