//! One step with its dense output.

use serde::{Deserialize, Serialize};

/// The highest degree of a dense output: that of the Adams method of order 12.
pub(super) const MAX_DEGREE: usize = 12;

/// One step of an integration, readable at any time in it; the same type for every method.
///
/// Each component is a polynomial in θ = (t − t0)/(t1 − t0). Reading never changes a span. Outside [t0, t1] the
/// polynomial is extrapolated, without any promise of accuracy. Backward in time t1 < t0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Where the step began.
    pub t0: f64,
    /// Where it ended.
    pub t1: f64,
    dim: usize,
    degree: usize,
    y0: Vec<f64>,
    y1: Vec<f64>,
    /// Component after component, `MAX_DEGREE` + 1 each: the coefficient of θʲ at j.
    coefficients: Vec<f64>,
}

type Coefficients = [f64; MAX_DEGREE + 1];

impl Span {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            t0: 0.0,
            t1: 0.0,
            dim,
            degree: 0,
            y0: vec![0.0; dim],
            y1: vec![0.0; dim],
            coefficients: vec![0.0; dim * (MAX_DEGREE + 1)],
        }
    }

    /// Whether it is of so many components, with a number for each coefficient: one that was read from a file need not be.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.dim == dim
            && self.degree <= MAX_DEGREE
            && [self.y0.len(), self.y1.len()] == [dim; 2]
            && dim.checked_mul(MAX_DEGREE + 1) == Some(self.coefficients.len())
    }

    /// Whether all its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        let values = self.coefficients.iter().chain(&self.y0).chain(&self.y1);
        values.chain([&self.t0, &self.t1]).all(|value| value.is_finite())
    }

    /// Number of components.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Degree of the polynomials.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The state at t0.
    pub fn y0(&self) -> &[f64] {
        &self.y0
    }

    /// The state at t1.
    pub fn y1(&self) -> &[f64] {
        &self.y1
    }

    /// Coefficients of component i in powers of θ, lowest first.
    pub fn polynomial(&self, i: usize) -> &[f64] {
        &self.coefficients[i * (MAX_DEGREE + 1)..][..=self.degree]
    }

    /// The state at `t`; exactly y0 at t0 and y1 at t1.
    pub fn at(&self, t: f64, y: &mut [f64]) {
        for (i, value) in y.iter_mut().enumerate() {
            *value = self.component(i, t);
        }
    }

    /// Component i at `t`; exactly that of y0 at t0 and of y1 at t1.
    pub fn component(&self, i: usize, t: f64) -> f64 {
        if t == self.t1 {
            return self.y1[i];
        }
        horner(self.polynomial(i), self.theta(t))
    }

    /// Rates at `t`: the derivative of the dense output.
    pub fn rates(&self, t: f64, dy: &mut [f64]) {
        for (i, value) in dy.iter_mut().enumerate() {
            *value = self.rate(i, t);
        }
    }

    /// Rate of component i at `t`: the derivative of the dense output.
    pub fn rate(&self, i: usize, t: f64) -> f64 {
        let (derivative, degree) = self.derivative(i);
        horner(&derivative[..=degree], self.theta(t)) / (self.t1 - self.t0)
    }

    /// Bounds between which component i stays over [ta, tb], in either order.
    ///
    /// Guaranteed for what [`Span::component`] returns, rounding included; the coefficients of the polynomial in
    /// Bernstein form over the interval bound it. Times that are not finite give (−∞, ∞).
    pub fn range(&self, i: usize, ta: f64, tb: f64) -> (f64, f64) {
        let (first, last) = if ta > tb { (tb, ta) } else { (ta, tb) };
        let (mut lo, mut hi) = enclose(self.polynomial(i), self.theta(first), self.theta(last));
        // The last value is stored, not computed: rounding may leave it outside the polynomial's range.
        if (first..=last).contains(&self.t1) {
            lo = lo.min(self.y1[i]);
            hi = hi.max(self.y1[i]);
        }
        (lo, hi)
    }

    /// Bounds between which the rate of component i stays over [ta, tb]; as [`Span::range`].
    pub fn rate_range(&self, i: usize, ta: f64, tb: f64) -> (f64, f64) {
        let (derivative, degree) = self.derivative(i);
        let (a, b) = enclose(&derivative[..=degree], self.theta(ta), self.theta(tb));
        let h = self.t1 - self.t0;
        let (lo, hi) = if h < 0.0 { (b / h, a / h) } else { (a / h, b / h) };
        (lo.next_down(), hi.next_up())
    }

    /// Bounds between which the second derivative of component i stays over [ta, tb]; as [`Span::range`].
    pub fn second_range(&self, i: usize, ta: f64, tb: f64) -> (f64, f64) {
        let mut second = [0.0; MAX_DEGREE + 1];
        for (j, &c) in self.polynomial(i).iter().enumerate().skip(2) {
            second[j - 2] = (j * (j - 1)) as f64 * c;
        }
        let h = self.t1 - self.t0;
        let (lo, hi) = enclose(&second[..=self.degree.max(2) - 2], self.theta(ta), self.theta(tb));
        ((lo / (h * h)).next_down(), (hi / (h * h)).next_up())
    }

    fn theta(&self, t: f64) -> f64 {
        (t - self.t0) / (self.t1 - self.t0)
    }

    fn derivative(&self, i: usize) -> (Coefficients, usize) {
        let mut derivative = [0.0; MAX_DEGREE + 1];
        for (j, &c) in self.polynomial(i).iter().enumerate().skip(1) {
            derivative[j - 1] = j as f64 * c;
        }
        (derivative, self.degree.max(1) - 1)
    }

    // ---- writing, for the integrator ----

    /// Begins a new step from `y0`; every polynomial then has the given degree.
    pub(super) fn begin(&mut self, t0: f64, t1: f64, y0: &[f64], degree: usize) {
        debug_assert!((3..=MAX_DEGREE).contains(&degree));
        (self.t0, self.t1, self.degree) = (t0, t1, degree);
        self.y0.copy_from_slice(y0);
    }

    /// Coefficients of component i, to write to.
    pub(super) fn polynomial_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.coefficients[i * (MAX_DEGREE + 1)..][..=self.degree]
    }

    /// Sets component i to y0 + θ(F₀ + (1−θ)(F₁ + θ(F₂ + (1−θ)(F₃ + …)))), the form of [HNW II.6].
    ///
    /// F₀ = y1 − y0, F₁ = h f0 − F₀ and F₂ = 2 F₀ − h (f0 + f1) make the cubic Hermite polynomial; what follows
    /// vanishes at both ends with its derivative.
    pub(super) fn set_nested(&mut self, i: usize, nested: &[f64]) {
        let y0 = self.y0[i];
        let mut p = [0.0; MAX_DEGREE + 2];
        for (j, &f) in nested.iter().enumerate().rev() {
            // p becomes f + m(θ) p with m = 1 − θ after an even term, θ after an odd one.
            for k in (0..nested.len()).rev() {
                let shifted = if k > 0 { p[k - 1] } else { 0.0 };
                p[k] = if j % 2 == 0 { p[k] - shifted } else { shifted };
            }
            p[0] += f;
        }
        let polynomial = self.polynomial_mut(i);
        polynomial[0] = y0;
        polynomial[1..].copy_from_slice(&p[..nested.len()]);
    }

    /// Sets every component to the cubic through both ends with the given rates.
    pub(super) fn set_hermite(&mut self, y1: &[f64], f0: &[f64], f1: &[f64], h: f64) {
        for i in 0..self.dim {
            let nested = hermite_terms(self.y0[i], y1[i], h * f0[i], h * f1[i]);
            self.set_nested(i, &nested);
        }
    }

    /// Ends the step in `y1`. The difference to the polynomial's end (rounding, or a projection) is spread over the
    /// span as θ²(3 − 2θ), which leaves the slopes at both ends.
    pub(super) fn close(&mut self, y1: &[f64]) {
        self.y1.copy_from_slice(y1);
        for i in 0..self.dim {
            let gap = y1[i] - horner(self.polynomial(i), 1.0);
            let polynomial = self.polynomial_mut(i);
            polynomial[2] += 3.0 * gap;
            polynomial[3] -= 2.0 * gap;
        }
    }
}

/// F₀, F₁, F₂ of the nested form; `hf0`, `hf1` are the rates at the ends times the step.
pub(super) fn hermite_terms(y0: f64, y1: f64, hf0: f64, hf1: f64) -> [f64; 3] {
    let rise = y1 - y0;
    [rise, hf0 - rise, 2.0 * rise - (hf0 + hf1)]
}

fn horner(polynomial: &[f64], theta: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, c| sum * theta + c)
}

/// Bounds of Σ cⱼ θʲ for θ between a and b.
///
/// With θ = a + w s the polynomial is Σ dⱼ sʲ, dⱼ = wʲ Σₖ (k over j) cₖ aᵏ⁻ʲ, and in Bernstein form over s in [0, 1]
/// its coefficients are bᵢ = Σ_{j≤i} (i over j)/(n over j) dⱼ; their hull contains it. Rounding here and in `horner` is
/// at most a few n ε Σ |cₖ| (|a| + |w|)ᵏ, by which the bounds are widened.
fn enclose(polynomial: &[f64], a: f64, b: f64) -> (f64, f64) {
    let n = polynomial.len() - 1;
    let w = b - a;
    let mut d = [0.0; MAX_DEGREE + 1];
    d[..=n].copy_from_slice(polynomial);
    // Taylor shift by repeated synthetic division, then the scale of s.
    for j in 0..n {
        for k in (j..n).rev() {
            d[k] += a * d[k + 1];
        }
    }
    let mut power = 1.0;
    for coefficient in &mut d[..=n] {
        *coefficient *= power;
        power *= w;
    }
    let reach = a.abs() + w.abs();
    let size = polynomial.iter().rev().fold(0.0, |sum, c| sum * reach + c.abs());
    // dⱼ/(n over j), then differences upwards: bᵢ = Σ (i over j) eⱼ.
    let mut binomial = 1.0;
    for j in 0..=n {
        d[j] /= binomial;
        binomial *= (n - j) as f64 / (j + 1) as f64;
    }
    for round in (1..=n).rev() {
        for i in round..=n {
            d[i] += d[i - 1];
        }
    }
    let (lo, hi) =
        d[..=n].iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    let margin = 8.0 * (n + 2) as f64 * f64::EPSILON * size;
    if (lo - margin).is_finite() && (hi + margin).is_finite() && w.is_finite() {
        (lo - margin, hi + margin)
    } else {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
}
