//! Joints where velocities jump: an impulse on one body is felt at once by all that joints hold to it.

use super::held::{Held, IslandEquations};
use super::joint_rows::{REACHED, evaluate_at};
use super::simulation::Simulation;
use super::strike::Cluster;
use super::{Buffers, Reason, States, Stop};
use crate::articulation::Level;
use crate::articulation::factor::{Mobility, Pivoting};
use crate::body::Kinematics;
use crate::contact::rest::{Bearings, Joined, Shift};
use crate::contact::{Colliding, Mover};
use crate::dynamics::Island;
use crate::joint::Law;
use crate::math::{DMat3, DVec3};
use crate::motion::Motion;
use crate::narrow_phase::Row;
use crate::record::{JointEvent, JointEventKind};
use crate::world::{BodyId, World};

/// A contact whose bodies yield by less than this share of what they would without joints does not yield.
const HELD: f64 = 1e-10;

/// A limit that is reached more slowly than this share of the speeds in play does not bounce: what would be left of it rises by
/// the square of that, as far as steps are inexact. Without, one that bounces without loss rattles for ever.
const SLIGHT: f64 = 1e-6;

/// Of some bodies, J.
fn kinetic_energy(world: &World, states: &States, bodies: &[BodyId]) -> f64 {
    bodies.iter().map(|id| states.bodies[id.index()].kinetic_energy(world.body(*id).inertia())).sum()
}

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
        let (n, touching) = (contacts.len(), self.cluster.contacts.len());
        let rows = &self.cluster.rows;
        let mut yields = vec![DMat3::ZERO; n * n];
        let mut motions = Vec::new();
        for (j, at_j) in contacts.iter().enumerate() {
            let row_j = j.checked_sub(touching).map(|j| &rows[j]);
            let mut free = 0.0_f64;
            for axis in 0..if row_j.is_some() { 1 } else { 3 } {
                motions.clear();
                motions.resize(movers.len(), Shift::default());
                match row_j {
                    Some(row) => row.push(mobility, &mut motions),
                    None => push_at(at_j, DVec3::AXES[axis], mobility, &mut motions),
                }
                free =
                    free.max(row_j.map_or_else(|| at(at_j, &motions).length(), |row| row.rate_of(&motions)));
                for k in present.iter() {
                    joined[*k].respond(mobility, &mut motions);
                }
                for (i, at_i) in contacts.iter().enumerate() {
                    // The rate of a row stands in the place of a velocity along x.
                    let moves = |row: &ImpactRow| DVec3::X * row.rate_of(&motions);
                    let rate = i.checked_sub(touching).map(|i| moves(&rows[i]));
                    *yields[i * n + j].col_mut(axis) = rate.unwrap_or_else(|| at(at_i, &motions));
                }
            }
            let own = &mut yields[j * n + j];
            if at_j.normal.dot(*own * at_j.normal) <= HELD * free {
                *own = DMat3::ZERO;
            } else if row_j.is_some() {
                *own = DMat3::from_diagonal(DVec3::splat(own.x_axis.x));
            }
        }
        self.cluster.scratch.joined = yields;
    }

    /// Adds limits and ropes that are reached to what collides: each as a contact of two movers of its own, along x.
    pub(super) fn add_rows(&mut self, t: f64) {
        self.cluster.rows.clear();
        self.find_present();
        for k in self.buffers.bearings.present.clone() {
            if self.buffers.bearings.joined[k].rows.is_empty() {
                continue;
            }
            evaluate_at(&self.world, &self.states, &mut self.buffers, (k, t));
            let (still, slight) = (self.still_rows(t, k), SLIGHT * self.row_scale(t, k));
            let linkage = &mut self.buffers.bearings.joined[k];
            linkage.disengage(&self.world);
            let reached = REACHED * linkage.system.length();
            let Cluster { rows, ranks, movers, colliding, .. } = &mut self.cluster;
            for row in 0..linkage.rows.len() {
                let (equation, weight) = (linkage.equation(row), linkage.weight(row));
                let Law::AtLeast { restitution } = equation.law else { continue };
                let jet = equation.jet.scaled(weight);
                if jet.value > reached {
                    continue;
                }
                let rate = if jet.rate.abs() > still { jet.rate } else { 0.0 };
                rows.push(ImpactRow { rate, ..ImpactRow::new(linkage, (k, row), ranks) });
                let moving = |velocity| Mover { inv_mass: 1.0, ..Mover::immobile(velocity, DVec3::ZERO) };
                let first = movers.len();
                movers.extend([moving(DVec3::X * rate), moving(DVec3::ZERO)]);
                colliding.push(Colliding {
                    bodies: [first, first + 1],
                    arms: [DVec3::ZERO; 2],
                    normal: DVec3::X,
                    restitution: if rate < -slight { restitution } else { 0.0 },
                    friction: 0.0,
                });
            }
        }
    }

    /// That no limit is overrun by what cannot give way: a prescribed motion, or joints that leave its axis no freedom.
    pub(super) fn check_rows(&self, t: f64) -> Result<(), Stop> {
        let (first, n) = (self.cluster.contacts.len(), self.cluster.colliding.len());
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let own = self.cluster.scratch.joined[(first + i) * (n + 1)];
            if row.rate < 0.0 && own == DMat3::ZERO {
                let system = &self.buffers.bearings.joined[row.linkage].system;
                let equation = self.buffers.bearings.joined[row.linkage].rows[row.row].equation;
                let joint =
                    self.world.joints()[system.joints()[system.joint_of(equation).0]].name().to_owned();
                let problem = "a prescribed motion drives it beyond its limit, which would take infinite force; give the motor \
                               a largest force, or widen the limit";
                return Err(Stop { t, reason: Reason::Joint { joint, problem: problem.to_owned() } });
            }
        }
        Ok(())
    }

    /// Takes restitution from limits whose series of bounces is over but for less than what counts as reached.
    pub(super) fn close_row_series(&mut self, t: f64) {
        let first = self.cluster.contacts.len();
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let contact = &mut self.cluster.colliding[first + i];
            if row.rate >= 0.0 || contact.restitution >= 1.0 {
                continue;
            }
            let linkage = &self.buffers.bearings.joined[row.linkage];
            let tolerance = REACHED * linkage.system.length();
            // Bodies have low numbers.
            let key = [u32::MAX - row.linkage as u32, u32::MAX - linkage.rows[row.row].equation as u32];
            if self.log.bounce(key, t, -row.rate, tolerance).is_some() {
                contact.restitution = 0.0;
            }
        }
    }

    /// Changes momenta by the impulses of limits and ropes.
    pub(super) fn apply_row_impulses(&mut self, t: f64) {
        let first = self.cluster.contacts.len();
        for i in 0..self.cluster.rows.len() {
            let (row, impulse) = (self.cluster.rows[i], self.cluster.impact.impulses[first + i].x);
            self.apply_row_impulse(t, &row, impulse);
        }
    }

    /// Changes momenta by the impulse of a row; what moving supports do by it is work.
    pub(super) fn apply_row_impulse(&mut self, t: f64, row: &ImpactRow, impulse: f64) {
        if impulse == 0.0 {
            return;
        }
        let linkage = &self.buffers.bearings.joined[row.linkage];
        let of = linkage.system.joints()[linkage.system.joint_of(linkage.rows[row.row].equation).0];
        let loads = linkage.equation(row.row).loads(row.weight * impulse);
        for (id, load) in self.world.joints()[of].bodies().into_iter().zip(loads) {
            let Some(id) = id else { continue };
            if self.place[id.index()].is_some() {
                let state = &mut self.states.bodies[id.index()];
                state.momentum += load.force;
                state.angular_momentum += load.torque;
            } else {
                let twist = at_instant(&self.world, &self.states, id, t).twist;
                self.log.work -= load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
            }
        }
    }

    /// Logs the impulses of limits and ropes.
    pub(super) fn book_rows(&mut self, t: f64) {
        let first = self.cluster.contacts.len();
        for (i, row) in self.cluster.rows.iter().enumerate() {
            let (impact, contact) = (&self.cluster.impact, &self.cluster.colliding[first + i]);
            let (impulse, speeds) = (impact.impulses[first + i].x, impact.speeds[first + i]);
            if impulse == 0.0 {
                continue;
            }
            self.log.collisions += 1;
            let linkage = &self.buffers.bearings.joined[row.linkage];
            let Law::AtLeast { restitution } = linkage.equation(row.row).law else { continue };
            let is_closed = contact.restitution < restitution;
            self.log.add_joint(JointEvent {
                t,
                joint: linkage.system.joints()[linkage.system.joint_of(linkage.rows[row.row].equation).0],
                axis: linkage.equation(row.row).axis,
                kind: if is_closed { JointEventKind::Settled } else { JointEventKind::Struck },
                approach: speeds.normal_minus / row.weight,
                separation: speeds.normal_plus / row.weight,
                impulse: row.weight * impulse,
                lost: -0.5 * impulse * (speeds.normal_minus + speeds.normal_plus),
            });
        }
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

    /// Brings velocities of what comes out of a step over a crowd back onto the joints, whether there was any. Within such a step
    /// they drift off by the second order of its length; impulses of a collision would mend that too, and what is booked of
    /// them, by velocities that joints allow, would miss it. What it changes in energy is on the line of those steps.
    pub(super) fn put_velocities_back_on_joints(&mut self, t: f64) -> bool {
        if !self.cluster_tracks().iter().any(|k| self.tracks[*k].is_aggregated()) {
            return false;
        }
        self.find_present();
        let (world, states) = (&self.world, &mut self.states);
        let Cluster { movers, ranks, .. } = &self.cluster;
        let mobility = |id: BodyId| {
            let body = id.index() as u32;
            let place =
                ranks.iter().position(|rank| *rank == body).expect("joined bodies are gathered together");
            Mobility { inv_mass: movers[place].inv_mass, inv_inertia: movers[place].inv_inertia }
        };
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        for k in &bearings.present {
            let system = &mut bearings.joined[*k].system;
            let before = kinetic_energy(world, states, system.bodies());
            system.evaluate(world, |id| at_instant(world, states, id, t), t, &linkages.turns);
            system.factor(mobility, Pivoting::FORCES);
            system.solve(Level::Velocity);
            system.loads(|slot, load| {
                let state = &mut states.bodies[system.bodies()[slot].index()];
                state.momentum += load.force;
                state.angular_momentum += load.torque;
            });
            self.log.losses.closing += before - kinetic_energy(world, states, system.bodies());
        }
        !bearings.present.is_empty()
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

    /// Remembers the forces of joints over a step of length `h`, for the impulses of contacts as last found: friction of the
    /// next step grows with them.
    pub(super) fn remember_reactions(&mut self, h: f64, island: &Island, held: &Held) {
        if island.joints.is_empty() {
            return;
        }
        let impulses = self.buffers.bearings.forces.clone();
        let row_impulses = self.buffers.bearings.extra_forces.clone();
        let dry_impulses = self.buffers.bearings.dry_forces.clone();
        let Bearings { forces, dry_forces, .. } = &mut self.buffers.bearings;
        for force in forces.iter_mut().chain(dry_forces) {
            *force /= h;
        }
        for force in &mut self.buffers.bearings.extra_forces {
            *force /= h;
        }
        let (world, buffers) = (&self.world, &mut self.buffers);
        let smooth = (f64::NEG_INFINITY, f64::INFINITY);
        IslandEquations { world, island, held: None, buffers, smooth }.answer_contacts(&held.bearings);
        let bearings = &mut self.buffers.bearings;
        for k in &bearings.present {
            bearings.joined[*k].carried = bearings.joined[*k].line_forces();
        }
        bearings.forces = impulses;
        bearings.extra_forces = row_impulses;
        bearings.dry_forces = dry_impulses;
    }
}

/// A limit or a rope that is reached, at an instant at which velocities jump; in metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImpactRow {
    linkage: usize,
    row: usize,
    /// Its bodies among the movers; none for what cannot move.
    bodies: [Option<usize>; 2],
    form: Row,
    /// Before; zero where it is rounding, of a limit.
    pub(super) rate: f64,
    weight: f64,
}

impl ImpactRow {
    /// A row of a linkage as last evaluated, by the places of both; `ranks` are the bodies of the movers.
    pub(super) fn new(linkage: &Joined, (k, row): (usize, usize), ranks: &[u32]) -> Self {
        let mover = |slot: usize| {
            let body = linkage.system.bodies()[slot].index() as u32;
            ranks.iter().position(|rank| *rank == body).expect("joined bodies are gathered together")
        };
        let weight = linkage.weight(row);
        let jet = linkage.equation(row).jet.scaled(weight);
        let bodies = linkage.rows[row].slots.map(|slot| slot.map(mover));
        Self { linkage: k, row, bodies, form: jet.row, rate: jet.rate, weight }
    }

    /// The linkage, and the row of it.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.linkage, self.row)
    }

    /// What it is multiplied by to be a length.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// As many times the row.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.form;
        let form = Row {
            linear_a: factor * linear_a,
            angular_a: factor * angular_a,
            linear_b: factor * linear_b,
            angular_b: factor * angular_b,
        };
        Self { form, ..*self }
    }

    fn halves(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.form;
        let sides = [(self.bodies[0], linear_a, angular_a), (self.bodies[1], linear_b, angular_b)];
        sides.into_iter().filter_map(|(body, linear, angular)| body.map(|body| (body, linear, angular)))
    }

    /// Its rate for motions of the movers.
    pub(super) fn rate_of(&self, motions: &[Shift]) -> f64 {
        let of = |(body, linear, angular): (usize, DVec3, DVec3)| {
            linear.dot(motions[body].linear) + angular.dot(motions[body].angular)
        };
        self.halves().map(of).sum()
    }

    /// What a unit of its impulse does, joints aside.
    pub(super) fn push(&self, mobility: impl Fn(usize) -> Mobility, motions: &mut [Shift]) {
        for (body, linear, angular) in self.halves() {
            let of = mobility(body);
            motions[body].linear += of.inv_mass * linear;
            motions[body].angular += of.inv_inertia * angular;
        }
    }
}

/// What an impulse at a contact does to its bodies, joints aside.
pub(super) fn push_at(
    contact: &Colliding,
    push: DVec3,
    mobility: impl Fn(usize) -> Mobility,
    motions: &mut [Shift],
) {
    for (side, push) in [(0, push), (1, -push)] {
        let (body, arm) = (contact.bodies[side], contact.arms[side]);
        let of = mobility(body);
        motions[body].linear += of.inv_mass * push;
        motions[body].angular += of.inv_inertia * arm.cross(push);
    }
}

/// The velocity of a relative to b at a contact, for motions of the movers.
pub(super) fn at(contact: &Colliding, motions: &[Shift]) -> DVec3 {
    let of = |side: usize| {
        let motion = &motions[contact.bodies[side]];
        motion.linear + motion.angular.cross(contact.arms[side])
    };
    of(0) - of(1)
}

/// A body at an instant, without its acceleration.
pub(super) fn at_instant(world: &World, states: &States, id: BodyId, t: f64) -> Kinematics {
    let (pose, twist) = if let Some(motion) = world.body(id).prescribed_motion() {
        (motion.pose(t), motion.twist(t))
    } else {
        let state = &states.bodies[id.index()];
        (state.pose(), state.twist(world.body(id).inertia()))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}
