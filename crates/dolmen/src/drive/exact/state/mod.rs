//! Everything that influences a result and is not in the world.
//!
//! In come a world and what the stages of a step found; out go states at any time up to the clocks of the islands. With its world a
//! state says all of the way ahead: it can be cloned, saved and restored, and nothing beside it may hold what a result depends on.
//!
//! - [`view`]: a state in its world, to be read: what only reads takes that.
//! - [`event_counter`]: the events of a body, for the event-rate limit.
//! - [`law_record`]: how the run stands with the laws, and what it took.
//! - `check`: that a state which was read from a file can be one of its world.

mod check;
pub(crate) mod event_counter;
pub(crate) mod law_record;
pub(crate) mod view;

use crate::contact::rest::SolverMemory;
use crate::drive::exact::depenetrate::Moved;
use crate::drive::exact::detect::detection::Detection;
use crate::drive::exact::detect::motions::Place;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::track::{Totals, Track};
use crate::drive::exact::log::Log;
use crate::drive::exact::queue::EventQueue;
use crate::drive::exact::state::event_counter::EventCounter;
use crate::drive::exact::state::law_record::LawRecord;
use crate::drive::exact::stop::Stop;
use crate::integrate::Statistics;
use crate::math::DVec3;
use crate::math::Pose;
use crate::math::Twist;
use crate::motion::Motion;
use crate::world::BodyId;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Where everything is, and all that the way ahead depends on: states, spans, clocks, the event queue, modes, witnesses and
/// warm starts.
///
/// With the world it came from, and nothing else, it says how the run goes on; [`readout`](super::readout) reads it. A clone is a
/// fork.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// The present time, s.
    pub(crate) t: f64,
    /// The islands, each on its way through time.
    pub(crate) tracks: Vec<Track>,
    /// Which track a body is on, and its place there; none for fixed and kinematic bodies.
    pub(crate) places: Vec<Place>,
    /// At the present time.
    pub(crate) states: States,
    /// Work and losses of the islands up to the present.
    pub(crate) done: Totals,
    pub(crate) queue: EventQueue,
    pub(crate) detection: Detection,
    /// Bodies that were moved apart at the start.
    pub(crate) moved: Vec<Moved>,
    pub(crate) joints: JointState,
    pub(crate) solver: SolverMemory,
    /// Tracks without an island.
    pub(crate) vacant: Vec<usize>,
    /// What the integration of islands cost that are no more.
    pub(crate) retired: Statistics,
    pub(crate) log: Log,
    pub(crate) laws: LawRecord,
    /// Of every body: how many events it has had of late.
    pub(crate) event_counters: Vec<EventCounter>,
    /// Why it cannot go on, once it cannot.
    #[serde(with = "saved_stop")]
    pub(crate) stopped: Option<Stop>,
    /// When slips were last taken to have ended because steps failed, and between which bodies.
    pub(crate) failed_step: Option<(f64, [u32; 2])>,
}

impl State {
    /// The present time, s.
    pub fn time(&self) -> f64 {
        self.t
    }
}

/// Why a run stopped, as the text that was told.
mod saved_stop {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::drive::exact::stop::{Reason, Stop};

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn serialize<S: Serializer>(stop: &Option<Stop>, to: S) -> Result<S::Ok, S::Error> {
        stop.as_ref().map(|stop| (stop.t, stop.reason.to_string())).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Stop>, D::Error> {
        let saved: Option<(f64, String)> = Option::deserialize(from)?;
        Ok(saved.map(|(t, what)| Stop { t, reason: Reason::Restored { what } }))
    }
}

impl State {
    /// Reads all states at `t`, if that is later.
    pub(crate) fn move_to(&mut self, world: &World, t: f64) {
        self.t = self.t.max(t);
        self.log.reach(self.t);
        self.read(world);
    }

    /// Reads all states at the present time.
    pub(crate) fn read(&mut self, world: &World) {
        self.done = Totals::default();
        for track in &self.tracks {
            let done = track.read(self.t, &mut self.states);
            self.done.work += done.work;
            self.done.friction += done.friction;
            self.done.closing += done.closing;
        }
        let States { bodies, sets, .. } = &mut self.states;
        for id in world.set_ids() {
            let Some(range) = world.members().particle_bodies(id) else { continue };
            let (positions, velocities) = &mut sets[id.index()];
            for (k, (x, v)) in range.zip(positions.iter_mut().zip(velocities)) {
                let inv_mass = world.bodies()[k].inertia().inv_mass;
                (*x, *v) = (bodies[k].position, bodies[k].momentum * inv_mass);
            }
        }
    }

    /// The pose and twist of a body: as prescribed, or from its current state.
    pub(crate) fn pose_and_twist(&self, world: &World, t: f64, body: u32) -> (Pose, Twist) {
        let body = BodyId::from_rank(body as usize);
        if let Some(motion) = world.body(body).prescribed_motion() {
            return (motion.pose(t), motion.twist(t));
        }
        let state = &self.states.bodies[body.index()];
        (state.pose(), state.twist(world.body(body).inertia()))
    }

    /// The velocity of the first of a pair relative to the second at a point, in the current states.
    pub(crate) fn relative_velocity_at(&self, world: &World, t: f64, pair: [u32; 2], point: DVec3) -> DVec3 {
        let [a, b] = pair.map(|body| {
            let (pose, twist) = self.pose_and_twist(world, t, body);
            twist.at(point - pose.position)
        });
        a - b
    }

    pub(crate) fn relative_velocity_plus(&self, world: &World, t: f64, touching: &Touching) -> DVec3 {
        let [a, b] =
            [0, 1].map(|side| self.pose_and_twist(world, t, touching.bodies[side]).1.at(touching.arms[side]));
        a - b
    }

    /// The time in which a body moves by its own size, s; one without a shape has the size of its joints, `arm`.
    pub(crate) fn characteristic_time(&self, world: &World, (body, arm): (u32, f64), twist: &Twist) -> f64 {
        let radius = self.detection.collider(body).map_or(arm, |collider| collider.radius);
        let speed = twist.velocity.length() + twist.spin.length() * radius;
        let own = radius / (speed + (world.gravity().length() * radius).sqrt());
        if own.is_finite() { own } else { 0.0 }
    }

    /// What integration has cost so far, over all islands.
    pub(crate) fn statistics(&self) -> Statistics {
        self.tracks.iter().fold(self.retired, |sum, track| sum.with(&track.statistics()))
    }

    /// The time in which a dynamic body moves by its own size, as of its last event, s.
    pub(crate) fn characteristic_time_of(&self, body: u32) -> f64 {
        let own = self.event_counters[body as usize].characteristic_time;
        if own > 0.0 { own } else { f64::INFINITY }
    }

    /// The shortest characteristic time on a track.
    pub(crate) fn shortest_characteristic_time(&self, track: usize) -> f64 {
        let bodies = self.tracks[track].island.bodies.iter();
        bodies.map(|id| self.characteristic_time_of(id.index() as u32)).fold(f64::INFINITY, f64::min)
    }

    /// Whether one of these bodies exceeds the event-rate limit.
    pub(crate) fn exceeds_event_rate(&self, bodies: &[u32]) -> bool {
        bodies.iter().any(|body| {
            self.places[*body as usize].is_some() && self.event_counters[*body as usize].exceeds_limit()
        })
    }

    /// The slip speed of a contact, m/s.
    pub(crate) fn slip_speed(&self, world: &World, t: f64, touching: &Touching) -> f64 {
        let velocity = self.relative_velocity_plus(world, t, touching);
        (velocity - touching.contact.normal * touching.contact.normal.dot(velocity)).length()
    }
}
