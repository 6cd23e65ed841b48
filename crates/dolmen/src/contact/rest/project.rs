//! Back onto the contacts: the least change, in the metric of the masses, that makes given components zero.

use super::{Bearing, Bearings, Loaded, Mode};
use crate::math::DVec3;

/// How bodies are to be moved: per body, by inverse mass and inertia already.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shift {
    /// m or m/s.
    pub linear: DVec3,
    /// rad or rad/s.
    pub angular: DVec3,
}

impl Bearings {
    /// The changes of position that take all separations to zero, to first order.
    pub fn shift_positions(&mut self, bodies: &[Loaded], contacts: &[Bearing], shifts: &mut Vec<Shift>) {
        self.assemble(bodies, contacts);
        self.unknowns.clear();
        self.unknowns.extend((0..contacts.len()).map(|i| (i, 0)));
        self.right.clear();
        self.right.extend(self.frames.iter().map(|frame| -frame.separation));
        self.shift(bodies, contacts, shifts);
    }

    /// The changes of velocity that take all normal velocities, the slip of sticking contacts, and turns that are held, to zero.
    pub fn shift_velocities(&mut self, bodies: &[Loaded], contacts: &[Bearing], shifts: &mut Vec<Shift>) {
        self.assemble(bodies, contacts);
        self.unknowns.clear();
        for (i, contact) in contacts.iter().enumerate() {
            self.unknowns.push((i, 0));
            if contact.mode == Mode::Stick {
                self.unknowns.extend([(i, 1), (i, 2)]);
            }
        }
        self.add_dry_unknowns();
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.extend(self.unknowns.iter().map(|(i, p)| -self.velocity(*i)[*p]));
        self.right = right;
        self.shift(bodies, contacts, shifts);
    }

    /// M⁻¹ Jᵀ λ with J M⁻¹ Jᵀ λ = right, over the unknowns.
    fn shift(&mut self, bodies: &[Loaded], contacts: &[Bearing], shifts: &mut Vec<Shift>) {
        let size = self.unknowns.len();
        let mut factors = std::mem::take(&mut self.factors);
        factors.factor(size, |e, u| {
            let ((i, p), (j, q)) = (self.unknowns[e], self.unknowns[u]);
            self.block(i, j).col(q)[p]
        });
        self.solution.clear();
        self.solution.resize(size, 0.0);
        factors.solve(&self.right, &mut self.solution);
        self.factors = factors;
        self.apply(bodies, contacts, shifts);
    }

    /// M⁻¹ Jᵀ λ of the solution.
    pub(super) fn apply(&self, bodies: &[Loaded], contacts: &[Bearing], shifts: &mut Vec<Shift>) {
        shifts.clear();
        shifts.resize(bodies.len(), Shift::default());
        for ((j, q), lambda) in self.unknowns.iter().zip(&self.solution) {
            if !self.responses.is_empty() {
                let response = &self.responses[(3 * j + q) * bodies.len()..][..bodies.len()];
                for (shift, yields) in shifts.iter_mut().zip(response) {
                    shift.linear += *lambda * yields.linear;
                    shift.angular += *lambda * yields.angular;
                }
                continue;
            }
            let row = &self.rows(*j)[*q];
            let [a, b] = self.places(contacts, *j);
            for (body, linear, angular) in
                [(a, row.linear_a, row.angular_a), (b, row.linear_b, row.angular_b)]
            {
                shifts[body].linear += *lambda * bodies[body].inv_mass * linear;
                shifts[body].angular += *lambda * (bodies[body].inv_inertia * angular);
            }
        }
    }
}
