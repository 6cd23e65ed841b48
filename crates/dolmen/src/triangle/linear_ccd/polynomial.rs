//! Polynomials in time with whole coefficients: their roots in [0, 1], and signs of other polynomials at these, exactly.

use super::integer::{Integer, quotient_bounds};
use std::rc::Rc;

/// Coefficients, that of t⁰ first, the last not zero; none at all for the polynomial 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Polynomial(Vec<Integer>);

/// A time in [0, 1].
#[derive(Debug, Clone)]
pub(super) enum Time {
    /// n / 2^k.
    Dyadic(Integer, u32),
    /// The only root of `of`, which has simple roots only, between `low` / 2^k and `high` / 2^k, which are none.
    Root { of: Polynomial, low: Integer, high: Integer, k: u32 },
}

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<Integer>) -> Self {
        while coefficients.last().is_some_and(Integer::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Without the power of two that divides all coefficients: the same signs in shorter numbers.
    pub(super) fn reduced(&self) -> Self {
        let common = self.0.iter().filter_map(Integer::trailing_zeros).min().unwrap_or(0);
        Self(self.0.iter().map(|c| c.shifted_down(common)).collect())
    }

    /// Length of the list of coefficients: one more than the degree.
    fn len(&self) -> usize {
        self.0.len()
    }

    fn top(&self) -> &Integer {
        self.0.last().expect("only polynomials other than 0 are asked for their leading coefficient")
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let zero = Integer::zero();
        let at = |p: &Self, i: usize| p.0.get(i).unwrap_or(&zero).clone();
        Self::new((0..self.len().max(other.len())).map(|i| &at(self, i) + &at(other, i)).collect())
    }

    pub(super) fn negated(&self) -> Self {
        Self(self.0.iter().map(|c| -c.clone()).collect())
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = vec![Integer::zero(); (self.len() + other.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = &product[i + j] + &(a * b);
            }
        }
        Self::new(product)
    }

    fn derivative(&self) -> Self {
        Self::new((1..self.len()).map(|i| &self.0[i] * &Integer::from(i as u64)).collect())
    }

    /// The sign at n / 2^k.
    pub(super) fn sign_at(&self, n: &Integer, k: u32) -> i32 {
        let mut sum = Integer::zero();
        for (power, c) in self.0.iter().rev().enumerate() {
            sum = &(&sum * n) + &c.shifted(k * power as u32);
        }
        sum.sign()
    }

    /// Quotient and remainder of the division by `divisor`, both times the same positive number.
    fn divided(&self, divisor: &Self) -> (Self, Self) {
        let scale = divisor.top().abs();
        let (mut quotient, mut rest) = (Self(Vec::new()), self.clone());
        while rest.len() >= divisor.len() {
            // |d| · rest − sign(d) · r · t^shift · divisor loses the leading term, d and r being the leading coefficients.
            let shift = rest.len() - divisor.len();
            let mut term = vec![Integer::zero(); shift];
            term.push(if divisor.top().sign() < 0 { -rest.top().clone() } else { rest.top().clone() });
            let term = Self(term);
            let by_scale = |p: &Self| Self::new(p.0.iter().map(|c| c * &scale).collect());
            let length = rest.len();
            rest = by_scale(&rest).minus(&term.times(divisor));
            quotient = by_scale(&quotient).plus(&term);
            debug_assert!(rest.len() < length, "a step of the division must lower the degree");
        }
        (quotient, rest)
    }

    /// The chain self, next, then each the negated remainder of the two before it, up to positive factors.
    fn chain(&self, next: Self) -> Vec<Self> {
        let mut chain = vec![self.clone()];
        let mut next = next;
        while !next.is_zero() {
            let rest = chain[chain.len() - 1].divided(&next).1.negated().reduced();
            chain.push(next);
            next = rest;
        }
        chain
    }

    /// The same roots, each of them simple: self / gcd(self, self').
    fn simple(&self) -> Self {
        let chain = self.chain(self.derivative());
        let common = &chain[chain.len() - 1];
        if common.len() <= 1 { self.clone() } else { self.divided(common).0.reduced() }
    }

    /// Without its root n / 2^k, as often as it is there; n odd or k = 0.
    fn without_root(&self, n: &Integer, k: u32) -> Self {
        let mut rest = self.clone();
        while rest.len() > 1 && rest.sign_at(n, k) == 0 {
            // (2^k t − n) q = rest, solved from the top: 2^k q_(i−1) = r_i + n q_i, without remainder by Gauss's lemma.
            let mut quotient = vec![Integer::zero(); rest.len() - 1];
            let mut above = Integer::zero();
            for i in (1..rest.len()).rev() {
                above = (&rest.0[i] + &(n * &above)).shifted_down(k);
                quotient[i - 1] = above.clone();
            }
            rest = Self::new(quotient);
        }
        rest
    }

    /// All roots in [0, 1], in ascending order; none for the polynomial 0.
    pub(super) fn roots(&self) -> Vec<Time> {
        if self.len() <= 1 {
            return Vec::new();
        }
        let (zero, one) = (Integer::zero(), Integer::from(1));
        let mut times = Vec::new();
        if self.sign_at(&zero, 0) == 0 {
            times.push(Time::Dyadic(zero.clone(), 0));
        }
        let inner = self.without_root(&zero, 0).without_root(&one, 0).simple();
        inner.roots_inside(&mut times);
        if self.sign_at(&one, 0) == 0 {
            times.push(Time::Dyadic(one, 0));
        }
        times
    }

    /// Roots strictly between 0 and 1, which are none. All roots are simple.
    ///
    /// Halves the step until a part holds one root at most, by the count of its Sturm chain.
    fn roots_inside(&self, times: &mut Vec<Time>) {
        let mut open = vec![Open::Part { sturm: self.sturm(), n: Integer::zero(), k: 0 }];
        while let Some(next) = open.pop() {
            let (sturm, n, k) = match next {
                Open::Found(time) => {
                    times.push(time);
                    continue;
                }
                Open::Part { sturm, n, k } => (sturm, n, k),
            };
            let end = &n + &Integer::from(1);
            let count = changes(&sturm, &n, k).abs_diff(changes(&sturm, &end, k));
            if count == 0 {
                continue;
            }
            let of = &sturm[0];
            if count == 1 {
                times.push(Time::Root { of: of.clone(), low: n, high: end, k });
                continue;
            }
            let (low, k) = (n.shifted(1), k + 1);
            let middle = &low + &Integer::from(1);
            let is_root = of.sign_at(&middle, k) == 0;
            let sturm = if is_root { of.without_root(&middle, k).sturm() } else { sturm };
            open.push(Open::Part { sturm: Rc::clone(&sturm), n: middle.clone(), k });
            if is_root {
                open.push(Open::Found(Time::Dyadic(middle, k)));
            }
            open.push(Open::Part { sturm, n: low, k });
        }
    }

    fn sturm(&self) -> Rc<Vec<Self>> {
        Rc::new(self.chain(self.derivative()))
    }
}

/// What is left to look at, the earliest last.
enum Open {
    /// From n / 2^k to (n + 1) / 2^k, which are no roots, of the first polynomial of a Sturm chain.
    Part { sturm: Rc<Vec<Polynomial>>, n: Integer, k: u32 },
    /// A root between two parts.
    Found(Time),
}

/// How often the sign changes along the chain at n / 2^k, zeros left out.
fn changes(chain: &[Polynomial], n: &Integer, k: u32) -> u32 {
    let signs: Vec<i32> = chain.iter().map(|p| p.sign_at(n, k)).filter(|s| *s != 0).collect();
    signs.windows(2).filter(|s| s[0] != s[1]).count() as u32
}

impl Time {
    /// The sign of a polynomial of degree at most 2 at this time.
    pub(super) fn sign(&self, quadratic: &Polynomial) -> i32 {
        match self {
            Self::Dyadic(n, k) => quadratic.sign_at(n, *k),
            Self::Root { of, low, high, k } => {
                bernstein_sign(quadratic, low, high, *k).unwrap_or_else(|| {
                    // With one root r of p in the interval, the changes of sign along the chain of p and p'q, taken modulo
                    // p, drop by the sign of q(r). [Tarski; Basu, Pollack, Roy, Algorithms in real algebraic geometry, 2.73]
                    let weighted = of.derivative().times(quadratic).divided(of).1.reduced();
                    let chain = of.chain(weighted);
                    changes(&chain, low, *k).cast_signed() - changes(&chain, high, *k).cast_signed()
                })
            }
        }
    }

    /// The same time in the tightest interval: its ends become neighbouring `f64`, or the time itself.
    pub(super) fn polished(self) -> Self {
        let Self::Root { of, low, high, k } = self else {
            return self;
        };
        let sign_low = of.sign_at(&low, k);
        let (mut low, mut high, mut k) = (low, high, k);
        if let Some((n, fine)) = of.guess(&low, &high, k) {
            let (below, above) = (&n - &Integer::from(2), &n + &Integer::from(3));
            let inside =
                (&below - &low.shifted(fine - k)).sign() > 0 && (&high.shifted(fine - k) - &above).sign() > 0;
            if inside && of.sign_at(&below, fine) == sign_low && of.sign_at(&above, fine) == -sign_low {
                (low, high, k) = (below, above, fine);
            }
        }
        loop {
            let width = &high - &low;
            if width == Integer::from(1) {
                if low.bits() > 53 || k >= FINEST {
                    return Self::Root { of, low, high, k };
                }
                (low, high, k) = (low.shifted(1), high.shifted(1), k + 1);
                continue;
            }
            // An odd width cannot be halved; one part is then larger by one.
            let sum = &low + &high;
            let odd = sum.bits() > 0 && sum.shifted_down(1).shifted(1) != sum;
            let middle = (if odd { &sum - &Integer::from(1) } else { sum }).shifted_down(1);
            match of.sign_at(&middle, k) {
                0 => return Self::Dyadic(middle, k),
                s if s == sign_low => low = middle,
                _ => high = middle,
            }
        }
    }

    /// An interval that holds it; after [`Time::polished`], a number or two neighbours, except below 1e-300.
    pub(super) fn bounds(&self) -> [f64; 2] {
        match self {
            Self::Dyadic(n, k) => quotient_bounds(n, *k),
            Self::Root { low, high, k, .. } => [quotient_bounds(low, *k)[0], quotient_bounds(high, *k)[1]],
        }
    }
}

/// Times are not told apart below 2^−1000.
const FINEST: u32 = 1000;

impl Polynomial {
    /// Where the root between low / 2^k and high / 2^k is by rounded arithmetic: n and k' such that n / 2^k' is near it
    /// and n has 54 bits.
    fn guess(&self, low: &Integer, high: &Integer, k: u32) -> Option<(Integer, u32)> {
        let parts: Vec<(f64, i32)> = self.0.iter().map(Integer::approximate).collect();
        let largest = parts.iter().map(|(m, e)| if *m == 0.0 { i32::MIN } else { *e }).max()?;
        let scale = |e: i32| {
            if e - largest < -900 { 0.0 } else { f64::from_bits(((e - largest + 1023) as u64) << 52) }
        };
        let rounded: Vec<f64> =
            parts.iter().map(|(m, e)| if *m == 0.0 { 0.0 } else { m * scale(*e) }).collect();
        let at = |t: f64| rounded.iter().rev().fold(0.0, |sum, c| sum * t + c);

        let (mut a, mut b) = (quotient_bounds(low, k)[1], quotient_bounds(high, k)[0]);
        let rises = at(b) > at(a);
        for _ in 0..80 {
            let middle = 0.5 * (a + b);
            if (at(middle) > 0.0) == rises {
                b = middle;
            } else {
                a = middle;
            }
        }
        let exponent = super::integer::lowest_bit(a)?.min(-1);
        // 2^k' a has 54 bits, where a = n 2^exponent has at most 53.
        let n = Integer::from_f64(a, exponent);
        let extra = 54_u32.saturating_sub(n.bits());
        let fine = extra + exponent.unsigned_abs();
        (fine >= k && fine < FINEST).then(|| (n.shifted(extra), fine))
    }
}

/// The sign of a quadratic all over [low, high] / 2^k if its three Bernstein coefficients have the same.
fn bernstein_sign(quadratic: &Polynomial, low: &Integer, high: &Integer, k: u32) -> Option<i32> {
    let first = quadratic.sign_at(low, k);
    if first == 0 || quadratic.sign_at(high, k) != first {
        return (quadratic.is_zero()).then_some(0);
    }
    let zero = Integer::zero();
    let c = |i: usize| quadratic.0.get(i).unwrap_or(&zero);
    // 2 · 4^k times the middle coefficient c₀ + c₁ (low + high)/2 + c₂ low · high.
    let constant = c(0).shifted(2 * k + 1);
    let linear = (c(1) * &(low + high)).shifted(k);
    let middle = &(&constant + &linear) + &(c(2) * &(low * high)).shifted(1);
    (middle.sign() == first).then_some(first)
}
