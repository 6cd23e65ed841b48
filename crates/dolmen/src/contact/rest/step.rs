//! One implicit time step at velocity level. [SYSTEM, trap 15]
//!
//! Moreau's scheme: with the impulses p of a step of length h the velocities of the contacts at its end are
//! u = u₀ + h q + W p, q the accelerations without contact forces. Coulomb's law with its exact cone holds between p and u,
//! with g/h + uₙ in place of uₙ where the gap g is open: what does not come to touch within the step carries nothing.

use super::articulation::Linked;
use super::tolerances::{ENOUGH, MANY, POOR};
use super::{ConstraintSystem, ContactConstraint, Loaded, Shift, problem};
use crate::math::DVec3;
use crate::solve::choose::{ContactSolver, SolverScratch, solve_forces};
use crate::solve::cone::{ConeProblem, ConeScratch, solve_cone};
use crate::solve::sparse::{Choice, ContactProblem, ContactRows, solve_contacts_to};
use crate::solve::{Outcome, Square};

/// The residual up to which impulses are not sought anew.
const GOOD: f64 = 1e-9;

/// Rounds in which bounds of dry moments follow normal impulses.
const TURNING_ROUNDS: usize = 60;
/// Of more contacts than this the impulses are taken as found: those of least norm cost some factorisations more.
const SEVERAL: usize = 24;

/// The same of several.
const ENOUGH_OF_SEVERAL: f64 = 1e-9;

/// What a push apart may leave, by what it is to leave at most.
const LEFT: f64 = 0.1;

/// A residual of so many for which a second, hurried search is enough; above it everything is tried.
const VERY_POOR: f64 = 1e-3;

impl ConstraintSystem {
    /// The impulses of a step of length `h` (s), N·s, in the frames of the contacts: they take the place of the forces.
    /// `slides` says which contacts slip, `gaps` how far each may close, m. Geometry must be that of [`Bearings::look`]; the
    /// impulses of the call before are the start if there are as many.
    pub fn step(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        h: f64,
        (slides, gaps): (&[bool], &[f64]),
    ) -> Outcome {
        let n = contacts.len();
        self.find_resistance_rows(bodies, contacts);
        let mut rows = problem::rows(bodies, contacts, &self.frames, slides);
        for ((row, frame), gap) in rows.iter_mut().zip(&self.frames).zip(gaps) {
            let end = frame.velocity + h * frame.free;
            row.free = [end.x + gap / h, end.y, end.z];
        }
        rows.extend(problem::dry_rows(bodies, contacts, &self.resistance));
        let mut r = vec![0.0; 3 * (self.count() + self.extra.len())];
        if self.forces.len() == n {
            for (i, p) in self.forces.iter().enumerate() {
                r[3 * i..3 * i + 3].copy_from_slice(&p.to_array());
            }
        }
        let mut outcome = self.solve_bounded(bodies, contacts, (&mut rows, h), &mut r);
        // Bounds of dry moments are those of the round before; they gain a factor of the resistance by the size of the bodies.
        for _ in 0..if self.resistance.is_empty() { 0 } else { TURNING_ROUNDS } {
            let before = std::mem::take(&mut self.forces);
            self.take_forces(n, &r);
            let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
            let same = |(a, b): (&DVec3, &DVec3)| (a.x - b.x).abs() <= GOOD * largest;
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

    /// Takes the impulses from a solution.
    fn take_forces(&mut self, n: usize, r: &[f64]) {
        self.forces.clear();
        self.forces.extend((0..n).map(|i| DVec3::new(r[3 * i], r[3 * i + 1], r[3 * i + 2])));
        self.take_extra_forces(r);
    }

    /// As [`Bearings::solve_rows`] within a time `h`, with bounds of dry moments by the impulses as last found.
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

    /// Impulses of these contacts and of their dry moments, with joints in force where there are any. Of several contacts without
    /// joints a residual of `left` is enough, unless that is zero.
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
                return solve_forces(self.solver, &problem, r, &mut SolverScratch::default()).outcome;
            }
            let choice = if rows.len() > SEVERAL { Choice::AsFound } else { Choice::LeastNorm };
            let is_smooth = rows.iter().all(|row| row.friction == 0.0);
            let (enough, good) = match rows.len() {
                n if left > 0.0 && n > SEVERAL => (left, GOOD.max(left / LEFT)),
                n if self.is_slow && n > MANY => (0.0, POOR),
                _ if self.is_slow || is_smooth => (0.0, GOOD),
                n if n > MANY => (ENOUGH, POOR),
                n if n > SEVERAL => (ENOUGH_OF_SEVERAL, GOOD),
                _ => (0.0, GOOD),
            };
            let mut outcome = solve_contacts_to(enough, &problem, choice, r, &mut self.sparse);
            // Of so many contacts some are redundant.
            outcome.unique &= choice == Choice::LeastNorm;
            if outcome.residual <= good {
                return outcome;
            }
            // From no start at all, and by the other solver where that is small enough.
            let found = r.to_vec();
            r.fill(0.0);
            let other = if good == POOR && outcome.residual <= VERY_POOR {
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
        if let Some(outcome) =
            Linked::new(self, bodies, rows.len()).and_then(|mut linked| linked.step(rows, r))
        {
            return outcome;
        }
        self.assemble(bodies, contacts);
        let n = self.count() + self.extra.len();
        let w = Square::from_fn(3 * n, |i, j| self.entry(i, j));
        let mut q: Vec<f64> = rows.iter().flat_map(|row| row.free).collect();
        let mut friction: Vec<f64> = rows.iter().map(|row| row.friction).collect();
        self.extend_free(&mut q);
        self.extend_friction(&mut friction);
        let problem = ConeProblem { w: &w, q: &q, friction: &friction, floor: &vec![0.0; n] };
        solve_cone(&problem, r, &mut ConeScratch::default())
    }

    /// The least changes of position, in the metric of the masses, after which no separation is negative, to first order; none,
    /// and false, where all are above `-allowed`, m.
    pub fn depenetrate(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        (allowed, shifts): (f64, &mut Vec<Shift>),
    ) -> bool {
        let smooth: Vec<ContactConstraint> = contacts.iter().map(ContactConstraint::smooth).collect();
        let contacts = &smooth[..];
        self.look(bodies, contacts);
        // Those of other contacts: where none overlaps, or no joint is present, nothing below assembles them anew.
        self.responses.clear();
        let n = contacts.len();
        let extra = std::mem::take(&mut self.extra);
        let mut r = vec![0.0; 3 * n];
        let mut linked = None;
        self.responses.clear();
        let overlaps = self.frames.iter().any(|frame| frame.separation < -allowed);
        if overlaps {
            let mut rows = problem::rows(bodies, contacts, &self.frames, &vec![false; n]);
            for (row, frame) in rows.iter_mut().zip(&self.frames) {
                (row.free, row.friction) = ([frame.separation, 0.0, 0.0], 0.0);
            }
            linked = Linked::new(self, bodies, n);
            if linked.as_mut().and_then(|linked| linked.step(&rows, &mut r)).is_none() {
                linked = None;
                let largest =
                    self.frames.iter().fold(0.0_f64, |most, frame| most.max(frame.separation.abs()));
                self.solve_rows(bodies, contacts, (&rows, LEFT * allowed / largest), &mut r);
            }
        }
        self.unknowns.clear();
        self.unknowns.extend((0..n).map(|i| (i, 0)));
        self.solution.clear();
        self.solution.extend((0..n).map(|i| r[3 * i]));
        self.extra = extra;
        self.apply(bodies, contacts, shifts);
        if let Some(linked) = linked {
            linked.add_answers(shifts);
        }
        overlaps
    }
}
