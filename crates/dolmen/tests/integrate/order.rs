//! Orders of convergence, measured.

use crate::common::{Kepler, distance, explicit, fixed, slope};
use dolmen::integrate::{Integrator, Method, Ode, Settings, from_fn};
use dolmen::math::real;

/// The largest global error at the ends of the steps, over six step sizes, and the slope of their logarithms.
///
/// Up to order 5 on an ellipse of eccentricity 0.3 to t = 4 against Kepler's equation. Higher orders reach rounding
/// before the poles of that solution in complex time let the first term of the error show, so they run on
/// u̇ = a u v, v̇ = −w(v² + w²), ẇ = v(v² + w²) to t = 13, whose solution e^(a sin t), cos t, sin t has none; a = 3, and less
/// from order 9 on, where the way from instability to rounding is short.
fn measured_order(method: &Method, expected: f64, coarsest: u32) -> f64 {
    let kepler = Kepler { eccentricity: 0.3 };
    let ratio = if expected < 6.0 { 2f64.sqrt() } else { 1.15 };
    let a = if expected < 9.0 {
        3.0
    } else if expected < 12.0 {
        1.0
    } else {
        2.0
    };
    let mut points = Vec::new();
    for i in 0..6 {
        let n = (f64::from(coarsest) * real::powi(ratio, i)).round();
        points.push(if expected < 6.0 {
            let start = kepler.exact(0.0);
            (
                4.0 / n,
                largest_error(&mut { kepler }, &start, 4.0, &fixed(method.clone(), 4.0 / n), |t| {
                    kepler.exact(t)
                }),
            )
        } else {
            let mut ode = from_fn(3, |_t, y: &[f64], dy: &mut [f64]| {
                let one = y[1] * y[1] + y[2] * y[2];
                dy.copy_from_slice(&[a * y[0] * y[1], -y[2] * one, y[1] * one]);
            });
            let exact = |t| {
                let (sin, cos) = real::sin_cos(t);
                [real::exp(a * sin), cos, sin]
            };
            (
                13.0 / n,
                largest_error(&mut ode, &[1.0, 1.0, 0.0], 13.0, &fixed(method.clone(), 13.0 / n), exact),
            )
        });
    }
    let order = slope(&points);
    let errors: Vec<String> = points.iter().map(|p| format!("{:.2e}", p.1)).collect();
    println!("{:<20} order {order:6.3}   from {coarsest} steps: {}", method.name(), errors.join(" "));
    order
}

fn largest_error<const N: usize>(
    ode: &mut dyn Ode,
    start: &[f64],
    end: f64,
    settings: &Settings,
    exact: impl Fn(f64) -> [f64; N],
) -> f64 {
    let mut integrator = Integrator::new(settings.clone(), N).unwrap();
    integrator.start(ode, 0.0, start, end).unwrap();
    let mut worst: f64 = 0.0;
    while integrator.time() < end {
        integrator.step(ode, Some(end)).unwrap();
        worst = worst.max(distance(integrator.state(), &exact(integrator.time())));
    }
    worst
}

fn assert_orders(methods: &[(Method, f64, u32)]) {
    for (method, expected, coarsest) in methods {
        let order = measured_order(method, *expected, *coarsest);
        assert!((order - expected).abs() < 0.2, "{method:?}: measured order {order}, should be {expected}");
    }
}

/// The global error of a method of order p is proportional to hᵖ. Steps are chosen so that errors lie between 1e-1
/// and 1e-11: beyond, higher terms or rounding take over.
#[test]
fn every_tableau_has_its_order() {
    assert_orders(&[
        (explicit("euler"), 1.0, 8000),
        (explicit("midpoint"), 2.0, 500),
        (explicit("heun"), 2.0, 500),
        (explicit("ralston"), 2.0, 500),
        (explicit("kutta3"), 3.0, 200),
        (explicit("rk4"), 4.0, 160),
        (explicit("three_eighths"), 4.0, 160),
        (explicit("bogacki_shampine"), 3.0, 200),
        (explicit("fehlberg45"), 4.0, 100),
        (explicit("cash_karp"), 5.0, 60),
        (Method::DormandPrince, 5.0, 60),
        (Method::Dop853, 8.0, 70),
        (Method::SemiImplicitEuler, 1.0, 4000),
    ]);
}

/// An Adams method started without loss shows the order of its corrector, from 1 to 12.
#[test]
fn every_adams_order_is_reached() {
    let coarsest = [8000, 500, 300, 300, 300, 900, 500, 450, 220, 230, 150, 280];
    for (i, coarsest) in coarsest.into_iter().enumerate() {
        let order = i as u8 + 1;
        assert_orders(&[(Method::Adams { order: Some(order) }, f64::from(order), coarsest)]);
    }
}

/// Implicit methods keep their order too: 1, 2 and 5.
#[test]
fn every_implicit_method_has_its_order() {
    assert_orders(&[
        (Method::BackwardEuler, 1.0, 4000),
        (Method::ImplicitMidpoint, 2.0, 300),
        (Method::Radau5, 5.0, 40),
    ]);
}
