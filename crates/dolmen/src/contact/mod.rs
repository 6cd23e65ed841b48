//! Contact: impulses where bodies collide, forces where they stay in contact.

pub mod collide;
pub mod rest;

pub use crate::material::Law;
pub use collide::{
    CollideScratch, CollideSettings, Colliding, ContactSpeeds, Impact, ImpactStatus, Mover, Restitution,
    collide,
};
