//! Laws that are checked while a run goes on.
//!
//! After so many tasks that the cost is a small share of theirs, and whenever a front end asks, the present state is held against
//! the laws of [`LawBounds`](crate::world::LawBounds): the ledger, overlaps of all pairs that may touch and the sides of planes,
//! drift of joints, losses that only grow, energy given by projections, residuals, and the recorded forces against the motion. What
//! exceeds its bound becomes a [`Violation`] in the record of laws; nothing else is changed. In come world and state, out go violations
//! and the largest value of each law, which the summary of a run shows beside its bound. Residuals of what is accepted between two checks
//! are told by whoever accepts it (`residual`). `progress` compares work with simulated time.

mod drift;
mod energy;
mod forces;
mod overlap;
pub(crate) mod progress;
pub(crate) mod residual;
mod tolerances;

use crate::drive::exact::readout;
use crate::drive::exact::state::State;
use crate::drive::exact::tolerances::TOUCHING;
use crate::record::{CheckedLaw, ContactForce, LawStatus, Sample, Violation};
use crate::world::{BodyId, World};
use tolerances::{LEDGER, MIN_TASKS_BETWEEN_CHECKS, TASKS_PER_BODY};

/// The laws of a world, and a state to hold against them.
pub(crate) struct Laws<'a> {
    pub(crate) world: &'a World,
    pub(crate) state: &'a mut State,
}

impl Laws<'_> {
    /// Takes note of what later checks compare with, at the start: they find what a first part of a run did, too.
    pub(crate) fn begin(&mut self) {
        let ledger = readout::ledger(self.world, self.state);
        self.begin_energy(&ledger);
        self.begin_sides();
    }

    /// Holds the present state against all laws, with what was read of it.
    pub(crate) fn check(&mut self, sample: &Sample, contacts: &[ContactForce]) {
        self.state.laws.tasks = 0;
        self.check_energy(&sample.ledger);
        self.check_overlaps();
        self.check_drift();
        self.check_contact_forces(contacts);
        self.check_forces(contacts);
    }

    /// Takes note of a value of a law, now.
    fn note(&mut self, law: CheckedLaw, bodies: &[u32], value: f64) {
        let bodies = bodies.iter().map(|body| BodyId::from_rank(*body as usize)).collect();
        let bound = bound(self.world, self.state, law);
        let found = Violation { t: self.state.t, law, bodies, joint: None, solve: None, value, bound };
        self.state.laws.note(found);
    }
}

/// Whether enough tasks have gone by for a check: one reads every body.
pub(crate) fn is_check_due(state: &State) -> bool {
    state.laws.tasks as f64 >= MIN_TASKS_BETWEEN_CHECKS.max(TASKS_PER_BODY * state.places.len() as f64)
}

/// How a run stands with every law: its bound, and the most that was found so far.
pub(crate) fn status(world: &World, state: &State) -> [LawStatus; CheckedLaw::ALL.len()] {
    let of = |law: CheckedLaw| (bound(world, state, law), state.laws.reached[law as usize]);
    CheckedLaw::ALL.map(|law| LawStatus { law, bound: of(law).0, reached: of(law).1 })
}

/// The bound of a law, its default included.
fn bound(world: &World, state: &State, law: CheckedLaw) -> f64 {
    let bounds = world.laws();
    match law {
        CheckedLaw::Ledger => bounds.ledger.unwrap_or(LEDGER * world.settings().integrator.relative),
        CheckedLaw::Overlap => bounds.overlap.unwrap_or(state.log.overlap_bound()),
        CheckedLaw::Drift => bounds.drift,
        CheckedLaw::Dissipation => bounds.dissipation,
        CheckedLaw::Residual => bounds.residual,
        CheckedLaw::Forces => bounds.forces,
        // A body is lifted by as much as it may overlap: energy in play is at least a fall of every body by its own size, of which the
        // overlap is a share.
        CheckedLaw::Closing => bounds.closing.unwrap_or(TOUCHING * state.log.overlap_bound()),
        // Laws of another driver.
        CheckedLaw::StepOverlap | CheckedLaw::StepJointError | CheckedLaw::StepEnergyDrift => f64::INFINITY,
    }
}
