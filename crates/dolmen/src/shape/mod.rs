//! Geometry of bodies: what there is of it, and where; nothing of mass or motion.
//!
//! A shape is given in a frame of its own. The round shapes have z as their axis.

pub(crate) mod exact;
mod height_field;
mod hull;
mod mesh;
mod nearest;
pub(crate) mod overlap;
mod plane;
mod read;
mod triangulate;

pub use exact::{LARGEST, SMALLEST};
pub use height_field::{HeightField, HeightFieldError, read_height_picture, read_height_table};
pub(crate) use hull::edges_of;
pub use hull::{Edge, Hull, HullError};
pub use mesh::{LoadError, Mesh, MeshError};
pub use nearest::{Nearest, nearest};
pub use plane::{Extent, Plane, PlaneError, Sides};
pub use read::{ReadError, TriangleSoup, read_obj, read_stl};
pub use triangulate::{Fineness, TriangleSurface, triangulate};

use crate::math::{Aabb, DVec3, Pose, dvec3};
use std::sync::Arc;
use thiserror::Error;

/// A solid (or a flat disc, or an immobile plane) in a frame of its own; lengths in m.
///
/// The constructors check; a value written down directly is checked by [`Shape::check`] wherever it matters.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A ball about the origin; with radius zero it is a point, see [`Shape::POINT`].
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box about the origin with sides along the axes.
    Cuboid {
        /// Half of each side.
        half: DVec3,
    },
    /// All points within `radius` of a segment on the z axis, about the origin.
    Capsule {
        /// Of the straight part and of its caps.
        radius: f64,
        /// Half of the segment, that is of the straight part.
        half_length: f64,
    },
    /// A cylinder about the origin with axis z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half its length.
        half_length: f64,
    },
    /// A cone with axis z: the base about the origin, in z = 0, and the apex at z = `height`.
    Cone {
        /// Of the base.
        radius: f64,
        /// From base to apex.
        height: f64,
    },
    /// A circle and its inside in the plane z = 0, without thickness.
    Disc {
        /// Its radius.
        radius: f64,
    },
    /// An ellipsoid about the origin with its axes along those of the frame.
    Ellipsoid {
        /// Semi-axes.
        half: DVec3,
    },
    /// A convex polyhedron.
    Hull(Arc<Hull>),
    /// Anything with a closed surface.
    Mesh(Arc<Mesh>),
    /// Several shapes, fixed to each other.
    Compound(Vec<Part>),
    /// A plane or a piece of one, for a body that never moves; it has no mass.
    Plane(Plane),
}

/// A shape within a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is, in its own frame.
    pub shape: Shape,
    /// Where that frame is in the frame of the compound.
    pub pose: Pose,
}

impl Part {
    /// The pose with its quaternion made a unit to the last bit.
    pub(crate) fn unit_pose(&self) -> Pose {
        Pose { position: self.pose.position, orientation: self.pose.orientation.normalize() }
    }
}

/// Why a shape cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ShapeError {
    /// A length is zero, negative, infinite or NaN.
    #[error(
        "the {name} of the {shape} is {value:?} m; it must be more than 0 and finite: give a length in metres"
    )]
    Length {
        /// Of what.
        shape: &'static str,
        /// Which.
        name: &'static str,
        /// As given.
        value: f64,
    },
    /// A compound of nothing.
    #[error("the compound has no parts; give it at least one")]
    NoParts,
    /// The place of a part is no place.
    #[error(
        "part {part} of the compound is at {} turned by {}; the position must be finite and the quaternion of length 1: \
         normalise it", pose.position, pose.orientation
    )]
    Pose {
        /// Its number, from 0.
        part: usize,
        /// As given.
        pose: Pose,
    },
    /// A part is wrong in itself.
    #[error("part {part} of the compound: {source}")]
    Part {
        /// Its number, from 0.
        part: usize,
        /// What is wrong.
        source: Box<ShapeError>,
    },
    /// Compounds within compounds beyond any purpose.
    #[error("the compound is nested more than {MAX_DEPTH} deep; flatten it")]
    Depth,
}

/// How deep compounds may be nested; a bound on the recursion, far above any use.
const MAX_DEPTH: usize = 32;

/// How far from 1 the length of a part's quaternion may be: one typed with seven digits passes, an unnormalised one not.
const UNIT_TOLERANCE: f64 = 1e-6;

impl Shape {
    /// A point: a ball of radius zero. It touches everything but other points, and cannot be turned.
    pub const POINT: Self = Self::Sphere { radius: 0.0 };

    /// Whether it is a point.
    pub fn is_point(&self) -> bool {
        *self == Self::POINT
    }

    /// A ball.
    ///
    /// # Errors
    /// When the radius is not a positive finite number; so for all the constructors of this type.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        if radius == 0.0 {
            return Err(ShapeError::Length { shape: "sphere", name: "radius", value: radius });
        }
        Self::Sphere { radius }.checked()
    }

    /// A box of sides 2 `half`.
    ///
    /// # Errors
    /// When a half side is not a positive finite number.
    pub fn cuboid(half: DVec3) -> Result<Self, ShapeError> {
        Self::Cuboid { half }.checked()
    }

    /// A capsule with a straight part of length 2 `half_length`.
    ///
    /// # Errors
    /// When a length is not a positive finite number.
    pub fn capsule(radius: f64, half_length: f64) -> Result<Self, ShapeError> {
        Self::Capsule { radius, half_length }.checked()
    }

    /// A cylinder of length 2 `half_length`.
    ///
    /// # Errors
    /// When a length is not a positive finite number.
    pub fn cylinder(radius: f64, half_length: f64) -> Result<Self, ShapeError> {
        Self::Cylinder { radius, half_length }.checked()
    }

    /// A cone on the plane z = 0.
    ///
    /// # Errors
    /// When a length is not a positive finite number.
    pub fn cone(radius: f64, height: f64) -> Result<Self, ShapeError> {
        Self::Cone { radius, height }.checked()
    }

    /// A disc in the plane z = 0.
    ///
    /// # Errors
    /// When the radius is not a positive finite number.
    pub fn disc(radius: f64) -> Result<Self, ShapeError> {
        Self::Disc { radius }.checked()
    }

    /// An ellipsoid of semi-axes `half`.
    ///
    /// # Errors
    /// When a semi-axis is not a positive finite number.
    pub fn ellipsoid(half: DVec3) -> Result<Self, ShapeError> {
        Self::Ellipsoid { half }.checked()
    }

    /// Several shapes as one; they should not overlap, since every one brings all its mass.
    ///
    /// # Errors
    /// When there are none, or one is wrong in itself or in its place.
    pub fn compound(parts: Vec<Part>) -> Result<Self, ShapeError> {
        Self::Compound(parts).checked()
    }

    fn checked(self) -> Result<Self, ShapeError> {
        self.check().map(|()| self)
    }

    /// Whether all its numbers make sense.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        self.check_within(0)
    }

    fn check_within(&self, depth: usize) -> Result<(), ShapeError> {
        let lengths = |shape, lengths: &[(&'static str, f64)]| match lengths
            .iter()
            .find(|(_, value)| !(*value > 0.0 && value.is_finite()))
        {
            Some(&(name, value)) => Err(ShapeError::Length { shape, name, value }),
            None => Ok(()),
        };
        let halves =
            |half: &DVec3| [("half side x", half.x), ("half side y", half.y), ("half side z", half.z)];
        match self {
            Self::Sphere { radius } if *radius == 0.0 => Ok(()),
            Self::Sphere { radius } => lengths("sphere", &[("radius", *radius)]),
            Self::Disc { radius } => lengths("disc", &[("radius", *radius)]),
            Self::Cuboid { half } => lengths("box", &halves(half)),
            Self::Ellipsoid { half } => lengths("ellipsoid", &halves(half)),
            Self::Capsule { radius, half_length } => {
                lengths("capsule", &[("radius", *radius), ("half length", *half_length)])
            }
            Self::Cylinder { radius, half_length } => {
                lengths("cylinder", &[("radius", *radius), ("half length", *half_length)])
            }
            Self::Cone { radius, height } => lengths("cone", &[("radius", *radius), ("height", *height)]),
            Self::Hull(_) | Self::Mesh(_) | Self::Plane(_) => Ok(()),
            Self::Compound(parts) if parts.is_empty() => Err(ShapeError::NoParts),
            Self::Compound(_) if depth >= MAX_DEPTH => Err(ShapeError::Depth),
            Self::Compound(parts) => parts.iter().enumerate().try_for_each(|(part, p)| {
                let length = p.pose.orientation.length();
                if !p.pose.position.is_finite()
                    || !(1.0 - UNIT_TOLERANCE..=1.0 + UNIT_TOLERANCE).contains(&length)
                {
                    return Err(ShapeError::Pose { part, pose: p.pose });
                }
                let inner = p.shape.check_within(depth + 1);
                inner.map_err(|source| ShapeError::Part { part, source: Box::new(source) })
            }),
        }
    }

    /// How far the shape reaches in a direction: max d·x over its points x, by the length of d.
    ///
    /// This is the support function of its convex hull. Negative when all of it lies the other way, infinite for an
    /// infinite plane in any direction but its normal.
    pub fn reach(&self, direction: DVec3) -> f64 {
        let d = direction;
        let across = (d.x * d.x + d.y * d.y).sqrt();
        let furthest =
            |points: &[DVec3]| points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(d.dot(*p)));
        match self {
            Self::Sphere { radius } => radius * d.length(),
            Self::Cuboid { half } => d.abs().dot(*half),
            Self::Capsule { radius, half_length } => half_length * d.z.abs() + radius * d.length(),
            Self::Cylinder { radius, half_length } => radius * across + half_length * d.z.abs(),
            Self::Cone { radius, height } => (radius * across).max(height * d.z),
            Self::Disc { radius } => radius * across,
            Self::Ellipsoid { half } => (d * *half).length(),
            Self::Hull(hull) => furthest(hull.vertices()),
            Self::Mesh(mesh) => furthest(mesh.vertices()),
            Self::Compound(parts) => parts.iter().fold(f64::NEG_INFINITY, |most, part| {
                let d_part = part.unit_pose().orientation.inverse() * d;
                most.max(d.dot(part.pose.position) + part.shape.reach(d_part))
            }),
            Self::Plane(plane) => plane.reach(d),
        }
    }

    /// The smallest box around it with sides along the axes of its own frame, up to rounding; infinite for an
    /// infinite plane.
    pub fn aabb(&self) -> Aabb {
        let max = dvec3(self.reach(DVec3::X), self.reach(DVec3::Y), self.reach(DVec3::Z));
        let min = -dvec3(self.reach(-DVec3::X), self.reach(-DVec3::Y), self.reach(-DVec3::Z));
        Aabb { min, max }
    }

    /// The radius of a ball about the point `about` (own frame) that holds the whole shape, m.
    ///
    /// The smallest, up to rounding, except for an ellipsoid not about its own centre, where it is a bound.
    pub fn bounding_radius(&self, about: DVec3) -> f64 {
        let (off_axis, along) = ((about.x * about.x + about.y * about.y).sqrt(), about.z.abs());
        let hypotenuse = |x: f64, y: f64| (x * x + y * y).sqrt();
        let furthest = |points: &[DVec3]| points.iter().fold(0.0_f64, |most, p| most.max(p.distance(about)));
        match self {
            Self::Sphere { radius } => about.length() + radius,
            Self::Cuboid { half } => (about.abs() + *half).length(),
            Self::Capsule { radius, half_length } => hypotenuse(off_axis, along + half_length) + radius,
            Self::Cylinder { radius, half_length } => hypotenuse(off_axis + radius, along + half_length),
            Self::Cone { radius, height } => {
                hypotenuse(off_axis + radius, along).max(hypotenuse(off_axis, height - about.z))
            }
            Self::Disc { radius } => hypotenuse(off_axis + radius, along),
            Self::Ellipsoid { half } => {
                (about.abs() + *half).length().min(about.length() + half.max_element())
            }
            Self::Hull(hull) => furthest(hull.vertices()),
            Self::Mesh(mesh) => furthest(mesh.vertices()),
            Self::Compound(parts) => parts.iter().fold(0.0, |most, part| {
                let about_part = part.unit_pose().orientation.inverse() * (about - part.pose.position);
                most.max(part.shape.bounding_radius(about_part))
            }),
            Self::Plane(plane) => plane.bounding_radius(about),
        }
    }
}

impl From<Plane> for Shape {
    fn from(plane: Plane) -> Self {
        Self::Plane(plane)
    }
}

impl From<Hull> for Shape {
    fn from(hull: Hull) -> Self {
        Self::Hull(Arc::new(hull))
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}
