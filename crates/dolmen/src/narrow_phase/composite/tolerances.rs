//! The thresholds of contacts of meshes and compounds, each with its reason.

/// Sine of the angle by which a body may be on the wrong side of a contact's plane: the plane of a feature is known better
/// by orders, and what is wrong is wrong by more. A decade either side changes which of two nearly equal contacts stays.
pub(super) const LEAN: f64 = 1e-6;

/// Faces turned by less than this (a sine) from opposite each other have a region in common when they touch; the same
/// as for convex shapes.
pub(super) const OPPOSED: f64 = super::super::tolerances::CROSSING;

/// Sine of the angle between edges below which the place where they cross is not known to the contact tolerance.
pub(super) const PARALLEL: f64 = 1e-10;

/// The same for edges whose normal is needed: below, rounding turns it by more than 1e-9.
pub(super) const NO_NORMAL: f64 = 1e-7;

/// The rim of a face is this many contact tolerances wide: a vertex that is at the tolerance from two faces is still at
/// their common edge.
pub(super) const RIM: f64 = 2.0;

/// Contacts no further apart than this many contact tolerances are at the same place.
pub(super) const SAME: f64 = 4.0;
