//! Questions to a world at an instant: rays, nearest bodies, overlaps, casts of shapes.
//!
//! An [`Arrangement`] holds the shapes of a world in their places, with a tree of boxes over them; it is made once and
//! moved on with [`Arrangement::place`]. The questions are free functions on it. They look at geometry alone: a fixed body is
//! met like any other, and only [`overlaps`] asks who collides with whom. Bodies without a shape are never found.
//!
//! | question | answer |
//! |---|---|
//! | [`cast_ray`], [`cast_ray_all`] | where a ray passes surfaces: the first, or all in order |
//! | [`cast_shape`] | what a moving shape touches first |
//! | [`closest_points`] | how far apart two bodies are, and where |
//! | [`nearest_body`] | what is nearest to a point |
//! | [`contains`] | which bodies a point is in |
//! | [`overlaps`], [`overlaps_with`] | which pairs overlap, or which bodies a shape in a place overlaps |
//!
//! # Conventions
//! - World frame, m. Directions may have any length but zero; distances are in metres along them.
//! - **Rays pass surfaces.** A hit says whether the ray goes into the solid there, out of it, or through something without
//!   thickness (a disc, a plane). So a ray that starts inside a solid hits it where it leaves, and not at distance 0;
//!   [`contains`] tells whether it starts inside. Between hits on one body the ray is in it or out of it by turns.
//! - What only touches is not hit: a tangent of a ball, a ray within a face of a box. To rounding, that is: a graze within
//!   rounding of one may be seen as either. A ray that starts on a surface and goes in is hit at distance 0.
//! - Normals of hits are unit vectors out of the solid (against the ray going in, along it going out); those of things
//!   without thickness point to where the ray came from.
//! - An infinite plane that is touched from its front only has a solid behind it, without end; a finite one does not hit
//!   what comes from behind.
//! - The parts of a compound are one solid: where they touch or overlap there is no surface between them.
//! - Answers do not depend on the order of bodies: equal distances are ordered by id.
//! - Pairs of shapes for which the narrow phase has no answer are a [`QueryError::Pair`], never a wrong one. Rays, nearest
//!   bodies and containment know all shapes.

mod arrangement;
mod line;
mod near;
mod overlap;
mod ray;
mod sweep;
mod target;

pub use arrangement::Arrangement;
pub use near::{NearestBody, closest_points, contains, nearest_body};
pub use overlap::{BodyOverlap, overlaps, overlaps_with};
pub use ray::{RayHit, cast_ray, cast_ray_all};
pub use sweep::{ShapeCast, ShapeHit, cast_shape};
pub use target::Crossing;
pub(crate) use target::Target;

use crate::math::DVec3;
use crate::narrow_phase::UnsupportedPair;
use crate::shape::ShapeError;
use thiserror::Error;

/// Why a question was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum QueryError {
    /// A point, pose, translation or turn that is not finite.
    #[error("the {what} is {value}; all its numbers must be finite")]
    NotFinite {
        /// Which.
        what: &'static str,
        /// As given.
        value: String,
    },
    /// A direction that points nowhere.
    #[error("the direction of the ray is ({:?}, {:?}, {:?}); it must be finite, and of a length other than 0", direction.x, direction.y, direction.z)]
    Direction {
        /// As given.
        direction: DVec3,
    },
    /// A length of a ray that is no length.
    #[error("the ray goes up to {max:?} m; give 0 or more, infinity for a ray without end")]
    Reach {
        /// As given.
        max: f64,
    },
    /// A quaternion that is no rotation.
    #[error("the orientation of {of} has length {length:?}; it must be 1: normalise it")]
    Orientation {
        /// Of what.
        of: String,
        /// Of the quaternion.
        length: f64,
    },
    /// A shape that cannot be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A plane is to be moved.
    #[error("a plane cannot be cast: planes are immobile; cast a thin box instead")]
    MovingPlane,
    /// A body that nothing can touch.
    #[error("body {body:?} has no shape; ask about one that has")]
    NoShape {
        /// Its name.
        body: String,
    },
    /// A body of another world.
    #[error(
        "there is no body number {index} in this arrangement of {count}; take ids from the world it was made for"
    )]
    Stranger {
        /// The number asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Two shapes without an answer.
    #[error("{a} and {b}: {source}")]
    Pair {
        /// The first, by name.
        a: String,
        /// The second, by name.
        b: String,
        /// Which shapes, and the remedy.
        source: UnsupportedPair,
    },
}

/// A vector whose numbers are all finite.
fn finite(what: &'static str, v: DVec3) -> Result<DVec3, QueryError> {
    if v.is_finite() { Ok(v) } else { Err(QueryError::NotFinite { what, value: v.to_string() }) }
}
