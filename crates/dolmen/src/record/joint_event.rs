//! What happened in joints and when, as a table: `joint-events.csv`.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};

use super::joint::names;
use super::rows::{begin, writer};
use crate::joint::Axis;
use crate::world::World;

/// Something that happened in a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointEvent {
    /// When, s: the root of the coordinate, of its rate or of its force, to rounding.
    pub t: f64,
    /// In which joint, by its place in [`World::joints`].
    pub joint: usize,
    /// Along which axis; none for ropes, cones and a user's constraints.
    pub axis: Option<Axis>,
    /// What.
    pub kind: JointEventKind,
    /// The rate before, m/s or rad/s: negative towards a limit.
    pub approach: f64,
    /// The rate after.
    pub separation: f64,
    /// The impulse, N·s or N·m·s.
    pub impulse: f64,
    /// Energy lost, J: −½ impulse·(approach + separation).
    pub lost: f64,
}

/// What happened in a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointEventKind {
    /// A limit was struck, or a rope reached its length: velocities jumped.
    Struck,
    /// A series of bounces off a limit was closed at its limit in time.
    Settled,
    /// A limit or a rope carries force, friction sticks, a motor keeps its speed.
    Active,
    /// A limit or a rope carries no force any more.
    Released,
    /// Friction slides, or a motor is at its largest force.
    Saturated,
    /// Joint friction under the joint's reaction acted in a collision: velocities jumped.
    Friction,
    /// Friction that grows with the joint force has no finite value: the force that it causes raises it without end. It is bounded by the
    /// joint force without it.
    Jammed,
}

impl JointEventKind {
    /// As it is written in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Struck => "struck",
            Self::Settled => "settled",
            Self::Active => "active",
            Self::Released => "released",
            Self::Saturated => "saturated",
            Self::Friction => "friction",
            Self::Jammed => "jammed",
        }
    }
}

/// Writes `joint-events.csv`: one row an event.
#[derive(Debug)]
pub struct JointEventTable<W: Write> {
    rows: csv::Writer<W>,
    names: Vec<String>,
}

impl<W: Write> JointEventTable<W> {
    /// Starts the table with its header line.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(world: &World, file: W) -> io::Result<Self> {
        let rows = begin(file, "t,joint,axis,kind,approach,separation,impulse,lost")?;
        Ok(Self { rows, names: names(world) })
    }

    /// Goes on with a table that was begun.
    pub fn resume(world: &World, file: W) -> Self {
        Self { rows: writer(file), names: names(world) }
    }

    /// Writes events, which must be given in the order of time.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, events: &[JointEvent]) -> io::Result<()> {
        for e in events {
            let (joint, axis) = (&self.names[e.joint], e.axis.map_or("", Axis::name));
            let numbers = (e.approach, e.separation, e.impulse, e.lost);
            self.rows.serialize((e.t, joint, axis, e.kind.name(), numbers)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.rows.flush()
    }
}
