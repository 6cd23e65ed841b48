//! Contacts of articulated bodies: force on one moves the whole articulation.

mod extra;
mod articulated;

pub(super) use articulated::ArticulatedProblem;
pub(super) use extra::Couplings;
pub use extra::{Bound, Extra};

use super::{ConstraintSystem, ContactConstraint, Loaded, Shift};
use crate::articulation::JointSystem;
use crate::articulation::NO_MOBILITY;
use crate::articulation::factor::Mobility;
use crate::joint::{Equation, Friction, Law, RowMode};
use crate::math::Row;
use crate::math::{DMat3, DVec3, dvec3};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// An articulation: bodies that joints connect.
#[derive(Debug, Clone)]
pub struct Articulation {
    /// Their joints.
    pub system: JointSystem,
    /// The index of each body of the system in the list of bodies in use.
    pub places: Vec<usize>,
    /// Joint forces without contacts, one for each line.
    pub base: Vec<f64>,
    /// The rows that need not act: limits, ropes, friction, motors with a force limit.
    pub rows: Vec<ArticulationRow>,
}

/// The modes of the rows of an articulation, and its scales: part of the state of a simulation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArticulationState {
    /// One for each row.
    pub rows: Vec<RowState>,
    /// When these modes were last decided, s.
    pub decided: f64,
    /// The largest recent speed, m/s: the velocity scale of its rows.
    pub fastest: f64,
    /// Forces of all equations in the last time step, N or N·m: joint friction of the next grows with them.
    pub carried: Vec<f64>,
}

/// The state of a row of an articulation.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct RowState {
    /// Its mode.
    pub mode: RowMode,
    /// Its force where it is saturated, N or N·m.
    pub push: f64,
    /// Whether it was decided active twice at one instant: where rows are redundant, forces of least norm may pull
    /// though others would not.
    pub is_trusted: bool,
}

impl ArticulationState {
    /// Whether some rows are saturated.
    pub fn is_saturated(&self) -> bool {
        self.rows.iter().any(|row| row.push != 0.0)
    }
}

/// A joint equation that need not act.
#[derive(Debug, Clone, Copy)]
pub struct ArticulationRow {
    /// Its index among all equations of the system.
    pub equation: usize,
    /// The bodies on its two sides, by their slots in the system; none for a body that cannot move.
    pub slots: [Option<usize>; 2],
}

impl Articulation {
    /// An articulation with these joints.
    pub fn new(world: &World, system: JointSystem) -> Self {
        let mut rows = Vec::new();
        for (equation, found) in system.equations().iter().enumerate() {
            if found.law.is_always_kept() {
                continue;
            }
            let joint = &world.joints()[system.joints()[system.joint_of(equation).0]];
            let slot = |id: &_| system.bodies().binary_search(id).ok();
            let slots = joint.bodies().map(|id| id.as_ref().and_then(slot));
            rows.push(ArticulationRow { equation, slots });
        }
        let places = Vec::with_capacity(system.bodies().len());
        Self { places, base: Vec::new(), system, rows }
    }

    /// The state of its rows before any decision: all free.
    pub fn start(&self) -> ArticulationState {
        ArticulationState {
            rows: vec![RowState::default(); self.rows.len()],
            decided: f64::NEG_INFINITY,
            fastest: 0.0,
            carried: vec![0.0; self.system.equations().len()],
        }
    }

    /// Engages the active rows as equations, and no others.
    pub fn engage(&mut self, world: &World, state: &ArticulationState) {
        self.activate(world, |row| state.rows[row].mode == RowMode::Active);
    }

    /// Disengages all rows.
    pub fn disengage(&mut self, world: &World) {
        self.activate(world, |_| false);
    }

    fn activate(&mut self, world: &World, is_active: impl Fn(usize) -> bool) {
        let mut active = self.system.active().to_vec();
        for (i, row) in self.rows.iter().enumerate() {
            active[row.equation] = is_active(i);
        }
        // The structure of the factors is rebuilt only where it changes.
        if active != self.system.active() {
            self.system.set_active(world, &active);
        }
    }

    /// The equation of a row at the last instant.
    pub fn equation(&self, row: usize) -> &Equation {
        &self.system.equations()[self.rows[row].equation]
    }

    /// The factor that scales a row to a length.
    pub fn weight(&self, row: usize) -> f64 {
        self.system.equation_weight(self.rows[row].equation)
    }

    /// Adds the response of the bodies to the saturated rows, without joints.
    pub fn add_saturated_forces(
        &self,
        state: &ArticulationState,
        mobility: impl Fn(usize) -> Mobility,
        motions: &mut [Shift],
    ) {
        for (i, row) in state.rows.iter().enumerate().filter(|(_, row)| row.push != 0.0) {
            for (load, slot) in self.equation(i).loads(row.push).into_iter().zip(self.rows[i].slots) {
                let Some(place) = slot.map(|slot| self.places[slot]) else { continue };
                let of = mobility(place);
                motions[place].linear += of.inv_mass * load.force;
                motions[place].angular += of.inv_inertia * load.torque;
            }
        }
    }

    /// The force of every equation: of active lines, and of saturated rows.
    pub fn equation_forces(&self, state: &ArticulationState) -> Vec<f64> {
        let mut forces = self.line_forces();
        for (row, state) in self.rows.iter().zip(&state.rows) {
            forces[row.equation] += state.push;
        }
        forces
    }

    /// The force of every equation: of active lines alone.
    pub fn line_forces(&self) -> Vec<f64> {
        let mut forces = vec![0.0; self.system.equations().len()];
        for (line, force) in self.system.lines().iter().zip(self.system.forces()) {
            if let Some(equation) = self.system.equation_of(*line) {
                forces[equation] = *force;
            }
        }
        forces
    }

    /// The bound on the force of a row, N or N·m, with these forces of all equations: friction may grow with the joint
    /// force. Infinite for a limit.
    ///
    /// # Panics
    /// When friction has no axis, which the description of a joint does not allow.
    pub fn largest(&self, world: &World, row: usize, forces: &[f64]) -> f64 {
        let equation = self.equation(row);
        match equation.law {
            Law::Driven { largest } => largest,
            Law::Friction(friction) if friction.coefficient * friction.arm == 0.0 => friction.constant,
            Law::Friction(friction) => self.friction_limit(world, row, &friction, forces),
            Law::Equal | Law::AtLeast { .. } => f64::INFINITY,
        }
    }

    /// The bound on the friction of a row with these forces, or impulses, of all equations.
    ///
    /// # Panics
    /// When friction has no axis, which the description of a joint does not allow.
    pub fn friction_limit(&self, world: &World, row: usize, friction: &Friction, forces: &[f64]) -> f64 {
        let (i, start) = self.system.joint_of(self.rows[row].equation);
        let joint = &world.joints()[self.system.joints()[i]];
        let frame = self.system.frame(i);
        let reaction = joint.reaction(frame, self.system.equations_of(i), &forces[start..]);
        let axis = self.equation(row).axis.expect("friction acts along an axis");
        joint.friction_limit(frame, axis, friction, &reaction)
    }

    /// Whether the bound on a row depends on the joint force.
    pub fn friction_grows_with_load(&self, row: usize) -> bool {
        matches!(self.equation(row).law, Law::Friction(f) if f.coefficient * f.arm > 0.0)
    }

    /// Turns the velocities that forces or impulses would cause without joints into those with joints: x − M⁻¹ Jᵀ A⁻¹ J
    /// x, in the configuration last factored, to eleven digits.
    pub fn respond(&mut self, mobility: impl Fn(usize) -> Mobility, motions: &mut [Shift]) {
        let Self { system, places, .. } = self;
        if places.iter().all(|place| motions[*place] == Shift::default()) {
            return;
        }
        system.cancel_roughly(|slot| {
            let motion = &motions[places[slot]];
            (motion.linear, motion.angular)
        });
        system.loads(|slot, load| {
            let (motion, of) = (&mut motions[places[slot]], mobility(places[slot]));
            motion.linear += of.inv_mass * load.force;
            motion.angular += of.inv_inertia * load.torque;
        });
    }
}

impl Loaded {
    /// Its mobility.
    pub fn mobility(&self) -> Mobility {
        Mobility { inv_mass: self.inv_mass, inv_inertia: self.inv_inertia }
    }
}

impl ConstraintSystem {
    /// A constraint system for bodies with these articulations.
    pub fn with_joints(articulations: Vec<Articulation>) -> Self {
        Self { articulations, ..Self::default() }
    }

    /// Assembles W′ = W − C A⁻¹ Cᵀ: one solve of the joints for each component of each contact.
    pub(super) fn assemble_articulated(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        let (n, count) = (self.count(), bodies.len());
        let mut all = std::mem::take(&mut self.responses);
        all.resize(3 * n * count, Shift::default());
        for (i, responses) in all.chunks_exact_mut(3 * count.max(1)).enumerate() {
            let (rows, places) = (*self.rows(i), self.places(contacts, i));
            for (row, response) in rows.iter().zip(responses.chunks_exact_mut(count.max(1))) {
                for (side, place) in places.iter().enumerate() {
                    let (push, turn) = row.side(side);
                    response[*place].linear += bodies[*place].inv_mass * push;
                    response[*place].angular += bodies[*place].inv_inertia * turn;
                }
                for k in &self.present {
                    self.articulations[*k].respond(|place| bodies[place].mobility(), response);
                }
            }
        }
        self.responses = all;
        for i in 0..n {
            for j in 0..n {
                let column = |q: usize| {
                    let response = &self.responses[(3 * j + q) * count..][..count];
                    along(self.rows(i), self.places(contacts, i), response)
                };
                self.blocks.push(DMat3::from_cols(column(0), column(1), column(2)));
            }
        }
        for i in 0..self.frames.len() {
            let alone = mobility_alone(&self.rows(i)[0], self.places(contacts, i), bodies);
            if self.block(i, i).x_axis.x <= NO_MOBILITY * alone {
                self.take_out(i, alone);
            }
        }
    }

    /// Takes a contact out of the problem whose bodies the joints keep from moving along its normal: any force there changes nothing, and
    /// the one of least norm is none.
    fn take_out(&mut self, i: usize, mobility: f64) {
        let n = self.count();
        for j in 0..n {
            self.blocks[i * n + j] = DMat3::ZERO;
            self.blocks[j * n + i] = DMat3::ZERO;
        }
        self.blocks[i * n + i] = DMat3::from_diagonal(DVec3::splat(mobility));
        self.frames[i].free = DVec3::ZERO;
        self.taken_out.push(i);
    }
}

/// The rate of a row by a force along it, without joints.
fn mobility_alone(row: &Row, places: [usize; 2], bodies: &[Loaded]) -> f64 {
    let of = |side: usize| {
        let ((linear, angular), body) = (row.side(side), &bodies[places[side]]);
        body.inv_mass * linear.length_squared() + angular.dot(body.inv_inertia * angular)
    };
    of(0) + of(1)
}

/// The rates of a contact in its frame for velocities of the bodies.
pub(super) fn along(rows: &[Row; 3], places: [usize; 2], motions: &[Shift]) -> DVec3 {
    let rate = |row: &Row| {
        let of = |side: usize| {
            let ((linear, angular), motion) = (row.side(side), &motions[places[side]]);
            linear.dot(motion.linear) + angular.dot(motion.angular)
        };
        of(0) + of(1)
    };
    dvec3(rate(&rows[0]), rate(&rows[1]), rate(&rows[2]))
}
