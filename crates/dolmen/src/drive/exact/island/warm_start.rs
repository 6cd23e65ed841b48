//! Forces that are likely: those of the last time step, with which the decision on modes begins.
//!
//! Where bodies have come to rest by such steps the forces of the last one hold them, and nothing is left to be sought. Forces of many
//! contacts are not unique, nor is the motion where friction is large: from no start others may be found, under which something
//! begins to slide, or none.

use crate::math::DVec3;
use crate::narrow_phase::ContactId;

/// Of fewer contacts modes are found from no start at all.
const PILE: usize = 64;

/// A contact by its bodies and features.
pub(crate) type Key = ([u32; 2], ContactId);

/// Forces of contacts, in their frames, N; in the order of their keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct WarmStart(Vec<(Key, DVec3)>);

impl WarmStart {
    /// Forgets what it knows, and takes these.
    pub(crate) fn set(&mut self, forces: impl Iterator<Item = (Key, DVec3)>) {
        self.0.clear();
        self.0.extend(forces);
        self.0.sort_by_key(|(key, _)| *key);
    }

    /// A start for these contacts, zero for those that are not known; none for few, or where nothing is known.
    pub(crate) fn of(&self, contacts: impl ExactSizeIterator<Item = Key>) -> Vec<DVec3> {
        if self.0.is_empty() || contacts.len() <= PILE {
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
    use super::{PILE, WarmStart};
    use crate::math::DVec3;
    use crate::narrow_phase::{ContactId, Feature};

    /// Each contact has its own force again, in whatever order; who is not known has none, and few contacts have no start.
    #[test]
    fn every_contact_has_its_own_force_again() {
        let key = |k: u32| ([k, k + 1], ContactId { a: Feature::Vertex(k % 3), b: Feature::Face(0) });
        let force = |k: u32| DVec3::splat(f64::from(k) + 1.0);
        let mut warm_start = WarmStart::default();
        assert!(warm_start.of((0..200).map(key)).is_empty());
        warm_start.set((0..100).rev().map(|k| (key(k), force(k))));
        assert!(warm_start.of((0..PILE as u32).map(key)).is_empty());
        let start = warm_start.of((50..150).map(key));
        let expected: Vec<DVec3> = (50..150).map(|k| if k < 100 { force(k) } else { DVec3::ZERO }).collect();
        assert_eq!(start, expected);
        warm_start.set(std::iter::empty());
        assert!(warm_start.of((0..200).map(key)).is_empty());
    }
}
