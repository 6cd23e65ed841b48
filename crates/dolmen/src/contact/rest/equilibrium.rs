//! Whether given forces keep bodies at rest in equilibrium.

use super::tolerances::CONSISTENT;
use super::{ConstraintSystem, ContactConstraint, Loaded, problem};
use crate::math::DVec3;
use crate::solve::Outcome;
use crate::solve::choose::ContactSolver;
use crate::solve::sparse::{ContactProblem, improve_contacts};

impl ConstraintSystem {
    /// The forces of least norm that keep all contacts as they are, found from forces that do so up to rounding; none
    /// where these do not, or where the user chose another solver. Nothing else is tried.
    pub fn solve_equilibrium(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        start: &[DVec3],
    ) -> Option<Outcome> {
        self.assemble(bodies, contacts);
        let is_applicable = self.solver == ContactSolver::Complementarity && self.present.is_empty();
        if !is_applicable || !self.resistance.is_empty() {
            return None;
        }
        let mobilities = problem::mobilities(bodies);
        let rows = problem::rows(bodies, contacts, &self.frames, &vec![false; contacts.len()]);
        let mut r: Vec<f64> = start.iter().flat_map(DVec3::to_array).collect();
        let problem = ContactProblem { bodies: &mobilities, contacts: &rows, joints: &[] };
        let outcome = improve_contacts(&problem, &mut r, &mut self.sparse);
        self.solves.add(&outcome);
        self.forces = r.chunks_exact(3).map(DVec3::from_slice).collect();
        (self.residual, self.is_unique) = (outcome.residual, outcome.unique);
        self.ended = (outcome.status, outcome.iterations);
        (outcome.residual <= CONSISTENT).then_some(outcome)
    }
}
