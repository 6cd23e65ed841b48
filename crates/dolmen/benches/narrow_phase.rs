//! Queries on pairs of shapes in coherent motion, beside `parry3d-f64` on the same shapes and poses.
//!
//! `cargo bench -p dolmen --bench narrow_phase`

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::math::real::{TAU, cos, sin};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    ClosestHint, Geometry, Manifold, MeetingHint, Placed, Statistics, Witness, closest, contacts, meets,
    separate, separate_within,
};
use dolmen::shape::{Hull, Mesh, Shape};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{
    self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher,
};
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cuboid, Shape as ParryShape, TriMesh};
use std::hint::black_box;

/// Whether a row is asked for: by the first argument that is no option, if there is one.
fn is_wanted(row: &str) -> bool {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    filter.is_none_or(|filter| row.contains(&filter) || filter.contains(row))
}

/// Poses in one pass over a motion: a step turns the shapes by about a degree.
const STEPS: usize = 1000;

/// A pair of shapes, ours and theirs, and a motion of the first about the second.
struct Pair {
    name: String,
    ours: [Geometry; 2],
    theirs: [Box<dyn ParryShape>; 2],
    /// Of the circumscribed sphere.
    radius: f64,
}

impl Pair {
    fn place(&self, poses: &(Pose, Pose)) -> (Placed<'_>, Placed<'_>) {
        let [a, b] = &self.ours;
        (Placed { geometry: a, pose: poses.0 }, Placed { geometry: b, pose: poses.1 })
    }
}

/// Points spread over a unit sphere along a spiral; the numbers of the golden angle make no two lines parallel.
fn spiral(count: usize) -> Vec<DVec3> {
    let turn = TAU * 0.618_033_988_749_894_9;
    (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let (r, angle) = ((1.0 - z * z).sqrt(), turn * i as f64);
            dvec3(r * cos(angle), r * sin(angle), z)
        })
        .collect()
}

/// A shape in both libraries, and the radius of its circumscribed sphere.
type Twin = (Geometry, Box<dyn ParryShape>, f64);

fn cuboid() -> Twin {
    let half = dvec3(0.5, 0.6, 0.7);
    let theirs = Box::new(Cuboid::new(vector(half)));
    (Geometry::new(&Shape::Cuboid { half }), theirs, half.length())
}

fn hull(count: usize) -> Twin {
    let points = spiral(count);
    let hull = Hull::new(&points).expect("points on a sphere have a hull");
    let theirs: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
    let theirs = Box::new(ConvexPolyhedron::from_convex_hull(&theirs).expect("the same points"));
    (Geometry::new(&hull.into()), theirs, 1.0)
}

fn ball() -> Twin {
    (Geometry::new(&Shape::Sphere { radius: 1.0 }), Box::new(Ball::new(1.0)), 1.0)
}

/// A ring of n × m × 2 triangles about the z axis, inside of the unit sphere.
fn ring(n: u32, m: u32) -> Twin {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..n {
        let angle = TAU * f64::from(i) / f64::from(n);
        for j in 0..m {
            let around = TAU * f64::from(j) / f64::from(m);
            let r = 0.7 + 0.3 * cos(around);
            vertices.push(dvec3(r * cos(angle), r * sin(angle), 0.3 * sin(around)));
        }
    }
    let at = |i: u32, j: u32| (i % n) * m + j % m;
    for i in 0..n {
        for j in 0..m {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    let mesh = Mesh::new(&vertices, &triangles).expect("a closed ring");
    let vertices = vertices.into_iter().map(vector).collect();
    let theirs = Box::new(TriMesh::new(vertices, triangles).expect("the same ring"));
    (Geometry::new(&mesh.into()), theirs, 1.0)
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pair(name: &str, a: Twin, b: Twin) -> Pair {
    let radius = 0.5 * (a.2 + b.2);
    Pair { name: name.to_owned(), ours: [a.0, b.0], theirs: [a.1, b.1], radius }
}

/// Pairs of equal polyhedra.
fn polyhedra() -> Vec<Pair> {
    let mut pairs = vec![pair("box", cuboid(), cuboid())];
    pairs.extend([8, 32, 128].map(|count| pair(&format!("hull {count}"), hull(count), hull(count))));
    pairs
}

/// Pairs of which one is round or has many triangles.
fn mixed() -> Vec<Pair> {
    vec![
        pair("sphere, hull 32", ball(), hull(32)),
        pair("sphere, hull 128", ball(), hull(128)),
        pair("mesh 576, box", ring(24, 12), cuboid()),
        pair("mesh 20000, box", ring(200, 50), cuboid()),
    ]
}

/// The first shape goes around the second at a distance of `gap` circumscribed radii between centres; both tumble.
fn poses(radius: f64, gap: f64) -> Vec<(Pose, Pose)> {
    (0..STEPS)
        .map(|step| {
            let t = step as f64 / STEPS as f64 * TAU;
            let place = gap * radius * dvec3(cos(t), sin(t), 0.2 * sin(2.0 * t));
            let a = DQuat::from_rotation_y(2.0 * t) * DQuat::from_rotation_x(t);
            let b = DQuat::from_rotation_z(0.7 * t) * DQuat::from_rotation_x(-t);
            (Pose { position: place, orientation: a }, Pose { position: DVec3::ZERO, orientation: b })
        })
        .collect()
}

fn theirs(pose: &Pose) -> ParryPose {
    let (p, q) = (pose.position, pose.orientation);
    ParryPose::from_parts(Vector::new(p.x, p.y, p.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

fn separation(group: &mut BenchmarkGroup<WallTime>, pair: &Pair, motion: &[(Pose, Pose)]) {
    let place = |poses: &(Pose, Pose)| pair.place(poses);
    let mut statistics = Statistics::default();
    let mut witness = Witness::Unknown;
    let mut sum = 0.0;
    for poses in motion {
        let (a, b) = place(poses);
        sum += separate(&a, &b, &mut witness, &mut statistics).map_or(f64::NAN, |s| s.distance);
    }
    let Statistics { queries, hits, neighbours, walks, searches } = statistics;
    println!(
        "{}: {hits} hits, {neighbours} neighbours, {walks} walks, {searches} searches of {queries}; Σ {sum:?}",
        pair.name
    );
    group.bench_function(format!("{} separate", pair.name), |bench| {
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        bench.iter(|| {
            for poses in motion {
                let (a, b) = place(poses);
                let _ = black_box(separate(&a, &b, &mut witness, &mut statistics));
            }
        });
    });
    // As parry's `contact`, which says no of shapes that are apart.
    group.bench_function(format!("{} separate_within", pair.name), |bench| {
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        bench.iter(|| {
            for poses in motion {
                let (a, b) = place(poses);
                let _ = black_box(separate_within(0.0, (&a, &b), &mut witness, &mut statistics));
            }
        });
    });
    group.bench_function(format!("{} meets", pair.name), |bench| {
        let (mut hint, mut statistics) = (MeetingHint::default(), Statistics::default());
        bench.iter(|| {
            for poses in motion {
                let (a, b) = place(poses);
                let _ = black_box(meets(&a, &b, &mut hint, &mut statistics));
            }
        });
    });
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    let [x, y] = &pair.theirs;
    group.bench_function(format!("{} parry intersection_test", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(query::intersection_test(a, &**x, b, &**y));
            }
        });
    });
    group.bench_function(format!("{} parry contact", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(query::contact(a, &**x, b, &**y, 0.0));
            }
        });
    });
}

fn distance(group: &mut BenchmarkGroup<WallTime>, pair: &Pair, motion: &[(Pose, Pose)]) {
    group.bench_function(format!("{} closest", pair.name), |bench| {
        let mut hint = ClosestHint::default();
        bench.iter(|| {
            for poses in motion {
                let (a, b) = pair.place(poses);
                let _ = black_box(closest(&a, &b, &mut hint));
            }
        });
    });
    let [x, y] = &pair.theirs;
    let (mut hint, mut worst) = (ClosestHint::default(), 0.0_f64);
    let (mut meeting, mut met, mut differ) = (MeetingHint::default(), 0, 0);
    for poses in motion {
        let (a, b) = pair.place(poses);
        let here = closest(&a, &b, &mut hint).map_or(f64::NAN, |c| c.distance);
        let (p, q) = (theirs(&poses.0), theirs(&poses.1));
        let there = query::distance(&p, &**x, &q, &**y).map_or(f64::NAN, |d| d.distance);
        worst = worst.max((here - there).abs());
        let meet = meets(&a, &b, &mut meeting, &mut Statistics::default()).unwrap_or(false);
        met += u32::from(meet);
        let there = query::intersection_test(&p, &**x, &q, &**y).is_ok_and(|found| found.intersecting);
        differ += u32::from(meet != there);
    }
    println!(
        "{}: distances differ by at most {worst:e}; {met} poses meet, {differ} otherwise in parry",
        pair.name
    );
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    group.bench_function(format!("{} parry distance", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(query::distance(a, &**x, b, &**y));
            }
        });
    });
}

/// A shape that rests on another and is shaken by 1e-12: the steady state of a stack.
fn resting(pair: &Pair) -> Vec<(Pose, Pose)> {
    let Geometry::Polytope(polytope) = &pair.ours[0] else { return Vec::new() };
    let (normal, offset) = polytope.plane(0);
    let down = DQuat::from_rotation_arc(normal, -DVec3::Z);
    let up = DQuat::from_rotation_arc(normal, DVec3::Z);
    (0..STEPS)
        .map(|step| {
            let shake = 1e-12 * dvec3(sin(step as f64), cos(1.3 * step as f64), sin(0.7 * step as f64));
            let turned = DQuat::from_rotation_z(0.1) * down;
            let a = Pose { position: dvec3(0.0, 0.0, 2.0 * offset) + shake, orientation: turned };
            (a, Pose { position: DVec3::ZERO, orientation: up })
        })
        .collect()
}

/// A shape that slides over another in a circle of 0.3 and turns on it, so that every contact moves by more than the millimetre
/// within which parry keeps its contacts where they were.
fn sliding(pair: &Pair) -> Vec<(Pose, Pose)> {
    let place = |step: usize, (a, b): (Pose, Pose)| {
        let t = step as f64 / STEPS as f64 * TAU;
        let position = dvec3(0.3 * cos(t), 0.3 * sin(t), a.position.z);
        let turned = DQuat::from_rotation_z(3.0 * t) * a.orientation;
        (Pose { position, orientation: turned }, b)
    };
    resting(pair).into_iter().enumerate().map(|(step, poses)| place(step, poses)).collect()
}

fn manifold(group: &mut BenchmarkGroup<WallTime>, pair: &Pair, motion: &[(Pose, Pose)]) {
    let (mut witness, mut statistics, mut points) =
        (Witness::Unknown, Statistics::default(), Manifold::default());
    let mut count = 0;
    for poses in motion {
        let (a, b) = pair.place(poses);
        let _ = contacts(&a, &b, &mut witness, &mut statistics, &mut points);
        count += points.contacts().len();
    }
    println!(
        "{}: {count} contacts in {STEPS} queries, {:.1} % hits",
        pair.name,
        100.0 * statistics.hits as f64 / statistics.queries as f64
    );
    group.bench_function(format!("{} contacts", pair.name), |bench| {
        bench.iter(|| {
            for poses in motion {
                let (a, b) = pair.place(poses);
                let _ = black_box(contacts(&a, &b, &mut witness, &mut statistics, &mut points));
            }
        });
    });
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    let [x, y] = &pair.theirs;
    group.bench_function(format!("{} parry contact_manifolds", pair.name), |bench| {
        let (mut manifolds, mut workspace) = (Vec::<ContactManifold<(), ()>>::new(), None);
        bench.iter(|| {
            for (a, b) in &motion {
                let between = a.inv_mul(b);
                let _ = black_box(DefaultQueryDispatcher.contact_manifolds(
                    &between,
                    &**x,
                    &**y,
                    1e-9,
                    &mut manifolds,
                    &mut workspace,
                ));
            }
        });
    });
    group.bench_function(format!("{} parry contact", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let between = a.inv_mul(b);
                let _ = black_box(DefaultQueryDispatcher.contact(&between, &**x, &**y, 1e-9));
            }
        });
    });
}

fn coherent(criterion: &mut Criterion) {
    for (name, gap) in [("apart", 2.2), ("close", 1.9)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS as u64)).sample_size(20);
        for pair in
            polyhedra().iter().chain(&mixed()).filter(|pair| is_wanted(&format!("{name}/{}", pair.name)))
        {
            let motion = poses(pair.radius, gap);
            separation(&mut group, pair, &motion);
            distance(&mut group, pair, &motion);
        }
        group.finish();
    }
    for (name, motion) in [("resting", resting as fn(&Pair) -> Vec<(Pose, Pose)>), ("sliding", sliding)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS as u64)).sample_size(20);
        for pair in polyhedra().iter().filter(|pair| is_wanted(&format!("{name}/{}", pair.name))) {
            manifold(&mut group, pair, &motion(pair));
        }
        group.finish();
    }
}

criterion_group!(benches, coherent);
criterion_main!(benches);
