//! Gravity between bodies.

mod direct;
mod expansion;
mod lanes;
mod octree;
mod tensor;
mod tile;
mod walk;

pub use direct::direct;
pub use octree::Octree;

use crate::math::DVec3;

/// Opening angle.
pub const DEFAULT_OPENING: f64 = 0.6;

/// Why a tree cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NBodyError {
    /// Positions and masses do not belong together.
    #[error("{positions} positions but {masses} masses: give one mass for each position")]
    Lengths {
        /// Number of positions.
        positions: usize,
        /// Number of masses.
        masses: usize,
    },
    /// More bodies than an index can name.
    #[error("{count} bodies are more than the 4294967295 that a tree can hold: split the set")]
    TooMany {
        /// Number of bodies.
        count: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error(
        "position {index} is {position}: every coordinate must be finite; look for the step that made it so"
    )]
    Position {
        /// Index of the first such body.
        index: usize,
        /// Its position, m.
        position: DVec3,
    },
    /// A mass is negative, infinite or not a number.
    #[error("mass {index} is {mass} kg: it must be finite and not negative; zero makes a test particle")]
    Mass {
        /// Index of the first such body.
        index: usize,
        /// Its mass, kg.
        mass: f64,
    },
}
