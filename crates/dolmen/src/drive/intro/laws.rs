//! Laws that every step is held to: the ledger, no event gives energy, no overlap is left behind.

use super::IntroSimulation;
use super::tolerances::{LEDGER, ROUNDINGS};
use crate::math::DVec3;
use crate::record::{Balance, CheckedLaw, LawStatus, Violation};
use crate::world::{BodyId, World};

/// The laws of the loop.
const CHECKED: [CheckedLaw; 3] = [CheckedLaw::Ledger, CheckedLaw::Overlap, CheckedLaw::Dissipation];

/// How the run stands with the laws.
#[derive(Debug, Clone, Default)]
pub(super) struct LawRecord {
    balance: Balance,
    /// The most that was found, for each law.
    reached: [f64; CheckedLaw::ALL.len()],
    pub(super) violations: Vec<Violation>,
}

impl LawRecord {
    /// Every law that the loop is held to.
    pub(super) fn status(&self, world: &World) -> Vec<LawStatus> {
        let of = |law: &CheckedLaw| LawStatus {
            law: *law,
            bound: bound(world, *law),
            reached: self.reached[*law as usize],
        };
        CHECKED.iter().map(of).collect()
    }
}

fn bound(world: &World, law: CheckedLaw) -> f64 {
    let bounds = world.laws();
    match law {
        CheckedLaw::Ledger => bounds.ledger.unwrap_or(LEDGER),
        CheckedLaw::Overlap => bounds.overlap.unwrap_or(1.0),
        _ => bounds.dissipation,
    }
}

impl IntroSimulation {
    /// Holds the present state against the ledger and the overlaps.
    pub(super) fn check_laws(&mut self) {
        let ledger = self.ledger();
        let error = self.laws.balance.add(&ledger);
        let rounding = self.energy_rounding(ledger.kinetic.abs() + ledger.potential.abs());
        let error = if error.abs() <= rounding { 0.0 } else { error.abs() - rounding };
        let value = if error == 0.0 { 0.0 } else { error / self.energy_in_play() };
        self.note(CheckedLaw::Ledger, &[], value);
        let deepest = self.touches.iter().min_by(|a, b| a.by_tolerance.total_cmp(&b.by_tolerance)).copied();
        if let Some(touch) = deepest.filter(|touch| touch.by_tolerance < 0.0) {
            self.note(CheckedLaw::Overlap, &touch.bodies, -touch.by_tolerance);
        }
    }

    /// An instant of collisions gave this much energy, J, if it is positive.
    pub(super) fn check_gain(&mut self, bodies: &[usize], energy: f64) {
        let gained = energy - self.energy_rounding(self.kinetic_energy(&self.states));
        if gained > 0.0 || gained.is_nan() {
            self.note(CheckedLaw::Dissipation, bodies, gained / self.energy_in_play());
        }
    }

    /// The energy that was in play so far, or at least a fall of every body by its own size, J.
    fn energy_in_play(&self) -> f64 {
        let gravity = self.world.gravity().length();
        let fall = |body: &crate::world::Body| {
            let size = body.shape().map_or(0.0, |shape| shape.bounding_radius(DVec3::ZERO));
            body.inertia().mass * gravity * size
        };
        let falls: f64 = self.world.bodies().iter().filter(|body| body.is_dynamic()).map(fall).sum();
        self.laws.balance.turnover.max(self.kinetic_energy(&self.states)).max(falls).max(f64::MIN_POSITIVE)
    }

    fn energy_rounding(&self, energies: f64) -> f64 {
        let gravity = self.world.gravity();
        let dynamic = (0..self.states.len()).filter(|body| self.world.bodies()[*body].is_dynamic());
        let weight = |body: usize| {
            self.world.bodies()[body].inertia().mass * gravity.dot(self.states[body].position).abs()
        };
        let terms: f64 = dynamic.map(weight).sum();
        ROUNDINGS * (1.0 + self.statistics.steps as f64).sqrt() * (energies + terms)
    }

    /// Takes note of a value; beyond its bound it is a violation, told once for each law.
    fn note(&mut self, law: CheckedLaw, bodies: &[usize], value: f64) {
        let bound = bound(&self.world, law);
        let reached = &mut self.laws.reached[law as usize];
        let held = *reached <= bound;
        // A number that is not finite must show, where a comparison would drop it.
        if value.is_nan() || value > *reached {
            *reached = value;
        }
        if held && (value.is_nan() || value > bound) {
            let bodies = bodies.iter().map(|body| BodyId::from_rank(*body)).collect();
            self.laws.violations.push(Violation {
                t: self.t,
                law,
                bodies,
                joint: None,
                solve: None,
                value,
                bound,
            });
        }
    }
}
