//! The least sum of absolute values of what joints miss, by linear programs. [PAPER, app. on infeasible systems]

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

use super::{Assembler, AssemblyError, Level};
use crate::math::{DVec3, dvec3};

/// Programs one after the other, each with the joints made linear where the last one ended.
const PROGRAMS: usize = 40;

/// The first bound on a change, of the longest arm, or in rad.
const FIRST_REACH: f64 = 0.1;

/// The bound at which the search ends, of the longest arm: the rounding of a program.
const LAST_REACH: f64 = 1e-10;

impl Assembler<'_> {
    /// min Σ|gᵢ + Jᵢ δ| over |δ| ≤ reach: with gᵢ + Jᵢ δ = pᵢ − nᵢ, p, n ≥ 0, the sum of all p and n. A change that does not
    /// lower the sum of what the joints really miss is taken back, and the reach made smaller.
    pub(super) fn least_absolute(&mut self) -> Result<(), AssemblyError> {
        let mut reach = FIRST_REACH;
        for _ in 0..PROGRAMS {
            self.evaluate();
            let before = self.sum();
            let (poses, turns) = (self.poses.clone(), self.turns.clone());
            let shifts = self.program(reach)?;
            self.shift(&shifts);
            self.evaluate();
            if self.sum() < before * (1.0 - 1e-12) {
                continue;
            }
            (self.poses, self.turns) = (poses, turns);
            reach *= 0.2;
            if reach < LAST_REACH {
                break;
            }
        }
        self.evaluate();
        Ok(())
    }

    fn sum(&self) -> f64 {
        self.system.lines().iter().map(|line| self.miss(*line, Level::Position)).sum()
    }

    fn program(&self, reach: f64) -> Result<Vec<(DVec3, DVec3)>, AssemblyError> {
        let length = self.system.length();
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let bodies = self.system.bodies().len();
        // Changes are in units of the longest arm and in rad, six a body.
        let changes: Vec<Variable> = (0..6 * bodies).map(|_| problem.add_var(0.0, (-reach, reach))).collect();
        for (line, halves) in self.system.line_halves() {
            let weight = self.system.line_weight(line) / length;
            let value = self.system.left(line, Level::Position) * weight;
            let over = problem.add_var(1.0, (0.0, f64::INFINITY));
            let under = problem.add_var(1.0, (0.0, f64::INFINITY));
            let mut terms = vec![(over, -1.0), (under, 1.0)];
            let mut coefficients: Vec<f64> = Vec::new();
            let mut places: Vec<usize> = Vec::new();
            for (slot, linear, angular) in halves {
                for (k, c) in (linear * length).to_array().into_iter().chain(angular.to_array()).enumerate() {
                    // A coupling may act on a body twice.
                    if let Some(at) = places.iter().position(|p| *p == 6 * slot + k) {
                        coefficients[at] += c * weight;
                    } else {
                        places.push(6 * slot + k);
                        coefficients.push(c * weight);
                    }
                }
            }
            terms.extend(
                places.iter().zip(&coefficients).filter(|(_, c)| **c != 0.0).map(|(p, c)| (changes[*p], *c)),
            );
            problem.add_constraint(&terms[..], ComparisonOp::Eq, -value);
        }
        let failed = |problem: String| AssemblyError::Program { problem };
        let outcome = problem.solve().map_err(|error| failed(error.to_string()))?;
        let solution =
            outcome.into_solution().map_err(|stop| failed(format!("{:?}", stop.termination_reason())))?;
        let at = |i: usize| solution.var_value(changes[i]);
        Ok((0..bodies)
            .map(|b| {
                let linear = dvec3(at(6 * b), at(6 * b + 1), at(6 * b + 2)) * length;
                (linear, dvec3(at(6 * b + 3), at(6 * b + 4), at(6 * b + 5)))
            })
            .collect())
    }
}
