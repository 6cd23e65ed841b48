//! One implicit step over all contacts at velocity level. [SYSTEM, trap 15]
//!
//! Moreau's scheme: with the impulses p of a step of length h the velocities of the contacts at its end are
//! u = u₀ + h q + W p, q the accelerations without contact forces. Coulomb's law with its exact cone holds between p and u,
//! with g/h + uₙ in place of uₙ where the gap g is open: what does not come to touch within the step carries nothing.

use super::{Bearing, Bearings, Loaded, Shift, problem};
use crate::math::DVec3;
use crate::solve::choose::{ContactSolver, SolverScratch, solve_forces};
use crate::solve::cone::{ConeProblem, ConeScratch, solve_cone};
use crate::solve::sparse::{Choice, ContactProblem, ContactRows, SparseScratch, solve_contacts};
use crate::solve::{Outcome, Square};

/// The residual up to which impulses are not sought anew.
const GOOD: f64 = 1e-9;

/// Rounds in which bounds of dry moments follow normal impulses.
const TURNING_ROUNDS: usize = 60;

impl Bearings {
    /// The impulses of a step of length `h` (s), N·s, in the frames of the contacts: they take the place of the forces.
    /// `slides` says which contacts slip, `gaps` how far each may close, m. Geometry must be that of [`Bearings::look`]; the
    /// impulses of the call before are the start if there are as many.
    pub fn step(
        &mut self,
        bodies: &[Loaded],
        contacts: &[Bearing],
        h: f64,
        (slides, gaps): (&[bool], &[f64]),
    ) -> Outcome {
        let n = contacts.len();
        let mut rows = problem::rows(bodies, contacts, &self.frames, slides);
        for ((row, frame), gap) in rows.iter_mut().zip(&self.frames).zip(gaps) {
            let end = frame.velocity + h * frame.free;
            row.free = [end.x + gap / h, end.y, end.z];
        }
        let mut r = vec![0.0; 3 * (self.count() + self.extra.len())];
        if self.forces.len() == n {
            for (i, p) in self.forces.iter().enumerate() {
                r[3 * i..3 * i + 3].copy_from_slice(&p.to_array());
            }
        }
        let mut outcome = self.solve_rows(bodies, contacts, (&rows, h), &mut r);
        // Bounds of dry moments are those of the round before; they gain a factor of the resistance by the size of the bodies.
        for _ in 0..if self.dry.is_empty() { 0 } else { TURNING_ROUNDS } {
            let before = std::mem::take(&mut self.forces);
            self.take_forces(n, &r);
            let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
            let same = |(a, b): (&DVec3, &DVec3)| (a.x - b.x).abs() <= GOOD * largest;
            if before.len() == n && before.iter().zip(&self.forces).all(same) {
                break;
            }
            outcome = self.solve_rows(bodies, contacts, (&rows, h), &mut r);
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

    /// Impulses of these contacts within a time `h`, with joints in force where there are any; bounds of dry moments by the
    /// impulses as last found.
    fn solve_rows(
        &mut self,
        bodies: &[Loaded],
        contacts: &[Bearing],
        (rows, h): (&[ContactRows], f64),
        r: &mut [f64],
    ) -> Outcome {
        if self.present.is_empty() && self.dry.is_empty() {
            let mobilities = problem::mobilities(bodies);
            let problem = ContactProblem { bodies: &mobilities, contacts: rows, joints: &[] };
            if self.solver != ContactSolver::Complementarity {
                return solve_forces(self.solver, &problem, r, &mut SolverScratch::default()).outcome;
            }
            let outcome = solve_contacts(&problem, Choice::LeastNorm, r, &mut SparseScratch::default());
            if outcome.residual <= GOOD {
                return outcome;
            }
            // From no start at all, and by the other solver where that is small enough.
            let found = r.to_vec();
            r.fill(0.0);
            let other = solve_forces(self.solver, &problem, r, &mut SolverScratch::default()).outcome;
            if other.residual < outcome.residual {
                return other;
            }
            r.copy_from_slice(&found);
            return outcome;
        }
        self.assemble(bodies, contacts);
        let n = self.count() + self.extra.len();
        let w = Square::from_fn(3 * n, |i, j| self.entry(i, j));
        let mut q: Vec<f64> = rows.iter().flat_map(|row| row.free).collect();
        let mut friction: Vec<f64> = rows.iter().map(|row| row.friction).collect();
        let limits: Vec<f64> = (0..self.dry.len()).map(|d| self.dry_limit(d)).collect();
        self.extend_dry(&mut q, &limits, |d| self.dry[d].velocity + h * self.dry[d].free);
        self.extend_free(&mut q);
        self.extend_friction(&mut friction);
        let problem = ConeProblem { w: &w, q: &q, friction: &friction, floor: &vec![0.0; n] };
        solve_cone(&problem, r, &mut ConeScratch::default())
    }

    /// The least changes of position, in the metric of the masses, after which no separation is negative, to first order.
    pub fn shift_apart(&mut self, bodies: &[Loaded], contacts: &[Bearing], shifts: &mut Vec<Shift>) {
        let smooth: Vec<Bearing> = contacts.iter().map(Bearing::smooth).collect();
        let contacts = &smooth[..];
        self.look(bodies, contacts);
        let n = contacts.len();
        let extra = std::mem::take(&mut self.extra);
        let mut r = vec![0.0; 3 * n];
        if self.frames.iter().any(|frame| frame.separation < 0.0) {
            let mut rows = problem::rows(bodies, contacts, &self.frames, &vec![false; n]);
            for (row, frame) in rows.iter_mut().zip(&self.frames) {
                (row.free, row.friction) = ([frame.separation, 0.0, 0.0], 0.0);
            }
            self.solve_rows(bodies, contacts, (&rows, 0.0), &mut r);
        }
        self.unknowns.clear();
        self.unknowns.extend((0..n).map(|i| (i, 0)));
        self.solution.clear();
        self.solution.extend((0..n).map(|i| r[3 * i]));
        self.extra = extra;
        self.apply(bodies, contacts, shifts);
    }
}
