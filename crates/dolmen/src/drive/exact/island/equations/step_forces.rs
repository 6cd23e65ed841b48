//! Step forces: those of a time step, and those of an island at rest with many contacts.

use crate::math::DVec3;
use crate::narrow_phase::ContactId;
use crate::solve::Outcome;
use serde::{Deserialize, Serialize};

/// The force of a time step at one contact.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct StepForce {
    /// In the frame of the contact, N.
    pub(crate) force: DVec3,
    /// The approach speed that was reduced so that the gap just closed, m/s.
    pub(crate) closing_speed: f64,
    /// The contact tolerance, m.
    pub(crate) tolerance: f64,
}

/// The forces of an island that do not follow from its modes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StepForces {
    /// One for every contact.
    pub(crate) forces: Vec<StepForce>,
    /// Resistance moments, N; none for the last contacts, which only the end of the step found.
    pub(crate) rolling: Vec<DVec3>,
    /// How they were solved.
    pub(crate) outcome: Outcome,
}

impl StepForces {
    /// The forces of some of the contacts, without resistance moments.
    pub(crate) fn part(&self, indices: &[usize]) -> Self {
        let forces = indices.iter().map(|i| self.forces[*i]).collect();
        Self { forces, rolling: Vec::new(), outcome: self.outcome }
    }
}

/// The force of the last time step at a contact, by its bodies and features.
#[derive(Clone, Copy)]
pub(crate) struct LastForce {
    pub(crate) contact: ([u32; 2], ContactId),
    pub(crate) step_force: StepForce,
}
