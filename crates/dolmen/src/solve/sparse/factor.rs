//! Triangular factors of a block matrix over a graph, blocks of six by six.

use super::pattern::Pattern;
use super::tolerances::PRODUCT;
use crate::math::linear::ROUNDS_BETWEEN;
use crate::math::work;

/// One block, row after row.
pub(super) type Block = [[f64; 6]; 6];
/// The part of a vector that belongs to a node.
pub(super) type Six = [f64; 6];

const ZERO: Block = [[0.0; 6]; 6];

/// A = L Lᵀ (symmetric), or A = L U with pivots exchanged within a diagonal block only.
///
/// The matrix is written to `diagonal`, `lower` and, where it is not symmetric, `upper`, and replaced by its factors.
/// All in the order of the pattern: `lower[p]` is the block (rows[p], k) of column k, `upper[p]` the block (k, rows[p]).
/// Left-looking: column j takes the products of all columns k < j that have a block in row j.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    pub(super) diagonal: Vec<Block>,
    pub(super) lower: Vec<Block>,
    pub(super) upper: Vec<Block>,
    /// Of the last factorisation.
    symmetric: bool,
    /// Exchanges within each diagonal block.
    pivots: Vec<[usize; 6]>,
    /// Columns whose next row is j, as a list: first of j, next of k.
    first: Vec<usize>,
    next: Vec<usize>,
    /// Next block of each column.
    at: Vec<usize>,
    /// Place of a row's block in the column at hand.
    target: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl Factors {
    /// Zero, of the size of a pattern.
    pub(super) fn reset(&mut self, pattern: &Pattern, symmetric: bool) {
        self.symmetric = symmetric;
        self.diagonal.clear();
        self.diagonal.resize(pattern.nodes(), ZERO);
        self.lower.clear();
        self.lower.resize(pattern.rows.len(), ZERO);
        self.upper.clear();
        if !symmetric {
            self.upper.resize(pattern.rows.len(), ZERO);
        }
    }

    /// Replaces the matrix by its factors.
    pub(super) fn factor(&mut self, pattern: &Pattern) {
        let n = pattern.nodes();
        self.first.clear();
        self.first.resize(n, NONE);
        self.next.clear();
        self.next.resize(n, NONE);
        self.at.clear();
        self.at.resize(n, 0);
        self.target.clear();
        self.target.resize(n, 0);
        self.pivots.clear();
        self.pivots.resize(n, [0, 1, 2, 3, 4, 5]);
        for j in 0..n {
            // The factors of a matrix of many bodies take seconds.
            if j % ROUNDS_BETWEEN == ROUNDS_BETWEEN - 1 && work::is_over() {
                return;
            }
            let column = pattern.start[j]..pattern.start[j + 1];
            for p in column.clone() {
                self.target[pattern.rows[p]] = p;
            }
            let mut k = self.first[j];
            while k != NONE {
                let following = self.next[k];
                self.take_column(pattern, j, k);
                k = following;
            }
            if self.symmetric {
                cholesky(&mut self.diagonal[j]);
                for p in column.clone() {
                    right_solve_transposed(&mut self.lower[p], &self.diagonal[j]);
                }
            } else {
                self.pivots[j] = lu(&mut self.diagonal[j]);
                for p in column.clone() {
                    right_solve(&mut self.lower[p], &self.diagonal[j]);
                    left_solve(&mut self.upper[p], &self.diagonal[j], &self.pivots[j]);
                }
            }
            self.at[j] = column.start;
            self.queue(pattern, j);
        }
    }

    /// Subtracts what column k < j contributes to column j (and to row j of U), and sends k on to its next row.
    fn take_column(&mut self, pattern: &Pattern, j: usize, k: usize) {
        let (here, end) = (self.at[k], pattern.start[k + 1]);
        work::count(PRODUCT * (end - here) as u64);
        let left = self.lower[here];
        let right = if self.symmetric { transposed(&left) } else { self.upper[here] };
        subtract_product(&mut self.diagonal[j], &left, &right);
        // Column k lies before column j.
        let begin = pattern.start[j];
        let (before, own) = self.lower.split_at_mut(begin);
        for p in here + 1..end {
            subtract_product(&mut own[self.target[pattern.rows[p]] - begin], &before[p], &right);
        }
        if !self.symmetric {
            let (before, own) = self.upper.split_at_mut(begin);
            for p in here + 1..end {
                subtract_product(&mut own[self.target[pattern.rows[p]] - begin], &left, &before[p]);
            }
        }
        self.at[k] = here + 1;
        self.queue(pattern, k);
    }

    /// Puts column k on the list of its next row.
    fn queue(&mut self, pattern: &Pattern, k: usize) {
        if self.at[k] < pattern.start[k + 1] {
            let row = pattern.rows[self.at[k]];
            self.next[k] = self.first[row];
            self.first[row] = k;
        }
    }

    /// A x = b in place, x and b in the order of nodes.
    pub(super) fn solve(&self, pattern: &Pattern, x: &mut [Six]) {
        let n = pattern.nodes();
        for j in 0..n {
            let mut y = x[pattern.order[j]];
            if self.symmetric {
                forward(&self.diagonal[j], &mut y, false);
            } else {
                y = self.pivots[j].map(|i| y[i]);
                forward(&self.diagonal[j], &mut y, true);
            }
            x[pattern.order[j]] = y;
            for p in pattern.start[j]..pattern.start[j + 1] {
                let other = &mut x[pattern.order[pattern.rows[p]]];
                for (o, row) in other.iter_mut().zip(&self.lower[p]) {
                    *o -= dot(row, &y);
                }
            }
        }
        for j in (0..n).rev() {
            let mut y = x[pattern.order[j]];
            for p in pattern.start[j]..pattern.start[j + 1] {
                let other = &x[pattern.order[pattern.rows[p]]];
                if self.symmetric {
                    for (o, row) in other.iter().zip(&self.lower[p]) {
                        for c in 0..6 {
                            y[c] -= o * row[c];
                        }
                    }
                } else {
                    for (y, row) in y.iter_mut().zip(&self.upper[p]) {
                        *y -= dot(row, other);
                    }
                }
            }
            if self.symmetric {
                backward_transposed(&self.diagonal[j], &mut y);
            } else {
                backward(&self.diagonal[j], &mut y);
            }
            x[pattern.order[j]] = y;
        }
    }
}

/// Σ aᵢ bᵢ.
pub(super) fn dot(a: &Six, b: &Six) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

fn transposed(a: &Block) -> Block {
    let mut t = ZERO;
    for i in 0..6 {
        for j in 0..6 {
            t[j][i] = a[i][j];
        }
    }
    t
}

/// C −= A B.
#[inline]
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for (row, left) in c.iter_mut().zip(a) {
        let mut sum = [0.0; 6];
        for k in 0..6 {
            for j in 0..6 {
                sum[j] += left[k] * b[k][j];
            }
        }
        for j in 0..6 {
            row[j] -= sum[j];
        }
    }
}

/// L of a symmetric positive definite block, in its lower half. A pivot that rounding made too small is the least that
/// the first diagonal entry allows.
fn cholesky(a: &mut Block) {
    for j in 0..6 {
        let given = a[j][j];
        let mut pivot = given;
        for k in 0..j {
            pivot -= a[j][k] * a[j][k];
        }
        let root = pivot.max(f64::EPSILON * f64::EPSILON * given.abs()).max(f64::MIN_POSITIVE).sqrt();
        a[j][j] = root;
        for i in j + 1..6 {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= a[i][k] * a[j][k];
            }
            a[i][j] = sum / root;
        }
    }
}

/// P A = L U in place, L with ones on its diagonal; the rows in their order.
fn lu(a: &mut Block) -> [usize; 6] {
    let mut order = [0, 1, 2, 3, 4, 5];
    for k in 0..6 {
        let mut best = k;
        for i in k + 1..6 {
            if a[i][k].abs() > a[best][k].abs() {
                best = i;
            }
        }
        a.swap(k, best);
        order.swap(k, best);
        if a[k][k] == 0.0 {
            a[k][k] = f64::MIN_POSITIVE;
        }
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            a[i][k] = factor;
            for j in k + 1..6 {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    order
}

/// X ← X L⁻ᵀ, L in the lower half of `l`.
fn right_solve_transposed(x: &mut Block, l: &Block) {
    for row in x.iter_mut() {
        forward(l, row, false);
    }
}

/// X ← X U⁻¹, U in the upper half of `u`.
fn right_solve(x: &mut Block, u: &Block) {
    for row in x.iter_mut() {
        for j in 0..6 {
            let mut sum = row[j];
            for k in 0..j {
                sum -= row[k] * u[k][j];
            }
            row[j] = sum / u[j][j];
        }
    }
}

/// X ← L⁻¹ P X, L with ones on its diagonal.
fn left_solve(x: &mut Block, l: &Block, order: &[usize; 6]) {
    let given = *x;
    for i in 0..6 {
        x[i] = given[order[i]];
        for k in 0..i {
            for j in 0..6 {
                x[i][j] -= l[i][k] * x[k][j];
            }
        }
    }
}

/// L y = b in place; with ones on the diagonal of L where `unit`.
fn forward(l: &Block, y: &mut Six, unit: bool) {
    for i in 0..6 {
        let mut sum = y[i];
        for k in 0..i {
            sum -= l[i][k] * y[k];
        }
        y[i] = if unit { sum } else { sum / l[i][i] };
    }
}

/// Lᵀ x = y in place.
fn backward_transposed(l: &Block, y: &mut Six) {
    for i in (0..6).rev() {
        let mut sum = y[i];
        for k in i + 1..6 {
            sum -= l[k][i] * y[k];
        }
        y[i] = sum / l[i][i];
    }
}

/// U x = y in place.
fn backward(u: &Block, y: &mut Six) {
    for i in (0..6).rev() {
        let mut sum = y[i];
        for k in i + 1..6 {
            sum -= u[i][k] * y[k];
        }
        y[i] = sum / u[i][i];
    }
}
