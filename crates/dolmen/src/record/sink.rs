//! Where events go.

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
