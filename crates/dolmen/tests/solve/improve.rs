//! Forces that are at hand already: made exact, and of least norm, by Newton's method alone.

use crate::random::Numbers;
use crate::structures;
use dolmen::solve::Status;
use dolmen::solve::sparse::{
    Choice, SparseScratch, contact_residual, improve_contacts, solve_contacts, solve_contacts_to,
};

/// From forces that balance a structure to some digits, whichever they are, those of least norm are found, as from no start at all.
#[test]
fn forces_at_hand_become_those_of_least_norm() {
    let mut numbers = Numbers(3);
    for (name, s) in [
        ("column", structures::column(20, 0.4, |k| 1.0 + 0.1 * k as f64)),
        ("wall", structures::wall(6, 7, 0.4)),
        ("pyramid", structures::pyramid(9, 0.7)),
    ] {
        let problem = s.problem();
        let mut expected = vec![0.0; problem.unknowns()];
        let outcome =
            solve_contacts(&problem, Choice::LeastNorm, &mut expected, &mut SparseScratch::default());
        assert_eq!(outcome.status, Status::Solved, "{name}: {outcome:?}");
        let largest = expected.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
        for crude in [0.0, 1e-9, 1e-6] {
            let mut scratch = SparseScratch::default();
            let mut r: Vec<f64> =
                expected.iter().map(|f| f + crude * largest * (numbers.next() - 0.5)).collect();
            // Others that balance it as well: these are not of least norm.
            let _ = solve_contacts_to(1e-7, &problem, Choice::AsFound, &mut r, &mut scratch);
            let outcome = improve_contacts(&problem, &mut r, &mut scratch);
            let residual = contact_residual(&problem, &r);
            assert!(outcome.status == Status::Solved && residual <= 1e-11, "{name}, {crude:e}: {outcome:?}");
            let off = r.iter().zip(&expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            println!("{name}, {crude:e}: {outcome:?}, off {:e}", off / largest);
            assert!(off <= 1e-8 * largest, "{name}, {crude:e}: off {:e}", off / largest);
        }
    }
}

/// Forces that balance nothing are not made to, and what comes back is no worse than what was given.
#[test]
fn forces_that_balance_nothing_are_reported() {
    // Newton's method alone does not come from no forces at all to those of a pile of which some slide.
    let s = structures::pile(5, 0.3);
    let problem = s.problem();
    let mut r = vec![0.0; problem.unknowns()];
    let before = contact_residual(&problem, &r);
    let outcome = improve_contacts(&problem, &mut r, &mut SparseScratch::default());
    let residual = contact_residual(&problem, &r);
    assert!((residual - outcome.residual).abs() <= 1e-3 * residual.max(1e-11));
    assert!(
        outcome.status == Status::OutOfIterations && residual <= before,
        "{outcome:?}, before {before:e}"
    );
}
