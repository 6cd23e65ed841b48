//! Impacts: the velocities of a cluster jump at one instant.
//!
//! In comes the pair that met; out go momenta after the impact, the losses in the ledger and the events in the log. The
//! impulses come from `contact::collide`, by the impact law of the world, over all contacts, limits and ropes of the cluster
//! at once. Where events come too fast, or contacts are too many, a time step takes the place of the impact. Impulses act on
//! whole articulations: W includes the joints.
//!
//! - [`collide`]: handles the contact event, solves the impact, books and logs it.
//! - [`ghost`]: removes ghost contacts at internal edges.
//! - [`joint_impact`]: W with joints, limits and ropes in an impact, projection onto joints.
//! - [`joint_friction`]: joint friction that grows with the joint impulse.
//! - [`impact_rate`]: stops a run where rounding no longer resolves the time between impacts.
//! - [`prefetch`]: brings what an event reads into the cache.
//! - `tolerances`: the thresholds.

pub(crate) mod collide;
pub(crate) mod ghost;
pub(crate) mod impact_rate;
pub(crate) mod joint_friction;
pub(crate) mod joint_impact;
pub(crate) mod prefetch;
mod tolerances;
