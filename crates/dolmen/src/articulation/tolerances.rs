//! The thresholds of joints as a system.

/// A mobility with the joints below this share of the mobility without them is zero: the factorisation of W = J M⁻¹ Jᵀ is
/// good for twelve digits where arms are up to a hundred times the bodies' sizes.
pub(crate) const NO_MOBILITY: f64 = 1e-10;

/// A right side contradicts itself where this share of it lies along combinations of rows that cancel: less is the rounding of rows that
/// are kept down to pivots of 1e-10, whose square root divides 1e-16, over some hundred rows.
pub(super) const AGREES: f64 = 1e-9;

/// Sums of absolute values that differ by less than this share are equal, and the order of the rows decides: the linear program tells
/// costs apart that differ by 1e-8, and has up to some thousand rows.
pub(super) const TIED: f64 = 1e-4;

/// Rows that miss by less than this share of the one that misses most do not miss: the linear program ends at 1e-7.
pub(super) const MISSES: f64 = 1e-6;
