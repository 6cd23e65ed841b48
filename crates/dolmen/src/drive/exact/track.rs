//! One island on its way through time.

use crate::body::BodyState;
use crate::integrate::{Integrator, Statistics, StepError};
use crate::math::{DMat3, DVec3};
use crate::motion::{Equations, Flight, Integrated, Island, Motion, Scratch, SetFlight};
use crate::world::{BodyId, World};

/// How an island moves within a smooth interval.
#[derive(Debug, Clone)]
enum Course {
    /// In closed form: one span from here to the end of the interval.
    Flight { bodies: Vec<Flight>, sets: Vec<SetFlight> },
    /// By the spans of its integrator.
    Integrated,
}

/// An island, its clock and the span that it is on.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) island: Island,
    /// The interval between two jumps in which everything is smooth.
    smooth: (f64, f64),
    course: Course,
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
        states: &States,
        t: f64,
        scratch: &mut Scratch,
    ) -> Result<Self, StepError> {
        let course = Course::Flight { bodies: Vec::new(), sets: Vec::new() };
        let mut track = Self { island, smooth: (t, t), course, integrator: None, work: 0.0 };
        track.begin(world, states, t, scratch)?;
        Ok(track)
    }

    /// Starts a smooth interval at `t`.
    pub(super) fn begin(
        &mut self,
        world: &World,
        states: &States,
        t: f64,
        scratch: &mut Scratch,
    ) -> Result<(), StepError> {
        let jumps = &self.island.jumps;
        let next = jumps.partition_point(|jump| *jump <= t);
        let from = if next == 0 { f64::NEG_INFINITY } else { jumps[next - 1] };
        self.smooth = (from, jumps.get(next).copied().unwrap_or(f64::INFINITY));
        let (a, b) = self.smooth;
        let quiet = self.island.forces.iter().all(|f| world.forces()[*f].is_quiet(a, b));
        if quiet && world.settings().closed_form {
            self.course = self.flight(world, states, t);
            return Ok(());
        }
        self.course = Course::Integrated;
        let mut y = vec![0.0; self.island.dim()];
        self.island.pack(&states.bodies, &states.sets, self.work, &mut y);
        let mut integrator = match self.integrator.take() {
            Some(integrator) => integrator,
            None => Integrator::new(world.settings().integrator.clone(), y.len())?,
        };
        let mut equations = Equations::new(world, &self.island, scratch, self.smooth);
        let started = if integrator.statistics().steps == 0 {
            integrator.start(&mut equations, t, &y, f64::INFINITY)
        } else {
            integrator.restart(&mut equations, t, &y)
        };
        self.integrator = Some(integrator);
        started
    }

    fn flight(&self, world: &World, states: &States, t: f64) -> Course {
        let gravity = world.gravity();
        let body =
            |id: &BodyId| Flight::new(world.body(*id).inertia(), &states.bodies[id.index()], gravity, t);
        let bodies = self.island.bodies.iter().map(body).collect();
        let set = |id: &crate::world::SetId| {
            let (positions, velocities) = &states.sets[id.index()];
            SetFlight::new(positions, velocities, gravity, t)
        };
        Course::Flight { bodies, sets: self.island.sets.iter().map(set).collect() }
    }

    /// How far its motion is known.
    pub(super) fn clock(&self) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Integrated, Some(integrator)) => integrator.time(),
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
            let t = self.smooth.1;
            self.work = self.read(t, states);
            return self.begin(world, states, t, scratch);
        }
        let mut equations = Equations::new(world, &self.island, scratch, self.smooth);
        let stop = self.smooth.1.is_finite().then_some(self.smooth.1);
        match &mut self.integrator {
            Some(integrator) => integrator.step(&mut equations, stop).map(|_| ()),
            None => Err(StepError::NotStarted),
        }
    }

    /// Reads the states of its members at time `t` on the present span; returns the work so far.
    pub(super) fn read(&self, t: f64, states: &mut States) -> f64 {
        match (&self.course, &self.integrator) {
            (Course::Integrated, Some(integrator)) => {
                let States { bodies, sets, vector } = states;
                vector.resize(self.island.dim(), 0.0);
                Self::read_vector(integrator, t, vector);
                self.island.unpack(vector, bodies, sets)
            }
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
            (Course::Integrated, None) => self.work,
        }
    }

    fn read_vector(integrator: &Integrator, t: f64, y: &mut [f64]) {
        if t == integrator.time() {
            y.copy_from_slice(integrator.state());
        } else {
            integrator.span().at(t, y);
        }
    }

    /// The rotation of its `k`-th body as the state vector carries it; none in flight.
    pub(super) fn rotation_matrix(&self, t: f64, k: usize) -> Option<DMat3> {
        match (&self.course, &self.integrator) {
            (Course::Integrated, Some(integrator)) => {
                let mut y = vec![0.0; self.island.dim()];
                Self::read_vector(integrator, t, &mut y);
                Some(self.island.rotation(&y, k))
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

    /// The motion of its `k`-th body along the present span, as whoever looks for contacts will see it.
    pub(super) fn motion<'a>(&'a self, world: &'a World, k: usize) -> Option<Box<dyn Motion + 'a>> {
        match (&self.course, &self.integrator) {
            (Course::Flight { bodies, .. }, _) => Some(Box::new(bodies[k].clone())),
            (Course::Integrated, Some(integrator)) if integrator.statistics().steps > 0 => {
                Some(Box::new(Integrated::new(world, &self.island, integrator.span(), k)))
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
