//! The solvers against each other.

use crate::random::{self, Numbers};
use crate::structures::{self, G, Structure};
use dolmen::math::Row;
use dolmen::math::{DVec3, dvec3, real};
use dolmen::solve::Status;
use dolmen::solve::choose::{Answer, ContactSolver, Note, SolverScratch, solve_forces};
use dolmen::solve::sparse::{JointRow, contact_residual};

const ALL: [ContactSolver; 4] = [
    ContactSolver::Complementarity,
    ContactSolver::Lemke { sides: 8 },
    ContactSolver::Quadratic,
    ContactSolver::Linear,
];

fn solve(solver: ContactSolver, s: &Structure) -> (Answer, Vec<f64>) {
    let mut r = vec![0.0; s.problem().unknowns()];
    let answer = solve_forces(solver, &s.problem(), &mut r, &mut SolverScratch::default());
    (answer, r)
}

/// The largest difference of the forces on bodies.
fn apart(s: &Structure, a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (s.resultants(a), s.resultants(b));
    a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a.0 - b.0).length()).max((a.1 - b.1).length()))
}

/// Names in scenes lead to the solvers and back.
#[test]
fn solvers_are_found_by_their_names() {
    for solver in ALL {
        assert_eq!(ContactSolver::from_name(solver.name()), Some(solver));
    }
    assert_eq!(ContactSolver::from_name("penalty"), None);
    assert_eq!(ContactSolver::default(), ContactSolver::Complementarity);
}

/// Without friction accelerations are unique: four algorithms must agree on what the bodies do, singular or not.
#[test]
fn four_solvers_agree_without_friction() {
    let mut numbers = Numbers(3);
    let (mut right, mut guessed_wrongly, mut squeezed) = (0, 0, 0);
    for case in 0..300 {
        let contacts = 1 + numbers.below(7);
        let s = random::structure(&mut numbers, contacts, 0.0);
        let answers: Vec<(Answer, Vec<f64>)> = ALL.iter().map(|&solver| solve(solver, &s)).collect();
        let statuses: Vec<Status> = answers.iter().map(|a| a.0.outcome.status).collect();
        if statuses.contains(&Status::Infeasible) {
            squeezed += 1;
            assert!(statuses.iter().all(|s| *s != Status::Solved), "case {case}: {statuses:?}");
            continue;
        }
        let referee = &answers[2];
        let size = s.resultants(&referee.1).iter().fold(1e-3, |m: f64, a| m.max(a.0.length()));
        for (solver, (answer, r)) in ALL.iter().zip(&answers) {
            assert!(answer.outcome.status == Status::Solved, "case {case}: {solver:?} {answer:?}");
            if let Note::ApproximateForces { excess } = answer.note {
                guessed_wrongly += 1;
                // No body approaches; the library ends at 1e-7.
                assert!(excess > 0.0 && answer.outcome.residual < 1e-6, "case {case}: {answer:?}");
                continue;
            }
            right += 1;
            assert!(answer.outcome.residual < 1e-10, "case {case}: {solver:?} {answer:?}");
            let off = apart(&s, r, &referee.1);
            assert!(off < 1e-7 * size, "case {case}: {solver:?} off by {off:e} of {size}");
        }
    }
    println!(
        "{right} answers, {squeezed} without any, {guessed_wrongly} guesses of the linear program wrong"
    );
    assert!(right > 600 && guessed_wrongly > 0);
}

/// A block and a wedge: a box whose half hangs over leaves the far corners; the paper's guess of what vanishes is right.
#[test]
fn the_linear_program_sees_which_contact_vanishes() {
    let mut s = Structure::default();
    let body = s.brick(dvec3(0.0, 0.0, 0.5), DVec3::splat(0.5), 1.0);
    // Supported left of its centre only: it tips over the edge at x = −0.1 and leaves the corners at −0.5.
    for x in [-0.5, -0.1] {
        for y in [-0.5, 0.5] {
            s.touch([Some(body), None], dvec3(x, y, 0.0), DVec3::Z, 0.0);
        }
    }
    let (answer, r) = solve(ContactSolver::Linear, &s);
    assert_eq!(answer.note, Note::Vanishing(2));
    assert!(answer.outcome.residual < 1e-12 && r[0].abs() < 1e-12 && r[3].abs() < 1e-12, "{answer:?} {r:?}");
    // Rotation about the edge: force m g/(1 + m d²/I), d = 0.1, I = 1/6, by two contacts.
    let expected = G / (1.0 + 0.01 * 6.0);
    assert!((r[6] + r[9] - expected).abs() < 1e-9, "{r:?}, expected {expected}");
    let (answer, _) = solve(ContactSolver::Linear, &structures::column(3, 0.0, |_| 1.0));
    assert_eq!((answer.note, answer.outcome.status), (Note::Exact, Status::Solved));
}

/// A cone of sides is within 1 − cos(π/sides) of the round one, and comes to it as sides grow: a block sliding at an angle
/// to the axes.
#[test]
fn more_sides_come_nearer_to_the_round_cone() {
    let mut last = f64::INFINITY;
    for sides in [4, 8, 16, 32] {
        let mut worst = 0.0_f64;
        for k in 0..7 {
            let (sin, cos) = real::sin_cos(0.1 + 0.2 * f64::from(k));
            let mut s = Structure::default();
            let body = s.brick(dvec3(0.0, 0.0, 0.05), dvec3(0.5, 0.5, 0.05), 1.0);
            s.accelerations[body] = dvec3(20.0 * cos, 20.0 * sin, -G);
            s.face([Some(body), None], dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 0.0), 0.3);
            let (answer, r) = solve(ContactSolver::Lemke { sides }, &s);
            assert_eq!((answer.outcome.status, answer.note), (Status::Solved, Note::Sides(sides)));
            assert!(answer.outcome.residual < 1e-10, "{answer:?}");
            let (round, exact) = solve(ContactSolver::Complementarity, &s);
            assert!(round.outcome.status == Status::Solved && contact_residual(&s.problem(), &exact) < 1e-10);
            let friction = |r: &[f64]| s.resultants(r)[0].0.with_z(0.0);
            worst = worst.max((friction(&r) - friction(&exact)).length() / (0.3 * G));
        }
        // The cone with corners on the circle: direction off by half a side at most.
        let bound = 2.0 * real::sin(0.5 * real::PI / sides as f64) + 1e-9;
        assert!(worst <= bound && worst < last, "{sides} sides: {worst}, bound {bound}");
        last = worst;
    }
}

/// A sticking structure sticks whatever the shape of the cone, and cycling does not come up on redundant contacts.
#[test]
fn pivots_end_on_redundant_contacts() {
    let s = structures::column(4, 0.6, |_| 1.0);
    for sides in [3, 4, 8] {
        let (answer, r) = solve(ContactSolver::Lemke { sides }, &s);
        assert!(answer.outcome.status == Status::Solved && s.imbalance(&r) < 1e-10, "{sides}: {answer:?}");
    }
    let smooth = structures::wall(4, 3, 0.0);
    for solver in ALL {
        let (answer, r) = solve(solver, &smooth);
        assert!(answer.outcome.status == Status::Solved, "{solver:?}: {answer:?}");
        assert!(smooth.imbalance(&r) < 1e-10, "{solver:?}: {:e}", smooth.imbalance(&r));
    }
}

/// A beam on a hinge and a prop: joints' multipliers of either sign come out of every solver.
#[test]
fn joints_are_solved_with_the_contacts() {
    let mut s = Structure::default();
    let beam = s.brick(dvec3(0.5, 0.0, 0.0), dvec3(0.5, 0.05, 0.05), 2.0);
    // A pin at x = 0 that keeps all but the turn about y; a prop below at x = 0.25, so that the pin pulls down.
    for axis in DVec3::AXES {
        let row = Row::of_point(axis, -s.centres[beam], DVec3::ZERO);
        s.joints.push(JointRow { bodies: [Some(beam), None], row, free: -G * axis.z });
    }
    for axis in [DVec3::X, DVec3::Z] {
        let row = Row { linear_a: DVec3::ZERO, angular_a: axis, linear_b: DVec3::ZERO, angular_b: -axis };
        s.joints.push(JointRow { bodies: [Some(beam), None], row, free: 0.0 });
    }
    s.touch([Some(beam), None], dvec3(0.25, 0.0, 0.0), DVec3::Z, 0.0);
    for solver in ALL {
        let (answer, r) = solve(solver, &s);
        assert!(answer.outcome.status == Status::Solved, "{solver:?}: {answer:?}");
        // Moments about the pin: prop · 0.25 = 2 g · 0.5.
        assert!((r[0] - 4.0 * G).abs() < 1e-9 && (r[5] + 2.0 * G).abs() < 1e-9, "{solver:?}: {r:?}");
    }
}

/// A squeezed body: every solver says that there are no forces.
#[test]
fn squeezed_bodies_have_no_forces() {
    let mut s = Structure::default();
    let body = s.brick(DVec3::ZERO, DVec3::splat(0.5), 1.0);
    for side in [-1.0, 1.0] {
        s.touch([Some(body), None], dvec3(0.5 * side, 0.0, 0.0), dvec3(-side, 0.0, 0.0), 0.0);
    }
    for c in &mut s.contacts {
        c.free = [-1.0, 0.0, 0.0];
    }
    for solver in ALL {
        let (answer, r) = solve(solver, &s);
        let said = answer.outcome.status != Status::Solved && answer.outcome.residual > 1e-3;
        assert!(said && r.iter().all(|r| r.is_finite()), "{solver:?}: {answer:?} {r:?}");
    }
}
