//! Rows of joints at an instant at which velocities jump.

use crate::articulation::factor::Mobility;
use crate::contact::Colliding;
use crate::contact::rest::{Articulation, Shift};
use crate::math::DVec3;
use crate::narrow_phase::Row;

/// A limit or a rope that is reached, at an instant at which velocities jump; in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImpactRow {
    pub(crate) articulation: usize,
    pub(crate) row: usize,
    /// Its bodies among the movers; none for what cannot move.
    pub(crate) bodies: [Option<usize>; 2],
    pub(crate) form: Row,
    /// Before; zero where it is rounding, of a limit.
    pub(crate) rate: f64,
    pub(crate) weight: f64,
}

impl ImpactRow {
    /// A row of an articulation as last evaluated, by the places of both; `ranks` are the bodies of the movers.
    pub(crate) fn new(articulation: &Articulation, (k, row): (usize, usize), ranks: &[u32]) -> Self {
        let mover = |slot: usize| {
            let body = articulation.system.bodies()[slot].index() as u32;
            ranks.iter().position(|rank| *rank == body).expect("joined bodies are gathered together")
        };
        let weight = articulation.weight(row);
        let jet = articulation.equation(row).jet.scaled(weight);
        let bodies = articulation.rows[row].slots.map(|slot| slot.map(mover));
        Self { articulation: k, row, bodies, form: jet.row, rate: jet.rate, weight }
    }

    /// The articulation, and the row of it.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.articulation, self.row)
    }

    /// What it is multiplied by to be a length.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// As many times the row.
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

    fn halves(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        let Row { linear_a, angular_a, linear_b, angular_b } = self.form;
        let sides = [(self.bodies[0], linear_a, angular_a), (self.bodies[1], linear_b, angular_b)];
        sides.into_iter().filter_map(|(body, linear, angular)| body.map(|body| (body, linear, angular)))
    }

    /// Its rate for motions of the movers.
    pub(crate) fn rate_of(&self, motions: &[Shift]) -> f64 {
        let of = |(body, linear, angular): (usize, DVec3, DVec3)| {
            linear.dot(motions[body].linear) + angular.dot(motions[body].angular)
        };
        self.halves().map(of).sum()
    }

    /// What a unit of its impulse does, joints aside.
    pub(crate) fn push(&self, mobility: impl Fn(usize) -> Mobility, motions: &mut [Shift]) {
        for (body, linear, angular) in self.halves() {
            let of = mobility(body);
            motions[body].linear += of.inv_mass * linear;
            motions[body].angular += of.inv_inertia * angular;
        }
    }
}

/// What an impulse at a contact does to its bodies, joints aside.
pub(crate) fn push_at(
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

/// The velocity of a relative to b at a contact, for motions of the movers.
pub(crate) fn at(contact: &Colliding, motions: &[Shift]) -> DVec3 {
    let of = |side: usize| {
        let motion = &motions[contact.bodies[side]];
        motion.linear + motion.angular.cross(contact.arms[side])
    };
    of(0) - of(1)
}

/// A row of friction at an instant at which velocities jump.
#[derive(Debug, Clone)]
pub(crate) struct JointFrictionRow {
    pub(crate) row: ImpactRow,
    /// What a unit of its impulse does to the movers, joints in force.
    pub(crate) response: Vec<Shift>,
    /// Its rate by a unit of its own impulse; zero where it cannot move.
    pub(crate) own: f64,
    /// Along its row, N·s.
    pub(crate) impulse: f64,
    /// The rate after, m/s.
    pub(crate) rate_plus: f64,
}
