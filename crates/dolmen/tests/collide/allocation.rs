//! A collision of one contact allocates nothing once its buffers have grown.

use super::common::{ball, touch, wall};
use dolmen::contact::{CollideScratch, CollideSettings, Impact, Law, collide};
use dolmen::math::{DVec3, dvec3};
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
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Single contacts with friction and without, and several without: no allocation from the second time on.
#[test]
fn the_second_collision_allocates_nothing() {
    let movers = [ball(1.0, 0.5, dvec3(1.0, -2.0, 0.5)), ball(2.0, 0.5, DVec3::ZERO), wall()];
    let (mut scratch, mut impact) = (CollideScratch::default(), Impact::default());
    let single = |friction| vec![touch([0, 2], DVec3::Y, [0.5, 0.0], 0.8, friction)];
    let several = vec![
        touch([0, 1], DVec3::Y, [0.5, 0.5], 0.8, 0.0),
        touch([1, 2], DVec3::Y, [0.5, 0.0], 0.8, 0.0),
        touch([1, 2], DVec3::Y, [0.5, 0.0], 0.8, 0.0),
    ];
    for contacts in [single(0.0), single(0.3), several] {
        for law in Law::ALL {
            collide(law, &movers, &contacts, CollideSettings::default(), &mut scratch, &mut impact);
            let before = COUNT.get();
            collide(law, &movers, &contacts, CollideSettings::default(), &mut scratch, &mut impact);
            assert_eq!(COUNT.get(), before, "{law:?}, {} contacts", contacts.len());
        }
    }
}
