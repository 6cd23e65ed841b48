//! Linear complementarity: w = M z + q with z ≥ 0, w ≥ 0 and zᵢ wᵢ = 0.

mod lemke;
mod psd;

pub use lemke::{LemkeScratch, solve_lcp_lemke};
pub use psd::{PsdScratch, solve_lcp_psd};

use super::Square;

/// max over i of |min(Mᵢᵢ zᵢ, wᵢ)|, by the largest of |q|: zero for a solution. A row without diagonal counts zᵢ itself.
pub fn residual(m: &Square, q: &[f64], z: &[f64]) -> f64 {
    let scale = q.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    let mut worst = 0.0_f64;
    for i in 0..q.len() {
        let w = m.dot(i, z) + q[i];
        let z_scaled = if m[(i, i)] > 0.0 { m[(i, i)] * z[i] } else { z[i] };
        worst = worst.max(z_scaled.min(w).abs());
    }
    if scale > 0.0 { worst / scale } else { worst }
}
