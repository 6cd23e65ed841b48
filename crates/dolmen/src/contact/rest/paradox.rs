//! Contacts that slide already and have no forces, or several: the configurations of Painlevé. [SYSTEM C10, trap 8; CASES A31]

use super::{ConstraintSystem, ContactConstraint, Loaded, problem};
use crate::solve::sliding::{Sliding, classify_sliding};
use crate::solve::sparse::ContactProblem;

/// Contacts up to which it is asked: every set of them is tried.
const ASKED: usize = 8;

impl ConstraintSystem {
    /// What the law of friction says of contacts that all slip, or have no friction: whether there are no forces, one set, or
    /// several. [`Sliding::TooMany`] where it was not asked: some stick, there are joints, or more than eight.
    ///
    /// Geometry must be that of [`Bearings::look`] or of a decision.
    pub fn classify(&self, bodies: &[Loaded], contacts: &[ContactConstraint], slides: &[bool]) -> Sliding {
        let is_asked = |(contact, slides): (&ContactConstraint, &bool)| {
            contact.static_friction == 0.0 || (*slides && contact.kinetic_friction.is_finite())
        };
        if contacts.len() > ASKED || !self.present.is_empty() || !contacts.iter().zip(slides).all(is_asked) {
            return Sliding::TooMany;
        }
        if contacts.iter().all(|contact| contact.kinetic_friction == 0.0) {
            // A is semidefinite: forces may be several, the motion is one.
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
