//! Contacts that slide already and have no forces, or several solutions: Painlevé configurations. [SYSTEM C10, trap 8;
//! CASES A31]

use super::{ConstraintSystem, ContactConstraint, Loaded, problem};
use crate::contact::rest::tolerances::MAX_CLASSIFIED;
use crate::solve::sliding::{Sliding, classify_sliding};
use crate::solve::sparse::ContactProblem;

impl ConstraintSystem {
    /// Whether the friction law has no, one or several solutions for contacts that all slip, or have no friction.
    /// [`Sliding::TooMany`] where that is not examined: some stick, there are joints, or more than eight contacts.
    ///
    /// The frames must be those of [`ConstraintSystem::look`] or of a decision.
    pub fn classify(&self, bodies: &[Loaded], contacts: &[ContactConstraint], slides: &[bool]) -> Sliding {
        let is_classifiable = |(contact, slides): (&ContactConstraint, &bool)| {
            contact.static_friction == 0.0 || (*slides && contact.kinetic_friction.is_finite())
        };
        if contacts.len() > MAX_CLASSIFIED
            || !self.present.is_empty()
            || !contacts.iter().zip(slides).all(is_classifiable)
        {
            return Sliding::TooMany;
        }
        if contacts.iter().all(|contact| contact.kinetic_friction == 0.0) {
            // A is semidefinite: forces may be several, the motion is unique.
            return Sliding::Unique;
        }
        let rows = problem::rows(bodies, contacts, &self.frames, slides);
        let mobilities = problem::mobilities(bodies);
        let slip = |(i, slides): (usize, &bool)| {
            let v = self.frames[i].velocity;
            let speed = (v.y * v.y + v.z * v.z).sqrt();
            if *slides && speed > 0.0 { [v.y / speed, v.z / speed] } else { [0.0; 2] }
        };
        let slips: Vec<[f64; 2]> = slides.iter().enumerate().map(slip).collect();
        let problem = ContactProblem { bodies: &mobilities, contacts: &rows, joints: &[] };
        classify_sliding(&problem, &slips).verdict
    }
}
