//! What happens where bodies touch: impulses where they collide, forces where they rest.

pub mod collide;
mod law;
pub mod rest;

pub use collide::{
    CollideScratch, CollideSettings, Colliding, ContactSpeeds, Impact, ImpactStatus, Mover, Restitution,
    collide,
};
pub use law::Law;
