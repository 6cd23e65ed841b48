//! What joints carry and how they move, as tables: `joints.csv`, `coordinates.csv`.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::rows::{begin, writer};
use crate::joint::{Axis, FittedJoint, Geometry, Turns};
use crate::math::DVec3;
use crate::world::World;

/// The force and torque of a joint at an instant: what keeps its equations, prescribed motions among them; what springs and
/// motors by force do comes on top.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointForce {
    /// Which, by its place in [`World::joints`].
    pub joint: usize,
    /// Its point on a, world, m.
    pub point: DVec3,
    /// On a, N; b feels the opposite.
    pub force: DVec3,
    /// On a about the point, N·m.
    pub torque: DVec3,
    /// Whether the forces of its mechanism are the only ones; else they are those of least norm.
    pub is_unique: bool,
}

/// A coordinate of a joint at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointCoordinate {
    /// Which joint, by its place in [`World::joints`].
    pub joint: usize,
    /// Along or about which axis.
    pub axis: Axis,
    /// m, or rad with all its turns.
    pub value: f64,
    /// m/s or rad/s.
    pub rate: f64,
    /// What all motors and prescribed motions of the axis do along it, N or N·m; zero without any.
    pub motor: f64,
}

impl JointCoordinate {
    /// Those of a joint at a time, with its turns so far and the forces of all its equations.
    pub(crate) fn all<'j>(
        place: usize,
        joint: &'j FittedJoint,
        frame: &'j Geometry,
        (t, turns): (f64, &'j Turns),
        forces: &'j [f64],
    ) -> impl Iterator<Item = Self> + 'j {
        joint.free_axes().into_iter().map(move |axis| {
            let q = joint.coordinate(frame, axis, turns);
            let motor = joint.motor_force(frame, axis, (t, turns), forces);
            Self { joint: place, axis, value: q.value, rate: q.rate, motor }
        })
    }
}

/// Writes `joints.csv` and `coordinates.csv`, each if it is wanted.
#[derive(Debug)]
pub(super) struct JointTables<W: Write> {
    forces: Option<csv::Writer<W>>,
    coordinates: Option<csv::Writer<W>>,
    names: Vec<String>,
}

impl<W: Write> JointTables<W> {
    pub(super) fn new(world: &World, forces: Option<W>, coordinates: Option<W>) -> io::Result<Self> {
        let forces = forces.map(|file| begin(file, "t,joint,x,y,z,fx,fy,fz,tx,ty,tz,note")).transpose()?;
        let coordinates =
            coordinates.map(|file| begin(file, "t,joint,axis,coordinate,rate,motor")).transpose()?;
        Ok(Self { forces, coordinates, names: names(world) })
    }

    /// Goes on with tables that were begun.
    pub(super) fn resume(world: &World, forces: Option<W>, coordinates: Option<W>) -> Self {
        Self { forces: forces.map(writer), coordinates: coordinates.map(writer), names: names(world) }
    }

    pub(super) fn write_forces<'f>(
        &mut self,
        t: f64,
        forces: impl Iterator<Item = &'f JointForce>,
    ) -> io::Result<()> {
        let Some(rows) = &mut self.forces else { return Ok(()) };
        for f in forces {
            let note = if f.is_unique { "" } else { super::Note::LeastNorm.name() };
            let vectors = (f.point.to_array(), f.force.to_array(), f.torque.to_array());
            rows.serialize((t, &self.names[f.joint], vectors, note)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn write_coordinates<'c>(
        &mut self,
        t: f64,
        coordinates: impl Iterator<Item = &'c JointCoordinate>,
    ) -> io::Result<()> {
        let Some(rows) = &mut self.coordinates else { return Ok(()) };
        for c in coordinates {
            let row = (t, &self.names[c.joint], c.axis.name(), c.value, c.rate, c.motor);
            rows.serialize(row).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        [&mut self.forces, &mut self.coordinates].into_iter().flatten().try_for_each(csv::Writer::flush)
    }
}

/// The names of all joints.
pub(super) fn names(world: &World) -> Vec<String> {
    world.joints().iter().map(|joint| joint.name().to_owned()).collect()
}
