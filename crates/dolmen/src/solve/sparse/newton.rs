//! Newton's method for Coulomb's law written as a projection, through the velocities of the bodies.
//!
//! F of a contact is that of `cone`: a normal part and a projection onto a disc. Its derivative is A dx + B du, block by
//! block. With du = Ĵ dv + δ dx (δ pulls to the last impulses, for redundant contacts) each contact answers dx = −(c + H du), and
//! dv = Ĵᵀ dx closes the circle over the bodies:
//!
//! ```text
//! (1 + Ĵᵀ H Ĵ) dv = −Ĵᵀ c,      c = (A + δB)⁻¹ F,   H = (A + δB)⁻¹ B.
//! ```
//!
//! A normal that answers itself (a bound that is given, in the place of a contact) has 1 + δ for δ. The matrix is symmetric
//! unless a contact slides, and regular whatever the contacts are.

use super::super::tolerances::HALVINGS;
use super::factor::Six;
use super::system::{Response, System, Three};
use super::tolerances::OPERATIONS_PER_CONTACT;
use super::tolerances::{
    DAMPING, ENOUGH, FIRST_DAMPING, FLOOR, GAIN, KINK, LESS_DAMPING, NEAR, NEAR_STEPS, PART, ROUNDING,
    ROUNDS, SOLVED, STALLS,
};
use crate::math::work as meter;

/// Unknowns, velocities and F at them, and the buffers of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Scaled impulses of contacts, and of joint rows.
    pub(super) x: Vec<Three>,
    pub(super) y: Vec<f64>,
    /// Ĵᵀ x.
    pub(super) v: Vec<Six>,
    /// Ĵ v + q.
    pub(super) u: Vec<Three>,
    pub(super) joint_u: Vec<f64>,
    /// F at them.
    pub(super) f: Vec<Three>,
    modes: Vec<Mode>,
    /// Modes of the matrix factored last; none when that is another.
    factored: Option<Vec<Mode>>,
    /// δ, and the impulses from which it holds: rates are u + δ(x − anchor).
    pub(super) damping: f64,
    /// The residual that is asked for.
    pub(super) enough: f64,
    anchor: (Vec<Three>, Vec<f64>),
    c: Vec<Three>,
    joint_c: Vec<f64>,
    pub(super) responses: Vec<Response>,
    pub(super) joint_responses: Vec<f64>,
    dv: Vec<Six>,
    dx: Vec<Three>,
    dy: Vec<f64>,
    /// How rates change along a step.
    du: Vec<Three>,
    joint_du: Vec<f64>,
    start: (Vec<Three>, Vec<f64>),
    start_u: Vec<Three>,
    start_joint_u: Vec<f64>,
    best: (Vec<Three>, Vec<f64>),
}

/// Which piece of F a contact is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Open,
    /// Presses, without friction to speak of.
    Smooth,
    Stick,
    Slide,
}

/// A contact at x, u: its mode, the length of its pull τ, the direction of that and the radius of its disc.
struct Piece {
    mode: Mode,
    direction: [f64; 2],
    length: f64,
    radius: f64,
}

fn piece(system: &System, x: &Three, u: &Three, i: usize) -> Piece {
    let (rho, mu) = (system.tangent[i], system.friction[i]);
    let push = x[0] - u[0];
    let pull = [x[1] - rho * u[1], x[2] - rho * u[2]];
    let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
    let radius = if push > 0.0 && mu > 0.0 { mu * push } else { 0.0 };
    let direction = if length > 0.0 { pull.map(|p| p / length) } else { [0.0; 2] };
    // On the kink it presses: contacts within a stack that falls as one must depend on the floor at once.
    let mode = if push < -KINK * system.size {
        Mode::Open
    } else if radius == 0.0 {
        Mode::Smooth
    } else if length <= radius {
        Mode::Stick
    } else {
        Mode::Slide
    };
    Piece { mode, direction, length, radius }
}

/// F of a contact.
fn defect(system: &System, x: &Three, u: &Three, i: usize, p: &Piece) -> Three {
    let normal = if x[0] - u[0] > 0.0 { u[0] } else { x[0] };
    if p.mode == Mode::Stick {
        return [normal, system.tangent[i] * u[1], system.tangent[i] * u[2]];
    }
    [normal, x[1] - p.radius * p.direction[0], x[2] - p.radius * p.direction[1]]
}

/// Fills v, u and F of the problem as it stands; returns max |F| by its size.
pub(super) fn evaluate(system: &System, work: &mut Work) -> f64 {
    work.damping = 0.0;
    evaluate_near(system, work)
}

/// The same of the problem with δ: rates are u + δ(x − anchor).
fn evaluate_near(system: &System, work: &mut Work) -> f64 {
    let delta = work.damping;
    meter::count(OPERATIONS_PER_CONTACT * (system.contacts() + system.joints()) as u64);
    system.push(&work.x, &work.y, &mut work.v);
    work.u.clear();
    work.f.clear();
    work.modes.clear();
    work.joint_u.clear();
    let mut worst = 0.0_f64;
    let mut note = |value: f64| {
        // A NaN must not pass for a small residual.
        worst = if value.is_nan() { f64::INFINITY } else { worst.max(value.abs()) };
    };
    for i in 0..system.contacts() {
        let (rates, q) = (system.rates(i, &work.v), &system.q[i]);
        let own = system.own[i] * work.x[i][0];
        let mut u = [rates[0] + q[0] + own, rates[1] + q[1], rates[2] + q[2]];
        if delta > 0.0 {
            for k in 0..3 {
                u[k] += delta * (work.x[i][k] - work.anchor.0[i][k]);
            }
        }
        let p = piece(system, &work.x[i], &u, i);
        let f = defect(system, &work.x[i], &u, i, &p);
        f.into_iter().for_each(&mut note);
        work.u.push(u);
        work.f.push(f);
        work.modes.push(p.mode);
    }
    for i in 0..system.joints() {
        let mut u = system.joint_rate(i, &work.v) + system.joint_q[i];
        if delta > 0.0 {
            u += delta * (work.y[i] - work.anchor.1[i]);
        }
        note(u);
        work.joint_u.push(u);
    }
    worst / system.size
}

/// Σ F².
fn merit(work: &Work) -> f64 {
    work.f.iter().flatten().chain(&work.joint_u).map(|f| f * f).sum()
}

/// c and H of a contact. Sliding, with t the direction of τ, p across it and k = R/|τ|:
/// dF·t = dx·t − μ(dx_n − du_n), dF·p = (1 − k) dx·p + ρ k du·p.
fn respond(system: &System, work: &Work, i: usize) -> (Three, Response) {
    let damping = work.damping;
    let (f, rho, mu) = (&work.f[i], system.tangent[i], system.friction[i]);
    let p = piece(system, &work.x[i], &work.u[i], i);
    let mut h = [[0.0; 3]; 3];
    if p.mode == Mode::Open {
        return (*f, h);
    }
    // On the kink the value of F is that of either piece; the response is that of pressing.
    let own = damping + system.own[i];
    let mut c = [work.u[i][0] / own, f[1], f[2]];
    h[0][0] = 1.0 / own;
    if p.mode == Mode::Stick {
        for k in 1..3 {
            c[k] = f[k] / (rho * damping);
            h[k][k] = 1.0 / damping;
        }
    } else if p.mode == Mode::Slide {
        let (t, across) = (p.direction, [-p.direction[1], p.direction[0]]);
        let ratio = p.radius / p.length;
        let stiffness = 1.0 - ratio + rho * ratio * damping;
        let along = f[1] * t[0] + f[2] * t[1] + mu * (1.0 - own) * c[0];
        let beside = (f[1] * across[0] + f[2] * across[1]) / stiffness;
        let grow = mu * ((1.0 - own) * h[0][0] + 1.0);
        let turn = rho * ratio / stiffness;
        for k in 0..2 {
            c[1 + k] = along * t[k] + beside * across[k];
            h[1 + k][0] = grow * t[k];
            for l in 0..2 {
                h[1 + k][1 + l] = turn * across[k] * across[l];
            }
        }
    }
    (c, h)
}

/// Fills dx, dy, dv; factors only where that has changed. Returns whether it factored.
fn direction(system: &mut System, work: &mut Work) -> bool {
    let slides = work.modes.contains(&Mode::Slide);
    work.c.clear();
    work.responses.clear();
    for i in 0..system.contacts() {
        let (c, h) = respond(system, work, i);
        work.c.push(c);
        work.responses.push(h);
    }
    work.joint_c.clear();
    let damping = work.damping;
    work.joint_c.extend(work.joint_u.iter().map(|u| u / damping));
    // Without sliding H depends on the modes alone.
    let again = slides || work.factored.as_ref() != Some(&work.modes);
    if again {
        system.factor(&work.responses, &work.joint_responses, 1.0, !slides);
        work.factored = Some(work.modes.clone());
    }
    solve_step(system, work);
    again
}

/// dv, dx and dy from c, H and the factors.
fn solve_step(system: &System, work: &mut Work) {
    system.push(&work.c, &work.joint_c, &mut work.dv);
    for v in work.dv.iter_mut().flatten() {
        *v = -*v;
    }
    system.solve(&mut work.dv);
    let damping = work.damping;
    work.dx.clear();
    work.du.clear();
    for (i, (c, h)) in work.c.iter().zip(&work.responses).enumerate() {
        let du = system.rates(i, &work.dv);
        let row = |k: usize| -(c[k] + h[k][0] * du[0] + h[k][1] * du[1] + h[k][2] * du[2]);
        let dx = [row(0), row(1), row(2)];
        let own = damping + system.own[i];
        work.du.push([du[0] + own * dx[0], du[1] + damping * dx[1], du[2] + damping * dx[2]]);
        work.dx.push(dx);
    }
    work.dy.clear();
    work.joint_du.clear();
    for (i, c) in work.joint_c.iter().enumerate() {
        let du = system.joint_rate(i, &work.dv);
        let dy = -(c + du / damping);
        work.joint_du.push(du + damping * dy);
        work.dy.push(dy);
    }
}

/// Newton's method from `work.x` with at most `steps` factorisations; leaves the best point there and returns its residual.
///
/// Rounds of problems with δ, each solved from the impulses of the last, with less δ: every one has a single answer, the
/// nearest to those, so that redundant contacts do not lead Newton's method astray. [Rockafellar 1976, the proximal point]
pub(super) fn newton(system: &mut System, work: &mut Work, steps: usize, iterations: &mut usize) -> f64 {
    let mut least = evaluate(system, work);
    if least <= work.enough {
        return least;
    }
    // More than is asked for is had at little cost as long as steps gain much; where little is asked for it is enough.
    let enough = if work.enough > SOLVED { work.enough } else { ENOUGH };
    keep(work);
    // What was factored last is another matrix.
    work.factored = None;
    let (mut left, mut solved, mut delta, mut stalled) = (steps, SOLVED, FIRST_DAMPING, 0);
    let mut before = least;
    for _ in 0..ROUNDS {
        if left == 0 || least <= enough || meter::is_over() {
            break;
        }
        work.anchor.0.clone_from(&work.x);
        work.anchor.1.clone_from(&work.y);
        work.damping = delta;
        solve_near(system, work, &mut left, iterations);
        let residual = evaluate(system, work);
        if residual < NEAR {
            solved = SOLVED.max(rounding(system, work));
        }
        stalled = if residual <= STALLS * least { 0 } else { stalled + 1 };
        if residual < least {
            least = residual;
            keep(work);
        }
        if least <= solved && stalled >= 2 {
            break;
        }
        // As long as a round gains enough, the same δ and its factors serve the next; where contacts slide there are none.
        let slides = work.modes.contains(&Mode::Slide);
        if (slides || residual > GAIN * before) && delta > DAMPING {
            delta = (delta * LESS_DAMPING).max(DAMPING);
            work.factored = None;
        }
        before = residual;
    }
    work.x.clone_from(&work.best.0);
    work.y.clone_from(&work.best.1);
    evaluate(system, work)
}

/// The problem with δ, by Newton's method with a line search, until it is solved to rounding or `left` factorisations are
/// used up.
fn solve_near(system: &mut System, work: &mut Work, left: &mut usize, iterations: &mut usize) {
    let mut residual = evaluate_near(system, work);
    work.joint_responses.clear();
    work.joint_responses.resize(system.joints(), 1.0 / work.damping);
    // The merit may rise above its last value, but not above the largest of the last few.
    let mut recent = [f64::INFINITY; 3];
    for round in 0..NEAR_STEPS {
        // The round itself leaves δ(x − anchor): more than a part of that is not worth solving for.
        if residual <= FLOOR || (round > 0 && residual <= PART * pull(system, work)) || meter::is_over() {
            return;
        }
        recent[round % 3] = merit(work);
        let allowed = recent.iter().filter(|m| m.is_finite()).fold(0.0, |a: f64, &m| a.max(m));
        if direction(system, work) {
            if *left == 0 {
                return;
            }
            *left -= 1;
        }
        *iterations += 1;
        let before = residual;
        if !search_line(system, work, allowed, &mut residual) {
            return;
        }
        // At the floor of rounding it stops to fall.
        if residual <= SOLVED && residual > STALLS * before {
            return;
        }
    }
}

/// The largest of δ(x − anchor), by the size of the problem.
fn pull(system: &System, work: &Work) -> f64 {
    let contacts = work.x.iter().flatten().zip(work.anchor.0.iter().flatten());
    let joints = work.y.iter().zip(&work.anchor.1);
    let far = contacts.chain(joints).fold(0.0, |m: f64, (x, a)| m.max((x - a).abs()));
    work.damping * far / system.size
}

/// The rounding of the rates at the present impulses, as a residual: what forces that cancel leave, each rounded.
///
/// A light body between heavy ones has rates that are the small difference of large terms; nothing gets below this.
pub(super) fn rounding(system: &System, work: &Work) -> f64 {
    let mut sizes = vec![[0.0; 6]; system.bodies];
    for i in 0..system.contacts() {
        for k in 0..3 {
            system.nudge_size(i, k, work.x[i][k], &mut sizes);
        }
    }
    for i in 0..system.joints() {
        system.nudge_joint_size(i, work.y[i], &mut sizes);
    }
    let largest = (0..system.contacts()).fold(0.0, |m: f64, i| m.max(system.rate_size(i, &sizes)));
    ROUNDING * f64::EPSILON * largest / system.size
}

/// Starts from the impulses that would keep every contact closed, and still where it has friction: where that is in all
/// cones it is the answer.
pub(super) fn start_closed(system: &mut System, work: &mut Work, iterations: &mut usize) {
    *iterations += 1;
    work.damping = DAMPING;
    work.responses.clear();
    work.c.clear();
    for ((q, &mu), own) in system.q.iter().zip(&system.friction).zip(&system.own) {
        let (h, normal) = (1.0 / DAMPING, 1.0 / (DAMPING + own));
        let rub = if mu > 0.0 { h } else { 0.0 };
        work.responses.push([[normal, 0.0, 0.0], [0.0, rub, 0.0], [0.0, 0.0, rub]]);
        work.c.push([normal * q[0], rub * q[1], rub * q[2]]);
    }
    work.joint_responses.clear();
    work.joint_responses.resize(system.joints(), 1.0 / DAMPING);
    work.joint_c.clear();
    work.joint_c.extend(system.joint_q.iter().map(|q| q / DAMPING));
    system.factor(&work.responses, &work.joint_responses, 1.0, true);
    solve_step(system, work);
    work.x.clone_from(&work.dx);
    work.y.clone_from(&work.dy);
}

fn keep(work: &mut Work) {
    work.best.0.clone_from(&work.x);
    work.best.1.clone_from(&work.y);
}

/// Halves the step until the merit falls below `allowed`; false when it never does.
fn search_line(system: &System, work: &mut Work, allowed: f64, residual: &mut f64) -> bool {
    /// Part of the step by which the merit must fall [Armijo].
    const FALL: f64 = 1e-4;
    work.start.0.clone_from(&work.x);
    work.start.1.clone_from(&work.y);
    work.start_u.clone_from(&work.u);
    work.start_joint_u.clone_from(&work.joint_u);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let enough = allowed * (1.0 - FALL * length);
        if seems_good(system, work, length, enough) {
            take_step(work, length);
            *residual = evaluate_near(system, work);
            if merit(work) <= enough || *residual <= FLOOR {
                return true;
            }
        }
        length *= 0.5;
    }
    false
}

/// x and y at this part of the step.
fn take_step(work: &mut Work, length: f64) {
    for ((x, s), d) in
        work.x.iter_mut().flatten().zip(work.start.0.iter().flatten()).zip(work.dx.iter().flatten())
    {
        *x = s + length * d;
    }
    for ((x, s), d) in work.y.iter_mut().zip(&work.start.1).zip(&work.dy) {
        *x = s + length * d;
    }
}

/// Whether the merit at this part of the step is `enough`, with rates as the step says they change: right but for rounding,
/// and without the bodies.
fn seems_good(system: &System, work: &Work, length: f64, enough: f64) -> bool {
    /// What rounding may hide.
    const SLACK: f64 = 1e-6;
    let at = |s: f64, d: f64| s + length * d;
    let (mut sum, mut worst) = (0.0, 0.0_f64);
    for i in 0..system.contacts() {
        let (x, dx) = (&work.start.0[i], &work.dx[i]);
        let (u, du) = (&work.start_u[i], &work.du[i]);
        let x = [at(x[0], dx[0]), at(x[1], dx[1]), at(x[2], dx[2])];
        let u = [at(u[0], du[0]), at(u[1], du[1]), at(u[2], du[2])];
        let f = defect(system, &x, &u, i, &piece(system, &x, &u, i));
        sum += f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        worst = worst.max(f[0].abs()).max(f[1].abs()).max(f[2].abs());
    }
    for (u, du) in work.start_joint_u.iter().zip(&work.joint_du) {
        let u = at(*u, *du);
        sum += u * u;
        worst = worst.max(u.abs());
    }
    sum <= enough * (1.0 + SLACK) || worst <= 2.0 * FLOOR * system.size
}
