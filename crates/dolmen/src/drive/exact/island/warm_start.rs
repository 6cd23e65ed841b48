//! The warm start of the mode decision: the contact forces of the last time step.
//!
//! Where bodies come to rest by time steps, the forces of the last step keep them in equilibrium, and the decision is
//! done at once. The forces of many contacts are not unique, nor is the motion where friction is large: a cold start
//! may find other forces, under which something begins to slide, or none.

use crate::drive::exact::island::tolerances::MIN_WARM_START;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;

/// A contact by its bodies and features.
pub(crate) type Key = ([u32; 2], ContactId);

/// Contact forces in their frames, N, in the order of their keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct WarmStart(Vec<(Key, DVec3)>);

impl WarmStart {
    /// Replaces the stored forces.
    pub(crate) fn set(&mut self, forces: impl Iterator<Item = (Key, DVec3)>) {
        self.0.clear();
        self.0.extend(forces);
        self.0.sort_by_key(|(key, _)| *key);
    }

    /// A start for these contacts, zero for unknown ones; none for few contacts, or where nothing is stored.
    pub(crate) fn of(&self, contacts: impl ExactSizeIterator<Item = Key>) -> Vec<DVec3> {
        if self.0.is_empty() || contacts.len() <= MIN_WARM_START {
            return Vec::new();
        }
        let force = |key: Key| {
            let found = self.0.binary_search_by_key(&key, |(key, _)| *key);
            found.map_or(DVec3::ZERO, |i| self.0[i].1)
        };
        contacts.map(force).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_WARM_START, WarmStart};
    use crate::math::DVec3;
    use crate::narrow_phase::{ContactId, Feature};

    /// Each contact gets its own force back, in any order; an unknown one gets zero, and few contacts have no start.
    #[test]
    fn every_contact_gets_its_own_force_back() {
        let key = |k: u32| ([k, k + 1], ContactId { a: Feature::Vertex(k % 3), b: Feature::Face(0) });
        let force = |k: u32| DVec3::splat(f64::from(k) + 1.0);
        let mut warm_start = WarmStart::default();
        assert!(warm_start.of((0..200).map(key)).is_empty());
        warm_start.set((0..100).rev().map(|k| (key(k), force(k))));
        assert!(warm_start.of((0..MIN_WARM_START as u32).map(key)).is_empty());
        let start = warm_start.of((50..150).map(key));
        let expected: Vec<DVec3> = (50..150).map(|k| if k < 100 { force(k) } else { DVec3::ZERO }).collect();
        assert_eq!(start, expected);
        warm_start.set(std::iter::empty());
        assert!(warm_start.of((0..200).map(key)).is_empty());
    }
}
