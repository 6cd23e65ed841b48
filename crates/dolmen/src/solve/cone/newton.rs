//! Newton's method for F(x) = 0, F piecewise smooth, with a line search.

use super::super::Square;
use super::super::tolerances::{ACCEPTED, DAMPING, HALVINGS, NEWTON_STEPS};
use super::{RealLu, Scaled, radius};
use crate::math::work as meter;

/// Unknowns, velocities and F at them, and the buffers of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Scaled impulses.
    pub(super) x: Vec<f64>,
    /// Scaled velocities W x + q.
    pub(super) u: Vec<f64>,
    /// F(x).
    f: Vec<f64>,
    jacobian: Square,
    lu: Option<(usize, RealLu)>,
    step: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
}

/// Where one contact is in F.
struct Piece {
    /// The normal presses: r_n − e − ρ u_n > 0.
    pressing: bool,
    /// r_t − ρ u_t.
    pull: [f64; 2],
    /// Its length.
    length: f64,
    /// Radius of the disc.
    radius: f64,
    /// Inside the disc. A disc of radius zero has no inside.
    sticks: bool,
}

fn piece(scaled: &Scaled, x: &[f64], u: &[f64], i: usize) -> Piece {
    let (k, rho) = (3 * i, scaled.tangent[i]);
    let push = x[k] - scaled.floor[i] - u[k];
    let pull = [x[k + 1] - rho * u[k + 1], x[k + 2] - rho * u[k + 2]];
    let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
    let radius = radius(scaled.friction[i], scaled.floor[i] + push.max(0.0));
    Piece { pressing: push > 0.0, pull, length, radius, sticks: length <= radius && radius > 0.0 }
}

impl Piece {
    /// The direction of the pull, or zero without one.
    fn direction(&self) -> [f64; 2] {
        if self.length > 0.0 { [self.pull[0] / self.length, self.pull[1] / self.length] } else { [0.0; 2] }
    }

    /// R/|τ|, zero without friction.
    fn ratio(&self) -> f64 {
        if self.length > 0.0 { self.radius / self.length } else { 0.0 }
    }
}

/// Fills u and F at x; returns max |F| by the size of the problem.
pub(super) fn evaluate(scaled: &Scaled, work: &mut Work) -> f64 {
    let n = scaled.contacts();
    work.u.clear();
    work.u.extend((0..3 * n).map(|i| scaled.w.dot(i, &work.x) + scaled.q[i]));
    work.f.clear();
    let mut worst = 0.0_f64;
    for i in 0..n {
        let k = 3 * i;
        let p = piece(scaled, &work.x, &work.u, i);
        let normal = if p.pressing { work.u[k] } else { work.x[k] - scaled.floor[i] };
        work.f.push(normal);
        for c in 0..2 {
            work.f.push(if p.sticks {
                scaled.tangent[i] * work.u[k + 1 + c]
            } else {
                work.x[k + 1 + c] - p.radius * p.direction()[c]
            });
        }
        for value in &work.f[k..] {
            // A NaN must not pass for a small residual.
            worst = if value.is_nan() { f64::INFINITY } else { worst.max(value.abs()) };
        }
    }
    worst / scaled.size
}

/// The derivative of F, piece by piece; see the formulas of the module above. Slip, with τ = r_t − ρ u_t, t = τ/|τ|:
/// dF_t = dr_t − t μ dr̂ − (R/|τ|)(1 − t tᵀ)(dr_t − ρ du_t).
fn fill_jacobian(scaled: &Scaled, work: &mut Work) {
    let n = scaled.contacts();
    work.jacobian.reset(3 * n);
    for i in 0..n {
        let (k, rho) = (3 * i, scaled.tangent[i]);
        let p = piece(scaled, &work.x, &work.u, i);
        let w = |row: usize, column: usize| {
            // Damped, so that redundant contacts leave the matrix regular.
            scaled.w[(row, column)] * if row == column { 1.0 + DAMPING } else { 1.0 }
        };
        let unit = |row: usize, column: usize| if row == column { 1.0 } else { 0.0 };
        for column in 0..3 * n {
            work.jacobian[(k, column)] = if p.pressing { w(k, column) } else { unit(k, column) };
        }
        if p.sticks {
            for c in 1..3 {
                for column in 0..3 * n {
                    work.jacobian[(k + c, column)] = rho * w(k + c, column);
                }
            }
            continue;
        }
        let (t, ratio) = (p.direction(), p.ratio());
        for column in 0..3 * n {
            let grow = if p.pressing { scaled.friction[i] * (unit(k, column) - w(k, column)) } else { 0.0 };
            let d =
                [unit(k + 1, column) - rho * w(k + 1, column), unit(k + 2, column) - rho * w(k + 2, column)];
            let along = t[0] * d[0] + t[1] * d[1];
            for c in 0..2 {
                work.jacobian[(k + 1 + c, column)] =
                    unit(k + 1 + c, column) - t[c] * grow - ratio * (d[c] - t[c] * along);
            }
        }
    }
}

/// Newton's method from `work.x`; leaves the best point there and returns its residual.
pub(super) fn newton(scaled: &Scaled, work: &mut Work, iterations: &mut usize) -> f64 {
    let size = 3 * scaled.contacts();
    let mut residual = evaluate(scaled, work);
    let mut least = residual;
    work.best.clone_from(&work.x);
    // The merit may rise above its last value, but not above the largest of the last few.
    let mut recent = [f64::INFINITY; 4];
    for step in 0..NEWTON_STEPS {
        if residual == 0.0 || meter::is_over() {
            break;
        }
        *iterations += 1;
        meter::count((8 * size * size) as u64);
        recent[step % 4] = merit(&work.f);
        let allowed = recent.iter().filter(|m| m.is_finite()).fold(0.0, |a: f64, &m| a.max(m));
        fill_jacobian(scaled, work);
        if work.lu.as_ref().is_none_or(|(n, _)| *n != size) {
            work.lu = Some((size, RealLu::new(size)));
        }
        let Some((_, lu)) = &mut work.lu else { break };
        let jacobian = &work.jacobian;
        if lu.factor(|i, j| jacobian[(i, j)]).is_err() {
            break;
        }
        work.step.clear();
        work.step.extend(work.f.iter().map(|f| -f));
        lu.solve(&mut work.step);
        if !search_line(scaled, work, allowed, &mut residual) {
            break;
        }
        if residual < least {
            // At the floor of rounding it stops to fall by half.
            let done = least <= ACCEPTED && residual > 0.5 * least;
            least = residual;
            work.best.clone_from(&work.x);
            if done {
                break;
            }
        } else if least <= ACCEPTED {
            break;
        }
    }
    work.x.clone_from(&work.best);
    least
}

fn merit(f: &[f64]) -> f64 {
    f.iter().map(|f| f * f).sum()
}

/// Halves the step until the merit falls below `allowed`; false when it never does.
fn search_line(scaled: &Scaled, work: &mut Work, allowed: f64, residual: &mut f64) -> bool {
    /// Part of the step by which the merit must fall [Armijo].
    const FALL: f64 = 1e-4;
    work.start.clone_from(&work.x);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        for ((x, s), d) in work.x.iter_mut().zip(&work.start).zip(&work.step) {
            *x = s + length * d;
        }
        *residual = evaluate(scaled, work);
        if merit(&work.f) <= allowed * (1.0 - FALL * length) || *residual <= ACCEPTED {
            return true;
        }
        length *= 0.5;
    }
    false
}
