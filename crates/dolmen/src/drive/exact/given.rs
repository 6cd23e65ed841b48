//! Forces that are given: those of a step over a crowd of contacts, and those that hold a crowd that stands.

use super::simulation::Simulation;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;
use crate::solve::Outcome;

/// What a step does at one contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Push {
    /// In its frame, N.
    pub(super) force: DVec3,
    /// The approach that was braked so that the gap just closed, m/s.
    pub(super) braked: f64,
    /// Up to which separation it touches, m.
    pub(super) tolerance: f64,
}

/// The forces of an island that do not follow from its modes.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// Of every contact.
    pub(super) pushes: Vec<Push>,
    /// Those against turning, N; none of the last contacts, which only the end of the step showed.
    pub(super) turning: Vec<DVec3>,
    /// How they were found.
    pub(super) outcome: Outcome,
}

impl Given {
    /// Those of some of the contacts; what resists turning is left out.
    pub(super) fn part(&self, own: &[usize]) -> Self {
        let pushes = own.iter().map(|i| self.pushes[*i]).collect();
        Self { pushes, turning: Vec::new(), outcome: self.outcome }
    }
}

/// What the last step did at a contact, by its bodies and features.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) contact: ([u32; 2], ContactId),
    pub(super) push: Push,
}

impl Simulation {
    /// The forces of the last step at the contacts of these tracks: the next will be much like them.
    pub(super) fn last_forces(&self, tracks: &[usize]) -> Vec<Last> {
        let mut last = Vec::new();
        for held in tracks.iter().filter_map(|k| self.tracks[*k].held.as_ref()) {
            let Some(given) = &held.given else { continue };
            let named = held.pairs.iter().zip(&held.features).zip(&given.pushes);
            last.extend(
                named.map(|((pair, features), push)| Last { contact: (*pair, *features), push: *push }),
            );
        }
        last.sort_by_key(|last| last.contact);
        last
    }
}
