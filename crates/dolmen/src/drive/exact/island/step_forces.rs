//! Forces that are given: those of a time step, and those that hold a pile that stands.

use crate::math::DVec3;
use crate::narrow_phase::ContactId;
use crate::solve::Outcome;
use serde::{Deserialize, Serialize};

/// What a step does at one contact.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Push {
    /// In its frame, N.
    pub(crate) force: DVec3,
    /// The approach that was braked so that the gap just closed, m/s.
    pub(crate) braked: f64,
    /// Up to which separation it touches, m.
    pub(crate) tolerance: f64,
}

/// The forces of an island that do not follow from its modes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StepForces {
    /// Of every contact.
    pub(crate) pushes: Vec<Push>,
    /// Those against turning, N; none of the last contacts, which only the end of the step showed.
    pub(crate) rolling: Vec<DVec3>,
    /// How they were found.
    pub(crate) outcome: Outcome,
}

impl StepForces {
    /// Those of some of the contacts; what resists turning is left out.
    pub(crate) fn part(&self, own: &[usize]) -> Self {
        let pushes = own.iter().map(|i| self.pushes[*i]).collect();
        Self { pushes, rolling: Vec::new(), outcome: self.outcome }
    }
}

/// What the last step did at a contact, by its bodies and features.
#[derive(Clone, Copy)]
pub(crate) struct LastForce {
    pub(crate) contact: ([u32; 2], ContactId),
    pub(crate) push: Push,
}
