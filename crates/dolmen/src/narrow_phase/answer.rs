//! What queries on a pair answer.

use super::Witness;
use crate::math::DVec3;

/// The closest points of two shapes, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Euclidean, m; 0 when they have a point in common.
    pub distance: f64,
    /// Unit vector from b to a; zero when they have a point in common.
    pub normal: DVec3,
    /// On a and on b; the same point when they have one in common.
    pub points: [DVec3; 2],
}

/// How two shapes are separated, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Across the plane of the witness, m. Positive: they are apart, by at least this. Negative: they overlap, and this is
    /// the least depth over all directions; within the contact tolerance it is the depth along the witness, which may
    /// differ from that by no more than the tolerance. Infinite when one is behind a plane touched from its front only.
    pub distance: f64,
    /// Unit normal of that plane, from b to a.
    pub normal: DVec3,
    /// The features that define it.
    pub witness: Witness,
    /// The points of a and of b that `distance` is measured between: a vertex and its foot on the plane of a face, which
    /// may be outside of the face, or the nearest points of two edges.
    pub points: [DVec3; 2],
}

/// Why two shapes certainly overlap. [NOTES, collision detection]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// A vertex of a is inside of b.
    VertexOfA(u32),
    /// A vertex of b is inside of a.
    VertexOfB(u32),
    /// An edge of a goes through a face of b.
    EdgeOfA {
        /// Of a.
        edge: u32,
        /// Of b.
        face: u32,
    },
    /// An edge of b goes through a face of a.
    EdgeOfB {
        /// Of b.
        edge: u32,
        /// Of a.
        face: u32,
    },
    /// None of these, and still they overlap: equal cubes exactly over each other, one lowered into the other.
    Aligned,
    /// One has a curved surface or is not convex: their separation is negative by more than rounding.
    Measured,
}

/// The normal and two points of a pair with the roles exchanged.
pub(super) fn exchanged(normal: DVec3, [a, b]: [DVec3; 2]) -> (DVec3, [DVec3; 2]) {
    (-normal, [b, a])
}
