//! Small dense matrices and their triangular factors, real and complex.

use super::work;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Div, Index, IndexMut, Mul, Neg, Sub};

/// A dense matrix, stored row after row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// Whether it has so many rows and columns, and a number for each place: one that was read from a file need not.
    pub(crate) fn fits(&self, rows: usize, columns: usize) -> bool {
        (self.rows, self.columns) == (rows, columns) && rows.checked_mul(columns) == Some(self.values.len())
    }

    /// The matrix whose entry (i, j) is `entry(i, j)`.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for i in 0..rows {
            for j in 0..columns {
                matrix[(i, j)] = entry(i, j);
            }
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Sets every entry to `value`.
    pub fn fill(&mut self, value: f64) {
        self.values.fill(value);
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Row i, to write to.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// `product` = M x; sums run from the first column to the last.
    pub fn multiply(&self, x: &[f64], product: &mut [f64]) {
        debug_assert!(x.len() == self.columns && product.len() == self.rows);
        for (i, p) in product.iter_mut().enumerate() {
            *p = self.row(i).iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(
            i < self.rows && j < self.columns,
            "entry ({i}, {j}) of {}×{}",
            self.rows,
            self.columns
        );
        &self.values[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(
            i < self.rows && j < self.columns,
            "entry ({i}, {j}) of {}×{}",
            self.rows,
            self.columns
        );
        &mut self.values[i * self.columns + j]
    }
}

/// A complex number, with the few operations that elimination needs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i im.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl Div for Complex {
    type Output = Self;

    /// Divides by the larger part first, so that |z|² is never formed (it could overflow).
    fn div(self, other: Self) -> Self {
        if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let scale = other.re + other.im * ratio;
            Self::new((self.re + self.im * ratio) / scale, (self.im - self.re * ratio) / scale)
        } else {
            let ratio = other.re / other.im;
            let scale = other.re * ratio + other.im;
            Self::new((self.re * ratio + self.im) / scale, (self.im * ratio - self.re) / scale)
        }
    }
}

/// What elimination asks of a number. The one place with a generic scalar: the real and the complex factorisation
/// are the same text, and two copies would drift apart.
pub trait Scalar:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A size by which pivots are compared; zero only for zero, NaN for NaN.
    fn size(self) -> f64;
}

impl Scalar for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Scalar for Complex {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// Columns of an elimination after which it asks whether to go on.
pub(crate) const ROUNDS_BETWEEN: usize = 64;

/// The operations of an elimination of n rows: 2n³/3, and at least one a row.
pub(crate) fn cube(n: usize) -> u64 {
    let n = n as u64;
    2 * n * n * n / 3 + n
}

/// Why a matrix has no factors.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the matrix is singular: after elimination the largest pivot of column {column} is {pivot}; \
     rows or columns depend on one another, or an entry is not finite"
)]
pub struct Singular {
    /// The column without a pivot, from zero.
    pub column: usize,
    /// The largest candidate: zero, or not finite.
    pub pivot: f64,
}

/// P A = L U with partial pivoting; owns its storage, so that factoring and solving allocate nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Lu<S: Scalar> {
    size: usize,
    factors: Vec<S>,
    pivots: Vec<usize>,
}

/// Factors of a real matrix.
pub type RealLu = Lu<f64>;
/// Factors of a complex matrix.
pub type ComplexLu = Lu<Complex>;

impl<S: Scalar> Lu<S> {
    /// Room for a matrix of `size` rows; [`Lu::factor`] fills it.
    pub fn new(size: usize) -> Self {
        Self { size, factors: vec![S::default(); size * size], pivots: (0..size).collect() }
    }

    /// Factors the square matrix whose entry (i, j) is `entry(i, j)`.
    ///
    /// # Errors
    /// When a pivot is exactly zero or not finite; the factors are then of no use.
    pub fn factor(&mut self, mut entry: impl FnMut(usize, usize) -> S) -> Result<(), Singular> {
        let n = self.size;
        for i in 0..n {
            for j in 0..n {
                self.factors[i * n + j] = entry(i, j);
            }
        }
        work::count(cube(n));
        for column in 0..n {
            if column % ROUNDS_BETWEEN == ROUNDS_BETWEEN - 1 && work::is_over() {
                return Err(Singular { column, pivot: f64::NAN });
            }
            self.choose_pivot(column)?;
            self.eliminate(column);
        }
        Ok(())
    }

    /// Swaps the row with the largest entry of `column` up; the first of equals wins.
    fn choose_pivot(&mut self, column: usize) -> Result<(), Singular> {
        let n = self.size;
        let (mut best, mut size) = (column, self.factors[column * n + column].size());
        for i in column + 1..n {
            let candidate = self.factors[i * n + column].size();
            // A NaN must win, so that it is seen below.
            if candidate > size || candidate.is_nan() {
                (best, size) = (i, candidate);
            }
        }
        if size == 0.0 || !size.is_finite() {
            return Err(Singular { column, pivot: size });
        }
        self.pivots[column] = best;
        if best != column {
            for j in 0..n {
                self.factors.swap(column * n + j, best * n + j);
            }
        }
        Ok(())
    }

    fn eliminate(&mut self, column: usize) {
        let n = self.size;
        let (upper, lower) = self.factors.split_at_mut((column + 1) * n);
        let pivot_row = &upper[column * n..];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[column] / pivot_row[column];
            row[column] = factor;
            for j in column + 1..n {
                row[j] = row[j] - factor * pivot_row[j];
            }
        }
    }

    /// Whether it is for matrices of `size` rows, with rows in range for pivots: one that was read from a file need not be.
    pub(crate) fn fits(&self, size: usize) -> bool {
        self.size == size
            && size.checked_mul(size) == Some(self.factors.len())
            && self.pivots.len() == size
            && self.pivots.iter().all(|row| *row < size)
    }

    /// Replaces b by the solution x of A x = b. [`Lu::factor`] must have succeeded.
    pub fn solve(&self, b: &mut [S]) {
        let n = self.size;
        debug_assert!(b.len() == n);
        for i in 0..n {
            b.swap(i, self.pivots[i]);
        }
        for i in 0..n {
            let mut sum = b[i];
            for j in 0..i {
                sum = sum - self.factors[i * n + j] * b[j];
            }
            b[i] = sum;
        }
        for i in (0..n).rev() {
            let mut sum = b[i];
            for j in i + 1..n {
                sum = sum - self.factors[i * n + j] * b[j];
            }
            b[i] = sum / self.factors[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The residual of Gaussian elimination with partial pivoting: |A x − b| ≤ c n³ ρ ε |A| |x|.
        #[test]
        fn a_solved_system_has_a_small_residual(
            n in 1usize..9,
            entries in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 81),
            right in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 9),
        ) {
            let a = |i: usize, j: usize| Complex::new(entries[i * 9 + j].0, entries[i * 9 + j].1);
            let mut complex = ComplexLu::new(n);
            let mut x: Vec<Complex> = right[..n].iter().map(|r| Complex::new(r.0, r.1)).collect();
            prop_assume!(complex.factor(a).is_ok());
            complex.solve(&mut x);
            let mut real = RealLu::new(n);
            let mut u: Vec<f64> = right[..n].iter().map(|r| r.0).collect();
            prop_assume!(real.factor(|i, j| a(i, j).re).is_ok());
            real.solve(&mut u);
            let (x_max, u_max) = (
                x.iter().fold(0.0, |m: f64, v| m.max(v.size())),
                u.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
            );
            for i in 0..n {
                let mut r = -Complex::new(right[i].0, right[i].1);
                let mut s = -right[i].0;
                for j in 0..n {
                    r = r + a(i, j) * x[j];
                    s += a(i, j).re * u[j];
                }
                // 16 n ε covers the growth factors seen for n < 9; the theorem's n³ 2ⁿ never occurs at random.
                let bound = 16.0 * n as f64 * f64::EPSILON;
                prop_assert!(r.size() <= 2.0 * bound * (1.0 + x_max), "row {i}: {r:?}, |x| = {x_max}");
                prop_assert!(s.abs() <= bound * (1.0 + u_max), "row {i}: {s}, |u| = {u_max}");
            }
        }
    }

    /// A zero in the corner needs an exchange of rows; a matrix of rank one has no second pivot.
    #[test]
    fn pivots_are_exchanged_and_singular_matrices_refused() {
        let mut lu = RealLu::new(2);
        let swap = Matrix::from_fn(2, 2, |i, j| if i == j { 0.0 } else { 2.0 });
        assert_eq!(lu.factor(|i, j| swap[(i, j)]), Ok(()));
        let mut x = [2.0, 6.0];
        lu.solve(&mut x);
        assert_eq!(x, [3.0, 1.0]);
        let rank_one = Matrix::from_fn(2, 2, |i, j| [[1.0, 2.0], [2.0, 4.0]][i][j]);
        assert_eq!(lu.factor(|i, j| rank_one[(i, j)]), Err(Singular { column: 1, pivot: 0.0 }));
        assert!(lu.factor(|_, _| f64::NAN).is_err());
    }
}
