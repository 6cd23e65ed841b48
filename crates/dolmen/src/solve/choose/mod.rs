//! One entry point to all solvers of contact forces: which is taken is a choice of the user.
//!
//! | name | friction | forces where there is a choice | for | fails |
//! |---|---|---|---|---|
//! | `complementarity` | quadratic cone | least norm | everything, any size: the next two as they fit | – |
//! | `cone` | quadratic cone | least norm | few contacts, dense; a referee | cost grows with the cube of the contacts |
//! | `sparse` | quadratic cone | least norm | many contacts | a few problems of few bodies with strong friction |
//! | `lemke` | cone of a stated number of sides | a corner of the choice | a second opinion; up to a hundred contacts | friction depends on the heading by 1 − cos(π/sides) |
//! | `quadratic` | none | least norm | the quadratic program of the notes | friction is ignored |
//! | `linear` | none | a corner of the choice, least sum | the algorithm of the paper | where its guess of the contacts that vanish is wrong its forces are approximate, and it says so |

mod linear;
mod lemke;
mod normal;
mod quadratic;

use super::cone::{ConeProblem, ConeScratch, solve_cone};
use super::lcp::{PsdScratch, solve_lcp_psd};
use super::sparse::{Choice, ContactProblem, SparseScratch, solve_contacts};
use super::{Outcome, Square, Status};

/// Up to this number of contacts without joints the dense solver has the better of it.
const DENSE: usize = 6;

/// Beyond this number of contacts the dense solver takes longer than it is worth.
const RESCUE: usize = 40;

/// Which solver finds the forces of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactSolver {
    /// Coulomb's law with its exact cone, by Newton's method and an interior point; sparse.
    #[default]
    Complementarity,
    /// The same law by the dense solver alone.
    Cone,
    /// The same law by the sparse solver alone.
    Sparse,
    /// Lemke's pivots; friction by a cone of so many sides, at least 3 (4 and more in even numbers are symmetric).
    Lemke {
        /// Sides of the cone.
        sides: usize,
    },
    /// min fᵀ(A f + b) with f ≥ 0 and A f + b ≥ 0, without friction.
    Quadratic,
    /// The linear programs of the paper, without friction.
    Linear,
}

impl ContactSolver {
    /// The sides of Lemke's cone when nothing is said: friction is right within 8 %.
    pub const SIDES: usize = 8;

    /// The most that make sense: its tableau grows with them, and friction is right within 0.2 %.
    pub const MOST_SIDES: usize = 64;

    /// The solver of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "complementarity" => Some(Self::Complementarity),
            "cone" => Some(Self::Cone),
            "sparse" => Some(Self::Sparse),
            "lemke" => Some(Self::Lemke { sides: Self::SIDES }),
            "quadratic" => Some(Self::Quadratic),
            "linear" => Some(Self::Linear),
            _ => None,
        }
    }

    /// Whether it knows friction.
    pub fn takes_friction(self) -> bool {
        !matches!(self, Self::Quadratic | Self::Linear)
    }

    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complementarity => "complementarity",
            Self::Cone => "cone",
            Self::Sparse => "sparse",
            Self::Lemke { .. } => "lemke",
            Self::Quadratic => "quadratic",
            Self::Linear => "linear",
        }
    }
}

/// What a solver has to say about the forces beside their residual.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Note {
    /// They obey the law as it stands.
    #[default]
    Exact,
    /// Friction obeys a cone of so many sides.
    Sides(usize),
    /// Friction was ignored though there is some.
    WithoutFriction,
    /// The linear program guessed rightly that so many contacts vanish.
    Vanishing(usize),
    /// The library of linear programs found no forces though there are some: an active set did.
    Mended,
    /// The linear program guessed wrongly: its forces keep bodies apart but push some that part already. `excess` is Σ f·d̈ over the
    /// contacts, zero for right forces: half of its product with t² is the energy that they add in a short time t. \[PAPER, section on
    /// incorrect predictions\]
    ApproximateForces {
        /// Σ f·d̈, W/s; of impulses Σ j·v⁺, J.
        excess: f64,
    },
}

/// What [`solve_forces`] says of the forces that it wrote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Status, residual of the law that the solver obeys, iterations, uniqueness.
    pub outcome: Outcome,
    /// Which law that is.
    pub note: Note,
}

/// Buffers of [`solve_forces`].
#[derive(Debug, Clone, Default)]
pub struct SolverScratch {
    sparse: SparseScratch,
    cone: ConeScratch,
    reduced: normal::Reduced,
    lemke: lemke::Pyramid,
    quadratic: PsdScratch,
}

/// Finds the forces of contacts and joints by the solver chosen; `r` holds a start (used by `complementarity`) and takes
/// them, three of each contact and then one of each joint row.
///
/// # Panics
/// When `r` has not one entry for each unknown, a body does not exist, Lemke's cone has fewer than 3 sides, or `cone` is given
/// joints.
pub fn solve_forces(
    solver: ContactSolver,
    problem: &ContactProblem,
    r: &mut [f64],
    scratch: &mut SolverScratch,
) -> Answer {
    assert!(r.len() == problem.unknowns(), "{} forces for {} unknowns", r.len(), problem.unknowns());
    let rubs = problem.contacts.iter().any(|c| c.friction > 0.0);
    let frictionless = if rubs { Note::WithoutFriction } else { Note::Exact };
    match solver {
        ContactSolver::Complementarity => {
            Answer { outcome: complementarity(problem, r, scratch), note: Note::Exact }
        }
        ContactSolver::Cone => {
            assert!(problem.joints.is_empty(), "the dense solver was given {} joints", problem.joints.len());
            Answer { outcome: dense(problem, r, scratch), note: Note::Exact }
        }
        ContactSolver::Sparse => {
            let outcome = solve_contacts(problem, Choice::LeastNorm, r, &mut scratch.sparse);
            Answer { outcome, note: Note::Exact }
        }
        ContactSolver::Lemke { sides } => {
            scratch.reduced.fill(problem);
            let friction: Vec<f64> = problem.contacts.iter().map(|c| c.friction).collect();
            let mut outcome = scratch.lemke.solve(&friction, sides, &scratch.reduced, r);
            if outcome.status == Status::Solved {
                outcome.unique = is_unique(problem, r, scratch);
            }
            Answer { outcome, note: if rubs { Note::Sides(sides) } else { Note::Exact } }
        }
        ContactSolver::Quadratic => {
            scratch.reduced.fill(problem);
            let outcome = quadratic::solve(&scratch.reduced, r, &mut scratch.quadratic);
            Answer { outcome, note: frictionless }
        }
        ContactSolver::Linear => {
            scratch.reduced.fill(problem);
            let (outcome, note) = linear::solve(&scratch.reduced, r, &mut scratch.quadratic);
            Answer { outcome, note: note.unwrap_or(frictionless) }
        }
    }
}

/// Finds forces of contacts by Lemke's pivots from W and q, three rows of each contact, with what joints do in them.
///
/// # Panics
/// When the cone has fewer than 3 sides.
pub fn solve_by_pivots(
    sides: usize,
    problem: &ConeProblem,
    r: &mut [f64],
    scratch: &mut SolverScratch,
) -> Answer {
    scratch.reduced.fill_without_joints(problem.w, problem.q);
    let mut outcome = scratch.lemke.solve(problem.friction, sides, &scratch.reduced, r);
    let rubs = problem.friction.iter().any(|friction| *friction > 0.0);
    if outcome.status == Status::Solved {
        outcome.unique = if rubs {
            let mut least = vec![0.0; r.len()];
            solve_cone(problem, &mut least, &mut scratch.cone).unique
        } else {
            are_only_normals(r, scratch)
        };
    }
    Answer { outcome, note: if rubs { Note::Sides(sides) } else { Note::Exact } }
}

/// Finds normal forces f ≥ 0 of d̈ = A f + b ≥ 0, complementary, by the solver chosen: the programs of the paper for `linear`, an
/// active set for all others. A is symmetric and may contain what joints do; impulses and speeds are solved as forces and
/// accelerations are. \[PAPER\]
pub fn solve_normal_forces(
    solver: ContactSolver,
    (a, b): (&Square, &[f64]),
    f: &mut [f64],
    scratch: &mut PsdScratch,
) -> Answer {
    if solver != ContactSolver::Linear {
        return Answer { outcome: solve_lcp_psd(a, b, f, scratch), note: Note::Exact };
    }
    let n = b.len();
    let scale: Vec<f64> =
        (0..n).map(|i| if a[(i, i)] > 0.0 { 1.0 / a[(i, i)].sqrt() } else { 1.0 }).collect();
    let scaled = Square::from_fn(n, |i, j| a[(i, j)] * scale[i] * scale[j]);
    let right: Vec<f64> = b.iter().zip(&scale).map(|(b, scale)| b * scale).collect();
    let (outcome, note) = linear::solve_scaled((&scaled, &right), f, scratch);
    f.iter_mut().zip(&scale).for_each(|(f, scale)| *f *= scale);
    Answer { outcome, note: note.unwrap_or_default() }
}

/// Whether forces that pivots have found are the only ones. Pivots end at a corner, where they see no other; the forces of least norm,
/// which obey the round cone, know whether there was a choice.
fn is_unique(problem: &ContactProblem, r: &[f64], scratch: &mut SolverScratch) -> bool {
    if problem.contacts.iter().all(|contact| contact.friction == 0.0) {
        return are_only_normals(r, scratch);
    }
    let mut least = vec![0.0; r.len()];
    complementarity(problem, &mut least, scratch).unique
}

/// Whether normal forces of the problem last reduced are the only ones.
fn are_only_normals(r: &[f64], scratch: &mut SolverScratch) -> bool {
    let (a, b) = scratch.reduced.normals();
    let mut least = vec![0.0; b.len()];
    let other = solve_lcp_psd(&a, &b, &mut least, &mut scratch.quadratic);
    let found: Vec<f64> =
        r.chunks_exact(3).zip(&scratch.reduced.scale).map(|(r, scale)| r[0] / scale).collect();
    other.unique && linear::are_same(&found, &least)
}

/// Few contacts by the dense solver, many by the sparse one; where either fails the other is asked.
fn complementarity(problem: &ContactProblem, r: &mut [f64], scratch: &mut SolverScratch) -> Outcome {
    let n = problem.contacts.len();
    let start = r.iter().any(|&r| r != 0.0);
    if problem.joints.is_empty() && n <= DENSE && !start {
        return dense(problem, r, scratch);
    }
    let outcome = solve_contacts(problem, Choice::LeastNorm, r, &mut scratch.sparse);
    if outcome.status != Status::OutOfIterations || !problem.joints.is_empty() || n > RESCUE {
        return outcome;
    }
    let kept = r.to_vec();
    let other = dense(problem, r, scratch);
    if other.residual < outcome.residual {
        return other;
    }
    r.copy_from_slice(&kept);
    outcome
}

fn dense(problem: &ContactProblem, r: &mut [f64], scratch: &mut SolverScratch) -> Outcome {
    let (w, q) = problem.dense();
    let friction: Vec<f64> = problem.contacts.iter().map(|c| c.friction).collect();
    let floor = vec![0.0; friction.len()];
    let problem = ConeProblem { w: &w, q: &q, friction: &friction, floor: &floor };
    solve_cone(&problem, r, &mut scratch.cone)
}
