//! Backward Euler and the implicit midpoint rule, by simplified Newton; and what Radau shares with them.

use super::super::tolerances::{
    KEEP_JACOBIAN_RATE, NEWTON_FLOOR, NEWTON_ITERATIONS, NEWTON_PATIENCE, NEWTON_SHARE,
};
use super::super::trial::{Leg, Problem, Trial, Trouble, norm};
use super::super::{Settings, Span};
use super::explicit::{Doubling, finish_hermite};
use crate::math::linear::{Matrix, RealLu};
use serde::{Deserialize, Serialize};

/// J = ∂f/∂y, kept from step to step while Newton converges well with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct Jacobian {
    pub(in super::super) matrix: Matrix,
    /// Whether it belongs to the state from which the present step starts.
    pub(in super::super) fresh: bool,
    /// Whether it must be formed again.
    pub(in super::super) stale: bool,
    shifted: Vec<f64>,
    rates: Vec<f64>,
    sizes: Vec<f64>,
}

impl Jacobian {
    pub(in super::super) fn new(dim: usize) -> Self {
        Self {
            matrix: Matrix::zeros(dim, dim),
            fresh: false,
            stale: true,
            shifted: vec![0.0; dim],
            rates: vec![0.0; dim],
            sizes: vec![0.0; dim],
        }
    }

    /// Whether it is for so many components.
    pub(in super::super) fn fits(&self, dim: usize) -> bool {
        self.matrix.fits(dim, dim) && [self.shifted.len(), self.rates.len(), self.sizes.len()] == [dim; 3]
    }

    /// Forms J at the start of the step if it is stale; says whether it did.
    pub(in super::super) fn renew(&mut self, problem: &mut Problem, leg: &Leg) -> Result<bool, Trouble> {
        if !self.stale {
            return Ok(false);
        }
        problem.statistics.jacobians += 1;
        self.matrix.fill(0.0);
        if !problem.ode.jacobian(leg.t0, leg.y0, &mut self.matrix) {
            self.difference(problem, leg)?;
        }
        let finite = (0..self.matrix.rows()).all(|i| self.matrix.row(i).iter().all(|v| v.is_finite()));
        if !finite {
            return Err(Trouble::NotFinite);
        }
        (self.fresh, self.stale) = (true, false);
        Ok(true)
    }

    /// Column j is (f(y + δ eⱼ) − f(y))/δ with δ = √ε · max(|yⱼ|, |h fⱼ|): truncation and rounding in balance. [HW IV.8]
    fn difference(&mut self, problem: &mut Problem, leg: &Leg) -> Result<(), Trouble> {
        // The size of a component is what its error is measured against: one that is only rounding dust about zero would
        // else be shifted by less than the rounding of f.
        problem.ode.scales(leg.y0, leg.y0, leg.f0, leg.h, &mut self.sizes);
        let largest = leg.y0.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for j in 0..leg.y0.len() {
            let mut size = leg.y0[j].abs().max((leg.h * leg.f0[j]).abs()).max(self.sizes[j]);
            if size == 0.0 || !size.is_finite() {
                // Nothing is known of this component: the size of the others, or one, must do.
                size = if largest > 0.0 { 1e-5 * largest } else { 1.0 };
            }
            self.shifted.copy_from_slice(leg.y0);
            // Away from zero: a positive concentration, say, stays positive.
            self.shifted[j] += (f64::EPSILON.sqrt() * size).copysign(leg.y0[j]);
            let delta = self.shifted[j] - leg.y0[j];
            problem.rates(leg.t0, &self.shifted, &mut self.rates)?;
            for i in 0..leg.y0.len() {
                self.matrix[(i, j)] = (self.rates[i] - leg.f0[i]) / delta;
            }
        }
        Ok(())
    }

    /// Decides whether J serves another step.
    pub(in super::super) fn judge(&mut self, newton: &Newton) {
        self.fresh = false;
        self.stale = newton.iterations > 2 && newton.rate > KEEP_JACOBIAN_RATE;
    }
}

/// The progress of one Newton iteration. [HW IV.8]
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(in super::super) struct Newton {
    pub(in super::super) iterations: u32,
    /// Quotient of the sizes of the last two increments.
    pub(in super::super) rate: f64,
    previous: f64,
}

impl Newton {
    /// Takes note of an increment of this size (in tolerances): done, to be continued, or hopeless.
    pub(in super::super) fn judge(&mut self, size: f64, settings: &Settings) -> Result<bool, Trouble> {
        if !size.is_finite() {
            return Err(Trouble::NotFinite);
        }
        let floor = NEWTON_FLOOR / settings.relative;
        let target = floor.max(NEWTON_SHARE.min(settings.relative.sqrt()));
        self.iterations += 1;
        if size <= floor {
            return Ok(true);
        }
        let previous = std::mem::replace(&mut self.previous, size);
        if self.iterations > 1 {
            self.rate = size / previous;
            let left = NEWTON_ITERATIONS.saturating_sub(self.iterations);
            let hopeless = Err(Trouble::Newton { iterations: self.iterations, rate: self.rate });
            if self.rate >= 1.0 {
                // Components that start from zero are found one after the other, each with a relative change of one,
                // before anything contracts.
                if self.rate > 2.0 || self.iterations > NEWTON_PATIENCE {
                    return hopeless;
                }
                return Ok(false);
            }
            let remaining = self.rate / (1.0 - self.rate) * size;
            if remaining <= target {
                return Ok(true);
            }
            let slow = crate::math::real::powi(self.rate, left) * remaining > target;
            if left == 0 || slow && self.iterations > NEWTON_PATIENCE {
                return hopeless;
            }
        }
        Ok(false)
    }
}

/// Factors of I − γ h J for one value of h.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Factors {
    lu: RealLu,
    step: f64,
}

/// z = h f(t + c h, y + c z), y₁ = y + z: backward Euler for c = 1, the implicit midpoint rule for c = ½. [HW IV.3]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct OneStage {
    c: f64,
    jacobian: Jacobian,
    /// For whole and for half steps.
    factors: [Factors; 2],
    newton: Newton,
    argument: Vec<f64>,
    rates: Vec<f64>,
    tolerances: Vec<f64>,
    doubling: Doubling,
}

impl OneStage {
    pub(in super::super) fn new(c: f64, dim: usize) -> Self {
        let factors = Factors { lu: RealLu::new(dim), step: 0.0 };
        Self {
            c,
            jacobian: Jacobian::new(dim),
            factors: [factors.clone(), factors],
            newton: Newton::default(),
            argument: vec![0.0; dim],
            rates: vec![0.0; dim],
            tolerances: vec![0.0; dim],
            doubling: Doubling::new(dim),
        }
    }

    /// Whether it is at this stage and for so many components.
    pub(in super::super) fn fits(&self, c: f64, dim: usize) -> bool {
        self.c.to_bits() == c.to_bits()
            && self.jacobian.fits(dim)
            && self.factors.iter().all(|factors| factors.lu.fits(dim))
            && [self.argument.len(), self.rates.len(), self.tolerances.len()] == [dim; 3]
            && self.doubling.fits(dim)
    }

    pub(in super::super) fn order(&self) -> u8 {
        if self.c == 1.0 { 1 } else { 2 }
    }

    pub(in super::super) fn reset(&mut self) {
        self.jacobian.stale = true;
    }

    pub(in super::super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        loop {
            if self.jacobian.renew(problem, leg)? {
                self.factors[0].step = 0.0;
                self.factors[1].step = 0.0;
            }
            match self.attempt_with_jacobian(problem, leg, trial) {
                // With an old Jacobian failure proves nothing.
                Err(Trouble::Newton { .. }) if !self.jacobian.fresh => self.jacobian.stale = true,
                outcome => return outcome,
            }
        }
    }

    fn attempt_with_jacobian(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        if !leg.estimate {
            return self.single(problem, leg, 0, &mut trial.delta);
        }
        let (order, whole) = (self.order(), leg.h);
        let mut doubling = std::mem::take(&mut self.doubling);
        let outcome = doubling.attempt(order, problem, leg, trial, &mut |problem, leg, delta| {
            let half = usize::from(leg.h != whole);
            self.single(problem, leg, half, delta)
        });
        self.doubling = doubling;
        outcome
    }

    /// Solves for z, left in `delta`; `which` selects the factors.
    fn single(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        which: usize,
        delta: &mut [f64],
    ) -> Result<(), Trouble> {
        let (c, matrix) = (self.c, &self.jacobian.matrix);
        let factors = &mut self.factors[which];
        if factors.step != leg.h {
            problem.statistics.factorisations += 1;
            factors.step = 0.0;
            let gamma = c * leg.h;
            factors
                .lu
                .factor(|i, j| if i == j { 1.0 } else { 0.0 } - gamma * matrix[(i, j)])
                .map_err(|_| Trouble::Newton { iterations: 0, rate: f64::INFINITY })?;
            factors.step = leg.h;
        }
        let t = if c == 1.0 { leg.t1 } else { leg.t0 + c * leg.h };
        // From zero: the slope at the start says nothing of the end of a stiff step.
        delta.fill(0.0);
        self.newton = Newton::default();
        loop {
            for i in 0..delta.len() {
                self.argument[i] = leg.y0[i] + c * delta[i];
            }
            problem.rates(t, &self.argument, &mut self.rates)?;
            problem.statistics.newton_iterations += 1;
            for i in 0..delta.len() {
                self.rates[i] = leg.h * self.rates[i] - delta[i];
            }
            self.factors[which].lu.solve(&mut self.rates);
            for i in 0..delta.len() {
                delta[i] += self.rates[i];
                self.argument[i] = leg.y0[i] + delta[i];
            }
            // Measured against the solution reached, so that a component that starts from zero has a scale.
            problem.tolerances(leg, &self.argument, &mut self.tolerances);
            if self.newton.judge(norm(&self.rates, &self.tolerances), problem.settings)? {
                return Ok(());
            }
        }
    }

    pub(in super::super) fn finish(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        span: &mut Span,
    ) -> Result<(), Trouble> {
        self.jacobian.judge(&self.newton);
        if self.c < 1.0 {
            return finish_hermite(problem, leg, trial, span);
        }
        // Rates at the ends of a stiff step amplify what Newton left over, and a Hermite cubic would swing with them:
        // the line, or the parabola through the middle of two half steps, does not.
        problem.rates(leg.t1, &trial.y1, &mut trial.f1)?;
        span.begin(leg.t0, leg.t1, leg.y0, 3);
        for i in 0..leg.y0.len() {
            let rise = trial.y1[i] - leg.y0[i];
            let half = if leg.estimate { self.doubling.middle[i] - leg.y0[i] } else { 0.5 * rise };
            let parabola = [leg.y0[i], 4.0 * half - rise, 2.0 * rise - 4.0 * half, 0.0];
            span.polynomial_mut(i).copy_from_slice(&parabola);
        }
        Ok(())
    }

    /// After an attempt that came to nothing: the Jacobian is formed anew if it is not from here.
    pub(in super::super) fn fail(&mut self) {
        self.jacobian.stale |= !self.jacobian.fresh;
    }
}
