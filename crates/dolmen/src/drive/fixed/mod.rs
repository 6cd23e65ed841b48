//! Fixed steps: for tens of thousands of bodies, and for pictures that move while one looks.
//!
//! The same world as the exact driver's. Every step finds contacts once and is divided into sub-steps:
//!
//! ```text
//! fat boxes → pairs → manifolds → colours and rows                          (once a step)
//! v += h F/m → warm start → impulses with springs → x += h v → impulses without springs, with friction     (n times)
//! restitution → impulses kept → overlap, joint error and energy reported    (once a step)
//! ```
//!
//! Contacts are springs whose stiffness follows the rate of sub-steps [Macklin et al. 2019; Catto 2024], so overlap at rest falls with
//! the square of their number. `docs/fixed.md` says what converges to the exact driver's answer, and what does not.

mod bodies;
mod boxes;
mod detect;
mod forces;
mod groups;
mod joints;
mod manifold;
mod number;
mod pairs;
mod record;
mod rows;
mod step;
mod tolerances;

use std::sync::Arc;

pub use step::StepReport;

use crate::drive::{Advance, Driver};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::narrow_phase::UnsupportedPair;
use crate::record::{EventSink, Ledger, Sample};
use crate::scene::typed;
use crate::world::{BodyId, Change, World};
use forces::Forces;
use step::Core;
use tolerances::{CRUMB, LONGEST_STEP, MOST_SUBSTEPS};

/// The precision of velocities, rows and contacts. Positions are kept in double precision always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single: twice as fast, errors of 1e-7 of the size of a body a step.
    #[default]
    F32,
    /// Double.
    F64,
}

/// What a user may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedSettings {
    /// The step h, s.
    pub step: f64,
    /// Sub-steps of a step.
    pub substeps: u32,
    /// Of velocities and contacts.
    pub precision: Precision,
}

impl Default for FixedSettings {
    fn default() -> Self {
        Self { step: 1.0 / 60.0, substeps: 8, precision: Precision::F32 }
    }
}

impl From<&typed::Run> for FixedSettings {
    /// What a scene says, and the defaults for the rest.
    fn from(run: &typed::Run) -> Self {
        let mut settings = Self::default();
        settings.step = run.step.as_ref().and_then(typed::StepLength::seconds).unwrap_or(settings.step);
        settings.substeps = run.substeps.unwrap_or(settings.substeps);
        settings.precision = match run.precision {
            Some(typed::Precision::F64) => Precision::F64,
            Some(typed::Precision::F32) => Precision::F32,
            None => settings.precision,
        };
        settings
    }
}

impl FixedSettings {
    /// Whether every setting makes sense.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), FixedError> {
        if !(self.step > 0.0 && self.step <= LONGEST_STEP) {
            return Err(FixedError::Setting {
                name: "step",
                value: self.step.to_string(),
                allowed: "greater than 0 and at most 1 s",
            });
        }
        if !(1..=MOST_SUBSTEPS).contains(&self.substeps) {
            return Err(FixedError::Setting {
                name: "substeps",
                value: self.substeps.to_string(),
                allowed: "from 1 to 1000",
            });
        }
        Ok(())
    }
}

/// Why a world cannot be taken through fixed steps.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FixedError {
    /// A setting out of range.
    #[error("{name} = {value} of the driver \"fixed\" is out of range; it must be {allowed}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What was given.
        value: String,
        /// What would do.
        allowed: &'static str,
    },
    /// Something that this driver does not have.
    #[error("the driver \"fixed\" takes no {what} ({name}); use the exact driver, or take it out")]
    Unsupported {
        /// What.
        what: &'static str,
        /// Which of them.
        name: String,
    },
    /// A number left the range.
    #[error(
        "the state of {body} is not finite any more at t = {t} s; use a shorter step, or scale the scene"
    )]
    NotFinite {
        /// Whose.
        body: String,
        /// When, s.
        t: f64,
    },
    /// Two shapes whose contact has no answer.
    #[error("no contact of {a} with {b}: {pair}")]
    Pair {
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// Their shapes, and what to do.
        pair: UnsupportedPair,
    },
    /// A change that cannot be made.
    #[error("{problem}")]
    Change {
        /// What is wrong with it.
        problem: String,
    },
    /// A time that lies in the past, or is no number.
    #[error("cannot go to t = {asked} s from t = {now} s; ask for a finite time that is not earlier")]
    Time {
        /// Asked for, s.
        asked: f64,
        /// The present, s.
        now: f64,
    },
}

impl FixedError {
    /// The names of the bodies that it is about, to be found in a scene.
    pub fn bodies(&self) -> Vec<&str> {
        match self {
            Self::NotFinite { body, .. } => vec![body],
            Self::Pair { a, b, .. } => vec![a, b],
            Self::Setting { .. } | Self::Unsupported { .. } | Self::Change { .. } | Self::Time { .. } => {
                Vec::new()
            }
        }
    }
}

/// How good the steps were so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FixedStatistics {
    /// Steps made.
    pub steps: u64,
    /// The deepest overlap that a step found, m.
    pub worst_overlap: f64,
    /// The largest error of a joint after a step, m or rad.
    pub worst_joint_error: f64,
    /// The largest |energy − start − work + losses|, J.
    pub worst_energy_drift: f64,
    /// The last step.
    pub last: StepReport,
}

#[derive(Debug, Clone)]
enum Cores {
    Single(Box<Core<f32>>),
    Double(Box<Core<f64>>),
}

macro_rules! with_core {
    ($cores:expr, $core:ident => $body:expr) => {
        match $cores {
            Cores::Single($core) => $body,
            Cores::Double($core) => $body,
        }
    };
}

/// A world in fixed steps.
#[derive(Debug, Clone)]
pub struct FixedSimulation {
    world: Arc<World>,
    settings: FixedSettings,
    cores: Cores,
    steps: u64,
    t: f64,
    work: f64,
    lost: f64,
    start_energy: f64,
    statistics: FixedStatistics,
}

impl FixedSimulation {
    /// At t = 0.
    ///
    /// # Errors
    /// When a setting is out of range, or the world has something that this driver does not take.
    pub fn new(world: impl Into<Arc<World>>, settings: FixedSettings) -> Result<Self, FixedError> {
        settings.check()?;
        let world = world.into();
        if let Some(set) = world.sets().first() {
            return Err(FixedError::Unsupported { what: "particles", name: set.name().to_owned() });
        }
        let cores = match settings.precision {
            Precision::F32 => Cores::Single(Box::new(Core::new(&world))),
            Precision::F64 => Cores::Double(Box::new(Core::new(&world))),
        };
        let mut simulation = Self {
            world,
            settings,
            cores,
            steps: 0,
            t: 0.0,
            work: 0.0,
            lost: 0.0,
            start_energy: 0.0,
            statistics: FixedStatistics::default(),
        };
        simulation.start_energy = simulation.ledger().total();
        Ok(simulation)
    }

    /// The settings.
    pub fn settings(&self) -> &FixedSettings {
        &self.settings
    }

    /// How good the steps were so far.
    pub fn statistics(&self) -> &FixedStatistics {
        &self.statistics
    }

    /// Makes one step of the length that was set.
    ///
    /// # Errors
    /// When a body is not finite after it.
    pub fn step(&mut self) -> Result<StepReport, FixedError> {
        self.step_by(self.settings.step)
    }

    fn step_by(&mut self, h: f64) -> Result<StepReport, FixedError> {
        let report = with_core!(&mut self.cores, core => core.step(&self.world, &self.settings, self.t, h))?;
        self.t += h;
        self.steps += 1;
        self.work += report.work;
        self.lost += report.lost;
        let statistics = &mut self.statistics;
        statistics.steps = self.steps;
        statistics.worst_overlap = statistics.worst_overlap.max(report.overlap);
        statistics.worst_joint_error = statistics.worst_joint_error.max(report.joint_error);
        statistics.last = report;
        Ok(report)
    }

    /// Energy that is not accounted for by work and losses, J.
    pub fn energy_drift(&self) -> f64 {
        let ledger = self.ledger();
        ledger.total() - self.start_energy - ledger.work + ledger.lost()
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.pose(self.t),
            None => with_core!(&self.cores, core => core.bodies.pose(id.index())),
        }
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.twist(self.t),
            None => with_core!(&self.cores, core => core.bodies.twist(id.index())),
        }
    }

    /// Puts a dynamic body somewhere and gives it a motion. Its contacts are found anew.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), FixedError> {
        let is_finite = pose.position.is_finite()
            && pose.orientation.is_finite()
            && pose.orientation.length() > 0.0
            && twist.velocity.is_finite()
            && twist.spin.is_finite();
        if !is_finite {
            return Err(FixedError::NotFinite { body: self.world.body_name(id), t: self.t });
        }
        with_core!(&mut self.cores, core => core.bodies.set(id.index(), pose, twist));
        Ok(())
    }

    /// Changes the description, now: the next step is made under it. What a new target adds to the potential of a motor is work.
    ///
    /// # Errors
    /// When the change cannot be; then nothing is changed.
    pub fn intervene(&mut self, change: &Change) -> Result<(), FixedError> {
        let mut world = World::clone(&self.world);
        world.change(self.t, change).map_err(|error| FixedError::Change { problem: error.to_string() })?;
        let before = self.ledger().total();
        self.world = Arc::new(world);
        with_core!(&mut self.cores, core => core.forces = Forces::new(&self.world));
        self.work += self.ledger().total() - before;
        Ok(())
    }

    /// Goes on by whole steps until `t` is reached; the last one is shortened to end there.
    ///
    /// # Errors
    /// When `t` is not finite or lies in the past, or a number leaves its range.
    pub fn advance(&mut self, t: f64) -> Result<(), FixedError> {
        self.advance_while(t, &mut |_| true).map(|_| ())
    }

    /// As [`advance`](Self::advance), but calls `go_on` after each step; false ends it. Returns whether `t` was reached.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn advance_while(&mut self, t: f64, go_on: &mut dyn FnMut(f64) -> bool) -> Result<bool, FixedError> {
        if !t.is_finite() || t < self.t {
            return Err(FixedError::Time { asked: t, now: self.t });
        }
        while self.t < t {
            let left = t - self.t;
            let h = self.settings.step;
            // Rounding of the times of whole steps must not leave a crumb of a step.
            if left <= h * (1.0 + CRUMB) {
                self.step_by(left)?;
                self.t = t;
            } else {
                self.step_by(h)?;
            }
            if !go_on(self.t) {
                return Ok(self.t >= t);
            }
        }
        Ok(true)
    }

    /// Energy now, the work of forces without a potential, and what impulses took: of contacts and joints together, as collisions.
    pub fn ledger(&self) -> Ledger {
        let gravity = self.world.gravity();
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (i, body) in self.world.bodies().iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            kinetic += with_core!(&self.cores, core => core.bodies.kinetic(i));
            let position = with_core!(&self.cores, core => core.bodies.position[i]);
            potential -= body.inertia().mass * gravity.dot(position);
        }
        potential += with_core!(&self.cores, core => {
            if core.forces.is_empty() {
                0.0
            } else {
                let turns = core.joints.as_ref().map_or(&[][..], |joints| &joints.turns);
                core.forces.clone().potential(&self.world, &core.bodies, self.t, turns)
            }
        });
        Ledger { kinetic, potential, work: self.work, collisions: self.lost, ..Ledger::default() }
    }

    /// Everything about the present instant.
    pub fn sample(&self) -> Sample {
        let (mut momentum, mut angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
        let mut bodies = Vec::with_capacity(self.world.bodies().len());
        for id in self.world.body_ids() {
            let (pose, twist) = (self.pose(id), self.twist(id));
            let body = self.world.body(id);
            if body.is_dynamic() {
                let state = crate::body::BodyState::new(body.inertia(), &pose, &twist);
                momentum += state.momentum;
                angular_momentum += state.angular_momentum_about_origin();
            }
            bodies.push((pose, twist));
        }
        Sample { t: self.t, bodies, sets: Vec::new(), ledger: self.ledger(), momentum, angular_momentum }
    }
}

impl Driver for FixedSimulation {
    type Stop = FixedError;

    fn world(&self) -> &World {
        &self.world
    }

    fn time(&self) -> f64 {
        self.t
    }

    fn advance_into(
        &mut self,
        t: f64,
        _sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, FixedError> {
        let reached = self.advance_while(t, watch)?;
        Ok(if reached { Advance::Reached } else { Advance::Interrupted })
    }

    fn pose(&self, id: BodyId) -> Pose {
        Self::pose(self, id)
    }

    fn twist(&self, id: BodyId) -> Twist {
        Self::twist(self, id)
    }

    fn ledger(&self) -> Ledger {
        Self::ledger(self)
    }

    fn sample(&self) -> Sample {
        Self::sample(self)
    }
}
