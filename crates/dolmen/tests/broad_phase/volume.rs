//! Bounding volumes hold what they bound, and their tests miss nothing.

use crate::clouds::Random;
use dolmen::broad_phase::overlap;
use dolmen::broad_phase::volume::{
    OrientedBox, PolyCube, PolyCubeError, Sphere, box_in_frame_of, box_in_world, box_of_points, moved_box,
    volume,
};
use dolmen::math::{Aabb, DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Hull, Shape};
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from)
}

fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    let quarter = (0..3_usize, 0..4_i32).prop_map(|(axis, turns)| {
        DQuat::from_scaled_axis(DVec3::AXES[axis] * f64::from(turns) * std::f64::consts::FRAC_PI_2)
    });
    let turned = prop_oneof![vector(3.0).prop_map(DQuat::from_scaled_axis), quarter];
    (vector(reach), turned).prop_map(|(position, orientation)| Pose { position, orientation })
}

/// Clouds: free, flat, on a line, on a lattice, small and far away.
fn cloud() -> impl Strategy<Value = Vec<DVec3>> {
    let free = vector(1.0);
    let lattice = prop::array::uniform3(-2_i32..3).prop_map(|p| DVec3::from(p.map(f64::from)));
    let squeezed = (vector(1.0), prop::array::uniform3(prop::sample::select(vec![0.0, 1e-9, 1.0])));
    let squeezed = squeezed.prop_map(|(p, scale)| p * DVec3::from(scale));
    let points = prop_oneof![
        prop::collection::vec(free, 1..40),
        prop::collection::vec(lattice, 1..40),
        prop::collection::vec(squeezed, 1..40),
    ];
    (points, prop::sample::select(vec![0.0, 1e3, 1e7]))
        .prop_map(|(points, far)| points.into_iter().map(|p| p + DVec3::splat(far)).collect())
}

/// The smallest ball by trying all pairs, triples and quadruples: radius only. Slow and independent.
fn smallest_radius(points: &[DVec3]) -> f64 {
    // A convex function of the centre: minimised by moving towards the furthest point by ever smaller steps.
    let mut centre = points.iter().sum::<DVec3>() / points.len() as f64;
    let furthest =
        |c: DVec3| points.iter().copied().max_by(|a, b| a.distance(c).total_cmp(&b.distance(c))).unwrap();
    for step in 1..20_000 {
        centre += (furthest(centre) - centre) / f64::from(step + 1);
    }
    furthest(centre).distance(centre)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// All volumes of a cloud hold all its points, in its own frame and moved.
    #[test]
    fn volumes_hold_their_points(points in cloud(), pose in pose(10.0)) {
        let b = box_of_points(&points);
        let (ball, turned) = (Sphere::around(&points), OrientedBox::around(&points));
        let (b_moved, ball_moved, turned_moved) = (moved_box(&b, &pose), ball.moved(&pose), turned.moved(&pose));
        for point in &points {
            prop_assert!(point.distance(ball.centre) <= ball.radius, "{point} outside {ball:?}");
            prop_assert!(turned.contains(*point), "{point} outside {turned:?}");
            let moved = pose.point(*point);
            prop_assert!(overlap(&b_moved, &Aabb::point(moved)), "{moved} outside {b_moved:?}");
            let dot = Sphere { centre: moved, radius: 0.0 };
            prop_assert!(ball_moved.overlaps(&dot));
            prop_assert!(turned_moved.contains(moved), "{moved} outside {turned_moved:?}");
        }
        // Never larger than the box along the axes, but for the rounding by which it is made larger.
        let size = b.min.abs().max(b.max.abs()).max_element();
        prop_assert!(turned.volume() <= volume(&b.grown(40.0 * f64::EPSILON * size)) * (1.0 + 1e-12));
    }

    /// Two clouds with a point in common: every test says so, since no volume may separate bodies that meet.
    #[test]
    fn volumes_of_bodies_that_meet_overlap(a in cloud(), b in cloud(), pose_a in pose(3.0), turn in pose(3.0)) {
        // Body b is moved so that its first vertex is on the first vertex of a.
        let offset = pose_a.point(a[0]) - turn.orientation * b[0];
        let pose_b = Pose { position: offset, orientation: turn.orientation };
        prop_assert!(overlap(&moved_box(&box_of_points(&a), &pose_a), &moved_box(&box_of_points(&b), &pose_b)));
        prop_assert!(Sphere::around(&a).moved(&pose_a).overlaps(&Sphere::around(&b).moved(&pose_b)));
        prop_assert!(OrientedBox::around(&a).moved(&pose_a).overlaps(&OrientedBox::around(&b).moved(&pose_b)));
    }

    /// Boxes that any plane separates by a gap are told apart, since one of the 15 axes then separates as well; boxes with
    /// a common point never are.
    #[test]
    fn oriented_boxes_are_apart_exactly_when_a_plane_separates_them(
        half_a in prop::array::uniform3(0.0..1.0), half_b in prop::array::uniform3(0.0..1.0),
        pose_a in pose(1.0), pose_b in pose(1.0), direction in vector(1.0),
    ) {
        let boxed = |half: [f64; 3], pose: &Pose| {
            OrientedBox::from_aabb(&Aabb { min: -DVec3::from(half), max: DVec3::from(half) }).moved(pose)
        };
        let (a, b) = (boxed(half_a, &pose_a), boxed(half_b, &pose_b));
        let support = |o: &OrientedBox, d: DVec3| (o.axes.transpose() * d).abs().dot(o.half);
        // By the direction that leads apart: b is moved until the supports along it leave a gap.
        let n = direction.try_normalize().unwrap_or(DVec3::X);
        let gap = 1e-9;
        let reach = support(&a, n) + support(&b, n);
        let along = (b.centre - a.centre).dot(n);
        let apart = OrientedBox { centre: b.centre + n * (reach + gap - along), ..b };
        prop_assert!(!a.overlaps(&apart), "apart by {gap} along {n}");
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        // Alternating projections onto the two boxes end at a common point, if there is one.
        let nearest = |o: &OrientedBox, p: DVec3| {
            o.centre + o.axes * (o.axes.transpose() * (p - o.centre)).clamp(-o.half, o.half)
        };
        let mut point = a.centre;
        for _ in 0..200 {
            point = nearest(&a, nearest(&b, point));
        }
        // Distances of 200 steps are an upper bound of the true one: what is nearer than rounding is a common point.
        let distance = point.distance(nearest(&b, point));
        prop_assert!(distance > 1e-14 || a.overlaps(&b), "they share {point}");
    }

    /// The box in the frame of the other body holds the vertices there; the box in the world holds them in the world.
    #[test]
    fn boxes_in_any_frame_hold_the_shape(half in prop::array::uniform3(0.01..1.0), a in pose(1e3), b in pose(1e3)) {
        let half = DVec3::from(half);
        let shape = Shape::cuboid(half).unwrap();
        let (world, in_b) = (box_in_world(&shape, &a), box_in_frame_of(&shape, &a, &b));
        for corner in 0..8 {
            let sign = |bit: u32| if corner & bit != 0 { 1.0 } else { -1.0 };
            let point = a.point(half * dvec3(sign(1), sign(2), sign(4)));
            prop_assert!(overlap(&world, &Aabb::point(point)), "{point} outside {world:?}");
            let point_b = b.orientation.inverse() * (point - b.position);
            prop_assert!(overlap(&in_b, &Aabb::point(point_b)), "{point_b} outside {in_b:?}");
        }
    }

    /// Points of a tetrahedron, inside and on its surface, are all in its poly-cube; two that share one overlap; the
    /// volume is between that of the solid and that of the box.
    #[test]
    fn a_poly_cube_covers_its_solid(
        points in prop::collection::vec(vector(1.0), 4..12), cells in 1_usize..12, pose in pose(2.0), seed in any::<u64>(),
    ) {
        let Ok(hull) = Hull::new(&points) else { return Ok(()) };
        let cover = PolyCube::cover(hull.vertices(), hull.triangles(), cells).unwrap();
        let mut random = Random(seed);
        let mut shared = DVec3::ZERO;
        for _ in 0..100 {
            let weights: Vec<f64> = points.iter().map(|_| random.unit()).collect();
            let total: f64 = weights.iter().sum();
            shared = points.iter().zip(&weights).map(|(p, w)| *p * *w).sum::<DVec3>() / total;
            prop_assert!(cover.boxes().iter().any(|b| overlap(b, &Aabb::point(shared))), "{shared} not covered");
        }
        for vertex in hull.vertices() {
            prop_assert!(cover.boxes().iter().any(|b| overlap(b, &Aabb::point(*vertex))), "{vertex} not covered");
        }
        let around = volume(&box_of_points(hull.vertices()));
        prop_assert!(cover.volume() <= around * (1.0 + 1e-12), "{} above {around}", cover.volume());
        let other = Pose { position: shared - pose.orientation * shared, orientation: pose.orientation };
        prop_assert!(cover.overlaps(&Pose::IDENTITY, &cover, &other));
        let far = Pose { position: dvec3(10.0, 0.0, 0.0), orientation: pose.orientation };
        prop_assert!(!cover.overlaps(&Pose::IDENTITY, &cover, &far));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The ball is the smallest: against a slow method that converges to it as 1/steps.
    #[test]
    fn the_ball_is_the_smallest(points in prop::collection::vec(vector(1.0), 1..30)) {
        let (found, slow) = (Sphere::around(&points).radius, smallest_radius(&points));
        // The slow method is an upper bound of the smallest radius and within about diameter/√steps of it [Badoiu and
        // Clarkson 2003]; in practice nearer. Only the upper bound is exact.
        prop_assert!(found <= slow * (1.0 + 1e-11), "{found} above {slow}");
        prop_assert!(found >= slow - 4.0 * slow / 20_000.0_f64.sqrt(), "{found} far below {slow}");
    }
}

/// Closed forms: the ball of a cube, of a regular simplex, of equal points; the oriented box of a turned cuboid.
#[test]
fn volumes_of_simple_solids_are_the_known_ones() {
    let corners: Vec<DVec3> =
        (0..8).map(|c| dvec3(f64::from(c & 1), f64::from(c >> 1 & 1), f64::from(c >> 2))).collect();
    let ball = Sphere::around(&corners);
    assert!(
        (ball.radius - 0.75_f64.sqrt()).abs() < 1e-13 && ball.centre.distance(DVec3::splat(0.5)) < 1e-13,
        "{ball:?}"
    );
    let equal = Sphere::around(&[DVec3::ONE; 5]);
    assert_eq!((equal.centre, equal.radius), (DVec3::ONE, 0.0));
    assert_eq!(Sphere::around(&[]), Sphere::EMPTY);
    assert!(!Sphere::EMPTY.overlaps(&Sphere { centre: DVec3::ZERO, radius: 5.0 }));

    let turn = DQuat::from_scaled_axis(dvec3(0.3, -0.7, 0.5));
    let turned: Vec<DVec3> = corners.iter().map(|c| turn * (*c * dvec3(1.0, 2.0, 5.0))).collect();
    let hull = Hull::new(&turned).unwrap();
    let boxed = OrientedBox::around_hull(&hull);
    // Made larger by 32 ε times its largest coordinate, below 5.5, on all six sides: of areas 10, 5 and 2.
    let rounding = 32.0 * f64::EPSILON * 5.5 * 2.0 * 17.0;
    assert!((boxed.volume() - 10.0).abs() < rounding, "{boxed:?}");
    // A rod across the diagonal: the box along the axes has far more volume.
    assert!(volume(&box_of_points(&turned)) > 15.0);

    // Two cubes side by side: one box each or a single one, and no more volume than the box around both.
    let cover = PolyCube::cover(hull.vertices(), hull.triangles(), 8).unwrap();
    assert!(cover.volume() > 10.0 && cover.volume() < volume(&box_of_points(&turned)), "{}", cover.volume());
}

/// Input that is no solid is refused with a reason.
#[test]
fn a_poly_cube_of_nothing_is_refused() {
    assert_eq!(PolyCube::cover(&[], &[], 4), Err(PolyCubeError::Surface { vertices: 0, triangles: 0 }));
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(PolyCube::cover(&points, &[[0, 1, 2]], 0), Err(PolyCubeError::Cells { cells: 0 }));
    assert!(PolyCube::cover(&points, &[[0, 1, 3]], 4).is_err());
    // A single flat triangle, or a point, is covered all the same.
    assert!(PolyCube::cover(&points, &[[0, 1, 2]], 4).is_ok());
    assert!(PolyCube::cover(&[DVec3::ONE], &[[0, 0, 0]], 4).is_ok());
}
