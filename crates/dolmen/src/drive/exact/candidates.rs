//! Contacts that stay, as the decision on their modes takes them.

use super::held::Held;
use super::simulation::Simulation;
use super::strike::Touching;
use crate::contact::rest::{Bearing, Mode};
use crate::dynamics::Island;
use crate::narrow_phase::ContactId;

/// Slips of several contacts of a pair, all below this many times such a speed, have ended when one has.
const TOGETHER: f64 = 1e3;

/// A contact that stays, as the force solver takes it.
pub(super) struct Candidate {
    pub(super) touching: Touching,
    pub(super) bearing: Bearing,
    pub(super) slides: bool,
    /// How fast it slips, m/s.
    slip: f64,
}

impl Candidate {
    /// Its bodies and features.
    pub(super) fn key(&self) -> ([u32; 2], ContactId) {
        (self.touching.bodies, self.touching.contact.id)
    }
}

impl Simulation {
    /// The contacts that stay, and which of them slip.
    pub(super) fn candidates(&self, t: f64, island: &Island, staying: &[Touching]) -> Vec<Candidate> {
        let candidate = |touching: &Touching| {
            let mut held = Held::new(island);
            let bearing = Bearing {
                bodies: [0; 2],
                function: touching.contact.function,
                static_friction: touching.surface.static_friction,
                kinetic_friction: touching.surface.kinetic_friction,
                mode: Mode::Stick,
                still: self.still_speed(t, touching),
                turning: self.turning_of(touching),
            };
            held.add(island, touching.bodies, touching.contact.id, &bearing);
            let slip = self.slip_speed(t, touching);
            let slides = slip > bearing.still;
            Candidate { touching: *touching, bearing: held.bearings[0], slides, slip }
        };
        let mut candidates: Vec<Candidate> = staying.iter().map(candidate).collect();
        // The slips of a face end together: when one has, those that are about to have ended as well.
        for i in 0..candidates.len() {
            let pair = candidates[i].touching.bodies;
            let same = |c: &&Candidate| c.touching.bodies == pair;
            let about_to = |c: &Candidate| c.slip <= TOGETHER * c.bearing.still;
            if candidates.iter().filter(same).count() > 1 && candidates.iter().filter(same).all(about_to) {
                candidates[i].slides = false;
            }
        }
        candidates
    }

    /// How fast a contact slips, m/s.
    fn slip_speed(&self, t: f64, touching: &Touching) -> f64 {
        let velocity = self.relative_velocity_plus(t, touching);
        (velocity - touching.contact.normal * touching.contact.normal.dot(velocity)).length()
    }

    /// Whether all slips of a pair that touches in several places are about to end, and not all have ended.
    pub(super) fn slips_end(&self, t: f64) -> bool {
        let contacts = &self.cluster.contacts;
        let slips: Vec<f64> =
            contacts.iter().map(|c| self.slip_speed(t, c) / self.still_speed(t, c)).collect();
        let ends = |i: usize| {
            let of_pair = || (0..contacts.len()).filter(|j| contacts[*j].bodies == contacts[i].bodies);
            slips[i] > 1.0 && of_pair().count() > 1 && of_pair().all(|j| slips[j] <= TOGETHER)
        };
        (0..contacts.len()).any(ends)
    }
}
