//! What has happened so far: events, losses, and the largest overlap ever seen.
//!
//! In come events of contacts and joints with what they lose, bounces of pairs and limits, and overlaps; out go the events in the order
//! of time, to a sink or kept, their losses as lines of the ledger, the end of a series of bounces, and an event that gave energy. It is
//! part of the state, and changes no motion: what it counts decides only when a series is closed.
//!
//! - `zeno`: the rest of a series of bounces, from those before.

pub(crate) mod zeno;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::drive::exact::tolerances::{
    GAIN_ROUNDING, MOST_SERIES, NO_BOUNCE, STEP_OVERLAP, TOUCHING, below_chord,
};
use crate::record::{Event, EventSink, JointEvent, Ledger, Solve};

/// The record of events, and what they cost in energy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    /// What happened in joints.
    pub(crate) joint_events: Vec<JointEvent>,
    /// Whether events are kept; they are counted in any case.
    pub(crate) keep: bool,
    /// Instants at which velocities jumped.
    pub(crate) instants: u64,
    /// Contacts at which they did.
    pub(crate) collisions: u64,
    /// Time steps, and the longest of them by the time in which its bodies move by their size.
    pub(crate) time_steps: u64,
    pub(crate) longest_share: f64,
    /// Work done in collisions by kinematic bodies, J.
    pub(crate) work: f64,
    /// Energy lost so far; its other lines are zero.
    pub(crate) losses: Ledger,
    /// The deepest overlap at any event or within a time step, m, and by the tolerance of its pair.
    pub(crate) deepest: f64,
    pub(crate) deepest_relative: f64,
    /// The pair of the latter; none before there was one.
    pub(crate) deepest_pair: Vec<u32>,
    /// What is lost at the present event.
    event: EventLoss,
    /// The worst solution that was accepted at it.
    accepted: Option<Accepted>,
    /// The time step that gave most energy since this was last taken.
    giver: Gain,
    /// Ends of series of bounces that lie ahead.
    pending: Vec<Event>,
    /// The largest residual of an impact solver.
    pub(crate) largest_residual: f64,
    /// Bounces of pairs.
    series: BTreeMap<[u32; 2], crate::drive::exact::log::zeno::Series>,
}

/// What is lost at the present event, over all its contacts and joints.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct EventLoss {
    lost: f64,
    /// The terms of which that is the sum.
    size: f64,
    /// The least loss of a contact, and its bodies.
    least: f64,
    bodies: Vec<u32>,
}

/// A solution that was accepted, and what it leaves of the equations that it solves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accepted {
    pub(crate) t: f64,
    pub(crate) solve: Solve,
    /// Two of its bodies, the same twice if there is one.
    pub(crate) bodies: Option<[u32; 2]>,
    /// By the measure of the law of residuals.
    pub(crate) residual: f64,
}

/// An event that gave energy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gain {
    pub(crate) bodies: Vec<u32>,
    /// J.
    pub(crate) energy: f64,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            events: Vec::new(),
            joint_events: Vec::new(),
            keep: true,
            instants: 0,
            collisions: 0,
            time_steps: 0,
            longest_share: 0.0,
            work: 0.0,
            losses: Ledger::default(),
            deepest: 0.0,
            deepest_relative: 0.0,
            deepest_pair: Vec::new(),
            event: EventLoss::default(),
            accepted: None,
            giver: Gain::default(),
            pending: Vec::new(),
            largest_residual: 0.0,
            series: BTreeMap::new(),
        }
    }
}

impl Log {
    /// Adds an event; those that lay ahead and are over by now come first.
    pub(crate) fn add(&mut self, event: Event) {
        self.reach(event.t);
        let speeds = event.approach.abs() + event.separation.abs();
        let bodies = event.bodies.map(|id| id.index() as u32);
        self.note_loss(&bodies, event.lost, event.impulse.abs() * speeds);
        if self.keep {
            self.events.push(event);
        }
    }

    /// Every event that is kept or lies ahead.
    pub(crate) fn every_event(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().chain(&self.pending)
    }

    /// The bodies that it names by rank.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = &u32> {
        self.deepest_pair.iter().chain(&self.event.bodies)
    }

    /// Hands all events that were kept to a sink.
    pub(crate) fn hand_over(&mut self, sink: &mut dyn EventSink) {
        self.events.drain(..).for_each(|event| sink.event(&event));
        self.joint_events.drain(..).for_each(|event| sink.joint_event(&event));
    }

    /// Adds an event of a joint.
    pub(crate) fn add_joint(&mut self, event: JointEvent) {
        let speeds = event.approach.abs() + event.separation.abs();
        self.note_loss(&[], event.lost, event.impulse.abs() * speeds);
        if self.keep {
            self.joint_events.push(event);
        }
    }

    /// Adds an event that lies ahead.
    pub(crate) fn announce(&mut self, event: Event) {
        let place = self.pending.partition_point(|other| other.t <= event.t);
        self.pending.insert(place, event);
    }

    /// Time has come to `t`: what was announced up to then has happened.
    pub(crate) fn reach(&mut self, t: f64) {
        let over = self.pending.partition_point(|event| event.t <= t);
        let events = self.pending.drain(..over);
        if self.keep {
            self.events.extend(events);
        }
    }

    /// Takes note of a bounce of a pair at this speed; how long the rest of its series lasts, if in that time the pair moves
    /// by less than `tolerance`, m.
    pub(crate) fn bounce(&mut self, pair: [u32; 2], t: f64, speed: f64, tolerance: f64) -> Option<f64> {
        if self.series.len() > MOST_SERIES {
            self.series.clear();
        }
        let series = self.series.entry(pair).or_default();
        series.add(t);
        match series.rest() {
            Some(rest) => (rest * speed <= tolerance).then_some(rest),
            // One that does not converge, far below the contact tolerance, is fed by rounding.
            None => series.interval().filter(|interval| interval * speed <= NO_BOUNCE * tolerance),
        }
    }

    /// Takes note of what is lost at one contact or joint of an event, whose terms are of this size, J.
    fn note_loss(&mut self, bodies: &[u32], lost: f64, size: f64) {
        let event = &mut self.event;
        event.lost += lost;
        event.size += size;
        if lost < event.least {
            event.least = lost;
            event.bodies = bodies.to_vec();
        }
    }

    /// Takes note of a solution that was accepted; the worst of an event is kept.
    pub(crate) fn accept(&mut self, (t, solve): (f64, Solve), bodies: Option<[u32; 2]>, residual: f64) {
        // A number that is not finite must show, where a comparison would drop it.
        if self.accepted.as_ref().is_none_or(|worst| residual > worst.residual || residual.is_nan()) {
            self.accepted = Some(Accepted { t, solve, bodies, residual });
        }
    }

    /// The worst solution that was accepted at the present event, which is over.
    pub(crate) fn take_accepted(&mut self) -> Option<Accepted> {
        self.accepted.take()
    }

    /// Takes note of what a time step gave besides what its loads did, J; negative if it took something.
    pub(crate) fn note_given(&mut self, bodies: impl Iterator<Item = u32>, energy: f64) {
        if energy > self.giver.energy {
            self.giver = Gain { bodies: bodies.collect(), energy };
        }
    }

    /// The time step that gave most since this was last asked; no bodies if none gave anything.
    pub(crate) fn take_giver(&mut self) -> Gain {
        std::mem::take(&mut self.giver)
    }

    /// The present event is over; what it gave, if it gave energy by more than rounding. One contact of several may give what
    /// another takes.
    pub(crate) fn end_event(&mut self) -> Option<Gain> {
        if self.event.size == 0.0 && self.event.lost == 0.0 {
            return None;
        }
        let EventLoss { lost, size, bodies, .. } = std::mem::take(&mut self.event);
        (lost.is_nan() || lost < -GAIN_ROUNDING * size).then_some(Gain { bodies, energy: -lost })
    }

    /// The most that bodies may have overlapped so far, by the contact tolerance.
    pub(crate) fn overlap_bound(&self) -> f64 {
        1.0 + below_chord(self.longest_share).min(STEP_OVERLAP / TOUCHING)
    }

    /// Takes note of how deep a pair overlaps.
    pub(crate) fn note_overlap(&mut self, pair: [u32; 2], separation: f64, tolerance: f64) {
        if separation < -self.deepest {
            self.deepest = -separation;
        }
        if -separation > self.deepest_relative * tolerance {
            self.deepest_relative = -separation / tolerance;
            self.deepest_pair = pair.to_vec();
        }
    }
}
