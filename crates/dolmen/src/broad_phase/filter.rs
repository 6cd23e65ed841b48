//! Pairs that are not asked for: by group, by name, or because neither can move.

use super::Pair;

/// Which groups a box belongs to and which it meets; one bit for each of 32 groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// The groups it is in.
    pub member: u32,
    /// The groups it meets.
    pub with: u32,
}

impl Groups {
    /// In all groups and meets all.
    pub const ALL: Self = Self { member: u32::MAX, with: u32::MAX };
    /// In no group: collides with nothing.
    pub const NONE: Self = Self { member: 0, with: 0 };

    /// Whether two boxes may form a pair: each is in a group that the other meets.
    pub fn meets(self, other: Self) -> bool {
        self.member & other.with != 0 && other.member & self.with != 0
    }
}

/// What is known of one box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag {
    groups: Groups,
    immobile: bool,
}

impl Tag {
    const DEFAULT: Self = Self { groups: Groups::ALL, immobile: false };
}

/// The pairs that are wanted. A new filter wants all; boxes it was told nothing of are mobile and meet everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// By number of the box; shorter than the list of boxes where nothing was said.
    tags: Vec<Tag>,
    /// Sorted.
    excluded: Vec<Pair>,
}

impl Filter {
    /// Wants all pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a box into its groups.
    pub fn set_groups(&mut self, index: u32, groups: Groups) {
        self.tag_mut(index).groups = groups;
    }

    /// Says that a box never moves (or that it does after all): two immobile boxes are never a pair.
    pub fn set_immobile(&mut self, index: u32, immobile: bool) {
        self.tag_mut(index).immobile = immobile;
    }

    /// Never reports this pair, in whatever order it is given; bodies that share a joint, for instance.
    pub fn exclude(&mut self, i: u32, j: u32) {
        let pair = [i.min(j), i.max(j)];
        if let Err(place) = self.excluded.binary_search(&pair) {
            self.excluded.insert(place, pair);
        }
    }

    /// Whether the pair is wanted.
    pub fn allows(&self, i: u32, j: u32) -> bool {
        let (a, b) = (self.tag(i), self.tag(j));
        !(a.immobile && b.immobile)
            && a.groups.meets(b.groups)
            && (self.excluded.is_empty() || self.excluded.binary_search(&[i.min(j), i.max(j)]).is_err())
    }

    /// Whether the box may move.
    pub fn is_mobile(&self, index: u32) -> bool {
        !self.tag(index).immobile
    }

    fn tag(&self, index: u32) -> Tag {
        self.tags.get(index as usize).copied().unwrap_or(Tag::DEFAULT)
    }

    fn tag_mut(&mut self, index: u32) -> &mut Tag {
        let index = index as usize;
        if self.tags.len() <= index {
            self.tags.resize(index + 1, Tag::DEFAULT);
        }
        &mut self.tags[index]
    }
}
