//! The ledger balances, and losses only grow.

use super::Laws;
use super::tolerances::ENERGY_ROUNDINGS;
use crate::drive::exact::log::Gain;
use crate::drive::exact::readout;
use crate::drive::exact::tolerances::TOUCHING;
use crate::record::{CheckedLaw, Ledger};
use crate::world::{BodyId, Conflict};

impl Laws<'_> {
    /// The ledger at the start, with which the others are compared.
    pub(super) fn begin_energy(&mut self, ledger: &Ledger) {
        self.state.laws.balance.add(ledger);
        self.state.laws.losses = Some(*ledger);
    }

    /// The ledger at the present, against that at the start; friction and collisions together against those at the last check.
    pub(super) fn check_energy(&mut self, ledger: &Ledger) {
        let error = self.state.laws.balance.add(ledger).abs() - self.energy_rounding(ledger);
        let value = if error <= 0.0 { 0.0 } else { error / self.energy_in_play() };
        // What drives that contradict each other on request do on what follows none of them is not booked.
        if self.world.conflict() == Conflict::Refuse {
            self.note(CheckedLaw::Ledger, &[], value);
        }
        let before = self.state.laws.losses.replace(*ledger);
        if let Some(before) = before {
            // In an impact of several contacts friction may give at one of them what another takes, and so may all friction what
            // restitution takes: events are judged as a whole. Without one, friction of slips stands alone.
            let struck = before.collisions - ledger.collisions;
            self.note_gain(&[], before.friction - ledger.friction + struck, ledger);
        }
        self.check_closing(ledger);
    }

    /// What projections and depenetration gave: how far `closing` is below the most that it ever was.
    ///
    /// It may rise: series of bounces that are closed and errors of time steps take energy. Within a time step it is none of a whole step,
    /// and that at its end is taken. Where bodies are lifted out of overlaps it falls.
    fn check_closing(&mut self, ledger: &Ledger) {
        // Joints that contradict each other, and are to be satisfied as nearly as that goes, give what they cannot all take.
        if self.world.conflict() != Conflict::Refuse {
            return;
        }
        let ahead: f64 = self.state.tracks.iter().map(|track| track.closing_ahead(self.state.t)).sum();
        let closing = ledger.closing + ahead;
        self.state.laws.most_closed = self.state.laws.most_closed.max(closing);
        let given = self.state.laws.most_closed - closing - self.energy_rounding(ledger);
        let giver = self.state.log.take_giver();
        if given > 0.0 || given.is_nan() {
            self.note(CheckedLaw::Closing, &giver.bodies, given / self.energy_in_play());
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::drive::exact::Simulation;
    use crate::record::CheckedLaw;
    use crate::scene::Document;

    /// A ball of 2 m over a floor, weight 1 N: a fall by its own size is 1 J.
    fn ball(laws: &str) -> Simulation {
        let text = format!(
            "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 1\n[laws]\n{laws}\n[[body]]\nname = \"floor\"\n\
             kind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n[[body]]\nname = \"ball\"\nmass = 0.1\n\
             position = [0, 0, 3]\nshape = {{ kind = \"sphere\", radius = 1 }}\n"
        );
        let world =
            Document::parse("test.toml", &text).expect("a scene").build(Path::new(".")).expect("a world");
        Simulation::new(world).expect("a start")
    }

    /// `closing` may rise, and fall by what lifts every body by the overlap that is allowed: 1e-9 of its size without time steps, more
    /// with them. Beyond that projections have given energy, and it is told how much.
    #[test]
    fn energy_given_by_projections_is_told() {
        for (given, longest_step, laws, is_broken) in [
            (-1e-3, 0.0, "", false),
            (0.9e-9, 0.0, "", false),
            (1.1e-9, 0.0, "", true),
            (1.1e-9, 0.0, "closing = 2e-9", false),
            // Arcs of a step of a hundredth of the time in which a body moves by its size are 5e-5 of it high.
            (4e-5, 0.01, "", false),
            (6e-5, 0.01, "", true),
        ] {
            let mut simulation = ball(laws);
            simulation.state.log.longest_share = longest_step;
            simulation.check_laws().expect("finite numbers");
            simulation.state.log.losses.closing += 0.5;
            simulation.check_laws().expect("finite numbers");
            simulation.state.log.losses.closing -= given;
            simulation.check_laws().expect("finite numbers");
            let violations = simulation.take_violations();
            let found = violations.iter().find(|found| found.law == CheckedLaw::Closing);
            assert_eq!(found.is_some(), is_broken, "{given:e} after steps of {longest_step}: {violations:?}");
            if let Some(found) = found {
                // Energy in play: a fall by its own size, and 1e-9 of it is the rounding of the sum.
                assert!((found.value - given).abs() < 1e-3 * given + 1e-13, "{found:?}");
            }
        }
    }
}
