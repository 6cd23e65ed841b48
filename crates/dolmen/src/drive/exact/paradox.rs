//! Where the law of friction has no answer or several: what the log says. [SYSTEM C10, trap 8]

use super::simulation::Simulation;
use super::strike::Touching;
use crate::contact::Restitution;
use crate::contact::rest::Bearing;
use crate::math::DVec3;
use crate::record::{Event, EventKind, Note};
use crate::solve::sliding::Sliding;
use crate::world::BodyId;

impl Simulation {
    /// What to say of a step over contacts whose modes had no forces: whether that was for want of any.
    pub(super) fn note_of_step(&self, contacts: &[Bearing], slides: &[bool], is_unique: bool) -> Note {
        match self.buffers.bearings.classify(&self.buffers.loaded, contacts, slides) {
            Sliding::Inconsistent => Note::Painleve,
            Sliding::SeveralMotions => Note::SeveralMotions,
            _ if is_unique => Note::Determinate,
            _ => Note::LeastNorm,
        }
    }

    /// Logs that the contacts just decided on could move otherwise, if so.
    pub(super) fn log_indeterminate(
        &mut self,
        t: f64,
        touching: &Touching,
        contacts: &[Bearing],
        slides: &[bool],
    ) {
        if !slides.contains(&true) {
            return;
        }
        let verdict = self.buffers.bearings.classify(&self.buffers.loaded, contacts, slides);
        if verdict != Sliding::SeveralMotions {
            return;
        }
        let rate = touching.contact.normal.dot(self.relative_velocity_plus(t, touching));
        self.log.add(Event {
            t,
            group: self.log.instants,
            kind: EventKind::Indeterminate,
            bodies: touching.bodies.map(|body| BodyId::from_rank(body as usize)),
            features: touching.contact.id,
            point: touching.contact.point,
            normal: touching.contact.normal,
            approach: rate,
            separation: rate,
            impulse: 0.0,
            friction: DVec3::ZERO,
            lost: 0.0,
            law: self.world.contact().law,
            restitution: Restitution::default(),
            rounds: contacts.len() as u32,
            note: Note::SeveralMotions,
        });
    }
}
