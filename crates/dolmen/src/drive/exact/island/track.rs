//! One island on its way through time.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use crate::body::BodyState;
use crate::drive::exact::island::articulated_motion::ArticulatedMotion;
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations, SUMS};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::step_forces::LastForce;
use crate::dynamics::{Integrated, Island};
use crate::integrate::{Integrator, Ode, Statistics, StepError};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Bounds, Flight, Motion, Prescribed, SetFlight};
use crate::record::ContactForce;
use crate::world::{BodyId, SetId, World};

/// How an island moves within a smooth interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Course {
    /// In closed form: one span from here to the end of the interval.
    Flight { bodies: Vec<Flight>, sets: Vec<SetFlight> },
    /// Not at all, for ever: its contacts hold it in equilibrium.
    Rest { bodies: Vec<Flight> },
    /// Through one time step: the impulses of the whole step at its start, then freely to its end; what
    /// joints hold by a span of its own.
    TimeStep {
        bodies: Vec<Flight>,
        sets: Vec<SetFlight>,
        articulated_motion: Option<Box<ArticulatedMotion>>,
        /// What was done on it at its start, J.
        work: f64,
        /// What the step is off in energy, at its start and at its end, J.
        off: [f64; 2],
    },
    /// By the spans of its integrator; the first is yet to be made if not `spanned`.
    Integrated { spanned: bool },
}

/// What was done on an island and lost in it since its track began, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) work: f64,
    pub(crate) friction: f64,
    pub(crate) closing: f64,
}

/// An island, its clock and the span that it is on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) island: Island,
    /// Its contacts, if it has any that carry force.
    pub(crate) active: Option<Box<ActiveSet>>,
    /// The interval between two jumps in which everything is smooth.
    smooth: (f64, f64),
    course: Course,
    /// Kept from one smooth interval to the next, with its statistics.
    pub(crate) integrator: Option<Box<Integrator>>,
    /// What integrators that were given up have cost.
    pub(crate) spent: Statistics,
    /// Whether the next step is one of an island with slow slips (`stiff`).
    pub(crate) will_be_stiff: bool,
    /// How long such a step may be, s.
    pub(crate) reach: f64,
    /// Whether such steps have failed in the present interval.
    pub(crate) is_barred: bool,
    /// Up to the start of a flight.
    done: Done,
    /// Changes whenever its motion does other than by going on: the end of the span before is void.
    pub(crate) version: u32,
    /// The contact forces of an island in equilibrium, once they were asked for.
    #[serde(skip)]
    pub(crate) rest_forces: OnceLock<Vec<ContactForce>>,
}

impl Track {
    /// An island that starts at time `t` from these states.
    pub(crate) fn new(
        world: &World,
        (island, active): (Island, Option<ActiveSet>),
        states: &mut States,
        t: f64,
        mut workspace: Workspace,
    ) -> Result<Self, StepError> {
        let course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let done = Done::default();
        let mut track = Self::on(course, (island, active), (t, t), done);
        track.begin(world, states, t, workspace.reborrow())?;
        Ok(track)
    }

    /// An island that stays as it is.
    pub(crate) fn at_rest(
        world: &World,
        (island, active): (Island, Option<ActiveSet>),
        states: &States,
        t: f64,
    ) -> Self {
        let still = |id: &BodyId| {
            let state = BodyState {
                momentum: DVec3::ZERO,
                angular_momentum: DVec3::ZERO,
                ..states.bodies[id.index()]
            };
            Flight::new(world.body(*id).inertia(), &state, DVec3::ZERO, t)
        };
        let course = Course::Rest { bodies: island.bodies.iter().map(still).collect() };
        Self::on(course, (island, active), (t, f64::INFINITY), Done::default())
    }

    fn on(
        course: Course,
        (island, active): (Island, Option<ActiveSet>),
        smooth: (f64, f64),
        done: Done,
    ) -> Self {
        let active = active.map(Box::new);
        Self {
            island,
            active,
            smooth,
            course,
            integrator: None,
            spent: Statistics::default(),
            will_be_stiff: false,
            reach: f64::INFINITY,
            is_barred: false,
            done,
            version: 0,
            rest_forces: OnceLock::new(),
        }
    }

    /// An island that takes one step from `t` to `until` over a pile of contacts; the impulses are in its states. `work` was
    /// done on it, J.
    pub(crate) fn time_steps(
        world: &World,
        (island, active): (Island, Option<ActiveSet>),
        states: &States,
        (t, until): (f64, f64),
        (work, articulated_motion): (f64, Option<Box<ArticulatedMotion>>),
    ) -> Self {
        let none = DVec3::ZERO;
        let body = |id: &BodyId| Flight::new(world.body(*id).inertia(), &states.bodies[id.index()], none, t);
        let set = |id: &SetId| {
            let (positions, velocities) = &states.sets[id.index()];
            SetFlight::new(positions, velocities, none, t)
        };
        let bodies = island.bodies.iter().map(body).collect();
        let sets = island.sets.iter().map(set).collect();
        let course = Course::TimeStep { bodies, sets, articulated_motion, work, off: [0.0; 2] };
        Self::on(course, (island, active), (t, until), Done { work, ..Done::default() })
    }

    /// Says by how much a time step is off in energy at its start and at its end, J, beside what the way of
    /// its joints knows.
    pub(crate) fn set_off(&mut self, ends: [f64; 2]) {
        if let Course::TimeStep { off, .. } = &mut self.course {
            *off = ends;
        }
    }

    /// An island that goes no further than these states at `t`: the run has stopped.
    pub(crate) fn halted(world: &World, island: Island, states: &States, t: f64) -> Self {
        let still = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let mut track = Self::on(still, (island, None), (t, t), Done::default());
        track.course = track.flight(world, states, t);
        track
    }

    /// A track that nobody is on any more.
    pub(crate) fn retire(&mut self, world: &World) {
        self.island = Island::of(world, &[], Vec::new(), &[]);
        self.active = None;
        self.smooth = (f64::NEG_INFINITY, f64::INFINITY);
        self.course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        (self.integrator, self.done) = (None, Done::default());
        self.spent = Statistics::default();
        self.version += 1;
    }

    /// Length of the state vector.
    fn dim(&self) -> usize {
        self.island.dim() + if self.active.is_some() { SUMS } else { 0 }
    }

    /// Starts a smooth interval at `t` from these states.
    fn begin(
        &mut self,
        world: &World,
        states: &mut States,
        t: f64,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        self.smooth = self.island.smooth_interval(t);
        self.is_barred = false;
        if self.is_quiet(world) {
            self.course = self.flight(world, states, t);
            return Ok(());
        }
        let States { bodies, sets, vector } = states;
        vector.resize(self.dim(), 0.0);
        let dim = self.island.dim();
        self.island.pack(bodies, sets, self.done.work, &mut vector[..dim]);
        if self.active.is_some() {
            (vector[dim], vector[dim + 1]) = (self.done.friction, self.done.closing);
        }
        self.integrate_from(world, vector, t, workspace.reborrow())
    }

    /// Whether nothing but gravity acts in the present smooth interval, and closed forms are wanted.
    fn is_quiet(&self, world: &World) -> bool {
        let (a, b) = self.smooth;
        let quiet = |f: &usize| world.forces()[*f].is_quiet(a, b);
        self.active.is_none() && world.settings().closed_form && self.island.forces.iter().all(quiet)
    }

    pub(crate) fn integrate_from(
        &mut self,
        world: &World,
        y: &[f64],
        t: f64,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        self.course = Course::Integrated { spanned: false };
        self.choose_method(world, y, t, workspace.reborrow());
        let settings = self.settings(world);
        let active = self.active.as_deref();
        let mut equations =
            IslandEquations::new(world, &self.island, active, workspace.reborrow(), self.smooth);
        if let Some(integrator) = &mut self.integrator {
            return integrator.restart(&mut equations, t, y);
        }
        let mut integrator = Integrator::new(settings, y.len())?;
        integrator.start(&mut equations, t, y, f64::INFINITY)?;
        self.integrator = Some(Box::new(integrator));
        Ok(())
    }

    fn flight(&self, world: &World, states: &States, t: f64) -> Course {
        let gravity = world.gravity();
        let body =
            |id: &BodyId| Flight::new(world.body(*id).inertia(), &states.bodies[id.index()], gravity, t);
        let set = |id: &SetId| {
            let (positions, velocities) = &states.sets[id.index()];
            SetFlight::new(positions, velocities, gravity, t)
        };
        let bodies = self.island.bodies.iter().map(body).collect();
        Course::Flight { bodies, sets: self.island.sets.iter().map(set).collect() }
    }

    /// Gives its `k`-th body, in flight, another state at time `t`; the others fly on.
    pub(crate) fn deflect(&mut self, k: usize, flight: Flight) {
        let Course::Flight { bodies, .. } = &mut self.course else {
            unreachable!("only flights are deflected; any other course begins anew");
        };
        bodies[k] = flight;
    }

    /// Ends its span at `t`, within it, by steps that end there, and reads the states. [SYSTEM, trap 16]
    pub(crate) fn cut(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        if let (Course::Integrated { spanned: true }, Some(integrator)) = (&self.course, &mut self.integrator)
            && t < integrator.time()
        {
            states.vector.resize(integrator.state().len(), 0.0);
            let from = integrator.span().t0;
            integrator.span().at(from, &mut states.vector);
            let active = self.active.as_deref();
            let mut equations =
                IslandEquations::new(world, &self.island, active, workspace.reborrow(), self.smooth);
            let mut on_span = vec![0.0; states.vector.len()];
            integrator.span().at(t, &mut on_span);
            integrator.restart(&mut equations, from, &states.vector)?;
            while integrator.time() < t {
                match integrator.step(&mut equations, Some(t)) {
                    Ok(_) => {}
                    // Next to a singular instant the span, less accurate, is what there is.
                    Err(error) => {
                        integrator.restart(&mut equations, t, &on_span)?;
                        if !matches!(error, StepError::StepTooSmall { .. } | StepError::Newton { .. }) {
                            return Err(error);
                        }
                    }
                }
            }
        }
        self.done = self.read(t, states);
        Ok(())
    }

    /// Begins anew from these states at `t`, after it was cut there.
    pub(crate) fn resume(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        self.version += 1;
        self.begin(world, states, t, workspace.reborrow())?;
        if self.is_known() { Ok(()) } else { self.step(world, states, workspace.reborrow()) }
    }

    /// How far its motion is known.
    pub(crate) fn clock(&self) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Integrated { .. }, Some(integrator)) => integrator.time(),
            _ => self.smooth.1,
        }
    }

    /// Whether its span ends where something in it jumps.
    pub(crate) fn is_at_jump(&self) -> bool {
        self.smooth.1.is_finite() && self.clock() == self.smooth.1
    }

    /// Where its present span begins.
    pub(crate) fn span_start(&self) -> Option<f64> {
        match (&self.course, &self.integrator) {
            (Course::Integrated { spanned: true }, Some(integrator)) => Some(integrator.span().t0),
            _ => None,
        }
    }

    /// One span further: an integrator step, or the next smooth interval.
    pub(crate) fn step(
        &mut self,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        if self.clock() == self.smooth.1 {
            return self.cross_jump(world, states, workspace.reborrow());
        }
        if self.will_be_stiff != self.is_stiff() {
            self.change_method(world, workspace.reborrow())?;
        }
        let stepped = self.step_once(world, workspace.reborrow());
        if stepped.is_ok() || !self.is_stiff() {
            return stepped;
        }
        // What has no implicit step may still have explicit ones.
        self.is_barred = true;
        self.change_method(world, workspace.reborrow())?;
        self.step_once(world, workspace.reborrow())
    }

    fn step_once(&mut self, world: &World, mut workspace: Workspace) -> Result<(), StepError> {
        let is_implicit = self.is_stiff() || world.settings().integrator.method.is_implicit();
        let active = self.active.as_deref();
        let mut equations =
            IslandEquations::new(world, &self.island, active, workspace.reborrow(), self.smooth);
        let integrator = self.integrator.as_mut().ok_or(StepError::NotStarted)?;
        if is_implicit {
            // An implicit step measures its unknowns by the loads at its start, which are those last summed.
            let mut rates = vec![0.0; integrator.state().len()];
            equations.rates(integrator.time(), integrator.state(), &mut rates);
        }
        let end = self.smooth.1.min(integrator.time() + self.reach);
        let stop = end.is_finite().then_some(end);
        integrator.step(&mut equations, stop)?;
        self.course = Course::Integrated { spanned: true };
        self.look_after_step(world, workspace.reborrow());
        Ok(())
    }

    /// From the end of one smooth interval into the next. A state vector that goes on being integrated is taken as it
    /// stands, drift and all.
    fn cross_jump(
        &mut self,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        let t = self.smooth.1;
        self.done = self.read(t, states);
        let was_integrated = matches!(self.course, Course::Integrated { .. });
        self.smooth = self.island.smooth_interval(t);
        if !was_integrated || self.is_quiet(world) {
            return self.begin(world, states, t, workspace.reborrow());
        }
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        states.vector.clear();
        states.vector.extend_from_slice(integrator.state());
        self.integrate_from(world, &states.vector, t, workspace.reborrow())
    }

    /// Reads the states of its members at time `t` on the present span; returns what was done so far.
    pub(crate) fn read(&self, t: f64, states: &mut States) -> Done {
        match (&self.course, &self.integrator) {
            (Course::Rest { bodies }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                self.done
            }
            (Course::Flight { bodies, sets }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                for (id, flight) in self.island.sets.iter().zip(sets) {
                    let (positions, velocities) = &mut states.sets[id.index()];
                    flight.read(t, positions, velocities);
                }
                self.done
            }
            (Course::TimeStep { bodies, sets, articulated_motion, work: at_start, off }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                for (id, flight) in self.island.sets.iter().zip(sets) {
                    let (positions, velocities) = &mut states.sets[id.index()];
                    flight.read(t, positions, velocities);
                }
                let length = self.smooth.1 - self.smooth.0;
                let part = if length > 0.0 { (t - self.smooth.0) / length } else { 1.0 };
                let (work, taken) = articulated_motion
                    .as_ref()
                    .map_or((0.0, 0.0), |articulated_motion| articulated_motion.read(t, states));
                let closing = off[0] + part * (off[1] - off[0]) + taken;
                Done { closing, work: at_start + work, ..self.done }
            }
            (Course::Integrated { spanned }, Some(integrator)) => {
                let dim = self.island.dim();
                let States { bodies, sets, vector } = states;
                vector.resize(self.dim(), 0.0);
                read_vector(integrator, *spanned, t, vector);
                let work = self.island.unpack(&vector[..dim], bodies, sets);
                let sum = |i: usize| vector.get(dim + i).copied().unwrap_or_default();
                Done { work, friction: sum(0), closing: sum(1) }
            }
            (Course::Integrated { .. }, None) => self.done,
        }
    }

    /// The state of its `k`-th body at time `t`, for an island in flight or at rest.
    pub(crate) fn flight_state(&self, k: usize, t: f64) -> BodyState {
        match &self.course {
            Course::Flight { bodies, .. } | Course::Rest { bodies } => bodies[k].state(t),
            Course::TimeStep { .. } | Course::Integrated { .. } => unreachable!("asked of flights only"),
        }
    }

    /// The rotation of its `k`-th body as the state vector carries it, and how far that is from a rotation; none in flight.
    pub(crate) fn carried_rotation(&self, t: f64, k: usize) -> Option<(DMat3, f64)> {
        match (&self.course, &self.integrator) {
            (Course::Integrated { spanned }, Some(integrator)) => {
                let mut y = vec![0.0; self.dim()];
                read_vector(integrator, *spanned, t, &mut y);
                Some((self.island.rotation(&y, k), self.island.rotation_defect(&y, k)))
            }
            _ => None,
        }
    }

    /// The state vector that belongs to these states.
    pub(crate) fn vector_of(&self, states: &States) -> Vec<f64> {
        let mut y = vec![0.0; self.dim()];
        self.island.pack(&states.bodies, &states.sets, 0.0, &mut y[..self.island.dim()]);
        y
    }

    /// Its equations of motion.
    pub(crate) fn equations<'a>(&'a self, world: &'a World, workspace: Workspace<'a>) -> IslandEquations<'a> {
        IslandEquations::new(world, &self.island, self.active.as_deref(), workspace, self.smooth)
    }

    /// The motion of its `k`-th body along the present span; none where the first span is yet to be made.
    pub(crate) fn motion(&self, k: usize) -> Option<BodyMotion<'_>> {
        match (&self.course, &self.integrator) {
            (Course::TimeStep { bodies, articulated_motion, .. }, _) => {
                let id = self.island.bodies[k];
                Some(
                    match articulated_motion.as_ref().and_then(|articulated_motion| {
                        Some((articulated_motion, articulated_motion.slot(id)?))
                    }) {
                        Some((articulated_motion, slot)) => {
                            BodyMotion::Integrated(articulated_motion.motion(slot))
                        }
                        None => BodyMotion::Flight(&bodies[k]),
                    },
                )
            }
            (Course::Flight { bodies, .. } | Course::Rest { bodies }, _) => {
                Some(BodyMotion::Flight(&bodies[k]))
            }
            (Course::Integrated { spanned: true }, Some(integrator)) => {
                Some(BodyMotion::Integrated(Integrated::new(&self.island, integrator.span(), k)))
            }
            _ => None,
        }
    }

    /// What was done on it up to the last time it was cut or ended.
    pub(crate) fn done(&self) -> Done {
        self.done
    }

    /// Length of its state vector.
    pub(crate) fn vector_len(&self) -> usize {
        self.dim()
    }

    /// Its state vector at a time on its span.
    pub(crate) fn read_into(&self, t: f64, y: &mut [f64]) {
        if let (Course::Integrated { spanned }, Some(integrator)) = (&self.course, &self.integrator) {
            read_vector(integrator, *spanned, t, y);
        }
    }

    /// Whether it has made a span: before its first step an integrated motion is not known at all.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.course, Course::Integrated { spanned: false })
    }

    /// What its integration has cost.
    pub(crate) fn statistics(&self) -> Statistics {
        if let Course::TimeStep { articulated_motion: Some(articulated_motion), .. } = &self.course {
            return articulated_motion.statistics();
        }
        self.integrator.as_ref().map_or(self.spent, |integrator| self.spent.with(integrator.statistics()))
    }

    /// Whether it is in closed-form flight.
    pub(crate) fn is_flight(&self) -> bool {
        matches!(self.course, Course::Flight { .. })
    }

    /// Whether it is a single body in closed-form flight.
    pub(crate) fn is_lone_flight(&self) -> bool {
        matches!(&self.course, Course::Flight { bodies, .. } if bodies.len() == 1)
    }

    /// Whether it is on a time step.
    pub(crate) fn is_time_step(&self) -> bool {
        matches!(self.course, Course::TimeStep { .. })
    }

    /// Whether it is held in equilibrium.
    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.course, Course::Rest { .. })
    }
}

/// The state at `t`: at the clock the state itself, before it the span.
fn read_vector(integrator: &Integrator, spanned: bool, t: f64, y: &mut [f64]) {
    if !spanned || t == integrator.time() {
        y.copy_from_slice(integrator.state());
        return;
    }
    let span = integrator.span();
    debug_assert!(t >= span.t0 && t <= span.t1, "t = {t} is not on the span from {} to {}", span.t0, span.t1);
    span.at(t, y);
}

/// The motion of a body along the span that it is on.
#[derive(Debug, Clone, Copy)]
pub enum BodyMotion<'a> {
    /// In closed form.
    Flight(&'a Flight),
    /// Along a span of an integrator.
    Integrated(Integrated<'a>),
    /// As prescribed.
    Prescribed(&'a Prescribed),
}

impl Motion for BodyMotion<'_> {
    fn pose(&self, t: f64) -> Pose {
        match self {
            Self::Flight(motion) => motion.pose(t),
            Self::Integrated(motion) => motion.pose(t),
            Self::Prescribed(motion) => motion.pose(t),
        }
    }

    fn twist(&self, t: f64) -> Twist {
        match self {
            Self::Flight(motion) => motion.twist(t),
            Self::Integrated(motion) => motion.twist(t),
            Self::Prescribed(motion) => motion.twist(t),
        }
    }

    fn pose_and_twist(&self, t: f64) -> (Pose, Twist) {
        match self {
            Self::Flight(motion) => motion.pose_and_twist(t),
            Self::Integrated(motion) => motion.pose_and_twist(t),
            Self::Prescribed(motion) => motion.pose_and_twist(t),
        }
    }

    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        match self {
            Self::Flight(motion) => motion.bounds(t_a, t_b),
            Self::Integrated(motion) => motion.bounds(t_a, t_b),
            Self::Prescribed(motion) => motion.bounds(t_a, t_b),
        }
    }
}

/// The forces of the last step at the contacts of these tracks: the next will be much like them.
pub(crate) fn last_forces<'a>(tracks: impl Iterator<Item = &'a Track>) -> Vec<LastForce> {
    let mut last = Vec::new();
    for active in tracks.filter_map(|track| track.active.as_ref()) {
        let Some(step_forces) = &active.step_forces else { continue };
        let named = active.pairs.iter().zip(&active.features).zip(&step_forces.pushes);
        last.extend(
            named.map(|((pair, features), push)| LastForce { contact: (*pair, *features), push: *push }),
        );
    }
    last.sort_by_key(|last| last.contact);
    last
}
