//! Gravity between many bodies: the sum over all pairs, and an octree for large numbers [LECTURE I].
//!
//! [`direct`] costs n². [`Octree`] sorts the bodies into cubic cells (Barnes–Hut) and lets distant cells pull each
//! other as wholes: the moments of one, up to the third, make a Taylor series of the fourth order about the centre
//! of mass of the other. Both are pure functions of slices, single-threaded, with the same bits every time.
//!
//! # When cells pull as wholes
//!
//! R is the largest distance of a body of a cell from the cell's centre of mass, d the distance between two such
//! centres, θ the opening angle in [0, 1]. Two cells are taken as wholes when
//!
//! ```text
//! R_a + R_b < θ d
//! ```
//!
//! which puts every body of one outside the sphere around the other. A cell is never compared with itself or with a
//! cell inside it, so no body is ever pulled by a cell that holds it. Two refinements:
//!
//! * A cell that is more than a hundred times thinner than the other (M/R³) counts its radius twice. Its bodies feel
//!   the dense cell's pull through one series, whose error has the same sign for all parts of that cell; without
//!   this, bodies in the outskirts of a cluster get errors of a tenth. Where a leaf fails this, its bodies are
//!   compared with the cells one by one, with R = 0.
//! * Two cells of few bodies are summed by pairs: it is quicker, and exact.
//!
//! θ = 0 accepts nothing and gives the direct sum up to rounding. Pulls are mutual term by term: the total momentum
//! does not change, up to rounding, for any θ.
//!
//! # Accuracy
//!
//! `|a − a_direct| / |a_direct|` over 1000 of 10⁵ bodies of equal mass without softening, printed together with
//! the times by `cargo run --release -p dolmen --example nbody_error`:
//!
//! ```text
//!          Plummer sphere                   uniform cube
//!   θ      RMS      99 %     largest        RMS      99 %     largest
//!  0.30   4.35e-5  1.90e-4  2.44e-4        3.80e-5  1.36e-4  2.81e-4
//!  0.40   1.25e-4  4.50e-4  7.98e-4        1.35e-4  4.48e-4  1.47e-3
//!  0.50   3.45e-4  1.04e-3  4.36e-3        4.47e-4  1.47e-3  6.24e-3
//!  0.58   6.11e-4  1.95e-3  5.38e-3        8.87e-4  2.64e-3  1.42e-2
//!  0.60   7.19e-4  2.61e-3  5.76e-3        1.07e-3  2.94e-3  1.85e-2
//!  0.70   1.37e-3  4.85e-3  8.14e-3        1.92e-3  6.18e-3  1.87e-2
//!  0.80   2.58e-3  8.82e-3  2.56e-2        3.84e-3  1.52e-2  3.37e-2
//!  1.00   8.53e-3  2.73e-2  1.05e-1        3.04e-2  8.03e-2  6.16e-1
//! ```
//!
//! [`DEFAULT_OPENING`] is 0.58: an RMS error below 1e-3 for both, in about a hundredth of the time of the direct sum
//! (processor time on a busy machine: 0.9 % to 1.2 % for the cube, 1.0 % to 1.4 % for the sphere). With fewer bodies
//! the cells are coarser: 2e-3 RMS for 4000. Bodies whose pulls cancel (in the middle of a cube, in a plane, on a
//! line) have larger errors relative to what is left; relative to the sum of the sizes of the pulls the error of
//! each body is less than θ⁴ (5 − 4θ) (1 + θ)² / (1 − θ)².
//!
//! The cost grows as n log n to build and about as n to walk. Coincident bodies share a leaf whose pairs are all
//! summed: k of them cost k².

mod direct;
mod expansion;
mod octree;
mod tensor;
mod walk;

pub use direct::direct;
pub use octree::Octree;

use crate::math::DVec3;

/// The opening angle θ for which the errors of the [module](self) are stated first.
pub const DEFAULT_OPENING: f64 = 0.58;

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
    #[error("position {index} is {position}: every coordinate must be finite; find the step that made it so")]
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
