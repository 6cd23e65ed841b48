//! Coulomb's law of many contacts at once, sparse: cost grows with the contacts, not with their square or cube.
//!
//! The problem is that of [`super::cone`], u = W r + q with the exact quadratic cone, given by bodies, contacts and joints;
//! the Delassus matrix W = J M⁻¹ Jᵀ is never formed. Everything is solved through the velocities of the bodies: a matrix of one 6×6
//! block for each body and each pair that touches, factored in an order of least fill.
//!
//! 1. *Newton's method* on the projection form of the law, from the impulses given, or from those that would keep every contact
//!    closed and still. Where modes are nearly right, or all contacts press, that is all: one to ten factorisations.
//! 2. Otherwise an *interior point* comes near from its own start, without regard to modes, and Newton's method ends it; where
//!    that fails, the interior point goes on to where modes are clearer.
//! 3. At last sweeps of the projection, and Newton's method again.
//!
//! A looser tolerance ([`solve_contacts_to`]) is reached sooner: where most impulses of the warm start are right already, only what
//! lies around the others is solved (`local`), and the interior point sets out from the start (`hurried`).
//!
//! Where contacts are redundant, impulses may be moved to those of least norm within their cones ([`Choice`]). All but
//! the sweeps treat contacts alike: an answer does not depend on their order beyond rounding.

mod factor;
mod hurried;
mod interior;
mod least;
mod local;
mod newton;
mod pattern;
mod problem;
mod sweep;
mod system;
mod tolerances;

pub use local::Trust;
pub use problem::{ContactProblem, ContactRows, JointRow, Mobility};

use super::{Outcome, Status};
use tolerances::{
    FIRST_RISE, FIRST_STEPS, INTERIOR_GAP, LATER_STEPS, LEAST_RISE, LOCAL, LOCAL_AIM, NEARER, NEAREST,
    NEARLY, PATHS, SOLVED, STALLED, STALLS, SWEEPS, WARM_STEPS,
};

/// Which impulses are wanted where the problem leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The least in norm within their cones, of those with the same velocities: some more factorisations.
    #[default]
    LeastNorm,
    /// As found: symmetric, but no norm is least. Whether they are unique is not asked.
    AsFound,
}

/// Buffers of [`solve_contacts`]; the order of elimination is kept while the same bodies touch.
#[derive(Debug, Clone, Default)]
pub struct SparseScratch {
    system: system::System,
    work: newton::Work,
    interior: interior::Interior,
    least: least::Least,
    local: local::Local,
    best: (Vec<[f64; 3]>, Vec<f64>),
}

impl SparseScratch {
    /// How well local solutions fared so far, with friction and without: it decides which are tried, and so belongs to the state of
    /// what is simulated.
    pub fn trust(&self) -> [Trust; 2] {
        self.local.trust
    }

    /// Sets it.
    pub fn set_trust(&mut self, trust: [Trust; 2]) {
        self.local.trust = trust;
    }
}

/// Solves the problem; `r` holds a start (zeros for none) and takes the impulses: three of each contact, then the joints'.
///
/// The residual is max |F| as [`super::cone::solve_cone`] measures it, joints' rates beside it: `Solved` is 1e-11 or less, or
/// what rounding of the forces allows (1e-10 for a light body under a million times its weight), or without joints up to 1e-9 what the
/// condition of the problem lets Newton's method come to in two attempts (contacts that are almost one, forces that only press against
/// each other).
/// `Infeasible`: impulses that only press against each other grow without end, so that bodies are squeezed; `r` is their
/// last. A number in the problem that is not finite (other than μ = ∞) ends in `OutOfIterations` with an infinite residual.
///
/// # Panics
/// When `r` has not one entry for each unknown, or a body does not exist.
pub fn solve_contacts(
    problem: &ContactProblem,
    choice: Choice,
    r: &mut [f64],
    scratch: &mut SparseScratch,
) -> Outcome {
    solve_contacts_to(SOLVED, problem, choice, r, scratch)
}

/// As [`solve_contacts`], for a residual of `enough`: what is smaller is not sought.
///
/// # Panics
/// As [`solve_contacts`].
pub fn solve_contacts_to(
    enough: f64,
    problem: &ContactProblem,
    choice: Choice,
    r: &mut [f64],
    scratch: &mut SparseScratch,
) -> Outcome {
    let (n, unknowns) = (problem.contacts.len(), problem.unknowns());
    assert!(r.len() == unknowns, "{} impulses for {unknowns} unknowns", r.len());
    scratch.system.fill(problem);
    let is_smooth = problem.contacts.iter().all(|contact| contact.friction == 0.0);
    let is_candidate =
        enough > SOLVED && n >= LOCAL && problem.joints.is_empty() && scratch.system.size > 0.0;
    if !is_candidate || !scratch.local.is_due(is_smooth) {
        return solve_whole(enough, choice, r, scratch);
    }
    scratch.work.enough = enough;
    read_start(scratch, r);
    let SparseScratch { system, work, local, .. } = scratch;
    let mut iterations = 0;
    let found = local::solve_part(problem, system, work, local, &mut iterations);
    write_impulses(scratch, r);
    let is_next = scratch.local.note(is_smooth, found.is_some());
    let Some(residual) = found else {
        let aim = if is_next { LOCAL_AIM * enough } else { enough };
        return solve_whole(aim, choice, r, scratch);
    };
    let status = if residual <= enough { Status::Solved } else { Status::OutOfIterations };
    Outcome { status, residual, iterations, unique: false }
}

/// Makes impulses `r` that are near a solution exact, and of least norm, by Newton's method and nothing else: the residual tells
/// whether they were near enough. They are no worse than before.
///
/// # Panics
/// As [`solve_contacts`].
pub fn improve_contacts(problem: &ContactProblem, r: &mut [f64], scratch: &mut SparseScratch) -> Outcome {
    let unknowns = problem.unknowns();
    assert!(r.len() == unknowns, "{} impulses for {unknowns} unknowns", r.len());
    scratch.system.fill(problem);
    scratch.work.enough = SOLVED;
    read_start(scratch, r);
    let SparseScratch { system, work, least, .. } = scratch;
    let (mut iterations, mut unique) = (0, true);
    let mut residual = newton::newton(system, work, LATER_STEPS, &mut iterations);
    if residual <= NEARLY {
        unique = !least::minimise_norm(system, work, least, &mut iterations);
        residual = newton::evaluate(system, work);
    }
    let status = if accepts(system, work, residual) { Status::Solved } else { Status::OutOfIterations };
    write_impulses(scratch, r);
    Outcome { status, residual, iterations, unique }
}

/// The same for all contacts at once; the system is that of the problem.
fn solve_whole(enough: f64, choice: Choice, r: &mut [f64], scratch: &mut SparseScratch) -> Outcome {
    scratch.work.enough = enough.max(SOLVED);
    let mut outcome = Outcome { status: Status::OutOfIterations, residual: 0.0, iterations: 0, unique: true };
    if scratch.system.size == 0.0 {
        r.fill(0.0);
        outcome.status = Status::Solved;
        return outcome;
    }
    read_start(scratch, r);
    let is_hurried = scratch.work.enough > SOLVED;
    let iterations = &mut outcome.iterations;
    (outcome.status, outcome.residual) =
        if is_hurried { hurried::search(scratch, iterations) } else { search(scratch, iterations) };
    if choice == Choice::LeastNorm && outcome.status == Status::Solved {
        let SparseScratch { system, work, least, .. } = scratch;
        outcome.unique = !least::minimise_norm(system, work, least, &mut outcome.iterations);
        outcome.residual = newton::evaluate(system, work);
    }
    write_impulses(scratch, r);
    outcome
}

/// The impulses found, in the units of the problem.
fn write_impulses(scratch: &SparseScratch, r: &mut [f64]) {
    let (system, work, n) = (&scratch.system, &scratch.work, scratch.system.contacts());
    for (i, value) in r.iter_mut().enumerate() {
        *value = if i < 3 * n {
            work.x[i / 3][i % 3] * system.scale[i / 3]
        } else {
            work.y[i - 3 * n] * system.joint_scale[i - 3 * n]
        };
    }
}

/// max |F| of impulses `r`, as [`solve_contacts`] measures it: the referee of tests.
#[doc(hidden)]
pub fn contact_residual(problem: &ContactProblem, r: &[f64]) -> f64 {
    let mut scratch = SparseScratch::default();
    scratch.system.fill(problem);
    read_start(&mut scratch, r);
    let residual = newton::evaluate(&scratch.system, &mut scratch.work);
    if residual.is_nan() { 0.0 } else { residual }
}

fn read_start(scratch: &mut SparseScratch, r: &[f64]) {
    let (system, work) = (&scratch.system, &mut scratch.work);
    let n = system.contacts();
    work.x.clear();
    work.x.extend((0..n).map(|i| [0, 1, 2].map(|k| r[3 * i + k] / system.scale[i])));
    work.y.clear();
    work.y.extend(system.joint_scale.iter().zip(&r[3 * n..]).map(|(s, r)| r / s));
    // A start that is not a number is none.
    if work.x.iter().flatten().chain(&work.y).any(|x| !x.is_finite()) {
        work.x.fill([0.0; 3]);
        work.y.fill(0.0);
    }
}

fn is_cold(work: &newton::Work) -> bool {
    work.x.iter().flatten().chain(&work.y).all(|&x| x == 0.0)
}

/// Whether a residual is what is asked for, or all that rounding allows.
fn accepts(system: &system::System, work: &newton::Work, residual: f64) -> bool {
    residual <= work.enough || residual <= newton::rounding(system, work)
}

/// Whether an attempt has come to an answer: to what is asked for, to what rounding allows or, near an answer, to what the condition of the
/// problem lets a second attempt of Newton's method come to. Joints are held more exactly than contacts.
fn ends(
    system: &mut system::System,
    work: &mut newton::Work,
    residual: &mut f64,
    iterations: &mut usize,
) -> bool {
    if accepts(system, work, *residual) {
        return true;
    }
    let is_near = *residual <= NEARLY && system.joints() == 0;
    if is_near {
        *residual = newton::newton(system, work, LATER_STEPS, iterations);
    }
    is_near
}

/// The three attempts in turn; leaves the best point in `work`.
fn search(scratch: &mut SparseScratch, iterations: &mut usize) -> (Status, f64) {
    let SparseScratch { system, work, interior, best, .. } = scratch;
    let cold = is_cold(work);
    if !cold {
        let mut least = newton::newton(system, work, WARM_STEPS, iterations);
        if ends(system, work, &mut least, iterations) {
            return (Status::Solved, least);
        }
    }
    newton::start_closed(system, work, iterations);
    let mut least = newton::newton(system, work, FIRST_STEPS, iterations);
    if ends(system, work, &mut least, iterations) {
        return (Status::Solved, least);
    }
    (best.0, best.1) = (work.x.clone(), work.y.clone());
    // Keeps the best; whether it will do, and its residual.
    let mut keep =
        |system: &mut system::System, work: &mut newton::Work, mut residual: f64, iterations: &mut usize| {
            let ends = ends(system, work, &mut residual, iterations);
            if residual < least {
                least = residual;
                (best.0, best.1) = (work.x.clone(), work.y.clone());
            }
            (ends, least)
        };
    let path = interior::follow(system, work, interior, iterations);
    if path == interior::Path::Diverged {
        let residual = newton::evaluate(system, work);
        return (Status::Infeasible, residual);
    }
    let residual = newton::newton(system, work, LATER_STEPS, iterations);
    let (mut solved, mut before) = keep(system, work, residual, iterations);
    let (mut aim, mut stalls) = (INTERIOR_GAP, 0);
    for attempt in 0..PATHS {
        // What is near an answer and comes no nearer has come to what the condition of the problem allows.
        if solved || stalls >= STALLED {
            break;
        }
        aim = (NEARER * aim).max(NEAREST);
        // Either way of treating slips makes progress where the other cycles.
        interior.follows_slips = attempt % 2 == 1;
        interior::follow_on(system, work, interior, aim, iterations);
        let residual = newton::newton(system, work, LATER_STEPS, iterations);
        let (is_solved, now) = keep(system, work, residual, iterations);
        stalls = if now <= NEARLY && now > STALLS * before { stalls + 1 } else { 0 };
        (solved, before) = (is_solved, now);
    }
    let goes_on = stalls < STALLED;
    if !solved && goes_on {
        let residual = raise_friction(system, work, interior, iterations);
        (solved, _) = keep(system, work, residual, iterations);
    }
    for _ in 0..3 {
        if solved || !goes_on {
            break;
        }
        sweep::sweep(system, work, SWEEPS);
        let residual = newton::newton(system, work, LATER_STEPS, iterations);
        (solved, _) = keep(system, work, residual, iterations);
    }
    (work.x, work.y) = (best.0.clone(), best.1.clone());
    let residual = newton::evaluate(system, work);
    (if solved { Status::Solved } else { Status::OutOfIterations }, residual)
}

/// Follows the solution while friction grows from nothing: μ(t) = t/(1/μ + 1 − t), t from 0 to 1, which is finite on the way
/// even where μ is not; returns the residual.
fn raise_friction(
    system: &mut system::System,
    work: &mut newton::Work,
    interior: &mut interior::Interior,
    iterations: &mut usize,
) -> f64 {
    let friction = system.friction.clone();
    system.friction.fill(0.0);
    interior::follow(system, work, interior, iterations);
    newton::newton(system, work, LATER_STEPS, iterations);
    let (mut t, mut step) = (0.0_f64, FIRST_RISE);
    let mut kept = (work.x.clone(), work.y.clone());
    while t < 1.0 && step >= LEAST_RISE {
        let next = (t + step).min(1.0);
        for (now, mu) in system.friction.iter_mut().zip(&friction) {
            *now = if next == 1.0 || *mu == 0.0 { *mu } else { next / (1.0 / mu + 1.0 - next) };
        }
        if newton::newton(system, work, WARM_STEPS, iterations) <= SOLVED {
            (t, step) = (next, 2.0 * step);
            kept = (work.x.clone(), work.y.clone());
        } else {
            step *= 0.25;
            (work.x, work.y) = (kept.0.clone(), kept.1.clone());
        }
    }
    system.friction = friction;
    newton::newton(system, work, LATER_STEPS, iterations)
}
