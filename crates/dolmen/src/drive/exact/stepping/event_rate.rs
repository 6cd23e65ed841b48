//! How many events in how short a time are too many. [SYSTEM, trap 15]
//!
//! Every body keeps count of the events and steps of its islands with contacts. More than a stated number of them within
//! a stated share of the body's characteristic time (that in which it moves by its own size) is a run of time steps: then what it touches takes one
//! step of an implicit scheme over all contacts (`aggregate`), short at first, and longer from run of time steps to run of time steps as long as
//! these follow on each other.

use crate::drive::exact::event_rate::EventCounter;
use crate::drive::exact::event_rate::LASTING;
use crate::drive::exact::event_rate::WINDOWS;
use crate::drive::exact::simulation::Simulation;
use crate::math::Twist;
use crate::motion::Motion;
use crate::world::{BodyId, Member};

/// What is left of its event count after a run of time steps, as a share; half as much after each that follows on it, but so many events, and
/// nothing once runs of time steps of several pairs last.
const LEFT: f64 = 0.2;
const FEWEST: f64 = 4.0;

/// The share of it that several pairs have for events in a trial whether a run of time steps is over; for steps, and of one pair, it is as
/// much as after a run of time steps.
const TRIAL: f64 = 0.05;

/// What a collision of bodies in flight counts, beside an event of bodies that rest on each other.
const LIGHT: f64 = 0.02;

/// What a step of bodies that rest on each other counts: where there are many, equations are stiff or singular.
const STEP: f64 = 6.0;

/// A step of an island with slow slips counts only where it is shorter than this share of the characteristic time: it costs more, but goes far.
const FAR: f64 = 1e-3;

/// With so many contacts a step counts twice.
const MANY: f64 = 8.0;

/// What an event of more than one pair counts besides: one rattles on and on between two others, where the bounces of a pair by
/// itself end.
const SEVERAL: f64 = 1.5;

/// A run of time steps follows on another if it comes within this many of its steps, or, in a pile, within this share of the characteristic time.
const FOLLOWS: f64 = 10.0;
const FOLLOWS_IN_PILE: f64 = 0.1;

/// How much larger than the square of its length the error of a step may be, by the characteristic time of the bodies.
const STEPPED: f64 = 10.0;

/// The largest share of the velocity scale that a step may leave of what should be none: that of its impulses.
const MOST_STEPPED: f64 = 1e-6;

/// The longest step, by the characteristic time of the bodies.
const LONGEST: f64 = 1e-4;

/// As many times longer it becomes with every so many runs of time steps of one pair that follow on each other; with every one of several
/// pairs, and the more so the more take part; up to a bound.
const GROWS: f64 = 4.0;
const MOST_LONGEST: f64 = 50.0;

/// With more pairs than this the bound is so many times larger as they are more, at most.
const PILE: f64 = 16.0;
const MOST_IN_PILE: f64 = 8.0;

/// So few pairs are tried without time steps after ever longer runs of time steps, the last twice as long as the one before.
pub(crate) const FEW: usize = 48;

/// The first try is after so many runs of time steps that followed on each other; whether bodies that hardly move have come to rest is tried
/// every so many.
const TRIES: u32 = 8;

/// Bodies hardly move that are slower than this share of what they would be falling by their size, and stand still below this.
const HARDLY: f64 = 1e-3;
pub(crate) const STILL: f64 = 1e-9;

/// How much more steps count with so many contacts: as their cost grows.
fn weight_of_contacts(contacts: usize) -> f64 {
    let many = contacts as f64 / MANY;
    1.0 + many * many
}

/// How much more events count with so many pairs: they are the more frequent, too.
fn weight_of_pairs(pairs: usize) -> f64 {
    let many = pairs as f64 / MANY;
    let several = if pairs > 1 { SEVERAL } else { 0.0 };
    weight_of_contacts(pairs) + several + 0.5 * many * many * many * many
}

/// The same of bodies that joints hold together: each joint up to a number counts as a contact, where there are any.
fn cost_with_joints(contacts: usize, joints: usize) -> f64 {
    if contacts == 0 {
        weight_of_contacts(0)
    } else {
        weight_of_contacts(contacts + joints.min(MANY as usize))
    }
}

impl Simulation {
    /// The time in which a body moves by its own size, s.
    fn characteristic_time(&self, body: u32, twist: &Twist) -> f64 {
        // What has no shape has the size of its joints.
        let arm = self.scratch.island.articulation_index.arm(body);
        let radius = self.state.detection.collider(body).map_or(arm, |collider| collider.radius);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let own = radius / (speed + (self.world.gravity().length() * radius).sqrt());
        if own.is_finite() { own } else { 0.0 }
    }

    /// Takes note of an event of all bodies of the cluster, in the states that they have at `t`.
    pub(crate) fn count_event(&mut self, t: f64) {
        let is_active = |body: &u32| {
            self.state.places[*body as usize]
                .is_some_and(|(track, _)| self.state.tracks[track].active.is_some())
        };
        let active = self.scratch.cluster.bodies.iter().any(is_active);
        let joints: usize =
            self.cluster_tracks().iter().map(|k| self.state.tracks[*k].island.joints.len()).sum();
        let pairs = self.scratch.cluster.pairs.len();
        let weights = if active {
            (cost_with_joints(pairs, joints), weight_of_pairs(pairs + self.joint_friction_rows(pairs)))
        } else {
            (LIGHT, LIGHT)
        };
        for i in 0..self.scratch.cluster.bodies.len() {
            let body = self.scratch.cluster.bodies[i];
            let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
            let twist = self.state.states.bodies[body as usize].twist(inertia);
            let characteristic_time = self.characteristic_time(body, &twist);
            self.state.event_counters[body as usize].count(t, characteristic_time, weights);
        }
    }

    /// Rows of the cluster's joints whose friction grows with their reactions, beside several pairs, up to a number: with each of
    /// them an event is solved again and again.
    fn joint_friction_rows(&self, pairs: usize) -> usize {
        if pairs <= 1 {
            return 0;
        }
        let articulations = &self.scratch.island.constraints.articulations;
        let rows = |k: usize| {
            (0..articulations[k].rows.len()).filter(|row| articulations[k].is_pressed(*row)).count()
        };
        let of = |k: &usize| {
            let articulation_index =
                self.scratch.island.articulation_index.of_island(&self.state.tracks[*k].island);
            articulation_index.map(rows).sum::<usize>()
        };
        self.cluster_tracks().iter().map(of).sum::<usize>().min(MANY as usize)
    }

    /// Takes note of a step of an island with contacts.
    pub(crate) fn count_step(&mut self, t: f64, track: usize) {
        let contacts = self.state.tracks[track].active.as_ref().map_or(0, |active| active.constraints.len());
        // Who wants everything integrated has said that it may cost.
        let contacts = if self.scratch.island.constraints.integrates_all { 0 } else { contacts };
        let track_stepped = &self.state.tracks[track];
        let stiff_step = match track_stepped.span_start() {
            Some(from) if track_stepped.is_stiff() => t - from,
            _ => 0.0,
        };
        let weight = STEP * cost_with_joints(contacts, self.state.tracks[track].island.joints.len());
        for k in 0..self.state.tracks[track].island.bodies.len() {
            let body = self.state.tracks[track].island.bodies[k].index() as u32;
            let Some(motion) = self.state.tracks[track].motion(k) else { continue };
            let characteristic_time = self.characteristic_time(body, &motion.twist(t));
            if stiff_step > FAR * characteristic_time {
                continue;
            }
            // Many contacts may well move smoothly together for long.
            self.state.event_counters[body as usize].count(t, characteristic_time, (weight, 0.0));
        }
    }

    /// The time in which a body that forces move moves by its own size, as of its last event, s.
    pub(crate) fn characteristic_time_of(&self, body: u32) -> f64 {
        let own = self.state.event_counters[body as usize].characteristic_time;
        if own > 0.0 { own } else { f64::INFINITY }
    }

    /// The shortest of these times on a track.
    pub(crate) fn shortest_characteristic_time(&self, track: usize) -> f64 {
        let bodies = self.state.tracks[track].island.bodies.iter();
        bodies.map(|id| self.characteristic_time_of(id.index() as u32)).fold(f64::INFINITY, f64::min)
    }

    /// Whether one of these bodies has had too many events.
    pub(crate) fn exceeds_event_rate(&self, bodies: &[u32]) -> bool {
        bodies.iter().any(|body| {
            self.state.places[*body as usize].is_some()
                && self.state.event_counters[*body as usize].exceeds_limit()
        })
    }

    /// Whether time steps of a body of the cluster have followed on each other for a while.
    pub(crate) fn steps_last(&self) -> bool {
        self.scratch
            .cluster
            .bodies
            .iter()
            .any(|body| self.state.event_counters[*body as usize].steps_in_pile >= LASTING)
    }

    /// Whether it is time, after many steps, to see whether the run of time steps is over: bodies are few, or hardly move and may have come
    /// to rest. Then they have some of their event count again, so that a run of time steps that is not over ends the trial.
    pub(crate) fn tries_smooth_motion(&mut self, t: f64) -> bool {
        if !self.may_be_smooth(t) {
            return false;
        }
        let are_several = self.scratch.cluster.pairs.len() > 1;
        let left = |share: f64| if share == 1.0 && are_several { TRIAL } else { LEFT };
        for body in &self.scratch.cluster.bodies {
            let event_counters = &mut self.state.event_counters[*body as usize];
            event_counters.steps_in_pile += 1;
            event_counters.windows = WINDOWS.map(|(share, most)| (t, (1.0 - left(share)) * most));
        }
        true
    }

    /// Who has left a pile has some of his event count again, and begins with short steps if he loses it.
    pub(crate) fn renew_counters(&mut self, t: f64, members: &[Member]) {
        for member in members {
            let Member::Body(id) = member else { continue };
            let event_counters = &mut self.state.event_counters[id.index()];
            (event_counters.steps_in_row, event_counters.steps_in_pile) = (0, 0);
            event_counters.windows = WINDOWS.map(|(_, most)| (t, (1.0 - LEFT) * most));
        }
    }

    fn may_be_smooth(&self, t: f64) -> bool {
        // Bodies of one pile have come to it one after the other: the longest in it counts.
        let steps_in_row = self
            .scratch
            .cluster
            .bodies
            .iter()
            .map(|body| self.state.event_counters[*body as usize].steps_in_pile)
            .max();
        let steps_in_row = steps_in_row.unwrap_or(0);
        if self.scratch.cluster.pairs.len() <= FEW && steps_in_row >= TRIES && steps_in_row.is_power_of_two()
        {
            return true;
        }
        // What still moves a little is no rest yet, and a trial of many costs as much as dozens of steps.
        let slower = if steps_in_row % (TRIES * TRIES) == TRIES - 1 { HARDLY } else { STILL };
        steps_in_row % TRIES == TRIES - 1 && self.speed_ratio(t) < slower
    }

    /// Whether nobody in the cluster moves to speak of.
    pub(crate) fn is_slow(&self) -> bool {
        self.scratch.cluster.speed_ratio < HARDLY
    }

    /// The speed of the fastest of the cluster, by what each would be falling by its size.
    pub(crate) fn speed_ratio(&self, t: f64) -> f64 {
        self.scratch.cluster.bodies.iter().map(|body| self.speed_ratio_of(t, *body)).fold(0.0, f64::max)
    }

    /// The speed of a body by what it would be falling by its size; infinite where it would not.
    pub(crate) fn speed_ratio_of(&self, t: f64, body: u32) -> f64 {
        let radius = self.state.detection.collider(body).map_or(0.0, |collider| collider.radius);
        let (_, twist) = self.pose_and_twist(t, body);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let fall = (self.world.gravity().length() * radius).sqrt();
        if fall > 0.0 { speed / fall } else { f64::INFINITY }
    }

    /// Whether a run of time steps at `t` follows on the last one of a body.
    fn follows(&self, event_counters: &EventCounter, t: f64) -> bool {
        let is_pile = self.scratch.cluster.pairs.len() as f64 > MANY;
        let steps_in_pile = if is_pile { FOLLOWS_IN_PILE * event_counters.characteristic_time } else { 0.0 };
        t <= event_counters.ended + (FOLLOWS * event_counters.step).max(steps_in_pile)
    }

    /// How long a step the bodies of the cluster are to take at `t`, s: so short that its error is within the tolerance, or
    /// twice the last where runs of time steps follow on each other.
    pub(crate) fn time_step_length(&self, t: f64) -> f64 {
        let own = self
            .scratch
            .cluster
            .bodies
            .iter()
            .map(|body| self.state.event_counters[*body as usize].characteristic_time);
        let own = own.filter(|own| *own > 0.0);
        let own = own.fold(f64::INFINITY, f64::min);
        let own = if own.is_finite() { own } else { 1.0 };
        // An implicit step is of first order: its own error is the square of its length.
        let first = self.world.settings().integrator.relative.sqrt() * own;
        let mut step = first;
        let follows = |body: &&u32| self.follows(&self.state.event_counters[**body as usize], t);
        for body in self.scratch.cluster.bodies.iter().filter(follows) {
            step = step.max(2.0 * self.state.event_counters[*body as usize].step);
        }
        // The longer runs of time steps go on, the longer steps may become.
        let steps_in_row = self
            .scratch
            .cluster
            .bodies
            .iter()
            .map(|body| self.state.event_counters[*body as usize].steps_in_pile)
            .max();
        let pairs = self.scratch.cluster.pairs.len();
        let sooner = if pairs > 1 { (pairs as f64 / MANY).max(1.0) } else { 1.0 / GROWS };
        let grown: f64 = 1.0 + f64::from(steps_in_row.unwrap_or(0)) * sooner;
        let most = MOST_LONGEST * (pairs as f64 / PILE).clamp(1.0, MOST_IN_PILE);
        let longest = LONGEST * grown.min(most);
        step.min((longest * own).max(first)).max(4.0 * f64::EPSILON * t.abs())
    }

    /// The share of the velocity scale that a time step leaves of speeds that should be none, for a pair
    /// at the end of one: its error, of second order in the length of the step.
    pub(crate) fn stepped_speed(&self, t: f64, bodies: [u32; 2]) -> f64 {
        let of = |body: u32| {
            let event_counters = &self.state.event_counters[body as usize];
            let part = if t == event_counters.ended && event_counters.characteristic_time > 0.0 {
                event_counters.step / event_counters.characteristic_time
            } else {
                0.0
            };
            (STEPPED * part * part).min(MOST_STEPPED)
        };
        of(bodies[0]).max(of(bodies[1]))
    }

    /// Takes note of a time step.
    pub(crate) fn restart_counters(&mut self, (t, until): (f64, f64)) {
        let are_several = self.scratch.cluster.pairs.len() > 1;
        for body in &self.scratch.cluster.bodies {
            let follows = self.follows(&self.state.event_counters[*body as usize], t);
            let event_counters = &mut self.state.event_counters[*body as usize];
            let at_once = t <= event_counters.ended + FOLLOWS * event_counters.step;
            event_counters.steps_in_row = if at_once { event_counters.steps_in_row + 1 } else { 0 };
            event_counters.steps_in_pile = if follows { event_counters.steps_in_pile + 1 } else { 0 };
            let left = |steps_in_row: u32| LEFT / f64::from(1_u32 << steps_in_row.min(16));
            let (left, left_in_pile) =
                (left(event_counters.steps_in_row), left(event_counters.steps_in_pile));
            (event_counters.step, event_counters.ended) = (until - t, until);
            for ((since, counted), (share, most)) in event_counters.windows.iter_mut().zip(WINDOWS) {
                let left = if share < 1.0 { left } else { left_in_pile };
                let lasts = share == 1.0 && are_several && event_counters.steps_in_pile >= LASTING;
                let fewest = if lasts { 0.0 } else { FEWEST };
                (*since, *counted) = (until, most - (left * most).max(fewest));
            }
        }
    }
}
