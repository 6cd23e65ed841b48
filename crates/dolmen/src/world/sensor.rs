//! Sensors: what is measured at every sample besides states, energies and forces.
//!
//! They are read and never act: a world with sensors moves as one without.

use super::{BodyId, World, WorldError};
use crate::joint::Axis;
use crate::math::{DQuat, DVec3};

/// Something that is measured at every sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// Its name, which stands before those of its columns.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
}

/// Where a sensor sits on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mount {
    /// The body.
    pub body: BodyId,
    /// The point, seen from the centre of mass, in the body's axes, m.
    pub at: DVec3,
    /// From the axes of the sensor to those of the body.
    pub orientation: DQuat,
}

/// What a sensor measures.
#[derive(Debug, Clone, PartialEq)]
pub enum SensorKind {
    /// The coordinate of a joint along a free axis, its rate, and what its motors do.
    Joint {
        /// The joint, by name.
        joint: String,
        /// One of its free axes.
        axis: Axis,
    },
    /// The force and torque of a joint on body a, at the joint's point, in the axes of a: what a load cell in its place shows.
    Load {
        /// The joint, by name.
        joint: String,
    },
    /// Where a point of a body is, how it is turned, and its velocity; world.
    Point(Mount),
    /// What an accelerometer and a gyroscope show, in their own axes: acceleration less gravity, and spin.
    Imu(Mount),
    /// The sum of all contact forces on some bodies, world.
    Contact {
        /// The bodies.
        on: Vec<BodyId>,
        /// Of these bodies only; none for all but those of `on`.
        from: Option<Vec<BodyId>>,
    },
    /// How far it is along a ray to the first surface of another body.
    Ray {
        /// The body that carries it; none for the world.
        body: Option<BodyId>,
        /// Where it begins: as [`Mount::at`], or in the world, m.
        at: DVec3,
        /// Which way, in the axes of the body or the world; of any length but zero.
        direction: DVec3,
        /// How far it sees, m.
        reach: f64,
    },
}

impl SensorKind {
    /// What it measures, as its columns are called.
    pub fn quantities(&self) -> &'static [&'static str] {
        match self {
            Self::Joint { .. } => &["coordinate", "rate", "motor"],
            Self::Load { .. } => &["fx", "fy", "fz", "tx", "ty", "tz"],
            Self::Point(_) => &["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz"],
            Self::Imu(_) => &["ax", "ay", "az", "wx", "wy", "wz"],
            Self::Contact { .. } => &["fx", "fy", "fz", "normal", "points"],
            Self::Ray { .. } => &["distance"],
        }
    }
}

impl World {
    /// Adds a sensor. Its columns come after those of the sensors before.
    ///
    /// # Errors
    /// When another one has its name, or it looks at a joint or an axis that is not there, or a number is out of range.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<(), WorldError> {
        let refuse = |problem: String| Err(WorldError::Sensor { sensor: sensor.name.clone(), problem });
        if self.sensors.iter().any(|other| other.name == sensor.name) {
            return refuse("another sensor has this name".to_owned());
        }
        match &sensor.kind {
            SensorKind::Joint { joint, axis } => {
                let Some(found) = self.find_joint(joint) else {
                    return refuse(format!("there is no joint {joint:?} between bodies"));
                };
                let free = found.free_axes();
                if !free.contains(axis) {
                    let names: Vec<&str> = free.iter().map(|axis| axis.name()).collect();
                    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                    let axis = axis.name();
                    return refuse(format!("joint {joint:?} does not move along {axis}; free: {names}"));
                }
            }
            SensorKind::Load { joint } if self.find_joint(joint).is_none() => {
                return refuse(format!("there is no joint {joint:?} between bodies"));
            }
            SensorKind::Ray { at, direction, reach, .. } => {
                let largest = direction.abs().max_element();
                if !(at.is_finite() && direction.is_finite() && largest > 0.0) {
                    return refuse(format!(
                        "direction {direction} from {at}: give finite numbers, not all zero"
                    ));
                }
                if reach.is_nan() || *reach <= 0.0 {
                    return refuse(format!("it sees {reach} m far; give a number greater than 0"));
                }
            }
            SensorKind::Point(mount) | SensorKind::Imu(mount)
                if !(mount.at.is_finite() && mount.orientation.is_finite()) =>
            {
                return refuse(format!("it is at {}; give finite numbers", mount.at));
            }
            SensorKind::Contact { on, .. } if on.is_empty() => {
                return refuse("it looks at no body".to_owned());
            }
            _ => {}
        }
        self.sensors.push(sensor);
        Ok(())
    }

    /// All sensors, in the order in which they were added.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// The columns of all sensors, each the name of its sensor and of the quantity.
    pub fn sensor_columns(&self) -> impl Iterator<Item = String> {
        self.sensors.iter().flat_map(|sensor| {
            sensor.kind.quantities().iter().map(|quantity| format!("{}.{quantity}", sensor.name))
        })
    }
}
