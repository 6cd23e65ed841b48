//! From t0 to t1 in one call.

use super::{Integrator, Ode, Settings, Span, Statistics, StepError};

/// A whole solution: every span of it, to be sampled at any time.
#[derive(Debug, Clone)]
pub struct Solution {
    spans: Vec<Span>,
    y0: Vec<f64>,
    /// What it cost.
    pub statistics: Statistics,
}

impl Solution {
    /// The spans, in the order in which they were made.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The state at `t`; outside of [t0, t1] the first or last polynomial is extrapolated.
    pub fn at(&self, t: f64, y: &mut [f64]) {
        match self.span_at(t) {
            Some(span) => span.at(t, y),
            None => y.copy_from_slice(&self.y0),
        }
    }

    /// The state at the end.
    pub fn end(&self) -> &[f64] {
        self.spans.last().map_or(&self.y0, |span| span.y1())
    }

    /// The span that contains `t`, the earlier one where two meet; none if the solution is a point.
    pub fn span_at(&self, t: f64) -> Option<&Span> {
        let index = self.spans.partition_point(|span| (t - span.t1) * (span.t1 - span.t0) > 0.0);
        self.spans.get(index).or(self.spans.last())
    }
}

/// The end of an integration.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The state at t1.
    pub y: Vec<f64>,
    /// What it cost.
    pub statistics: Statistics,
}

/// Integrates from (t0, y0) to t1 and keeps every span.
///
/// # Errors
/// When the settings are refused or a step cannot be made.
pub fn solve(
    ode: &mut dyn Ode,
    t0: f64,
    y0: &[f64],
    t1: f64,
    settings: &Settings,
) -> Result<Solution, StepError> {
    let mut spans = Vec::new();
    let End { statistics, .. } = advance(ode, t0, y0, t1, settings, &mut |span| spans.push(span.clone()))?;
    Ok(Solution { spans, y0: y0.to_vec(), statistics })
}

/// Integrates from (t0, y0) to t1 and keeps only the end.
///
/// # Errors
/// When the settings are refused or a step cannot be made.
pub fn solve_to(
    ode: &mut dyn Ode,
    t0: f64,
    y0: &[f64],
    t1: f64,
    settings: &Settings,
) -> Result<End, StepError> {
    advance(ode, t0, y0, t1, settings, &mut |_| ())
}

fn advance(
    ode: &mut dyn Ode,
    t0: f64,
    y0: &[f64],
    t1: f64,
    settings: &Settings,
    keep: &mut dyn FnMut(&Span),
) -> Result<End, StepError> {
    let mut integrator = Integrator::new(settings.clone(), y0.len())?;
    if t0 == t1 {
        return Ok(End { y: y0.to_vec(), statistics: Statistics::default() });
    }
    integrator.start(ode, t0, y0, t1)?;
    while integrator.time() != t1 {
        keep(integrator.step(ode, Some(t1))?);
    }
    Ok(End { y: integrator.state().to_vec(), statistics: *integrator.statistics() })
}
