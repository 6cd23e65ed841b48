//! The first instant of contact of spinning shapes, beside `parry3d-f64` on the same shapes and motions, and the error of each.
//!
//! `cargo bench -p dolmen --bench time_of_impact`
//!
//! The referee samples the separation at many instants, and halves the bracket in which it changes its sign.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dolmen::locate::{Meeting, Shapes, first_contact};
use dolmen::math::real::{TAU, cos, sin};
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Motion, Prescribed};
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Witness, separate};
use dolmen::shape::{Hull, Shape};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cuboid, Shape as ParryShape};
use std::hint::black_box;

/// Whether a row is asked for: by the first argument that is no option, if there is one.
fn is_wanted(row: &str) -> bool {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    filter.is_none_or(|filter| row.contains(&filter) || filter.contains(row))
}

/// Pairs of motions a row.
const CASES: usize = 200;

/// Instants at which the referee samples.
const LOOKS: u32 = 4000;

/// A shape in both libraries.
type Twin = (Shape, Box<dyn ParryShape>);

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn cuboid(half: DVec3) -> Twin {
    (Shape::Cuboid { half }, Box::new(Cuboid::new(vector(half))))
}

fn hull(count: usize) -> Twin {
    let turn = TAU * 0.618_033_988_749_894_9;
    let points: Vec<DVec3> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let (r, angle) = ((1.0 - z * z).sqrt(), turn * i as f64);
            dvec3(r * cos(angle), r * sin(angle), z)
        })
        .collect();
    let theirs: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
    let theirs = ConvexPolyhedron::from_convex_hull(&theirs).expect("points on a sphere have a hull");
    (Hull::new(&points).expect("the same points").into(), Box::new(theirs))
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.uniform(), self.uniform(), self.uniform()) * 2.0 - 1.0
    }
}

/// Pairs that fly at each other within one second and spin with up to `spin` rad/s about each axis.
fn motions(spin: f64) -> Vec<[Prescribed; 2]> {
    let mut random = Random(17);
    (0..CASES)
        .map(|_| {
            let from = dvec3(4.0, 0.0, 0.0) + random.vector();
            let towards = random.vector();
            let mut body = |position: DVec3, velocity: DVec3| {
                let orientation = DQuat::from_scaled_axis(3.0 * random.vector());
                let twist = Twist { velocity, spin: spin * random.vector() };
                Prescribed::Uniform { start: Pose { position, orientation }, twist }
            };
            [body(from, 1.5 * (towards - from)), body(DVec3::ZERO, DVec3::ZERO)]
        })
        .collect()
}

fn theirs(motion: &Prescribed) -> NonlinearRigidMotion {
    let (pose, twist) = (motion.pose(0.0), motion.twist(0.0));
    let (p, q) = (pose.position, pose.orientation);
    let start = ParryPose::from_parts(vector(p), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
    NonlinearRigidMotion::new(start, Vector::ZERO, vector(twist.velocity), vector(twist.spin))
}

/// The first change of sign that the referee sees, and the instant to 1e-15 s.
fn referee(shapes: [&Geometry; 2], motions: &[Prescribed; 2]) -> Option<f64> {
    let gap = |t: f64| {
        let [a, b] = [0, 1].map(|k| Placed { geometry: shapes[k], pose: motions[k].pose(t) });
        separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default()).map_or(f64::NAN, |s| s.distance)
    };
    let time = |k: u32| f64::from(k) / f64::from(LOOKS);
    let hit = (1..=LOOKS).find(|k| gap(time(*k)) < 0.0)?;
    let (mut low, mut high) = (time(hit - 1), time(hit));
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        (low, high) = if gap(middle) < 0.0 { (low, middle) } else { (middle, high) };
    }
    Some(high)
}

/// How often a contact that the referee saw was missed, and how far off the others were.
#[derive(Default)]
struct Errors {
    missed: u32,
    /// Said to touch where nothing was seen.
    more: u32,
    late: f64,
    all: Vec<f64>,
}

impl Errors {
    fn add(&mut self, found: Option<f64>, seen: Option<f64>) {
        match (found, seen) {
            (Some(t), Some(seen)) => {
                self.all.push((t - seen).abs());
                self.late = self.late.max(t - seen);
            }
            (None, Some(_)) => self.missed += 1,
            (Some(_), None) => self.more += 1,
            (None, None) => {}
        }
    }

    fn report(mut self, name: &str) {
        self.all.sort_by(f64::total_cmp);
        let at = |share: f64| self.all.get((share * (self.all.len() as f64 - 1.0)) as usize).copied();
        println!(
            "{name}: {} contacts, {} missed, {} beyond the referee; error median {:.1e}, largest {:.1e}, latest {:+.1e} s",
            self.all.len(),
            self.missed,
            self.more,
            at(0.5).unwrap_or(0.0),
            at(1.0).unwrap_or(0.0),
            self.late,
        );
    }
}

fn impact(criterion: &mut Criterion) {
    let thin = || cuboid(dvec3(0.8, 0.002, 0.3));
    let ball = || -> Twin { (Shape::Sphere { radius: 0.5 }, Box::new(Ball::new(0.5))) };
    let rows: [(&str, Twin, Twin, f64); 6] = [
        ("box, box", cuboid(dvec3(0.5, 0.6, 0.7)), cuboid(dvec3(0.5, 0.6, 0.7)), 3.0),
        ("hull 8, hull 8", hull(8), hull(8), 3.0),
        ("hull 32, hull 32", hull(32), hull(32), 3.0),
        ("hull 128, hull 128", hull(128), hull(128), 3.0),
        ("sphere, hull 32", ball(), hull(32), 3.0),
        ("thin box, thin box, 60 rad/s", thin(), thin(), 60.0),
    ];
    let mut group = criterion.benchmark_group("time of impact");
    group.throughput(Throughput::Elements(CASES as u64)).sample_size(10);
    for (name, a, b, spin) in rows.iter().filter(|row| is_wanted(row.0)) {
        let motions = motions(*spin);
        let other: Vec<_> = motions.iter().map(|pair| [theirs(&pair[0]), theirs(&pair[1])]).collect();
        let mut shapes = Shapes::new((&a.0, DVec3::ZERO), (&b.0, DVec3::ZERO)).expect("supported");
        let (x, y) = (Geometry::new(&a.0), Geometry::new(&b.0));
        let (mut ours, mut parry, mut steps) = (Errors::default(), Errors::default(), 0);
        for (pair, other) in motions.iter().zip(&other) {
            let seen = referee([&x, &y], pair);
            let search = first_contact(&mut shapes, &pair[0], &pair[1], 0.0, 1.0);
            steps += search.steps;
            ours.add(
                match search.meeting {
                    Meeting::Touch { t, .. } => Some(t),
                    _ => None,
                },
                seen,
            );
            let cast = cast_shapes_nonlinear(&other[0], &*a.1, &other[1], &*b.1, 0.0, 1.0, true);
            parry.add(cast.ok().flatten().map(|hit| hit.time_of_impact), seen);
        }
        println!("{name}: {:.1} queries a search", f64::from(steps) / CASES as f64);
        ours.report(&format!("{name}, dolmen"));
        parry.report(&format!("{name}, parry"));
        group.bench_function(format!("{name} first_contact"), |bench| {
            bench.iter(|| {
                for [a, b] in &motions {
                    black_box(first_contact(&mut shapes, a, b, 0.0, 1.0));
                }
            });
        });
        group.bench_function(format!("{name} parry cast_shapes_nonlinear"), |bench| {
            bench.iter(|| {
                for [p, q] in &other {
                    let _ = black_box(cast_shapes_nonlinear(p, &*a.1, q, &*b.1, 0.0, 1.0, true));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, impact);
criterion_main!(benches);
