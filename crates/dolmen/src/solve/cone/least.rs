//! Among impulses that give the same velocities, those of least norm.
//!
//! With the velocities u fixed, the impulses that go with them are a convex set: r = r* + null space of W, each contact
//! in what u leaves it: nothing where it opens, a ray where it slides, its cone where it sticks. The least of them is
//! r = P(ν), P the projection onto these, with ν orthogonal to the null space: with Π the projector onto that space,
//!
//! ```text
//! G(ν) = (1 − Π)(P(ν) − r*) + Π ν = 0
//! ```
//!
//! which Newton's method solves from ν = (1 − Π) r*, the answer where no cone is in the way. All in true impulses, not
//! scaled ones.

use super::super::tolerances::{ACCEPTED, HALVINGS, NEWTON_STEPS, NOISE, TOUCHING};
use super::super::{Cholesky, Square, null_projector};
use super::{RealLu, Scaled, radius};
use crate::math::work;

/// Buffers of [`minimise_norm`].
#[derive(Debug, Clone, Default)]
pub(super) struct Least {
    free: Vec<Free>,
    /// Each free direction: contact, and its three components, orthonormal.
    directions: Vec<(usize, [f64; 3])>,
    members: Vec<usize>,
    matrix: Square,
    scale: Vec<f64>,
    factors: Cholesky,
    null: Vec<Vec<f64>>,
    start: Vec<f64>,
    nu: Vec<f64>,
    g: Vec<f64>,
    kept: Vec<f64>,
}

/// In what a contact's impulse may move while velocities stay; `at` is its first direction.
#[derive(Debug, Clone, Copy)]
enum Free {
    /// Along its edge of the cone, one direction.
    Ray { at: usize },
    /// In the cone of coefficient `mu`, three directions.
    Cone { at: usize, mu: f64 },
    /// Tangentially in a disc, two directions.
    Disc { at: usize, radius: f64 },
}

/// Moves x to the least norm; whether there was anything to choose.
pub(super) fn minimise_norm(scaled: &Scaled, x: &mut [f64], least: &mut Least) -> bool {
    find_directions(scaled, x, least);
    if !find_null_space(scaled, least) {
        return false;
    }
    least.start.clear();
    for (i, d) in &least.directions {
        least.start.push((0..3).map(|c| d[c] * x[3 * i + c]).sum::<f64>() * scaled.scale[*i]);
    }
    let y = project(least);
    let kept = x.to_vec();
    for ((i, d), (new, old)) in least.directions.iter().zip(y.iter().zip(&least.start)) {
        for c in 0..3 {
            x[3 * i + c] += d[c] * (new - old) / scaled.scale[*i];
        }
    }
    if !admissible(scaled, x) {
        x.copy_from_slice(&kept);
    }
    true
}

/// Free directions of the contacts at x.
fn find_directions(scaled: &Scaled, x: &[f64], least: &mut Least) {
    least.directions.clear();
    least.free.clear();
    let small = TOUCHING * scaled.size;
    for i in 0..scaled.contacts() {
        let k = 3 * i;
        let u = [0, 1, 2].map(|c| scaled.w.dot(k + c, x) + scaled.q[k + c]);
        let (mu, floor, at) = (scaled.friction[i], scaled.floor[i], least.directions.len());
        let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
        let touching = u[0].abs() <= small && (floor == 0.0 || x[k] > floor);
        if touching && (mu == 0.0 || slip > small) {
            let (a, b) = if mu == 0.0 { (0.0, 0.0) } else { (-mu * u[1] / slip, -mu * u[2] / slip) };
            let norm = (1.0 + a * a + b * b).sqrt();
            if norm.is_finite() {
                least.free.push(Free::Ray { at });
                least.directions.push((i, [1.0 / norm, a / norm, b / norm]));
            }
        } else if touching {
            least.free.push(Free::Cone { at, mu });
            least.directions.extend([(i, [1.0, 0.0, 0.0]), (i, [0.0, 1.0, 0.0]), (i, [0.0, 0.0, 1.0])]);
        } else if x[k] > 0.0 && mu > 0.0 && slip <= small {
            least.free.push(Free::Disc { at, radius: radius(mu, x[k] * scaled.scale[i]) });
            least.directions.extend([(i, [0.0, 1.0, 0.0]), (i, [0.0, 0.0, 1.0])]);
        }
    }
}

/// Orthonormal vectors over the free directions on which W vanishes, in `null`; false when there are none.
fn find_null_space(scaled: &Scaled, least: &mut Least) -> bool {
    let k = least.directions.len();
    least.matrix.reset(k);
    for a in 0..k {
        for b in 0..=a {
            let ((i, d), (j, e)) = (least.directions[a], least.directions[b]);
            let mut sum = 0.0;
            for c in 0..3 {
                for l in 0..3 {
                    sum += d[c] * scaled.w[(3 * i + c, 3 * j + l)] * e[l];
                }
            }
            least.matrix[(a, b)] = sum;
            least.matrix[(b, a)] = sum;
        }
    }
    // To a diagonal of ones; times the scale of the contact it turns into true impulses.
    least.scale.clear();
    for a in 0..k {
        let diagonal = least.matrix[(a, a)];
        if diagonal <= 0.0 {
            return false;
        }
        least.scale.push(1.0 / diagonal.sqrt());
    }
    for a in 0..k {
        for b in 0..k {
            least.matrix[(a, b)] *= least.scale[a] * least.scale[b];
        }
    }
    least.members.clear();
    least.members.extend(0..k);
    least.factors.factor(&least.matrix, &least.members);
    if least.factors.rank() == k {
        return false;
    }
    for (scale, (i, _)) in least.scale.iter_mut().zip(&least.directions) {
        *scale *= scaled.scale[*i];
    }
    null_projector(&least.factors, &least.scale, &mut least.null);
    true
}

/// Π v.
fn null_part(null: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    let mut part = vec![0.0; v.len()];
    for row in null {
        let along: f64 = row.iter().zip(v).map(|(a, b)| a * b).sum();
        for (p, d) in part.iter_mut().zip(row) {
            *p += along * d;
        }
    }
    part
}

/// The least point of (start + null space) within the free sets, by Newton's method on G; the best found.
fn project(least: &mut Least) -> Vec<f64> {
    let k = least.start.len();
    let size = least.start.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let part = null_part(&least.null, &least.start);
    least.nu = least.start.iter().zip(&part).map(|(s, p)| s - p).collect();
    let mut error = evaluate(least);
    let mut lu = RealLu::new(k);
    for _ in 0..NEWTON_STEPS {
        if error <= NOISE * size || work::is_over() {
            break;
        }
        work::count((4 * k * k * (least.null.len() + 1)) as u64);
        let mut derivative = Square::zeros(k);
        for free in &least.free {
            differentiate(free, &least.nu, &mut derivative);
        }
        // (1 − Π) D + Π, with a little of 1 where that is singular.
        let columns: Vec<Vec<f64>> = (0..k)
            .map(|j| {
                let column: Vec<f64> =
                    (0..k).map(|i| derivative[(i, j)] - if i == j { 1.0 } else { 0.0 }).collect();
                let part = null_part(&least.null, &column);
                (0..k).map(|i| derivative[(i, j)] - part[i]).collect()
            })
            .collect();
        if lu.factor(|i, j| columns[j][i] + if i == j { ACCEPTED } else { 0.0 }).is_err() {
            break;
        }
        let mut step: Vec<f64> = least.g.iter().map(|g| -g).collect();
        lu.solve(&mut step);
        least.kept.clone_from(&least.nu);
        let (before, mut length) = (error, 1.0);
        for _ in 0..HALVINGS {
            for i in 0..k {
                least.nu[i] = least.kept[i] + length * step[i];
            }
            error = evaluate(least);
            if error < before {
                break;
            }
            length *= 0.5;
        }
        if error.is_nan() || error >= before {
            least.nu.clone_from(&least.kept);
            break;
        }
    }
    // Back onto the solutions exactly: P(ν) is there up to the rounding of G.
    let mut y = projected(&least.free, &least.nu);
    let off: Vec<f64> = y.iter().zip(&least.start).map(|(y, s)| y - s).collect();
    let along = null_part(&least.null, &off);
    for i in 0..k {
        y[i] = least.start[i] + along[i];
    }
    y
}

/// G(ν) into `g`; returns its largest entry.
fn evaluate(least: &mut Least) -> f64 {
    let y = projected(&least.free, &least.nu);
    let off: Vec<f64> = y.iter().zip(&least.start).map(|(y, s)| y - s).collect();
    let other: Vec<f64> = least.nu.iter().zip(&off).map(|(n, o)| n - o).collect();
    let part = null_part(&least.null, &other);
    least.g = off.iter().zip(&part).map(|(o, p)| o + p).collect();
    least.g.iter().fold(0.0, |m: f64, g| if g.is_nan() { f64::NAN } else { m.max(g.abs()) })
}

/// P(ν).
fn projected(free: &[Free], nu: &[f64]) -> Vec<f64> {
    let mut y = nu.to_vec();
    for set in free {
        match *set {
            Free::Ray { at } => y[at] = y[at].max(0.0),
            Free::Disc { at, radius } => {
                let length = (y[at] * y[at] + y[at + 1] * y[at + 1]).sqrt();
                if length > radius {
                    y[at] *= radius / length;
                    y[at + 1] *= radius / length;
                }
            }
            Free::Cone { at, mu } => {
                let (n, t) = (y[at], (y[at + 1] * y[at + 1] + y[at + 2] * y[at + 2]).sqrt());
                if n > 0.0 && t <= mu * n {
                    continue;
                }
                if mu.is_infinite() {
                    y[at] = n.max(0.0);
                    continue;
                }
                let a = ((n + mu * t) / (1.0 + mu * mu)).max(0.0);
                let shrink = if t > 0.0 { mu * a / t } else { 0.0 };
                (y[at], y[at + 1], y[at + 2]) = (a, shrink * y[at + 1], shrink * y[at + 2]);
            }
        }
    }
    y
}

/// Writes the derivative of P for one set.
fn differentiate(free: &Free, nu: &[f64], d: &mut Square) {
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    match *free {
        Free::Ray { at } => d[(at, at)] = if nu[at] > 0.0 { 1.0 } else { 0.0 },
        Free::Disc { at, radius } => {
            let length = (nu[at] * nu[at] + nu[at + 1] * nu[at + 1]).sqrt();
            let (t, inside) = ([nu[at] / length, nu[at + 1] / length], length <= radius);
            for i in 0..2 {
                for j in 0..2 {
                    d[(at + i, at + j)] =
                        if inside { unit(i, j) } else { radius / length * (unit(i, j) - t[i] * t[j]) };
                }
            }
        }
        Free::Cone { at, mu } => {
            let (n, t) = (nu[at], (nu[at + 1] * nu[at + 1] + nu[at + 2] * nu[at + 2]).sqrt());
            if (n > 0.0 && t <= mu * n) || mu.is_infinite() {
                for i in 0..3 {
                    d[(at + i, at + i)] = if i == 0 && n <= 0.0 { 0.0 } else { 1.0 };
                }
                return;
            }
            let a = (n + mu * t) / (1.0 + mu * mu);
            if a <= 0.0 {
                return;
            }
            // P = a (1, μ t̂), a = (n + μ|t|)/(1 + μ²).
            let e = [1.0, mu * nu[at + 1] / t, mu * nu[at + 2] / t];
            for i in 0..3 {
                for j in 0..3 {
                    let turn = if i > 0 && j > 0 {
                        mu * a / t * (unit(i, j) - e[i] * e[j] / (mu * mu))
                    } else {
                        0.0
                    };
                    d[(at + i, at + j)] = e[i] * e[j] / (1.0 + mu * mu) + turn;
                }
            }
        }
    }
}

/// Whether every impulse is in its cone and above its floor, within rounding.
fn admissible(scaled: &Scaled, x: &[f64]) -> bool {
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    (0..scaled.contacts()).all(|i| {
        let k = 3 * i;
        let tangent = (x[k + 1] * x[k + 1] + x[k + 2] * x[k + 2]).sqrt();
        let slack = ACCEPTED * largest;
        x[k] >= scaled.floor[i] - slack && tangent <= radius(scaled.friction[i], x[k]) + slack
    })
}
