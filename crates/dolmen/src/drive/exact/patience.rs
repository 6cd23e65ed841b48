//! How many events in how short a time are too many. [SYSTEM, trap 15]
//!
//! Every body keeps count of the events and steps of its islands with contacts. More than a stated number of them within
//! a stated share of the body's own time (that in which it moves by its own size) is a storm: then what it touches takes one
//! step of an implicit scheme over all contacts (`aggregate`), short at first, and longer from storm to storm as long as
//! these follow on each other.

use super::pace::Pace;
use super::simulation::Simulation;
use crate::math::Twist;
use crate::motion::Motion;
use crate::world::{BodyId, Member};

/// Shares of a body's own time, and how many events are too many within them; in the longest, those of crowds count more.
/// Series of bounces that end by themselves have fewer: they are closed before.
const WINDOWS: [(f64, f64); 4] = [(1e-9, 120.0), (1e-3, 3000.0), (0.1, 600.0), (1.0, 250.0)];

/// What is left of its patience after a storm, as a share; half as much after each that follows on it, but so many events, and
/// nothing once storms of several pairs last.
const LEFT: f64 = 0.2;
const FEWEST: f64 = 4.0;

/// The share of it that several pairs have for events in a trial whether a storm is over; for steps, and of one pair, it is as
/// much as after a storm.
const TRIAL: f64 = 0.05;

/// What a collision of bodies in flight counts, beside an event of bodies that rest on each other.
const LIGHT: f64 = 0.02;

/// What a step of bodies that rest on each other counts: where there are many, equations are stiff or singular.
const STEP: f64 = 6.0;

/// A step of an island with slow slips counts only where it is shorter than this share of the own time: it costs more, but goes far.
const FAR: f64 = 1e-3;

/// With so many contacts a step counts twice.
const MANY: f64 = 8.0;

/// What an event of more than one pair counts besides: one rattles on and on between two others, where the bounces of a pair by
/// itself end.
const SEVERAL: f64 = 1.5;

/// A storm follows on another if it comes within this many of its steps, or, in a crowd, within this share of the own time.
const FOLLOWS: f64 = 10.0;
const FOLLOWS_IN_CROWD: f64 = 0.1;

/// How much larger than the square of its length the error of a step may be, by the own time of the bodies.
const STEPPED: f64 = 10.0;

/// The largest share of the speeds in play that a step may leave of what should be none: that of its impulses.
const MOST_STEPPED: f64 = 1e-6;

/// The longest step, by the own time of the bodies.
const LONGEST: f64 = 1e-4;

/// As many times longer it becomes with every so many storms of one pair that follow on each other; with every one of several
/// pairs, and the more so the more take part; up to a bound.
const GROWS: f64 = 4.0;
const MOST_LONGEST: f64 = 50.0;

/// With more pairs than this the bound is so many times larger as they are more, at most.
const CROWD: f64 = 16.0;
const MOST_IN_CROWD: f64 = 8.0;

/// Storms that follow on each other last from this many on.
const LASTING: u32 = 3;

/// So few pairs are tried without steps over all contacts after ever longer storms, the last twice as long as the one before.
pub(super) const FEW: usize = 48;

/// The first try is after so many storms that followed on each other; whether bodies that hardly move have come to rest is tried
/// every so many.
const TRIES: u32 = 8;

/// Bodies hardly move that are slower than this share of what they would be falling by their size, and stand still below this.
const HARDLY: f64 = 1e-3;
pub(super) const STILL: f64 = 1e-9;

/// The count of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Patience {
    /// Since when, s, and how many.
    windows: [(f64, f64); WINDOWS.len()],
    /// The time in which it moves by its own size, at its speed or by falling, s.
    own_time: f64,
    /// The last event, s.
    last: f64,
    /// The last aggregated step, s.
    step: f64,
    /// Storms that followed on each other.
    storms: u32,
    /// The same where in a crowd they may be further apart.
    in_crowd: u32,
    /// When it ended.
    ended: f64,
    /// Hits in flight that are counted to see how fast they come.
    pub(super) pace: Pace,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            windows: [(f64::NEG_INFINITY, 0.0); WINDOWS.len()],
            own_time: 0.0,
            last: f64::NAN,
            step: 0.0,
            storms: 0,
            in_crowd: 0,
            ended: f64::NEG_INFINITY,
            pace: Pace::default(),
        }
    }
}

impl Patience {
    fn spend(&mut self, t: f64, own_time: f64, (weight, in_crowd): (f64, f64)) {
        self.own_time = own_time;
        // An event at the same instant again brings nothing forward.
        let (weight, in_crowd) = if t == self.last { (1.0, 1.0) } else { (weight, in_crowd) };
        // Nor is the end of the first steps over all contacts one of a storm that goes on.
        let is_first = t == self.ended && self.in_crowd < LASTING;
        let in_crowd = if is_first { 0.0 } else { in_crowd };
        self.last = t;
        for ((since, spent), (share, _)) in self.windows.iter_mut().zip(WINDOWS) {
            if t - *since > share * own_time {
                (*since, *spent) = (t, 0.0);
            }
            *spent += if share < 1.0 { weight } else { in_crowd };
        }
    }

    fn is_over(&self) -> bool {
        self.windows.iter().zip(&WINDOWS).any(|((_, spent), (_, most))| spent > most)
    }
}

/// How much more steps count with so many contacts: as their cost grows.
fn costly(contacts: usize) -> f64 {
    let many = contacts as f64 / MANY;
    1.0 + many * many
}

/// How much more events count with so many pairs: they are the more frequent, too.
fn crowded(pairs: usize) -> f64 {
    let many = pairs as f64 / MANY;
    let several = if pairs > 1 { SEVERAL } else { 0.0 };
    costly(pairs) + several + 0.5 * many * many * many * many
}

/// The same of bodies that joints hold together: each joint up to a number counts as a contact, where there are any.
fn costly_joined(contacts: usize, joints: usize) -> f64 {
    if contacts == 0 { costly(0) } else { costly(contacts + joints.min(MANY as usize)) }
}

impl Simulation {
    /// The time in which a body moves by its own size, s.
    fn own_time(&self, body: u32, twist: &Twist) -> f64 {
        // What has no shape has the size of its joints.
        let arm = self.buffers.linkages.arm(body);
        let radius = self.detection.collider(body).map_or(arm, |collider| collider.radius);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let own = radius / (speed + (self.world.gravity().length() * radius).sqrt());
        if own.is_finite() { own } else { 0.0 }
    }

    /// Takes note of an event of all bodies of the cluster, in the states that they have at `t`.
    pub(super) fn spend_patience(&mut self, t: f64) {
        let is_held = |body: &u32| {
            self.place[*body as usize].is_some_and(|(track, _)| self.tracks[track].held.is_some())
        };
        let held = self.cluster.bodies.iter().any(is_held);
        let joints: usize = self.cluster_tracks().iter().map(|k| self.tracks[*k].island.joints.len()).sum();
        let pairs = self.cluster.pairs.len();
        let weights = if held {
            (costly_joined(pairs, joints), crowded(pairs + self.rubbing_beside(pairs)))
        } else {
            (LIGHT, LIGHT)
        };
        for i in 0..self.cluster.bodies.len() {
            let body = self.cluster.bodies[i];
            let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
            let twist = self.states.bodies[body as usize].twist(inertia);
            let own_time = self.own_time(body, &twist);
            self.patience[body as usize].spend(t, own_time, weights);
        }
    }

    /// Rows of the cluster's joints whose friction grows with their reactions, beside several pairs, up to a number: with each of
    /// them an event is solved again and again.
    fn rubbing_beside(&self, pairs: usize) -> usize {
        if pairs <= 1 {
            return 0;
        }
        let joined = &self.buffers.bearings.joined;
        let rows = |k: usize| (0..joined[k].rows.len()).filter(|row| joined[k].is_pressed(*row)).count();
        let of = |k: &usize| {
            let linkages = self.buffers.linkages.of_island(&self.tracks[*k].island);
            linkages.map(rows).sum::<usize>()
        };
        self.cluster_tracks().iter().map(of).sum::<usize>().min(MANY as usize)
    }

    /// Takes note of a step of an island with contacts.
    pub(super) fn spend_patience_on_step(&mut self, t: f64, track: usize) {
        let contacts = self.tracks[track].held.as_ref().map_or(0, |held| held.bearings.len());
        // Who wants everything integrated has said that it may cost.
        let contacts = if self.buffers.bearings.is_thorough { 0 } else { contacts };
        let track_stepped = &self.tracks[track];
        let stiff_step = match track_stepped.span_start() {
            Some(from) if track_stepped.is_stiff() => t - from,
            _ => 0.0,
        };
        let weight = STEP * costly_joined(contacts, self.tracks[track].island.joints.len());
        for k in 0..self.tracks[track].island.bodies.len() {
            let body = self.tracks[track].island.bodies[k].index() as u32;
            let Some(motion) = self.tracks[track].motion(k) else { continue };
            let own_time = self.own_time(body, &motion.twist(t));
            if stiff_step > FAR * own_time {
                continue;
            }
            // Many contacts may well move smoothly together for long.
            self.patience[body as usize].spend(t, own_time, (weight, 0.0));
        }
    }

    /// The time in which a body that forces move moves by its own size, as of its last event, s.
    pub(super) fn own_time_of(&self, body: u32) -> f64 {
        let own = self.patience[body as usize].own_time;
        if own > 0.0 { own } else { f64::INFINITY }
    }

    /// The shortest of these times on a track.
    pub(super) fn shortest_own_time(&self, track: usize) -> f64 {
        let bodies = self.tracks[track].island.bodies.iter();
        bodies.map(|id| self.own_time_of(id.index() as u32)).fold(f64::INFINITY, f64::min)
    }

    /// Whether one of these bodies has had too many events.
    pub(super) fn is_storm(&self, bodies: &[u32]) -> bool {
        bodies
            .iter()
            .any(|body| self.place[*body as usize].is_some() && self.patience[*body as usize].is_over())
    }

    /// Whether steps over all contacts of a body of the cluster have followed on each other for a while.
    pub(super) fn is_lasting(&self) -> bool {
        self.cluster.bodies.iter().any(|body| self.patience[*body as usize].in_crowd >= LASTING)
    }

    /// Whether it is time, after many steps, to see whether the storm is over: bodies are few, or hardly move and may have come
    /// to rest. Then they have some of their patience again, so that a storm that is not over ends the trial.
    pub(super) fn is_trial(&mut self, t: f64) -> bool {
        if !self.may_be_over(t) {
            return false;
        }
        let are_several = self.cluster.pairs.len() > 1;
        let left = |share: f64| if share == 1.0 && are_several { TRIAL } else { LEFT };
        for body in &self.cluster.bodies {
            let patience = &mut self.patience[*body as usize];
            patience.in_crowd += 1;
            patience.windows = WINDOWS.map(|(share, most)| (t, (1.0 - left(share)) * most));
        }
        true
    }

    /// Who has left a crowd has some of his patience again, and begins with short steps if he loses it.
    pub(super) fn renew_patience(&mut self, t: f64, members: &[Member]) {
        for member in members {
            let Member::Body(id) = member else { continue };
            let patience = &mut self.patience[id.index()];
            (patience.storms, patience.in_crowd) = (0, 0);
            patience.windows = WINDOWS.map(|(_, most)| (t, (1.0 - LEFT) * most));
        }
    }

    fn may_be_over(&self, t: f64) -> bool {
        // Bodies of one crowd have come to it one after the other: the longest in it counts.
        let storms = self.cluster.bodies.iter().map(|body| self.patience[*body as usize].in_crowd).max();
        let storms = storms.unwrap_or(0);
        if self.cluster.pairs.len() <= FEW && storms >= TRIES && storms.is_power_of_two() {
            return true;
        }
        // What still moves a little is no rest yet, and a trial of many costs as much as dozens of steps.
        let slower = if storms % (TRIES * TRIES) == TRIES - 1 { HARDLY } else { STILL };
        storms % TRIES == TRIES - 1 && self.stir(t) < slower
    }

    /// Whether nobody in the cluster moves to speak of.
    pub(super) fn hardly_moves(&self) -> bool {
        self.cluster.stir < HARDLY
    }

    /// The speed of the fastest of the cluster, by what each would be falling by its size.
    pub(super) fn stir(&self, t: f64) -> f64 {
        self.cluster.bodies.iter().map(|body| self.share_of_fall(t, *body)).fold(0.0, f64::max)
    }

    /// The speed of a body by what it would be falling by its size; infinite where it would not.
    pub(super) fn share_of_fall(&self, t: f64, body: u32) -> f64 {
        let radius = self.detection.collider(body).map_or(0.0, |collider| collider.radius);
        let (_, twist) = self.pose_and_twist(t, body);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let fall = (self.world.gravity().length() * radius).sqrt();
        if fall > 0.0 { speed / fall } else { f64::INFINITY }
    }

    /// Whether a storm at `t` follows on the last one of a body.
    fn follows(&self, patience: &Patience, t: f64) -> bool {
        let is_crowd = self.cluster.pairs.len() as f64 > MANY;
        let in_crowd = if is_crowd { FOLLOWS_IN_CROWD * patience.own_time } else { 0.0 };
        t <= patience.ended + (FOLLOWS * patience.step).max(in_crowd)
    }

    /// How long a step the bodies of the cluster are to take at `t`, s: so short that its error is within the tolerance, or
    /// twice the last where storms follow on each other.
    pub(super) fn aggregated_step(&self, t: f64) -> f64 {
        let own = self.cluster.bodies.iter().map(|body| self.patience[*body as usize].own_time);
        let own = own.filter(|own| *own > 0.0);
        let own = own.fold(f64::INFINITY, f64::min);
        let own = if own.is_finite() { own } else { 1.0 };
        // An implicit step is of first order: its own error is the square of its length.
        let first = self.world.settings().integrator.relative.sqrt() * own;
        let mut step = first;
        let follows = |body: &&u32| self.follows(&self.patience[**body as usize], t);
        for body in self.cluster.bodies.iter().filter(follows) {
            step = step.max(2.0 * self.patience[*body as usize].step);
        }
        // The longer storms go on, the longer steps may become.
        let storms = self.cluster.bodies.iter().map(|body| self.patience[*body as usize].in_crowd).max();
        let pairs = self.cluster.pairs.len();
        let sooner = if pairs > 1 { (pairs as f64 / MANY).max(1.0) } else { 1.0 / GROWS };
        let grown: f64 = 1.0 + f64::from(storms.unwrap_or(0)) * sooner;
        let most = MOST_LONGEST * (pairs as f64 / CROWD).clamp(1.0, MOST_IN_CROWD);
        let longest = LONGEST * grown.min(most);
        step.min((longest * own).max(first)).max(4.0 * f64::EPSILON * t.abs())
    }

    /// The share of the speeds in play that a step over a crowd of contacts leaves of speeds that should be none, for a pair
    /// at the end of one: its error, of second order in the length of the step.
    pub(super) fn stepped_speed(&self, t: f64, bodies: [u32; 2]) -> f64 {
        let of = |body: u32| {
            let patience = &self.patience[body as usize];
            let part = if t == patience.ended && patience.own_time > 0.0 {
                patience.step / patience.own_time
            } else {
                0.0
            };
            (STEPPED * part * part).min(MOST_STEPPED)
        };
        of(bodies[0]).max(of(bodies[1]))
    }

    /// Takes note of a step over a crowd of contacts.
    pub(super) fn restore_patience(&mut self, (t, until): (f64, f64)) {
        let are_several = self.cluster.pairs.len() > 1;
        for body in &self.cluster.bodies {
            let follows = self.follows(&self.patience[*body as usize], t);
            let patience = &mut self.patience[*body as usize];
            let at_once = t <= patience.ended + FOLLOWS * patience.step;
            patience.storms = if at_once { patience.storms + 1 } else { 0 };
            patience.in_crowd = if follows { patience.in_crowd + 1 } else { 0 };
            let left = |storms: u32| LEFT / f64::from(1_u32 << storms.min(16));
            let (left, left_in_crowd) = (left(patience.storms), left(patience.in_crowd));
            (patience.step, patience.ended) = (until - t, until);
            for ((since, spent), (share, most)) in patience.windows.iter_mut().zip(WINDOWS) {
                let left = if share < 1.0 { left } else { left_in_crowd };
                let lasts = share == 1.0 && are_several && patience.in_crowd >= LASTING;
                let fewest = if lasts { 0.0 } else { FEWEST };
                (*since, *spent) = (until, most - (left * most).max(fewest));
            }
        }
    }
}
