//! The thresholds of round pairs, each with its reason.

/// Angle within which the normal of an approximate answer may be wrong: pieces of the surface whose normals are this near are
/// tried. The distance iteration is stopped when its normal is right to about half of it; a decade more tries more pieces,
/// a decade less finds the right one a few iterations later.
pub(super) const NEAR: f64 = 1e-3;

/// The same where the iteration ended early or on a corner of rounding: wide enough that nothing is left out.
pub(super) const WIDE: f64 = 0.1;

/// Share of the distance that may be open between its bounds when pieces are first tried: the error of the normal is at most
/// the root of twice this.
pub(super) const FIRST_TRY: f64 = 1e-7;

/// Share of the size of the smaller shape below which a pair may be touching, so that its distance is no yardstick for
/// convergence; pieces are tried every few iterations from there.
pub(super) const ALMOST_TOUCHING: f64 = 1e-2;

/// Iterations between tries while almost touching.
pub(super) const TRY_EVERY: usize = 4;

/// A bound on the distance iteration. Polyhedral cores take a few; curved ones gain a digit in two or three.
pub(super) const ITERATIONS: usize = 64;

/// Newton steps on a pair of pieces; quadratic from a start within [`NEAR`], so that six do.
pub(super) const NEWTON: usize = 20;

/// The longest Newton step, rad: further the second order means nothing.
pub(super) const LONGEST: f64 = 0.5;

/// A Newton step this small, rad, is the last: what it leaves is its square.
pub(super) const SETTLED: f64 = 3e-9;

/// How well the tangential parts of the two points must agree, in roundings of the lengths. A normal solved to rounding gives
/// a few; a wrong piece gives a visible share of the size.
pub(super) const AGREE: f64 = 16.0;

/// Sine of the angle between two constraints on a normal below which they are one and the same.
pub(super) const PARALLEL: f64 = 1e-12;

/// Square of the sine by which a normal is out of the plane of two axes below which it is in it: rounding, some twenty operations
/// of 2e-16. A decade less leaves the noise; a decade more moves a normal by 4e-7, and what it must be at right angles to sees
/// of that the square.
pub(super) const TANGENT: f64 = 64.0 * f64::EPSILON;

/// Sine of the angle between two rims, or a rim and an edge, below which their common normal is given up for that of the moment:
/// feet on curves of radius r are determined as long as the curves are moved by less than r sin², and their normal turns with
/// one by the sine faster than the bodies do. A decade less leaves functions that hold for 1e-4 of a radius; a decade more
/// leaves none.
pub(super) const SHALLOW: f64 = 0.1;

/// Share of the size to which the least depth of a deep overlap is proven.
pub(super) const DEPTH: f64 = 1e-10;

/// Share of the size from which on a facet of the growing polytope is near enough to the surface to try pieces.
pub(super) const FACET: f64 = 1e-2;

/// Tries of pieces while growing; every region of least depth needs one or two.
pub(super) const MOST_TRIES: usize = 24;

/// Corners of the growing polytope; what is not proven by then (whole circles of directions that are equally deep) is right
/// to the curvature over that many corners, and by its pieces to rounding.
pub(super) const MOST_CORNERS: usize = 192;

/// Sine of the angle below which three corners of the growing polytope are in line: their triangle has no normal to speak of.
pub(super) const IN_LINE: f64 = 1e-10;

/// How often pieces that lead elsewhere are followed; twice is rare.
pub(super) const FOLLOW: usize = 3;
