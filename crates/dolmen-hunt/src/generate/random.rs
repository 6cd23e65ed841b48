//! Random numbers that are the same on every machine.

use dolmen::math::{DVec3, dvec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Debug)]
pub(super) struct Random(Pcg64Mcg);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// In [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Every decade from `low` to `high` is equally likely.
    pub(super) fn decades(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub(super) fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }

    pub(super) fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// In the cube [−1, 1)³.
    pub(super) fn vector(&mut self) -> DVec3 {
        dvec3(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// Of length 1 before rounding; one in five along an axis.
    pub(super) fn direction(&mut self) -> DVec3 {
        if self.chance(0.2) {
            return self.sign() * self.pick(&DVec3::AXES);
        }
        loop {
            let vector = self.vector();
            if (0.1..=1.0).contains(&vector.length()) {
                return rounded(vector.normalize(), 4);
            }
        }
    }
}

/// A number with few digits, which a reader can take in.
pub(super) fn short(x: f64) -> f64 {
    digits(x, 3)
}

/// A number of so many significant digits.
pub(super) fn digits(x: f64, count: usize) -> f64 {
    format!("{x:.*e}", count - 1).parse().expect("a printed number is a number")
}

/// A vector whose components have so many significant digits.
pub(super) fn rounded(v: DVec3, count: usize) -> DVec3 {
    dvec3(digits(v.x, count), digits(v.y, count), digits(v.z, count))
}
