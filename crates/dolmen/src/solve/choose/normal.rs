//! The dense problem of contacts alone: joints are solved for and taken out.

use super::super::sparse::ContactProblem;
use super::super::{Cholesky, Square};

/// With joints j and contacts c: y = −`W_jj`⁻(`q_j` + `W_jc` x) leaves w = (W_cc − W_cj W_jj⁻ W_jc) x + …, scaled by
/// contact to a normal diagonal of ones. Redundant joints get no multiplier; the inverse is over the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Reduced {
    /// Over 3n components of contacts, scaled.
    pub(super) w: Square,
    /// Scaled.
    pub(super) q: Vec<f64>,
    /// True force by scaled one, of each contact.
    pub(super) scale: Vec<f64>,
    /// Joint multipliers by true contact forces: y = `offset` + `by_contact` r.
    offset: Vec<f64>,
    by_contact: Vec<Vec<f64>>,
    /// Largest rate that a joint keeps though no multiplier can change it, by the largest of q: contradictory joints.
    pub(super) contradiction: f64,
}

impl Reduced {
    pub(super) fn contacts(&self) -> usize {
        self.scale.len()
    }

    pub(super) fn fill(&mut self, problem: &ContactProblem) {
        let (w, q) = problem.dense();
        let (n, m) = (3 * problem.contacts.len(), problem.joints.len());
        self.eliminate(&w, &q, n, m);
        // W_cc + W_cj (∂y/∂x), q_c + W_cj y(0).
        let reduced = Square::from_fn(n, |i, j| {
            w[(i, j)] + (0..m).map(|k| w[(i, n + k)] * self.by_contact[k][j]).sum::<f64>()
        });
        let carried = |i: usize| (0..m).map(|k| w[(i, n + k)] * self.offset[k]).sum::<f64>();
        let free: Vec<f64> = (0..n).map(|i| q[i] + carried(i)).collect();
        self.scale_contacts(&reduced, &free);
    }

    /// Takes W and q of contacts from which joints have been taken out elsewhere: there are no multipliers to write.
    pub(super) fn fill_without_joints(&mut self, w: &Square, q: &[f64]) {
        self.offset.clear();
        self.by_contact.clear();
        self.contradiction = 0.0;
        self.scale_contacts(w, q);
    }

    /// Takes W and q of contacts alone, scaled.
    fn scale_contacts(&mut self, w: &Square, q: &[f64]) {
        self.scale.clear();
        for i in 0..q.len() / 3 {
            let normal = w[(3 * i, 3 * i)];
            self.scale.push(if normal > 0.0 { 1.0 / normal.sqrt() } else { 1.0 });
        }
        let scale = &self.scale;
        self.w.fill_from(q.len(), |i, j| 0.5 * (w[(i, j)] + w[(j, i)]) * scale[i / 3] * scale[j / 3]);
        self.q.clear();
        self.q.extend(q.iter().enumerate().map(|(i, q)| q * scale[i / 3]));
    }

    /// Solves the joints' equations for their multipliers.
    fn eliminate(&mut self, w: &Square, q: &[f64], n: usize, m: usize) {
        let size: Vec<f64> = (0..m)
            .map(|k| if w[(n + k, n + k)] > 0.0 { 1.0 / w[(n + k, n + k)].sqrt() } else { 0.0 })
            .collect();
        let unit = Square::from_fn(m, |i, j| w[(n + i, n + j)] * size[i] * size[j]);
        let members: Vec<usize> = (0..m).collect();
        let mut factors = Cholesky::default();
        factors.factor(&unit, &members);
        let solve = |right: &dyn Fn(usize) -> f64| {
            let b: Vec<f64> = (0..m).map(|k| -right(k) * size[k]).collect();
            let mut x = vec![0.0; m];
            factors.solve(&b, &mut x);
            (0..m).map(|k| x[k] * size[k]).collect::<Vec<f64>>()
        };
        self.offset = solve(&|k| q[n + k]);
        let columns: Vec<Vec<f64>> = (0..n).map(|j| solve(&|k| w[(n + k, j)])).collect();
        self.by_contact = (0..m).map(|k| columns.iter().map(|c| c[k]).collect()).collect();
        let largest = q.iter().fold(0.0, |s: f64, q| s.max(q.abs()));
        let left = (0..m).fold(0.0, |s: f64, i| {
            let sum: f64 = (0..m).map(|k| w[(n + i, n + k)] * self.offset[k]).sum();
            s.max((sum + q[n + i]).abs())
        });
        self.contradiction = if largest > 0.0 { left / largest } else { 0.0 };
    }

    /// Normal forces f, scaled, as true forces without friction, and the joints' multipliers.
    pub(super) fn write_normal(&self, f: &[f64], r: &mut [f64]) {
        r.fill(0.0);
        for (i, f) in f.iter().enumerate() {
            r[3 * i] = f * self.scale[i];
        }
        self.write_joints(r);
    }

    /// The joints' multipliers that go with the contact forces in `r`.
    pub(super) fn write_joints(&self, r: &mut [f64]) {
        let n = 3 * self.contacts();
        let (contacts, joints) = r.split_at_mut(n);
        for (k, y) in joints.iter_mut().enumerate() {
            *y = self.offset[k] + self.by_contact[k].iter().zip(&*contacts).map(|(a, b)| a * b).sum::<f64>();
        }
    }

    /// A and b of the normals alone.
    pub(super) fn normals(&self) -> (Square, Vec<f64>) {
        let n = self.contacts();
        (Square::from_fn(n, |i, j| self.w[(3 * i, 3 * j)]), (0..n).map(|i| self.q[3 * i]).collect())
    }
}
