//! Joints in the equations of an island.
//!
//! ```text
//! loads, with those of springs and motors in joints → accelerations without constraints          (load_free)
//! equations of all joints there, factored                                                        (meet_joints)
//! forces of joints without contacts → accelerations that contacts find                           (hold_joints)
//! forces of contacts; what joints answer to them                                                 (answer_contacts)
//! friction in joints that grows with these; again until it is settled                            (update_pushes)
//! rates; after every step positions, then velocities back onto the joints                        (shift_onto_joints)
//! ```

use super::held::{Held, IslandEquations};
use super::joint_rows::evaluate_at;
use super::simulation::Simulation;
use super::{Buffers, Reason, Stop};
use crate::articulation::factor::Pivoting;
use crate::articulation::{JointSystem, Level};
use crate::body::{Kinematics, Load};
use crate::contact::rest::{Bearing, Bearings, Shift};
use crate::dynamics::{Equations, Island};
use crate::joint::{Law, RowMode, STILL};
use crate::math::DVec3;
use crate::motion::Motion;
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
            let load = joint.load_gripping((&a, &b), t, &turns, &self.buffers.linkages.grips[*place]);
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

    /// Finds the forces of joints and lets the bodies as loaded accelerate with them, and with what pushes with its largest
    /// force.
    pub(super) fn hold_joints(&mut self) {
        let Buffers { bearings, loaded, shifts, .. } = &mut *self.buffers;
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
            if linkage.is_pushed() {
                shifts.clear();
                shifts.resize(loaded.len(), Shift::default());
                linkage.add_pushes(|place| loaded[place].mobility(), shifts);
                let places = &linkage.places;
                linkage.system.cancel(|slot| (shifts[places[slot]].linear, shifts[places[slot]].angular));
                linkage.system.loads(|slot, load| {
                    let (shift, body) = (&mut shifts[places[slot]], &loaded[places[slot]]);
                    shift.linear += body.inv_mass * load.force;
                    shift.angular += body.inv_inertia * load.torque;
                });
                linkage.system.add_forces(&linkage.base);
                linkage.base.copy_from_slice(linkage.system.forces());
                for (body, shift) in loaded.iter_mut().zip(shifts.iter()) {
                    body.kinematics.acceleration += shift.linear;
                    body.kinematics.spin_rate += shift.angular;
                }
            }
        }
    }

    /// Adds to the forces of joints what they answer to the forces of contacts, and of rows in the problem of these.
    pub(super) fn answer_contacts(&mut self, contacts: &[Bearing]) {
        let Buffers { bearings, loaded, shifts, .. } = &mut *self.buffers;
        shifts.clear();
        shifts.resize(loaded.len(), Shift::default());
        for (i, bearing) in contacts.iter().enumerate() {
            for (row, f, _) in bearings.components(i) {
                let [a, b] = bearing.bodies;
                for (body, linear, angular) in
                    [(a, row.linear_a, row.angular_a), (b, row.linear_b, row.angular_b)]
                {
                    shifts[body].linear += f * loaded[body].inv_mass * linear;
                    shifts[body].angular += f * (loaded[body].inv_inertia * angular);
                }
            }
        }
        for (extra, force) in bearings.extra.iter().zip(&bearings.extra_forces) {
            extra.push(loaded, *force, shifts);
        }
        let Bearings { joined, present, .. } = bearings;
        for k in present.iter() {
            let linkage = &mut joined[*k];
            let places = &linkage.places;
            linkage.system.cancel(|slot| (shifts[places[slot]].linear, shifts[places[slot]].angular));
            linkage.system.add_forces(&linkage.base);
        }
    }

    /// Adds the forces of joints to the loads; what drives and moving supports do by them is booked as work. Returns the power
    /// that friction in joints takes, W.
    pub(super) fn add_joint_forces(&mut self) -> f64 {
        let Buffers { bearings, motion, .. } = &mut *self.buffers;
        let mut equations = Equations::new(self.world, self.island, motion, self.smooth);
        let mut taken = 0.0;
        for k in &bearings.present {
            let linkage = &bearings.joined[*k];
            let system = &linkage.system;
            let mut power = 0.0;
            let mut add = |slot: usize, load: Load| {
                let id = system.bodies()[slot];
                let (_, _, twist) = equations.seen(id);
                power += load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
                equations.add_load(id, load.force, load.torque);
            };
            system.loads(&mut add);
            for (i, row) in linkage.rows.iter().enumerate().filter(|(_, row)| row.push != 0.0) {
                let equation = linkage.equation(i);
                for (load, slot) in equation.loads(row.push).into_iter().zip(row.slots) {
                    if let Some(slot) = slot {
                        add(slot, load);
                    }
                }
                if matches!(equation.law, Law::Rubbing(_)) {
                    // What it takes is not work of a drive; what is left is that of a moving support.
                    taken -= row.push * equation.jet.rate;
                }
            }
            equations.add_power(power);
        }
        equations.add_power(taken);
        taken
    }

    /// Takes friction that grows with the reaction of its joint back to what it is without load.
    pub(super) fn reset_pushes(&mut self) {
        let Buffers { bearings, linkages, .. } = &mut *self.buffers;
        for k in linkages.of_island(self.island) {
            let linkage = &mut bearings.joined[k];
            for i in 0..linkage.rows.len() {
                if let (RowMode::Pushed(sign), Law::Rubbing(friction)) =
                    (linkage.rows[i].mode, linkage.equation(i).law)
                {
                    linkage.rows[i].push = sign * friction.constant;
                }
            }
        }
    }

    /// Brings friction that grows with the reaction of its joint up to date with the forces last found; by which share of
    /// it that has changed one at most.
    pub(super) fn update_pushes(&mut self) -> f64 {
        let bearings = &mut self.buffers.bearings;
        let mut most = 0.0_f64;
        for k in &bearings.present {
            let linkage = &mut bearings.joined[*k];
            let is_open =
                |i: &usize| matches!(linkage.rows[*i].mode, RowMode::Pushed(_)) && linkage.is_pressed(*i);
            let open: Vec<usize> = (0..linkage.rows.len()).filter(is_open).collect();
            if open.is_empty() {
                continue;
            }
            let forces = linkage.equation_forces();
            for i in open {
                let RowMode::Pushed(sign) = linkage.rows[i].mode else { continue };
                let push = sign * linkage.largest(self.world, i, &forces);
                let change = (push - linkage.rows[i].push).abs();
                most = most.max(if change > 0.0 { change / push.abs() } else { 0.0 });
                linkage.rows[i].push = push;
            }
        }
        most
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

    /// Angular momenta are measured by the speeds of the island as well: joints, or contacts that resist turning, may keep a body
    /// from turning, and what is left is rounding of their torques.
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

    /// As [`IslandEquations::is_equilibrium`], for bodies that joints hold; the modes of contacts and rows are known.
    pub(super) fn is_joined_equilibrium(
        &mut self,
        (t, y): (f64, &[f64]),
        held: &Held,
        speed: f64,
        acceleration: f64,
    ) -> bool {
        if held.bearings.len() > Bearings::DENSE {
            return false;
        }
        let dim = self.island.dim();
        self.load_free(t, &y[..dim]);
        let free: Vec<Kinematics> = self.buffers.loaded.iter().map(|body| body.kinematics).collect();
        self.add_contact_forces(t, y);
        let pulls = self.buffers.bearings.forces.iter().take(held.bearings.len()).any(|f| f.x < 0.0);
        if pulls {
            return false;
        }
        for (k, id) in self.island.bodies.iter().enumerate() {
            let inertia = self.world.body(*id).inertia();
            let size = (inertia.moments.max_element() * inertia.inv_mass).sqrt();
            let size = if size > 0.0 { size } else { self.arm_of(*id) };
            let load = self.summed(*id);
            let Kinematics { twist, acceleration: free_a, spin_rate: free_spin, .. } = free[k];
            let loads = free_a.length() + free_spin.length() * size;
            // Still, so that there are no gyroscopic terms.
            let turned = self.buffers.loaded[k].inv_inertia * load.torque;
            let moving = twist.velocity.length() + twist.spin.length() * size;
            if moving > speed * (loads * size).sqrt()
                || load.force.length() * inertia.inv_mass + turned.length() * size > acceleration * loads
            {
                return false;
            }
        }
        true
    }

    /// The longest arm of the joints of a body's linkage, m.
    fn arm_of(&self, id: BodyId) -> f64 {
        let joined = &self.buffers.bearings.joined;
        let of = |k: &usize| joined[*k].system.bodies().binary_search(&id).is_ok();
        self.buffers.bearings.present.iter().find(|k| of(k)).map_or(0.0, |k| joined[*k].system.length())
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
                let linkage = &self.buffers.bearings.joined[*k];
                let (system, forces) = (&linkage.system, linkage.equation_forces());
                let is_unique = system.factors().redundant() == 0;
                let mut start = 0;
                for (i, place) in system.joints().iter().enumerate() {
                    let joint = &self.world.joints()[*place];
                    let (frame, equations) = (system.frame(i), system.equations_of(i));
                    let reaction = joint.reaction(frame, equations, &forces[start..]);
                    start += equations.len();
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

/// That bodies stand on their joints at the start.
pub(super) fn check(world: &World, buffers: &mut Buffers) -> Result<(), Stop> {
    for linkage in &mut buffers.bearings.joined {
        let at_start = |id| {
            let body = world.body(id);
            let (pose, twist) = match body.prescribed_motion() {
                Some(motion) => (motion.pose(0.0), motion.twist(0.0)),
                None => (body.start_pose(), body.start_twist()),
            };
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        };
        linkage.system.evaluate(world, at_start, 0.0, &buffers.linkages.turns);
        check_values(world, &linkage.system, (0.0, MISSED))?;
    }
    Ok(())
}

/// That no joint as last evaluated misses by more than a share of the longest arm.
fn check_values(world: &World, system: &JointSystem, (t, share): (f64, f64)) -> Result<(), Stop> {
    for (i, place) in system.joints().iter().enumerate() {
        for equation in system.equations_of(i) {
            let value = equation.jet.value;
            let allowed = share * if equation.is_angular { 1.0 } else { system.length() };
            let problem = match equation.law {
                Law::Equal if value.abs() > allowed => format!(
                    "its frames miss each other by {value:e}; at the start `World::assemble` puts bodies onto their joints"
                ),
                Law::AtLeast { .. } if value < -allowed => format!(
                    "it is beyond a limit, or stretched beyond its length, by {:e}; move its bodies, or widen the limit",
                    -value
                ),
                _ => continue,
            };
            let joint = world.joints()[*place].name().to_owned();
            return Err(Stop { t, reason: Reason::Joint { joint, problem } });
        }
    }
    Ok(())
}

/// Bodies that are put elsewhere may miss their joints by this share of the longest arm; it is taken back.
const NEAR: f64 = 1e-3;

impl Simulation {
    /// That the bodies of a track stand near their joints, in the present states.
    pub(super) fn check_joints_of(&mut self, track: usize) -> Result<(), Stop> {
        let linkages: Vec<usize> = self.buffers.linkages.of_island(&self.tracks[track].island).collect();
        for k in linkages {
            evaluate_at(&self.world, &self.states, &mut self.buffers, (k, self.t));
            check_values(&self.world, &self.buffers.bearings.joined[k].system, (self.t, NEAR))?;
        }
        Ok(())
    }
}
