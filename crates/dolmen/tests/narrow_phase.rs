//! The narrow phase on polyhedra and planes: separation, distance, contacts, and how they change.

#[path = "narrow_phase/closest.rs"]
mod closest;
#[path = "narrow_phase/common.rs"]
mod common;
#[path = "narrow_phase/composite.rs"]
mod composite;
#[path = "narrow_phase/composite_contacts.rs"]
mod composite_contacts;
#[path = "narrow_phase/contacts.rs"]
mod contacts;
#[path = "narrow_phase/curved.rs"]
mod curved;
#[path = "narrow_phase/curved_examples.rs"]
mod curved_examples;
#[path = "narrow_phase/function.rs"]
mod function;
#[path = "narrow_phase/kinematics.rs"]
mod kinematics;
#[path = "narrow_phase/meshes.rs"]
mod meshes;
#[path = "narrow_phase/planes.rs"]
mod planes;
#[path = "narrow_phase/rolling.rs"]
mod rolling;
#[path = "narrow_phase/round.rs"]
mod round;
#[path = "narrow_phase/round_contacts.rs"]
mod round_contacts;
#[path = "narrow_phase/separate.rs"]
mod separate;
