//! What happened in joints and when, as a table: `joint-events.csv`.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};

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
        }
    }
}

/// Writes `joint-events.csv`: one row an event.
///
/// # Errors
/// When the file cannot be written.
pub fn write_joint_events(world: &World, events: &[JointEvent], file: impl Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(file);
    let header = "t,joint,axis,kind,approach,separation,impulse,lost";
    rows.write_record(header.split(',')).map_err(io::Error::other)?;
    for e in events {
        let (joint, axis) = (world.joints()[e.joint].name(), e.axis.map_or("", Axis::name));
        let numbers = (e.approach, e.separation, e.impulse, e.lost);
        rows.serialize((e.t, joint, axis, e.kind.name(), numbers)).map_err(io::Error::other)?;
    }
    rows.flush()
}
