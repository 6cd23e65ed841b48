//! Compression and restitution of several contacts with friction, and the final inelastic stop.

use super::Restitution;
use super::system::{Scratch, System};
use super::tolerances::{APPROACH, ENERGY_ROUNDING, MAX_DENSE_CONTACTS, SOLVED};
use crate::solve::cone::{ConeProblem, solve_cone, solve_cone_near};
use crate::solve::lcp::solve_lcp_psd;
use crate::solve::sparse::{Choice, ContactProblem, solve_contacts};
use crate::solve::{Outcome, Status};

/// Copies the part of W and u that belongs to the contacts of `scratch.set`.
pub(super) fn gather(system: &System, scratch: &mut Scratch) {
    let Scratch { set, matrix, q, mu, .. } = scratch;
    let dim = system.dim;
    let at = |i: usize| dim * set[i / dim] + i % dim;
    matrix.fill_from(dim * set.len(), |i, j| system.w[(at(i), at(j))]);
    q.clear();
    q.extend((0..dim * set.len()).map(|i| system.u[at(i)]));
    mu.clear();
    mu.extend(set.iter().map(|&i| system.friction[i]));
}

/// Poisson's two phases over the contacts of `scratch.set`.
///
/// Compression: p in the cones with u_c = u + W p, `u_n` ≥ 0, Coulomb's law. Restitution: p′ with normal parts of at
/// least ε p_n, Coulomb's law again. p loses energy, since p·u_c ≤ 0; p′ is scaled so that it does not return more.
pub(super) fn poisson(system: &mut System, scratch: &mut Scratch) {
    system.log.rounds += 1;
    system.log.parted_by(Restitution::Poisson);
    let before = system.fastest(&scratch.set);
    gather(system, scratch);
    compress(system, scratch);
    let lost = -energy(scratch, &scratch.first);
    let Scratch { set, matrix, q, floor, first, second, .. } = scratch;
    // u_c, from here on in q.
    for (i, q) in q.iter_mut().enumerate() {
        *q += matrix.dot(i, first);
    }
    floor.clear();
    floor.extend(set.iter().enumerate().map(|(k, &i)| system.restitution[i] * first[3 * k].max(0.0)));
    if floor.iter().all(|&e| e == 0.0) {
        system.apply(set, first, None);
        system.accept_residual(set, before);
        return;
    }
    second.clear();
    second.resize(first.len(), 0.0);
    let problem = ConeProblem { w: matrix, q, friction: &scratch.mu, floor };
    let outcome = solve_cone(&problem, second, &mut scratch.cone);
    system.log.residual = system.log.residual.max(outcome.residual);
    system.log.indeterminate |= !outcome.unique;
    if outcome.residual > SOLVED {
        // Compression once more, ε times, is in the cones; if contacts approach after it, another round follows.
        system.log.failures += 1;
        for (k, &i) in set.iter().enumerate() {
            for c in 0..3 {
                second[3 * k + c] = system.restitution[i] * first[3 * k + c];
            }
        }
    }
    let (mut a, mut b, mut size) = (0.0, 0.0, lost.abs());
    for i in 0..second.len() {
        b += second[i] * q[i];
        a += 0.5 * second[i] * matrix.dot(i, second);
        size += (second[i] * q[i]).abs();
    }
    if a + b - lost > ENERGY_ROUNDING * (size + a.abs()) {
        let s = limit(a, b, lost.max(0.0));
        system.log.restitution_scale = system.log.restitution_scale.min(s);
        for r in second.iter_mut() {
            *r *= s;
        }
    }
    system.apply(set, first, None);
    system.apply(set, second, None);
    system.accept_residual(set, before);
}

/// p in `scratch.first`: with friction if that can be solved, otherwise without, which always can unless walls close
/// in.
fn compress(system: &mut System, scratch: &mut Scratch) {
    let k = scratch.set.len();
    scratch.floor.clear();
    scratch.floor.resize(k, 0.0);
    scratch.first.clear();
    scratch.first.resize(3 * k, 0.0);
    let outcome = match compress_many(system, scratch) {
        Some(outcome) if outcome.residual <= SOLVED || k > MAX_DENSE_CONTACTS => outcome,
        _ => {
            let Scratch { set, matrix, q, mu, floor, first, cone, kept, .. } = scratch;
            match kept.start(set) {
                Some(start) => first.copy_from_slice(start),
                None => first.fill(0.0),
            }
            let outcome = solve_cone_near(&ConeProblem { w: matrix, q, friction: mu, floor }, first, cone);
            kept.keep(set, first);
            outcome
        }
    };
    system.log.residual = system.log.residual.max(outcome.residual);
    system.log.indeterminate |= !outcome.unique;
    if outcome.residual <= SOLVED {
        return;
    }
    system.log.failures += 1;
    if admissible(scratch) {
        return;
    }
    stop_normals(system, scratch);
}

/// The same by the sparse solver, where contacts are many and no joints connect movers.
fn compress_many(system: &System, scratch: &mut Scratch) -> Option<Outcome> {
    let (bodies, contacts) = system.as_sparse(&scratch.set)?;
    let problem = ContactProblem { bodies, contacts: &contacts, joints: &[] };
    Some(solve_contacts(&problem, Choice::LeastNorm, &mut scratch.first, &mut scratch.sparse))
}

/// Whether `first`, projected into its cones, loses energy and leaves no contact approaching faster than one did
/// before.
fn admissible(scratch: &mut Scratch) -> bool {
    let k = scratch.set.len();
    for i in 0..k {
        let r = &mut scratch.first[3 * i..3 * i + 3];
        r[0] = r[0].max(0.0);
        let tangent = (r[1] * r[1] + r[2] * r[2]).sqrt();
        let disc = if r[0] > 0.0 { scratch.mu[i] * r[0] } else { 0.0 };
        if tangent > disc {
            r[1] *= disc / tangent;
            r[2] *= disc / tangent;
        }
    }
    if !scratch.first.iter().all(|r| r.is_finite()) {
        return false;
    }
    let before = (0..k).fold(0.0, |m: f64, i| m.max(-scratch.q[3 * i]));
    let after =
        (0..k).fold(0.0, |m: f64, i| m.max(-scratch.q[3 * i] - scratch.matrix.dot(3 * i, &scratch.first)));
    energy(scratch, &scratch.first) <= 0.0 && after <= 0.5 * before
}

/// ΔT of impulses r on the gathered contacts: r·u + ½ r·W r.
fn energy(scratch: &Scratch, r: &[f64]) -> f64 {
    (0..r.len()).map(|i| r[i] * (scratch.q[i] + 0.5 * scratch.matrix.dot(i, r))).sum()
}

/// Stops inelastically what still approaches: with friction if that can be solved, otherwise without.
pub(super) fn stop_inelastically(system: &mut System, scratch: &mut Scratch) {
    /// A first solve, a second for its rounding, a third for the rounding of the second.
    const SOLVES: usize = 3;
    /// Rounding of a solution of badly conditioned systems, in units of that of one sum.
    const SLACK: f64 = 1e4;
    for turn in 0..SOLVES {
        if !system.any_approaches() {
            return;
        }
        scratch.set.clear();
        scratch.set.extend(0..system.contacts());
        let before = system.fastest(&scratch.set);
        gather(system, scratch);
        if system.dim == 3 && turn == 0 {
            compress(system, scratch);
        } else {
            stop_normals(system, scratch);
        }
        system.apply(&scratch.set, &scratch.first, None);
        system.accept_residual(&scratch.set, before);
    }
    system.log.jammed = system.approach() > SLACK * APPROACH;
}

/// Impulses along normals alone that stop all approach, in `first`.
fn stop_normals(system: &mut System, scratch: &mut Scratch) {
    let (dim, k) = (system.dim, scratch.set.len());
    let Scratch { matrix, q, first, second, psd, .. } = scratch;
    let normal = crate::solve::Square::from_fn(k, |i, j| matrix[(dim * i, dim * j)]);
    let normal_q: Vec<f64> = (0..k).map(|i| q[dim * i]).collect();
    second.clear();
    second.resize(k, 0.0);
    let outcome = solve_lcp_psd(&normal, &normal_q, second, psd);
    system.log.indeterminate |= !outcome.unique;
    if outcome.status == Status::OutOfIterations {
        system.log.residual = system.log.residual.max(outcome.residual);
    }
    first.clear();
    first.resize(dim * k, 0.0);
    for i in 0..k {
        first[dim * i] = second[i];
    }
}

/// The s in [0, 1] with a s² + b s = c, for a ≥ 0 and c ≥ 0; 1 when it is larger.
pub(super) fn limit(a: f64, b: f64, c: f64) -> f64 {
    let root = (b * b + 4.0 * a * c).sqrt();
    let s = if b >= 0.0 { 2.0 * c / (b + root) } else { (root - b) / (2.0 * a) };
    // 0/0: nothing to scale.
    if s.is_nan() { 0.0 } else { s.clamp(0.0, 1.0) }
}
