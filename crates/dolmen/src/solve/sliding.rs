//! Contacts that slide already: whether their law has no answer, one, or several. [SYSTEM trap 8; Painlevé]
//!
//! Where all contacts slip in known directions û, friction is −μ f û and the law is a linear complementarity problem in the
//! normal forces alone, with a matrix that is neither symmetric nor definite:
//!
//! ```text
//! d̈ = A f + b ≥ 0,  f ≥ 0,  f·d̈ = 0;      A = W_nn − W_nt μ û.
//! ```
//!
//! With such a matrix it may have no answer (no finite force keeps the bodies apart: an impulse must), or several that move
//! the bodies differently. A problem of ten contacts or fewer is settled by trying every set of contacts that press.

use super::Square;
use super::sparse::ContactProblem;
use super::tolerances::RANK;
use crate::math::DVec3;
use crate::math::linear::RealLu;

/// Contacts up to which every subset is tried.
pub const SLIDING_CONTACTS: usize = 10;

/// Two motions closer than this, by the largest acceleration, are one.
const SAME: f64 = 1e-9;

/// What is known of the forces of contacts that slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sliding {
    /// One set of forces.
    Unique,
    /// Several sets of forces, and all move the bodies alike: contacts are redundant.
    SeveralForces,
    /// Several sets of forces that move the bodies differently: the law does not say what happens.
    SeveralMotions,
    /// No forces: an impulse is needed though nothing collides.
    Inconsistent,
    /// More than [`SLIDING_CONTACTS`] contacts: not asked.
    TooMany,
}

/// The verdict and every answer found: true normal forces of each contact, the most pressing contacts first.
#[derive(Debug, Clone, PartialEq)]
pub struct SlidingAnswers {
    /// What they come to.
    pub verdict: Sliding,
    /// Normal forces, one list an answer.
    pub forces: Vec<Vec<f64>>,
}

/// Finds all forces of contacts that slip along `slip` (unit, along the two tangents of each contact).
///
/// Joints are not taken into account: a problem that has some is refused.
///
/// # Panics
/// When there is not one slip for each contact, or there are joints.
pub fn classify_sliding(problem: &ContactProblem, slip: &[[f64; 2]]) -> SlidingAnswers {
    let n = problem.contacts.len();
    assert!(slip.len() == n && problem.joints.is_empty(), "{} slips of {n} contacts", slip.len());
    if n > SLIDING_CONTACTS {
        return SlidingAnswers { verdict: Sliding::TooMany, forces: Vec::new() };
    }
    let (a, b, scale) = sliding_problem(problem, slip);
    let mut forces: Vec<Vec<f64>> = Vec::new();
    let mut motions: Vec<Vec<DVec3>> = Vec::new();
    let (mut several_forces, mut several_motions) = (false, false);
    for bits in (0..1_usize << n).rev() {
        let Some(f) = try_set(&a, &b, bits) else { continue };
        let f: Vec<f64> = f.iter().zip(&scale).map(|(f, s)| f * s).collect();
        if forces.iter().any(|other| close(&f, other)) {
            continue;
        }
        let motion = motion(problem, slip, &f);
        several_forces |= !forces.is_empty();
        several_motions |= motions.first().is_some_and(|first| !alike(problem, first, &motion));
        forces.push(f);
        motions.push(motion);
    }
    let verdict = match (forces.is_empty(), several_motions, several_forces) {
        (true, ..) => Sliding::Inconsistent,
        (_, true, _) => Sliding::SeveralMotions,
        (_, _, true) => Sliding::SeveralForces,
        _ => Sliding::Unique,
    };
    SlidingAnswers { verdict, forces }
}

/// A and b scaled by contact, and true force by scaled force.
fn sliding_problem(problem: &ContactProblem, slip: &[[f64; 2]]) -> (Square, Vec<f64>, Vec<f64>) {
    let (w, q) = problem.dense();
    let n = slip.len();
    let scale: Vec<f64> = (0..n)
        .map(|i| {
            let normal = w[(3 * i, 3 * i)];
            if normal > 0.0 { 1.0 / normal.sqrt() } else { 1.0 }
        })
        .collect();
    let a = Square::from_fn(n, |i, j| {
        let mu = problem.contacts[j].friction;
        let row = |k: usize| w[(3 * i, 3 * j + k)];
        // Without friction no product of a zero with an infinite coefficient may arise.
        let rubs = if mu > 0.0 { mu * (row(1) * slip[j][0] + row(2) * slip[j][1]) } else { 0.0 };
        (row(0) - rubs) * scale[i] * scale[j]
    });
    (a, (0..n).map(|i| q[3 * i] * scale[i]).collect(), scale)
}

/// The forces with just these contacts pressing, if the law holds.
fn try_set(a: &Square, b: &[f64], bits: usize) -> Option<Vec<f64>> {
    let n = b.len();
    let members: Vec<usize> = (0..n).filter(|i| bits >> i & 1 == 1).collect();
    let mut f = vec![0.0; n];
    if !members.is_empty() {
        let mut lu = RealLu::new(members.len());
        lu.factor(|i, j| a[(members[i], members[j])]).ok()?;
        let mut x: Vec<f64> = members.iter().map(|&i| -b[i]).collect();
        lu.solve(&mut x);
        for (&i, &x) in members.iter().zip(&x) {
            f[i] = x;
        }
    }
    let size = b.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let holds = |i: usize| {
        let (w, terms) = (a.dot(i, &f) + b[i], a.dot_size(i, &f) + size);
        f[i] >= 0.0 && f[i].is_finite() && w >= -RANK * terms && (f[i] == 0.0 || w <= RANK.sqrt() * terms)
    };
    (0..n).all(holds).then_some(f)
}

fn close(a: &[f64], b: &[f64]) -> bool {
    let size = a.iter().chain(b).fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size)
}

/// What normal forces with their friction add to the acceleration and spin rate of each body.
fn motion(problem: &ContactProblem, slip: &[[f64; 2]], f: &[f64]) -> Vec<DVec3> {
    let mut pushes = vec![DVec3::ZERO; 2 * problem.bodies.len()];
    for ((contact, slip), f) in problem.contacts.iter().zip(slip).zip(f) {
        if *f == 0.0 {
            continue;
        }
        let rub = contact.friction * f;
        for (row, force) in contact.rows.iter().zip([*f, -rub * slip[0], -rub * slip[1]]) {
            let sides = [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)];
            for (body, (linear, angular)) in contact.bodies.iter().zip(sides) {
                if let Some(i) = *body {
                    pushes[2 * i] += force * linear * problem.bodies[i].inv_mass;
                    pushes[2 * i + 1] += force * (problem.bodies[i].inv_inertia * angular);
                }
            }
        }
    }
    pushes
}

fn alike(problem: &ContactProblem, a: &[DVec3], b: &[DVec3]) -> bool {
    let free = problem.contacts.iter().flat_map(|c| c.free).fold(0.0, |m: f64, q| m.max(q.abs()));
    let size = a.iter().chain(b).fold(free, |m, x| m.max(x.abs().max_element()));
    a.iter().zip(b).all(|(a, b)| (*a - *b).abs().max_element() <= SAME * size)
}
