//! Balls in a row, in a cradle, in a rack: what tells the laws apart.

use super::common::{ball, energies, hit, hit_with, near, touch, wall};
use dolmen::contact::{CollideSettings, Colliding, ImpactStatus, Law, Mover};
use dolmen::math::{DMat3, DVec3, dvec3};

/// Balls in a row along x, each touching the next; contact i between i and i + 1.
fn row(masses: &[f64], speeds: &[f64], restitution: f64) -> (Vec<Mover>, Vec<Colliding>) {
    let movers = masses.iter().zip(speeds).map(|(&m, &v)| ball(m, 0.5, dvec3(v, 0.0, 0.0))).collect();
    let contacts =
        (1..masses.len()).map(|i| touch([i - 1, i], -DVec3::X, [0.5; 2], restitution, 0.0)).collect();
    (movers, contacts)
}

fn speeds(law: Law, movers: &[Mover], contacts: &[Colliding]) -> Vec<f64> {
    hit(law, movers, contacts).twists.iter().map(|t| t.velocity.x).collect()
}

#[track_caller]
fn assert_speeds(found: &[f64], expected: &[f64], what: &str) {
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-14, "{what}: {found:?} for {expected:?}");
    }
}

/// PAPER's three billiard balls tell propagation from simultaneous impulses.
#[test]
fn three_billiard_balls() {
    let (movers, contacts) = row(&[0.2; 3], &[3.0, 0.0, 0.0], 1.0);
    assert_speeds(&speeds(Law::Propagation, &movers, &contacts), &[0.0, 0.0, 3.0], "propagation");
    assert_speeds(&speeds(Law::Simultaneous, &movers, &contacts), &[-1.0, 2.0, 2.0], "simultaneous");
    assert_speeds(&speeds(Law::Reflection, &movers, &contacts), &[0.0, 0.0, 3.0], "reflection");
}

/// Newton's cradle: as many balls leave as came.
#[test]
fn as_many_balls_leave_a_cradle_as_came() {
    for count in 1..=3 {
        let before: Vec<f64> = (0..5).map(|i| if i < count { 1.0 } else { 0.0 }).collect();
        let after: Vec<f64> = before.iter().rev().copied().collect();
        let (movers, contacts) = row(&[1.0; 5], &before, 1.0);
        for law in [Law::Propagation, Law::Reflection] {
            assert_speeds(&speeds(law, &movers, &contacts), &after, law.name());
        }
    }
}

/// A ball between two that come from both sides at once stays, and both turn back: symmetric under every law.
#[test]
fn a_ball_hit_from_both_sides_stays() {
    let (movers, contacts) = row(&[1.0, 5.0, 1.0], &[2.0, 0.0, -2.0], 1.0);
    for law in Law::ALL {
        let after = speeds(law, &movers, &contacts);
        if law != Law::Propagation {
            assert_speeds(&after, &[-2.0, 0.0, 2.0], law.name());
        }
        let (before, now) = energies(&movers, &hit(law, &movers, &contacts));
        near(now, before, 1e-14, law.name());
    }
}

/// PAPER's figure: M on m on the floor, ε = 0. After k impulses between the balls propagation leaves v₀ (M/(M+m))ᵏ,
/// simultaneous impulses leave nothing; and propagation that may go on ends in the same.
#[test]
fn a_heavy_ball_on_a_light_one_comes_to_rest_slowly_by_propagation() {
    for ratio in [1.0, 10.0, 1000.0] {
        let movers = [ball(ratio, 0.5, -DVec3::Y), ball(1.0, 0.5, DVec3::ZERO), wall()];
        let contacts =
            [touch([0, 1], DVec3::Y, [0.5; 2], 0.0, 0.0), touch([1, 2], DVec3::Y, [0.5, 0.0], 0.0, 0.0)];
        for k in [1_u32, 2, 7] {
            // k impulses between the balls and k on the floor, two contacts.
            let settings =
                CollideSettings { rounds_per_contact: k, close: false, ..CollideSettings::default() };
            let impact = hit_with(Law::Propagation, &movers, &contacts, settings);
            let expected = -dolmen::math::real::powi(ratio / (ratio + 1.0), k);
            near(impact.twists[0].velocity.y, expected, 1e-14, "v");
            assert_eq!((impact.rounds, impact.status), (2 * k, ImpactStatus::Closed));
        }
        for law in Law::ALL {
            let impact = hit(law, &movers, &contacts);
            let rest = impact.twists.iter().fold(0.0, |m: f64, t| m.max(t.velocity.length()));
            assert!(rest < 1e-12, "{law:?}: {rest:e} left after {} rounds", impact.rounds);
            if law == Law::Simultaneous {
                // The condition number of A is about 4 M/m.
                assert!(impact.rounds == 1 && rest < 4.0 * ratio * f64::EPSILON, "{rest:e}");
            }
        }
    }
}

/// Fifteen balls in a triangle, struck at the tip.
fn rack() -> (Vec<Mover>, Vec<Colliding>) {
    let mut places = vec![DVec3::ZERO];
    for line in 0..5 {
        for k in 0..=line {
            let (line, k) = (f64::from(line), f64::from(k));
            places.push(dvec3(1.0 + line * 0.75_f64.sqrt(), k - 0.5 * line, 0.0));
        }
    }
    let movers =
        (0..16).map(|i| ball(1.0, 0.5, if i == 0 { dvec3(10.0, 0.0, 0.0) } else { DVec3::ZERO })).collect();
    let mut contacts = Vec::new();
    for a in 0..16 {
        for b in a + 1..16 {
            let apart: DVec3 = places[a] - places[b];
            if (apart.length() - 1.0).abs() < 1e-9 {
                contacts.push(touch([a, b], apart.normalize(), [0.5; 2], 1.0, 0.0));
            }
        }
    }
    (movers, contacts)
}

/// A break along the axis of a rack stays mirror symmetric, and loses nothing at ε = 1.
#[test]
fn a_break_stays_symmetric() {
    let (movers, contacts) = rack();
    assert_eq!(contacts.len(), 31);
    for law in Law::ALL {
        let impact = hit(law, &movers, &contacts);
        let (before, after) = energies(&movers, &impact);
        near(after, before, 1e-12 * before, law.name());
        let momentum: DVec3 = impact.twists.iter().map(|t| t.velocity).sum();
        assert!((momentum - dvec3(10.0, 0.0, 0.0)).length() < 1e-13, "{momentum}");
        assert!(impact.speeds.iter().all(|s| s.normal_plus >= -1e-12), "{law:?} {:?}", impact.status);
        if law == Law::Propagation {
            continue;
        }
        assert_eq!(impact.status, ImpactStatus::Solved, "{law:?}");
        let mut index = 1;
        for line in 0..5 {
            for k in 0..=line {
                let (v, w) = (impact.twists[index + k].velocity, impact.twists[index + line - k].velocity);
                let mirrored = dvec3(w.x, -w.y, w.z);
                assert!((v - mirrored).length() < 1e-11, "{law:?}, line {line}: {v} and {mirrored}");
            }
            index += line + 1;
        }
    }
}

/// A ball between two walls, hit into one of them: every law ends, at rest or between, and no energy is made.
#[test]
fn a_jammed_ball_comes_to_an_end() {
    for restitution in [0.0, 0.5, 1.0] {
        for friction in [0.0, 0.4] {
            let movers =
                [ball(1.0, 0.5, dvec3(0.3, -2.0, 0.0)), wall(), ball(3.0, 0.5, dvec3(0.0, -1.0, 0.5))];
            let contacts = [
                touch([0, 1], DVec3::Y, [0.5, 0.0], restitution, friction),
                touch([0, 1], -DVec3::Y, [0.5, 0.0], restitution, friction),
                touch([2, 0], DVec3::Z, [0.5, 0.5], restitution, friction),
            ];
            for law in Law::ALL {
                let impact = hit(law, &movers, &contacts);
                let (before, after) = energies(&movers, &impact);
                assert!(after <= before * (1.0 + 1e-14), "{law:?}: {before} → {after}");
                assert!(impact.speeds.iter().all(|s| s.normal_plus > -1e-11), "{law:?} {impact:?}");
                assert!(
                    !matches!(impact.status, ImpactStatus::Jammed | ImpactStatus::NotFinite),
                    "{impact:?}"
                );
                if restitution == 1.0 && law != Law::Simultaneous {
                    assert_eq!(impact.status, ImpactStatus::Closed);
                }
            }
        }
    }
}

/// Walls that close in on a ball leave no way out, and the impact says so.
#[test]
fn closing_walls_are_reported() {
    let movers = [
        ball(1.0, 0.5, DVec3::ZERO),
        Mover::immobile(DVec3::Y, DVec3::ZERO),
        Mover::immobile(-DVec3::Y, DVec3::ZERO),
    ];
    for friction in [0.0, 0.5] {
        let contacts = [
            touch([0, 1], DVec3::Y, [0.5, 0.0], 0.5, friction),
            touch([0, 2], -DVec3::Y, [0.5, 0.0], 0.5, friction),
        ];
        for law in Law::ALL {
            let impact = hit(law, &movers, &contacts);
            assert_eq!(impact.status, ImpactStatus::Jammed, "{law:?} {impact:?}");
            assert!(impact.twists[0].velocity.is_finite() && impact.impulses.iter().all(|j| j.is_finite()));
        }
    }
}

/// v⁺ ≥ 0 imposed on a contact that separates would add energy: restitution is scaled to the limit, and said.
#[test]
fn restitution_is_scaled_where_it_would_add_energy() {
    // A bar on two posts, one end coming down fast, the other going up slowly; ε = 1 at both.
    let bar = Mover {
        inv_mass: 1.0,
        inv_inertia: DMat3::from_diagonal(DVec3::splat(3.0)),
        velocity: dvec3(0.0, -1.0, 0.0),
        spin: dvec3(0.0, 0.0, 1.25),
    };
    let post = |x: f64| Colliding {
        bodies: [0, 1],
        arms: [dvec3(x, 0.0, 0.0), DVec3::ZERO],
        normal: DVec3::Y,
        restitution: 1.0,
        friction: 0.0,
    };
    let movers = [bar, wall()];
    let impact = hit(Law::Simultaneous, &movers, &[post(1.0), post(-1.0)]);
    let (before, after) = energies(&movers, &impact);
    assert!((after - before).abs() < 1e-14 * before, "{before} → {after}");
    assert!(0.0 < impact.restitution_scale && impact.restitution_scale < 1.0, "{impact:?}");
    assert!(impact.speeds.iter().all(|s| s.normal_plus >= -1e-15), "{:?}", impact.speeds);
}
