//! The thresholds of joints as a system.

/// A mobility with the joints below this share of the mobility without them is zero: the factorisation of W = J M⁻¹ Jᵀ is
/// good for twelve digits where arms are up to a hundred times the bodies' sizes.
pub(crate) const NO_MOBILITY: f64 = 1e-10;
