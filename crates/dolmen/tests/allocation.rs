//! Steps allocate nothing once an integrator has started.
#![allow(unsafe_code, reason = "a counting allocator is an unsafe trait; it only forwards")]

use dolmen::drive::exact::Simulation;
use dolmen::integrate::{Integrator, Method, Ode, Settings, Step};
use dolmen::scene::Document;
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
