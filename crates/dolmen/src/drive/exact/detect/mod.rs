//! Collision detection in continuous time: which pairs touch next, and when.
//!
//! In come the shapes of the world and the current motion of every body; out go tasks in the event queue: a contact at an
//! instant, a search to continue, a fat AABB to renew. Whenever the motion of a body changes, its version changes and every
//! task found before is stale. Nothing here changes a motion.
//!
//! - [`collider`]: a body with a shape, prepared for queries.
//! - [`motions`]: the current motion of every body, read from the tracks.
//! - [`fat_aabb`]: the box around a body's path, and when it expires.
//! - [`detection`]: fat AABBs in a tree, searches of the pairs that overlap, witnesses.
//! - [`first_contact`]: the time of impact of one pair.
//! - [`parabola`]: the same for balls on parabolas, in closed form.
//! - [`ball_contact`]: the contact of balls with balls and planes, in closed form.
//! - `tolerances`: the thresholds.

pub(crate) mod ball_contact;
pub(crate) mod collider;
pub(crate) mod detection;
pub(crate) mod fat_aabb;
pub(crate) mod first_contact;
pub(crate) mod motions;
pub(crate) mod parabola;
mod tolerances;
