//! All joints of an island at once: a world → the forces that keep its joints, and the projection of bodies onto them at the start.
//!
//! [`JointSystem`] gathers the equations of joints and couplings and solves for their forces, with the [`factor`] of
//! the Delassus matrix W = J M⁻¹ Jᵀ in time proportional to the number of joints where these make chains and trees. [`assemble`]
//! projects bodies onto their joints by the same system; [`World::assemble`](crate::world::World::assemble) keeps what it finds.

mod assemble;
pub mod factor;
mod system;
mod tolerances;

pub use crate::world::Conflict;
pub use assemble::{Assembly, AssemblyError, AssemblyReport, AssemblySettings, Miss, assemble};
pub use system::{JointSystem, Level, Line};
pub(crate) use tolerances::NO_MOBILITY;
