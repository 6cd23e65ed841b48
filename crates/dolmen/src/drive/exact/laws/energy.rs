//! The ledger balances, and losses only grow.

use super::Laws;
use super::tolerances::ENERGY_ROUNDINGS;
use crate::drive::exact::log::Gain;
use crate::drive::exact::readout;
use crate::drive::exact::tolerances::TOUCHING;
use crate::record::{CheckedLaw, Ledger};
use crate::world::BodyId;

impl Laws<'_> {
    /// The ledger at the present, against that at the start; friction and collisions against those at the last check.
    pub(super) fn check_energy(&mut self, ledger: &Ledger) {
        let error = self.state.laws.balance.add(ledger).abs() - self.energy_rounding(ledger);
        let value = if error <= 0.0 { 0.0 } else { error / self.energy_in_play() };
        self.note(CheckedLaw::Ledger, &[], value);
        let before = self.state.laws.losses.replace(*ledger);
        if let Some(before) = before {
            let gained = (before.friction - ledger.friction).max(before.collisions - ledger.collisions);
            self.note_gain(&[], gained, ledger);
        }
    }

    /// What energies are compared with, J: what was in play so far, a fall of every body by its own size, and a motion by no more than
    /// the contact tolerance since the start. Where nothing moves only rounding is in play.
    fn energy_in_play(&self) -> f64 {
        let gravity = self.world.gravity().length();
        let least = |id: BodyId| {
            let size =
                self.state.detection.collider(id.index() as u32).map_or(0.0, |collider| collider.radius);
            let speed = if self.state.t > 0.0 { TOUCHING * size / self.state.t } else { 0.0 };
            self.world.body(id).inertia().mass * (gravity * size + 0.5 * speed * speed)
        };
        let dynamic = self.world.body_ids().filter(|id| self.world.body(*id).is_dynamic());
        self.state.laws.balance.turnover.max(dynamic.map(least).sum())
    }

    /// The rounding of the energies themselves, J: the potential is a sum of terms that may be larger than itself.
    fn energy_rounding(&self, ledger: &Ledger) -> f64 {
        let gravity = self.world.gravity();
        let dynamic = self.world.body_ids().filter(|id| self.world.body(*id).is_dynamic());
        let weight = |id: BodyId| {
            self.world.body(id).inertia().mass
                * gravity.dot(self.state.states.bodies[id.index()].position).abs()
        };
        let terms: f64 = dynamic.map(weight).sum();
        // Steps and events round sums anew, and their roundings add up as those of a random walk.
        let steps = self.state.statistics().steps + self.state.log.instants;
        let walk = (1.0 + steps as f64).sqrt();
        ENERGY_ROUNDINGS * walk * f64::EPSILON * (ledger.kinetic.abs() + ledger.potential.abs() + terms)
    }

    /// A single event that gave energy.
    pub(crate) fn check_gain(&mut self, gain: &Gain) {
        let ledger = readout::ledger(self.world, self.state);
        self.state.laws.balance.add(&ledger);
        self.note_gain(&gain.bodies, gain.energy, &ledger);
    }

    fn note_gain(&mut self, bodies: &[u32], energy: f64, ledger: &Ledger) {
        let energy = energy - self.energy_rounding(ledger);
        if energy > 0.0 || energy.is_nan() {
            self.note(CheckedLaw::Dissipation, bodies, energy / self.energy_in_play());
        }
    }
}
