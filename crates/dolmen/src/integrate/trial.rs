//! What one attempt at a step reads and writes; the same for every method.

use super::{Ode, Settings, Statistics};
use crate::math::work;
use serde::{Deserialize, Serialize};

/// The equation together with the counters of what it is asked.
pub(super) struct Problem<'a> {
    pub(super) ode: &'a mut dyn Ode,
    pub(super) statistics: &'a mut Statistics,
    pub(super) settings: &'a Settings,
}

/// Of one component of f, the forces behind it included.
const OPERATIONS_PER_RATE: u64 = 50;

impl Problem<'_> {
    /// `dy` = f(t, y), counted.
    ///
    /// # Errors
    /// When a rate is not finite.
    pub(super) fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Trouble> {
        self.statistics.evaluations += 1;
        work::count(OPERATIONS_PER_RATE * y.len() as u64);
        self.ode.rates(t, y, dy);
        if dy.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(Trouble::NotFinite) }
    }

    /// The tolerance of each component over a step from y0 to y1: absolute + relative · scale.
    pub(super) fn tolerances(&self, leg: &Leg, y1: &[f64], tolerances: &mut [f64]) {
        self.ode.scales(leg.y0, y1, leg.f0, leg.h, tolerances);
        for tolerance in tolerances {
            *tolerance = self.settings.absolute + self.settings.relative * *tolerance;
        }
    }
}

/// The step to be made: where it starts and how long it is.
#[derive(Clone, Copy)]
pub(super) struct Leg<'a> {
    pub(super) t0: f64,
    /// t1 − t0 exactly where floating point allows; negative backward in time.
    pub(super) h: f64,
    pub(super) t1: f64,
    pub(super) y0: &'a [f64],
    /// f(t0, y0).
    pub(super) f0: &'a [f64],
    /// Whether an error estimate is wanted.
    pub(super) estimate: bool,
    /// The polynomial of the step before, if nothing happened in between.
    pub(super) previous: Option<&'a super::Span>,
}

/// What an attempt leaves behind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Trial {
    /// y1 − y0, not yet added: the sum is where rounding is made up for.
    pub(super) delta: Vec<f64>,
    /// Estimate of the error of delta.
    pub(super) error: Vec<f64>,
    /// A second, coarser estimate, if `two_estimates`.
    pub(super) coarse: Vec<f64>,
    pub(super) two_estimates: bool,
    /// absolute + relative · scale.
    pub(super) tolerances: Vec<f64>,
    pub(super) y1: Vec<f64>,
    /// f(t1, y1).
    pub(super) f1: Vec<f64>,
}

impl Trial {
    pub(super) fn new(dim: usize) -> Self {
        let zeros = vec![0.0; dim];
        Self {
            delta: zeros.clone(),
            error: zeros.clone(),
            coarse: zeros.clone(),
            two_estimates: false,
            tolerances: zeros.clone(),
            y1: zeros.clone(),
            f1: zeros,
        }
    }

    /// Whether all its vectors have so many components.
    pub(super) fn fits(&self, dim: usize) -> bool {
        let Self { delta, error, coarse, two_estimates: _, tolerances, y1, f1 } = self;
        [delta, error, coarse, tolerances, y1, f1].iter().all(|vector| vector.len() == dim)
    }

    /// The error in units of the tolerance; at most 1 is accepted.
    ///
    /// With two estimates e₅²/√(e₅² + e₃²/100), which behaves as the product of a high power of h. [HNW II.10]
    pub(super) fn error_norm(&self) -> f64 {
        let fine = norm(&self.error, &self.tolerances);
        if !self.two_estimates || fine == 0.0 {
            return fine;
        }
        let coarse = norm(&self.coarse, &self.tolerances);
        fine * (fine / (fine * fine + 0.01 * coarse * coarse).sqrt())
    }

    /// The component with the largest error, and that error in units of its tolerance.
    pub(super) fn worst(&self) -> (usize, f64) {
        (0..self.error.len())
            .map(|i| (i, ratio(self.error[i], self.tolerances[i]).abs()))
            .fold((0, 0.0), |worst, candidate| if candidate.1 > worst.1 { candidate } else { worst })
    }
}

/// Root mean square of xᵢ/tolᵢ, where 0/0 counts as 0.
pub(super) fn norm(x: &[f64], tolerances: &[f64]) -> f64 {
    let sum: f64 = x.iter().zip(tolerances).map(|(&x, &tol)| ratio(x, tol)).map(|r| r * r).sum();
    (sum / x.len() as f64).sqrt()
}

fn ratio(x: f64, tolerance: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / tolerance }
}

/// Why an attempt came to nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Trouble {
    /// f or the state is infinite or NaN.
    NotFinite,
    /// Newton's method did not converge.
    Newton { iterations: u32, rate: f64 },
}
