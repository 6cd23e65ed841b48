//! Geometry, in the frame of a body. Round shapes stand along z.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::orientation::Orientation;
use super::tagged::tagged;
use crate::math::{DVec3, dvec3};
use crate::shape;

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
        /// Half a box, cut along a diagonal.
        "wedge" => Wedge(Wedge),
        /// The convex hull of points.
        "hull" => Hull(Hull),
        /// A closed surface of triangles.
        "mesh" => Mesh(std::boxed::Box<Mesh>),
        /// The solid below a grid of heights.
        "height-field" => HeightField(std::boxed::Box<HeightField>),
        /// Several shapes joined rigidly.
        "compound" => Compound(Compound),
        /// A point mass, which nothing turns.
        "point" => Point(Point),
        /// Points with mass, joined rigidly.
        "points" => Points(Points),
        /// A plane or a piece of one, for a fixed or kinematic body.
        "plane" => Plane(std::boxed::Box<Plane>),
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

/// The half of a box around the origin that lies below the plane from its upper edge at the lowest x to its lower edge at the highest x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wedge {
    /// Full lengths of the box, m.
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

/// The solid below a grid of heights over a rectangle about the origin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightField {
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Heights by rows: the first row at the lowest y, each along x, m; or `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f64>>>,
    /// A CSV table of heights in the order of `heights`, without headings; or a PNG picture, from 0 for black to 1 for white, its last row at
    /// the lowest y. Relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All heights are multiplied by this: of a picture the height of white, m. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// How thick the solid is under its lowest point, m. Default: a tenth of the shorter length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
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

/// A point at the origin; needs a `mass`. It touches everything but other points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {}

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

/// A plane or a piece of one without thickness, for a fixed or kinematic body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Direction at right angles to the plane, to its front, of any length but zero; or `coefficients`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<[f64; 3]>,
    /// How far the plane is from the origin along the normal, m; with `normal`. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// A point of the plane, m; instead of `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// [A, B, C, D] of A·x + B·y + C·z + D = 0; (A, B, C) points to the front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<[f64; 4]>,
    /// How much of the plane there is. Default: all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<PlaneExtent>,
    /// From where it can be touched. Default: "both".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<PlaneSides>,
}

/// From where a plane can be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneSides {
    /// From its front only: an infinite plane has a solid behind it, a piece lets pass what comes from behind.
    Front,
    /// From both.
    Both,
}

tagged! {
    /// How much of a plane there is.
    pub enum PlaneExtent {
        /// All of it.
        "infinite" => Infinite(InfinitePlane),
        /// A circle and its inside.
        "circle" => Circle(CirclePlane),
        /// A square and its inside.
        "square" => Square(SquarePlane),
    }
}

/// All of a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InfinitePlane {}

/// A circle of a plane and its inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CirclePlane {
    /// Radius, m.
    pub radius: f64,
    /// The centre, m; of a point off the plane its foot. Default: the `point` of the plane, or the foot of the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
}

/// A square of a plane and its inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SquarePlane {
    /// Half of a side, m.
    pub half_side: f64,
    /// Along two of the sides; only its part in the plane counts. Default: the axis most nearly in the plane, x before
    /// y before z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// The centre, m; of a point off the plane its foot. Default: the `point` of the plane, or the foot of the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
}

impl Plane {
    /// The plane that is meant; an error goes with the key that it is about.
    pub(crate) fn meant(&self) -> Result<shape::Plane, (&'static str, shape::PlaneError)> {
        let at = |key: &'static str| move |error| (key, error);
        let plane = if let Some([a, b, c, d]) = self.coefficients {
            shape::Plane::new(dvec3(a, b, c), d).map_err(at("coefficients"))?
        } else {
            let through_origin = shape::Plane::new(self.normal.unwrap_or_default().into(), 0.0);
            let normal = through_origin.map_err(at("normal"))?.normal();
            let (key, offset) = match self.point {
                Some(point) => ("point", normal.dot(point.into())),
                None => ("offset", self.offset.unwrap_or(0.0)),
            };
            shape::Plane::new(normal, -offset).map_err(at(key))?
        };
        let plane = match self.sides {
            Some(PlaneSides::Front) => plane.with_sides(shape::Sides::Front),
            Some(PlaneSides::Both) | None => plane.with_sides(shape::Sides::Both),
        };
        let centre = |own: Option<[f64; 3]>| DVec3::from_array(own.or(self.point).unwrap_or_default());
        match &self.extent {
            None | Some(PlaneExtent::Infinite(_)) => Ok(plane),
            Some(PlaneExtent::Circle(circle)) => {
                plane.circular(centre(circle.centre), circle.radius).map_err(at("extent"))
            }
            Some(PlaneExtent::Square(square)) => {
                let normal = plane.normal().abs();
                let nearest = (1..3).fold(0, |best, k| if normal[k] < normal[best] { k } else { best });
                let direction = square.direction.map_or(DVec3::AXES[nearest], DVec3::from_array);
                plane.square(centre(square.centre), square.half_side, direction).map_err(at("extent"))
            }
        }
    }
}
