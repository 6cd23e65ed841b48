//! Contacts with rolling and spinning resistance: when they roll, when they stick again, and the log of it.

use crate::contact::rest::{Mode, RollingResistance};
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::state::State;
use crate::math::DVec3;
use crate::narrow_phase::{ContactId, Feature};
use crate::record::{Event, EventKind, EventPlace};
use crate::world::World;

/// A contact with rolling resistance: its bodies and features, whether it rolls, and whether it spins.
pub(crate) type RollingContact = (([u32; 2], ContactId), [bool; 2]);

impl Modes<'_> {
    /// Logs contacts that start or stop rolling or spinning against their resistance: those on `tracks` now, against
    /// those before.
    pub(crate) fn log_rolling(&mut self, t: f64, before: &[RollingContact], tracks: &[usize]) {
        let now = self.state.rolling_contacts(tracks);
        for ((pair, id), turns) in now {
            let old = before.iter().find(|(contact, _)| *contact == (pair, id)).map(|(_, turns)| *turns);
            let kinds = [[EventKind::Rolled, EventKind::Roll], [EventKind::Spun, EventKind::Spin]];
            for (part, kinds) in kinds.iter().enumerate() {
                // A new contact that sticks has not stopped anything.
                if old.map_or(!turns[part], |old| old[part] == turns[part]) {
                    continue;
                }
                let placed = tracks.iter().find_map(|k| self.state.placed(self.world, t, *k, (pair, id)));
                let Some((point, normal)) = placed else { continue };
                let velocity = self.state.relative_velocity_at(self.world, t, pair, point);
                let (kind, place) =
                    (kinds[usize::from(turns[part])], EventPlace::new(pair, id, point, normal));
                self.state.log.add(Event {
                    approach: normal.dot(velocity),
                    separation: normal.dot(velocity),
                    law: self.world.contact().law,
                    ..Event::new(t, self.state.log.instants, kind, place)
                });
            }
        }
    }
}

impl State {
    /// The rolling resistance of a contact: for round surfaces only. Flat ones rest on several points, which resist by
    /// themselves.
    pub(crate) fn rolling_resistance_of(&self, touching: &Touching) -> Option<RollingResistance> {
        let (rolling, spinning) = (touching.surface.rolling_resistance, touching.surface.spinning_resistance);
        let ContactId { a, b } = touching.contact.id;
        let is_round = [a, b].iter().any(|f| matches!(f, Feature::Surface(_) | Feature::Rim(_)));
        if !is_round || (rolling == 0.0 && spinning == 0.0) {
            return None;
        }
        let radius = |body: &u32| self.detection.collider(*body).map_or(f64::INFINITY, |c| c.radius);
        let arm = touching.bodies.iter().map(radius).fold(f64::INFINITY, f64::min);
        (arm > 0.0 && arm.is_finite()).then_some(RollingResistance {
            rolling,
            spinning,
            roll: Mode::Stick,
            spin: Mode::Stick,
            arm,
        })
    }

    /// The contacts of these tracks with rolling resistance, and their modes.
    pub(crate) fn rolling_contacts(&self, tracks: &[usize]) -> Vec<RollingContact> {
        let mut found = Vec::new();
        for active in tracks.iter().filter_map(|k| self.tracks[*k].active.as_ref()) {
            for ((pair, id), constraint) in active.pairs.iter().zip(&active.features).zip(&active.constraints)
            {
                if let Some(rolling) = &constraint.rolling {
                    let turns = [rolling.roll, rolling.spin].map(|mode| mode != Mode::Stick);
                    found.push(((*pair, *id), turns));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The point of a contact of a track, and its normal.
    pub(crate) fn placed(
        &self,
        world: &World,
        t: f64,
        track: usize,
        contact: ([u32; 2], ContactId),
    ) -> Option<(DVec3, DVec3)> {
        let active = self.tracks[track].active.as_ref()?;
        let i = (0..active.pairs.len()).find(|i| (active.pairs[*i], active.features[*i]) == contact)?;
        let [a, b] = contact.0.map(|body| self.pose_and_twist(world, t, body).0);
        let function = &active.constraints[i].function;
        Some((function.points(&a, &b)[0], function.normal(&a, &b)))
    }
}
