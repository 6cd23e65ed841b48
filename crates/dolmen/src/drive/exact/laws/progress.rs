//! Work and simulated time: a run that makes next to no progress stops and says so.
//!
//! The operations of every task are shared out among the bodies that take part, and booked on one of them. A body whose account
//! exceeds [`LawBounds::work`](crate::world::LawBounds) before it could move by its own size stops the run. Operations are
//! counted and not timed, so that a run stops at the same task on every machine.

use super::tolerances::OPERATIONS_PER_TASK;
use crate::drive::exact::queue::Task;
use crate::drive::exact::state::State;
use crate::drive::exact::state::law_record::WorkAccount;
use crate::drive::exact::stop::{Reason, Stop};
use crate::math::work::{self, Cut};
use crate::world::{BodyId, World};

/// Operations that a task may take as long as no more bodies are known to take part in it.
pub(crate) fn task_limit(world: &World, state: &State, task: &Task) -> u64 {
    let bodies = match task {
        Task::Step { track, .. } | Task::Guard { track, .. } => {
            state.tracks[*track as usize].island.bodies.len()
        }
        Task::Refit { .. } | Task::Search { .. } | Task::Contact { .. } => 2,
    };
    work_of(world, bodies)
}

/// So many bodies take part in the present task.
pub(crate) fn allow_work_of(world: &World, bodies: usize) {
    work::raise_limit(work_of(world, bodies));
}

/// What may be computed at one instant for so many bodies.
fn work_of(world: &World, bodies: usize) -> u64 {
    (world.laws().work * bodies.max(1) as f64) as u64
}

/// What a task took.
pub(crate) struct Booking<'a> {
    pub(crate) t: f64,
    pub(crate) task: &'a Task,
    /// The bodies of the last event.
    pub(crate) cluster: &'a [u32],
    pub(crate) operations: u64,
}

impl Booking<'_> {
    /// Books the work on the body of the task; `own` is the time in which a body moves by its size.
    pub(crate) fn book(
        &self,
        world: &World,
        state: &mut State,
        own: impl Fn(&State, u32) -> f64,
    ) -> Result<(), Stop> {
        let operations = self.operations as f64 + OPERATIONS_PER_TASK;
        state.laws.operations += operations as u64;
        let Some((body, bodies)) = self.account_of(state) else { return Ok(()) };
        if self.t > state.event_counters[body as usize].work.until {
            let until = self.t + own(state, body);
            let account = WorkAccount { since: self.t, until, ..WorkAccount::default() };
            state.event_counters[body as usize].work = account;
        }
        let account = &mut state.event_counters[body as usize].work;
        account.operations += operations / bodies.max(1) as f64;
        account.events += 1;
        let WorkAccount { since, operations, events, .. } = *account;
        state.laws.most_work = state.laws.most_work.max(operations);
        if operations <= world.laws().work {
            return Ok(());
        }
        Err(self.no_progress(world, body, (self.t - since, events, operations)))
    }

    /// On which body the work is booked, and how many share it.
    fn account_of(&self, state: &State) -> Option<(u32, usize)> {
        let dynamic = |[a, b]: [u32; 2]| if state.places[a as usize].is_some() { Some(a) } else { Some(b) };
        match self.task {
            Task::Refit { body, .. } => Some((*body, 1)),
            Task::Search { bodies, .. } => dynamic(*bodies).map(|body| (body, 1)),
            Task::Contact { bodies, .. } => dynamic(*bodies).map(|body| (body, self.cluster.len())),
            Task::Step { track, .. } | Task::Guard { track, .. } => {
                let bodies = &state.tracks[*track as usize].island.bodies;
                let first = bodies.first()?.index() as u32;
                Some((first, bodies.len().max(self.cluster.len())))
            }
        }
    }

    /// What becomes of a task that was cut short.
    pub(crate) fn cut_short(&self, world: &World, cut: Cut) -> Stop {
        match cut {
            Cut::Interrupted => Stop { t: self.t, reason: Reason::Abandoned },
            Cut::Limit => {
                let body = self.cluster.first().copied().unwrap_or(0);
                self.no_progress(world, body, (0.0, 1, self.operations as f64))
            }
        }
    }

    /// The report on a body for which too much was computed in a time.
    fn no_progress(&self, world: &World, body: u32, (time, events, operations): (f64, u64, f64)) -> Stop {
        let partners = self.cluster.iter().copied().filter(|other| *other != body).take(3);
        let names = std::iter::once(body).chain(partners);
        let names: Vec<String> =
            names.map(|body| world.body_name(BodyId::from_rank(body as usize))).collect();
        let (members, limit) = (names.join(", "), world.laws().work);
        Stop { t: self.t, reason: Reason::NoProgress { members, events, time, operations, limit } }
    }
}
