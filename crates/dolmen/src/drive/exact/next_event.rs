//! Advances to the next event.

use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Stop;

impl Simulation {
    /// Advances to time `t`, or to the first earlier instant with an event; returns whether there was one.
    ///
    /// Stops at that instant with all its events handled, so that states are those after it. Events that were kept and
    /// not taken yet are not considered again. Where a run stops does not change results: no span is cut. `watch` is as
    /// in [`Simulation::advance_while`]; events must be kept ([`Simulation::keep_events`]).
    ///
    /// # Errors
    /// As [`Simulation::advance_while`].
    pub fn advance_to_event(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<bool, Stop> {
        self.check_time(t)?;
        let seen = self.state.log.events.len();
        let mut happened = None;
        loop {
            let next = self.state.queue.peek().map_or(f64::INFINITY, |(at, _)| at);
            if happened.is_some_and(|instant| instant < next) {
                break;
            }
            let Some(at) = self.perform_next(t, watch)? else { break };
            if self.state.log.events.len() > seen {
                happened = Some(at);
            }
        }
        self.move_to(happened.unwrap_or(t));
        Ok(self.state.log.events.len() > seen)
    }
}
