//! Where the friction law has no solution or several: what the log says. [SYSTEM C10, trap 8]

use crate::contact::Restitution;
use crate::contact::rest::ContactConstraint;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::simulation::Simulation;
use crate::math::DVec3;
use crate::record::{Event, EventKind, Note};
use crate::solve::sliding::Sliding;
use crate::world::BodyId;

impl Simulation {
    /// The note of a time step over contacts without consistent modes: whether that is a paradox.
    pub(crate) fn note_of_step(
        &self,
        contacts: &[ContactConstraint],
        slides: &[bool],
        is_unique: bool,
    ) -> Note {
        match self.scratch.island.constraints.classify(&self.scratch.island.loaded, contacts, slides) {
            Sliding::Inconsistent => Note::Painleve,
            Sliding::SeveralMotions => Note::SeveralMotions,
            _ if is_unique => Note::Determinate,
            _ => Note::LeastNorm,
        }
    }

    /// Logs that the contacts just decided could also move in another way, if so.
    pub(crate) fn log_indeterminate(
        &mut self,
        t: f64,
        touching: &Touching,
        contacts: &[ContactConstraint],
        slides: &[bool],
    ) {
        if !slides.contains(&true) {
            return;
        }
        let verdict = self.scratch.island.constraints.classify(&self.scratch.island.loaded, contacts, slides);
        if verdict != Sliding::SeveralMotions {
            return;
        }
        let rate = touching.contact.normal.dot(self.relative_velocity_plus(t, touching));
        self.state.log.add(Event {
            t,
            group: self.state.log.instants,
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
