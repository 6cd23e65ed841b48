//! The equality solve: contact forces while modes are fixed, a linear system.

use super::{ConstraintSystem, ContactConstraint, Loaded, Mode, ResistanceRow};
use crate::contact::rest::tolerances::SLOW_SLIP;
use crate::math::{DVec3, dvec3};
use crate::solve::Status;

impl ConstraintSystem {
    /// The forces that keep every contact in its mode.
    ///
    /// Unknowns are the normal forces, and both friction forces of sticking contacts; equations are zero acceleration
    /// along the same. Friction of a sliding contact is −μ f û. Where contacts are redundant, the forces of least norm.
    pub fn solve_equalities(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.assemble(bodies, contacts);
        self.solve_assembled(contacts);
        self.refine_equalities(bodies, contacts);
    }

    /// As [`ConstraintSystem::solve_equalities`], where only the accelerations of bodies have changed since the last
    /// call: W and its factors are reused.
    pub fn solve_equalities_again(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.look(bodies, contacts);
        self.solve_factored(contacts);
        self.refine_equalities(bodies, contacts);
    }

    /// As [`ConstraintSystem::solve_equalities`], for the assembled system.
    pub(super) fn solve_assembled(&mut self, contacts: &[ContactConstraint]) {
        self.unknowns.clear();
        for (i, contact) in contacts.iter().enumerate() {
            self.unknowns.push((i, 0));
            if contact.mode == Mode::Stick {
                self.unknowns.extend([(i, 1), (i, 2)]);
            }
        }
        self.add_resistance_unknowns();
        let size = self.unknowns.len();
        let mut unit_forces = std::mem::take(&mut self.unit_forces);
        unit_forces.clear();
        unit_forces.extend(self.unknowns.iter().map(|(j, q)| self.unit_force(contacts.get(*j), *j, *q)));
        let mut factors = std::mem::take(&mut self.factors);
        factors.factor(size, |e, u| {
            let ((i, p), (j, q)) = (self.unknowns[e], self.unknowns[u]);
            let by = self.block(i, j).row(p).dot(unit_forces[u]);
            if q > 0 || self.resistance.is_empty() { by } else { by + self.by_resistance((i, p), j) }
        });
        self.factors = factors;
        self.unit_forces = unit_forces;
        self.solve_factored(contacts);
    }

    /// The same with the current factors.
    fn solve_factored(&mut self, contacts: &[ContactConstraint]) {
        let mut factors = std::mem::take(&mut self.factors);
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.extend(self.unknowns.iter().map(|(i, p)| -self.free(*i)[*p]));
        self.right = right;
        self.solution.clear();
        self.solution.resize(self.unknowns.len(), 0.0);
        let left = factors.solve(&self.right, &mut self.solution);
        let scale = self.right.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.residual = if left == 0.0 { 0.0 } else { left / scale };
        self.is_unique = factors.is_unique();
        self.ended = (Status::Solved, 1);
        self.factors = factors;
        self.spread(contacts);
    }

    /// Writes the solution into the forces.
    pub(super) fn spread(&mut self, contacts: &[ContactConstraint]) {
        self.forces.clear();
        self.forces.resize(contacts.len(), DVec3::ZERO);
        self.resistance_forces.fill(DVec3::ZERO);
        for u in 0..self.unknowns.len() {
            let (j, q) = self.unknowns[u];
            let unit_force = self.unit_force(contacts.get(j), j, q);
            let force = self.solution[u] * unit_force;
            match j.checked_sub(contacts.len()) {
                Some(d) => self.resistance_forces[d] += force,
                None => self.forces[j] += force,
            }
        }
        for (d, resistance) in self.resistance.iter().enumerate() {
            let normal_force = self.forces[resistance.of].x;
            self.resistance_forces[d] += normal_force * sliding_moment(resistance);
        }
    }

    /// Adds the components of sticking resistance moments to the unknowns.
    pub(super) fn add_resistance_unknowns(&mut self) {
        let n = self.frames.len();
        for (d, resistance) in
            self.resistance.iter().enumerate().filter(|(_, resistance)| resistance.mode == Mode::Stick)
        {
            self.unknowns.extend(resistance.own().map(|p| (n + d, p)));
        }
    }

    /// The effect of a unit of normal force at a contact on a component, through its sliding resistance moments.
    fn by_resistance(&self, (i, p): (usize, usize), contact: usize) -> f64 {
        let n = self.frames.len();
        if contact >= n {
            return 0.0;
        }
        let of = |d: usize| self.block(i, n + d).row(p).dot(sliding_moment(&self.resistance[d]));
        self.dry_of(contact).map(of).sum()
    }

    /// The force in the frame of a contact per unit of one of its unknowns.
    fn unit_force(&self, contact: Option<&ContactConstraint>, j: usize, q: usize) -> DVec3 {
        match (q, contact.map(|contact| (contact, contact.mode))) {
            (0, Some((contact, Mode::Slide { begins }))) => {
                let frame = &self.frames[j];
                let slip = sliding_direction(
                    (frame.velocity, contact.still),
                    dvec3(0.0, frame.tangents[0].dot(begins), frame.tangents[1].dot(begins)),
                );
                DVec3::X - contact.kinetic_friction * slip
            }
            _ => DVec3::AXES[q],
        }
    }
}

/// The force of a sliding resistance moment per unit of normal force: against the rotation. Zero for a sticking one.
fn sliding_moment(resistance: &ResistanceRow) -> DVec3 {
    match resistance.mode {
        Mode::Stick => DVec3::ZERO,
        Mode::Slide { begins } => {
            let along = resistance.components(begins).normalize_or_zero();
            let turn = resistance.velocity.dot(along) * along + resistance.aside(begins);
            -resistance.share * sliding_direction((turn, resistance.still), along)
        }
    }
}

/// The unit slip direction in the frame of a contact; where the slip is barely above `still`, it blends into the
/// initial direction. So forces are continuous where a slip begins, and through the instant at which it ends.
fn sliding_direction((velocity, still): (DVec3, f64), begins: DVec3) -> DVec3 {
    let slip = dvec3(0.0, velocity.y, velocity.z);
    let begins = begins.normalize_or_zero();
    let along = slip.dot(begins);
    let across = slip - along * begins;
    // The share of the initial direction falls with the square of the slip, so that none is left in a fast slip.
    let slow = SLOW_SLIP * still;
    let share = if slow > 0.0 { slow * slow / (slow + slip.length()) } else { 0.0 };
    ((along.max(0.0) + share) * begins + across).normalize_or_zero()
}
