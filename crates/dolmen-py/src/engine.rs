//! The two drivers behind one set of methods, and what happened on their way.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::drive::fixed::{FixedError, FixedSettings, FixedSimulation};
use dolmen::drive::{Advance, Driver, Readings, SensorReader, SnapshotError};
use dolmen::math::work::Interrupt;
use dolmen::math::{Pose, Twist};
use dolmen::record::{
    CheckedLaw, ContactForce, Event, EventSink, Happened, JointEvent, JointForce, Ledger, Sample, Violation,
};
use dolmen::scene::typed::StepBounds;
use dolmen::world::{BodyId, Change, World};
use pyo3::prelude::*;

use crate::errors;

/// A world on its way through time.
#[derive(Clone)]
pub(crate) enum Engine {
    /// Every event at its instant.
    Exact(Box<Simulation>),
    /// Steps of one length.
    Fixed(Box<FixedSimulation>),
}

/// How a world is taken through time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum How {
    /// By the exact driver.
    Exact,
    /// In fixed steps; what the scene bounds of them.
    Fixed(FixedSettings, StepBounds),
}

/// What happened on the way, as far as it was not taken.
#[derive(Clone, Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    pub(crate) joint_events: Vec<JointEvent>,
    /// How many of the events `next_event` gave or went past.
    pub(crate) told: usize,
    /// Laws that were broken and not reported.
    violations: Vec<Violation>,
    /// What happened since the last sample of each recording that goes on: a controller may begin another one.
    recordings: Vec<Happened>,
    /// What the scene bounds of fixed steps, and which of it was exceeded so far.
    bounds: StepBounds,
    exceeded: Vec<CheckedLaw>,
}

impl Log {
    /// Of a world that is taken through time in this way.
    pub(crate) fn of(how: How) -> Self {
        let bounds = match how {
            How::Exact => StepBounds::default(),
            How::Fixed(_, bounds) => bounds,
        };
        Self { bounds, ..Self::default() }
    }

    /// Begins to keep what happens for a recording, from all that is known so far on if `is_start`; its number.
    pub(crate) fn begin_recording(&mut self, is_start: bool) -> usize {
        let mut happened = Happened::default();
        if is_start {
            self.events.iter().for_each(|event| happened.event(event));
            self.joint_events.iter().for_each(|event| happened.joint_event(event));
            self.violations.iter().for_each(|violation| happened.violation(violation));
        }
        self.recordings.push(happened);
        self.recordings.len() - 1
    }

    /// What happened since the last sample of a recording.
    pub(crate) fn take_happened(&mut self, recording: usize) -> Happened {
        // A controller that restored a snapshot has another log.
        if self.recordings.len() <= recording {
            self.recordings.resize(recording + 1, Happened::default());
        }
        std::mem::take(&mut self.recordings[recording])
    }

    /// Ends a recording, and those that began in it.
    pub(crate) fn end_recording(&mut self, recording: usize) {
        self.recordings.truncate(recording);
    }

    /// The same for another simulation, which nobody records.
    pub(crate) fn unrecorded(mut self) -> Self {
        self.recordings.clear();
        self
    }

    /// Nobody asks for what happened so far.
    pub(crate) fn forget_events(&mut self) {
        self.events.clear();
        self.joint_events.clear();
        self.told = 0;
    }

    /// Takes note of bounds that are exceeded for the first time.
    fn note_excesses(&mut self, simulation: &FixedSimulation) {
        for excess in simulation.statistics().excesses(&self.bounds) {
            if !self.exceeded.contains(&excess.law) {
                self.exceeded.push(excess.law);
                self.violation(&excess.violation(simulation.time()));
            }
        }
    }
}

impl EventSink for Log {
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
        self.recordings.iter_mut().for_each(|happened| happened.event(event));
    }

    fn joint_event(&mut self, event: &JointEvent) {
        self.joint_events.push(*event);
        self.recordings.iter_mut().for_each(|happened| happened.joint_event(event));
    }

    fn violation(&mut self, violation: &Violation) {
        self.violations.push(violation.clone());
        self.recordings.iter_mut().for_each(|happened| happened.violation(violation));
    }
}

/// Why an engine does not go on.
pub(crate) enum Halt {
    /// Of the exact driver.
    Exact(Stop),
    /// Of the driver of fixed steps.
    Fixed(FixedError),
    /// Somebody asked for it.
    Interrupted,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Exact(stop)
    }
}

impl From<FixedError> for Halt {
    fn from(error: FixedError) -> Self {
        Self::Fixed(error)
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(stop) => write!(f, "{stop}"),
            Self::Fixed(error) => write!(f, "{error}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl From<Halt> for PyErr {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Exact(stop) => errors::stopped(&stop),
            Halt::Fixed(
                error @ (FixedError::Time { .. } | FixedError::Change { .. } | FixedError::Setting { .. }),
            ) => errors::input(error.to_string()),
            Halt::Fixed(error) => errors::failed(error.to_string()),
            Halt::Interrupted => errors::failed(halt.to_string()),
        }
    }
}

/// How far an engine is, for those who wait for it.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    pub(crate) interrupt: Interrupt,
    time: Arc<AtomicU64>,
}

impl Watch {
    /// Of something that stands at `t`.
    pub(crate) fn starting(t: f64) -> Self {
        let watch = Self::default();
        watch.tell(t);
        watch
    }

    pub(crate) fn tell(&self, t: f64) {
        self.time.store(t.to_bits(), Ordering::Relaxed);
    }

    /// Tells the time that was reached; whether to go on.
    fn look(&self, t: f64) -> bool {
        self.tell(t);
        !self.interrupt.is_raised()
    }

    /// The time that was reached, s.
    pub(crate) fn time(&self) -> f64 {
        f64::from_bits(self.time.load(Ordering::Relaxed))
    }
}

/// Reads the same of either.
macro_rules! either {
    ($engine:expr, $it:ident => $body:expr) => {
        match $engine {
            Engine::Exact($it) => $body,
            Engine::Fixed($it) => $body,
        }
    };
}

impl Engine {
    /// A world at its start.
    pub(crate) fn start(world: Arc<World>, how: How, interrupt: &Interrupt) -> Result<Self, Halt> {
        Ok(match how {
            How::Exact => Self::Exact(Box::new(Simulation::with_interrupt(world, Some(interrupt.clone()))?)),
            How::Fixed(settings, _) => Self::Fixed(Box::new(FixedSimulation::new(world, settings)?)),
        })
    }

    /// The state that a driver of this kind wrote.
    pub(crate) fn restore(world: Arc<World>, how: How, state: &[u8]) -> Result<Self, SnapshotError> {
        Ok(match how {
            How::Exact => Self::Exact(Box::new(Simulation::restore(world, state)?)),
            How::Fixed(..) => Self::Fixed(Box::new(FixedSimulation::restore(world, state)?)),
        })
    }

    pub(crate) fn world(&self) -> &World {
        either!(self, it => Driver::world(&**it))
    }

    pub(crate) fn time(&self) -> f64 {
        either!(self, it => Driver::time(&**it))
    }

    pub(crate) fn pose(&self, id: BodyId) -> Pose {
        either!(self, it => it.pose(id))
    }

    pub(crate) fn twist(&self, id: BodyId) -> Twist {
        either!(self, it => it.twist(id))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        either!(self, it => it.ledger())
    }

    pub(crate) fn sample(&self) -> Sample {
        either!(self, it => it.sample())
    }

    pub(crate) fn contact_forces(&self) -> Vec<ContactForce> {
        either!(self, it => it.contact_forces())
    }

    pub(crate) fn joint_forces(&self) -> Vec<JointForce> {
        either!(self, it => it.joint_forces())
    }

    /// A reader of the sensors of its world, from whose first step on accelerations are known.
    pub(crate) fn sensors(&mut self) -> SensorReader {
        let reader = SensorReader::new(self.world());
        let needs_accelerations = SensorReader::needs_accelerations(self.world());
        if let Self::Fixed(simulation) = self {
            simulation.keep_accelerations(needs_accelerations);
        }
        reader
    }

    /// What contacts and joints carry and sensors show now.
    pub(crate) fn readings(&self, contacts: Vec<ContactForce>, reader: &mut SensorReader) -> Readings {
        either!(self, it => Readings::of(&**it, contacts, reader))
    }

    pub(crate) fn snapshot(&self) -> Vec<u8> {
        either!(self, it => it.snapshot())
    }

    /// Goes on to `t`, without looking at laws.
    pub(crate) fn advance(&mut self, t: f64, watch: &Watch, log: &mut Log) -> Result<(), Halt> {
        self.listen(watch);
        let mut look = |now: f64| watch.look(now);
        let gone = either!(self, it => Driver::advance_into(&mut **it, t, log, &mut look)?);
        log.told = log.events.len();
        if gone == Advance::Interrupted { Err(Halt::Interrupted) } else { Ok(()) }
    }

    /// Goes on to the next instant at which something happens, or to `t`; whether something did.
    pub(crate) fn advance_to_event(&mut self, t: f64, watch: &Watch, log: &mut Log) -> Result<bool, Halt> {
        self.listen(watch);
        let mut look = |now: f64| watch.look(now);
        match either!(self, it => Driver::advance_to_event(&mut **it, t, log, &mut look)?) {
            Advance::Event => Ok(true),
            Advance::Reached => Ok(false),
            Advance::Interrupted => Err(Halt::Interrupted),
        }
    }

    fn listen(&mut self, watch: &Watch) {
        if let Self::Exact(simulation) = self {
            simulation.set_interrupt(watch.interrupt.clone());
        }
    }

    /// Hands over what happened before anybody asked.
    pub(crate) fn drain(&mut self, log: &mut Log) {
        if let Self::Exact(simulation) = self {
            simulation.take_events().iter().for_each(|event| log.event(event));
            simulation.take_joint_events().iter().for_each(|event| log.joint_event(event));
            simulation.take_violations().iter().for_each(|violation| log.violation(violation));
        }
    }

    /// Holds the present against the laws; of fixed steps, notes how far energy is off.
    pub(crate) fn check_laws(&mut self, log: &mut Log) -> Result<(), Halt> {
        let (sample, forces) = match self {
            Self::Exact(_) => (self.sample(), self.contact_forces()),
            Self::Fixed(simulation) => {
                simulation.note_energy_drift();
                log.note_excesses(simulation);
                return Ok(());
            }
        };
        self.check_laws_at(&sample, &forces, log)
    }

    /// As [`Engine::check_laws`], with what was read of the present before.
    pub(crate) fn check_laws_at(
        &mut self,
        sample: &Sample,
        forces: &[ContactForce],
        log: &mut Log,
    ) -> Result<(), Halt> {
        match self {
            Self::Exact(simulation) => {
                simulation.check_laws_at(sample, forces)?;
                simulation.take_violations().iter().for_each(|violation| log.violation(violation));
            }
            Self::Fixed(simulation) => {
                simulation.note_energy_drift();
                log.note_excesses(simulation);
            }
        }
        Ok(())
    }

    /// What was broken since this was last asked: laws, or bounds of fixed steps, each of these once.
    pub(crate) fn take_broken(&self, log: &mut Log) -> Vec<String> {
        if let Self::Fixed(simulation) = self {
            log.note_excesses(simulation);
        }
        std::mem::take(&mut log.violations).iter().map(|found| found.describe(self.world())).collect()
    }

    pub(crate) fn intervene(&mut self, change: &Change) -> Result<(), Halt> {
        either!(self, it => it.intervene(change)?);
        Ok(())
    }

    /// The exact driver, which alone has `what`.
    pub(crate) fn exact(&self, what: &str) -> PyResult<&Simulation> {
        match self {
            Self::Exact(simulation) => Ok(simulation),
            Self::Fixed(_) => Err(lacks(what)),
        }
    }
}

fn lacks(what: &str) -> PyErr {
    errors::UnsupportedError::new_err(format!("the driver of fixed steps has no {what}; use dolmen.Exact"))
}
