//! Contacts by Lemke's pivots, with friction by a cone of sides. [Stewart, Trinkle 1996]
//!
//! With directions d₁ … d_s around a contact, friction is Σ βₖ dₖ, β ≥ 0, and λ ≥ 0 is its slip speed:
//!
//! ```text
//! w_n = u_n ≥ 0              ⊥ r_n ≥ 0
//! w_β = dₖ·u_t + λ ≥ 0        ⊥ βₖ ≥ 0
//! w_λ = μ r_n − Σ βₖ ≥ 0      ⊥ λ ≥ 0
//! ```
//!
//! The matrix is copositive, so that Lemke's path ends in an answer where the contacts alone have one. Ties are broken
//! lexicographically: no basis is met twice.

use super::super::lcp::{LemkeScratch, solve_lcp_lemke};
use super::super::{Outcome, Square};
use super::normal::Reduced;
use super::quadratic::contradict;
use crate::math::real;

/// The largest μ that Lemke's tableau takes; more is no different for forces that a structure can carry.
const LARGEST_FRICTION: f64 = 1e4;

/// Pivots by unknown; Lemke's method needs about one each, in bad cases a few.
const PIVOTS: usize = 50;

/// Buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Pyramid {
    /// Unknowns: contact and direction; see [`Unknown`].
    unknowns: Vec<(usize, Unknown)>,
    scratch: LemkeScratch,
}

/// What an unknown of the problem is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unknown {
    Normal,
    /// Friction along this direction.
    Friction([f64; 2]),
    Slip,
}

impl Pyramid {
    pub(super) fn solve(
        &mut self,
        friction: &[f64],
        sides: usize,
        reduced: &Reduced,
        r: &mut [f64],
    ) -> Outcome {
        assert!(sides >= 3, "a cone of {sides} sides");
        self.unknowns.clear();
        for (i, friction) in friction.iter().enumerate() {
            self.unknowns.push((i, Unknown::Normal));
            if *friction > 0.0 {
                for k in 0..sides {
                    let (sin, cos) = real::sin_cos(real::TAU * k as f64 / sides as f64);
                    self.unknowns.push((i, Unknown::Friction([cos, sin])));
                }
                self.unknowns.push((i, Unknown::Slip));
            }
        }
        let unknowns = &self.unknowns;
        let m = Square::from_fn(unknowns.len(), |a, b| entry(friction, &reduced.w, unknowns[a], unknowns[b]));
        let q: Vec<f64> = unknowns.iter().map(|&(i, kind)| right(&reduced.q, i, kind)).collect();
        let mut z = vec![0.0; q.len()];
        let pivots = PIVOTS * (q.len() + 1);
        let mut outcome = solve_lcp_lemke(&m, &q, pivots, &mut z, &mut self.scratch);
        r.fill(0.0);
        for (&(i, kind), &z) in unknowns.iter().zip(&z) {
            let force = z * reduced.scale[i];
            match kind {
                Unknown::Normal => r[3 * i] += force,
                Unknown::Friction(d) => {
                    r[3 * i + 1] += force * d[0];
                    r[3 * i + 2] += force * d[1];
                }
                Unknown::Slip => {}
            }
        }
        reduced.write_joints(r);
        contradict(reduced, &mut outcome);
        outcome
    }
}

/// The components of an unknown along normal and tangents of its contact.
fn parts(kind: Unknown) -> [f64; 3] {
    match kind {
        Unknown::Normal => [1.0, 0.0, 0.0],
        Unknown::Friction(d) => [0.0, d[0], d[1]],
        Unknown::Slip => [0.0; 3],
    }
}

fn entry(friction: &[f64], w: &Square, (i, row): (usize, Unknown), (j, column): (usize, Unknown)) -> f64 {
    match (row, column) {
        (Unknown::Slip, Unknown::Normal) if i == j => friction[i].min(LARGEST_FRICTION),
        (Unknown::Slip, Unknown::Friction(_)) if i == j => -1.0,
        (Unknown::Friction(_), Unknown::Slip) if i == j => 1.0,
        (Unknown::Slip, _) | (_, Unknown::Slip) => 0.0,
        _ => {
            let (a, b) = (parts(row), parts(column));
            let mut sum = 0.0;
            for k in 0..3 {
                for l in 0..3 {
                    sum += a[k] * w[(3 * i + k, 3 * j + l)] * b[l];
                }
            }
            sum
        }
    }
}

fn right(q: &[f64], i: usize, kind: Unknown) -> f64 {
    let p = parts(kind);
    p[0] * q[3 * i] + p[1] * q[3 * i + 1] + p[2] * q[3 * i + 2]
}
