//! Forces where bodies rest, slide or roll on each other, at acceleration level. [NOTES II, app. D; PAPER]
//!
//! With the forces λ of all contacts the accelerations of the contacts are d̈ = W λ + q: q from the loads and velocities
//! alone, W = J M⁻¹ Jᵀ. While modes stand, each normal acceleration and each tangential one of a sticking contact is zero,
//! and friction of a sliding one is μ times its normal force against the slip: a linear system ([`ConstraintSystem::solve_equalities`]).
//! Where modes are to be found it is a complementarity problem ([`ConstraintSystem::decide`]).
//!
//! Where joints hold bodies together they are eliminated: q with the forces of joints, W′ = W − C A⁻¹ Cᵀ.

mod decide;
mod frame;
mod equality;
mod articulation;
mod paradox;
mod problem;
mod project;
mod refine;
mod solves;
mod stand;
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
use crate::solve::choose::ContactSolver;
use crate::solve::sparse::SparseScratch;
use serde::{Deserialize, Serialize};

/// A body with the acceleration that it would have without its contacts.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// 1/m; zero for a fixed or kinematic body.
    pub inv_mass: f64,
    /// I⁻¹ in the world; zero for a fixed or kinematic body.
    pub inv_inertia: DMat3,
    /// Pose, twist and acceleration without contact forces; as prescribed for a kinematic body.
    pub kinematics: Kinematics,
}

/// What a contact that carries force is doing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    /// No slip: friction is whatever keeps it so.
    Stick,
    /// Friction acts against the slip.
    Slide {
        /// The direction of the slip of a relative to b while there is none yet: that in which it begins, world.
        begins: DVec3,
    },
}

/// A contact that carries force.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ContactConstraint {
    /// Its bodies by their place in the list of bodies.
    pub bodies: [usize; 2],
    /// Its separation, as a function of the poses of the bodies.
    pub function: ContactFunction,
    /// Largest friction by normal force while sticking.
    pub static_friction: f64,
    /// Friction by normal force while sliding.
    pub kinetic_friction: f64,
    /// What it is doing.
    pub mode: Mode,
    /// The speed up to which its slip has no direction of its own, m/s: that in which it begins counts.
    pub still: f64,
    /// How it resists rolling and spinning, if it does.
    pub rolling: Option<RollingResistance>,
}

impl ContactConstraint {
    /// The same without friction and without resistance to turning.
    #[must_use]
    pub fn smooth(&self) -> Self {
        Self { static_friction: 0.0, kinetic_friction: 0.0, rolling: None, ..*self }
    }
}

/// All contacts of an island, their forces, and the buffers to find them.
#[derive(Debug, Clone, Default)]
pub struct ConstraintSystem {
    /// Geometry of each contact at the last instant solved.
    pub frames: Vec<Frame>,
    /// Force on a at each contact in its frame, N: normal, and along the two tangents.
    pub forces: Vec<DVec3>,
    /// How far the accelerations of the last solution are from what they should be, by those that loads alone would give.
    pub residual: f64,
    /// Whether the forces of the last solution are the only ones; else they are those of least norm.
    pub is_unique: bool,
    /// How the last solution ended, and what it took: pivots or steps of the solver, one where modes were known.
    pub ended: (Status, usize),
    /// Which solver is asked where modes are to be found.
    pub solver: ContactSolver,
    /// What it has done so far.
    pub solves: Solves,
    /// Whether more contacts than usual are integrated while modes stand.
    pub integrates_all: bool,
    /// Whether bodies hardly move: then time steps over many contacts are solved as exactly as those over few, so that what is about
    /// to rest comes to rest.
    pub is_slow: bool,
    /// Bodies that joints hold together: all of a world.
    pub articulations: Vec<Articulation>,
    /// Which of these the bodies in use belong to; evaluated and factored in their configuration.
    pub present: Vec<usize>,
    /// Equations of joints that are open, in the same problem as the contacts; empty but for the instants at which modes are
    /// found.
    pub extra: Vec<Extra>,
    /// The force of each of these, N.
    pub extra_forces: Vec<f64>,
    /// The moments against rolling and spinning, after their contacts.
    pub resistance: Vec<ResistanceRow>,
    /// The force of each of these in its components, N.
    pub resistance_forces: Vec<DVec3>,
    /// Buffers of time steps over many contacts; the order of elimination stays while the same bodies touch.
    sparse: SparseScratch,
    couplings: articulation::Couplings,
    /// What a unit of force of each component of each contact does to each body, joints in force; empty without joints.
    responses: Vec<Shift>,
    blocks: Vec<DMat3>,
    /// Of each contact under the present forces, where W was not made.
    accelerations: Vec<DVec3>,
    factors: LeastNorm,
    unknowns: Vec<(usize, usize)>,
    /// The force per unit of each unknown, in the frame of its contact.
    pushes: Vec<DVec3>,
    right: Vec<f64>,
    solution: Vec<f64>,
}

impl ConstraintSystem {
    /// With more contacts than this W is never made as a whole, and while modes stand there are no steps but over all
    /// contacts at once.
    pub const DENSE: usize = 48;

    /// The same where everything is to be integrated, whatever it costs.
    pub const THOROUGH: usize = 128;

    /// What is kept from one problem to the next.
    pub fn memory(&self) -> SolverMemory {
        SolverMemory { solves: self.solves, trust: self.sparse.trust() }
    }

    /// Sets it.
    pub fn set_memory(&mut self, memory: SolverMemory) {
        self.solves = memory.solves;
        self.sparse.set_trust(memory.trust);
    }

    /// The number of contacts up to which W is made as a whole.
    pub fn most_dense(&self) -> usize {
        if self.integrates_all { Self::THOROUGH } else { Self::DENSE }
    }

    /// The accelerations of all contacts under the present forces, where W was not made.
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
        let mut pushed = Vec::new();
        self.apply(bodies, contacts, &mut pushed);
        let acceleration =
            |i| self.free(i) + articulation::along(self.rows(i), self.places(contacts, i), &pushed);
        let all = (0..self.count()).map(acceleration).collect();
        self.accelerations = all;
    }

    /// Geometry and accelerations without contact forces of these contacts.
    pub fn look(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.frames.clear();
        self.frames.extend(contacts.iter().map(|contact| Frame::new(bodies, contact)));
        self.find_resistance_rows(bodies, contacts);
    }

    /// Geometry, accelerations without contact forces, and W, of these contacts.
    pub fn assemble(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.look(bodies, contacts);
        self.blocks.clear();
        self.accelerations.clear();
        self.responses.clear();
        if !self.present.is_empty() {
            self.assemble_articulated(bodies, contacts);
            return self.assemble_extra(bodies, contacts);
        }
        if self.is_whole() {
            self.assemble_whole(bodies, contacts);
        }
    }

    /// W of two contacts or dry moments: acceleration of i by force at j, in their frames.
    fn block(&self, i: usize, j: usize) -> &DMat3 {
        &self.blocks[i * self.count() + j]
    }

    /// The accelerations of a contact under the present forces, in its frame; or, after them, of a dry moment.
    pub fn acceleration(&self, i: usize) -> DVec3 {
        if !self.is_whole() {
            return self.accelerations[i];
        }
        let forces = self.forces.iter().chain(&self.resistance_forces);
        let pushed = (0..self.count()).zip(forces).map(|(j, force)| *self.block(i, j) * *force);
        let sum = pushed.fold(self.free(i), |sum, part| sum + part);
        if self.extra.is_empty() { sum } else { sum + self.acceleration_by_extra(i) }
    }

    /// The force of a contact on a, world.
    pub fn force(&self, i: usize) -> DVec3 {
        let (frame, f) = (&self.frames[i], self.forces[i]);
        f.x * frame.normal + f.y * frame.tangents[0] + f.z * frame.tangents[1]
    }
}
