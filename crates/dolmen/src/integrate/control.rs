//! The length of the next step.

use super::tolerances::{GROWTH, INTEGRAL_SHARE, SAFETY, SHRINK, SMALLEST_PREVIOUS_ERROR};
use super::trial::{Leg, Problem, Trouble};
use crate::math::real;
use serde::{Deserialize, Serialize};

/// Proportional–integral step control: h ← h · 0.9 e⁻ᵅ e₋₁ᵝ with α = 1/k − ¾β, for an estimate e ∝ hᵏ. [HNW II.4, IV.2]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Controller {
    previous: f64,
    rejected: bool,
}

impl Controller {
    pub(super) fn new() -> Self {
        Self { previous: SMALLEST_PREVIOUS_ERROR, rejected: false }
    }

    /// Factor for the step after one that was accepted with `error`.
    pub(super) fn accept(&mut self, error: f64, k: f64) -> f64 {
        let beta = INTEGRAL_SHARE / k;
        let alpha = 1.0 / k - 0.75 * beta;
        // An error of zero allows any growth; pow(0, −α) is ∞, which the bound below takes.
        let factor = SAFETY * real::pow(error, -alpha) * real::pow(self.previous, beta);
        self.previous = error.max(SMALLEST_PREVIOUS_ERROR);
        // Right after a rejection a longer step would most likely be rejected again.
        let growth = if self.rejected { 1.0 } else { GROWTH };
        self.rejected = false;
        factor.clamp(SHRINK, growth)
    }

    /// Factor for the next attempt after one that was rejected with `error` > 1.
    pub(super) fn reject(&mut self, error: f64, k: f64) -> f64 {
        self.rejected = true;
        (SAFETY * real::pow(error, -1.0 / k)).clamp(SHRINK, SAFETY)
    }

    /// The same when there is no estimate, since nothing came out.
    pub(super) fn fail(&mut self, factor: f64) -> f64 {
        self.rejected = true;
        factor
    }
}

/// A first step by the rule of [HNW II.4]: an explicit Euler step of a hundredth of |y|/|f| measures ÿ, and then
/// h^k max(|ẏ|, |ÿ|) = 0.01. Components of scale zero say nothing and are left out. `stage`, `rates` are scratch.
pub(super) fn first_step(
    problem: &mut Problem,
    leg: &Leg,
    order: f64,
    longest: f64,
    stage: &mut [f64],
    scratch: [&mut [f64]; 2],
) -> Result<f64, Trouble> {
    let [rates, tolerances] = scratch;
    let direction = leg.h.signum();
    problem.tolerances(leg, leg.y0, tolerances);
    let plain = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let usable = |guess: &f64| guess.is_finite() && *guess > 0.0;
    let guesses = [
        0.01 * (known_norm(leg.y0, tolerances) / known_norm(leg.f0, tolerances)),
        // Where nothing that has a scale moves: all components as they are, whatever their units.
        0.01 * (plain(leg.y0) / plain(leg.f0)),
        1e-3 * longest,
        1e-3 * leg.t0.abs(),
    ];
    let mut h = guesses.into_iter().find(usable).unwrap_or(1e-6).min(longest);
    // f may not be defined so far out: come closer.
    let mut tries = 0;
    loop {
        for i in 0..stage.len() {
            stage[i] = leg.y0[i] + direction * h * leg.f0[i];
        }
        match problem.rates(leg.t0 + direction * h, stage, rates) {
            Ok(()) => break,
            Err(trouble) if tries >= 60 => return Err(trouble),
            Err(_) => h *= 0.1,
        }
        tries += 1;
    }
    problem.tolerances(leg, stage, tolerances);
    let speed = known_norm(leg.f0, tolerances);
    for i in 0..stage.len() {
        stage[i] = (rates[i] - leg.f0[i]) / h;
    }
    let bend = known_norm(stage, tolerances);
    let steepest = speed.max(bend);
    let by_order = real::pow(0.01 / steepest, 1.0 / order);
    let chosen = if steepest > 0.0 && by_order.is_finite() { by_order.min(100.0 * h) } else { 100.0 * h };
    Ok(chosen.min(longest).max(f64::MIN_POSITIVE))
}

/// As `norm`, without the components whose tolerance is zero.
fn known_norm(x: &[f64], tolerances: &[f64]) -> f64 {
    let known = x.iter().zip(tolerances).filter(|(_, tolerance)| **tolerance > 0.0);
    (known.map(|(x, tolerance)| (x / tolerance) * (x / tolerance)).sum::<f64>() / x.len() as f64).sqrt()
}
