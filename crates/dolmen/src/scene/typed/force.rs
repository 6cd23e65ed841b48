//! What acts on bodies and particles.

use schemars::JsonSchema;
use serde::de::{self, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::tagged::tagged;

tagged! {
    /// Something that acts on bodies or particles.
    pub enum Force {
        /// A force on a body.
        "push" => Push(Push),
        /// A torque on a body.
        "torque" => Torque(Torque),
        /// A spring between two points.
        "spring" => Spring(Spring),
        /// Resistance of a medium.
        "drag" => Drag(Drag),
        /// Attraction to a point or a body.
        "attract" => Attract(Attract),
        /// A field that is linear in the position.
        "field" => Field(Field),
        /// Gravitation of everything by everything.
        "nbody" => Nbody(Nbody),
        /// Forces between near particles.
        "short-range" => ShortRange(ShortRange),
        /// Springs wherever two bodies overlap, in place of contact.
        "penalty" => Penalty(Penalty),
    }
}

impl Force {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Push(force) => force.name.as_deref(),
            Self::Torque(force) => force.name.as_deref(),
            Self::Spring(force) => force.name.as_deref(),
            Self::Drag(force) => force.name.as_deref(),
            Self::Attract(force) => force.name.as_deref(),
            Self::Field(force) => force.name.as_deref(),
            Self::Nbody(force) => force.name.as_deref(),
            Self::ShortRange(force) => force.name.as_deref(),
            Self::Penalty(force) => force.name.as_deref(),
        }
    }
}

/// Springs wherever two bodies overlap, in place of contact: the two must not collide otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One body.
    pub a: String,
    /// The other.
    pub b: String,
    /// Stiffness of the spring at each contact point, N/m.
    pub stiffness: f64,
    /// Damping at each contact point, N·s/m. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// Friction by normal force, 0 or more; nothing sticks. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Below this slip, m/s, friction falls to zero; greater than 0. Default: 1e-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_speed: Option<f64>,
}

/// In which frame a vector is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// The direction stays the same in the world.
    World,
    /// The direction turns with the body.
    Body,
}

/// A force on a body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The body that is pushed.
    pub body: String,
    /// The force, N.
    pub force: [f64; 3],
    /// In which frame `force` is given. Default: "world".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// Where it acts, in the frame of the body, m. Default: the centre of mass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// When it begins, s. Default: from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// When it ends, s. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// A factor that varies with time. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<Wave>,
}

/// A torque on a body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torque {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The body that is turned.
    pub body: String,
    /// The torque, N·m.
    pub torque: [f64; 3],
    /// In which frame `torque` is given. Default: "world".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// When it begins, s. Default: from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// When it ends, s. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// A factor that varies with time. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<Wave>,
}

tagged! {
    /// A factor that varies with time.
    pub enum Wave {
        /// A sine.
        "sine" => Sine(Sine),
        /// Straight lines between given values.
        "table" => Table(Table),
    }
}

/// sin(2π·frequency·t + phase), with t the simulated time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// Oscillations per second, Hz.
    pub frequency: f64,
    /// Phase at time 0, rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
}

/// Straight lines between given values, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Instants, s, increasing; at least one.
    pub times: Vec<f64>,
    /// The factor at each of them.
    pub factors: Vec<f64>,
}

/// A spring between two points, with a damper in parallel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
    /// Force per extension, N/m; 0 or more.
    pub stiffness: f64,
    /// Length without force, m. Default: the distance of the ends at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Force per speed of extension, N·s/m; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

/// An end of a spring: a point of a body, or of the world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The body that it is fixed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Where, in the frame of the body, m. Default: the centre of mass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// A point of the world, m; instead of `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// A set of particles, of which `index` names one; instead of `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub particles: Option<String>,
    /// Which particle of the set, from 0. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// Resistance of a medium: F = −(linear + quadratic·|u|) u, τ = −angular·ω, with u = v − wind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The bodies and sets of particles that feel it. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Force per speed, N·s/m; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear: Option<f64>,
    /// Force per square of the speed, N·s²/m²; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quadratic: Option<f64>,
    /// Torque per spin, N·m·s; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular: Option<f64>,
    /// Velocity of the medium, m/s. Default: at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<[f64; 3]>,
}

/// Attraction to a point or a body: F = strength·m·r̂/rⁿ towards it (without m if `per_mass` is false), with
/// r² = distance² + softening² and n = `exponent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attract {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A point [x, y, z] of the world, m, or the name of a body, whose centre of mass attracts.
    pub to: Target,
    /// The bodies and sets of particles that feel it. Default: all but the attracting one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// How strong it is at distance 1 m: m/s² if `per_mass`, else N. Negative repels.
    pub strength: f64,
    /// The power of the distance by which it falls; −1 is a spring of length zero. Default: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Whether the force is proportional to the mass it acts on. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_mass: Option<bool>,
    /// A length that keeps the force finite at the centre, m; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub softening: Option<f64>,
}

/// What attracts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Target {
    /// A point of the world, m.
    Point([f64; 3]),
    /// The centre of mass of the body of this name.
    Body(String),
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Target;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a point [x, y, z] or the name of a body")
            }
            fn visit_str<E: de::Error>(self, body: &str) -> Result<Target, E> {
                Ok(Target::Body(body.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Target, A::Error> {
                let length = seq.size_hint();
                match length {
                    None | Some(3) => {
                        <[f64; 3]>::deserialize(SeqAccessDeserializer::new(seq)).map(Target::Point)
                    }
                    Some(length) => Err(de::Error::invalid_length(length, &self)),
                }
            }
        }
        deserializer.deserialize_string(Either)
    }
}

/// A field that is linear in the position: uniform + matrix·x.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The bodies and sets of particles that feel it. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Its value at the origin: m/s² if `per_mass`, else N. Default: zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform: Option<[f64; 3]>,
    /// Its change with the position of the centre of mass, by rows: 1/s² if `per_mass`, else N/m. Default:
    /// zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<[[f64; 3]; 3]>,
    /// Whether it is an acceleration rather than a force. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_mass: Option<bool>,
    /// When it begins, s. Default: it is always there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// When it ends, s. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// A factor that varies with time. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<Wave>,
}

/// Gravitation of everything by everything: F = G·m₁·m₂/r² with r² = distance² + softening².
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nbody {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Bodies and sets of particles that attract each other. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<String>>,
    /// The constant G, m³/(kg·s²). Default: 6.6743e-11.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<f64>,
    /// A length that keeps the force finite when two meet, m; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub softening: Option<f64>,
    /// How the sum is done. Default: "auto".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<NbodyMethod>,
    /// A cell of the octree is taken as one when its size is less than this times its distance; greater than
    /// 0. Default: 0.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<f64>,
}

/// How gravitation is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NbodyMethod {
    /// Every pair: exact.
    Direct,
    /// Far groups as one: faster for many.
    Octree,
    /// Chosen by the number of members.
    Auto,
}

/// Forces between particles that are nearer than `radius`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShortRange {
    /// The name; no other force has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The sets of particles that take part. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<String>>,
    /// Beyond this distance there is no force, m.
    pub radius: f64,
    /// The force as a function of the distance.
    pub law: Law,
    /// Force per speed of approach within the radius, N·s/m; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

tagged! {
    /// A force between two particles as a function of their distance.
    pub enum Law {
        /// A spring that only pushes.
        "repulsion" => Repulsion(Repulsion),
        /// Lennard and Jones' potential.
        "lennard-jones" => LennardJones(LennardJones),
    }
}

/// F = stiffness·(radius − r), pushing apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repulsion {
    /// Force per overlap, N/m.
    pub stiffness: f64,
}

/// V = 4·depth·((length/r)¹² − (length/r)⁶).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LennardJones {
    /// Depth of the well, J.
    pub depth: f64,
    /// The distance at which the potential is zero, m.
    pub length: f64,
}
