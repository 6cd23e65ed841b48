//! Work on a thread of its own, while the caller waits without the interpreter and hears signals.
//!
//! Python runs handlers of signals on its main thread, between two of its own instructions: a call that computes has to come back for
//! them. The engine cannot, in the middle of an impact of many contacts. So it works elsewhere, and the caller looks every few
//! milliseconds.

use std::any::Any;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use dolmen::math::work::Interrupt;
use pyo3::prelude::*;

use crate::errors::failed;

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(20);

/// How long a task of the engine may still take after a signal before it is cut, as the command has it.
const TASK_TIME: Duration = Duration::from_millis(300);

/// The stack of a main thread, which is what the engine has in the command.
const STACK: usize = 8 << 20;

/// What became of the work.
pub(crate) enum Ended<T> {
    /// It is done.
    Done(T),
    /// A handler of a signal raised this; the work ended where it was told to.
    Signal(PyErr),
    /// A mistake of the program: what it worked on cannot be used any more.
    Panicked(String),
}

/// Does `task`, which listens to `interrupt`.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    interrupt: &Interrupt,
    task: impl FnOnce() -> T + Send,
) -> PyResult<Ended<T>> {
    run_telling(py, interrupt, task, &Waiting { tell: |_: Python<'_>| Ok(()), cut: nothing })
}

/// What is done meanwhile.
pub(crate) struct Waiting<Tell, Cut> {
    /// Called whenever signals are looked for; what it raises ends the work as a signal does.
    pub(crate) tell: Tell,
    /// Called when the work did not end in time after this was raised.
    pub(crate) cut: Cut,
}

/// Nothing else can be cut.
pub(crate) fn nothing(_: Python<'_>, _: &PyErr) {}

/// As [`run`], with something to be done meanwhile.
pub(crate) fn run_telling<T: Send>(
    py: Python<'_>,
    interrupt: &Interrupt,
    task: impl FnOnce() -> T + Send,
    waiting_for: &Waiting<impl Fn(Python<'_>) -> PyResult<()>, impl Fn(Python<'_>, &PyErr)>,
) -> PyResult<Ended<T>> {
    thread::scope(|scope| {
        let (done, mut waiting) = mpsc::sync_channel(1);
        let work = move || {
            let result = task();
            // The other end waits until it hears this.
            let _ = done.send(());
            result
        };
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let worker = worker.map_err(|error| failed(format!("cannot start a thread: {error}")))?;
        let mut signal: Option<(PyErr, Instant)> = None;
        loop {
            if py.detach(|| has_ended(&mut waiting)) {
                break;
            }
            match &signal {
                Some((error, since)) if since.elapsed() > TASK_TIME => {
                    interrupt.cut();
                    (waiting_for.cut)(py, error);
                }
                Some(_) => {}
                None => {
                    if let Err(error) = py.check_signals().and_then(|()| (waiting_for.tell)(py)) {
                        interrupt.raise();
                        signal = Some((error, Instant::now()));
                    }
                }
            }
        }
        Ok(match (worker.join(), signal) {
            (Err(panic), _) => Ended::Panicked(text_of(panic.as_ref())),
            (Ok(_), Some((error, _))) => Ended::Signal(error),
            (Ok(result), None) => Ended::Done(result),
        })
    })
}

/// Whether the work has ended, after a short wait for it.
fn has_ended(waiting: &mut Receiver<()>) -> bool {
    !matches!(waiting.recv_timeout(POLL), Err(RecvTimeoutError::Timeout))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason is given".to_owned())
}
