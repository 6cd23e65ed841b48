//! The three impact laws over several contacts.

use super::phases::{gather, limit, poisson, stop_inelastically};
use super::slip::collide_one;
use super::system::{Scratch, System};
use super::tolerances::{ENERGY_ROUNDING, FAILURES, FRICTION_ROUNDS};
use super::{CollideSettings, Restitution};
use crate::contact::Law;
use crate::math::work;
use crate::solve::Status;
use crate::solve::choose::solve_normal_forces;
use crate::solve::lcp::solve_lcp_psd;

/// Collides the contacts of `system` by `law`, such that at the end none approaches.
pub(super) fn collide(law: Law, settings: CollideSettings, system: &mut System, scratch: &mut Scratch) {
    let finished = match law {
        Law::Propagation => propagate(settings, system),
        Law::Simultaneous => {
            all_at_once(settings, system, scratch);
            true
        }
        Law::Reflection => reflect(settings, system, scratch),
    };
    system.log.closed = !finished;
    if finished || settings.close {
        stop_inelastically(system, scratch);
    }
}

/// The most rounds.
fn rounds(settings: CollideSettings, system: &System) -> u64 {
    let limit = if system.dim == 1 { u32::MAX } else { FRICTION_ROUNDS };
    u64::from(settings.rounds_per_contact.min(limit)) * system.contacts() as u64
}

/// Contacts one at a time, the fastest first; false when the rounds are used up.
fn propagate(settings: CollideSettings, system: &mut System) -> bool {
    let n = system.contacts();
    let bound = rounds(settings, system);
    for _ in 0..bound {
        if work::is_over() {
            return false;
        }
        work::count((10 * system.dim * n) as u64);
        let mut fastest: Option<usize> = None;
        for i in 0..n {
            if system.approaches(i) && fastest.is_none_or(|f| system.normal(i) < system.normal(f)) {
                fastest = Some(i);
            }
        }
        let Some(i) = fastest else { return true };
        collide_alone(system, i);
    }
    !system.any_approaches()
}

/// Collides contact i as if it were the only one: Newton's law or, with friction, the energetic one.
fn collide_alone(system: &mut System, i: usize) {
    system.log.rounds += 1;
    let (epsilon, mu, v) = (system.restitution[i], system.friction[i], system.normal(i));
    if mu > 0.0 {
        let k = 3 * i;
        let u = [system.u[k], system.u[k + 1], system.u[k + 2]];
        let slipped = collide_one(&system.block(i), u, mu, epsilon);
        if slipped.finished {
            system.log.parted_by(Restitution::Energetic);
            system.apply(&[i], &slipped.impulse, Some(slipped.lost_normal));
            return;
        }
        system.log.failures += 1;
    }
    let j = -(1.0 + epsilon) * v / system.w[(system.dim * i, system.dim * i)];
    system.apply(&[i], &[j, 0.0, 0.0][..system.dim], None);
}

fn all_at_once(settings: CollideSettings, system: &mut System, scratch: &mut Scratch) {
    scratch.set.clear();
    scratch.set.extend(0..system.contacts());
    if system.dim == 1 {
        solve_newton(settings, system, scratch);
    } else if system.any_approaches() {
        poisson(system, scratch);
    }
}

/// v⁺ = A j + v⁻, v⁺ + ε min(v⁻, 0) ≥ 0, j ≥ 0, complementary. [PAPER, simultaneous collisions]
fn solve_newton(settings: CollideSettings, system: &mut System, scratch: &mut Scratch) {
    let n = system.contacts();
    system.log.rounds = 1;
    scratch.epsilon.clone_from(&system.restitution);
    // Where no solution exists, restitution is the contradiction: the contacts in the certificate go without. Each
    // round takes at least one, so n rounds are enough.
    for _ in 0..=n {
        scratch.q.clear();
        scratch.q.extend((0..n).map(|i| system.u[i] + scratch.epsilon[i] * system.u[i].min(0.0)));
        scratch.first.clear();
        scratch.first.resize(n, 0.0);
        let problem = (&system.w, &scratch.q[..]);
        // Where the linear program guesses wrongly its impulses stand, and what they add is limited below.
        let answer = solve_normal_forces(settings.solver, problem, &mut scratch.first, &mut scratch.psd);
        let outcome = answer.outcome;
        system.log.solver_note = answer.note;
        system.log.residual = outcome.residual;
        system.log.indeterminate = !outcome.unique;
        if outcome.status != Status::Infeasible {
            break;
        }
        let mut dropped = false;
        for (epsilon, &d) in scratch.epsilon.iter_mut().zip(scratch.psd.ray()) {
            if d > 0.0 && *epsilon > 0.0 {
                *epsilon = 0.0;
                dropped = true;
            }
        }
        system.log.restitution_scale = 0.0;
        if !dropped {
            break;
        }
    }
    limit_newton(system, scratch);
    system.apply(&scratch.set, &scratch.first, None);
}

/// Scales restitution down until energy does not grow: j = `j_0` + s (j − `j_0`), `j_0` the solution with ε = 0.
fn limit_newton(system: &mut System, scratch: &mut Scratch) {
    let n = system.contacts();
    let energy = |j: &[f64]| -> (f64, f64) {
        (0..n).fold((0.0, 0.0), |(sum, size), i| {
            let (start, change) = (j[i] * system.u[i], 0.5 * j[i] * system.w.dot(i, j));
            (sum + start + change, size + start.abs() + change.abs())
        })
    };
    let (gain, size) = energy(&scratch.first);
    if gain <= ENERGY_ROUNDING * size {
        return;
    }
    scratch.q.clone_from(&system.u);
    scratch.second.clear();
    scratch.second.resize(n, 0.0);
    solve_lcp_psd(&system.w, &scratch.q, &mut scratch.second, &mut scratch.psd);
    // ΔT(s) = a s² + b s − c, from −c ≤ 0 at s = 0 to more than zero at 1.
    let c = -energy(&scratch.second).0.min(0.0);
    let (mut a, mut b) = (0.0, 0.0);
    for i in 0..n {
        let part = scratch.first[i] - scratch.second[i];
        b += part * (system.u[i] + system.w.dot(i, &scratch.second));
        let row: f64 = (0..n).map(|k| system.w[(i, k)] * (scratch.first[k] - scratch.second[k])).sum();
        a += 0.5 * part * row;
    }
    let s = limit(a, b, c);
    system.log.restitution_scale = system.log.restitution_scale.min(s);
    for (j, j_0) in scratch.first.iter_mut().zip(&scratch.second) {
        *j = j_0 + s * (*j - j_0);
    }
}

/// Rounds over the contacts that approach, until none does; false when the rounds are used up.
///
/// From the second round on, contacts without restitution take part whether they approach or not: stopped once, they stay closed while
/// others collide. Taken by turns, the contacts of a column of n bodies would come to the same end in n² rounds for each digit.
fn reflect(settings: CollideSettings, system: &mut System, scratch: &mut Scratch) -> bool {
    let n = system.contacts();
    for round in 0..rounds(settings, system) {
        if system.log.failures >= FAILURES || work::is_over() {
            return false;
        }
        scratch.set.clear();
        scratch.set.extend((0..n).filter(|&i| system.approaches(i)));
        if round > 0 && scratch.set.iter().any(|&i| system.restitution[i] == 0.0) {
            scratch.set.clear();
            scratch.set.extend((0..n).filter(|&i| system.approaches(i) || system.restitution[i] == 0.0));
        }
        match scratch.set[..] {
            [] => return true,
            [i] => collide_alone(system, i),
            _ if system.dim == 1 => {
                if !reflect_once(system, scratch) {
                    return true;
                }
            }
            _ => poisson(system, scratch),
        }
    }
    !system.any_approaches()
}

/// One round without friction: λ that stops the approaching contacts, and ε λ. False when nothing stops them.
fn reflect_once(system: &mut System, scratch: &mut Scratch) -> bool {
    system.log.rounds += 1;
    system.log.parted_by(Restitution::Poisson);
    gather(system, scratch);
    let k = scratch.set.len();
    scratch.first.clear();
    scratch.first.resize(k, 0.0);
    let outcome = solve_lcp_psd(&scratch.matrix, &scratch.q, &mut scratch.first, &mut scratch.psd);
    system.log.residual = system.log.residual.max(outcome.residual);
    system.log.indeterminate |= !outcome.unique;
    if outcome.status == Status::Infeasible {
        return false;
    }
    // ½ λ·Aλ is lost in compression, ½ (ελ)·A(ελ) returns: that may be more where ε differ.
    scratch.second.clear();
    scratch.second.extend(scratch.set.iter().zip(&scratch.first).map(|(&i, j)| system.restitution[i] * j));
    let norm = |x: &[f64]| -> f64 { (0..k).map(|i| x[i] * scratch.matrix.dot(i, x)).sum() };
    let (lost, back) = (norm(&scratch.first), norm(&scratch.second));
    let s = if back > lost * (1.0 + ENERGY_ROUNDING) { (lost.max(0.0) / back).sqrt() } else { 1.0 };
    system.log.restitution_scale = system.log.restitution_scale.min(s);
    for (j, more) in scratch.first.iter_mut().zip(&scratch.second) {
        *j += s * more;
    }
    system.apply(&scratch.set, &scratch.first, None);
    true
}
