//! Coulomb's law of many contacts: structures in equilibrium, published answers, the dense solver as referee.

use crate::random::{self, Numbers};
use crate::rival;
use crate::structures::{self, G, Structure};
use dolmen::math::Row;
use dolmen::math::{DMat3, DVec3, dvec3, real};
use dolmen::solve::cone::{ConeProblem, ConeScratch, solve_cone};
use dolmen::solve::sparse::{Choice, ContactRows, JointRow, SparseScratch, contact_residual, solve_contacts};
use dolmen::solve::{Outcome, Status};

fn solve(s: &Structure, choice: Choice) -> (Outcome, Vec<f64>) {
    let mut r = vec![0.0; s.problem().unknowns()];
    let outcome = solve_contacts(&s.problem(), choice, &mut r, &mut SparseScratch::default());
    (outcome, r)
}

/// Solved to 1e-10, in equilibrium to 1e-10 of the weight, and every force in its cone.
///
/// The acceleration of a light body is the difference of forces `ratio` times its weight, each of which is rounded: eight
/// of those roundings are allowed beside.
fn check_stands(name: &str, s: &Structure, ratio: f64) -> Vec<f64> {
    let bound = 1e-10 + 8.0 * ratio * f64::EPSILON;
    let mut found = Vec::new();
    for choice in [Choice::AsFound, Choice::LeastNorm] {
        let (outcome, r) = solve(s, choice);
        let left = s.imbalance(&r);
        println!("{name}: {choice:?} {outcome:?}, left over {left:e}");
        assert!(
            outcome.status == Status::Solved && outcome.residual <= bound,
            "{name}: {choice:?} {outcome:?}"
        );
        assert!(left <= bound, "{name}: {choice:?}: {left:e} of the weight is not borne");
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        for (i, c) in s.contacts.iter().enumerate() {
            let (normal, tangent) =
                (r[3 * i], (r[3 * i + 1] * r[3 * i + 1] + r[3 * i + 2] * r[3 * i + 2]).sqrt());
            let slack = 1e-10 * largest;
            assert!(
                normal >= -slack && tangent <= c.friction * normal + slack,
                "{name}: {normal} and {tangent}"
            );
        }
        found = r;
    }
    found
}

/// Statics: a stack of 20 cubes carries itself; each corner of a face carries a quarter of what is above (least norm).
#[test]
fn a_stack_of_twenty_cubes_stands() {
    let s = structures::column(20, 0.5, |_| 1.0);
    let r = check_stands("stack", &s, 1.0);
    for i in 0..s.contacts.len() {
        let above = (20 - i / 4) as f64 * G;
        assert!((r[3 * i] - 0.25 * above).abs() < 1e-9 * above, "contact {i}: {} of {above}", r[3 * i]);
    }
    assert!(!solve(&s, Choice::LeastNorm).0.unique);
}

/// Statics: walls, pyramids and heaps of bricks in bond, 820 bricks among them.
#[test]
fn walls_pyramids_and_piles_stand() {
    check_stands("wall", &structures::wall(12, 12, 0.5), 1.0);
    check_stands("pyramid", &structures::pyramid(40, 0.5), 1.0);
    check_stands("pile", &structures::pile(6, 0.5), 1.0);
}

/// Statics: an arch of 25 stones is in equilibrium by friction and thrust; with too little friction it does not.
#[test]
fn an_arch_of_wedges_stands() {
    check_stands("arch", &structures::arch(25, 0.3, 0.7), 1.0);
    let (outcome, r) = solve(&structures::arch(25, 0.3, 0.05), Choice::AsFound);
    assert_eq!(outcome.status, Status::Solved);
    let left = structures::arch(25, 0.3, 0.05).imbalance(&r);
    assert!(left > 1e-3, "an arch without friction is balanced to {left:e}");
}

/// Statics: mass ratios of 10⁶ in every order.
#[test]
fn mass_ratios_of_a_million_stand() {
    check_stands("heavy top", &structures::column(20, 0.5, |i| if i == 19 { 1e6 } else { 1.0 }), 1e6);
    check_stands("heavy bottom", &structures::column(20, 0.5, |i| if i == 0 { 1e6 } else { 1.0 }), 1e6);
    check_stands("alternating", &structures::column(10, 0.5, |i| if i % 2 == 0 { 1e6 } else { 1.0 }), 1e6);
    let growing = |i: usize| real::powi(10.0, i as u32);
    check_stands("growing", &structures::column(7, 0.5, growing), 1e6);
    check_stands("shrinking", &structures::column(7, 0.5, |i| growing(6 - i)), 1e6);
}

/// A unit cube on a plane inclined by `angle`, in the frame of the plane.
fn on_slope(angle: f64, g: f64, friction: f64) -> Structure {
    let mut s = Structure::default();
    let (sin, cos) = real::sin_cos(angle);
    let body = s.brick(dvec3(0.0, 0.0, 0.5), DVec3::splat(0.5), 1.0);
    s.accelerations[body] = g * dvec3(sin, 0.0, -cos);
    s.face([Some(body), None], dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 0.0), friction);
    s
}

/// CASES A18: the knife edge on both sides, and a margin of 1e-6 in μ.
#[test]
fn the_high_school_slope_at_its_knife_edge() {
    let (angle, g) = (26.565_f64.to_radians(), 9.8);
    let acceleration = |friction: f64| {
        let s = on_slope(angle, g, friction);
        let (outcome, r) = solve(&s, Choice::LeastNorm);
        assert!(outcome.status == Status::Solved && outcome.residual <= 1e-10, "μ = {friction}: {outcome:?}");
        (s.resultants(&r)[0].0 + s.accelerations[0]).x
    };
    assert!(acceleration(0.5).abs() < 1e-12, "μ = 0.5: {:e}", acceleration(0.5));
    // The reference has twelve digits.
    assert!((acceleration(0.49) - 0.0876441172173).abs() < 1e-12, "μ = 0.49: {}", acceleration(0.49));
    let (tan, cos) = (real::tan(angle), real::cos(angle));
    assert!(acceleration(tan + 1e-6).abs() < 1e-12);
    let slips = acceleration(tan - 1e-6);
    assert!((slips - 1e-6 * g * cos).abs() < 1e-12, "μ just below the slope: {slips:e}");
}

/// The dense solver is the referee: where both solve, contacts obey the law; forces of least norm agree where the
/// velocities do.
#[test]
fn random_problems_agree_with_the_dense_solver() {
    let mut numbers = Numbers(11);
    let (mut solved, mut dense_solved, mut same, mut alike, mut worst) = (0, 0, 0, 0, 0.0_f64);
    let count = 400;
    for case in 0..count {
        let contacts = 1 + numbers.below(8);
        let friction = [0.0, 0.2, 0.6, 1.2][case % 4];
        let s = random::structure(&mut numbers, contacts, friction);
        let (outcome, r) = solve(&s, Choice::LeastNorm);
        let (w, q) = s.problem().dense();
        let (mu, floor) = (vec![friction; contacts], vec![0.0; contacts]);
        let mut other = vec![0.0; q.len()];
        let problem = ConeProblem { w: &w, q: &q, friction: &mu, floor: &floor };
        let dense = solve_cone(&problem, &mut other, &mut ConeScratch::default());
        dense_solved += usize::from(dense.status == Status::Solved);
        if outcome.status != Status::Solved {
            // Squeezed bodies have no answer; the referee must not have one either.
            assert!(
                outcome.status != Status::Infeasible || dense.status != Status::Solved,
                "case {case}: {dense:?}"
            );
            continue;
        }
        solved += 1;
        let again = contact_residual(&s.problem(), &r);
        assert!(again <= 1e-10, "case {case}: {again:e} though {outcome:?}");
        if dense.status != Status::Solved {
            continue;
        }
        let u = |r: &[f64]| (0..q.len()).map(|i| w.dot(i, r) + q[i]).collect::<Vec<f64>>();
        let apart = |a: &[f64], b: &[f64]| {
            let size = a.iter().chain(b).fold(1e-300, |m: f64, x| m.max(x.abs()));
            a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs() / size))
        };
        // With friction the velocities themselves may have several answers.
        if apart(&u(&r), &u(&other)) < 1e-8 {
            same += 1;
            // Where a cone has no room inside, the least norm is a limit that one or the other does not reach.
            let apart = apart(&r, &other);
            alike += usize::from(apart < 1e-6);
            worst = worst.max(apart);
        } else {
            assert!(friction > 0.0, "case {case}: velocities without friction are unique");
        }
    }
    println!(
        "{solved} solved, {dense_solved} by the dense solver, {same} move alike, {alike} by the same forces"
    );
    println!("forces apart by {worst:e}");
    assert!(100 * solved >= 95 * dense_solved, "{solved} of {dense_solved}");
    assert!(100 * alike >= 95 * same, "{alike} of {same} have the same forces");
}

/// Moments with bounds that are given, |m| ≤ R and against the rotation at the bound, are rows beside contacts; velocities without
/// friction are unique (the problem is a convex one), and those of the dense solver.
#[test]
fn bounded_moments_agree_with_the_dense_solver() {
    let mut numbers = Numbers(5);
    let (mut solved, mut dense_solved, mut at_bound, mut within) = (0, 0, 0, 0);
    for case in 0..200 {
        let contacts = 1 + numbers.below(8);
        let mut s = random::structure(&mut numbers, contacts, 0.0);
        for i in 0..contacts {
            let normal = s.contacts[i].rows[0].linear_a.normalize_or(DVec3::Z);
            let across = normal.any_orthonormal_vector();
            let none = DVec3::ZERO;
            let row = |axis: DVec3| Row { linear_a: none, angular_a: axis, linear_b: none, angular_b: -axis };
            // Rolling has two directions, spinning one.
            let second = if case % 2 == 0 { normal.cross(across) } else { none };
            let bound = 0.1 * numbers.vector().length();
            s.contacts.push(ContactRows {
                bodies: s.contacts[i].bodies,
                rows: [row(none), row(across), row(second)],
                free: [-bound, numbers.next(), if second == none { 0.0 } else { numbers.next() }],
                friction: 1.0,
                own: 1.0,
            });
        }
        let (outcome, r) = solve(&s, Choice::LeastNorm);
        let (w, q) = s.problem().dense();
        let (mu, floor): (Vec<f64>, Vec<f64>) = s.contacts.iter().map(|c| (c.friction, 0.0)).unzip();
        let mut other = vec![0.0; q.len()];
        let problem = ConeProblem { w: &w, q: &q, friction: &mu, floor: &floor };
        let dense = solve_cone(&problem, &mut other, &mut ConeScratch::default());
        dense_solved += usize::from(dense.status == Status::Solved);
        if outcome.status != Status::Solved || dense.status != Status::Solved {
            continue;
        }
        solved += 1;
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        for (i, c) in s.contacts.iter().enumerate().skip(contacts) {
            let moment = (r[3 * i + 1] * r[3 * i + 1] + r[3 * i + 2] * r[3 * i + 2]).sqrt();
            let bound = -c.free[0];
            assert!((r[3 * i] - bound).abs() <= 1e-9 * largest, "case {case}: bound {bound}, {}", r[3 * i]);
            assert!(moment <= bound + 1e-9 * largest, "case {case}: {moment} beyond {bound}");
            let is_at_bound = moment > bound * (1.0 - 1e-9);
            (at_bound, within) = (at_bound + usize::from(is_at_bound), within + usize::from(!is_at_bound));
        }
        let size = q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        for i in 0..q.len() {
            let off = (w.dot(i, &r) - w.dot(i, &other)).abs();
            assert!(off <= 1e-7 * size, "case {case}: rate {i} is {off:e} off");
        }
    }
    println!(
        "{solved} solved by both, {dense_solved} by the dense solver; {at_bound} at their bound, {within} within it"
    );
    assert!(100 * solved >= 95 * dense_solved, "{solved} of {dense_solved}");
    assert!(at_bound > 100 && within > 100, "{at_bound} at their bound, {within} within it");
}

/// Clarabel, an interior-point code of others, finds the same accelerations without friction.
#[test]
fn another_code_finds_the_same_motion_without_friction() {
    for s in [structures::wall(6, 6, 0.0), structures::pile(4, 0.0), structures::arch(11, 0.3, 0.0)] {
        let (outcome, r) = solve(&s, Choice::AsFound);
        let (other, residual) = rival::solve(&s);
        assert!(outcome.status == Status::Solved && outcome.residual <= 1e-10, "{outcome:?}");
        let (a, b) = (s.resultants(&r), s.resultants(&other));
        let apart = a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a.0 - b.0).length()));
        let largest = a.iter().fold(0.0, |m: f64, a| m.max(a.0.length()));
        // As good as the other's own residual allows.
        assert!(apart <= (1e-8 + 1e3 * residual) * largest, "{apart:e} of {largest}, theirs {residual:e}");
    }
}

/// An answer does not depend on the order of contacts beyond rounding.
#[test]
fn the_order_of_contacts_does_not_matter() {
    let s = structures::wall(5, 5, 0.5);
    let n = s.contacts.len();
    let order: Vec<usize> = (0..n).map(|i| (i * 37 + 11) % n).collect();
    let (_, r) = solve(&s, Choice::LeastNorm);
    let (_, other) = solve(&s.reordered(&order), Choice::LeastNorm);
    let largest = r.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
    for (place, &i) in order.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (r[3 * i + k], other[3 * place + k]);
            assert!((a - b).abs() < 1e-8 * largest, "contact {i}: {a} and {b}");
        }
    }
}

/// From the forces of an instant before, Newton's method needs a step or two.
#[test]
fn a_warm_start_is_used() {
    let s = structures::pyramid(12, 0.5);
    let (mut r, mut scratch) = (vec![0.0; s.problem().unknowns()], SparseScratch::default());
    let cold = solve_contacts(&s.problem(), Choice::AsFound, &mut r, &mut scratch);
    let again = solve_contacts(&s.problem(), Choice::AsFound, &mut r, &mut scratch);
    assert!(again.iterations <= 1 && again.residual <= 1e-10, "{cold:?}, then {again:?}");
    let mut heavier = s.clone();
    for c in &mut heavier.contacts {
        c.free = c.free.map(|q| 1.01 * q);
    }
    let near = solve_contacts(&heavier.problem(), Choice::AsFound, &mut r, &mut scratch);
    assert!(
        near.status == Status::Solved && near.iterations <= cold.iterations.max(4),
        "{near:?} after {cold:?}"
    );
}

/// A body between walls that close has no answer, and that is said.
#[test]
fn a_squeezed_body_has_no_answer() {
    let mut s = Structure::default();
    let body = s.brick(DVec3::ZERO, DVec3::splat(0.5), 1.0);
    s.accelerations[body] = DVec3::ZERO;
    for side in [-1.0, 1.0] {
        for y in [-0.5, 0.5] {
            s.touch([Some(body), None], dvec3(0.5 * side, y, 0.0), dvec3(-side, 0.0, 0.0), 0.3);
        }
    }
    for c in &mut s.contacts {
        c.free = [-1.0, 0.0, 0.0];
    }
    let (outcome, r) = solve(&s, Choice::LeastNorm);
    assert!(outcome.status == Status::Infeasible && r.iter().all(|r| r.is_finite()), "{outcome:?} {r:?}");
}

/// A chain of bodies hangs from joints: each carries what hangs below, also where every joint is given twice.
#[test]
fn joints_bear_what_hangs_from_them() {
    let mut s = Structure::default();
    for i in 0..5_usize {
        s.brick(dvec3(0.0, 0.0, -(i as f64) - 0.5), DVec3::splat(0.2), 2.0);
    }
    for i in 0..5_usize {
        let point = dvec3(0.0, 0.0, -(i as f64));
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::Z] {
            let above = i.checked_sub(1);
            let arm = above.map_or(DVec3::ZERO, |b| point - s.centres[b]);
            let row = Row::of_point(axis, point - s.centres[i], arm);
            let free = if i == 0 { -G * axis.z } else { 0.0 };
            s.joints.push(JointRow { bodies: [Some(i), above], row, free });
        }
    }
    let (outcome, r) = solve(&s, Choice::LeastNorm);
    assert!(outcome.status == Status::Solved && outcome.residual <= 1e-10 && !outcome.unique, "{outcome:?}");
    for i in 0..5 {
        let borne = (5 - i) as f64 * 2.0 * G;
        assert!((r[4 * i + 2] - 0.5 * borne).abs() < 1e-9 * borne, "joint {i}: {} of {borne}", r[4 * i + 2]);
        assert!((r[4 * i + 3] - 0.5 * borne).abs() < 1e-9 * borne);
    }
}

/// The ends of the scale: no friction, infinite friction, particles without inertia, a contact that nothing can move.
#[test]
fn odd_problems_are_answered() {
    let mut s = on_slope(0.5, 9.8, f64::INFINITY);
    let (outcome, r) = solve(&s, Choice::LeastNorm);
    assert!(outcome.status == Status::Solved && s.resultants(&r)[0].0.x < 0.0, "{outcome:?}");
    assert!((s.resultants(&r)[0].0 + s.accelerations[0]).length() < 1e-9);
    s.bodies[0].inv_inertia = DMat3::ZERO;
    assert_eq!(solve(&s, Choice::LeastNorm).0.status, Status::Solved);
    for c in &mut s.contacts {
        c.bodies = [None, None];
    }
    for c in &mut s.contacts {
        c.free = [1.0, 0.0, 0.0];
    }
    let (outcome, r) = solve(&s, Choice::LeastNorm);
    assert!(outcome.status == Status::Solved && r.iter().all(|&r| r == 0.0), "{outcome:?} {r:?}");
    let none = Structure::default();
    assert_eq!(solve(&none, Choice::LeastNorm).0.status, Status::Solved);
    let mut bad = on_slope(0.5, 9.8, 0.5);
    bad.contacts[0].free[0] = f64::NAN;
    assert_ne!(solve(&bad, Choice::LeastNorm).0.status, Status::Solved);
}
