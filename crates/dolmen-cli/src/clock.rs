//! How long a run takes: the only part of its results that differs from run to run.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// What a run has taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    /// Time on the wall, s.
    pub(crate) wall_seconds: f64,
    /// Time of all processors, s; none where the system does not tell.
    pub(crate) cpu_seconds: Option<f64>,
}

/// A clock that runs.
#[derive(Debug)]
pub(crate) struct Clock {
    started: Instant,
    cpu_at_start: Option<f64>,
    /// What earlier processes took for the same run.
    before: Timing,
}

impl Clock {
    /// Starts a clock at what was taken before.
    pub(crate) fn start(before: Timing) -> Self {
        Self { started: Instant::now(), cpu_at_start: cpu_seconds(), before }
    }

    /// All that was taken until now.
    pub(crate) fn read(&self) -> Timing {
        let here = cpu_seconds().zip(self.cpu_at_start).map(|(now, start)| now - start);
        Timing {
            wall_seconds: self.before.wall_seconds + self.started.elapsed().as_secs_f64(),
            cpu_seconds: here.map(|here| self.before.cpu_seconds.unwrap_or(0.0) + here),
        }
    }
}

/// Processor time of this process, s.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn cpu_seconds() -> Option<f64> {
    None
}
