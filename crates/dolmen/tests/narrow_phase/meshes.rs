//! Closed meshes that are not convex, made of numbers.

use dolmen::math::real::{PI, sin_cos};
use dolmen::math::{DVec3, dvec3};
use dolmen::shape::{Mesh, Shape};

pub(crate) fn shape(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Shape {
    Mesh::new(vertices, triangles).unwrap().into()
}

/// A box about the origin with every face cut into n × n × 2 triangles.
pub(crate) fn box_mesh(half: DVec3, n: u32) -> Shape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = vertices.len() as u32;
            let place = |half: f64, k: u32| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
            for i in 0..=n {
                for j in 0..=n {
                    let mut x = DVec3::ZERO;
                    x[axis] = sign * half[axis];
                    x[u] = place(half[u], i);
                    x[v] = place(half[v], j);
                    vertices.push(x);
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let at = |i: u32, j: u32| first + i * (n + 1) + j;
                    let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                    let pair = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                    for [p, q, r] in pair {
                        triangles.push(if sign > 0.0 { [p, q, r] } else { [p, r, q] });
                    }
                }
            }
        }
    }
    shape(&vertices, &triangles)
}

/// A polygon in the plane z = 0, cut into triangles, drawn out from z = −half to half.
fn prism(outline: &[(f64, f64)], faces: &[[u32; 3]], half: f64) -> Shape {
    let n = outline.len() as u32;
    let ring = |z: f64| outline.iter().map(move |(x, y)| dvec3(*x, *y, z));
    let vertices: Vec<DVec3> = ring(-half).chain(ring(half)).collect();
    let mut triangles = Vec::new();
    for [a, b, c] in faces {
        triangles.push([a + n, b + n, c + n]);
        triangles.push([*a, *c, *b]);
    }
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([k, next, next + n]);
        triangles.push([k, next + n, k + n]);
    }
    shape(&vertices, &triangles)
}

/// An L with its inner corner at (1, 1), arms of length 2 and width 1, from z = −half to half.
pub(crate) fn ell(half: f64) -> Shape {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    prism(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], half)
}

/// A block with its top in y = 0 and a groove of half width w and depth d along z.
pub(crate) fn crack(w: f64, d: f64) -> Shape {
    let outline = [(-2.0, -1.0), (2.0, -1.0), (2.0, 0.0), (w, 0.0), (0.0, -d), (-w, 0.0), (-2.0, 0.0)];
    prism(&outline, &[[4, 5, 6], [4, 6, 0], [4, 0, 1], [4, 1, 2], [4, 2, 3]], 2.0)
}

/// A prism with a ridge along z at y = 0, its base of half width 0.5 at y = 3.
pub(crate) fn wedge(half: f64) -> Shape {
    prism(&[(0.0, 0.0), (0.5, 3.0), (-0.5, 3.0)], &[[0, 1, 2]], half)
}

/// A pyramid with its apex at the origin and its base, a square of side 1, at y = 3.
pub(crate) fn spike() -> Shape {
    let corner = |x: f64, z: f64| dvec3(x, 3.0, z);
    let vertices = [DVec3::ZERO, corner(0.5, 0.5), corner(0.5, -0.5), corner(-0.5, -0.5), corner(-0.5, 0.5)];
    shape(&vertices, &[[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]])
}

/// A cup about the z axis, its foot on z = 0: radii, height, thickness of the floor, and corners of a ring.
pub(crate) fn cup(outer: f64, inner: f64, height: f64, floor: f64, n: u32) -> Shape {
    let profile = [(outer, 0.0), (outer, height), (inner, height), (inner, floor)];
    let mut vertices = vec![DVec3::ZERO, dvec3(0.0, 0.0, floor)];
    let mut triangles = Vec::new();
    for k in 0..n {
        let (sine, cosine) = sin_cos(2.0 * PI * f64::from(k) / f64::from(n));
        vertices.extend(profile.iter().map(|(r, z)| dvec3(r * cosine, r * sine, *z)));
    }
    let at = |k: u32, p: u32| 2 + (k % n) * 4 + p;
    for k in 0..n {
        triangles.push([0, at(k + 1, 0), at(k, 0)]);
        triangles.push([1, at(k, 3), at(k + 1, 3)]);
        for p in 0..3 {
            triangles.push([at(k, p), at(k + 1, p), at(k + 1, p + 1)]);
            triangles.push([at(k, p), at(k + 1, p + 1), at(k, p + 1)]);
        }
    }
    shape(&vertices, &triangles)
}

/// A torus about the z axis with n × m corners.
pub(crate) fn torus(outer: f64, tube: f64, n: u32, m: u32) -> Shape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (s, c) = sin_cos(2.0 * PI * f64::from(i) / f64::from(n));
        for j in 0..m {
            let (h, w) = sin_cos(2.0 * PI * f64::from(j) / f64::from(m));
            let r = outer + tube * w;
            vertices.push(dvec3(r * c, r * s, tube * h));
        }
    }
    let at = |i: u32, j: u32| (i % n) * m + j % m;
    for i in 0..n {
        for j in 0..m {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    shape(&vertices, &triangles)
}

/// The triangles of a mesh, moved.
pub(crate) fn triangles(shape: &Shape, place: impl Fn(DVec3) -> DVec3) -> Vec<[DVec3; 3]> {
    let Shape::Mesh(mesh) = shape else { panic!("no mesh") };
    let corner = |v: u32| place(mesh.vertices()[v as usize]);
    mesh.triangles().iter().map(|t| t.map(corner)).collect()
}
