//! Explicit one-step methods: every Runge–Kutta tableau in one loop, and semi-implicit Euler.

use super::super::span::{MAX_DEGREE, hermite_terms};
use super::super::tableau::Tableau;
use super::super::tolerances::{CLEAR_STEPS, STIFF_STEPS};
use super::super::trial::{Leg, Problem, Trial, Trouble, norm};
use super::super::{Span, StepError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An explicit Runge–Kutta method at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct RungeKutta {
    tableau: Arc<Tableau>,
    /// The stages k, one row each: those of the tableau, then f(t1, y1), then those of the dense output.
    stages: Vec<Vec<f64>>,
    argument: Vec<f64>,
    /// Argument of the stage that the stiffness test looks at.
    compared: Vec<f64>,
    doubling: Doubling,
    stiff_looking: u32,
    clear_looking: u32,
}

impl RungeKutta {
    pub(in super::super) fn new(tableau: Arc<Tableau>, dim: usize) -> Self {
        let rows = tableau.stages() + 1 + tableau.refinement.extra_c.len();
        Self {
            tableau,
            stages: vec![vec![0.0; dim]; rows],
            argument: vec![0.0; dim],
            compared: vec![0.0; dim],
            doubling: Doubling::new(dim),
            stiff_looking: 0,
            clear_looking: 0,
        }
    }

    /// Whether it is of this tableau and so many components.
    pub(in super::super) fn fits(&self, tableau: &Tableau, dim: usize) -> bool {
        let rows = tableau.stages() + 1 + tableau.refinement.extra_c.len();
        *self.tableau == *tableau
            && self.stages.len() == rows
            && self.stages.iter().chain([&self.argument, &self.compared]).all(|vector| vector.len() == dim)
            && self.doubling.fits(dim)
    }

    pub(in super::super) fn estimate_order(&self) -> u8 {
        self.tableau.estimate_order()
    }

    pub(in super::super) fn reset(&mut self) {
        (self.stiff_looking, self.clear_looking) = (0, 0);
    }

    pub(in super::super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        if leg.estimate && self.tableau.b_hat().is_none() {
            let order = self.tableau.order();
            let mut doubling = std::mem::take(&mut self.doubling);
            let outcome = doubling.attempt(order, problem, leg, trial, &mut |problem, leg, delta| {
                self.run_stages(problem, leg)?;
                self.combine(leg.h, self.tableau.b(), delta);
                Ok(())
            });
            self.doubling = doubling;
            return outcome;
        }
        self.run_stages(problem, leg)?;
        self.combine(leg.h, self.tableau.b(), &mut trial.delta);
        if let (true, Some(b_hat)) = (leg.estimate, self.tableau.b_hat()) {
            for i in 0..trial.error.len() {
                let sum: f64 =
                    (0..b_hat.len()).map(|s| (self.tableau.b()[s] - b_hat[s]) * self.stages[s][i]).sum();
                trial.error[i] = leg.h * sum;
            }
            if let Some(weights) = &self.tableau.refinement.coarse {
                self.combine(leg.h, weights, &mut trial.coarse);
                trial.two_estimates = true;
            }
        }
        Ok(())
    }

    /// kᵢ = f(t + cᵢ h, y + h Σⱼ aᵢⱼ kⱼ).
    fn run_stages(&mut self, problem: &mut Problem, leg: &Leg) -> Result<(), Trouble> {
        self.stages[0].copy_from_slice(leg.f0);
        let tableau = Arc::clone(&self.tableau);
        let compared = tableau.refinement.stiffness.map(|(stage, _)| stage);
        for s in 1..tableau.stages() {
            self.run_stage(problem, leg, s, (tableau.a(s), tableau.c()[s]))?;
            if compared == Some(s) {
                self.compared.copy_from_slice(&self.argument);
            }
        }
        Ok(())
    }

    fn run_stage(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        s: usize,
        (row, c): (&[f64], f64),
    ) -> Result<(), Trouble> {
        let mut argument = std::mem::take(&mut self.argument);
        self.combine(leg.h, row, &mut argument);
        for (value, y) in argument.iter_mut().zip(leg.y0) {
            *value += y;
        }
        self.argument = argument;
        // c = 1 must be the end itself: f may jump right behind it.
        let t = if c == 1.0 { leg.t1 } else { leg.t0 + c * leg.h };
        problem.rates(t, &self.argument, &mut self.stages[s])
    }

    /// `sum` = h Σ weightᵢ kᵢ, in the order of the stages.
    fn combine(&self, h: f64, weights: &[f64], sum: &mut [f64]) {
        sum.fill(0.0);
        for (&weight, stage) in weights.iter().zip(&self.stages) {
            if weight != 0.0 {
                for (total, k) in sum.iter_mut().zip(stage) {
                    *total += weight * k;
                }
            }
        }
        for total in sum {
            *total *= h;
        }
    }

    /// f(t1, y1) and the dense output: Hermite's cubic, and the terms beyond it that the tableau has.
    pub(in super::super) fn finish(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        span: &mut Span,
    ) -> Result<(), Trouble> {
        let tableau = Arc::clone(&self.tableau);
        let end = tableau.stages();
        if tableau.first_same_as_last() {
            trial.f1.copy_from_slice(&self.stages[end - 1]);
        } else {
            problem.rates(leg.t1, &trial.y1, &mut trial.f1)?;
        }
        self.stages[end].copy_from_slice(&trial.f1);
        let extra = &tableau.refinement;
        for (j, row) in extra.extra_a.iter().enumerate() {
            self.run_stage(problem, leg, end + 1 + j, (row, extra.extra_c[j]))?;
        }
        if let Some((_, bound)) = extra.stiffness {
            self.look_for_stiffness(problem, leg, trial, bound);
        }
        let terms = 3 + extra.dense.len();
        span.begin(leg.t0, leg.t1, leg.y0, terms);
        let mut nested = [0.0; MAX_DEGREE];
        for i in 0..leg.y0.len() {
            let ends = hermite_terms(leg.y0[i], trial.y1[i], leg.h * leg.f0[i], leg.h * trial.f1[i]);
            nested[..3].copy_from_slice(&ends);
            for (term, row) in nested[3..].iter_mut().zip(&extra.dense) {
                let sum: f64 = row.iter().zip(&self.stages).map(|(weight, k)| weight * k[i]).sum();
                *term = leg.h * sum;
            }
            span.set_nested(i, &nested[..terms]);
        }
        Ok(())
    }

    /// h |λ| ≈ h |f(y1) − f(g)|/|y1 − g| with another argument g at t1; beyond the bound stability, not accuracy,
    /// limits the step. [HNW IV.2]
    fn look_for_stiffness(&mut self, problem: &mut Problem, leg: &Leg, trial: &mut Trial, bound: f64) {
        let Some((stage, _)) = self.tableau.refinement.stiffness else { return };
        if !leg.estimate || problem.statistics.stiff_at.is_some() {
            return;
        }
        for i in 0..self.argument.len() {
            self.argument[i] = trial.f1[i] - self.stages[stage][i];
            self.compared[i] = trial.y1[i] - self.compared[i];
        }
        let (rise, run) = (norm(&self.argument, &trial.tolerances), norm(&self.compared, &trial.tolerances));
        if run > 0.0 && leg.h.abs() * rise > bound * run {
            self.clear_looking = 0;
            self.stiff_looking += 1;
            if self.stiff_looking == STIFF_STEPS {
                problem.statistics.stiff_at = Some(leg.t0);
            }
        } else {
            self.clear_looking += 1;
            if self.clear_looking >= CLEAR_STEPS {
                self.stiff_looking = 0;
            }
        }
    }
}

/// Semi-implicit Euler: p₁ = p + h `f_p`(t, q, p), then q₁ = q + h `f_q`(t₁, q, p₁). [HNW II.16]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct SemiImplicitEuler {
    momenta: Vec<bool>,
    kicked: Vec<f64>,
    rates: Vec<f64>,
    doubling: Doubling,
}

impl SemiImplicitEuler {
    pub(in super::super) fn new(dim: usize) -> Self {
        Self {
            momenta: vec![false; dim],
            kicked: vec![0.0; dim],
            rates: vec![0.0; dim],
            doubling: Doubling::new(dim),
        }
    }

    /// Whether it is for so many components.
    pub(in super::super) fn fits(&self, dim: usize) -> bool {
        [self.momenta.len(), self.kicked.len(), self.rates.len()] == [dim; 3] && self.doubling.fits(dim)
    }

    /// Learns which components are momenta.
    pub(in super::super) fn set_momenta(&mut self, mask: Option<&[bool]>) -> Result<(), StepError> {
        let (mask, dim) = (mask.unwrap_or(&[]), self.momenta.len());
        if mask.len() != dim {
            return Err(StepError::NeedsMomenta { given: mask.len(), dim });
        }
        self.momenta.copy_from_slice(mask);
        Ok(())
    }

    pub(in super::super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        if !leg.estimate {
            return self.single(problem, leg, &mut trial.delta);
        }
        let mut doubling = std::mem::take(&mut self.doubling);
        let outcome = doubling
            .attempt(1, problem, leg, trial, &mut |problem, leg, delta| self.single(problem, leg, delta));
        self.doubling = doubling;
        outcome
    }

    fn single(&mut self, problem: &mut Problem, leg: &Leg, delta: &mut [f64]) -> Result<(), Trouble> {
        for i in 0..delta.len() {
            delta[i] = if self.momenta[i] { leg.h * leg.f0[i] } else { 0.0 };
            self.kicked[i] = leg.y0[i] + delta[i];
        }
        problem.rates(leg.t1, &self.kicked, &mut self.rates)?;
        for i in 0..delta.len() {
            if !self.momenta[i] {
                delta[i] = leg.h * self.rates[i];
            }
        }
        Ok(())
    }
}

/// Makes a step by a method that knows only single steps: `delta` = y1 − y0.
type Single<'a> = dyn FnMut(&mut Problem, &Leg, &mut [f64]) -> Result<(), Trouble> + 'a;

/// An error estimate for methods that have none: two half steps against a whole one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in super::super) struct Doubling {
    /// The state between the two half steps.
    pub(in super::super) middle: Vec<f64>,
    rates: Vec<f64>,
}

impl Doubling {
    pub(in super::super) fn new(dim: usize) -> Self {
        Self { middle: vec![0.0; dim], rates: vec![0.0; dim] }
    }

    /// Whether its vectors have so many components.
    pub(in super::super) fn fits(&self, dim: usize) -> bool {
        [self.middle.len(), self.rates.len()] == [dim; 2]
    }

    /// Goes on with the two half steps; their error is (y₂ − y₁)/(2ᵖ − 1). [HNW II.4]
    ///
    /// The estimate is not added to the result, which so keeps the stability and the symmetry of the method.
    pub(in super::super) fn attempt(
        &mut self,
        order: u8,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        single: &mut Single,
    ) -> Result<(), Trouble> {
        single(problem, leg, &mut trial.coarse)?;
        let middle = leg.t0 + 0.5 * leg.h;
        let first = Leg { h: 0.5 * leg.h, t1: middle, ..*leg };
        single(problem, &first, &mut trial.delta)?;
        for i in 0..self.middle.len() {
            self.middle[i] = leg.y0[i] + trial.delta[i];
        }
        problem.rates(middle, &self.middle, &mut self.rates)?;
        let second = Leg { t0: middle, h: 0.5 * leg.h, y0: &self.middle, f0: &self.rates, ..*leg };
        single(problem, &second, &mut trial.error)?;
        let divisor = f64::from((1u32 << order.min(31)) - 1);
        for i in 0..trial.delta.len() {
            trial.delta[i] += trial.error[i];
            trial.error[i] = (trial.delta[i] - trial.coarse[i]) / divisor;
        }
        Ok(())
    }
}

/// f(t1, y1) and Hermite's cubic, for methods without a dense output of their own.
pub(in super::super) fn finish_hermite(
    problem: &mut Problem,
    leg: &Leg,
    trial: &mut Trial,
    span: &mut Span,
) -> Result<(), Trouble> {
    problem.rates(leg.t1, &trial.y1, &mut trial.f1)?;
    span.begin(leg.t0, leg.t1, leg.y0, 3);
    span.set_hermite(&trial.y1, leg.f0, &trial.f1, leg.h);
    Ok(())
}
