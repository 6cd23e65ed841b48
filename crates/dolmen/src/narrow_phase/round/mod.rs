//! Pairs of convex shapes of which at least one has a curved surface or rim.

use super::{Closest, Manifold, Overlap, Placed, Separation, Statistics, UnsupportedPair, Witness};

/// As [`super::separate`].
pub(super) fn separate(
    a: &Placed,
    b: &Placed,
    _witness: &mut Witness,
    _statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    Err(a.refused(b))
}

/// As [`super::closest`].
pub(super) fn closest(a: &Placed, b: &Placed) -> Result<Closest, UnsupportedPair> {
    Err(a.refused(b))
}

/// As [`super::overlap`].
pub(super) fn overlap(a: &Placed, b: &Placed) -> Result<Option<Overlap>, UnsupportedPair> {
    Err(a.refused(b))
}

/// As [`super::contacts`]; adds to an empty manifold, in any order.
pub(super) fn contacts(
    a: &Placed,
    b: &Placed,
    _witness: &mut Witness,
    _statistics: &mut Statistics,
    _manifold: &mut Manifold,
) -> Result<(), UnsupportedPair> {
    Err(a.refused(b))
}
