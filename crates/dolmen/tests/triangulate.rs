//! Shapes as triangles: closed, outward, on the surface, and as near to it as was asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use dolmen::mass;
use dolmen::math::{DQuat, DVec3, Pose, dvec3, real};
use dolmen::shape::{
    Extent, Fineness, Hull, Mesh, Part, Plane, Shape, Sides, TriangleSurface, nearest, triangulate,
};
use dolmen::triangle::hierarchy::MeshTree;
use proptest::prelude::*;

/// A step, seen from the side the letter L: not convex.
fn step() -> Mesh {
    let profile = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let mut vertices: Vec<DVec3> = profile.iter().map(|(x, z)| dvec3(*x, 0.0, *z)).collect();
    vertices.extend(profile.iter().map(|(x, z)| dvec3(*x, 1.0, *z)));
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    triangles.extend(triangles.clone().iter().map(|t| [t[0] + 6, t[2] + 6, t[1] + 6]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

fn turned() -> DQuat {
    DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.5).normalize(), 0.7)
}

/// Every solid, with lengths about `size`.
fn solids(size: f64) -> Vec<(&'static str, Shape)> {
    let points: Vec<DVec3> = [
        (0.0, 0.0, 1.2),
        (1.0, 0.1, 0.0),
        (-0.4, 0.9, 0.1),
        (-0.5, -0.8, 0.0),
        (0.2, 0.3, -0.9),
        (0.7, 0.7, 0.7),
    ]
    .iter()
    .map(|(x, y, z)| size * dvec3(*x, *y, *z))
    .collect();
    let mesh = step();
    let scaled: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * size).collect();
    let cuboid = Shape::cuboid(size * dvec3(0.3, 0.5, 0.2)).unwrap();
    let parts = vec![
        Part {
            shape: cuboid.clone(),
            pose: Pose { position: size * dvec3(2.0, 0.0, 0.0), orientation: turned() },
        },
        Part { shape: Shape::cone(0.4 * size, size).unwrap(), pose: Pose::IDENTITY },
    ];
    vec![
        ("sphere", Shape::sphere(0.8 * size).unwrap()),
        ("box", cuboid),
        ("capsule", Shape::capsule(0.3 * size, 0.7 * size).unwrap()),
        ("cylinder", Shape::cylinder(0.5 * size, 0.4 * size).unwrap()),
        ("cone", Shape::cone(0.6 * size, 0.9 * size).unwrap()),
        ("ellipsoid", Shape::ellipsoid(size * dvec3(0.3, 0.6, 1.1)).unwrap()),
        ("hull", Shape::from(Hull::new(&points).unwrap())),
        ("mesh", Shape::from(Mesh::new(&scaled, mesh.triangles()).unwrap())),
        ("compound", Shape::compound(parts).unwrap()),
    ]
}

/// What has no inside but two sides.
fn sheets() -> Vec<(&'static str, Shape)> {
    let plane = Plane::new(dvec3(1.0, 2.0, 3.0), -0.7).unwrap();
    vec![
        ("disc", Shape::disc(0.7).unwrap()),
        ("circular plane", plane.circular(dvec3(1.0, 1.0, 1.0), 0.4).unwrap().into()),
        ("square plane", plane.square(DVec3::ZERO, 0.4, DVec3::X).unwrap().into()),
        ("infinite plane", plane.into()),
    ]
}

/// Six times the signed volume of the cone from the origin over each triangle, summed.
fn volume(surface: &TriangleSurface) -> f64 {
    let corner = |t: &[u32; 3], k: usize| surface.vertices[t[k] as usize];
    surface.triangles.iter().map(|t| corner(t, 0).dot(corner(t, 1).cross(corner(t, 2)))).sum::<f64>() / 6.0
}

fn true_volume(shape: &Shape) -> f64 {
    mass::of_shape(shape, 1.0).unwrap().mass()
}

/// How often each edge is passed, from the first end to the second.
fn passages(surface: &TriangleSurface) -> BTreeMap<[u32; 2], u32> {
    let mut count = BTreeMap::new();
    for t in &surface.triangles {
        for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            *count.entry([a, b]).or_insert(0) += 1;
        }
    }
    count
}

/// Distance from the true surface, m; negative inside.
fn separation(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Mesh(mesh) => MeshTree::new(Arc::clone(mesh)).nearest(point).unwrap().separation,
        Shape::Plane(plane) => plane.normal().dot(point) - plane.offset(),
        other => nearest(other, point).unwrap().separation,
    }
}

/// Every edge is passed once in either direction: no hole, no flipped triangle, no triangle without a corner.
#[test]
fn surfaces_are_closed_and_oriented() {
    for (name, shape) in solids(1.0).into_iter().chain(sheets()) {
        for segments in [0, 5, 12, 32] {
            let surface = triangulate(&shape, Fineness::Segments(segments), 2.0);
            let count = passages(&surface);
            for ([a, b], times) in &count {
                assert!(
                    *times == 1 && count.get(&[*b, *a]) == Some(&1),
                    "{name}: edge {a} {b}, {times} times"
                );
            }
            assert!(surface.triangles.iter().all(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]), "{name}");
            assert_eq!(surface.normals.len(), surface.triangles.len());
            let mut used: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), surface.vertices.len(), "{name}: a vertex without a triangle");
        }
    }
}

/// What is flat has its volume to rounding, what is round approaches its own from within as 1/n².
#[test]
fn volumes_converge_to_the_mass_properties() {
    for size in [1e-9, 1.0, 1e3] {
        for (name, shape) in solids(size) {
            let truth = true_volume(&shape);
            let error = |n: u32| 1.0 - volume(&triangulate(&shape, Fineness::Segments(n), 0.0)) / truth;
            let (coarse, fine) = (error(64), error(128));
            match shape {
                Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) => {
                    assert!(coarse.abs() < 1e-14, "{name}: off by {coarse:e}");
                }
                // The error is c/n² + O(1/n⁴): a quarter when n doubles, to about (2π/64)² = 0.01.
                _ => assert!(
                    coarse > 0.0 && (coarse / fine - 4.0).abs() < 0.04,
                    "{name}: {coarse:e}, {fine:e}"
                ),
            }
        }
    }
    for (name, shape) in sheets() {
        let flat = volume(&triangulate(&shape, Fineness::Segments(32), 1.0));
        assert!(flat.abs() < 1e-15, "{name}: {flat:e}");
    }
}

/// Vertices are on the surface to rounding.
#[test]
fn vertices_lie_on_the_surface() {
    for size in [1e-9, 1.0, 1e3] {
        for (name, shape) in solids(size) {
            let surface = triangulate(&shape, Fineness::Segments(20), 1.0);
            for v in &surface.vertices {
                let off = separation(&shape, *v).abs();
                // Parts of the compound do not overlap, so that the nearest surface of all is that of its own part.
                assert!(off < 1e-15 * 4.0 * size, "{name} of size {size}: {v} is off by {off:e} m");
            }
        }
    }
    for (name, shape) in sheets() {
        for v in triangulate(&shape, Fineness::Segments(20), 1.0).vertices {
            let off = separation(&shape, v).abs();
            assert!(off < 4e-15, "{name}: {v} is off by {off:e} m");
        }
    }
}

/// Feature edges are sides of triangles, sharp ones all among them; the outline has them and nothing else.
#[test]
fn lines_are_edges_of_triangles() {
    for (name, shape) in solids(1.0).into_iter().chain(sheets()) {
        let surface = triangulate(&shape, Fineness::Segments(16), 1.0);
        let count = passages(&surface);
        assert!(!surface.edges.is_empty(), "{name}");
        for [a, b] in &surface.edges {
            assert!(count.contains_key(&[*a, *b]) || count.contains_key(&[*b, *a]), "{name}: line {a} {b}");
        }
        let (points, lines) = surface.outline();
        let ends = |points: &[DVec3], lines: &[[u32; 2]]| -> Vec<[DVec3; 2]> {
            lines.iter().map(|line| line.map(|v| points[v as usize])).collect()
        };
        assert_eq!(ends(&points, &lines), ends(&surface.vertices, &surface.edges), "{name}");
        assert!(
            lines.iter().flatten().max().is_some_and(|most| *most as usize == points.len() - 1),
            "{name}"
        );
    }
    let count = |shape: &Shape| triangulate(shape, Fineness::Segments(16), 1.0).edges.len();
    assert_eq!(count(&Shape::cuboid(DVec3::ONE).unwrap()), 12);
    // Of the L the diagonals of its flat sides are left out.
    assert_eq!(count(&step().into()), 18);
    assert_eq!(count(&Shape::cylinder(1.0, 1.0).unwrap()), 2 * 16 + 4);
    assert_eq!(count(&Shape::disc(1.0).unwrap()), 16);
}

/// Normals are those of the true surface: those of a ball along its radii, and nowhere against the triangle.
#[test]
fn normals_point_out_of_the_true_surface() {
    for (name, shape) in solids(1.0).into_iter().chain(sheets()) {
        let surface = triangulate(&shape, Fineness::Segments(64), 1.0);
        for (t, normals) in surface.triangles.iter().zip(&surface.normals) {
            let [a, b, c] = t.map(|v| surface.vertices[v as usize]);
            let flat = (b - a).cross(c - a).normalize();
            for n in normals {
                assert!((n.length() - 1.0).abs() < 1e-14, "{name}: {n}");
                // One segment is 2π/64 = 0.098 rad; on the long ellipsoid the normal turns up to (1.1/0.3) as fast.
                assert!(n.dot(flat) > 0.9, "{name}: {n} on a triangle that faces {flat}");
            }
        }
    }
    let ball = triangulate(&Shape::sphere(2.0).unwrap(), Fineness::Segments(16), 0.0);
    for (t, normals) in ball.triangles.iter().zip(&ball.normals) {
        for (v, n) in t.iter().zip(normals) {
            assert!(ball.vertices[*v as usize].distance(2.0 * *n) < 1e-15, "{n}");
        }
    }
}

/// Of an infinite plane there is as much as is asked for, about the foot of the origin; one that is seen from the front has
/// no back.
#[test]
fn planes_have_the_sides_and_the_extent_that_they_say() {
    let plane = Plane::new(dvec3(0.0, 0.0, 2.0), -6.0).unwrap();
    let square = triangulate(&plane.into(), Fineness::Segments(8), 5.0);
    assert!(
        square
            .vertices
            .iter()
            .all(|v| v.z == 3.0 && (dvec3(v.x, v.y, 0.0).length() - 50_f64.sqrt()).abs() < 1e-14)
    );
    for reach in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(triangulate(&plane.into(), Fineness::Segments(8), reach), TriangleSurface::default());
    }
    let front = plane.with_sides(Sides::Front);
    for piece in
        [front, front.circular(DVec3::X, 1.0).unwrap(), front.square(DVec3::X, 1.0, DVec3::Y).unwrap()]
    {
        let surface = triangulate(&piece.into(), Fineness::Segments(8), 5.0);
        assert!(surface.normals.iter().flatten().all(|n| *n == DVec3::Z), "{:?}", piece.extent());
        let both = triangulate(&piece.with_sides(Sides::Both).into(), Fineness::Segments(8), 5.0);
        assert_eq!(2 * surface.triangles.len(), both.triangles.len());
        if let Extent::Circular { centre, radius } = piece.extent() {
            assert!(surface.vertices.iter().all(|v| v.distance(centre) <= radius * (1.0 + 1e-15)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// No point of the triangles is further from the surface than the tolerance.
    #[test]
    fn the_tolerance_is_kept(
        which in any::<prop::sample::Index>(),
        exponent in -4.0..0.0_f64,
        spots in proptest::collection::vec((any::<prop::sample::Index>(), 0.0..1.0_f64, 0.0..1.0_f64), 200),
    ) {
        let size = 3.0;
        let tolerance = real::pow(10.0, exponent);
        let shapes = solids(size);
        let (name, shape) = which.get(&shapes);
        let surface = triangulate(shape, Fineness::Tolerance(tolerance), 1.0);
        for (triangle, u, v) in spots {
            let [a, b, c] = triangle.get(&surface.triangles).map(|i| surface.vertices[i as usize]);
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let off = separation(shape, a + u * (b - a) + v * (c - a)).abs();
            prop_assert!(off <= tolerance + 1e-14 * size, "{name}: {off:e} m for a tolerance of {tolerance:e} m");
        }
    }
}

/// A tolerance that is no number, or nothing, is as fine as can be, and a monstrous shape no reason to panic.
#[test]
fn odd_numbers_are_survived() {
    let ball = |fineness| {
        triangulate(&Shape::Cylinder { radius: 1.0, half_length: 1.0 }, fineness, 1.0).triangles.len()
    };
    for tolerance in [0.0, -1.0, f64::NAN, 1e-300] {
        assert_eq!(ball(Fineness::Tolerance(tolerance)), 4 * 1024);
    }
    assert_eq!(ball(Fineness::Tolerance(f64::INFINITY)), 16);
    assert_eq!(ball(Fineness::Segments(u32::MAX)), 4 * 1024);
    for radius in [f64::NAN, f64::INFINITY, -1.0, 0.0, f64::MAX] {
        triangulate(&Shape::Sphere { radius }, Fineness::Tolerance(0.1), 1.0);
        triangulate(&Shape::Cone { radius, height: radius }, Fineness::Segments(8), 1.0);
        triangulate(&Shape::Capsule { radius, half_length: 1.0 }, Fineness::Segments(8), 1.0);
    }
}
