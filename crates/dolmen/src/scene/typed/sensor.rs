//! What is measured at every sample, into `sensors.csv`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::joint::JointAxis;
use super::orientation::Orientation;
use super::tagged::tagged;

tagged! {
    /// Something that is measured at every sample, into `sensors.csv`. Sensors only read: they change no motion.
    pub enum Sensor {
        /// The coordinate of a joint, its rate, and what its motors do.
        "joint" => Joint(JointSensor),
        /// The force and torque of a joint on body a, in the axes of a.
        "load" => Load(LoadSensor),
        /// Where a point of a body is, and its velocity.
        "point" => Point(PointSensor),
        /// What an accelerometer and a gyroscope show.
        "imu" => Imu(ImuSensor),
        /// The sum of contact forces on bodies.
        "contact" => Contact(ContactSensor),
        /// The distance along a ray to the first surface.
        "ray" => Ray(RaySensor),
    }
}

/// The coordinate of a joint along a free axis, its rate, and what its motors do along it: `coordinate`, `rate`, `motor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// The joint, by name.
    pub joint: String,
    /// Which of its free axes. May be left out where only one is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<JointAxis>,
}

/// The force and torque of a joint on body a about the joint's point, in the axes of a: `fx fy fz`, `tx ty tz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// The joint, by name.
    pub joint: String,
}

/// Where a point of a body is in the world, how its axes are turned, and its velocity: `x y z`, `qw qx qy qz`, `vx vy vz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointSensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// The body that carries it, by name.
    pub body: String,
    /// The point, in the frame of the body, m. Default: the centre of mass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// From the axes of the sensor to those of the body. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
}

/// Acceleration of a point less gravity, and spin, in the axes of the sensor: `ax ay az`, `wx wy wz`. In fixed steps accelerations are
/// means over the last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImuSensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// The body that carries it, by name.
    pub body: String,
    /// The point, in the frame of the body, m. Default: the centre of mass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// From the axes of the sensor to those of the body. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
}

/// The sum of all contact forces on some bodies, in the world, the sum of their normal forces, and the number of their points: `fx fy fz`,
/// `normal`, `points`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactSensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// On which bodies, by name; a name that ends in `*` stands for all that begin with what is before it.
    pub bodies: Vec<String>,
    /// Forces of these bodies only. Default: of all but `bodies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<String>>,
}

/// How far it is along a ray to the first surface of another body: `distance`, m; empty where there is none within reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaySensor {
    /// The name; no other sensor has the same.
    pub name: String,
    /// The body that carries it, by name. Default: the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Where it begins, in the frame of the body or the world, m. Default: the centre of mass, or the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// Which way, in the axes of the body or the world; of any length but zero.
    pub direction: [f64; 3],
    /// How far it sees, m. Default: without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
}

impl Sensor {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Joint(sensor) => &sensor.name,
            Self::Load(sensor) => &sensor.name,
            Self::Point(sensor) => &sensor.name,
            Self::Imu(sensor) => &sensor.name,
            Self::Contact(sensor) => &sensor.name,
            Self::Ray(sensor) => &sensor.name,
        }
    }

    pub(crate) fn name_mut(&mut self) -> &mut String {
        match self {
            Self::Joint(sensor) => &mut sensor.name,
            Self::Load(sensor) => &mut sensor.name,
            Self::Point(sensor) => &mut sensor.name,
            Self::Imu(sensor) => &mut sensor.name,
            Self::Contact(sensor) => &mut sensor.name,
            Self::Ray(sensor) => &mut sensor.name,
        }
    }
}
