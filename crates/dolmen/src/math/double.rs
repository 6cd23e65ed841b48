//! Double-double arithmetic: a sum of two `f64` with about 32 significant digits.
//!
//! Used where a difference decides (how far a tumbling body is from its separatrix) and as the referee of closed
//! forms in tests. Products are split as Dekker does, so that no fused operation is needed. [Dekker 1971]

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The unevaluated sum `hi + lo` with |lo| ≤ ½ ulp(hi).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double {
    /// The value rounded to `f64`.
    pub hi: f64,
    /// What rounding left over.
    pub lo: f64,
}

impl Double {
    /// Zero.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The nearest `f64`.
    pub fn value(self) -> f64 {
        self.hi
    }

    /// The square root; zero for zero, NaN for a negative number.
    #[must_use]
    pub fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return Self::ZERO;
        }
        // One Newton step on the f64 root doubles its digits.
        let root = Self::from(self.hi.sqrt());
        let error = self - root * root;
        root + Self::from(error.hi / (2.0 * root.hi))
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

/// a + b = s + e exactly, for any a and b.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_rounded = s - a;
    (s, (a - (s - b_rounded)) + (b - b_rounded))
}

/// a + b = s + e exactly, when |a| ≥ |b|.
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// The upper and lower 26 bits of a number. Overflows above 2^996, far outside of any scene.
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let hi = c - (c - a);
    (hi, a - hi)
}

/// a · b = p + e exactly.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((a_hi, a_lo), (b_hi, b_lo)) = (split(a), split(b));
    (p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo)
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = quick_two_sum(s, e + t);
        let (hi, lo) = quick_two_sum(s, e + f);
        Self { hi, lo }
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (p, e) = two_product(self.hi, other.hi);
        let (hi, lo) = quick_two_sum(p, e + (self.hi * other.lo + self.lo * other.hi));
        Self { hi, lo }
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let q1 = self.hi / other.hi;
        let r = self - Self::from(q1) * other;
        let q2 = r.hi / other.hi;
        let r = r - Self::from(q2) * other;
        let (hi, lo) = quick_two_sum(q1, q2);
        Self { hi, lo } + Self::from(r.hi / other.hi)
    }
}

#[cfg(test)]
mod tests {
    use super::Double;

    /// (1 + 2⁻⁸⁰) − 1 is lost in f64 and kept here.
    #[test]
    fn small_differences_survive() {
        let tiny = 1.0 / crate::math::real::powi(2.0, 80);
        assert_eq!((Double::ONE + tiny.into() - Double::ONE).value(), tiny);
    }

    /// Division, product and root undo one another to 1e-30.
    #[test]
    fn operations_are_inverse_to_one_another() {
        for i in 1..200 {
            let x = Double::from(f64::from(i)) / Double::from(7.3);
            let y = Double::from(f64::from(i) * 0.37) + Double::from(1e-17);
            let back = x / y * y - x;
            assert!(back.value().abs() < 1e-30 * x.value(), "x/y·y − x = {back:?}");
            let root = x.sqrt();
            let error = root * root - x;
            assert!(error.value().abs() < 1e-30 * x.value(), "√x² − x = {error:?}");
        }
    }
}
