//! Spheres on polyhedra: what is remembered of the pair makes queries quick and changes nothing.

use super::common::Random;
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    ClosestHint, Geometry, MeetingHint, Placed, Statistics, Witness, closest, meets, separate,
};
use dolmen::shape::{Hull, Shape, nearest};

/// Hulls of few and of many points, a needle, a coin, and a box.
fn polyhedra(random: &mut Random) -> Vec<Shape> {
    let mut hull = |count: usize, scale: DVec3| -> Shape {
        let points: Vec<DVec3> = (0..count).map(|_| random.direction() * scale).collect();
        Hull::new(&points).expect("points on an ellipsoid have a hull").into()
    };
    vec![
        hull(6, DVec3::ONE),
        hull(40, DVec3::ONE),
        hull(200, DVec3::ONE),
        hull(30, dvec3(2.0, 0.01, 0.01)),
        hull(60, dvec3(1.0, 1.0, 0.005)),
        Shape::Cuboid { half: dvec3(0.5, 0.6, 0.7) },
    ]
}

/// A point goes around a polyhedron, past it, and through it, in steps small and large; both bodies turn.
fn poses(random: &mut Random) -> Vec<[Pose; 2]> {
    let (axis, swing) = (random.direction(), random.direction());
    let mut place = 2.5 * random.direction();
    let mut poses = Vec::new();
    for step in 0..300 {
        let t = 0.02 * f64::from(step);
        // Some steps are jumps, and some lead to the axes of the body: above vertices, edges, or the middle.
        place = match step % 50 {
            49 => 3.0 * random.direction() * random.unit(),
            24 => DVec3::AXES[step as usize % 3] * 1.5,
            _ => DQuat::from_axis_angle(swing, 0.03) * place * (1.0 - 0.004),
        };
        let turned = if step % 50 < 30 { DQuat::IDENTITY } else { DQuat::from_axis_angle(axis, t) };
        let pose = Pose { position: dvec3(0.3, -0.2, 0.1), orientation: turned };
        let ball = Pose { position: pose.point(place), orientation: DQuat::from_axis_angle(swing, t) };
        poses.push([ball, pose]);
    }
    poses
}

/// The nearest point of a convex body to a point is one and the same wherever the search began: the distance, its normal and
/// the names of the features are equal to the last bit with and without a memory, in both orders of the pair, and the
/// distance is that of the brute-force referee over all triangles of the surface.
#[test]
fn what_is_remembered_of_a_sphere_on_a_polyhedron_changes_nothing() {
    let mut random = Random::new(71);
    let ball = Geometry::new(&Shape::Sphere { radius: 0.4 });
    let (mut hits, mut queries) = (0, 0);
    for shape in polyhedra(&mut random) {
        let geometry = Geometry::new(&shape);
        for _ in 0..4 {
            let (mut known, mut back, mut statistics) =
                (Witness::Unknown, Witness::Unknown, Statistics::default());
            let (mut hint, mut meeting) = (ClosestHint::default(), MeetingHint::default());
            for [at, pose] in poses(&mut random) {
                let (a, b) = (Placed { geometry: &ball, pose: at }, Placed { geometry: &geometry, pose });
                let blank = || Statistics::default();
                let found = separate(&a, &b, &mut known, &mut statistics).unwrap();
                let fresh = separate(&a, &b, &mut Witness::Unknown, &mut blank()).unwrap();
                assert_eq!(found, fresh, "{shape:?} at {at:?}, {pose:?}");
                let other = separate(&b, &a, &mut back, &mut blank()).unwrap();
                let own = pose.orientation.conjugate() * (at.position - pose.position);
                let referee = nearest(&shape, own).unwrap().separation - 0.4;
                // A dozen operations on lengths of at most 4.
                let rounding = 64.0 * f64::EPSILON * 4.0;
                assert!(
                    (found.distance - referee).abs() <= rounding,
                    "{} instead of {referee} for {shape:?} at {own}",
                    found.distance
                );
                assert!((found.distance - other.distance).abs() <= rounding, "{found:?} {other:?}");
                let near = closest(&a, &b, &mut hint).unwrap();
                assert_eq!(near, closest(&a, &b, &mut ClosestHint::default()).unwrap());
                assert_eq!(near.distance, found.distance.max(0.0));
                let meet = meets(&a, &b, &mut meeting, &mut blank()).unwrap();
                assert_eq!(meet, found.distance <= 0.0);
            }
            (hits, queries) = (hits + statistics.hits, queries + statistics.queries);
        }
    }
    // Most steps are small: the feature of the last one holds.
    assert!(hits * 2 > queries, "{hits} hits in {queries} queries");
}
