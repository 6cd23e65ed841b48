//! What bodies and sets of particles are known by.

use serde::{Deserialize, Serialize};

/// A body of a world: the rank of its name. Bodies without a name come after the named ones, in the order in which they
/// were made. So the order of a file or a program never reaches a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub(crate) u32);

/// A set of particles of a world: the rank of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SetId(pub(crate) u32);

impl BodyId {
    /// The body of this rank.
    pub fn from_rank(rank: usize) -> Self {
        Self(rank as u32)
    }

    /// Position in every list that has one entry per body.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl SetId {
    /// The set of this rank.
    pub fn from_rank(rank: usize) -> Self {
        Self(rank as u32)
    }

    /// Position in every list that has one entry per set.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A body or a set of particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// A body.
    Body(BodyId),
    /// All particles of a set.
    Set(SetId),
}
