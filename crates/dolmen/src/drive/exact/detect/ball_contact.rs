//! Contacts of balls with balls and with infinite planes in closed form: almost all contacts of a gas or of billiards.

use crate::drive::exact::detect::collider::Collider;
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{Contact, ContactFunction, ContactId, Feature, Form, NormalRule, Patch, Witness};
use crate::shape::{Plane, Sides};

/// The contact of two such bodies: separation, normal (from b to a) and point; none for other pairs. A ball is on the side of a plane that
/// the witness names, else where its centre is.
pub(crate) fn contact(colliders: [&Collider; 2], poses: [&Pose; 2], witness: Witness) -> Option<Contact> {
    let [a, b] = colliders;
    match (a.ball, b.ball) {
        (Some(r_a), Some(r_b)) => Some(of_balls((r_a, poses[0]), (r_b, poses[1]))),
        (Some(radius), None) => Some(on_plane((radius, poses[0]), (b, b.plane()?, poses[1]), witness)),
        (None, Some(radius)) => {
            Some(on_plane((radius, poses[1]), (a, a.plane()?, poses[0]), witness).exchanged())
        }
        (None, None) => None,
    }
}

/// Whether the witness of a ball and a plane has the ball behind the plane; none where it does not say.
pub(crate) fn is_behind(witness: Witness) -> Option<bool> {
    match witness {
        Witness::Plane { a: Feature::Face(side), .. } | Witness::Plane { b: Feature::Face(side), .. } => {
            Some(side == 1)
        }
        _ => None,
    }
}

/// The witness of a point, the first of the pair, before or behind a plane.
pub(crate) fn side_of_point(is_behind: bool) -> Witness {
    Witness::Plane { a: Feature::Surface(0), b: Feature::Face(u32::from(is_behind)) }
}

fn ball(radius: f64) -> Patch {
    Patch { form: Form::Point(DVec3::ZERO), radius }
}

fn of_balls((r_a, a): (f64, &Pose), (r_b, b): (f64, &Pose)) -> Contact {
    let between = a.position - b.position;
    let distance = between.length();
    // Concentric balls have no direction between their centres: any normal will do.
    let normal = if distance > 0.0 { between / distance } else { DVec3::Z };
    let separation = (distance - r_a) - r_b;
    let rule = NormalRule::Patches { a: ball(r_a), b: ball(r_b) };
    Contact {
        point: b.position + normal * (r_b + 0.5 * separation),
        normal,
        separation,
        id: ContactId { a: Feature::Surface(0), b: Feature::Surface(0) },
        function: ContactFunction { point_a: DVec3::ZERO, point_b: DVec3::ZERO, normal: rule },
    }
}

fn on_plane(
    (radius, a): (f64, &Pose),
    (collider, plane, b): (&Collider, &Plane, &Pose),
    witness: Witness,
) -> Contact {
    let placed = collider.placed(b);
    let centre = placed.pose.orientation.conjugate() * (a.position - placed.pose.position);
    let height = plane.normal().dot(centre) - plane.offset();
    let behind = is_behind(witness).unwrap_or(height < 0.0) && plane.sides() == Sides::Both;
    let side = if behind { -1.0 } else { 1.0 };
    let (normal_shape, separation) = (side * plane.normal(), side * height - radius);
    let normal = placed.pose.direction(normal_shape);
    let foot = centre - normal_shape * (separation + radius);
    let form = Form::Plane { point: foot, normal: normal_shape };
    let rule = NormalRule::Patches { a: ball(radius), b: Patch { form, radius: 0.0 } };
    Contact {
        point: a.position - normal * (radius + 0.5 * separation),
        normal,
        separation,
        id: ContactId { a: Feature::Surface(0), b: Feature::Face(u32::from(behind)) },
        function: ContactFunction { point_a: DVec3::ZERO, point_b: foot, normal: rule },
    }
}
