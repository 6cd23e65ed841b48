//! Every solver that a scene can ask for.

use dolmen::solve::Status;

use super::common::*;

const EXACT: [&str; 3] = ["complementarity", "cone", "sparse"];
const ALL: [&str; 6] = ["complementarity", "cone", "sparse", "lemke", "quadratic", "linear"];

/// Without friction every solver carries the weight, and says how it ended.
#[test]
fn every_solver_carries_the_weight() {
    for scene in ["chair", "stack-of-bricks", "overhang"] {
        for solver in ALL {
            let chosen = format!("contact.solver={solver}");
            let mut simulation = start(scene, &["contact.friction=0", &chosen]);
            let moved = moved_until(&mut simulation, 1.0);
            let weight = weight(&simulation);
            near(-force_on(&mut simulation, "floor").z / weight, 1.0, 1e-10, &format!("{scene} by {solver}"));
            assert!(moved <= 1e-9, "{scene} by {solver} moved by {moved:e}");
            let forces = simulation.contact_forces();
            assert!(
                forces.iter().all(|f| f.status == Status::Solved && f.residual < 1e-9),
                "{solver}: {forces:?}"
            );
            let solves = simulation.solves();
            assert!(solves.problems > 0 && solves.unsolved == 0, "{scene} by {solver}: {solves:?}");
        }
    }
}

/// A ladder on a rough floor against a smooth wall: the wall pushes with m g (l sin α − t cos α)/(2 l cos α).
#[test]
fn solvers_with_friction_hold_a_ladder() {
    let (sin, cos) = dolmen::math::real::sin_cos(25.0_f64.to_radians());
    let expected = 2.0 * 9.81 * (2.0 * sin - 0.05 * cos) / (4.0 * cos);
    for solver in EXACT.into_iter().chain(["lemke"]) {
        let mut simulation = start("ladder", &[&format!("contact.solver={solver}")]);
        let moved = moved_until(&mut simulation, 1.0);
        assert!(moved <= 1e-9, "{solver}: moved by {moved:e}");
        near(force_on(&mut simulation, "wall").x, expected, 1e-9, &format!("wall by {solver}"));
        near(-force_on(&mut simulation, "floor").z, 2.0 * 9.81, 1e-9, &format!("floor by {solver}"));
    }
}

/// A pivot stops at a corner of the forces that fit: larger in norm than the least ones, and the same in sum.
#[test]
fn a_choice_of_forces_hangs_on_the_solver() {
    let norm = |solver: &str| {
        let mut simulation = start("chair", &["contact.friction=0", &format!("contact.solver={solver}")]);
        advance(&mut simulation, 0.0);
        simulation.contact_forces().iter().map(|f| f.normal_force * f.normal_force).sum::<f64>()
    };
    let least = norm("complementarity");
    for solver in ["cone", "sparse", "quadratic"] {
        near(norm(solver) / least, 1.0, 1e-9, solver);
    }
    for solver in ["lemke", "linear"] {
        assert!(norm(solver) > 1.001 * least, "{solver}: {} against {least}", norm(solver));
    }
}

/// What a solver does not know is refused with a word on what to do.
#[test]
fn a_solver_that_does_not_apply_is_refused() {
    let refused = |scene: &str, overrides: &[&str]| try_start(scene, overrides).err().unwrap_or_default();
    for solver in ["quadratic", "linear"] {
        let error = refused("ladder", &[&format!("contact.solver={solver}")]);
        assert!(
            error.contains(solver) && error.contains("knows no friction") && error.contains("0.4"),
            "{error}"
        );
    }
    let error = refused("ladder", &["contact.solver=intro"]);
    assert!(error.contains("driver = \"intro\""), "{error}");
    let error = refused("intro-cube", &["contact.solver=cone", "run.driver=intro"]);
    assert!(error.contains("solver of its own"), "{error}");
    for sides in ["2", "65"] {
        let error = refused("ladder", &["contact.solver=lemke", &format!("contact.lemke_sides={sides}")]);
        assert!(error.contains("from 3 to 64"), "{error}");
    }
    let error = refused("ladder", &["contact.lemke_sides=8"]);
    assert!(error.contains("solver = \"lemke\""), "{error}");
    for solver in ["sparse", "lemke"] {
        let error = refused("a28-joint-reactions", &[&format!("contact.solver={solver}")]);
        assert!(error.contains("joints (limits"), "{error}");
    }
}
