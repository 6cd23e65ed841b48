//! A world on its way through time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agenda::Agenda;
use super::detection::{Detection, DetectionStatistics};
use super::held::Held;
use super::joints;
use super::linkages::Linkages;
use super::log::Log;
use super::motions::Place;
use super::patience::Patience;
use super::strike::Cluster;
use super::track::{BodyMotion, Done, Track};
use super::{Buffers, States};
use super::{Reason, Stop};
use crate::body::{BodyState, Kinematics, Load};
use crate::contact::rest::{Bearing, Bearings, Frame, Loaded, Mode, Solves};
use crate::dynamics::{Island, Scratch};
use crate::integrate::Statistics;
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::record::{ContactForce, Event, JointEvent, Ledger, Sample};
use crate::solve::choose::ContactSolver;
use crate::world::{Body, BodyId, SetId, World};

/// A world, and where everything in it is.
///
/// Results do not hang on how time is cut up: `advance(1.0)` and ten times `advance` give the same bits.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(super) world: Arc<World>,
    pub(super) tracks: Vec<Track>,
    /// Which track a body is on, and its place there; none for fixed and kinematic bodies.
    pub(super) place: Vec<Place>,
    pub(super) states: States,
    /// By the islands, up to the present.
    done: Done,
    pub(super) buffers: Buffers,
    pub(super) agenda: Agenda,
    pub(super) detection: Detection,
    pub(super) cluster: Cluster,
    /// Bodies being covered; a buffer.
    pub(super) covering: Vec<u32>,
    /// Tracks that nobody is on.
    pub(super) vacant: Vec<usize>,
    /// Tracks made by the last regrouping.
    pub(super) made: Vec<usize>,
    /// What tracks cost that are no more.
    pub(super) retired: Statistics,
    pub(super) log: Log,
    /// Of every body: how many events it has had of late.
    pub(super) patience: Vec<Patience>,
    /// The contact forces of islands in equilibrium, by track and its version, once they were asked for.
    resting: BTreeMap<usize, (u32, Vec<ContactForce>)>,
    pub(super) t: f64,
    /// Why it cannot go on, once it cannot.
    pub(super) stopped: Option<Stop>,
    /// A pair, and all bodies, of each island that was to be held and could not be, beside others that could: to go by a step
    /// over a crowd.
    pub(super) unheld: Vec<([u32; 2], Vec<u32>)>,
    /// When slips were last taken to have ended because steps failed, and of whom.
    pub(super) failed_step: Option<(f64, [u32; 2])>,
}

/// What counts as touching, as a share of the size of the smaller body.
const TOUCHING: f64 = 1e-9;

/// How far points of two bodies that turn may lie below the chords of their arcs within a step that is this share of the own
/// time of the bodies, by what counts as touching.
///
/// An arc of radius r that is gone through at ω for a time h is ω²h²r/8 higher than its chord. With ω at most the inverse of
/// the time in which the body moves by its size, and two bodies that turn, that is ½ (h/own time)² of the size.
pub(super) fn below_chord(share: f64) -> f64 {
    0.5 * share * share / TOUCHING
}

impl Simulation {
    /// At t = 0, from the start that the world describes.
    ///
    /// # Errors
    /// When the equations of motion cannot be evaluated at the start, or bodies overlap.
    pub fn new(world: impl Into<Arc<World>>) -> Result<Self, Stop> {
        let world = world.into();
        let mut buffers = Buffers {
            motion: Scratch::new(&world),
            bearings: Bearings::with_joints(Linkages::find(&world)),
            shared: Vec::new(),
            likely: super::likely::Likely::default(),
            loaded: Vec::new(),
            shifts: Vec::new(),
            linkages: Linkages::new(&world),
        };
        let solver = world.contact().solver;
        let knows_joints = matches!(solver, ContactSolver::Complementarity | ContactSolver::Cone);
        if !knows_joints && !world.joints().is_empty() {
            return Err(Stop { t: 0.0, reason: Reason::Solver { solver: solver.name() } });
        }
        buffers.bearings.solver = solver;
        buffers.bearings.is_thorough = !world.contact().equilibrium_shortcut;
        joints::check(&world, &mut buffers)?;
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
            let held = Held::of_joints(&island);
            let track = Track::new(&world, (island.clone(), held), &mut states, 0.0, &mut buffers)
                .map_err(|error| Stop::motion(&world, &island, 0.0, error))?;
            tracks.push(track);
        }
        let patience = vec![Patience::default(); world.bodies().len()];
        let mut simulation = Self {
            detection: Detection::new(&world),
            world,
            tracks,
            place,
            states,
            done: Done::default(),
            buffers,
            agenda: Agenda::default(),
            cluster: Cluster::default(),
            covering: Vec::new(),
            vacant: Vec::new(),
            made: Vec::new(),
            retired: Statistics::default(),
            log: Log::default(),
            patience,
            resting: BTreeMap::new(),
            t: 0.0,
            stopped: None,
            unheld: Vec::new(),
            failed_step: None,
        };
        simulation.prepare()?;
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

    /// Reads all states at `t`, if that is later.
    pub(super) fn move_to(&mut self, t: f64) {
        self.t = self.t.max(t);
        self.log.reach(self.t);
        self.read_states();
    }

    fn read_states(&mut self) {
        self.done = Done::default();
        for track in &self.tracks {
            let done = track.read(self.t, &mut self.states);
            self.done.work += done.work;
            self.done.friction += done.friction;
            self.done.closing += done.closing;
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
        let track = &self.tracks[track];
        let y = track.vector_of(&self.states);
        track.equations(&self.world, &mut self.buffers).load_on(self.t, &y, id)
    }

    /// The total force on every particle of a set, gravity included.
    pub fn particle_forces(&mut self, id: SetId) -> Vec<DVec3> {
        let Some(track) = self.tracks.iter().find(|track| track.island.sets.contains(&id)) else {
            return Vec::new();
        };
        let y = track.vector_of(&self.states);
        track.equations(&self.world, &mut self.buffers).forces_on(self.t, &y, id)
    }

    /// Kinetic and potential energy now, and the work done since the start.
    pub fn ledger(&mut self) -> Ledger {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for track in &self.tracks {
            let y = track.vector_of(&self.states);
            potential += track.equations(&self.world, &mut self.buffers).potential(self.t, &y);
            for id in &track.island.bodies {
                kinetic += self.states.bodies[id.index()].kinetic_energy(self.world.body(*id).inertia());
            }
            for id in &track.island.sets {
                let velocities = self.states.sets[id.index()].1.iter();
                let masses = self.world.set(*id).masses();
                kinetic += velocities.zip(masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
            }
        }
        let lost = &self.log.losses;
        Ledger {
            kinetic,
            potential,
            work: self.done.work + self.log.work,
            collisions: lost.collisions,
            friction: lost.friction + self.done.friction,
            closing: lost.closing + self.done.closing,
        }
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
    /// puts in or takes out is booked as work. A body that joints hold may miss them by little: it is put back onto them.
    ///
    /// # Errors
    /// When the body is fixed or kinematic, a number is not finite, it would be far off a joint or beyond a limit (then it
    /// stays where it is and the simulation can go on), or the equations of motion cannot be evaluated there
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
        let (world, states, buffers) = (&self.world, &mut self.states, &mut self.buffers);
        let cut = self.tracks[track].cut(self.t, world, states, buffers);
        cut.map_err(|error| Stop::motion(&self.world, &self.tracks[track].island, self.t, error))?;
        let old = self.states.bodies[id.index()];
        self.states.bodies[id.index()] = BodyState { orientation: state.orientation.normalize(), ..state };
        if let Err(stop) = self.check_joints_of(track) {
            self.states.bodies[id.index()] = old;
            self.begin_anew(self.t, track)?;
            self.read_states();
            return Err(stop);
        }
        self.log.work += self.ledger().total() - before;
        if let Err(stop) = self.begin_anew(self.t, track) {
            self.stopped = Some(stop.clone());
            self.halt(self.t);
            self.read_states();
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
        self.tracks.iter().fold(self.retired, |sum, track| sum.with(&track.statistics()))
    }

    /// The forces of all contacts that carry any now, in the order of their bodies.
    pub fn contact_forces(&mut self) -> Vec<ContactForce> {
        let mut found = Vec::new();
        for (k, track) in self.tracks.iter().enumerate() {
            let Some(held) = track.held.as_ref().filter(|held| !held.bearings.is_empty()) else { continue };
            // What is in equilibrium stays as it is, and so do its forces: they are solved once.
            let known = self.resting.get(&k).filter(|(version, _)| *version == track.version);
            if let Some((_, forces)) = known.filter(|_| track.is_at_rest()) {
                found.extend_from_slice(forces);
                continue;
            }
            let first = found.len();
            let y = track.vector_of(&self.states);
            track.equations(&self.world, &mut self.buffers).find_forces(self.t, &y);
            let bearings = &self.buffers.bearings;
            for (i, bearing) in held.bearings.iter().enumerate() {
                let (frame, f) = (&bearings.frames[i], bearings.forces[i]);
                found.push(ContactForce {
                    bodies: held.pairs[i].map(|body| BodyId::from_rank(body as usize)),
                    features: held.features[i],
                    point: frame.point,
                    normal: frame.normal,
                    normal_force: f.x,
                    friction: f.y * frame.tangents[0] + f.z * frame.tangents[1],
                    moment: bearings.moment(i),
                    sticks: bearing.mode == Mode::Stick,
                    rolls: bearing.mode == Mode::Stick && rolls(&self.buffers.loaded, bearing, frame),
                    residual: bearings.residual,
                    is_unique: bearings.is_unique,
                    status: bearings.ended.0,
                    iterations: bearings.ended.1,
                });
            }
            if track.is_at_rest() {
                self.resting.insert(k, (track.version, found[first..].to_vec()));
            } else {
                self.resting.remove(&k);
            }
        }
        found.sort_by_key(|force| (force.bodies, force.features));
        found
    }

    /// What the solver of contact forces has done so far.
    pub fn solves(&self) -> Solves {
        self.buffers.bearings.solves
    }

    /// Every event so far, in the order of time, as far as they were kept and not taken.
    pub fn events(&self) -> &[Event] {
        &self.log.events
    }

    /// The events since the last time they were taken.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.log.events)
    }

    /// What happened in joints so far, in the order of time, as far as it was kept and not taken.
    pub fn joint_events(&self) -> &[JointEvent] {
        &self.log.joint_events
    }

    /// What happened in joints since the last time it was taken.
    pub fn take_joint_events(&mut self) -> Vec<JointEvent> {
        std::mem::take(&mut self.log.joint_events)
    }

    /// Says whether events are kept from now on; they are counted in any case.
    pub fn keep_events(&mut self, keep: bool) {
        self.log.keep = keep;
    }

    /// Instants at which velocities jumped, and contacts at which they did.
    pub fn collisions(&self) -> (u64, u64) {
        (self.log.instants, self.log.collisions)
    }

    /// Steps over crowds of contacts so far: where events came too fast, or no step was short enough.
    pub fn aggregated(&self) -> u64 {
        self.log.aggregated
    }

    /// The deepest overlap so far at any event or half-way through a step over a crowd, m, and the largest as a share of what
    /// counts as touching for its pair.
    pub fn deepest_overlap(&self) -> (f64, f64) {
        (self.log.deepest, self.log.deepest_relative)
    }

    /// The most that bodies may have overlapped so far, as a share of what counts as touching for a pair: one, and where steps
    /// over crowds were taken what points of bodies on arcs lie below the chords of the longest.
    pub fn overlap_bound(&self) -> f64 {
        1.0 + below_chord(self.log.longest_share)
    }

    /// What collision detection has cost so far.
    pub fn detection(&self) -> DetectionStatistics {
        self.detection.statistics
    }

    /// The number of islands, and how many of them are in closed-form flight.
    pub fn islands(&self) -> (usize, usize) {
        (
            self.tracks.len() - self.vacant.len(),
            self.tracks.iter().filter(|t| t.is_flight()).count() - self.vacant.len(),
        )
    }
}

/// Whether the bodies of a contact turn against each other about an axis across its normal, faster than what counts as still.
fn rolls(bodies: &[Loaded], contact: &Bearing, frame: &Frame) -> bool {
    let [a, b] = contact.bodies.map(|place| &bodies[place].kinematics);
    let spin = a.twist.spin - b.twist.spin;
    let across = spin - frame.normal * frame.normal.dot(spin);
    // Of those that can move: a support may be as far away as it pleases.
    let arms = contact.bodies.iter().map(|place| &bodies[*place]).filter(|body| body.inv_mass > 0.0);
    let arm = arms.map(|body| frame.point.distance(body.kinematics.pose.position)).fold(0.0, f64::max);
    across.length() * arm > contact.still
}
