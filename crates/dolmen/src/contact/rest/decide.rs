//! The mode decision: which contacts carry force and in which mode, as a complementarity problem at acceleration level.
//! [PAPER; SYSTEM C4, C7]

use super::articulation::ArticulatedProblem;
use super::{ConstraintSystem, ContactConstraint, Loaded, Mode, problem};
use crate::contact::rest::tolerances::{
    AT_LIMIT, AT_RESISTANCE_LIMIT, CONSISTENT, CONVERGED, FAST_SLIP, FEW_CONTACTS, MAX_LAST_CHANGE,
    RESISTANCE_ROUNDS, SLIP_ROUNDS, ZERO_ACCELERATION,
};
use crate::math::DVec3;
use crate::solve::choose::{
    Answer, ContactSolver, Note as SolverNote, SolverScratch, solve_by_pivots, solve_forces,
    solve_normal_forces,
};
use crate::solve::cone::{ConeProblem, ConeScratch, solve_cone_near};
use crate::solve::lcp::PsdScratch;
use crate::solve::sparse::{ContactProblem, ContactRows, Mobility};
use crate::solve::{Outcome, Square, Status};

/// The result of a mode decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// For each contact: its mode, or none where it carries no force.
    pub modes: Vec<Option<Mode>>,
    /// Whether forces exist that keep the contacts from overlapping, with friction within its law. Otherwise it is a
    /// Painlevé configuration, or bodies are jammed.
    pub is_consistent: bool,
    /// Whether the forces are unique.
    pub is_unique: bool,
    /// What the solver said of them.
    pub note: SolverNote,
    /// The residual of the complementarity problem, dimensionless.
    pub residual: f64,
    /// For each contact: whether it rolls, and whether it spins; sticking without resistance.
    pub rolling: Vec<[Mode; 2]>,
}

/// Forces below this share of the largest are zero; less would let rounding decide.
pub const NO_FORCE: f64 = 1e-11;

/// The problem of one decision: only the accelerations without contact forces change from round to round.
enum Solver {
    /// Few contacts. Where Newton's method on the dense matrix fails, the problem has its bodies and rows: the interior point of the sparse
    /// solver needs no luck.
    Dense {
        w: Square,
        friction: Vec<f64>,
        floor: Vec<f64>,
        scratch: Box<ConeScratch>,
        articulated: Option<ArticulatedProblem>,
        rows: Vec<ContactRows>,
    },
    /// Many contacts, or a solver that the user chose.
    Sparse {
        solver: ContactSolver,
        bodies: Vec<Mobility>,
        rows: Vec<ContactRows>,
        scratch: Box<SolverScratch>,
    },
    /// Normal forces alone, of contacts on articulated bodies: what their joints do is in the matrix.
    Normals { solver: ContactSolver, a: Square, scratch: Box<PsdScratch> },
    /// Contacts of articulated bodies by pivots: what their joints do is in the matrix.
    Pivots { sides: usize, w: Square, friction: Vec<f64>, floor: Vec<f64>, scratch: Box<SolverScratch> },
    /// Many contacts, of articulated bodies.
    Articulated(ArticulatedProblem, Vec<ContactRows>),
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
        rows.extend(problem::resistance_rows(bodies, contacts, &constraints.resistance));
        let solver = constraints.solver;
        let is_dense = match solver {
            ContactSolver::Complementarity => n <= FEW_CONTACTS,
            other => other == ContactSolver::Cone && n <= ConstraintSystem::DENSE,
        };
        if !is_dense && constraints.present.is_empty() {
            let bodies = problem::mobilities(bodies);
            return Self::Sparse { solver, bodies, rows, scratch: Box::default() };
        }
        // The paper's programs take joints and contacts together: multipliers of joints are free and not in the sum. [PAPER]
        let is_normal = !solver.takes_friction() && constraints.resistance.is_empty();
        if is_normal && constraints.extra.is_empty() {
            let a = Square::from_fn(n, |i, j| constraints.entry(3 * i, 3 * j));
            return Self::Normals { solver, a, scratch: Box::default() };
        }
        let articulated = ArticulatedProblem::new(constraints, bodies);
        let is_sparse = (n > FEW_CONTACTS || solver == ContactSolver::Sparse) && constraints.extra.is_empty();
        let articulated = match articulated {
            Some(articulated) if is_sparse => return Self::Articulated(articulated, rows),
            other => other,
        };
        let all = constraints.count() + constraints.extra.len();
        let w = Square::from_fn(3 * all, |i, j| constraints.entry(i, j));
        let mut friction: Vec<f64> = rows.iter().map(|row| row.friction).collect();
        constraints.extend_friction(&mut friction);
        let floor = vec![0.0; all];
        if let ContactSolver::Lemke { sides } = solver {
            return Self::Pivots { sides, w, friction, floor, scratch: Box::default() };
        }
        Self::Dense { w, friction, floor, scratch: Box::default(), articulated, rows }
    }

    fn solve(&mut self, q: &[f64], r: &mut [f64]) -> Answer {
        let exact = |outcome: Outcome| Answer { outcome, note: SolverNote::Exact };
        match self {
            Self::Dense { w, friction, floor, scratch, articulated, rows } => {
                let outcome = solve_cone_near(&ConeProblem { w, q, friction, floor }, r, scratch);
                let Some(articulated) = articulated
                    .as_mut()
                    .filter(|_| outcome.residual.is_nan() || outcome.residual > CONSISTENT)
                else {
                    return exact(outcome);
                };
                set_free(rows, q);
                let mut other = vec![0.0; r.len()];
                exact(match articulated.solve(rows, &mut other) {
                    Some(found) if found.residual < outcome.residual => {
                        r.copy_from_slice(&other);
                        found
                    }
                    _ => outcome,
                })
            }
            Self::Normals { solver, a, scratch } => {
                let b: Vec<f64> = q.iter().step_by(3).copied().collect();
                let mut f = vec![0.0; b.len()];
                let answer = solve_normal_forces(*solver, (a, &b), &mut f, scratch);
                r.fill(0.0);
                r.iter_mut().step_by(3).zip(&f).for_each(|(r, f)| *r = *f);
                answer
            }
            Self::Pivots { sides, w, friction, floor, scratch } => {
                solve_by_pivots(*sides, &ConeProblem { w, q, friction, floor }, r, scratch)
            }
            Self::Sparse { solver, bodies, rows, scratch } => {
                set_free(rows, q);
                let problem = ContactProblem { bodies, contacts: rows, joints: &[] };
                solve_forces(*solver, &problem, r, scratch)
            }
            Self::Articulated(articulated, rows) => {
                set_free(rows, q);
                let unsolved = Outcome {
                    status: Status::OutOfIterations,
                    residual: f64::INFINITY,
                    iterations: 0,
                    unique: true,
                };
                exact(articulated.solve(rows, r).unwrap_or(unsolved))
            }
        }
    }
}

/// Sets the accelerations without contact forces.
fn set_free(rows: &mut [ContactRows], q: &[f64]) {
    for (i, row) in rows.iter_mut().enumerate() {
        row.free = [q[3 * i], q[3 * i + 1], q[3 * i + 2]];
    }
}

impl ConstraintSystem {
    /// Decides the modes of contacts that touch and do not separate: `slides` tells which of them slip already.
    ///
    /// Coulomb's law with the quadratic cone, for the accelerations a = W r + q. A contact that slips already has a
    /// slip far beyond the effect of accelerations: B û + a in place of a, with a large B, makes the law put its
    /// friction against û + a/B. Given a of the round before, B û + a − a′ leaves û itself.
    pub fn decide(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint], slides: &[bool]) -> Decision {
        self.decide_near(bodies, contacts, slides, &[])
    }

    /// As [`ConstraintSystem::decide`], warm-started with forces in the frames of the contacts, if there is one for
    /// each.
    pub fn decide_near(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
        start: &[DVec3],
    ) -> Decision {
        self.last.clear();
        if start.len() == contacts.len() {
            self.last.extend(start.iter().flat_map(DVec3::to_array));
        }
        self.decide_again(bodies, contacts, slides)
    }

    /// As [`ConstraintSystem::decide`], warm-started with the forces of the decision before, of contacts, moments and open rows: for
    /// bounds that have changed a little since.
    pub fn decide_again(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
    ) -> Decision {
        self.assemble(bodies, contacts);
        let n = contacts.len();
        if let Some(decision) = self.decide_all_stick(bodies, contacts, slides) {
            return decision;
        }
        let mut solver = Solver::new(self, bodies, contacts, slides);
        let all = self.count();
        let mut r = std::mem::take(&mut self.last);
        r.resize(3 * (all + self.extra.len()), 0.0);
        let mut before = vec![DVec3::ZERO; all];
        let (mut change, mut solved, mut residual, mut is_unique) = (0.0, true, 0.0, true);
        let mut said = SolverNote::Exact;
        self.forces = vec![DVec3::ZERO; n];
        self.resistance_forces.fill(DVec3::ZERO);
        let has_resistance = !self.resistance.is_empty();
        let continues = has_resistance || slides.contains(&true);
        for _ in 0..if has_resistance { RESISTANCE_ROUNDS } else { SLIP_ROUNDS } {
            let q = self.accelerations_with_fast_slips(slides, &before);
            let Answer { outcome, note } = solver.solve(&q, &mut r);
            said = note;
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
            if change <= CONVERGED || !continues {
                break;
            }
            before = (0..all).map(|i| self.acceleration(i)).collect();
        }
        self.last = r;
        let converged = change <= MAX_LAST_CHANGE || !continues;
        Decision {
            modes: self.modes(contacts, slides),
            is_consistent: converged && (solved || residual <= CONSISTENT),
            is_unique,
            note: said,
            residual,
            rolling: self.resistance_modes((AT_RESISTANCE_LIMIT, ZERO_ACCELERATION)),
        }
    }

    /// Accelerations without contact forces, with slips that are fast beside them.
    fn accelerations_with_fast_slips(&self, slides: &[bool], before: &[DVec3]) -> Vec<f64> {
        let largest = self.fastest();
        let mut q = Vec::with_capacity(3 * (self.frames.len() + self.extra.len()));
        for (i, frame) in self.frames.iter().enumerate() {
            let slip = DVec3::new(0.0, frame.velocity.y, frame.velocity.z).normalize_or_zero();
            let fast = if slides[i] {
                FAST_SLIP * largest * slip - DVec3::new(0.0, before[i].y, before[i].z)
            } else {
                DVec3::ZERO
            };
            q.extend((frame.free + fast).to_array());
        }
        let limits: Vec<f64> = (0..self.resistance.len()).map(|d| self.resistance_limit(d)).collect();
        self.extend_resistance(&mut q, &limits, |d| {
            let resistance = &self.resistance[d];
            let before = before[self.frames.len() + d];
            let fast = FAST_SLIP * largest * resistance.velocity.normalize_or_zero() - before;
            resistance.free + if resistance.turns() { fast } else { DVec3::ZERO }
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
            let accelerates = (a.y * a.y + a.z * a.z).sqrt() > ZERO_ACCELERATION * fastest;
            // At the bound without acceleration: other forces could share the load, and it sticks.
            if limit == 0.0 || (tangential.length() > AT_LIMIT * limit && accelerates) {
                // It begins to slide against its friction or, without friction, along its acceleration.
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
