//! Solutions that were accepted solve their equations.
//!
//! Contact forces are looked at when laws are checked. What is solved between two checks and never read is told by whoever accepts it:
//! impulses, mode decisions, time steps and projections; the worst of each event or step is held against the bound at its end.

use super::{Laws, bound};
use crate::drive::exact::log::Accepted;
use crate::drive::exact::state::State;
use crate::drive::exact::tolerances::{STEP_RESIDUAL, TOUCHING};
use crate::narrow_phase::Tolerance;
use crate::record::{CheckedLaw, ContactForce, Solve, Violation};
use crate::world::{BodyId, World};

impl Laws<'_> {
    /// The worst solution that was accepted at an event or a step.
    pub(crate) fn check_accepted(&mut self, Accepted { t, solve, bodies, residual }: Accepted) {
        let law = CheckedLaw::Residual;
        let bound = bound(self.world, self.state, law);
        let mut bodies: Vec<BodyId> =
            bodies.into_iter().flatten().map(|body| BodyId::from_rank(body as usize)).collect();
        bodies.dedup();
        let solve = Some(solve);
        self.state.laws.note(Violation { t, law, bodies, joint: None, solve, value: residual, bound });
    }

    /// The worst residual of the contact forces at present.
    pub(super) fn check_contact_forces(&mut self, contacts: &[ContactForce]) {
        let mut worst: Option<(f64, [BodyId; 2])> = None;
        for force in contacts {
            if self.is_within_promise_of_step(force) {
                continue;
            }
            if worst.is_none_or(|(most, _)| force.residual > most || force.residual.is_nan()) {
                worst = Some((force.residual, force.bodies));
            }
        }
        if let Some((residual, bodies)) = worst {
            let bodies = Some(bodies.map(|id| id.index() as u32));
            self.check_accepted(Accepted { t: self.state.t, solve: Solve::Forces, bodies, residual });
        }
    }

    /// Whether a contact is that of a time step, with no larger a residual than those promise.
    fn is_within_promise_of_step(&self, force: &ContactForce) -> bool {
        let places = force.bodies.iter().filter_map(|id| self.state.places[id.index()]);
        force.residual <= STEP_RESIDUAL
            && places.into_iter().any(|(k, _)| self.state.tracks[k].is_time_step())
    }
}

/// Takes note of the largest separation that a projection onto contacts left, m, and of its pair: by the size of the smaller body, or
/// by what stands for it where coordinates are so large that their rounding is the contact tolerance. Time steps leave more, and promise it.
pub(crate) fn accept_projection(world: &World, state: &mut State, (t, pair): (f64, [u32; 2]), left: f64) {
    let [Some(a), Some(b)] = pair.map(|body| state.detection.collider(body)) else { return };
    let poses = pair.map(|body| state.pose_and_twist(world, t, body).0);
    let tolerance = Tolerance::of_pair(&a.placed(&poses[0]), &b.placed(&poses[1]), 0.0).length;
    let by_tolerance = left / tolerance;
    // What time steps have left is told by the law of overlaps where it is more than they promise.
    if by_tolerance > 1.0 && by_tolerance <= state.log.overlap_bound() {
        return;
    }
    state.log.accept((t, Solve::Projection), Some(pair), TOUCHING * by_tolerance);
}
