//! Joints in the equations of an island.
//!
//! ```text
//! loads, with those of springs and motors in joints → accelerations without constraints          (load_free)
//! equations of all joints there, factored                                                        (meet_joints)
//! forces of joints without contacts → accelerations that contacts find                           (hold_joints)
//! forces of contacts; what joints answer to them                                                 (answer_contacts)
//! rates; after every step positions, then velocities back onto the joints                        (shift_onto_joints)
//! ```

use super::held::{Held, IslandEquations};
use super::simulation::Simulation;
use super::{Buffers, Reason, Stop};
use crate::body::Kinematics;
use crate::contact::rest::{Bearings, Shift};

use crate::joint::factor::Pivoting;
use crate::joint::{Law, Level, Line, STILL};
use crate::math::DVec3;
use crate::motion::{Equations, Island, Motion};
use crate::record::JointForce;
use crate::world::{BodyId, World};

/// Values below this many ulp of coordinates and arms are none.
const RESOLVED: f64 = 16.0 * f64::EPSILON;

/// Joints that miss by more than this share of the longest arm are not joined.
const MISSED: f64 = 1e-6;

impl IslandEquations<'_> {
    /// Whether joints hold its bodies.
    pub(super) fn has_joints(&self) -> bool {
        !self.island.joints.is_empty()
    }

    /// Adds what springs and motors in joints do, in the state last looked at.
    pub(super) fn add_joint_loads(&mut self, t: f64) {
        for place in &self.island.joints {
            let joint = &self.world.joints()[*place];
            if !joint.has_loads() {
                continue;
            }
            let turns = self.buffers.linkages.turns[*place];
            let mut equations =
                Equations::new(self.world, self.island, &mut self.buffers.motion, self.smooth);
            let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| seen(&equations, id)));
            let load = joint.load((&a, &b), t, &turns);
            let mut power = load.power;
            for (id, (part, kinematics)) in joint.bodies().into_iter().zip([(load.on_a, a), (load.on_b, b)]) {
                let Some(id) = id else { continue };
                if self.world.body(id).is_dynamic() {
                    equations.add_load(id, part.force, part.torque);
                } else {
                    // What is stored and booked is that of both ends; a support does its part on the other.
                    let twist = kinematics.twist;
                    power -= part.force.dot(twist.velocity) + part.torque.dot(twist.spin);
                }
            }
            equations.add_power(power);
        }
    }

    /// Energy stored in the springs of joints, in the state last looked at, J.
    pub(super) fn joint_potential(&mut self, t: f64) -> f64 {
        let mut sum = 0.0;
        for place in &self.island.joints {
            let joint = &self.world.joints()[*place];
            if joint.has_loads() {
                let turns = self.buffers.linkages.turns[*place];
                let equations =
                    Equations::new(self.world, self.island, &mut self.buffers.motion, self.smooth);
                let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| seen(&equations, id)));
                sum += joint.load((&a, &b), t, &turns).potential;
            }
        }
        sum
    }

    /// Evaluates and factors the joints for the bodies as loaded.
    pub(super) fn meet_joints(&mut self, t: f64, pivoting: Pivoting) {
        let (world, island) = (self.world, self.island);
        let Buffers { bearings, loaded, linkages, .. } = &mut *self.buffers;
        let Bearings { joined, present, .. } = bearings;
        present.clear();
        present.extend(linkages.of_island(island));
        for k in present.iter() {
            let linkage = &mut joined[*k];
            linkage.places.clear();
            linkage.places.extend(linkage.system.bodies().iter().map(|id| place(island, *id)));
            let system = &mut linkage.system;
            system.evaluate(world, |id| loaded[place(island, id)].kinematics, t, &linkages.turns);
            system.factor(|id| loaded[place(island, id)].mobility(), pivoting);
        }
    }

    /// Finds the forces of joints and lets the bodies as loaded accelerate with them.
    pub(super) fn hold_joints(&mut self) {
        let Buffers { bearings, loaded, .. } = &mut *self.buffers;
        let Bearings { joined, present, .. } = bearings;
        for k in present.iter() {
            let linkage = &mut joined[*k];
            linkage.system.solve(Level::Acceleration);
            linkage.base.clear();
            linkage.base.extend_from_slice(linkage.system.forces());
            linkage.system.loads(|slot, load| {
                let body = &mut loaded[linkage.places[slot]];
                body.kinematics.acceleration += body.inv_mass * load.force;
                body.kinematics.spin_rate += body.inv_inertia * load.torque;
            });
        }
    }

    /// Adds to the forces of joints what they answer to the forces of contacts.
    pub(super) fn answer_contacts(&mut self, held: &Held) {
        let Buffers { bearings, loaded, shifts, .. } = &mut *self.buffers;
        shifts.clear();
        shifts.resize(loaded.len(), Shift::default());
        for (i, bearing) in held.bearings.iter().enumerate() {
            let (frame, f) = (&bearings.frames[i], bearings.forces[i]);
            for (row, f) in frame.rows.iter().zip(f.to_array()) {
                let [a, b] = bearing.bodies;
                for (body, linear, angular) in
                    [(a, row.linear_a, row.angular_a), (b, row.linear_b, row.angular_b)]
                {
                    shifts[body].linear += f * loaded[body].inv_mass * linear;
                    shifts[body].angular += f * (loaded[body].inv_inertia * angular);
                }
            }
        }
        let Bearings { joined, present, .. } = bearings;
        for k in present.iter() {
            let linkage = &mut joined[*k];
            let places = &linkage.places;
            linkage.system.cancel(|slot| (shifts[places[slot]].linear, shifts[places[slot]].angular));
            linkage.system.add_forces(&linkage.base);
        }
    }

    /// Adds the forces of joints to the loads; what drives and moving supports do by them is booked as work.
    pub(super) fn add_joint_forces(&mut self) {
        let Buffers { bearings, motion, .. } = &mut *self.buffers;
        let mut equations = Equations::new(self.world, self.island, motion, self.smooth);
        for k in &bearings.present {
            let system = &bearings.joined[*k].system;
            let mut power = 0.0;
            system.loads(|slot, load| {
                let id = system.bodies()[slot];
                let (_, _, twist) = equations.seen(id);
                power += load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
                equations.add_load(id, load.force, load.torque);
            });
            equations.add_power(power);
        }
    }

    /// The bodies of the island in a state, for changes that keep its joints.
    pub(super) fn load_for_shift(&mut self, t: f64, y: &[f64]) {
        self.load_free(t, y);
        if self.has_joints() {
            self.meet_joints(t, Pivoting::PROJECTION);
        }
    }

    /// Puts positions or velocities back onto the joints, to first order; whether they were there already, as far as numbers
    /// resolve.
    pub(super) fn shift_onto_joints(&mut self, t: f64, y: &mut [f64], level: Level) -> bool {
        let dim = self.island.dim();
        self.load_for_shift(t, &y[..dim]);
        let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
        let Buffers { bearings, loaded, shifts, .. } = &mut *self.buffers;
        shifts.clear();
        shifts.resize(loaded.len(), Shift::default());
        for k in &bearings.present {
            let linkage = &mut bearings.joined[*k];
            let system = &mut linkage.system;
            let left = |line| system.line_weight(line) * system.left(line, level);
            worst = system.lines().iter().map(|line| left(*line).abs()).fold(worst, f64::max);
            scale = scale.max(system.length());
            system.solve(level);
            system.loads(|slot, load| {
                let place = linkage.places[slot];
                shifts[place].linear += loaded[place].inv_mass * load.force;
                shifts[place].angular += loaded[place].inv_inertia * load.torque;
            });
        }
        let farthest = loaded.iter().map(|body| body.kinematics.pose.position.abs().max_element());
        if level == Level::Position && worst <= RESOLVED * farthest.fold(scale, f64::max) {
            return true;
        }
        for k in 0..self.island.bodies.len() {
            let Shift { linear, angular } = self.buffers.shifts[k];
            if level == Level::Position {
                let twist = self.buffers.loaded[k].kinematics.twist;
                self.island.shift_pose(self.world, y, k, (linear, angular), &twist);
            } else {
                self.island.shift_twist(self.world, y, k, (linear, angular));
            }
        }
        false
    }

    /// Angular momenta are measured by the speeds of the island as well: joints may keep a body from turning, and what is left
    /// is rounding of their torques.
    pub(super) fn scale_turning(&self, scale: &mut [f64]) {
        let (size, momentum) = (self.island.form.body_size(), self.island.form.momentum_offset());
        for (id, block) in self.island.bodies.iter().zip(scale.chunks_exact_mut(size)) {
            let inertia = self.world.body(*id).inertia();
            let turning = block[momentum] * (inertia.moments.max_element() * inertia.inv_mass).sqrt();
            for part in &mut block[momentum + 3..] {
                *part = part.max(turning);
            }
        }
    }

    /// Counts the turns of the joints as last evaluated.
    pub(super) fn remember_turns(&mut self) {
        let Buffers { bearings, linkages, .. } = &mut *self.buffers;
        for k in &bearings.present {
            let system = &bearings.joined[*k].system;
            for (i, place) in system.joints().iter().enumerate() {
                let joint = &self.world.joints()[*place];
                linkages.turns[*place] = joint.remember(system.frame(i), &linkages.turns[*place]);
            }
        }
    }
}

impl Simulation {
    /// The force and torque of every joint that holds a body that forces move, now, in the order of [`World::joints`].
    pub fn joint_forces(&mut self) -> Vec<JointForce> {
        let mut found = Vec::new();
        for track in self.tracks.iter().filter(|track| !track.island.joints.is_empty()) {
            let y = track.vector_of(&self.states);
            track.equations(&self.world, &mut self.buffers).add_contact_forces(self.t, &y);
            for k in &self.buffers.bearings.present {
                let system = &self.buffers.bearings.joined[*k].system;
                let mut forces = vec![0.0; system.equations().len()];
                let mut starts = Vec::with_capacity(system.joints().len());
                let mut start = 0;
                for i in 0..system.joints().len() {
                    starts.push(start);
                    start += system.equations_of(i).len();
                }
                for (line, force) in system.lines().iter().zip(system.forces()) {
                    if let Line::Joint { joint, equation } = line {
                        forces[starts[*joint] + equation] = *force;
                    }
                }
                let is_unique = system.factors().redundant() == 0;
                for (i, place) in system.joints().iter().enumerate() {
                    let joint = &self.world.joints()[*place];
                    let (frame, equations) = (system.frame(i), system.equations_of(i));
                    let reaction = joint.reaction(frame, equations, &forces[starts[i]..]);
                    let point = joint.bodies()[0].map_or(DVec3::ZERO, |id| self.pose(id).position);
                    found.push(JointForce {
                        joint: *place,
                        point: point + frame.arms()[0],
                        force: reaction.force,
                        torque: reaction.torque,
                        is_unique,
                    });
                }
            }
        }
        found.sort_by_key(|force| force.joint);
        found
    }
}

/// Where in the list of an island's bodies and supports one is.
pub(super) fn place(island: &Island, id: BodyId) -> usize {
    let support = || island.supports.binary_search(&id).ok().map(|k| island.bodies.len() + k);
    island.bodies.binary_search(&id).ok().or_else(support).expect("the island has all bodies of its joints")
}

fn seen(equations: &Equations, id: BodyId) -> Kinematics {
    let (pose, _, twist) = equations.seen(id);
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

/// That the driver can follow all joints, and that bodies stand on them at the start.
pub(super) fn check(world: &World, buffers: &mut Buffers) -> Result<(), Stop> {
    let refuse = |joint: &str, problem: String| {
        Err(Stop { t: 0.0, reason: Reason::Joint { joint: joint.to_owned(), problem } })
    };
    for linkage in &mut buffers.bearings.joined {
        let system = &mut linkage.system;
        let at_start = |id| {
            let body = world.body(id);
            let (pose, twist) = match body.prescribed_motion() {
                Some(motion) => (motion.pose(0.0), motion.twist(0.0)),
                None => (body.start_pose(), body.start_twist()),
            };
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        };
        system.evaluate(world, at_start, 0.0, &buffers.linkages.turns);
        for (i, place) in system.joints().iter().enumerate() {
            let name = world.joints()[*place].name();
            for equation in system.equations_of(i) {
                let problem = match equation.law {
                    Law::Equal => {
                        let value = equation.jet.value;
                        let size = if equation.is_angular { 1.0 } else { system.length() };
                        if value.abs() <= MISSED * size {
                            continue;
                        }
                        format!(
                            "its frames miss each other by {value:e} at the start; call `World::assemble` first"
                        )
                    }
                    Law::AtLeast { .. } => {
                        "limits, ropes and cones are not simulated yet; use springs or rods".to_owned()
                    }
                    Law::Driven { .. } => {
                        "motors by velocity are not simulated yet; use one by position or a prescribed motion"
                            .to_owned()
                    }
                    Law::Rubbing(_) => "friction in joints is not simulated yet; use a damper".to_owned(),
                };
                return refuse(name, problem);
            }
        }
    }
    Ok(())
}
