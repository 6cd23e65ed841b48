//! Projection onto the contacts: the least change, in the metric of the masses, that makes given components zero.

use super::{ConstraintSystem, ContactConstraint, Loaded, Mode};
use crate::contact::rest::tolerances::{MAX_SHIFT, SMALL_SHIFT};
use crate::math::{DVec3, Twist};

/// A change of position or velocity of a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shift {
    /// m or m/s.
    pub linear: DVec3,
    /// rad or rad/s.
    pub angular: DVec3,
}

/// The level of a projection onto contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shifted {
    /// Where they are.
    Positions,
    /// How they move.
    Velocities,
}

impl ConstraintSystem {
    /// Whether the last change moves bodies far beyond what it should correct.
    pub fn is_leap(&self, bodies: &[Loaded], level: Shifted, shifts: &[Shift]) -> bool {
        let taken = self.right.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let leaps = |(body, shift): (&Loaded, &Shift)| {
            // The radius of gyration; nothing rotates a body without inertia.
            let turns = body.inv_inertia.x_axis.x + body.inv_inertia.y_axis.y + body.inv_inertia.z_axis.z;
            let size = if turns > 0.0 { (3.0 * body.inv_mass / turns).sqrt() } else { 0.0 };
            let Twist { velocity, spin } = body.kinematics.twist;
            let slight = match level {
                Shifted::Positions => size,
                Shifted::Velocities => {
                    let fall = (body.kinematics.acceleration.length() * size).sqrt();
                    velocity.length() + spin.length() * size + fall
                }
            };
            shift.linear.length() + shift.angular.length() * size
                > (MAX_SHIFT * taken).max(SMALL_SHIFT * slight)
        };
        bodies.iter().zip(shifts).any(leaps)
    }

    /// The changes of position that make all separations zero, to first order.
    pub fn shift_positions(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        shifts: &mut Vec<Shift>,
    ) {
        self.assemble(bodies, contacts);
        self.unknowns.clear();
        self.unknowns.extend((0..contacts.len()).map(|i| (i, 0)));
        self.right.clear();
        self.right.extend(self.frames.iter().map(|frame| -frame.separation));
        self.shift(bodies, contacts, shifts);
    }

    /// The changes of velocity that make all normal velocities, the slips of sticking contacts and the rates of
    /// sticking resistance moments zero.
    pub fn shift_velocities(
        &mut self,
        bodies: &[Loaded],
        contacts: &[ContactConstraint],
        shifts: &mut Vec<Shift>,
    ) {
        self.assemble(bodies, contacts);
        self.unknowns.clear();
        for (i, contact) in contacts.iter().enumerate() {
            self.unknowns.push((i, 0));
            if contact.mode == Mode::Stick {
                self.unknowns.extend([(i, 1), (i, 2)]);
            }
        }
        self.add_resistance_unknowns();
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.extend(self.unknowns.iter().map(|(i, p)| -self.velocity(*i)[*p]));
        self.right = right;
        self.shift(bodies, contacts, shifts);
    }

    /// The work that what moves as prescribed does by the last change of velocities, J: a support that goes up lifts what it stops.
    pub fn work_of_supports(&self, bodies: &[Loaded], contacts: &[ContactConstraint]) -> f64 {
        let mut work = 0.0;
        for ((j, q), lambda) in self.unknowns.iter().zip(&self.solution) {
            let row = &self.rows(*j)[*q];
            let [a, b] = self.places(contacts, *j);
            for (body, linear, angular) in
                [(a, row.linear_a, row.angular_a), (b, row.linear_b, row.angular_b)]
            {
                if bodies[body].inv_mass == 0.0 {
                    let Twist { velocity, spin } = bodies[body].kinematics.twist;
                    work -= lambda * (linear.dot(velocity) + angular.dot(spin));
                }
            }
        }
        work
    }

    /// M⁻¹ Jᵀ λ with J M⁻¹ Jᵀ λ = right, over the unknowns.
    fn shift(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint], shifts: &mut Vec<Shift>) {
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
    pub(super) fn apply(&self, bodies: &[Loaded], contacts: &[ContactConstraint], shifts: &mut Vec<Shift>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Kinematics;
    use crate::math::{DMat3, Pose};
    use crate::narrow_phase::{ContactFunction, NormalRule};

    /// A plate of 1 kg, some 1 m across, over a floor, with contacts on both sides of its middle and opposite
    /// separations.
    fn plate(apart: f64, separation: f64) -> ([Loaded; 2], [ContactConstraint; 2]) {
        let at = |z: f64| Kinematics {
            pose: Pose { position: DVec3::new(0.0, 0.0, z), ..Pose::IDENTITY },
            twist: Twist { velocity: DVec3::ZERO, spin: DVec3::ZERO },
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        };
        let moved = Loaded { inv_mass: 1.0, inv_inertia: 12.0 * DMat3::IDENTITY, kinematics: at(0.1) };
        let floor = Loaded { inv_mass: 0.0, inv_inertia: DMat3::ZERO, kinematics: at(0.0) };
        let contact = |side: f64| ContactConstraint {
            bodies: [0, 1],
            function: ContactFunction {
                point_a: DVec3::new(0.5 * side * apart, 0.0, -0.1),
                point_b: DVec3::new(0.5 * side * apart, 0.0, -side * separation),
                normal: NormalRule::OfB(DVec3::Z),
            },
            static_friction: 0.0,
            kinetic_friction: 0.0,
            mode: Mode::Stick,
            still: 0.0,
            rolling: None,
        };
        ([moved, floor], [contact(-1.0), contact(1.0)])
    }

    /// Contacts far apart determine the tilt of the plate, and the projection follows. For contacts 10 µm apart the
    /// same separations would tilt it a hundred thousand times as far, and it does not follow; nor do separations of
    /// rounding matter there.
    #[test]
    fn rounding_moves_no_body() {
        for (apart, separation, leaps) in [(1.0, 1e-10, false), (1e-5, 1e-10, true), (1e-5, 1e-16, false)] {
            let (bodies, contacts) = plate(apart, separation);
            let (mut constraints, mut shifts) = (ConstraintSystem::default(), Vec::new());
            constraints.shift_positions(&bodies, &contacts, &mut shifts);
            let tilt = shifts[0].angular.length();
            let expected = 2.0 * separation / apart;
            assert!((tilt - expected).abs() <= 1e-4 * expected + 1e-11, "{apart}: {tilt:e} for {expected:e}");
            assert_eq!(
                constraints.is_leap(&bodies, Shifted::Positions, &shifts),
                leaps,
                "{apart} {separation:e}"
            );
        }
    }
}
