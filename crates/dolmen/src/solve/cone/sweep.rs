//! The projection iterated contact by contact: slow and sure-footed, to come near.

use super::newton::{Work, evaluate};
use super::{Scaled, radius};

/// Inner iterations on one contact before the next.
const LOCAL: usize = 6;

/// `count` sweeps of r ← P(r − ρ u), forwards and backwards in turn, from `work.x`.
pub(super) fn sweep(scaled: &Scaled, work: &mut Work, count: usize) {
    let n = scaled.contacts();
    evaluate(scaled, work);
    for round in 0..count {
        for step in 0..n {
            let i = if round % 2 == 0 { step } else { n - 1 - step };
            for _ in 0..LOCAL {
                relax(scaled, work, i);
            }
        }
    }
}

fn relax(scaled: &Scaled, work: &mut Work, i: usize) {
    let k = 3 * i;
    // Half of ρ: below one by the largest eigenvalue of the tangential block.
    let rho = 0.5 * scaled.tangent[i];
    let normal = scaled.floor[i] + (work.x[k] - scaled.floor[i] - work.u[k]).max(0.0);
    let pull = [work.x[k + 1] - rho * work.u[k + 1], work.x[k + 2] - rho * work.u[k + 2]];
    let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
    let disc = radius(scaled.friction[i], normal);
    let shrink = if length > disc { disc / length } else { 1.0 };
    let new = [normal, shrink * pull[0], shrink * pull[1]];
    for c in 0..3 {
        let change = new[c] - work.x[k + c];
        if change == 0.0 || !change.is_finite() {
            continue;
        }
        work.x[k + c] = new[c];
        for (j, u) in work.u.iter_mut().enumerate() {
            *u += scaled.w[(j, k + c)] * change;
        }
    }
}
