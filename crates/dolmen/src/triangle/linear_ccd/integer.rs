//! Whole numbers of any size, as far as exact polynomials need them: sums, products, shifts and signs.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A whole number: sign and limbs, lowest first, without leading zero limbs; zero has none and is not negative.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Integer {
    negative: bool,
    limbs: Vec<u64>,
}

impl Integer {
    pub(super) fn zero() -> Self {
        Self::default()
    }

    /// x · 2^(−exponent), which must be whole; `exponent` comes from [`lowest_bit`].
    pub(super) fn from_f64(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = decode(x);
        let magnitude = Self::from(mantissa).shifted((own - exponent).max(0) as u32);
        if x < 0.0 { -magnitude } else { magnitude }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// −1, 0 or 1.
    pub(super) fn sign(&self) -> i32 {
        match (self.limbs.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(super) fn abs(&self) -> Self {
        Self { negative: false, limbs: self.limbs.clone() }
    }

    /// How many bits the absolute value has; 0 for zero.
    pub(super) fn bits(&self) -> u32 {
        self.limbs.last().map_or(0, |top| 64 * self.limbs.len() as u32 - top.leading_zeros())
    }

    /// How many times 2 divides it; `None` for zero.
    pub(super) fn trailing_zeros(&self) -> Option<u32> {
        let whole = self.limbs.iter().position(|limb| *limb != 0)?;
        Some(64 * whole as u32 + self.limbs[whole].trailing_zeros())
    }

    /// Multiplied by 2^count.
    pub(super) fn shifted(&self, count: u32) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        let (whole, part) = ((count / 64) as usize, count % 64);
        let mut limbs = vec![0; whole];
        let mut carry = 0;
        for limb in &self.limbs {
            limbs.push(limb << part | carry);
            carry = if part == 0 { 0 } else { limb >> (64 - part) };
        }
        limbs.push(carry);
        Self::trimmed(self.negative, limbs)
    }

    /// The absolute value without its lowest `count` bits.
    fn cut(&self, count: u32) -> Self {
        let (whole, part) = ((count / 64) as usize, count % 64);
        let kept = self.limbs.get(whole..).unwrap_or(&[]);
        let next = |i: usize| kept.get(i + 1).copied().unwrap_or(0);
        let limbs = (0..kept.len())
            .map(|i| kept[i] >> part | if part == 0 { 0 } else { next(i) << (64 - part) })
            .collect();
        Self::trimmed(false, limbs)
    }

    /// Divided by 2^count, which must divide it.
    pub(super) fn shifted_down(&self, count: u32) -> Self {
        let cut = self.cut(count);
        if self.negative { -cut } else { cut }
    }

    /// (m, e) with the value within 2⁻⁵² of m · 2^e, relative, and |m| < 2⁵³; exact when it has at most 53 bits, else
    /// rounded towards zero.
    pub(super) fn approximate(&self) -> (f64, i32) {
        let excess = self.bits().saturating_sub(53);
        let top = self.cut(excess).limbs.first().copied().unwrap_or(0) as f64;
        (if self.negative { -top } else { top }, excess.cast_signed())
    }

    fn trimmed(negative: bool, mut limbs: Vec<u64>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self { negative: negative && !limbs.is_empty(), limbs }
    }
}

impl From<u64> for Integer {
    fn from(x: u64) -> Self {
        Self::trimmed(false, vec![x])
    }
}

/// |x| = mantissa · 2^exponent with an odd mantissa, or (0, 0).
fn decode(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent + zeros.cast_signed())
}

/// The exponent of the lowest bit of a finite number, `None` for zero.
pub(super) fn lowest_bit(x: f64) -> Option<i32> {
    (x != 0.0).then(|| decode(x).1)
}

/// n / 2^k rounded down and up to `f64`, for 0 ≤ n ≤ 2^k.
pub(super) fn quotient_bounds(n: &Integer, k: u32) -> [f64; 2] {
    let (mantissa, excess) = n.approximate();
    let cut_off = n.cut(excess as u32).shifted(excess as u32) != *n;
    let exponent = excess - k.cast_signed();
    // In steps whose powers of two are normal numbers.
    let (mut low, mut left) = (mantissa, exponent);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        low *= f64::from_bits(((step + 1023) as u64) << 52);
        left -= step;
    }
    if exponent < -1022 {
        // The product may have been rounded, to a subnormal number or zero.
        return [low.next_down().max(0.0), low.next_up()];
    }
    [low, if cut_off { low.next_up() } else { low }]
}

fn compare_limbs(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn add_limbs(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut sum = Vec::with_capacity(long.len() + 1);
    let mut carry = false;
    for (i, limb) in long.iter().enumerate() {
        let (s, first) = limb.overflowing_add(short.get(i).copied().unwrap_or(0));
        let (s, second) = s.overflowing_add(u64::from(carry));
        carry = first | second;
        sum.push(s);
    }
    sum.push(u64::from(carry));
    sum
}

/// a − b for a ≥ b.
fn subtract_limbs(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut borrow = false;
    let mut difference = Vec::with_capacity(a.len());
    for (i, limb) in a.iter().enumerate() {
        let (d, first) = limb.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (d, second) = d.overflowing_sub(u64::from(borrow));
        borrow = first | second;
        difference.push(d);
    }
    difference
}

impl Add for &Integer {
    type Output = Integer;
    fn add(self, other: &Integer) -> Integer {
        if self.negative == other.negative {
            return Integer::trimmed(self.negative, add_limbs(&self.limbs, &other.limbs));
        }
        match compare_limbs(&self.limbs, &other.limbs) {
            Ordering::Equal => Integer::zero(),
            Ordering::Greater => Integer::trimmed(self.negative, subtract_limbs(&self.limbs, &other.limbs)),
            Ordering::Less => Integer::trimmed(other.negative, subtract_limbs(&other.limbs, &self.limbs)),
        }
    }
}

impl Neg for Integer {
    type Output = Self;
    fn neg(self) -> Self {
        Self { negative: !self.negative && !self.limbs.is_empty(), limbs: self.limbs }
    }
}

impl Sub for &Integer {
    type Output = Integer;
    fn sub(self, other: &Integer) -> Integer {
        self + &-other.clone()
    }
}

impl Mul for &Integer {
    type Output = Integer;
    fn mul(self, other: &Integer) -> Integer {
        let mut limbs = vec![0; self.limbs.len() + other.limbs.len()];
        for (i, x) in self.limbs.iter().enumerate() {
            let mut carry = 0_u128;
            for (j, y) in other.limbs.iter().enumerate() {
                carry += u128::from(*x) * u128::from(*y) + u128::from(limbs[i + j]);
                limbs[i + j] = carry as u64;
                carry >>= 64;
            }
            limbs[i + other.limbs.len()] = carry as u64;
        }
        Integer::trimmed(self.negative != other.negative, limbs)
    }
}

#[cfg(test)]
mod tests {
    use super::{Integer, lowest_bit, quotient_bounds};
    use proptest::prelude::*;

    fn whole(x: i128) -> Integer {
        let magnitude = x.unsigned_abs();
        let high = Integer::from((magnitude >> 64) as u64).shifted(64);
        let sum = &high + &Integer::from(magnitude as u64);
        if x < 0 { -sum } else { sum }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        /// Sums, differences, products and shifts agree with those of the machine's 128-bit numbers.
        #[test]
        fn small_integers_are_those_of_the_machine(a: i64, b: i64, c: i128, d: i128, shift in 0_u32..60) {
            let (a, b, c, d) = (i128::from(a), i128::from(b), c / 2, d / 2);
            prop_assert_eq!(&whole(c) + &whole(d), whole(c + d));
            prop_assert_eq!(&whole(c) - &whole(d), whole(c - d));
            prop_assert_eq!(&whole(a) * &whole(b), whole(a * b));
            prop_assert_eq!(whole(a).shifted(shift), whole(a << shift));
            prop_assert_eq!(whole(a).shifted(shift).shifted_down(shift), whole(a));
            prop_assert_eq!(whole(c).sign(), c.signum() as i32);
        }

        /// (a + b)(a − b) = a² − b² over many limbs.
        #[test]
        fn long_products_obey_the_binomial_formula(a: [u64; 6], b: [u64; 4]) {
            let long = |limbs: &[u64]| limbs.iter().fold(Integer::zero(), |x, l| &x.shifted(64) + &Integer::from(*l));
            let (a, b) = (long(&a), -long(&b));
            prop_assert_eq!(&(&a + &b) * &(&a - &b), &(&a * &a) - &(&b * &b));
        }

        /// A float taken apart and put together again is the same, subnormals included.
        #[test]
        fn floats_survive_the_round_trip(x in prop_oneof![0.0..1.0_f64, 0.0..1e-305, Just(5e-324), Just(1.0), Just(0.0)]) {
            let exponent = lowest_bit(x).unwrap_or(0).min(0);
            let [low, high] = quotient_bounds(&Integer::from_f64(x, exponent), (-exponent) as u32);
            prop_assert!(low <= x && x <= high && high - low <= 2.0 * (x.next_up() - x), "{low:e} {x:e} {high:e}");
            prop_assert!(x < 1e-290 || low == high);
        }
    }
}
