//! Joint rows that need not act, in the complementarity problem of the contacts.
//!
//! A limit or a rope is a row with a nonnegative force; friction or a motor is one with a force within bounds. Each
//! takes the place of a contact in the problem. A limit: its row along the normal, no friction. A bounded row: a normal
//! force fixed at the bound, the row along the first tangent, μ = 1. Components without a row are decoupled.

use super::super::{ConstraintSystem, ContactConstraint, Loaded, Shift};
use super::along;
use crate::articulation::NO_MOBILITY;
use crate::math::DVec3;
use crate::math::Row;

/// The bound on the force of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Not negative; zero where the row accelerates.
    AtLeast,
    /// Within ± this, N; at the bound against an acceleration.
    Within(f64),
}

/// A row beside the contacts, scaled to metres.
#[derive(Debug, Clone, Copy)]
pub struct Extra {
    /// The bodies on its two sides, by their index in the list of bodies; none for a body that cannot move.
    pub bodies: [Option<usize>; 2],
    /// Velocities → rate.
    pub row: Row,
    /// Its acceleration without forces of contacts and rows, m/s²; in a time step, its rate.
    pub free: f64,
    /// The bound on its force.
    pub bound: Bound,
}

impl Extra {
    fn sides(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.row;
        let sides = [(self.bodies[0], linear_a, angular_a), (self.bodies[1], linear_b, angular_b)];
        sides.into_iter().filter_map(|(body, linear, angular)| body.map(|body| (body, linear, angular)))
    }

    /// Its rate for velocities of the bodies.
    pub fn rate(&self, motions: &[Shift]) -> f64 {
        self.sides()
            .map(|(body, linear, angular)| {
                linear.dot(motions[body].linear) + angular.dot(motions[body].angular)
            })
            .sum()
    }

    /// Its rate by a force of it, without joints.
    pub(super) fn mobility(&self, bodies: &[Loaded]) -> f64 {
        let of = |(body, linear, angular): (usize, DVec3, DVec3)| {
            bodies[body].inv_mass * linear.length_squared() + angular.dot(bodies[body].inv_inertia * angular)
        };
        self.sides().map(of).sum()
    }

    /// Adds the response of the bodies to a force of it, without joints.
    pub fn push(&self, bodies: &[Loaded], force: f64, motions: &mut [Shift]) {
        for (body, linear, angular) in self.sides() {
            motions[body].linear += force * bodies[body].inv_mass * linear;
            motions[body].angular += force * (bodies[body].inv_inertia * angular);
        }
    }
}

/// The couplings of rows beside the contacts with each other and with the contacts.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Couplings {
    /// Acceleration of row i by force of row j, at i·m + j; at least a tiny share on the diagonal.
    w: Vec<f64>,
    /// Acceleration of contact or resistance moment i by force of row j, in its frame, at i·m + j.
    contacts: Vec<DVec3>,
}

/// The kind of a component of the problem.
enum Part {
    /// Of a contact or, after the contacts, of a resistance moment.
    Contact(usize, usize),
    Row(usize),
    /// It has no row; the stand-in for W there.
    Idle(f64),
}

impl ConstraintSystem {
    /// Assembles W of the rows beside the contacts, with the joints in force.
    pub(in super::super) fn assemble_extra(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        let (n, m) = (self.count(), self.extra.len());
        self.couplings.w.clear();
        self.couplings.w.resize(m * m, 0.0);
        self.couplings.contacts.clear();
        self.couplings.contacts.resize(n * m, DVec3::ZERO);
        let mut motions = Vec::new();
        for j in 0..m {
            motions.clear();
            motions.resize(bodies.len(), Shift::default());
            self.extra[j].push(bodies, 1.0, &mut motions);
            let alone = self.extra[j].rate(&motions);
            for k in &self.present {
                self.articulations[*k].respond(|place| bodies[place].mobility(), &mut motions);
            }
            for i in 0..m {
                self.couplings.w[i * m + j] = self.extra[i].rate(&motions);
            }
            for i in 0..n {
                let by = along(self.rows(i), self.places(contacts, i), &motions);
                self.couplings.contacts[i * m + j] = by;
            }
            if self.couplings.w[j * m + j] <= NO_MOBILITY * alone {
                // It cannot move: its force changes nothing.
                (0..m).for_each(|i| self.couplings.w[i * m + j] = 0.0);
                (0..m).for_each(|i| self.couplings.w[j * m + i] = 0.0);
                (0..n).for_each(|i| self.couplings.contacts[i * m + j] = DVec3::ZERO);
                self.couplings.w[j * m + j] = alone;
                self.extra[j].free = 0.0;
            }
        }
    }

    fn part(&self, component: usize) -> Part {
        let (i, p) = (component / 3, component % 3);
        if let Some(e) = i.checked_sub(self.count()) {
            let own = usize::from(self.extra[e].bound != Bound::AtLeast);
            let m = self.extra.len();
            return if p == own { Part::Row(e) } else { Part::Idle(self.couplings.w[e * m + e]) };
        }
        match i.checked_sub(self.frames.len()) {
            Some(d) if !self.resistance[d].own().contains(&p) => Part::Idle(self.resistance[d].mobility),
            _ => Part::Contact(i, p),
        }
    }

    /// An entry of W over all components of contacts, then of resistance moments, then of rows.
    pub(in super::super) fn entry(&self, i: usize, j: usize) -> f64 {
        let m = self.extra.len();
        match (self.part(i), self.part(j)) {
            (Part::Contact(a, p), Part::Contact(b, q)) => self.block(a, b).col(q)[p],
            (Part::Contact(a, p), Part::Row(e)) | (Part::Row(e), Part::Contact(a, p)) => {
                self.couplings.contacts[a * m + e][p]
            }
            // Symmetrised: rounding must not make it unsymmetric.
            (Part::Row(e), Part::Row(f)) => self.couplings.w[e.min(f) * m + e.max(f)],
            (Part::Idle(own), Part::Idle(_)) if i == j => own,
            _ => 0.0,
        }
    }

    /// Appends the entries of resistance moments to the accelerations without forces: their normal force is their
    /// bound.
    pub(in super::super) fn extend_resistance(
        &self,
        q: &mut Vec<f64>,
        limits: &[f64],
        free: impl Fn(usize) -> DVec3,
    ) {
        for (d, limit) in limits.iter().enumerate() {
            let free = free(d);
            q.extend([-self.resistance[d].mobility * limit, free.y, free.z]);
        }
    }

    /// Appends the accelerations of the rows without forces.
    pub(in super::super) fn extend_free(&self, q: &mut Vec<f64>) {
        let m = self.extra.len();
        for (e, extra) in self.extra.iter().enumerate() {
            match extra.bound {
                Bound::AtLeast => q.extend([extra.free, 0.0, 0.0]),
                Bound::Within(limit) => q.extend([-self.couplings.w[e * m + e] * limit, extra.free, 0.0]),
            }
        }
    }

    /// Appends the friction of the rows.
    pub(in super::super) fn extend_friction(&self, friction: &mut Vec<f64>) {
        let of = |extra: &Extra| if extra.bound == Bound::AtLeast { 0.0 } else { 1.0 };
        friction.extend(self.extra.iter().map(of));
    }

    /// Writes the forces of resistance moments and of rows from a solution.
    pub(in super::super) fn take_extra_forces(&mut self, r: &[f64]) {
        let n = self.frames.len();
        for (d, force) in self.resistance_forces.iter_mut().enumerate() {
            let at = 3 * (n + d);
            let z = if self.resistance[d].part == super::super::Part::Roll { r[at + 2] } else { 0.0 };
            *force = DVec3::new(0.0, r[at + 1], z);
        }
        let first = 3 * self.count();
        self.extra_forces.clear();
        for (e, extra) in self.extra.iter().enumerate() {
            let at = first + 3 * e;
            self.extra_forces.push(if extra.bound == Bound::AtLeast { r[at] } else { r[at + 1] });
        }
    }

    /// The acceleration of a contact by the forces of the rows, in its frame.
    pub(in super::super) fn acceleration_by_extra(&self, i: usize) -> DVec3 {
        let m = self.extra.len();
        let of = |(e, force): (usize, &f64)| *force * self.couplings.contacts[i * m + e];
        self.extra_forces.iter().take(m).enumerate().map(of).sum()
    }

    /// The largest acceleration of contacts and rows without their forces.
    pub(in super::super) fn fastest(&self) -> f64 {
        let contacts = self.frames.iter().map(|frame| frame.free.length());
        let contacts = contacts.chain(self.resistance.iter().map(|resistance| resistance.free.length()));
        contacts.chain(self.extra.iter().map(|extra| extra.free.abs())).fold(0.0, f64::max)
    }
}
