//! A function of two poses with its derivatives in time: what equations of joints are made of.
//!
//! Sums, products and elementary functions carry the derivatives along, so that each joint states its function alone.

use crate::math::DVec3;
use crate::math::Row;
use crate::math::real::{TAU, atan2};

/// A quantity g(q, t) of two bodies at an instant: its value, its gradient, and its first two derivatives in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// g.
    pub value: f64,
    /// The map from the twists of both bodies to ġ, less what moves in time by itself.
    pub row: Row,
    /// ġ.
    pub rate: f64,
    /// g̈ under the accelerations that the bodies were given with: without the forces of constraints.
    pub curvature: f64,
}

/// A row that maps everything to zero.
pub(crate) const NO_ROW: Row =
    Row { linear_a: DVec3::ZERO, angular_a: DVec3::ZERO, linear_b: DVec3::ZERO, angular_b: DVec3::ZERO };

fn combined((f, p): (f64, &Row), (g, q): (f64, &Row)) -> Row {
    Row {
        linear_a: f * p.linear_a + g * q.linear_a,
        angular_a: f * p.angular_a + g * q.angular_a,
        linear_b: f * p.linear_b + g * q.linear_b,
        angular_b: f * p.angular_b + g * q.angular_b,
    }
}

impl Jet {
    /// Zero, always.
    pub const ZERO: Self = Self { value: 0.0, row: NO_ROW, rate: 0.0, curvature: 0.0 };

    /// f·g + h·k of numbers f and h.
    #[must_use]
    pub fn combined((f, g): (f64, &Self), (h, k): (f64, &Self)) -> Self {
        Self {
            value: f * g.value + h * k.value,
            row: combined((f, &g.row), (h, &k.row)),
            rate: f * g.rate + h * k.rate,
            curvature: f * g.curvature + h * k.curvature,
        }
    }

    /// f·g of a number f.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self::combined((factor, self), (0.0, &Self::ZERO))
    }

    /// g + c of a number c.
    #[must_use]
    pub fn plus(&self, constant: f64) -> Self {
        Self { value: self.value + constant, ..*self }
    }

    /// g − s of a function of time with s, ṡ and s̈; the row stays.
    #[must_use]
    pub fn less(&self, [value, rate, curvature]: [f64; 3]) -> Self {
        Self {
            value: self.value - value,
            row: self.row,
            rate: self.rate - rate,
            curvature: self.curvature - curvature,
        }
    }

    /// F(g), given F, F′ and F″ there.
    #[must_use]
    fn through(&self, [f, first, second]: [f64; 3]) -> Self {
        Self {
            value: f,
            row: combined((first, &self.row), (0.0, &NO_ROW)),
            rate: first * self.rate,
            curvature: first * self.curvature + second * self.rate * self.rate,
        }
    }

    /// √(g² + h²): not differentiable where both vanish, and zero there with all its derivatives.
    #[must_use]
    pub fn hypotenuse(g: &Self, h: &Self) -> Self {
        let square = g.value * g.value + h.value * h.value;
        if square == 0.0 {
            return Self::ZERO;
        }
        let root = square.sqrt();
        // d/dt of g² + h² is 2(gġ + hḣ), its second derivative 2(ġ² + gg̈ + ḣ² + hḧ).
        let of_square = Self {
            value: square,
            row: combined((2.0 * g.value, &g.row), (2.0 * h.value, &h.row)),
            rate: 2.0 * (g.value * g.rate + h.value * h.rate),
            curvature: 2.0
                * (g.rate * g.rate + g.value * g.curvature + h.rate * h.rate + h.value * h.curvature),
        };
        of_square.through([root, 0.5 / root, -0.25 / (root * square)])
    }

    /// The angle of the vector (cosine, sine), of any length but zero, in (−π, π].
    ///
    /// φ̇ = (C Ṡ − S Ċ)/ρ, φ̈ = (C S̈ − S C̈)/ρ − φ̇ ρ̇/ρ with ρ = C² + S². Where ρ = 0 there is no angle: zero with all its
    /// derivatives.
    #[must_use]
    pub fn angle(sine: &Self, cosine: &Self) -> Self {
        let (s, c) = (sine, cosine);
        let square = c.value * c.value + s.value * s.value;
        if square == 0.0 {
            return Self::ZERO;
        }
        let (along_s, along_c) = (c.value / square, -s.value / square);
        let rate = along_s * s.rate + along_c * c.rate;
        let square_rate = 2.0 * (c.value * c.rate + s.value * s.rate);
        Self {
            value: atan2(s.value, c.value),
            row: combined((along_s, &s.row), (along_c, &c.row)),
            rate,
            curvature: along_s * s.curvature + along_c * c.curvature - rate * square_rate / square,
        }
    }

    /// The same angle with as many whole turns as bring it nearest to `near`.
    #[must_use]
    pub fn nearest_turn(&self, near: f64) -> Self {
        self.nearest_multiple(TAU, near)
    }

    /// The same quantity, known up to multiples of `period`, nearest to `near`.
    #[must_use]
    pub fn nearest_multiple(&self, period: f64, near: f64) -> Self {
        let turns = ((near - self.value) / period).round();
        self.plus(turns * period)
    }
}
