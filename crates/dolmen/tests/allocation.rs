//! Steps allocate nothing once an integrator has started, nor do questions to a pair of shapes that was asked before.
#![allow(unsafe_code, reason = "a counting allocator is an unsafe trait; it only forwards")]

use dolmen::drive::exact::Simulation;
use dolmen::integrate::{Integrator, Method, Ode, Settings, Step};
use dolmen::locate::{Meeting, Shapes, first_contact};
use dolmen::math::real::{PI, TAU, cos, sin};
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::Prescribed;
use dolmen::narrow_phase::{
    ClosestHint, Geometry, Manifold, MeetingHint, Placed, Statistics, Witness, closest, contacts, meets,
    separate,
};
use dolmen::scene::Document;
use dolmen::shape::{Hull, Mesh, Part, Plane, Shape};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A chain of five oscillators with a cubic spring each; y = positions, then velocities.
struct Chain;

impl Ode for Chain {
    fn dim(&self) -> usize {
        10
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        for i in 0..5 {
            let left = if i == 0 { 0.1 * t } else { y[i - 1] };
            let stretch = y[i] - left;
            dy[i] = y[5 + i];
            dy[5 + i] = -stretch - stretch * stretch * stretch - 0.1 * y[5 + i];
        }
    }

    fn momenta(&self) -> Option<&[bool]> {
        Some(&[false, false, false, false, false, true, true, true, true, true])
    }
}

/// Accepted and rejected steps, Newton iterations, changes of order and restarts: all in buffers made at the start.
#[test]
fn steps_allocate_nothing() {
    let names = [
        "euler",
        "rk4",
        "cash_karp",
        "semi_implicit_euler",
        "dormand_prince",
        "dop853",
        "adams",
        "backward_euler",
        "implicit_midpoint",
        "radau5",
    ];
    let start = [0.3, -0.1, 0.2, 0.5, -0.4, 0.1, 0.2, 0.3, -0.2, 0.1];
    for name in names {
        for step in [Step::FREE, Step::Fixed(0.01)] {
            let settings = Settings {
                method: Method::named(name).unwrap(),
                relative: 1e-5,
                step,
                compensated: true,
                ..Settings::default()
            };
            let mut integrator = Integrator::new(settings, 10).unwrap();
            integrator.start(&mut Chain, 0.0, &start, 1e3).unwrap();
            let before = COUNT.get();
            for i in 0..300 {
                let stop = integrator.time() + 0.37;
                integrator.step(&mut Chain, (i % 10 == 9).then_some(stop)).unwrap();
                if i == 150 {
                    integrator.restart(&mut Chain, 0.0, &start).unwrap();
                }
            }
            let allocations = COUNT.get() - before;
            assert_eq!(allocations, 0, "{name}, {step:?}: {allocations} allocations");
        }
    }
}

/// A whole world in its steady state: flights, springs, drag, gravitation by octree and short-range forces.
#[test]
fn advancing_a_world_allocates_nothing() {
    for name in ["spring-chain", "tumbling-block", "n-body", "lennard-jones"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
        let octree = ["force.0.method=octree".to_owned()];
        let overrides = if name == "n-body" { &octree[..] } else { &[] };
        let document = Document::load_with(&path, overrides).expect("a sound scene");
        let mut simulation =
            Simulation::new(document.build(Path::new(".")).expect("a world")).expect("a start");
        simulation.advance(0.5).expect("to go on");
        let before = COUNT.with(Cell::get);
        for i in 1..=20 {
            simulation.advance(0.5 + 0.01 * f64::from(i)).expect("to go on");
        }
        let allocated = COUNT.with(Cell::get) - before;
        assert_eq!(allocated, 0, "{name} allocated {allocated} times");
    }
}

/// A ring of triangles about z, and shapes of all makes.
fn shapes() -> Vec<(&'static str, Shape)> {
    let (n, m) = (12_u32, 8_u32);
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
    for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
        triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
        triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
    }
    let points: Vec<DVec3> = (0..8)
        .map(|k| {
            let (z, angle) = (0.875 - 0.25 * f64::from(k), 2.4 * f64::from(k));
            let r = (1.0 - z * z).sqrt();
            dvec3(r * cos(angle), r * sin(angle), z)
        })
        .collect();
    let part = |x: f64, shape: Shape| Part {
        shape,
        pose: Pose { position: x * DVec3::X, orientation: DQuat::IDENTITY },
    };
    let cuboid = Shape::Cuboid { half: dvec3(0.5, 0.6, 0.4) };
    let parts = vec![part(-0.5, Shape::Sphere { radius: 0.5 }), part(0.5, cuboid.clone())];
    vec![
        ("mesh", Mesh::new(&vertices, &triangles).expect("a closed ring").into()),
        ("compound", Shape::compound(parts).expect("sound")),
        ("box", cuboid),
        ("sphere", Shape::Sphere { radius: 0.8 }),
        ("hull", Hull::new(&points).expect("points on a sphere").into()),
        ("plane", Plane::new(DVec3::Z, -1.0).expect("sound").into()),
    ]
}

/// Questions to a pair that was asked before: what was learned is kept, and nothing is allocated, be the shapes made of parts
/// or not, apart or in each other. (Polyhedra of many edges that overlap deeply are an exception: see `expand`.)
#[test]
fn queries_on_pairs_allocate_nothing() {
    let shapes = shapes();
    let geometries: Vec<Geometry> = shapes.iter().map(|(_, shape)| Geometry::new(shape)).collect();
    for (i, j) in (0..6).flat_map(|i| (0..5).map(move |j| (i, j))) {
        let name = format!("{} on {}", shapes[i].0, shapes[j].0);
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        let (mut near, mut meeting) = (ClosestHint::default(), MeetingHint::default());
        let mut allocated = 0;
        for pass in 0..2 {
            let before = COUNT.with(Cell::get);
            for step in 0..200 {
                let t = 0.03 * f64::from(step);
                let away = (1.6 + 0.6 * sin(3.0 * t)) * dvec3(cos(t), sin(t), 0.3);
                let a = Pose { position: DVec3::ZERO, orientation: DQuat::from_rotation_y(0.2 * t) };
                let b = Pose { position: away, orientation: DQuat::from_rotation_x(t) };
                let [a, b] = [(i, a), (j, b)].map(|(k, pose)| Placed { geometry: &geometries[k], pose });
                separate(&a, &b, &mut witness, &mut statistics).expect("supported");
                closest(&a, &b, &mut near).expect("supported");
                meets(&a, &b, &mut meeting, &mut statistics).expect("supported");
            }
            allocated = COUNT.with(Cell::get) - before;
            assert!(pass > 0 || statistics.queries >= 200, "{name}: {statistics:?}");
        }
        assert_eq!(allocated, 0, "{name} allocated {allocated} times");
    }
}

/// The contacts of shapes that lie on each other and are shaken by less than the tolerance, whatever they are made of: their
/// manifold keeps all that the next query needs.
#[test]
fn contacts_of_pairs_allocate_nothing() {
    let shapes = shapes();
    let geometries: Vec<Geometry> = shapes.iter().map(|(_, shape)| Geometry::new(shape)).collect();
    for (i, j) in (0..6).flat_map(|i| (0..5).map(move |j| (i, j))) {
        let name = format!("{} on {}", shapes[i].0, shapes[j].0);
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        let mut manifold = Manifold::default();
        let [lower, upper] = [i, j].map(|k| &shapes[k].1);
        // Flat on top of each other, and leaning: the hulls of both touch a plane between them.
        for lean in [DQuat::IDENTITY, DQuat::from_rotation_x(0.5 * PI), DQuat::from_rotation_y(0.3)] {
            let top = if i == 5 { -1.0 } else { lower.reach(DVec3::Z) };
            let height = top + upper.reach(lean.conjugate() * -DVec3::Z);
            let (mut allocated, mut touching) = (0, 0);
            for pass in 0..2 {
                let before = COUNT.with(Cell::get);
                for step in 0..50 {
                    let t = f64::from(step);
                    let shake = 1e-11 * dvec3(sin(t), cos(1.3 * t), sin(0.7 * t));
                    let a = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
                    let b = Pose { position: height * DVec3::Z + shake, orientation: lean };
                    let [a, b] = [(i, a), (j, b)].map(|(k, pose)| Placed { geometry: &geometries[k], pose });
                    contacts(&a, &b, &mut witness, &mut statistics, &mut manifold).expect("supported");
                    touching += u32::from(pass == 1 && !manifold.contacts().is_empty());
                }
                allocated = COUNT.with(Cell::get) - before;
            }
            assert_eq!(allocated, 0, "{name}, {lean}: {allocated} allocations, {touching} of 50 touch");
        }
    }
}

/// The search for the first contact, of a pair that was searched before.
#[test]
fn searches_for_first_contacts_allocate_nothing() {
    let shapes = shapes();
    for (a, b) in [(2, 2), (2, 4), (4, 4), (3, 4), (3, 5), (2, 5)] {
        let name = format!("{} and {}", shapes[a].0, shapes[b].0);
        let mut pair =
            Shapes::new((&shapes[a].1, DVec3::ZERO), (&shapes[b].1, DVec3::ZERO)).expect("supported");
        let start = Pose { position: dvec3(0.2, 0.1, 4.0), orientation: DQuat::from_rotation_y(0.3) };
        let twist = Twist { velocity: dvec3(0.0, 0.0, -6.0), spin: dvec3(2.0, -1.0, 0.5) };
        let falling = Prescribed::Uniform { start, twist };
        let still = Prescribed::Still(Pose::IDENTITY);
        let search = first_contact(&mut pair, &falling, &still, 0.0, 1.0);
        assert!(matches!(search.meeting, Meeting::Touch { .. }), "{name}: {search:?}");
        let before = COUNT.with(Cell::get);
        let again = first_contact(&mut pair, &falling, &still, 0.0, 1.0);
        let allocated = COUNT.with(Cell::get) - before;
        // What is remembered from the first time leads to the same instant by other steps.
        let same = match (search.meeting, again.meeting) {
            (Meeting::Touch { t, .. }, Meeting::Touch { t: s, .. }) => (t - s).abs() < 1e-14,
            _ => false,
        };
        assert!(same, "{name}: {search:?}, then {again:?}");
        assert_eq!(allocated, 0, "{name} allocated {allocated} times");
    }
}
