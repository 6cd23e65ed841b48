//! One island on its way through time.

use super::drift::Drift;
use super::held::{Held, IslandEquations, SUMS};
use super::{Buffers, States};
use crate::body::BodyState;
use crate::dynamics::{Integrated, Island};
use crate::integrate::{Integrator, Statistics, StepError};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Bounds, Flight, Motion, Prescribed, SetFlight};
use crate::world::{BodyId, SetId, World};

/// How an island moves within a smooth interval.
#[derive(Debug, Clone)]
enum Course {
    /// In closed form: one span from here to the end of the interval.
    Flight { bodies: Vec<Flight>, sets: Vec<SetFlight> },
    /// Not at all, for ever: its contacts hold it in equilibrium.
    Rest { bodies: Vec<Flight> },
    /// Through one step over a crowd of contacts: the impulses of the whole step at its start, then freely to its end; what
    /// joints hold by a span of its own.
    Aggregated {
        bodies: Vec<Flight>,
        sets: Vec<SetFlight>,
        drift: Option<Box<Drift>>,
        /// What was done on it at its start, J.
        work: f64,
        /// What the step is off in energy, at its start and at its end, J.
        off: [f64; 2],
    },
    /// By the spans of its integrator; the first is yet to be made if not `spanned`.
    Integrated { spanned: bool },
}

/// What was done on an island and lost in it since its track began, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Done {
    pub(super) work: f64,
    pub(super) friction: f64,
    pub(super) closing: f64,
}

/// An island, its clock and the span that it is on.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) island: Island,
    /// Its contacts, if it has any that carry force.
    pub(super) held: Option<Box<Held>>,
    /// The interval between two jumps in which everything is smooth.
    smooth: (f64, f64),
    course: Course,
    /// Kept from one smooth interval to the next, with its statistics.
    pub(super) integrator: Option<Box<Integrator>>,
    /// What integrators that were given up have cost.
    pub(super) spent: Statistics,
    /// Whether the next step is one of an island with slow slips (`stiff`).
    pub(super) will_be_stiff: bool,
    /// How long such a step may be, s.
    pub(super) reach: f64,
    /// Whether such steps have failed in the present interval.
    pub(super) is_barred: bool,
    /// Up to the start of a flight.
    done: Done,
    /// Changes whenever its motion does other than by going on: the end of the span before is void.
    pub(super) version: u32,
}

impl Track {
    /// An island that starts at time `t` from these states.
    pub(super) fn new(
        world: &World,
        (island, held): (Island, Option<Held>),
        states: &mut States,
        t: f64,
        buffers: &mut Buffers,
    ) -> Result<Self, StepError> {
        let course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let done = Done::default();
        let mut track = Self::on(course, (island, held), (t, t), done);
        track.begin(world, states, t, buffers)?;
        Ok(track)
    }

    /// An island that stays as it is.
    pub(super) fn at_rest(
        world: &World,
        (island, held): (Island, Option<Held>),
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
        Self::on(course, (island, held), (t, f64::INFINITY), Done::default())
    }

    fn on(course: Course, (island, held): (Island, Option<Held>), smooth: (f64, f64), done: Done) -> Self {
        let held = held.map(Box::new);
        Self {
            island,
            held,
            smooth,
            course,
            integrator: None,
            spent: Statistics::default(),
            will_be_stiff: false,
            reach: f64::INFINITY,
            is_barred: false,
            done,
            version: 0,
        }
    }

    /// An island that takes one step from `t` to `until` over a crowd of contacts; the impulses are in its states. `work` was
    /// done on it, J.
    pub(super) fn aggregated(
        world: &World,
        (island, held): (Island, Option<Held>),
        states: &States,
        (t, until): (f64, f64),
        (work, drift): (f64, Option<Box<Drift>>),
    ) -> Self {
        let none = DVec3::ZERO;
        let body = |id: &BodyId| Flight::new(world.body(*id).inertia(), &states.bodies[id.index()], none, t);
        let set = |id: &SetId| {
            let (positions, velocities) = &states.sets[id.index()];
            SetFlight::new(positions, velocities, none, t)
        };
        let bodies = island.bodies.iter().map(body).collect();
        let sets = island.sets.iter().map(set).collect();
        let course = Course::Aggregated { bodies, sets, drift, work, off: [0.0; 2] };
        Self::on(course, (island, held), (t, until), Done { work, ..Done::default() })
    }

    /// Says by how much a step over a crowd of contacts is off in energy at its start and at its end, J, beside what the way of
    /// its joints knows.
    pub(super) fn set_off(&mut self, ends: [f64; 2]) {
        if let Course::Aggregated { off, .. } = &mut self.course {
            *off = ends;
        }
    }

    /// An island that goes no further than these states at `t`: the run has stopped.
    pub(super) fn halted(world: &World, island: Island, states: &States, t: f64) -> Self {
        let still = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let mut track = Self::on(still, (island, None), (t, t), Done::default());
        track.course = track.flight(world, states, t);
        track
    }

    /// A track that nobody is on any more.
    pub(super) fn retire(&mut self, world: &World) {
        self.island = Island::of(world, &[], Vec::new(), &[]);
        self.held = None;
        self.smooth = (f64::NEG_INFINITY, f64::INFINITY);
        self.course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        (self.integrator, self.done) = (None, Done::default());
        self.spent = Statistics::default();
        self.version += 1;
    }

    /// Length of the state vector.
    fn dim(&self) -> usize {
        self.island.dim() + if self.held.is_some() { SUMS } else { 0 }
    }

    /// Starts a smooth interval at `t` from these states.
    fn begin(
        &mut self,
        world: &World,
        states: &mut States,
        t: f64,
        buffers: &mut Buffers,
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
        if self.held.is_some() {
            (vector[dim], vector[dim + 1]) = (self.done.friction, self.done.closing);
        }
        self.integrate_from(world, vector, t, buffers)
    }

    /// Whether nothing but gravity acts in the present smooth interval, and closed forms are wanted.
    fn is_quiet(&self, world: &World) -> bool {
        let (a, b) = self.smooth;
        let quiet = |f: &usize| world.forces()[*f].is_quiet(a, b);
        self.held.is_none() && world.settings().closed_form && self.island.forces.iter().all(quiet)
    }

    pub(super) fn integrate_from(
        &mut self,
        world: &World,
        y: &[f64],
        t: f64,
        buffers: &mut Buffers,
    ) -> Result<(), StepError> {
        self.course = Course::Integrated { spanned: false };
        self.choose_method(world, y, t, buffers);
        let settings = self.settings(world);
        let held = self.held.as_deref();
        let mut equations =
            IslandEquations { world, island: &self.island, held, buffers, smooth: self.smooth };
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
    pub(super) fn deflect(&mut self, k: usize, flight: Flight) {
        let Course::Flight { bodies, .. } = &mut self.course else {
            unreachable!("only flights are deflected; any other course begins anew");
        };
        bodies[k] = flight;
    }

    /// Ends its span at `t`, within it, by steps that end there, and reads the states. [SYSTEM, trap 16]
    pub(super) fn cut(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        buffers: &mut Buffers,
    ) -> Result<(), StepError> {
        if let (Course::Integrated { spanned: true }, Some(integrator)) = (&self.course, &mut self.integrator)
            && t < integrator.time()
        {
            states.vector.resize(integrator.state().len(), 0.0);
            let from = integrator.span().t0;
            integrator.span().at(from, &mut states.vector);
            let held = self.held.as_deref();
            let mut equations =
                IslandEquations { world, island: &self.island, held, buffers, smooth: self.smooth };
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
    pub(super) fn resume(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        buffers: &mut Buffers,
    ) -> Result<(), StepError> {
        self.version += 1;
        self.begin(world, states, t, buffers)?;
        if self.is_known() { Ok(()) } else { self.step(world, states, buffers) }
    }

    /// How far its motion is known.
    pub(super) fn clock(&self) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Integrated { .. }, Some(integrator)) => integrator.time(),
            _ => self.smooth.1,
        }
    }

    /// Whether its span ends where something in it jumps.
    pub(super) fn is_at_jump(&self) -> bool {
        self.smooth.1.is_finite() && self.clock() == self.smooth.1
    }

    /// Where its present span begins.
    pub(super) fn span_start(&self) -> Option<f64> {
        match (&self.course, &self.integrator) {
            (Course::Integrated { spanned: true }, Some(integrator)) => Some(integrator.span().t0),
            _ => None,
        }
    }

    /// One span further: an integrator step, or the next smooth interval.
    pub(super) fn step(
        &mut self,
        world: &World,
        states: &mut States,
        buffers: &mut Buffers,
    ) -> Result<(), StepError> {
        if self.clock() == self.smooth.1 {
            return self.cross_jump(world, states, buffers);
        }
        if self.will_be_stiff != self.is_stiff() {
            self.change_method(world, buffers)?;
        }
        let stepped = self.step_once(world, buffers);
        if stepped.is_ok() || !self.is_stiff() {
            return stepped;
        }
        // What has no implicit step may still have explicit ones.
        self.is_barred = true;
        self.change_method(world, buffers)?;
        self.step_once(world, buffers)
    }

    fn step_once(&mut self, world: &World, buffers: &mut Buffers) -> Result<(), StepError> {
        let held = self.held.as_deref();
        let mut equations =
            IslandEquations { world, island: &self.island, held, buffers, smooth: self.smooth };
        let integrator = self.integrator.as_mut().ok_or(StepError::NotStarted)?;
        let end = self.smooth.1.min(integrator.time() + self.reach);
        let stop = end.is_finite().then_some(end);
        integrator.step(&mut equations, stop)?;
        self.course = Course::Integrated { spanned: true };
        self.look_after_step(world, buffers);
        Ok(())
    }

    /// From the end of one smooth interval into the next. A state vector that goes on being integrated is taken as it
    /// stands, drift and all.
    fn cross_jump(
        &mut self,
        world: &World,
        states: &mut States,
        buffers: &mut Buffers,
    ) -> Result<(), StepError> {
        let t = self.smooth.1;
        self.done = self.read(t, states);
        let was_integrated = matches!(self.course, Course::Integrated { .. });
        self.smooth = self.island.smooth_interval(t);
        if !was_integrated || self.is_quiet(world) {
            return self.begin(world, states, t, buffers);
        }
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        states.vector.clear();
        states.vector.extend_from_slice(integrator.state());
        self.integrate_from(world, &states.vector, t, buffers)
    }

    /// Reads the states of its members at time `t` on the present span; returns what was done so far.
    pub(super) fn read(&self, t: f64, states: &mut States) -> Done {
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
            (Course::Aggregated { bodies, sets, drift, work: at_start, off }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                for (id, flight) in self.island.sets.iter().zip(sets) {
                    let (positions, velocities) = &mut states.sets[id.index()];
                    flight.read(t, positions, velocities);
                }
                let length = self.smooth.1 - self.smooth.0;
                let part = if length > 0.0 { (t - self.smooth.0) / length } else { 1.0 };
                let (work, taken) = drift.as_ref().map_or((0.0, 0.0), |drift| drift.read(t, states));
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
    pub(super) fn flight_state(&self, k: usize, t: f64) -> BodyState {
        match &self.course {
            Course::Flight { bodies, .. } | Course::Rest { bodies } => bodies[k].state(t),
            Course::Aggregated { .. } | Course::Integrated { .. } => unreachable!("asked of flights only"),
        }
    }

    /// The rotation of its `k`-th body as the state vector carries it, and how far that is from a rotation; none in flight.
    pub(super) fn carried_rotation(&self, t: f64, k: usize) -> Option<(DMat3, f64)> {
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
    pub(super) fn vector_of(&self, states: &States) -> Vec<f64> {
        let mut y = vec![0.0; self.dim()];
        self.island.pack(&states.bodies, &states.sets, 0.0, &mut y[..self.island.dim()]);
        y
    }

    /// Its equations of motion.
    pub(super) fn equations<'a>(&'a self, world: &'a World, buffers: &'a mut Buffers) -> IslandEquations<'a> {
        IslandEquations {
            world,
            island: &self.island,
            held: self.held.as_deref(),
            buffers,
            smooth: self.smooth,
        }
    }

    /// The motion of its `k`-th body along the present span; none where the first span is yet to be made.
    pub(super) fn motion(&self, k: usize) -> Option<BodyMotion<'_>> {
        match (&self.course, &self.integrator) {
            (Course::Aggregated { bodies, drift, .. }, _) => {
                let id = self.island.bodies[k];
                Some(match drift.as_ref().and_then(|drift| Some((drift, drift.slot(id)?))) {
                    Some((drift, slot)) => BodyMotion::Integrated(drift.motion(slot)),
                    None => BodyMotion::Flight(&bodies[k]),
                })
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
    pub(super) fn done(&self) -> Done {
        self.done
    }

    /// Length of its state vector.
    pub(super) fn vector_len(&self) -> usize {
        self.dim()
    }

    /// Its state vector at a time on its span.
    pub(super) fn read_into(&self, t: f64, y: &mut [f64]) {
        if let (Course::Integrated { spanned }, Some(integrator)) = (&self.course, &self.integrator) {
            read_vector(integrator, *spanned, t, y);
        }
    }

    /// Whether it has made a span: before its first step an integrated motion is not known at all.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.course, Course::Integrated { spanned: false })
    }

    /// What its integration has cost.
    pub(super) fn statistics(&self) -> Statistics {
        if let Course::Aggregated { drift: Some(drift), .. } = &self.course {
            return drift.statistics();
        }
        self.integrator.as_ref().map_or(self.spent, |integrator| self.spent.with(integrator.statistics()))
    }

    /// Whether it is in closed-form flight.
    pub(super) fn is_flight(&self) -> bool {
        matches!(self.course, Course::Flight { .. })
    }

    /// Whether it is a single body in closed-form flight.
    pub(super) fn is_lone_flight(&self) -> bool {
        matches!(&self.course, Course::Flight { bodies, .. } if bodies.len() == 1)
    }

    /// Whether it is on a step over a crowd of contacts.
    pub(super) fn is_aggregated(&self) -> bool {
        matches!(self.course, Course::Aggregated { .. })
    }

    /// Whether it is held in equilibrium.
    pub(super) fn is_at_rest(&self) -> bool {
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
