//! Updates allocate nothing once the buffers have grown.
#![allow(unsafe_code, reason = "a counting allocator is an unsafe trait; it only forwards")]

use super::methods::scene;
use dolmen::broad_phase::{Filter, Method};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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

/// The same motion, coherent and then jumping, three times over: the third time nothing is allocated, though trees are
/// rebuilt and lists sorted anew on the way.
#[test]
fn updates_allocate_nothing_in_the_long_run() {
    let mut steps: Vec<_> = (0..10).map(|step| scene("gas", 500, 0.01 * f64::from(step))).collect();
    steps.extend((0..4).map(|step| scene("gas", 500, 10.0 * f64::from(step))));
    let filter = Filter::new();
    for method in Method::ALL {
        let mut phase = method.start();
        for boxes in steps.iter().chain(&steps) {
            phase.update(boxes, &filter);
        }
        let before = COUNT.get();
        for boxes in &steps {
            phase.update(boxes, &filter);
        }
        let allocations = COUNT.get() - before;
        assert_eq!(allocations, 0, "{}", method.name());
    }
}
