//! The right side nearest to one that contradicts itself, by the sum of absolute values. [PAPER, appendix]
//!
//! A = J M⁻¹ Jᵀ is symmetric: A λ = c has a solution just where c is at right angles to every n with A n = 0. So of
//!
//! ```text
//! min Σ|rᵢ|,   A λ = b − r
//! ```
//!
//! only r is left, with one equation nᵀ r = nᵀ b for each combination of rows that cancels. With r = p − m and p, m ≥ 0 that is a linear
//! program; a corner of it has at most as many rows that miss as there are such combinations.

use super::super::tolerances::{AGREES, MISSES, TIED};
use super::null::NullSpace;
use crate::math::least_norm::LeastNorm;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// Takes r out of a right side. Where several r have the same sum, rows that come later miss. A right side that agrees with itself up to
/// rounding stays as it is.
pub(super) fn take_out_least_absolute(null: &NullSpace, right: &mut [f64]) {
    let size = right.iter().map(|b| b * b).sum::<f64>().sqrt();
    let contradiction = null.along(right);
    if contradiction.is_nan() || contradiction <= AGREES * size {
        return;
    }
    let vectors: Vec<&[f64]> = null.vectors().collect();
    let wanted: Vec<f64> = vectors.iter().map(|n| dot(n, right) / contradiction).collect();
    // Without an answer of the library the least squares stand in.
    let Some(found) = least_absolute(&vectors, &wanted, right.len()) else { return };
    let left = refine(&vectors, &wanted, &found).unwrap_or(found);
    for (b, r) in right.iter_mut().zip(&left) {
        *b -= contradiction * r;
    }
}

fn least_absolute(vectors: &[&[f64]], wanted: &[f64], rows: usize) -> Option<Vec<f64>> {
    let mut program = Problem::new(OptimizationDirection::Minimize);
    let parts: Vec<[Variable; 2]> = (0..rows)
        .map(|i| {
            let cost = 1.0 + TIED * (rows - i) as f64 / rows as f64;
            [(); 2].map(|()| program.add_var(cost, (0.0, f64::INFINITY)))
        })
        .collect();
    for (n, wanted) in vectors.iter().zip(wanted) {
        let taking = n.iter().zip(&parts).filter(|(n, _)| **n != 0.0);
        let terms: Vec<(Variable, f64)> =
            taking.flat_map(|(n, [over, under])| [(*over, *n), (*under, -*n)]).collect();
        program.add_constraint(&terms, ComparisonOp::Eq, *wanted);
    }
    let solution = program.solve().ok()?.into_solution().ok()?;
    Some(parts.iter().map(|[over, under]| solution.var_value(*over) - solution.var_value(*under)).collect())
}

/// The equations afresh over the rows that miss: the library ends at 1e-7. None where these rows do not suffice.
fn refine(vectors: &[&[f64]], wanted: &[f64], found: &[f64]) -> Option<Vec<f64>> {
    let largest = found.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
    let missing: Vec<usize> = (0..found.len()).filter(|&i| found[i].abs() > MISSES * largest).collect();
    let mut factor = LeastNorm::default();
    factor.factor(vectors.len(), |i, j| missing.iter().map(|&k| vectors[i][k] * vectors[j][k]).sum());
    let mut weights = vec![0.0; vectors.len()];
    factor.solve(wanted, &mut weights);
    let mut left = vec![0.0; found.len()];
    for &k in &missing {
        left[k] = vectors.iter().zip(&weights).map(|(n, w)| n[k] * w).sum();
    }
    let off = vectors.iter().zip(wanted).map(|(n, wanted)| (dot(n, &left) - wanted).abs());
    (off.fold(0.0, f64::max) <= AGREES).then_some(left)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
