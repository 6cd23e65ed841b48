//! Square systems that may be singular: the solution of least norm.
//!
//! A P = Q R with the columns exchanged so that |R₀₀| ≥ |R₁₁| ≥ …, by Householder's reflections. Of rank r, the upper part
//! [R₁₁ R₁₂] gives a basic solution and a basis of the null space, N = [−R₁₁⁻¹R₁₂; 1]; taking the part along N out of the
//! basic solution leaves the least one. [Golub, Van Loan, §5.5]

use super::linear::Matrix;

/// A factored matrix; buffers are used again from one to the next.
#[derive(Debug, Clone)]
pub struct LeastNorm {
    size: usize,
    /// R above the diagonal and on it; below it the reflections.
    r: Matrix,
    /// Of each reflection 1 − βvvᵀ, with v₀ = 1.
    beta: Vec<f64>,
    order: Vec<usize>,
    rank: usize,
    norms: Vec<f64>,
    /// Orthonormal rows that span the null space, in the order of the unknowns.
    null: Vec<Vec<f64>>,
    work: Vec<f64>,
}

/// Diagonals of R below this share of the first are zero: the rounding of a factorisation, times a reserve for the rounding
/// of the entries. A decade more drops constraints that act on a body by a lever of a millionth of its size.
const RANK: f64 = 1e-12;

impl Default for LeastNorm {
    fn default() -> Self {
        Self {
            size: 0,
            r: Matrix::zeros(0, 0),
            beta: Vec::new(),
            order: Vec::new(),
            rank: 0,
            norms: Vec::new(),
            null: Vec::new(),
            work: Vec::new(),
        }
    }
}

impl LeastNorm {
    /// Factors the matrix of these entries.
    pub fn factor(&mut self, size: usize, mut entry: impl FnMut(usize, usize) -> f64) {
        self.size = size;
        self.r = Matrix::from_fn(size, size, &mut entry);
        self.order.clear();
        self.order.extend(0..size);
        self.beta.clear();
        self.norms.clear();
        self.norms.resize(size, 0.0);
        self.rank = 0;
        for k in 0..size {
            let best = self.largest_column(k);
            self.exchange(k, best);
            let pivot = self.reflect(k);
            if pivot <= RANK * self.r.row(0)[0].abs() || pivot == 0.0 {
                break;
            }
            self.rank = k + 1;
        }
        self.find_null_space();
    }

    /// Number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Whether there is but one solution.
    pub fn is_unique(&self) -> bool {
        self.rank == self.size
    }

    fn largest_column(&mut self, k: usize) -> usize {
        self.norms[k..].fill(0.0);
        for i in k..self.size {
            for (norm, value) in self.norms[k..].iter_mut().zip(&self.r.row(i)[k..]) {
                *norm += value * value;
            }
        }
        let mut best = k;
        for j in k + 1..self.size {
            // Of columns equal but for rounding the first is taken, so that symmetric problems are treated alike.
            if self.norms[j] > self.norms[best] * (1.0 + 1e-9) {
                best = j;
            }
        }
        best
    }

    fn exchange(&mut self, k: usize, best: usize) {
        if k == best {
            return;
        }
        self.order.swap(k, best);
        for i in 0..self.size {
            self.r.row_mut(i).swap(k, best);
        }
    }

    /// Reflects column k onto the diagonal; returns |R_kk|.
    fn reflect(&mut self, k: usize) -> f64 {
        let column = |r: &Matrix, i: usize| r.row(i)[k];
        let norm = (k..self.size).map(|i| column(&self.r, i) * column(&self.r, i)).sum::<f64>().sqrt();
        if norm == 0.0 {
            self.beta.push(0.0);
            return 0.0;
        }
        let first = column(&self.r, k);
        let alpha = if first > 0.0 { -norm } else { norm };
        let head = first - alpha;
        // v = x − αe₀, scaled to v₀ = 1: β = −v₀/α of the unscaled one.
        let beta = -head / alpha;
        for i in k + 1..self.size {
            self.r.row_mut(i)[k] /= head;
        }
        // R − βv(vᵀR), row by row: they lie together in memory.
        self.work.clear();
        self.work.extend_from_slice(&self.r.row(k)[k + 1..]);
        for i in k + 1..self.size {
            let (v, rest) = self.r.row(i)[k..].split_first().expect("the column is one of the matrix");
            for (dot, value) in self.work.iter_mut().zip(rest) {
                *dot += v * value;
            }
        }
        self.work.iter_mut().for_each(|dot| *dot *= beta);
        for i in k..self.size {
            let (v, rest) =
                self.r.row_mut(i)[k..].split_first_mut().expect("the column is one of the matrix");
            let v = if i == k { 1.0 } else { *v };
            for (value, dot) in rest.iter_mut().zip(&self.work) {
                *value -= dot * v;
            }
        }
        self.r.row_mut(k)[k] = alpha;
        self.beta.push(beta);
        norm
    }

    fn find_null_space(&mut self) {
        let (rank, size) = (self.rank, self.size);
        self.null.clear();
        for free in rank..size {
            let mut row = vec![0.0; size];
            row[self.order[free]] = 1.0;
            let mut x: Vec<f64> = (0..rank).map(|i| -self.r.row(i)[free]).collect();
            self.back(&mut x);
            for (i, value) in x.iter().enumerate() {
                row[self.order[i]] = *value;
            }
            // Twice is enough. [Kahan, Parlett]
            for _ in 0..2 {
                for other in &self.null {
                    let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                    row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
                }
            }
            let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            for v in &mut row {
                *v /= length;
            }
            self.null.push(row);
        }
    }

    /// R₁₁ x = x.
    fn back(&self, x: &mut [f64]) {
        for i in (0..self.rank).rev() {
            let row = self.r.row(i);
            let sum: f64 = (i + 1..self.rank).map(|j| row[j] * x[j]).sum();
            x[i] = (x[i] - sum) / row[i];
        }
    }

    /// The x of least norm with A x = b as nearly as can be; returns what is left of b, |A x − b|.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) -> f64 {
        let work = &mut self.work;
        work.clear();
        work.extend_from_slice(b);
        for k in 0..self.beta.len().min(self.size) {
            let mut dot = work[k];
            for i in k + 1..self.size {
                dot += self.r.row(i)[k] * work[i];
            }
            dot *= self.beta[k];
            work[k] -= dot;
            for i in k + 1..self.size {
                work[i] -= dot * self.r.row(i)[k];
            }
        }
        let left = work[self.rank..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut basic: Vec<f64> = work[..self.rank].to_vec();
        self.back(&mut basic);
        x.fill(0.0);
        for (i, value) in basic.iter().enumerate() {
            x[self.order[i]] = *value;
        }
        for row in &self.null {
            let dot: f64 = row.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
            x.iter_mut().zip(row).for_each(|(a, b)| *a -= dot * b);
        }
        left
    }
}
