//! Random numbers that are functions of a seed and a place: no order of threads reaches them.

/// SplitMix64 [Steele, Lea, Flood 2014]: a stream of 64 random bits from a start.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of this seed and these two numbers.
    pub(crate) fn new(seed: u64, a: u64, b: u64) -> Self {
        let mut mixed = Self(seed);
        for number in [a, b] {
            mixed = Self(mixed.bits() ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        }
        mixed.bits();
        mixed
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1): a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// 0 … n − 1 in an order of its own [Fisher, Yates].
    pub(crate) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            // The bias of this choice is below i / 2⁵³.
            let j = (self.unit() * (i + 1) as f64) as usize;
            order.swap(i, j.min(i));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean ½ and variance 1/12 within five standard errors, over streams and along one; a permutation has every number once.
    #[test]
    fn numbers_are_even_over_streams_and_along_one() {
        let n = 100_000_u32;
        let along: Vec<f64> = {
            let mut stream = Random::new(7, 0, 0);
            (0..n).map(|_| stream.unit()).collect()
        };
        let over: Vec<f64> = (0..n).map(|i| Random::new(7, u64::from(i), 3).unit()).collect();
        for numbers in [along, over] {
            let mean = numbers.iter().sum::<f64>() / f64::from(n);
            let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
            // σ of the mean 1/√(12 n), of the variance 1/√(180 n).
            assert!((mean - 0.5).abs() < 5.0 / (12.0 * f64::from(n)).sqrt(), "mean {mean}");
            assert!(
                (variance - 1.0 / 12.0).abs() < 5.0 / (180.0 * f64::from(n)).sqrt(),
                "variance {variance}"
            );
        }
        let mut order = Random::new(1, 2, 3).permutation(1000);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<u32>>());
    }
}
