//! Joints where velocities jump: an impulse on one body is felt at once by all that joints hold to it.

use super::held::{Held, IslandEquations};
use super::joints::place;
use super::simulation::Simulation;
use super::{Buffers, States};
use crate::body::Kinematics;
use crate::contact::rest::{Bearings, Shift};
use crate::joint::Level;
use crate::joint::factor::{Mobility, Pivoting};
use crate::math::{DMat3, DVec3};
use crate::motion::{Island, Motion};
use crate::world::{BodyId, World};

/// A contact whose bodies yield by less than this share of what they would without joints does not yield.
const HELD: f64 = 1e-10;

impl Simulation {
    /// Works out how contacts of the cluster yield where joints hold its bodies together: K of each pair of contacts.
    pub(super) fn join_movers(&mut self, t: f64) {
        self.cluster.scratch.joined.clear();
        self.find_present();
        if self.buffers.bearings.present.is_empty() {
            return;
        }
        let (world, states, ranks) = (&self.world, &self.states, &self.cluster.ranks);
        let movers = &self.cluster.movers;
        let mobility =
            |k: usize| Mobility { inv_mass: movers[k].inv_mass, inv_inertia: movers[k].inv_inertia };
        let rank_place = |id: &BodyId| {
            let body = id.index() as u32;
            ranks.iter().position(|rank| *rank == body).expect("joined bodies are gathered together")
        };
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        let Bearings { joined, present, .. } = bearings;
        for k in present.iter() {
            let linkage = &mut joined[*k];
            linkage.places.clear();
            linkage.places.extend(linkage.system.bodies().iter().map(rank_place));
            linkage.system.evaluate(world, |id| at_instant(world, states, id, t), t, &linkages.turns);
            linkage.system.factor(|id| mobility(rank_place(&id)), Pivoting::FORCES);
        }
        let contacts = &self.cluster.colliding;
        let n = contacts.len();
        let mut yields = vec![DMat3::ZERO; n * n];
        let mut motions = Vec::new();
        for (j, at_j) in contacts.iter().enumerate() {
            let mut free = 0.0_f64;
            for axis in 0..3 {
                motions.clear();
                motions.resize(movers.len(), Shift::default());
                for (side, push) in [(0, DVec3::AXES[axis]), (1, -DVec3::AXES[axis])] {
                    let (body, arm) = (at_j.bodies[side], at_j.arms[side]);
                    motions[body].linear += movers[body].inv_mass * push;
                    motions[body].angular += movers[body].inv_inertia * arm.cross(push);
                }
                let at = |body: usize, arm: DVec3, motions: &[Shift]| {
                    motions[body].linear + motions[body].angular.cross(arm)
                };
                let [a, b] = at_j.bodies;
                free = free.max((at(a, at_j.arms[0], &motions) - at(b, at_j.arms[1], &motions)).length());
                for k in present.iter() {
                    joined[*k].respond(mobility, &mut motions);
                }
                for (i, at_i) in contacts.iter().enumerate() {
                    let [a, b] = at_i.bodies;
                    *yields[i * n + j].col_mut(axis) =
                        at(a, at_i.arms[0], &motions) - at(b, at_i.arms[1], &motions);
                }
            }
            let own = &mut yields[j * n + j];
            if at_j.normal.dot(*own * at_j.normal) <= HELD * free {
                *own = DMat3::ZERO;
            }
        }
        self.cluster.scratch.joined = yields;
    }

    /// The linkages of the bodies of the cluster.
    fn find_present(&mut self) {
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        bearings.present.clear();
        bearings.present.extend(self.cluster.bodies.iter().filter_map(|body| linkages.first_at(*body)));
    }

    /// Adds the impulses by which joints answer those of contacts; what drives and moving supports do by them is work.
    pub(super) fn answer_impulses(&mut self, t: f64) {
        let (world, states, movers) = (&self.world, &mut self.states, &self.cluster.movers);
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        for k in &bearings.present {
            let linkage = &mut bearings.joined[*k];
            let system = &mut linkage.system;
            system.evaluate(world, |id| at_instant(world, states, id, t), t, &linkages.turns);
            system.solve(Level::Velocity);
            let mut changes = vec![(DVec3::ZERO, DVec3::ZERO); system.bodies().len()];
            system.loads(|slot, load| {
                changes[slot].0 += load.force;
                changes[slot].1 += load.torque;
            });
            for ((id, place), (push, turn)) in system.bodies().iter().zip(&linkage.places).zip(changes) {
                let state = &mut states.bodies[id.index()];
                state.momentum += push;
                state.angular_momentum += turn;
                // By the mean of the velocities before and after all impulses.
                let (before, after) = (&movers[*place], state.twist(world.body(*id).inertia()));
                self.log.work += 0.5 * push.dot(before.velocity + after.velocity);
                self.log.work += 0.5 * turn.dot(before.spin + after.spin);
            }
        }
    }

    /// Puts the members of an island back onto their joints.
    pub(super) fn put_back_on_joints(&mut self, t: f64, island: &Island) {
        let Some(held) = Held::of_joints(island) else { return };
        let dim = island.dim();
        let mut y = vec![0.0; dim + super::held::SUMS];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y[..dim]);
        let (world, buffers, smooth) = (&self.world, &mut self.buffers, island.smooth_interval(t));
        let mut equations = IslandEquations { world, island, held: Some(&held), buffers, smooth };
        equations.put_back(t, &mut y);
        island.unpack(&y[..dim], &mut self.states.bodies, &mut self.states.sets);
    }

    /// Adds the impulses of joints over a step of length `h`, for the impulses of contacts as last found; returns the work of
    /// drives and moving supports, J.
    pub(super) fn answer_step(&mut self, h: f64, island: &Island, held: &Held) -> f64 {
        if island.joints.is_empty() {
            return 0.0;
        }
        let impulses = self.buffers.bearings.forces.clone();
        for force in &mut self.buffers.bearings.forces {
            *force /= h;
        }
        let (world, buffers) = (&self.world, &mut self.buffers);
        let smooth = (f64::NEG_INFINITY, f64::INFINITY);
        IslandEquations { world, island, held: None, buffers, smooth }.answer_contacts(held);
        let Buffers { bearings, loaded, .. } = &mut self.buffers;
        let mut work = 0.0;
        for k in &bearings.present {
            let system = &bearings.joined[*k].system;
            system.loads(|slot, load| {
                let id = system.bodies()[slot];
                let twist = loaded[place(island, id)].kinematics.twist;
                work += h * (load.force.dot(twist.velocity) + load.torque.dot(twist.spin));
                let state = &mut self.states.bodies[id.index()];
                state.momentum += h * load.force;
                state.angular_momentum += h * load.torque;
            });
        }
        bearings.forces = impulses;
        work
    }
}

/// A body at an instant, without its acceleration.
fn at_instant(world: &World, states: &States, id: BodyId, t: f64) -> Kinematics {
    let (pose, twist) = if let Some(motion) = world.body(id).prescribed_motion() {
        (motion.pose(t), motion.twist(t))
    } else {
        let state = &states.bodies[id.index()];
        (state.pose(), state.twist(world.body(id).inertia()))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}
