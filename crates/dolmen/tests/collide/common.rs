//! Bodies and figures that the tests share.

use dolmen::contact::{CollideScratch, CollideSettings, Colliding, Impact, Law, Mover, collide};
use dolmen::math::{DMat3, DVec3};

/// A collision with fresh buffers and the settings as they are.
pub(crate) fn hit(law: Law, movers: &[Mover], contacts: &[Colliding]) -> Impact {
    hit_with(law, movers, contacts, CollideSettings::default())
}

pub(crate) fn hit_with(
    law: Law,
    movers: &[Mover],
    contacts: &[Colliding],
    settings: CollideSettings,
) -> Impact {
    let mut impact = Impact::default();
    collide(law, movers, contacts, settings, &mut CollideScratch::default(), &mut impact);
    impact
}

/// A solid sphere.
pub(crate) fn ball(mass: f64, radius: f64, velocity: DVec3) -> Mover {
    let inertia = 0.4 * mass * radius * radius;
    Mover {
        inv_mass: 1.0 / mass,
        inv_inertia: DMat3::from_diagonal(DVec3::splat(1.0 / inertia)),
        velocity,
        spin: DVec3::ZERO,
    }
}

pub(crate) fn wall() -> Mover {
    Mover::immobile(DVec3::ZERO, DVec3::ZERO)
}

/// Spheres a and b, of which a lies along `normal` from b.
pub(crate) fn touch(
    bodies: [usize; 2],
    normal: DVec3,
    radii: [f64; 2],
    restitution: f64,
    friction: f64,
) -> Colliding {
    Colliding { bodies, arms: [-normal * radii[0], normal * radii[1]], normal, restitution, friction }
}

/// ½ m v² + ½ ω·I ω of a mover that yields.
pub(crate) fn kinetic(mover: &Mover, velocity: DVec3, spin: DVec3) -> f64 {
    let mut sum = 0.0;
    if mover.inv_mass > 0.0 {
        sum += 0.5 * velocity.length_squared() / mover.inv_mass;
    }
    if mover.inv_inertia != DMat3::ZERO {
        sum += 0.5 * spin.dot(mover.inv_inertia.inverse() * spin);
    }
    sum
}

/// Kinetic energy of all before, and after.
pub(crate) fn energies(movers: &[Mover], impact: &Impact) -> (f64, f64) {
    let before = movers.iter().map(|m| kinetic(m, m.velocity, m.spin)).sum();
    let after = movers.iter().zip(&impact.twists).map(|(m, t)| kinetic(m, t.velocity, t.spin)).sum();
    (before, after)
}

#[track_caller]
pub(crate) fn near(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value} for {expected}");
}
