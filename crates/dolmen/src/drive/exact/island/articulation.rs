//! Articulations: bodies that joints connect, and the revolutions of joint angles.

use crate::articulation::JointSystem;
use crate::contact::rest::{Articulation, ArticulationState};
use crate::dynamics::Island;
use crate::joint::{RowMode, Turns};
use crate::world::{Member, World};
use serde::{Deserialize, Serialize};

/// Which bodies belong to which articulation; never changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArticulationIndex {
    /// For every body: the articulation whose first body it is, by rank.
    first: Vec<Option<usize>>,
    /// For every body: the longest arm of a joint of its articulation, m; zero without joints.
    arms: Vec<f64>,
}

/// The joint state that does not follow from positions and velocities: part of the state of a simulation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct JointState {
    /// For every articulation: the state of its rows.
    pub(crate) articulations: Vec<ArticulationState>,
    /// For every joint: its angles at the last end of a step. Only whole revolutions are taken from them, so any
    /// instant within half a revolution will do.
    pub(crate) turns: Vec<Turns>,
    /// For every joint: the mode of each position motor with a force limit.
    pub(crate) motor_modes: Vec<Vec<RowMode>>,
}

impl JointState {
    /// The joint state at the start of a world with these articulations.
    pub(crate) fn new(world: &World, articulations: &[Articulation]) -> Self {
        Self {
            articulations: articulations.iter().map(Articulation::start).collect(),
            turns: (0..world.joints().len()).map(|place| world.joint_at_start(place).1).collect(),
            motor_modes: world
                .joints()
                .iter()
                .map(|joint| vec![RowMode::Active; joint.motor_count()])
                .collect(),
        }
    }
}

impl ArticulationIndex {
    /// All articulations of a world, in the order of their first bodies.
    pub(crate) fn find(world: &World) -> Vec<Articulation> {
        let of = |(joints, couplings)| Articulation::new(world, JointSystem::new(world, joints, couplings));
        Self::groups(world).into_iter().map(of).collect()
    }

    /// The index of a world.
    pub(crate) fn new(world: &World) -> Self {
        if world.joints().is_empty() {
            return Self::default();
        }
        let mut first = vec![None; world.bodies().len()];
        let mut arms = vec![0.0; world.bodies().len()];
        for (k, articulations) in Self::find(world).iter().enumerate() {
            articulations
                .system
                .bodies()
                .iter()
                .for_each(|id| arms[id.index()] = articulations.system.length());
            if let Some(id) = articulations.system.bodies().first() {
                first[id.index()] = Some(k);
            }
        }
        Self { first, arms }
    }

    /// The joints and couplings of each articulation.
    fn groups(world: &World) -> Vec<(Vec<usize>, Vec<usize>)> {
        let dynamic = world.body_ids().filter(|id| world.body(*id).is_dynamic());
        let members: Vec<Member> = dynamic.map(Member::Body).collect();
        let links = Island::joint_links(world);
        let mut group_of = vec![None; members.len()];
        for (g, group) in Island::coupled(&members, &links).iter().enumerate() {
            for member in group {
                if let Ok(k) = members.binary_search(member) {
                    group_of[k] = Some(g);
                }
            }
        }
        let mut groups = vec![(Vec::new(), Vec::new()); members.len()];
        for (place, link) in links.iter().enumerate() {
            let first = link.iter().find_map(|member| members.binary_search(member).ok());
            let Some(g) = first.and_then(|k| group_of[k]) else { continue };
            match place.checked_sub(world.joints().len()) {
                None => groups[g].0.push(place),
                Some(coupling) => groups[g].1.push(coupling),
            }
        }
        groups.retain(|(joints, _)| !joints.is_empty());
        groups
    }

    /// The longest arm of a joint of a body's articulation, m; zero for a body without joints.
    pub(crate) fn arm(&self, body: u32) -> f64 {
        self.arms.get(body as usize).copied().unwrap_or_default()
    }

    /// The articulation whose first body this is.
    pub(crate) fn first_at(&self, body: u32) -> Option<usize> {
        self.first.get(body as usize).copied().flatten()
    }

    /// The articulations of an island.
    pub(crate) fn of_island(&self, island: &Island) -> impl Iterator<Item = usize> {
        island.bodies.iter().filter_map(|id| self.first.get(id.index()).copied().flatten())
    }
}
