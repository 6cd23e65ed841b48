//! The stages of a step, and what each of them costs.
//!
//! The engine has no clock of its own: a front end gives one, and the time between two changes of stage is booked on the one that
//! was left. Without a clock stages are counted and not timed.

/// A part of the work of the driver, in the order in which a step goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The event queue, and all that belongs to no other stage.
    Queue,
    /// Fat AABBs, the tree, and searches for first contacts.
    Detect,
    /// Steps of integrators: forces, equality solves, projection.
    Integrate,
    /// Guards of modes, sampled along a span, and the instants at which they fail.
    Guards,
    /// What touches at an event, and its states there.
    Gather,
    /// Contact points and normals of all pairs of an event.
    Contacts,
    /// Impulses.
    Impact,
    /// Which contacts persist, their modes and forces, and new islands.
    Modes,
    /// Time steps over all contacts of a cluster.
    TimeStep,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 9] = [
        Self::Queue,
        Self::Detect,
        Self::Integrate,
        Self::Guards,
        Self::Gather,
        Self::Contacts,
        Self::Impact,
        Self::Modes,
        Self::TimeStep,
    ];

    /// As it is shown in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Detect => "detect",
            Self::Integrate => "integrate",
            Self::Guards => "guards",
            Self::Gather => "gather",
            Self::Contacts => "contacts",
            Self::Impact => "impact",
            Self::Modes => "modes",
            Self::TimeStep => "time-step",
        }
    }
}

/// How often a stage was entered, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageCost {
    /// Times that it was entered.
    pub count: u64,
    /// In ticks of the clock that was given, others' stages within it left out; zero without a clock.
    pub ticks: u64,
}

/// What the stages have cost so far; no part of the state.
#[derive(Debug, Clone)]
pub struct Profile {
    clock: Option<fn() -> u64>,
    present: Stage,
    since: u64,
    costs: [StageCost; Stage::ALL.len()],
}

impl Default for Profile {
    fn default() -> Self {
        Self { clock: None, present: Stage::Queue, since: 0, costs: Default::default() }
    }
}

impl Profile {
    /// Times stages by this clock from now on, whose ticks only rise.
    pub(crate) fn set_clock(&mut self, clock: fn() -> u64) {
        (self.clock, self.since) = (Some(clock), clock());
    }

    /// Goes over to a stage; returns the one that was left, to go back to.
    pub(crate) fn enter(&mut self, stage: Stage) -> Stage {
        self.costs[stage as usize].count += 1;
        self.back_to(stage)
    }

    /// Goes back to a stage that was entered before.
    pub(crate) fn back_to(&mut self, stage: Stage) -> Stage {
        if let Some(clock) = self.clock {
            let now = clock();
            self.costs[self.present as usize].ticks += now.saturating_sub(self.since);
            self.since = now;
        }
        std::mem::replace(&mut self.present, stage)
    }

    /// What each stage has cost, in the order of a step.
    pub fn costs(&self) -> impl Iterator<Item = (Stage, StageCost)> + '_ {
        Stage::ALL.into_iter().map(|stage| (stage, self.costs[stage as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Profile, Stage};

    /// Every tick belongs to one stage, and one that is gone back to is entered once.
    #[test]
    fn ticks_are_shared_out_among_the_stages() {
        use std::cell::Cell;
        thread_local!(static NOW: Cell<u64> = const { Cell::new(0) });
        let tick = || NOW.with(|now| now.replace(now.get() + 1));
        let mut profile = Profile::default();
        profile.set_clock(tick);
        profile.enter(Stage::Gather);
        let gather = profile.enter(Stage::Detect);
        profile.back_to(gather);
        profile.enter(Stage::Queue);
        let total: u64 = profile.costs().map(|(_, cost)| cost.ticks).sum();
        let counts: Vec<u64> = profile.costs().map(|(_, cost)| cost.count).collect();
        assert_eq!(total, 4);
        assert_eq!(counts, [1, 1, 0, 0, 1, 0, 0, 0, 0]);
    }
}
