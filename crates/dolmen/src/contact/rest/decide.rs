//! Which contacts carry force and what they do: a complementarity problem at acceleration level. [PAPER; SYSTEM C4, C7]

use super::articulation::Linked;
use super::{ConstraintSystem, ContactConstraint, Loaded, Mode, problem};
use crate::math::DVec3;
use crate::solve::choose::{ContactSolver, SolverScratch, solve_forces};
use crate::solve::cone::{ConeProblem, ConeScratch, solve_cone_near};
use crate::solve::sparse::{ContactProblem, ContactRows, Mobility};
use crate::solve::{Outcome, Square, Status};

/// How modes were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Of each contact: its mode, or none where it carries no force.
    pub modes: Vec<Option<Mode>>,
    /// Whether forces exist at all that keep the contacts from overlapping and friction within its law. Otherwise the
    /// configuration is that of Painlevé, or bodies are squeezed.
    pub is_consistent: bool,
    /// Whether the forces are the only ones.
    pub is_unique: bool,
    /// Of the complementarity problem, without unit.
    pub residual: f64,
    /// Of each contact: whether it rolls, and whether it spins; sticking where nothing resists.
    pub rolling: Vec<[Mode; 2]>,
}

/// Rounds in which the friction of sliding contacts turns exactly against their slip; each gains a factor of `SWIFT`.
const ROUNDS: usize = 8;

/// The same where contacts resist turning: each round brings bounds up to date, and gains a factor of the resistance by the size
/// of the bodies.
const TURNING_ROUNDS: usize = 60;

/// How swift a slip is taken to be, by the largest acceleration without contact forces. Such a slip does not end within the
/// problem, and its direction is right to the inverse of this before the first correction.
const SWIFT: f64 = 1e3;

/// Change of a round by the forces after which the modes are settled.
const SETTLED: f64 = 1e-12;

/// A force below this share of the largest is none; what is decided by less is decided by rounding.
pub const NO_FORCE: f64 = 1e-11;

/// Friction above this share of its limit slides: the solver's own rounding.
pub(super) const AT_LIMIT: f64 = 1.0 - 1e-10;

/// The same of moments against turning, whose bounds are those of the round before: contacts that share a load in many ways share it
/// a little otherwise in each.
const AT_TURNING_LIMIT: f64 = 1.0 - 5e-9;

/// Accelerations below this share of those that loads alone would give are none.
const NO_ACCELERATION: f64 = 1e-10;

/// The residual up to which a solution counts as one.
pub(super) const CONSISTENT: f64 = 1e-9;

/// The change that may be left after the last round. Where forces are a choice (redundant contacts that slide), the choice
/// differs a little from round to round; in a configuration of Painlevé they grow without end.
const CHOSEN: f64 = 1e-2;

/// Up to so many contacts the dense solver is the quicker one.
const FEW: usize = 16;

/// The problem of one decision: only the accelerations without contact forces differ from round to round.
enum Solver {
    /// Few contacts.
    Dense { w: Square, friction: Vec<f64>, floor: Vec<f64>, scratch: Box<ConeScratch> },
    /// Many, or by a solver that was chosen.
    Sparse {
        solver: ContactSolver,
        bodies: Vec<Mobility>,
        rows: Vec<ContactRows>,
        scratch: Box<SolverScratch>,
    },
    /// Many, of bodies that joints hold together.
    Linked(Linked, Vec<ContactRows>),
}

impl Solver {
    fn new(
        constraints: &ConstraintSystem,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
    ) -> Self {
        let n = contacts.len();
        let mut rows = problem::rows(bodies, contacts, &constraints.frames, slides);
        rows.extend(problem::dry_rows(bodies, contacts, &constraints.resistance));
        let solver = constraints.solver;
        let is_dense = match solver {
            ContactSolver::Complementarity => n <= FEW,
            other => other == ContactSolver::Cone && n <= ConstraintSystem::DENSE,
        };
        if !is_dense && constraints.present.is_empty() {
            let bodies = problem::mobilities(bodies);
            return Self::Sparse { solver, bodies, rows, scratch: Box::default() };
        }
        if let Some(linked) = Linked::new(constraints, bodies, n) {
            return Self::Linked(linked, rows);
        }
        let all = constraints.count() + constraints.extra.len();
        let w = Square::from_fn(3 * all, |i, j| constraints.entry(i, j));
        let mut friction: Vec<f64> = rows.iter().map(|row| row.friction).collect();
        constraints.extend_friction(&mut friction);
        Self::Dense { w, friction, floor: vec![0.0; all], scratch: Box::default() }
    }

    fn solve(&mut self, q: &[f64], r: &mut [f64]) -> Outcome {
        match self {
            Self::Dense { w, friction, floor, scratch } => {
                solve_cone_near(&ConeProblem { w, q, friction, floor }, r, scratch)
            }
            Self::Sparse { solver, bodies, rows, scratch } => {
                for (i, row) in rows.iter_mut().enumerate() {
                    row.free = [q[3 * i], q[3 * i + 1], q[3 * i + 2]];
                }
                let problem = ContactProblem { bodies, contacts: rows, joints: &[] };
                solve_forces(*solver, &problem, r, scratch).outcome
            }
            Self::Linked(linked, rows) => {
                for (i, row) in rows.iter_mut().enumerate() {
                    row.free = [q[3 * i], q[3 * i + 1], q[3 * i + 2]];
                }
                let unsolved = Outcome {
                    status: Status::OutOfIterations,
                    residual: f64::INFINITY,
                    iterations: 0,
                    unique: true,
                };
                linked.solve(rows, r).unwrap_or(unsolved)
            }
        }
    }
}

impl ConstraintSystem {
    /// Finds the modes of contacts that touch and do not part: `slides` says which of them slip already.
    ///
    /// Coulomb's law with the quadratic cone, of the accelerations a = W r + q. A contact that slips already has a slip far
    /// beyond what accelerations make of it: B û + a in place of a, with a large B, makes the law put its friction against
    /// û + a/B. Given a of the round before, B û + a − a′ leaves û itself.
    pub fn decide(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint], slides: &[bool]) -> Decision {
        self.decide_near(bodies, contacts, slides, &[])
    }

    /// As [`Bearings::decide`], beginning with forces in the frames of the contacts, if there is one of each: those of a
    /// moment before.
    pub fn decide_near(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
        start: &[DVec3],
    ) -> Decision {
        self.assemble(bodies, contacts);
        let n = contacts.len();
        if let Some(decision) = self.decide_standing(bodies, contacts, slides) {
            return decision;
        }
        let mut solver = Solver::new(self, bodies, contacts, slides);
        let all = self.count();
        let mut r = vec![0.0; 3 * (all + self.extra.len())];
        if start.len() == n {
            r.iter_mut().zip(start.iter().flat_map(DVec3::to_array)).for_each(|(r, f)| *r = f);
        }
        let mut before = vec![DVec3::ZERO; all];
        let (mut change, mut solved, mut residual, mut is_unique) = (0.0, true, 0.0, true);
        self.forces = vec![DVec3::ZERO; n];
        self.resistance_forces.fill(DVec3::ZERO);
        let is_turning = !self.resistance.is_empty();
        let goes_on = is_turning || slides.contains(&true);
        for _ in 0..if is_turning { TURNING_ROUNDS } else { ROUNDS } {
            let q = self.swift(slides, &before);
            let outcome = solver.solve(&q, &mut r);
            self.solves.add(&outcome);
            self.ended = (outcome.status, outcome.iterations);
            (solved, residual, is_unique) =
                (outcome.status == Status::Solved, outcome.residual, outcome.unique);
            let forces: Vec<DVec3> =
                (0..n).map(|i| DVec3::new(r[3 * i], r[3 * i + 1], r[3 * i + 2])).collect();
            let largest = forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
            let moved =
                forces.iter().zip(&self.forces).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
            let dry_before = self.resistance_forces.clone();
            self.forces = forces;
            self.take_extra_forces(&r);
            let resistance = self.resistance_forces.iter().zip(&dry_before);
            let moved = resistance.fold(moved, |most, (a, b)| most.max(a.distance(*b)));
            change = if largest > 0.0 { moved / largest } else { 0.0 };
            self.accelerate(bodies, contacts);
            if change <= SETTLED || !goes_on {
                break;
            }
            before = (0..all).map(|i| self.acceleration(i)).collect();
        }
        let settled = change <= CHOSEN || !goes_on;
        Decision {
            modes: self.modes(contacts, slides),
            is_consistent: settled && (solved || residual <= CONSISTENT),
            is_unique,
            residual,
            rolling: self.turning_modes((AT_TURNING_LIMIT, NO_ACCELERATION)),
        }
    }

    /// Accelerations without contact forces, with slips that are swift beside them.
    fn swift(&self, slides: &[bool], before: &[DVec3]) -> Vec<f64> {
        let largest = self.fastest();
        let mut q = Vec::with_capacity(3 * (self.frames.len() + self.extra.len()));
        for (i, frame) in self.frames.iter().enumerate() {
            let slip = DVec3::new(0.0, frame.velocity.y, frame.velocity.z).normalize_or_zero();
            let swift = if slides[i] {
                SWIFT * largest * slip - DVec3::new(0.0, before[i].y, before[i].z)
            } else {
                DVec3::ZERO
            };
            q.extend((frame.free + swift).to_array());
        }
        let limits: Vec<f64> = (0..self.resistance.len()).map(|d| self.resistance_limit(d)).collect();
        self.extend_dry(&mut q, &limits, |d| {
            let resistance = &self.resistance[d];
            let before = before[self.frames.len() + d];
            let swift = SWIFT * largest * resistance.velocity.normalize_or_zero() - before;
            resistance.free + if resistance.turns() { swift } else { DVec3::ZERO }
        });
        self.extend_free(&mut q);
        q
    }

    fn modes(&self, contacts: &[ContactConstraint], slides: &[bool]) -> Vec<Option<Mode>> {
        let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.x));
        let fastest = self.fastest();
        let mode = |i: usize| {
            let f = self.forces[i];
            if f.x <= NO_FORCE * largest || f.x <= 0.0 {
                return None;
            }
            if slides[i] {
                return Some(Mode::Slide { begins: self.frames[i].slip() });
            }
            let frame = &self.frames[i];
            let tangential = DVec3::new(0.0, f.y, f.z);
            let limit = contacts[i].static_friction * f.x;
            let a = self.acceleration(i);
            let accelerates = (a.y * a.y + a.z * a.z).sqrt() > NO_ACCELERATION * fastest;
            // At the limit and still: forces could be shared out otherwise, and it sticks.
            if limit == 0.0 || (tangential.length() > AT_LIMIT * limit && accelerates) {
                // It begins to slide against its friction, or, smooth, with its acceleration.
                let along = if limit == 0.0 { a } else { -f };
                return Some(Mode::Slide {
                    begins: along.y * frame.tangents[0] + along.z * frame.tangents[1],
                });
            }
            Some(Mode::Stick)
        };
        (0..contacts.len()).map(mode).collect()
    }
}
