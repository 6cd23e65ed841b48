//! Time of an update by scene, number of boxes, method and coherence; cost and tightness of bounding volumes.
//!
//! Prints the tables of `docs/performance-broad-phase.md` and `docs/bounding-volumes.md` when it is done.
#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

#[path = "../tests/clouds/mod.rs"]
mod clouds;

use clouds::Random;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use dolmen::broad_phase::volume::{
    OrientedBox, PolyCube, Sphere, box_in_frame_of, box_in_world, box_of_points, moved_box, volume,
};
use dolmen::broad_phase::{Filter, Method, choose, overlap};
use dolmen::mass::of_shape;
use dolmen::math::{Aabb, DQuat, DVec3, Pose, dvec3, real};
use dolmen::shape::{Hull, Shape};
use std::hint::black_box;
use std::time::{Duration, Instant};

const SCENES: [&str; 4] = ["gas", "clusters", "sizes", "pile"];
/// Frames of a motion, played forwards and backwards.
const FRAMES: usize = 6;
/// Brute force beyond this takes seconds.
const BRUTE_FORCE_LIMIT: usize = 10_000;

/// Boxes of side about 1, with a tenth of space filled; a floor of infinite extent is the last.
struct Scene {
    centres: Vec<DVec3>,
    speeds: Vec<DVec3>,
    halves: Vec<DVec3>,
}

impl Scene {
    fn new(kind: &str, count: usize) -> Self {
        let mut random = Random(42);
        // Half the side of a cube with ten times the volume of the boxes.
        let half = 0.5 * real::cbrt(10.0 * count as f64);
        let (mut centres, mut speeds, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..count {
            let mut centre = half * random.in_cube();
            let mut size = 0.25 + 0.5 * random.unit();
            match kind {
                "clusters" => {
                    // Eight balls, two thirds filled, in a cube ten times as wide.
                    let which = number % 8;
                    let corner = dvec3((which & 1) as f64, (which >> 1 & 1) as f64, (which >> 2) as f64);
                    let radius = 0.36 * real::cbrt(count as f64 * random.unit());
                    centre = 10.0 * half * (corner - 0.5) + radius * random.on_sphere();
                }
                // Four decades of size, as many in each: the volume is that of the largest few.
                "sizes" => size *= real::pow(10.0, -4.0 * random.unit().sqrt()) * 4.0,
                // Ten layers.
                "pile" => {
                    let side = 0.5 * (count as f64 / 10.0 * 1.5).sqrt();
                    centre = dvec3(centre.x / half * side, centre.y / half * side, 5.0 * centre.z / half);
                }
                _ => {}
            }
            centres.push(centre);
            speeds.push(random.in_cube());
            halves.push(DVec3::splat(size));
        }
        Self { centres, speeds, halves }
    }

    /// A hundredth of the mean side a frame.
    fn coherent_frame(&self, frame: usize) -> Vec<Aabb> {
        let moved = |k: usize| self.centres[k] + self.speeds[k] * 0.02 * frame as f64;
        let boxes = (0..self.centres.len()).map(|k| boxed(moved(k), self.halves[k]));
        boxes.chain([self.floor()]).collect()
    }

    /// Every box somewhere else, where another was before.
    fn incoherent_frame(&self, frame: usize) -> Vec<Aabb> {
        let count = self.centres.len();
        let boxes = (0..count).map(|k| boxed(self.centres[(k * 7919 + frame * 31) % count], self.halves[k]));
        boxes.chain([self.floor()]).collect()
    }

    fn floor(&self) -> Aabb {
        let bottom = self.centres.iter().fold(f64::INFINITY, |least, c| least.min(c.z));
        Aabb { min: DVec3::NEG_INFINITY, max: dvec3(f64::INFINITY, f64::INFINITY, bottom) }
    }
}

fn boxed(centre: DVec3, half: DVec3) -> Aabb {
    Aabb { min: centre - half, max: centre + half }
}

fn updates(criterion: &mut Criterion) {
    let mut table = Vec::new();
    let counts = [32, 100, 1_000, 10_000, 100_000];
    for (kind, coherence) in SCENES.into_iter().flat_map(|kind| [(kind, "coherent"), (kind, "jumping")]) {
        for count in counts {
            let scene = Scene::new(kind, count);
            let frames: Vec<_> = (0..FRAMES)
                .map(|f| {
                    if coherence == "coherent" { scene.coherent_frame(f) } else { scene.incoherent_frame(f) }
                })
                .collect();
            let mut row = Vec::new();
            let mut pairs = 0;
            for method in Method::ALL {
                if method == Method::BruteForce && count > BRUTE_FORCE_LIMIT {
                    row.push(None);
                    continue;
                }
                let (time, found) =
                    measure(criterion, &format!("{kind}/{coherence}/{count}"), method, &frames);
                assert!(pairs == 0 || pairs == found, "{} found {found} pairs, not {pairs}", method.name());
                pairs = found;
                row.push(time);
            }
            let best = choose(&frames[0]);
            table.push((format!("{kind} | {coherence} | {count} | {pairs}"), row, best));
        }
    }
    print_table(&table);
}

/// Microseconds of an update, the least of all samples, and the pairs of the last frame.
fn measure(
    criterion: &mut Criterion,
    group: &str,
    method: Method,
    frames: &[Vec<Aabb>],
) -> (Option<f64>, usize) {
    let filter = Filter::new();
    let mut least: Option<f64> = None;
    let mut group = criterion.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(30)).measurement_time(Duration::from_millis(150));
    let mut phase = method.start();
    let (mut frame, mut forwards) = (0, true);
    phase.update(&frames[0], &filter);
    group.bench_function(method.name(), |bencher| {
        bencher.iter_custom(|iterations| {
            let start = Instant::now();
            for _ in 0..iterations {
                forwards = if frame == 0 { true } else { forwards && frame + 1 < frames.len() };
                frame = if forwards { frame + 1 } else { frame - 1 };
                black_box(phase.update(&frames[frame], &filter));
            }
            let time = start.elapsed();
            let each = 1e6 * time.as_secs_f64() / iterations as f64;
            least = Some(least.map_or(each, |other| other.min(each)));
            time
        });
    });
    group.finish();
    (least, phase.update(&frames[0], &filter).len())
}

fn print_table(table: &[(String, Vec<Option<f64>>, Method)]) {
    let names = Method::ALL.map(Method::name).join(" | ");
    println!("\nTime of an update, µs:\n\n| scene | motion | n | pairs | {names} | chosen |");
    println!("|---|---|--:|--:|{}---|", "--:|".repeat(Method::ALL.len()));
    for (label, row, best) in table {
        let cells: Vec<String> = row
            .iter()
            .map(|time| time.map_or("–".to_owned(), |t| format!("{t:.*}", usize::from(t < 100.0))))
            .collect();
        println!("| {label} | {} | {} |", cells.join(" | "), best.name());
    }
}

/// Solids with their name.
fn solids() -> Vec<(&'static str, Hull)> {
    let turn = DQuat::from_scaled_axis(dvec3(0.3, -0.7, 0.5));
    let cuboid = |half: DVec3| -> Vec<DVec3> {
        let sign = |c: u32, bit: u32| if c & bit != 0 { 1.0 } else { -1.0 };
        (0..8).map(|c| turn * (half * dvec3(sign(c, 1), sign(c, 2), sign(c, 4)))).collect()
    };
    let mut random = Random(1);
    let ball: Vec<DVec3> = (0..64).map(|_| random.on_sphere()).collect();
    let wedge: Vec<DVec3> = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| turn * p).to_vec();
    [
        ("cube", cuboid(DVec3::ONE)),
        ("rod 1:1:10", cuboid(dvec3(1.0, 1.0, 10.0))),
        ("plate 10:10:1", cuboid(dvec3(10.0, 10.0, 1.0))),
        ("corner tetrahedron", wedge),
        ("64 points of a ball", ball),
    ]
    .map(|(name, points)| (name, Hull::new(&points).expect("the points are not in one plane")))
    .to_vec()
}

fn tightness() {
    println!(
        "\nVolume over that of the solid:\n\n| solid | world box | ball | oriented box | poly-cube, 4 cells | 8 cells | 16 cells |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, hull) in solids() {
        let shape = Shape::from(hull.clone());
        let exact = of_shape(&shape, 1.0).expect("the hull has an inside").mass();
        let cover = |cells| {
            let cover =
                PolyCube::cover(hull.vertices(), hull.triangles(), cells).expect("the hull is a solid");
            format!("{:.2} ({} boxes)", cover.volume() / exact, cover.boxes().len())
        };
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {} | {} | {} |",
            volume(&box_of_points(hull.vertices())) / exact,
            Sphere::around(hull.vertices()).volume() / exact,
            OrientedBox::around_hull(&hull).volume() / exact,
            cover(4),
            cover(8),
            cover(16)
        );
    }
}

/// Test, computation and motion of every kind, on the ball of 64 points.
fn volumes(criterion: &mut Criterion) {
    let hull = solids().pop().expect("there are solids").1;
    let shape = Shape::from(hull.clone());
    let mut random = Random(5);
    let poses: Vec<Pose> = (0..64)
        .map(|_| Pose {
            position: 1.5 * random.in_cube(),
            orientation: DQuat::from_scaled_axis(3.0 * random.in_cube()),
        })
        .collect();
    let (b, ball) = (box_of_points(hull.vertices()), Sphere::around(hull.vertices()));
    let turned = OrientedBox::around_hull(&hull);
    let cover = PolyCube::cover(hull.vertices(), hull.triangles(), 8).expect("the hull is a solid");
    let boxes: Vec<_> = poses.iter().map(|p| moved_box(&b, p)).collect();
    let balls: Vec<_> = poses.iter().map(|p| ball.moved(p)).collect();
    let turned_all: Vec<_> = poses.iter().map(|p| turned.moved(p)).collect();

    let mut group = criterion.benchmark_group("volumes");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(300));
    let group = &mut group;
    time_each(group, "nothing", |i, j| (i, j));
    time_each(group, "test/world box", |i, j| overlap(&boxes[i], &boxes[j]));
    time_each(group, "test/ball", |i, j| balls[i].overlaps(&balls[j]));
    time_each(group, "test/oriented box", |i, j| turned_all[i].overlaps(&turned_all[j]));
    time_each(group, "test/poly-cube 8", |i, j| cover.overlaps(&poses[i], &cover, &poses[j]));
    time_each(group, "move/world box, from the points", |i, _| box_in_world(&shape, &poses[i]));
    time_each(group, "move/world box, from the box", |i, _| moved_box(&b, &poses[i]));
    time_each(group, "move/box in the other's frame", |i, j| box_in_frame_of(&shape, &poses[i], &poses[j]));
    time_each(group, "move/ball", |i, _| ball.moved(&poses[i]));
    time_each(group, "move/oriented box", |i, _| turned.moved(&poses[i]));
    time_each(group, "compute/world box", |_, _| box_of_points(hull.vertices()));
    time_each(group, "compute/ball", |_, _| Sphere::around(hull.vertices()));
    time_each(group, "compute/oriented box, points", |_, _| OrientedBox::around(hull.vertices()));
    time_each(group, "compute/oriented box, hull", |_, _| OrientedBox::around_hull(&hull));
    time_each(group, "compute/poly-cube 8", |_, _| PolyCube::cover(hull.vertices(), hull.triangles(), 8));
}

/// Runs `work` with ever other numbers below 64.
fn time_each<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    mut work: impl FnMut(usize, usize) -> T,
) {
    let mut k = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            k = (k + 1) % 63;
            black_box(work(k, k + 1))
        });
    });
}

fn main() {
    let mut criterion = Criterion::default().without_plots().configure_from_args();
    volumes(&mut criterion);
    tightness();
    updates(&mut criterion);
    criterion.final_summary();
}
