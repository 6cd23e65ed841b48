//! The update loop of an introduction, for teaching: fixed steps, back-stepping to a contact, impulses, rest without a solver.
//!
//! [INTRO, Update and Display], with its mistakes corrected: the back-stepping has a bound, the rest of a step is not lost, and
//! a body that leaves a plane keeps its momentum. Nothing here is exact; see `docs/intro-driver.md` for what it cannot do.
//!
//! ```text
//! y₀ = y;  y = rk4(y₀, h)
//! while y penetrates: halve from y₀ until bodies touch                     (back-step)
//! where they collide: impulses                                             (ComputeImpulse)
//! go on with the rest of h; in the derivative, contacts at rest take
//! momentum and force into the surface away                                 (ComputeRestImpulse)
//! ```
//!
//! Or, with [`RestRule::Forces`], contact forces in the derivative. [NOTES II; PAPER]

mod check;
mod forces;
mod laws;
mod locate;
mod rest;
mod step;
mod tolerances;

use std::sync::Arc;

use crate::body::BodyState;
use crate::drive::{Advance, Driver, SnapshotError};
use crate::dynamics::{Equations, Island, Scratch};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::narrow_phase::{Class, Geometry, Manifold, UnsupportedPair};
pub use crate::record::BackStep;
use crate::record::{Event, EventSink, LawStatus, Ledger, Sample, Violation};
use crate::scene::typed;
use crate::world::{Body, BodyId, SetId, World};
use check::{Pairs, Touch};
use forces::StepForces;
use laws::LawRecord;
use tolerances::CRUMB;

/// How it is decided whether a body at rest must stop rotating. [INTRO, Calculating Rest Impulse Forces]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestRule {
    /// By the sign of n·(ω×r) at the contact: the code of the text.
    #[default]
    Sign,
    /// By a trial step without: if it penetrates, the body must. The words of the text.
    Trial,
    /// Not by INTRO's rules: contact forces in every derivative, by the solver that the world chooses. [NOTES II; PAPER]
    Forces,
}

/// How the instant of a contact within a step is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocateRule {
    /// Halvings, every trial from the saved state at the start of the step. [INTRO, Update and Display]
    #[default]
    Backstep,
    /// Halvings, every trial restarted at the last instant that was free. [NOTES II, bisection]
    Bisection,
    /// From how far bodies are in or apart and how fast that changes, within the bounds of the halvings. [NOTES II; PAPER]
    Prediction,
}

/// How the impulses of several contacts at one instant follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpulseOrder {
    /// All from the velocities before, as in the text: a cube that falls flat rises straight, but a tall box gains energy.
    #[default]
    Together,
    /// One after the other with new velocities, in rounds until none approaches: never gains energy, breaks symmetry.
    InTurn,
}

/// What a user of the update loop may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntroSettings {
    /// The step h, s.
    pub step: f64,
    /// Rates of separation smaller than this are rest, m/s.
    pub speed: f64,
    /// Halvings of a step at most.
    pub back_steps: u32,
    /// Contacts that a step may back-step to; what is left of it then is lost and counted.
    pub rounds: u32,
    /// How rotation is stopped.
    pub rest: RestRule,
    /// How several impulses follow each other.
    pub order: ImpulseOrder,
    /// How the instant of a contact is found.
    pub locate: LocateRule,
}

impl Default for IntroSettings {
    fn default() -> Self {
        Self {
            step: 0.01,
            speed: 0.05,
            back_steps: 50,
            rounds: 16,
            rest: RestRule::default(),
            order: ImpulseOrder::default(),
            locate: LocateRule::default(),
        }
    }
}

impl From<&typed::Intro> for IntroSettings {
    /// What a scene says, and the defaults for the rest.
    fn from(given: &typed::Intro) -> Self {
        let mut settings = Self::default();
        settings.step = given.step.unwrap_or(settings.step);
        settings.speed = given.speed.unwrap_or(settings.speed);
        settings.back_steps = given.back_steps.unwrap_or(settings.back_steps);
        settings.rounds = given.rounds.unwrap_or(settings.rounds);
        settings.rest = match given.rest {
            Some(typed::IntroRest::Trial) => RestRule::Trial,
            Some(typed::IntroRest::Sign) => RestRule::Sign,
            Some(typed::IntroRest::Forces) => RestRule::Forces,
            None => settings.rest,
        };
        settings.order = match given.impulses {
            Some(typed::IntroImpulses::InTurn) => ImpulseOrder::InTurn,
            Some(typed::IntroImpulses::Together) => ImpulseOrder::Together,
            None => settings.order,
        };
        settings.locate = match given.locate {
            Some(typed::IntroLocate::Backstep) => LocateRule::Backstep,
            Some(typed::IntroLocate::Bisection) => LocateRule::Bisection,
            Some(typed::IntroLocate::Prediction) => LocateRule::Prediction,
            None => settings.locate,
        };
        settings
    }
}

/// Why a world cannot be taken through the update loop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IntroError {
    /// A setting out of range.
    #[error("{name} = {value} of the update loop is out of range; it must be finite and greater than 0")]
    Setting {
        /// Which.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// Particles that touch nothing.
    #[error(
        "the update loop takes no particles that pass everything, as those of {set:?} do; let them meet a body, or use the exact driver"
    )]
    Particles {
        /// The set.
        set: String,
    },
    /// Joints.
    #[error("the update loop has no joints; use the exact driver for scenes with joints, or take them out")]
    Joints,
    /// Two bodies overlap at the start.
    #[error("{a} and {b} overlap at the start; move them apart, or put them into groups that do not collide")]
    Overlap {
        /// One body.
        a: String,
        /// The other.
        b: String,
    },
    /// A number left the range of double precision.
    #[error(
        "the state of {body} is not finite any more at t = {} s; use a shorter step, or scale the scene", crate::math::Digits(*.t)
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
    /// A state that a body cannot be put into.
    #[error("cannot put {body} into another state: {problem}")]
    Intervention {
        /// Which body.
        body: String,
        /// Why not.
        problem: &'static str,
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

/// What steps have cost and lost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IntroStatistics {
    /// Steps made.
    pub steps: u64,
    /// Parts of steps tried in back-stepping.
    pub back_steps: u64,
    /// Impulses of collisions.
    pub impulses: u64,
    /// Time that a body lost because contacts of one step were too many, s: the most of any body.
    pub lost_time: f64,
    /// What the broad phase did.
    pub broad_phase: BroadPhaseSum,
}

/// What all updates of the broad phase came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BroadPhaseSum {
    /// Updates: one for every trial of a step.
    pub updates: u64,
    /// Pairs reported, of all updates.
    pub pairs: u64,
    /// Tests of one box against another.
    pub tests: u64,
    /// Neighbours exchanged while sorting; of sort-and-sweep only.
    pub exchanges: u64,
    /// Updates that started from nothing.
    pub restarts: u64,
    /// Time by the clock of [`IntroSimulation::set_clock`]; 0 without one.
    pub ticks: u64,
}

/// A world in the update loop.
#[derive(Debug, Clone)]
pub struct IntroSimulation {
    world: Arc<World>,
    settings: IntroSettings,
    geometries: Vec<Option<Geometry>>,
    islands: Vec<Island>,
    scratch: Scratch,
    vector: Vec<f64>,
    states: Vec<BodyState>,
    t: f64,
    touches: Vec<Touch>,
    class: Class,
    /// Bodies whose rotation a trial step has found to penetrate.
    stopped: Vec<bool>,
    manifold: Manifold,
    last_collision: Option<f64>,
    events: Vec<Event>,
    back_steps: Vec<BackStep>,
    /// The number of the last instant of collisions.
    group: u64,
    /// Lost in collisions, J.
    lost: f64,
    /// Kinetic energy that rest impulses have taken, J.
    closed: f64,
    /// The same of the step that is being tried, J.
    stopped_energy: f64,
    /// Work of forces without a potential and of kinematic bodies, J.
    work: f64,
    /// The same of the step that is being tried, J.
    tried_work: f64,
    /// What contact forces do on bodies that part, in the step that is being tried, J.
    tried_gain: f64,
    forces: StepForces,
    /// Whether the forces of the last step were approximate.
    is_approximate: bool,
    /// Bodies that keep their place for the rest of a step.
    is_still: Vec<bool>,
    /// What each body has lost of its time, s.
    lost_times: Vec<f64>,
    pairs: Pairs,
    laws: LawRecord,
    clock: Option<fn() -> u64>,
    statistics: IntroStatistics,
}

impl IntroSimulation {
    /// At t = 0.
    ///
    /// # Errors
    /// When a setting is out of range, the world has joints or particles that touch nothing, or two bodies overlap or have no contact.
    pub fn new(world: impl Into<Arc<World>>, settings: IntroSettings) -> Result<Self, IntroError> {
        for (name, value) in [("step", settings.step), ("speed", settings.speed)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(IntroError::Setting { name, value });
            }
        }
        let world = world.into();
        let is_list = |id: &SetId| world.members().particle_bodies(*id).is_none();
        if let Some(id) = world.set_ids().find(is_list) {
            return Err(IntroError::Particles { set: world.set(id).name().to_owned() });
        }
        if !world.joints().is_empty() {
            return Err(IntroError::Joints);
        }
        let enabled = world.contact().enabled;
        let mut simulation = Self {
            geometries: world
                .bodies()
                .iter()
                .map(|body| body.shape().filter(|_| enabled).map(Geometry::new))
                .collect(),
            islands: Island::all(&world),
            scratch: Scratch::new(&world),
            vector: Vec::new(),
            states: world.bodies().iter().map(Body::start_state).collect(),
            t: 0.0,
            touches: Vec::new(),
            class: Class::Clear,
            stopped: vec![false; world.bodies().len()],
            manifold: Manifold::default(),
            last_collision: None,
            events: Vec::new(),
            back_steps: Vec::new(),
            group: 0,
            lost: 0.0,
            closed: 0.0,
            stopped_energy: 0.0,
            work: 0.0,
            tried_work: 0.0,
            tried_gain: 0.0,
            forces: StepForces::default(),
            is_approximate: false,
            is_still: vec![false; world.bodies().len()],
            lost_times: vec![0.0; world.bodies().len()],
            pairs: Pairs::new(&world),
            laws: LawRecord::default(),
            clock: None,
            statistics: IntroStatistics::default(),
            settings,
            world,
        };
        simulation.check()?;
        if let Some(touch) = simulation.touches.iter().find(|touch| touch.class == Class::Penetrating) {
            let [a, b] = touch.bodies.map(|body| simulation.world.body_name(BodyId::from_rank(body)));
            return Err(IntroError::Overlap { a, b });
        }
        simulation.check_laws();
        Ok(simulation)
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present time, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.pose(self.t),
            None => self.states[id.index()].pose(),
        }
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.twist(self.t),
            None => self.states[id.index()].twist(self.world.body(id).inertia()),
        }
    }

    /// What bodies are doing: the class of all contacts together, as the text keeps it.
    pub fn class(&self) -> Class {
        self.class
    }

    /// When bodies collided last, s: the instant that back-stepping found.
    pub fn last_collision(&self) -> Option<f64> {
        self.last_collision
    }

    /// What steps have cost and lost.
    pub fn statistics(&self) -> IntroStatistics {
        self.statistics
    }

    /// Times the broad phase by this clock from now on, which gives ticks that only rise. The engine has none of its own.
    pub fn set_clock(&mut self, clock: fn() -> u64) {
        self.clock = Some(clock);
    }

    /// The broad phase that finds pairs, by name.
    pub fn broad_phase(&self) -> &'static str {
        self.pairs.phase.as_ref().map_or("none", |phase| phase.method().name())
    }

    /// What a body has lost of its time because contacts of one step were too many, s.
    pub fn lost_time(&self, id: BodyId) -> f64 {
        self.lost_times[id.index()]
    }

    /// How the run stands with the laws that are checked here.
    pub fn law_status(&self) -> Vec<LawStatus> {
        self.laws.status(&self.world)
    }

    /// The laws that were broken since this was last asked.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.laws.violations)
    }

    /// Instants at which bodies have collided.
    pub fn collision_instants(&self) -> u64 {
        self.group
    }

    /// The collisions since this was last asked, in the order of time.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The back-steps since this was last asked, in the order of time.
    pub fn take_back_steps(&mut self) -> Vec<BackStep> {
        std::mem::take(&mut self.back_steps)
    }

    /// Kinetic and potential energy now, J.
    pub fn energy(&self) -> f64 {
        self.ledger().total()
    }

    /// Energy now, the work of forces without a potential, and what was lost, J: in collisions by their impulses, and as `closing`
    /// what rest impulses took. What is missing is the error of the steps.
    pub fn ledger(&self) -> Ledger {
        let (mut potential, mut scratch) = (0.0, Scratch::new(&self.world));
        for island in &self.islands {
            let mut y = vec![0.0; island.dim()];
            island.pack(&self.states, &[], 0.0, &mut y);
            let smooth = island.smooth_interval(self.t);
            potential += Equations::new(&self.world, island, &mut scratch, smooth).potential(self.t, &y);
        }
        let kinetic = self.kinetic_energy(&self.states);
        Ledger {
            kinetic,
            potential,
            work: self.work,
            collisions: self.lost,
            closing: self.closed,
            ..Ledger::default()
        }
    }

    /// Everything about the present instant.
    pub fn sample(&self) -> Sample {
        let ledger = self.ledger();
        let mobile = (0..self.states.len()).filter(|body| self.world.bodies()[*body].is_dynamic());
        let (mut momentum, mut angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
        for body in mobile {
            momentum += self.states[body].momentum;
            angular_momentum += self.states[body].angular_momentum_about_origin();
        }
        let bodies = self.world.described_ids().map(|id| (self.pose(id), self.twist(id))).collect();
        let of_particles = |id: SetId| {
            let range = self.world.members().particle_bodies(id).unwrap_or_default();
            let velocity = |k: usize| self.states[k].momentum * self.world.bodies()[k].inertia().inv_mass;
            (range.clone().map(|k| self.states[k].position).collect(), range.map(velocity).collect())
        };
        let sets = self.world.set_ids().map(of_particles).collect();
        Sample { t: self.t, bodies, sets, ledger, momentum, angular_momentum, drifts: Vec::new() }
    }

    /// Puts a body that forces move into another state, now; the energy of that is booked as work.
    ///
    /// # Errors
    /// When forces do not move it, a number is not finite, or it would overlap another body. Then it stays where it is.
    pub fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), IntroError> {
        let refuse = |problem| Err(IntroError::Intervention { body: self.world.body_name(id), problem });
        if !self.world.body(id).is_dynamic() {
            return refuse("it is fixed or kinematic; change its motion in the world");
        }
        if !(pose.position.is_finite()
            && pose.orientation.is_finite()
            && pose.orientation.length() > 0.0
            && twist.velocity.is_finite()
            && twist.spin.is_finite())
        {
            return refuse("a number is not finite, or the quaternion is zero");
        }
        let before = self.energy();
        self.forget_sides(id.index());
        let pose = Pose { orientation: pose.orientation.normalize(), ..*pose };
        let old = std::mem::replace(
            &mut self.states[id.index()],
            BodyState::new(self.world.body(id).inertia(), &pose, twist),
        );
        self.check()?;
        if self.touches.iter().any(|touch| touch.class == Class::Penetrating) {
            self.states[id.index()] = old;
            self.forget_sides(id.index());
            self.check()?;
            let body = self.world.body_name(id);
            return Err(IntroError::Intervention { body, problem: "it would overlap another body there" });
        }
        self.work += self.energy() - before;
        Ok(())
    }

    /// Goes on by whole steps until `t` is reached; the last one is shortened to end there.
    ///
    /// # Errors
    /// When `t` is not finite or lies in the past, a number leaves the range of double precision, or two shapes have no
    /// contact.
    pub fn advance(&mut self, t: f64) -> Result<(), IntroError> {
        self.advance_while(t, &mut |_| true).map(|_| ())
    }

    /// As [`advance`](Self::advance), but calls `go_on` after each step with the time; false ends it; returns whether `t` was
    /// reached.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn advance_while(&mut self, t: f64, go_on: &mut dyn FnMut(f64) -> bool) -> Result<bool, IntroError> {
        if !t.is_finite() || t < self.t {
            return Err(IntroError::Time { asked: t, now: self.t });
        }
        while self.t < t {
            let left = t - self.t;
            // Rounding of the times of whole steps must not leave a crumb of a step.
            let is_last = left <= self.settings.step * (1.0 + CRUMB);
            let end = if is_last { t } else { self.t + self.settings.step };
            if end <= self.t {
                // Times so late that a step is below their rounding.
                return Err(IntroError::Time { asked: t, now: self.t });
            }
            self.update(end)?;
            self.check_laws();
            if self.t < t && !go_on(self.t) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn kinetic_energy(&self, states: &[BodyState]) -> f64 {
        let of = |body: usize| states[body].kinetic_energy(self.world.bodies()[body].inertia());
        (0..states.len()).filter(|body| self.world.bodies()[*body].is_dynamic()).map(of).sum()
    }

    /// Whether impulses and steps change its state.
    fn is_mobile(&self, body: usize) -> bool {
        self.world.bodies()[body].is_dynamic() && !self.is_still[body]
    }
}

impl Driver for IntroSimulation {
    type Stop = IntroError;

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
    ) -> Result<Advance, IntroError> {
        let gone = self.advance_while(t, watch);
        self.events.drain(..).for_each(|event| sink.event(&event));
        self.back_steps.drain(..).for_each(|back_step| sink.back_step(&back_step));
        self.laws.violations.drain(..).for_each(|violation| sink.violation(&violation));
        gone.map(|is_there| if is_there { Advance::Reached } else { Advance::Interrupted })
    }

    fn advance_to_event(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, IntroError> {
        loop {
            let step = self.settings.step;
            let end = if t - self.t <= step * (1.0 + CRUMB) { t } else { self.t + step };
            let group = self.group;
            self.advance_into(end, sink, &mut |_| true)?;
            if self.group > group {
                return Ok(Advance::Event);
            }
            if self.t >= t {
                return Ok(Advance::Reached);
            }
            if !watch(self.t) {
                return Ok(Advance::Interrupted);
            }
        }
    }

    fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), IntroError> {
        Self::set_state(self, id, pose, twist)
    }

    fn load_snapshot(&mut self, _bytes: &[u8]) -> Result<(), SnapshotError> {
        Err(SnapshotError::Unsupported { driver: "intro" })
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
