//! The combinations of rows that cancel.

/// Orthonormal vectors, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct NullSpace {
    length: usize,
    values: Vec<f64>,
}

impl NullSpace {
    pub(super) fn clear(&mut self, length: usize) {
        self.length = length;
        self.values.clear();
    }

    pub(super) fn vectors(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.length.max(1))
    }

    /// Adds what a vector has that the others have not.
    pub(super) fn add(&mut self, vector: &[f64]) {
        let start = self.values.len();
        self.values.extend_from_slice(vector);
        let (others, own) = self.values.split_at_mut(start);
        // Twice is enough. [Kahan, Parlett]
        for _ in 0..2 {
            for other in others.chunks_exact(self.length) {
                take_out(own, other);
            }
            let length = own.iter().map(|v| v * v).sum::<f64>().sqrt();
            for value in own.iter_mut() {
                *value /= length;
            }
        }
    }

    /// Takes out of a vector all that lies along these.
    pub(super) fn remove(&self, vector: &mut [f64]) {
        for own in self.vectors() {
            take_out(vector, own);
        }
    }

    /// How much of a vector lies along these.
    pub(super) fn along(&self, vector: &[f64]) -> f64 {
        let share = |own: &[f64]| own.iter().zip(vector).map(|(a, b)| a * b).sum::<f64>();
        self.vectors().map(share).map(|share| share * share).sum::<f64>().sqrt()
    }
}

fn take_out(vector: &mut [f64], unit: &[f64]) -> f64 {
    let along: f64 = vector.iter().zip(unit).map(|(a, b)| a * b).sum();
    vector.iter_mut().zip(unit).for_each(|(a, b)| *a -= along * b);
    along
}
