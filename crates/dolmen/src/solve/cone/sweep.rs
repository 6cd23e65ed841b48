//! The projection iterated contact by contact: slow and sure-footed, to come near.

use super::newton::{Work, evaluate};
use super::{Scaled, radius};
use crate::math::work;

/// Inner iterations on one contact before the next.
const LOCAL: usize = 6;

/// `count` sweeps of r ← P(r − ρ u), forwards and backwards in turn, from `iterate.x`.
pub(super) fn sweep(scaled: &Scaled, iterate: &mut Work, count: usize) {
    let n = scaled.contacts();
    evaluate(scaled, iterate);
    for round in 0..count {
        if work::is_over() {
            return;
        }
        work::count((18 * LOCAL * n * n) as u64);
        for step in 0..n {
            let i = if round % 2 == 0 { step } else { n - 1 - step };
            for _ in 0..LOCAL {
                relax(scaled, iterate, i);
            }
        }
    }
}

fn relax(scaled: &Scaled, iterate: &mut Work, i: usize) {
    let k = 3 * i;
    // Half of ρ: below one by the largest eigenvalue of the tangential block.
    let rho = 0.5 * scaled.tangent[i];
    let normal = scaled.floor[i] + (iterate.x[k] - scaled.floor[i] - iterate.u[k]).max(0.0);
    let pull = [iterate.x[k + 1] - rho * iterate.u[k + 1], iterate.x[k + 2] - rho * iterate.u[k + 2]];
    let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
    let disc = radius(scaled.friction[i], normal);
    let shrink = if length > disc { disc / length } else { 1.0 };
    let new = [normal, shrink * pull[0], shrink * pull[1]];
    for c in 0..3 {
        let change = new[c] - iterate.x[k + c];
        if change == 0.0 || !change.is_finite() {
            continue;
        }
        iterate.x[k + c] = new[c];
        for (j, u) in iterate.u.iter_mut().enumerate() {
            *u += scaled.w[(j, k + c)] * change;
        }
    }
}
