//! Problems for the solvers of complementarity, with their answers as quantities.

use std::collections::BTreeMap;

use dolmen::solve::cone::{ConeProblem, ConeScratch, cone_residual, solve_cone};
use dolmen::solve::lcp::{LemkeScratch, PsdScratch, residual, solve_lcp_lemke, solve_lcp_psd};
use dolmen::solve::{Square, Status};

use crate::case::Problem;
use crate::expression::Value;
use crate::format::ProblemKind;
use crate::numbers::Numbers;

/// What can be asked of a problem.
pub(crate) const WORDS: &[(&str, &str)] =
    &[("z", ""), ("w", ""), ("residual", ""), ("solved", ""), ("iterations", "")];

/// Pivots of Lemke.
const MOST_PIVOTS: usize = 1000;

/// Solves a problem: `z` is the answer (r for contacts), `w` the other side (u), `residual` how far the two are from the law.
pub(crate) fn solve(problem: &Problem) -> Numbers {
    let size = problem.q.len();
    let matrix = Square::from_fn(size, |i, j| problem.matrix[i][j]);
    let q = &problem.q;
    let mut z = vec![0.0; size];
    let (outcome, residual) = match problem.kind {
        ProblemKind::Lcp => {
            let outcome = solve_lcp_lemke(&matrix, q, MOST_PIVOTS, &mut z, &mut LemkeScratch::default());
            (outcome, residual(&matrix, q, &z))
        }
        ProblemKind::LcpLeast => {
            let outcome = solve_lcp_psd(&matrix, q, &mut z, &mut PsdScratch::default());
            (outcome, residual(&matrix, q, &z))
        }
        ProblemKind::Coulomb => {
            let floor = vec![0.0; problem.friction.len()];
            let whole = ConeProblem { w: &matrix, q, friction: &problem.friction, floor: &floor };
            let outcome = solve_cone(&whole, &mut z, &mut ConeScratch::default());
            (outcome, cone_residual(&whole, &z))
        }
    };
    let w: Vec<f64> = (0..size).map(|i| matrix.dot(i, &z) + q[i]).collect();
    Numbers(BTreeMap::from([
        ("z", Value::of_numbers(&z)),
        ("w", Value::of_numbers(&w)),
        ("residual", Value::Number(residual)),
        ("solved", Value::Number(f64::from(u8::from(outcome.status == Status::Solved)))),
        ("iterations", Value::Number(outcome.iterations as f64)),
    ]))
}
