//! The laws of impact, by name.

use serde::{Deserialize, Serialize};

/// How the impulses of contacts that collide at the same instant are found.
///
/// Of one contact all laws make the same. Three equal balls in a row with ε = 1, the first arriving with v, tell them
/// apart: *propagation* and *reflection* leave 0, 0, v, *simultaneous* leaves −v/3, 2v/3, 2v/3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Law {
    /// Contacts one at a time, the one that approaches fastest first, until none collides. [PAPER: propagation]
    ///
    /// Of equal speeds the first in order collides first, so that a symmetric impact need not stay symmetric.
    Propagation,
    /// All at once, as one complementarity problem over every touching contact. [PAPER: simultaneous]
    ///
    /// v⁺ = A j + v⁻, v⁺ ≥ −ε min(v⁻, 0), j ≥ 0, complementary. Symmetric, one round, but momentum is not passed
    /// down a row of balls.
    Simultaneous,
    /// Generalised reflections: momentum is shared out so that symmetric impacts stay symmetric and touching balls of a
    /// cradle pass it on.
    ///
    /// In rounds: the contacts that approach, and only these, get the impulses λ that would just stop them and then
    /// ε λ more, until none approaches. [Smith, Kaufman, Vouga, Grinspun 2012]
    #[default]
    Reflection,
}

impl Law {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Propagation, Self::Simultaneous, Self::Reflection];

    /// As it is written in a scene or a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Propagation => "propagation",
            Self::Simultaneous => "simultaneous",
            Self::Reflection => "reflection",
        }
    }
}
