//! A state as bytes, and back.

use serde::{Deserialize, Serialize};

use super::number::{Quat, Real};
use super::pairs::PairState;
use super::sleep::Sleep;
use super::step::Core;
use super::tolerances::LANES;
use super::touch::Touching;
use crate::joint::Turns;
use crate::math::{DQuat, DVec3};
use crate::world::World;

/// What the way ahead depends on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CoreState<R> {
    position: Vec<DVec3>,
    orientation: Vec<DQuat>,
    turned: Vec<Quat<R>>,
    twist: Vec<[R; LANES]>,
    travel: Vec<f64>,
    pairs: PairState<R>,
    haste: f64,
    h_sub: f64,
    manifolds: usize,
    touching: Touching,
    sleep: Sleep,
    turns: Vec<Turns>,
    impulses: Vec<f64>,
}

impl<R: Real> Core<R> {
    pub(super) fn state(&self) -> CoreState<R> {
        CoreState {
            position: self.bodies.position.clone(),
            orientation: self.bodies.orientation.clone(),
            turned: self.bodies.turned.clone(),
            twist: self.bodies.record.iter().map(|record| record.twist).collect(),
            travel: self.bodies.travel.clone(),
            pairs: self.pairs.state(),
            haste: self.haste,
            h_sub: self.h_sub,
            manifolds: self.manifolds,
            touching: self.touching.clone(),
            sleep: self.sleep.clone(),
            turns: self.joints.as_ref().map_or_else(Vec::new, |joints| joints.turns.clone()),
            impulses: self.joints.as_ref().map_or_else(Vec::new, |joints| joints.impulses.clone()),
        }
    }

    /// A world in this state at time t, or what is wrong with it.
    pub(super) fn restore(world: &World, state: CoreState<R>, t: f64) -> Result<Self, &'static str> {
        let mut core = Self::new(world);
        let count = core.bodies.position.len();
        let lengths = [
            state.position.len(),
            state.orientation.len(),
            state.turned.len(),
            state.twist.len(),
            state.travel.len(),
        ];
        if lengths.iter().any(|length| *length != count) {
            return Err("it has another number of bodies");
        }
        core.bodies.position = state.position;
        core.bodies.orientation = state.orientation;
        core.bodies.turned = state.turned;
        core.bodies.travel = state.travel;
        for (i, twist) in state.twist.into_iter().enumerate() {
            core.bodies.record[i].twist = twist;
            core.bodies.set_mobility(i);
        }
        core.pairs.set_state(state.pairs)?;
        (core.haste, core.h_sub, core.manifolds) = (state.haste, state.h_sub, state.manifolds);
        if !state.touching.is_of(core.pairs.contacts.len()) {
            return Err("a contact presses that there is not");
        }
        core.touching = state.touching;
        if !state.sleep.is_of(world.bodies().len()) {
            return Err("it has another number of bodies");
        }
        core.sleep = state.sleep;
        core.find_awake();
        if let Some(joints) = &mut core.joints {
            if joints.turns.len() != state.turns.len() || joints.impulses.len() != state.impulses.len() {
                return Err("it has another number of joints");
            }
            (joints.turns, joints.impulses) = (state.turns, state.impulses);
            // The forces of joints are read from the equations as the bodies lie.
            joints.error(world, &core.bodies, t);
        }
        Ok(core)
    }
}
