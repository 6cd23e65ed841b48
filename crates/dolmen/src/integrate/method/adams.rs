//! Adams–Bashforth–Moulton with variable step and order: predict, evaluate, correct, evaluate. [HNW III.5]
//!
//! With modified divided differences Φⱼ(n) of f over the past points and Φ*ⱼ(n) = βⱼ(n) Φⱼ(n),
//!
//! - predictor of order k: p = y + h Σ_{j<k} gⱼ Φ*ⱼ(n);
//! - Φₖ(n+1) with f(t₁, p): the amount by which the prediction of f failed;
//! - corrector of order k + 1: y₁ = p + h gₖ Φₖ(n+1), so that the order of the method is k + 1;
//! - local error of order j: h (gⱼ − gⱼ₋₁) Φⱼ(n+1).
//!
//! Steps change by doubling and by cuts only, and stay the same in between: that is where the coefficients of many
//! past steps behave well, and it replaces the proportional–integral control of the one-step methods.

use super::super::Span;
use super::super::settings::ADAMS_HIGHEST_ORDER;
use super::super::trial::{Leg, Problem, Trial, Trouble, norm};
use super::dormand_prince;
use super::explicit::RungeKutta;
use crate::math::real;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest k.
const HIGHEST: usize = ADAMS_HIGHEST_ORDER as usize - 1;
/// Differences kept: Φ₀ to Φ_{k+1}, for the estimate of the next higher order.
const ROWS: usize = HIGHEST + 2;
/// Order up to which a fixed step without a fixed order is started.
const START_ORDER: usize = 8;

/// The method at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in super::super) struct Adams {
    /// The order asked for; `None` lets it vary.
    order: Option<u8>,
    /// Order of the predictor.
    k: usize,
    /// Number of valid differences: Φ₀ to Φ_{points−1}.
    points: usize,
    /// Φⱼ(n), Φ*ⱼ(n) and Φⱼ(n+1).
    phi: Vec<Vec<f64>>,
    phi_star: Vec<Vec<f64>>,
    phi_next: Vec<Vec<f64>>,
    /// Lengths of the past steps, latest first, and of the step attempted.
    past: [f64; ROWS],
    attempted: f64,
    g: [f64; ROWS + 1],
    /// Φₖ(n+1) with the predicted rates.
    surprise: Vec<f64>,
    argument: Vec<f64>,
    /// Makes the first steps where the step is fixed; dropped history brings it back.
    starter: RungeKutta,
    started_by_runge_kutta: bool,
    /// While errors permit, order and step rise with every step.
    rising: bool,
    /// Consecutive steps of the same length.
    equal_steps: usize,
    failures: u32,
}

impl Adams {
    pub(in super::super) fn new(order: Option<u8>, dim: usize) -> Self {
        let rows = || vec![vec![0.0; dim]; ROWS];
        Self {
            order,
            k: 1,
            points: 0,
            phi: rows(),
            phi_star: rows(),
            phi_next: rows(),
            past: [0.0; ROWS],
            attempted: 0.0,
            g: [0.0; ROWS + 1],
            surprise: vec![0.0; dim],
            argument: vec![0.0; dim],
            starter: RungeKutta::new(Arc::new(dormand_prince::dop853()), dim),
            started_by_runge_kutta: false,
            rising: true,
            equal_steps: 0,
            failures: 0,
        }
    }

    /// Whether it is for this order and so many components, with a past that it has room for.
    pub(in super::super) fn fits(&self, order: Option<u8>, dim: usize) -> bool {
        let tables = [&self.phi, &self.phi_star, &self.phi_next];
        self.order == order
            && (1..=HIGHEST).contains(&self.k)
            && self.points <= ROWS
            && tables.iter().all(|table| table.len() == ROWS && table.iter().all(|row| row.len() == dim))
            && [self.surprise.len(), self.argument.len()] == [dim; 2]
            && self.starter.fits(&dormand_prince::dop853(), dim)
    }

    /// Drops the past.
    pub(in super::super) fn reset(&mut self) {
        (self.k, self.points, self.rising, self.equal_steps, self.failures) = (1, 0, true, 0, 0);
    }

    /// Exponent of h in the error estimate.
    pub(in super::super) fn estimate_order(&self) -> f64 {
        (self.k + 1) as f64
    }

    /// The k that a fixed order asks for.
    fn wanted(&self) -> Option<usize> {
        self.order.map(|order| usize::from(order.max(2)) - 1)
    }

    pub(in super::super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        if self.points == 0 {
            self.phi[0].copy_from_slice(leg.f0);
            self.points = 1;
        }
        self.attempted = leg.h;
        let start_until = self.wanted().unwrap_or(START_ORDER - 1);
        self.started_by_runge_kutta = !leg.estimate && self.points < start_until;
        if !leg.estimate && self.points <= start_until {
            self.k = self.wanted().unwrap_or(START_ORDER - 1).min(self.points);
        }
        self.prepare(leg.h);
        if self.started_by_runge_kutta {
            return self.starter.attempt(problem, leg, trial);
        }
        self.predict_and_correct(problem, leg, trial)
    }

    /// βⱼ, Φ*ⱼ and gⱼ for a step of length h.
    ///
    /// βⱼ = βⱼ₋₁ (tₙ₊₁ − tₙ₋ⱼ₊₁)/(tₙ − tₙ₋ⱼ); gⱼ = cⱼ₁ with c₀q = 1/q and cⱼq = cⱼ₋₁,q − cⱼ₋₁,q₊₁ h/(tₙ₊₁ − tₙ₋ⱼ₊₁).
    fn prepare(&mut self, h: f64) {
        let mut c: [f64; ROWS + 2] = std::array::from_fn(|q| 1.0 / (q + 1) as f64);
        let (mut ahead, mut behind, mut beta) = (h, 0.0, 1.0);
        self.g[0] = 1.0;
        for j in 0..ROWS {
            if j < self.points {
                for (star, phi) in self.phi_star[j].iter_mut().zip(&self.phi[j]) {
                    *star = beta * phi;
                }
            }
            for q in 0..=ROWS - j {
                c[q] -= c[q + 1] * h / ahead;
            }
            self.g[j + 1] = c[0];
            // Unused beyond the known past; equal steps keep the numbers finite.
            let step = if j + 1 < self.points { self.past[j] } else { h };
            behind += step;
            beta *= ahead / behind;
            ahead += step;
        }
    }

    fn predict_and_correct(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        let (k, g) = (self.k, &self.g);
        trial.delta.fill(0.0);
        self.surprise.fill(0.0);
        // The small differences first: the sum loses least.
        for j in (0..k).rev() {
            for i in 0..trial.delta.len() {
                trial.delta[i] += g[j] * self.phi_star[j][i];
                self.surprise[i] += self.phi_star[j][i];
            }
        }
        for i in 0..trial.delta.len() {
            self.argument[i] = leg.y0[i] + leg.h * trial.delta[i];
        }
        problem.rates(leg.t1, &self.argument, &mut trial.f1)?;
        // Order 1 is the one without local extrapolation.
        let correction = if self.order == Some(1) { g[0] } else { g[k] };
        for i in 0..trial.delta.len() {
            self.surprise[i] = trial.f1[i] - self.surprise[i];
            trial.delta[i] = leg.h * (trial.delta[i] + correction * self.surprise[i]);
            trial.error[i] = leg.h * (g[k] - g[k - 1]) * self.surprise[i];
        }
        Ok(())
    }

    /// f(t1, y1), the differences at t1, and the integral of the polynomial through the last k + 1 rates.
    pub(in super::super) fn finish(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        span: &mut Span,
    ) -> Result<(), Trouble> {
        if self.started_by_runge_kutta {
            self.starter.finish(problem, leg, trial, span)?;
        } else {
            problem.rates(leg.t1, &trial.y1, &mut trial.f1)?;
        }
        self.phi_next[0].copy_from_slice(&trial.f1);
        for j in 1..ROWS.min(self.points + 1) {
            for i in 0..trial.f1.len() {
                self.phi_next[j][i] = self.phi_next[j - 1][i] - self.phi_star[j - 1][i];
            }
        }
        if !self.started_by_runge_kutta {
            self.interpolate(leg, span);
        }
        Ok(())
    }

    /// Newton's form of f over θ₀ = 1, θ₁ = 0, θⱼ = −(tₙ − tₙ₋ⱼ₊₁)/h has the coefficients Φⱼ(n+1)/Π (1 − θᵢ); it is
    /// expanded in powers of θ and integrated.
    fn interpolate(&self, leg: &Leg, span: &mut Span) {
        let terms = self.k + 1;
        span.begin(leg.t0, leg.t1, leg.y0, terms.max(3));
        for i in 0..leg.y0.len() {
            let polynomial = span.polynomial_mut(i);
            polynomial.fill(0.0);
            polynomial[0] = leg.y0[i];
        }
        let mut basis = [0.0; ROWS + 1];
        basis[0] = 1.0;
        let mut node = 1.0;
        for j in 0..terms {
            for i in 0..leg.y0.len() {
                let polynomial = span.polynomial_mut(i);
                for m in 0..=j {
                    polynomial[m + 1] += leg.h * self.phi_next[j][i] * basis[m] / (m + 1) as f64;
                }
            }
            // The next basis polynomial: times (θ − θⱼ)/(1 − θⱼ₊₁).
            let next = if j == 0 { 0.0 } else { node - self.past[j - 1] / leg.h };
            for m in (0..=j + 1).rev() {
                let shifted = if m > 0 { basis[m - 1] } else { 0.0 };
                basis[m] = (shifted - node * basis[m]) / (1.0 - next);
            }
            node = next;
        }
    }

    /// Takes the step into the history; `f1` are the rates after a projection. Must follow [`Adams::choose`].
    pub(in super::super) fn commit(&mut self, f1: &[f64]) {
        let valid = ROWS.min(self.points + 1);
        // Every difference contains f(t1) once.
        for i in 0..f1.len() {
            let change = f1[i] - self.phi_next[0][i];
            if change != 0.0 {
                for row in &mut self.phi_next[..valid] {
                    row[i] += change;
                }
            }
        }
        std::mem::swap(&mut self.phi, &mut self.phi_next);
        self.points = valid;
        self.past.copy_within(..ROWS - 1, 1);
        self.past[0] = self.attempted;
        self.k = self.k.min(self.points);
    }

    /// Order and factor of the next step after one accepted with `error`. [HNW III.7]
    ///
    /// The order falls where the errors of lower orders are no larger, and rises where that of the next one is smaller
    /// and enough steps were equal for it to be trusted.
    pub(in super::super) fn choose(&mut self, error: f64, tolerances: &[f64], adaptive: bool) -> f64 {
        let h = self.attempted;
        self.failures = 0;
        let same = (h - self.past[0]).abs() <= 1e-9 * h.abs();
        self.equal_steps = if same { self.equal_steps + 1 } else { 1 };
        if self.started_by_runge_kutta {
            self.rising = false;
            return 1.0;
        }
        let was_rising = self.rising;
        let (k, next_error) = match self.wanted() {
            Some(wanted) => (wanted.min(self.k + 1).min(self.points + 1), error),
            None => self.choose_order(error, tolerances),
        };
        let raised = k > self.k;
        self.rising = was_rising && raised && self.wanted().is_none();
        let exponent = (k + 1) as f64;
        self.k = k;
        if !adaptive {
            return 1.0;
        }
        if self.rising && was_rising || real::pow(2.0, exponent) * next_error <= 0.5 {
            2.0
        } else if next_error <= 0.5 {
            1.0
        } else {
            real::pow(0.5 / next_error, 1.0 / exponent).clamp(0.5, 0.9)
        }
    }

    /// The best order for the next step and the error it would have had in this one.
    fn choose_order(&mut self, error: f64, tolerances: &[f64]) -> (usize, f64) {
        let (k, h) = (self.k, self.attempted);
        let size = |g: &[f64; ROWS + 1], j: usize| (h * (g[j] - g[j - 1])).abs();
        // Φₖ₋₁(n+1) and Φₖ₋₂(n+1) with the predicted rates.
        let (mut lower, mut lowest) = (f64::INFINITY, 0.0);
        self.argument.copy_from_slice(&self.surprise);
        for j in (k.saturating_sub(2).max(1)..k).rev() {
            for i in 0..self.argument.len() {
                self.argument[i] += self.phi_star[j][i];
            }
            let estimate = size(&self.g, j) * norm(&self.argument, tolerances);
            if j + 1 == k {
                lower = estimate;
            } else {
                lowest = estimate;
            }
        }
        let fall = if k > 2 { lower.max(lowest) <= error } else { k == 2 && lower <= 0.5 * error };
        if fall {
            return (k - 1, lower);
        }
        if self.rising && k < HIGHEST {
            return (k + 1, error);
        }
        if k == HIGHEST || self.equal_steps <= k || self.points < k + 1 {
            return (k, error);
        }
        let higher = size(&self.g, k + 1) * norm(&self.phi_next[k + 1], tolerances);
        if k > 1 && lower <= error.min(higher) {
            return (k - 1, lower);
        }
        if higher < if k > 1 { error } else { 0.5 * error } { (k + 1, higher) } else { (k, error) }
    }

    /// Factor for the next attempt after one that was rejected with `error`, or came to nothing.
    pub(in super::super) fn reject(&mut self, error: f64) -> f64 {
        self.rising = false;
        self.failures += 1;
        if self.failures < 3 {
            return 0.5;
        }
        // The past misleads: begin again with order 1, where the error tells the step.
        let factor = real::pow(0.5 / error, 0.5).clamp(0.01, 0.5);
        (self.k, self.points, self.equal_steps) = (1, 0, 0);
        factor
    }
}
