//! The linear programs of the paper. [PAPER; SYSTEM C5]
//!
//! ```text
//! 1. assume that every contact persists:   A f + b = 0, f ≥ 0.             Feasible: done.
//! 2. else the least sum of forces:          min Σf,  A f + b ≥ 0, f ≥ 0.    Infeasible: bodies are squeezed.
//! 3. contacts with (A f + b)ᵢ > 0 vanish:   fᵢ = 0 and d̈ᵢ ≥ 0 for these, d̈ = 0 for the others. Feasible: done.
//! 4. else the guess of 3 is wrong: the forces of 2, approximate ones, and what they add.
//! ```
//!
//! Approximate forces push bodies that part already. Where they act for a while, as in a step, or at once, as impulses, that is energy to be
//! booked by the caller.
//!
//! The program of 1 and 3 has the least sum as its objective as well, so that its answer is a definite one. Joints have been
//! solved for: their multipliers are free and not in the sum.

use super::super::lcp::{PsdScratch, residual, solve_lcp_psd};
use super::super::tolerances::{ACCEPTED, NOISE, SAME};
use super::super::{Cholesky, Outcome, Square, Status};
use super::Note;
use super::normal::Reduced;
use super::quadratic::contradict;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// A residual acceleration above this, by the largest of b, vanishes. The library meets its constraints to 1e-7; b is
/// scaled to one.
const VANISHES: f64 = 1e-6;

/// What is asked of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    /// d̈ = 0.
    Persists,
    /// d̈ ≥ 0.
    StaysApart,
    /// f = 0, d̈ ≥ 0.
    Vanishes,
}

/// Forces into `r`; a note unless they simply obey the law.
pub(super) fn solve(reduced: &Reduced, r: &mut [f64], scratch: &mut PsdScratch) -> (Outcome, Option<Note>) {
    let (a, b) = reduced.normals();
    let mut f = vec![0.0; b.len()];
    let (mut outcome, note) = solve_scaled((&a, &b), &mut f, scratch);
    reduced.write_normal(&f, r);
    contradict(reduced, &mut outcome);
    (outcome, note)
}

/// As [`solve`] for A, scaled to a diagonal of ones, and b of the normals alone.
pub(super) fn solve_scaled(
    (a, b): (&Square, &[f64]),
    forces: &mut [f64],
    scratch: &mut PsdScratch,
) -> (Outcome, Option<Note>) {
    let n = b.len();
    let size = b.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let mut outcome = Outcome { status: Status::Solved, residual: 0.0, iterations: 0, unique: true };
    let mut note = None;
    let mut f = vec![0.0; n];
    if size > 0.0 {
        let b: Vec<f64> = b.iter().map(|b| b / size).collect();
        (outcome.status, note) = run(a, &b, &mut f, &mut outcome.iterations);
        let is_approximate = matches!(note, Some(Note::ApproximateForces { .. }));
        let mut least = vec![0.0; n];
        let other = solve_lcp_psd(a, &b, &mut least, scratch);
        if outcome.status == Status::Solved {
            // The least forces tell whether there was a choice.
            outcome.unique = other.unique && are_same(&f, &least);
            // What the library takes for zero at 1e-7 may be none: a contact whose force or gap is as small. The active set tells these apart.
            if !is_approximate && other.status == Status::Solved && residual(a, &b, &f) > ACCEPTED {
                f.copy_from_slice(&least);
            }
        } else if other.status == Status::Solved {
            // The library has found nothing where there is something.
            f.copy_from_slice(&least);
            outcome.iterations += other.iterations;
            (outcome.status, outcome.unique) = (other.status, other.unique);
            note = Some(Note::Mended);
        }
        // Approximate forces keep bodies apart, and are complementary to nothing: how far, the excess says.
        outcome.residual = if is_approximate { shortfall(a, &b, &f) } else { residual(a, &b, &f) };
        for value in &mut f {
            *value *= size;
        }
    }
    if let Some(Note::ApproximateForces { excess }) = &mut note {
        *excess *= size * size;
    }
    forces.copy_from_slice(&f);
    (outcome, note)
}

/// The fastest approach that forces leave, by the largest of b, which is one.
fn shortfall(a: &Square, b: &[f64], f: &[f64]) -> f64 {
    (0..b.len()).fold(0.0, |most: f64, i| most.max(-(a.dot(i, f) + b[i])))
}

/// Whether forces are those of least norm, as far as the programs tell.
pub(super) fn are_same(forces: &[f64], least: &[f64]) -> bool {
    let largest = least.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
    forces.iter().zip(least).all(|(f, g)| (f - g).abs() <= SAME * largest)
}

fn run(a: &Square, b: &[f64], f: &mut Vec<f64>, programs: &mut usize) -> (Status, Option<Note>) {
    let n = b.len();
    let mut asked = vec![Asked::Persists; n];
    *programs += 1;
    if let Some(found) = least_sum(a, b, &asked) {
        *f = refine(a, b, found);
        return (Status::Solved, None);
    }
    asked.fill(Asked::StaysApart);
    *programs += 1;
    let Some(found) = least_sum(a, b, &asked) else {
        return (Status::Infeasible, None);
    };
    let gaps: Vec<f64> = (0..n).map(|i| a.dot(i, &found) + b[i]).collect();
    for (asked, gap) in asked.iter_mut().zip(&gaps) {
        *asked = if *gap > VANISHES { Asked::Vanishes } else { Asked::Persists };
    }
    let vanishing = asked.iter().filter(|a| **a == Asked::Vanishes).count();
    *programs += 1;
    if let Some(found) = least_sum(a, b, &asked) {
        *f = refine(a, b, found);
        return (Status::Solved, Some(Note::Vanishing(vanishing)));
    }
    *f = refine_corner(a, b, found, &gaps);
    let excess = (0..n).map(|i| f[i] * (a.dot(i, f) + b[i]).max(0.0)).sum();
    (Status::Solved, Some(Note::ApproximateForces { excess }))
}

/// As [`refine`] at a corner of the second program, where contacts without a gap and those with a force need not be the same: least squares of
/// the gaps that are zero over the forces that are not.
fn refine_corner(a: &Square, b: &[f64], found: Vec<f64>, gaps: &[f64]) -> Vec<f64> {
    let closed: Vec<usize> = (0..b.len()).filter(|&i| gaps[i] <= VANISHES).collect();
    let members: Vec<usize> = (0..b.len()).filter(|&i| found[i] > 0.0).collect();
    let product = |j: usize, k: usize| closed.iter().map(|&i| a[(i, j)] * a[(i, k)]).sum::<f64>();
    let normal = Square::from_fn(members.len(), |j, k| product(members[j], members[k]));
    let all: Vec<usize> = (0..members.len()).collect();
    let mut factors = Cholesky::default();
    factors.factor(&normal, &all);
    let mut f = found.clone();
    let mut change = vec![0.0; members.len()];
    for _ in 0..3 {
        let left: Vec<f64> = closed.iter().map(|&i| -b[i] - a.dot(i, &f)).collect();
        let right: Vec<f64> = members
            .iter()
            .map(|&j| closed.iter().zip(&left).map(|(&i, left)| a[(i, j)] * left).sum())
            .collect();
        factors.solve(&right, &mut change);
        for (&j, c) in members.iter().zip(&change) {
            f[j] = (f[j] + c).max(0.0);
        }
    }
    if shortfall(a, b, &f) <= shortfall(a, b, &found) { f } else { found }
}

/// The forces of least sum that do what is asked; none when there are none, or the library finds none.
fn least_sum(a: &Square, b: &[f64], asked: &[Asked]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut program = Problem::new(OptimizationDirection::Minimize);
    let variables: Vec<Variable> = asked
        .iter()
        .map(|asked| {
            let highest = if *asked == Asked::Vanishes { 0.0 } else { f64::INFINITY };
            program.add_var(1.0, (0.0, highest))
        })
        .collect();
    for i in 0..n {
        let terms: Vec<(Variable, f64)> = (0..n)
            .filter(|&j| a[(i, j)].abs() > NOISE && asked[j] != Asked::Vanishes)
            .map(|j| (variables[j], a[(i, j)]))
            .collect();
        let holds = if asked[i] == Asked::Persists { ComparisonOp::Eq } else { ComparisonOp::Ge };
        program.add_constraint(&terms, holds, -b[i]);
    }
    let solution = program.solve().ok()?.into_solution().ok()?;
    let f: Vec<f64> = variables.iter().map(|&v| solution.var_value(v).max(0.0)).collect();
    f.iter().all(|f| f.is_finite()).then_some(f)
}

/// Solves A f = −b afresh over the forces that are not zero: the library ends at 1e-7. What it takes for a force and is none turns out
/// negative then, and is left out.
fn refine(a: &Square, b: &[f64], found: Vec<f64>) -> Vec<f64> {
    let mut f = found.clone();
    let mut factors = Cholesky::default();
    for _ in 0..=b.len() {
        let members: Vec<usize> = (0..b.len()).filter(|&i| f[i] > 0.0 && a[(i, i)] > 0.0).collect();
        factors.factor(a, &members);
        let mut change = vec![0.0; members.len()];
        for _ in 0..3 {
            let left: Vec<f64> = members.iter().map(|&i| -b[i] - a.dot(i, &f)).collect();
            factors.solve(&left, &mut change);
            for (&i, c) in members.iter().zip(&change) {
                f[i] += c;
            }
        }
        let is_whole = members.iter().all(|&i| f[i] >= -ACCEPTED);
        for value in &mut f {
            *value = value.max(0.0);
        }
        if is_whole {
            break;
        }
    }
    let better = residual(a, b, &f);
    if better <= residual(a, b, &found) { f } else { found }
}
