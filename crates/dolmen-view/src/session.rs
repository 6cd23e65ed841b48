//! What takes a world through time here: any of the drivers, by the trait that all of them offer.

use std::error::Error;
use std::fmt;

use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedSettings, FixedSimulation};
use dolmen::drive::intro::{IntroSettings, IntroSimulation};
use dolmen::drive::{Advance, Driver, SnapshotError};
use dolmen::math::{Pose, Twist};
use dolmen::record::{ContactForce, EventSink, JointCoordinate, JointForce, Ledger, Sample};
use dolmen::scene::typed::{self, StepBounds};
use dolmen::world::{BodyId, World};
use serde_json::{Value, json};

use crate::pull::HandForce;
use crate::wire::{Effort, Quality};

/// Which driver, with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum DriverChoice {
    /// Every event at its instant.
    #[default]
    Exact,
    /// Steps of one length.
    Fixed {
        /// Of the driver.
        settings: FixedSettings,
        /// What its steps may not exceed.
        bounds: StepBounds,
    },
    /// The update loop for teaching.
    Intro(IntroSettings),
}

impl From<&typed::Run> for DriverChoice {
    /// As a scene says.
    fn from(run: &typed::Run) -> Self {
        match run.driver {
            None | Some(typed::Driver::Exact) => Self::Exact,
            Some(typed::Driver::Fixed) => {
                Self::Fixed { settings: FixedSettings::from(run), bounds: run.bounds.unwrap_or_default() }
            }
            Some(typed::Driver::Intro) => {
                Self::Intro(run.intro.as_ref().map_or_else(IntroSettings::default, IntroSettings::from))
            }
        }
    }
}

impl DriverChoice {
    /// The driver's name, as scenes call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fixed { .. } => "fixed",
            Self::Intro(_) => "intro",
        }
    }

    /// The length of its steps, s; none if it has no steps of one length.
    pub fn step(&self) -> Option<f64> {
        match self {
            Self::Exact => None,
            Self::Fixed { settings, .. } => Some(settings.step),
            Self::Intro(settings) => Some(settings.step),
        }
    }

    /// The time between two regular frames, s: what is wanted, or as many whole steps as come nearest to it. A step that ended
    /// early for a picture would be another step.
    pub fn frame_interval(&self, wanted: f64) -> f64 {
        match self.step() {
            Some(step) if step.is_finite() && step > 0.0 => (wanted / step).round().max(1.0) * step,
            _ => wanted,
        }
    }

    /// As pages read it.
    pub(crate) fn describe(&self) -> Value {
        match self {
            Self::Fixed { settings, .. } => {
                json!({ "name": self.name(), "step": settings.step, "substeps": settings.substeps })
            }
            _ => json!({ "name": self.name(), "step": self.step() }),
        }
    }
}

/// A world on its way through time, by the driver that was chosen.
#[derive(Debug)]
pub struct Session {
    driver: Drivers,
    /// The length of its steps, s; none if it has no steps of one length.
    step: Option<f64>,
    bounds: StepBounds,
    /// How many bounds of fixed steps were exceeded when it was last asked.
    exceeded: usize,
}

#[derive(Debug)]
enum Drivers {
    Exact(Box<Simulation>),
    Fixed(Box<FixedSimulation>),
    Intro(Box<IntroSimulation>),
}

/// Does the same with whichever driver it is.
macro_rules! with_driver {
    ($session:expr, $driver:ident => $body:expr) => {
        match $session {
            Drivers::Exact($driver) => $body,
            Drivers::Fixed($driver) => $body,
            Drivers::Intro($driver) => $body,
        }
    };
}

/// Why a session cannot go on, in the words of its driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt(String);

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Halt {}

fn halt(error: impl Error) -> Halt {
    Halt(error.to_string())
}

impl Session {
    /// At t = 0.
    ///
    /// # Errors
    /// When the driver does not take the world; the text says why.
    pub fn new(world: World, choice: &DriverChoice) -> Result<Self, Halt> {
        let driver = match choice {
            DriverChoice::Exact => Drivers::Exact(Box::new(Simulation::new(world).map_err(halt)?)),
            DriverChoice::Fixed { settings, .. } => {
                Drivers::Fixed(Box::new(FixedSimulation::new(world, *settings).map_err(halt)?))
            }
            DriverChoice::Intro(settings) => {
                Drivers::Intro(Box::new(IntroSimulation::new(world, *settings).map_err(halt)?))
            }
        };
        let bounds =
            if let DriverChoice::Fixed { bounds, .. } = choice { *bounds } else { StepBounds::default() };
        Ok(Self { driver, step: choice.step(), bounds, exceeded: 0 })
    }

    /// The present time, s.
    pub fn time(&self) -> f64 {
        with_driver!(&self.driver, driver => driver.time())
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        with_driver!(&self.driver, driver => driver.world())
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        with_driver!(&self.driver, driver => driver.pose(id))
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        with_driver!(&self.driver, driver => driver.twist(id))
    }

    /// The exact driver, if it is that one.
    pub fn exact(&self) -> Option<&Simulation> {
        if let Drivers::Exact(simulation) = &self.driver { Some(simulation) } else { None }
    }

    /// The length of its steps, s; none if it has no steps of one length.
    pub fn step(&self) -> Option<f64> {
        self.step
    }

    /// Holds the present against the laws that are checked beyond those of every step; the bounds of fixed steps that were
    /// exceeded since this was last asked, in words.
    pub(crate) fn check_laws(&mut self, sink: &mut dyn EventSink) -> Result<Vec<String>, Halt> {
        match &mut self.driver {
            Drivers::Exact(simulation) => {
                simulation.check_laws().map_err(halt)?;
                for violation in simulation.take_violations() {
                    sink.violation(&violation);
                }
                Ok(Vec::new())
            }
            Drivers::Fixed(simulation) => {
                simulation.note_energy_drift();
                let excesses = simulation.statistics().excesses(&self.bounds);
                let is_more = excesses.len() > self.exceeded;
                self.exceeded = excesses.len();
                Ok(if is_more { excesses.iter().map(ToString::to_string).collect() } else { Vec::new() })
            }
            Drivers::Intro(_) => Ok(Vec::new()),
        }
    }

    /// Lets the forces on a body be others from the present on: `change` is told when that is.
    pub(crate) fn change_forces_on(&mut self, id: BodyId, change: impl FnOnce(f64)) -> Result<(), Halt> {
        match &mut self.driver {
            Drivers::Exact(simulation) => {
                let Some(state) = simulation.state(id) else { return Ok(()) };
                // The span up to now ends under the old forces; the next one begins under the new.
                simulation.set_state(id, state).map_err(halt)?;
                change(simulation.time());
                simulation.set_state(id, state).map_err(halt)
            }
            Drivers::Fixed(simulation) => {
                change(simulation.time());
                if !simulation.is_asleep(id) {
                    return Ok(());
                }
                let (pose, twist) = (simulation.pose(id), simulation.twist(id));
                simulation.set_state(id, &pose, &twist).map_err(halt)
            }
            Drivers::Intro(simulation) => {
                change(simulation.time());
                Ok(())
            }
        }
    }

    /// Lets a hand act from now on, where one can be added to a world that is simulated already; whether it can.
    pub(crate) fn take_hand(&mut self, force: HandForce) -> Result<bool, Halt> {
        if let Drivers::Fixed(simulation) = &mut self.driver {
            return simulation.add_force(force).map(|()| true).map_err(halt);
        }
        Ok(false)
    }

    /// Collisions, if it counts them, steps, and islands with how many of them fly in closed form, if it has any.
    pub(crate) fn counts(&self) -> (Option<u64>, u64, [u64; 2]) {
        match &self.driver {
            Drivers::Exact(simulation) => {
                let (islands, flights) = simulation.islands();
                (
                    Some(simulation.collisions().1),
                    simulation.statistics().steps,
                    [islands as u64, flights as u64],
                )
            }
            Drivers::Fixed(simulation) => (None, simulation.statistics().steps, [0; 2]),
            Drivers::Intro(simulation) => {
                (Some(simulation.statistics().impulses), simulation.statistics().steps, [0; 2])
            }
        }
    }

    /// What the solvers had to do so far.
    pub(crate) fn effort(&self) -> Effort {
        match &self.driver {
            Drivers::Exact(simulation) => {
                let (statistics, detection) = (simulation.statistics(), simulation.detection());
                Effort {
                    rejected: statistics.rejected,
                    evaluations: statistics.evaluations,
                    searches: detection.searches,
                    separations: [detection.separations.queries, detection.separations.hits],
                    time_steps: simulation.time_steps(),
                    residual: 0.0,
                }
            }
            Drivers::Fixed(simulation) => {
                let last = &simulation.statistics().last;
                Effort {
                    evaluations: u64::from(last.substeps),
                    searches: last.pairs as u64,
                    separations: [last.manifolds as u64, 0],
                    ..Effort::default()
                }
            }
            Drivers::Intro(simulation) => {
                let statistics = simulation.statistics();
                Effort {
                    rejected: statistics.back_steps,
                    searches: statistics.broad_phase.pairs,
                    ..Effort::default()
                }
            }
        }
    }

    /// How good it was so far, without what the ledger says.
    pub(crate) fn quality(&self) -> Quality {
        match &self.driver {
            Drivers::Exact(simulation) => {
                Quality { worst_overlap: simulation.deepest_overlap().0, ..Quality::default() }
            }
            Drivers::Fixed(simulation) => {
                let statistics = simulation.statistics();
                Quality {
                    overlap: statistics.last.overlap,
                    worst_overlap: statistics.worst_overlap,
                    joint_error: statistics.worst_joint_error,
                    ..Quality::default()
                }
            }
            // It knows overlaps by the tolerance of each pair only.
            Drivers::Intro(simulation) => Quality {
                overlap: f64::NAN,
                worst_overlap: f64::NAN,
                lost_time: simulation.statistics().lost_time,
                ..Quality::default()
            },
        }
    }
}

impl Driver for Session {
    type Stop = Halt;

    fn world(&self) -> &World {
        Self::world(self)
    }

    fn time(&self) -> f64 {
        Self::time(self)
    }

    fn advance_into(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Halt> {
        with_driver!(&mut self.driver, driver => Driver::advance_into(&mut **driver, t, sink, watch).map_err(halt))
    }

    fn advance_to_event(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Halt> {
        with_driver!(&mut self.driver, driver => Driver::advance_to_event(&mut **driver, t, sink, watch).map_err(halt))
    }

    fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), Halt> {
        with_driver!(&mut self.driver, driver => Driver::set_state(&mut **driver, id, pose, twist).map_err(halt))
    }

    fn pose(&self, id: BodyId) -> Pose {
        Self::pose(self, id)
    }

    fn twist(&self, id: BodyId) -> Twist {
        Self::twist(self, id)
    }

    fn ledger(&self) -> Ledger {
        with_driver!(&self.driver, driver => driver.ledger())
    }

    fn sample(&self) -> Sample {
        with_driver!(&self.driver, driver => driver.sample())
    }

    fn contact_forces(&self) -> Vec<ContactForce> {
        with_driver!(&self.driver, driver => Driver::contact_forces(&**driver))
    }

    fn joint_forces(&self) -> Vec<JointForce> {
        with_driver!(&self.driver, driver => Driver::joint_forces(&**driver))
    }

    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        with_driver!(&self.driver, driver => Driver::joint_coordinates(&**driver))
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        with_driver!(&self.driver, driver => Driver::snapshot(&**driver))
    }

    fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        with_driver!(&mut self.driver, driver => driver.load_snapshot(bytes))
    }
}
