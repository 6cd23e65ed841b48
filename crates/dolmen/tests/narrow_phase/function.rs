//! The separation at a contact as a function of time, against finite differences.

use super::common::Random;
use dolmen::body::Kinematics;
use dolmen::math::{DQuat, DVec3, Pose, Twist};
use dolmen::narrow_phase::{ContactFunction, NormalRule};
use proptest::prelude::*;

/// A body that moves with constant acceleration and turns about an axis fixed in space with constant ω̇ along another:
/// here as a polynomial in t of second order for the place, and of first order for ω.
pub(crate) struct Moving {
    pub(crate) start: Pose,
    pub(crate) velocity: DVec3,
    pub(crate) acceleration: DVec3,
    pub(crate) spin: DVec3,
    pub(crate) spin_rate: DVec3,
}

impl Moving {
    pub(crate) fn random(random: &mut Random) -> Self {
        Self {
            start: Pose { position: random.vector(), orientation: random.turn() },
            velocity: random.vector(),
            acceleration: random.vector(),
            spin: random.vector(),
            spin_rate: random.vector(),
        }
    }

    /// The pose at a time near 0, right to order t⁴: q(t) = exp(θ) q(0) with the Magnus vector
    /// θ = ω t + ω̇ t²/2 + (ω̇ × ω) t³/12 of a spin that is linear in time.
    pub(crate) fn pose(&self, t: f64) -> Pose {
        let angle = self.spin * t
            + self.spin_rate * (t * t / 2.0)
            + self.spin_rate.cross(self.spin) * (t * t * t / 12.0);
        let position = self.start.position + self.velocity * t + self.acceleration * (t * t / 2.0);
        Pose { position, orientation: DQuat::from_scaled_axis(angle) * self.start.orientation }
    }

    pub(crate) fn now(&self) -> Kinematics {
        Kinematics {
            pose: self.start,
            twist: Twist { velocity: self.velocity, spin: self.spin },
            acceleration: self.acceleration,
            spin_rate: self.spin_rate,
        }
    }
}

fn random_function(random: &mut Random, rule: u32) -> ContactFunction {
    let (a, b) = (random.direction(), random.direction());
    let normal = match rule {
        0 => NormalRule::OfA(a),
        1 => NormalRule::OfB(b),
        2 => NormalRule::Edges { along_a: a, along_b: b },
        _ => NormalRule::Mean { mean_a: a, mean_b: b },
    };
    ContactFunction { point_a: random.vector(), point_b: random.vector(), normal }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// ḋ and d̈ are the derivatives of d along the motion, for every rule of the normal, with both bodies rotating.
    #[test]
    fn derivatives_agree_with_finite_differences(seed in 0_u64..u64::MAX, rule in 0_u32..4) {
        let mut random = Random::new(seed);
        let (a, b) = (Moving::random(&mut random), Moving::random(&mut random));
        let function = random_function(&mut random, rule);
        let length = match function.normal {
            NormalRule::Edges { along_a, along_b } => {
                a.start.direction(along_a).cross(b.start.direction(along_b)).length()
            }
            NormalRule::Mean { mean_a, mean_b } => (b.start.direction(mean_b) - a.start.direction(mean_a)).length(),
            _ => 1.0,
        };
        // Derivatives of n grow as powers of 1/|N|; below this the differences are no referee.
        prop_assume!(length > 0.2);
        let value = |t: f64| function.value(&a.pose(t), &b.pose(t));
        let motion = function.motion(&a.now(), &b.now());
        prop_assert!((motion.value - value(0.0)).abs() < 1e-14);

        // Central differences of order 4: errors of h⁴ d⁽⁵⁾/30 and h⁴ d⁽⁶⁾/90, with d⁽⁶⁾ up to about 6! (4/|N|)⁶ for
        // unit velocities, and of rounding 1e-15/h².
        let h = 1e-3;
        let (m2, m1, p1, p2) = (value(-2.0 * h), value(-h), value(h), value(2.0 * h));
        let rate = (m2 - 8.0 * m1 + 8.0 * p1 - p2) / (12.0 * h);
        let curvature = (-m2 + 16.0 * m1 - 30.0 * value(0.0) + 16.0 * p1 - p2) / (12.0 * h * h);
        let allowed = 1e-8 + 1e-12 * (4.0 / length) * (4.0 / length) * (4.0 / length) * (4.0 / length) * (4.0 / length);
        prop_assert!((motion.rate - rate).abs() < allowed, "ḋ = {}, differences {rate}", motion.rate);
        let allowed = allowed * 10.0 * (4.0 / length);
        prop_assert!((motion.curvature - curvature).abs() < allowed, "d̈ = {}, differences {curvature}", motion.curvature);
    }

    /// The row maps twists to ḋ, and accelerations plus the remainder to d̈. [NOTES app. D]
    #[test]
    fn the_row_is_the_linear_part(seed in 0_u64..u64::MAX, rule in 0_u32..4) {
        let mut random = Random::new(seed);
        let (a, b) = (Moving::random(&mut random).now(), Moving::random(&mut random).now());
        let function = random_function(&mut random, rule);
        let (row, motion) = (function.row(&a.pose, &b.pose), function.motion(&a, &b));
        let rate = row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin));
        let scale = 1e-13 * (1.0 + motion.curvature.abs()) * (1.0 + motion.rate.abs());
        prop_assert!((rate - motion.rate).abs() < scale, "row gives {rate}, motion {}", motion.rate);
        let still = |k: &Kinematics| Kinematics { acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO, ..*k };
        let remainder = function.motion(&still(&a), &still(&b)).curvature;
        let curvature = row.apply((a.acceleration, a.spin_rate), (b.acceleration, b.spin_rate)) + remainder;
        prop_assert!((curvature - motion.curvature).abs() < scale * 10.0, "{curvature} and {}", motion.curvature);
    }

    /// Seen from the bodies' frames, and with the bodies exchanged, it is the same separation.
    #[test]
    fn frames_and_roles_do_not_matter(seed in 0_u64..u64::MAX, rule in 0_u32..4) {
        let mut random = Random::new(seed);
        let function = random_function(&mut random, rule);
        let mut pose = || Pose { position: random.vector(), orientation: random.turn() };
        let (body_a, body_b, frame_a, frame_b) = (pose(), pose(), pose(), pose());
        let place = |body: &Pose, frame: &Pose| Pose {
            position: body.point(frame.position),
            orientation: body.orientation * frame.orientation,
        };
        let (shape_a, shape_b) = (place(&body_a, &frame_a), place(&body_b, &frame_b));
        let there = function.value(&shape_a, &shape_b);
        let here = function.in_bodies(&frame_a, &frame_b).value(&body_a, &body_b);
        prop_assert!((here - there).abs() < 1e-13, "{here} and {there}");
        prop_assert!((function.exchanged().value(&shape_b, &shape_a) - there).abs() < 1e-15);
    }
}

/// Edges that become parallel have no normal: numbers stay numbers.
#[test]
fn parallel_edges_give_no_nan() {
    let normal = NormalRule::Edges { along_a: DVec3::X, along_b: DVec3::X };
    let function = ContactFunction { point_a: DVec3::Y, point_b: DVec3::ZERO, normal };
    let mut random = Random::new(2);
    let mut a = Moving::random(&mut random);
    a.start.orientation = DQuat::IDENTITY;
    let motion = function.motion(&a.now(), &a.now());
    assert_eq!((motion.value, motion.rate, motion.curvature), (0.0, 0.0, 0.0));
    let row = function.row(&a.start, &a.start);
    assert!(row.angular_a.is_finite() && row.angular_b.is_finite());
}
