//! Vectors, rotations and the few special functions that motion needs. Knows nothing of bodies.

pub mod bracket;
mod digits;
pub mod double;
pub mod eigen;
pub mod elliptic;
pub mod least_norm;
pub mod linear;
mod monotone;
mod pose;
pub mod real;
mod rotation;
mod row;
pub mod work;

pub use digits::Digits;
pub use glam::{DMat3, DQuat, DVec3, dvec3};
pub use monotone::monotone_slopes;
pub use pose::{Aabb, Pose, Twist};
pub use rotation::{orthonormal, quaternion_of};
pub use row::Row;
