//! The sum over all pairs: n(n − 1)/2 of them, no approximation.

use super::tile::{TILE_BODIES, Tile, massive, pair};
use crate::math::DVec3;

/// Gravitational accelerations of all bodies by the sum over all pairs, m/s²; returns the potential energy, J.
///
/// With ε the softening length (m, its sign is ignored) and G the gravity constant (N·m²/kg²) [LECTURE I]:
///
/// ```text
/// a_i = −G Σ_j m_j (r_i − r_j) / (|r_i − r_j|² + ε²)^{3/2}
/// U   = −G Σ_{i<j} m_i m_j / (|r_i − r_j|² + ε²)^{1/2}
/// ```
///
/// `accelerations` is overwritten. Every pair is visited once and pulls both ways, so that Σ m_i a_i vanishes up
/// to rounding. The order of the sums is fixed (tiles of 64 bodies in order of index, within a tile the sums over
/// even and odd places), hence the bits depend on the input alone.
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
    let mut tile = Tile::new();
    let mut energy = 0.0;

    for start in (0..positions.len()).step_by(TILE_BODIES) {
        let end = positions.len().min(start + TILE_BODIES);
        tile.load(&positions[start..end], &masses[start..end]);
        for i in 0..start {
            let pull = tile.attract(positions[i], masses[i], softening_squared);
            accelerations[i] += pull.acceleration;
            energy += massive(masses[i], pull.psi);
        }
        for j in start..end {
            accelerations[j] = tile.pull(j - start).acceleration;
        }
        for i in start..end {
            for j in i + 1..end {
                let (pull_i, pull_j) =
                    pair(positions[i] - positions[j], masses[i], masses[j], softening_squared);
                accelerations[i] += pull_i.acceleration;
                accelerations[j] += pull_j.acceleration;
                energy += massive(masses[i], pull_i.psi);
            }
        }
    }

    for acceleration in accelerations {
        *acceleration *= gravity_constant;
    }
    -gravity_constant * energy
}
