//! One contact with friction, against tiny steps of the equations of the slip.

use super::common::{energies, hit, wall};
use dolmen::contact::{Colliding, ImpactStatus, Law, Mover};
use dolmen::math::{DMat3, DQuat, DVec3, dvec3};
use proptest::prelude::*;

/// v + ω×r of a body, its mobility at the contact K = 1/m − r* I⁻¹ r*.
fn mobility(mover: &Mover, arm: DVec3, push: DVec3) -> DVec3 {
    push * mover.inv_mass + (mover.inv_inertia * arm.cross(push)).cross(arm)
}

/// The collision in `count` equal steps of normal impulse a compression, by Euler's method: the referee, of first order.
///
/// In a step the slip is stopped if the cone lets it, else friction of μ dp opposes the slip of the step's start, or
/// at zero slip the pull that could not be stopped.
fn brute_force(mover: &Mover, contact: &Colliding, count: u32) -> DVec3 {
    let (n, arm) = (contact.normal, contact.arms[0]);
    let (t1, t2) = n.any_orthonormal_pair();
    let axes = [n, t1, t2];
    let k: Vec<Vec<f64>> =
        axes.iter().map(|a| axes.iter().map(|b| a.dot(mobility(mover, arm, *b))).collect()).collect();
    let start = mover.velocity + mover.spin.cross(arm);
    let mut u = axes.map(|a| start.dot(a));
    let mut impulse = [0.0; 3];
    let dp = -u[0] / k[0][0] / f64::from(count);
    let (mut taken, mut given) = (0.0, 0.0);
    for _ in 0..1000 * count {
        let free = [u[1] / dp + k[1][0], u[2] / dp + k[2][0]];
        let determinant = k[1][1] * k[2][2] - k[1][2] * k[1][2];
        let mut f = [
            (k[1][2] * free[1] - k[2][2] * free[0]) / determinant,
            (k[1][2] * free[0] - k[1][1] * free[1]) / determinant,
        ];
        let norm = (f[0] * f[0] + f[1] * f[1]).sqrt();
        if norm > contact.friction {
            let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
            // Near zero slip the direction of the pull is the limit of that of the slip; away from it they differ.
            let near =
                slip < 4.0 * dp * (k[1][0].abs() + k[2][0].abs() + contact.friction * (k[1][1] + k[2][2]));
            let d = if near { [-f[0] / norm, -f[1] / norm] } else { [u[1] / slip, u[2] / slip] };
            f = [-contact.friction * d[0], -contact.friction * d[1]];
        }
        let step = [dp, f[0] * dp, f[1] * dp];
        let before = u[0];
        for i in 0..3 {
            impulse[i] += step[i];
            u[i] += (0..3).map(|j| k[i][j] * step[j]).sum::<f64>();
        }
        let work = 0.5 * dp * (before + u[0]);
        if u[0] < 0.0 {
            taken -= work;
        } else {
            given += work;
        }
        if u[0] >= 0.0 && given >= contact.restitution * contact.restitution * taken {
            break;
        }
    }
    axes[0] * impulse[0] + axes[1] * impulse[1] + axes[2] * impulse[2]
}

fn body(moments: [f64; 3], turn: [f64; 3], velocity: [f64; 3], spin: [f64; 3]) -> Mover {
    let r = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from(turn)));
    Mover {
        inv_mass: 1.0,
        inv_inertia: r * DMat3::from_diagonal(DVec3::from(moments)) * r.transpose(),
        velocity: DVec3::from(velocity),
        spin: DVec3::from(spin),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Bodies of any inertia hit at any point with any μ: the slip turns, stops, sticks, reverses; as in tiny steps.
    #[test]
    fn one_contact_is_as_in_tiny_steps(
        moments in prop::array::uniform3(0.3..6.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
        velocity in (-1.0..1.0_f64, -2.0..0.0_f64, -1.0..1.0_f64).prop_map(<[f64; 3]>::from),
        spin in prop::array::uniform3(-1.0..1.0_f64),
        arm in prop::array::uniform3(-1.0..1.0_f64),
        restitution in 0.0..1.0_f64,
        friction in 0.01..1.5_f64,
    ) {
        let mover = body(moments, turn, velocity, spin);
        let contact = Colliding {
            bodies: [0, 1],
            arms: [DVec3::from(arm), DVec3::ZERO],
            normal: DVec3::Y,
            restitution,
            friction,
        };
        let start = mover.velocity + mover.spin.cross(contact.arms[0]);
        prop_assume!(start.y < -0.1);
        let impact = hit(Law::default(), &[mover, wall()], &[contact]);
        prop_assert_eq!(impact.status, ImpactStatus::Solved);
        let referee = brute_force(&mover, &contact, 4000);
        // First order: the error is a few steps, each 1/4000 of the impulse, where modes change.
        let size = referee.length() + mover.velocity.length() + mover.spin.length();
        let apart = (impact.impulses[0] - referee).length();
        prop_assert!(apart < 8e-3 * size, "{} for {referee}", impact.impulses[0]);

        // Exact laws: the cone, no approach, both losses not negative, and their sum.
        let j = impact.impulses[0];
        let tangent = dvec3(j.x, 0.0, j.z).length();
        prop_assert!(tangent <= friction * j.y * (1.0 + 1e-13), "{tangent} by {}", j.y);
        prop_assert!(impact.speeds[0].normal_plus >= -1e-13, "{:?}", impact.speeds);
        prop_assert!(impact.lost_normal >= -1e-14 && impact.lost_friction >= -1e-14, "{impact:?}");
        let (before, after) = energies(&[mover, wall()], &impact);
        prop_assert!((before - after - impact.lost_normal - impact.lost_friction).abs() < 1e-12 * before);
    }

    /// The collision is the same however it is turned in space.
    #[test]
    fn one_contact_is_the_same_in_any_frame(
        moments in prop::array::uniform3(0.3..6.0_f64),
        velocity in prop::array::uniform3(-1.0..1.0_f64),
        spin in prop::array::uniform3(-1.0..1.0_f64),
        arm in prop::array::uniform3(-1.0..1.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
        friction in 0.01..1.5_f64,
    ) {
        let mover = body(moments, [0.4, 0.5, 0.6], velocity, spin);
        let contact = Colliding {
            bodies: [0, 1],
            arms: [DVec3::from(arm), DVec3::ZERO],
            normal: DVec3::Y,
            restitution: 0.6,
            friction,
        };
        let r = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from(turn)));
        let turned = Mover {
            inv_mass: mover.inv_mass,
            inv_inertia: r * mover.inv_inertia * r.transpose(),
            velocity: r * mover.velocity,
            spin: r * mover.spin,
        };
        let contact_turned =
            Colliding { arms: [r * contact.arms[0], DVec3::ZERO], normal: (r * contact.normal).normalize(), ..contact };
        let one = hit(Law::default(), &[mover, wall()], &[contact]);
        let two = hit(Law::default(), &[turned, wall()], &[contact_turned]);
        // The tolerance of the path where it turns, over some hundred steps.
        let apart = (r * one.impulses[0] - two.impulses[0]).length();
        prop_assert!(apart < 1e-11, "{} and {}: {apart:e}", r * one.impulses[0], two.impulses[0]);
    }
}

/// With K_tn so large that sticking is impossible, a contact at rest slides away in the direction that it keeps.
#[test]
fn a_contact_that_cannot_stick_slides_away() {
    let mover = body([3.0, 3.0, 3.0], [0.0; 3], [0.0, -1.0, 0.0], [0.0; 3]);
    let contact = Colliding {
        bodies: [0, 1],
        arms: [dvec3(0.9, -0.8, 0.0), DVec3::ZERO],
        normal: DVec3::Y,
        restitution: 0.0,
        friction: 0.1,
    };
    let impact = hit(Law::default(), &[mover, wall()], &[contact]);
    let j = impact.impulses[0];
    assert!((j.x.abs() - 0.1 * j.y).abs() < 1e-16 && impact.speeds[0].slip_plus > 0.1, "{impact:?}");
    assert!(impact.speeds[0].normal_plus.abs() < 1e-15, "{impact:?}");
}

/// μ = ∞ is the limit of large μ, also where friction alone lifts the contact off.
#[test]
fn infinite_friction_is_the_limit() {
    for vx in [-3.0, -0.5, 0.0, 0.5, 3.0] {
        let mover = body([3.0, 2.0, 3.0], [0.2, 0.1, 0.3], [vx, -1.0, 0.2], [0.0; 3]);
        let contact = |friction| Colliding {
            bodies: [0, 1],
            arms: [dvec3(0.7, -0.9, 0.1), DVec3::ZERO],
            normal: DVec3::Y,
            restitution: 0.5,
            friction,
        };
        let limit = hit(Law::default(), &[mover, wall()], &[contact(f64::INFINITY)]);
        let large = hit(Law::default(), &[mover, wall()], &[contact(1e7)]);
        let apart = (limit.impulses[0] - large.impulses[0]).length();
        assert!(apart < 1e-5, "{vx}: {} and {}", limit.impulses[0], large.impulses[0]);
        let (before, after) = energies(&[mover, wall()], &limit);
        assert!(after <= before && limit.lost_friction >= 0.0, "{limit:?}");
    }
}
