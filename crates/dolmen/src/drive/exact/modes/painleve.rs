//! Where the friction law has no solution or several: what the log says. [SYSTEM C10, trap 8]

use crate::contact::rest::ContactConstraint;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::modes::Modes;
use crate::record::{Event, EventKind, Note};
use crate::solve::sliding::Sliding;

impl Modes<'_> {
    /// The note of a time step over contacts without consistent modes: whether that is a paradox.
    pub(crate) fn note_of_step(
        &self,
        contacts: &[ContactConstraint],
        slides: &[bool],
        is_unique: bool,
    ) -> Note {
        match self.scratch.constraints.classify(&self.scratch.loaded, contacts, slides) {
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
        let verdict = self.scratch.constraints.classify(&self.scratch.loaded, contacts, slides);
        if verdict != Sliding::SeveralMotions {
            return;
        }
        let rate = touching.contact.normal.dot(self.state.relative_velocity_plus(self.world, t, touching));
        self.state.log.add(Event {
            approach: rate,
            separation: rate,
            law: self.world.contact().law,
            rounds: contacts.len() as u32,
            note: Note::SeveralMotions,
            ..Event::new(t, self.state.log.instants, EventKind::Indeterminate, touching.place())
        });
    }
}
