//! Among impulses that give the same velocities, those of least norm: sparse, by the dual problem.
//!
//! With the velocities fixed, each contact may move in what they leave it: S = nothing where it opens, a ray where it
//! slides, its cone where it sticks; and Gᵀ r = p must stay, G the rows in true units. Least |r| is the convex problem
//! whose dual has one unknown y for each body: r = P(G y), P the projection onto S, with
//!
//! ```text
//! Gᵀ P(G y) = p,     the least point of  Φ(y) = ½|P(G y)|² − p·y,     Φ″ = Gᵀ P′ G.
//! ```

use super::super::tolerances::{HALVINGS, NEWTON_STEPS};
use super::factor::Six;
use super::newton::{Work, evaluate};
use super::system::{Response, System, Three};
use super::tolerances::{SOLVED, TOUCHING};
use crate::math::work as meter;

/// By the diagonal, what keeps Φ″ regular.
const REGULAR: f64 = 1e-11;

/// A random direction keeps this share of its length in the null space, or there is none: the chance of less is nil.
const SEEN: f64 = 1e-4;

/// Gᵀ P(G y) = p is met to this, by the size of p.
const MET: f64 = 1e-13;

/// Part of the slope by which Φ must fall [Armijo].
const FALL: f64 = 1e-4;

/// A change of Φ below this share of it is rounding.
const ROUNDED: f64 = 1e-13;

/// In what a contact's impulse may move while velocities stay.
#[derive(Debug, Clone, Copy)]
enum Free {
    Nothing,
    Ray(Three),
    Cone(f64),
    /// Within a bound that is given: it stays what it is, though another may be one as well.
    Kept,
}

/// Buffers of [`minimise_norm`].
#[derive(Debug, Clone, Default)]
pub(super) struct Least {
    free: Vec<Free>,
    /// True impulses.
    r: Vec<Three>,
    joint_r: Vec<f64>,
    p: Vec<Six>,
    y: Vec<Six>,
    start: Vec<Six>,
    gradient: Vec<Six>,
    step: Vec<Six>,
    responses: Vec<Response>,
    joint_responses: Vec<f64>,
    pushed: Vec<Three>,
    joint_pushed: Vec<f64>,
    kept: (Vec<Three>, Vec<f64>),
}

/// Moves the impulses to the least norm; whether there was anything to choose.
pub(super) fn minimise_norm(
    system: &mut System,
    work: &mut Work,
    least: &mut Least,
    iterations: &mut usize,
) -> bool {
    let before = evaluate(system, work);
    find_free(system, work, least);
    // Rows without the scale of the contacts: G = Ĵ/s. Impulses then are r = s x, and Gᵀ r = Ĵᵀ x = v.
    least.p.clone_from(&work.v);
    for (i, x) in work.x.iter().enumerate().filter(|(i, _)| system.own[*i] > 0.0) {
        for k in 0..3 {
            system.nudge(i, k, -x[k], &mut least.p);
        }
    }
    fill_responses(system, least, true);
    system.factor(&least.responses, &least.joint_responses, REGULAR, true);
    *iterations += 1;
    if !has_choice(system, least) {
        return false;
    }
    solve_dual(system, least, iterations);
    least.kept = (work.x.clone(), work.y.clone());
    point(system, least);
    for i in (0..system.contacts()).filter(|i| system.own[*i] == 0.0) {
        work.x[i] = least.r[i].map(|r| r / system.scale[i]);
    }
    for i in 0..system.joints() {
        work.y[i] = least.joint_r[i] / system.joint_scale[i];
    }
    let after = evaluate(system, work);
    if after.is_nan() || after > before.max(SOLVED) {
        (work.x, work.y) = least.kept.clone();
    }
    true
}

fn find_free(system: &System, work: &Work, least: &mut Least) {
    least.free.clear();
    let small = TOUCHING * system.size;
    for (i, (x, u)) in work.x.iter().zip(&work.u).enumerate() {
        let mu = system.friction[i];
        let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
        if system.own[i] > 0.0 {
            least.free.push(if slip > small { Free::Nothing } else { Free::Kept });
            continue;
        }
        least.free.push(if u[0] > small && x[0] <= u[0] {
            Free::Nothing
        } else if mu == 0.0 || slip > small {
            let t = if mu == 0.0 { [0.0; 2] } else { [-mu * u[1] / slip, -mu * u[2] / slip] };
            let norm = (1.0 + t[0] * t[0] + t[1] * t[1]).sqrt();
            if norm.is_finite() { Free::Ray([1.0 / norm, t[0] / norm, t[1] / norm]) } else { Free::Nothing }
        } else {
            Free::Cone(mu)
        });
    }
}

/// H in true units: P′ at G y, or of the whole spaces that the sets span; the rows of the system carry s, so 1/s² goes in.
fn fill_responses(system: &System, least: &mut Least, whole: bool) {
    least.responses.clear();
    for i in 0..system.contacts() {
        let s = system.scale[i];
        let rates = if whole { [0.0; 3] } else { system.rates(i, &least.y).map(|g| g / s) };
        let mut h = if whole { span(&least.free[i]) } else { derivative(&least.free[i], &rates) };
        for value in h.iter_mut().flatten() {
            *value /= s * s;
        }
        least.responses.push(h);
    }
    least.joint_responses.clear();
    least.joint_responses.extend(system.joint_scale.iter().map(|s| 1.0 / (s * s)));
}

/// The projector onto the space that a set spans.
fn span(free: &Free) -> Response {
    match free {
        Free::Nothing => [[0.0; 3]; 3],
        Free::Ray(d) => [0, 1, 2].map(|i| [0, 1, 2].map(|j| d[i] * d[j])),
        Free::Cone(_) => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Free::Kept => [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    }
}

/// P(g) of a contact.
fn project(free: &Free, g: &Three) -> Three {
    match free {
        Free::Nothing | Free::Kept => [0.0; 3],
        Free::Ray(d) => {
            let along = (d[0] * g[0] + d[1] * g[1] + d[2] * g[2]).max(0.0);
            d.map(|d| along * d)
        }
        Free::Cone(mu) => {
            let (n, t) = (g[0], (g[1] * g[1] + g[2] * g[2]).sqrt());
            if n > 0.0 && t <= mu * n {
                return *g;
            }
            if mu.is_infinite() {
                return [n.max(0.0), g[1], g[2]];
            }
            let a = ((n + mu * t) / (1.0 + mu * mu)).max(0.0);
            let shrink = if t > 0.0 { mu * a / t } else { 0.0 };
            [a, shrink * g[1], shrink * g[2]]
        }
    }
}

/// P′(g) of a contact: symmetric, positive semidefinite.
fn derivative(free: &Free, g: &Three) -> Response {
    let zero = [[0.0; 3]; 3];
    match free {
        Free::Nothing | Free::Kept => zero,
        Free::Ray(d) => {
            if d[0] * g[0] + d[1] * g[1] + d[2] * g[2] > 0.0 {
                span(free)
            } else {
                zero
            }
        }
        Free::Cone(mu) => {
            let (n, t) = (g[0], (g[1] * g[1] + g[2] * g[2]).sqrt());
            if n > 0.0 && t <= mu * n {
                return span(free);
            }
            if mu.is_infinite() {
                let normal = if n > 0.0 { 1.0 } else { 0.0 };
                return [[normal, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            }
            let a = (n + mu * t) / (1.0 + mu * mu);
            if a <= 0.0 {
                return zero;
            }
            // P = a (1, μ t̂), a = (n + μ|t|)/(1 + μ²).
            let unit = [g[1] / t, g[2] / t];
            let e = [1.0, mu * unit[0], mu * unit[1]];
            let across = [0.0, -unit[1], unit[0]];
            let turn = mu * a / t;
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| e[i] * e[j] / (1.0 + mu * mu) + turn * across[i] * across[j]))
        }
    }
}

/// Whether the free directions depend on each other: whether anything of a vector among them is left when Gᵀ of it is
/// taken away.
fn has_choice(system: &System, least: &mut Least) -> bool {
    // Any vector that nothing else is tuned to: a generator of fixed seed.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let project = |h: Response, x: Three| [0, 1, 2].map(|i| h[i][0] * x[0] + h[i][1] * x[1] + h[i][2] * x[2]);
    let probe: Vec<Three> =
        least.free.iter().map(|free| project(span(free), [random(), random(), random()])).collect();
    let joint_probe: Vec<f64> = (0..system.joints()).map(|_| random()).collect();
    let (mut left, mut joint_left) = (probe.clone(), joint_probe.clone());
    // Twice: the second time cleans what the regular term left of the first.
    for _ in 0..2 {
        push_true(
            system,
            (&left, &joint_left),
            (&mut least.pushed, &mut least.joint_pushed),
            &mut least.step,
        );
        system.solve(&mut least.step);
        for i in 0..system.contacts() {
            let rates = project(span(&least.free[i]), system.rates(i, &least.step));
            for k in 0..3 {
                left[i][k] -= rates[k] / system.scale[i];
            }
        }
        for i in 0..system.joints() {
            joint_left[i] -= system.joint_rate(i, &least.step) / system.joint_scale[i];
        }
    }
    let norm = |a: &[Three], b: &[f64]| a.iter().flatten().chain(b).map(|x| x * x).sum::<f64>();
    norm(&left, &joint_left) > SEEN * SEEN * norm(&probe, &joint_probe) / left.len().max(1) as f64
}

/// Gᵀ of true impulses of contacts and joints.
fn push_true(
    system: &System,
    (r, joint_r): (&[Three], &[f64]),
    (pushed, joint_pushed): (&mut Vec<Three>, &mut Vec<f64>),
    v: &mut Vec<Six>,
) {
    pushed.clear();
    pushed.extend(r.iter().zip(&system.scale).map(|(x, s)| x.map(|x| x / s)));
    joint_pushed.clear();
    joint_pushed.extend(joint_r.iter().zip(&system.joint_scale).map(|(x, s)| x / s));
    system.push(pushed, joint_pushed, v);
}

/// r = P(G y).
fn point(system: &System, least: &mut Least) {
    least.r.clear();
    for i in 0..system.contacts() {
        let g = system.rates(i, &least.y).map(|g| g / system.scale[i]);
        least.r.push(project(&least.free[i], &g));
    }
    least.joint_r.clear();
    least
        .joint_r
        .extend((0..system.joints()).map(|i| system.joint_rate(i, &least.y) / system.joint_scale[i]));
}

/// Φ, and its gradient into `gradient`; returns Φ and the largest of the gradient.
fn descend(system: &System, least: &mut Least) -> (f64, f64) {
    point(system, least);
    let Least { r, joint_r, pushed, joint_pushed, gradient, .. } = least;
    push_true(system, (r, joint_r), (pushed, joint_pushed), gradient);
    let mut phi = 0.5 * least.r.iter().flatten().chain(&least.joint_r).map(|r| r * r).sum::<f64>();
    let mut worst = 0.0_f64;
    for ((g, p), y) in
        least.gradient.iter_mut().flatten().zip(least.p.iter().flatten()).zip(least.y.iter().flatten())
    {
        phi -= p * y;
        *g -= p;
        worst = if g.is_nan() { f64::INFINITY } else { worst.max(g.abs()) };
    }
    (phi, worst)
}

/// Newton's method on Φ from the answer without cones.
fn solve_dual(system: &mut System, least: &mut Least, iterations: &mut usize) {
    let size = least.p.iter().flatten().fold(0.0, |m: f64, p| m.max(p.abs()));
    least.y.clone_from(&least.p);
    system.solve(&mut least.y);
    let (mut phi, mut error) = descend(system, least);
    let mut factored = least.responses.clone();
    for _ in 0..NEWTON_STEPS {
        // Forces that cancel leave the rounding of their own size.
        let pushed = least.pushed.iter().flatten().fold(0.0, |m: f64, p| m.max(p.abs()));
        if error <= MET * size + 4.0 * f64::EPSILON * pushed || meter::is_over() {
            break;
        }
        fill_responses(system, least, false);
        if least.responses != factored {
            system.factor(&least.responses, &least.joint_responses, REGULAR, true);
            factored.clone_from(&least.responses);
            *iterations += 1;
        }
        least.step.clone_from(&least.gradient);
        system.solve(&mut least.step);
        let slope: f64 = -least
            .step
            .iter()
            .flatten()
            .zip(least.gradient.iter().flatten())
            .map(|(s, g)| s * g)
            .sum::<f64>();
        least.start.clone_from(&least.y);
        let (mut length, mut better) = (1.0, false);
        for _ in 0..HALVINGS {
            for ((y, s), d) in least
                .y
                .iter_mut()
                .flatten()
                .zip(least.start.iter().flatten())
                .zip(least.step.iter().flatten())
            {
                *y = s - length * d;
            }
            let (new, worst) = descend(system, least);
            // Near the end Φ is all rounding, and the gradient decides: it must fall by half.
            let flat = (phi - new).abs() <= ROUNDED * phi.abs();
            if worst < 0.5 * error || (!flat && new <= phi + FALL * length * slope) {
                better = true;
                (phi, error) = (new, worst);
                break;
            }
            length *= 0.5;
        }
        if !better {
            least.y.clone_from(&least.start);
            break;
        }
    }
}
