//! What joints carry, as a table: `joints.csv`.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::rows::{begin, writer};
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

/// Writes `joints.csv`.
#[derive(Debug)]
pub(super) struct JointTable<W: Write> {
    rows: csv::Writer<W>,
    names: Vec<String>,
}

impl<W: Write> JointTable<W> {
    pub(super) fn new(world: &World, file: W) -> io::Result<Self> {
        let rows = begin(file, "t,joint,x,y,z,fx,fy,fz,tx,ty,tz,note")?;
        Ok(Self { rows, names: names(world) })
    }

    /// Goes on with a table that was begun.
    pub(super) fn resume(world: &World, file: W) -> Self {
        Self { rows: writer(file), names: names(world) }
    }

    pub(super) fn write(&mut self, t: f64, forces: &[JointForce]) -> io::Result<()> {
        for f in forces {
            let note = if f.is_unique { "" } else { super::Note::LeastNorm.name() };
            let vectors = (f.point.to_array(), f.force.to_array(), f.torque.to_array());
            self.rows.serialize((t, &self.names[f.joint], vectors, note)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.rows.flush()
    }
}

/// The names of all joints.
pub(super) fn names(world: &World) -> Vec<String> {
    world.joints().iter().map(|joint| joint.name().to_owned()).collect()
}
