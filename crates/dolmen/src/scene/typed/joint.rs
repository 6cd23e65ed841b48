//! Joints between bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tagged::tagged;

/// How bodies are projected onto their joints at the start.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assembly {
    /// The most by which a joint may be off at the start, of the longest arm of a joint. Default: 0.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// What to do with joints that cannot all be satisfied. Default: "refuse".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

/// What to do with joints that cannot all be satisfied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conflict {
    /// Refuse the scene.
    Refuse,
    /// The least sum of squares of what is left.
    LeastSquares,
    /// The least sum of absolute values of what is left.
    LeastAbsolute,
}

/// What a joint forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// The points stay together.
    Ball,
    /// Turns about z.
    Hinge,
    /// Moves along z.
    Slider,
    /// Moves along z and turns about it.
    Cylindrical,
    /// Turns about x of b and y of a.
    Universal,
    /// Moves along x and y and turns about z.
    Planar,
    /// Locks every axis.
    Weld,
    /// Turns about z and moves along it by `pitch` a turn.
    Screw,
    /// The points keep their distance.
    Rod,
    /// The points come no further apart than `length`.
    Rope,
    /// The point of a stays on the z axis of b.
    PointOnLine,
    /// The point of a stays in the xy plane of b.
    PointOnPlane,
    /// Where corners or balls touch faces at the start they stay: a contact with a force of either sign.
    Contact,
    /// Locks the axes that are `locked`.
    SixAxis,
    /// Two `joints` turn in a fixed `ratio`.
    Gear,
    /// The first of two `joints` turns and moves the second by `radius` a radian.
    RackAndPinion,
}

/// An axis of a joint: of translation along it, or of rotation about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointAxis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// About x.
    TurnX,
    /// About y.
    TurnY,
    /// About z.
    TurnZ,
    /// The distance of the two points.
    Distance,
}

/// In which frame a joint is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointFrame {
    /// The world.
    World,
    /// The frame of body a.
    A,
    /// The frame of body b.
    B,
}

/// A point and directions in the frame of a body, or in the world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointPlace {
    /// The point, m. Default: the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// The direction of z, of any length but zero. Default: z of where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// A second direction: x is in its plane with z, on its side. Default: chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub across: Option<[f64; 3]>,
}

/// A joint between two bodies, or between a body and the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The name; no other joint has the same.
    pub name: String,
    /// What it forbids.
    pub kind: JointKind,
    /// The body that moves against b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The other body. Default: the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Where `at`, `axis` and `across` are given. Default: "world", with the bodies as they are at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<JointFrame>,
    /// Where the joint is, m. Default: the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Its z axis, of any length but zero. Default: z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// A second direction: x is in its plane with z, on its side. Default: chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub across: Option<[f64; 3]>,
    /// Its frame on body a, in the body's frame; with `frame_b`, in place of `at`, `axis` and `across`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_a: Option<JointPlace>,
    /// Its frame on body b, in the body's frame, or in the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_b: Option<JointPlace>,
    /// Whether the bodies that it joins collide with each other. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collide: Option<bool>,
    /// Metres a turn, of a screw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Of a rod or rope, m. Default: the distance at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Restitution of a rope that reaches its length, 0 to 1. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// The axes that a six-axis joint locks; the others are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<Vec<JointAxis>>,
    /// Largest angle between the z axes of a and b, degrees. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cone_deg: Option<f64>,
    /// The two joints of a gear, or pinion and rack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<[String; 2]>,
    /// Turns of the second joint of a gear for one of the first; negative the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Of a pinion, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Bounds of its motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limit: Vec<JointLimit>,
    /// Springs and dampers in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spring: Vec<JointSpring>,
    /// What drives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motor: Vec<JointMotor>,
    /// Friction in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction: Vec<JointFriction>,
}

/// Bounds of the motion along or about one axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointLimit {
    /// The axis. Default: the only one that is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<JointAxis>,
    /// Smallest, m or rad. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Largest, m or rad. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Smallest angle, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_deg: Option<f64>,
    /// Largest angle, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_deg: Option<f64>,
    /// Share of the speed with which it bounces off, 0 to 1. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// A spring with a damper along or about one axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpring {
    /// The axis. Default: the only one that is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<JointAxis>,
    /// N/m or N·m/rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Where it is at rest, m or rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<f64>,
    /// N·s/m or N·m·s/rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

/// How a motor drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotorKind {
    /// With the target as force.
    Force,
    /// Keeps the target as velocity.
    Velocity,
    /// Pulls towards the target as position.
    Position,
    /// Is at the target, whatever that takes.
    Motion,
}

/// What drives an axis of a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointMotor {
    /// How it drives.
    pub kind: MotorKind,
    /// The axis. Default: the only one that is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<JointAxis>,
    /// A target that stays the same: force, velocity or position; or `course`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// A target that changes with time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Course>,
    /// Largest force, N or N·m; with "velocity" and "position". Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// N/m or N·m/rad; with "position".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// N·s/m or N·m·s/rad; with "position". Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

tagged! {
    /// A number that changes with time.
    pub enum Course {
        /// start + rate·t.
        "ramp" => Ramp(RampCourse),
        /// middle + amplitude·sin(2π·frequency·t + phase).
        "sine" => Sine(SineCourse),
        /// From one value to another, at rest at both ends.
        "move" => Move(MoveCourse),
        /// Through given values.
        "table" => Table(TableCourse),
    }
}

/// Through given values, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableCourse {
    /// Instants, s, increasing; at least one.
    pub times: Vec<f64>,
    /// The value at each of them.
    pub values: Vec<f64>,
    /// What is between them. Default: "monotone".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<TableInterpolation>,
}

/// What is between the values of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TableInterpolation {
    /// Straight lines; not for a motor of the kind "motion", whose speed cannot jump.
    Linear,
    /// Quintics without overshoot; rate and acceleration are continuous, and between equal values nothing changes.
    Monotone,
}

/// start + rate·t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RampCourse {
    /// At time 0. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Per second.
    pub rate: f64,
}

/// middle + amplitude·sin(2π·frequency·t + phase).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SineCourse {
    /// The middle of the swing. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle: Option<f64>,
    /// Half its width.
    pub amplitude: f64,
    /// Oscillations per second, Hz.
    pub frequency: f64,
    /// Phase at time 0, rad. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
}

/// From one value to another with acceleration and all below it continuous.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveCourse {
    /// The value up to `begin`.
    pub from: f64,
    /// The value from `end` on.
    pub to: f64,
    /// When it begins, s. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<f64>,
    /// When it ends, s.
    pub end: f64,
}

/// Coulomb's friction along or about one axis: at most constant + arm·coefficient·N under a reaction N.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointFriction {
    /// The axis. Default: the only one that is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<JointAxis>,
    /// Without load, N or N·m. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<f64>,
    /// Of the reaction. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coefficient: Option<f64>,
    /// The radius at which friction under the reaction acts, m; 1 for a sliding axis, which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<f64>,
}
