//! Collisions with published answers.

use super::common::{ball, energies, hit, near, touch, wall};
use dolmen::contact::{Colliding, ImpactStatus, Law, Mover, Restitution};
use dolmen::math::{DMat3, DQuat, DVec3, dvec3};

/// The references have twelve digits; ours have more.
const DIGITS: f64 = 2e-11;

/// CASES A08: a rod's low end strikes a smooth floor.
#[test]
fn a_rod_strikes_a_smooth_floor_with_its_end() {
    let moment = 2.0 / 12.0;
    let rod = Mover {
        inv_mass: 0.5,
        inv_inertia: DMat3::from_diagonal(dvec3(0.0, 1.0 / moment, 1.0 / moment)),
        velocity: dvec3(0.0, -3.0, 0.0),
        spin: DVec3::ZERO,
    };
    let arm = dvec3(-0.5 * 0.75_f64.sqrt(), -0.25, 0.0);
    let contact = Colliding {
        bodies: [0, 1],
        arms: [arm, DVec3::ZERO],
        normal: DVec3::Y,
        restitution: 0.5,
        friction: 0.0,
    };
    for law in Law::ALL {
        let impact = hit(law, &[rod, wall()], &[contact]);
        near(impact.impulses[0].y, 2.76923076923, DIGITS, "J");
        near(impact.twists[0].velocity.y, -1.61538461538, DIGITS, "v");
        near(impact.twists[0].spin.z, -7.19467258529, DIGITS, "ω");
        near(impact.speeds[0].normal_plus, 1.5, 1e-15, "v_n⁺");
        assert_eq!(impact.restitution, Restitution::Newton);
    }
}

/// CASES A09: a cube lands on an edge; each end of it bears half, with friction and without.
#[test]
fn a_cube_lands_on_an_edge_and_both_ends_bear_half() {
    let cube = Mover {
        inv_mass: 1.0,
        inv_inertia: DMat3::from_diagonal(DVec3::splat(6.0)),
        velocity: dvec3(0.0, -4.0, 0.0),
        spin: DVec3::ZERO,
    };
    let end = |z: f64, friction: f64| Colliding {
        bodies: [0, 1],
        arms: [dvec3(-0.183012701892219, -0.683012701892219, z), DVec3::ZERO],
        normal: DVec3::Y,
        restitution: 0.3,
        friction,
    };
    for law in [Law::Simultaneous, Law::Reflection] {
        let impact = hit(law, &[cube, wall()], &[end(0.5, 0.0), end(-0.5, 0.0)]);
        near(impact.impulses[0].y, 4.32986260811 / 2.0, DIGITS, "J/2");
        near(impact.impulses[1].y, impact.impulses[0].y, 1e-14, "the other half");
        near(impact.twists[0].velocity.y, 0.329862608114, DIGITS, "v");
        near(impact.twists[0].spin.z, -4.7545191284, DIGITS, "ω");
        for friction in [0.1975, 1.0, f64::INFINITY] {
            let impact = hit(law, &[cube, wall()], &[end(0.5, friction), end(-0.5, friction)]);
            for j in &impact.impulses {
                let half = dvec3(0.975, 4.93874953738, 0.0) / 2.0;
                assert!((*j - half).length() < DIGITS, "{law:?}, μ = {friction}: {j} for {half}");
            }
            assert!((impact.impulses[0] - impact.impulses[1]).length() < 1e-13, "{impact:?}");
            near(impact.twists[0].velocity.x, 0.975, DIGITS, "v_x");
            near(impact.twists[0].velocity.y, 0.93874953738, DIGITS, "v_y");
            near(impact.twists[0].spin.z, -1.42749907476, DIGITS, "ω");
            assert!(impact.indeterminate && impact.status == ImpactStatus::Solved, "{impact:?}");
            assert_eq!(impact.restitution, Restitution::Poisson);
        }
    }
}

/// CASES A10: smooth spheres meet obliquely.
#[test]
fn smooth_spheres_meet_obliquely() {
    let normal = -dvec3(0.75_f64.sqrt(), 0.5, 0.0);
    let movers = [ball(1.0, 0.5, dvec3(2.0, 0.0, 0.0)), ball(1.0, 0.5, DVec3::ZERO)];
    for law in Law::ALL {
        let impact = hit(law, &movers, &[touch([0, 1], normal, [0.5; 2], 1.0, 0.0)]);
        near(impact.impulses[0].length(), 1.73205080757, DIGITS, "J");
        let (a, b) = (impact.twists[0].velocity, impact.twists[1].velocity);
        assert!((a - dvec3(0.5, -0.866025403784, 0.0)).length() < DIGITS, "{a}");
        assert!((b - dvec3(1.5, 0.866025403784, 0.0)).length() < DIGITS, "{b}");
    }
}

/// CASES A11: a sphere bounces obliquely; below the critical coefficient it slips, above it leaves rolling.
#[test]
fn a_sphere_bounces_with_friction() {
    let movers = [ball(2.0, 0.3, dvec3(3.0, -4.0, 0.0)), wall()];
    let bounce =
        |friction| hit(Law::default(), &movers, &[touch([0, 1], DVec3::Y, [0.3, 0.0], 0.8, friction)]);
    let impact = bounce(0.1);
    near(impact.twists[0].velocity.x, 2.28, 1e-14, "v_x");
    near(impact.twists[0].velocity.y, 3.2, 1e-14, "v_y");
    near(0.3 * impact.twists[0].spin.length(), 1.8, 1e-14, "r ω");
    assert_eq!(impact.restitution, Restitution::Energetic);
    for friction in [0.119047619048, 0.2, 5.0, f64::INFINITY] {
        let impact = bounce(friction);
        near(impact.twists[0].velocity.x, 15.0 / 7.0, 1e-12, "v_x");
        near(impact.twists[0].velocity.y, 3.2, 1e-14, "v_y");
        near(0.3 * impact.twists[0].spin.length(), 15.0 / 7.0, 1e-12, "r ω");
        assert!(impact.speeds[0].slip_plus < 1e-12, "{:?}", impact.speeds);
    }
}

/// CASES A12: cube and sphere of equal mass, ε = 0: both move on at half the speed.
#[test]
fn an_inelastic_pair_moves_on_together() {
    let movers = [ball(1.0, 0.5, dvec3(1.0, 0.0, 0.0)), ball(1.0, 0.5, DVec3::ZERO)];
    for law in Law::ALL {
        let impact = hit(law, &movers, &[touch([0, 1], -DVec3::X, [0.5; 2], 0.0, 0.0)]);
        assert!(impact.twists.iter().all(|t| t.velocity == dvec3(0.5, 0.0, 0.0)), "{impact:?}");
        assert_eq!(impact.lost_normal, 0.25);
    }
}

/// A box that falls flat bounces flat, each corner constraint a quarter, for every law that is symmetric.
#[test]
fn a_box_that_falls_flat_bounces_flat() {
    let turn = DMat3::from_quat(DQuat::from_rotation_y(0.3));
    let movers = [
        Mover {
            inv_mass: 1.0,
            inv_inertia: turn * DMat3::from_diagonal(dvec3(3.0, 6.0, 4.0)) * turn.transpose(),
            velocity: dvec3(0.5, -2.0, 0.25),
            spin: DVec3::ZERO,
        },
        wall(),
    ];
    for (friction, law) in
        [(0.0, Law::Simultaneous), (0.0, Law::Reflection), (0.1, Law::Simultaneous), (0.1, Law::Reflection)]
    {
        let contacts: Vec<Colliding> = [(1.0, 0.5), (1.0, -0.5), (-1.0, 0.5), (-1.0, -0.5)]
            .iter()
            .map(|&(x, z)| Colliding {
                bodies: [0, 1],
                arms: [turn * dvec3(x, -0.4, z), DVec3::ZERO],
                normal: DVec3::Y,
                restitution: 0.5,
                friction,
            })
            .collect();
        let impact = hit(law, &movers, &contacts);
        assert!(impact.indeterminate, "{impact:?}");
        assert_eq!(impact.status, ImpactStatus::Solved);
        let total: DVec3 = impact.impulses.iter().sum();
        if friction == 0.0 {
            near(total.y, 3.0, 1e-14, "J");
            assert!(impact.impulses.iter().all(|j| (j.y - 0.75).abs() < 1e-14), "{impact:?}");
        }
        let (before, after) = energies(&movers, &impact);
        near(before - after, impact.lost_normal + impact.lost_friction, 1e-14, "energy lost");
    }
}

/// A wall that moves does work: ΔT = work − lost, and a ball of ε = 1 leaves a racket with twice its speed.
#[test]
fn a_moving_wall_does_work() {
    let racket = Mover::immobile(dvec3(0.0, 3.0, 1.0), dvec3(0.0, 0.0, 0.5));
    let movers = [ball(2.0, 0.5, dvec3(1.0, -4.0, 0.0)), racket];
    for friction in [0.0, 0.2, 5.0] {
        let impact = hit(Law::default(), &movers, &[touch([0, 1], DVec3::Y, [0.5, 2.0], 1.0, friction)]);
        let (before, after) = energies(&movers, &impact);
        near(after - before, impact.work - impact.lost_normal - impact.lost_friction, 1e-13, "energy");
        near(impact.twists[0].velocity.y, 10.0, 1e-14, "v");
        near(impact.lost_normal, 0.0, 1e-13, "lost along the normal");
        assert!(impact.lost_friction >= 0.0 && (friction > 0.0 || impact.lost_friction == 0.0));
        assert_eq!((impact.twists[1].velocity, impact.twists[1].spin), (racket.velocity, racket.spin));
    }
}

/// Two immobile bodies do not collide, and what recedes is left alone.
#[test]
fn nothing_happens_where_nothing_can() {
    let walls = [Mover::immobile(DVec3::Y, DVec3::ZERO), wall()];
    let contact = touch([1, 0], DVec3::Y, [0.0; 2], 1.0, 0.5);
    let away = [ball(1.0, 0.5, DVec3::Y), wall()];
    for law in Law::ALL {
        let impact = hit(law, &walls, &[contact, contact]);
        assert!(impact.impulses.iter().all(|j| *j == DVec3::ZERO), "{impact:?}");
        let leaving = touch([0, 1], DVec3::Y, [0.5, 0.0], 1.0, 0.5);
        for count in [1, 3] {
            let impact = hit(law, &away, &vec![leaving; count]);
            assert!(impact.impulses.iter().all(|j| *j == DVec3::ZERO), "{impact:?}");
        }
        assert!(hit(law, &away, &[]).impulses.is_empty());
    }
}
