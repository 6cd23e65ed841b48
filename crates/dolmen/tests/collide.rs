//! Impulses: published collisions, the three laws on balls in a row, laws of conservation over random bodies.
#![allow(unsafe_code, reason = "a counting allocator is an unsafe trait; it only forwards")]

#[path = "collide/common.rs"]
mod common;
#[path = "collide/allocation.rs"]
mod allocation;
#[path = "collide/balls.rs"]
mod balls;
#[path = "collide/cases.rs"]
mod cases;
#[path = "collide/friction.rs"]
mod friction;
#[path = "collide/many.rs"]
mod many;
#[path = "collide/properties.rs"]
mod properties;
