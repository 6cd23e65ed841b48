//! Joints in an impact: an impulse on one body acts at once on its whole articulation.

use crate::articulation::Level;
use crate::articulation::NO_MOBILITY;
use crate::articulation::factor::{Mobility, Pivoting};
use crate::contact::rest::{ConstraintSystem, Shift};
use crate::contact::{Colliding, Impact, Mover};
use crate::drive::exact::gather::cluster::Cluster;
use crate::drive::exact::gather::impact_row::ImpactRow;
use crate::drive::exact::gather::impact_row::add_contact_response;
use crate::drive::exact::gather::impact_row::relative_velocity;
use crate::drive::exact::impact::Impacts;
use crate::drive::exact::impact::tolerances::NO_BOUNCE_RATE;
use crate::drive::exact::island::equations::joint_scales::{at_instant, evaluate_at};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::states::States;
use crate::drive::exact::island::tolerances::LIMIT_TOLERANCE;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::joint::Law;
use crate::math::{DMat3, DVec3};
use crate::record::{JointEvent, JointEventKind};
use crate::world::{BodyId, World};

/// The kinetic energy of some bodies, J.
fn kinetic_energy(world: &World, states: &States, bodies: &[BodyId]) -> f64 {
    bodies.iter().map(|id| states.bodies[id.index()].kinetic_energy(world.body(*id).inertia())).sum()
}

impl Impacts<'_> {
    /// Computes the Delassus blocks W of each pair of contacts where joints connect bodies of the cluster.
    pub(crate) fn compute_articulated_delassus(&mut self, t: f64) {
        self.cluster.scratch.articulated.clear();
        self.find_present();
        if self.scratch.constraints.present.is_empty() {
            return;
        }
        let (world, states, ranks) = (self.world, &self.state.states, &self.cluster.ranks);
        let movers = &self.cluster.movers;
        let mobility =
            |k: usize| Mobility { inv_mass: movers[k].inv_mass, inv_inertia: movers[k].inv_inertia };
        let rank_place = |id: &BodyId| {
            let body = id.index() as u32;
            ranks
                .iter()
                .position(|rank| *rank == body)
                .expect("the bodies of an articulation are gathered together")
        };
        let IslandScratch { constraints, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        for k in present.iter() {
            let articulation = &mut articulations[*k];
            articulation.places.clear();
            articulation.places.extend(articulation.system.bodies().iter().map(rank_place));
            articulation.system.evaluate(
                world,
                |id| at_instant(world, states, id, t),
                t,
                &self.state.joints.turns,
            );
            articulation.system.factor(|id| mobility(rank_place(&id)), Pivoting::FORCES);
        }
        let contacts = &self.cluster.colliding;
        let (n, touching) = (contacts.len(), self.cluster.contacts.len());
        let rows = &self.cluster.rows;
        let mut delassus = vec![DMat3::ZERO; n * n];
        let mut motions = Vec::new();
        for (j, at_j) in contacts.iter().enumerate() {
            let row_j = j.checked_sub(touching).map(|j| &rows[j]);
            let mut free = 0.0_f64;
            for axis in 0..if row_j.is_some() { 1 } else { 3 } {
                motions.clear();
                motions.resize(movers.len(), Shift::default());
                match row_j {
                    Some(row) => row.add_response(mobility, &mut motions),
                    None => add_contact_response(at_j, DVec3::AXES[axis], mobility, &mut motions),
                }
                free =
                    free.max(row_j.map_or_else(
                        || relative_velocity(at_j, &motions).length(),
                        |row| row.rate_of(&motions),
                    ));
                for k in present.iter() {
                    articulations[*k].respond(mobility, &mut motions);
                }
                for (i, at_i) in contacts.iter().enumerate() {
                    // The rate of a row takes the place of a velocity along x.
                    let velocity = |row: &ImpactRow| DVec3::X * row.rate_of(&motions);
                    let rate = i.checked_sub(touching).map(|i| velocity(&rows[i]));
                    *delassus[i * n + j].col_mut(axis) =
                        rate.unwrap_or_else(|| relative_velocity(at_i, &motions));
                }
            }
            let diagonal = &mut delassus[j * n + j];
            if at_j.normal.dot(*diagonal * at_j.normal) <= NO_MOBILITY * free {
                *diagonal = DMat3::ZERO;
            } else if row_j.is_some() {
                *diagonal = DMat3::from_diagonal(DVec3::splat(diagonal.x_axis.x));
            }
        }
        self.cluster.scratch.articulated = delassus;
    }

    /// Adds active limits and taut ropes to the impact: each as a contact along x of two movers of its own.
    pub(crate) fn add_rows(&mut self, t: f64) {
        self.cluster.rows.clear();
        self.find_present();
        for k in self.scratch.constraints.present.clone() {
            if self.scratch.constraints.articulations[k].rows.is_empty() {
                continue;
            }
            evaluate_at(
                self.world,
                &self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: self.scratch },
                (k, t),
            );
            let (zero_rate, no_bounce) = {
                let (view, scratch) = (self.view(), &*self.scratch);
                (view.zero_row_rate(scratch, t, k), NO_BOUNCE_RATE * view.row_scale(scratch, t, k))
            };
            let articulation = &mut self.scratch.constraints.articulations[k];
            articulation.disengage(self.world);
            let reached = LIMIT_TOLERANCE * articulation.system.length();
            let Cluster { rows, ranks, movers, colliding, .. } = &mut *self.cluster;
            for row in 0..articulation.rows.len() {
                let (equation, weight) = (articulation.equation(row), articulation.weight(row));
                let Law::AtLeast { restitution } = equation.law else { continue };
                let jet = equation.jet.scaled(weight);
                if jet.value > reached {
                    continue;
                }
                let rate = if jet.rate.abs() > zero_rate { jet.rate } else { 0.0 };
                rows.push(ImpactRow { rate, ..ImpactRow::new(articulation, (k, row), ranks) });
                let moving = |velocity| Mover { inv_mass: 1.0, ..Mover::immobile(velocity, DVec3::ZERO) };
                let first = movers.len();
                movers.extend([moving(DVec3::X * rate), moving(DVec3::ZERO)]);
                colliding.push(Colliding {
                    bodies: [first, first + 1],
                    arms: [DVec3::ZERO; 2],
                    normal: DVec3::X,
                    restitution: if rate < -no_bounce { restitution } else { 0.0 },
                    friction: 0.0,
                });
            }
        }
    }

    /// Checks that no limit is violated by a row that cannot yield: a prescribed motion, or joints that leave its axis
    /// no freedom.
    pub(crate) fn check_rows(&self, t: f64) -> Result<(), Stop> {
        let (first, n) = (self.cluster.contacts.len(), self.cluster.colliding.len());
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let diagonal = self.cluster.scratch.articulated[(first + i) * (n + 1)];
            if row.rate < 0.0 && diagonal == DMat3::ZERO {
                let system = &self.scratch.constraints.articulations[row.articulation].system;
                let equation =
                    self.scratch.constraints.articulations[row.articulation].rows[row.row].equation;
                let joint =
                    self.world.joints()[system.joints()[system.joint_of(equation).0]].name().to_owned();
                let problem = "a prescribed motion drives it beyond its limit, which would take infinite force; give the motor \
                               a largest force, or widen the limit";
                return Err(Stop { t, reason: Reason::Joint { joint, problem: problem.to_owned() } });
            }
        }
        Ok(())
    }

    /// Sets restitution to zero for limits whose remaining bounces stay below the limit tolerance.
    pub(crate) fn close_row_series(&mut self, t: f64) {
        let first = self.cluster.contacts.len();
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let contact = &mut self.cluster.colliding[first + i];
            if row.rate >= 0.0 || contact.restitution >= 1.0 {
                continue;
            }
            let articulation = &self.scratch.constraints.articulations[row.articulation];
            let tolerance = LIMIT_TOLERANCE * articulation.system.length();
            // Counted down from the largest number: bodies have low numbers.
            let key =
                [u32::MAX - row.articulation as u32, u32::MAX - articulation.rows[row.row].equation as u32];
            if self.state.log.bounce(key, t, -row.rate, tolerance).is_some() {
                contact.restitution = 0.0;
            }
        }
    }

    /// Applies the impulses of limits and ropes to the momenta.
    pub(crate) fn apply_row_impulses(&mut self, t: f64, impulses: &[DVec3]) {
        let first = self.cluster.contacts.len();
        for i in 0..self.cluster.rows.len() {
            let row = self.cluster.rows[i];
            self.apply_row_impulse(t, &row, impulses[first + i].x);
        }
    }

    /// Applies the impulse of a row to the momenta; what it does on moving supports is work.
    pub(crate) fn apply_row_impulse(&mut self, t: f64, row: &ImpactRow, impulse: f64) {
        if impulse == 0.0 {
            return;
        }
        let articulation = &self.scratch.constraints.articulations[row.articulation];
        let of =
            articulation.system.joints()[articulation.system.joint_of(articulation.rows[row.row].equation).0];
        let loads = articulation.equation(row.row).loads(row.weight * impulse);
        for (id, load) in self.world.joints()[of].bodies().into_iter().zip(loads) {
            let Some(id) = id else { continue };
            if self.state.places[id.index()].is_some() {
                let state = &mut self.state.states.bodies[id.index()];
                state.momentum += load.force;
                state.angular_momentum += load.torque;
            } else {
                let twist = at_instant(self.world, &self.state.states, id, t).twist;
                self.state.log.work -= load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
            }
        }
    }

    /// Logs the impulses of limits and ropes.
    pub(crate) fn book_rows(&mut self, t: f64, impact: &Impact) {
        let first = self.cluster.contacts.len();
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let contact = &self.cluster.colliding[first + i];
            let (impulse, speeds) = (impact.impulses[first + i].x, impact.speeds[first + i]);
            if impulse == 0.0 {
                continue;
            }
            self.state.log.collisions += 1;
            let articulation = &self.scratch.constraints.articulations[row.articulation];
            let Law::AtLeast { restitution } = articulation.equation(row.row).law else { continue };
            let is_closed = contact.restitution < restitution;
            self.state.log.add_joint(JointEvent {
                t,
                joint: articulation.system.joints()
                    [articulation.system.joint_of(articulation.rows[row.row].equation).0],
                axis: articulation.equation(row.row).axis,
                kind: if is_closed { JointEventKind::Settled } else { JointEventKind::Struck },
                approach: speeds.normal_minus / row.weight,
                separation: speeds.normal_plus / row.weight,
                impulse: row.weight * impulse,
                lost: -0.5 * impulse * (speeds.normal_minus + speeds.normal_plus),
            });
        }
    }

    /// The articulations of the bodies of the cluster.
    fn find_present(&mut self) {
        let IslandScratch { constraints, articulation_index, .. } = &mut *self.scratch;
        constraints.present.clear();
        constraints
            .present
            .extend(self.cluster.bodies.iter().filter_map(|body| articulation_index.first_at(*body)));
    }

    /// Adds the reaction impulses of joints to those of contacts; what they do on drives and moving supports is work.
    pub(crate) fn apply_joint_reactions(&mut self, t: f64) {
        let (world, states, movers) = (self.world, &mut self.state.states, &self.cluster.movers);
        let IslandScratch { constraints, .. } = &mut *self.scratch;
        for k in &constraints.present {
            let articulation = &mut constraints.articulations[*k];
            let system = &mut articulation.system;
            system.evaluate(world, |id| at_instant(world, states, id, t), t, &self.state.joints.turns);
            system.solve(Level::Velocity);
            let mut changes = vec![(DVec3::ZERO, DVec3::ZERO); system.bodies().len()];
            system.loads(|slot, load| {
                changes[slot].0 += load.force;
                changes[slot].1 += load.torque;
            });
            for ((id, place), (impulse, angular_impulse)) in
                system.bodies().iter().zip(&articulation.places).zip(changes)
            {
                let state = &mut states.bodies[id.index()];
                state.momentum += impulse;
                state.angular_momentum += angular_impulse;
                // By the mean of the velocities before and after all impulses.
                let (before, after) = (&movers[*place], state.twist(world.body(*id).inertia()));
                self.state.log.work += 0.5 * impulse.dot(before.velocity + after.velocity);
                self.state.log.work += 0.5 * angular_impulse.dot(before.spin + after.spin);
            }
        }
    }

    /// Projects the velocities at the end of a time step onto the joints; returns whether there were any. Within a time
    /// step they drift by the second order of its length. The impulses of an impact would correct that too, but the
    /// ledger computes their work from velocities that satisfy the joints and would miss it. The ledger books the
    /// change of energy with the time steps.
    pub(crate) fn project_velocities_onto_joints(&mut self, t: f64) -> bool {
        if !self.cluster.tracks(&self.state.places).iter().any(|k| self.state.tracks[*k].is_time_step()) {
            return false;
        }
        self.find_present();
        let (world, states) = (self.world, &mut self.state.states);
        let Cluster { movers, ranks, .. } = &*self.cluster;
        let mobility = |id: BodyId| {
            let body = id.index() as u32;
            let place = ranks
                .iter()
                .position(|rank| *rank == body)
                .expect("the bodies of an articulation are gathered together");
            Mobility { inv_mass: movers[place].inv_mass, inv_inertia: movers[place].inv_inertia }
        };
        let IslandScratch { constraints, .. } = &mut *self.scratch;
        for k in &constraints.present {
            let system = &mut constraints.articulations[*k].system;
            let before = kinetic_energy(world, states, system.bodies());
            system.evaluate(world, |id| at_instant(world, states, id, t), t, &self.state.joints.turns);
            system.factor(mobility, Pivoting::FORCES);
            system.solve(Level::Velocity);
            system.loads(|slot, load| {
                let state = &mut states.bodies[system.bodies()[slot].index()];
                state.momentum += load.force;
                state.angular_momentum += load.torque;
            });
            self.state.log.losses.closing += before - kinetic_energy(world, states, system.bodies());
        }
        !constraints.present.is_empty()
    }

    /// Projects the bodies of an island onto their joints.
    pub(crate) fn project_onto_joints(&mut self, t: f64, island: &Island) {
        let Some(active) = ActiveSet::of_joints(island) else { return };
        let dim = island.dim();
        let mut y = vec![0.0; dim + crate::drive::exact::island::equations::SUMS];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..dim]);
        let (world, smooth) = (self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
        let mut equations = IslandEquations::new(world, island, Some(&active), workspace, smooth);
        equations.project_state(t, &mut y);
        island.unpack(&y[..dim], &mut self.state.states.bodies, &mut self.state.states.sets);
    }

    /// Stores the joint forces over a time step of length `h` for the last contact impulses: joint friction of the next
    /// step grows with them.
    pub(crate) fn remember_reactions(&mut self, h: f64, island: &Island, active: &ActiveSet) {
        if island.joints.is_empty() {
            return;
        }
        let impulses = self.scratch.constraints.forces.clone();
        let row_impulses = self.scratch.constraints.extra_forces.clone();
        let dry_impulses = self.scratch.constraints.resistance_forces.clone();
        let ConstraintSystem { forces, resistance_forces, .. } = &mut self.scratch.constraints;
        for force in forces.iter_mut().chain(resistance_forces) {
            *force /= h;
        }
        for force in &mut self.scratch.constraints.extra_forces {
            *force /= h;
        }
        let world = self.world;
        let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
        let smooth = (f64::NEG_INFINITY, f64::INFINITY);
        IslandEquations::new(world, island, None, workspace, smooth)
            .solve_joint_reactions(&active.constraints);
        let constraints = &mut self.scratch.constraints;
        for k in &constraints.present {
            self.state.joints.articulations[*k].carried = constraints.articulations[*k].line_forces();
        }
        constraints.forces = impulses;
        constraints.extra_forces = row_impulses;
        constraints.resistance_forces = dry_impulses;
    }
}
