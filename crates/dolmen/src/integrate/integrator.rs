//! Steps, one at a time.

use super::control::{Controller, first_step};
use super::method::Scheme;
use super::tolerances::{FIXED_STEP_SLACK, SCALELESS_AFTER, SMALLEST_STEP_ULPS};
use super::trial::{Leg, Problem, Trial, Trouble};
use super::{Ode, Settings, SettingsError, Span, Statistics, Step, StepError};
use crate::math::work;
use serde::{Deserialize, Serialize};

/// Integrates ẏ = f(t, y) step by step; a clone goes on with the same bits.
///
/// After [`Integrator::start`] each [`Integrator::step`] makes one accepted step and shows it as a [`Span`]. Steps
/// allocate nothing. Lengths of steps are differences of floating-point times, so that t carries no rounding.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Integrator {
    settings: Settings,
    scheme: Scheme,
    controller: Controller,
    t: f64,
    y: Vec<f64>,
    /// f(t, y).
    f: Vec<f64>,
    /// What rounding took from y so far, if that is made up for.
    carry: Vec<f64>,
    carry_next: Vec<f64>,
    /// 1 forward, −1 backward, 0 before the start.
    direction: f64,
    /// Length of the next step, positive.
    proposal: f64,
    /// Where fixed steps are counted from, and how many were made.
    origin: f64,
    fixed_steps: u64,
    attempts: u64,
    /// Rejections since the last accepted step.
    refused: u32,
    /// Whether `span` ends where the next step begins, without a jump.
    joined: bool,
    span: Span,
    /// The span being made: a step that fails leaves the last one alone.
    draft: Span,
    trial: Trial,
    statistics: Statistics,
}

/// A step decided on.
struct Plan {
    t1: f64,
    /// Signed.
    h: f64,
    /// Whether a stop shortened it.
    clipped: bool,
}

impl Integrator {
    /// An integrator for `dim` components.
    ///
    /// # Errors
    /// When the settings are out of range or `dim` is 0.
    pub fn new(settings: Settings, dim: usize) -> Result<Self, SettingsError> {
        settings.check()?;
        if dim == 0 {
            return Err(SettingsError::Empty);
        }
        if settings.method.is_implicit() && dim > SettingsError::MOST_IMPLICIT {
            return Err(SettingsError::TooLarge { dim });
        }
        Ok(Self {
            scheme: Scheme::new(&settings.method, dim),
            controller: Controller::new(),
            t: 0.0,
            y: vec![0.0; dim],
            f: vec![0.0; dim],
            carry: vec![0.0; dim],
            carry_next: vec![0.0; dim],
            direction: 0.0,
            proposal: 0.0,
            origin: 0.0,
            fixed_steps: 0,
            attempts: 0,
            refused: 0,
            joined: false,
            span: Span::new(dim),
            draft: Span::new(dim),
            trial: Trial::new(dim),
            statistics: Statistics::default(),
            settings,
        })
    }

    /// Whether it has these settings and so many components, and is started: one that was read from a file need not be.
    pub(crate) fn fits(&self, settings: &Settings, dim: usize) -> bool {
        let vectors = [&self.y, &self.f, &self.carry, &self.carry_next];
        self.settings == *settings
            && self.scheme.fits(&settings.method, dim)
            && vectors.iter().all(|vector| vector.len() == dim)
            && [&self.span, &self.draft].iter().all(|span| span.fits(dim))
            && self.trial.fits(dim)
            && self.direction.abs() == 1.0
    }

    /// Whether its time, its state and its span are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.t.is_finite() && self.y.iter().all(|y| y.is_finite()) && self.span.is_finite()
    }

    /// Begins at (t0, y0); `towards` is a time to go towards, finite or ±∞, and no limit.
    ///
    /// # Errors
    /// When lengths disagree, a number is not finite, or the method lacks what it needs of the equation.
    pub fn start(&mut self, ode: &mut dyn Ode, t0: f64, y0: &[f64], towards: f64) -> Result<(), StepError> {
        self.statistics = Statistics::default();
        if !(towards - t0).is_nan() && towards != t0 {
            self.direction = (towards - t0).signum();
        } else {
            self.direction = 0.0;
            return Err(StepError::StopBehind { t: t0, stop: towards });
        }
        self.begin(ode, t0, y0, (towards - t0).abs())
    }

    /// Goes on from (t, y) after a jump of the state or of f: keeps direction and statistics, drops history.
    ///
    /// # Errors
    /// As [`Integrator::start`]; also before a start.
    pub fn restart(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64]) -> Result<(), StepError> {
        if self.direction == 0.0 {
            return Err(StepError::NotStarted);
        }
        self.begin(ode, t, y, f64::INFINITY)
    }

    fn begin(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], longest: f64) -> Result<(), StepError> {
        let dim = self.y.len();
        if y.len() != dim || ode.dim() != dim {
            return Err(StepError::Dimension { given: y.len(), ode: ode.dim(), dim });
        }
        let not_finite = StepError::NotFinite { t, h: 0.0 };
        if !t.is_finite() || y.iter().any(|v| !v.is_finite()) {
            return Err(not_finite);
        }
        self.scheme.reset(ode)?;
        self.controller = Controller::new();
        (self.t, self.origin, self.fixed_steps, self.attempts, self.joined) = (t, t, 0, 0, false);
        self.refused = 0;
        self.y.copy_from_slice(y);
        self.carry.fill(0.0);
        let mut problem = Problem { ode, statistics: &mut self.statistics, settings: &self.settings };
        problem.rates(t, &self.y, &mut self.f).map_err(|_| not_finite.clone())?;
        self.proposal = match self.settings.step {
            Step::Fixed(h) | Step::Adaptive { first: Some(h), .. } => h,
            Step::Adaptive { first: None, largest } => {
                let longest = longest.min(largest.unwrap_or(f64::INFINITY));
                let leg = Leg {
                    t0: t,
                    h: self.direction,
                    t1: t + self.direction,
                    y0: &self.y,
                    f0: &self.f,
                    estimate: true,
                    previous: None,
                };
                let Trial { delta, f1, tolerances, .. } = &mut self.trial;
                first_step(&mut problem, &leg, self.scheme.estimate_order(), longest, delta, [f1, tolerances])
                    .map_err(|_| not_finite)?
            }
        };
        Ok(())
    }

    /// Makes one accepted step, which ends at `stop` at the latest, and then exactly there.
    ///
    /// A stop is a time at which f jumps, or at which the caller wants a true step to end. It changes the step only
    /// when that would reach past it, or would leave a remainder shorter than itself: then the rest is halved.
    ///
    /// # Errors
    /// When no step can be made; the integrator is then where it was before.
    pub fn step(&mut self, ode: &mut dyn Ode, stop: Option<f64>) -> Result<&Span, StepError> {
        if self.direction == 0.0 {
            return Err(StepError::NotStarted);
        }
        let adaptive = matches!(self.settings.step, Step::Adaptive { .. });
        loop {
            let plan = self.plan(stop)?;
            if work::is_over() {
                return Err(StepError::Cut { t: self.t });
            }
            self.attempts += 1;
            match self.attempt(ode, &plan, adaptive) {
                Ok(error) if error <= 1.0 || !adaptive => match self.finish(ode, &plan, adaptive) {
                    Ok(()) => {
                        self.accept(ode, &plan, error, adaptive)?;
                        return Ok(&self.span);
                    }
                    Err(trouble) => self.come_back(trouble, &plan, adaptive)?,
                },
                Ok(error) if error.is_nan() => self.come_back(Trouble::NotFinite, &plan, adaptive)?,
                Ok(error) => {
                    self.statistics.rejected += 1;
                    let factor = self.scheme.reject(&mut self.controller, error);
                    self.retry(plan.h.abs() * factor, None)?;
                }
                Err(trouble) => self.come_back(trouble, &plan, adaptive)?,
            }
        }
    }

    /// Decides the end of the next step.
    fn plan(&self, stop: Option<f64>) -> Result<Plan, StepError> {
        let Settings { max_steps, relative, .. } = self.settings;
        if self.attempts >= max_steps {
            return Err(StepError::TooManySteps { t: self.t, h: self.proposal, max_steps, relative });
        }
        let remaining = match stop {
            Some(stop) if (stop - self.t) * self.direction > 0.0 => (stop - self.t).abs(),
            Some(stop) => return Err(StepError::StopBehind { t: self.t, stop }),
            None => f64::INFINITY,
        };
        let (h, slack) = match self.settings.step {
            Step::Fixed(h) => (h, FIXED_STEP_SLACK * h),
            Step::Adaptive { largest, .. } => (self.proposal.min(largest.unwrap_or(f64::INFINITY)), 0.0),
        };
        if let (Some(stop), true) = (stop, remaining <= h + slack) {
            let clipped = remaining < h - slack;
            return Ok(Plan { t1: stop, h: stop - self.t, clipped });
        }
        let halved = matches!(self.settings.step, Step::Adaptive { .. }) && remaining < 2.0 * h;
        let t1 = match self.settings.step {
            // Counted from the origin: a sum of many steps would drift.
            Step::Fixed(h) => self.origin + self.direction * (h * (self.fixed_steps + 1) as f64),
            Step::Adaptive { .. } if halved => self.t + self.direction * (0.5 * remaining),
            Step::Adaptive { .. } => self.t + self.direction * h,
        };
        let plan = Plan { t1, h: t1 - self.t, clipped: halved };
        if plan.h * self.direction <= 0.0 {
            let (component, error) = self.trial.worst();
            return Err(StepError::StepTooSmall { t: self.t, h, component, error });
        }
        if !t1.is_finite() {
            return Err(StepError::NotFinite { t: self.t, h });
        }
        Ok(plan)
    }

    /// Tries the step; returns its error in tolerances.
    fn attempt(&mut self, ode: &mut dyn Ode, plan: &Plan, adaptive: bool) -> Result<f64, Trouble> {
        let mut problem = Problem { ode, statistics: &mut self.statistics, settings: &self.settings };
        let leg = leg(self.t, plan, (&self.y, &self.f), adaptive, self.joined.then_some(&self.span));
        let trial = &mut self.trial;
        self.scheme.attempt(&mut problem, &leg, trial)?;
        for i in 0..self.y.len() {
            if self.settings.compensated {
                // Two-sum: y1 + carry is y + Δ + carry without rounding.
                let (y, d) = (self.y[i], trial.delta[i] + self.carry[i]);
                let sum = y + d;
                let part = sum - y;
                self.carry_next[i] = (y - (sum - part)) + (d - part);
                trial.y1[i] = sum;
            } else {
                trial.y1[i] = self.y[i] + trial.delta[i];
            }
        }
        if trial.y1.iter().any(|v| !v.is_finite()) {
            return Err(Trouble::NotFinite);
        }
        problem.tolerances(&leg, &trial.y1, &mut trial.tolerances);
        if self.refused >= SCALELESS_AFTER {
            for i in 0..self.y.len() {
                if self.y[i] == 0.0 && self.f[i] == 0.0 {
                    trial.tolerances[i] = f64::INFINITY;
                }
            }
        }
        Ok(trial.error_norm())
    }

    /// Completes the draft of the span.
    fn finish(&mut self, ode: &mut dyn Ode, plan: &Plan, adaptive: bool) -> Result<(), Trouble> {
        let mut problem = Problem { ode, statistics: &mut self.statistics, settings: &self.settings };
        let leg = leg(self.t, plan, (&self.y, &self.f), adaptive, None);
        self.scheme.finish(&mut problem, &leg, &mut self.trial, &mut self.draft)
    }

    /// Projects, closes the span and moves on.
    fn accept(
        &mut self,
        ode: &mut dyn Ode,
        plan: &Plan,
        error: f64,
        adaptive: bool,
    ) -> Result<(), StepError> {
        let trial = &mut self.trial;
        // Delta is not needed any more: it remembers y1 before the projection.
        trial.delta.copy_from_slice(&trial.y1);
        ode.project(plan.t1, &mut trial.y1, &mut trial.f1);
        if trial.y1.iter().chain(&trial.f1).any(|v| !v.is_finite()) {
            return Err(StepError::NotFinite { t: self.t, h: plan.h });
        }
        if self.settings.compensated {
            for i in 0..self.carry.len() {
                // A projected component has no lost bits.
                self.carry[i] = if trial.y1[i] == trial.delta[i] { self.carry_next[i] } else { 0.0 };
            }
        }
        self.draft.close(&trial.y1);
        std::mem::swap(&mut self.span, &mut self.draft);
        let factor = self.scheme.accept(&mut self.controller, trial, error, plan.h, adaptive);
        let next = plan.h.abs() * factor;
        if adaptive {
            // A step cut short by a stop says little of how long the next may be.
            let keep = plan.clipped && factor >= 1.0 && self.scheme.forgets();
            self.proposal = if keep { next.max(self.proposal) } else { next };
        } else if plan.clipped {
            (self.origin, self.fixed_steps) = (plan.t1, 0);
        } else {
            self.fixed_steps += 1;
        }
        (self.t, self.joined, self.refused) = (plan.t1, true, 0);
        self.y.copy_from_slice(&self.trial.y1);
        self.f.copy_from_slice(&self.trial.f1);
        self.statistics.steps += 1;
        Ok(())
    }

    /// After an attempt that came to nothing: a shorter one, or the end.
    fn come_back(&mut self, trouble: Trouble, plan: &Plan, adaptive: bool) -> Result<(), StepError> {
        self.statistics.rejected += 1;
        if !adaptive {
            return Err(self.refuse(trouble, plan.h));
        }
        let factor = self.scheme.fail(&mut self.controller, trouble);
        self.retry(plan.h.abs() * factor, Some(trouble))
    }

    /// Proposes a shorter step, unless time would not resolve it.
    fn retry(&mut self, h: f64, trouble: Option<Trouble>) -> Result<(), StepError> {
        let smallest = SMALLEST_STEP_ULPS * (f64::EPSILON * self.t.abs()).max(f64::MIN_POSITIVE);
        if h < smallest {
            let (component, error) = self.trial.worst();
            return Err(match trouble {
                Some(trouble) => self.refuse(trouble, h),
                None => StepError::StepTooSmall { t: self.t, h, component, error },
            });
        }
        self.proposal = h;
        self.refused += 1;
        Ok(())
    }

    fn refuse(&self, trouble: Trouble, h: f64) -> StepError {
        match trouble {
            Trouble::NotFinite => StepError::NotFinite { t: self.t, h },
            Trouble::Newton { iterations, rate } => StepError::Newton { t: self.t, h, iterations, rate },
        }
    }

    /// The last accepted step; all zero before the first.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The present state.
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// f at the present time and state.
    pub fn rates(&self) -> &[f64] {
        &self.f
    }

    /// What it has cost since the start.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// As given to [`Integrator::new`].
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

fn leg<'a>(
    t0: f64,
    plan: &Plan,
    (y0, f0): (&'a [f64], &'a [f64]),
    estimate: bool,
    previous: Option<&'a Span>,
) -> Leg<'a> {
    Leg { t0, h: plan.h, t1: plan.t1, y0, f0, estimate, previous }
}
