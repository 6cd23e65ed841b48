//! An interior point for the same problem: it needs no start and no luck, and comes near the answer in some twenty steps.
//!
//! With y = (μ r_n, r_t) and z = (u_n/μ + |u_t|, u_t) Coulomb's law is complementarity in the cone |·_t| ≤ ·_n: y and z
//! inside it and y·z = 0 [De Saxcé, Feng 1998]. |u_t| is taken from the step before, which leaves a convex problem, for
//! which Nesterov's and Todd's scaled steps with Mehrotra's correction are taken; the shift follows as they converge, or, near
//! the answer, its derivative is part of the step: dz_n = du_n/μ + t·du_t, t the direction of the slip. Each
//! contact answers dx = g − H du with H = S P S, P the quadratic form of the scaling, so that the matrix over the bodies
//! is 1 + Ĵᵀ H Ĵ: symmetric and positive definite. Where forces are a choice the path leads to the middle of it. A normal that
//! answers itself, du_n = dx_n beside the bodies, has (P⁻¹ + diag(1, 0, 0))⁻¹ = P − p pᵀ/(1 + p_n) for P, p its first column.

use super::factor::Six;
use super::newton::{Work, evaluate};
use super::system::{Response, System, Three};
use super::tolerances::{
    AIM, CRUDE, DAMPING, HURRIED, INTERIOR_GAP, INTERIOR_STEPS, KEEP, KEEP_FOLLOWING, LARGEST_FRICTION,
    NEAREST_START, PATIENT, SOLVED, STAY_INSIDE,
};
use crate::math::work as meter;

/// How the path ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// Near an answer, or as near as it came.
    Ended,
    /// Forces grow without end against each other: bodies are squeezed.
    Diverged,
}

/// Buffers of [`follow`].
#[derive(Debug, Clone, Default)]
pub(super) struct Interior {
    y: Vec<Three>,
    z: Vec<Three>,
    /// Of joint rows.
    joint_y: Vec<f64>,
    scalings: Vec<Scaling>,
    /// Whether steps follow how |u_t| changes; else it is that of the step before.
    pub(super) follows_slips: bool,
    /// Directions of slips where they do, else zero.
    slips: Vec<[f64; 2]>,
    /// z − z(u).
    defect: Vec<Three>,
    g: Vec<Three>,
    joint_g: Vec<f64>,
    dv: Vec<Six>,
    dy: Vec<Three>,
    dz: Vec<Three>,
    correction: Vec<Three>,
}

/// Nesterov's and Todd's scaling T of a contact: T z = T⁻¹ y = λ. With dim 1 (no friction) all but the first is zero.
#[derive(Debug, Clone, Copy)]
struct Scaling {
    dim: usize,
    eta: f64,
    /// The scaling point, on the unit hyperboloid.
    w: Three,
    lambda: Three,
}

/// x₀² − |x₁|².
fn minor(x: &Three) -> f64 {
    let tangent = (x[1] * x[1] + x[2] * x[2]).sqrt();
    (x[0] - tangent) * (x[0] + tangent)
}

fn dot(a: &Three, b: &Three) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Scaling {
    fn new(dim: usize, y: &Three, z: &Three) -> Self {
        if dim == 1 {
            let eta = (y[0] / z[0]).sqrt();
            return Self { dim, eta, w: [1.0, 0.0, 0.0], lambda: [(y[0] * z[0]).sqrt(), 0.0, 0.0] };
        }
        let (ry, rz) = (minor(y).max(f64::MIN_POSITIVE).sqrt(), minor(z).max(f64::MIN_POSITIVE).sqrt());
        let (yb, zb) = (y.map(|x| x / ry), z.map(|x| x / rz));
        let gamma = (0.5 * (1.0 + dot(&yb, &zb))).sqrt();
        let w = [yb[0] + zb[0], yb[1] - zb[1], yb[2] - zb[2]].map(|x| x / (2.0 * gamma));
        let mut scaling = Self { dim, eta: (ry / rz).sqrt(), w, lambda: [0.0; 3] };
        scaling.lambda = scaling.apply(z);
        scaling
    }

    /// T x.
    fn apply(&self, x: &Three) -> Three {
        self.product(x, 1.0, self.eta)
    }

    /// T⁻¹ x.
    fn apply_inverse(&self, x: &Three) -> Three {
        self.product(x, -1.0, 1.0 / self.eta)
    }

    fn product(&self, x: &Three, sign: f64, eta: f64) -> Three {
        if self.dim == 1 {
            return [eta * x[0], 0.0, 0.0];
        }
        let w = [self.w[0], sign * self.w[1], sign * self.w[2]];
        let along = w[1] * x[1] + w[2] * x[2];
        let share = x[0] + along / (1.0 + w[0]);
        [w[0] * x[0] + along, x[1] + share * w[1], x[2] + share * w[2]].map(|c| eta * c)
    }

    /// T² = η²(2 w wᵀ − diag(1, −1, −1)).
    fn square(&self) -> Response {
        let (e, w) = (self.eta * self.eta, &self.w);
        let mut p = [[0.0; 3]; 3];
        if self.dim == 1 {
            p[0][0] = e;
            return p;
        }
        for i in 0..3 {
            for j in 0..3 {
                let unit = if i != j {
                    0.0
                } else if i == 0 {
                    -1.0
                } else {
                    1.0
                };
                p[i][j] = e * (2.0 * w[i] * w[j] + unit);
            }
        }
        p
    }

    /// (1 + T² diag(1, 0, 0))⁻¹ x: of a normal that answers itself, with μ = 1.
    fn answer_itself(&self, x: &Three) -> Three {
        let first = self.apply(&self.apply(&[1.0, 0.0, 0.0]));
        let along = x[0] / (1.0 + first[0]);
        [x[0] - first[0] * along, x[1] - first[1] * along, x[2] - first[2] * along]
    }

    /// T (λ \ d), λ \ d the solution x of λ∘x = d.
    fn divide(&self, d: &Three) -> Three {
        let l = &self.lambda;
        if self.dim == 1 {
            return self.apply(&[d[0] / l[0], 0.0, 0.0]);
        }
        let first = (l[0] * d[0] - l[1] * d[1] - l[2] * d[2]) / minor(l).max(f64::MIN_POSITIVE);
        self.apply(&[first, (d[1] - first * l[1]) / l[0], (d[2] - first * l[2]) / l[0]])
    }
}

/// x∘y.
fn circle(x: &Three, y: &Three) -> Three {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// How far x + α d stays in the cone.
fn reach(dim: usize, x: &Three, d: &Three) -> f64 {
    if dim == 1 {
        return if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    }
    let (a, c) = (d[0] * d[0] - d[1] * d[1] - d[2] * d[2], minor(x));
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let square = b * b - a * c;
    if square < 0.0 {
        return f64::INFINITY;
    }
    let q = -(b + if b >= 0.0 { square.sqrt() } else { -square.sqrt() });
    let roots = [q / a, c / q];
    roots.into_iter().filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min)
}

/// μ within the method; S = diag(1/μ, 1, 1), or the identity without friction.
fn friction(system: &System, i: usize) -> (usize, f64) {
    let mu = system.friction[i].min(LARGEST_FRICTION);
    if mu > 0.0 { (3, 1.0 / mu) } else { (1, 1.0) }
}

/// Follows the path from its middle to a mean product of [`INTERIOR_GAP`], and leaves the impulses in `work.x`, `work.y`.
pub(super) fn follow(
    system: &mut System,
    work: &mut Work,
    path: &mut Interior,
    iterations: &mut usize,
) -> Path {
    let n = system.contacts();
    let middle = [system.size, 0.0, 0.0];
    path.y.clear();
    path.y.resize(n, middle);
    path.z.clear();
    path.z.resize(n, middle);
    begin(work, path);
    follow_on(system, work, path, aim_of(work), iterations)
}

/// The same from near the impulses in `work`, of which the residual is given: half as many steps.
pub(super) fn follow_from(
    system: &mut System,
    work: &mut Work,
    path: &mut Interior,
    residual: f64,
    iterations: &mut usize,
) -> Path {
    evaluate(system, work);
    // Inside of all cones by about as much as the start is off.
    let inside = residual.clamp(NEAREST_START, 1.0) * system.size;
    path.y.clear();
    path.z.clear();
    for (i, (x, u)) in work.x.iter().zip(&work.u).enumerate() {
        let (dim, s) = friction(system, i);
        let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
        let (mut y, mut z) = if dim == 1 {
            ([x[0], 0.0, 0.0], [u[0], 0.0, 0.0])
        } else {
            ([x[0] / s, x[1], x[2]], [s * u[0] + slip, u[1], u[2]])
        };
        for at in [&mut y, &mut z] {
            at[0] = at[0].max((at[1] * at[1] + at[2] * at[2]).sqrt()) + inside;
        }
        path.y.push(y);
        path.z.push(z);
    }
    begin(work, path);
    follow_on(system, work, path, aim_of(work), iterations)
}

fn begin(work: &mut Work, path: &mut Interior) {
    work.y.fill(0.0);
    path.joint_y.clone_from(&work.y);
    path.follows_slips = false;
}

/// The mean product to go for. One of g leaves a residual of √g where neither the force nor its gap is clearly the one that
/// vanishes.
fn aim_of(work: &Work) -> f64 {
    let crude = if work.enough >= CRUDE { work.enough * work.enough } else { INTERIOR_GAP };
    crude.min(INTERIOR_GAP)
}

/// Follows the path on from where it ended, to a mean product of `aim`, by the square of the size.
pub(super) fn follow_on(
    system: &mut System,
    work: &mut Work,
    path: &mut Interior,
    aim: f64,
    iterations: &mut usize,
) -> Path {
    let n = system.contacts();
    work.y.clone_from(&path.joint_y);
    work.joint_responses.clear();
    work.joint_responses.resize(system.joints(), 1.0 / DAMPING);
    let mut short = 0;
    for round in 0..INTERIOR_STEPS {
        write_back(system, work, &path.y);
        let residual = evaluate(system, work);
        let is_near = work.enough > SOLVED && round >= PATIENT && residual <= HURRIED * work.enough;
        if residual <= work.enough || is_near || meter::is_over() {
            break;
        }
        let (gap, defect) = prepare(system, work, path);
        let size = system.size;
        let joints = work.joint_u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        if gap <= aim * size * size && defect.max(joints) <= INTERIOR_GAP.min(aim.sqrt()) * size {
            break;
        }
        if !gap.is_finite() || short >= 4 {
            break;
        }
        *iterations += 1;
        fill_responses(system, work, path);
        system.factor(&work.responses, &work.joint_responses, 1.0, !path.follows_slips);
        // Straight for the boundary first; what that misses is corrected.
        path.correction.clear();
        path.correction.extend(path.y.iter().map(|y| y.map(|c| -c)));
        step(system, work, path);
        let affine = longest(system, path).min(1.0);
        let centring = (1.0 - affine) * (1.0 - affine) * (1.0 - affine) * gap;
        let keep = match path.follows_slips {
            // With a loose tolerance a path that may end in no numbers is faster; its status says so.
            _ if work.enough > SOLVED => 0.0,
            true => KEEP_FOLLOWING,
            false => KEEP,
        };
        let kept = (keep * defect * size).min(gap);
        let centring = centring.max(AIM * aim * size * size).max(kept);
        for i in 0..n {
            let t = &path.scalings[i];
            let second = circle(&t.apply_inverse(&path.dy[i]), &t.apply(&path.dz[i]));
            let first = circle(&t.lambda, &t.lambda);
            let mut d = [centring - first[0] - second[0], -first[1] - second[1], -first[2] - second[2]];
            if t.dim == 1 {
                (d[1], d[2]) = (0.0, 0.0);
            }
            path.correction[i] = t.divide(&d);
        }
        step(system, work, path);
        let length = (STAY_INSIDE * longest(system, path)).min(1.0);
        if length.is_nan() || length <= 0.0 {
            break;
        }
        short = if length < 1e-3 { short + 1 } else { 0 };
        advance(system, work, path, length);
    }
    path.joint_y.clone_from(&work.y);
    write_back(system, work, &path.y);
    evaluate(system, work);
    if squeezed(system, work) { Path::Diverged } else { Path::Ended }
}

/// H of each contact: S P S, or S P (S + e_n tᵀ) where steps follow slips.
fn fill_responses(system: &System, work: &mut Work, path: &Interior) {
    work.responses.clear();
    for (i, scaling) in path.scalings.iter().enumerate() {
        let (_, s) = friction(system, i);
        let p = scaling.square();
        let mut h = p;
        if system.own[i] > 0.0 {
            for (row, first) in h.iter_mut().zip(&p) {
                for (value, along) in row.iter_mut().zip(&p[0]) {
                    *value -= first[0] * along / (1.0 + p[0][0]);
                }
            }
        }
        for row in &mut h {
            row[1] += row[0] * path.slips[i][0];
            row[2] += row[0] * path.slips[i][1];
        }
        for k in 0..3 {
            h[0][k] *= s;
            h[k][0] *= s;
        }
        work.responses.push(h);
    }
}

/// x = S y.
fn write_back(system: &System, work: &mut Work, y: &[Three]) {
    for (i, y) in y.iter().enumerate() {
        let (dim, s) = friction(system, i);
        work.x[i] = if dim == 1 { [y[0], 0.0, 0.0] } else { [s * y[0], y[1], y[2]] };
    }
}

/// Scalings and defects at the present point; returns the mean of y·z and the largest defect.
fn prepare(system: &System, work: &Work, path: &mut Interior) -> (f64, f64) {
    path.scalings.clear();
    path.defect.clear();
    path.slips.clear();
    let (mut gap, mut worst) = (0.0, 0.0_f64);
    for i in 0..system.contacts() {
        let ((dim, s), u) = (friction(system, i), &work.u[i]);
        let (y, z) = (&path.y[i], &path.z[i]);
        path.scalings.push(Scaling::new(dim, y, z));
        let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
        let follows = path.follows_slips && dim == 3 && slip > 0.0;
        path.slips.push(if follows { [u[1] / slip, u[2] / slip] } else { [0.0; 2] });
        let defect = if dim == 1 {
            [z[0] - u[0], 0.0, 0.0]
        } else {
            [z[0] - s * u[0] - slip, z[1] - u[1], z[2] - u[2]]
        };
        gap += if dim == 1 { y[0] * z[0] } else { dot(y, z) };
        worst = defect.iter().fold(worst, |m, d| m.max(d.abs()));
        path.defect.push(defect);
    }
    (gap / system.contacts().max(1) as f64, worst)
}

/// The step for dy + T² dz = `correction`, dz = S du − defect, dv = Ĵᵀ S dy.
fn step(system: &System, work: &mut Work, path: &mut Interior) {
    path.g.clear();
    for (i, scaling) in path.scalings.iter().enumerate() {
        let (dim, s) = friction(system, i);
        let pushed = scaling.apply(&scaling.apply(&path.defect[i]));
        let c = &path.correction[i];
        let g = [0, 1, 2].map(|k| c[k] + pushed[k]);
        let g = if system.own[i] > 0.0 { scaling.answer_itself(&g) } else { g };
        path.g.push(if dim == 1 { [g[0], 0.0, 0.0] } else { [s * g[0], g[1], g[2]] });
    }
    path.joint_g.clear();
    path.joint_g.extend(work.joint_u.iter().map(|u| -u / DAMPING));
    system.push(&path.g, &path.joint_g, &mut path.dv);
    system.solve(&mut path.dv);
    path.dy.clear();
    path.dz.clear();
    for (i, scaling) in path.scalings.iter().enumerate() {
        let ((dim, s), du) = (friction(system, i), system.rates(i, &path.dv));
        let d = &path.defect[i];
        let mut dz =
            if dim == 1 { [du[0] - d[0], 0.0, 0.0] } else { [s * du[0] - d[0], du[1] - d[1], du[2] - d[2]] };
        dz[0] += path.slips[i][0] * du[1] + path.slips[i][1] * du[2];
        let (pushed, c) = (scaling.apply(&scaling.apply(&dz)), &path.correction[i]);
        let mut dy = [c[0] - pushed[0], c[1] - pushed[1], c[2] - pushed[2]];
        if system.own[i] > 0.0 {
            dy = scaling.answer_itself(&dy);
            dz[0] += s * s * dy[0];
        }
        path.dz.push(dz);
        path.dy.push(dy);
    }
}

/// The longest step within all cones.
fn longest(system: &System, path: &Interior) -> f64 {
    let mut length = f64::INFINITY;
    for i in 0..system.contacts() {
        let (dim, _) = friction(system, i);
        length = length.min(reach(dim, &path.y[i], &path.dy[i])).min(reach(dim, &path.z[i], &path.dz[i]));
    }
    length
}

fn advance(system: &System, work: &mut Work, path: &mut Interior, length: f64) {
    for i in 0..path.y.len() {
        for k in 0..3 {
            path.y[i][k] += length * path.dy[i][k];
            path.z[i][k] += length * path.dz[i][k];
        }
    }
    for (i, (y, u)) in work.y.iter_mut().zip(&work.joint_u).enumerate() {
        *y -= length * (u + system.joint_rate(i, &path.dv)) / DAMPING;
    }
}

/// Whether the impulses prove that there is no answer: Ĵᵀ x vanishes beside them while q·x < 0.
fn squeezed(system: &System, work: &Work) -> bool {
    /// Cancellation beyond which impulses only press against each other.
    const CANCELS: f64 = 1e-7;
    let largest = work.x.iter().flatten().chain(&work.y).fold(0.0, |m: f64, x| m.max(x.abs()));
    let moved = work.v.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    // A bound that is given presses against nothing.
    let pressed = |((x, q), own): ((&Three, &Three), &f64)| if *own > 0.0 { 0.0 } else { dot(x, q) };
    let mut falls: f64 = work.x.iter().zip(&system.q).zip(&system.own).map(pressed).sum();
    falls += work.y.iter().zip(&system.joint_q).map(|(y, q)| y * q).sum::<f64>();
    let count = (work.x.len() + work.y.len()) as f64;
    moved <= CANCELS * largest && falls < -1e-3 * largest * system.size / count.max(1.0)
}
