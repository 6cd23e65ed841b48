//! Constraint rows of joints in an impact.

use crate::articulation::factor::Mobility;
use crate::contact::Colliding;
use crate::contact::rest::{Articulation, Shift};
use crate::math::DVec3;
use crate::math::Row;

/// An active limit or a taut rope in an impact; scaled to metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImpactRow {
    pub(crate) articulation: usize,
    pub(crate) row: usize,
    /// Its bodies among the movers; none for a body that cannot move.
    pub(crate) bodies: [Option<usize>; 2],
    pub(crate) form: Row,
    /// The rate before the impact; zero where that of a limit is rounding.
    pub(crate) rate: f64,
    pub(crate) weight: f64,
}

impl ImpactRow {
    /// A row of an articulation as last evaluated, by the indices of both; `ranks` are the bodies of the movers.
    pub(crate) fn new(articulation: &Articulation, (k, row): (usize, usize), ranks: &[u32]) -> Self {
        let mover = |slot: usize| {
            let body = articulation.system.bodies()[slot].index() as u32;
            ranks
                .iter()
                .position(|rank| *rank == body)
                .expect("the bodies of an articulation are gathered together")
        };
        let weight = articulation.weight(row);
        let jet = articulation.equation(row).jet.scaled(weight);
        let bodies = articulation.rows[row].slots.map(|slot| slot.map(mover));
        Self { articulation: k, row, bodies, form: jet.row, rate: jet.rate, weight }
    }

    /// The index of the articulation, and of the row in it.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.articulation, self.row)
    }

    /// The factor that scales it to a length.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// The row times a factor.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.form;
        let form = Row {
            linear_a: factor * linear_a,
            angular_a: factor * angular_a,
            linear_b: factor * linear_b,
            angular_b: factor * angular_b,
        };
        Self { form, ..*self }
    }

    fn sides(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.form;
        let sides = [(self.bodies[0], linear_a, angular_a), (self.bodies[1], linear_b, angular_b)];
        sides.into_iter().filter_map(|(body, linear, angular)| body.map(|body| (body, linear, angular)))
    }

    /// Its rate for velocities of the movers.
    pub(crate) fn rate_of(&self, motions: &[Shift]) -> f64 {
        let of = |(body, linear, angular): (usize, DVec3, DVec3)| {
            linear.dot(motions[body].linear) + angular.dot(motions[body].angular)
        };
        self.sides().map(of).sum()
    }

    /// Adds the velocities that a unit of its impulse causes, without the joints: M⁻¹ Jᵀ.
    pub(crate) fn add_response(&self, mobility: impl Fn(usize) -> Mobility, motions: &mut [Shift]) {
        for (body, linear, angular) in self.sides() {
            let of = mobility(body);
            motions[body].linear += of.inv_mass * linear;
            motions[body].angular += of.inv_inertia * angular;
        }
    }
}

/// Adds the velocities that an impulse at a contact causes, without the joints.
pub(crate) fn add_contact_response(
    contact: &Colliding,
    push: DVec3,
    mobility: impl Fn(usize) -> Mobility,
    motions: &mut [Shift],
) {
    for (side, push) in [(0, push), (1, -push)] {
        let (body, arm) = (contact.bodies[side], contact.arms[side]);
        let of = mobility(body);
        motions[body].linear += of.inv_mass * push;
        motions[body].angular += of.inv_inertia * arm.cross(push);
    }
}

/// The velocity of a relative to b at a contact, for velocities of the movers.
pub(crate) fn relative_velocity(contact: &Colliding, motions: &[Shift]) -> DVec3 {
    let of = |side: usize| {
        let motion = &motions[contact.bodies[side]];
        motion.linear + motion.angular.cross(contact.arms[side])
    };
    of(0) - of(1)
}

/// A row of joint friction in an impact.
#[derive(Debug, Clone)]
pub(crate) struct JointFrictionRow {
    pub(crate) row: ImpactRow,
    /// The velocities of the movers by a unit of its impulse, with the joints in force.
    pub(crate) response: Vec<Shift>,
    /// Its rate by a unit of its own impulse, a diagonal entry of W; zero where it cannot move.
    pub(crate) diagonal: f64,
    /// The impulse along its row, N·s.
    pub(crate) impulse: f64,
    /// The rate after the impact, m/s.
    pub(crate) rate_plus: f64,
}
