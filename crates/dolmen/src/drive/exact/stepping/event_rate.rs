//! The event-rate limit: how many events in how short a time are too many. [SYSTEM, trap 15]
//!
//! Every body counts the events and integrator steps of its islands with contacts. More than a stated number within a
//! stated share of the body's characteristic time (in which it moves by its own size) exceeds the limit. Then all that
//! it touches takes one time step over all contacts (`time_step`): short at first, and longer as time steps follow each
//! other.

use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::state::event_counter::EventCounter;
use crate::drive::exact::state::event_counter::WINDOWS;
use crate::drive::exact::stepping::tolerances::{
    FEW_PAIRS, FIRST_MAX_STEP, FLIGHT_WEIGHT, FOLLOWS_STEPS, FOLLOWS_TIME, GROWTH_STEPS, MAX_GROWTH,
    MAX_PILE_GROWTH, MAX_STEP, MAX_STEP_ERROR, MIN_RENEWED, PILE_PAIRS, RENEWED_SHARE, REST_RATIO,
    SEVERAL_PAIRS_WEIGHT, SLOW_RATIO, STEP_ERROR, STEP_WEIGHT, STIFF_STEP, STRAIGHT, TRIAL_INTERVAL,
    TRIAL_SHARE, WEIGHT_CONTACTS,
};
use crate::drive::exact::tolerances::MIN_RUN;
use crate::motion::Motion;
use crate::world::World;
use crate::world::{BodyId, Member};

/// The weight of an integrator step with so many contacts: as its cost grows.
fn weight_of_contacts(contacts: usize) -> f64 {
    let many = contacts as f64 / WEIGHT_CONTACTS;
    1.0 + many * many
}

/// The weight of an event with so many pairs: such events are also more frequent.
fn weight_of_pairs(pairs: usize) -> f64 {
    let many = pairs as f64 / WEIGHT_CONTACTS;
    let several = if pairs > 1 { SEVERAL_PAIRS_WEIGHT } else { 0.0 };
    weight_of_contacts(pairs) + several + 0.5 * many * many * many * many
}

/// The same for articulated bodies: each joint, up to a number, counts as a contact where there are contacts.
fn weight_with_joints(contacts: usize, joints: usize) -> f64 {
    if contacts == 0 {
        weight_of_contacts(0)
    } else {
        weight_of_contacts(contacts + joints.min(WEIGHT_CONTACTS as usize))
    }
}

impl Simulation {
    /// Counts an event of all bodies of the cluster, in their states at `t`.
    pub(crate) fn count_event(&mut self, t: f64) {
        let is_active = |body: &u32| {
            self.state.places[*body as usize]
                .is_some_and(|(track, _)| self.state.tracks[track].active.is_some())
        };
        let active = self.scratch.cluster.bodies.iter().any(is_active);
        let joints: usize = self
            .scratch
            .cluster
            .tracks(&self.state.places)
            .iter()
            .map(|k| self.state.tracks[*k].island.joints.len())
            .sum();
        let pairs = self.scratch.cluster.pairs.len();
        let weights = if active {
            (weight_with_joints(pairs, joints), weight_of_pairs(pairs + self.joint_friction_rows(pairs)))
        } else {
            (FLIGHT_WEIGHT, FLIGHT_WEIGHT)
        };
        for i in 0..self.scratch.cluster.bodies.len() {
            let body = self.scratch.cluster.bodies[i];
            let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
            let twist = self.state.states.bodies[body as usize].twist(inertia);
            let arm = self.scratch.island.articulation_index.arm(body);
            let characteristic_time = self.state.characteristic_time(&self.world, (body, arm), &twist);
            self.state.event_counters[body as usize].count(t, characteristic_time, weights);
        }
    }

    /// The number of joint rows of the cluster whose friction grows with the joint force, beside several pairs, up to a
    /// limit: each of them makes an event iterate.
    fn joint_friction_rows(&self, pairs: usize) -> usize {
        if pairs <= 1 {
            return 0;
        }
        let articulations = &self.scratch.island.constraints.articulations;
        let rows = |k: usize| {
            (0..articulations[k].rows.len())
                .filter(|row| articulations[k].friction_grows_with_load(*row))
                .count()
        };
        let of = |k: &usize| {
            let present = self.scratch.island.articulation_index.of_island(&self.state.tracks[*k].island);
            present.map(rows).sum::<usize>()
        };
        self.scratch
            .cluster
            .tracks(&self.state.places)
            .iter()
            .map(of)
            .sum::<usize>()
            .min(WEIGHT_CONTACTS as usize)
    }

    /// Counts an integrator step of an island with contacts.
    pub(crate) fn count_step(&mut self, t: f64, track: usize) {
        let contacts = self.state.tracks[track].active.as_ref().map_or(0, |active| active.constraints.len());
        // A user who asks to integrate everything accepts the cost.
        let contacts = if self.scratch.island.constraints.integrates_all { 0 } else { contacts };
        let track_stepped = &self.state.tracks[track];
        let stiff_step = match track_stepped.span_start() {
            Some(from) if track_stepped.is_stiff() => t - from,
            _ => 0.0,
        };
        let weight = STEP_WEIGHT * weight_with_joints(contacts, self.state.tracks[track].island.joints.len());
        for k in 0..self.state.tracks[track].island.bodies.len() {
            let body = self.state.tracks[track].island.bodies[k].index() as u32;
            let Some(motion) = self.state.tracks[track].motion(k) else { continue };
            let arm = self.scratch.island.articulation_index.arm(body);
            let twist = motion.twist(t);
            let characteristic_time = self.state.characteristic_time(&self.world, (body, arm), &twist);
            if stiff_step > STIFF_STEP * characteristic_time {
                continue;
            }
            // Many contacts may move smoothly together for a long time.
            self.state.event_counters[body as usize].count(t, characteristic_time, (weight, 0.0));
        }
    }

    /// Whether time steps of a body of the cluster have followed each other for a while.
    pub(crate) fn is_in_stepping_regime(&self) -> bool {
        self.scratch
            .cluster
            .bodies
            .iter()
            .any(|body| self.state.event_counters[*body as usize].steps_in_pile >= MIN_RUN)
    }

    /// Whether, after many time steps, event-driven motion is to be tried again: pairs are few, or bodies are almost at
    /// rest. Then the counters get a part of their limit back, so that a trial that fails ends soon.
    pub(crate) fn tries_smooth_motion(&mut self, t: f64) -> bool {
        if !self.is_trial_after(0, t) {
            return false;
        }
        let are_several = self.scratch.cluster.pairs.len() > 1;
        let left = |share: f64| if share == 1.0 && are_several { TRIAL_SHARE } else { RENEWED_SHARE };
        for body in &self.scratch.cluster.bodies {
            let event_counters = &mut self.state.event_counters[*body as usize];
            event_counters.steps_in_pile += 1;
            event_counters.windows = WINDOWS.map(|(share, most)| (t, (1.0 - left(share)) * most));
        }
        true
    }

    /// Bodies that split off get a part of their limit back, and start with short time steps if they exceed it again.
    pub(crate) fn renew_counters(&mut self, t: f64, members: &[Member]) {
        for member in members {
            let Member::Body(id) = member else { continue };
            let event_counters = &mut self.state.event_counters[id.index()];
            (event_counters.steps_in_row, event_counters.steps_in_pile) = (0, 0);
            event_counters.windows = WINDOWS.map(|(_, most)| (t, (1.0 - RENEWED_SHARE) * most));
        }
    }

    /// Whether the cluster is a pile: more pairs than [`PILE_PAIRS`], and neither joints nor balls alone, which never overlap. Its time
    /// steps promise no more than [`STEP_OVERLAP`](crate::drive::exact::tolerances::STEP_OVERLAP).
    pub(crate) fn is_pile(&self) -> bool {
        self.scratch.cluster.pairs.len() as f64 > PILE_PAIRS && self.has_no_joints() && !self.goes_straight()
    }

    /// Whether no joint holds a body of the cluster.
    pub(crate) fn has_no_joints(&self) -> bool {
        let mut bodies = self.scratch.cluster.bodies.iter();
        bodies.all(|body| self.scratch.island.articulation_index.arm(*body) == 0.0)
    }

    /// Bodies join a pile one after the other: the one with the most time steps decides.
    fn steps_in_pile(&self) -> u32 {
        let bodies = self.scratch.cluster.bodies.iter();
        bodies.map(|body| self.state.event_counters[*body as usize].steps_in_pile).max().unwrap_or(0)
    }

    /// Whether the cluster may try event-driven motion after so many more time steps.
    pub(crate) fn is_trial_after(&self, more: u32, t: f64) -> bool {
        let steps_in_row = self.steps_in_pile() + more;
        if self.scratch.cluster.pairs.len() <= FEW_PAIRS
            && steps_in_row >= TRIAL_INTERVAL
            && steps_in_row.is_power_of_two()
        {
            return true;
        }
        // A body that still moves a little is not at rest, and a trial of many bodies costs as much as dozens of time
        // steps.
        let threshold = if steps_in_row % (TRIAL_INTERVAL * TRIAL_INTERVAL) == TRIAL_INTERVAL - 1 {
            SLOW_RATIO
        } else {
            REST_RATIO
        };
        steps_in_row % TRIAL_INTERVAL == TRIAL_INTERVAL - 1 && self.speed_ratio(t) < threshold
    }

    /// The largest ratio in the cluster of a body's speed to its speed after falling by its own size.
    pub(crate) fn speed_ratio(&self, t: f64) -> f64 {
        self.scratch
            .cluster
            .bodies
            .iter()
            .map(|body| self.state.speed_ratio_of(&self.world, t, *body))
            .fold(0.0, f64::max)
    }

    /// Whether a time step at `t` follows the last one of a body.
    fn follows(&self, event_counters: &EventCounter, t: f64) -> bool {
        let pairs = self.scratch.cluster.pairs.len();
        let is_free = || self.has_no_joints() && !self.goes_straight();
        let is_pile = pairs as f64 > WEIGHT_CONTACTS || (pairs > 1 && is_free());
        let steps_in_pile = if is_pile { FOLLOWS_TIME * event_counters.characteristic_time } else { 0.0 };
        t <= event_counters.ended + (FOLLOWS_STEPS * event_counters.step).max(steps_in_pile)
    }

    /// The length of the time step of the cluster at `t`, s: so short that its error is within the tolerance, or twice
    /// the last where time steps follow each other.
    pub(crate) fn time_step_length(&self, t: f64) -> f64 {
        let is_pile = self.is_pile();
        let touches = |body: &&u32| self.scratch.cluster.pairs.iter().any(|pair| pair.contains(body));
        let own = self.scratch.cluster.bodies.iter().filter(|body| !is_pile || touches(body)).map(|body| {
            if is_pile {
                self.state.turning_time(&self.world, t, *body)
            } else {
                self.state.event_counters[*body as usize].characteristic_time
            }
        });
        let own = own.filter(|own| *own > 0.0);
        let own = own.fold(f64::INFINITY, f64::min);
        let own = if own.is_finite() { own } else { 1.0 };
        // The time step is of first order: its local error is the square of its length.
        let first = self.world.settings().integrator.relative.sqrt() * own;
        let mut step = first;
        let follows = |body: &&u32| self.follows(&self.state.event_counters[**body as usize], t);
        for body in self.scratch.cluster.bodies.iter().filter(follows) {
            step = step.max(2.0 * self.state.event_counters[*body as usize].step);
        }
        // The longer the run of time steps, the longer a step may be.
        let steps_in_row = self
            .scratch
            .cluster
            .bodies
            .iter()
            .map(|body| self.state.event_counters[*body as usize].steps_in_pile)
            .max();
        let steps_in_row = steps_in_row.unwrap_or(0);
        let pairs = self.scratch.cluster.pairs.len();
        let longest = if is_pile {
            (FIRST_MAX_STEP * f64::from(1_u32 << steps_in_row.min(16))).min(MAX_STEP)
        } else {
            let growth_rate =
                if pairs > 1 { (pairs as f64 / WEIGHT_CONTACTS).max(1.0) } else { 1.0 / GROWTH_STEPS };
            let most = MAX_GROWTH * (pairs as f64 / PILE_PAIRS).clamp(1.0, MAX_PILE_GROWTH);
            FIRST_MAX_STEP * (1.0 + f64::from(steps_in_row) * growth_rate).min(most)
        };
        step.min((longest * own).max(first)).max(4.0 * f64::EPSILON * t.abs())
    }

    /// Counts a time step.
    pub(crate) fn restart_counters(&mut self, (t, until): (f64, f64)) {
        let are_several = self.scratch.cluster.pairs.len() > 1;
        for body in &self.scratch.cluster.bodies {
            let follows = self.follows(&self.state.event_counters[*body as usize], t);
            let event_counters = &mut self.state.event_counters[*body as usize];
            let at_once = t <= event_counters.ended + FOLLOWS_STEPS * event_counters.step;
            event_counters.steps_in_row = if at_once { event_counters.steps_in_row + 1 } else { 0 };
            event_counters.steps_in_pile = if follows { event_counters.steps_in_pile + 1 } else { 0 };
            let left = |steps_in_row: u32| RENEWED_SHARE / f64::from(1_u32 << steps_in_row.min(16));
            let (left, left_in_pile) =
                (left(event_counters.steps_in_row), left(event_counters.steps_in_pile));
            (event_counters.step, event_counters.ended) = (until - t, until);
            for ((since, counted), (share, most)) in event_counters.windows.iter_mut().zip(WINDOWS) {
                let left = if share < 1.0 { left } else { left_in_pile };
                let lasts = share == 1.0 && are_several && event_counters.steps_in_pile >= MIN_RUN;
                let fewest = if lasts { 0.0 } else { MIN_RENEWED };
                (*since, *counted) = (until, most - (left * most).max(fewest));
            }
        }
    }
}

impl State {
    /// The residual speed of a pair at the end of a time step, by the velocity scale: the error of the step, of second
    /// order in its length.
    pub(crate) fn stepped_speed(&self, t: f64, bodies: [u32; 2]) -> f64 {
        let of = |body: u32| {
            let event_counters = &self.event_counters[body as usize];
            let part = if t == event_counters.ended && event_counters.characteristic_time > 0.0 {
                event_counters.step / event_counters.characteristic_time
            } else {
                0.0
            };
            (STEP_ERROR * part * part).min(MAX_STEP_ERROR)
        };
        of(bodies[0]).max(of(bodies[1]))
    }

    /// The time in which a body turns by one, falls by its size, or moves by [`STRAIGHT`] times its size, s: a time step follows straight
    /// lines exactly, and only their length beside what they may meet counts.
    pub(crate) fn turning_time(&self, world: &World, t: f64, body: u32) -> f64 {
        let radius = self.detection.collider(body).map_or(0.0, |collider| collider.radius);
        let (_, twist) = self.pose_and_twist(world, t, body);
        // A ball that turns is where it was.
        let is_ball = self.detection.collider(body).is_some_and(|collider| collider.ball.is_some());
        let turned = if is_ball { 0.0 } else { twist.spin.length() * radius };
        let speed = twist.velocity.length() / STRAIGHT + turned;
        let own = radius / (speed + (world.gravity().length() * radius).sqrt());
        if own.is_finite() { own } else { 0.0 }
    }

    /// The ratio of a body's speed to its speed after falling by its own size; infinite without gravity.
    pub(crate) fn speed_ratio_of(&self, world: &World, t: f64, body: u32) -> f64 {
        let radius = self.detection.collider(body).map_or(0.0, |collider| collider.radius);
        let (_, twist) = self.pose_and_twist(world, t, body);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let fall = (world.gravity().length() * radius).sqrt();
        if fall > 0.0 { speed / fall } else { f64::INFINITY }
    }
}
