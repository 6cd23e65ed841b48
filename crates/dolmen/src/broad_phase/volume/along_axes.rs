//! Boxes along the axes of the world, or of another body.

use super::ROUNDING;
use crate::math::{Aabb, DMat3, DQuat, DVec3, Pose, dvec3};
use crate::shape::Shape;

/// The smallest box around points, in the frame in which they are given.
pub fn box_of_points(points: &[DVec3]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |all, point| all.join(&Aabb::point(*point)))
}

/// The smallest box around a shape at a pose, with sides along the axes of the world; larger by a few roundings.
pub fn box_in_world(shape: &Shape, pose: &Pose) -> Aabb {
    support_box(shape, pose.orientation, pose.position)
}

/// The box around shape a in the frame of body b, with sides along the axes of b; larger by a few roundings.
///
/// Against the box of b in its own frame this is tighter than the boxes of both in the world when b is turned.
pub fn box_in_frame_of(shape_a: &Shape, pose_a: &Pose, pose_b: &Pose) -> Aabb {
    let into_b = pose_b.orientation.inverse();
    let offset = into_b * (pose_a.position - pose_b.position);
    let far = pose_a.position.abs().max(pose_b.position.abs()).max_element();
    support_box(shape_a, into_b * pose_a.orientation, offset).grown(ROUNDING * far)
}

/// The box around a box that is moved; a few multiplications, but larger than the box of what is inside.
///
/// |R| h about R c + x, for half sides h, centre c and the rotation R.
pub fn moved_box(b: &Aabb, pose: &Pose) -> Aabb {
    let turn = DMat3::from_quat(pose.orientation);
    let (centre, half) = (0.5 * b.min + 0.5 * b.max, 0.5 * b.max - 0.5 * b.min);
    let centre_moved = pose.position + turn * centre;
    let reach = turn.abs() * half;
    let size = centre.abs().max(half).max(pose.position.abs()).max_element();
    Aabb { min: centre_moved - reach, max: centre_moved + reach }.grown(ROUNDING * size)
}

/// Volume of a box, m³; 0 when it holds nothing.
pub fn volume(b: &Aabb) -> f64 {
    let d = b.max - b.min;
    if d.cmpge(DVec3::ZERO).all() { d.x * d.y * d.z } else { 0.0 }
}

/// By the support function along the six directions.
fn support_box(shape: &Shape, turn: DQuat, offset: DVec3) -> Aabb {
    let back = turn.inverse();
    let axes = DVec3::AXES.map(|axis| back * axis);
    let [x, y, z] = axes.map(|d| shape.reach(d));
    let [x_below, y_below, z_below] = axes.map(|d| -shape.reach(-d));
    let (max, min) = (dvec3(x, y, z), dvec3(x_below, y_below, z_below));
    let size = max.abs().max(min.abs()).max(offset.abs()).max_element();
    // The reach along one axis has the rounding of the turned point, which is of the size of all three.
    Aabb { min: min + offset, max: max + offset }.grown(ROUNDING * size)
}
