//! Contact forces where bodies rest, slide or roll on each other, at acceleration level. [NOTES II, app. D; PAPER]
//!
//! With the forces λ of all contacts the accelerations of the contacts are d̈ = W λ + q: q from the loads and
//! velocities alone, W = J M⁻¹ Jᵀ the Delassus matrix. While modes are fixed, each normal acceleration and each
//! tangential one of a sticking contact is zero, and friction of a sliding one is μ times its normal force against the
//! slip: a linear system ([`ConstraintSystem::solve_equalities`]). Where modes are to be decided it is a
//! complementarity problem ([`ConstraintSystem::decide`]).
//!
//! Joints are eliminated: q with the joint forces, W′ = W − C A⁻¹ Cᵀ.

mod decide;
mod frame;
mod equality;
mod articulation;
mod paradox;
mod problem;
mod project;
mod refine;
mod solves;
mod equilibrium;
mod step;
mod tolerances;
mod rolling;

pub use articulation::{Articulation, ArticulationRow, ArticulationState, Bound, Extra, RowState};
pub use decide::{Decision, NO_FORCE};
pub use frame::Frame;
pub use project::{Shift, Shifted};
pub use rolling::{Part, ResistanceRow, RollingResistance};
pub use solves::{SolverMemory, Solves};

use crate::body::Kinematics;
use crate::math::least_norm::LeastNorm;
use crate::math::{DMat3, DVec3};
use crate::narrow_phase::ContactFunction;
use crate::solve::Status;
use crate::solve::choose::{ContactSolver, Note as SolverNote};
use crate::solve::sparse::SparseScratch;
use serde::{Deserialize, Serialize};

/// A body with its acceleration without contact forces.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// 1/m; zero for a fixed or kinematic body.
    pub inv_mass: f64,
    /// I⁻¹ in the world; zero for a fixed or kinematic body.
    pub inv_inertia: DMat3,
    /// Pose, twist and acceleration without contact forces; as prescribed for a kinematic body.
    pub kinematics: Kinematics,
}

/// The mode of an active contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    /// No slip: friction is whatever keeps it so.
    Stick,
    /// Friction acts against the slip.
    Slide {
        /// The initial slip direction of a relative to b, where there is no slip yet, world.
        begins: DVec3,
    },
}

/// An active contact constraint.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ContactConstraint {
    /// Its bodies by their index in the list of bodies.
    pub bodies: [usize; 2],
    /// Its separation, as a function of the poses of the bodies.
    pub function: ContactFunction,
    /// Largest friction by normal force while sticking.
    pub static_friction: f64,
    /// Friction by normal force while sliding.
    pub kinetic_friction: f64,
    /// Its mode.
    pub mode: Mode,
    /// The zero-speed tolerance of its slip, m/s: below it the initial direction counts.
    pub still: f64,
    /// Its rolling and spinning resistance, if it has any.
    pub rolling: Option<RollingResistance>,
}

impl ContactConstraint {
    /// The slip up to which its initial direction counts beside its own, m/s.
    pub fn slow_slip(&self) -> f64 {
        tolerances::SLOW_SLIP * self.still
    }

    /// The same without friction and rolling resistance.
    #[must_use]
    pub fn smooth(&self) -> Self {
        Self { static_friction: 0.0, kinetic_friction: 0.0, rolling: None, ..*self }
    }
}

/// How exactly a time step over many contacts is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepAccuracy {
    /// To the tolerance of a single step.
    #[default]
    Single,
    /// As exactly as one over few contacts: bodies are almost at rest, and come to rest only so.
    Slow,
    /// To the error of the step itself, in a run of time steps of a pile.
    Pile,
}

/// All contacts of an island, their forces, and the buffers to solve for them.
#[derive(Debug, Clone, Default)]
pub struct ConstraintSystem {
    /// Frame of each contact at the last instant solved.
    pub frames: Vec<Frame>,
    /// Force on a at each contact in its frame, N: normal, and along the two tangents.
    pub forces: Vec<DVec3>,
    /// The error of the accelerations of the last solution, by those that loads alone would give.
    pub residual: f64,
    /// Whether the forces of the last solution are unique; otherwise they are those of least norm.
    pub is_unique: bool,
    /// What the solver said of the impulses of the last time step.
    pub note: SolverNote,
    /// How the last solve ended, and its cost: pivots or iterations, one where modes were known.
    pub ended: (Status, usize),
    /// The solver of the mode decision.
    pub solver: ContactSolver,
    /// Its counters so far.
    pub solves: Solves,
    /// Whether more contacts than usual are integrated while modes are fixed.
    pub integrates_all: bool,
    /// How exactly time steps over many contacts are solved.
    pub step_accuracy: StepAccuracy,
    /// The articulations of the world.
    pub articulations: Vec<Articulation>,
    /// The articulations of the bodies in use; evaluated and factored in their configuration.
    pub present: Vec<usize>,
    /// Open joint rows, in the same problem as the contacts; empty except while modes are decided.
    pub extra: Vec<Extra>,
    /// The force of each of these, N.
    pub extra_forces: Vec<f64>,
    /// Rolling and spinning resistance, after their contacts.
    pub resistance: Vec<ResistanceRow>,
    /// The force of each of these in its components, N.
    pub resistance_forces: Vec<DVec3>,
    /// Buffers of time steps over many contacts; the order of elimination is kept while the same bodies touch.
    sparse: SparseScratch,
    couplings: articulation::Couplings,
    /// The velocities of each body by a unit of force of each component of each contact, with the joints in force;
    /// empty without joints.
    responses: Vec<Shift>,
    blocks: Vec<DMat3>,
    /// The acceleration of each contact under the current forces, where W is not assembled.
    accelerations: Vec<DVec3>,
    factors: LeastNorm,
    unknowns: Vec<(usize, usize)>,
    /// The force per unit of each unknown, in the frame of its contact.
    unit_forces: Vec<DVec3>,
    right: Vec<f64>,
    solution: Vec<f64>,
    /// The forces of the last mode decision, in all components.
    last: Vec<f64>,
    /// Contacts of the assembled problem that joints keep from moving along their normals.
    taken_out: Vec<usize>,
}

impl ConstraintSystem {
    /// With more contacts than this W is never assembled as a whole, and there is no integration with fixed modes: only
    /// time steps.
    pub const DENSE: usize = 48;

    /// The same where the user asks to integrate everything, at any cost.
    pub const THOROUGH: usize = 128;

    /// What the solver keeps from one problem to the next.
    pub fn memory(&self) -> SolverMemory {
        SolverMemory { solves: self.solves, trust: self.sparse.trust() }
    }

    /// Sets it.
    pub fn set_memory(&mut self, memory: SolverMemory) {
        self.solves = memory.solves;
        self.sparse.set_trust(memory.trust);
    }

    /// The number of contacts up to which W is assembled as a whole.
    pub fn most_dense(&self) -> usize {
        if self.integrates_all { Self::THOROUGH } else { Self::DENSE }
    }

    /// Computes the accelerations of all contacts under the current forces, where W is not assembled.
    fn accelerate(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        if self.is_whole() {
            return;
        }
        self.unknowns.clear();
        self.solution.clear();
        for (i, f) in self.forces.iter().chain(&self.resistance_forces).enumerate() {
            self.unknowns.extend([(i, 0), (i, 1), (i, 2)]);
            self.solution.extend(f.to_array());
        }
        let mut response = Vec::new();
        self.apply(bodies, contacts, &mut response);
        let acceleration =
            |i| self.free(i) + articulation::along(self.rows(i), self.places(contacts, i), &response);
        let all = (0..self.count()).map(acceleration).collect();
        self.accelerations = all;
    }

    /// Computes the frames and the accelerations without contact forces of these contacts.
    pub fn look(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.frames.clear();
        self.frames.extend(contacts.iter().map(|contact| Frame::new(bodies, contact)));
        self.find_resistance_rows(bodies, contacts);
    }

    /// Computes the frames, the accelerations without contact forces, and W, of these contacts.
    pub fn assemble(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.look(bodies, contacts);
        self.blocks.clear();
        self.accelerations.clear();
        self.responses.clear();
        self.taken_out.clear();
        if !self.present.is_empty() {
            self.assemble_articulated(bodies, contacts);
            return self.assemble_extra(bodies, contacts);
        }
        if self.is_whole() {
            self.assemble_whole(bodies, contacts);
        }
    }

    /// The block of W of two contacts or resistance moments: acceleration of i by force at j, in their frames.
    fn block(&self, i: usize, j: usize) -> &DMat3 {
        &self.blocks[i * self.count() + j]
    }

    /// The acceleration of a contact under the current forces, in its frame; or, after the contacts, of a resistance
    /// moment.
    pub fn acceleration(&self, i: usize) -> DVec3 {
        if !self.is_whole() {
            return self.accelerations[i];
        }
        let forces = self.forces.iter().chain(&self.resistance_forces);
        let response = (0..self.count()).zip(forces).map(|(j, force)| *self.block(i, j) * *force);
        let sum = response.fold(self.free(i), |sum, part| sum + part);
        if self.extra.is_empty() { sum } else { sum + self.acceleration_by_extra(i) }
    }

    /// The force of a contact on a, world.
    pub fn force(&self, i: usize) -> DVec3 {
        let (frame, f) = (&self.frames[i], self.forces[i]);
        f.x * frame.normal + f.y * frame.tangents[0] + f.z * frame.tangents[1]
    }
}
