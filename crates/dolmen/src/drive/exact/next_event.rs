//! Through time to the next thing that happens.

use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Stop;

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
