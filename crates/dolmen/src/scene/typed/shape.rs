//! Geometry, in the frame of a body. Round shapes stand along z.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::orientation::Orientation;
use super::tagged::tagged;

tagged! {
    /// The geometry of a body, in the body's own frame, m. Round shapes stand along z.
    pub enum Shape {
        /// A ball.
        "sphere" => Sphere(Sphere),
        /// A box.
        "box" => Box(BoxShape),
        /// A cylinder with a half ball on either end.
        "capsule" => Capsule(Capsule),
        /// A cylinder.
        "cylinder" => Cylinder(Cylinder),
        /// A cone.
        "cone" => Cone(Cone),
        /// A round plate without thickness.
        "disc" => Disc(Disc),
        /// An ellipsoid.
        "ellipsoid" => Ellipsoid(Ellipsoid),
        /// The convex hull of points.
        "hull" => Hull(Hull),
        /// A closed surface of triangles.
        "mesh" => Mesh(Mesh),
        /// Several shapes joined rigidly.
        "compound" => Compound(Compound),
        /// Points with mass, joined rigidly.
        "points" => Points(Points),
    }
}

/// A ball around the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
}

/// A box around the origin, its edges along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Full lengths of the edges, m.
    pub size: [f64; 3],
}

/// All points within `radius` of a stretch of the z axis around the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius, m.
    pub radius: f64,
    /// Length of the cylindrical part, m: between the centres of the two half balls.
    pub length: f64,
}

/// A cylinder along z, around the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Length, m.
    pub length: f64,
}

/// A cone along z: the base in the plane z = 0, the apex at z = height.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cone {
    /// Radius of the base, m.
    pub radius: f64,
    /// Height, m.
    pub height: f64,
}

/// A round plate without thickness around the origin, at right angles to z; needs a `mass`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Radius, m.
    pub radius: f64,
}

/// An ellipsoid around the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// Full lengths of the axes, m.
    pub size: [f64; 3],
}

/// The smallest convex shape that contains all points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hull {
    /// At least four points, not all in one plane, m.
    pub points: Vec<[f64; 3]>,
}

/// A closed surface of triangles, from a file or written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An OBJ or STL file, relative to the scene file; or `vertices` and `triangles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Corners, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<[f64; 3]>>,
    /// Three numbers of vertices each, from 0, counterclockwise seen from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
    /// All lengths are multiplied by this. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Whether inside and outside change places. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip: Option<bool>,
}

/// Several shapes joined rigidly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compound {
    /// The parts, at least one.
    pub parts: Vec<Part>,
}

/// One shape of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The geometry, in the frame of the part.
    pub shape: Shape,
    /// Origin of the part in the frame of the body, m. Default: the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// From the frame of the part to that of the body. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// Density of the part, kg/m³. Either every part has a `density` or a `mass`, or the body has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of the part, kg; not together with `density`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
}

/// Points with mass, joined rigidly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// The points, at least one.
    pub points: Vec<PointMass>,
}

/// A point with mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointMass {
    /// Mass, kg.
    pub mass: f64,
    /// Position in the frame of the body, m.
    pub position: [f64; 3],
}
