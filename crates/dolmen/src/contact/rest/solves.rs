//! Counters of the contact solver over a run.

use crate::solve::sparse::Trust;
use crate::solve::{Outcome, Status};
use serde::{Deserialize, Serialize};

/// Counters over all problems of the contact solver.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Solves {
    /// Problems.
    pub problems: u64,
    /// Pivots, or Newton iterations.
    pub iterations: u64,
    /// Problems that were not solved to the tolerance of the solver, or have no solution.
    pub unsolved: u64,
    /// The largest residual of those that were solved, dimensionless.
    pub largest_residual: f64,
    /// Problems with more than one solution.
    pub open: u64,
}

/// What the contact solver keeps from one problem to the next, besides forces: part of the state of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SolverMemory {
    /// The counters.
    pub solves: Solves,
    /// The success of local solutions.
    pub trust: [Trust; 2],
}

impl Solves {
    /// Counts an outcome.
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
