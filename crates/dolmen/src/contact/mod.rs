//! What happens where bodies touch: impulses where they collide, forces where they rest.

pub mod collide;
pub mod rest;

pub use crate::material::Law;
pub use collide::{
    CollideScratch, CollideSettings, Colliding, ContactSpeeds, Impact, ImpactStatus, Mover, Restitution,
    collide,
};
