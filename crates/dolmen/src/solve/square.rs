//! A square matrix in a buffer that is used again and again.

use std::ops::{Index, IndexMut};

/// A dense square matrix, row after row; resizing it keeps its storage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Square {
    size: usize,
    values: Vec<f64>,
}

impl Square {
    /// All zero.
    pub fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// The matrix whose entry (i, j) is `entry(i, j)`.
    pub fn from_fn(size: usize, entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut square = Self::default();
        square.fill_from(size, entry);
        square
    }

    /// Becomes the matrix whose entry (i, j) is `entry(i, j)`.
    pub fn fill_from(&mut self, size: usize, mut entry: impl FnMut(usize, usize) -> f64) {
        self.size = size;
        self.values.clear();
        self.values.extend((0..size * size).map(|k| entry(k / size, k % size)));
    }

    /// Becomes zero of this size.
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.values.clear();
        self.values.resize(size * size, 0.0);
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..(i + 1) * self.size]
    }

    /// Row i, to write to.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..(i + 1) * self.size]
    }

    /// (M x)ᵢ, summed from the first column to the last.
    pub fn dot(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).iter().zip(x).map(|(a, b)| a * b).sum()
    }

    /// Σ |Mᵢₖ xₖ|: the size of the terms in [`Square::dot`], by which its rounding is judged.
    pub fn dot_size(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).iter().zip(x).map(|(a, b)| (a * b).abs()).sum()
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.size + j]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.size + j]
    }
}
