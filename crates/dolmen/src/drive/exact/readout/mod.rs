//! Read-outs: what a state says of the present instant. They take a world and a state, and change neither.
//!
//! Poses and twists are in the state. Energy, loads and forces are found from it anew, with buffers of their own, so that asking
//! never changes a result, and asking twice gives the same bits. The world must be the one that the state came from: a body that it does
//! not have is a panic.

mod energy;
mod explain;
mod forces;
mod motion;

pub use energy::{ledger, momentum};
pub(crate) use explain::contact_problems;
pub use explain::{ContactProblem, ExplainedContact};
pub(crate) use forces::applied_loads;
pub use forces::{contact_forces, joint_coordinates, joint_forces, load, particle_forces};
pub(crate) use motion::carried_rotation;
pub use motion::{kinematics, pose, sample, twist};

use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::scratch::{IslandScratch, Workspace};
use crate::drive::exact::state::State;
use crate::world::World;

/// Buffers of one read-out.
struct Reader {
    joints: JointState,
    scratch: IslandScratch,
}

impl Reader {
    fn new(world: &World, state: &State) -> Self {
        let scratch = IslandScratch::for_state(world, &state.joints, state.solver);
        Self { joints: state.joints.clone(), scratch }
    }

    fn workspace(&mut self) -> Workspace<'_> {
        Workspace { joints: &mut self.joints, scratch: &mut self.scratch }
    }
}
