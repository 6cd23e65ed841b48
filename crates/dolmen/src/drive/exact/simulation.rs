//! A world on its way through time.

use std::sync::Arc;

use super::queue::Queue;
use super::track::{BodyMotion, States, Track};
use super::{Reason, Stop};
use crate::body::{BodyState, Kinematics, Load};
use crate::integrate::Statistics;
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Island, Motion, Scratch};
use crate::record::{Ledger, Sample};
use crate::world::{Body, BodyId, SetId, World};

/// A world, and where everything in it is.
///
/// Results do not hang on how time is cut up: `advance(1.0)` and ten times `advance` give the same bits.
#[derive(Debug, Clone)]
pub struct Simulation {
    world: Arc<World>,
    tracks: Vec<Track>,
    /// Which track a body is on, and its place there; none for fixed and kinematic bodies.
    place: Vec<Option<(usize, usize)>>,
    states: States,
    work: f64,
    scratch: Scratch,
    queue: Queue,
    t: f64,
    /// Why it cannot go on, once it cannot.
    stopped: Option<Stop>,
}

impl Simulation {
    /// At t = 0, from the start that the world describes.
    ///
    /// # Errors
    /// When the equations of motion cannot be evaluated at the start.
    pub fn new(world: impl Into<Arc<World>>) -> Result<Self, Stop> {
        let world = world.into();
        let mut scratch = Scratch::new(&world);
        let mut states = States {
            bodies: world.bodies().iter().map(Body::start_state).collect(),
            sets: world.sets().iter().map(|s| (s.positions().to_vec(), s.velocities().to_vec())).collect(),
            vector: Vec::new(),
        };
        let mut place = vec![None; world.bodies().len()];
        let mut tracks = Vec::new();
        for island in Island::all(&world) {
            for (k, id) in island.bodies.iter().enumerate() {
                place[id.index()] = Some((tracks.len(), k));
            }
            let track = Track::new(&world, island.clone(), &mut states, 0.0, &mut scratch)
                .map_err(|error| Stop::motion(&world, &island, 0.0, error))?;
            tracks.push(track);
        }
        let queue = Queue::default();
        Ok(Self { world, tracks, place, states, work: 0.0, scratch, queue, t: 0.0, stopped: None })
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present time, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Goes on to time `t`.
    ///
    /// # Errors
    /// When `t` is not finite or lies before the present, or when the motion of an island cannot go on. In the latter case
    /// the simulation stands at the last time up to which everything is known, and stays there: asked again, it says the
    /// same.
    pub fn advance(&mut self, t: f64) -> Result<(), Stop> {
        self.advance_while(t, &mut |_| true)
    }

    /// Goes on to time `t` as long as `watch`, which is told the time reached after every step, says so.
    ///
    /// # Errors
    /// As [`Simulation::advance`]; and [`Reason::Interrupted`] when `watch` says no. Then it can go on later.
    pub fn advance_while(&mut self, t: f64, watch: &mut dyn FnMut(f64) -> bool) -> Result<(), Stop> {
        if let Some(stop) = &self.stopped {
            return Err(stop.clone());
        }
        if !t.is_finite() || t < self.t {
            return Err(Stop { t: self.t, reason: Reason::Time { asked: t } });
        }
        self.queue.clear();
        for (k, track) in self.tracks.iter().enumerate() {
            if track.clock() < t {
                self.queue.push(track.clock(), k);
            }
        }
        while let Some(k) = self.queue.pop() {
            let track = &mut self.tracks[k];
            // The smallest clock of all: every other span begins before it and ends behind it.
            let clock = track.clock();
            if !watch(clock.max(self.t)) {
                self.move_to(clock);
                return Err(Stop { t: self.t, reason: Reason::Interrupted });
            }
            if let Err(error) = track.step(&self.world, &mut self.states, &mut self.scratch) {
                let stop = Stop::motion(&self.world, &track.island, clock.max(self.t), error);
                self.stopped = Some(stop.clone());
                self.move_to(clock);
                return Err(stop);
            }
            if track.clock() < t {
                self.queue.push(track.clock(), k);
            }
        }
        self.move_to(t);
        Ok(())
    }

    /// Reads all states at `t`, if that is later.
    fn move_to(&mut self, t: f64) {
        self.t = self.t.max(t);
        self.read_states();
    }

    fn read_states(&mut self) {
        self.work = 0.0;
        for track in &self.tracks {
            self.work += track.read(self.t, &mut self.states);
        }
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.pose(self.t),
            None => self.states.bodies[id.index()].pose(),
        }
    }

    /// The rotation of a body as it is carried: with [`Form::Matrix`](crate::world::Form) the matrix itself, drift and
    /// all.
    pub fn rotation_matrix(&self, id: BodyId) -> DMat3 {
        self.carried_rotation(id).0
    }

    /// How far the carried orientation of a body has drifted from a rotation: ||q| − 1|, or the largest entry of RRᵀ − 1.
    /// [NOTES I]
    pub fn rotation_defect(&self, id: BodyId) -> f64 {
        self.carried_rotation(id).1
    }

    fn carried_rotation(&self, id: BodyId) -> (DMat3, f64) {
        let place = self.place[id.index()];
        let carried = place.and_then(|(track, k)| self.tracks[track].carried_rotation(self.t, k));
        carried.unwrap_or_else(|| (DMat3::from_quat(self.pose(id).orientation), 0.0))
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        match self.world.body(id).prescribed_motion() {
            Some(motion) => motion.twist(self.t),
            None => self.states.bodies[id.index()].twist(self.world.body(id).inertia()),
        }
    }

    /// The state of a body that forces move; none for a fixed or kinematic one.
    pub fn state(&self, id: BodyId) -> Option<BodyState> {
        self.place[id.index()].map(|_| self.states.bodies[id.index()])
    }

    /// Positions and velocities of the particles of a set.
    pub fn particles(&self, id: SetId) -> (&[DVec3], &[DVec3]) {
        let (positions, velocities) = &self.states.sets[id.index()];
        (positions, velocities)
    }

    /// Pose, twist and acceleration of a body, from which those of any of its points follow.
    pub fn kinematics(&mut self, id: BodyId) -> Kinematics {
        if self.place[id.index()].is_none() {
            let (pose, twist) = (self.pose(id), self.twist(id));
            let motion = self.world.body(id).prescribed_motion();
            let (acceleration, spin_rate) = motion.map(|m| m.acceleration(self.t)).unwrap_or_default();
            return Kinematics { pose, twist, acceleration, spin_rate };
        }
        let load = self.load(id);
        Kinematics::new(&self.states.bodies[id.index()], self.world.body(id).inertia(), &load)
    }

    /// The total force and torque on a body, gravity included; zero for one that forces do not move.
    pub fn load(&mut self, id: BodyId) -> Load {
        let Some((track, _)) = self.place[id.index()] else { return Load::default() };
        let (mut equations, y) = self.tracks[track].equations(&self.world, &self.states, &mut self.scratch);
        equations.load_on(self.t, &y, id)
    }

    /// The total force on every particle of a set, gravity included.
    pub fn particle_forces(&mut self, id: SetId) -> Vec<DVec3> {
        let Some(track) = self.tracks.iter().find(|track| track.island.sets.contains(&id)) else {
            return Vec::new();
        };
        let (mut equations, y) = track.equations(&self.world, &self.states, &mut self.scratch);
        equations.forces_on(self.t, &y, id)
    }

    /// Kinetic and potential energy now, and the work done since the start.
    pub fn ledger(&mut self) -> Ledger {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for track in &self.tracks {
            let (mut equations, y) = track.equations(&self.world, &self.states, &mut self.scratch);
            potential += equations.potential(self.t, &y);
            for id in &track.island.bodies {
                kinetic += self.states.bodies[id.index()].kinetic_energy(self.world.body(*id).inertia());
            }
            for id in &track.island.sets {
                let velocities = self.states.sets[id.index()].1.iter();
                let masses = self.world.set(*id).masses();
                kinetic += velocities.zip(masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
            }
        }
        Ledger { kinetic, potential, work: self.work }
    }

    /// Total linear momentum, and angular momentum about the origin, of everything that forces move.
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for id in self.world.body_ids().filter(|id| self.world.body(*id).is_dynamic()) {
            let state = &self.states.bodies[id.index()];
            linear += state.momentum;
            angular += state.angular_momentum_about_origin();
        }
        for id in self.world.set_ids() {
            let (positions, velocities) = &self.states.sets[id.index()];
            for ((x, v), m) in positions.iter().zip(velocities).zip(self.world.set(id).masses()) {
                linear += *m * *v;
                angular += x.cross(*m * *v);
            }
        }
        (linear, angular)
    }

    /// Everything that a record holds of the present time.
    pub fn sample(&mut self) -> Sample {
        let ledger = self.ledger();
        let (momentum, angular_momentum) = self.momentum();
        let bodies = self.world.body_ids().map(|id| (self.pose(id), self.twist(id))).collect();
        Sample { t: self.t, bodies, sets: self.states.sets.clone(), ledger, momentum, angular_momentum }
    }

    /// Puts a body into another state, now. Ends the span that it is on; its island goes on from here. The energy that this
    /// puts in or takes out is booked as work.
    ///
    /// # Errors
    /// When the body is fixed or kinematic, a number is not finite, or the equations of motion cannot be evaluated there
    /// (then the simulation cannot go on).
    pub fn set_state(&mut self, id: BodyId, state: BodyState) -> Result<(), Stop> {
        if let Some(stop) = &self.stopped {
            return Err(stop.clone());
        }
        let refuse = |problem| {
            let body = self.world.body_name(id);
            Err(Stop { t: self.t, reason: Reason::Intervention { body, problem } })
        };
        let Some((track, _)) = self.place[id.index()] else {
            return refuse("it is fixed or kinematic; change its motion in the world");
        };
        let finite =
            state.position.is_finite() && state.momentum.is_finite() && state.angular_momentum.is_finite();
        let length = state.orientation.length();
        if !(finite && length.is_finite() && length > 0.0) {
            return refuse("a number is not finite, or the quaternion is zero");
        }
        let before = self.ledger().total();
        let work = self.tracks[track].read(self.t, &mut self.states);
        self.states.bodies[id.index()] = BodyState { orientation: state.orientation.normalize(), ..state };
        let put_in = self.ledger().total() - before;
        let track = &mut self.tracks[track];
        let at = (self.t, work + put_in);
        if let Err(error) = track.intervene(&self.world, &mut self.states, at, &mut self.scratch) {
            let stop = Stop::motion(&self.world, &track.island, self.t, error);
            self.stopped = Some(stop.clone());
            return Err(stop);
        }
        self.read_states();
        Ok(())
    }

    /// The motion of a body along the span that it is on; none before the first step of its island.
    pub fn motion(&self, id: BodyId) -> Option<BodyMotion<'_>> {
        if let Some(motion) = self.world.body(id).prescribed_motion() {
            return Some(BodyMotion::Prescribed(motion));
        }
        let (track, k) = self.place[id.index()]?;
        self.tracks[track].motion(k)
    }

    /// What integration has cost so far, over all islands.
    pub fn statistics(&self) -> Statistics {
        self.tracks.iter().map(Track::statistics).fold(Statistics::default(), |sum, s| Statistics {
            steps: sum.steps + s.steps,
            rejected: sum.rejected + s.rejected,
            evaluations: sum.evaluations + s.evaluations,
            jacobians: sum.jacobians + s.jacobians,
            factorisations: sum.factorisations + s.factorisations,
            newton_iterations: sum.newton_iterations + s.newton_iterations,
            stiff_at: earliest(sum.stiff_at, s.stiff_at),
        })
    }

    /// The number of islands, and how many of them are in closed-form flight.
    pub fn islands(&self) -> (usize, usize) {
        (self.tracks.len(), self.tracks.iter().filter(|t| t.is_flight()).count())
    }
}

fn earliest(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
