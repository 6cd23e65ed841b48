//! Contacts that resist rolling and spinning: when they yield, when they hold again, and what is logged of it.

use super::guards::{has_turned, worse};
use super::held::Held;
use super::simulation::Simulation;
use super::strike::Touching;
use crate::contact::Restitution;
use crate::contact::rest::{Bearing, Bearings, Dry, Mode, Part, Turning};
use crate::math::DVec3;
use crate::narrow_phase::{ContactId, Feature};
use crate::record::{Event, EventKind, Note};
use crate::world::BodyId;

/// A contact that resists turning: its bodies and features, whether it rolls, and whether it spins.
pub(super) type TurningContact = (([u32; 2], ContactId), [bool; 2]);

impl Simulation {
    /// How a contact resists turning: of round surfaces only. Flat ones rest on several points, which resist by themselves.
    pub(super) fn turning_of(&self, touching: &Touching) -> Option<Turning> {
        let (rolling, spinning) = (touching.surface.rolling_resistance, touching.surface.spinning_resistance);
        let ContactId { a, b } = touching.contact.id;
        let is_round = [a, b].iter().any(|f| matches!(f, Feature::Surface(_) | Feature::Rim(_)));
        if !is_round || (rolling == 0.0 && spinning == 0.0) {
            return None;
        }
        let radius = |body: &u32| self.detection.collider(*body).map_or(f64::INFINITY, |c| c.radius);
        let arm = touching.bodies.iter().map(radius).fold(f64::INFINITY, f64::min);
        (arm > 0.0 && arm.is_finite()).then_some(Turning {
            rolling,
            spinning,
            roll: Mode::Stick,
            spin: Mode::Stick,
            arm,
        })
    }

    /// What the contacts of these tracks do that resist turning.
    pub(super) fn turning_contacts(&self, tracks: &[usize]) -> Vec<TurningContact> {
        let mut found = Vec::new();
        for held in tracks.iter().filter_map(|k| self.tracks[*k].held.as_ref()) {
            for ((pair, id), bearing) in held.pairs.iter().zip(&held.features).zip(&held.bearings) {
                if let Some(turning) = &bearing.turning {
                    let turns = [turning.roll, turning.spin].map(|mode| mode != Mode::Stick);
                    found.push(((*pair, *id), turns));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Logs contacts that began or ceased to roll or to spin against their resistance.
    pub(super) fn log_turning(&mut self, t: f64, before: &[TurningContact]) {
        let made = std::mem::take(&mut self.made);
        let now = self.turning_contacts(&made);
        for ((pair, id), turns) in now {
            let old = before.iter().find(|(contact, _)| *contact == (pair, id)).map(|(_, turns)| *turns);
            let kinds = [[EventKind::Rolled, EventKind::Roll], [EventKind::Spun, EventKind::Spin]];
            for (part, kinds) in kinds.iter().enumerate() {
                // One that is new and holds has not ceased to do anything.
                if old.map_or(!turns[part], |old| old[part] == turns[part]) {
                    continue;
                }
                let placed = made.iter().find_map(|k| self.placed(t, *k, (pair, id)));
                let Some((point, normal)) = placed else { continue };
                let velocity = self.relative_velocity_at(t, pair, point);
                self.log.add(Event {
                    t,
                    group: self.log.instants,
                    kind: kinds[usize::from(turns[part])],
                    bodies: pair.map(|body| BodyId::from_rank(body as usize)),
                    features: id,
                    point,
                    normal,
                    approach: normal.dot(velocity),
                    separation: normal.dot(velocity),
                    impulse: 0.0,
                    friction: DVec3::ZERO,
                    lost: 0.0,
                    law: self.world.contact().law,
                    restitution: Restitution::default(),
                    rounds: 0,
                    note: Note::Determinate,
                });
            }
        }
        self.made = made;
    }

    /// Where a contact of a track is, and its normal.
    fn placed(&self, t: f64, track: usize, contact: ([u32; 2], ContactId)) -> Option<(DVec3, DVec3)> {
        let held = self.tracks[track].held.as_ref()?;
        let i = (0..held.pairs.len()).find(|i| (held.pairs[*i], held.features[*i]) == contact)?;
        let [a, b] = contact.0.map(|body| self.pose_and_twist(t, body).0);
        let function = &held.bearings[i].function;
        Some((function.points(&a, &b)[0], function.normal(&a, &b)))
    }
}

/// Sets the modes of a bearing that resists turning, as found.
pub(super) fn with_modes(bearing: &Bearing, modes: [Mode; 2]) -> Bearing {
    let turning = bearing.turning.map(|turning| Turning { roll: modes[0], spin: modes[1], ..turning });
    Bearing { turning, ..*bearing }
}

/// By how much a dry moment that yields turns back against the direction in which it began to; above zero it has come to its end.
/// `rounding` is that of accelerations, m/s².
pub(super) fn turned_back(bearings: &Bearings, rounding: f64) -> f64 {
    let back = |(d, dry): (usize, &Dry)| match dry.mode {
        Mode::Stick => f64::NEG_INFINITY,
        Mode::Slide { begins } => {
            let begins = dry.components(begins);
            if dry.turns() {
                -dry.velocity.dot(begins)
            } else {
                -rounding * begins.length() - bearings.dry_acceleration(d).dot(begins)
            }
        }
    };
    bearings.dry.iter().enumerate().map(back).fold(f64::NEG_INFINITY, worse)
}

/// By how much a dry moment that holds is beyond its bound, but for `slack`, N.
pub(super) fn excess(bearings: &Bearings, slack: f64) -> f64 {
    let beyond = |(d, dry): (usize, &Dry)| match dry.mode {
        Mode::Stick => bearings.dry_forces[d].length() - bearings.dry_limit(d) - slack,
        Mode::Slide { .. } => f64::NEG_INFINITY,
    };
    bearings.dry.iter().enumerate().map(beyond).fold(f64::NEG_INFINITY, worse)
}

/// What dry moments that hold and turns that go on have to spare, N or m/s.
pub(super) fn add_margins(bearings: &Bearings, margins: &mut Vec<f64>) {
    margins.extend(bearings.dry.iter().enumerate().map(|(d, dry)| match dry.mode {
        Mode::Stick => bearings.dry_limit(d) - bearings.dry_forces[d].length(),
        Mode::Slide { begins } => dry.velocity.dot(dry.components(begins).normalize_or_zero()),
    }));
}

/// The directions of turns as they are now: the next span starts from them.
pub(super) fn turn_on(held: &mut Held, bearings: &Bearings) {
    for dry in &bearings.dry {
        let Some(turning) = &mut held.bearings[dry.of].turning else { continue };
        let mode = if dry.part == Part::Roll { &mut turning.roll } else { &mut turning.spin };
        if let Mode::Slide { begins } = mode
            && dry.turns()
            && dry.velocity.dot(dry.components(*begins)) > 0.0
            && has_turned(dry.velocity, dry.components(*begins), dry.still)
        {
            *begins = dry.in_world(dry.velocity);
        }
    }
}
