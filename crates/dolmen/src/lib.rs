//! Dolmen: rigid bodies in contact, exactly.
//!
//! A [`world::World`] describes; a [`drive::exact::Simulation`] takes it through time; a [`scene::Document`] reads it from
//! a file. The folders are layers: see `ARCHITECTURE.md`.
//!
//! ```
//! use dolmen::prelude::*;
//!
//! let mut builder = WorldBuilder::new();
//! builder.gravity(dvec3(0.0, 0.0, -10.0));
//! let ball = Body::solid(Shape::sphere(0.1)?, 1000.0)?.named("ball").moving(dvec3(0.0, 0.0, 5.0), DVec3::ZERO);
//! let ball = builder.body(ball)?;
//! let mut simulation = Simulation::new(builder.build()?)?;
//! simulation.advance(1.0)?;
//! let ball = simulation.world().id(ball);
//! assert_eq!(simulation.pose(ball).position, DVec3::ZERO);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Layers: a module uses those above it, and none below (`tests/tidy.rs`).

// -- mathematics --
pub mod math;
pub mod integrate;
pub mod solve;
// -- geometry, and one body by itself --
pub mod shape;
pub mod triangle;
pub mod mass;
pub mod body;
pub mod motion;
pub mod broad_phase;
pub mod narrow_phase;
pub mod locate;
// -- the description --
pub mod id;
pub mod member;
pub mod material;
pub mod force;
pub mod joint;
pub mod world;
// -- many bodies --
pub mod dynamics;
pub mod articulation;
pub mod contact;
pub mod record;
pub mod scene;
// -- conductors --
pub mod query;
pub mod drive;

/// What most programs need.
pub mod prelude {
    pub use crate::drive::exact::Simulation;
    pub use crate::math::{DMat3, DQuat, DVec3, Pose, Twist, dvec3};
    pub use crate::scene::Document;
    pub use crate::shape::Shape;
    pub use crate::world::{Body, BodyId, Member, ParticleSet, World, WorldBuilder};
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/queries.md")]
struct Queries;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/joints.md")]
struct Joints;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/start.md")]
struct Start;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/fixed.md")]
struct FixedSteps;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/intro-driver.md")]
struct IntroDriver;
