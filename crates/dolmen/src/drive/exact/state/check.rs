//! That a state which was read from a file can be one of its world.
//!
//! A checksum says that bytes are those that were written, not who wrote them. So whatever is used as a place in a list, or as the
//! length of one, is held against the world and the rest of the state, and the numbers that positions and times are counted from
//! are finite. What passes goes on, or stops with a message.

use crate::body::BodyState;
use crate::drive::exact::detect::motions::Place;
use crate::drive::exact::island::articulation::ArticulationIndex;
use crate::drive::exact::queue::Task;
use crate::drive::exact::state::State;
use crate::record::{Event, JointEvent};
use crate::world::{BodyId, World};

/// Why bytes are no state.
type Refused = Result<(), &'static str>;

fn holds(is_so: bool, otherwise: &'static str) -> Refused {
    if is_so { Ok(()) } else { Err(otherwise) }
}

impl State {
    /// That it can be one of this world: what it counts and points at exists. The shapes of its detection must be set.
    pub(crate) fn check(&self, world: &World) -> Refused {
        self.check_counts(world)?;
        self.check_states(world)?;
        self.check_joints(world)?;
        // One that has stopped goes no further, whatever its numbers.
        let from = self.stopped.is_none().then_some(self.t);
        self.tracks.iter().try_for_each(|track| track.check(world, from))?;
        self.check_places(world)?;
        self.check_log(world)?;
        self.detection.check()?;
        // And has tasks that it did not come to.
        self.queue.check(from.unwrap_or(f64::NEG_INFINITY), |task| self.exists(task))?;
        if from.is_some() { self.check_unknown() } else { Ok(()) }
    }

    fn check_counts(&self, world: &World) -> Refused {
        let bodies = world.bodies().len();
        let counts = [self.places.len(), self.states.bodies.len(), self.event_counters.len()];
        let is_of = counts.iter().all(|count| *count == bodies) && self.detection.is_of(bodies);
        holds(is_of, "it has another number of bodies")?;
        let sets = self.states.sets.len() == world.sets().len();
        holds(sets, "it has another number of particle sets")?;
        let joints = [self.joints.turns.len(), self.joints.motor_modes.len()];
        holds(joints == [world.joints().len(); 2], "it has another number of joints")
    }

    fn check_states(&self, world: &World) -> Refused {
        let is_finite = self.t.is_finite() && self.states.bodies.iter().all(BodyState::is_finite);
        holds(self.stopped.is_some() || is_finite, "a number of its state is not finite")?;
        let mut sets = self.states.sets.iter().zip(world.set_ids());
        let counts = sets.all(|((x, v), id)| [x.len(), v.len()] == [world.set(id).len(); 2]);
        holds(counts, "a particle set has another number of particles")
    }

    fn check_joints(&self, world: &World) -> Refused {
        let articulations = ArticulationIndex::find(world);
        let mut saved = self.joints.articulations.iter().zip(&articulations);
        let rows = saved.all(|(state, articulation)| {
            let start = articulation.start();
            state.rows.len() == start.rows.len() && state.carried.len() == start.carried.len()
        });
        holds(
            rows && self.joints.articulations.len() == articulations.len(),
            "an articulation has other rows",
        )?;
        let mut motors = self.joints.motor_modes.iter().zip(world.joints());
        holds(motors.all(|(modes, joint)| modes.len() == joint.motor_count()), "a joint has other motors")
    }

    /// Every body that forces move is where it is said to be; vacant tracks are empty, and come once.
    fn check_places(&self, world: &World) -> Refused {
        let is_there = |(body, place): (usize, &Place)| match place {
            Some((track, k)) => self
                .tracks
                .get(*track)
                .is_some_and(|track| track.island.bodies.get(*k).is_some_and(|id| id.index() == body)),
            None => !world.bodies()[body].is_dynamic(),
        };
        // A run that stopped in the middle of an event has all its bodies on tracks again.
        holds(self.places.iter().enumerate().all(is_there), "a body is on no track")?;
        let mut lists = world.set_ids().filter(|id| world.members().particle_bodies(*id).is_none());
        let on_track = |id| self.tracks.iter().any(|track| track.island.sets.contains(&id));
        holds(lists.all(on_track), "a particle set is on no track")?;
        let is_empty = |k: &usize| {
            self.tracks.get(*k).is_some_and(|track| {
                track.is_flight() && track.island.bodies.is_empty() && track.island.sets.is_empty()
            })
        };
        let once = self.vacant.is_sorted_by(|a, b| a > b);
        holds(once && self.vacant.iter().all(is_empty), "a track is not vacant")
    }

    /// An island whose first span is not made yet makes it before anything else is done, and nothing was found about its bodies.
    fn check_unknown(&self) -> Refused {
        let is_first = |t: f64| t == 0.0 && t.is_sign_negative();
        let is_step = |task: &Task| matches!(task, Task::Step { .. });
        let mut unknown = (0..self.tracks.len()).filter(|k| !self.tracks[*k].is_known()).peekable();
        if unknown.peek().is_none() {
            return Ok(());
        }
        let is_due = |k: usize| {
            let step = Task::Step { track: k as u32, version: self.tracks[k].version };
            let bodies = &self.tracks[k].island.bodies;
            self.queue.tasks().any(|(t, task)| task == step && is_first(t))
                && bodies.iter().all(|id| self.detection.has_no_fat_aabb(id.index() as u32))
        };
        let comes_first = self.queue.tasks().all(|(t, task)| is_step(&task) || !is_first(t));
        holds(comes_first && unknown.all(is_due), "the motion of an island is not known")
    }

    /// Events and violations name bodies and joints that there are.
    fn check_log(&self, world: &World) -> Refused {
        let is_body = |id: &BodyId| id.index() < world.bodies().len();
        let is_rank = |rank: &u32| (*rank as usize) < world.bodies().len();
        let is_joint = |joint: &usize| *joint < world.joints().len();
        let event = |event: &Event| event.bodies.iter().all(is_body);
        let joint_event = |event: &JointEvent| is_joint(&event.joint);
        let violations = self.laws.violations.iter();
        let mut violations =
            violations.map(|broken| broken.bodies.iter().all(is_body) && broken.joint.iter().all(is_joint));
        let mut moved = self.moved.iter().flat_map(|moved| moved.bodies);
        let mut sides = self.laws.sides.iter().flat_map(|side| side.pair);
        let log = &self.log;
        let mut ranks = log.ranks().chain(self.failed_step.iter().flat_map(|(_, pair)| pair));
        holds(
            log.every_event().all(event)
                && log.joint_events.iter().all(joint_event)
                && violations.all(|is_sound| is_sound)
                && moved.all(|id| is_body(&id))
                && sides.all(|rank| is_rank(&rank))
                && ranks.all(is_rank),
            "an event is of bodies or joints that there are not",
        )
    }

    fn exists(&self, task: &Task) -> bool {
        let is_body = |body: &u32| (*body as usize) < self.places.len();
        match task {
            Task::Contact { bodies, .. } | Task::Search { bodies, .. } => {
                bodies[0] < bodies[1] && is_body(&bodies[1])
            }
            Task::Refit { body, .. } => is_body(body),
            Task::Guard { track, .. } | Task::Step { track, .. } => (*track as usize) < self.tracks.len(),
        }
    }
}
