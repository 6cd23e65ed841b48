//! Coulomb's law with its exact, quadratic cone: u = W r + q for n contacts of three components each, W the Delassus matrix.
//!
//! Each contact has a normal and two tangents, in this order in r, u, q and W. The law, with a least normal impulse e
//! that is zero in most uses, is
//!
//! ```text
//! r_n ≥ e,  u_n ≥ 0,  (r_n − e) u_n = 0;      |r_t| ≤ μ r_n,  and where u_t ≠ 0:  r_t = −μ r_n u_t/|u_t|.
//! ```
//!
//! It is a projection in disguise [Alart, Curnier 1991]: with any ρ > 0 it holds just where F(r) = 0,
//!
//! ```text
//! F_n = r_n − e − max(0, r_n − e − ρ u_n),     r̂ = e + max(0, r_n − e − ρ u_n),
//! F_t = r_t − P(r_t − ρ u_t),                  P the projection onto the disc of radius μ r̂.
//! ```
//!
//! Newton's method finds the zero from the answer without friction; where it fails, μ is raised in steps from nothing,
//! and at last the projection is iterated. All but the last of these treat contacts alike, so that an answer does not depend
//! on their order. W is scaled by contact to a normal diagonal of ones: masses 1e6 apart weigh alike.

mod least;
mod newton;
mod sweep;

use super::lcp::{PsdScratch, solve_lcp_psd};
use super::tolerances::{ACCEPTED, SWEEPS, WORK};
use super::{Outcome, Square, Status};
use crate::math::linear::RealLu;

/// The problem: n contacts, 3n unknowns.
#[derive(Debug, Clone, Copy)]
pub struct ConeProblem<'a> {
    /// Symmetric positive semidefinite, 3n × 3n: velocity by impulse.
    pub w: &'a Square,
    /// Velocity without impulse, 3n.
    pub q: &'a [f64],
    /// μ ≥ 0 of each contact; may be infinite.
    pub friction: &'a [f64],
    /// The least normal impulse e ≥ 0 of each contact.
    pub floor: &'a [f64],
}

/// Buffers of [`solve_cone`].
#[derive(Debug, Clone, Default)]
pub struct ConeScratch {
    scaled: Scaled,
    work: newton::Work,
    normal: Square,
    normal_q: Vec<f64>,
    normal_r: Vec<f64>,
    psd: PsdScratch,
    best: Vec<f64>,
    least: least::Least,
}

/// The problem in scaled unknowns x = r/s, velocities s u, s = 1/√`W_nn` of each contact.
#[derive(Debug, Clone, Default)]
struct Scaled {
    w: Square,
    q: Vec<f64>,
    friction: Vec<f64>,
    floor: Vec<f64>,
    /// s of each contact.
    scale: Vec<f64>,
    /// ρ of the tangents: one by the mean of their diagonal.
    tangent: Vec<f64>,
    /// The largest of |q| and e, by which residuals are measured.
    size: f64,
}

impl Scaled {
    fn contacts(&self) -> usize {
        self.friction.len()
    }

    fn fill(&mut self, problem: &ConeProblem) {
        let n = problem.friction.len();
        let w = problem.w;
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let normal = w[(3 * i, 3 * i)];
            if normal > 0.0 { 1.0 / normal.sqrt() } else { 1.0 }
        }));
        let scale = &self.scale;
        self.w.fill_from(3 * n, |i, j| w[(i, j)] * scale[i / 3] * scale[j / 3]);
        self.q.clear();
        self.q.extend(problem.q.iter().enumerate().map(|(i, q)| q * scale[i / 3]));
        self.friction.clear();
        self.friction.extend_from_slice(problem.friction);
        self.floor.clear();
        self.floor.extend(problem.floor.iter().zip(scale).map(|(e, s)| e / s));
        self.tangent.clear();
        for i in 0..n {
            let trace = self.w[(3 * i + 1, 3 * i + 1)] + self.w[(3 * i + 2, 3 * i + 2)];
            self.tangent.push(if trace > 0.0 { 2.0 / trace } else { 1.0 });
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.size = largest(&self.q).max(largest(&self.floor));
    }
}

/// μ r̂ with μ = ∞ allowed: no friction where nothing presses, any where something does.
fn radius(friction: f64, normal: f64) -> f64 {
    if normal > 0.0 { friction * normal } else { 0.0 }
}

/// Solves the problem; `r` takes the impulses. The residual is max |F| over all components, in scaled unknowns, by the
/// largest of |q| and e.
///
/// Where W is singular over the contacts that press, r is the least in norm of all impulses in the cones that give the
/// same velocities, and [`Outcome::unique`] is false. With large μ there may be several solutions or none even for a regular W; then the
/// one found, or the best found, is returned.
///
/// # Panics
/// When sizes do not match.
pub fn solve_cone(problem: &ConeProblem, r: &mut [f64], scratch: &mut ConeScratch) -> Outcome {
    r.fill(0.0);
    solve_cone_near(problem, r, scratch)
}

/// As [`solve_cone`], beginning with the impulses in `r`: those of a problem that is much like this one. Zeros are no
/// beginning.
///
/// # Panics
/// When sizes do not match.
pub fn solve_cone_near(problem: &ConeProblem, r: &mut [f64], scratch: &mut ConeScratch) -> Outcome {
    let n = problem.friction.len();
    assert!(
        problem.w.size() == 3 * n && problem.q.len() == 3 * n && problem.floor.len() == n && r.len() == 3 * n,
        "{n} contacts with W of {}, q of {}, {} floors and r of {}",
        problem.w.size(),
        problem.q.len(),
        problem.floor.len(),
        r.len()
    );
    scratch.scaled.fill(problem);
    let mut outcome = Outcome { status: Status::OutOfIterations, residual: 0.0, iterations: 0, unique: true };
    if scratch.scaled.size == 0.0 {
        r.fill(0.0);
        outcome.status = Status::Solved;
        return outcome;
    }
    let mut residual = near(scratch, r, &mut outcome.iterations);
    if residual > ACCEPTED {
        start_without_friction(scratch);
        residual = search(scratch, &mut outcome.iterations);
    }
    if residual <= ACCEPTED {
        outcome.status = Status::Solved;
        if least::minimise_norm(&scratch.scaled, &mut scratch.work.x, &mut scratch.least) {
            outcome.unique = false;
            residual = newton::evaluate(&scratch.scaled, &mut scratch.work);
        }
    }
    outcome.residual = residual;
    for (i, value) in r.iter_mut().enumerate() {
        *value = scratch.work.x[i] * scratch.scaled.scale[i / 3];
    }
    outcome
}

/// Newton's method from given impulses; returns the residual, infinite where there are none.
fn near(scratch: &mut ConeScratch, r: &[f64], iterations: &mut usize) -> f64 {
    if r.iter().all(|r| *r == 0.0) || r.iter().any(|r| !r.is_finite()) {
        return f64::INFINITY;
    }
    let ConeScratch { scaled, work, .. } = scratch;
    work.x.clear();
    work.x.extend(r.iter().enumerate().map(|(i, r)| r / scaled.scale[i / 3]));
    newton::newton(scaled, work, iterations)
}

/// The normal impulses of the problem with μ = 0, as a start.
fn start_without_friction(scratch: &mut ConeScratch) {
    let (scaled, x) = (&scratch.scaled, &mut scratch.work.x);
    let n = scaled.contacts();
    x.clear();
    x.resize(3 * n, 0.0);
    for i in 0..n {
        x[3 * i] = scaled.floor[i];
    }
    scratch.normal.fill_from(n, |i, j| scaled.w[(3 * i, 3 * j)]);
    scratch.normal_q.clear();
    scratch.normal_q.extend((0..n).map(|i| scaled.q[3 * i] + scratch.normal.dot(i, &scaled.floor)));
    scratch.normal_r.clear();
    scratch.normal_r.resize(n, 0.0);
    solve_lcp_psd(&scratch.normal, &scratch.normal_q, &mut scratch.normal_r, &mut scratch.psd);
    for i in 0..n {
        x[3 * i] += scratch.normal_r[i];
    }
}

/// Newton's method from several starts, the gentlest first; leaves the best found in `work.x` and returns its residual.
fn search(scratch: &mut ConeScratch, iterations: &mut usize) -> f64 {
    let ConeScratch { scaled, work, best, .. } = scratch;
    let start = work.x.clone();
    let mut least = newton::newton(scaled, work, iterations);
    best.clone_from(&work.x);
    let mut keep = |work: &newton::Work, residual: f64| {
        if residual < least {
            least = residual;
            best.clone_from(&work.x);
        }
        least
    };
    let most = most_steps(scaled);
    if keep(work, f64::INFINITY) > ACCEPTED && *iterations < most {
        work.x.clone_from(&start);
        raise_friction(scaled, work, iterations);
        let residual = newton::evaluate(scaled, work);
        keep(work, residual);
    }
    for attempt in 0..3 {
        if keep(work, f64::INFINITY) <= ACCEPTED || *iterations >= most {
            break;
        }
        if attempt == 0 {
            work.x.clone_from(&start);
        }
        sweep::sweep(scaled, work, SWEEPS);
        let residual = newton::newton(scaled, work, iterations);
        keep(work, residual);
    }
    work.x.clone_from(best);
    least
}

/// Steps after which nothing new is tried: each costs the cube of the unknowns.
fn most_steps(scaled: &Scaled) -> usize {
    let size = 3.0 * scaled.contacts() as f64;
    (WORK / (size * size * size)) as usize
}

/// Follows the solution while friction grows from nothing: μ(t) = t/(1/μ + 1 − t), t from 0 to 1, which is finite on
/// the way even where μ is not.
fn raise_friction(scaled: &mut Scaled, work: &mut newton::Work, iterations: &mut usize) {
    let (friction, most) = (scaled.friction.clone(), most_steps(scaled));
    let (mut t, mut step) = (0.0_f64, 0.125_f64);
    let mut kept = work.x.clone();
    for _ in 0..48 {
        let next = (t + step).min(1.0);
        for (now, &mu) in scaled.friction.iter_mut().zip(&friction) {
            *now = if next == 1.0 || mu == 0.0 { mu } else { next / (1.0 / mu + 1.0 - next) };
        }
        if newton::newton(scaled, work, iterations) <= ACCEPTED {
            t = next;
            step *= 2.0;
            kept.clone_from(&work.x);
            if t == 1.0 {
                break;
            }
        } else {
            step *= 0.25;
            work.x.clone_from(&kept);
            if step < 1e-3 || *iterations >= most {
                break;
            }
        }
    }
    scaled.friction = friction;
}

/// max |F| of impulses `r`, as [`solve_cone`] measures it.
pub fn cone_residual(problem: &ConeProblem, r: &[f64]) -> f64 {
    let mut scaled = Scaled::default();
    scaled.fill(problem);
    let mut work = newton::Work::default();
    work.x.extend(r.iter().enumerate().map(|(i, r)| r / scaled.scale[i / 3]));
    newton::evaluate(&scaled, &mut work)
}
