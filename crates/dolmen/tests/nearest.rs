//! The nearest point of a surface, against the support function and against sampling.

use std::sync::Arc;

use dolmen::math::real::{PI, TAU, sin_cos};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Hull, Part, Shape, nearest};
use proptest::prelude::*;

fn shapes() -> Vec<Shape> {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [0.2, 0.9, 0.1],
        [0.3, 0.2, 1.1],
        [0.9, 0.8, 0.7],
        [-0.4, 0.5, 0.6],
    ];
    let hull = Hull::new(&points.map(DVec3::from_array)).expect("a hull");
    vec![
        Shape::sphere(0.7).expect("sound"),
        Shape::capsule(0.3, 0.8).expect("sound"),
        Shape::cuboid(dvec3(0.3, 0.6, 0.9)).expect("sound"),
        Shape::cylinder(0.5, 0.7).expect("sound"),
        Shape::cone(0.6, 1.2).expect("sound"),
        Shape::ellipsoid(dvec3(0.4, 0.9, 0.6)).expect("sound"),
        Shape::ellipsoid(dvec3(0.5, 0.5, 1.2)).expect("sound"),
        Shape::Hull(Arc::new(hull)),
        Shape::disc(0.8).expect("sound"),
    ]
}

fn directions(n: u32) -> impl Iterator<Item = DVec3> {
    (0..n).flat_map(move |i| {
        (0..2 * n).map(move |j| {
            let (s, c) = sin_cos(PI * (f64::from(i) + 0.5) / f64::from(n));
            let (t, u) = sin_cos(TAU * f64::from(j) / f64::from(2 * n));
            dvec3(s * u, s * t, c)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The separation of a convex shape from a point is the largest gap over all directions, n·p − h(n); from below for
    /// sampled directions, exactly for the normal found. Inside, the least depth over all directions.
    #[test]
    fn separation_is_the_largest_gap(p in prop::array::uniform3(-2.0..2.0_f64), flat in 0..4_usize) {
        let mut point = DVec3::from_array(p);
        if flat < 3 {
            point[flat] = 0.0; // on a plane of symmetry, where degenerate cases live
        }
        for shape in shapes() {
            let found = nearest(&shape, point).expect("a closed form");
            let at_normal = found.normal.dot(point) - shape.reach(found.normal);
            prop_assert!((at_normal - found.separation).abs() < 1e-12, "{shape:?} at {point}: {found:?} but gap {at_normal}");
            let sampled = directions(24).map(|n| n.dot(point) - shape.reach(n)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(found.separation >= sampled - 1e-12, "{shape:?} at {point}: {found:?} but sampled {sampled}");
            prop_assert!((found.normal.length() - 1.0).abs() < 1e-14);
            let along = found.point + found.normal * found.separation;
            prop_assert!((along - point).length() < 1e-7, "{shape:?} at {point}: {found:?} leads to {along}");
        }
    }
}

/// At centres, on surfaces and on axes there is one stated answer, and it is finite.
#[test]
fn degenerate_places_have_an_answer() {
    for shape in shapes() {
        for point in [
            DVec3::ZERO,
            dvec3(0.0, 0.0, 0.3),
            dvec3(0.0, 0.0, 50.0),
            dvec3(0.5, 0.0, 0.0),
            dvec3(0.0, 0.4, 0.0),
        ] {
            let found = nearest(&shape, point).expect("a closed form");
            assert!(
                found.point.is_finite() && found.normal.is_normalized(),
                "{shape:?} at {point}: {found:?}"
            );
        }
    }
    let parts = vec![
        Part { shape: Shape::sphere(0.5).expect("sound"), pose: Pose::IDENTITY },
        Part {
            shape: Shape::cuboid(DVec3::splat(0.2)).expect("sound"),
            pose: Pose { position: dvec3(2.0, 0.0, 0.0), orientation: DQuat::from_rotation_z(0.7) },
        },
    ];
    let compound = Shape::compound(parts).expect("sound");
    let found = nearest(&compound, dvec3(1.0, 0.0, 0.0)).expect("a closed form");
    assert!((found.separation - 0.5).abs() < 1e-15, "{found:?}");
}

/// Deep inside an ellipsoid, next to the plane of its longer axes: the line to the foot is along the normal, the foot is on the
/// surface, and no supporting plane is nearer.
///
/// All coordinates are of order one, so that a handful of roundings is 1e-15.
#[test]
fn next_to_a_plane_of_symmetry_no_digits_are_lost() {
    let halves = [dvec3(0.4, 0.9, 0.6), dvec3(0.5, 0.5, 1.2), dvec3(1.0, 1e-3, 0.7), dvec3(0.8, 0.8, 0.8)];
    let tiny = [0.0, 1e-300, 1e-100, 1e-30, 1e-17, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3];
    for half in halves {
        let shape = Shape::ellipsoid(half).expect("sound");
        let shortest = half.min_element();
        for small in tiny {
            for axis in 0..3 {
                for share in [0.0, 1e-4, 0.1, 0.3, 0.6] {
                    let mut point = half * dvec3(share, 0.5 * share, 0.7 * share);
                    point[axis] = small * shortest;
                    let found = nearest(&shape, point).expect("closed form");
                    let on_surface = (found.point / half).length_squared() - 1.0;
                    assert!(on_surface.abs() < 1e-13, "{half}, {point}: {found:?} is off by {on_surface:e}");
                    let aside = (point - found.point).cross(found.normal).length();
                    assert!(aside < 1e-14, "{half}, {point}: {found:?} is aside by {aside:e}");
                    let least =
                        directions(40).map(|n| shape.reach(n) - n.dot(point)).fold(f64::INFINITY, f64::min);
                    assert!(
                        -found.separation <= least + 1e-14,
                        "{half}, {point}: {found:?}, plane at {least}"
                    );
                }
            }
        }
    }
}
