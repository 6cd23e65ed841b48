//! Runs of the command `dolmen` as a process of its own, with a limit of CPU time.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// What a process that was asked to end is given.
const GRACE: Duration = Duration::from_secs(2);

/// A process may wait for others: so much wall time for its CPU time.
const WALL_BY_CPU: f64 = 10.0;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that nobody here sent.
    Signal,
    /// It ran into the limit and ended when asked to.
    Limit,
    /// It ran into the limit and did not end when asked to.
    Deaf,
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How.
    pub end: End,
    /// What it said on standard error, at most some kilobytes.
    pub message: String,
    /// CPU time, as far as it was seen, s.
    pub cpu: f64,
}

/// The command, and what a run may cost.
#[derive(Debug, Clone)]
pub struct Dolmen {
    /// The program.
    pub program: PathBuf,
    /// CPU time, s.
    pub limit: f64,
}

impl Dolmen {
    /// `dolmen run SCENE --out FOLDER`, with more arguments.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn run(&self, scene: &Path, out: &Path, more: &[&str]) -> Result<Ended, String> {
        let mut command = Command::new(&self.program);
        command.arg("run").arg(scene).arg("--out").arg(out).arg("--quiet").args(more);
        self.finish(&mut command)
    }

    /// `dolmen run --resume FOLDER`.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn resume(&self, out: &Path) -> Result<Ended, String> {
        let mut command = Command::new(&self.program);
        command.arg("run").arg("--resume").arg(out).arg("--quiet");
        self.finish(&mut command)
    }

    /// Starts a run and kills it some time after it has begun to write, if it is not done by then; whether it was killed.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn kill(&self, scene: &Path, out: &Path, more: &[&str], after: Duration) -> Result<bool, String> {
        let mut command = Command::new(&self.program);
        command.arg("run").arg(scene).arg("--out").arg(out).arg("--quiet").args(more);
        let mut child = self.start(&mut command)?;
        let begin = Instant::now();
        while !out.join("summary.json").exists()
            && begin.elapsed().as_secs_f64() < self.limit
            && child.try_wait().map_err(|error| error.to_string())?.is_none()
        {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(after);
        let is_done = child.try_wait().map_err(|error| error.to_string())?.is_some();
        // A process that has ended meanwhile cannot be killed, and need not be.
        let _ = child.kill();
        child.wait().map_err(|error| error.to_string())?;
        Ok(!is_done)
    }

    fn start(&self, command: &mut Command) -> Result<Child, String> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|error| format!("cannot start {}: {error}", self.program.display()))
    }

    fn finish(&self, command: &mut Command) -> Result<Ended, String> {
        let mut child = self.start(command)?;
        // A pipe that nobody reads would stop a process that says much.
        let stderr = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut message = Vec::new();
            if let Some(mut stderr) = stderr {
                let _ = stderr.by_ref().take(1 << 14).read_to_end(&mut message);
                let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            }
            String::from_utf8_lossy(&message).trim().to_owned()
        });
        let (end, cpu) = self.wait(&mut child)?;
        let message = reader.join().unwrap_or_default();
        Ok(Ended { end, message, cpu })
    }

    fn wait(&self, child: &mut Child) -> Result<(End, f64), String> {
        let begin = Instant::now();
        let mut cpu = 0.0_f64;
        let mut asked: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                let end = match (asked, status.code()) {
                    (Some(_), _) => End::Limit,
                    (None, Some(code)) => End::Code(code),
                    (None, None) => End::Signal,
                };
                return Ok((end, cpu));
            }
            let wall = begin.elapsed().as_secs_f64();
            cpu = cpu_seconds(child.id()).unwrap_or(wall).max(cpu);
            match asked {
                None if cpu > self.limit || wall > WALL_BY_CPU * self.limit => {
                    asked = Some(Instant::now());
                    ask_to_end(child.id());
                }
                Some(when) if when.elapsed() > GRACE => {
                    child.kill().map_err(|error| error.to_string())?;
                    child.wait().map_err(|error| error.to_string())?;
                    return Ok((End::Deaf, cpu));
                }
                _ => thread::sleep(if wall < 0.1 { PAUSE / 5 } else { PAUSE }),
            }
        }
    }
}

/// Asks a process to end, where systems can; elsewhere it is killed when the time of grace is over.
#[cfg(unix)]
fn ask_to_end(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};

    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_to_end(_: u32) {}

#[cfg(not(unix))]
fn cpu_seconds(_: u32) -> Option<f64> {
    None
}

/// CPU time of a process so far, s, where the system has /proc.
#[cfg(unix)]
fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name of the program in brackets, which may have blanks. utime and stime are fields 14 and 15.
    let rest = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / rustix::param::clock_ticks_per_second() as f64)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64) -> Ended {
        let dolmen = Dolmen { program: PathBuf::from("sh"), limit };
        dolmen.finish(Command::new("sh").args(["-c", script])).expect("a shell")
    }

    /// Exit codes and messages come through, and a signal is one.
    #[test]
    fn ends_are_told_apart() {
        assert_eq!(shell("exit 0", 1.0).end, End::Code(0));
        let stopped = shell("echo why >&2; exit 3", 1.0);
        assert_eq!((stopped.end, stopped.message.as_str()), (End::Code(3), "why"));
        assert_eq!(shell("kill -9 $$", 1.0).end, End::Signal);
    }

    /// What runs too long is asked to end, and killed if it does not listen.
    #[test]
    fn limits_are_kept() {
        assert_eq!(shell("while :; do :; done", 0.2).end, End::Limit);
        assert_eq!(shell("trap '' TERM; while :; do :; done", 0.2).end, End::Deaf);
    }
}
