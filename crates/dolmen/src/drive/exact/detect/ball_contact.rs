//! Contacts of balls with balls and with infinite planes, in closed form: the many of a gas or a billiard.

use crate::drive::exact::detect::collider::Collider;
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{Contact, ContactFunction, ContactId, Feature, Form, NormalRule, Patch};
use crate::shape::{Plane, Sides};

/// How far two such bodies are apart, along which normal (from b to a) and where; none for other pairs.
pub(crate) fn contact(colliders: [&Collider; 2], poses: [&Pose; 2]) -> Option<Contact> {
    let [a, b] = colliders;
    match (a.ball, b.ball) {
        (Some(r_a), Some(r_b)) => Some(of_balls((r_a, poses[0]), (r_b, poses[1]))),
        (Some(radius), None) => Some(on_plane((radius, poses[0]), (b, b.plane()?, poses[1]))),
        (None, Some(radius)) => Some(on_plane((radius, poses[1]), (a, a.plane()?, poses[0])).exchanged()),
        (None, None) => None,
    }
}

fn ball(radius: f64) -> Patch {
    Patch { form: Form::Point(DVec3::ZERO), radius }
}

fn of_balls((r_a, a): (f64, &Pose), (r_b, b): (f64, &Pose)) -> Contact {
    let between = a.position - b.position;
    let distance = between.length();
    // Concentric balls are apart in every direction.
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

fn on_plane((radius, a): (f64, &Pose), (collider, plane, b): (&Collider, &Plane, &Pose)) -> Contact {
    let placed = collider.placed(b);
    let centre = placed.pose.orientation.conjugate() * (a.position - placed.pose.position);
    let height = plane.normal().dot(centre) - plane.offset();
    let behind = height < 0.0 && plane.sides() == Sides::Both;
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
