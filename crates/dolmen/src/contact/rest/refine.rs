//! Iterative refinement of forces where light bodies carry heavy ones.
//!
//! W = J M⁻¹ Jᵀ of a light body between heavy ones is as badly conditioned as the masses differ, and forces lose as
//! many digits. Its residual −(q + J a), with the accelerations a of the bodies summed in double-double arithmetic,
//! gives the error; a step of iterative refinement with the current factors corrects it. [Higham 2002, ch. 12]

use super::decide::NO_FORCE;
use super::{ConstraintSystem, ContactConstraint, Decision, Loaded, Mode};
use crate::contact::rest::tolerances::{
    AT_LIMIT, CONSISTENT, REFINE_CONTACTS, REFINE_MASS_RATIO, REFINE_ROUNDS,
};
use crate::math::DVec3;
use crate::math::double::Double;
use crate::solve::choose::{ContactSolver, Note as SolverNote};

/// Three components in double-double arithmetic.
type Vector = [Double; 3];

impl ConstraintSystem {
    /// Refines the equality solve where masses differ much or contacts are many.
    pub(super) fn refine_equalities(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        let is_even = !are_unequal(bodies) && contacts.len() <= REFINE_CONTACTS;
        if !self.present.is_empty() || self.unknowns.is_empty() || is_even {
            return;
        }
        let mut factors = std::mem::take(&mut self.factors);
        let mut change = vec![0.0; self.unknowns.len()];
        let scale = self.right.iter().map(|v| v * v).sum::<f64>().sqrt();
        for _ in 0..REFINE_ROUNDS {
            let accelerations = self.accelerations_of(bodies, contacts);
            let missing =
                self.unknowns.iter().map(|(i, p)| -self.exact_acceleration(&accelerations, contacts, *i, *p));
            let missing: Vec<f64> = missing.collect();
            factors.solve(&missing, &mut change);
            for (x, change) in self.solution.iter_mut().zip(&change) {
                *x += change;
            }
            self.spread(contacts);
            let left = missing.iter().map(|v| v * v).sum::<f64>().sqrt();
            self.residual = if left == 0.0 { 0.0 } else { self.residual.min(left / scale) };
        }
        self.factors = factors;
    }

    /// Where masses differ much and nothing slips: decides that every contact sticks, if forces within all cones keep
    /// it so. With the digits that W has left, the complementarity solver would take rounding for contacts that
    /// separate or slide.
    pub(super) fn decide_all_stick(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
    ) -> Option<Decision> {
        let is_applicable = self.solver == ContactSolver::Complementarity
            && self.present.is_empty()
            && self.resistance.is_empty()
            && self.is_whole()
            && are_unequal(bodies);
        let is_rough = contacts.iter().all(|contact| contact.static_friction > 0.0);
        if !is_applicable || !is_rough || contacts.is_empty() || slides.contains(&true) {
            return None;
        }
        let sticking: Vec<ContactConstraint> =
            contacts.iter().map(|contact| ContactConstraint { mode: Mode::Stick, ..*contact }).collect();
        self.solve_assembled(&sticking);
        self.refine_equalities(bodies, &sticking);
        let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.x));
        let is_inside = |(contact, f): (&ContactConstraint, &DVec3)| {
            let friction = (f.y * f.y + f.z * f.z).sqrt();
            f.x > NO_FORCE * largest && friction <= AT_LIMIT * contact.static_friction * f.x
        };
        let is_solution =
            self.residual <= CONSISTENT && largest > 0.0 && contacts.iter().zip(&self.forces).all(is_inside);
        is_solution.then(|| Decision {
            modes: vec![Some(Mode::Stick); contacts.len()],
            is_consistent: true,
            is_unique: self.is_unique,
            note: SolverNote::Exact,
            residual: self.residual,
            rolling: vec![[Mode::Stick; 2]; contacts.len()],
        })
    }

    /// The acceleration and spin rate of every body under the current forces.
    fn accelerations_of(&self, bodies: &[Loaded], contacts: &[ContactConstraint]) -> Vec<[Vector; 2]> {
        let mut sums = vec![[[Double::ZERO; 3]; 2]; bodies.len()];
        for (i, contact) in contacts.iter().enumerate() {
            for (row, f, _) in self.components(i) {
                let sides = [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)];
                for (place, (linear, angular)) in contact.bodies.iter().zip(sides) {
                    let body = &bodies[*place];
                    let [a, spin] = &mut sums[*place];
                    add(a, body.inv_mass * linear, f);
                    add(spin, body.inv_inertia * angular, f);
                }
            }
        }
        sums
    }

    /// The acceleration of a component of a contact, m/s².
    fn exact_acceleration(
        &self,
        sums: &[[Vector; 2]],
        contacts: &[ContactConstraint],
        i: usize,
        p: usize,
    ) -> f64 {
        let row = &self.rows(i)[p];
        let mut sum = Double::from(self.free(i)[p]);
        let sides = [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)];
        for (place, (linear, angular)) in self.places(contacts, i).iter().zip(sides) {
            let [a, spin] = &sums[*place];
            for k in 0..3 {
                sum = sum + Double::from(linear[k]) * a[k] + Double::from(angular[k]) * spin[k];
            }
        }
        sum.value()
    }
}

/// Whether the masses of dynamic bodies differ so much that W has lost digits.
fn are_unequal(bodies: &[Loaded]) -> bool {
    let masses = bodies.iter().map(|body| body.inv_mass).filter(|inv| *inv > 0.0);
    let (least, most) = masses.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), m| (a.min(m), b.max(m)));
    most >= REFINE_MASS_RATIO * least
}

fn add(sum: &mut Vector, by: DVec3, f: f64) {
    for (sum, by) in sum.iter_mut().zip(by.to_array()) {
        *sum = *sum + Double::from(by) * Double::from(f);
    }
}
