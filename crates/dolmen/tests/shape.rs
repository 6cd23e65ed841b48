//! Shapes: their bounds here, hulls and meshes in modules of their own.

#[path = "shape/hull.rs"]
mod hull;
#[path = "shape/mesh.rs"]
mod mesh;

use dolmen::math::real::{TAU, sin_cos};
use dolmen::math::{Aabb, DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Hull, Mesh, Part, Shape};
use insta::assert_snapshot;
use mesh::cube;

/// Lengths that are no lengths, and compounds that are none, are refused by name.
#[test]
fn impossible_shapes_are_refused_in_words() {
    let part =
        |shape: Shape, orientation: DQuat| Part { shape, pose: Pose { position: DVec3::ZERO, orientation } };
    let ball = Shape::sphere(1.0).unwrap();
    assert_snapshot!(Shape::sphere(0.0).unwrap_err(), @"the radius of the sphere is 0.0 m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::cuboid(dvec3(1.0, -2.0, 3.0)).unwrap_err(), @"the half side y of the box is -2.0 m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::capsule(1.0, f64::NAN).unwrap_err(), @"the half length of the capsule is NaN m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::cylinder(f64::INFINITY, 1.0).unwrap_err(), @"the radius of the cylinder is inf m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::cone(1.0, -0.0).unwrap_err(), @"the height of the cone is -0.0 m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::disc(f64::NEG_INFINITY).unwrap_err(), @"the radius of the disc is -inf m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::ellipsoid(DVec3::ZERO).unwrap_err(), @"the half side x of the ellipsoid is 0.0 m; it must be more than 0 and finite: give a length in metres");
    assert_snapshot!(Shape::compound(vec![]).unwrap_err(), @"the compound has no parts; give it at least one");
    let half = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5);
    assert_snapshot!(Shape::compound(vec![part(ball.clone(), half)]).unwrap_err(), @"part 0 of the compound is at [0, 0, 0] turned by [0, 0, 0, 0.5]; the position must be finite and the quaternion of length 1: normalise it");
    let inner = Shape::Compound(vec![
        part(ball, DQuat::IDENTITY),
        part(Shape::Disc { radius: -1.0 }, DQuat::IDENTITY),
    ]);
    assert_snapshot!(Shape::compound(vec![part(inner, DQuat::IDENTITY)]).unwrap_err(), @"part 0 of the compound: part 1 of the compound: the radius of the disc is -1.0 m; it must be more than 0 and finite: give a length in metres");
}

/// One of each kind, with points that together reach everywhere the shape does.
fn samples() -> Vec<(&'static str, Shape, Vec<DVec3>)> {
    let mut round = Vec::new();
    for i in 0..=90 {
        for j in 0..180 {
            let (st, ct) = sin_cos(TAU / 180.0 * f64::from(i));
            let (sp, cp) = sin_cos(TAU / 180.0 * f64::from(j));
            round.push(dvec3(st * cp, st * sp, ct));
        }
    }
    let rim = |r: f64, z: f64| -> Vec<DVec3> {
        round.iter().filter(|p| p.z.abs() < 1e-9).map(|p| dvec3(r * p.x, r * p.y, z)).collect()
    };
    let half = dvec3(0.4, 0.6, 1.1);
    let corners = cube(-DVec3::ONE, 2.0).0;
    let mapped = |f: &dyn Fn(DVec3) -> DVec3| round.iter().map(|p| f(*p)).collect::<Vec<_>>();
    let turned =
        Pose { position: dvec3(1.0, 2.0, 3.0), orientation: DQuat::from_scaled_axis(dvec3(0.4, 0.5, -0.6)) };
    let cone = Shape::cone(0.5, 1.3).unwrap();
    let cone_points = [rim(0.5, 0.0), vec![dvec3(0.0, 0.0, 1.3)]].concat();
    let compound = Shape::compound(vec![
        Part { shape: cone.clone(), pose: turned },
        Part { shape: Shape::sphere(0.7).unwrap(), pose: Pose::IDENTITY },
    ]);
    let compound_points = cone_points.iter().map(|p| turned.point(*p)).chain(mapped(&|p| 0.7 * p)).collect();
    let solid = cube(dvec3(0.1, -0.2, 0.3), 1.5);
    vec![
        ("sphere", Shape::sphere(0.7).unwrap(), mapped(&|p| 0.7 * p)),
        ("cuboid", Shape::cuboid(half).unwrap(), corners.iter().map(|p| *p * half).collect()),
        ("capsule", Shape::capsule(0.4, 0.9).unwrap(), mapped(&|p| 0.4 * p + 0.9 * p.z.signum() * DVec3::Z)),
        ("cylinder", Shape::cylinder(0.6, 0.35).unwrap(), [rim(0.6, 0.35), rim(0.6, -0.35)].concat()),
        ("cone", cone, cone_points),
        ("disc", Shape::disc(0.7).unwrap(), rim(0.7, 0.0)),
        ("ellipsoid", Shape::ellipsoid(half).unwrap(), mapped(&|p| p * half)),
        ("hull", Hull::new(&solid.0).unwrap().into(), solid.0.clone()),
        ("mesh", Mesh::new(&solid.0, &solid.1).unwrap().into(), solid.0),
        ("compound", compound.unwrap(), compound_points),
    ]
}

/// Boxes and balls around a shape hold every point of it, and no smaller ones do.
#[test]
fn bounds_hold_the_shape_and_are_tight() {
    // Points two degrees apart miss the extreme by a sagitta of 1 − cos 1° of at most 1.4 m.
    let gap = 1.4 * 1.6e-4;
    for (name, shape, points) in samples() {
        let found = points.iter().fold(Aabb::EMPTY, |b, p| b.join(&Aabb::point(*p)));
        let b = shape.aabb();
        let slack = (found.min - b.min).min(b.max - found.max).min_element();
        let loose = (found.min - b.min).max(b.max - found.max).max_element();
        assert!(slack > -1e-15 && loose < gap, "{name}: {b:?} for {found:?}");
        for about in [DVec3::ZERO, dvec3(0.3, -0.2, 0.5), dvec3(0.0, 0.0, 2.0), dvec3(5.0, 0.0, -1.0)] {
            let far = points.iter().map(|p| p.distance(about)).fold(0.0, f64::max);
            let radius = shape.bounding_radius(about);
            // Only the ellipsoid away from its centre has a bound that is not the least one.
            let tight = name != "ellipsoid" || about == DVec3::ZERO;
            assert!(radius > far - 1e-14 && (!tight || radius < far + gap), "{name}: {radius} for {far}");
        }
    }
}
