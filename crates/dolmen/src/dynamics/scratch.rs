//! Buffers of the equations of motion.

use crate::force::{BodyLoad, BodyView, Workspace};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::world::World;

/// Buffers of the equations of motion, one entry per body and set of the world; never part of the state.
#[derive(Debug, Clone)]
pub struct Scratch {
    /// Counts evaluations; a view with another stamp belongs to another island or time.
    pub(super) stamp: u64,
    pub(super) views: Vec<BodyView>,
    pub(super) loads: Vec<BodyLoad>,
    pub(super) set_views: Vec<(Vec<DVec3>, Vec<DVec3>)>,
    pub(super) set_loads: Vec<(Vec<DVec3>, Vec<f64>)>,
    pub(super) workspaces: Vec<Workspace>,
    pub(super) power: f64,
}

impl Scratch {
    /// For this world.
    pub fn new(world: &World) -> Self {
        let view = BodyView { stamp: 0, pose: Pose::IDENTITY, rotation: DMat3::IDENTITY, twist: Twist::ZERO };
        let sets = world.sets();
        Self {
            stamp: 0,
            views: vec![view; world.bodies().len()],
            loads: vec![BodyLoad::default(); world.bodies().len()],
            set_views: sets.iter().map(|s| (s.positions().to_vec(), s.velocities().to_vec())).collect(),
            set_loads: sets.iter().map(|s| (vec![DVec3::ZERO; s.len()], vec![0.0; s.len()])).collect(),
            workspaces: world.forces().iter().map(|_| Workspace::default()).collect(),
            power: 0.0,
        }
    }
}
