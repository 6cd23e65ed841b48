//! Bodies and contacts as the solvers take them.

use super::{Bearing, Frame, Loaded};
use crate::solve::sparse::{ContactRows, Mobility, Row};

/// How the bodies answer force.
pub(super) fn mobilities(bodies: &[Loaded]) -> Vec<Mobility> {
    let mobility = |body: &Loaded| Mobility { inv_mass: body.inv_mass, inv_inertia: body.inv_inertia };
    bodies.iter().map(mobility).collect()
}

/// The contacts, with the accelerations that they have without forces.
pub(super) fn rows(
    bodies: &[Loaded],
    contacts: &[Bearing],
    frames: &[Frame],
    slides: &[bool],
) -> Vec<ContactRows> {
    let row = |row: &crate::narrow_phase::Row| Row {
        linear_a: row.linear_a,
        angular_a: row.angular_a,
        linear_b: row.linear_b,
        angular_b: row.angular_b,
    };
    let place = |i: usize| (bodies[i].inv_mass > 0.0).then_some(i);
    let contact = |((contact, frame), slides): ((&Bearing, &Frame), &bool)| ContactRows {
        bodies: contact.bodies.map(place),
        rows: [row(&frame.rows[0]), row(&frame.rows[1]), row(&frame.rows[2])],
        free: frame.free.to_array(),
        friction: if *slides { contact.kinetic_friction } else { contact.static_friction },
    };
    contacts.iter().zip(frames).zip(slides).map(contact).collect()
}
