//! The equations of motion of an island with contacts and joints.
//!
//! Loads → accelerations without contacts → contact forces that keep the modes → rates. The state vector of the island
//! is followed by two sums: the energy that friction has dissipated, and the energy that projection has taken.

use crate::articulation::Level;
use crate::articulation::factor::Pivoting;
use crate::body::Load;
use crate::contact::rest::{ContactConstraint, Loaded, Mode, Shift, Shifted};
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::equations::rolling;
use crate::drive::exact::island::equations::rounds::Rounds;
use crate::drive::exact::island::equations::step_forces::StepForces;
use crate::drive::exact::island::scratch::{IslandScratch, Workspace};
use crate::drive::exact::island::tolerances::{
    FRICTION_CONVERGED, FRICTION_ROUNDING, MAX_FRICTION_ROUNDS, MAX_PROJECTIONS, REST_ENERGY,
    TENSION_ROUNDING,
};
use crate::dynamics::{Equations, Island, Scaling};
use crate::integrate::Ode;
use crate::math::linear::Matrix;
use crate::math::{DMat3, DVec3, Twist};
use crate::narrow_phase::ContactId;
use crate::solve::choose::ContactSolver;
use crate::world::{BodyId, SetId, World};
use serde::{Deserialize, Serialize};

/// The active contact constraints of an island.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ActiveSet {
    /// Bodies are numbered as in the island, supports after them.
    pub(crate) constraints: Vec<ContactConstraint>,
    /// The bodies of each constraint by rank, the lower first.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// The features of each constraint.
    pub(crate) features: Vec<ContactId>,
    /// The forces of a time step, or those of an island at rest with many contacts; otherwise forces follow from the
    /// modes.
    pub(crate) step_forces: Option<StepForces>,
    momenta: Vec<bool>,
    /// Whether slips are so slow that an implicit method integrates the island (`implicit`).
    pub(crate) is_stiff: bool,
    /// Constant loads on the bodies of the island, if there are any.
    pub(crate) constant_loads: Vec<Load>,
    /// The margins of forces and slips at the end of the last span, and when that was.
    pub(crate) margins: (f64, Vec<f64>),
}

/// The number of sums after the state vector of an island with contacts.
pub(crate) const SUMS: usize = 2;

impl ActiveSet {
    /// An empty active set for an island.
    pub(crate) fn new(island: &Island) -> Self {
        let mut momenta = island.momenta().to_vec();
        momenta.extend([false; SUMS]);
        Self { momenta, ..Self::default() }
    }

    /// An empty active set for an island with joints; none for one without.
    pub(crate) fn of_joints(island: &Island) -> Option<Self> {
        (!island.joints.is_empty()).then(|| Self::new(island))
    }

    /// Whether it is one of this island, with a pair, features and a force for each constraint: one that was read from a file
    /// need not be.
    pub(crate) fn is_of(&self, island: &Island) -> bool {
        let count = self.constraints.len();
        let place = |body: &u32| island.place(BodyId::from_rank(*body as usize));
        let is_own = |(constraint, pair): (&ContactConstraint, &[u32; 2])| {
            pair.iter().zip(constraint.bodies).all(|(body, own)| place(body) == Some(own))
        };
        [self.pairs.len(), self.features.len()] == [count; 2]
            && self.constraints.iter().zip(&self.pairs).all(is_own)
            && self.momenta == Self::new(island).momenta
            && self.step_forces.as_ref().is_none_or(|step_forces| step_forces.forces.len() == count)
    }

    /// Adds a contact; its bodies are given by rank.
    pub(crate) fn add(
        &mut self,
        island: &Island,
        pair: [u32; 2],
        features: ContactId,
        constraint: &ContactConstraint,
    ) {
        let place = |body: u32| {
            let place = island.place(BodyId::from_rank(body as usize));
            place.expect("the island was made of the bodies of its contacts")
        };
        // The first push would reserve four places, and most islands at rest on something have one contact.
        if self.constraints.capacity() == 0 {
            self.constraints.reserve_exact(1);
            self.pairs.reserve_exact(1);
            self.features.reserve_exact(1);
        }
        self.constraints.push(ContactConstraint { bodies: pair.map(place), ..*constraint });
        self.pairs.push(pair);
        self.features.push(features);
    }

    /// Some of its constraints, for an island that has their bodies; without step forces.
    pub(crate) fn part(&self, island: &Island, own: &[usize]) -> Self {
        let mut part = Self::new(island);
        for i in own {
            part.add(island, self.pairs[*i], self.features[*i], &self.constraints[*i]);
        }
        part
    }

    /// Keeps the first `count` constraints.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.constraints.truncate(count);
        self.pairs.truncate(count);
        self.features.truncate(count);
    }
}

/// ẏ = f(t, y) of an island, with its active set if it has one.
pub(crate) struct IslandEquations<'a> {
    pub(crate) world: &'a World,
    pub(crate) island: &'a Island,
    pub(crate) active: Option<&'a ActiveSet>,
    pub(crate) joints: &'a mut JointState,
    pub(crate) scratch: &'a mut IslandScratch,
    pub(crate) smooth: (f64, f64),
}

impl<'a> IslandEquations<'a> {
    /// The equations of an island with this active set, in a smooth interval.
    pub(crate) fn new(
        world: &'a World,
        island: &'a Island,
        active: Option<&'a ActiveSet>,
        workspace: Workspace<'a>,
        smooth: (f64, f64),
    ) -> Self {
        let Workspace { joints, scratch } = workspace;
        Self { world, island, active, joints, scratch, smooth }
    }
}

impl IslandEquations<'_> {
    fn free(&mut self) -> Equations<'_> {
        Equations::new(self.world, self.island, &mut self.scratch.motion, self.smooth)
    }

    /// Loads the bodies of the island and its supports: their accelerations without contacts, with the joints in force.
    pub(crate) fn load_bodies(&mut self, t: f64, y: &[f64]) {
        self.load_free(t, y);
        if self.has_joints() {
            self.factor_joints(t, Pivoting::FORCES);
            self.solve_joints();
        }
    }

    /// The same without contacts and joints.
    pub(crate) fn load_free(&mut self, t: f64, y: &[f64]) {
        self.scratch.constraints.present.clear();
        let mut loaded = std::mem::take(&mut self.scratch.loaded);
        let (world, island) = (self.world, self.island);
        let constant_loads = self.active.map_or(&[][..], |active| &active.constant_loads);
        let mut equations = self.free();
        equations.sum_loads(t, y);
        if !island.joints.is_empty() {
            self.add_joint_loads(t);
            equations = self.free();
        }
        for (id, load) in island.bodies.iter().zip(constant_loads) {
            equations.add_load(*id, load.force, load.torque);
        }
        loaded.clear();
        for id in &island.bodies {
            loaded.push(loaded_body(world, *id, &equations));
        }
        for id in &island.supports {
            loaded.push(loaded_support(world, *id, t, &equations));
        }
        self.scratch.loaded = loaded;
    }

    /// Solves for the forces of contacts and joints in a state.
    pub(crate) fn solve_forces(&mut self, t: f64, y: &[f64], active: &ActiveSet) {
        if self.has_joints() {
            self.reset_joint_friction();
        }
        let mut rounds = Rounds::new(FRICTION_CONVERGED, FRICTION_ROUNDING);
        for round in 0..MAX_FRICTION_ROUNDS {
            self.load_bodies(t, &y[..self.island.dim()]);
            if !active.constraints.is_empty() {
                if round == 0 {
                    self.scratch.solve_equalities(active);
                } else {
                    self.scratch.solve_equalities_again(active);
                }
                if self.has_joints() {
                    self.solve_joint_reactions(&active.constraints);
                }
            }
            let change = self.update_joint_friction();
            if round == 0 {
                self.keep_unfed_friction();
            }
            if rounds.is_done(change) {
                break;
            }
        }
        if rounds.has_stalled() && self.restore_unfed_friction() {
            // It locks itself: each round loads the joint by more friction than the last. Friction by the force of the joint without
            // it is bounded, and opposes the motion as well.
            self.load_bodies(t, &y[..self.island.dim()]);
            if !active.constraints.is_empty() {
                self.scratch.solve_equalities_again(active);
                if self.has_joints() {
                    self.solve_joint_reactions(&active.constraints);
                }
            }
        }
    }

    /// Solves for the forces of contacts and joints in a state and adds them to the loads; returns the power that
    /// friction dissipates, W.
    pub(crate) fn add_contact_forces(&mut self, t: f64, y: &[f64]) -> f64 {
        let Some(active) = self.active else { return 0.0 };
        self.solve_forces(t, y, active);
        let mut dissipated = if self.has_joints() { self.add_joint_forces() } else { 0.0 };
        for (load, body) in active.constant_loads.iter().zip(&self.scratch.loaded) {
            let Twist { velocity, spin } = body.kinematics.twist;
            dissipated -= load.force.dot(velocity) + load.torque.dot(spin);
        }
        if active.constraints.is_empty() {
            return dissipated;
        }
        let scratch = &mut *self.scratch;
        let mut equations = Equations::new(self.world, self.island, &mut scratch.motion, self.smooth);
        for (i, constraint) in active.constraints.iter().enumerate() {
            // Friction and resistance moments: all components but the normal.
            dissipated -= scratch.constraints.components(i).skip(1).map(|(_, f, rate)| f * rate).sum::<f64>();
            for (side, place) in constraint.bodies.iter().enumerate() {
                let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
                for (row, f, _) in scratch.constraints.components(i) {
                    let (linear, angular) =
                        if side == 0 { (row.linear_a, row.angular_a) } else { (row.linear_b, row.angular_b) };
                    force += f * linear;
                    torque += f * angular;
                }
                if let Some(id) = self.island.bodies.get(*place) {
                    equations.add_load(*id, force, torque);
                } else {
                    // The power of a support on what it carries: minus the load on it times its velocity.
                    let twist = scratch.loaded[*place].kinematics.twist;
                    equations.add_power(-(force.dot(twist.velocity) + torque.dot(twist.spin)));
                }
            }
        }
        dissipated
    }

    /// The contact forces in a state: those that keep the modes or, where some of these pull or leave their friction
    /// cones, an admissible choice.
    pub(crate) fn find_forces(&mut self, t: f64, y: &[f64]) {
        let Some(active) = self.active else { return };
        self.solve_forces(t, y, active);
        let scratch = &mut *self.scratch;
        if active.step_forces.is_some() || active.constraints.is_empty() {
            return;
        }
        let largest = scratch.constraints.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        let slides: Vec<bool> =
            active.constraints.iter().map(|b| matches!(b.mode, Mode::Slide { .. })).collect();
        // A user's solver makes its own choice among admissible forces; sliding friction leaves no choice.
        let chooses = scratch.constraints.solver != ContactSolver::default() && !slides.contains(&true);
        let is_outside = |(constraint, f): (&ContactConstraint, &DVec3)| {
            let limit = constraint.static_friction * f.x.max(0.0) + TENSION_ROUNDING * largest;
            f.x < -TENSION_ROUNDING * largest
                || (constraint.mode == Mode::Stick && (f.y * f.y + f.z * f.z).sqrt() > limit)
        };
        let pulls = active.constraints.iter().zip(&scratch.constraints.forces).any(is_outside)
            || rolling::excess(&scratch.constraints, TENSION_ROUNDING * largest) > 0.0;
        if scratch.constraints.is_unique || !(pulls || chooses) {
            return;
        }
        let residual = scratch.constraints.residual;
        let decision = scratch.constraints.decide(&scratch.loaded, &active.constraints, &slides);
        scratch.constraints.residual = if chooses { decision.residual } else { residual };
        if self.has_joints() {
            // Joints react to the forces that were chosen.
            self.solve_joint_reactions(&active.constraints);
        }
    }

    /// The load on a body without contacts, as last summed.
    pub(crate) fn summed(&mut self, id: BodyId) -> Load {
        self.free().summed(id)
    }

    /// The power that the ledger books as work, as last summed, W.
    pub(crate) fn power(&mut self) -> f64 {
        self.free().power()
    }

    /// The total force and torque on a body of the island in this state, contacts included.
    pub(crate) fn load_on(&mut self, t: f64, y: &[f64], id: BodyId) -> Load {
        if self.active.is_none() {
            return self.free().load_on(t, y, id);
        }
        self.add_contact_forces(t, y);
        self.free().summed(id)
    }

    /// The force and torque on a body without those of contacts and joints.
    pub(crate) fn applied_load_on(&mut self, t: f64, y: &[f64], id: BodyId) -> Load {
        let dim = self.island.dim();
        self.free().load_on(t, &y[..dim], id)
    }

    /// The total force on every particle of a set of the island.
    pub(crate) fn forces_on(&mut self, t: f64, y: &[f64], set: SetId) -> Vec<DVec3> {
        let dim = self.island.dim();
        self.free().forces_on(t, &y[..dim], set)
    }

    /// Potential energy of gravity and of all forces of the island, J.
    pub(crate) fn potential(&mut self, t: f64, y: &[f64]) -> f64 {
        let dim = self.island.dim();
        let potential = self.free().potential(t, &y[..dim]);
        if self.has_joints() { potential + self.joint_potential(t) } else { potential }
    }

    /// Kinetic and potential energy in a state, J.
    pub(crate) fn energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let dim = self.island.dim();
        let (world, island) = (self.world, self.island);
        let mut energy = self.potential(t, &y[..dim]);
        let equations = self.free();
        for id in &island.bodies {
            let (_, rotation, twist) = equations.seen(*id);
            let inertia = world.body(*id).inertia();
            let spin = inertia.angular_momentum(&rotation, twist.spin).dot(twist.spin);
            energy += 0.5 * (inertia.mass * twist.velocity.length_squared() + spin);
        }
        energy
    }

    /// Projects positions, then velocities onto the joints and contacts. [SYSTEM, decisions: projection]
    pub(crate) fn project_state(&mut self, t: f64, y: &mut [f64]) {
        self.scratch.left = None;
        let Some(active) = self.active else { return };
        if active.constraints.len() > self.scratch.constraints.most_dense() {
            return;
        }
        let dim = self.island.dim();
        let before = self.energy(t, y);
        for _ in 0..MAX_PROJECTIONS {
            let on_joints = !self.has_joints() || self.project_joints(t, y, Level::Position);
            if active.constraints.is_empty() {
                if on_joints {
                    break;
                }
                continue;
            }
            self.load_for_projection(t, &y[..dim]);
            let scratch = &mut *self.scratch;
            scratch.constraints.shift_positions(&scratch.loaded, &active.constraints, &mut scratch.shifts);
            if scratch.constraints.is_leap(&scratch.loaded, Shifted::Positions, &scratch.shifts) {
                break;
            }
            for k in 0..self.island.bodies.len() {
                let shift = self.scratch.shifts[k];
                let twist = self.scratch.loaded[k].kinematics.twist;
                self.island.shift_pose(self.world, y, k, (shift.linear, shift.angular), &twist);
            }
            let frames = &self.scratch.constraints.frames;
            let coordinate = |l: &Loaded| l.kinematics.pose.position.abs().max_element();
            let resolution =
                4.0 * f64::EPSILON * self.scratch.loaded.iter().map(coordinate).fold(0.0, f64::max);
            if on_joints && frames.iter().all(|frame| frame.separation.abs() <= resolution) {
                break;
            }
        }
        if self.has_joints() {
            self.project_joints(t, y, Level::Velocity);
            self.remember_turns();
            if active.constraints.is_empty() {
                y[dim + 1] += before - self.energy(t, y);
                return;
            }
        }
        self.load_for_projection(t, &y[..dim]);
        let scratch = &mut *self.scratch;
        scratch.constraints.shift_velocities(&scratch.loaded, &active.constraints, &mut scratch.shifts);
        let mut work = scratch.constraints.work_of_supports(&scratch.loaded, &active.constraints);
        if scratch.constraints.is_leap(&scratch.loaded, Shifted::Velocities, &scratch.shifts) {
            scratch.shifts.fill(Shift::default());
            work = 0.0;
        }
        // Velocities are computed where positions have come to.
        let off = scratch.constraints.frames.iter().map(|frame| frame.separation.abs()).enumerate();
        scratch.left = off.max_by(|(_, a), (_, b)| a.total_cmp(b));
        for k in 0..self.island.bodies.len() {
            let shift = self.scratch.shifts[k];
            self.island.shift_twist(self.world, y, k, (shift.linear, shift.angular));
        }
        y[dim - 1] += work;
        y[dim + 1] += before + work - self.energy(t, y);
    }
}

impl IslandEquations<'_> {
    /// Whether all bodies are at rest and stay so: no speed above `speed` of the velocity scale of its loads over its
    /// size, and no acceleration above `acceleration` of that of the loads. Contact forces are sought from `start`, if that has any.
    pub(crate) fn is_equilibrium(
        &mut self,
        (t, y): (f64, &[f64]),
        start: &[DVec3],
        speed: f64,
        acceleration: f64,
    ) -> bool {
        let Some(active) = self.active else { return false };
        if self.has_joints() {
            return self.is_articulated_equilibrium((t, y), active, speed, acceleration);
        }
        self.load_bodies(t, &y[..self.island.dim()]);
        let scratch = &mut *self.scratch;
        let slides: Vec<bool> =
            active.constraints.iter().map(|b| matches!(b.mode, Mode::Slide { .. })).collect();
        let decision = scratch.constraints.decide_near(&scratch.loaded, &active.constraints, &slides, start);
        if !decision.is_consistent {
            return false;
        }
        self.is_balanced(active, speed, acceleration)
    }

    /// Whether the loaded bodies are at rest and stay so under the last forces, by the measure of
    /// [`IslandEquations::is_equilibrium`].
    pub(crate) fn is_balanced(&self, active: &ActiveSet, speed: f64, acceleration: f64) -> bool {
        let scratch = &*self.scratch;
        for (k, id) in self.island.bodies.iter().enumerate() {
            let body = &scratch.loaded[k];
            let inertia = self.world.body(*id).inertia();
            let size = (inertia.moments.max_element() * inertia.inv_mass).sqrt();
            let (mut a, mut spin_rate) = (body.kinematics.acceleration, body.kinematics.spin_rate);
            let loads = a.length() + spin_rate.length() * size;
            for (i, constraint) in active.constraints.iter().enumerate() {
                for side in (0..2).filter(|side| constraint.bodies[*side] == k) {
                    for (row, f, _) in scratch.constraints.components(i) {
                        let (linear, angular) = if side == 0 {
                            (row.linear_a, row.angular_a)
                        } else {
                            (row.linear_b, row.angular_b)
                        };
                        a += f * body.inv_mass * linear;
                        spin_rate += f * (body.inv_inertia * angular);
                    }
                }
            }
            let twist = body.kinematics.twist;
            let moving = twist.velocity.length() + twist.spin.length() * size;
            if moving > speed * (loads * size).sqrt()
                || a.length() + spin_rate.length() * size > acceleration * loads
            {
                return false;
            }
        }
        true
    }
}

impl IslandScratch {
    /// As [`IslandScratch::solve_equalities`], for bodies with other loads that have not moved since.
    fn solve_equalities_again(&mut self, active: &ActiveSet) {
        if active.step_forces.is_none() && active.constraints.len() <= self.constraints.most_dense() {
            self.constraints.solve_equalities_again(&self.loaded, &active.constraints);
        } else {
            self.solve_equalities(active);
        }
    }

    /// Solves for the contact forces of an island, for the bodies as loaded.
    fn solve_equalities(&mut self, active: &ActiveSet) {
        match &active.step_forces {
            None if active.constraints.len() > self.constraints.most_dense() => {
                let slides: Vec<bool> = active.constraints.iter().map(|b| b.mode != Mode::Stick).collect();
                self.constraints.decide(&self.loaded, &active.constraints, &slides);
            }
            None => self.constraints.solve_equalities(&self.loaded, &active.constraints),
            Some(StepForces { forces, rolling, outcome }) => {
                self.constraints.assemble(&self.loaded, &active.constraints);
                self.constraints.forces.clear();
                self.constraints.forces.extend(forces.iter().map(|step_force| step_force.force));
                let rolling = rolling.iter().copied().chain(std::iter::repeat(DVec3::ZERO));
                self.constraints
                    .resistance_forces
                    .iter_mut()
                    .zip(rolling)
                    .for_each(|(force, step_forces)| *force = step_forces);
                self.constraints.ended = (outcome.status, outcome.iterations);
                (self.constraints.residual, self.constraints.is_unique) = (outcome.residual, outcome.unique);
            }
        }
    }
}

fn loaded_body(world: &World, id: BodyId, equations: &Equations) -> Loaded {
    let inertia = world.body(id).inertia();
    let (pose, rotation, twist) = equations.seen(id);
    let load = equations.summed(id);
    let momentum = inertia.angular_momentum(&rotation, twist.spin);
    Loaded {
        inv_mass: inertia.inv_mass,
        inv_inertia: rotation * inertia.inv_inertia_body * rotation.transpose(),
        kinematics: crate::body::Kinematics {
            pose,
            twist,
            acceleration: load.force * inertia.inv_mass,
            spin_rate: inertia.spin(&rotation, load.torque + momentum.cross(twist.spin)),
        },
    }
}

fn loaded_support(world: &World, id: BodyId, t: f64, equations: &Equations) -> Loaded {
    let (pose, _, twist) = equations.seen(id);
    let motion = world.body(id).prescribed_motion();
    let (acceleration, spin_rate) = motion.map(|m| m.acceleration(t)).unwrap_or_default();
    let kinematics = crate::body::Kinematics { pose, twist, acceleration, spin_rate };
    Loaded { inv_mass: 0.0, inv_inertia: DMat3::ZERO, kinematics }
}

impl Ode for IslandEquations<'_> {
    fn dim(&self) -> usize {
        self.island.dim() + if self.active.is_some() { SUMS } else { 0 }
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let dim = self.island.dim();
        if self.active.is_none() {
            return self.free().rates(t, y, dy);
        }
        let dissipated = self.add_contact_forces(t, y);
        self.free().write_rates(&y[..dim], &mut dy[..dim]);
        (dy[dim], dy[dim + 1]) = (dissipated, 0.0);
    }

    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut Matrix) -> bool {
        self.slip_jacobian(t, y, jacobian)
    }

    fn jacobian_jumps(&self) -> bool {
        self.active.is_some_and(|active| active.is_stiff)
    }

    fn momenta(&self) -> Option<&[bool]> {
        Some(self.active.map_or(self.island.momenta(), |active| &active.momenta))
    }

    fn scales(&self, y0: &[f64], y1: &[f64], rates0: &[f64], h: f64, scale: &mut [f64]) {
        let dim = self.island.dim();
        let is_stiff = self.jacobian_jumps();
        let scaling = Scaling { world: self.world, island: self.island, scratch: &self.scratch.motion };
        scaling.fill((&y0[..dim], &y1[..dim]), &rates0[..dim], h, &mut scale[..dim]);
        if self.active.is_some_and(|active| !active.constraints.is_empty()) {
            // A body at rest does no work beyond rounding, and the work of a slow slip is rounded by as much. The scale
            // is the energy that the loads could give.
            let pulled = scaling.pulled_energy(h);
            if is_stiff || scale[dim - 1] < REST_ENERGY * pulled {
                scale[dim - 1] = scale[dim - 1].max(pulled);
                scaling.share_loads(h, &mut scale[..dim]);
            }
        }
        let resists =
            |active: &ActiveSet| active.constraints.iter().any(|constraint| constraint.rolling.is_some());
        if self.has_joints() || self.active.is_some_and(resists) {
            self.scale_rotation(scale);
        }
        for i in dim..scale.len() {
            // As for the work: by the energy scale.
            scale[i] = scale[dim - 1].max(y0[i].abs()).max((h * rates0[i]).abs());
        }
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let dim = self.island.dim();
        if self.active.is_none() {
            return self.free().project(t, y, dy);
        }
        self.free().project(t, &mut y[..dim], &mut dy[..dim]);
        self.project_state(t, y);
        self.rates(t, y, dy);
    }
}
