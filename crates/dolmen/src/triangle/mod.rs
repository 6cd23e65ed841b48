//! Triangles: where two meet, how far apart they are, hierarchies over the triangles of a mesh, and when moving ones meet.
//!
//! Whether triangles meet is decided exactly; places are rounded. Edge k of a triangle runs from corner k to corner
//! k + 1 (mod 3), and so does the edge 0 of a segment.

mod closest;
pub mod hierarchy;
mod intersect;
pub mod linear_ccd;

pub use closest::{Closest, closest, closest_on_segments, closest_on_triangle};
pub use intersect::{Corner, Intersection, Kind, intersect};

use crate::math::DVec3;
use crate::shape::exact::{collinear, in_range, shown};
use crate::shape::{LARGEST, SMALLEST};
use thiserror::Error;

/// A part of a triangle (or of a segment, which has no face).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The corner of this number.
    Vertex(u8),
    /// The edge from corner k to corner k + 1, without its ends.
    Edge(u8),
    /// The inside, without the edges.
    Face,
}

/// Three corners that are not in line, within the range of exact arithmetic; checked once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle([DVec3; 3]);

/// Why three points are no triangle.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TriangleError {
    /// A coordinate is NaN, infinite, or too large or small for exact arithmetic.
    #[error(
        "corner {corner} of the triangle is at {}; coordinates must be 0 or between {SMALLEST:e} and {LARGEST:e} m in \
         size: correct the corner or choose another unit of length", shown(*at)
    )]
    Coordinate {
        /// Which corner.
        corner: usize,
        /// Where it is.
        at: DVec3,
    },
    /// The corners are exactly in line.
    #[error(
        "the corners {}, {} and {} are in line, so the triangle has no area; move one of them or remove the triangle",
        shown(at[0]), shown(at[1]), shown(at[2])
    )]
    Degenerate {
        /// The corners.
        at: [DVec3; 3],
    },
}

impl Triangle {
    /// Checks the corners.
    ///
    /// # Errors
    /// When a coordinate is out of range, or the corners are exactly in line.
    pub fn new(corners: [DVec3; 3]) -> Result<Self, TriangleError> {
        if let Some(corner) = corners.iter().position(|p| !in_range(*p)) {
            return Err(TriangleError::Coordinate { corner, at: corners[corner] });
        }
        let [a, b, c] = corners;
        if collinear(a, b, c) {
            return Err(TriangleError::Degenerate { at: corners });
        }
        Ok(Self(corners))
    }

    /// The corners as given.
    pub fn corners(&self) -> [DVec3; 3] {
        self.0
    }

    /// The ends of edge k.
    fn edge(&self, k: usize) -> [DVec3; 2] {
        [self.0[k], self.0[(k + 1) % 3]]
    }
}
