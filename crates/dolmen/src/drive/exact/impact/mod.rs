//! Impacts: the velocities of a cluster jump at one instant.
//!
//! In comes the pair that met; out go momenta after the impact, the losses in the ledger and the events in the log. The
//! impulses come from `contact::collide`, by the impact law of the world, over all contacts, limits and ropes of the cluster
//! at once. Where events come too fast, or contacts are too many, a time step takes the place of the impact. Impulses act on
//! whole articulations: W includes the joints.
//!
//! All of it is done by [`Impacts`], which has the state, the cluster and the buffers of islands.
//!
//! - [`collide`]: handles the contact event, solves the impact, books and logs it.
//! - [`ghost`]: removes ghost contacts at internal edges.
//! - [`joint_impact`]: W with joints, limits and ropes in an impact, projection onto joints.
//! - [`joint_friction`]: joint friction that grows with the joint impulse.
//! - [`impact_rate`]: stops a run where rounding no longer resolves the time between impacts.
//! - [`prefetch`]: brings what an event reads into the cache.
//! - `tolerances`: the thresholds.

pub(crate) mod collide;
pub(crate) mod ghost;
pub(crate) mod impact_rate;
pub(crate) mod joint_friction;
pub(crate) mod joint_impact;
pub(crate) mod prefetch;
mod tolerances;

use crate::drive::exact::gather::cluster::Cluster;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::state::view::View;
use crate::world::World;

/// What solves an impact: a state in its world, the cluster that collides, and the buffers of islands. It makes no islands and detects
/// nothing.
#[derive(Debug)]
pub(crate) struct Impacts<'a> {
    pub(crate) world: &'a World,
    pub(crate) state: &'a mut State,
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) scratch: &'a mut IslandScratch,
}

impl Impacts<'_> {
    /// The state in its world, to be read.
    fn view(&self) -> View<'_> {
        View { world: self.world, state: self.state }
    }
}

impl Simulation {
    /// Its part that solves impacts.
    pub(crate) fn impacts(&mut self) -> Impacts<'_> {
        Impacts {
            world: &self.world,
            state: &mut self.state,
            cluster: &mut self.scratch.cluster,
            scratch: &mut self.scratch.island,
        }
    }
}
