//! Joints in the equations of an island.
//!
//! ```text
//! loads, with springs and motors in joints → accelerations without constraints    (load_free)
//! equations of all joints there, factored                                          (factor_joints)
//! joint forces without contacts → accelerations that contacts start from           (solve_joints)
//! contact forces; the reactions of joints to them                                  (solve_joint_reactions)
//! joint friction that grows with the joint force; repeat until converged           (update_joint_friction)
//! rates; after every step, projection of positions, then velocities                (project_joints)
//! ```

use crate::articulation::Level;
use crate::articulation::factor::Pivoting;
use crate::body::{Kinematics, Load};
use crate::contact::rest::{ConstraintSystem, ContactConstraint, Shift};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::tolerances::POSITION_ROUNDING;
use crate::dynamics::{Equations, Island};
use crate::joint::{Law, RowMode, STILL};
use crate::math::DVec3;
use crate::world::{BodyId, Conflict};

impl IslandEquations<'_> {
    /// Whether it has joints.
    pub(crate) fn has_joints(&self) -> bool {
        !self.island.joints.is_empty()
    }

    /// Adds the loads of springs and motors in joints, in the state last read.
    pub(crate) fn add_joint_loads(&mut self, t: f64) {
        for place in &self.island.joints {
            let joint = &self.world.joints()[*place];
            if !joint.has_loads() {
                continue;
            }
            let turns = self.joints.turns[*place];
            let mut equations =
                Equations::new(self.world, self.island, &mut self.scratch.motion, self.smooth);
            let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| seen(&equations, id)));
            let load = joint.load_saturated((&a, &b), t, &turns, &self.joints.motor_modes[*place]);
            let mut power = load.power;
            for (id, (part, kinematics)) in joint.bodies().into_iter().zip([(load.on_a, a), (load.on_b, b)]) {
                let Some(id) = id else { continue };
                if self.world.body(id).is_dynamic() {
                    equations.add_load(id, part.force, part.torque);
                } else {
                    // Stored energy and work count both ends; a support does its part on the other end.
                    let twist = kinematics.twist;
                    power -= part.force.dot(twist.velocity) + part.torque.dot(twist.spin);
                }
            }
            equations.add_power(power);
        }
    }

    /// The energy stored in the springs of joints, in the state last read, J.
    pub(crate) fn joint_potential(&mut self, t: f64) -> f64 {
        let mut sum = 0.0;
        for place in &self.island.joints {
            let joint = &self.world.joints()[*place];
            if joint.has_loads() {
                let turns = self.joints.turns[*place];
                let equations =
                    Equations::new(self.world, self.island, &mut self.scratch.motion, self.smooth);
                let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| seen(&equations, id)));
                sum += joint.load((&a, &b), t, &turns).potential;
            }
        }
        sum
    }

    /// Evaluates and factors the joints for the bodies as loaded.
    pub(crate) fn factor_joints(&mut self, t: f64, pivoting: Pivoting) {
        let (world, island) = (self.world, self.island);
        // Damping shares out what contradictory rows miss by their levers; a conflict that is put up with is to be settled at the level of
        // positions as it is at the others.
        let pivoting = if world.conflict() == Conflict::Refuse { pivoting } else { Pivoting::FORCES };
        let IslandScratch { constraints, loaded, articulation_index, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        present.clear();
        present.extend(articulation_index.of_island(island));
        for k in present.iter() {
            let articulation = &mut articulations[*k];
            articulation.places.clear();
            articulation.places.extend(articulation.system.bodies().iter().map(|id| place(island, *id)));
            let system = &mut articulation.system;
            system.evaluate(world, |id| loaded[place(island, id)].kinematics, t, &self.joints.turns);
            system.factor(|id| loaded[place(island, id)].mobility(), pivoting);
        }
    }

    /// Solves for the joint forces and adds them, and the forces of saturated rows, to the accelerations of the bodies
    /// as loaded.
    pub(crate) fn solve_joints(&mut self) {
        let IslandScratch { constraints, loaded, shifts, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        for k in present.iter() {
            let articulation = &mut articulations[*k];
            articulation.system.solve(Level::Acceleration);
            articulation.base.clear();
            articulation.base.extend_from_slice(articulation.system.forces());
            articulation.system.loads(|slot, load| {
                let body = &mut loaded[articulation.places[slot]];
                body.kinematics.acceleration += body.inv_mass * load.force;
                body.kinematics.spin_rate += body.inv_inertia * load.torque;
            });
            if self.joints.articulations[*k].is_saturated() {
                shifts.clear();
                shifts.resize(loaded.len(), Shift::default());
                articulation.add_saturated_forces(
                    &self.joints.articulations[*k],
                    |place| loaded[place].mobility(),
                    shifts,
                );
                let places = &articulation.places;
                articulation
                    .system
                    .cancel(|slot| (shifts[places[slot]].linear, shifts[places[slot]].angular));
                articulation.system.loads(|slot, load| {
                    let (shift, body) = (&mut shifts[places[slot]], &loaded[places[slot]]);
                    shift.linear += body.inv_mass * load.force;
                    shift.angular += body.inv_inertia * load.torque;
                });
                articulation.system.add_forces(&articulation.base);
                articulation.base.copy_from_slice(articulation.system.forces());
                for (body, shift) in loaded.iter_mut().zip(shifts.iter()) {
                    body.kinematics.acceleration += shift.linear;
                    body.kinematics.spin_rate += shift.angular;
                }
            }
        }
    }

    /// Adds to the joint forces their reactions to the forces of contacts, and of the rows in the contact problem.
    pub(crate) fn solve_joint_reactions(&mut self, contacts: &[ContactConstraint]) {
        let IslandScratch { constraints, loaded, shifts, .. } = &mut *self.scratch;
        shifts.clear();
        shifts.resize(loaded.len(), Shift::default());
        for (i, constraint) in contacts.iter().enumerate() {
            for (row, f, _) in constraints.components(i) {
                let [a, b] = constraint.bodies;
                for (body, linear, angular) in
                    [(a, row.linear_a, row.angular_a), (b, row.linear_b, row.angular_b)]
                {
                    shifts[body].linear += f * loaded[body].inv_mass * linear;
                    shifts[body].angular += f * (loaded[body].inv_inertia * angular);
                }
            }
        }
        for (extra, force) in constraints.extra.iter().zip(&constraints.extra_forces) {
            extra.push(loaded, *force, shifts);
        }
        let ConstraintSystem { articulations, present, .. } = constraints;
        for k in present.iter() {
            let articulation = &mut articulations[*k];
            let places = &articulation.places;
            articulation.system.cancel(|slot| (shifts[places[slot]].linear, shifts[places[slot]].angular));
            articulation.system.add_forces(&articulation.base);
        }
    }

    /// Adds the joint forces to the loads; what they do on drives and moving supports is work. Returns the power that
    /// joint friction dissipates, W.
    pub(crate) fn add_joint_forces(&mut self) -> f64 {
        let IslandScratch { constraints, motion, .. } = &mut *self.scratch;
        let mut equations = Equations::new(self.world, self.island, motion, self.smooth);
        let mut dissipated = 0.0;
        for k in &constraints.present {
            let articulation = &constraints.articulations[*k];
            let system = &articulation.system;
            let mut power = 0.0;
            let mut add = |slot: usize, load: Load| {
                let id = system.bodies()[slot];
                let (_, _, twist) = equations.seen(id);
                power += load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
                equations.add_load(id, load.force, load.torque);
            };
            system.loads(&mut add);
            let rows = self.joints.articulations[*k].rows.iter().enumerate();
            for (i, row) in rows.filter(|(_, row)| row.push != 0.0) {
                let equation = articulation.equation(i);
                for (load, slot) in equation.loads(row.push).into_iter().zip(articulation.rows[i].slots) {
                    if let Some(slot) = slot {
                        add(slot, load);
                    }
                }
                if matches!(equation.law, Law::Friction(_)) {
                    // What friction dissipates is not work of a drive; the rest is work of a moving support.
                    dissipated -= row.push * equation.jet.rate;
                }
            }
            equations.add_power(power);
        }
        equations.add_power(dissipated);
        dissipated
    }

    /// Resets joint friction that grows with the joint force to its value without load.
    pub(crate) fn reset_joint_friction(&mut self) {
        let IslandScratch { constraints, articulation_index, .. } = &*self.scratch;
        for k in articulation_index.of_island(self.island) {
            let (articulation, state) = (&constraints.articulations[k], &mut self.joints.articulations[k]);
            for i in 0..articulation.rows.len() {
                if let (RowMode::Saturated(sign), Law::Friction(friction)) =
                    (state.rows[i].mode, articulation.equation(i).law)
                {
                    state.rows[i].push = sign * friction.constant;
                }
            }
        }
    }

    /// Updates joint friction that grows with the joint force from the last forces; returns the largest relative
    /// change.
    pub(crate) fn update_joint_friction(&mut self) -> f64 {
        let constraints = &mut self.scratch.constraints;
        let mut most = 0.0_f64;
        for k in &constraints.present {
            let (articulation, state) = (&constraints.articulations[*k], &mut self.joints.articulations[*k]);
            let is_open = |i: &usize| {
                matches!(state.rows[*i].mode, RowMode::Saturated(_))
                    && articulation.friction_grows_with_load(*i)
            };
            let open: Vec<usize> = (0..articulation.rows.len()).filter(is_open).collect();
            if open.is_empty() {
                continue;
            }
            let forces = articulation.equation_forces(state);
            for i in open {
                let RowMode::Saturated(sign) = state.rows[i].mode else { continue };
                let push = sign * articulation.largest(self.world, i, &forces);
                let change = (push - state.rows[i].push).abs();
                most = most.max(if change > 0.0 { change / push.abs() } else { 0.0 });
                state.rows[i].push = push;
            }
        }
        most
    }

    /// Keeps joint friction as it is by the joint forces without its growth.
    pub(crate) fn keep_unfed_friction(&mut self) {
        let IslandScratch { constraints, unfed_friction, .. } = &mut *self.scratch;
        unfed_friction.clear();
        for k in &constraints.present {
            unfed_friction.extend(self.joints.articulations[*k].rows.iter().map(|row| row.push));
        }
    }

    /// Sets joint friction to what was kept; whether there is any.
    pub(crate) fn restore_unfed_friction(&mut self) -> bool {
        let IslandScratch { constraints, unfed_friction, .. } = &*self.scratch;
        let mut kept = unfed_friction.iter();
        for k in &constraints.present {
            for (row, push) in self.joints.articulations[*k].rows.iter_mut().zip(kept.by_ref()) {
                row.push = *push;
            }
        }
        !unfed_friction.is_empty()
    }

    /// Loads the bodies of the island in a state, for a projection.
    pub(crate) fn load_for_projection(&mut self, t: f64, y: &[f64]) {
        self.load_free(t, y);
        if self.has_joints() {
            self.factor_joints(t, Pivoting::PROJECTION);
        }
    }

    /// Projects positions or velocities onto the joints, to first order; returns whether they satisfied the joints
    /// already, within rounding.
    pub(crate) fn project_joints(&mut self, t: f64, y: &mut [f64], level: Level) -> bool {
        let dim = self.island.dim();
        self.load_for_projection(t, &y[..dim]);
        let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
        let IslandScratch { constraints, loaded, shifts, .. } = &mut *self.scratch;
        shifts.clear();
        shifts.resize(loaded.len(), Shift::default());
        for k in &constraints.present {
            let articulation = &mut constraints.articulations[*k];
            let system = &mut articulation.system;
            let left = |line| system.line_weight(line) * system.left(line, level);
            worst = system.lines().iter().map(|line| left(*line).abs()).fold(worst, f64::max);
            scale = scale.max(system.length());
            system.solve(level);
            system.loads(|slot, load| {
                let place = articulation.places[slot];
                shifts[place].linear += loaded[place].inv_mass * load.force;
                shifts[place].angular += loaded[place].inv_inertia * load.torque;
            });
        }
        let farthest = loaded.iter().map(|body| body.kinematics.pose.position.abs().max_element());
        if level == Level::Position && worst <= POSITION_ROUNDING * farthest.fold(scale, f64::max) {
            return true;
        }
        for k in 0..self.island.bodies.len() {
            let Shift { linear, angular } = self.scratch.shifts[k];
            if level == Level::Position {
                let twist = self.scratch.loaded[k].kinematics.twist;
                self.island.shift_pose(self.world, y, k, (linear, angular), &twist);
            } else {
                self.island.shift_twist(self.world, y, k, (linear, angular));
            }
        }
        false
    }

    /// Scales angular momenta by the speeds of the island as well: joints, or contacts with rolling resistance, may
    /// keep a body from rotating, and what remains is rounding of their torques.
    pub(crate) fn scale_rotation(&self, scale: &mut [f64]) {
        let (size, momentum) = (self.island.form.body_size(), self.island.form.momentum_offset());
        for (id, block) in self.island.bodies.iter().zip(scale.chunks_exact_mut(size)) {
            let inertia = self.world.body(*id).inertia();
            let rolling = block[momentum] * (inertia.moments.max_element() * inertia.inv_mass).sqrt();
            for part in &mut block[momentum + 3..] {
                *part = part.max(rolling);
            }
        }
    }

    /// As [`IslandEquations::is_equilibrium`], for articulated bodies; the modes of contacts and rows are known.
    pub(crate) fn is_articulated_equilibrium(
        &mut self,
        (t, y): (f64, &[f64]),
        active: &ActiveSet,
        speed: f64,
        acceleration: f64,
    ) -> bool {
        if active.constraints.len() > ConstraintSystem::DENSE {
            return false;
        }
        let dim = self.island.dim();
        self.load_free(t, &y[..dim]);
        let free: Vec<Kinematics> = self.scratch.loaded.iter().map(|body| body.kinematics).collect();
        self.add_contact_forces(t, y);
        let pulls = self.scratch.constraints.forces.iter().take(active.constraints.len()).any(|f| f.x < 0.0);
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
            // At rest, so there are no gyroscopic terms.
            let turned = self.scratch.loaded[k].inv_inertia * load.torque;
            let moving = twist.velocity.length() + twist.spin.length() * size;
            if moving > speed * (loads * size).sqrt()
                || load.force.length() * inertia.inv_mass + turned.length() * size > acceleration * loads
            {
                return false;
            }
        }
        true
    }

    /// The longest arm of the joints of a body's articulation, m.
    fn arm_of(&self, id: BodyId) -> f64 {
        let articulations = &self.scratch.constraints.articulations;
        let of = |k: &usize| articulations[*k].system.bodies().binary_search(&id).is_ok();
        self.scratch
            .constraints
            .present
            .iter()
            .find(|k| of(k))
            .map_or(0.0, |k| articulations[*k].system.length())
    }

    /// Stores the revolutions of the joints as last evaluated.
    pub(crate) fn remember_turns(&mut self) {
        let constraints = &self.scratch.constraints;
        for k in &constraints.present {
            let system = &constraints.articulations[*k].system;
            for (i, place) in system.joints().iter().enumerate() {
                let joint = &self.world.joints()[*place];
                self.joints.turns[*place] = joint.remember(system.frame(i), &self.joints.turns[*place]);
            }
        }
    }
}

/// The index of a body in the list of an island's bodies and supports.
pub(crate) fn place(island: &Island, id: BodyId) -> usize {
    let support = || island.supports.binary_search(&id).ok().map(|k| island.bodies.len() + k);
    island.bodies.binary_search(&id).ok().or_else(support).expect("the island has all bodies of its joints")
}

fn seen(equations: &Equations, id: BodyId) -> Kinematics {
    let (pose, _, twist) = equations.seen(id);
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}
