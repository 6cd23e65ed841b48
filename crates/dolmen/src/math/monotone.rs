//! Slopes of a cubic that goes through given values without overshoot.

/// Slopes at the nodes of the piecewise cubic Hermite interpolant through `values` at increasing `times`, zero at both ends.
///
/// At an interior node m = (w₀ + w₁)/(w₀/d₀ + w₁/d₁) with the slopes d₀, d₁ of the chords on either side, w₀ = 2h₁ + h₀, w₁ = h₁ + 2h₀,
/// and m = 0 where d₀ d₁ ≤ 0 [Fritsch, Butland 1984]. Then 0 ≤ m/d ≤ 3 on both sides, which is enough for the cubic to be monotone
/// between its nodes [Fritsch, Carlson 1980]: it stays between neighbouring values, and where two neighbours are equal it is at rest.
pub fn monotone_slopes(times: &[f64], values: &[f64]) -> Vec<f64> {
    let n = times.len().min(values.len());
    let mut slopes = vec![0.0; n];
    for i in 1..n.saturating_sub(1) {
        let (h0, h1) = (times[i] - times[i - 1], times[i + 1] - times[i]);
        let (d0, d1) = ((values[i] - values[i - 1]) / h0, (values[i + 1] - values[i]) / h1);
        if d0 * d1 > 0.0 {
            let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
            slopes[i] = (w0 + w1) / (w0 / d0 + w1 / d1);
        }
    }
    slopes
}
