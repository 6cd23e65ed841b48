//! Persisting contacts, as the mode decision takes them.

use crate::contact::rest::{ContactConstraint, Mode};
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::modes::tolerances::SLIPS_END_TOGETHER;
use crate::drive::exact::state::view::View;
use crate::dynamics::Island;
use crate::narrow_phase::ContactId;

/// A contact that neither separates nor approaches, as the mode decision takes it.
pub(crate) struct PersistingContact {
    pub(crate) touching: Touching,
    pub(crate) constraint: ContactConstraint,
    pub(crate) slides: bool,
    /// Its slip speed, m/s.
    slip: f64,
}

impl PersistingContact {
    /// Its bodies and features.
    pub(crate) fn key(&self) -> ([u32; 2], ContactId) {
        (self.touching.bodies, self.touching.contact.id)
    }
}

impl View<'_> {
    /// The persisting contacts, and which of them slip.
    pub(crate) fn persisting_contacts(
        &self,
        t: f64,
        island: &Island,
        persisting: &[Touching],
    ) -> Vec<PersistingContact> {
        let constrain = |touching: &Touching| {
            let mut active = ActiveSet::new(island);
            let constraint = ContactConstraint {
                bodies: [0; 2],
                function: touching.contact.function,
                static_friction: touching.surface.static_friction,
                kinetic_friction: touching.surface.kinetic_friction,
                mode: Mode::Stick,
                still: self.zero_speed(t, touching),
                rolling: self.state.rolling_resistance_of(touching),
            };
            active.add(island, touching.bodies, touching.contact.id, &constraint);
            let slip = self.state.slip_speed(self.world, t, touching);
            let slides = slip > constraint.still;
            PersistingContact { touching: *touching, constraint: active.constraints[0], slides, slip }
        };
        let mut found: Vec<PersistingContact> = persisting.iter().map(constrain).collect();
        // The slips of a face end together: when one has ended, those about to end have ended as well.
        for i in 0..found.len() {
            let pair = found[i].touching.bodies;
            let same = |c: &&PersistingContact| c.touching.bodies == pair;
            let is_about_to_end = |c: &PersistingContact| c.slip <= SLIPS_END_TOGETHER * c.constraint.still;
            if found.iter().filter(same).count() > 1 && found.iter().filter(same).all(is_about_to_end) {
                found[i].slides = false;
            }
        }
        found
    }

    /// Whether of these contacts all slips of a pair with several are about to end, and not all have ended.
    pub(crate) fn slips_end(&self, t: f64, contacts: &[Touching]) -> bool {
        let slips: Vec<f64> = contacts
            .iter()
            .map(|c| self.state.slip_speed(self.world, t, c) / self.zero_speed(t, c))
            .collect();
        let ends = |i: usize| {
            let of_pair = || (0..contacts.len()).filter(|j| contacts[*j].bodies == contacts[i].bodies);
            slips[i] > 1.0 && of_pair().count() > 1 && of_pair().all(|j| slips[j] <= SLIPS_END_TOGETHER)
        };
        (0..contacts.len()).any(ends)
    }
}
