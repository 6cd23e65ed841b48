//! One step of the exact driver: the next task of the event queue.
//!
//! ```text
//! task ← the earliest of the event queue; ties by kind, then by the rank of the bodies                        Queue
//!
//! a fat AABB ends (Refit):      a new one around all that its body can reach; search the pairs it meets       Detect
//! a search came no further (Search):                                                        go on with it    Detect
//! a span ends (Step):           one step of the integrator of its island, none across a jump of a force       Integrate
//!                               when, along the new span, does a guard of its modes fail?  → Guard            Guards
//!
//! two bodies touch (Contact), or modes end (Guard):
//!     x⁻ ← the states of all that touch these bodies, directly or through others that can move                Gather
//!     contacts ← points and normals of all pairs among them; ghost contacts left out                          Contacts
//!     too many events in the characteristic time, or an overlap: one time step over all of them               TimeStep
//!     x⁺ ← x⁻ + M⁻¹Jᵀp, with the impulses p of the law of impact; losses booked, events logged                Impact
//!     contacts that persist: modes and forces, one complementarity problem at acceleration level              Modes
//!     islands: what forces and active contacts couple; each from x⁺ on in flight, at rest, or integrated      Modes
//! ```
//!
//! A task that a change of motion has overtaken is void and does nothing. The right column is the [`Stage`] that the work is
//! booked on.

use crate::drive::exact::detect::detection::Searching;
use crate::drive::exact::detect::motions::OnTracks;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::laws::progress::{self, Booking};
use crate::drive::exact::laws::residual;
use crate::drive::exact::laws::{self, Laws};
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stage::Stage;
use crate::drive::exact::state::State;
use crate::drive::exact::stop::{Reason, Stop};
use crate::math::work;
use crate::motion::Motion;
use crate::record::{ContactForce, EventSink, Sample};

impl Simulation {
    /// Does what is due at `t`, unless it has become void.
    fn perform(&mut self, t: f64, task: Task) -> Result<(), Stop> {
        if self.state.is_void(&task) {
            return Ok(());
        }
        match task {
            Task::Refit { body, .. } => self.refit(&[body], t),
            Task::Search { bodies, .. } => self.search(bodies, t),
            Task::Step { track, .. } => self.step_island(track as usize),
            Task::Contact { bodies, .. } => self.handle_event(t, bodies),
            Task::Guard { track, .. } => match self.seed_of(track as usize) {
                Some(seed) => self.handle_event(t, seed),
                None => Ok(()),
            },
        }
    }

    /// Two bodies touch at `t`, or the modes of the island of the first of them end: from x⁻ to x⁺, and on.
    ///
    /// One body twice stands for itself and all that joints hold to it.
    pub(crate) fn handle_event(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        self.profile.enter(Stage::Gather);
        self.state.prefetch(&self.world, &seed);
        self.gather(t, seed, 0.0)?;
        self.count_event(t);
        self.state.check_impact_rate(&self.world, t, seed)?;
        if self.state.exceeds_event_rate(&seed) && !self.tries_smooth_motion(t) {
            return self.step_over_all(t, seed);
        }

        self.profile.enter(Stage::Contacts);
        self.find_contacts(t, 0.0)?;
        self.pass_ghost_contacts(t)?;
        // Bodies do not leave a deep overlap by themselves: a time step begins with depenetration.
        let contacts = &self.scratch.cluster.contacts;
        if self.state.note_overlaps(contacts) || self.view().exceeds_impact_laws(t, contacts) {
            return self.step_over_all(t, seed);
        }

        self.profile.enter(Stage::Impact);
        self.impacts().collide(t)?;

        self.profile.enter(Stage::Modes);
        self.resume_after_event(t)
    }

    /// One span further for an island.
    fn step_island(&mut self, k: usize) -> Result<(), Stop> {
        self.profile.enter(Stage::Integrate);
        let seed = self.seed_of(k);
        if self.state.tracks[k].is_time_step() && (self.rest_after_step(k)? || self.split_if_apart(k)?) {
            return Ok(());
        }
        let track = &self.state.tracks[k];
        let clock = track.clock();
        let left = track.left.zip(track.active.as_deref());
        if let Some((pair, left)) = left.map(|((i, left), active)| (active.pairs[i], left)) {
            residual::accept_projection(&self.world, &mut self.state, (clock, pair), left);
        }
        let track = &self.state.tracks[k];
        if let Some(seed) = seed {
            // Where a motor jumps it may be too weak from there on.
            if track.is_time_step()
                || (track.is_at_jump() && self.scratch.island.has_rows(&self.state.joints, &track.island))
            {
                return self.handle_event(clock, seed);
            }
            self.count_step(clock, k);
            if self.state.exceeds_event_rate(&seed) {
                self.state.tracks[k].give_up_first_step(&self.world, &mut self.state.states);
                return self.step_after_failure(clock, seed);
            }
        }
        self.scratch.island.left = None;
        let track = &mut self.state.tracks[k];
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let stepped = track.step(&self.world, &mut self.state.states, workspace);
        match (stepped, seed) {
            (Err(error), Some(seed)) if error.is_too_fast() => {
                self.state.tracks[k].give_up_first_step(&self.world, &mut self.state.states);
                return self.step_after_failure(clock, seed);
            }
            (Err(error), _) => {
                let t = self.state.t;
                let stop = self.modes().explain_failed_step(k, clock.max(t), error);
                return Err(stop.at_contacts(&self.world, self.state.tracks[k].active.as_deref()));
            }
            (Ok(()), _) => {}
        }
        let track = &self.state.tracks[k];
        self.state.queue.add(track.clock(), Task::Step { track: k as u32, version: track.version });
        self.state.tracks[k].left = self.scratch.island.left;
        self.modes().recheck_joint_rows(k);

        self.profile.enter(Stage::Guards);
        self.modes().schedule_guards(k);
        self.refit_track(k, clock)
    }

    /// From where an event of an island gathers what takes part: a pair of its contacts, or one body twice where joints have limits,
    /// friction or motors.
    fn seed_of(&self, k: usize) -> Option<[u32; 2]> {
        let track = &self.state.tracks[k];
        let pair = track.active.as_ref().and_then(|active| active.pairs.first().copied());
        let alone = || track.island.bodies.first().map(|id| [id.index() as u32; 2]);
        pair.or_else(|| self.scratch.island.has_rows(&self.state.joints, &track.island).then(alone).flatten())
    }
}

/// Through time.
impl Simulation {
    /// Goes on to time `t`; events are kept ([`Simulation::events`]).
    ///
    /// # Errors
    /// When `t` is not finite or lies before the present, or when the motion of an island cannot go on. In the latter case
    /// the simulation stands at the last time up to which everything is known, and stays there: asked again, it says the
    /// same.
    pub fn advance(&mut self, t: f64) -> Result<(), Stop> {
        self.advance_while(t, &mut |_| true)
    }

    /// Goes on to time `t` as long as `watch`, which is told the time reached before every task, says so.
    ///
    /// # Errors
    /// As [`Simulation::advance`]; and [`Reason::Interrupted`] when `watch` says no. Then it can go on later.
    pub fn advance_while(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<(), Stop> {
        self.state.check_time(t)?;
        let _listening = self.interrupt.as_ref().map(work::Listening::to);
        while self.perform_next(t, watch)?.is_some() {}
        self.state.move_to(&self.world, t);
        Ok(())
    }

    /// As [`Simulation::advance_while`], with every event handed to `sink` in the order of time, and none kept.
    ///
    /// # Errors
    /// As [`Simulation::advance_while`]; `sink` has the events up to the stop.
    pub fn advance_into(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Stop> {
        self.state.check_time(t)?;
        let _listening = self.interrupt.as_ref().map(work::Listening::to);
        // What happened before, at the start or while nobody listened.
        self.state.log.hand_over(sink);
        self.state.laws.hand_over(sink);
        let gone = loop {
            let performed = self.perform_next(t, watch);
            self.state.log.hand_over(sink);
            self.state.laws.hand_over(sink);
            match performed {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        if gone.is_ok() {
            self.state.move_to(&self.world, t);
            self.state.log.hand_over(sink);
            self.state.laws.hand_over(sink);
        }
        gone
    }

    /// Goes on to time `t`, or to the first instant on the way at which something happens; whether something did.
    ///
    /// Stands at that instant with everything of it done, so that states are those after it. Events that were not taken yet
    /// are not looked at again. Results do not hang on where one stops: no span is cut. `watch` is as in
    /// [`Simulation::advance_while`]; events must be kept ([`Simulation::keep_events`]).
    ///
    /// # Errors
    /// As [`Simulation::advance_while`].
    pub fn advance_to_event(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<bool, Stop> {
        self.state.check_time(t)?;
        let _listening = self.interrupt.as_ref().map(work::Listening::to);
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
        self.state.move_to(&self.world, happened.unwrap_or(t));
        Ok(self.state.log.events.len() > seen)
    }

    /// Does the next task that is due up to `t`; when that was, if there was one.
    fn perform_next(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<Option<f64>, Stop> {
        let Some((at, task)) = self.state.queue.peek() else { return Ok(None) };
        // What touches at t has touched; what ends at t need not go on yet.
        let is_due = if matches!(task, Task::Contact { .. } | Task::Guard { .. }) { at <= t } else { at < t };
        if !is_due {
            return Ok(None);
        }
        let is_raised = self.interrupt.as_ref().is_some_and(work::Interrupt::is_raised);
        if is_raised || !watch(at.max(self.state.t)) {
            self.state.move_to(&self.world, at);
            return Err(Stop { t: self.state.t, reason: Reason::Interrupted });
        }
        self.profile.enter(Stage::Queue);
        self.state.queue.pop();
        work::begin_task(progress::task_limit(&self.world, &self.state, &task));
        let performed = self.perform(at, task);
        let (operations, cut) = work::end_task();
        self.profile.back_to(Stage::Queue);
        let performed = self.account_for(at, &task, (operations, cut), performed);
        if let Err(stop) = performed {
            self.state.stopped = Some(stop.clone());
            self.modes().halt(at);
            self.state.move_to(&self.world, at);
            return Err(stop);
        }
        self.remember_solver();
        Ok(Some(at))
    }
}

/// Laws and work.
impl Simulation {
    /// Books what a task took and checks laws. What a task found that was cut short is of no use, an error least of all.
    fn account_for(
        &mut self,
        t: f64,
        task: &Task,
        (operations, cut): (u64, Option<work::Cut>),
        performed: Result<(), Stop>,
    ) -> Result<(), Stop> {
        let booking = Booking { t, task, cluster: &self.scratch.cluster.bodies, operations };
        if let Some(cut) = cut {
            return Err(booking.cut_short(&self.world, cut));
        }
        performed?;
        let index = &self.scratch.island.articulation_index;
        let own = |state: &State, body: u32| {
            // On its span: states are those of the last instant that somebody asked for.
            let span = state.places[body as usize].and_then(|(k, place)| state.tracks[k].motion(place));
            let twist =
                span.map_or_else(|| state.pose_and_twist(&self.world, t, body).1, |motion| motion.twist(t));
            state.characteristic_time(&self.world, (body, index.arm(body)), &twist)
        };
        booking.book(&self.world, &mut self.state, own)?;
        self.state.laws.tasks += 1;
        if let Some(accepted) = self.state.log.take_accepted() {
            Laws { world: &self.world, state: &mut self.state }.check_accepted(accepted);
        }
        if let Some(gain) = self.state.log.end_event() {
            self.state.move_to(&self.world, t);
            Laws { world: &self.world, state: &mut self.state }.check_gain(&gain);
        }
        if !laws::is_check_due(&self.state) {
            return Ok(());
        }
        self.state.move_to(&self.world, t);
        self.check_laws()
    }

    /// Holds the present state against the laws.
    ///
    /// # Errors
    /// When a number is not finite: then it cannot go on.
    pub fn check_laws(&mut self) -> Result<(), Stop> {
        let (sample, contacts) = (self.sample(), self.contact_forces());
        self.check_laws_at(&sample, &contacts)
    }

    /// As [`Simulation::check_laws`], with what was read of the present before.
    ///
    /// # Errors
    /// As [`Simulation::check_laws`].
    pub fn check_laws_at(&mut self, sample: &Sample, contacts: &[ContactForce]) -> Result<(), Stop> {
        if let Some(what) = sample.not_finite(&self.world) {
            let stop = Stop { t: self.state.t, reason: Reason::NotFinite { what } };
            self.state.stopped = Some(stop.clone());
            return Err(stop);
        }
        Laws { world: &self.world, state: &mut self.state }.check(sample, contacts);
        Ok(())
    }
}

/// Detection, as a step asks for it.
impl Simulation {
    /// Refits the fat AABBs of all bodies of a track.
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

    /// Refits the fat AABBs of these bodies from `t` on, and searches the pairs that they may touch.
    pub(crate) fn refit(&mut self, bodies: &[u32], t: f64) -> Result<(), Stop> {
        let before = self.profile.enter(Stage::Detect);
        let on = OnTracks::new(&self.world, &self.state.tracks, &self.state.places);
        let with =
            Searching { motions: &on, queue: &mut self.state.queue, scratch: &mut self.scratch.detection };
        let refitted = self.state.detection.refit(bodies, t, with);
        let detection = &self.state.detection;
        self.state.queue.tidy(|task| detection.is_void(task));
        self.profile.back_to(before);
        refitted.map_err(|refused| Stop::unsupported(&self.world, t, refused.bodies, refused.pair))
    }

    /// Goes on with the search for the first contact of a pair.
    fn search(&mut self, bodies: [u32; 2], t: f64) -> Result<(), Stop> {
        self.profile.enter(Stage::Detect);
        let on = OnTracks::new(&self.world, &self.state.tracks, &self.state.places);
        let with =
            Searching { motions: &on, queue: &mut self.state.queue, scratch: &mut self.scratch.detection };
        let searched = self.state.detection.search(bodies, t, with);
        searched.map_err(|refused| Stop::unsupported(&self.world, t, refused.bodies, refused.pair))
    }
}

impl State {
    /// Whether a task has been overtaken by a change of motion.
    pub(crate) fn is_void(&self, task: &Task) -> bool {
        match task {
            Task::Guard { track, version } | Task::Step { track, version } => {
                self.tracks[*track as usize].version != *version
            }
            Task::Contact { .. } | Task::Search { .. } | Task::Refit { .. } => self.detection.is_void(task),
        }
    }

    /// That it can go on, to time `t`.
    pub(crate) fn check_time(&self, t: f64) -> Result<(), Stop> {
        if let Some(stop) = &self.stopped {
            return Err(stop.clone());
        }
        if !t.is_finite() || t < self.t {
            return Err(Stop { t: self.t, reason: Reason::Time { asked: t } });
        }
        Ok(())
    }
}
