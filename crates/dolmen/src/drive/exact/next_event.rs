//! Through time to the next thing that happens.

use super::agenda::Task;
use super::simulation::Simulation;
use super::{Reason, Stop};

impl Simulation {
    /// Goes on to time `t`, or to the first instant on the way at which something happens; whether something did.
    ///
    /// Stands at that instant with everything of it done, so that states are those after it. Events that nobody has taken yet
    /// are not looked at again. Results do not hang on where one stops: no span is cut. `watch` is as in
    /// [`Simulation::advance_while`]; events must be kept ([`Simulation::keep_events`]).
    ///
    /// # Errors
    /// As [`Simulation::advance_while`].
    pub fn advance_to_event(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<bool, Stop> {
        if let Some(stop) = &self.stopped {
            return Err(stop.clone());
        }
        if !t.is_finite() || t < self.t {
            return Err(Stop { t: self.t, reason: Reason::Time { asked: t } });
        }
        let seen = self.log.events.len();
        let mut happened = None;
        while let Some((at, task)) = self.agenda.peek() {
            if let Some(instant) = happened.filter(|instant| *instant < at) {
                self.move_to(instant);
                return Ok(true);
            }
            let is_due = if matches!(task, Task::Meet { .. } | Task::Mode { .. }) { at <= t } else { at < t };
            if !is_due {
                break;
            }
            if !watch(at.max(self.t)) {
                self.move_to(at);
                return Err(Stop { t: self.t, reason: Reason::Interrupted });
            }
            self.agenda.pop();
            if let Err(stop) = self.perform(at, task) {
                self.stopped = Some(stop.clone());
                self.move_to(at);
                return Err(stop);
            }
            if self.log.events.len() > seen {
                happened = Some(at);
            }
        }
        self.move_to(happened.unwrap_or(t));
        Ok(self.log.events.len() > seen)
    }
}
