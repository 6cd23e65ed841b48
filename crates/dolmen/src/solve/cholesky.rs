//! Factors of symmetric positive semidefinite matrices, and the space on which they vanish.

use super::Square;
use super::tolerances::RANK;
use crate::math::linear::{ROUNDS_BETWEEN, cube};
use crate::math::work;

/// Π A Πᵀ = L Lᵀ with diagonal pivoting, L of `rank` columns; keeps its storage. [Golub, Van Loan, 4.2.9]
///
/// The matrix should be scaled to a diagonal of ones (zeros where a row is zero): pivots are compared with one.
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    /// Row i belongs to the unknown `order[i]`.
    order: Vec<usize>,
    lower: Square,
    rank: usize,
}

impl Cholesky {
    /// Factors the part of `a` with rows and columns `members`; what is left when pivots run out is taken for zero.
    ///
    /// Of equal pivots the first wins.
    pub fn factor(&mut self, a: &Square, members: &[usize]) {
        let n = members.len();
        self.lower.fill_from(n, |i, j| a[(members[i], members[j])]);
        self.order.clear();
        self.order.extend(0..n);
        self.rank = n;
        work::count(cube(n) / 2);
        for k in 0..n {
            if k % ROUNDS_BETWEEN == ROUNDS_BETWEEN - 1 && work::is_over() {
                self.rank = k;
                return;
            }
            let mut best = k;
            for i in k + 1..n {
                if self.lower[(i, i)] > self.lower[(best, best)] {
                    best = i;
                }
            }
            let pivot = self.lower[(best, best)];
            if pivot.is_nan() || pivot <= RANK {
                self.rank = k;
                return;
            }
            self.exchange(k, best);
            let pivot = self.lower[(k, k)].sqrt();
            self.lower[(k, k)] = pivot;
            for i in k + 1..n {
                self.lower[(i, k)] /= pivot;
            }
            for i in k + 1..n {
                let factor = self.lower[(i, k)];
                for j in k + 1..=i {
                    let product = factor * self.lower[(j, k)];
                    self.lower[(i, j)] -= product;
                }
            }
        }
    }

    /// Exchanges unknowns k < best: rows of L so far, rows and columns of the rest, of which the lower half is kept.
    fn exchange(&mut self, k: usize, best: usize) {
        if k == best {
            return;
        }
        let n = self.order.len();
        self.order.swap(k, best);
        for j in 0..k {
            let saved = self.lower[(k, j)];
            self.lower[(k, j)] = self.lower[(best, j)];
            self.lower[(best, j)] = saved;
        }
        let saved = self.lower[(k, k)];
        self.lower[(k, k)] = self.lower[(best, best)];
        self.lower[(best, best)] = saved;
        for i in k + 1..best {
            let saved = self.lower[(i, k)];
            self.lower[(i, k)] = self.lower[(best, i)];
            self.lower[(best, i)] = saved;
        }
        for i in best + 1..n {
            let saved = self.lower[(i, k)];
            self.lower[(i, k)] = self.lower[(i, best)];
            self.lower[(i, best)] = saved;
        }
    }

    /// Number of pivots that were not zero.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of rows that were factored.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// A basic solution of A x = b, with zeros where no pivot was found; x and b in the order of `members`.
    ///
    /// Solves the whole system when b is in the range of A.
    pub fn solve(&self, b: &[f64], x: &mut [f64]) {
        let rank = self.rank;
        x.fill(0.0);
        // L y = Π b, y kept in x in the order of the pivots.
        for i in 0..rank {
            let mut sum = b[self.order[i]];
            for j in 0..i {
                sum -= self.lower[(i, j)] * x[self.order[j]];
            }
            x[self.order[i]] = sum / self.lower[(i, i)];
        }
        self.back(x);
    }

    /// Lᵀ x = y over the pivots, in place.
    fn back(&self, x: &mut [f64]) {
        for i in (0..self.rank).rev() {
            let mut sum = x[self.order[i]];
            for j in i + 1..self.rank {
                sum -= self.lower[(j, i)] * x[self.order[j]];
            }
            x[self.order[i]] = sum / self.lower[(i, i)];
        }
    }

    /// The vector with A d = 0 that has a one at the k-th unknown without a pivot: L₁ᵀ d₁ = −L₂ᵀ.
    pub fn null_vector(&self, k: usize, d: &mut [f64]) {
        d.fill(0.0);
        let free = self.rank + k;
        for i in 0..self.rank {
            d[self.order[i]] = -self.lower[(free, i)];
        }
        self.back(d);
        d[self.order[free]] = 1.0;
    }
}

/// Orthonormal rows that span {S d : A d = 0}, S = diag(`scale`), A the matrix that was factored.
///
/// Gram–Schmidt, twice [Golub, Van Loan, 5.2.9]; `rows` is resized.
pub fn null_projector(factors: &Cholesky, scale: &[f64], rows: &mut Vec<Vec<f64>>) {
    let n = factors.size();
    rows.truncate(n - factors.rank());
    rows.resize_with(n - factors.rank(), Vec::new);
    for k in 0..rows.len() {
        let (done, rest) = rows.split_at_mut(k);
        let row = &mut rest[0];
        row.clear();
        row.resize(n, 0.0);
        factors.null_vector(k, row);
        for (d, s) in row.iter_mut().zip(scale) {
            *d *= s;
        }
        // A first scaling keeps the sum of squares in range whatever the masses are.
        let largest = row.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        for d in row.iter_mut() {
            *d /= largest;
        }
        for _ in 0..2 {
            for other in &*done {
                let along: f64 = other.iter().zip(&*row).map(|(a, b)| a * b).sum();
                for (d, o) in row.iter_mut().zip(other) {
                    *d -= along * o;
                }
            }
            let norm = row.iter().map(|d| d * d).sum::<f64>().sqrt();
            for d in row.iter_mut() {
                *d /= norm;
            }
        }
    }
}
