//! One contact, without any matrix to assemble when there is no friction.

use super::slip::collide_one;
use super::slip_path::Mobility;
use super::{
    Colliding, Impact, ImpactStatus, Mover, Restitution, frame, friction_of, relative_minus, restitution_of,
};
use crate::math::{DMat3, DVec3};

/// The velocity along `direction` by a unit of impulse along `push`, of both sides: d·K p with K = 1/m − r* I⁻¹ r*.
///
/// Articulated movers have K from the joints.
fn mobility(
    movers: &[Mover],
    contact: &Colliding,
    articulated: Option<&DMat3>,
    direction: DVec3,
    push: DVec3,
) -> f64 {
    if let Some(k) = articulated {
        return direction.dot(*k * push);
    }
    let mut sum = 0.0;
    for (&body, &arm) in contact.bodies.iter().zip(&contact.arms) {
        let mover = &movers[body];
        let spin = mover.inv_inertia * arm.cross(push);
        sum += mover.inv_mass * direction.dot(push) + direction.dot(spin.cross(arm));
    }
    sum
}

/// j = −(1 + ε) v⁻ / K, [NOTES, colliding contact]; with friction along the path of the slip.
pub(super) fn collide(
    movers: &[Mover],
    contact: &Colliding,
    articulated: Option<&DMat3>,
    impact: &mut Impact,
) {
    let relative = relative_minus(movers, contact);
    let v_minus = relative.dot(contact.normal);
    let k = mobility(movers, contact, articulated, contact.normal, contact.normal);
    // Both sides immobile, or one body twice.
    if k == 0.0 || contact.bodies[0] == contact.bodies[1] {
        return;
    }
    if !(k > 0.0 && k.is_finite() && v_minus.is_finite()) {
        impact.status = ImpactStatus::NotFinite;
        return;
    }
    if v_minus >= 0.0 {
        return;
    }
    impact.rounds = 1;
    if friction_of(contact) > 0.0 && collide_with_friction((movers, contact, articulated), relative, impact) {
        return;
    }
    let j = -(1.0 + restitution_of(contact)) * v_minus / k;
    impact.impulses[0] = contact.normal * j;
    impact.lost_normal = -0.5 * j * (2.0 * v_minus + k * j);
}

/// With friction; false when the path did not reach its end.
fn collide_with_friction(
    (movers, contact, articulated): (&[Mover], &Colliding, Option<&DMat3>),
    relative: DVec3,
    impact: &mut Impact,
) -> bool {
    let axes = frame(contact.normal);
    let mut k: Mobility = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            k[i][j] = mobility(movers, contact, articulated, axes[i], axes[j]);
            k[j][i] = k[i][j];
        }
    }
    let u = axes.map(|axis| relative.dot(axis));
    let slipped = collide_one(&k, u, friction_of(contact), restitution_of(contact));
    if !slipped.finished {
        impact.status = ImpactStatus::Approximate;
        return false;
    }
    let r = slipped.impulse;
    impact.impulses[0] = axes[0] * r[0] + axes[1] * r[1] + axes[2] * r[2];
    impact.restitution = Restitution::Energetic;
    let mut lost = 0.0;
    for i in 0..3 {
        let change = k[i][0] * r[0] + k[i][1] * r[1] + k[i][2] * r[2];
        lost -= 0.5 * r[i] * (2.0 * u[i] + change);
    }
    impact.lost_normal = slipped.lost_normal;
    impact.lost_friction = lost - slipped.lost_normal;
    true
}
