//! How integration ends, and what it cost.

use serde::{Deserialize, Serialize};

/// What integration has cost so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts at a step.
    pub rejected: u64,
    /// Evaluations of f, those for finite differences included but for what an equation does to fill its own Jacobian.
    pub evaluations: u64,
    /// Jacobians formed.
    pub jacobians: u64,
    /// LU factorisations; a real and a complex one count as two.
    pub factorisations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Where the problem first proved stiff for an explicit method (only Dormand–Prince and DOP853 look).
    ///
    /// A report: the answer still holds its tolerance, but "radau5" may be far cheaper.
    pub stiff_at: Option<f64>,
}

impl Statistics {
    /// Both together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let stiff_at = match (self.stiff_at, other.stiff_at) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            steps: self.steps + other.steps,
            rejected: self.rejected + other.rejected,
            evaluations: self.evaluations + other.evaluations,
            jacobians: self.jacobians + other.jacobians,
            factorisations: self.factorisations + other.factorisations,
            newton_iterations: self.newton_iterations + other.newton_iterations,
            stiff_at,
        }
    }
}

/// Why a step could not be made. The integrator stays where it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The step became so short that time does not resolve it.
    #[error(
        "the step fell to {h:e} at t = {t}, where time is not resolved any more: component {component} errs by \
         {error:e} of its tolerance. Is there a singularity? A jump of f: pass its time as `stop`. \
         A stiff problem: use method \"radau5\". Else loosen the tolerance"
    )]
    StepTooSmall {
        /// Where.
        t: f64,
        /// The step refused.
        h: f64,
        /// The component with the largest error.
        component: usize,
        /// Its error in units of its tolerance.
        error: f64,
    },
    /// The task to which it belongs was told to end.
    #[error("the step from t = {t} was cut short")]
    Cut {
        /// Where.
        t: f64,
    },
    /// f or the state is infinite or NaN.
    #[error(
        "f(t, y) or the state is not finite within {h:e} of t = {t}: the solution leaves the domain of f or blows \
         up (a singularity); stop before it, or use a smaller fixed step"
    )]
    NotFinite {
        /// Last time at which all was finite.
        t: f64,
        /// The step attempted from there; zero if f is not finite at t itself.
        h: f64,
    },
    /// The budget of steps is spent.
    #[error(
        "{max_steps} steps were tried by t = {t} (the last of length {h:e}): raise max_steps, loosen the tolerance \
         {relative:e}, or for a stiff problem use method \"radau5\""
    )]
    TooManySteps {
        /// Where.
        t: f64,
        /// The step planned.
        h: f64,
        /// The budget.
        max_steps: u64,
        /// The relative tolerance in force.
        relative: f64,
    },
    /// The implicit equations of a step were not solved.
    #[error(
        "Newton's method failed at t = {t} with step {h:e} after {iterations} iterations (contraction {rate:.3}): \
         use a smaller or an adaptive step, or supply the exact Jacobian"
    )]
    Newton {
        /// Where.
        t: f64,
        /// The step attempted.
        h: f64,
        /// Iterations spent on it.
        iterations: u32,
        /// Last quotient of the sizes of two increments; at least 1 is divergence.
        rate: f64,
    },
    /// Semi-implicit Euler does not know which components are momenta.
    #[error(
        "the semi-implicit Euler method moves momenta first, but Ode::momenta names {given} components of {dim}: \
         return one bool per component, or use another method"
    )]
    NeedsMomenta {
        /// Length of the mask; zero when there is none.
        given: usize,
        /// Number of components.
        dim: usize,
    },
    /// A state of the wrong length.
    #[error("the state has {given} components, the equation {ode}, the integrator {dim}: make them agree")]
    Dimension {
        /// Length of the state given.
        given: usize,
        /// Dimension of the equation.
        ode: usize,
        /// Dimension of the integrator.
        dim: usize,
    },
    /// `step` before `start`.
    #[error("the integrator has no state yet: call start first")]
    NotStarted,
    /// The stop is not ahead.
    #[error(
        "the stop {stop} is not ahead of t = {t} in the direction of integration: pass a later one, or none"
    )]
    StopBehind {
        /// The present time.
        t: f64,
        /// The stop.
        stop: f64,
    },
    /// The settings are refused.
    #[error(transparent)]
    Settings(#[from] super::SettingsError),
}

impl StepError {
    /// Whether the solution is faster than any step follows: none was short enough, or its implicit equations were not
    /// solved.
    pub fn is_too_fast(&self) -> bool {
        matches!(self, Self::StepTooSmall { .. } | Self::Newton { .. })
    }
}
