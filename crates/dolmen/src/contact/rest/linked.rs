//! Joints beside many contacts: rows of the sparse problem, in the place of W′.
//!
//! Contacts are given with the motion that they have with joints in force, so that the rows of joints begin at zero: the
//! impulses are those of W′ = W − C A⁻¹ Cᵀ, which is never made.

use super::{Bearings, Loaded, Shift, problem};
use crate::math::DVec3;
use crate::solve::Outcome;
use crate::solve::choose::ContactSolver;
use crate::solve::sparse::{
    Choice, ContactProblem, ContactRows, JointRow, Mobility, Row, SparseScratch, solve_contacts,
};

/// Up to so many contacts the dense solver is the quicker one.
const FEW: usize = 16;

/// The residual up to which the answer counts; else the dense solver is asked.
const GOOD: f64 = 1e-9;

/// Bodies and joints as the sparse solver takes them.
pub(super) struct Linked {
    bodies: Vec<Mobility>,
    joints: Vec<JointRow>,
    /// Impulses of the joints, as last found.
    answers: Vec<f64>,
    scratch: Box<SparseScratch>,
}

impl Linked {
    /// Of the joints in use beside `contacts` contacts; none where these are few, another solver is asked for, or joints
    /// have open rows or couplings, which are not equations between two bodies.
    pub(super) fn new(bearings: &Bearings, bodies: &[Loaded], contacts: usize) -> Option<Self> {
        let is_plain = bearings.solver == ContactSolver::Complementarity && bearings.extra.is_empty();
        if contacts <= FEW || bearings.present.is_empty() || !is_plain {
            return None;
        }
        let mut joints = Vec::new();
        for linkage in bearings.present.iter().map(|k| &bearings.joined[*k]) {
            if !linkage.system.couplings().is_empty() {
                return None;
            }
            for (_, halves) in linkage.system.line_halves() {
                let mut sides = [(None, DVec3::ZERO, DVec3::ZERO); 2];
                for (side, (slot, linear, angular)) in sides.iter_mut().zip(halves) {
                    *side = (Some(linkage.places[slot]), linear, angular);
                }
                let [(a, linear_a, angular_a), (b, linear_b, angular_b)] = sides;
                let row = Row { linear_a, angular_a, linear_b, angular_b };
                joints.push(JointRow { bodies: [a, b], row, free: 0.0 });
            }
        }
        let answers = vec![0.0; joints.len()];
        Some(Self { bodies: problem::mobilities(bodies), joints, answers, scratch: Box::default() })
    }

    /// The impulses of these contacts, three of each in `r`, which holds a start; none where they were not found.
    pub(super) fn solve(&mut self, contacts: &[ContactRows], r: &mut [f64]) -> Option<Outcome> {
        let mut all = r.to_vec();
        all.extend(&self.answers);
        let problem = ContactProblem { bodies: &self.bodies, contacts, joints: &self.joints };
        let outcome = solve_contacts(&problem, Choice::LeastNorm, &mut all, &mut self.scratch);
        if outcome.residual.is_nan() || outcome.residual > GOOD {
            return None;
        }
        let (own, answers) = all.split_at(r.len());
        r.copy_from_slice(own);
        self.answers.copy_from_slice(answers);
        Some(outcome)
    }

    /// Adds to motions what the joints answer.
    pub(super) fn add_answers(&self, shifts: &mut [Shift]) {
        for (joint, answer) in self.joints.iter().zip(&self.answers) {
            let Row { linear_a, angular_a, linear_b, angular_b } = joint.row;
            for (body, linear, angular) in
                [(joint.bodies[0], linear_a, angular_a), (joint.bodies[1], linear_b, angular_b)]
            {
                let Some(body) = body else { continue };
                shifts[body].linear += *answer * self.bodies[body].inv_mass * linear;
                shifts[body].angular += *answer * (self.bodies[body].inv_inertia * angular);
            }
        }
    }
}
