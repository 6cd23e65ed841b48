//! The sum over all pairs: n(n − 1)/2 of them, no approximation.

use crate::math::DVec3;

/// Bodies that stay in the first-level cache while all that follow pass by. For 40 000 bodies it saves a tenth of the
/// time; half or twice the size is a little slower.
const BLOCK: usize = 512;

/// Gravitational accelerations of all bodies by the sum over all pairs, m/s²; returns the potential energy, J.
///
/// With ε the softening length (m, its sign is ignored) and G the gravity constant (N·m²/kg²) [LECTURE I]:
///
/// ```text
/// a_i = −G Σ_j m_j (r_i − r_j) / (|r_i − r_j|² + ε²)^{3/2}
/// U   = −G Σ_{i<j} m_i m_j / (|r_i − r_j|² + ε²)^{1/2}
/// ```
///
/// `accelerations` is overwritten. Every pair is visited once and pulls both ways, so that Σ m a vanishes up to
/// rounding. The order of the sums is fixed: blocks of 512 bodies in order of index, all later bodies against each.
///
/// A body of zero mass is pulled and pulls nothing, not even where it coincides with another body. A body that
/// coincides with a body of non-zero mass while ε = 0 has no defined acceleration: it is NaN, and the potential
/// energy is not finite when both have mass; so it is where the input is not finite. The caller sees it by
/// `is_finite`. Softened distances must lie between about 1e-100 m and 1e100 m for their cube to be a number.
///
/// # Panics
/// When the three slices differ in length.
pub fn direct(
    gravity_constant: f64,
    softening: f64,
    positions: &[DVec3],
    masses: &[f64],
    accelerations: &mut [DVec3],
) -> f64 {
    assert_eq!(positions.len(), masses.len(), "as many positions as masses");
    assert_eq!(positions.len(), accelerations.len(), "as many positions as accelerations");
    let softening_squared = softening * softening;
    let mut energy = 0.0;
    accelerations.fill(DVec3::ZERO);
    for start in (0..positions.len()).step_by(BLOCK) {
        for i in start + 1..positions.len() {
            let block = start..i.min(start + BLOCK);
            let mut sum = Pull::ZERO;
            let others = positions[block.clone()].iter().zip(&masses[block.clone()]);
            for ((&other, &mass_other), acceleration_other) in others.zip(&mut accelerations[block]) {
                let (own, others) = pair(positions[i] - other, masses[i], mass_other, softening_squared);
                sum.add(&own);
                *acceleration_other += others.acceleration;
            }
            accelerations[i] += sum.acceleration;
            energy += massive(masses[i], sum.psi);
        }
    }
    for acceleration in accelerations {
        *acceleration *= gravity_constant;
    }
    -gravity_constant * energy
}

/// What a body feels, for G = 1: its acceleration and ψ = Σ m/s, minus the potential at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    pub(super) acceleration: DVec3,
    pub(super) psi: f64,
}

impl Pull {
    pub(super) const ZERO: Self = Self { acceleration: DVec3::ZERO, psi: 0.0 };

    #[inline]
    pub(super) fn add(&mut self, other: &Self) {
        self.acceleration += other.acceleration;
        self.psi += other.psi;
    }
}

/// What two bodies do to each other, first to the first; `separation` = `r_a` − `r_b`.
///
/// The time is that of the square root and the division: bodies side by side, two or four in vector registers, were
/// no faster.
#[inline]
pub(super) fn pair(separation: DVec3, mass_a: f64, mass_b: f64, softening_squared: f64) -> (Pull, Pull) {
    let inv_s = 1.0 / (separation.length_squared() + softening_squared).sqrt();
    let inv_s3 = inv_s * inv_s * inv_s;
    // Without mass there is no pull even where `inv_s` is infinite.
    let pull = |mass: f64, arm: DVec3| {
        if mass == 0.0 { Pull::ZERO } else { Pull { acceleration: arm * (mass * inv_s3), psi: mass * inv_s } }
    };
    (pull(mass_b, -separation), pull(mass_a, separation))
}

/// `mass · value`, and zero for zero mass whatever the value.
#[inline]
pub(super) fn massive(mass: f64, value: f64) -> f64 {
    if mass == 0.0 { 0.0 } else { mass * value }
}
