//! Rigid bodies and how the driven ones move.

use schemars::JsonSchema;
use serde::de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::orientation::Orientation;
use super::shape::Shape;
use super::tagged::tagged;

/// A rigid body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The name; no other body or set of particles has the same. Default: none, the body cannot be referred to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it moves under forces, is fixed or moves as prescribed. Default: "dynamic".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<BodyKind>,
    /// The geometry, in the frame of the body. Default: none, a body that nothing can touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The name of the material of its surface. Default: none, the coefficients of `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// The groups of bodies that it is in. Default: none of those with a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// The groups of bodies that it collides with, if they do with its own; [] is with nothing. Default: all,
    /// and the bodies in no group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collides_with: Option<Vec<String>>,
    /// Mass, kg; or `density`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density, kg/m³: a number, or a table if it varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Moments of inertia about the centre of mass along the axes of the body, or the whole matrix, kg·m²;
    /// needs `mass`. Default: that of the shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inertia: Option<Inertia>,
    /// The centre of mass in the frame of the body, m. Default: that of the shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre_of_mass: Option<[f64; 3]>,
    /// Where the origin of the body's frame is, m. Default: the origin of the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Where the centre of mass is, m; instead of `position`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
    /// The rotation from the frame of the body to the world. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Box<Orientation>>,
    /// Velocity of the centre of mass, m/s. Default: at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity in the world, rad/s. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
    /// Angular velocity in the frame of the body, rad/s; instead of `spin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin_body: Option<[f64; 3]>,
    /// How a kinematic body moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Box<Motion>>,
}

/// Whether a body moves under forces, is fixed or moves as prescribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyKind {
    /// Moves under forces.
    Dynamic,
    /// Never moves.
    Fixed,
    /// Moves as its `motion` says, whatever acts on it.
    Kinematic,
}

/// Density, kg/m³: the same everywhere, or varying.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Density {
    /// The same everywhere.
    Uniform(f64),
    /// Varying with the place in the body.
    Varying(Box<DensityField>),
}

/// ρ(x) = constant + gradient·x + ½ x·hessian x, with x in the frame of the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DensityField {
    /// Density at the origin of the body's frame, kg/m³.
    pub constant: f64,
    /// Its gradient there, kg/m⁴. Default: zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient: Option<[f64; 3]>,
    /// Its second derivatives, kg/m⁵, symmetric. Default: zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hessian: Option<[[f64; 3]; 3]>,
}

impl<'de> Deserialize<'de> for Density {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Density;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, or a table with `constant`, `gradient` and `hessian`")
            }
            fn visit_f64<E: de::Error>(self, density: f64) -> Result<Density, E> {
                Ok(Density::Uniform(density))
            }
            fn visit_i64<E: de::Error>(self, density: i64) -> Result<Density, E> {
                Ok(Density::Uniform(density as f64))
            }
            fn visit_u64<E: de::Error>(self, density: u64) -> Result<Density, E> {
                Ok(Density::Uniform(density as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Density, A::Error> {
                DensityField::deserialize(MapAccessDeserializer::new(map)).map(Box::new).map(Density::Varying)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Moments of inertia about the centre of mass, kg·m².
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Inertia {
    /// Along the axes of the body, which then are principal axes.
    Principal([f64; 3]),
    /// The whole matrix in the frame of the body, by rows.
    Matrix(Box<[[f64; 3]; 3]>),
}

impl<'de> Deserialize<'de> for Inertia {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str = "[ix, iy, iz] or three rows of three numbers";

        enum Item {
            Number(f64),
            Row([f64; 3]),
        }
        impl<'de> Deserialize<'de> for Item {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_tuple(3, ItemVisitor)
            }
        }
        struct ItemVisitor;
        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = Item;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, or a row of 3 numbers")
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Item, E> {
                Ok(Item::Number(number))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Item, E> {
                Ok(Item::Number(number as f64))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Item, E> {
                Ok(Item::Number(number as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Item, A::Error> {
                <[f64; 3]>::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Item::Row)
            }
        }

        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Inertia;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Inertia, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<Item>()? {
                    items.push(item);
                }
                match items[..] {
                    [Item::Number(x), Item::Number(y), Item::Number(z)] => Ok(Inertia::Principal([x, y, z])),
                    [Item::Row(x), Item::Row(y), Item::Row(z)] => Ok(Inertia::Matrix(Box::new([x, y, z]))),
                    _ => Err(de::Error::invalid_length(items.len(), &EXPECTED)),
                }
            }
        }
        deserializer.deserialize_seq(Either)
    }
}

tagged! {
    /// How a kinematic body moves; time begins at 0.
    pub enum Motion {
        /// With constant velocity and spin.
        "uniform" => Uniform(Uniform),
        /// To and fro about where it was placed.
        "oscillate" => Oscillate(Oscillate),
        /// Through given places.
        "path" => Path(Path),
    }
}

/// Motion with constant velocity and spin from where the body was placed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// Velocity of the centre of mass, m/s. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity in the world, rad/s. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
}

/// Sinusoidal motion: displaced by s(t)·amplitude and turned by s(t)·angle about `axis`, with
/// s(t) = sin(2π·frequency·t + phase).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Oscillate {
    /// Largest displacement, m, in the world. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amplitude: Option<[f64; 3]>,
    /// Axis of the rotation, in the world, of any length but zero; goes with `angle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Largest angle about `axis`, rad. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Oscillations per second, Hz.
    pub frequency: f64,
    /// Phase at time 0, rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
}

/// Motion through given places; before the first and after the last instant the body is at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Instants, s, increasing; at least 2.
    pub times: Vec<f64>,
    /// Where the origin of the body's frame is at each of them, m. Default: where it was placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<[f64; 3]>>,
    /// Its orientation at each of them. Default: as it was placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientations: Option<Vec<Orientation>>,
    /// What is between them. Default: "spline".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<PathInterpolation>,
    /// How long a corner takes, s, shorter than any time between instants; with "linear" only, and the first instant is not before
    /// half of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blend: Option<f64>,
}

/// What a path does between its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathInterpolation {
    /// A cubic spline with continuous acceleration; may overshoot.
    Spline,
    /// Cubics without overshoot; at rest between equal places, so that a place given twice is a dwell.
    Monotone,
    /// Straight lines at constant velocity, their corners rounded over `blend`.
    Linear,
}
