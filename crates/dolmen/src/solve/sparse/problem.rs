//! The problem as bodies, contacts and joints give it.

use super::super::Square;
use crate::math::{DMat3, Row};

/// How a body answers force: velocity by impulse, or acceleration by force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mobility {
    /// 1/m; zero for a body that cannot be moved.
    pub inv_mass: f64,
    /// I⁻¹ about the centre of mass, in the frame of the rows; symmetric, positive semidefinite.
    pub inv_inertia: DMat3,
}

/// A contact: normal and two tangents, in this order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRows {
    /// Places of a and b among the bodies; none where that side cannot be moved.
    pub bodies: [Option<usize>; 2],
    /// Rates along the normal (positive apart) and the tangents.
    pub rows: [Row; 3],
    /// The same without contact forces.
    pub free: [f64; 3],
    /// μ ≥ 0; may be infinite.
    pub friction: f64,
    /// What the normal answers its own impulse with, beside the bodies; zero for a contact. Where rows of a disc of a given radius R
    /// stand (a moment bounded by R), the normal has no row, `own` > 0 and is free at −`own` R: its impulse is R, and μ = 1.
    pub own: f64,
}

/// An equation that holds whatever the sign of its multiplier: u = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRow {
    /// Places of a and b among the bodies; none where that side cannot be moved.
    pub bodies: [Option<usize>; 2],
    /// The rate that must vanish.
    pub row: Row,
    /// The same without forces of contacts and joints.
    pub free: f64,
}

/// Bodies, contacts and joints: u = W r + q with the Delassus matrix W = J M⁻¹ Jᵀ, which is never formed.
///
/// The unknowns are three impulses (or forces) of each contact, then one of each joint row.
#[derive(Debug, Clone, Copy)]
pub struct ContactProblem<'a> {
    /// Bodies that can be moved, and perhaps others.
    pub bodies: &'a [Mobility],
    /// Contacts with Coulomb's law.
    pub contacts: &'a [ContactRows],
    /// Equations.
    pub joints: &'a [JointRow],
}

impl ContactProblem<'_> {
    /// Number of unknowns: 3 for each contact, 1 for each joint row.
    pub fn unknowns(&self) -> usize {
        3 * self.contacts.len() + self.joints.len()
    }

    /// Row and bodies of an unknown, and its q.
    fn equation(&self, i: usize) -> ([Option<usize>; 2], &Row, f64) {
        let n = 3 * self.contacts.len();
        if i < n {
            let contact = &self.contacts[i / 3];
            (contact.bodies, &contact.rows[i % 3], contact.free[i % 3])
        } else {
            let joint = &self.joints[i - n];
            (joint.bodies, &joint.row, joint.free)
        }
    }

    /// W as a dense matrix and q, for the solvers of small problems.
    pub fn dense(&self) -> (Square, Vec<f64>) {
        let n = self.unknowns();
        let w = Square::from_fn(n, |i, j| {
            let ((bodies_i, row_i, _), (bodies_j, row_j, _)) = (self.equation(i), self.equation(j));
            let mut sum = 0.0;
            for s in 0..2 {
                for t in 0..2 {
                    if let (Some(a), Some(b)) = (bodies_i[s], bodies_j[t])
                        && a == b
                    {
                        let ((l, m), (p, q)) = (row_i.side(s), row_j.side(t));
                        let body = &self.bodies[a];
                        sum += body.inv_mass * l.dot(p) + m.dot(body.inv_inertia * q);
                    }
                }
            }
            // What has no row of its own stands for itself.
            if i == j && sum == 0.0 && i < 3 * self.contacts.len() { self.contacts[i / 3].own } else { sum }
        });
        (w, (0..n).map(|i| self.equation(i).2).collect())
    }
}
