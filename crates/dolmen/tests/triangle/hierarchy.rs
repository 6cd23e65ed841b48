//! The hierarchy of a mesh: every answer is that of asking all triangles, and signs are those of the winding number.

use dolmen::math::real::{PI, TAU, atan2, sin_cos};
use dolmen::math::{Aabb, DVec3, dvec3};
use dolmen::shape::Mesh;
use dolmen::triangle::hierarchy::{MeshTree, Place, Ray};
use dolmen::triangle::{Feature, closest_on_triangle};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers in [0, 1) from a seed.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A surface in polar coordinates about the origin with `rings` × 2·`rings` vertices and the poles.
fn polar(rings: u32, mut radius: impl FnMut() -> f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let around = 2 * rings;
    let mut vertices = vec![radius() * DVec3::Z];
    for i in 0..rings {
        for j in 0..around {
            let (st, ct) = sin_cos(PI * f64::from(i + 1) / f64::from(rings + 1));
            let (sp, cp) = sin_cos(TAU * f64::from(j) / f64::from(around));
            vertices.push(radius() * dvec3(st * cp, st * sp, ct));
        }
    }
    vertices.push(-radius() * DVec3::Z);
    let (at, last) = (|i: u32, j: u32| 1 + i * around + j % around, vertices.len() as u32 - 1);
    let mut triangles = Vec::new();
    for j in 0..around {
        triangles.push([0, at(0, j), at(0, j + 1)]);
        triangles.push([last, at(rings - 1, j + 1), at(rings - 1, j)]);
        for i in 0..rings - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

fn torus(steps: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..steps {
        for j in 0..steps {
            let ((si, ci), (sj, cj)) = (
                sin_cos(TAU * f64::from(i) / f64::from(steps)),
                sin_cos(TAU * f64::from(j) / f64::from(steps)),
            );
            vertices.push(dvec3((1.0 + 0.3 * cj) * ci, (1.0 + 0.3 * cj) * si, 0.3 * sj));
            let at = |i: u32, j: u32| (i % steps) * steps + j % steps;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// A blade: a tetrahedron of which two faces make an angle of about `thin`.
fn blade(thin: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let vertices = vec![dvec3(0., -1., 0.), dvec3(0., 1., 0.), dvec3(1., 0., thin), dvec3(1., 0.25, -thin)];
    (vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

fn tree(soup: &(Vec<DVec3>, Vec<[u32; 3]>)) -> MeshTree {
    MeshTree::new(Arc::new(Mesh::new(&soup.0, &soup.1).expect("the test's meshes are closed and clean")))
}

/// Round, rough, spiked (vertices sharp outwards and inwards), with a hole, thin as a knife, and far from the origin.
fn trees() -> Vec<(&'static str, MeshTree)> {
    let mut random = noise(7);
    let spikes = {
        let mut next = noise(8);
        move || if next() < 0.5 { 1.0 } else { 0.3 }
    };
    let far = torus(12);
    let far = (far.0.iter().map(|p| *p + dvec3(1e7, -2e7, 3e6)).collect(), far.1);
    vec![
        ("ball", tree(&polar(8, || 1.0))),
        ("rough ball", tree(&polar(12, move || 0.8 + 0.4 * random()))),
        ("spiked ball", tree(&polar(6, spikes))),
        ("torus", tree(&torus(24))),
        ("blade", tree(&blade(1e-3))),
        ("razor", tree(&blade(1e-9))),
        ("far torus", tree(&far)),
    ]
}

/// How often the surface winds around a point: Σ of solid angles / 4π. [van Oosterom, Strackee 1983]
fn winding(tree: &MeshTree, p: DVec3) -> f64 {
    let angle = |i: usize| {
        let [a, b, c] = tree.corners(i as u32).map(|x| x - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * atan2(a.dot(b.cross(c)), below)
    };
    (0..tree.mesh().triangles().len()).map(angle).sum::<f64>() / (4.0 * PI)
}

fn size(tree: &MeshTree) -> f64 {
    (tree.bounds().max - tree.bounds().min).max_element()
}

/// Points all over the box and around it, and points off every feature, close and closer, on both sides.
fn probes(tree: &MeshTree, count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = noise(seed);
    let mut next = |from: f64, to: f64| from + (to - from) * random();
    let (bounds, size) = (tree.bounds(), size(tree));
    let mut points = Vec::new();
    for i in 0..count {
        let mut vector = || dvec3(next(0., 1.), next(0., 1.), next(0., 1.));
        points.push(bounds.min - 0.3 * size + vector() * (bounds.max - bounds.min + 0.6 * size));
        let [a, b, c] = tree.corners((i * 7919 % tree.mesh().triangles().len()) as u32);
        let spots = [a, 0.5 * (a + b), (a + b + c) / 3.0, 0.7 * b + 0.3 * c];
        let step = [1e-1, 1e-4, 1e-8, 1e-12][i % 4] * size;
        points.push(spots[(i / 4) % 4] + step * (2.0 * vector() - 1.0));
    }
    points
}

/// The tree finds the very triangle and distance that asking all triangles finds, bit for bit.
#[test]
fn the_nearest_triangle_is_that_of_brute_force() {
    for (name, tree) in trees() {
        for p in probes(&tree, 300, 1) {
            let all = (0..tree.mesh().triangles().len() as u32).map(|i| {
                let (at, feature) = closest_on_triangle(p, tree.corners(i));
                (p.distance_squared(at), i, at, feature)
            });
            let best = all.fold(None, |best: Option<(f64, u32, DVec3, Feature)>, x| match best {
                Some(b) if b.0 <= x.0 => Some(b),
                _ => Some(x),
            });
            let (_, triangle, at, feature) = best.unwrap();
            let found = tree.nearest(p).unwrap();
            assert_eq!(
                (found.triangle, found.feature, found.point),
                (triangle, feature, at),
                "{name} at {p}"
            );
            assert_eq!(found.separation.abs(), p.distance(at), "{name} at {p}");
        }
    }
}

/// Negative inside, positive outside: the winding number off the surface, and the exact place everywhere, at creases too.
#[test]
fn signs_are_those_of_the_winding_number() {
    for (name, tree) in trees() {
        for p in probes(&tree, 300, 2) {
            let separation = tree.nearest(p).unwrap().separation;
            let place = tree.place(p);
            let expected = match place {
                Place::Inside => -1.0,
                Place::Surface => 0.0,
                Place::Outside => 1.0,
            };
            // Closer than the rounding of coordinates, the nearest point is as good as the point itself.
            let rounding = 4.0 * f64::EPSILON * p.abs().max_element();
            assert!(
                separation == 0.0 || separation.signum() == expected || separation.abs() <= rounding,
                "{name}: {separation:e} but {place:?} at {p}"
            );
            // The solid angle of a triangle is rounded by 1e-16 times the square of its size over the distance.
            if separation.abs() > 1e-4 * size(&tree) {
                let turns = winding(&tree, p);
                let inside = f64::from(u8::from(place == Place::Inside));
                assert!((turns - inside).abs() < 1e-3, "{name}: winds {turns} times but {place:?} at {p}");
            }
        }
    }
}

/// Vertices, and points of edges and faces that are numbers, are on the surface and nothing is between.
#[test]
fn points_of_the_surface_are_on_it() {
    let cube: Vec<DVec3> =
        (0..8_u32).map(|k| dvec3(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
    let faces = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let cube = tree(&(cube, faces.to_vec()));
    for i in 0..=16_u32 {
        for j in 0..=16 {
            for k in 0..=16 {
                let p = dvec3(f64::from(i), f64::from(j), f64::from(k)) / 8.0 - 0.5;
                let depth = (0.5 - (p - 0.5).abs()).min_element();
                let place = match depth {
                    d if d > 0.0 => Place::Inside,
                    0.0 => Place::Surface,
                    _ => Place::Outside,
                };
                assert_eq!(cube.place(p), place, "at {p}");
                let outside = ((p - 0.5).abs() - 0.5).max(DVec3::ZERO).length();
                let separation = if depth > 0.0 { -depth } else { outside };
                let found = cube.nearest(p).unwrap().separation;
                assert!((found - separation).abs() < 1e-15, "{found} but {separation} at {p}");
            }
        }
    }
    for (name, tree) in trees() {
        for v in tree.mesh().vertices() {
            assert_eq!(tree.place(*v), Place::Surface, "{name} at {v}");
            assert_eq!(tree.nearest(*v).unwrap().separation, 0.0, "{name} at {v}");
        }
    }
}

/// Lengths times a power of two: every answer is the same, times that power, bit for bit.
#[test]
fn huge_and_tiny_meshes_behave_as_those_of_a_metre() {
    for (soup, name) in [(torus(12), "torus"), (blade(1e-6), "blade"), (polar(5, noise(3)), "wild ball")] {
        let here = tree(&soup);
        for scale in [f64::from_bits((1023 - 120) << 52), f64::from_bits((1023 + 120) << 52)] {
            let there = tree(&(soup.0.iter().map(|p| *p * scale).collect(), soup.1.clone()));
            for p in probes(&here, 100, 4) {
                let (a, b) = (here.nearest(p).unwrap(), there.nearest(p * scale).unwrap());
                assert_eq!((a.triangle, a.feature), (b.triangle, b.feature), "{name} × {scale:e} at {p}");
                assert_eq!(a.separation * scale, b.separation, "{name} × {scale:e} at {p}");
                assert_eq!(here.place(p), there.place(p * scale), "{name} × {scale:e} at {p}");
            }
        }
    }
}

/// Every triangle whose box meets the box, and no other.
#[test]
fn boxes_find_the_triangles_of_brute_force() {
    let mut random = noise(5);
    for (name, tree) in trees() {
        for _ in 0..100 {
            let mut vector = || dvec3(random(), random(), random());
            let corner = tree.bounds().min + size(&tree) * (1.4 * vector() - 0.2);
            let bounds = Aabb { min: corner, max: corner + 0.3 * size(&tree) * vector() };
            let meets = |i: &u32| {
                let [a, b, c] = tree.corners(*i);
                let (low, high) = (a.min(b).min(c), a.max(b).max(c));
                low.cmple(bounds.max).all() && bounds.min.cmple(high).all()
            };
            let expected: Vec<u32> = (0..tree.mesh().triangles().len() as u32).filter(meets).collect();
            let mut found = vec![99];
            tree.triangles_near_box(&bounds, &mut found);
            assert_eq!(found, expected, "{name} in {bounds:?}");
        }
    }
}

/// Rays hit what a plain test of every triangle hits, where that is not close to an edge.
#[test]
fn rays_hit_the_triangles_of_brute_force() {
    for (name, tree) in trees() {
        let points = probes(&tree, 200, 9);
        for pair in points.chunks(2) {
            let ray = Ray { origin: pair[0], direction: pair[1] - pair[0] };
            let mut hits = Vec::new();
            tree.ray_hits(&ray, 4.0, &mut hits);
            let mut expected = Vec::new();
            let mut close_call = false;
            for i in 0..tree.mesh().triangles().len() as u32 {
                let [a, b, c] = tree.corners(i);
                let (e, f, r) = (b - a, c - a, ray.origin - a);
                let det = e.cross(f).dot(-ray.direction);
                let (u, v) = (r.cross(f).dot(-ray.direction) / det, e.cross(r).dot(-ray.direction) / det);
                let t = e.cross(f).dot(r) / det;
                let inside = [u, v, 1.0 - u - v, t, 4.0 - t];
                let flat = det.abs() < 1e-6 * e.cross(f).length() * ray.direction.length();
                close_call |= flat || inside.iter().all(|x| *x > -1e-6) && inside.iter().any(|x| *x < 1e-6);
                if inside.iter().all(|x| *x > 0.0) {
                    expected.push((t, i, det > 0.0));
                }
            }
            if close_call {
                continue;
            }
            expected.sort_by(|x, y| x.0.total_cmp(&y.0));
            let found: Vec<_> = hits.iter().map(|h| (h.triangle, h.enters)).collect();
            let wanted: Vec<_> = expected.iter().map(|x| (x.1, x.2)).collect();
            assert_eq!(found, wanted, "{name}: {ray:?}");
            for (hit, (t, ..)) in hits.iter().zip(&expected) {
                // Coordinates are rounded by 1e-16 of their size, and a flat passage by 1e6 times that.
                let rounding = 1e-8 * (1.0 + ray.origin.length() / ray.direction.length() * 1e-2);
                assert!((hit.t - t).abs() < rounding, "{name}: {} but {t} for {ray:?}", hit.t);
            }
        }
    }
}

/// A ray that starts outside and is aimed exactly at vertices and edges enters as often as it leaves; one from inside leaves
/// once more.
#[test]
fn rays_through_vertices_and_edges_do_not_leak() {
    for (name, tree) in trees() {
        let mut starts = probes(&tree, 20, 10);
        starts.push(tree.bounds().min - DVec3::splat(size(&tree)));
        starts.push(dvec3(0., 0., 5.));
        for origin in starts {
            let place = tree.place(origin);
            // A start closer to the surface than rounding may count that passage or not.
            if tree.nearest(origin).unwrap().separation.abs() < 1e-9 * (size(&tree) + origin.length()) {
                continue;
            }
            for t in tree.mesh().triangles() {
                let [a, b] = [t[0], t[1]].map(|v| tree.mesh().vertices()[v as usize]);
                for target in [a, 0.5 * (a + b)] {
                    let ray = Ray { origin, direction: target - origin };
                    let mut hits = Vec::new();
                    tree.ray_hits(&ray, f64::INFINITY, &mut hits);
                    let enters = hits.iter().filter(|h| h.enters).count();
                    let leaves = hits.len() - enters;
                    assert_eq!(
                        leaves - enters.min(leaves),
                        usize::from(place == Place::Inside),
                        "{name}: {ray:?} {hits:?}"
                    );
                    assert!(enters <= leaves, "{name}: {ray:?} {hits:?}");
                }
            }
        }
    }
}

/// NaN, infinity and no direction: no answer, no panic.
#[test]
fn questions_without_sense_get_no_answer() {
    let tree = tree(&torus(8));
    let mut hits = Vec::new();
    for bad in [DVec3::NAN, DVec3::INFINITY, dvec3(1.0, f64::NAN, 0.0), DVec3::splat(1e300)] {
        assert_eq!(tree.nearest(bad).is_some(), bad.is_finite());
        assert_eq!(tree.place(bad), Place::Outside);
        tree.ray_hits(&Ray { origin: bad, direction: DVec3::X }, f64::INFINITY, &mut hits);
        assert!(hits.is_empty());
        tree.ray_hits(&Ray { origin: DVec3::ZERO, direction: bad * 0.0 }, f64::INFINITY, &mut hits);
        assert!(hits.is_empty());
        tree.triangles_near_box(&Aabb { min: bad, max: bad }, &mut Vec::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// The distance is a function with slope at most one: |d(p) − d(q)| ≤ |p − q|, through the surface too.
    #[test]
    fn separation_changes_no_faster_than_the_point(seed in 0_u64..1000, p: [f64; 3], q: [f64; 3]) {
        let unit = |p: [f64; 3]| DVec3::from_array(p.map(|x| 2.0 * (x * 1e-3).fract() ));
        let (p, q) = (unit(p), unit(q));
        prop_assume!(p.is_finite() && q.is_finite());
        let mut random = noise(seed);
        let tree = tree(&polar(5, move || 0.4 + random()));
        let (d_p, d_q) = (tree.nearest(p).unwrap().separation, tree.nearest(q).unwrap().separation);
        prop_assert!((d_p - d_q).abs() <= p.distance(q) + 1e-14, "{d_p} at {p}, {d_q} at {q}");
    }
}
