//! Block Gauss–Seidel: contact by contact, each by Coulomb's law of its own three rows, forwards and backwards in turn.
//!
//! A sweep costs next to nothing beside a factorisation and never diverges far from its start, but gains little where impulses
//! travel over many bodies. It comes first where few digits are asked for, and last where nothing else succeeds. [Jourdan 1998]

use super::newton::{self, Work};
use super::system::{System, Three};
use super::tolerances::{FIRST_SWEEPS, LOCAL_STEPS, MOST_SWEEPS, OPERATIONS_PER_CONTACT, SWEEPS_PER_LOOK};
use crate::math::real::ln;
use crate::math::work as meter;

/// The block of W of one contact, and its inverse.
#[derive(Debug, Clone, Copy)]
struct Block {
    w: [Three; 3],
    inverse: [Three; 3],
    /// One by a bound of the largest eigenvalue of the tangential part.
    tangent: f64,
}

impl Block {
    fn new(system: &System, i: usize) -> Self {
        let mut w = [[0.0; 3]; 3];
        for (r, row) in w.iter_mut().enumerate() {
            for (c, entry) in row.iter_mut().enumerate() {
                *entry = system.own_entry(i, r, c);
            }
        }
        w[0][0] += system.own[i];
        // A component without a row answers with nothing to nothing.
        for k in 0..3 {
            if w[k][k] <= 0.0 {
                w[k][k] = 1.0;
            }
        }
        let half = 0.5 * (w[1][1] - w[2][2]);
        let largest = 0.5 * (w[1][1] + w[2][2]) + (half * half + w[1][2] * w[1][2]).sqrt();
        Self { w, inverse: inverse(&w), tangent: 1.0 / largest }
    }

    /// Impulses that obey Coulomb's law with the rates q + W x; `x` is the start.
    fn solve(&self, q: &Three, friction: f64, x: &Three) -> Three {
        let stuck = product(&self.inverse, q).map(|value| -value);
        let slip = (stuck[1] * stuck[1] + stuck[2] * stuck[2]).sqrt();
        if stuck[0] >= 0.0 && slip <= friction * stuck[0] {
            return stuck;
        }
        let mut x = *x;
        for _ in 0..LOCAL_STEPS {
            let normal = -(q[0] + self.w[0][1] * x[1] + self.w[0][2] * x[2]) / self.w[0][0];
            x[0] = normal.max(0.0);
            let u = product(&self.w, &x);
            let pull = [x[1] - self.tangent * (u[1] + q[1]), x[2] - self.tangent * (u[2] + q[2])];
            let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
            let disc = if x[0] > 0.0 { friction * x[0] } else { 0.0 };
            let shrink = if length > disc { disc / length } else { 1.0 };
            (x[1], x[2]) = (shrink * pull[0], shrink * pull[1]);
        }
        x
    }
}

fn product(m: &[Three; 3], x: &Three) -> Three {
    m.each_ref().map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

/// The inverse of a symmetric positive matrix; of one that is singular to rounding, that of its diagonal.
fn inverse(m: &[Three; 3]) -> [Three; 3] {
    let minor = |r: usize, c: usize| {
        let (i, j) = ((r + 1) % 3, (r + 2) % 3);
        let (k, l) = ((c + 1) % 3, (c + 2) % 3);
        m[i][k] * m[j][l] - m[i][l] * m[j][k]
    };
    let determinant = (0..3).map(|c| m[0][c] * minor(0, c)).sum::<f64>();
    if determinant <= 64.0 * f64::EPSILON * m[0][0] * m[1][1] * m[2][2] {
        let mut diagonal = [[0.0; 3]; 3];
        (0..3).for_each(|k| diagonal[k][k] = 1.0 / m[k][k]);
        return diagonal;
    }
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| minor(c, r) / determinant))
}

/// Sweeps until the residual is what is asked for, at most `count` times; returns the residual.
pub(super) fn sweep(system: &System, work: &mut Work, count: usize) -> f64 {
    run(system, work, count, |_, _| true)
}

/// Sweeps for as long as they pay: until the residual is what is asked for, or until it falls so slowly that more than
/// [`MOST_SWEEPS`] in all would be needed; returns the residual.
pub(super) fn sweep_while_it_pays(system: &System, work: &mut Work) -> f64 {
    let (enough, mut last) = (work.enough, f64::INFINITY);
    run(system, work, MOST_SWEEPS, |done, residual| {
        if done % FIRST_SWEEPS != 0 {
            return true;
        }
        let (fall, before) = (residual / last, std::mem::replace(&mut last, residual));
        if before == f64::INFINITY {
            return true;
        }
        // The residual falls by this factor with so many sweeps.
        let more = ln(enough / residual) / ln(fall);
        fall < 1.0 && (done + FIRST_SWEEPS / 2) as f64 + more * FIRST_SWEEPS as f64 <= MOST_SWEEPS as f64
    })
}

/// The same, at most `count` times and for as long as `goes_on` says, which is told the number of sweeps and the residual.
fn run(system: &System, work: &mut Work, count: usize, mut goes_on: impl FnMut(usize, f64) -> bool) -> f64 {
    let n = system.contacts();
    let mut residual = newton::evaluate(system, work);
    if residual <= work.enough {
        return residual;
    }
    meter::count(2 * OPERATIONS_PER_CONTACT * n as u64);
    let blocks: Vec<Block> = (0..n).map(|i| Block::new(system, i)).collect();
    for round in 0..count {
        if meter::is_over() {
            break;
        }
        meter::count(OPERATIONS_PER_CONTACT * (n + system.joints()) as u64);
        for step in 0..n {
            let i = if round % 2 == 0 { step } else { n - 1 - step };
            sweep_contact(system, work, i, &blocks[i]);
        }
        for i in 0..system.joints() {
            let change = -(system.joint_rate(i, &work.v) + system.joint_q[i]);
            system.nudge_joint(i, change, &mut work.v);
            work.y[i] += change;
        }
        if (round + 1) % SWEEPS_PER_LOOK == 0 || round + 1 == count {
            residual = newton::evaluate(system, work);
            if residual <= work.enough || !goes_on(round + 1, residual) {
                break;
            }
        }
    }
    residual
}

fn sweep_contact(system: &System, work: &mut Work, i: usize, block: &Block) {
    let rates = system.rates(i, &work.v);
    let x = work.x[i];
    let moved = product(&block.w, &x);
    // Without its own impulses; where a component has no row, its stand-in answers them.
    let own = system.own[i] * x[0];
    let q = [0, 1, 2].map(|k| rates[k] + system.q[i][k] - moved[k] + if k == 0 { own } else { 0.0 });
    let new = block.solve(&q, system.friction[i], &x);
    for k in 0..3 {
        system.nudge(i, k, new[k] - x[k], &mut work.v);
    }
    work.x[i] = new;
}
