//! Boxes that enclose a body over a span of time.

use crate::math::{Aabb, DMat3, DVec3, Pose, real};
use crate::motion::{Bounds, Motion};
use crate::shape::Shape;

/// What a body fills about its centre of mass, in the body's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// A box around it with sides along the axes of the body, from the centre of mass, m.
    pub box_body: Aabb,
    /// Radius of a ball about the centre of mass around it, m.
    pub radius: f64,
}

/// Rounding of a turned point, over the radius: a dozen operations, and a quaternion that is a unit to a few roundings.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

impl Extent {
    /// Of a shape whose frame is turned like the body's, with the centre of mass at `centre_shape` in it.
    pub fn of_shape(shape: &Shape, centre_shape: DVec3) -> Self {
        let b = shape.aabb();
        let radius = shape.bounding_radius(centre_shape);
        let slack = ROUNDING * (radius + centre_shape.length());
        let box_body = Aabb { min: b.min - centre_shape, max: b.max - centre_shape };
        Self { box_body: box_body.grown(slack), radius: radius + slack }
    }
}

/// The box around a shape whose frame is at `pose`, with sides along the axes of the world and room for rounding; all of space
/// for a shape without end.
pub fn box_around(shape: &Shape, pose: &Pose) -> Aabb {
    let reach = |d: DVec3| shape.reach(pose.orientation.conjugate() * d);
    let max = DVec3::from_array(DVec3::AXES.map(reach));
    let min = -DVec3::from_array(DVec3::AXES.map(|d| reach(-d)));
    let radius = shape.bounding_radius(DVec3::ZERO);
    if !radius.is_finite() {
        return Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    }
    let slack = ROUNDING * (radius + pose.position.abs().max_element());
    Aabb { min: pose.position + min, max: pose.position + max }.grown(slack)
}

/// The box around everywhere that a ball about the centre of mass can be; right for any rotation.
pub fn swept_box(bounds: &Bounds, radius: f64) -> Aabb {
    outward(bounds.centre.min - DVec3::splat(radius), bounds.centre.max + DVec3::splat(radius))
}

/// A tighter box for a body that turns by little: from the poses at both ends of a span of `duration` s.
///
/// At every moment the orientation is within the angle θ = ½ |ω| Δt of that at the nearer end, so that a point at distance
/// r from the centre is within the chord 2 r sin ½θ of where it would be there. Never larger than [`swept_box`], except
/// by rounding.
pub fn swept_box_turning(bounds: &Bounds, ends: [&Pose; 2], duration: f64, extent: &Extent) -> Aabb {
    let angle = 0.5 * bounds.spin * duration.abs();
    // Half a turn or more, or not a number: anywhere within the ball.
    let half_sine = if angle < std::f64::consts::PI { real::sin(0.5 * angle) } else { 1.0 };
    let radius = extent.radius;
    let ball = Aabb { min: DVec3::splat(-radius), max: DVec3::splat(radius) };
    let chord = 2.0 * radius * half_sine + ROUNDING * radius;
    let turned =
        turned_box(ends[0], &extent.box_body).join(&turned_box(ends[1], &extent.box_body)).grown(chord);
    let arms = Aabb { min: turned.min.max(ball.min), max: turned.max.min(ball.max) };
    let arms = if arms.min.is_finite() && arms.max.is_finite() { arms } else { ball };
    outward(bounds.centre.min + arms.min, bounds.centre.max + arms.max)
}

/// The tighter box, of a motion between two times.
pub fn swept_box_tight(motion: &dyn Motion, extent: &Extent, t_a: f64, t_b: f64) -> Aabb {
    let bounds = motion.bounds(t_a, t_b);
    swept_box_turning(&bounds, [&motion.pose(t_a), &motion.pose(t_b)], t_b - t_a, extent)
}

/// The box around a turned box, about the same origin: R c ± |R| h, for centre c and half sides h.
fn turned_box(pose: &Pose, b: &Aabb) -> Aabb {
    let turn = DMat3::from_quat(pose.orientation);
    let (centre, half) = (0.5 * b.min + 0.5 * b.max, 0.5 * b.max - 0.5 * b.min);
    let (centre, half) = (turn * centre, turn.abs() * half);
    Aabb { min: centre - half, max: centre + half }
}

/// The box, one rounding larger on every side.
fn outward(min: DVec3, max: DVec3) -> Aabb {
    Aabb { min: min.map(f64::next_down), max: max.map(f64::next_up) }
}
