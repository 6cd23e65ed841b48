//! Vectors, rotations and the few special functions that motion needs. Knows nothing of bodies.

pub mod bracket;
pub mod double;
pub mod eigen;
pub mod elliptic;
pub mod least_norm;
pub mod linear;
mod pose;
pub mod real;
mod rotation;

pub use glam::{DMat3, DQuat, DVec3, dvec3};
pub use pose::{Aabb, Pose, Twist};
pub use rotation::{orthonormal, quaternion_of};
