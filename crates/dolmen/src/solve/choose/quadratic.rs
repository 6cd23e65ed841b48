//! The quadratic program of the notes. [NOTES II; PAPER]
//!
//! min fᵀ(A f + b) over f ≥ 0, A f + b ≥ 0. A is symmetric and positive semidefinite, and where the program has a point at
//! all its least value is zero, reached just where f solves the complementarity problem; that in turn is the least point of
//! ½ fᵀA f + bᵀf over f ≥ 0, which an active set finds.

use super::super::lcp::{PsdScratch, solve_lcp_psd};
use super::super::{Outcome, Status};
use super::normal::Reduced;

pub(super) fn solve(reduced: &Reduced, r: &mut [f64], scratch: &mut PsdScratch) -> Outcome {
    let (a, b) = reduced.normals();
    let mut f = vec![0.0; b.len()];
    let mut outcome = solve_lcp_psd(&a, &b, &mut f, scratch);
    reduced.write_normal(&f, r);
    contradict(reduced, &mut outcome);
    outcome
}

/// Joints that contradict each other leave no forces, whatever the contacts do.
pub(super) fn contradict(reduced: &Reduced, outcome: &mut Outcome) {
    /// Rounding of the elimination.
    const AGREE: f64 = 1e-9;
    if reduced.contradiction > AGREE {
        outcome.status = Status::Infeasible;
        outcome.residual = outcome.residual.max(reduced.contradiction);
    }
}
