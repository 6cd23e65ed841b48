//! Queries on pairs of polyhedra in coherent motion, beside `parry3d-f64` on the same shapes and poses.
//!
//! `cargo bench -p dolmen --bench narrow_phase`

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::math::real::{TAU, cos, sin};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    ClosestHint, Geometry, Manifold, Placed, Statistics, Witness, closest, contacts, separate,
};
use dolmen::shape::{Hull, Shape};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{
    self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher,
};
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Shape as ParryShape};
use std::hint::black_box;

/// Poses in one pass over a motion: a step turns the shapes by about a degree.
const STEPS: usize = 1000;

/// A pair of shapes, ours and theirs, and a motion of the first about the second.
struct Pair {
    name: String,
    ours: Geometry,
    theirs: Box<dyn ParryShape>,
    /// Of the circumscribed sphere.
    radius: f64,
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

fn pairs() -> Vec<Pair> {
    let half = dvec3(0.5, 0.6, 0.7);
    let mut pairs = vec![Pair {
        name: "box".to_owned(),
        ours: Geometry::new(&Shape::Cuboid { half }),
        theirs: Box::new(Cuboid::new(Vector::new(half.x, half.y, half.z))),
        radius: half.length(),
    }];
    for count in [8, 32, 128] {
        let points = spiral(count);
        let hull = Hull::new(&points).expect("points on a sphere have a hull");
        let theirs: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        pairs.push(Pair {
            name: format!("hull {count}"),
            ours: Geometry::new(&hull.into()),
            theirs: Box::new(ConvexPolyhedron::from_convex_hull(&theirs).expect("the same points")),
            radius: 1.0,
        });
    }
    pairs
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
    let place = |pose: &Pose| Placed { geometry: &pair.ours, pose: *pose };
    let mut statistics = Statistics::default();
    let mut witness = Witness::Unknown;
    let mut sum = 0.0;
    for (a, b) in motion {
        sum += separate(&place(a), &place(b), &mut witness, &mut statistics).map_or(f64::NAN, |s| s.distance);
    }
    let Statistics { queries, hits, neighbours, walks, searches } = statistics;
    println!(
        "{}: {hits} hits, {neighbours} neighbours, {walks} walks, {searches} searches of {queries}; Σ {sum:?}",
        pair.name
    );
    group.bench_function(format!("{} separate", pair.name), |bench| {
        let mut witness = Witness::Unknown;
        let mut statistics = Statistics::default();
        bench.iter(|| {
            for (a, b) in motion {
                let _ = black_box(separate(&place(a), &place(b), &mut witness, &mut statistics));
            }
        });
    });
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    group.bench_function(format!("{} parry intersection_test", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(query::intersection_test(a, &*pair.theirs, b, &*pair.theirs));
            }
        });
    });
}

fn distance(group: &mut BenchmarkGroup<WallTime>, pair: &Pair, motion: &[(Pose, Pose)]) {
    let place = |pose: &Pose| Placed { geometry: &pair.ours, pose: *pose };
    group.bench_function(format!("{} closest", pair.name), |bench| {
        let mut hint = ClosestHint::default();
        bench.iter(|| {
            for (a, b) in motion {
                let _ = black_box(closest(&place(a), &place(b), &mut hint));
            }
        });
    });
    let (mut hint, mut worst) = (ClosestHint::default(), 0.0_f64);
    for (a, b) in motion {
        let here = closest(&place(a), &place(b), &mut hint).map_or(f64::NAN, |c| c.distance);
        let there = query::distance(&theirs(a), &*pair.theirs, &theirs(b), &*pair.theirs);
        worst = worst.max((here - there.map_or(f64::NAN, |d| d.distance)).abs());
    }
    println!("{}: distances differ by at most {worst:e}", pair.name);
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    group.bench_function(format!("{} parry distance", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(query::distance(a, &*pair.theirs, b, &*pair.theirs));
            }
        });
    });
}

/// A shape that stands on another and is shaken by 1e-12: the steady state of a stack.
fn resting(pair: &Pair) -> Vec<(Pose, Pose)> {
    let Geometry::Polytope(polytope) = &pair.ours else { return Vec::new() };
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

fn manifold(group: &mut BenchmarkGroup<WallTime>, pair: &Pair) {
    let motion = resting(pair);
    let place = |pose: &Pose| Placed { geometry: &pair.ours, pose: *pose };
    let (mut witness, mut statistics, mut points) =
        (Witness::Unknown, Statistics::default(), Manifold::default());
    let mut count = 0;
    for (a, b) in &motion {
        let _ = contacts(&place(a), &place(b), &mut witness, &mut statistics, &mut points);
        count += points.contacts().len();
    }
    println!(
        "{}: {count} contacts in {STEPS} queries, {:.1} % hits",
        pair.name,
        100.0 * statistics.hit_share()
    );
    group.bench_function(format!("{} contacts", pair.name), |bench| {
        bench.iter(|| {
            for (a, b) in &motion {
                let _ = black_box(contacts(&place(a), &place(b), &mut witness, &mut statistics, &mut points));
            }
        });
    });
    let motion: Vec<_> = motion.iter().map(|(a, b)| (theirs(a), theirs(b))).collect();
    group.bench_function(format!("{} parry contact_manifolds", pair.name), |bench| {
        let (mut manifolds, mut workspace) = (Vec::<ContactManifold<(), ()>>::new(), None);
        bench.iter(|| {
            for (a, b) in &motion {
                let between = a.inv_mul(b);
                let _ = black_box(DefaultQueryDispatcher.contact_manifolds(
                    &between,
                    &*pair.theirs,
                    &*pair.theirs,
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
                let _ =
                    black_box(DefaultQueryDispatcher.contact(&between, &*pair.theirs, &*pair.theirs, 1e-9));
            }
        });
    });
}

fn coherent(criterion: &mut Criterion) {
    for (name, gap) in [("apart", 2.2), ("close", 1.9)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS as u64)).sample_size(20);
        for pair in &pairs() {
            let motion = poses(pair.radius, gap);
            separation(&mut group, pair, &motion);
            distance(&mut group, pair, &motion);
        }
        group.finish();
    }
    let mut group = criterion.benchmark_group("resting");
    group.throughput(Throughput::Elements(STEPS as u64)).sample_size(20);
    for pair in &pairs() {
        manifold(&mut group, pair);
    }
    group.finish();
}

criterion_group!(benches, coherent);
criterion_main!(benches);
