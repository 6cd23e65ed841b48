//! The equation to integrate: ẏ = f(t, y).

use crate::math::linear::Matrix;

/// A first-order system ẏ = f(t, y) with y of any length; what the user writes.
pub trait Ode {
    /// Number of components of y.
    fn dim(&self) -> usize;

    /// `dy` = f(t, y).
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]);

    /// Fills J = ∂f/∂y and returns true; or returns false, and finite differences are used instead.
    ///
    /// Only the implicit methods ask. J is zero on entry.
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut Matrix) -> bool {
        let _ = (t, y, jacobian);
        false
    }

    /// Whether J changes by factors from step to step: then an implicit method forms it anew in each, and does not begin with the
    /// polynomial of the step before, whose rounding a Jacobian that is not quite right would leave in.
    fn jacobian_jumps(&self) -> bool {
        false
    }

    /// True per component that is a momentum or a velocity: the semi-implicit Euler method moves these first.
    fn momenta(&self) -> Option<&[bool]> {
        None
    }

    /// The magnitude against which the error of each component is measured, over a step of length `h` from y0 to y1.
    ///
    /// The default is max(|y0|, |y1|) per component, which no choice of units can disturb. Override it where a
    /// component belongs to a vector (then its length is the scale) or is zero up to rounding (then `h` times
    /// `rates0` or a known size).
    fn scales(&self, y0: &[f64], y1: &[f64], rates0: &[f64], h: f64, scale: &mut [f64]) {
        let _ = (rates0, h);
        for i in 0..scale.len() {
            scale[i] = y0[i].abs().max(y1[i].abs());
        }
    }

    /// Puts the end of an accepted step back on its manifold (|q| = 1, say) and updates `dy` = f(t, y) to match.
    ///
    /// The default does nothing.
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        let _ = (t, y, dy);
    }
}

/// A closure with a dimension, as an [`Ode`].
#[derive(Debug, Clone)]
pub struct Function<F> {
    dim: usize,
    rates: F,
}

/// Makes an [`Ode`] of the closure `rates(t, y, dy)`.
///
/// ```
/// use dolmen::integrate::{from_fn, solve_to, Settings};
/// let mut decay = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0]);
/// let end = solve_to(&mut decay, 0.0, &[1.0], 1.0, &Settings::default()).unwrap();
/// assert!((end.y[0] - 0.36787944117144233).abs() < 1e-11);
/// ```
pub fn from_fn<F: FnMut(f64, &[f64], &mut [f64])>(dim: usize, rates: F) -> Function<F> {
    Function { dim, rates }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode for Function<F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        (self.rates)(t, y, dy);
    }
}
