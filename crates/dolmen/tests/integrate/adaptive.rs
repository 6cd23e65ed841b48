//! Error control, stops, and the way back.

use crate::common::{Kepler, adaptive, distance, explicit, slope};
use dolmen::integrate::{Integrator, Method, Settings, Step, StepError, from_fn, solve, solve_to};
use dolmen::math::real;

/// Error per step is kept at the tolerance, so with an estimate ∝ hᵏ and a method of order p the global error is
/// proportional to tolerance^(p/k): exponent 1 where the estimate is of the order of the method (embedded pairs with
/// local extrapolation, k = p), p/(p + 1) under step doubling.
#[test]
fn errors_follow_the_tolerance() {
    let doubled = |p: f64| p / (p + 1.0);
    let cases = [
        (explicit("euler"), doubled(1.0), -3.0),
        (explicit("midpoint"), doubled(2.0), -5.0),
        (explicit("rk4"), doubled(4.0), -6.0),
        (explicit("bogacki_shampine"), 1.0, -5.0),
        (explicit("fehlberg45"), doubled(4.0), -6.0),
        (explicit("cash_karp"), 1.0, -6.0),
        (Method::DormandPrince, 1.0, -6.0),
        (Method::Dop853, 1.0, -8.0),
        (Method::Adams { order: None }, 1.0, -5.0),
        (Method::Adams { order: Some(6) }, 1.0, -6.0),
        (Method::SemiImplicitEuler, doubled(1.0), -3.0),
        (Method::BackwardEuler, doubled(1.0), -3.0),
        (Method::ImplicitMidpoint, doubled(2.0), -5.0),
        (Method::Radau5, 5.0 / 4.0, -5.0),
    ];
    let problem = Kepler { eccentricity: 0.3 };
    for (method, expected, first) in cases {
        let points: Vec<(f64, f64)> = (0..7)
            .map(|i| {
                let relative = real::pow(10.0, first - 0.5 * f64::from(i));
                let settings = adaptive(method.clone(), relative);
                let solution = solve(&mut { problem }, 0.0, &problem.exact(0.0), 5.0, &settings).unwrap();
                let worst = solution
                    .spans()
                    .iter()
                    .map(|s| distance(s.y1(), &problem.exact(s.t1)))
                    .fold(0.0, f64::max);
                (relative, worst)
            })
            .collect();
        let exponent = slope(&points);
        println!(
            "{:<20} error ∝ tolerance^{exponent:.3} (expected {expected:.3}); error/tolerance {:.1} to {:.1}",
            method.name(),
            points[0].1 / points[0].0,
            points[6].1 / points[6].0
        );
        assert!((exponent - expected).abs() < 0.25, "{method:?}: exponent {exponent}, expected {expected}");
    }
}

/// f jumps at t = 1/√2. With the stop announced, steps end there and the error is that of a smooth problem; without,
/// the step control has to fight its way through.
#[test]
fn a_stop_at_a_jump_keeps_the_order() {
    let jump = 0.5f64.sqrt();
    let exact = |t: f64| real::exp(jump) * real::exp(-3.0 * (t - jump));
    // Exactly at the jump the old branch holds: the step that ends there must not see the new one.
    let before = |_t: f64, y: &[f64], dy: &mut [f64]| dy[0] = y[0];
    let after = |_t: f64, y: &[f64], dy: &mut [f64]| dy[0] = -3.0 * y[0];
    for (method, order) in [(explicit("rk4"), 4.0), (Method::DormandPrince, 5.0), (Method::Dop853, 8.0)] {
        let points: Vec<(f64, f64)> = (0..5)
            .map(|i| {
                let h = if order > 6.0 { 0.25 } else { 0.1 } / real::powi(1.4, i);
                let settings =
                    Settings { method: method.clone(), step: Step::Fixed(h), ..Settings::default() };
                let mut integrator = Integrator::new(settings, 1).unwrap();
                let mut ode = from_fn(1, before);
                integrator.start(&mut ode, 0.0, &[1.0], 2.0).unwrap();
                while integrator.time() < jump {
                    integrator.step(&mut ode, Some(jump)).unwrap();
                }
                assert_eq!(integrator.time(), jump);
                let (mut ode, y) = (from_fn(1, after), integrator.state().to_vec());
                integrator.restart(&mut ode, jump, &y).unwrap();
                while integrator.time() < 2.0 {
                    integrator.step(&mut ode, Some(2.0)).unwrap();
                }
                (h, (integrator.state()[0] - exact(2.0)).abs())
            })
            .collect();
        let measured = slope(&points);
        println!("{:<20} order {measured:.2} across a jump, errors {:?}", method.name(), points);
        assert!((measured - order).abs() < 0.6, "{method:?}: order {measured} across the jump");
    }
}

/// A stop is met exactly, the steps before it are those without a stop up to the last three (where steps shrink, the
/// halved rest may need a third), and none is a sliver.
#[test]
fn stops_are_met_without_slivers() {
    for method in [Method::Dop853, Method::DormandPrince, Method::Adams { order: None }, Method::Radau5] {
        let problem = Kepler { eccentricity: 0.3 };
        let free =
            solve(&mut { problem }, 0.0, &problem.exact(0.0), 50.0, &adaptive(method.clone(), 1e-8)).unwrap();
        for stop in [7.3, 9.0, free.spans()[20].t1 + 1e-9] {
            let bound =
                solve(&mut { problem }, 0.0, &problem.exact(0.0), stop, &adaptive(method.clone(), 1e-8))
                    .unwrap();
            let n = bound.spans().len();
            assert_eq!(bound.spans()[n - 1].t1, stop);
            let differ = (0..n - 3).find(|&i| bound.spans()[i] != free.spans()[i]);
            assert_eq!(differ, None, "{method:?}: of {n} steps to {stop}");
            let lengths = [n - 2, n - 1].map(|i| bound.spans()[i].t1 - bound.spans()[i].t0);
            assert!(lengths[1] > 0.2 * lengths[0], "{method:?}: last steps {lengths:?}");
        }
    }
}

/// Forward and back again: the state returns to its start as closely as each way errs.
#[test]
fn integration_backward_returns_to_the_start() {
    for name in ["dormand_prince", "dop853", "adams", "radau5", "bogacki_shampine", "implicit_midpoint"] {
        let mut problem = Kepler { eccentricity: 0.3 };
        let loose = ["bogacki_shampine", "implicit_midpoint"].contains(&name);
        let settings = adaptive(Method::named(name).unwrap(), if loose { 1e-8 } else { 1e-11 });
        let start = problem.exact(0.0);
        let there = solve_to(&mut problem, 0.0, &start, 10.0, &settings).unwrap();
        let back = solve_to(&mut problem, 10.0, &there.y, 0.0, &settings).unwrap();
        let (out, gap) = (distance(&there.y, &problem.exact(10.0)), distance(&back.y, &start));
        println!("{name:<20} error at 10: {out:.2e}, back at 0: {gap:.2e}");
        let bound = if loose { 2e-4 } else { 1e-8 };
        assert!(gap < bound && out < bound, "{name}: {out}, {gap}");
    }
}

/// ẏ = y² from 1 has the solution 1/(1 − t): every method says so near t = 1, and none runs on.
#[test]
fn a_blow_up_is_reported_where_it_happens() {
    for name in ["rk4", "dormand_prince", "dop853", "adams", "radau5", "backward_euler", "cash_karp"] {
        let mut ode = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
        let settings =
            Settings { method: Method::named(name).unwrap(), relative: 1e-6, ..Settings::default() };
        let error = solve_to(&mut ode, 0.0, &[1.0], 2.0, &settings).unwrap_err();
        println!("{name}: {error}");
        match error {
            StepError::StepTooSmall { t, .. }
            | StepError::NotFinite { t, .. }
            | StepError::Newton { t, .. } => {
                assert!((t - 1.0).abs() < 1e-3, "{name} stopped at {t}");
            }
            other => panic!("{name}: {other}"),
        }
    }
    let mut ode = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
    let settings = Settings { method: explicit("rk4"), step: Step::Fixed(0.01), ..Settings::default() };
    assert!(matches!(solve_to(&mut ode, 0.0, &[1.0], 2.0, &settings), Err(StepError::NotFinite { .. })));
}

/// A state at rest at the origin has no scale at all: the first step must still come out, and free fall is exact.
#[test]
fn a_start_from_nothing_finds_its_step() {
    let mut fall = from_fn(3, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -9.81, 0.0]));
    for name in ["dop853", "dormand_prince", "adams", "radau5", "bogacki_shampine"] {
        let settings =
            Settings { method: Method::named(name).unwrap(), relative: 1e-9, ..Settings::default() };
        let end = solve_to(&mut fall, 0.0, &[0.0; 3], 10.0, &settings).unwrap();
        assert!(
            (end.y[0] + 490.5).abs() < 1e-5 && (end.y[1] + 98.1).abs() < 1e-8 && end.y[2] == 0.0,
            "{name}: {end:?}"
        );
        assert!(end.statistics.steps < 1000, "{name}: {:?}", end.statistics);
    }
}

/// Masses in a row, the first pushed from rest: the n-th moves as t^(2n), so that at the start the error of the far ones,
/// relative to what they have moved, does not shrink with the step. They are left out of the first step and no more.
#[test]
fn components_that_grow_from_nothing_do_not_stop_the_start() {
    let mut chain = from_fn(24, |_t, y: &[f64], dy: &mut [f64]| {
        for i in 0..12 {
            let right = if i < 11 { y[i + 1] } else { 0.0 };
            let left = if i > 0 { y[i - 1] } else { y[0] };
            dy[i] = y[12 + i];
            dy[12 + i] = left + right - 2.0 * y[i] + if i == 0 { 1.0 } else { 0.0 };
        }
    });
    let reference = adaptive_with_floor(&mut chain, Method::Dop853);
    for name in ["dop853", "dormand_prince", "cash_karp", "radau5"] {
        let settings = adaptive(Method::named(name).unwrap(), 1e-9);
        let end = solve_to(&mut chain, 0.0, &[0.0; 24], 10.0, &settings).unwrap();
        let error = distance(&end.y, &reference);
        println!(
            "{name:<20} {} steps, {} rejected, error {error:.1e}",
            end.statistics.steps, end.statistics.rejected
        );
        assert!(error < 1e-6, "{name}: {error}");
    }
}

/// The same equation with an absolute tolerance, which has none of these troubles.
fn adaptive_with_floor(ode: &mut dyn dolmen::integrate::Ode, method: Method) -> Vec<f64> {
    let settings = Settings { absolute: 1e-13, ..adaptive(method, 1e-13) };
    solve_to(ode, 0.0, &[0.0; 24], 10.0, &settings).unwrap().y
}
