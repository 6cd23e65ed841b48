//! The linear system of two forms and their common normal, for steps of an iteration and for rates in time alike.
//!
//! With `p_a`(u) − `p_b`(v) = D n and n at right angles to the tangents of both forms, a change of the forms changes u, v
//! and n; with `e_1`, `e_2`, n orthonormal and ν the change of n (ν·n = 0)
//!
//! ```text
//! e_k·(w + T_a u − T_b v) = D ν·e_k             k = 1, 2
//! n·b_a,ij u_j + t_a,i·ν + c_a,i = 0            for each tangent of a
//! n·b_b,ij v_j + t_b,i·ν + c_b,i = 0            for each tangent of b
//! ```
//!
//! D follows by itself: Ḋ = n·w, since n is at right angles to the tangents. In Newton's iteration w = `p_a` − `p_b` and
//! c = n·t are what is wrong; in time w = ṗ_a − ṗ_b and c = n·(ω×t) of points and tangents that belong to the bodies. There
//! is no division by D: forms that cross at D = 0 are as good as any. The system is singular when the foot points are not
//! determined, as with parallel lines.

use super::form::Frame;
use crate::math::DVec3;

/// Two parameters of each form and two of the normal.
const MOST: usize = 6;

/// A pivot below this, with rows of greatest entry 1, is rounding: some twenty operations of 2e-16 on each. A decade less
/// takes noise for an answer; decades more only turn badly determined foot points into frozen ones.
const SINGULAR: f64 = 1e-14;

/// The matrix, in units of a length of the forms.
pub(super) struct System {
    matrix: [[f64; MOST]; MOST],
    dimensions: [usize; 2],
    across: [DVec3; 2],
    unit: f64,
}

/// How the foot points and the normal change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// Of the parameters of both forms, m or m/s.
    pub(super) parameters: [[f64; 2]; 2],
    /// Of the normal, 1 or 1/s.
    pub(super) normal: DVec3,
}

impl Change {
    /// Parameters and normal stay.
    pub(super) const NONE: Self = Self { parameters: [[0.0; 2]; 2], normal: DVec3::ZERO };
}

impl System {
    /// For the forms at their foot points, the unit normal n from b to a, and D.
    pub(super) fn new(frames: &[Frame; 2], normal: DVec3, distance: f64) -> Self {
        let curvature = frames[0].curvature().max(frames[1].curvature());
        let unit = if curvature > 0.0 { 1.0 / curvature } else { 1.0 };
        let (e1, e2) = normal.any_orthonormal_pair();
        let across = [e1, e2];
        let dimensions = [frames[0].dimension, frames[1].dimension];
        let tilt = dimensions[0] + dimensions[1];
        let mut matrix = [[0.0; MOST]; MOST];
        let mut column = 0;
        for (frame, sign) in frames.iter().zip([1.0, -1.0]) {
            let first = column;
            for (i, tangent) in frame.tangents.iter().enumerate().take(frame.dimension) {
                for k in 0..2 {
                    matrix[k][column] = sign * across[k].dot(*tangent);
                    matrix[2 + column][tilt + k] = across[k].dot(*tangent);
                }
                for j in 0..frame.dimension {
                    matrix[2 + column][first + j] = normal.dot(frame.bend(i, j)) * unit;
                }
                column += 1;
            }
        }
        for k in 0..2 {
            matrix[k][tilt + k] = -distance / unit;
        }
        Self { matrix, dimensions, across, unit }
    }

    /// The change for w, m or m/s, and c of both forms; none when the system is singular.
    pub(super) fn solve(&self, w: DVec3, c: [[f64; 2]; 2]) -> Option<Change> {
        let [of_a, of_b] = self.dimensions;
        let mut right = [0.0; MOST];
        for k in 0..2 {
            right[k] = -self.across[k].dot(w) / self.unit;
        }
        for (row, c) in c[0][..of_a].iter().chain(&c[1][..of_b]).enumerate() {
            right[2 + row] = -c;
        }
        let size = 2 + of_a + of_b;
        eliminate(self.matrix, &mut right, size)?;
        let mut parameters = [[0.0; 2]; 2];
        for i in 0..of_a {
            parameters[0][i] = right[i] * self.unit;
        }
        for i in 0..of_b {
            parameters[1][i] = right[of_a + i] * self.unit;
        }
        let normal = self.across[0] * right[size - 2] + self.across[1] * right[size - 1];
        let finite = right[..size].iter().all(|x| x.is_finite());
        finite.then_some(Change { parameters, normal })
    }
}

/// Gaussian elimination with rows brought to greatest entry 1 and pivots chosen by column; the answer replaces `right`.
fn eliminate(mut matrix: [[f64; MOST]; MOST], right: &mut [f64; MOST], size: usize) -> Option<()> {
    for (row, r) in matrix[..size].iter_mut().zip(right.iter_mut()) {
        let greatest = row[..size].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if greatest.is_nan() || greatest < f64::MIN_POSITIVE {
            return None;
        }
        row[..size].iter_mut().for_each(|x| *x /= greatest);
        *r /= greatest;
    }
    for k in 0..size {
        let by_size = |i: &usize, j: &usize| matrix[*i][k].abs().total_cmp(&matrix[*j][k].abs());
        // The first of equals, for the sake of a stated order.
        let pivot = (k..size).rev().max_by(by_size)?;
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        let top = matrix[k];
        if top[k].is_nan() || top[k].abs() < SINGULAR {
            return None;
        }
        for i in k + 1..size {
            let factor = matrix[i][k] / top[k];
            for j in k + 1..size {
                matrix[i][j] -= factor * top[j];
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    Some(())
}
