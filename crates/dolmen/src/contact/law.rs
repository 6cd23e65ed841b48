//! The laws of impact, by name.

/// How the impulses of contacts that collide at the same instant are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Law {
    /// Contacts one at a time, until none collides. [PAPER: propagation]
    Propagation,
    /// All at once, as one complementarity problem. [PAPER: simultaneous]
    Simultaneous,
    /// Generalised reflections: momentum is shared out so that symmetric impacts stay symmetric and touching balls of a
    /// cradle pass it on.
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
