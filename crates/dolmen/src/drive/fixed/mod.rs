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
mod pairs;
mod rows;
mod sleep;
mod snapshot;
mod step;
mod tolerances;
mod touch;

use std::sync::Arc;

pub use step::StepReport;

use crate::body::Kinematics;
use crate::drive::snapshot::{Form, hash};
use crate::drive::{Advance, Driver, SnapshotError};
use crate::force::Force;
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::narrow_phase::UnsupportedPair;
use crate::record::{
    CheckedLaw, ContactForce, Event, EventSink, JointCoordinate, JointForce, Ledger, Sample, Violation,
};
use crate::scene::typed;
use crate::world::{BodyId, Change, World};
use forces::Forces;
use rows::{number, record, threads};
use serde::{Deserialize, Serialize};
use snapshot::CoreState;
use step::Core;
use tolerances::{CRUMB, LONGEST_STEP, MOST_SUBSTEPS, MOST_THREADS};

/// The precision of velocities, rows and contacts. Positions are kept in double precision always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Precision {
    /// Single: twice as fast, errors of 1e-7 of the size of a body a step.
    #[default]
    F32,
    /// Double.
    F64,
}

/// What a user may choose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FixedSettings {
    /// The step h, s.
    pub step: f64,
    /// Sub-steps of a step.
    pub substeps: u32,
    /// Of velocities and contacts.
    pub precision: Precision,
    /// Threads that find contacts and prepare them; no bit hangs on their number.
    pub threads: u32,
    /// Whether islands of bodies at rest sleep until something comes.
    pub sleep: bool,
    /// Whether more sub-steps are made where few contacts bear much: columns, heavy bodies on light ones.
    pub stiff: bool,
}

impl Default for FixedSettings {
    fn default() -> Self {
        Self {
            step: 1.0 / 60.0,
            substeps: 8,
            precision: Precision::F32,
            threads: 1,
            sleep: false,
            stiff: false,
        }
    }
}

impl From<&typed::Run> for FixedSettings {
    /// What a scene says, and the defaults for the rest.
    fn from(run: &typed::Run) -> Self {
        let mut settings = Self::default();
        settings.step = run.step.as_ref().and_then(typed::StepLength::seconds).unwrap_or(settings.step);
        settings.substeps = run.substeps.unwrap_or(settings.substeps);
        settings.threads = run.threads.unwrap_or(settings.threads);
        settings.sleep = run.sleep.unwrap_or(settings.sleep);
        settings.stiff = run.stiff.unwrap_or(settings.stiff);
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
        if !(1..=MOST_THREADS).contains(&self.threads) {
            return Err(FixedError::Setting {
                name: "threads",
                value: self.threads.to_string(),
                allowed: "from 1 to 64",
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
    /// A state that a body cannot be put into.
    #[error("cannot put {body} into another state: {problem}")]
    Intervention {
        /// Which body.
        body: String,
        /// Why not.
        problem: &'static str,
    },
}

impl FixedError {
    /// The names of the bodies that it is about, to be found in a scene.
    pub fn bodies(&self) -> Vec<&str> {
        match self {
            Self::NotFinite { body, .. } | Self::Intervention { body, .. } => vec![body],
            Self::Pair { a, b, .. } => vec![a, b],
            Self::Setting { .. } | Self::Unsupported { .. } | Self::Change { .. } | Self::Time { .. } => {
                Vec::new()
            }
        }
    }
}

/// How good the steps were so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FixedStatistics {
    /// Steps made.
    pub steps: u64,
    /// The deepest overlap that a step found, m.
    pub worst_overlap: f64,
    /// The largest error of a joint after a step, m or rad.
    pub worst_joint_error: f64,
    /// The largest |energy − start − work + losses| that [`FixedSimulation::note_energy_drift`] found, J.
    pub worst_energy_drift: f64,
    /// The last step.
    pub last: StepReport,
}

/// A bound of the scene that steps exceeded.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "{name} was {value:.3e} {unit}, more than its bound {bound:.3e}; use a shorter step, or more sub-steps"
)]
pub struct Excess {
    /// Which law it is a bound of.
    pub law: CheckedLaw,
    /// As it is called in the scene.
    pub name: &'static str,
    /// The largest value so far.
    pub value: f64,
    /// What is allowed.
    pub bound: f64,
    /// Of both.
    pub unit: &'static str,
}

impl Excess {
    /// As a law that was found broken at `t`. It is of all bodies: a step keeps the worst alone.
    pub fn violation(&self, t: f64) -> Violation {
        let Self { law, value, bound, .. } = *self;
        Violation { t, law, bodies: Vec::new(), joint: None, solve: None, value, bound }
    }
}

impl FixedStatistics {
    /// Each law of fixed steps with its bound, if the scene gives one, and the most that was found so far.
    pub fn laws(&self, bounds: &typed::StepBounds) -> [(CheckedLaw, Option<f64>, f64); 3] {
        [
            (CheckedLaw::StepOverlap, bounds.overlap, self.worst_overlap),
            (CheckedLaw::StepJointError, bounds.joint_error, self.worst_joint_error),
            (CheckedLaw::StepEnergyDrift, bounds.energy_drift, self.worst_energy_drift),
        ]
    }

    /// The bounds that were exceeded so far.
    pub fn excesses(&self, bounds: &typed::StepBounds) -> Vec<Excess> {
        let excess = |(law, bound, value): (CheckedLaw, Option<f64>, f64)| {
            let (name, unit) = (law.name(), law.unit());
            bound.filter(|bound| value > *bound).map(|bound| Excess { law, name, value, bound, unit })
        };
        self.laws(bounds).into_iter().filter_map(excess).collect()
    }
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
    /// Not taken yet.
    events: Vec<Event>,
    keeps_events: bool,
    /// Where accelerations are asked for: twists before the last step, and its length. What comes next does not depend on it.
    before: Option<(Vec<Twist>, f64)>,
}

const FORM: Form = Form { magic: b"dolmen fixed", version: 1 };

/// What a snapshot holds besides the state of the bodies.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    settings: FixedSettings,
    steps: u64,
    t: f64,
    work: f64,
    lost: f64,
    start_energy: f64,
    statistics: FixedStatistics,
    events: Vec<Event>,
    keeps_events: bool,
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
            events: Vec::new(),
            keeps_events: false,
            before: None,
        };
        simulation.start_energy = simulation.ledger().total();
        Ok(simulation)
    }

    /// Goes on with another number of threads, with the same bits: a snapshot says how many it was taken with, which may be more than this
    /// machine has.
    ///
    /// ```
    /// use dolmen::drive::fixed::{FixedError, FixedSimulation};
    /// fn on_this_machine(restored: &mut FixedSimulation) -> Result<(), FixedError> {
    ///     restored.set_threads(2)
    /// }
    /// ```
    ///
    /// # Errors
    /// When there are none or more than 64.
    pub fn set_threads(&mut self, threads: u32) -> Result<(), FixedError> {
        let settings = FixedSettings { threads, ..self.settings };
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Whether a body sleeps: it lies still and nothing of it is looked at.
    pub fn is_asleep(&self, id: BodyId) -> bool {
        with_core!(&self.cores, core => core.sleep.is_asleep(id.index()))
    }

    /// Wakes all bodies that sleep: to be called when something of the world has changed.
    pub fn wake(&mut self) {
        let t = self.t;
        with_core!(&mut self.cores, core => core.wake(None, t));
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
        if let Some((mut twists, _)) = self.before.take() {
            twists.clear();
            twists.extend(self.world.body_ids().map(|id| self.twist(id)));
            self.before = Some((twists, h));
        }
        let (world, settings, t) = (&self.world, &self.settings, self.t);
        let found = self.events.len();
        let report =
            with_core!(&mut self.cores, core => core.step(world, settings, (t, h), &mut self.events))?;
        if !self.keeps_events {
            self.events.truncate(found);
        }
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

    /// Takes the present drift of energy into the statistics. It is not done in every step: it takes a look at every body.
    pub fn note_energy_drift(&mut self) -> f64 {
        let drift = self.energy_drift();
        self.statistics.worst_energy_drift = self.statistics.worst_energy_drift.max(drift.abs());
        drift
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

    /// Says whether contacts that begin and end are kept as events from now on; they are not at first.
    pub fn keep_events(&mut self, keep: bool) {
        self.keeps_events = keep;
    }

    /// Says whether [`Driver::kinematics`] is known from now on: accelerations are means over the last step.
    pub fn keep_accelerations(&mut self, keep: bool) {
        self.before = keep.then(|| self.before.take().unwrap_or_default());
    }

    /// Pose, twist and acceleration of a body, if they are [kept](Self::keep_accelerations) and a step was made since.
    pub fn kinematics(&self, id: BodyId) -> Option<Kinematics> {
        let (pose, twist) = (self.pose(id), self.twist(id));
        if let Some(motion) = self.world.body(id).prescribed_motion() {
            let (acceleration, spin_rate) = motion.acceleration(self.t);
            return Some(Kinematics { pose, twist, acceleration, spin_rate });
        }
        let (twists, h) = self.before.as_ref()?;
        let before = twists.get(id.index())?;
        let acceleration = (twist.velocity - before.velocity) / *h;
        Some(Kinematics { pose, twist, acceleration, spin_rate: (twist.spin - before.spin) / *h })
    }

    /// The events that were kept since they were last taken, in the order of time: [`EventKind::Collision`] where two bodies begin
    /// to touch, at the end of the step in which they do, and [`EventKind::Break`] where they cease to.
    ///
    /// [`EventKind::Collision`]: crate::record::EventKind::Collision
    /// [`EventKind::Break`]: crate::record::EventKind::Break
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The forces of all contact points that pressed in the last sub-step, their mean over it, in the order of their bodies. Where
    /// bodies have just hit each other, that is what stopped them.
    pub fn contact_forces(&self) -> Vec<ContactForce> {
        with_core!(&self.cores, core => core.contact_forces(&self.world))
    }

    /// The force and torque of every joint, their mean over the last sub-step, in the order of [`World::joints`].
    pub fn joint_forces(&self) -> Vec<JointForce> {
        with_core!(&self.cores, core => core.joint_forces(&self.world))
    }

    /// The coordinates of every joint along its free axes, now, with what its motors did: their mean over the last sub-step. In the
    /// order of [`World::joints`] and of the axes.
    pub fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        with_core!(&self.cores, core => core.joint_coordinates(&self.world, self.t))
    }

    /// The current state as bytes, from which [`FixedSimulation::restore`] goes on with the same bits, in this process or another.
    ///
    /// # Panics
    /// Never: every part of a state can be written.
    pub fn snapshot(&self) -> Vec<u8> {
        let head = Head {
            settings: self.settings,
            steps: self.steps,
            t: self.t,
            work: self.work,
            lost: self.lost,
            start_energy: self.start_energy,
            statistics: self.statistics,
            events: self.events.clone(),
            keeps_events: self.keeps_events,
        };
        let body = with_core!(&self.cores, core => postcard::to_stdvec(&(head, core.state())));
        FORM.seal(&hash(&self.world), &body.expect("every part of a state can be written"))
    }

    /// Goes on from a snapshot of a simulation of this world, with the settings that it had.
    ///
    /// # Errors
    /// When the bytes are no snapshot of this driver, damaged, of another version or of another world.
    pub fn restore(world: impl Into<Arc<World>>, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let world = world.into();
        let body = FORM.open(&hash(&world), bytes)?;
        let unread = |error: postcard::Error| SnapshotError::Damaged { what: error.to_string() };
        let unsound = |what: &str| SnapshotError::Damaged { what: what.to_owned() };
        let (head, rest) = postcard::take_from_bytes::<Head>(body).map_err(unread)?;
        head.settings.check().map_err(|error| unsound(&error.to_string()))?;
        let cores = match head.settings.precision {
            Precision::F32 => {
                let state: CoreState<f32> = postcard::from_bytes(rest).map_err(unread)?;
                Cores::Single(Box::new(Core::restore(&world, state, head.t).map_err(unsound)?))
            }
            Precision::F64 => {
                let state: CoreState<f64> = postcard::from_bytes(rest).map_err(unread)?;
                Cores::Double(Box::new(Core::restore(&world, state, head.t).map_err(unsound)?))
            }
        };
        let Head { settings, steps, t, work, lost, start_energy, statistics, events, keeps_events } = head;
        Ok(Self {
            world,
            settings,
            cores,
            steps,
            t,
            work,
            lost,
            start_energy,
            statistics,
            events,
            keeps_events,
            before: None,
        })
    }

    /// Puts a dynamic body somewhere and gives it a motion. Its contacts are found anew; the energy of that is booked as work.
    ///
    /// # Errors
    /// When the body is fixed or kinematic, or a number is not finite.
    pub fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), FixedError> {
        let is_finite = pose.position.is_finite()
            && pose.orientation.is_finite()
            && pose.orientation.length() > 0.0
            && twist.velocity.is_finite()
            && twist.spin.is_finite();
        let refuse = |problem| Err(FixedError::Intervention { body: self.world.body_name(id), problem });
        if !self.world.body(id).is_dynamic() {
            return refuse("it is fixed or kinematic; change its motion in the world");
        }
        if !is_finite {
            return refuse("a number is not finite, or the quaternion is zero");
        }
        let before = self.ledger().total();
        let t = self.t;
        with_core!(&mut self.cores, core => {
            core.wake(Some(id.index()), t);
            core.bodies.set(id.index(), pose, twist);
        });
        self.work += self.ledger().total() - before;
        Ok(())
    }

    /// Changes the description, now: the next step is made under it. What a new target adds to the potential of a motor is work.
    ///
    /// # Errors
    /// When the change cannot be; then nothing is changed.
    pub fn intervene(&mut self, change: &Change) -> Result<(), FixedError> {
        let mut world = World::clone(&self.world);
        world.change(self.t, change).map_err(|error| FixedError::Change { problem: error.to_string() })?;
        self.describe_anew(world);
        Ok(())
    }

    /// Lets another force act from now on; what it has of potential energy now is booked as work.
    ///
    /// # Errors
    /// When the world refuses it; then nothing is changed.
    pub fn add_force(&mut self, force: impl Force + 'static) -> Result<(), FixedError> {
        let mut world = World::clone(&self.world);
        world.add_force(force).map_err(|error| FixedError::Change { problem: error.to_string() })?;
        self.describe_anew(world);
        Ok(())
    }

    /// Goes on with another description of the same bodies and joints.
    fn describe_anew(&mut self, world: World) {
        let before = self.ledger().total();
        self.world = Arc::new(world);
        with_core!(&mut self.cores, core => core.forces = Forces::new(&self.world));
        self.wake();
        self.work += self.ledger().total() - before;
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
        let (sets, drifts) = (Vec::new(), Vec::new());
        Sample { t: self.t, bodies, sets, ledger: self.ledger(), momentum, angular_momentum, drifts }
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
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, FixedError> {
        loop {
            let gone = self.advance_to_event(t, sink, watch)?;
            if gone != Advance::Event || self.t >= t {
                return Ok(if gone == Advance::Interrupted { gone } else { Advance::Reached });
            }
        }
    }

    fn advance_to_event(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, FixedError> {
        if !t.is_finite() || t < self.t {
            return Err(FixedError::Time { asked: t, now: self.t });
        }
        // Those that were kept come first.
        let keeps = std::mem::replace(&mut self.keeps_events, true);
        let mut is_there = Ok(true);
        while self.events.is_empty() && self.t < t {
            let mut goes_on = true;
            // One step at a time.
            let stepped = self.advance_while(t, &mut |now| {
                goes_on = watch(now);
                false
            });
            is_there = stepped.map(|reached| reached || goes_on);
            if !matches!(is_there, Ok(true)) {
                break;
            }
        }
        self.keeps_events = keeps;
        let has_events = !self.events.is_empty();
        self.events.drain(..).for_each(|event| sink.event(&event));
        match is_there {
            Err(error) => Err(error),
            Ok(false) => Ok(Advance::Interrupted),
            Ok(true) if has_events => Ok(Advance::Event),
            Ok(true) => Ok(Advance::Reached),
        }
    }

    fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), FixedError> {
        Self::set_state(self, id, pose, twist)
    }

    fn contact_forces(&self) -> Vec<ContactForce> {
        Self::contact_forces(self)
    }

    fn joint_forces(&self) -> Vec<JointForce> {
        Self::joint_forces(self)
    }

    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        Self::joint_coordinates(self)
    }

    fn kinematics(&self, id: BodyId) -> Option<Kinematics> {
        Self::kinematics(self, id)
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        Some(Self::snapshot(self))
    }

    fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let keeps_accelerations = self.before.is_some();
        *self = Self::restore(Arc::clone(&self.world), bytes)?;
        self.keep_accelerations(keeps_accelerations);
        Ok(())
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
