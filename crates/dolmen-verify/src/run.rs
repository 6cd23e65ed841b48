//! A scene on its way through time, and what can be asked of it.

mod asked;
mod gathered;

use std::collections::BTreeMap;
use std::path::Path;

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::joint::Turns;
use dolmen::math::DQuat;
use dolmen::record::{Balance, Tally};
use dolmen::scene::{Document, Files, SceneErrors};
use dolmen::world::World;

use crate::expression::Variables;
use gathered::{Gathered, Wish};

/// A run of a scene.
#[derive(Debug)]
pub(crate) struct SceneRun {
    pub(crate) simulation: Simulation,
    /// Why it could not go on.
    pub(crate) stop: Option<Stop>,
    pub(crate) balance: Balance,
    pub(crate) tally: Tally,
    pub(crate) variables: Variables,
    /// Turns of every joint, counted at every sample.
    turns: Vec<Turns>,
    wishes: Vec<Wish>,
    gathered: BTreeMap<String, Gathered>,
    last_orientations: Vec<DQuat>,
    steps: u64,
    /// After so many it is given up.
    pub(crate) most_steps: u64,
}

/// Why a scene could not be run at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// Mistakes in it.
    #[error("{0}")]
    Scene(#[from] SceneErrors),
    /// It cannot start.
    #[error("{0}")]
    Stop(#[from] Stop),
}

/// The document of a scene with overrides; what it includes is below `folder`.
pub(crate) fn document(
    name: &str,
    text: &str,
    folder: &Path,
    set: &[String],
) -> Result<Document, SceneErrors> {
    Document::parse_among(&format!("{name}.toml"), text, set, &Files::below(folder))
}

/// Its world.
pub(crate) fn world(document: &Document, folder: &Path) -> Result<World, SceneErrors> {
    document.build(folder)
}

/// How long a scene lasts, s.
pub(crate) fn duration(document: &Document) -> f64 {
    let run = document.scene().run.clone().unwrap_or_default();
    run.duration.or_else(|| run.times.as_ref()?.last().copied()).unwrap_or(1.0)
}

impl SceneRun {
    /// At t = 0.
    ///
    /// # Errors
    /// When it cannot start.
    pub(crate) fn start(world: World, variables: Variables) -> Result<Self, Stop> {
        let simulation = Simulation::new(world)?;
        let mut balance = Balance::default();
        balance.add(&simulation.ledger());
        let world = simulation.world();
        let turns = (0..world.joints().len()).map(|place| world.joint_at_start(place).1).collect();
        let last_orientations = world.described_ids().map(|id| simulation.pose(id).orientation).collect();
        Ok(Self {
            simulation,
            stop: None,
            balance,
            tally: Tally::default(),
            variables,
            turns,
            wishes: Vec::new(),
            gathered: BTreeMap::new(),
            last_orientations,
            steps: 0,
            most_steps: crate::case::MOST_STEPS,
        })
    }

    /// Goes on to `t`, as far as it goes.
    pub(crate) fn advance(&mut self, t: f64) {
        if self.stop.is_some() || t <= self.simulation.time() {
            return;
        }
        let (steps, most) = (&mut self.steps, self.most_steps);
        let mut watch = |_: f64| {
            *steps += 1;
            *steps < most
        };
        if let Err(stop) = self.simulation.advance_while(t, &mut watch) {
            self.stop = Some(stop);
        }
    }

    /// Records the present: ledger, turns, and what gathers over samples.
    pub(crate) fn look(&mut self) {
        let ledger = self.simulation.ledger();
        self.balance.add(&ledger);
        self.count_turns();
        self.gather();
    }

    /// Takes note of the forces of contacts as well.
    pub(crate) fn look_at_forces(&mut self) {
        let forces = self.simulation.contact_forces();
        self.tally.add_forces(&forces);
    }

    /// Why it was given up, in words.
    pub(crate) fn given_up(&self) -> Option<String> {
        let stop = self.stop.as_ref()?;
        Some(match stop.reason {
            Reason::Interrupted => format!("given up at t = {} s after {} steps", stop.t, self.most_steps),
            _ => format!("the run stopped: {stop}"),
        })
    }
}
