//! Numbers that are all over the place, for scenes that are generated.

use dolmen::math::{DVec3, dvec3};

/// Even numbers in [−½, ½), the same on every machine.
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    /// The next of them.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// The next three.
    pub(crate) fn vector(&mut self) -> DVec3 {
        dvec3(self.next(), self.next(), self.next())
    }
}
