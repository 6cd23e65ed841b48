//! A problem with a closed form, and the fit of a slope.

use dolmen::integrate::{Method, Ode, Settings, Step, Tableau};
use dolmen::math::real;
use std::sync::Arc;

/// The plane two-body problem r̈ = −r/r³ from the pericentre, with semi-axis 1 and period 2π; y = (x, y, vx, vy).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kepler {
    pub(crate) eccentricity: f64,
}

impl Kepler {
    /// Position and velocity by Kepler's equation E − e sin E = t.
    pub(crate) fn exact(self, t: f64) -> [f64; 4] {
        let e = self.eccentricity;
        let mut anomaly = t;
        for _ in 0..50 {
            let (sin, cos) = real::sin_cos(anomaly);
            anomaly -= (anomaly - e * sin - t) / (1.0 - e * cos);
        }
        let (sin, cos) = real::sin_cos(anomaly);
        let (axis, rate) = ((1.0 - e * e).sqrt(), 1.0 / (1.0 - e * cos));
        [cos - e, axis * sin, -sin * rate, axis * cos * rate]
    }
}

impl Ode for Kepler {
    fn dim(&self) -> usize {
        4
    }

    fn rates(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let square = y[0] * y[0] + y[1] * y[1];
        let cube = square * square.sqrt();
        dy.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
    }

    fn momenta(&self) -> Option<&[bool]> {
        Some(&[false, false, true, true])
    }
}

/// Largest difference of two states.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// Slope of the least-squares line through (ln x, ln y).
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (real::ln(x), real::ln(y))).collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (sxy, sxx) = logs
        .iter()
        .fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - mx) * (p.1 - my), xx + (p.0 - mx) * (p.0 - mx)));
    sxy / sxx
}

pub(crate) fn explicit(name: &str) -> Method {
    Method::Explicit(Arc::new(Tableau::named(name).unwrap()))
}

pub(crate) fn fixed(method: Method, h: f64) -> Settings {
    // The tolerance is that of Newton's method here; making up for rounding widens the range of clear errors.
    Settings { method, relative: 1e-14, step: Step::Fixed(h), compensated: true, ..Settings::default() }
}

pub(crate) fn adaptive(method: Method, relative: f64) -> Settings {
    Settings { method, relative, ..Settings::default() }
}
