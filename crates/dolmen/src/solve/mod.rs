//! Complementarity problems: impulses or forces that push, gaps that do not close, and never both at once.
//!
//! Pure mathematics: knows matrices and vectors, not bodies, and only `crate::math` of this crate. Problems are dense
//! and small for now; what they ask of a matrix is a product and a factorisation of a principal part, which sparse
//! ones can offer as well.
//!
//! | problem | function | for |
//! |---|---|---|
//! | w = M z + q, z ≥ 0, w ≥ 0, z·w = 0 | [`lcp::solve_lcp_lemke`] | any M; a referee |
//! | the same, M = A symmetric, positive semidefinite | [`lcp::solve_lcp_psd`] | contacts without friction; least norm |
//! | u = W r + q, Coulomb's law with the quadratic cone | [`cone::solve_cone`] | few contacts with friction |
//! | the same, by bodies and contacts, W = J M⁻¹ Jᵀ sparse | [`sparse::solve_contacts`] | many contacts, joints |
//! | x = g(x), where g costs much | [`FixedPoint`] | what grows with what it causes |
//! | contacts that slide already | [`sliding::classify_sliding`] | whether there are none, one or several answers |
//!
//! [`choose::solve_forces`] is the one door to all of them, by the name that a user gives.
//!
//! A solver never fails by `Err`: it returns what it found with its [`Status`] and its residual.

use serde::{Deserialize, Serialize};

pub mod choose;
pub mod cone;
pub mod lcp;
pub mod sliding;
pub mod sparse;
mod cholesky;
mod fixed_point;
mod square;
mod tolerances;

pub use cholesky::{Cholesky, null_projector};
pub use fixed_point::FixedPoint;
pub use square::Square;

/// How a solver ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Status {
    /// To the tolerance.
    #[default]
    Solved,
    /// The best found is returned; its residual says how good it is.
    OutOfIterations,
    /// There is a ray d ≥ 0 with M d = 0 and q·d < 0 (or Lemke's secondary ray): nothing solves the problem.
    Infeasible,
}

impl Status {
    /// As it is written in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::OutOfIterations => "out-of-iterations",
            Self::Infeasible => "infeasible",
        }
    }
}

/// What a solver says of the answer that it wrote to its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// How far from a solution, without unit: see each solver.
    pub residual: f64,
    /// Pivots, or steps of Newton's method.
    pub iterations: usize,
    /// Whether the answer is the only one as far as was seen; else it is the least in norm (see each solver).
    pub unique: bool,
}
