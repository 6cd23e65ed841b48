//! Dense output: its order, its ends, and the bounds read off it.

use crate::common::{Kepler, adaptive, explicit, fixed, slope};
use dolmen::integrate::{Integrator, Method, Span, from_fn, solve};
use dolmen::math::real;
use proptest::prelude::*;

fn one_step(method: &Method, h: f64) -> Span {
    let mut problem = Kepler { eccentricity: 0.3 };
    let mut integrator = Integrator::new(fixed(method.clone(), h), 4).unwrap();
    integrator.start(&mut { problem }, 0.5, &problem.exact(0.5), f64::INFINITY).unwrap();
    integrator.step(&mut problem, None).unwrap().clone()
}

/// Within one step from exact data an interpolant of order q errs by O(h^(q+1)). The methods' own errors at the end
/// are of higher order, but for Hermite's cubic on a method of order 4 and for the collocation polynomial of Radau.
#[test]
fn dense_output_has_its_order() {
    let problem = Kepler { eccentricity: 0.3 };
    let cases = [
        (explicit("rk4"), 3.0, 0.1),
        (explicit("cash_karp"), 3.0, 0.1),
        (Method::DormandPrince, 4.0, 0.2),
        (Method::Dop853, 7.0, 0.25),
        (Method::Radau5, 3.0, 0.1),
    ];
    for (method, order, coarsest) in cases {
        let points: Vec<(f64, f64)> = (0..6)
            .map(|i| {
                let h = coarsest / real::powi(1.3, i);
                let span = one_step(&method, h);
                let error = (1..20)
                    .map(|s| 0.5 + h * f64::from(s) / 20.0)
                    .flat_map(|t| (0..4).map(move |c| (t, c)))
                    .fold(0.0, |worst: f64, (t, c)| {
                        worst.max((span.component(c, t) - problem.exact(t)[c]).abs())
                    });
                (h, error)
            })
            .collect();
        let measured = slope(&points) - 1.0;
        println!(
            "{:<20} dense order {measured:.3}, errors {:.2e} to {:.2e}",
            method.name(),
            points[0].1,
            points[5].1
        );
        assert!(
            (measured - order).abs() < 0.25,
            "{method:?}: dense output of order {measured}, should be {order}"
        );
    }
}

/// Every method's span begins and ends exactly in its states, joins the next one, and has the right slopes inside.
#[test]
fn spans_join_exactly() {
    for name in
        ["rk4", "dormand_prince", "dop853", "adams", "radau5", "implicit_midpoint", "semi_implicit_euler"]
    {
        let problem = Kepler { eccentricity: 0.3 };
        let settings = adaptive(Method::named(name).unwrap(), 1e-6);
        for end in [3.0, -3.0] {
            let solution = solve(&mut { problem }, 0.0, &problem.exact(0.0), end, &settings).unwrap();
            let mut y = [0.0; 4];
            for pair in solution.spans().windows(2) {
                let (a, b) = (&pair[0], &pair[1]);
                assert!(a.t1 == b.t0 && a.y1() == b.y0());
                a.at(a.t1, &mut y);
                assert_eq!(y, b.y0());
                b.at(b.t0, &mut y);
                assert_eq!(y, b.y0());
                // Continuous up to the stored end: the polynomial itself arrives there.
                let just_before = if end > 0.0 { a.t1.next_down() } else { a.t1.next_up() };
                for i in 0..4 {
                    assert!((a.component(i, just_before) - a.y1()[i]).abs() < 1e-13, "{name}: component {i}");
                }
            }
            solution.at(end / 2.0, &mut y);
            let exact = problem.exact(end / 2.0);
            let error = crate::common::distance(&y, &exact);
            assert!(error < 2e-2, "{name}: {error}");
            let rate = solution.span_at(end / 2.0).unwrap().rate(0, end / 2.0);
            assert!((rate - exact[2]).abs() < 2e-2, "{name}: rate {rate} against {}", exact[2]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The hull of the Bernstein coefficients contains the polynomial; here for every method, over random parts of
    /// random steps, forward and backward, down to intervals of one point.
    #[test]
    fn ranges_enclose_every_sample(
        which in 0usize..6,
        h in 0.01..0.9f64,
        backward in any::<bool>(),
        a in 0.0..1.0f64,
        width in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        samples in prop::collection::vec(0.0..=1.0f64, 30),
    ) {
        let name = ["rk4", "dormand_prince", "dop853", "adams", "radau5", "implicit_midpoint"][which];
        let mut problem = Kepler { eccentricity: 0.3 };
        let direction = if backward { -1.0 } else { 1.0 };
        let mut integrator = Integrator::new(fixed(Method::named(name).unwrap(), h), 4).unwrap();
        integrator.start(&mut { problem }, 0.5, &problem.exact(0.5), direction * 1e9).unwrap();
        // Several steps, so that Adams has a past.
        for _ in 0..10 {
            if integrator.step(&mut problem, None).is_err() {
                return Ok(());
            }
        }
        let span = integrator.span();
        let (a, b) = (a, (a + width).min(1.0));
        let at = |theta: f64| if theta >= 1.0 { span.t1 } else { span.t0 + theta * (span.t1 - span.t0) };
        let (ta, tb) = (at(a), at(b));
        let before = span.clone();
        for i in 0..4 {
            let (lo, hi) = span.range(i, ta, tb);
            prop_assert_eq!((lo, hi), span.range(i, tb, ta));
            let (rate_lo, rate_hi) = span.rate_range(i, tb, ta);
            let mut seen = (f64::INFINITY, f64::NEG_INFINITY);
            for t in samples.iter().map(|s| at(a + s * (b - a)).clamp(ta.min(tb), ta.max(tb))).chain([ta, tb]) {
                let (y, dy) = (span.component(i, t), span.rate(i, t));
                prop_assert!(lo <= y && y <= hi, "{name}: {y} not in [{lo}, {hi}] at {t}");
                prop_assert!(rate_lo <= dy && dy <= rate_hi, "{name}: rate {dy} not in [{rate_lo}, {rate_hi}]");
                seen = (seen.0.min(y), seen.1.max(y));
            }
            // Not merely true but of use: for a point the bounds are a few ulp apart.
            if ta == tb {
                let size: f64 = span.polynomial(i).iter().map(|c| c.abs()).sum();
                prop_assert!(hi - lo <= 1e-12 * size.max(1e-300), "{name}: [{lo}, {hi}] for a point");
            }
        }
        prop_assert_eq!(&before, span);
    }
}

/// A parabola over the whole step: exact bounds are its vertex and its ends; Bernstein's are no wider than its
/// control polygon. Times that are not finite give no bound.
#[test]
fn ranges_of_a_parabola_are_tight() {
    let mut fall = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -10.0]));
    let mut integrator = Integrator::new(fixed(Method::Dop853, 1.0), 2).unwrap();
    integrator.start(&mut fall, 0.0, &[0.0, 5.0], 1.0).unwrap();
    let span = integrator.step(&mut fall, None).unwrap();
    let (lo, hi) = span.range(0, 0.0, 1.0);
    assert!(lo <= 0.0 && lo > -1e-12 && (1.25..1.25 * 1.2).contains(&hi), "[{lo}, {hi}] for 5 t − 5 t²");
    let (lo, hi) = span.rate_range(0, 0.0, 0.5);
    assert!((lo - 0.0).abs() < 1e-12 && (hi - 5.0).abs() < 1e-12, "[{lo}, {hi}] for 5 − 10 t");
    assert_eq!(span.range(0, f64::NAN, 1.0), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(span.range(0, 0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY));
}
