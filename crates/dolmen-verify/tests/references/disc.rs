//! A thick disc: its flight as a symmetric top, and its way on its rim without slipping.

use dolmen::math::{DMat3, DQuat, DVec3};

use crate::chain::G;
use crate::extrapolate::State;

pub(crate) const RADIUS: f64 = 0.4;
pub(crate) const THICKNESS: f64 = 0.05;
/// Across and along the axis, for 1 kg.
pub(crate) const ACROSS: f64 = (3.0 * RADIUS * RADIUS + THICKNESS * THICKNESS) / 12.0;
pub(crate) const ALONG: f64 = 0.5 * RADIUS * RADIUS;

/// From the lowest point of the rim to the centre, for an axis that points up at least a little.
pub(crate) fn lever(axis: DVec3) -> DVec3 {
    let up = DVec3::Z - axis.z * axis;
    0.5 * THICKNESS * axis + RADIUS * up / up.length()
}

/// Its rate, ṙ = ½ l ė + R u̇ with u = (z − c e)/w, c = z·e, w² = 1 − c²: u̇ = −(ċ e + c ė)/w + u c ċ/w².
fn lever_rate(axis: DVec3, axis_rate: DVec3) -> DVec3 {
    let (c, c_rate) = (axis.z, axis_rate.z);
    let w = (1.0 - c * c).sqrt();
    let u = (DVec3::Z - c * axis) / w;
    let u_rate = u * (c * c_rate / (w * w)) - (c_rate * axis + c * axis_rate) / w;
    0.5 * THICKNESS * axis_rate + RADIUS * u_rate
}

/// I ω.
pub(crate) fn momentum(axis: DVec3, spin: DVec3) -> DVec3 {
    ACROSS * spin + (ALONG - ACROSS) * axis.dot(spin) * axis
}

/// The axis after `t` of free flight: it goes round the angular momentum at |L|/I₁.
pub(crate) fn axis_in_flight(axis: DVec3, momentum: DVec3, t: f64) -> DVec3 {
    DQuat::from_axis_angle(momentum.normalize(), momentum.length() / ACROSS * t) * axis
}

/// Inertia about the point of contact, for 1 kg.
pub(crate) fn inertia_at_contact(axis: DVec3, lever: DVec3) -> DMat3 {
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    DMat3::IDENTITY * (ACROSS + lever.length_squared()) + outer(axis) * (ALONG - ACROSS) - outer(lever)
}

/// State of rolling: axis, spin, centre. v = ω × r with r the lever, and angular momentum about the centre:
/// I ω̇ + r × (ω̇ × r) = −(I₃ − I₁)(ω·e) ė − r × (ω × ṙ + g), for 1 kg.
pub(crate) fn rolling(y: &[f64]) -> State {
    let [axis, spin] = [0, 3].map(|k| DVec3::from_slice(&y[k..]));
    let (lever, axis_rate) = (lever(axis), spin.cross(axis));
    let lever_rate = lever_rate(axis, axis_rate);
    let free = spin.cross(lever_rate) + G * DVec3::Z;
    let right = -(ALONG - ACROSS) * spin.dot(axis) * axis_rate - lever.cross(free);
    let spin_rate = inertia_at_contact(axis, lever).inverse() * right;
    [axis_rate, spin_rate, spin.cross(lever)].iter().flat_map(dolmen::math::DVec3::to_array).collect()
}

/// Friction by the normal force while it rolls.
pub(crate) fn grip(y: &[f64]) -> f64 {
    let [axis, spin] = [0, 3].map(|k| DVec3::from_slice(&y[k..]));
    let rates = rolling(y);
    let (axis_rate, spin_rate) = (DVec3::from_slice(&rates), DVec3::from_slice(&rates[3..]));
    let force = spin_rate.cross(lever(axis)) + spin.cross(lever_rate(axis, axis_rate)) + G * DVec3::Z;
    force.truncate().length() / force.z
}
