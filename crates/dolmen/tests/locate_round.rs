//! The first contact of round shapes that fly and spin, against dense sampling.

use dolmen::locate::{Meeting, Pair, Shapes, first_contact};
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Motion, Prescribed};
use dolmen::shape::{Plane, Shape};
use proptest::prelude::*;

fn uniform(position: DVec3, turned: DVec3, velocity: DVec3, spin: DVec3) -> Prescribed {
    let start = Pose { position, orientation: DQuat::from_scaled_axis(turned) };
    Prescribed::Uniform { start, twist: Twist { velocity, spin } }
}

fn shape(kind: usize, thin: f64) -> Shape {
    match kind {
        0 => Shape::Capsule { radius: thin, half_length: 0.8 },
        1 => Shape::Cylinder { radius: 0.6, half_length: thin },
        2 => Shape::Cone { radius: thin, height: 1.0 },
        3 => Shape::Disc { radius: 0.7 },
        4 => Shape::Ellipsoid { half: dvec3(0.8, thin, 0.4) },
        5 => Shape::Cuboid { half: dvec3(0.7, thin, 0.3) },
        6 => Plane::new(dvec3(1.0, 2.0, -1.0), 0.2)
            .expect("a plane")
            .circular(DVec3::ZERO, 0.8)
            .expect("sound")
            .into(),
        _ => Shape::Sphere { radius: 0.3 },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Thin round shapes that spin fast: never later than the first overlap that sampling sees, and the gap there is zero.
    #[test]
    fn fast_spinning_round_shapes_never_pass_through(
        a in 0..5_usize,
        b in 0..8_usize,
        offset in prop::array::uniform3(-0.8..0.8_f64),
        spins in prop::array::uniform6(-60.0..60.0_f64),
        turned in prop::array::uniform6(-3.0..3.0_f64),
        thin in -3.0..-0.5_f64,
        speed in 1.0..200.0_f64,
    ) {
        let thin = dolmen::math::real::pow(10.0, thin);
        let direction = dvec3(offset[0], 3.0, offset[2]);
        let v = |i: usize| DVec3::from_slice(&spins[3 * i..]);
        let w = |i: usize| DVec3::from_slice(&turned[3 * i..]);
        let moving = uniform(-direction, w(0), direction * speed, v(0));
        let other = uniform(dvec3(0.0, offset[1], 0.0), w(1), DVec3::ZERO, v(1));
        let mut pair = Shapes::new((&shape(a, thin), dvec3(0.1, 0.0, -0.2)), (&shape(b, 0.2), DVec3::ZERO)).expect("a pair");
        let end = 2.0 / speed;
        let search = first_contact(&mut pair, &moving, &other, 0.0, end);
        let mut gap = |t: f64| pair.gap(&moving.pose(t), &other.pose(t)).separation;
        let samples = 300;
        // A disc that grazes by less than rounding overlaps nothing.
        let seen = (0..=samples).map(|i| end * f64::from(i) / f64::from(samples)).find(|t| gap(*t) < -1e-13);
        match search.meeting {
            Meeting::Touch { t, .. } => {
                prop_assert!(gap(t).abs() < 1e-13, "gap {:e} at {t}", gap(t));
                if let Some(seen) = seen {
                    prop_assert!(t <= seen, "found at {t}, but they overlap at {seen}");
                }
            }
            Meeting::Apart => prop_assert!(seen.is_none(), "missed: they overlap at {seen:?}"),
            Meeting::Overlap { .. } => prop_assert!(gap(0.0) < 0.0),
            Meeting::Unknown { t } => prop_assert!(false, "gave up at {t}"),
        }
        prop_assert!(search.steps < 2000, "{} steps", search.steps);
    }
}
