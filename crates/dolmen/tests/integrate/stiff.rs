//! Stiff problems.

use crate::common::{adaptive, slope};
use dolmen::integrate::{Method, Ode, Settings, Step, from_fn, solve_to};
use dolmen::math::linear::Matrix;
use dolmen::math::real;

/// Van der Pol's oscillator ẍ = μ(1 − x²)ẋ − x with μ = 1000, with its Jacobian.
struct VanDerPol {
    exact_jacobian: bool,
}

impl Ode for VanDerPol {
    fn dim(&self) -> usize {
        2
    }
    fn rates(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&[y[1], 1000.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]]);
    }
    fn jacobian(&mut self, _t: f64, y: &[f64], jacobian: &mut Matrix) -> bool {
        jacobian[(0, 1)] = 1.0;
        jacobian[(1, 0)] = -2000.0 * y[0] * y[1] - 1.0;
        jacobian[(1, 1)] = 1000.0 * (1.0 - y[0] * y[0]);
        self.exact_jacobian
    }
}

/// Reference of the IVP test set (there in time t/μ): x = 1.706167732170483, dx/dτ = −0.8928097010247975 at τ = 2.
#[test]
fn van_der_pol_meets_its_reference() {
    for exact_jacobian in [true, false] {
        for (relative, bound) in [(1e-6, 1e-4), (1e-9, 1e-7)] {
            let settings = adaptive(Method::Radau5, relative);
            let end =
                solve_to(&mut VanDerPol { exact_jacobian }, 0.0, &[2.0, 0.0], 2000.0, &settings).unwrap();
            let errors = [end.y[0] / 1.706167732170483 - 1.0, 1000.0 * end.y[1] / -0.8928097010247975 - 1.0]
                .map(f64::abs);
            println!(
                "van der Pol, {relative:.0e}: errors {:.1e} {:.1e}, {:?}",
                errors[0], errors[1], end.statistics
            );
            assert!(errors[0].max(errors[1]) < bound, "{errors:?}");
            assert!(end.statistics.steps < 10_000);
        }
    }
    let settings = adaptive(Method::BackwardEuler, 1e-5);
    let end = solve_to(&mut VanDerPol { exact_jacobian: true }, 0.0, &[2.0, 0.0], 2000.0, &settings).unwrap();
    let error = (end.y[0] - 1.706167732170483).abs();
    println!("van der Pol, backward Euler at 1e-5: error {error:.2e}, {:?}", end.statistics);
    assert!(error < 2e-2, "{error}");
}

/// Robertson's kinetics, three rates over nine decades; reference values of [HW IV.1] and the IVP test set.
#[test]
fn robertson_meets_its_reference() {
    let mut ode = from_fn(3, |_t, y: &[f64], dy: &mut [f64]| {
        let (slow, fast, mix) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
        dy.copy_from_slice(&[mix - slow, slow - mix - fast, fast]);
    });
    let references = [
        (40.0, [0.7158270687194, 9.185534764558e-6, 0.2841637457458]),
        (1e11, [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050]),
    ];
    for (t, reference) in references {
        let end = solve_to(&mut ode, 0.0, &[1.0, 0.0, 0.0], t, &adaptive(Method::Radau5, 1e-9)).unwrap();
        let errors = [0, 1, 2].map(|i: usize| (end.y[i] / reference[i] - 1.0).abs());
        println!(
            "Robertson at {t:e}: relative errors {:.1e} {:.1e}, {:?}",
            errors[0], errors[1], end.statistics
        );
        assert!(errors.iter().all(|e| *e < 1e-6), "at {t}: {errors:?}, y = {:?}", end.y);
    }
    let end =
        solve_to(&mut ode, 0.0, &[1.0, 0.0, 0.0], 40.0, &adaptive(Method::BackwardEuler, 1e-6)).unwrap();
    let error = (end.y[0] - references[0].1[0]).abs();
    println!("Robertson at 40 by backward Euler, 1e-6: error {error:.2e}, {} steps", end.statistics.steps);
    assert!(error < 1e-3, "{error}");
}

/// Prothero–Robinson: ẏ = λ(y − φ) + φ̇ has the solution φ whatever λ. At λ = −1e6 and h from 0.1 down the stages no
/// longer see the classical order: with z = hλ the error of Radau IIA is O(h⁴/z) = O(h³/λ), of backward Euler O(h/λ).
/// [HW IV.15]
#[test]
fn prothero_robinson_follows_its_guide() {
    let lambda = -1e6;
    let mut ode = from_fn(1, |t, y: &[f64], dy: &mut [f64]| {
        let (sin, cos) = real::sin_cos(t);
        dy[0] = lambda * (y[0] - sin) + cos;
    });
    for (method, order) in [(Method::Radau5, 3), (Method::BackwardEuler, 1)] {
        let points: Vec<(f64, f64)> = (0..5)
            .map(|i| {
                let h = 0.4 / f64::from(1u32 << i);
                let settings = Settings {
                    method: method.clone(),
                    step: Step::Fixed(h),
                    absolute: 1e-14,
                    ..Settings::default()
                };
                // From off the guide: what is fast must be damped away at once.
                let end = solve_to(&mut ode, 0.0, &[0.1], 4.0, &settings).unwrap();
                (h, (end.y[0] - real::sin(4.0)).abs())
            })
            .collect();
        println!(
            "Prothero–Robinson by {}: {:?}, slope {:.2}",
            method.name(),
            points.iter().map(|p| format!("{:.1e}", p.1)).collect::<Vec<_>>(),
            slope(&points)
        );
        let within = points.iter().all(|p| p.1 < real::powi(p.0, order) / lambda.abs());
        assert!(within, "{method:?}: {points:?}");
        assert!((slope(&points) - f64::from(order)).abs() < 0.2, "{method:?}: {points:?}");
    }
}

/// An explicit method on a stiff problem stays right but reports what limits it; on an orbit it reports nothing.
#[test]
fn explicit_methods_report_stiffness() {
    for name in ["dop853", "dormand_prince"] {
        let mut relaxation =
            from_fn(1, |t, y: &[f64], dy: &mut [f64]| dy[0] = -1e4 * (y[0] - real::cos(t)) - real::sin(t));
        let settings = Settings { relative: 1e-5, ..adaptive(Method::named(name).unwrap(), 1e-5) };
        let end = solve_to(&mut relaxation, 0.0, &[2.0], 1.0, &settings).unwrap();
        println!("{name}: stiff at {:?} in {} steps", end.statistics.stiff_at, end.statistics.steps);
        assert!(end.statistics.stiff_at.is_some_and(|t| t < 0.5), "{:?}", end.statistics);
        assert!((end.y[0] - real::cos(1.0)).abs() < 1e-4);
        let mut orbit = crate::common::Kepler { eccentricity: 0.5 };
        let start = orbit.exact(0.0);
        let end = solve_to(&mut orbit, 0.0, &start, 50.0, &settings).unwrap();
        assert_eq!(end.statistics.stiff_at, None);
    }
}
