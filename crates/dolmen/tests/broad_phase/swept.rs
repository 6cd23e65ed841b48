//! Swept boxes enclose the motion they were made for.

use dolmen::broad_phase::{Extent, swept_box, swept_box_tight, swept_box_turning};
use dolmen::math::{Aabb, DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Bounds, Motion};
use dolmen::shape::Shape;
use proptest::prelude::*;

/// Constant velocity and constant spin about a fixed axis.
struct Steady {
    start: Pose,
    twist: Twist,
}

impl Motion for Steady {
    fn pose(&self, t: f64) -> Pose {
        let turn = DQuat::from_scaled_axis(self.twist.spin * t);
        Pose {
            position: self.start.position + self.twist.velocity * t,
            orientation: (turn * self.start.orientation).normalize(),
        }
    }

    fn twist(&self, _: f64) -> Twist {
        self.twist
    }

    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        let ends = [t_a, t_b].map(|t| Aabb::point(self.pose(t).position));
        Bounds {
            centre: ends[0].join(&ends[1]),
            speed: self.twist.velocity.length(),
            spin: self.twist.spin.length(),
            steady: DVec3::ZERO,
            acceleration: 0.0,
            spin_rate: 0.0,
        }
    }
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from)
}

fn contains(outer: &Aabb, point: DVec3) -> bool {
    outer.min.cmple(point).all() && point.cmple(outer.max).all()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No corner of a cuboid leaves either box, from rest to many turns in the span; and the tight one is
    /// within the plain one up to rounding.
    #[test]
    fn corners_stay_inside(
        half in prop::array::uniform3(1e-3..1.0),
        off_centre in vector(0.5),
        position in prop_oneof![vector(1.0), vector(1e7)],
        turned in vector(4.0),
        velocity in vector(5.0),
        spin in prop_oneof![vector(0.1), vector(3.0), vector(100.0)],
        duration in prop_oneof![Just(0.0), 0.0..0.1, 0.0..2.0],
    ) {
        let half = DVec3::from(half);
        let extent = Extent::of_shape(&Shape::cuboid(half).unwrap(), off_centre);
        let motion = Steady {
            start: Pose { position, orientation: DQuat::from_scaled_axis(turned) },
            twist: Twist { velocity, spin },
        };
        // The centre of a straight line is computed with a rounding of its own.
        let mut bounds = motion.bounds(0.0, duration);
        bounds.centre = bounds.centre.grown(2.0 * f64::EPSILON * position.abs().max_element());
        let plain = swept_box(&bounds, extent.radius);
        let tight = swept_box_turning(&bounds, [&motion.pose(0.0), &motion.pose(duration)], duration, &extent);
        for sample in 0..=64 {
            let pose = motion.pose(duration * f64::from(sample) / 64.0);
            for corner in 0..8 {
                let sign = |bit: u32| if corner & bit != 0 { 1.0 } else { -1.0 };
                let point = pose.point(half * dvec3(sign(1), sign(2), sign(4)) - off_centre);
                prop_assert!(contains(&plain, point), "{point} left {plain:?}");
                prop_assert!(contains(&tight, point), "{point} left {tight:?}");
            }
        }
        let rounding = 4.0 * f64::EPSILON * (position.abs().max_element() + 20.0);
        prop_assert!(contains(&plain.grown(rounding), tight.min) && contains(&plain.grown(rounding), tight.max));
    }
}

/// Without spin the tight box of a thin plate is the plate's own, moved: nothing is added but roundings.
#[test]
fn a_plate_that_does_not_turn_sweeps_its_own_box() {
    let extent = Extent::of_shape(&Shape::cuboid(dvec3(1.0, 1.0, 0.01)).unwrap(), DVec3::ZERO);
    let motion = Steady { start: Pose::IDENTITY, twist: Twist { velocity: DVec3::Z, spin: DVec3::ZERO } };
    let tight = swept_box_tight(&motion, &extent, 0.0, 0.5);
    let error = (tight.max - dvec3(1.0, 1.0, 0.51)).abs().max((tight.min - dvec3(-1.0, -1.0, -0.01)).abs());
    // ROUNDING twice (extent, turned box) of a radius of √2, and the next number outwards.
    let bound = 2.0 * 32.0 * f64::EPSILON * 1.5 + f64::EPSILON;
    assert!(error.max_element() <= bound, "{error} above {bound:e}");
}

/// Bounds that are no numbers give a box that holds everything or nothing definite, never a panic.
#[test]
fn unbounded_motion_has_an_unbounded_box() {
    let bounds = Bounds {
        centre: Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
        speed: f64::INFINITY,
        spin: f64::NAN,
        steady: DVec3::ZERO,
        acceleration: 0.0,
        spin_rate: 0.0,
    };
    let extent = Extent::of_shape(&Shape::sphere(1.0).unwrap(), DVec3::ZERO);
    let swept = swept_box_turning(&bounds, [&Pose::IDENTITY; 2], 1.0, &extent);
    assert_eq!((swept.min, swept.max), (DVec3::NEG_INFINITY, DVec3::INFINITY));
}
