//! What is remembered about a pair from one query to the next.

use serde::{Deserialize, Serialize};

/// A part of a shape's surface, by its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// A straight edge.
    Edge(u32),
    /// A flat face. Of a plane: 0 is the front, 1 the back.
    Face(u32),
    /// A circular edge.
    Rim(u32),
    /// A curved face.
    Surface(u32),
}

/// The features that define the plane between two shapes, cached by the caller from query to query. [NOTES, collision detection]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Witness {
    /// Nothing is known yet.
    #[default]
    Unknown,
    /// The plane of a face of one and the vertex of the other nearest to it, or the plane along an edge of each.
    ///
    /// It separates the pair, or, when they overlap, it is the one along which they do least.
    Plane {
        /// Of the first shape: a face, vertex or edge.
        a: Feature,
        /// Of the second: a vertex, face or edge.
        b: Feature,
    },
    /// One came from behind a plane that can only be touched from its front, and has not come out of it yet.
    Behind,
}

impl Witness {
    /// The same with the roles of the shapes exchanged.
    #[must_use]
    pub fn exchanged(self) -> Self {
        match self {
            Self::Plane { a, b } => Self::Plane { a: b, b: a },
            other => other,
        }
    }
}

/// How queries on pairs were answered; sums over all queries given the same counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// All queries.
    pub queries: u64,
    /// Answered by the cached witness.
    pub hits: u64,
    /// Answered by a feature beside the cached one.
    pub neighbours: u64,
    /// Answered by walking to the closest features.
    pub walks: u64,
    /// Answered by the best of all faces and edge pairs.
    pub searches: u64,
}
