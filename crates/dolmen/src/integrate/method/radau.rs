//! Radau IIA with three stages, of order 5. [HW IV.5, IV.8]
//!
//! With Zᵢ = Yᵢ − y the stages satisfy Z = h (A ⊗ I) F(Z). A⁻¹ = T diag(γ, [α −β; β α]) T⁻¹, so that for W = T⁻¹ Z a
//! simplified Newton step splits into one real system with γ/h − J and one complex with (α + iβ)/h − J.

use super::super::Span;
use super::super::tolerances::{KEEP_FACTORS_GROWTH, NEWTON_ITERATIONS, SAFETY, SHRINK};
use super::super::trial::{Leg, Problem, Trial, Trouble, norm};
use super::implicit::{Jacobian, Newton};
use crate::math::linear::{Complex, ComplexLu, RealLu};
use crate::math::real;
use serde::{Deserialize, Serialize};

const SQRT_6: f64 = 2.449489742783178;
const C: [f64; 3] = [(4.0 - SQRT_6) / 10.0, (4.0 + SQRT_6) / 10.0, 1.0];

/// γ, α and β: the eigenvalues of A⁻¹, 3 + ∛9 − ∛3 and 3 + ½(∛3 − ∛9) ∓ ½i(3^⅚ + 3^⁷ᐟ⁶).
const GAMMA: f64 = 3.637834252744496;
const ALPHA: f64 = 2.6810828736277523;
const BETA: f64 = -3.050430199247411;

const T: [[f64; 3]; 3] = [
    [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
    [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
    [1.0, 1.0, 0.0],
];
const T_INVERSE: [[f64; 3]; 3] = [
    [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
    [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
    [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
];

/// Weights of the error estimate (γ/h − J)⁻¹(f₀ + (e₁Z₁ + e₂Z₂ + e₃Z₃)/h).
const E: [f64; 3] = [(-13.0 - 7.0 * SQRT_6) / 3.0, (-13.0 + 7.0 * SQRT_6) / 3.0, -1.0 / 3.0];

/// The method at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct Radau {
    jacobian: Jacobian,
    real: RealLu,
    complex: ComplexLu,
    /// The step that the factors belong to; zero when there are none.
    factored: f64,
    newton: Newton,
    /// Z and W, one row per stage.
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    rates: [Vec<f64>; 3],
    argument: Vec<f64>,
    pair: Vec<Complex>,
    tolerances: Vec<f64>,
    /// Step and error of the last accepted step, for the predictive control; zero when there is none.
    last_step: f64,
    last_error: f64,
    rejected: bool,
}

impl Radau {
    pub(in super::super) fn new(dim: usize) -> Self {
        let rows = || std::array::from_fn(|_| vec![0.0; dim]);
        Self {
            jacobian: Jacobian::new(dim),
            real: RealLu::new(dim),
            complex: ComplexLu::new(dim),
            factored: 0.0,
            newton: Newton::default(),
            z: rows(),
            w: rows(),
            rates: rows(),
            argument: vec![0.0; dim],
            pair: vec![Complex::default(); dim],
            tolerances: vec![0.0; dim],
            last_step: 0.0,
            last_error: 0.0,
            rejected: false,
        }
    }

    /// Whether it is for so many components.
    pub(in super::super) fn fits(&self, dim: usize) -> bool {
        let stages = self.z.iter().chain(&self.w).chain(&self.rates);
        self.jacobian.fits(dim)
            && self.real.fits(dim)
            && self.complex.fits(dim)
            && stages.chain([&self.argument, &self.tolerances]).all(|vector| vector.len() == dim)
            && self.pair.len() == dim
    }

    pub(in super::super) fn reset(&mut self) {
        self.jacobian.stale = true;
        self.last_step = 0.0;
        self.rejected = false;
    }

    pub(in super::super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        self.jacobian.stale |= problem.ode.jacobian_jumps() && !self.jacobian.fresh;
        loop {
            if self.jacobian.renew(problem, leg)? {
                self.factored = 0.0;
            }
            self.factor(problem, leg.h)?;
            match self.solve_stages(problem, leg) {
                // With an old Jacobian failure proves nothing.
                Err(Trouble::Newton { .. }) if !self.jacobian.fresh => self.jacobian.stale = true,
                Err(trouble) => return Err(trouble),
                Ok(()) => break,
            }
        }
        trial.delta.copy_from_slice(&self.z[2]);
        if leg.estimate {
            self.estimate(problem, leg, trial)?;
        }
        Ok(())
    }

    fn factor(&mut self, problem: &mut Problem, h: f64) -> Result<(), Trouble> {
        if self.factored == h {
            return Ok(());
        }
        self.factored = 0.0;
        problem.statistics.factorisations += 2;
        let matrix = &self.jacobian.matrix;
        let singular = |_| Trouble::Newton { iterations: 0, rate: f64::INFINITY };
        self.real.factor(|i, j| if i == j { GAMMA / h } else { 0.0 } - matrix[(i, j)]).map_err(singular)?;
        self.complex
            .factor(|i, j| {
                let shift = if i == j { Complex::new(ALPHA / h, BETA / h) } else { Complex::default() };
                shift - Complex::new(matrix[(i, j)], 0.0)
            })
            .map_err(singular)?;
        self.factored = h;
        Ok(())
    }

    /// Simplified Newton for the three stages, from the polynomial of the step before where there is one.
    fn solve_stages(&mut self, problem: &mut Problem, leg: &Leg) -> Result<(), Trouble> {
        let jacobian_jumps = problem.ode.jacobian_jumps();
        let previous = leg.previous.filter(|_| !jacobian_jumps);
        for s in 0..3 {
            for i in 0..leg.y0.len() {
                self.z[s][i] = match previous {
                    Some(span) => span.component(i, leg.t0 + C[s] * leg.h) - leg.y0[i],
                    None => 0.0,
                };
            }
        }
        transform(&T_INVERSE, &self.z, &mut self.w);
        self.newton = Newton::default();
        let mut is_done = false;
        loop {
            for s in 0..3 {
                for i in 0..leg.y0.len() {
                    self.argument[i] = leg.y0[i] + self.z[s][i];
                }
                let t = if s == 2 { leg.t1 } else { leg.t0 + C[s] * leg.h };
                problem.rates(t, &self.argument, &mut self.rates[s])?;
            }
            problem.statistics.newton_iterations += 1;
            self.solve_increments(leg.h);
            for s in 0..3 {
                for i in 0..leg.y0.len() {
                    self.w[s][i] += self.rates[s][i];
                }
            }
            transform(&T, &self.w, &mut self.z);
            if is_done {
                return Ok(());
            }
            for i in 0..leg.y0.len() {
                self.argument[i] = leg.y0[i] + self.z[2][i];
            }
            problem.tolerances(leg, &self.argument, &mut self.tolerances);
            let sizes = [0, 1, 2].map(|s| norm(&self.rates[s], &self.tolerances));
            let size = (sizes.iter().map(|x| x * x).sum::<f64>() / 3.0).sqrt();
            is_done = self.newton.judge(size, problem.settings)?;
            if jacobian_jumps {
                // The first quotient says little where J has changed by as much as the step has left of it; and components that
                // are far below their scales are found once more.
                is_done &= self.newton.iterations != 2;
            } else if is_done {
                return Ok(());
            }
        }
    }

    /// Replaces the rates of the stages by the increments of W.
    fn solve_increments(&mut self, h: f64) {
        for i in 0..self.argument.len() {
            let f = [self.rates[0][i], self.rates[1][i], self.rates[2][i]];
            let w = [self.w[0][i], self.w[1][i], self.w[2][i]];
            let g = T_INVERSE.map(|row| row[0] * f[0] + row[1] * f[1] + row[2] * f[2]);
            self.rates[0][i] = g[0] - GAMMA / h * w[0];
            // (α + iβ)/h (w₁ + i w₂), subtracted from g₁ + i g₂.
            self.pair[i] =
                Complex::new(g[1], g[2]) - Complex::new(ALPHA / h, BETA / h) * Complex::new(w[1], w[2]);
        }
        self.real.solve(&mut self.rates[0]);
        self.complex.solve(&mut self.pair);
        for (i, increment) in self.pair.iter().enumerate() {
            self.rates[1][i] = increment.re;
            self.rates[2][i] = increment.im;
        }
    }

    /// The estimate of order 3, filtered by (γ/h − J)⁻¹ so that stiff components do not spoil it; filtered twice where
    /// the first verdict is a rejection on the first step or after another rejection. [HW IV.8]
    fn estimate(&mut self, problem: &mut Problem, leg: &Leg, trial: &mut Trial) -> Result<(), Trouble> {
        let z = &self.z;
        let weigh = |i: usize| (E[0] * z[0][i] + E[1] * z[1][i] + E[2] * z[2][i]) / leg.h;
        for i in 0..trial.error.len() {
            trial.error[i] = leg.f0[i] + weigh(i);
        }
        self.real.solve(&mut trial.error);
        let first = self.last_step == 0.0 || self.rejected;
        if first && norm(&trial.error, &self.tolerances) > 1.0 {
            for i in 0..trial.error.len() {
                self.argument[i] = leg.y0[i] + trial.error[i];
            }
            problem.rates(leg.t0, &self.argument, &mut self.rates[0])?;
            for i in 0..trial.error.len() {
                trial.error[i] = self.rates[0][i] + weigh(i);
            }
            self.real.solve(&mut trial.error);
        }
        Ok(())
    }

    /// f(t1, y1) and the polynomial of degree 3 through y0 and the three stages.
    pub(in super::super) fn finish(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        span: &mut Span,
    ) -> Result<(), Trouble> {
        problem.rates(leg.t1, &trial.y1, &mut trial.f1)?;
        self.jacobian.judge(&self.newton);
        span.begin(leg.t0, leg.t1, leg.y0, 3);
        for i in 0..leg.y0.len() {
            // Newton's divided differences over the nodes 0, c₁, c₂, 1.
            let z = [self.z[0][i], self.z[1][i], self.z[2][i]];
            let slope = z[0] / C[0];
            let bend = [(z[1] - z[0]) / (C[1] - C[0]), (z[2] - z[1]) / (C[2] - C[1])];
            let second = [(bend[0] - slope) / C[1], (bend[1] - bend[0]) / (C[2] - C[0])];
            let third = second[1] - second[0];
            let polynomial = span.polynomial_mut(i);
            polynomial[0] = leg.y0[i];
            polynomial[1] = slope - C[0] * second[0] + C[0] * C[1] * third;
            polynomial[2] = second[0] - (C[0] + C[1]) * third;
            polynomial[3] = third;
        }
        Ok(())
    }

    /// Factor for the next step: predictive control, slowed where Newton needed many iterations; or 1, to keep the
    /// factors, where little would be gained. [HW IV.8, Gustafsson's control]
    pub(in super::super) fn accept(&mut self, error: f64, h: f64) -> f64 {
        let iterations = f64::from(self.newton.iterations);
        let budget = f64::from(2 * NEWTON_ITERATIONS);
        let safety = SAFETY * (budget + 1.0) / (budget + iterations);
        let error = error.max(1e-10);
        let mut factor = safety * real::pow(error, -0.25);
        if self.last_step > 0.0 {
            let trend = h.abs() / self.last_step * real::pow(self.last_error / error, 0.25);
            factor *= trend.min(1.0);
        }
        self.last_step = h.abs();
        self.last_error = error.max(0.01);
        let growth = if self.rejected { 1.0 } else { 8.0 };
        self.rejected = false;
        let factor = factor.clamp(SHRINK, growth);
        if !self.jacobian.stale && (1.0..KEEP_FACTORS_GROWTH).contains(&factor) { 1.0 } else { factor }
    }

    /// Factor for the next attempt after a rejection.
    pub(in super::super) fn reject(&mut self, error: f64) -> f64 {
        self.rejected = true;
        (SAFETY * real::pow(error, -0.25)).clamp(SHRINK, SAFETY)
    }

    /// After an attempt that came to nothing: the Jacobian is formed anew if it is not from here.
    pub(in super::super) fn fail(&mut self) {
        self.rejected = true;
        self.jacobian.stale |= !self.jacobian.fresh;
    }
}

/// `to` = M `from`, stage by stage.
fn transform(matrix: &[[f64; 3]; 3], from: &[Vec<f64>; 3], to: &mut [Vec<f64>; 3]) {
    for (row, target) in matrix.iter().zip(to) {
        for i in 0..target.len() {
            target[i] = row[0] * from[0][i] + row[1] * from[1][i] + row[2] * from[2][i];
        }
    }
}
