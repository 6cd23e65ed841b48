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

/// Where everything is, and all that the way ahead depends on: states, spans, clocks, the event queue, modes, witnesses and
/// warm starts.
///
/// With the world it came from, and nothing else, it says how the run goes on.
#[derive(Debug, Clone)]
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
    pub(crate) stopped: Option<Stop>,
    /// When slips were last taken to have ended because steps failed, and between which bodies.
    pub(crate) failed_step: Option<(f64, [u32; 2])>,
}
