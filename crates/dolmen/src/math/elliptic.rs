//! Elliptic integrals and Jacobi's elliptic functions, in the arguments that keep their digits near the separatrix.
//!
//! Everything takes the *complementary* parameter m′ = 1 − k², which a caller can compute without cancellation;
//! k² itself would round to 1 long before the period becomes infinite. Integrals by Carlson's symmetric forms
//! [Carlson 1995, Numer. Algor. 10], functions by the arithmetic–geometric mean [DLMF 22.20].

use super::real::{PI, atan2, ln, tanh};

/// Carlson's forms have converged when the relative spread of their arguments to the sixth power is below rounding.
/// A decade smaller costs one more round of duplication and changes no digit.
const SPREAD: f64 = 0.0025;
/// Quadratic and geometric convergence end long before; a bound keeps bad input from looping.
const ROUNDS: usize = 700;
/// Below this argument sn u = u to the last bit, and its square would underflow.
const TINY: f64 = 1e-140;
/// Landen's transformation squares k at every step: from k = 1 − 1e-300 it needs fewer than this many.
const DEEPEST: usize = 24;

/// Carlson's `R_F(x, y, z)`: ½∫₀^∞ dt / √((t+x)(t+y)(t+z)). At most one argument may be zero, none negative.
pub fn carlson_rf(x: f64, y: f64, z: f64) -> f64 {
    let (mut x, mut y, mut z) = (x, y, z);
    for _ in 0..ROUNDS {
        let mean = (x + y + z) / 3.0;
        let (dx, dy, dz) = ((mean - x) / mean, (mean - y) / mean, (mean - z) / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < SPREAD {
            let e2 = dx * dy - dz * dz;
            let e3 = dx * dy * dz;
            // DLMF 19.36.1, to sixth order in the spread.
            let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0;
            return series / mean.sqrt();
        }
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = ((x + lambda) / 4.0, (y + lambda) / 4.0, (z + lambda) / 4.0);
    }
    f64::NAN
}

/// Carlson's degenerate `R_C(x, y)` = `R_F(x, y, y)`, for x ≥ 0, y > 0.
pub fn carlson_rc(x: f64, y: f64) -> f64 {
    carlson_rf(x, y, y)
}

/// Carlson's `R_J(x, y, z, p)`: (3/2)∫₀^∞ dt / ((t+p)√((t+x)(t+y)(t+z))), for p > 0 and at most one of x, y, z zero.
pub fn carlson_rj(x: f64, y: f64, z: f64, p: f64) -> f64 {
    let (mut x, mut y, mut z, mut p) = (x, y, z, p);
    let (mut sum, mut power) = (0.0, 1.0);
    for _ in 0..ROUNDS {
        let mean = (x + y + z + 2.0 * p) / 5.0;
        let (dx, dy, dz, dp) = ((mean - x) / mean, (mean - y) / mean, (mean - z) / mean, (mean - p) / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()).max(dp.abs()) < SPREAD {
            return power * rj_series(dx, dy, dz, dp) / (mean * mean.sqrt()) + 3.0 * sum;
        }
        let (rx, ry, rz) = (x.sqrt(), y.sqrt(), z.sqrt());
        let lambda = rx * ry + ry * rz + rz * rx;
        let alpha = p * (rx + ry + rz) + rx * ry * rz;
        let alpha2 = alpha * alpha;
        sum += power * carlson_rc(alpha2, p * (p + lambda) * (p + lambda));
        power /= 4.0;
        (x, y, z, p) = ((x + lambda) / 4.0, (y + lambda) / 4.0, (z + lambda) / 4.0, (p + lambda) / 4.0);
    }
    f64::NAN
}

/// The Taylor series of `R_J` about equal arguments. [DLMF 19.36.2]
fn rj_series(dx: f64, dy: f64, dz: f64, dp: f64) -> f64 {
    let e2 = dx * dy + dy * dz + dz * dx - 3.0 * dp * dp;
    let e3 = dx * dy * dz + 2.0 * e2 * dp + 4.0 * dp * dp * dp;
    let e4 = (2.0 * dx * dy * dz + e2 * dp + 3.0 * dp * dp * dp) * dp;
    let e5 = dx * dy * dz * dp * dp;
    1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
        + 3.0 * e5 / 26.0
}

/// The quarter period K for the complementary parameter m′ in (0, 1]; infinite for m′ = 0.
pub fn quarter_period(m_prime: f64) -> f64 {
    if m_prime == 0.0 {
        return f64::INFINITY;
    }
    let (mut a, mut b) = (1.0, m_prime.sqrt());
    for _ in 0..ROUNDS {
        if (a - b).abs() <= 2.0 * f64::EPSILON * a {
            break;
        }
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (a + b)
}

/// The incomplete integral of the first kind for |φ| ≤ π/2, given sin φ and cos φ ≥ 0.
pub fn first_kind(sin_phi: f64, cos_phi: f64, m_prime: f64) -> f64 {
    let (s2, c2) = (sin_phi * sin_phi, cos_phi * cos_phi);
    sin_phi * carlson_rf(c2, c2 + m_prime * s2, 1.0)
}

/// Jacobi's functions of one argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jacobi {
    /// sn u
    pub sn: f64,
    /// cn u
    pub cn: f64,
    /// dn u
    pub dn: f64,
    /// The amplitude am u, with sn = sin am, cn = cos am; continuous in u.
    pub am: f64,
}

/// Jacobi's functions for |u| ≤ K (a caller with a longer way to go takes whole periods out first).
pub fn jacobi(u: f64, m_prime: f64) -> Jacobi {
    if m_prime == 0.0 {
        return hyperbolic(u);
    }
    if u.abs() < TINY {
        return Jacobi { sn: u, cn: 1.0, dn: 1.0, am: u };
    }
    // Landen's descending transformation to k = 0, where cs = cn/sn is the cotangent, and back up. With cs and dn
    // in place of sn and cn every term is positive, so that no digit is lost near the separatrix. [DLMF 22.7(i)]
    let mut k_prime = [1.0; DEEPEST];
    let (mut a, mut b) = (1.0, m_prime.sqrt());
    let mut depth = 0;
    while depth < DEEPEST && (a - b).abs() > f64::EPSILON * a {
        k_prime[depth] = b / a;
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        depth += 1;
    }
    let (sine, cosine) = super::real::sin_cos(a * u);
    let (mut cs, mut dn) = (cosine / sine, 1.0);
    for k in k_prime[..depth].iter().rev() {
        let cs2 = cs * cs;
        let half = 0.5 * (1.0 + k);
        cs *= dn * half;
        dn = (cs2 + k / half) / (cs2 + 1.0 / half);
    }
    let sn = (1.0 / (1.0 + cs * cs).sqrt()).copysign(u);
    let cn = cs * sn;
    Jacobi { sn, cn, dn, am: atan2(sn, cn) }
}

/// The limit m′ = 0: on the separatrix the functions are hyperbolic and never return.
fn hyperbolic(u: f64) -> Jacobi {
    let sn = tanh(u);
    let cn = 1.0 / super::real::cosh(u);
    Jacobi { sn, cn, dn: cn, am: atan2(sn, cn) }
}

/// The argument u = atanh(s) on the separatrix, from sin φ and cos φ ≥ 0.
pub fn first_kind_separatrix(sin_phi: f64, cos_phi: f64) -> f64 {
    // asinh(tan φ) keeps its digits where 1 − sin φ would lose them.
    let tangent = sin_phi / cos_phi;
    let magnitude = ln(tangent.abs() + (1.0 + tangent * tangent).sqrt());
    if tangent < 0.0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::real::{cos, sin};

    /// Simpson's rule on the integrand, as a referee.
    fn quadrature(phi: f64, f: impl Fn(f64) -> f64) -> f64 {
        let n = 4000;
        let h = phi / f64::from(n);
        let weight = |i: i32| {
            if i == 0 || i == n {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=n).map(|i| weight(i) * f(h * f64::from(i))).sum::<f64>() * h / 3.0
    }

    /// Both kinds against quadrature of their definitions.
    #[test]
    fn integrals_match_their_definitions() {
        for m_prime in [1.0, 0.9, 0.5, 0.1, 0.01] {
            for big_n in [0.0, 0.3, 2.0, 50.0] {
                for phi in [-1.2, -0.3, 0.0, 0.2, 0.9, 1.4] {
                    let root = |a: f64| (cos(a) * cos(a) + m_prime * sin(a) * sin(a)).sqrt();
                    let u = first_kind(sin(phi), cos(phi), m_prime);
                    let u_ref = quadrature(phi, |a| 1.0 / root(a));
                    assert!((u - u_ref).abs() < 1e-11, "F({phi}|{m_prime}) = {u}, quadrature {u_ref}");
                    // Π(N; φ) = F − (N/3) s³ R_J(c², d², 1, 1 + Ns²) [DLMF 19.25.14]
                    let (s2, c2) = (sin(phi) * sin(phi), cos(phi) * cos(phi));
                    let rj = carlson_rj(c2, c2 + m_prime * s2, 1.0, 1.0 + big_n * s2);
                    let p = u - big_n / 3.0 * sin(phi) * s2 * rj;
                    let p_ref = quadrature(phi, |a| 1.0 / ((1.0 + big_n * sin(a) * sin(a)) * root(a)));
                    assert!(
                        (p - p_ref).abs() < 1e-9,
                        "Π({phi}, {big_n}|{m_prime}) = {p}, quadrature {p_ref}"
                    );
                }
            }
        }
    }

    /// Carlson's published values. [Carlson 1995, section 4]
    #[test]
    fn symmetric_forms_match_published_values() {
        assert!((carlson_rf(1.0, 2.0, 0.0) - 1.3110287771461).abs() < 1e-13);
        assert!((carlson_rf(2.0, 3.0, 4.0) - 0.58408284167715).abs() < 1e-14);
        assert!((carlson_rc(0.0, 0.25) - PI).abs() < 1e-14);
        assert!((carlson_rj(0.0, 1.0, 2.0, 3.0) - 0.77688623778582).abs() < 1e-13);
        assert!((carlson_rj(2.0, 3.0, 4.0, 5.0) - 0.14297579667157).abs() < 1e-14);
    }

    /// u → am u → F(am u) returns u, and the quarter period is F(π/2), from the sphere to the separatrix.
    #[test]
    fn functions_invert_the_integral() {
        for m_prime in [1.0, 0.7, 0.3, 1e-3, 1e-8, 1e-15, 1e-30] {
            let k = quarter_period(m_prime);
            assert!((k - first_kind(1.0, 0.0, m_prime)).abs() < 4e-15 * k);
            for i in -20..=20 {
                let u = k * f64::from(i) / 20.0 * 0.999;
                let j = jacobi(u, m_prime);
                let back = first_kind(j.sn, j.cn, m_prime);
                // du/dam = 1/dn: an ulp of the amplitude is worth that much more near the quarter period.
                let allowed = 1e-14 * (1.0 + k + 1.0 / j.dn);
                assert!((back - u).abs() < allowed, "m′ = {m_prime}, u = {u}, back = {back}");
            }
        }
    }

    /// The hyperbolic limit is approached continuously.
    #[test]
    fn separatrix_is_the_limit() {
        for u in [-5.0, -1.0, 0.0, 0.3, 2.0, 9.0] {
            let (near, limit) = (jacobi(u, 1e-30), jacobi(u, 0.0));
            assert!(
                (near.sn - limit.sn).abs() < 1e-14 && (near.cn - limit.cn).abs() < 1e-14,
                "{near:?} {limit:?}"
            );
            assert!((first_kind_separatrix(limit.sn, limit.cn) - u).abs() < 1e-12 * (1.0 + u.abs()));
        }
    }
}
