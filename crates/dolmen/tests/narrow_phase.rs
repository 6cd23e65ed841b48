//! The narrow phase on polyhedra and planes: separation, distance, contacts, and how they change.

#[path = "narrow_phase/closest.rs"]
mod closest;
#[path = "narrow_phase/common.rs"]
mod common;
#[path = "narrow_phase/contacts.rs"]
mod contacts;
#[path = "narrow_phase/function.rs"]
mod function;
#[path = "narrow_phase/planes.rs"]
mod planes;
#[path = "narrow_phase/separate.rs"]
mod separate;
