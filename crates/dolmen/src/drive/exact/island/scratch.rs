//! Buffers of the equations of motion of an island.

use crate::contact::rest::{ConstraintSystem, Loaded, Shift, SolverMemory};
use crate::drive::exact::island::articulation::{ArticulationIndex, JointState};
use crate::dynamics::Scratch;
use crate::math::DVec3;
use crate::world::World;

/// Buffers for evaluating the equations of motion; never part of the state.
#[derive(Debug, Clone)]
pub(crate) struct IslandScratch {
    pub(crate) motion: Scratch,
    pub(crate) constraints: ConstraintSystem,
    /// The bodies of an island and its supports.
    pub(crate) loaded: Vec<Loaded>,
    pub(crate) shifts: Vec<Shift>,
    /// The last forces that keep the modes of an island whose contact forces are not unique.
    pub(crate) redistributed: Vec<DVec3>,
    pub(crate) articulation_index: ArticulationIndex,
    /// Joint friction of each row by the joint forces without its growth.
    pub(crate) unfed_friction: Vec<f64>,
    /// The largest separation that the last projection onto contacts left, m, and at which of them.
    pub(crate) left: Option<(usize, f64)>,
}

impl IslandScratch {
    /// For a world whose joints are in this state.
    pub(crate) fn for_state(world: &World, joints: &JointState, memory: SolverMemory) -> Self {
        let mut scratch = Self::new(world);
        for (articulation, state) in scratch.constraints.articulations.iter_mut().zip(&joints.articulations) {
            articulation.engage(world, state);
        }
        scratch.constraints.set_memory(memory);
        scratch
    }

    /// For a world at its start.
    pub(crate) fn new(world: &World) -> Self {
        let mut constraints = ConstraintSystem::with_joints(ArticulationIndex::find(world));
        constraints.solver = world.contact().solver;
        constraints.integrates_all = !world.contact().equilibrium_shortcut;
        Self {
            motion: Scratch::new(world),
            constraints,
            loaded: Vec::new(),
            shifts: Vec::new(),
            redistributed: Vec::new(),
            articulation_index: ArticulationIndex::new(world),
            unfed_friction: Vec::new(),
            left: None,
        }
    }
}

/// What evaluating the equations of motion changes: the joint state, and buffers.
#[derive(Debug)]
pub(crate) struct Workspace<'a> {
    pub(crate) joints: &'a mut JointState,
    pub(crate) scratch: &'a mut IslandScratch,
}

impl Workspace<'_> {
    /// A shorter borrow of the same.
    pub(crate) fn reborrow(&mut self) -> Workspace<'_> {
        Workspace { joints: self.joints, scratch: self.scratch }
    }
}
