//! A world on its way through time.

use super::track::{States, Track};
use crate::body::{BodyState, Kinematics, Load};
use crate::integrate::{Statistics, StepError};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::{Island, Motion, Scratch};
use crate::record::{Ledger, Sample};
use crate::world::{BodyId, SetId, World};

/// Why a simulation could not go on: when, on whom, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("at t = {t} s the motion of {members} could not go on: {reason}{}", .component.as_ref().map(|c| format!(" (the component is {c})")).unwrap_or_default())]
pub struct Stop {
    /// The last time that was reached.
    pub t: f64,
    /// The bodies and particles concerned.
    pub members: String,
    /// What the offending number of the state is, where there is one.
    pub component: Option<String>,
    /// Why.
    #[source]
    pub reason: StepError,
}

/// A world, and where everything in it is.
///
/// Results do not hang on how time is cut up: `advance(1.0)` and ten times `advance` give the same bits.
#[derive(Debug)]
pub struct Simulation {
    world: World,
    tracks: Vec<Track>,
    /// Which track a body is on, and its place there; none for fixed and kinematic bodies.
    place: Vec<Option<(usize, usize)>>,
    states: States,
    work: f64,
    scratch: Scratch,
    t: f64,
}

impl Simulation {
    /// At t = 0, from the start that the world describes.
    ///
    /// # Errors
    /// When the equations of motion cannot be evaluated at the start.
    pub fn new(world: World) -> Result<Self, Stop> {
        let mut scratch = Scratch::new(&world);
        let states = States {
            bodies: world.bodies().iter().map(start_state).collect(),
            sets: world.sets().iter().map(|s| (s.positions().to_vec(), s.velocities().to_vec())).collect(),
            vector: Vec::new(),
        };
        let mut place = vec![None; world.bodies().len()];
        let mut tracks = Vec::new();
        for island in Island::all(&world) {
            for (k, id) in island.bodies.iter().enumerate() {
                place[id.index()] = Some((tracks.len(), k));
            }
            let (names, island_) = (island.names(&world), island.clone());
            let track = Track::new(&world, island, &states, 0.0, &mut scratch)
                .map_err(|reason| stop(&world, &island_, names, 0.0, reason))?;
            tracks.push(track);
        }
        Ok(Self { world, tracks, place, states, work: 0.0, scratch, t: 0.0 })
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present time, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Goes on to time `t`. A time before the present one changes nothing.
    ///
    /// # Errors
    /// When the motion of an island cannot go on. The simulation then still stands at the time before the call.
    pub fn advance(&mut self, t: f64) -> Result<(), Stop> {
        if t.is_nan() || t <= self.t {
            return Ok(());
        }
        for track in &mut self.tracks {
            while track.clock() < t {
                let before = track.clock();
                if let Err(reason) = track.step(&self.world, &mut self.states, &mut self.scratch) {
                    let names = track.island.names(&self.world);
                    let error = stop(&self.world, &track.island, names, before, reason);
                    // Islands that were advanced keep their spans; states go back to what they were.
                    self.read_states();
                    return Err(error);
                }
            }
        }
        self.t = t;
        self.read_states();
        Ok(())
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
        let place = self.place[id.index()];
        let carried = place.and_then(|(track, k)| self.tracks[track].rotation_matrix(self.t, k));
        carried.unwrap_or_else(|| DMat3::from_quat(self.pose(id).orientation))
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

    /// Puts a body into another state, now. Ends the span that it is on; its island goes on from here.
    ///
    /// # Errors
    /// When the equations of motion cannot be evaluated there.
    pub fn set_state(&mut self, id: BodyId, state: BodyState) -> Result<(), Stop> {
        let Some((track, _)) = self.place[id.index()] else { return Ok(()) };
        self.states.bodies[id.index()] = state;
        let track = &mut self.tracks[track];
        track.begin(&self.world, &self.states, self.t, &mut self.scratch).map_err(|reason| {
            stop(&self.world, &track.island, track.island.names(&self.world), self.t, reason)
        })
    }

    /// The motion of a body along the span that it is on; none before the first step of its island.
    pub fn motion(&self, id: BodyId) -> Option<Box<dyn Motion + '_>> {
        if let Some(motion) = self.world.body(id).prescribed_motion() {
            return Some(Box::new(motion.clone()));
        }
        let (track, k) = self.place[id.index()]?;
        self.tracks[track].motion(&self.world, k)
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

fn start_state(body: &crate::world::Body) -> BodyState {
    if body.is_dynamic() {
        return body.start_state();
    }
    let pose = body.start_pose();
    BodyState {
        position: pose.position,
        orientation: pose.orientation,
        momentum: DVec3::ZERO,
        angular_momentum: DVec3::ZERO,
    }
}

fn stop(world: &World, island: &Island, members: String, t: f64, reason: StepError) -> Stop {
    let component = match &reason {
        StepError::StepTooSmall { component, .. } => Some(island.component_name(world, *component)),
        _ => None,
    };
    Stop { t, members, component, reason }
}
