//! Bodies in random motion.

use dolmen::body::Kinematics;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// In [−1, 1).
    pub(crate) fn number(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        dvec3(self.number(), self.number(), self.number())
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        loop {
            let [x, y, z, w] = [self.number(), self.number(), self.number(), self.number()];
            let q = DQuat::from_xyzw(x, y, z, w);
            if q.length() > 0.1 {
                return q.normalize();
            }
        }
    }

    pub(crate) fn body(&mut self) -> Kinematics {
        Kinematics {
            pose: Pose { position: self.vector(), orientation: self.rotation() },
            twist: Twist { velocity: self.vector(), spin: self.vector() },
            acceleration: self.vector(),
            spin_rate: self.vector(),
        }
    }
}

/// The body after a time `t` of a motion with its derivatives: x + vt + ½v̇t², turned by exp(ωt + ½ω̇t²).
pub(crate) fn later(body: &Kinematics, t: f64) -> Kinematics {
    let turn = DQuat::from_scaled_axis(t * body.twist.spin + 0.5 * t * t * body.spin_rate);
    Kinematics {
        pose: Pose {
            position: body.pose.position + t * body.twist.velocity + 0.5 * t * t * body.acceleration,
            orientation: (turn * body.pose.orientation).normalize(),
        },
        ..*body
    }
}

/// A derivative by differences, with an estimate of its error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// First and second derivative by central differences, extrapolated twice from steps h, h/2, h/4: the error is of order h⁶ and
/// ε/h or ε/h². Where two sizes of step differ, the difference is the estimate of the error.
pub(crate) fn derivatives(f: &dyn Fn(f64) -> f64) -> (Estimate, Estimate) {
    let first = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let second = |h: f64| (f(h) - 2.0 * f(0.0) + f(-h)) / (h * h);
    let extrapolated = |d: &dyn Fn(f64) -> f64, h: f64| {
        let (coarse, middle, fine) = (d(h), d(h / 2.0), d(h / 4.0));
        let (one, two) = ((4.0 * middle - coarse) / 3.0, (4.0 * fine - middle) / 3.0);
        (16.0 * two - one) / 15.0
    };
    let estimate = |d: &dyn Fn(f64) -> f64, h: f64| {
        let (value, coarse) = (extrapolated(d, h), extrapolated(d, 2.0 * h));
        Estimate { value, error: (value - coarse).abs() }
    };
    (estimate(&first, 0.01), estimate(&second, 0.02))
}

impl Estimate {
    /// Whether differences are good for anything here: near a singular configuration they are not.
    pub(crate) fn is_useful(&self) -> bool {
        self.error < 1e-4 * (1.0 + self.value.abs())
    }

    /// Asserts that a formula agrees: to the error of the differences, and their rounding (ε by 0.005²).
    pub(crate) fn assert_near(&self, formula: f64, what: &dyn std::fmt::Debug) {
        let bound = 2.0 * self.error + 1e-9 * (1.0 + self.value.abs());
        assert!(
            (formula - self.value).abs() < bound,
            "{what:?}: {formula} by formula, {} by differences, which are good to {bound}",
            self.value
        );
    }
}
