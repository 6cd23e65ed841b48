//! detect

pub(crate) mod ball_contact;
pub(crate) mod collider;
pub(crate) mod detection;
pub(crate) mod fat_aabb;
pub(crate) mod first_contact;
pub(crate) mod motions;
pub(crate) mod parabola;
