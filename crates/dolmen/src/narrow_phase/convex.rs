//! Queries on pairs of convex shapes: which of the folders below answers.

use super::polytope::{self, Contacts, View};
use super::relative::Relative;
use super::tolerances::OPERATIONS_PER_QUERY;
use super::tolerances::contact_length;
use super::{
    Closest, ClosestHint, Geometry, MeetingHint, Overlap, Placed, Separation, Statistics, UnsupportedPair,
    Witness, round,
};
use crate::math::work;
use crate::shape::Sides;

/// A pair that can be answered, with the shapes in their roles.
enum Pair<'a> {
    /// Polytopes and infinite planes.
    Flat(polytope::Pair<'a>),
    /// At least one is round.
    Round,
}

fn pair<'a>(a: &Placed<'a>, b: &Placed<'a>) -> Result<Pair<'a>, UnsupportedPair> {
    use Geometry::{Composite, HalfSpace, Plate, Polytope, Round};
    use polytope::Pair as Flat;
    work::count(OPERATIONS_PER_QUERY);
    let refused = |remedy| Err(UnsupportedPair { a: a.geometry.kind(), b: b.geometry.kind(), remedy });
    Ok(Pair::Flat(match (a.geometry, b.geometry) {
        (Polytope(a), Polytope(b)) => Flat::Polytopes(a, b),
        (Plate { polytope: a, sides }, Polytope(b)) => match sides {
            Sides::Both => Flat::Polytopes(a, b),
            Sides::Front => Flat::Plate(a, b, true),
        },
        (Polytope(a), Plate { polytope: b, sides }) => match sides {
            Sides::Both => Flat::Polytopes(a, b),
            Sides::Front => Flat::Plate(a, b, false),
        },
        (Polytope(a), HalfSpace(b)) => Flat::OnPlane(a, b),
        (HalfSpace(a), Polytope(b)) => Flat::UnderPolytope(a, b),
        _ if a.geometry.is_plane() && b.geometry.is_plane() => {
            return refused("both are immobile; leave the pair out");
        }
        (Composite(_), _) | (_, Composite(_)) => return Err(a.refused(b)),
        (Round(_), _) | (_, Round(_)) => return Ok(Pair::Round),
        _ => unreachable!("two planes were refused above"),
    }))
}

/// As [`super::closest`].
pub(super) fn closest(a: &Placed, b: &Placed, hint: &mut ClosestHint) -> Result<Closest, UnsupportedPair> {
    match pair(a, b)? {
        Pair::Flat(pair) => Ok(polytope::closest(&pair, (a, b), hint)),
        Pair::Round => round::closest(a, b, &mut hint.rolling),
    }
}

/// As [`super::separate`].
pub(super) fn separate(
    a: &Placed,
    b: &Placed,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    match pair(a, b)? {
        Pair::Flat(pair) => Ok(polytope::separate(&pair, (a, b), witness, statistics)),
        Pair::Round => round::separate(a, b, witness, statistics),
    }
}

/// As [`super::overlap`].
pub(super) fn overlap(
    a: &Placed,
    b: &Placed,
    hint: Option<Overlap>,
) -> Result<Option<Overlap>, UnsupportedPair> {
    match pair(a, b)? {
        Pair::Flat(pair) => Ok(polytope::overlap(&pair, (a, b), hint)),
        Pair::Round => round::overlap(a, b),
    }
}

/// As [`super::meets`].
pub(super) fn meets(
    a: &Placed,
    b: &Placed,
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> Result<bool, UnsupportedPair> {
    match pair(a, b)? {
        Pair::Flat(pair) => Ok(polytope::meets(&pair, (a, b), hint, statistics)),
        Pair::Round => round::meets(a, b, &mut hint.witness, statistics),
    }
}

/// As [`super::contacts_within`].
pub(super) fn contacts_within(
    reach: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
    contacts: &mut Contacts,
) -> Result<(), UnsupportedPair> {
    contacts.found.clear();
    let size = a.geometry.size().min(b.geometry.size());
    let length = contact_length(size, a.pose.position, b.pose.position);
    let tolerance = length.max(reach);
    match pair(a, b)? {
        Pair::Flat(pair) => {
            polytope::contacts(&pair, (a, b), (length, tolerance), witness, statistics, contacts);
        }
        Pair::Round => round::contacts(tolerance, (a, b), witness, statistics, contacts)?,
    }
    if !contacts.found.is_sorted_by_key(|c| c.id) {
        contacts.found.sort_unstable_by_key(|c| c.id);
    }
    Ok(())
}

/// As [`super::search_all`].
pub(super) fn search_all(a: &Placed, b: &Placed) -> Result<Option<(Witness, f64)>, UnsupportedPair> {
    Ok(match pair(a, b)? {
        Pair::Flat(polytope::Pair::Polytopes(p, q) | polytope::Pair::Plate(p, q, _)) => {
            let axis = View::new(p, q, Relative::new(&a.pose, &b.pose)).best();
            Some((axis.witness(), axis.separation))
        }
        _ => None,
    })
}
