//! The thresholds of collision detection.

// Colliders.

/// A direction this close to a plane's normal is the normal: rotating it into a frame and back rounds it.
pub(super) const PARALLEL: f64 = 1e-12;

// Parabolas.

/// The relative margin on the reach of two bodies, for rounding.
pub(super) const REACH_MARGIN: f64 = 1e-6;

/// The rounding of a place on a parabola, by the lengths that it is a sum of: about ten operations.
pub(super) const PATH_ROUNDING: f64 = 8.0 * f64::EPSILON;

// Fat AABBs.

/// The largest coordinate of a box, m, so that the surface of any two boxes together is finite.
pub(super) const MAX_COORDINATE: f64 = 1e150;

/// The travel of a first fat AABB, in radii: about the distance to a neighbour in a pile.
pub(super) const FIRST_TRAVEL: f64 = 1.0;

/// A fat AABB with more neighbours than this is too large, one with fewer than [`FEW_NEIGHBOURS`] too small. Measured on a
/// gas of hard spheres: a fat AABB costs about as much as eight searches.
pub(super) const MANY_NEIGHBOURS: usize = 12;
pub(super) const FEW_NEIGHBOURS: usize = 4;

/// A fat AABB that is too large shrinks by this factor and in proportion to its neighbours, at most to [`MAX_SHRINK`]; one
/// that is too small grows by [`GROWTH`].
pub(super) const SHRINK: f64 = 0.75;
pub(super) const MAX_SHRINK: f64 = 0.1;
pub(super) const GROWTH: f64 = 1.4;

/// What counts as the radius of a point where its fat AABB is made, m. Points have none; the travel adapts from here, so that it
/// matters to the cost of the first boxes alone.
pub(super) const POINT_STRIDE: f64 = 1.0;

/// The bounds of the travel in a pile and in empty space, in radii.
pub(super) const MIN_TRAVEL: f64 = 1e-2;
pub(super) const MAX_TRAVEL: f64 = 1e6;

/// On an integrated span, how many times longer a fat AABB lives than the last one, or than the time between events.
pub(super) const HORIZON_GROWTH: f64 = 4.0;

// Searches.

/// Witnesses are dropped when there are this many for each body: most belong to pairs that separated long ago.
pub(super) const MAX_WITNESSES_PER_BODY: usize = 64;

/// The length of a search without an end, s: two bodies whose motion is known for ever are both stationary, so any length
/// will do.
pub(super) const STATIONARY_SEARCH: f64 = 1.0;
