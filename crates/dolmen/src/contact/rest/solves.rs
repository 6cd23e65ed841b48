//! What the solver of contact forces has done over a run.

use crate::solve::sparse::Trust;
use crate::solve::{Outcome, Status};
use serde::{Deserialize, Serialize};

/// Counts over all problems that were given to the solver of contact forces.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Solves {
    /// Problems.
    pub problems: u64,
    /// Pivots, or steps of Newton's method.
    pub iterations: u64,
    /// Problems that were not solved to the tolerance of the solver, or have no solution.
    pub unsolved: u64,
    /// The largest residual of those that were solved, without unit.
    pub largest_residual: f64,
    /// Problems with more than one solution.
    pub open: u64,
}

/// What the solver of contact forces keeps from one problem to the next, besides forces: part of the state of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SolverMemory {
    /// Counts.
    pub solves: Solves,
    /// How well local solutions fared.
    pub trust: [Trust; 2],
}

impl Solves {
    /// Takes an outcome into account.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.problems += 1;
        self.iterations += outcome.iterations as u64;
        if outcome.status == Status::Solved {
            self.largest_residual = self.largest_residual.max(outcome.residual);
            self.open += u64::from(!outcome.unique);
        } else {
            self.unsolved += 1;
        }
    }
}
