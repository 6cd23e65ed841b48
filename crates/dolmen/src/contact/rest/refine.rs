//! Forces to the last digit where light bodies carry heavy ones.
//!
//! W = J M⁻¹ Jᵀ of a light body between heavy ones is as badly conditioned as the masses differ, and forces lose as many
//! digits. Its residual −(q + J a), with the accelerations a of the bodies summed with twice the digits, tells what is missing; a
//! step of iterative refinement with the factors at hand puts it right. [Higham 2002, ch. 12]

use super::decide::{AT_LIMIT, CONSISTENT, NO_FORCE};
use super::{ConstraintSystem, ContactConstraint, Decision, Loaded, Mode};
use crate::math::DVec3;
use crate::math::double::Double;
use crate::solve::choose::ContactSolver;

/// The ratio of masses from which refining pays: below, less than four digits are lost and twelve are left.
const UNEQUAL: f64 = 1e3;

/// The number of contacts from which refining pays: W of a column of n bodies is conditioned as n², and what stands still on many
/// contacts is held to rounding only then.
const MANY: usize = 16;

/// Each gains as many digits as the conditioning leaves, at least six.
const ROUNDS: usize = 2;

/// Three components with twice the digits.
type Vector = [Double; 3];

impl ConstraintSystem {
    /// Improves the forces that keep every contact in its mode, just found, where masses differ much.
    pub(super) fn refine_held(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        let is_even = !are_unequal(bodies) && contacts.len() <= MANY;
        if !self.present.is_empty() || self.unknowns.is_empty() || is_even {
            return;
        }
        let mut factors = std::mem::take(&mut self.factors);
        let mut change = vec![0.0; self.unknowns.len()];
        let scale = self.right.iter().map(|v| v * v).sum::<f64>().sqrt();
        for _ in 0..ROUNDS {
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

    /// Where masses differ much and nothing slips: that every contact sticks, if forces within all cones hold it so. What the
    /// solver of the complementarity problem, in the digits that W has left, takes for contacts that part or slide is rounding.
    pub(super) fn decide_standing(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        slides: &[bool],
    ) -> Option<Decision> {
        let is_asked = self.solver == ContactSolver::Complementarity
            && self.present.is_empty()
            && self.resistance.is_empty()
            && self.is_whole()
            && are_unequal(bodies);
        let is_rough = contacts.iter().all(|contact| contact.static_friction > 0.0);
        if !is_asked || !is_rough || contacts.is_empty() || slides.contains(&true) {
            return None;
        }
        let standing: Vec<ContactConstraint> =
            contacts.iter().map(|contact| ContactConstraint { mode: Mode::Stick, ..*contact }).collect();
        self.solve_held(&standing);
        self.refine_held(bodies, &standing);
        let largest = self.forces.iter().fold(0.0_f64, |most, f| most.max(f.x));
        let is_inside = |(contact, f): (&ContactConstraint, &DVec3)| {
            let friction = (f.y * f.y + f.z * f.z).sqrt();
            f.x > NO_FORCE * largest && friction <= AT_LIMIT * contact.static_friction * f.x
        };
        let holds =
            self.residual <= CONSISTENT && largest > 0.0 && contacts.iter().zip(&self.forces).all(is_inside);
        holds.then(|| Decision {
            modes: vec![Some(Mode::Stick); contacts.len()],
            is_consistent: true,
            is_unique: self.is_unique,
            residual: self.residual,
            rolling: vec![[Mode::Stick; 2]; contacts.len()],
        })
    }

    /// What the present forces do to every body: acceleration and spin rate.
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

/// Whether the masses of bodies that can move differ by so much that W has lost digits.
fn are_unequal(bodies: &[Loaded]) -> bool {
    let masses = bodies.iter().map(|body| body.inv_mass).filter(|inv| *inv > 0.0);
    let (least, most) = masses.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), m| (a.min(m), b.max(m)));
    most >= UNEQUAL * least
}

fn add(sum: &mut Vector, by: DVec3, f: f64) {
    for (sum, by) in sum.iter_mut().zip(by.to_array()) {
        *sum = *sum + Double::from(by) * Double::from(f);
    }
}
