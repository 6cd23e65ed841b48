//! Clouds of points for tests, benchmarks and examples of the many-body forces; the same points on every machine.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "tests, benchmarks and examples each take the clouds they need"
)]

use dolmen::math::{DVec3, real};

/// A generator of uniform numbers: the `SplitMix64` sequence.
pub struct Random(pub u64);

impl Random {
    /// The next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point in the cube [−1, 1)³.
    pub fn in_cube(&mut self) -> DVec3 {
        2.0 * DVec3::new(self.unit(), self.unit(), self.unit()) - 1.0
    }

    /// A point of the unit sphere, by rejection.
    pub fn on_sphere(&mut self) -> DVec3 {
        loop {
            let point = self.in_cube();
            let length = point.length();
            if length > 0.01 && length < 1.0 {
                return point / length;
            }
        }
    }
}

/// Points uniform in the cube [−1, 1)³.
pub fn cube(n: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed);
    (0..n).map(|_| random.in_cube()).collect()
}

/// Plummer's sphere of scale length 1: M(r) ∝ r³ / (1 + r²)^{3/2}, cut where it holds 999 thousandths of the mass.
pub fn plummer(n: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed);
    let radius = |enclosed: f64| 1.0 / (real::pow(enclosed, -2.0 / 3.0) - 1.0).sqrt();
    (0..n).map(|_| radius((0.999 * random.unit()).max(1e-12)) * random.on_sphere()).collect()
}

/// `n` equal masses that sum to 1 kg.
pub fn equal_masses(n: usize) -> Vec<f64> {
    vec![1.0 / n as f64; n]
}
