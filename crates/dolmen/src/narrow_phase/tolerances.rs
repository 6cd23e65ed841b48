//! The contact tolerance; every threshold of this folder.

use super::Placed;
use crate::math::DVec3;

/// Contact tolerance by the size of the smaller shape: small beside anything visible, large beside rounding (1e-16) and
/// the errors of an integrator at its tightest. A decade more glues slow bodies together for a visible time; a decade less
/// is within reach of the drift of a long flight.
const RELATIVE: f64 = 1e-9;

/// Contact tolerance in units in the last place of the coordinates: poses are right to a few, and a contact found at one
/// instant must be found again after rounding to the next.
const ULPS: f64 = 64.0;

/// The size that a point counts as, m: the contact tolerance of a point on an infinite plane, which have none, is then 1e-12 m.
/// Against a body smaller than this the size of that body counts.
pub(crate) const POINT_SIZE: f64 = 1e-3;

/// The rounding of a separation, in ulps of the lengths it is computed from: about ten operations, most of them on sums.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Sine of the angle between edges below which they have no common normal: their directions are right to 4e-16 each. An
/// edge pair that this drops is replaced by a face within 1e-14 of the size.
pub(super) const PARALLEL: f64 = 1e-14;

/// Sine of the angle between two edges of touching faces below which their cross product is no better a normal than that
/// of the faces: the faces are parallel only to 1e-9, and the error of the cross product is that by this.
pub(super) const CROSSING: f64 = 1e-3;

/// The lengths and speeds below which a pair is in contact and at rest (the contact tolerance); they classify and shift nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// m.
    pub length: f64,
    /// m/s.
    pub speed: f64,
}

impl Tolerance {
    /// The tolerance of a pair: 1e-9 of the smaller size, or 64 ulps of the coordinates where that is more.
    ///
    /// `speed` is given by the caller, since it scales with the whole group of bodies in contact.
    pub fn of_pair(a: &Placed, b: &Placed, speed: f64) -> Self {
        let size = a.geometry.size().min(b.geometry.size());
        let length = contact_length(size, a.pose.position, b.pose.position);
        Self { length, speed }
    }
}

/// max(1e-9 size, 64 ulp of the coordinates), m.
#[inline]
pub(super) fn contact_length(size: f64, position_a: DVec3, position_b: DVec3) -> f64 {
    let coordinate = position_a.abs().max(position_b.abs()).max_element();
    (RELATIVE * size).max(ULPS * f64::EPSILON * coordinate)
}

/// What two shapes are doing at a contact. [INTRO, NOTES]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Apart.
    Clear,
    /// One inside the other.
    Penetrating,
    /// Touching and approaching.
    Colliding,
    /// Touching, neither approaching nor receding.
    Resting,
    /// Touching and receding.
    Separating,
}

/// Classifies a contact by its separation (m) and the rate of it (m/s); both bounds belong to the middle.
///
/// A number that is NaN makes it penetrating: it must not pass for clear.
pub fn classify(separation: f64, rate: f64, tolerance: &Tolerance) -> Class {
    if separation > tolerance.length {
        Class::Clear
    } else if separation < -tolerance.length || separation.is_nan() || rate.is_nan() {
        Class::Penetrating
    } else if rate < -tolerance.speed {
        Class::Colliding
    } else if rate > tolerance.speed {
        Class::Separating
    } else {
        Class::Resting
    }
}

/// Of one query of two convex shapes, on average.
pub(super) const OPERATIONS_PER_QUERY: u64 = 3000;

/// Points of a leaf of the tree that finds the furthest of many: as many as are tried in the time of a descent.
pub(crate) const POINTS_PER_LEAF: usize = 16;

/// Corners beside a face that are gone through from neighbour to neighbour before the tree is asked, which tries more than these.
pub(crate) const CORNERS_BESIDE: usize = 64;

/// Of n·x with a unit n, over the largest coordinate: 4 e, where e = 3 u √3 bounds the rounding of three products and their sum, u = ε/2.
/// That is 10.4 ε; the rest is room for the length of n.
pub(crate) const HEIGHT_ROUNDING: f64 = 16.0 * f64::EPSILON;
