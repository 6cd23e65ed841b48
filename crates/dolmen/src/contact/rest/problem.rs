//! Bodies and contacts as the solvers take them.

use super::{ContactConstraint, Frame, Loaded, ResistanceRow};
use crate::solve::sparse::{ContactRows, Mobility, Row};

/// The mobilities of the bodies.
pub(super) fn mobilities(bodies: &[Loaded]) -> Vec<Mobility> {
    let mobility = |body: &Loaded| Mobility { inv_mass: body.inv_mass, inv_inertia: body.inv_inertia };
    bodies.iter().map(mobility).collect()
}

/// The contacts, with their accelerations without forces.
pub(super) fn rows(
    bodies: &[Loaded],
    contacts: &[ContactConstraint],
    frames: &[Frame],
    slides: &[bool],
) -> Vec<ContactRows> {
    let place = |i: usize| (bodies[i].inv_mass > 0.0).then_some(i);
    let contact = |((contact, frame), slides): ((&ContactConstraint, &Frame), &bool)| ContactRows {
        bodies: contact.bodies.map(place),
        rows: frame.rows.each_ref().map(row),
        free: frame.free.to_array(),
        friction: if *slides { contact.kinetic_friction } else { contact.static_friction },
        own: 0.0,
    };
    contacts.iter().zip(frames).zip(slides).map(contact).collect()
}

/// The resistance moments of the contacts: bounds, set later, take the place of normal forces.
pub(super) fn resistance_rows(
    bodies: &[Loaded],
    contacts: &[ContactConstraint],
    resistance: &[ResistanceRow],
) -> Vec<ContactRows> {
    let place = |i: usize| (bodies[i].inv_mass > 0.0).then_some(i);
    let of = |resistance: &ResistanceRow| ContactRows {
        bodies: contacts[resistance.of].bodies.map(place),
        rows: resistance.rows.each_ref().map(row),
        free: resistance.free.to_array(),
        friction: 1.0,
        own: resistance.mobility,
    };
    resistance.iter().map(of).collect()
}

fn row(row: &crate::narrow_phase::Row) -> Row {
    let crate::narrow_phase::Row { linear_a, angular_a, linear_b, angular_b } = *row;
    Row { linear_a, angular_a, linear_b, angular_b }
}
