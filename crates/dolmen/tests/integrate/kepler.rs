//! A hundred turns of a thin ellipse.

use crate::common::{Kepler, distance};
use dolmen::integrate::{Ode, Settings, solve_to};
use dolmen::math::real;

/// The same, with the length of each vector as the scale of its components: none of them is more exact for being small.
struct Vectors(Kepler);

impl Ode for Vectors {
    fn dim(&self) -> usize {
        4
    }
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.0.rates(t, y, dy);
    }
    fn scales(&self, y0: &[f64], _y1: &[f64], _rates0: &[f64], _h: f64, scale: &mut [f64]) {
        let length = |x: f64, y: f64| (x * x + y * y).sqrt();
        scale[..2].fill(length(y0[0], y0[1]));
        scale[2..].fill(length(y0[2], y0[3]));
    }
}

/// e = 0.9, 100 periods with DOP853 at the tightest tolerance: back at the start within 1e-7 of the semi-axis, and
/// within 1e-8 when the rounding of the sums is carried along.
#[test]
fn a_thin_orbit_returns_after_a_hundred_periods() {
    let problem = Kepler { eccentricity: 0.9 };
    let (start, end) = (problem.exact(0.0), 200.0 * real::PI);
    // 200π rounds by 1.1e-13/2, and the planet does 4.36 there: 2.5e-13.
    for (compensated, bound) in [(false, 1e-7), (true, 1e-8)] {
        for relative in [1e-12, 1e-13, 1e-14, 1e-15] {
            let settings = Settings { relative, compensated, ..Settings::default() };
            let y = solve_to(&mut Vectors(problem), 0.0, &start, end, &settings).unwrap();
            let plain = solve_to(&mut { problem }, 0.0, &start, end, &settings).unwrap();
            let gap = distance(&y.y[..2], &start[..2]);
            println!(
                "relative {relative:.0e}, compensated {compensated:5}: position off by {gap:.2e} ({} steps); with scales \
                 per component {:.2e} ({} steps)",
                y.statistics.steps,
                distance(&plain.y[..2], &start[..2]),
                plain.statistics.steps
            );
            if relative == 1e-15 {
                let gap = gap.max(distance(&plain.y[..2], &start[..2]));
                assert!(gap < bound, "compensated {compensated}: {gap}");
            }
        }
    }
}
