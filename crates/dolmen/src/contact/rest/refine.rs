//! Forces to the last digit where light bodies carry heavy ones.
//!
//! W = J M⁻¹ Jᵀ of a light body between heavy ones is as badly conditioned as the masses differ, and forces lose as many
//! digits. Its residual −(q + J a), with the accelerations a of the bodies summed with twice the digits, tells what is missing; a
//! step of iterative refinement with the factors at hand puts it right. [Higham 2002, ch. 12]

use super::{Bearing, Bearings, Loaded};
use crate::math::DVec3;
use crate::math::double::Double;

/// The ratio of masses from which refining pays: below, less than four digits are lost and twelve are left.
const UNEQUAL: f64 = 1e3;

/// Each gains as many digits as the conditioning leaves, at least six.
const ROUNDS: usize = 2;

/// Three components with twice the digits.
type Vector = [Double; 3];

impl Bearings {
    /// Improves the forces that keep every contact in its mode, just found, where masses differ much.
    pub(super) fn refine_held(&mut self, bodies: &[Loaded], contacts: &[Bearing]) {
        let masses = bodies.iter().map(|body| body.inv_mass).filter(|inv| *inv > 0.0);
        let (least, most) = masses.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), m| (a.min(m), b.max(m)));
        if !self.present.is_empty() || self.unknowns.is_empty() || most < UNEQUAL * least {
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

    /// What the present forces do to every body: acceleration and spin rate.
    fn accelerations_of(&self, bodies: &[Loaded], contacts: &[Bearing]) -> Vec<[Vector; 2]> {
        let mut sums = vec![[[Double::ZERO; 3]; 2]; bodies.len()];
        for ((contact, frame), force) in contacts.iter().zip(&self.frames).zip(&self.forces) {
            for (row, f) in frame.rows.iter().zip(force.to_array()) {
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
    fn exact_acceleration(&self, sums: &[[Vector; 2]], contacts: &[Bearing], i: usize, p: usize) -> f64 {
        let (frame, row) = (&self.frames[i], &self.frames[i].rows[p]);
        let mut sum = Double::from(frame.free[p]);
        let sides = [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)];
        for (place, (linear, angular)) in contacts[i].bodies.iter().zip(sides) {
            let [a, spin] = &sums[*place];
            for k in 0..3 {
                sum = sum + Double::from(linear[k]) * a[k] + Double::from(angular[k]) * spin[k];
            }
        }
        sum.value()
    }
}

fn add(sum: &mut Vector, by: DVec3, f: f64) {
    for (sum, by) in sum.iter_mut().zip(by.to_array()) {
        *sum = *sum + Double::from(by) * Double::from(f);
    }
}
