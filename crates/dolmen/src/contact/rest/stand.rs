//! Whether forces that are at hand hold bodies that stand still.

use super::decide::CONSISTENT;
use super::{ConstraintSystem, ContactConstraint, Loaded, problem};
use crate::math::DVec3;
use crate::solve::Outcome;
use crate::solve::choose::ContactSolver;
use crate::solve::sparse::{ContactProblem, improve_contacts};

impl ConstraintSystem {
    /// The forces of least norm under which all contacts stay as they are, found from forces that are those but for rounding;
    /// none where these are not, or where another solver was asked for. Nothing else is tried.
    pub fn hold_standing(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        start: &[DVec3],
    ) -> Option<Outcome> {
        self.assemble(bodies, contacts);
        let is_asked = self.solver == ContactSolver::Complementarity && self.present.is_empty();
        if !is_asked || !self.resistance.is_empty() {
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
