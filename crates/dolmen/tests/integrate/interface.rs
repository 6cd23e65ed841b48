//! The interface: refusals, clones, projections, compensation.

use crate::common::{Kepler, adaptive, fixed};
use dolmen::integrate::{Integrator, Method, Ode, Settings, Step, StepError, from_fn, solve_to};

const METHODS: [&str; 10] = [
    "rk4",
    "cash_karp",
    "euler",
    "dormand_prince",
    "dop853",
    "adams",
    "semi_implicit_euler",
    "backward_euler",
    "implicit_midpoint",
    "radau5",
];

/// A clone in the midst of a run goes on with the same bits, for every method.
#[test]
fn a_clone_goes_on_with_the_same_bits() {
    for name in METHODS {
        for compensated in [false, true] {
            let mut problem = Kepler { eccentricity: 0.3 };
            let settings = Settings { compensated, ..adaptive(Method::named(name).unwrap(), 1e-5) };
            let mut integrator = Integrator::new(settings, 4).unwrap();
            integrator.start(&mut { problem }, 0.0, &problem.exact(0.0), 1e3).unwrap();
            for _ in 0..25 {
                integrator.step(&mut problem, None).unwrap();
            }
            let mut copy = integrator.clone();
            for _ in 0..25 {
                integrator.step(&mut problem, None).unwrap();
            }
            for _ in 0..25 {
                copy.step(&mut problem, None).unwrap();
            }
            assert_eq!(integrator.span(), copy.span(), "{name}");
            assert_eq!(integrator.statistics(), copy.statistics());
        }
    }
}

/// Refusals say what is wrong and leave the integrator where it was.
#[test]
fn refusals_are_clear() {
    let mut line = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], 0.0]));
    let mut integrator = Integrator::new(Settings::default(), 2).unwrap();
    assert_eq!(integrator.step(&mut line, None), Err(StepError::NotStarted));
    assert_eq!(integrator.restart(&mut line, 0.0, &[0.0; 2]), Err(StepError::NotStarted));
    assert!(matches!(integrator.start(&mut line, 0.0, &[0.0; 3], 1.0), Err(StepError::Dimension { .. })));
    assert!(matches!(integrator.start(&mut line, 0.0, &[0.0; 2], 0.0), Err(StepError::StopBehind { .. })));
    assert!(matches!(
        integrator.start(&mut line, 0.0, &[0.0; 2], f64::NAN),
        Err(StepError::StopBehind { .. })
    ));
    assert!(matches!(
        integrator.start(&mut line, 0.0, &[f64::NAN, 0.0], 1.0),
        Err(StepError::NotFinite { .. })
    ));
    integrator.start(&mut line, 0.0, &[0.0, 1.0], 1.0).unwrap();
    assert!(matches!(integrator.step(&mut line, Some(-1.0)), Err(StepError::StopBehind { .. })));
    assert!(matches!(integrator.step(&mut line, Some(f64::NAN)), Err(StepError::StopBehind { .. })));
    assert_eq!((integrator.time(), integrator.state()), (0.0, &[0.0, 1.0][..]));
    let settings = Settings { method: Method::SemiImplicitEuler, ..Settings::default() };
    let error = solve_to(&mut line, 0.0, &[0.0, 1.0], 1.0, &settings).unwrap_err();
    assert_eq!(error, StepError::NeedsMomenta { given: 0, dim: 2 });
    let settings = Settings { max_steps: 10, ..Settings::default() };
    let mut orbit = Kepler { eccentricity: 0.5 };
    let start = orbit.exact(0.0);
    let error = solve_to(&mut orbit, 0.0, &start, 100.0, &settings).unwrap_err();
    assert!(matches!(error, StepError::TooManySteps { max_steps: 10, .. }), "{error}");
    // A fixed step that time cannot resolve.
    let error = solve_to(&mut line, 1e6, &[0.0, 1.0], 1e6 + 1.0, &fixed(Method::Dop853, 1e-12)).unwrap_err();
    assert!(matches!(error, StepError::StepTooSmall { .. }), "{error}");
}

/// A fixed implicit step on which Newton diverges is refused with its numbers; an adaptive one gets through.
#[test]
fn newtons_failure_is_told() {
    for method in [Method::BackwardEuler, Method::Radau5, Method::ImplicitMidpoint] {
        let mut steep = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = 1.0 + y[0] * y[0]);
        let settings = Settings { method, step: Step::Fixed(1.4), ..Settings::default() };
        let error = solve_to(&mut steep, 0.0, &[0.0], 1.4, &settings).unwrap_err();
        assert!(matches!(error, StepError::Newton { .. }), "{error}");
        let settings = Settings { relative: 1e-5, step: Step::FREE, ..settings };
        let y = solve_to(&mut steep, 0.0, &[0.0], 1.4, &settings).unwrap().y[0];
        assert!((y / dolmen::math::real::tan(1.4) - 1.0).abs() < 0.05, "{y}");
    }
}

/// A circle drawn by ẋ = −y, ẏ = x, projected onto r = 1 after each step.
struct Circle;

impl Ode for Circle {
    fn dim(&self) -> usize {
        2
    }
    fn rates(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&[-y[1], y[0]]);
    }
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let radius = (y[0] * y[0] + y[1] * y[1]).sqrt();
        y[0] /= radius;
        y[1] /= radius;
        self.rates(t, y, dy);
    }
}

/// The end of every step lies on the manifold, the span arrives there, and the next one starts from it.
#[test]
fn projections_keep_the_manifold() {
    for name in ["rk4", "dormand_prince", "dop853", "adams", "radau5", "implicit_midpoint", "backward_euler"]
    {
        let mut integrator = Integrator::new(adaptive(Method::named(name).unwrap(), 1e-4), 2).unwrap();
        integrator.start(&mut Circle, 0.0, &[1.0, 0.0], 20.0).unwrap();
        let mut last = vec![1.0, 0.0];
        while integrator.time() < 20.0 {
            let span = integrator.step(&mut Circle, Some(20.0)).unwrap();
            assert_eq!(span.y0(), &last[..]);
            let y = span.y1();
            assert!((y[0] * y[0] + y[1] * y[1] - 1.0).abs() < 1e-15, "{name}: {y:?}");
            let near = span.component(0, span.t1.next_down());
            assert!(
                (near - y[0]).abs() < 1e-13,
                "{name}: the polynomial ends in {near}, the span in {}",
                y[0]
            );
            last = y.to_vec();
        }
        let error = (integrator.state()[0] - dolmen::math::real::cos(20.0)).abs();
        assert!(error < 0.1, "{name}: {error}");
    }
}

/// ẏ = 1/3 in a million fixed steps: rounding of the sum grows to some 1e-11 of it; carried along, to none.
#[test]
fn compensation_removes_the_rounding_of_sums() {
    for name in ["rk4", "adams", "semi_implicit_euler"] {
        let mut errors = [0.0; 2];
        for (i, compensated) in [false, true].into_iter().enumerate() {
            let mut drift = Drift;
            let mut integrator =
                Integrator::new(Settings { compensated, ..fixed(Method::named(name).unwrap(), 1e-4) }, 1)
                    .unwrap();
            integrator.start(&mut drift, 0.0, &[0.0], 20.0).unwrap();
            while integrator.time() < 20.0 {
                integrator.step(&mut drift, Some(20.0)).unwrap();
            }
            errors[i] = (integrator.state()[0] / (20.0 / 3.0) - 1.0).abs();
        }
        println!("{name}: {errors:?}");
        assert!(errors[1] <= 2.0 * f64::EPSILON && errors[0] > 8.0 * errors[1], "{name}: {errors:?}");
    }
}

struct Drift;

impl Ode for Drift {
    fn dim(&self) -> usize {
        1
    }
    fn rates(&mut self, _t: f64, _y: &[f64], dy: &mut [f64]) {
        dy[0] = 1.0 / 3.0;
    }
    fn momenta(&self) -> Option<&[bool]> {
        Some(&[true])
    }
}
