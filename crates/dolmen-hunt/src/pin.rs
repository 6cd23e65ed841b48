//! Four hashes of everything that a run reports.
//!
//! Bits of numbers are hashed, never text. Kinds, modes and reasons are hashed as numbers that are given in the matches below:
//! names may change, these numbers may not.

use std::fmt;

use dolmen::contact::{Law, Restitution};
use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::integrate::StepError;
use dolmen::joint::Axis;
use dolmen::math::DVec3;
use dolmen::narrow_phase::{ContactId, Feature};
use dolmen::record::{
    ContactForce, Event, EventKind, JointEvent, JointEventKind, JointForce, Ledger, Note, Sample,
};
use dolmen::solve::Status;
use dolmen::world::World;

/// Equal parts of a run; it is sampled at their ends, and at the start.
const PARTS: u32 = 8;

/// What a run came to, 16 hexadecimal digits each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Poses, twists and particles at each sample.
    pub states: String,
    /// All events of contacts and joints, and the reason if the run stopped early.
    pub events: String,
    /// All lines of the ledger, and the momenta, at each sample.
    pub ledger: String,
    /// Forces of contacts and joints at each sample.
    pub forces: String,
}

impl Pin {
    /// The hashes with their names.
    pub fn parts(&self) -> [(&'static str, &str); 4] {
        [
            ("states", &self.states),
            ("events", &self.events),
            ("ledger", &self.ledger),
            ("forces", &self.forces),
        ]
    }

    /// The names of the hashes in which two differ.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = self.parts().into_iter().zip(other.parts());
        pairs.filter(|(a, b)| a.1 != b.1).map(|(a, _)| a.0).collect()
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.states, self.events, self.ledger, self.forces)
    }
}

/// A run and how it ended.
#[derive(Debug)]
pub struct Run {
    /// Its hashes.
    pub pin: Pin,
    /// Why it stopped before the end, if it did.
    pub stop: Option<Stop>,
    /// Whether it was refused at the start already.
    pub is_refused: bool,
    /// Events of contacts and joints.
    pub events: usize,
}

/// Runs a world by the exact driver from 0 to `end`, and hashes what it reports.
pub fn run(world: World, end: f64) -> Run {
    let mut hashes = Hashes::default();
    let mut simulation = match Simulation::new(world) {
        Ok(simulation) => simulation,
        Err(stop) => {
            hashes.events.stop(&stop);
            return Run { pin: hashes.finish(), stop: Some(stop), is_refused: true, events: 0 };
        }
    };
    let times = (0..=PARTS).map(|k| end * f64::from(k) / f64::from(PARTS));
    let stop = times.into_iter().find_map(|t| {
        let stop = simulation.advance(t).err();
        // Where a run stopped, its last state is known as well.
        hashes.sample(&mut simulation);
        stop
    });
    for event in simulation.events() {
        hashes.events.event(event);
    }
    for event in simulation.joint_events() {
        hashes.events.joint_event(event);
    }
    if let Some(stop) = &stop {
        hashes.events.stop(stop);
    }
    let events = simulation.events().len() + simulation.joint_events().len();
    Run { pin: hashes.finish(), stop, is_refused: false, events }
}

#[derive(Default)]
struct Hashes {
    states: Hasher,
    events: Hasher,
    ledger: Hasher,
    forces: Hasher,
}

impl Hashes {
    fn sample(&mut self, simulation: &mut Simulation) {
        let sample = simulation.sample();
        self.states.state(&sample);
        self.ledger.ledger(&sample);
        for force in simulation.contact_forces() {
            self.forces.contact_force(&force);
        }
        for force in simulation.joint_forces() {
            self.forces.joint_force(&force);
        }
        // Forces of one sample must not pass for those of the next.
        self.forces.numbers(&[sample.t]);
    }

    fn finish(self) -> Pin {
        let [states, events, ledger, forces] = [self.states, self.events, self.ledger, self.forces]
            .map(|hasher| hasher.0.finalize().to_hex()[..16].to_owned());
        Pin { states, events, ledger, forces }
    }
}

#[derive(Default)]
struct Hasher(blake3::Hasher);

impl Hasher {
    fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.count(value.to_bits());
        }
    }

    fn vector(&mut self, v: DVec3) {
        self.numbers(&v.to_array());
    }

    fn count(&mut self, value: u64) {
        self.0.update(&value.to_le_bytes());
    }

    fn state(&mut self, sample: &Sample) {
        let Sample { t, bodies, sets, ledger: _, momentum: _, angular_momentum: _, drifts: _ } = sample;
        self.numbers(&[*t]);
        for (pose, twist) in bodies {
            self.vector(pose.position);
            self.numbers(&pose.orientation.to_array());
            self.vector(twist.velocity);
            self.vector(twist.spin);
        }
        for (positions, velocities) in sets {
            for (x, v) in positions.iter().zip(velocities) {
                self.vector(*x);
                self.vector(*v);
            }
        }
    }

    fn ledger(&mut self, sample: &Sample) {
        let Ledger { kinetic, potential, work, collisions, friction, closing } = sample.ledger;
        self.numbers(&[sample.t, kinetic, potential, work, collisions, friction, closing]);
        self.vector(sample.momentum);
        self.vector(sample.angular_momentum);
    }

    fn features(&mut self, features: ContactId) {
        for feature in [features.a, features.b] {
            let (kind, place) = match feature {
                Feature::Vertex(i) => (0, i),
                Feature::Edge(i) => (1, i),
                Feature::Face(i) => (2, i),
                Feature::Rim(i) => (3, i),
                Feature::Surface(i) => (4, i),
            };
            self.count(kind);
            self.count(u64::from(place));
        }
    }

    fn event(&mut self, event: &Event) {
        self.numbers(&[event.t]);
        self.count(event.group);
        self.count(event_kind(event.kind));
        for body in event.bodies {
            self.count(body.index() as u64);
        }
        self.features(event.features);
        self.vector(event.point);
        self.vector(event.normal);
        self.numbers(&[event.approach, event.separation, event.impulse]);
        self.vector(event.friction);
        self.numbers(&[event.lost]);
        self.count(law(event.law));
        self.count(restitution(event.restitution));
        self.count(u64::from(event.rounds));
        self.count(note(event.note));
    }

    fn joint_event(&mut self, event: &JointEvent) {
        self.numbers(&[event.t]);
        self.count(event.joint as u64);
        self.count(event.axis.map_or(0, axis));
        self.count(joint_event_kind(event.kind));
        self.numbers(&[event.approach, event.separation, event.impulse, event.lost]);
    }

    fn contact_force(&mut self, force: &ContactForce) {
        for body in force.bodies {
            self.count(body.index() as u64);
        }
        self.features(force.features);
        self.vector(force.point);
        self.vector(force.normal);
        self.numbers(&[force.normal_force]);
        self.vector(force.friction);
        self.vector(force.moment);
        self.numbers(&[force.residual]);
        self.count(u64::from(force.sticks) | u64::from(force.rolls) << 1 | u64::from(force.is_unique) << 2);
        self.count(status(force.status));
        self.count(force.iterations as u64);
    }

    fn joint_force(&mut self, force: &JointForce) {
        self.count(force.joint as u64);
        self.vector(force.point);
        self.vector(force.force);
        self.vector(force.torque);
        self.count(u64::from(force.is_unique));
    }

    fn stop(&mut self, stop: &Stop) {
        self.numbers(&[stop.t]);
        self.count(reason(&stop.reason));
    }
}

fn event_kind(kind: EventKind) -> u64 {
    match kind {
        EventKind::Collision => 1,
        EventKind::Settled => 2,
        EventKind::Rest => 3,
        EventKind::Slide => 4,
        EventKind::Break => 5,
        EventKind::Roll => 6,
        EventKind::Rolled => 7,
        EventKind::Spin => 8,
        EventKind::Spun => 9,
        EventKind::Overlap => 10,
        EventKind::TimeStep => 11,
        EventKind::Indeterminate => 12,
    }
}

fn note(note: Note) -> u64 {
    match note {
        Note::Determinate => 0,
        Note::LeastNorm => 1,
        Note::RestitutionScaled => 2,
        Note::Approximate => 3,
        Note::ClosedAtOnce => 4,
        Note::Painleve => 5,
        Note::SeveralMotions => 6,
        Note::LocalPlane => 7,
        Note::Corner => 8,
        Note::Vanishing => 9,
        Note::Mended => 10,
        Note::ApproximateForces => 11,
    }
}

fn law(law: Law) -> u64 {
    match law {
        Law::Propagation => 1,
        Law::Simultaneous => 2,
        Law::Reflection => 3,
    }
}

fn restitution(restitution: Restitution) -> u64 {
    match restitution {
        Restitution::Newton => 1,
        Restitution::Energetic => 2,
        Restitution::Poisson => 3,
    }
}

fn status(status: Status) -> u64 {
    match status {
        Status::Solved => 1,
        Status::OutOfIterations => 2,
        Status::Infeasible => 3,
    }
}

fn joint_event_kind(kind: JointEventKind) -> u64 {
    match kind {
        JointEventKind::Struck => 1,
        JointEventKind::Settled => 2,
        JointEventKind::Active => 3,
        JointEventKind::Released => 4,
        JointEventKind::Saturated => 5,
        JointEventKind::Friction => 6,
        JointEventKind::Jammed => 7,
    }
}

fn axis(axis: Axis) -> u64 {
    match axis {
        Axis::X => 1,
        Axis::Y => 2,
        Axis::Z => 3,
        Axis::TurnX => 4,
        Axis::TurnY => 5,
        Axis::TurnZ => 6,
        Axis::Distance => 7,
    }
}

fn reason(reason: &Reason) -> u64 {
    match reason {
        Reason::Motion { error, .. } => step_error(error),
        Reason::NotFinite { .. } => 1,
        Reason::Time { .. } => 2,
        Reason::Intervention { .. } => 3,
        Reason::Overlap { .. } => 4,
        Reason::Unsupported { .. } => 5,
        Reason::Jammed { .. } => 7,
        Reason::Unresolved { .. } => 8,
        Reason::Resting { .. } => 9,
        Reason::Joint { .. } => 10,
        Reason::Solver { .. } => 11,
        Reason::NoProgress { .. } => 14,
        Reason::Abandoned => 15,
        Reason::Interrupted => 12,
        Reason::Restored { .. } => 13,
        Reason::Change { .. } => 16,
    }
}

fn step_error(error: &StepError) -> u64 {
    match error {
        StepError::StepTooSmall { .. } => 101,
        StepError::Cut { .. } => 110,
        StepError::NotFinite { .. } => 102,
        StepError::TooManySteps { .. } => 103,
        StepError::Newton { .. } => 104,
        StepError::NeedsMomenta { .. } => 105,
        StepError::Dimension { .. } => 106,
        StepError::NotStarted => 107,
        StepError::StopBehind { .. } => 108,
        StepError::Settings(_) => 109,
    }
}
