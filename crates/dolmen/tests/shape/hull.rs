//! Hulls against exact arithmetic and against all triples.

use dolmen::math::real::sin_cos;
use dolmen::math::{DVec3, dvec3};
use dolmen::shape::{Hull, HullError};
use insta::assert_snapshot;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Positive when d is above the plane abc, exactly.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Whether three points are in line, exactly: then they are coplanar with any fourth.
fn in_line(a: DVec3, b: DVec3, c: DVec3) -> bool {
    [dvec3(7.0, 3.0, 1.0), dvec3(-1.0, 5.0, 2.0), dvec3(2.0, -3.0, 11.0), dvec3(-9.0, -8.0, 4.5)]
        .iter()
        .all(|d| side(a, b, c, *d) == 0.0)
}

fn key(p: DVec3) -> [u64; 3] {
    p.to_array().map(|x| (x + 0.0).to_bits())
}

/// Faces as the sets of points exactly on supporting planes, found by trying all triples.
fn faces_by_brute_force(points: &[DVec3]) -> BTreeSet<BTreeSet<[u64; 3]>> {
    let mut faces = BTreeSet::new();
    let n = points.len();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let (a, b, c) = (points[i], points[j], points[k]);
                if in_line(a, b, c) {
                    continue;
                }
                let sides: Vec<f64> = points.iter().map(|p| side(a, b, c, *p)).collect();
                if sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0) {
                    faces.insert(
                        points.iter().zip(&sides).filter(|(_, s)| **s == 0.0).map(|(p, _)| key(*p)).collect(),
                    );
                }
            }
        }
    }
    faces
}

/// The hull must have exactly the faces of brute force, and as corners the points that are on three of them or more.
fn check_against_brute_force(points: &[DVec3], hull: &Hull) {
    let faces = faces_by_brute_force(points);
    let mut count: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    for p in faces.iter().flatten() {
        *count.entry(*p).or_default() += 1;
    }
    let corners: BTreeSet<[u64; 3]> = count.iter().filter(|(_, n)| **n >= 3).map(|(p, _)| *p).collect();
    let expected: BTreeSet<BTreeSet<[u64; 3]>> =
        faces.iter().map(|f| f.intersection(&corners).copied().collect()).collect();
    let found: BTreeSet<BTreeSet<[u64; 3]>> =
        hull.faces().map(|f| f.iter().map(|v| key(hull.vertices()[*v as usize])).collect()).collect();
    assert_eq!(found, expected, "points {points:?}");
    assert_eq!(hull.face_count(), expected.len(), "a face twice, points {points:?}");
    assert_eq!(hull.vertices().len(), corners.len(), "points {points:?}");
}

/// What must hold of any hull: it contains all points, V − E + F = 2, faces are flat and strictly convex, edges fit.
fn check_laws(points: &[DVec3], hull: &Hull) {
    let v = hull.vertices();
    for [a, b, c] in hull.triangles() {
        let [a, b, c] = [a, b, c].map(|i| v[*i as usize]);
        assert!(!in_line(a, b, c), "triangle {a} {b} {c} has no area");
        for p in points {
            assert!(side(a, b, c, *p) <= 0.0, "{p} is outside {a} {b} {c}");
        }
    }
    assert_eq!(v.len() + hull.face_count(), hull.edges().len() + 2, "Euler");
    for face in hull.faces() {
        let n = face.len();
        let at = |k: usize| v[face[k % n] as usize];
        for k in 0..n {
            assert_eq!(side(at(0), at(1), at(2), at(k)), 0.0, "face {face:?} is not flat");
            assert!(!in_line(at(k), at(k + 1), at(k + 2)), "face {face:?} has a corner in a side");
        }
        assert_eq!(face[0], *face.iter().min().unwrap());
    }
    for edge in hull.edges() {
        let [a, b] = edge.ends;
        let walks = |f: u32, from: u32, to: u32| {
            let face = hull.face(f as usize);
            (0..face.len()).any(|k| face[k] == from && face[(k + 1) % face.len()] == to)
        };
        assert!(a < b && walks(edge.faces[0], a, b) && walks(edge.faces[1], b, a), "{edge:?}");
    }
    let places: Vec<usize> = v.iter().map(|p| points.iter().position(|q| q == p).unwrap()).collect();
    assert!(places.is_sorted(), "vertices are in the order given: {places:?}");
}

/// The loops of a hull by places, which do not depend on numbers.
fn loops(hull: &Hull) -> BTreeSet<Vec<[u64; 3]>> {
    hull.faces()
        .map(|f| {
            let mut face: Vec<_> = f.iter().map(|v| key(hull.vertices()[*v as usize])).collect();
            let lowest = (0..face.len()).min_by_key(|k| face[*k]).unwrap();
            face.rotate_left(lowest);
            face
        })
        .collect()
}

fn grid(n: i32, scale: f64) -> Vec<DVec3> {
    let mut points = Vec::new();
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                points.push(dvec3(f64::from(x), f64::from(y), f64::from(z)) * scale);
            }
        }
    }
    points
}

/// Points inside, on faces and on edges leave no trace: any grid is a box with six faces of four corners.
#[test]
fn a_grid_of_points_is_a_box() {
    for n in [2, 3, 5, 8] {
        for scale in [1.0, 0.1, 1e-9] {
            let points = grid(n, scale);
            let hull = Hull::new(&points).unwrap();
            check_laws(&points, &hull);
            assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6), "n = {n}");
            assert!(hull.faces().all(|f| f.len() == 4) && hull.triangles().len() == 12);
        }
    }
}

/// A hull is of the points, not of their order: reversed and rotated lists give the same loops.
#[test]
fn the_order_of_points_does_not_matter() {
    let points: Vec<DVec3> = (0..300)
        .map(|k| {
            let (s, c) = sin_cos(f64::from(k) * 2.4);
            let z = f64::from(k % 17) / 8.0 - 1.0;
            dvec3(c, s, z) * f64::from(k % 5)
        })
        .collect();
    let first = Hull::new(&points).unwrap();
    check_laws(&points, &first);
    for shift in [1, 77, 150, 299] {
        let mut other = points.clone();
        other.rotate_left(shift);
        other.reverse();
        assert_eq!(loops(&Hull::new(&other).unwrap()), loops(&first));
    }
}

/// Two thousand points on a sphere: the triangulated faces are 2V − 4, as Euler has it.
#[test]
fn many_points_on_a_sphere_are_all_corners() {
    let n = 2000;
    let points: Vec<DVec3> = (0..n)
        .map(|k| {
            let z = (2.0 * f64::from(k) + 1.0) / f64::from(n) - 1.0;
            let (s, c) = sin_cos(f64::from(k) * 2.399963229728653);
            dvec3(c * (1.0 - z * z).sqrt(), s * (1.0 - z * z).sqrt(), z)
        })
        .collect();
    let hull = Hull::new(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.triangles().len()), (n as usize, 2 * n as usize - 4));
    check_laws(&points, &hull);
}

/// What has no inside is refused, with its kind, its size and a remedy.
#[test]
fn points_without_an_inside_are_refused_in_words() {
    let refused = |points: &[DVec3]| Hull::new(points).unwrap_err().to_string();
    let p = dvec3(0.1, 0.2, 0.3);
    assert_snapshot!(refused(&[]), @"a convex hull of no points; give at least 4 that are not in one plane");
    assert_snapshot!(refused(&[p, p, p]), @"all 3 points of the hull are at (0.1, 0.2, 0.3); give at least 4 that are not in one plane, or use a sphere");
    assert_snapshot!(refused(&[DVec3::ZERO, dvec3(1., 2., 3.), dvec3(2., 4., 6.), dvec3(-1., -2., -3.)]), @"all 4 points of the hull are on the line through (-1.0, -2.0, -3.0) and (2.0, 4.0, 6.0); add points off it, or use a capsule");
    assert_snapshot!(refused(&grid(4, 1.0)[..16]), @"all 16 points of the hull are in the plane through (0.0, 0.0, 0.0), (0.0, 3.0, 3.0) and (0.0, 0.0, 3.0); give it a thickness by points off that plane");
    assert_snapshot!(refused(&[p, dvec3(f64::NAN, 0., 0.)]), @"point 1 of the hull is at (NaN, 0.0, 0.0); coordinates must be 0 or between 1e-60 and 1e60 m in size: correct the point or choose another unit of length");
    assert_snapshot!(refused(&[p, dvec3(0., 1e-70, 0.)]), @"point 1 of the hull is at (0.0, 1e-70, 0.0); coordinates must be 0 or between 1e-60 and 1e60 m in size: correct the point or choose another unit of length");
    // One step of the last bit off the plane is an inside.
    let mut points = grid(4, 1.0)[..16].to_vec();
    points.push(dvec3(1e-16, 1.0, 1.0));
    check_laws(&points, &Hull::new(&points).unwrap());
}

/// A coordinate that only just differs, many times over, and every kind of repetition.
fn awkward_points() -> impl Strategy<Value = Vec<DVec3>> {
    let few = |n: i32| prop::array::uniform3(-n..=n).prop_map(|p| DVec3::from(p.map(f64::from)));
    let free = prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from);
    let near = (few(1), prop::array::uniform3(-3..=3_i64)).prop_map(|(p, steps)| {
        let mut q = p.to_array();
        for (x, step) in q.iter_mut().zip(steps) {
            *x = 0.1 * *x + 1.0;
            *x = f64::from_bits(x.to_bits().wrapping_add_signed(step));
        }
        DVec3::from(q)
    });
    let on_segment = (0..=6_i32).prop_map(|k| dvec3(0.3, -0.7, 0.5) * f64::from(k));
    prop_oneof![
        prop::collection::vec(few(1), 4..12),
        prop::collection::vec(few(3), 4..12),
        prop::collection::vec(free.clone(), 4..12),
        prop::collection::vec(near, 4..12),
        (prop::collection::vec(on_segment, 2..6), prop::collection::vec(free, 2..6)).prop_map(
            |(mut a, b)| {
                a.extend(b);
                a
            }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    /// Few points, often equal, in line, in a plane or a bit apart: the hull is that of all triples, or rightly refused.
    #[test]
    fn a_hull_is_what_brute_force_says(points in awkward_points()) {
        match Hull::new(&points) {
            Ok(hull) => {
                check_laws(&points, &hull);
                check_against_brute_force(&points, &hull);
                let mut reversed = points.clone();
                reversed.reverse();
                prop_assert_eq!(loops(&Hull::new(&reversed).unwrap()), loops(&hull));
            }
            Err(error) => {
                let n = points.len();
                let off_plane = (0..n).any(|i| (0..i).any(|j| (0..j).any(|k| {
                    points.iter().any(|p| side(points[i], points[j], points[k], *p) != 0.0)
                })));
                prop_assert!(!off_plane, "{error} for {points:?}");
                let off_line = (0..n).any(|i| (0..i).any(|j| (0..j).any(|k| !in_line(points[i], points[j], points[k]))));
                prop_assert_eq!(matches!(error, HullError::Flat { .. }), off_line);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    /// Many points on a small grid: nearly all are duplicates, inside, or on faces and edges.
    #[test]
    fn crowded_grids_obey_the_laws(points in prop::collection::vec(prop::array::uniform3(-5..=5_i32), 50..300)) {
        let points: Vec<DVec3> = points.iter().map(|p| DVec3::from(p.map(|x| 0.1 * f64::from(x)))).collect();
        check_laws(&points, &Hull::new(&points).unwrap());
    }
}
