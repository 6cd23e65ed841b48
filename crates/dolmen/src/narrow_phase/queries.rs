//! The queries on a pair: of convex shapes at once, of meshes and compounds over the parts that come near.

use super::polytope::Contacts;
use super::tolerance::contact_length;
use super::{
    Closest, ClosestHint, Contact, Geometry, MeetingHint, Overlap, Placed, Separation, Statistics,
    UnsupportedPair, Witness, composite, convex,
};

/// Whether one of the two is a mesh or compound.
fn have_parts(a: &Placed, b: &Placed) -> bool {
    matches!(a.geometry, Geometry::Composite(_)) || matches!(b.geometry, Geometry::Composite(_))
}

/// The distance and the closest points of two shapes.
///
/// Right to a few ulps of the lengths involved. Where the closest points are not unique (parallel faces) any are given.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn closest(a: &Placed, b: &Placed, hint: &mut ClosestHint) -> Result<Closest, UnsupportedPair> {
    if have_parts(a, b) { composite::closest(a, b) } else { convex::closest(a, b, hint) }
}

/// The separation of two shapes, from the cached witness if that still holds.
///
/// First the plane of the witness is tried; when it no longer separates, those of the features beside it; then the
/// closest features are sought from there; at last, for shapes that overlap, the best of all faces and edge pairs
/// [NOTES, collision detection]. The witness is replaced by the one found.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn separate(
    a: &Placed,
    b: &Placed,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    if have_parts(a, b) {
        return composite::separate(a, b, witness, statistics);
    }
    convex::separate(a, b, witness, statistics)
}

/// As [`separate`], of shapes that are no further apart than `reach`, m: `None` of others.
///
/// Of meshes and compounds it costs much less to see that they are far than to find how far; those that are leave the witness
/// as it is. `None` too while one is behind a plane touched from its front only.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn separate_within(
    reach: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Option<Separation>, UnsupportedPair> {
    if have_parts(a, b) {
        return composite::separate_within(reach, (a, b), witness, statistics);
    }
    let found = convex::separate(a, b, witness, statistics)?;
    Ok(Some(found).filter(|found| found.distance <= reach))
}

/// A witness that two shapes overlap by more than rounding, or `None` when they do not; `hint` is the one of the last query.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn overlap(a: &Placed, b: &Placed, hint: Option<Overlap>) -> Result<Option<Overlap>, UnsupportedPair> {
    if have_parts(a, b) { composite::overlap(a, b) } else { convex::overlap(a, b, hint) }
}

/// Whether two shapes have a point in common, up to rounding.
///
/// Of a pair of polytopes the plane that parted them last is tried first, then the vertices whose differences held the
/// origin: a pair that stays apart and one that stays in each other cost one look. No depth is found: where that is wanted,
/// ask [`super::separate`]. A plane that can be touched from its front only is met from anywhere, an infinite one has a solid behind it.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn meets(
    a: &Placed,
    b: &Placed,
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> Result<bool, UnsupportedPair> {
    if have_parts(a, b) { composite::meets(a, b) } else { convex::meets(a, b, hint, statistics) }
}

/// The witness plane with the greatest separation of all faces and edge pairs, and that separation, by looking at all.
///
/// Positive: apart, and the distance is at least this. Negative: the least depth along any direction.
///
/// # Errors
/// When one of the two is not a polytope or square plane.
pub fn search_all(a: &Placed, b: &Placed) -> Result<(Witness, f64), UnsupportedPair> {
    let found = if have_parts(a, b) { None } else { convex::search_all(a, b)? };
    let remedy = "only polytopes are searched; ask for the separation";
    found.ok_or(UnsupportedPair { a: a.geometry.kind(), b: b.geometry.kind(), remedy })
}

/// The contacts of a pair: the corners of the region where the two touch, sorted by id.
///
/// Kept by the caller and filled anew by every query, so that queries in steady state do not allocate.
#[derive(Debug, Clone, Default)]
pub struct Manifold {
    contacts: Contacts,
    /// Where one of the shapes has parts.
    composite: composite::Scratch,
}

impl Manifold {
    /// The contacts, sorted by id; none when the shapes are apart.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.found
    }
}

/// Finds the contacts of two shapes: everything within the contact tolerance of the pair, or deeper. [NOTES, collision detection]
///
/// A region is given by the vertices of its convex hull. Where only corners and edges meet, so that no face or edge pair
/// defines a normal, it is that of the mean outward normals of what meets there, `m_b` − `m_a`, if that plane separates
/// the shapes; else that of the witness. Overlapping shapes have contacts too, of negative separation, along the plane
/// of least depth. The witness is used and replaced as in [`separate`].
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn contacts(
    a: &Placed,
    b: &Placed,
    witness: &mut Witness,
    statistics: &mut Statistics,
    manifold: &mut Manifold,
) -> Result<(), UnsupportedPair> {
    contacts_within(0.0, (a, b), witness, statistics, manifold)
}

/// As [`contacts`], of everything within `reach` (m) where that is more than the contact tolerance: what may come to touch
/// soon. Of round shapes and of shapes made of parts, features closer than that are not told apart.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn contacts_within(
    reach: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
    manifold: &mut Manifold,
) -> Result<(), UnsupportedPair> {
    if !have_parts(a, b) {
        return convex::contacts_within(reach, (a, b), witness, statistics, &mut manifold.contacts);
    }
    let Manifold { contacts, composite: scratch } = manifold;
    let contacts = &mut contacts.found;
    contacts.clear();
    let size = a.geometry.size().min(b.geometry.size());
    let tolerance = contact_length(size, a.pose.position, b.pose.position).max(reach);
    composite::contacts(tolerance, (a, b), witness, statistics, contacts, scratch)?;
    if !contacts.is_sorted_by_key(|c| c.id) {
        contacts.sort_unstable_by_key(|c| c.id);
    }
    Ok(())
}
