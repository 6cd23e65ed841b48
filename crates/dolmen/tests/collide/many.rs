//! More contacts with friction than the dense solver takes: a leaning tower that falls onto a floor all at once.

use super::common::{energies, hit, wall};
use dolmen::contact::{Colliding, ImpactStatus, Law, Mover};
use dolmen::math::{DMat3, DVec3, dvec3};
use proptest::prelude::*;

/// Boxes of these half heights upon each other, four contacts a face, with one velocity and a little spin each.
fn tower(halves: &[f64], velocity: DVec3, friction: f64) -> (Vec<Mover>, Vec<Colliding>) {
    let (mut movers, mut contacts) = (vec![wall()], Vec::new());
    for (i, half) in halves.iter().enumerate() {
        let size = dvec3(1.0, 0.8, 2.0 * half);
        let squares = size * size;
        // m/12 (b² + c²) of a density of one.
        let mass = size.x * size.y * size.z;
        let moments =
            mass / 12.0 * dvec3(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
        movers.push(Mover {
            inv_mass: 1.0 / mass,
            inv_inertia: DMat3::from_diagonal(moments.recip()),
            velocity,
            spin: dvec3(0.1 * half, -0.05, 0.2 * (i as f64 - 3.0)),
        });
        let below = if i == 0 { 0.0 } else { halves[i - 1] };
        for (x, y) in [(-0.5, -0.4), (0.5, -0.4), (-0.5, 0.4), (0.5, 0.4)] {
            contacts.push(Colliding {
                bodies: [i + 1, i],
                arms: [dvec3(x, y, -half), dvec3(x, y, below)],
                normal: DVec3::Z,
                restitution: 0.0,
                friction,
            });
        }
    }
    (movers, contacts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Coulomb's law with the exact cone at each of 28 to 72 contacts: nothing approaches, what parts has no impulse, friction
    /// is within its cone, and where it slips at its limit against the slip; energy does not grow.
    #[test]
    fn many_contacts_with_friction_obey_coulomb(
        halves in prop::collection::vec(0.05..0.5_f64, 7..18),
        velocity in prop::array::uniform3(-1.0..1.0_f64),
        friction in prop::sample::select(vec![0.1, 0.4, 0.9]),
    ) {
        let velocity = DVec3::from(velocity) - 1.5 * DVec3::Z;
        let (movers, contacts) = tower(&halves, velocity, friction);
        let impact = hit(Law::Simultaneous, &movers, &contacts);
        prop_assert_eq!(impact.status, ImpactStatus::Solved);
        let largest = impact.impulses.iter().fold(0.0_f64, |most, p| most.max(p.length()));
        for (contact, p) in contacts.iter().zip(&impact.impulses) {
            let [a, b] = contact.bodies.map(|i| &impact.twists[i]);
            let u = a.at(contact.arms[0]) - b.at(contact.arms[1]);
            let slip = dvec3(u.x, u.y, 0.0);
            let rubs = dvec3(p.x, p.y, 0.0);
            // The residual is 1e-9 of the speeds, times the condition of a tower.
            prop_assert!(u.z > -1e-8, "approaches by {:e}", u.z);
            prop_assert!(p.z >= -1e-9 * largest, "pulls by {:e} of {largest}", p.z);
            prop_assert!(p.z * u.z <= 1e-8 * largest, "{:e} at {:e}", p.z, u.z);
            prop_assert!(rubs.length() <= friction * p.z + 1e-8 * largest, "{rubs} under {}", p.z);
            let power = rubs.dot(slip) + friction * p.z * slip.length();
            prop_assert!(power <= 1e-8 * largest, "friction {rubs} by slip {slip}: {power:e}");
        }
        let (before, after) = energies(&movers, &impact);
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} to {after}");
    }
}
