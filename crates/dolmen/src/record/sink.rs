//! Where events go.

use serde::{Deserialize, Serialize};

use super::{BackStep, Event, JointEvent, Violation};

/// What takes the events of a run, in the order of time.
pub trait EventSink {
    /// Something happened at a contact.
    fn event(&mut self, event: &Event);

    /// Something happened in a joint; left out unless it is asked for.
    fn joint_event(&mut self, event: &JointEvent) {
        let _ = event;
    }

    /// A step went back to a contact, as those of the update loop for teaching do; left out unless it is asked for.
    fn back_step(&mut self, back_step: &BackStep) {
        let _ = back_step;
    }

    /// A law was broken; left out unless it is asked for.
    fn violation(&mut self, violation: &Violation) {
        let _ = violation;
    }
}

impl EventSink for Vec<Event> {
    fn event(&mut self, event: &Event) {
        self.push(*event);
    }
}

/// What happened, kept in the order in which it did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Happened {
    /// At contacts.
    pub events: Vec<Event>,
    /// In joints.
    pub joint_events: Vec<JointEvent>,
    /// Laws that were broken, each with the number of events at contacts before it.
    pub violations: Vec<(usize, Violation)>,
}

impl Happened {
    /// The events at contacts in pieces, each with the law that was broken after it; after the last piece none was.
    pub fn pieces(&self) -> impl Iterator<Item = (&[Event], Option<&Violation>)> {
        let mut done = 0;
        self.violations.iter().map(Some).chain([None]).map(move |next| {
            // What was read from a file may name places that are not there.
            let end = next.map_or(self.events.len(), |(before, _)| (*before).clamp(done, self.events.len()));
            let piece = &self.events[done..end];
            done = end;
            (piece, next.map(|(_, violation)| violation))
        })
    }
}

impl EventSink for Happened {
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }

    fn joint_event(&mut self, event: &JointEvent) {
        self.joint_events.push(*event);
    }

    fn violation(&mut self, violation: &Violation) {
        self.violations.push((self.events.len(), violation.clone()));
    }
}
