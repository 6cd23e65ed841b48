//! One Moreau–Jean time step at velocity level. [SYSTEM, trap 15]
//!
//! With the impulses p of a step of length h the velocities of the contacts at its end are u = u₀ + h q + W p, q the
//! accelerations without contact forces. Coulomb's law with its exact cone relates p and u, with g/h + uₙ in place of
//! uₙ where the gap g is open: a contact that does not close within the step carries no impulse.

use super::articulation::ArticulatedProblem;
use super::{ConstraintSystem, ContactConstraint, Loaded, Shift, StepAccuracy, problem};
use crate::contact::rest::tolerances::{
    DEPENETRATION_RESIDUAL, ENOUGH_FOR_SEVERAL, ENOUGH_IN_PILE, ENOUGH_RESIDUAL, FEW_CONTACTS, GOOD_RESIDUAL,
    MANY_CONTACTS, POOR_IN_PILE, POOR_RESIDUAL, RESISTANCE_ROUNDS, SEVERAL_CONTACTS, VERY_POOR_RESIDUAL,
};
use crate::math::DVec3;
use crate::solve::choose::{
    Answer, ContactSolver, Note as SolverNote, SolverScratch, solve_forces, solve_normal_forces,
};
use crate::solve::cone::{ConeProblem, ConeScratch, solve_cone};
use crate::solve::lcp::PsdScratch;
use crate::solve::sparse::{Choice, ContactProblem, ContactRows, solve_contacts_to};
use crate::solve::{Outcome, Square};

impl ConstraintSystem {
    /// The impulses of a time step of length `h` (s), N·s, in the frames of the contacts: they take the place of the
    /// forces. `slides` tells which contacts slip, `gaps` how far each may close, m. The frames must be those of
    /// [`ConstraintSystem::look`]; the impulses of the call before are the warm start if there are as many.
    pub fn step(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        h: f64,
        (slides, gaps): (&[bool], &[f64]),
    ) -> Outcome {
        let n = contacts.len();
        self.note = SolverNote::Exact;
        self.find_resistance_rows(bodies, contacts);
        let mut rows = problem::rows(bodies, contacts, &self.frames, slides);
        for ((row, frame), gap) in rows.iter_mut().zip(&self.frames).zip(gaps) {
            let end = frame.velocity + h * frame.free;
            row.free = [end.x + gap / h, end.y, end.z];
        }
        rows.extend(problem::resistance_rows(bodies, contacts, &self.resistance));
        let mut r = vec![0.0; 3 * (self.count() + self.extra.len())];
        if self.forces.len() == n {
            for (i, p) in self.forces.iter().enumerate() {
                r[3 * i..3 * i + 3].copy_from_slice(&p.to_array());
            }
        }
        let mut outcome = self.solve_bounded(bodies, contacts, (&mut rows, h), &mut r);
        // The bounds of resistance moments are those of the round before; each round gains a factor of the resistance
        // by the size of the bodies.
        for _ in 0..if self.resistance.is_empty() { 0 } else { RESISTANCE_ROUNDS } {
            let before = std::mem::take(&mut self.forces);
            self.take_forces(n, &r);
            let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
            let same = |(a, b): (&DVec3, &DVec3)| (a.x - b.x).abs() <= GOOD_RESIDUAL * largest;
            if before.len() == n && before.iter().zip(&self.forces).all(same) {
                break;
            }
            outcome = self.solve_bounded(bodies, contacts, (&mut rows, h), &mut r);
        }
        self.take_forces(n, &r);
        self.solves.add(&outcome);
        self.ended = (outcome.status, outcome.iterations);
        self.residual = outcome.residual;
        self.is_unique = outcome.unique;
        outcome
    }

    /// Writes a solution into the impulses.
    fn take_forces(&mut self, n: usize, r: &[f64]) {
        self.forces.clear();
        self.forces.extend((0..n).map(|i| DVec3::new(r[3 * i], r[3 * i + 1], r[3 * i + 2])));
        self.take_extra_forces(r);
    }

    /// As [`ConstraintSystem::solve_rows`] within a time `h`, with the bounds of resistance moments from the last
    /// impulses.
    fn solve_bounded(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        (rows, h): (&mut [ContactRows], f64),
        r: &mut [f64],
    ) -> Outcome {
        for (d, row) in rows[contacts.len()..].iter_mut().enumerate() {
            let end = self.resistance[d].velocity + h * self.resistance[d].free;
            row.free = [-row.own * self.resistance_limit(d), end.y, end.z];
        }
        self.solve_rows(bodies, contacts, (rows, 0.0), r)
    }

    /// The impulses of these contacts and of their resistance moments, with the joints in force where there are any.
    /// For several contacts without joints a residual of `left` is enough, unless that is zero.
    fn solve_rows(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        (rows, left): (&[ContactRows], f64),
        r: &mut [f64],
    ) -> Outcome {
        if self.present.is_empty() {
            let mobilities = problem::mobilities(bodies);
            let problem = ContactProblem { bodies: &mobilities, contacts: rows, joints: &[] };
            if self.solver != ContactSolver::Complementarity {
                let answer = solve_forces(self.solver, &problem, r, &mut SolverScratch::default());
                self.note = answer.note;
                return answer.outcome;
            }
            let choice = if rows.len() > SEVERAL_CONTACTS { Choice::AsFound } else { Choice::LeastNorm };
            let is_smooth = rows.iter().all(|row| row.friction == 0.0);
            let is_slow = self.step_accuracy == StepAccuracy::Slow;
            let (enough, good) = match rows.len() {
                n if left > 0.0 && n > SEVERAL_CONTACTS => {
                    (left, GOOD_RESIDUAL.max(left / DEPENETRATION_RESIDUAL))
                }
                n if is_slow && n > MANY_CONTACTS => (0.0, POOR_RESIDUAL),
                _ if is_slow || is_smooth => (0.0, GOOD_RESIDUAL),
                n if self.step_accuracy == StepAccuracy::Pile && n > MANY_CONTACTS => {
                    (ENOUGH_IN_PILE, POOR_IN_PILE)
                }
                n if n > MANY_CONTACTS => (ENOUGH_RESIDUAL, POOR_RESIDUAL),
                n if n > SEVERAL_CONTACTS => (ENOUGH_FOR_SEVERAL, GOOD_RESIDUAL),
                _ => (0.0, GOOD_RESIDUAL),
            };
            let mut outcome = solve_contacts_to(enough, &problem, choice, r, &mut self.sparse);
            // Among so many contacts some are redundant.
            outcome.unique &= choice == Choice::LeastNorm;
            if outcome.residual <= good {
                return outcome;
            }
            // A cold start, and the other solver where the problem is small enough.
            let found = r.to_vec();
            r.fill(0.0);
            let other = if good >= POOR_RESIDUAL && outcome.residual <= VERY_POOR_RESIDUAL {
                solve_contacts_to(enough, &problem, choice, r, &mut self.sparse)
            } else {
                solve_forces(self.solver, &problem, r, &mut SolverScratch::default()).outcome
            };
            if other.residual < outcome.residual {
                return other;
            }
            r.copy_from_slice(&found);
            return outcome;
        }
        let is_sparse = rows.len() > FEW_CONTACTS && self.extra.is_empty();
        if let Some(mut articulated) = ArticulatedProblem::new(self, bodies).filter(|_| is_sparse)
            && let Some(outcome) = articulated.step(rows, r)
        {
            return outcome;
        }
        // W alone: the frames of a time step are not those of an instant.
        let frames = self.frames.clone();
        self.assemble(bodies, contacts);
        self.frames = frames;
        let n = self.count() + self.extra.len();
        let w = Square::from_fn(3 * n, |i, j| self.entry(i, j));
        let free =
            |(i, row): (usize, &ContactRows)| if self.taken_out.contains(&i) { [0.0; 3] } else { row.free };
        let mut q: Vec<f64> = rows.iter().enumerate().flat_map(free).collect();
        if !self.solver.takes_friction() && self.extra.is_empty() && self.resistance.is_empty() {
            let a = Square::from_fn(n, |i, j| self.entry(3 * i, 3 * j));
            let b: Vec<f64> = q.iter().step_by(3).copied().collect();
            let mut f = vec![0.0; n];
            let Answer { outcome, note } =
                solve_normal_forces(self.solver, (&a, &b), &mut f, &mut PsdScratch::default());
            r.fill(0.0);
            r.iter_mut().step_by(3).zip(&f).for_each(|(r, f)| *r = *f);
            self.note = note;
            return outcome;
        }
        let mut friction: Vec<f64> = rows.iter().map(|row| row.friction).collect();
        self.extend_free(&mut q);
        self.extend_friction(&mut friction);
        let problem = ConeProblem { w: &w, q: &q, friction: &friction, floor: &vec![0.0; n] };
        let outcome = solve_cone(&problem, r, &mut ConeScratch::default());
        if outcome.residual <= GOOD_RESIDUAL || is_sparse {
            return outcome;
        }
        let mut other = vec![0.0; r.len()];
        let found = ArticulatedProblem::new(self, bodies)
            .and_then(|mut articulated| articulated.step(rows, &mut other))
            .filter(|found| found.residual < outcome.residual);
        if found.is_some() {
            r.copy_from_slice(&other);
        }
        found.unwrap_or(outcome)
    }

    /// The least changes of position, in the metric of the masses, after which no separation is negative, to first
    /// order; none, and false, where all are above `-allowed`, m.
    pub fn depenetrate(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        (allowed, shifts): (f64, &mut Vec<Shift>),
    ) -> bool {
        let smooth: Vec<ContactConstraint> = contacts.iter().map(ContactConstraint::smooth).collect();
        let contacts = &smooth[..];
        self.look(bodies, contacts);
        // Clears the responses of other contacts: where none overlaps, or without joints, nothing below assembles them
        // again.
        self.responses.clear();
        let n = contacts.len();
        let extra = std::mem::take(&mut self.extra);
        // How far bodies are put apart is no matter of forces that one may guess.
        let solver = self.solver;
        if solver == ContactSolver::Linear {
            self.solver = ContactSolver::Quadratic;
        }
        let mut r = vec![0.0; 3 * n];
        let mut articulated = None;
        self.responses.clear();
        let overlaps = self.frames.iter().any(|frame| frame.separation < -allowed);
        if overlaps {
            let mut rows = problem::rows(bodies, contacts, &self.frames, &vec![false; n]);
            for (row, frame) in rows.iter_mut().zip(&self.frames) {
                (row.free, row.friction) = ([frame.separation, 0.0, 0.0], 0.0);
            }
            let is_sparse = n > FEW_CONTACTS && !self.present.is_empty();
            articulated = ArticulatedProblem::new(self, bodies).filter(|_| is_sparse);
            if articulated.as_mut().and_then(|articulated| articulated.step(&rows, &mut r)).is_none() {
                articulated = None;
                let largest =
                    self.frames.iter().fold(0.0_f64, |most, frame| most.max(frame.separation.abs()));
                self.solve_rows(
                    bodies,
                    contacts,
                    (&rows, DEPENETRATION_RESIDUAL * allowed / largest),
                    &mut r,
                );
            }
        }
        self.unknowns.clear();
        self.unknowns.extend((0..n).map(|i| (i, 0)));
        self.solution.clear();
        self.solution.extend((0..n).map(|i| r[3 * i]));
        (self.extra, self.solver) = (extra, solver);
        self.apply(bodies, contacts, shifts);
        if let Some(articulated) = articulated {
            articulated.add_reactions(shifts);
        }
        overlaps
    }
}
