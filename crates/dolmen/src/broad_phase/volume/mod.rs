//! Bounding volumes of points and shapes [LECTURE I, bounding volumes].
//!
//! Four kinds, compared in `docs/bounding-volumes.md`: the box along the axes of a frame (of the world, of the body, or of
//! the other body), the ball, the oriented box and the union of boxes. A test of two volumes never says that bodies are
//! apart when they are not; it may say that they overlap when they do not.

mod along_axes;
mod oriented;
mod poly_cube;
mod sphere;

pub use along_axes::{box_in_frame_of, box_in_world, box_of_points, moved_box, volume};
pub use oriented::OrientedBox;
pub use poly_cube::{PolyCube, PolyCubeError};
pub use sphere::Sphere;

/// Rounding of a few products and sums of lengths, over the largest of them; every volume is larger by so much.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
