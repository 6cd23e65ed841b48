//! Painlevé's rod: CASES A31.

use crate::structures::Structure;
use dolmen::math::{DMat3, DVec3, dvec3, real};
use dolmen::solve::sliding::{Sliding, classify_sliding};
use dolmen::solve::sparse::Mobility;

const G: f64 = 9.81;

/// A slender rod of half-length 1 and mass 1 whose lower end slides along x with sign `s`; its centre is at
/// (cos θ, sin θ) from there. The slip along the two tangents comes with it.
fn rod(theta: f64, spin: f64, s: f64, friction: f64, inertia: f64) -> (Structure, [f64; 2]) {
    let mut rod = Structure::default();
    let (sin, cos) = real::sin_cos(theta);
    rod.bodies
        .push(Mobility { inv_mass: 1.0, inv_inertia: DMat3::from_diagonal(DVec3::splat(1.0 / inertia)) });
    rod.centres.push(dvec3(cos, 0.0, sin));
    rod.accelerations.push(dvec3(0.0, 0.0, -G));
    rod.touch([Some(0), None], DVec3::ZERO, DVec3::Z, friction);
    // The end accelerates towards the centre by ω².
    rod.contacts[0].free[0] += spin * spin * sin;
    let along = |k: usize| rod.contacts[0].rows[k].linear_a.dot(s * DVec3::X);
    let slip = [along(1), along(2)];
    (rod, slip)
}

fn classify(theta: f64, spin: f64, s: f64, friction: f64) -> (Sliding, Vec<Vec<f64>>) {
    let (rod, slip) = rod(theta, spin, s, friction, 1.0 / 3.0);
    let answers = classify_sliding(&rod.problem(), &[slip]);
    (answers.verdict, answers.forces)
}

/// CASES A31: N = (g − l ω² sin θ) m/(1 + 3 cos θ (cos θ + μ s sin θ)), while that is positive.
#[test]
fn the_rod_is_pressed_as_published() {
    let theta = 60.0_f64.to_radians();
    for (s, expected) in [(-1.0, 8.91428427298), (1.0, 4.08831927731)] {
        let (verdict, forces) = classify(theta, 0.0, s, 0.5);
        assert_eq!(verdict, Sliding::Unique);
        assert!((forces[0][0] - expected).abs() < 1e-10, "{forces:?}");
    }
}

/// CASES A31: with μ = 2 there is no force at rest, and there are two answers when the rod spins.
#[test]
fn the_paradoxes_are_named() {
    let theta = 60.0_f64.to_radians();
    assert_eq!(classify(theta, 0.0, -1.0, 2.0).0, Sliding::Inconsistent);
    let (verdict, forces) = classify(theta, 4.0, -1.0, 2.0);
    assert_eq!(verdict, Sliding::SeveralMotions);
    assert!((forces[0][0] - 4.77127692816).abs() < 1e-10 && forces[1][0] == 0.0, "{forces:?}");
}

/// CASES A31: the interval of angles without an answer for μ = 2, and the least critical μ, both in closed form.
#[test]
fn the_paradox_begins_and_ends_where_it_should() {
    for (edge, inside) in [(37.3773681406_f64, 1e-6), (79.1876830364, -1e-6)] {
        assert_eq!(classify((edge + inside).to_radians(), 0.0, -1.0, 2.0).0, Sliding::Inconsistent, "{edge}");
        assert_eq!(classify((edge - inside).to_radians(), 0.0, -1.0, 2.0).0, Sliding::Unique, "{edge}");
    }
    let worst = 63.4349488229_f64.to_radians();
    assert_eq!(classify(worst, 0.0, -1.0, 4.0 / 3.0 - 1e-9).0, Sliding::Unique);
    assert_eq!(classify(worst, 0.0, -1.0, 4.0 / 3.0 + 1e-9).0, Sliding::Inconsistent);
    // Inertia 1 at 45°: critical at μ = 3.
    for (friction, verdict) in [(3.0 - 1e-9, Sliding::Unique), (3.0 + 1e-9, Sliding::Inconsistent)] {
        let (rod, slip) = rod(45.0_f64.to_radians(), 0.0, -1.0, friction, 1.0);
        assert_eq!(classify_sliding(&rod.problem(), &[slip]).verdict, verdict, "μ = {friction}");
    }
}

/// Redundant feet: forces are a choice, the motion of a sliding block is not; spinning feet leave even that open.
#[test]
fn redundant_feet_are_told_apart() {
    let mut s = Structure::default();
    let body = s.brick(dvec3(0.0, 0.0, 0.5), DVec3::splat(0.5), 1.0);
    s.face([Some(body), None], dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 0.0), 0.3);
    let along = |c: usize, d: DVec3| [1, 2].map(|k| s.contacts[c].rows[k].linear_a.dot(d));
    let slides: Vec<[f64; 2]> = (0..4).map(|c| along(c, DVec3::X)).collect();
    assert_eq!(classify_sliding(&s.problem(), &slides).verdict, Sliding::SeveralForces);
    // Slip of a turn about a corner's side: the directions differ from foot to foot.
    let turning: Vec<[f64; 2]> = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
        .iter()
        .enumerate()
        .map(|(c, &(x, y))| along(c, dvec3(-y, x + 1.0, 0.0).normalize()))
        .collect();
    assert_eq!(classify_sliding(&s.problem(), &turning).verdict, Sliding::SeveralMotions);
}
