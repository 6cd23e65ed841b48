//! Which tables a run writes, of which bodies, and how often.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::{BodyId, World};

/// A table that a run may leave out. `energy.csv` and `momentum.csv` have one row a sample and are always written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// `states.csv`
    States,
    /// `bodies.csv`
    Bodies,
    /// `particles.csv`
    Particles,
    /// `events.csv`
    Events,
    /// `forces.csv`
    Forces,
    /// `resultants.csv`
    Resultants,
    /// `joints.csv`
    Joints,
    /// `coordinates.csv`
    Coordinates,
    /// `joint-events.csv`
    JointEvents,
    /// `sensors.csv`
    Sensors,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::States,
        Self::Bodies,
        Self::Particles,
        Self::Events,
        Self::Forces,
        Self::Resultants,
        Self::Joints,
        Self::Coordinates,
        Self::JointEvents,
        Self::Sensors,
    ];

    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Self::States => "states.csv",
            Self::Bodies => "bodies.csv",
            Self::Particles => "particles.csv",
            Self::Events => "events.csv",
            Self::Forces => "forces.csv",
            Self::Resultants => "resultants.csv",
            Self::Joints => "joints.csv",
            Self::Coordinates => "coordinates.csv",
            Self::JointEvents => "joint-events.csv",
            Self::Sensors => "sensors.csv",
        }
    }
}

/// What is written of a run. The default is everything, at every sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    left_out: BTreeSet<Table>,
    /// By id; none for all.
    bodies: Option<Vec<bool>>,
    every: BTreeMap<Table, f64>,
}

impl Output {
    /// Writes these tables only, besides `energy.csv` and `momentum.csv`.
    #[must_use]
    pub fn of_tables(mut self, tables: &[Table]) -> Self {
        self.left_out = Table::ALL.into_iter().filter(|table| !tables.contains(table)).collect();
        self
    }

    /// Writes rows of these bodies only: their states, and what happens at their contacts and joints.
    #[must_use]
    pub fn of_bodies(mut self, world: &World, bodies: &[BodyId]) -> Self {
        self.bodies = Some(world.body_ids().map(|id| bodies.contains(&id)).collect());
        self
    }

    /// Writes a table at the first sample of every so many seconds, and at no other.
    #[must_use]
    pub fn every(mut self, table: Table, seconds: f64) -> Self {
        self.every.insert(table, seconds);
        self
    }

    /// Whether a table is written at all.
    pub fn has(&self, table: Table) -> bool {
        !self.left_out.contains(&table)
    }

    /// Tables that have rows at some samples only.
    pub fn thinned(&self) -> impl Iterator<Item = Table> {
        self.every.keys().copied()
    }

    /// Whether any of these bodies has rows.
    pub fn has_any(&self, bodies: impl IntoIterator<Item = BodyId>) -> bool {
        let Some(chosen) = &self.bodies else { return true };
        // Particles that touch have ranks after all bodies; they are in tables of their own.
        bodies.into_iter().any(|id| chosen.get(id.index()).copied().unwrap_or(false))
    }

    /// Whether a joint has rows, by its place: one of its bodies has.
    pub fn has_joint(&self, world: &World, place: usize) -> bool {
        self.has_any(world.joints()[place].bodies().into_iter().flatten())
    }

    /// Whether a table has rows of a sample at `t` after one at `last`, s: between the two a multiple of its interval was reached.
    pub(super) fn is_due(&self, table: Table, last: Option<f64>, t: f64) -> bool {
        let (Some(every), Some(last)) = (self.every.get(&table), last) else { return true };
        // The time of a sample is a product that was rounded once or twice: one that falls on a multiple may lie just before it.
        let count = |t: f64| (t / every * (1.0 + 4.0 * f64::EPSILON)).floor();
        count(t) > count(last)
    }
}
