//! Lemke's method of complementary pivots, for any matrix.

use super::super::tolerances::ACCEPTED;
use super::super::{Outcome, Square, Status};
use super::residual;
use crate::math::linear::RealLu;
use crate::math::work;

/// A ratio within this of the least takes part in a tie, which the lexicographic rule breaks.
const TIE: f64 = 1e-12;
/// An entry of the pivot column below this times its largest is no pivot.
const PIVOT: f64 = 1e-11;

/// Up to this number of unknowns all subsets are tried after a ray: 2¹⁰ small systems.
const SUBSETS: usize = 10;

/// Buffers of [`solve_lcp_lemke`].
#[derive(Debug, Clone, Default)]
pub struct LemkeScratch {
    /// Rows of the tableau: w (n columns), z (n), z₀, right-hand side.
    tableau: Vec<Vec<f64>>,
    /// Which column is basic in each row.
    basis: Vec<usize>,
}

/// Solves the linear complementarity problem by Lemke's method; `z` takes the answer.
///
/// The covering vector is 1 and ties of the ratio test are broken lexicographically, so that no basis is met twice
/// [Cottle, Pang, Stone, The Linear Complementarity Problem, 4.4 and 4.9]. `pivots` bounds the work. The end of a ray
/// is [`Status::Infeasible`]: for a copositive-plus M (positive semidefinite ones are) it proves that there is no
/// solution; for others it proves nothing (games end so at once), and up to ten unknowns every subset is tried before it
/// is said. The residual is that of [`residual`].
///
/// # Panics
/// When the sizes of `m`, `q` and `z` differ.
pub fn solve_lcp_lemke(
    m: &Square,
    q: &[f64],
    pivots: usize,
    z: &mut [f64],
    scratch: &mut LemkeScratch,
) -> Outcome {
    let n = q.len();
    assert!(m.size() == n && z.len() == n, "a matrix of {} rows for q of {n} and z of {}", m.size(), z.len());
    z.fill(0.0);
    let mut outcome = Outcome { status: Status::Solved, residual: 0.0, iterations: 0, unique: true };
    if q.iter().all(|&x| x >= 0.0) {
        return outcome;
    }
    outcome.status = follow(m, q, pivots, &mut outcome.iterations, scratch);
    let right = 2 * n + 1;
    for (i, &b) in scratch.basis.iter().enumerate() {
        if (n..2 * n).contains(&b) {
            z[b - n] = scratch.tableau[i][right].max(0.0);
        }
    }
    match outcome.status {
        Status::Solved => refine(m, q, z),
        Status::Infeasible if n <= SUBSETS && enumerate(m, q, z) => outcome.status = Status::Solved,
        _ => {}
    }
    outcome.residual = residual(m, q, z);
    outcome
}

/// Lemke's path; leaves the last basis in `scratch`.
fn follow(
    m: &Square,
    q: &[f64],
    pivots: usize,
    iterations: &mut usize,
    scratch: &mut LemkeScratch,
) -> Status {
    let n = q.len();
    fill(m, q, scratch);
    // The first pivot brings z₀ in where q is most negative; of equals the last, so that all rows of the
    // inverse basis become positive in lexicographic order.
    let (mut row, _) = q.iter().enumerate().fold((0, 0.0), |b, (i, &x)| if x <= b.1 { (i, x) } else { b });
    let cover = 2 * n;
    let mut entering = cover;
    while *iterations < pivots && !work::is_over() {
        work::count((4 * n * n) as u64);
        let leaving = scratch.basis[row];
        pivot(scratch, row, entering);
        *iterations += 1;
        if leaving == cover {
            return Status::Solved;
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
        match ratio_test(scratch, entering, n) {
            Some(next) => row = next,
            None => return Status::Infeasible,
        }
    }
    Status::OutOfIterations
}

fn fill(m: &Square, q: &[f64], scratch: &mut LemkeScratch) {
    let n = q.len();
    scratch.basis.clear();
    scratch.basis.extend(0..n);
    scratch.tableau.resize_with(n, Vec::new);
    // w − M z − 1 z₀ = q.
    for (i, row) in scratch.tableau.iter_mut().enumerate() {
        row.clear();
        row.extend((0..n).map(|j| if i == j { 1.0 } else { 0.0 }));
        row.extend(m.row(i).iter().map(|x| -x));
        row.extend([-1.0, q[i]]);
    }
}

fn pivot(scratch: &mut LemkeScratch, row: usize, column: usize) {
    let value = scratch.tableau[row][column];
    scratch.tableau[row].iter_mut().for_each(|x| *x /= value);
    let pivot_row = std::mem::take(&mut scratch.tableau[row]);
    for (i, other) in scratch.tableau.iter_mut().enumerate() {
        if i == row || other[column] == 0.0 {
            continue;
        }
        let factor = other[column];
        for (x, p) in other.iter_mut().zip(&pivot_row) {
            *x -= factor * p;
        }
        other[column] = 0.0;
    }
    scratch.tableau[row] = pivot_row;
    scratch.basis[row] = column;
}

/// The row that leaves: least ratio, then z₀, then the least row of the inverse basis in lexicographic order.
fn ratio_test(scratch: &LemkeScratch, entering: usize, n: usize) -> Option<usize> {
    let (cover, right) = (2 * n, 2 * n + 1);
    let largest = scratch.tableau.iter().fold(0.0, |m: f64, r| m.max(r[entering].abs()));
    let mut best: Option<usize> = None;
    for i in 0..n {
        let row = &scratch.tableau[i];
        if row[entering].is_nan() || row[entering] <= PIVOT * largest {
            continue;
        }
        let Some(b) = best else {
            best = Some(i);
            continue;
        };
        let old = &scratch.tableau[b];
        let (new_ratio, old_ratio) = (row[right] / row[entering], old[right] / old[entering]);
        let tie = (new_ratio - old_ratio).abs() <= TIE * (new_ratio.abs() + old_ratio.abs());
        let better = if tie {
            scratch.basis[i] == cover
                || (scratch.basis[b] != cover
                    && (0..n)
                        .map(|k| row[k] / row[entering] - old[k] / old[entering])
                        .find(|d| d.abs() > TIE)
                        .is_some_and(|d| d < 0.0))
        } else {
            new_ratio < old_ratio
        };
        if better {
            best = Some(i);
        }
    }
    best
}

/// Solves M z = −q afresh over the basic z: the tableau has carried the rounding of every pivot.
fn refine(m: &Square, q: &[f64], z: &mut [f64]) {
    let basic: Vec<usize> = (0..z.len()).filter(|&i| z[i] > 0.0).collect();
    let mut lu = RealLu::new(basic.len());
    if lu.factor(|i, j| m[(basic[i], basic[j])]).is_err() {
        return;
    }
    let mut x: Vec<f64> = basic.iter().map(|&i| -q[i]).collect();
    lu.solve(&mut x);
    let before = residual(m, q, z);
    let kept = z.to_vec();
    for (&i, &value) in basic.iter().zip(&x) {
        z[i] = value;
    }
    let after = residual(m, q, z);
    if after.is_nan() || after > before {
        z.copy_from_slice(&kept);
    }
}

/// Tries every set of basic z, the smallest bit pattern first; false when none solves the problem.
fn enumerate(m: &Square, q: &[f64], z: &mut [f64]) -> bool {
    let n = q.len();
    for bits in 1..1_usize << n {
        let basic: Vec<usize> = (0..n).filter(|i| bits >> i & 1 == 1).collect();
        let mut lu = RealLu::new(basic.len());
        if lu.factor(|i, j| m[(basic[i], basic[j])]).is_err() {
            continue;
        }
        let mut x: Vec<f64> = basic.iter().map(|&i| -q[i]).collect();
        lu.solve(&mut x);
        z.fill(0.0);
        for (&i, &value) in basic.iter().zip(&x) {
            z[i] = value;
        }
        if residual(m, q, z) <= ACCEPTED {
            return true;
        }
    }
    z.fill(0.0);
    false
}
