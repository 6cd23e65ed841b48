//! Reused buffers, on which no result depends.

use crate::drive::exact::detect::detection::DetectionScratch;
use crate::drive::exact::gather::cluster::Cluster;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::state::State;
use crate::world::World;

/// Buffers of the driver: they can be thrown away between any two tasks without changing a bit.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    pub(crate) island: IslandScratch,
    pub(crate) detection: DetectionScratch,
    pub(crate) cluster: Cluster,
    /// Bodies whose fat AABBs are being refitted.
    pub(crate) refitting: Vec<u32>,
}

impl Scratch {
    /// For a world in this state.
    pub(crate) fn for_state(world: &World, state: &State) -> Self {
        Self { island: IslandScratch::for_state(world, &state.joints, state.solver), ..Self::new(world) }
    }

    /// For a world at its start.
    pub(crate) fn new(world: &World) -> Self {
        Self {
            island: IslandScratch::new(world),
            detection: DetectionScratch::default(),
            cluster: Cluster::default(),
            refitting: Vec::new(),
        }
    }
}
