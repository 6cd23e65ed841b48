//! Which features of two shapes meet.

use crate::narrow_phase::{ContactId, Manifold, Placed, Statistics, Witness, contacts};

/// The features that touch with the least separation, of these the lowest; of shapes that touch in no contact those of the
/// plane between them.
///
/// Sought without what is remembered of the pair, so that the names depend on the poses alone; what is remembered says only
/// on which side of a plane with a front a body is.
pub(super) fn features(a: &Placed, b: &Placed, known: Witness, manifold: &mut Manifold) -> Option<ContactId> {
    for mut witness in [Witness::Unknown, known] {
        contacts(a, b, &mut witness, &mut Statistics::default(), manifold).ok()?;
        // In the order of ids, so that the first of equals is the lowest.
        let least = manifold.contacts().iter().reduce(|x, y| if y.separation < x.separation { y } else { x });
        if let Some(contact) = least {
            return Some(contact.id);
        }
    }
    match known {
        Witness::Plane { a, b } => Some(ContactId { a, b }),
        Witness::Unknown | Witness::Behind => None,
    }
}
