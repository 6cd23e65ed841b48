//! Through time, one task after the other.

use super::agenda::Task;
use super::detection::Unsupported;
use super::motions::OnTracks;
use super::simulation::Simulation;
use super::{Reason, Stop};
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
    pub(super) fn check_time(&self, t: f64) -> Result<(), Stop> {
        if let Some(stop) = &self.stopped {
            return Err(stop.clone());
        }
        if !t.is_finite() || t < self.t {
            return Err(Stop { t: self.t, reason: Reason::Time { asked: t } });
        }
        Ok(())
    }

    /// Does the next thing that is due up to `t`; when that was, if there was one.
    pub(super) fn perform_next(
        &mut self,
        t: f64,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<f64>, Stop> {
        let Some((at, task)) = self.agenda.peek() else { return Ok(None) };
        // What meets at t has met; what ends at t need not go on yet.
        let is_due = if matches!(task, Task::Meet { .. } | Task::Mode { .. }) { at <= t } else { at < t };
        if !is_due {
            return Ok(None);
        }
        if !watch(at.max(self.t)) {
            self.move_to(at);
            return Err(Stop { t: self.t, reason: Reason::Interrupted });
        }
        self.agenda.pop();
        if let Err(stop) = self.perform(at, task) {
            self.stopped = Some(stop.clone());
            self.halt(at);
            self.move_to(at);
            return Err(stop);
        }
        Ok(Some(at))
    }

    /// Does what is due at `at`, unless it has become void.
    fn perform(&mut self, at: f64, task: Task) -> Result<(), Stop> {
        if self.detection.is_void(&task) {
            return Ok(());
        }
        match task {
            Task::Meet { bodies, .. } => self.strike(at, bodies),
            Task::Look { bodies, .. } => {
                let on = OnTracks::new(&self.world, &self.tracks, &self.place);
                let looked = self.detection.search(bodies, at, &on, &mut self.agenda);
                looked.map_err(|refused| self.refused(at, &refused))
            }
            Task::Mode { track, version } if self.tracks[track as usize].version == version => {
                let seed = self.seed_of(track as usize);
                seed.map_or(Ok(()), |seed| self.strike(at, seed))
            }
            Task::Cover { body, .. } => self.cover(&[body], at),
            Task::Step { track, version } if self.tracks[track as usize].version == version => {
                self.step(track as usize)
            }
            Task::Mode { .. } | Task::Step { .. } => Ok(()),
        }
    }

    /// One span further for an island.
    fn step(&mut self, k: usize) -> Result<(), Stop> {
        let seed = self.seed_of(k);
        if self.tracks[k].is_aggregated() && (self.leave_standing(k)? || self.let_go(k)?) {
            return Ok(());
        }
        let track = &self.tracks[k];
        let clock = track.clock();
        if let Some(seed) = seed {
            // Where a motor jumps it may be too weak from there on.
            if track.is_aggregated() || (track.is_at_jump() && self.has_rows(&track.island)) {
                return self.strike(clock, seed);
            }
            self.spend_patience_on_step(clock, k);
            if self.is_storm(&seed) {
                return self.strike_after_failure(clock, seed);
            }
        }
        let track = &mut self.tracks[k];
        let stepped = track
            .step(&self.world, &mut self.states, &mut self.buffers)
            .map_err(|error| Stop::motion(&self.world, &track.island, clock.max(self.t), error));
        match (stepped, seed) {
            (Err(stop), Some(seed)) if stop.is_passable() => return self.strike_after_failure(clock, seed),
            (Err(stop), _) => return Err(self.strained(k, stop)),
            (Ok(()), _) => {}
        }
        let track = &self.tracks[k];
        self.agenda.add(track.clock(), Task::Step { track: k as u32, version: track.version });
        self.distrust_rows(k);
        self.watch_modes(k);
        self.cover_track(k, clock)
    }

    /// Where events of an island begin to gather who takes part: a pair of its contacts, or one body twice where joints have
    /// limits, friction or motors.
    fn seed_of(&self, k: usize) -> Option<[u32; 2]> {
        let track = &self.tracks[k];
        let pair = track.held.as_ref().and_then(|held| held.pairs.first().copied());
        let alone = || track.island.bodies.first().map(|id| [id.index() as u32; 2]);
        pair.or_else(|| self.has_rows(&track.island).then(alone).flatten())
    }

    /// Covers all bodies of a track anew.
    pub(super) fn cover_track(&mut self, k: usize, t: f64) -> Result<(), Stop> {
        if self.detection.is_off() || !self.tracks[k].is_known() {
            return Ok(());
        }
        let mut bodies = std::mem::take(&mut self.covering);
        bodies.clear();
        bodies.extend(self.tracks[k].island.bodies.iter().map(|id| id.index() as u32));
        for body in &bodies {
            self.detection.forget(*body);
        }
        let covered = self.cover(&bodies, t);
        self.covering = bodies;
        covered
    }

    /// Covers bodies from `t` on, and looks whom they may touch.
    pub(super) fn cover(&mut self, bodies: &[u32], t: f64) -> Result<(), Stop> {
        let on = OnTracks::new(&self.world, &self.tracks, &self.place);
        let covered = self.detection.cover(bodies, t, &on, &mut self.agenda);
        let detection = &self.detection;
        self.agenda.tidy(|task| detection.is_void(task));
        covered.map_err(|refused| self.refused(t, &refused))
    }

    pub(super) fn refused(&self, t: f64, refused: &Unsupported) -> Stop {
        let bodies = refused.bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
        Stop { t, reason: Reason::Unsupported { bodies, pair: refused.pair } }
    }
}
