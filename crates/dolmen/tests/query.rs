//! Queries of a world at an instant: rays, nearest bodies, overlaps, casts of shapes.

#[path = "query/pairs.rs"]
mod pairs;
#[path = "query/points.rs"]
mod points;
#[path = "query/rays.rs"]
mod rays;
#[path = "query/sweeps.rs"]
mod sweeps;

use std::sync::Arc;

use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::query::Arrangement;
use dolmen::shape::{Extent, Hull, Mesh, Part, Plane, Shape, Sides, nearest};
use dolmen::triangle::hierarchy::MeshTree;
use dolmen::world::{Body, BodyId, WorldBuilder};
use proptest::prelude::*;

/// Fixed bodies of these shapes, named so that their ids are in this order.
fn arrange(shapes: &[(Shape, Pose)]) -> Arrangement {
    let mut builder = WorldBuilder::new();
    for (i, (shape, pose)) in shapes.iter().enumerate() {
        let body = Body::fixed(*pose).with_shape(shape.clone()).named(format!("b{i:04}"));
        builder.body(body).expect("a finite pose");
    }
    Arrangement::new(&builder.build().expect("different names"))
}

fn id(i: usize) -> BodyId {
    BodyId::from_rank(i)
}

/// A cuboid as a closed mesh.
fn cuboid_mesh(min: DVec3, max: DVec3) -> Mesh {
    let corner = |i: u32| {
        let pick = |bit: u32, k: usize| if i >> bit & 1 == 1 { max[k] } else { min[k] };
        dvec3(pick(0, 0), pick(1, 1), pick(2, 2))
    };
    let vertices: Vec<DVec3> = (0..8).map(corner).collect();
    let triangles = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    Mesh::new(&vertices, &triangles).expect("a closed box")
}

/// The letter L, one m thick: not convex. As a mesh, and as two boxes that touch.
fn letter() -> (Shape, Shape) {
    let profile = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let mut vertices: Vec<DVec3> = profile.iter().map(|(x, z)| dvec3(*x, 0.0, *z)).collect();
    vertices.extend(profile.iter().map(|(x, z)| dvec3(*x, 1.0, *z)));
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    triangles.extend(triangles.clone().iter().map(|t| [t[0] + 6, t[2] + 6, t[1] + 6]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    let mesh = Mesh::new(&vertices, &triangles).expect("a closed letter");
    let part = |half: DVec3, position: DVec3| Part {
        shape: Shape::cuboid(half).expect("a box"),
        pose: Pose { position, orientation: DQuat::IDENTITY },
    };
    let boxes = vec![
        part(dvec3(1.0, 0.5, 0.5), dvec3(1.0, 0.5, 0.5)),
        part(dvec3(0.5, 0.5, 0.5), dvec3(0.5, 0.5, 1.5)),
    ];
    (mesh.into(), Shape::compound(boxes).expect("two boxes"))
}

fn hull(size: f64) -> Shape {
    let points = [
        (0.0, 0.0, 1.2),
        (1.0, 0.1, 0.0),
        (-0.4, 0.9, 0.1),
        (-0.5, -0.8, 0.0),
        (0.2, 0.3, -0.9),
        (0.7, 0.7, 0.7),
    ];
    let points: Vec<DVec3> = points.iter().map(|(x, y, z)| size * dvec3(*x, *y, *z)).collect();
    Hull::new(&points).expect("a hull").into()
}

/// Every convex solid, with lengths of about `size`.
fn convex(size: f64) -> Vec<Shape> {
    [
        Shape::sphere(0.8 * size),
        Shape::cuboid(size * dvec3(0.3, 0.9, 0.5)),
        Shape::capsule(0.3 * size, 0.7 * size),
        Shape::cylinder(0.5 * size, 0.6 * size),
        Shape::cone(0.6 * size, 0.9 * size),
        Shape::ellipsoid(size * dvec3(0.3, 0.6, 1.1)),
        Ok(hull(size)),
    ]
    .map(|shape| shape.expect("sound lengths"))
    .to_vec()
}

/// Every solid.
fn solids(size: f64) -> Vec<Shape> {
    let mut all = convex(size);
    let (mesh, boxes) = letter();
    let Shape::Mesh(mesh) = mesh else { unreachable!("it was made as a mesh") };
    let scaled: Vec<DVec3> = mesh.vertices().iter().map(|v| size * *v).collect();
    all.push(Mesh::new(&scaled, mesh.triangles()).expect("a closed letter").into());
    let Shape::Compound(parts) = boxes else { unreachable!("it was made of parts") };
    let mut parts: Vec<Part> = parts
        .into_iter()
        .map(|part| match part.shape {
            Shape::Cuboid { half } => Part {
                shape: Shape::Cuboid { half: size * half },
                pose: Pose { position: size * part.pose.position, ..part.pose },
            },
            _ => part,
        })
        .collect();
    // And a ball stuck into them.
    parts.push(Part {
        shape: Shape::sphere(0.4 * size).expect("a ball"),
        pose: Pose { position: size * dvec3(2.0, 0.5, 0.5), orientation: DQuat::IDENTITY },
    });
    all.push(Shape::compound(parts).expect("parts"));
    all
}

/// Distance from the surface of a shape, m, negative inside, in its frame: the referee.
fn separation(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Mesh(mesh) => {
            MeshTree::new(Arc::clone(mesh)).nearest(point).expect("a finite point").separation
        }
        Shape::Plane(plane) => {
            let height = plane.normal().dot(point) - plane.offset();
            match (plane.extent(), plane.sides()) {
                (Extent::Infinite, Sides::Front) => height,
                (Extent::Infinite, Sides::Both) => height.abs(),
                _ => panic!("no referee for pieces of planes"),
            }
        }
        other => nearest(other, point).expect("all others have a closed form").separation,
    }
}

fn unit() -> impl Strategy<Value = DVec3> {
    let component = || prop_oneof![4 => -1.0..1.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
    (component(), component(), component())
        .prop_map(|(x, y, z)| dvec3(x, y, z))
        .prop_filter("a direction", |v| v.length() > 1e-3)
        .prop_map(DVec3::normalize)
}

fn orientation() -> impl Strategy<Value = DQuat> {
    prop_oneof![
        1 => Just(DQuat::IDENTITY),
        3 => (unit(), 0.0..6.3_f64).prop_map(|(axis, angle)| DQuat::from_axis_angle(axis, angle)),
    ]
}

fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    (unit(), 0.0..1.0_f64, orientation())
        .prop_map(move |(away, far, orientation)| Pose { position: reach * far * away, orientation })
}

/// Planes, whole and in pieces.
fn floor() -> Plane {
    Plane::new(DVec3::Z, 0.0).expect("a normal")
}
