//! Everything that influences a result and is not in the world.

use crate::contact::rest::SolverMemory;
use crate::drive::exact::detect::detection::Detection;
use crate::drive::exact::detect::motions::Place;
use crate::drive::exact::event_rate::EventCounter;
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::track::{Done, Track};
use crate::drive::exact::log::Log;
use crate::drive::exact::queue::EventQueue;
use crate::drive::exact::stop::Stop;
use crate::integrate::Statistics;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Where everything is, and all that the way ahead depends on: states, spans, clocks, the event queue, modes, witnesses and
/// warm starts.
///
/// With the world it came from, and nothing else, it says how the run goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct State {
    /// The present time, s.
    pub(crate) t: f64,
    /// The islands, each on its way through time.
    pub(crate) tracks: Vec<Track>,
    /// Which track a body is on, and its place there; none for fixed and kinematic bodies.
    pub(crate) places: Vec<Place>,
    /// At the present time.
    pub(crate) states: States,
    /// Work and losses of the islands up to the present.
    pub(crate) done: Done,
    pub(crate) queue: EventQueue,
    pub(crate) detection: Detection,
    pub(crate) joints: JointState,
    pub(crate) solver: SolverMemory,
    /// Tracks without an island.
    pub(crate) vacant: Vec<usize>,
    /// What the integration of islands cost that are no more.
    pub(crate) retired: Statistics,
    pub(crate) log: Log,
    /// Of every body: how many events it has had of late.
    pub(crate) event_counters: Vec<EventCounter>,
    /// Why it cannot go on, once it cannot.
    #[serde(with = "saved_stop")]
    pub(crate) stopped: Option<Stop>,
    /// When slips were last taken to have ended because steps failed, and between which bodies.
    pub(crate) failed_step: Option<(f64, [u32; 2])>,
}

impl State {
    /// That it can be one of this world: what it counts and points at exists.
    pub(crate) fn check(&self, world: &World) -> Result<(), &'static str> {
        let bodies = world.bodies().len();
        let counts = [self.places.len(), self.states.bodies.len(), self.event_counters.len()];
        if counts.iter().any(|count| *count != bodies) || !self.detection.is_of(bodies) {
            return Err("it has another number of bodies");
        }
        if self.states.sets.len() != world.sets().len() {
            return Err("it has another number of particle sets");
        }
        if self.joints.turns.len() != world.joints().len()
            || self.joints.motor_modes.len() != world.joints().len()
        {
            return Err("it has another number of joints");
        }
        let is_there = |(body, place): (usize, &Place)| match place {
            Some((track, k)) => self
                .tracks
                .get(*track)
                .is_some_and(|track| track.island.bodies.get(*k).is_some_and(|id| id.index() == body)),
            None => !world.bodies()[body].is_dynamic(),
        };
        // A run that stopped in the middle of an event has all its bodies on tracks again.
        if !self.places.iter().enumerate().all(is_there) {
            return Err("a body is on no track");
        }
        Ok(())
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
