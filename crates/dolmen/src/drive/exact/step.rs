//! Through time, one task after the other.

use crate::drive::exact::detect::detection::{Searching, Unsupported};
use crate::drive::exact::detect::motions::OnTracks;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::world::BodyId;

impl Simulation {
    /// Goes on to time `t`.
    ///
    /// # Errors
    /// When `t` is not finite or lies before the present, or when the motion of an island cannot go on. In the latter case
    /// the simulation stands at the last time up to which everything is known, and stays there: asked again, it says the
    /// same.
    pub fn advance(&mut self, t: f64) -> Result<(), Stop> {
        self.advance_while(t, &mut |_| true)
    }

    /// Goes on to time `t` as long as `watch`, which is told the time reached after every step, says so.
    ///
    /// # Errors
    /// As [`Simulation::advance`]; and [`Reason::Interrupted`] when `watch` says no. Then it can go on later.
    pub fn advance_while(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<(), Stop> {
        self.check_time(t)?;
        while self.perform_next(t, watch)?.is_some() {}
        self.move_to(t);
        Ok(())
    }

    /// That it can go on, to time `t`.
    pub(crate) fn check_time(&self, t: f64) -> Result<(), Stop> {
        if let Some(stop) = &self.state.stopped {
            return Err(stop.clone());
        }
        if !t.is_finite() || t < self.state.t {
            return Err(Stop { t: self.state.t, reason: Reason::Time { asked: t } });
        }
        Ok(())
    }

    /// Does the next thing that is due up to `t`; when that was, if there was one.
    pub(crate) fn perform_next(
        &mut self,
        t: f64,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<f64>, Stop> {
        let Some((at, task)) = self.state.queue.peek() else { return Ok(None) };
        // What meets at t has met; what ends at t need not go on yet.
        let is_due = if matches!(task, Task::Contact { .. } | Task::Guard { .. }) { at <= t } else { at < t };
        if !is_due {
            return Ok(None);
        }
        if !watch(at.max(self.state.t)) {
            self.move_to(at);
            return Err(Stop { t: self.state.t, reason: Reason::Interrupted });
        }
        self.state.queue.pop();
        if let Err(stop) = self.perform(at, task) {
            self.state.stopped = Some(stop.clone());
            self.halt(at);
            self.move_to(at);
            return Err(stop);
        }
        self.remember_solver();
        Ok(Some(at))
    }

    /// Does what is due at `at`, unless it has become void.
    fn perform(&mut self, at: f64, task: Task) -> Result<(), Stop> {
        if self.state.detection.is_void(&task) {
            return Ok(());
        }
        match task {
            Task::Contact { bodies, .. } => self.handle_event(at, bodies),
            Task::Search { bodies, .. } => {
                let on = OnTracks::new(&self.world, &self.state.tracks, &self.state.places);
                let with = Searching {
                    motions: &on,
                    queue: &mut self.state.queue,
                    scratch: &mut self.scratch.detection,
                };
                let looked = self.state.detection.search(bodies, at, with);
                looked.map_err(|refused| self.refused(at, &refused))
            }
            Task::Guard { track, version } if self.state.tracks[track as usize].version == version => {
                let seed = self.seed_of(track as usize);
                seed.map_or(Ok(()), |seed| self.handle_event(at, seed))
            }
            Task::Refit { body, .. } => self.refit(&[body], at),
            Task::Step { track, version } if self.state.tracks[track as usize].version == version => {
                self.step(track as usize)
            }
            Task::Guard { .. } | Task::Step { .. } => Ok(()),
        }
    }

    /// One span further for an island.
    fn step(&mut self, k: usize) -> Result<(), Stop> {
        let seed = self.seed_of(k);
        if self.state.tracks[k].is_time_step() && (self.rest_after_step(k)? || self.split_if_apart(k)?) {
            return Ok(());
        }
        let track = &self.state.tracks[k];
        let clock = track.clock();
        if let Some(seed) = seed {
            // Where a motor jumps it may be too weak from there on.
            if track.is_time_step() || (track.is_at_jump() && self.has_rows(&track.island)) {
                return self.handle_event(clock, seed);
            }
            self.count_step(clock, k);
            if self.exceeds_event_rate(&seed) {
                return self.step_after_failure(clock, seed);
            }
        }
        let track = &mut self.state.tracks[k];
        let stepped = track
            .step(
                &self.world,
                &mut self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            )
            .map_err(|error| Stop::motion(&self.world, &track.island, clock.max(self.state.t), error));
        match (stepped, seed) {
            (Err(stop), Some(seed)) if stop.is_passable() => return self.step_after_failure(clock, seed),
            (Err(stop), _) => return Err(self.strained(k, stop)),
            (Ok(()), _) => {}
        }
        let track = &self.state.tracks[k];
        self.state.queue.add(track.clock(), Task::Step { track: k as u32, version: track.version });
        self.distrust_rows(k);
        self.watch_modes(k);
        self.refit_track(k, clock)
    }

    /// Where events of an island begin to gather who takes part: a pair of its contacts, or one body twice where joints have
    /// limits, friction or motors.
    fn seed_of(&self, k: usize) -> Option<[u32; 2]> {
        let track = &self.state.tracks[k];
        let pair = track.active.as_ref().and_then(|active| active.pairs.first().copied());
        let alone = || track.island.bodies.first().map(|id| [id.index() as u32; 2]);
        pair.or_else(|| self.has_rows(&track.island).then(alone).flatten())
    }

    /// Covers all bodies of a track anew.
    pub(crate) fn refit_track(&mut self, k: usize, t: f64) -> Result<(), Stop> {
        if self.state.detection.is_off() || !self.state.tracks[k].is_known() {
            return Ok(());
        }
        let mut bodies = std::mem::take(&mut self.scratch.refitting);
        bodies.clear();
        bodies.extend(self.state.tracks[k].island.bodies.iter().map(|id| id.index() as u32));
        for body in &bodies {
            self.state.detection.forget(*body);
        }
        let refitted = self.refit(&bodies, t);
        self.scratch.refitting = bodies;
        refitted
    }

    /// Covers bodies from `t` on, and looks whom they may touch.
    pub(crate) fn refit(&mut self, bodies: &[u32], t: f64) -> Result<(), Stop> {
        let on = OnTracks::new(&self.world, &self.state.tracks, &self.state.places);
        let with =
            Searching { motions: &on, queue: &mut self.state.queue, scratch: &mut self.scratch.detection };
        let refitted = self.state.detection.refit(bodies, t, with);
        let detection = &self.state.detection;
        self.state.queue.tidy(|task| detection.is_void(task));
        refitted.map_err(|refused| self.refused(t, &refused))
    }

    pub(crate) fn refused(&self, t: f64, refused: &Unsupported) -> Stop {
        let bodies = refused.bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
        Stop { t, reason: Reason::Unsupported { bodies, pair: refused.pair } }
    }
}
