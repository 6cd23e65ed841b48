//! Moments of a set of bodies, and the field of distant moments as a Taylor series. Everything here is for G = 1.
//!
//! Let g(x) = (x² + ε²)^{−1/2}, and Dₙ its tensor of n-th derivatives. With s² = x² + ε² and
//! γₙ = (−1)ⁿ (2n − 1)!! / s^{2n+1}, which is the n-th derivative of g by x²/2:
//!
//! ```text
//! D₀ = γ₀    D₁ = x γ₁    D₂ = x x γ₂ + 1 γ₁    D₃ = x x x γ₃ + {1 x} γ₂
//! D₄ = x x x x γ₄ + {1 x x} γ₃ + {1 1} γ₂         {·}: the sum over the 3, 6 and 3 ways to place the indices
//! ```
//!
//! A body at u from the centre of a sink cell feels bodies at y from the centre of a source cell, the centres x
//! apart, by ψ(u) = Σ m g(x + u − y). Taylor's theorem in u − y up to the fourth order, sorted by powers of u, gives
//! ψ = C₀ + C₁·u + C₂·uu/2 + C₃·uuu/6 + C₄·uuuu/24 with the source's moments M = Σ m, P = Σ m y y, O = Σ m y y y:
//!
//! ```text
//! C₀ = M D₀ + P:D₂/2 − O:D₃/6    C₁ = M D₁ + P:D₃/2 − O:D₄/6    C₂ = M D₂ + P:D₄/2    C₃ = M D₃    C₄ = M D₄
//! ```
//!
//! The moment of first order vanishes about the centre of mass. The traces of P and O are kept, for the softened g
//! is not harmonic; without softening they drop out by themselves and only the quadrupole 3P − tr P and its like
//! pull. All terms of one order are there or none, so that the pulls of two cells on each other are opposite
//! and the total momentum is conserved to rounding.

use super::tensor::{Rank2, Rank3, Rank4, add_scaled};
use super::tile::Pull;
use crate::math::DVec3;

/// Moments of a cell about its centre of mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// M = Σ m, kg.
    pub(super) mass: f64,
    /// P = Σ m y y, kg·m².
    pub(super) second: Rank2,
    /// O = Σ m y y y, kg·m³.
    pub(super) third: Rank3,
}

impl Moments {
    pub(super) const ZERO: Self = Self { mass: 0.0, second: Rank2::ZERO, third: Rank3::ZERO };

    /// Adds a body at `arm` from the centre.
    #[inline(always)]
    pub(super) fn add_body(&mut self, mass: f64, arm: DVec3) {
        self.mass += mass;
        add_scaled(&mut self.second.0, &Rank2::power(arm).0, mass);
        add_scaled(&mut self.third.0, &Rank3::power(arm).0, mass);
    }
}

impl Moments {
    /// What a body at x feels: C₀ and C₁.
    #[inline(always)]
    pub(super) fn pull(&self, derivatives: &Derivatives) -> Pull {
        let Derivatives { x, gamma: [g0, g1, ..], .. } = derivatives;
        let mut pull = self.higher_pull(derivatives, 1.0).1;
        pull.psi += self.mass * g0;
        pull.acceleration += (self.mass * g1) * *x;
        pull
    }

    /// P x, and the part of C₀ and C₁ beyond the mass: P:D₂/2 − O:D₃/6 and P:D₃/2 − O:D₄/6.
    #[inline(always)]
    fn higher_pull(&self, derivatives: &Derivatives, sign: f64) -> (DVec3, Pull) {
        let Derivatives { x, gamma: [_, g1, g2, g3, g4], .. } = derivatives;
        let x = *x;
        let px = self.second.dot(x);
        let (xpx, trace_p) = (px.dot(x), self.second.trace());
        let oxx = self.third.dot(x).dot(x);
        let (oxxx, trace_o) = (oxx.dot(x), self.third.trace());
        let tx = 3.0 * trace_o.dot(x);
        let psi = 0.5 * (xpx * g2 + trace_p * g1) - sign / 6.0 * (oxxx * g3 + tx * g2);
        let acceleration = sign * ((0.5 * (xpx * g3 + trace_p * g2)) * x + *g2 * px)
            - ((oxxx * g4 + tx * g3) / 6.0 * x + 0.5 * (*g3 * oxx + *g2 * trace_o));
        (px, Pull { acceleration, psi })
    }
}

/// The derivatives D₂, D₃, D₄ of g at x, and the γ that make the others.
pub(super) struct Derivatives {
    x: DVec3,
    gamma: [f64; 5],
    second: Rank2,
    third: Rank3,
    fourth: Rank4,
}

impl Derivatives {
    #[inline(always)]
    pub(super) fn at(x: DVec3, softening_squared: f64) -> Self {
        let inv_s = 1.0 / (x.length_squared() + softening_squared).sqrt();
        let inv_s2 = inv_s * inv_s;
        let g0 = inv_s;
        let g1 = -g0 * inv_s2;
        let g2 = -3.0 * g1 * inv_s2;
        let g3 = -5.0 * g2 * inv_s2;
        let g4 = -7.0 * g3 * inv_s2;

        let [xx, xy, xz, yy, yz, zz] = Rank2::power(x).0;
        let [g2x, g2y, g2z] = (g2 * x).to_array();
        let (g3xy, g3xz, g3yz) = (g3 * xy, g3 * xz, g3 * yz);
        let (g3xx, g3yy, g3zz) = (g3 * xx, g3 * yy, g3 * zz);
        let (g4xx, g4yy, g4zz) = (g4 * xx, g4 * yy, g4 * zz);
        Self {
            x,
            gamma: [g0, g1, g2, g3, g4],
            second: Rank2([g2 * xx + g1, g2 * xy, g2 * xz, g2 * yy + g1, g2 * yz, g2 * zz + g1]),
            third: Rank3([
                g3xx * x.x + 3.0 * g2x,
                g3xx * x.y + g2y,
                g3xx * x.z + g2z,
                g3yy * x.x + g2x,
                g3xy * x.z,
                g3zz * x.x + g2x,
                g3yy * x.y + 3.0 * g2y,
                g3yy * x.z + g2z,
                g3zz * x.y + g2y,
                g3zz * x.z + 3.0 * g2z,
            ]),
            fourth: Rank4([
                g4xx * xx + 6.0 * g3xx + 3.0 * g2,
                g4xx * xy + 3.0 * g3xy,
                g4xx * xz + 3.0 * g3xz,
                g4xx * yy + (g3xx + g3yy) + g2,
                g4xx * yz + g3yz,
                g4xx * zz + (g3xx + g3zz) + g2,
                g4yy * xy + 3.0 * g3xy,
                g4yy * xz + g3xz,
                g4zz * xy + g3xy,
                g4zz * xz + 3.0 * g3xz,
                g4yy * yy + 6.0 * g3yy + 3.0 * g2,
                g4yy * yz + 3.0 * g3yz,
                g4yy * zz + (g3yy + g3zz) + g2,
                g4zz * yz + 3.0 * g3yz,
                g4zz * zz + 6.0 * g3zz + 3.0 * g2,
            ]),
        }
    }
}

/// ψ near the centre of a cell: the coefficients C₀ … C₄.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    c0: f64,
    c1: DVec3,
    c2: Rank2,
    c3: Rank3,
    c4: Rank4,
}

impl Field {
    pub(super) const ZERO: Self =
        Self { c0: 0.0, c1: DVec3::ZERO, c2: Rank2::ZERO, c3: Rank3::ZERO, c4: Rank4::ZERO };

    /// Adds the field of a source cell; `sign` is 1 where the derivatives were taken at x = sink − source, −1 at −x.
    #[inline(always)]
    pub(super) fn add_source(&mut self, source: &Moments, derivatives: &Derivatives, sign: f64) {
        self.add_body(source.mass, derivatives, sign);
        let (px, higher) = source.higher_pull(derivatives, sign);
        self.c0 += higher.psi;
        self.c1 += higher.acceleration;
        self.add_second_by_fourth(source, derivatives, px);
    }

    /// Adds the field of a source without extent.
    #[inline(always)]
    pub(super) fn add_body(&mut self, mass: f64, derivatives: &Derivatives, sign: f64) {
        let Derivatives { x, gamma: [g0, g1, ..], second, third, fourth } = derivatives;
        self.c0 += mass * g0;
        self.c1 += (sign * mass * g1) * *x;
        add_scaled(&mut self.c2.0, &second.0, mass);
        add_scaled(&mut self.c3.0, &third.0, sign * mass);
        add_scaled(&mut self.c4.0, &fourth.0, mass);
    }

    /// C₂ += P:D₄/2 = (xx (x·Px γ₄ + tr P γ₃) + 1 (x·Px γ₃ + tr P γ₂))/2 + γ₃ (x Px + Px x) + γ₂ P.
    #[inline(always)]
    fn add_second_by_fourth(&mut self, source: &Moments, derivatives: &Derivatives, px: DVec3) {
        let Derivatives { x, gamma: [_, _, g2, g3, g4], .. } = derivatives;
        let (xpx, trace_p) = (px.dot(*x), source.second.trace());
        let unit = 0.5 * (xpx * g3 + trace_p * g2);
        // xx a + x Px + Px x = x w + w x with w = Px + a x/2.
        let w = *g3 * px + (0.25 * (xpx * g4 + trace_p * g3)) * *x;
        let mixed = Rank2([
            2.0 * x.x * w.x + unit,
            x.x * w.y + x.y * w.x,
            x.x * w.z + x.z * w.x,
            2.0 * x.y * w.y + unit,
            x.y * w.z + x.z * w.y,
            2.0 * x.z * w.z + unit,
        ]);
        add_scaled(&mut self.c2.0, &mixed.0, 1.0);
        add_scaled(&mut self.c2.0, &source.second.0, *g2);
    }

    /// Adds another field, known about a centre from which this one's centre is at `arm`.
    pub(super) fn add_shifted(&mut self, other: &Self, arm: DVec3) {
        let (c4_1, c3_1) = (other.c4.dot(arm), other.c3.dot(arm));
        let (c4_2, c2_1, c3_2) = (c4_1.dot(arm), other.c2.dot(arm), c3_1.dot(arm));
        let c4_3 = c4_2.dot(arm);
        self.c0 += other.c0
            + (other.c1 + 0.5 * c2_1 + c3_2 / 6.0 + c4_3 / 24.0).dot(arm);
        self.c1 += other.c1 + c2_1 + 0.5 * c3_2 + c4_3 / 6.0;
        add_scaled(&mut self.c2.0, &other.c2.0, 1.0);
        add_scaled(&mut self.c2.0, &c3_1.0, 1.0);
        add_scaled(&mut self.c2.0, &c4_2.0, 0.5);
        add_scaled(&mut self.c3.0, &other.c3.0, 1.0);
        add_scaled(&mut self.c3.0, &c4_1.0, 1.0);
        add_scaled(&mut self.c4.0, &other.c4.0, 1.0);
    }

    /// ψ and its gradient, the acceleration, at `arm` from the centre.
    pub(super) fn pull_at(&self, arm: DVec3) -> Pull {
        let (c2_1, c3_2) = (self.c2.dot(arm), self.c3.dot(arm).dot(arm));
        let c4_3 = self.c4.dot(arm).dot(arm).dot(arm);
        Pull {
            acceleration: self.c1 + c2_1 + 0.5 * c3_2 + c4_3 / 6.0,
            psi: self.c0 + (self.c1 + 0.5 * c2_1 + c3_2 / 6.0 + c4_3 / 24.0).dot(arm),
        }
    }
}
