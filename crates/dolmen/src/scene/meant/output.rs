//! What is written of a run.

use crate::record::{self, Output};
use crate::scene::typed::{Output as Typed, OutputIntervals, OutputTable, Scene};
use crate::world::{BodyId, World};

impl Scene {
    /// What a run of this scene writes, given its world.
    pub fn output(&self, world: &World) -> Output {
        let mut output = Output::default();
        let Some(typed) = &self.output else { return output };
        if let Some(tables) = &typed.tables {
            let tables: Vec<record::Table> = tables.iter().map(|table| meant(*table)).collect();
            output = output.of_tables(&tables);
        }
        if let Some(patterns) = &typed.bodies {
            let is_wanted = |id: &BodyId| {
                let name = world.body_name(*id);
                patterns.iter().any(|pattern| Typed::names(pattern, &name))
            };
            let wanted: Vec<BodyId> = world.described_ids().filter(is_wanted).collect();
            output = output.of_bodies(world, &wanted);
        }
        let intervals = typed.every.iter().flat_map(OutputIntervals::given);
        intervals.fold(output, |output, (_, table, every)| output.every(meant(table), every))
    }
}

fn meant(table: OutputTable) -> record::Table {
    match table {
        OutputTable::States => record::Table::States,
        OutputTable::Bodies => record::Table::Bodies,
        OutputTable::Particles => record::Table::Particles,
        OutputTable::Events => record::Table::Events,
        OutputTable::Forces => record::Table::Forces,
        OutputTable::Resultants => record::Table::Resultants,
        OutputTable::Joints => record::Table::Joints,
        OutputTable::Coordinates => record::Table::Coordinates,
        OutputTable::JointEvents => record::Table::JointEvents,
        OutputTable::Sensors => record::Table::Sensors,
    }
}
