//! Two shapes and their poses → how far apart they are, where, along which normal, and how that changes.
//!
//! All queries take each shape as a [`Geometry`], prepared once, at the pose of the *shape's* frame. Normals point from b
//! to a, separations are positive apart. What a query learns about a pair is kept by the caller in a [`Witness`] and
//! makes the next query on the pair cheap. [NOTES, collision detection]
//!
//! | | polytope | square plane | infinite plane | round | mesh, compound |
//! |---|---|---|---|---|---|
//! | **polytope** (box, hull) | yes | yes | yes | yes | yes |
//! | **square plane** | yes | refused | refused | yes | yes, unless it has a plane |
//! | **infinite plane** | yes | refused | refused | yes | yes, unless it has a plane |
//! | **round** (sphere, capsule, cylinder, cone, disc, ellipsoid, circular plane) | yes | yes | yes | yes | as with its parts |
//! | **mesh, compound** | yes | yes, unless it has a plane | yes, unless it has a plane | as with its parts | as their parts |
//!
//! What is not there is an [`UnsupportedPair`], never a wrong answer. Planes, circular ones too, never meet each other: both are immobile.
//!
//! # Accuracy
//! Everything is computed in the frame of b from the difference of the positions, so that only that difference carries the
//! rounding of world coordinates: at 1e7 m from the origin a separation is right to a few times 2e-9 m, at the origin to a
//! few ulps of the size of the bodies. No tolerance is absolute: nanometres and kilometres give the same digits.

mod answer;
mod composite;
mod contact;
mod convex;
mod function;
mod polytope;
mod queries;
mod relative;
mod round;
mod tolerances;
mod witness;

pub use answer::{Closest, Overlap, Separation};
pub use composite::{Composite, MemberName};
pub(crate) use composite::{Convex, Members, near_members};
pub use contact::{Contact, ContactId, ContactKind};
pub use function::{ContactFunction, ContactMotion, Form, NormalRule, Patch};
pub use polytope::{ClosestHint, HalfSpace, MeetingHint, Polytope, PolytopeEdge};
pub use queries::{
    Manifold, closest, contacts, contacts_within, meets, overlap, search_all, separate, separate_within,
};
pub(crate) use tolerances::POINT_SIZE;
pub use tolerances::{Class, Tolerance, classify};
pub use witness::{Feature, Statistics, Witness};

use crate::math::{DVec3, Pose};
use crate::shape::{Extent, Shape, Sides};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A shape prepared for queries; make it once and share it among all bodies with that shape.
#[derive(Debug, Clone)]
pub enum Geometry {
    /// A box or a hull.
    Polytope(Polytope),
    /// A square plane: a flat polytope.
    Plate {
        /// Face 0 is its front, face 1 its back.
        polytope: Polytope,
        /// From where it can be touched.
        sides: Sides,
    },
    /// An infinite plane.
    HalfSpace(HalfSpace),
    /// A shape with a curved surface or rim.
    Round(Shape),
    /// A mesh or compound.
    Composite(Composite),
}

impl Geometry {
    /// Prepares a shape; a compound or mesh keeps its parts.
    pub fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Cuboid { half } => Self::Polytope(Polytope::cuboid(*half)),
            Shape::Hull(hull) => Self::Polytope(Polytope::hull(hull)),
            Shape::Plane(plane) => match (plane.extent(), plane.corners().map(|c| Polytope::polygon(&c))) {
                (Extent::Infinite, _) => Self::HalfSpace(HalfSpace::new(plane)),
                (_, Some(Some(polytope))) => Self::Plate { polytope, sides: plane.sides() },
                _ => Self::Round(shape.clone()),
            },
            Shape::Sphere { .. }
            | Shape::Capsule { .. }
            | Shape::Cylinder { .. }
            | Shape::Cone { .. }
            | Shape::Disc { .. }
            | Shape::Ellipsoid { .. } => Self::Round(shape.clone()),
            Shape::Mesh(_) | Shape::Compound(_) => Self::Composite(Composite::new(shape)),
        }
    }

    /// The longest side of its box, m; infinite for an infinite plane, and a millimetre for a point.
    pub fn size(&self) -> f64 {
        match self {
            Self::Round(shape) if shape.is_point() => POINT_SIZE,
            Self::Polytope(polytope) | Self::Plate { polytope, .. } => polytope.size(),
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Round(shape) => {
                let bounds = shape.aabb();
                (bounds.max - bounds.min).max_element()
            }
            Self::Composite(composite) => composite.size(),
        }
    }

    /// Whether it is a plane or a piece of one.
    pub fn is_plane(&self) -> bool {
        matches!(self, Self::Plate { .. } | Self::HalfSpace(_) | Self::Round(Shape::Plane(_)))
    }

    /// Whether it is a point.
    pub(crate) fn is_point(&self) -> bool {
        matches!(self, Self::Round(shape) if shape.is_point())
    }

    /// The plane n·x = d, as (n, d), of a shape without thickness that is touched from both sides: a plane or a piece of one, or a disc.
    pub(crate) fn two_sided_plane(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::HalfSpace(plane) if plane.sides == Sides::Both => Some((plane.normal, plane.offset)),
            Self::Plate { polytope, sides: Sides::Both } => Some(polytope.plane(0)),
            Self::Round(Shape::Disc { .. }) => Some((DVec3::Z, 0.0)),
            Self::Round(Shape::Plane(plane)) if plane.sides() == Sides::Both => {
                Some((plane.normal(), plane.offset()))
            }
            _ => None,
        }
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        let shape = match self {
            Self::Polytope(_) => return "polytope",
            Self::Plate { .. } => return "square plane",
            Self::HalfSpace(_) => return "infinite plane",
            Self::Composite(composite) => return composite.kind(),
            Self::Round(shape) => shape,
        };
        match shape {
            Shape::Sphere { .. } if shape.is_point() => "point",
            Shape::Sphere { .. } => "sphere",
            Shape::Capsule { .. } => "capsule",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Cone { .. } => "cone",
            Shape::Disc { .. } => "disc",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Mesh(_) => "mesh",
            Shape::Compound(_) => "compound",
            Shape::Plane(_) => "circular plane",
            Shape::Cuboid { .. } | Shape::Hull(_) => "polytope",
        }
    }
}

/// A shape in its place.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// What.
    pub geometry: &'a Geometry,
    /// Where: the pose of the shape's own frame, with a unit quaternion.
    pub pose: Pose,
}

/// A pair of shapes without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("a {a} and a {b} cannot be tested against each other: {remedy}")]
pub struct UnsupportedPair {
    /// The kind of the first.
    pub a: &'static str,
    /// The kind of the second.
    pub b: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

impl<'a> Placed<'a> {
    /// The refusal of a pair that has no answer yet.
    fn refused(&self, b: &Placed<'a>) -> UnsupportedPair {
        let remedy = "use boxes, hulls and planes instead";
        UnsupportedPair { a: self.geometry.kind(), b: b.geometry.kind(), remedy }
    }
}
