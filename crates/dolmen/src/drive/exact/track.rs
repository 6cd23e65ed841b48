//! One island on its way through time.

use crate::body::BodyState;
use crate::integrate::{Integrator, Statistics, StepError};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Bounds, Equations, Flight, Integrated, Island, Motion, Prescribed, Scratch, SetFlight};
use crate::world::{BodyId, SetId, World};

/// How an island moves within a smooth interval.
#[derive(Debug, Clone)]
enum Course {
    /// In closed form: one span from here to the end of the interval.
    Flight { bodies: Vec<Flight>, sets: Vec<SetFlight> },
    /// By the spans of its integrator; the first is yet to be made if not `spanned`.
    Integrated { spanned: bool },
}

/// An island, its clock and the span that it is on.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) island: Island,
    /// The interval between two jumps in which everything is smooth.
    smooth: (f64, f64),
    course: Course,
    /// Kept from one smooth interval to the next, with its statistics.
    integrator: Option<Integrator>,
    /// Work booked up to the start of a flight.
    work: f64,
}

/// The states of all bodies and particles of a world, by id.
#[derive(Debug, Clone)]
pub(super) struct States {
    pub(super) bodies: Vec<BodyState>,
    pub(super) sets: Vec<(Vec<DVec3>, Vec<DVec3>)>,
    /// A state vector on its way from a span to the states; a buffer.
    pub(super) vector: Vec<f64>,
}

impl Track {
    /// An island that starts at time `t` from these states.
    pub(super) fn new(
        world: &World,
        island: Island,
        states: &mut States,
        t: f64,
        scratch: &mut Scratch,
    ) -> Result<Self, StepError> {
        let course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let mut track = Self { island, smooth: (t, t), course, integrator: None, work: 0.0 };
        track.begin(world, states, t, scratch)?;
        Ok(track)
    }

    /// Starts afresh from these states at `t`, with the work done so far.
    pub(super) fn intervene(
        &mut self,
        world: &World,
        states: &mut States,
        at: (f64, f64),
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        let (t, work) = at;
        self.work = work;
        self.begin(world, states, t, scratch)
    }

    /// Starts a smooth interval at `t` from these states.
    fn begin(
        &mut self,
        world: &World,
        states: &mut States,
        t: f64,
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        self.smooth = self.island.smooth_interval(t);
        if self.is_quiet(world) {
            self.course = self.flight(world, states, t);
            return Ok(());
        }
        let States { bodies, sets, vector } = states;
        vector.resize(self.island.dim(), 0.0);
        self.island.pack(bodies, sets, self.work, vector);
        self.integrate_from(world, vector, t, scratch)
    }

    /// Whether nothing but gravity acts in the present smooth interval, and closed forms are wanted.
    fn is_quiet(&self, world: &World) -> bool {
        let (a, b) = self.smooth;
        let quiet = |f: &usize| world.forces()[*f].is_quiet(a, b);
        world.settings().closed_form && self.island.forces.iter().all(quiet)
    }

    fn integrate_from(
        &mut self,
        world: &World,
        y: &[f64],
        t: f64,
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        self.course = Course::Integrated { spanned: false };
        let mut equations = Equations::new(world, &self.island, scratch, self.smooth);
        if let Some(integrator) = &mut self.integrator {
            return integrator.restart(&mut equations, t, y);
        }
        let mut integrator = Integrator::new(world.settings().integrator.clone(), y.len())?;
        integrator.start(&mut equations, t, y, f64::INFINITY)?;
        self.integrator = Some(integrator);
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

    /// How far its motion is known.
    pub(super) fn clock(&self) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Integrated { .. }, Some(integrator)) => integrator.time(),
            _ => self.smooth.1,
        }
    }

    /// One span further: an integrator step, or the next smooth interval.
    pub(super) fn step(
        &mut self,
        world: &World,
        states: &mut States,
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        if self.clock() == self.smooth.1 {
            return self.cross_jump(world, states, scratch);
        }
        let mut equations = Equations::new(world, &self.island, scratch, self.smooth);
        let stop = self.smooth.1.is_finite().then_some(self.smooth.1);
        let integrator = self.integrator.as_mut().ok_or(StepError::NotStarted)?;
        integrator.step(&mut equations, stop)?;
        self.course = Course::Integrated { spanned: true };
        Ok(())
    }

    /// From the end of one smooth interval into the next. A state vector that goes on being integrated is taken as it
    /// stands, drift and all.
    fn cross_jump(
        &mut self,
        world: &World,
        states: &mut States,
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        let t = self.smooth.1;
        self.work = self.read(t, states);
        let was_integrated = matches!(self.course, Course::Integrated { .. });
        self.smooth = self.island.smooth_interval(t);
        if !was_integrated || self.is_quiet(world) {
            return self.begin(world, states, t, scratch);
        }
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        states.vector.clear();
        states.vector.extend_from_slice(integrator.state());
        self.integrate_from(world, &states.vector, t, scratch)
    }

    /// Reads the states of its members at time `t` on the present span; returns the work so far.
    pub(super) fn read(&self, t: f64, states: &mut States) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Flight { bodies, sets }, _) => {
                for (id, flight) in self.island.bodies.iter().zip(bodies) {
                    states.bodies[id.index()] = flight.state(t);
                }
                for (id, flight) in self.island.sets.iter().zip(sets) {
                    let (positions, velocities) = &mut states.sets[id.index()];
                    flight.read(t, positions, velocities);
                }
                self.work
            }
            (Course::Integrated { spanned }, Some(integrator)) => {
                let States { bodies, sets, vector } = states;
                vector.resize(self.island.dim(), 0.0);
                read_vector(integrator, *spanned, t, vector);
                self.island.unpack(vector, bodies, sets)
            }
            (Course::Integrated { .. }, None) => self.work,
        }
    }

    /// The rotation of its `k`-th body as the state vector carries it, and how far that is from a rotation; none in flight.
    pub(super) fn carried_rotation(&self, t: f64, k: usize) -> Option<(DMat3, f64)> {
        match (&self.course, &self.integrator) {
            (Course::Integrated { spanned }, Some(integrator)) => {
                let mut y = vec![0.0; self.island.dim()];
                read_vector(integrator, *spanned, t, &mut y);
                Some((self.island.rotation(&y, k), self.island.rotation_defect(&y, k)))
            }
            _ => None,
        }
    }

    /// The state vector that belongs to these states, and the equations to evaluate it with.
    pub(super) fn equations<'a>(
        &'a self,
        world: &'a World,
        states: &States,
        scratch: &'a mut Scratch,
    ) -> (Equations<'a>, Vec<f64>) {
        let mut y = vec![0.0; self.island.dim()];
        self.island.pack(&states.bodies, &states.sets, 0.0, &mut y);
        (Equations::new(world, &self.island, scratch, self.smooth), y)
    }

    /// The motion of its `k`-th body along the present span; none where the first span is yet to be made.
    pub(super) fn motion(&self, k: usize) -> Option<BodyMotion<'_>> {
        match (&self.course, &self.integrator) {
            (Course::Flight { bodies, .. }, _) => Some(BodyMotion::Flight(&bodies[k])),
            (Course::Integrated { spanned: true }, Some(integrator)) => {
                Some(BodyMotion::Integrated(Integrated::new(&self.island, integrator.span(), k)))
            }
            _ => None,
        }
    }

    /// What its integration has cost.
    pub(super) fn statistics(&self) -> Statistics {
        self.integrator.as_ref().map(|i| *i.statistics()).unwrap_or_default()
    }

    /// Whether it is in closed-form flight.
    pub(super) fn is_flight(&self) -> bool {
        matches!(self.course, Course::Flight { .. })
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

    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        match self {
            Self::Flight(motion) => motion.bounds(t_a, t_b),
            Self::Integrated(motion) => motion.bounds(t_a, t_b),
            Self::Prescribed(motion) => motion.bounds(t_a, t_b),
        }
    }
}
