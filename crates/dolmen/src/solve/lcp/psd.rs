//! The symmetric positive semidefinite problem, singular or not, and the least of its solutions.
//!
//! The conditions w = A z + q, z ≥ 0, w ≥ 0, z·w = 0 are those of the convex program min ½ z·A z + q·z over z ≥ 0.
//! They leave w unique, and z as well unless A is singular on the contacts that touch.
//!
//! 1. *A solution*, by the active set of Lawson and Hanson: the unknown with the most negative w joins the set P; on P
//!    the system `A_PP` x = −`q_P` is solved; the way from z to x ends where a z reaches zero, which leaves P. Should the newcomer's
//!    column depend on those of P, the objective falls without end along the null vector d of `A_PP`; the way along
//!    d ends where a z reaches zero, and if none does there is no solution: d is the proof.
//! 2. *The least one*: solutions are z + N y ≥ 0 with N a basis of the null space of A over the contacts with w = 0. The
//!    least of them is z − Π z + Π s, Π = N Nᵀ, where s solves the problem of the same kind with matrix Π, so the
//!    first part is used again.

use super::super::tolerances::{ACCEPTED, NOISE, RANK, TOUCHING};
use super::super::{Cholesky, Outcome, Square, Status, null_projector};
use super::residual;
use crate::math::linear::cube;
use crate::math::work;

/// Buffers of [`solve_lcp_psd`].
#[derive(Debug, Clone, Default)]
pub struct PsdScratch {
    active: ActiveSet,
    second: ActiveSet,
    touching: Vec<usize>,
    touching_scale: Vec<f64>,
    null: Vec<Vec<f64>>,
    null_matrix: Square,
    offset: Vec<f64>,
    kept: Vec<f64>,
    share: Vec<f64>,
    factors: Cholesky,
    ray: Vec<f64>,
}

impl PsdScratch {
    /// After [`Status::Infeasible`]: d ≥ 0 with A d = 0 and q·d < 0, which proves it.
    pub fn ray(&self) -> &[f64] {
        &self.ray
    }
}

/// Solves the problem for a symmetric positive semidefinite `a`; `z` takes the solution that is least in |z|.
///
/// Rows without diagonal are rows of zeros; their z is zero. When there is no solution z is what was reached before
/// that was seen, finite, and [`PsdScratch::ray`] is the proof. The residual is that of [`residual`].
///
/// # Panics
/// When the sizes of `a`, `q` and `z` differ.
pub fn solve_lcp_psd(a: &Square, q: &[f64], z: &mut [f64], scratch: &mut PsdScratch) -> Outcome {
    let n = q.len();
    assert!(a.size() == n && z.len() == n, "a matrix of {} rows for q of {n} and z of {}", a.size(), z.len());
    let (status, iterations) = scratch.active.solve(a, q, z, &mut scratch.ray);
    let mut outcome = Outcome { status, residual: residual(a, q, z), iterations, unique: true };
    if status == Status::Solved {
        outcome.unique = !minimise_norm(a, q, z, scratch);
        outcome.residual = residual(a, q, z);
    }
    outcome
}

/// Moves z to the least solution; whether there were several.
fn minimise_norm(a: &Square, q: &[f64], z: &mut [f64], scratch: &mut PsdScratch) -> bool {
    let n = q.len();
    let scale = &scratch.active.scale;
    let largest = (0..n).fold(0.0, |m: f64, i| m.max((q[i] * scale[i]).abs()));
    scratch.touching.clear();
    for i in 0..n {
        let w = (a.dot(i, z) + q[i]) * scale[i];
        if scale[i] > 0.0 && (z[i] > 0.0 || w <= TOUCHING * largest) {
            scratch.touching.push(i);
        }
    }
    scratch.factors.factor(&scratch.active.matrix, &scratch.touching);
    let k = scratch.touching.len();
    if scratch.factors.rank() == k {
        return false;
    }
    scratch.touching_scale.clear();
    scratch.touching_scale.extend(scratch.touching.iter().map(|&i| scale[i]));
    null_projector(&scratch.factors, &scratch.touching_scale, &mut scratch.null);

    let before = residual(a, q, z);
    scratch.kept.clear();
    scratch.kept.extend_from_slice(z);
    // z − Π z, which is the least of all when none of it is negative.
    scratch.offset.clear();
    scratch.offset.extend(scratch.touching.iter().map(|&i| z[i]));
    for row in &scratch.null {
        let along: f64 = row.iter().zip(&scratch.touching).map(|(d, &i)| d * scratch.kept[i]).sum();
        for (x, d) in scratch.offset.iter_mut().zip(row) {
            *x -= along * d;
        }
    }
    let size = scratch.offset.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if scratch.offset.iter().any(|&x| x < -NOISE * size) {
        let null = &scratch.null;
        scratch.null_matrix.fill_from(k, |i, j| null.iter().map(|row| row[i] * row[j]).sum());
        scratch.share.clear();
        scratch.share.resize(k, 0.0);
        scratch.second.solve(&scratch.null_matrix, &scratch.offset, &mut scratch.share, &mut scratch.ray);
        for (i, x) in scratch.offset.iter_mut().enumerate() {
            *x += scratch.null_matrix.dot(i, &scratch.share);
        }
    }
    for (&i, &x) in scratch.touching.iter().zip(&scratch.offset) {
        z[i] = x.max(0.0);
    }
    let after = residual(a, q, z);
    // Large z that cancel leave a larger rounding.
    let terms = (0..n).fold(0.0, |m: f64, i| m.max(a.dot_size(i, z)));
    let rounding = (terms / q.iter().fold(0.0, |m: f64, q| m.max(q.abs()))).max(1.0);
    if after.is_nan() || after > before.max(ACCEPTED * rounding) {
        z.copy_from_slice(&scratch.kept);
    }
    true
}

/// The first part of the method, on the matrix scaled to a diagonal of ones.
#[derive(Debug, Clone, Default)]
struct ActiveSet {
    /// 1/√Aᵢᵢ; zero for a row of zeros.
    scale: Vec<f64>,
    matrix: Square,
    q: Vec<f64>,
    z: Vec<f64>,
    /// The passive set P; the newcomer is last.
    members: Vec<usize>,
    /// Not to join again until another has: rounding made its w negative.
    refused: Vec<bool>,
    lower: Square,
    x: Vec<f64>,
    correction: Vec<f64>,
}

impl ActiveSet {
    fn solve(&mut self, a: &Square, q: &[f64], z: &mut [f64], ray: &mut Vec<f64>) -> (Status, usize) {
        let n = q.len();
        self.prepare(a, q);
        let (mut status, mut iterations) = (Status::OutOfIterations, 0);
        let bound = 20 * n + 50;
        while iterations < bound {
            let Some(newcomer) = self.most_violated() else {
                status = Status::Solved;
                break;
            };
            self.members.push(newcomer);
            match self.descend(newcomer, bound, &mut iterations) {
                Way::Solved => {}
                Way::Unbounded => {
                    ray.clear();
                    ray.resize(n, 0.0);
                    for (&i, &d) in self.members.iter().zip(&self.x) {
                        ray[i] = d * self.scale[i];
                    }
                    status = Status::Infeasible;
                    break;
                }
                Way::Stuck => break,
            }
        }
        for i in 0..n {
            z[i] = self.z[i] * self.scale[i];
        }
        if (0..n).any(|i| self.scale[i] == 0.0 && q[i] < 0.0) && status == Status::Solved {
            ray.clear();
            ray.extend((0..n).map(|i| if self.scale[i] == 0.0 && q[i] < 0.0 { 1.0 } else { 0.0 }));
            status = Status::Infeasible;
        }
        (status, iterations)
    }

    fn prepare(&mut self, a: &Square, q: &[f64]) {
        let n = q.len();
        self.scale.clear();
        self.scale.extend((0..n).map(|i| if a[(i, i)] > 0.0 { 1.0 / a[(i, i)].sqrt() } else { 0.0 }));
        let scale = &self.scale;
        self.matrix.fill_from(n, |i, j| if i == j { 1.0 } else { a[(i, j)] * scale[i] * scale[j] });
        self.q.clear();
        self.q.extend(q.iter().zip(scale).map(|(q, s)| q * s));
        self.z.clear();
        self.z.resize(n, 0.0);
        self.refused.clear();
        self.refused.resize(n, false);
        self.members.clear();
    }

    /// The unknown outside P with the most negative w, if any is below rounding.
    fn most_violated(&self) -> Option<usize> {
        let n = self.q.len();
        let noise = NOISE * n as f64;
        let mut best: Option<(usize, f64)> = None;
        for i in 0..n {
            if self.scale[i] == 0.0 || self.refused[i] || self.members.contains(&i) {
                continue;
            }
            let w = self.matrix.dot(i, &self.z) + self.q[i];
            let rounding = noise * (self.matrix.dot_size(i, &self.z) + self.q[i].abs());
            if w < -rounding && best.is_none_or(|(_, least)| w < least) {
                best = Some((i, w));
            }
        }
        best.map(|(i, _)| i)
    }

    /// Goes to the least point over P, dropping from P what reaches zero on the way.
    fn descend(&mut self, newcomer: usize, bound: usize, iterations: &mut usize) -> Way {
        while *iterations < bound && !work::is_over() {
            *iterations += 1;
            work::count(cube(self.members.len()) / 2 + (2 * self.q.len() * self.q.len()) as u64);
            if self.members.last() != Some(&newcomer) {
                // It left as it came: rounding.
                self.refused[newcomer] = true;
                self.resolve();
                return Way::Solved;
            }
            let regular = self.factor();
            if regular {
                self.solve_members();
                if self.x.iter().all(|&x| x > 0.0) {
                    for (&i, &x) in self.members.iter().zip(&self.x) {
                        self.z[i] = x;
                    }
                    self.refused.fill(false);
                    return Way::Solved;
                }
                // Down to where the first reaches zero on the way from z to x.
                for (x, &i) in self.x.iter_mut().zip(&self.members) {
                    *x -= self.z[i];
                }
            } else {
                self.null_direction();
                if self.x.iter().all(|&d| d >= 0.0) {
                    if self.falls() {
                        return Way::Unbounded;
                    }
                    self.members.pop();
                    continue;
                }
            }
            self.step_to_zero();
        }
        Way::Stuck
    }

    /// Whether q·d < 0 beyond the rounding of w, d in `x`: with A d = 0 the proof that there is no solution.
    fn falls(&self) -> bool {
        let (mut sum, mut size) = (0.0, 0.0);
        for (&i, &d) in self.members.iter().zip(&self.x) {
            sum += self.q[i] * d;
            size += (self.q[i] * d).abs();
        }
        sum < -TOUCHING * size
    }

    /// Moves z along the direction in `x` until the first z is zero; those leave P.
    fn step_to_zero(&mut self) {
        let mut reach = f64::INFINITY;
        for (&i, &d) in self.members.iter().zip(&self.x) {
            if d < 0.0 {
                reach = reach.min(-self.z[i] / d);
            }
        }
        let mut kept = 0;
        for k in 0..self.members.len() {
            let (i, d) = (self.members[k], self.x[k]);
            if d < 0.0 && -self.z[i] / d <= reach {
                self.z[i] = 0.0;
            } else {
                self.z[i] += reach * d;
                self.members[kept] = i;
                kept += 1;
            }
        }
        self.members.truncate(kept);
    }

    /// After a newcomer was refused: the rest of P as it was.
    fn resolve(&mut self) {
        if self.factor() {
            self.solve_members();
            for (&i, &x) in self.members.iter().zip(&self.x) {
                self.z[i] = x.max(0.0);
            }
        }
    }

    /// L Lᵀ = `A_PP`; false when the last pivot, that of the newcomer, is zero.
    fn factor(&mut self) -> bool {
        let k = self.members.len();
        self.lower.reset(k);
        for i in 0..k {
            for j in 0..=i {
                let mut sum = self.matrix[(self.members[i], self.members[j])];
                for l in 0..j {
                    sum -= self.lower[(i, l)] * self.lower[(j, l)];
                }
                if i == j {
                    // Earlier members are independent; a pivot that rounding spoiled must not divide by zero.
                    if sum <= RANK && i + 1 == k {
                        return false;
                    }
                    self.lower[(i, i)] = sum.max(RANK).sqrt();
                } else {
                    self.lower[(i, j)] = sum / self.lower[(j, j)];
                }
            }
        }
        true
    }

    /// `A_PP` x = −`q_P`, refined once.
    fn solve_members(&mut self) {
        let k = self.members.len();
        self.x.clear();
        self.x.extend(self.members.iter().map(|&i| -self.q[i]));
        substitute(&self.lower, &mut self.x, k);
        if k == 1 {
            return;
        }
        self.correction.clear();
        for &i in &self.members {
            let sum: f64 = self.members.iter().zip(&self.x).map(|(&j, x)| self.matrix[(i, j)] * x).sum();
            self.correction.push(-self.q[i] - sum);
        }
        substitute(&self.lower, &mut self.correction, k);
        for (x, c) in self.x.iter_mut().zip(&self.correction) {
            *x += c;
        }
    }

    /// d with `A_PP` d = 0 and a one for the newcomer.
    fn null_direction(&mut self) {
        let k = self.members.len() - 1;
        self.x.clear();
        self.x.extend((0..k).map(|i| -self.matrix[(self.members[i], self.members[k])]));
        substitute(&self.lower, &mut self.x, k);
        // A share below rounding is none: it must not block the way at a wrong place.
        for x in &mut self.x {
            if x.abs() < RANK {
                *x = 0.0;
            }
        }
        self.x.push(1.0);
    }
}

/// How a descent over a passive set ended.
enum Way {
    Solved,
    Unbounded,
    Stuck,
}

/// L Lᵀ x = b in place, over the first k unknowns.
fn substitute(lower: &Square, x: &mut [f64], k: usize) {
    for i in 0..k {
        let mut sum = x[i];
        for j in 0..i {
            sum -= lower[(i, j)] * x[j];
        }
        x[i] = sum / lower[(i, i)];
    }
    for i in (0..k).rev() {
        let mut sum = x[i];
        for j in i + 1..k {
            sum -= lower[(j, i)] * x[j];
        }
        x[i] = sum / lower[(i, i)];
    }
}
