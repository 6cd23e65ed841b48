//! One island along time: its current span and its clock.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use crate::body::BodyState;
use crate::drive::exact::island::articulated_motion::ArticulatedMotion;
use crate::drive::exact::island::equations::step_forces::LastForce;
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations, SUMS};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::tolerances::MAX_CUT_STEPS;
use crate::dynamics::{Integrated, Island};
use crate::integrate::{Integrator, Ode, Statistics, StepError};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Bounds, Flight, Motion, Prescribed, SetFlight};
use crate::record::ContactForce;
use crate::world::{BodyId, SetId, World};

/// How an island moves within a smooth interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Regime {
    /// In closed form: one span from here to the end of the interval.
    Flight { bodies: Vec<Flight>, sets: Vec<SetFlight> },
    /// At rest for ever: its contacts keep it in equilibrium.
    Rest { bodies: Vec<Flight> },
    /// Through one time step: the impulses of the whole step at its start, then free motion to its end; articulations
    /// by an integrated span.
    TimeStep {
        bodies: Vec<Flight>,
        sets: Vec<SetFlight>,
        articulated_motion: Option<Box<ArticulatedMotion>>,
        /// The work done on it at its start, J.
        work: f64,
        /// The energy error of the step at its start and at its end, J.
        energy_errors: [f64; 2],
    },
    /// By the spans of its integrator; the first is not made yet if not `has_span`.
    Integrated { has_span: bool },
}

/// The work done on an island and the energy lost in it since its track began, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) work: f64,
    pub(crate) friction: f64,
    pub(crate) closing: f64,
}

/// An island, its clock and its current span.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) island: Island,
    /// Its active set, if it has contacts that carry force or joints.
    pub(crate) active: Option<Box<ActiveSet>>,
    /// The smooth interval: the time between two jumps of forces or prescribed motions.
    smooth: (f64, f64),
    regime: Regime,
    /// Kept from one smooth interval to the next, with its statistics.
    pub(crate) integrator: Option<Box<Integrator>>,
    /// The cost of integrators that were dropped.
    pub(crate) dropped_statistics: Statistics,
    /// Whether an implicit method takes the next step (`implicit`).
    pub(crate) will_be_stiff: bool,
    /// The longest such step, s.
    pub(crate) max_implicit_step: f64,
    /// Whether implicit steps have failed in the current interval.
    pub(crate) implicit_failed: bool,
    /// The totals up to the start of a flight.
    done: Totals,
    /// Changes whenever its motion changes other than by continuing: the end of the earlier span is then stale.
    pub(crate) version: u32,
    /// The largest separation that the projection at the end of its span leaves, m, and at which contact. It counts once the span is over: a
    /// guard may end it before.
    pub(crate) left: Option<(usize, f64)>,
    /// The contact forces of an island at rest, once they were asked for.
    #[serde(skip)]
    pub(crate) rest_forces: OnceLock<Vec<ContactForce>>,
}

impl Track {
    /// That it is one of this world: one that was read from a file need not be. Where it is to go on, from a time, its motion holds
    /// there and its numbers are finite.
    pub(crate) fn check(&self, world: &World, from: Option<f64>) -> Result<(), &'static str> {
        let Island { bodies: members, sets: member_sets, .. } = &self.island;
        if !self.island.is_of(world) {
            return Err("an island is none of its world");
        }
        if !self.active.as_ref().is_none_or(|active| active.is_of(&self.island)) {
            return Err("the active set of an island is of another");
        }
        if !self.integrator.as_ref().is_none_or(|own| own.fits(&self.settings(world), self.dim())) {
            return Err("the integrator of an island is of another");
        }
        let fit = |sets: &[SetFlight]| {
            let mut pairs = sets.iter().zip(member_sets);
            sets.len() == member_sets.len() && pairs.all(|(set, id)| set.fits(world.set(*id).len()))
        };
        let fly = |bodies: &[Flight]| {
            bodies.len() == members.len()
                && (from.is_none() || bodies.iter().all(|flight| flight.is_in(world.gravity())))
        };
        let is_on = |integrator: &Integrator, t: f64| {
            let span = integrator.span();
            span.t0 <= t && t <= span.t1 && span.t1 == integrator.time() && span.t0 < span.t1
        };
        let goes_on = |integrator: &Integrator| from.is_none() || integrator.is_finite();
        let moves = match (&self.regime, &self.integrator) {
            (Regime::Flight { bodies, sets }, _) => fly(bodies) && fit(sets),
            (Regime::Rest { bodies }, _) => fly(bodies) && member_sets.is_empty(),
            (Regime::TimeStep { bodies, sets, articulated_motion, .. }, _) => {
                let is_own = |motion: &ArticulatedMotion| motion.is_of(world) && goes_on(&motion.integrator);
                fly(bodies) && fit(sets) && articulated_motion.as_deref().is_none_or(is_own)
            }
            (Regime::Integrated { has_span }, Some(integrator)) => {
                goes_on(integrator) && from.is_none_or(|t| !has_span || is_on(integrator, t))
            }
            (Regime::Integrated { .. }, None) => false,
        };
        let holds = moves && self.smooth.0 <= self.smooth.1;
        // Half of the range of versions is far from its end.
        if holds && self.version <= u32::MAX / 2 {
            Ok(())
        } else {
            Err("the motion of an island is of another")
        }
    }

    /// Finds anew what follows from the start of each flight, which is all that is believed of one that was read from a file.
    pub(crate) fn renew_flights(&mut self, world: &World) {
        let (Regime::Flight { bodies, .. } | Regime::Rest { bodies } | Regime::TimeStep { bodies, .. }) =
            &mut self.regime
        else {
            return;
        };
        for (id, flight) in self.island.bodies.iter().zip(bodies) {
            flight.renew(world.body(*id).inertia());
        }
    }

    /// A track that starts at time `t` from these states.
    pub(crate) fn new(
        world: &World,
        (island, active): (Island, Option<ActiveSet>),
        states: &mut States,
        t: f64,
        mut workspace: Workspace,
    ) -> Result<Self, StepError> {
        let regime = Regime::Flight { bodies: Vec::new(), sets: Vec::new() };
        let done = Totals::default();
        let mut track = Self::on(regime, (island, active), (t, t), done);
        track.begin(world, states, t, workspace.reborrow())?;
        Ok(track)
    }

    /// A track of an island at rest.
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
        let regime = Regime::Rest { bodies: island.bodies.iter().map(still).collect() };
        Self::on(regime, (island, active), (t, f64::INFINITY), Totals::default())
    }

    fn on(
        regime: Regime,
        (island, active): (Island, Option<ActiveSet>),
        smooth: (f64, f64),
        done: Totals,
    ) -> Self {
        let active = active.map(Box::new);
        Self {
            island,
            active,
            smooth,
            regime,
            integrator: None,
            dropped_statistics: Statistics::default(),
            will_be_stiff: false,
            max_implicit_step: f64::INFINITY,
            implicit_failed: false,
            done,
            version: 0,
            left: None,
            rest_forces: OnceLock::new(),
        }
    }

    /// A track that takes one time step from `t` to `until`; the impulses are in its states. `work` was done on it, J.
    pub(crate) fn time_step(
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
        let regime = Regime::TimeStep { bodies, sets, articulated_motion, work, energy_errors: [0.0; 2] };
        Self::on(regime, (island, active), (t, until), Totals { work, ..Totals::default() })
    }

    /// Sets the energy error of a time step at its start and at its end, J, beside what the integrated span of its
    /// articulations knows.
    pub(crate) fn set_energy_errors(&mut self, ends: [f64; 2]) {
        if let Regime::TimeStep { energy_errors, .. } = &mut self.regime {
            *energy_errors = ends;
        }
    }

    /// A track that goes no further than these states at `t`: the run has stopped.
    pub(crate) fn halted(world: &World, island: Island, states: &States, t: f64) -> Self {
        let still = Regime::Flight { bodies: Vec::new(), sets: Vec::new() };
        let mut track = Self::on(still, (island, None), (t, t), Totals::default());
        track.regime = track.flight(world, states, t);
        track
    }

    /// An integrated motion whose first step failed: its states as they are, so that it can be read.
    pub(crate) fn give_up_first_step(&mut self, world: &World, states: &mut States) {
        if self.is_known() {
            return;
        }
        let t = self.clock();
        self.done = self.read(t, states);
        self.regime = self.flight(world, states, t);
    }

    /// Empties a track.
    pub(crate) fn retire(&mut self, world: &World) {
        self.island = Island::of(world, &[], Vec::new(), &[]);
        self.active = None;
        self.smooth = (f64::NEG_INFINITY, f64::INFINITY);
        self.regime = Regime::Flight { bodies: Vec::new(), sets: Vec::new() };
        (self.integrator, self.done) = (None, Totals::default());
        self.dropped_statistics = Statistics::default();
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
        self.implicit_failed = false;
        if self.is_quiet(world) {
            self.regime = self.flight(world, states, t);
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

    /// Whether nothing but gravity acts in the current smooth interval, and closed forms are enabled.
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
        self.regime = Regime::Integrated { has_span: false };
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

    fn flight(&self, world: &World, states: &States, t: f64) -> Regime {
        let gravity = world.gravity();
        let body =
            |id: &BodyId| Flight::new(world.body(*id).inertia(), &states.bodies[id.index()], gravity, t);
        let set = |id: &SetId| {
            let (positions, velocities) = &states.sets[id.index()];
            SetFlight::new(positions, velocities, gravity, t)
        };
        let bodies = self.island.bodies.iter().map(body).collect();
        Regime::Flight { bodies, sets: self.island.sets.iter().map(set).collect() }
    }

    /// Sets the state of its `k`-th body, in flight, at time `t`; the others fly on.
    pub(crate) fn deflect(&mut self, k: usize, flight: Flight) {
        let Regime::Flight { bodies, .. } = &mut self.regime else {
            unreachable!("only flights are deflected; any other regime begins anew");
        };
        bodies[k] = flight;
    }

    /// Cuts its span at `t` by integrator steps that end there, and reads the states. [SYSTEM, trap 16]
    pub(crate) fn cut(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        if let (Regime::Integrated { has_span: true }, Some(integrator)) =
            (&self.regime, &mut self.integrator)
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
            let mut steps = 0;
            while integrator.time() < t {
                steps += 1;
                if steps > MAX_CUT_STEPS {
                    integrator.restart(&mut equations, t, &on_span)?;
                    break;
                }
                match integrator.step(&mut equations, Some(t)) {
                    Ok(_) => {}
                    // Next to a singular instant only the span is left, which is less accurate.
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

    /// Restarts from these states at `t`, after it was cut there.
    pub(crate) fn resume(
        &mut self,
        t: f64,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        self.version += 1;
        self.left = None;
        self.begin(world, states, t, workspace.reborrow())?;
        if self.is_known() { Ok(()) } else { self.step(world, states, workspace.reborrow()) }
    }

    /// Until when its motion is known.
    pub(crate) fn clock(&self) -> f64 {
        match (&self.regime, &self.integrator) {
            (Regime::Integrated { .. }, Some(integrator)) => integrator.time(),
            _ => self.smooth.1,
        }
    }

    /// Whether its span ends at a jump.
    pub(crate) fn is_at_jump(&self) -> bool {
        self.smooth.1.is_finite() && self.clock() == self.smooth.1
    }

    /// When its current span begins.
    pub(crate) fn span_start(&self) -> Option<f64> {
        match (&self.regime, &self.integrator) {
            (Regime::Integrated { has_span: true }, Some(integrator)) => Some(integrator.span().t0),
            _ => None,
        }
    }

    /// Advances by one span: an integrator step, or the next smooth interval.
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
        // Where the implicit step fails an explicit one may still succeed.
        self.implicit_failed = true;
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
            // An implicit step scales its unknowns by the loads at its start, which are those last summed.
            let mut rates = vec![0.0; integrator.state().len()];
            equations.rates(integrator.time(), integrator.state(), &mut rates);
        }
        let end = self.smooth.1.min(integrator.time() + self.max_implicit_step);
        let stop = end.is_finite().then_some(end);
        integrator.step(&mut equations, stop)?;
        self.regime = Regime::Integrated { has_span: true };
        self.detect_stiffness_after_step(world, workspace.reborrow());
        Ok(())
    }

    /// Crosses from the end of one smooth interval into the next. An integrated state vector continues unchanged, drift
    /// included.
    fn cross_jump(
        &mut self,
        world: &World,
        states: &mut States,
        mut workspace: Workspace,
    ) -> Result<(), StepError> {
        let t = self.smooth.1;
        self.done = self.read(t, states);
        let was_integrated = matches!(self.regime, Regime::Integrated { .. });
        self.smooth = self.island.smooth_interval(t);
        if !was_integrated || self.is_quiet(world) {
            return self.begin(world, states, t, workspace.reborrow());
        }
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        states.vector.clear();
        states.vector.extend_from_slice(integrator.state());
        self.integrate_from(world, &states.vector, t, workspace.reborrow())
    }

    /// Reads the states of its members at time `t` on the current span; returns the totals so far.
    pub(crate) fn read(&self, t: f64, states: &mut States) -> Totals {
        match (&self.regime, &self.integrator) {
            (Regime::Rest { bodies }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                self.done
            }
            (Regime::Flight { bodies, sets }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                for (id, flight) in self.island.sets.iter().zip(sets) {
                    let (positions, velocities) = &mut states.sets[id.index()];
                    flight.read(t, positions, velocities);
                }
                self.done
            }
            (Regime::TimeStep { bodies, sets, articulated_motion, work: at_start, energy_errors }, _) => {
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
                let closing = energy_errors[0] + part * (energy_errors[1] - energy_errors[0]) + taken;
                Totals { closing, work: at_start + work, ..self.done }
            }
            (Regime::Integrated { has_span }, Some(integrator)) => {
                let dim = self.island.dim();
                let States { bodies, sets, vector } = states;
                vector.resize(self.dim(), 0.0);
                read_vector(integrator, *has_span, t, vector);
                let work = self.island.unpack(&vector[..dim], bodies, sets);
                let sum = |i: usize| vector.get(dim + i).copied().unwrap_or_default();
                Totals { work, friction: sum(0), closing: sum(1) }
            }
            (Regime::Integrated { .. }, None) => self.done,
        }
    }

    /// What its time step adds to `closing` between `t` and its end, J; nothing in any other regime.
    pub(crate) fn closing_ahead(&self, t: f64) -> f64 {
        let Regime::TimeStep { articulated_motion, energy_errors, .. } = &self.regime else { return 0.0 };
        let (start, end) = self.smooth;
        let left = if end > start { (end - t) / (end - start) } else { 0.0 };
        let taken =
            articulated_motion.as_ref().map_or(0.0, |motion| motion.dissipated(end) - motion.dissipated(t));
        left * (energy_errors[1] - energy_errors[0]) + taken
    }

    /// The state of its `k`-th body at time `t`, for an island in flight or at rest.
    pub(crate) fn flight_state(&self, k: usize, t: f64) -> BodyState {
        match &self.regime {
            Regime::Flight { bodies, .. } | Regime::Rest { bodies } => bodies[k].state(t),
            Regime::TimeStep { .. } | Regime::Integrated { .. } => unreachable!("asked of flights only"),
        }
    }

    /// How far the orientations in its state vector are from rotations, body by body; none where it carries none.
    pub(crate) fn rotation_defects(&self, t: f64) -> Option<impl Iterator<Item = (BodyId, f64)>> {
        let (Regime::Integrated { has_span }, Some(integrator)) = (&self.regime, &self.integrator) else {
            return None;
        };
        let mut y = vec![0.0; self.dim()];
        read_vector(integrator, *has_span, t, &mut y);
        let bodies = self.island.bodies.iter().enumerate();
        Some(bodies.map(move |(k, id)| (*id, self.island.rotation_defect(&y, k))))
    }

    /// The rotation of its `k`-th body in the state vector, and its deviation from a rotation; none in flight.
    pub(crate) fn carried_rotation(&self, t: f64, k: usize) -> Option<(DMat3, f64)> {
        match (&self.regime, &self.integrator) {
            (Regime::Integrated { has_span }, Some(integrator)) => {
                let mut y = vec![0.0; self.dim()];
                read_vector(integrator, *has_span, t, &mut y);
                Some((self.island.rotation(&y, k), self.island.rotation_defect(&y, k)))
            }
            _ => None,
        }
    }

    /// The state vector of these states.
    pub(crate) fn vector_of(&self, states: &States) -> Vec<f64> {
        let mut y = vec![0.0; self.dim()];
        self.island.pack(&states.bodies, &states.sets, 0.0, &mut y[..self.island.dim()]);
        y
    }

    /// Its equations of motion.
    pub(crate) fn equations<'a>(&'a self, world: &'a World, workspace: Workspace<'a>) -> IslandEquations<'a> {
        IslandEquations::new(world, &self.island, self.active.as_deref(), workspace, self.smooth)
    }

    /// The motion of its `k`-th body along the current span; none before the first span.
    pub(crate) fn motion(&self, k: usize) -> Option<BodyMotion<'_>> {
        match (&self.regime, &self.integrator) {
            (Regime::TimeStep { bodies, articulated_motion, .. }, _) => {
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
            (Regime::Flight { bodies, .. } | Regime::Rest { bodies }, _) => {
                Some(BodyMotion::Flight(&bodies[k]))
            }
            (Regime::Integrated { has_span: true }, Some(integrator)) => {
                Some(BodyMotion::Integrated(Integrated::new(&self.island, integrator.span(), k)))
            }
            _ => None,
        }
    }

    /// The totals up to the last time it was cut or ended.
    pub(crate) fn done(&self) -> Totals {
        self.done
    }

    /// Length of its state vector.
    pub(crate) fn vector_len(&self) -> usize {
        self.dim()
    }

    /// Its state vector at a time on its span.
    pub(crate) fn read_into(&self, t: f64, y: &mut [f64]) {
        if let (Regime::Integrated { has_span }, Some(integrator)) = (&self.regime, &self.integrator) {
            read_vector(integrator, *has_span, t, y);
        }
    }

    /// Whether it has a span: before its first step an integrated motion is unknown.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.regime, Regime::Integrated { has_span: false })
    }

    /// The cost of its integration.
    pub(crate) fn statistics(&self) -> Statistics {
        if let Regime::TimeStep { articulated_motion: Some(articulated_motion), .. } = &self.regime {
            return articulated_motion.statistics();
        }
        self.integrator.as_ref().map_or(self.dropped_statistics, |integrator| {
            self.dropped_statistics.with(integrator.statistics())
        })
    }

    /// Whether it is in closed-form flight.
    pub(crate) fn is_flight(&self) -> bool {
        matches!(self.regime, Regime::Flight { .. })
    }

    /// Whether it is a single body in closed-form flight.
    pub(crate) fn is_lone_flight(&self) -> bool {
        matches!(&self.regime, Regime::Flight { bodies, .. } if bodies.len() == 1)
    }

    /// Whether it is on a time step.
    pub(crate) fn is_time_step(&self) -> bool {
        matches!(self.regime, Regime::TimeStep { .. })
    }

    /// Whether it is at rest.
    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.regime, Regime::Rest { .. })
    }
}

/// The state at `t`: at the clock the state itself, before it the dense output of the span.
fn read_vector(integrator: &Integrator, has_span: bool, t: f64, y: &mut [f64]) {
    if !has_span || t == integrator.time() {
        y.copy_from_slice(integrator.state());
        return;
    }
    let span = integrator.span();
    debug_assert!(t >= span.t0 && t <= span.t1, "t = {t} is not on the span from {} to {}", span.t0, span.t1);
    span.at(t, y);
}

/// The motion of a body along its current span.
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

/// The forces of the last time step at the contacts of these tracks: the next step starts from them.
pub(crate) fn last_forces<'a>(tracks: impl Iterator<Item = &'a Track>) -> Vec<LastForce> {
    let mut last = Vec::new();
    for active in tracks.filter_map(|track| track.active.as_ref()) {
        let Some(step_forces) = &active.step_forces else { continue };
        let named = active.pairs.iter().zip(&active.features).zip(&step_forces.forces);
        last.extend(named.map(|((pair, features), step_force)| LastForce {
            contact: (*pair, *features),
            step_force: *step_force,
        }));
    }
    last.sort_by_key(|last| last.contact);
    last
}

impl Track {
    /// Whether contacts of it carry force.
    pub(crate) fn has_contacts(&self) -> bool {
        self.active.as_ref().is_some_and(|active| !active.constraints.is_empty())
    }
}
