//! A world on its way through time.

use crate::drive::exact::island::scratch::Workspace;
use std::sync::{Arc, OnceLock};

use crate::body::{BodyState, Kinematics, Load};
use crate::contact::rest::{SolverMemory, Solves};
use crate::drive::exact::depenetrate::{Moved, Overlapping};
use crate::drive::exact::detect::detection::{Detection, DetectionStatistics};
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::track::{BodyMotion, Totals, Track};
use crate::drive::exact::joint_check;
use crate::drive::exact::laws::{self, Laws};
use crate::drive::exact::log::Log;
use crate::drive::exact::queue::EventQueue;
use crate::drive::exact::readout::{self, ContactProblem};
use crate::drive::exact::scratch::Scratch;
use crate::drive::exact::stage::Profile;
use crate::drive::exact::state::State;
use crate::drive::exact::state::event_counter::EventCounter;
use crate::drive::exact::state::law_record::LawRecord;
use crate::drive::exact::state::view::View;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::drive::{Advance, Driver, SnapshotError};
use crate::dynamics::Island;
use crate::integrate::Statistics;
use crate::math::{DMat3, DVec3, Pose, Twist, work};
use crate::record::{
    ContactForce, Event, EventSink, JointCoordinate, JointEvent, JointForce, LawReport, Ledger, Sample,
    Violation,
};
use crate::solve::choose::ContactSolver;
use crate::world::{Body, BodyId, SetId, World};

/// A world, and where everything in it is.
///
/// Results do not hang on how time is cut up: `advance(1.0)` and ten times `advance` give the same bits.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(crate) world: Arc<World>,
    pub(crate) state: State,
    pub(crate) scratch: Scratch,
    /// What stages have cost; no part of the state.
    pub(crate) profile: Profile,
    /// What ends a run from outside; no part of the state.
    pub(crate) interrupt: Option<work::Interrupt>,
    /// Of the description, once it was asked for.
    pub(crate) world_hash: OnceLock<[u8; 32]>,
}

impl Simulation {
    /// At t = 0, from the start that the world describes.
    ///
    /// # Errors
    /// When the equations of motion cannot be evaluated at the start, or bodies overlap.
    pub fn new(world: impl Into<Arc<World>>) -> Result<Self, Stop> {
        Self::with_interrupt(world, None)
    }

    /// As [`Simulation::new`]; what is given can end the start too, which of thousands of contacts takes seconds.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`Reason::Abandoned`].
    pub fn with_interrupt(
        world: impl Into<Arc<World>>,
        interrupt: Option<work::Interrupt>,
    ) -> Result<Self, Stop> {
        let listening = interrupt.as_ref().map(work::Listening::to);
        work::begin_task(u64::MAX);
        let started = Self::start(world.into());
        let (_, cut) = work::end_task();
        drop(listening);
        if cut.is_some() {
            return Err(Stop { t: 0.0, reason: Reason::Abandoned });
        }
        Ok(Self { interrupt, ..started? })
    }

    fn start(world: Arc<World>) -> Result<Self, Stop> {
        let mut scratch = Scratch::new(&world);
        let solver = world.contact().solver;
        let articulations = &scratch.island.constraints.articulations;
        let has_rows = articulations.iter().any(|a| !a.rows.is_empty());
        // The sparse solver takes equations between two bodies.
        let has_couplings = articulations.iter().any(|a| !a.system.couplings().is_empty());
        let knows_joints = match solver {
            ContactSolver::Complementarity | ContactSolver::Cone => true,
            // Joints are equations to them; limits, joint friction and motors that saturate are not.
            ContactSolver::Linear | ContactSolver::Quadratic | ContactSolver::Lemke { .. } => !has_rows,
            ContactSolver::Sparse => !has_rows && !has_couplings,
        };
        if !knows_joints && !world.joints().is_empty() {
            return Err(Stop { t: 0.0, reason: Reason::Solver { solver: solver.name() } });
        }
        let mut joints = JointState::new(&world, &scratch.island.constraints.articulations);
        joint_check::check_start(&world, &joints, &mut scratch.island)?;
        let mut states = States {
            bodies: world.bodies().iter().map(Body::start_state).collect(),
            sets: world.sets().iter().map(|s| (s.positions().to_vec(), s.velocities().to_vec())).collect(),
            vector: Vec::new(),
        };
        let (mut detection, mut log) = (Detection::new(&world), Log::default());
        let (bodies, overlapping) = (&mut states.bodies, &mut detection);
        let moved = Overlapping { world: &world, detection: overlapping, states: bodies, log: &mut log };
        let moved = { moved }.resolve()?;
        let mut places = vec![None; world.bodies().len()];
        let mut tracks = Vec::new();
        for island in Island::all(&world) {
            for (k, id) in island.bodies.iter().enumerate() {
                places[id.index()] = Some((tracks.len(), k));
            }
            let active = ActiveSet::of_joints(&island);
            let workspace = Workspace { joints: &mut joints, scratch: &mut scratch.island };
            let track = Track::new(&world, (island.clone(), active), &mut states, 0.0, workspace)
                .map_err(|error| Stop::motion(&world, &island, 0.0, error))?;
            tracks.push(track);
        }
        let event_counters = vec![EventCounter::default(); world.bodies().len()];
        let state = State {
            t: 0.0,
            tracks,
            places,
            states,
            done: Totals::default(),
            queue: EventQueue::default(),
            detection,
            moved,
            joints,
            solver: SolverMemory::default(),
            vacant: Vec::new(),
            retired: Statistics::default(),
            log,
            laws: LawRecord::default(),
            event_counters,
            stopped: None,
            failed_step: None,
        };
        let mut simulation = Self {
            world,
            state,
            scratch,
            profile: Profile::default(),
            interrupt: None,
            world_hash: OnceLock::new(),
        };
        simulation.prepare()?;
        simulation.remember_solver();
        Laws { world: &simulation.world, state: &mut simulation.state }.begin();
        Ok(simulation)
    }

    /// Takes what the solver keeps from one problem to the next into the state.
    pub(crate) fn remember_solver(&mut self) {
        self.state.solver = self.scratch.island.constraints.memory();
    }

    /// Throws all buffers away and makes new ones: no result depends on them. For tests of just that.
    #[doc(hidden)]
    pub fn renew_scratch(&mut self) {
        self.scratch = Scratch::for_state(&self.world, &self.state);
    }

    /// The state in its world, to be read.
    pub(crate) fn view(&self) -> View<'_> {
        View { world: &self.world, state: &self.state }
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Everything that the way ahead depends on, and is not in the world: for [`readout`], or to keep a clone of it.
    ///
    /// ```
    /// use dolmen::drive::exact::{Simulation, readout};
    /// # fn example(simulation: &Simulation) {
    /// let kept = simulation.whole_state().clone();
    /// let forces = readout::contact_forces(simulation.world(), &kept);
    /// # }
    /// ```
    pub fn whole_state(&self) -> &State {
        &self.state
    }

    /// The present time, s.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        readout::pose(&self.world, &self.state, id)
    }

    /// The rotation of a body as it is carried: with [`Form::Matrix`](crate::world::Form) the matrix itself, drift and
    /// all.
    pub fn rotation_matrix(&self, id: BodyId) -> DMat3 {
        readout::carried_rotation(&self.world, &self.state, id).0
    }

    /// How far the carried orientation of a body has drifted from a rotation: ||q| − 1|, or the largest entry of RRᵀ − 1.
    /// [NOTES I]
    pub fn rotation_defect(&self, id: BodyId) -> f64 {
        readout::carried_rotation(&self.world, &self.state, id).1
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        readout::twist(&self.world, &self.state, id)
    }

    /// The state of a body that forces move; none for a fixed or kinematic one.
    pub fn state(&self, id: BodyId) -> Option<BodyState> {
        self.state.places[id.index()].map(|_| self.state.states.bodies[id.index()])
    }

    /// Positions and velocities of the particles of a set.
    pub fn particles(&self, id: SetId) -> (&[DVec3], &[DVec3]) {
        let (positions, velocities) = &self.state.states.sets[id.index()];
        (positions, velocities)
    }

    /// Pose, twist and acceleration of a body, from which those of any of its points follow.
    pub fn kinematics(&self, id: BodyId) -> Kinematics {
        readout::kinematics(&self.world, &self.state, id)
    }

    /// The total force and torque on a body, gravity included; zero for one that forces do not move.
    pub fn load(&self, id: BodyId) -> Load {
        readout::load(&self.world, &self.state, id)
    }

    /// The total force on every particle of a set, gravity included.
    pub fn particle_forces(&self, id: SetId) -> Vec<DVec3> {
        readout::particle_forces(&self.world, &self.state, id)
    }

    /// Kinetic and potential energy now, the work done and the energy lost since the start.
    pub fn ledger(&self) -> Ledger {
        readout::ledger(&self.world, &self.state)
    }

    /// Total linear momentum, and angular momentum about the origin, of everything that forces move.
    pub fn momentum(&self) -> (DVec3, DVec3) {
        readout::momentum(&self.world, &self.state)
    }

    /// Everything that a record holds of the present time.
    pub fn sample(&self) -> Sample {
        readout::sample(&self.world, &self.state)
    }

    /// Puts a body into another state, now. Ends the span that it is on; its island goes on from here. The energy that this
    /// puts in or takes out is booked as work. A body that joints hold may miss them by little: it is projected onto them.
    ///
    /// # Errors
    /// When the body is fixed or kinematic, a number is not finite, it would be far off a joint or beyond a limit (then it
    /// stays where it is and the simulation can go on), or the equations of motion cannot be evaluated there
    /// (then the simulation cannot go on).
    pub fn set_state(&mut self, id: BodyId, state: BodyState) -> Result<(), Stop> {
        if let Some(stop) = &self.state.stopped {
            return Err(stop.clone());
        }
        let refuse = |problem| {
            let body = self.world.body_name(id);
            Err(Stop { t: self.state.t, reason: Reason::Intervention { body, problem } })
        };
        let Some((track, _)) = self.state.places[id.index()] else {
            return refuse("it is fixed or kinematic; change its motion in the world");
        };
        let finite =
            state.position.is_finite() && state.momentum.is_finite() && state.angular_momentum.is_finite();
        let length = state.orientation.length();
        if !(finite && length.is_finite() && length > 0.0) {
            return refuse("a number is not finite, or the quaternion is zero");
        }
        let before = self.ledger().total();
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let cut = self.state.tracks[track].cut(self.state.t, &self.world, &mut self.state.states, workspace);
        cut.map_err(|error| {
            Stop::motion(&self.world, &self.state.tracks[track].island, self.state.t, error)
        })?;
        let old = self.state.states.bodies[id.index()];
        self.state.states.bodies[id.index()] =
            BodyState { orientation: state.orientation.normalize(), ..state };
        if let Err(stop) = self.modes().check_joints_of(track) {
            self.state.states.bodies[id.index()] = old;
            self.restart_island(self.state.t, track)?;
            self.state.read(&self.world);
            return Err(stop);
        }
        self.state.laws.forget_sides();
        self.state.detection.forget_witnesses(id.index() as u32);
        self.state.log.work += self.ledger().total() - before;
        if let Err(stop) = self.restart_island(self.state.t, track) {
            self.state.stopped = Some(stop.clone());
            let t = self.state.t;
            self.modes().halt(t);
            self.state.read(&self.world);
            return Err(stop);
        }
        self.remember_solver();
        self.state.read(&self.world);
        Ok(())
    }

    /// The motion of a body along the span that it is on; none before the first step of its island.
    pub fn motion(&self, id: BodyId) -> Option<BodyMotion<'_>> {
        if let Some(motion) = self.world.body(id).prescribed_motion() {
            return Some(BodyMotion::Prescribed(motion));
        }
        let (track, k) = self.state.places[id.index()]?;
        self.state.tracks[track].motion(k)
    }

    /// Bodies that overlapped at the start by no more than the digits of typed numbers, and were moved apart.
    pub fn moved_at_start(&self) -> &[Moved] {
        &self.state.moved
    }

    /// What integration has cost so far, over all islands.
    pub fn statistics(&self) -> Statistics {
        self.state.statistics()
    }

    /// The forces of all contacts that carry any now, in the order of their bodies.
    pub fn contact_forces(&self) -> Vec<ContactForce> {
        readout::contact_forces(&self.world, &self.state)
    }

    /// The contact problem of every island with active contacts, now: d̈ = A f + b with its forces and modes.
    pub fn contact_problems(&self) -> Vec<ContactProblem> {
        readout::contact_problems(&self.world, &self.state)
    }

    /// The force and torque of every joint that holds a body that forces move, now, in the order of [`World::joints`].
    pub fn joint_forces(&self) -> Vec<JointForce> {
        readout::joint_forces(&self.world, &self.state)
    }

    /// What the solver of contact forces has done so far.
    pub fn solves(&self) -> Solves {
        self.state.solver.solves
    }

    /// How the run stands with the laws that are checked while it goes on, and what it took.
    pub fn laws(&self) -> LawReport<'_> {
        LawReport {
            status: laws::status(&self.world, &self.state),
            violations: &self.state.laws.violations,
            operations: self.state.laws.operations,
            most_work: self.state.laws.most_work,
        }
    }

    /// The laws that were broken since they were last taken.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.state.laws.violations)
    }

    /// Listens to this from now on: raised, it ends a run before its next task ([`Reason::Interrupted`]); cut, in the middle of one
    /// ([`Reason::Abandoned`]).
    pub fn set_interrupt(&mut self, interrupt: work::Interrupt) {
        self.interrupt = Some(interrupt);
    }

    /// Every event so far, in the order of time, as far as they were kept and not taken.
    pub fn events(&self) -> &[Event] {
        &self.state.log.events
    }

    /// The events since the last time they were taken.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.state.log.events)
    }

    /// What happened in joints so far, in the order of time, as far as it was kept and not taken.
    pub fn joint_events(&self) -> &[JointEvent] {
        &self.state.log.joint_events
    }

    /// What happened in joints since the last time it was taken.
    pub fn take_joint_events(&mut self) -> Vec<JointEvent> {
        std::mem::take(&mut self.state.log.joint_events)
    }

    /// Says whether events are kept from now on; they are counted in any case.
    pub fn keep_events(&mut self, keep: bool) {
        self.state.log.keep = keep;
    }

    /// Instants at which velocities jumped, and contacts at which they did.
    pub fn collisions(&self) -> (u64, u64) {
        (self.state.log.instants, self.state.log.collisions)
    }

    /// Time steps so far: where events came too fast, or no step was short enough.
    pub fn time_steps(&self) -> u64 {
        self.state.log.time_steps
    }

    /// The deepest overlap so far at any event or half-way through a time step, m, and the largest as a share of what
    /// counts as touching for its pair.
    pub fn deepest_overlap(&self) -> (f64, f64) {
        (self.state.log.deepest, self.state.log.deepest_relative)
    }

    /// The most that bodies may have overlapped so far, as a share of the contact tolerance of a pair: one, and where steps
    /// over piles were taken what points of bodies on arcs lie below the chords of the longest.
    pub fn overlap_bound(&self) -> f64 {
        self.state.log.overlap_bound()
    }

    /// What collision detection has cost so far.
    pub fn detection(&self) -> DetectionStatistics {
        self.state.detection.statistics
    }

    /// What the stages of steps have cost so far.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Times stages by this clock from now on, which gives ticks that only rise (nanoseconds, say). The engine has none of its own.
    pub fn set_clock(&mut self, clock: fn() -> u64) {
        self.profile.set_clock(clock);
    }

    /// The number of islands, and how many of them are in closed-form flight.
    pub fn islands(&self) -> (usize, usize) {
        (
            self.state.tracks.len() - self.state.vacant.len(),
            self.state.tracks.iter().filter(|t| t.is_flight()).count() - self.state.vacant.len(),
        )
    }
}

impl Driver for Simulation {
    type Stop = Stop;

    fn world(&self) -> &World {
        &self.world
    }

    fn time(&self) -> f64 {
        self.state.t
    }

    fn advance_into(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Stop> {
        match Self::advance_into(self, t, sink, watch) {
            Ok(()) => Ok(Advance::Reached),
            Err(Stop { reason: Reason::Interrupted, .. }) => Ok(Advance::Interrupted),
            Err(stop) => Err(stop),
        }
    }

    fn advance_to_event(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Stop> {
        // Events must be kept to be seen.
        let keep = std::mem::replace(&mut self.state.log.keep, true);
        let gone = Self::advance_to_event(self, t, watch);
        self.state.log.keep = keep;
        self.state.log.hand_over(sink);
        self.state.laws.hand_over(sink);
        match gone {
            Ok(true) => Ok(Advance::Event),
            Ok(false) => Ok(Advance::Reached),
            Err(Stop { reason: Reason::Interrupted, .. }) => Ok(Advance::Interrupted),
            Err(stop) => Err(stop),
        }
    }

    fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), Stop> {
        let state = BodyState::new(self.world.body(id).inertia(), pose, twist);
        Self::set_state(self, id, state)
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

    fn contact_forces(&self) -> Vec<ContactForce> {
        Self::contact_forces(self)
    }

    fn joint_forces(&self) -> Vec<JointForce> {
        Self::joint_forces(self)
    }

    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        readout::joint_coordinates(&self.world, &self.state)
    }

    fn kinematics(&self, id: BodyId) -> Option<Kinematics> {
        Some(Self::kinematics(self, id))
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        Some(Self::snapshot(self))
    }

    fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let restored = Self::restore(Arc::clone(&self.world), bytes)?;
        *self = Self { interrupt: self.interrupt.take(), ..restored };
        Ok(())
    }
}
