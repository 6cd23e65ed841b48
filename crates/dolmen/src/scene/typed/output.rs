//! Which tables a run writes, of which bodies, and how often.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which tables a run writes, of which bodies, and how often. The motion, the summary and the laws do not change. `energy.csv` and
/// `momentum.csv` are always written, with a row at every sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The tables that are written. Default: all that the scene has something for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<Vec<OutputTable>>,
    /// The bodies that have rows, by name; a name that ends in `*` stands for all that begin with what is before it. Contacts and joints
    /// have rows where one of their bodies has. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Seconds between samples of a table: it has rows at the first sample of each such interval. Default: at every sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<OutputIntervals>,
}

/// A table of a run that may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputTable {
    /// Position, orientation and velocities of bodies.
    States,
    /// Energy and momentum of bodies.
    Bodies,
    /// Positions and velocities of particles.
    Particles,
    /// What happened where bodies touch.
    Events,
    /// Contact forces.
    Forces,
    /// All contact forces on a body together.
    Resultants,
    /// Forces and torques of joints.
    Joints,
    /// Coordinates and rates of joints, and what motors do.
    Coordinates,
    /// What happened in joints.
    JointEvents,
    /// What sensors show.
    Sensors,
}

/// Seconds between samples of tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputIntervals {
    /// Of `states.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<f64>,
    /// Of `bodies.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<f64>,
    /// Of `particles.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub particles: Option<f64>,
    /// Of `forces.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forces: Option<f64>,
    /// Of `resultants.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resultants: Option<f64>,
    /// Of `joints.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<f64>,
    /// Of `coordinates.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<f64>,
    /// Of `sensors.csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensors: Option<f64>,
}

impl Output {
    /// Whether an entry of `bodies` means a name: by itself, or as one of those that begin with what is before a `*` at the end.
    pub(crate) fn names(pattern: &str, name: &str) -> bool {
        pattern == name || pattern.strip_suffix('*').is_some_and(|start| name.starts_with(start))
    }
}

impl OutputIntervals {
    /// Those that are given, with their keys.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, OutputTable, f64)> + use<> {
        let all = [
            ("states", OutputTable::States, self.states),
            ("bodies", OutputTable::Bodies, self.bodies),
            ("particles", OutputTable::Particles, self.particles),
            ("forces", OutputTable::Forces, self.forces),
            ("resultants", OutputTable::Resultants, self.resultants),
            ("joints", OutputTable::Joints, self.joints),
            ("coordinates", OutputTable::Coordinates, self.coordinates),
            ("sensors", OutputTable::Sensors, self.sensors),
        ];
        all.into_iter().filter_map(|(key, table, every)| Some((key, table, every?)))
    }
}
