//! The methods behind one interface: a problem and a step in, a trial out; attempt, finish, and what they say of the next step.
//!
//! Explicit Runge–Kutta methods of any tableau and the two of Dormand and Prince, Adams of variable order, and the implicit ones,
//! of one stage and Radau, with Newton's method inside. None of them controls its step: `control` does.

mod adams;
mod dormand_prince;
mod explicit;
mod implicit;
mod radau;

use super::control::Controller;
use super::tolerances::SHRINK;
use super::trial::{Leg, Problem, Trial, Trouble};
use super::{Method, Ode, Span, StepError};
use adams::Adams;
use explicit::{RungeKutta, SemiImplicitEuler, finish_hermite};
use implicit::OneStage;
use radau::Radau;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A method at work, with its buffers and its history.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Scheme {
    RungeKutta(Box<RungeKutta>),
    SemiImplicitEuler(Box<SemiImplicitEuler>),
    Adams(Box<Adams>),
    OneStage(Box<OneStage>),
    Radau(Box<Radau>),
}

impl Scheme {
    pub(super) fn new(method: &Method, dim: usize) -> Self {
        let runge_kutta = |tableau| Self::RungeKutta(Box::new(RungeKutta::new(tableau, dim)));
        match method {
            Method::Explicit(tableau) => runge_kutta(Arc::clone(tableau)),
            Method::DormandPrince => runge_kutta(Arc::new(dormand_prince::dormand_prince())),
            Method::Dop853 => runge_kutta(Arc::new(dormand_prince::dop853())),
            Method::SemiImplicitEuler => Self::SemiImplicitEuler(Box::new(SemiImplicitEuler::new(dim))),
            Method::Adams { order } => Self::Adams(Box::new(Adams::new(*order, dim))),
            Method::BackwardEuler => Self::OneStage(Box::new(OneStage::new(1.0, dim))),
            Method::ImplicitMidpoint => Self::OneStage(Box::new(OneStage::new(0.5, dim))),
            Method::Radau5 => Self::Radau(Box::new(Radau::new(dim))),
        }
    }

    /// Whether it is this method for so many components: one that was read from a file need not be.
    pub(super) fn fits(&self, method: &Method, dim: usize) -> bool {
        match (self, method) {
            (Self::RungeKutta(scheme), Method::Explicit(tableau)) => scheme.fits(tableau, dim),
            (Self::RungeKutta(scheme), Method::DormandPrince) => {
                scheme.fits(&dormand_prince::dormand_prince(), dim)
            }
            (Self::RungeKutta(scheme), Method::Dop853) => scheme.fits(&dormand_prince::dop853(), dim),
            (Self::SemiImplicitEuler(scheme), Method::SemiImplicitEuler) => scheme.fits(dim),
            (Self::Adams(scheme), Method::Adams { order }) => scheme.fits(*order, dim),
            (Self::OneStage(scheme), Method::BackwardEuler) => scheme.fits(1.0, dim),
            (Self::OneStage(scheme), Method::ImplicitMidpoint) => scheme.fits(0.5, dim),
            (Self::Radau(scheme), Method::Radau5) => scheme.fits(dim),
            _ => false,
        }
    }

    /// Drops what was learnt of the past.
    pub(super) fn reset(&mut self, ode: &dyn Ode) -> Result<(), StepError> {
        match self {
            Self::RungeKutta(scheme) => scheme.reset(),
            Self::SemiImplicitEuler(scheme) => scheme.set_momenta(ode.momenta())?,
            Self::Adams(scheme) => scheme.reset(),
            Self::OneStage(scheme) => scheme.reset(),
            Self::Radau(scheme) => scheme.reset(),
        }
        Ok(())
    }

    /// Exponent of h in the error estimate.
    pub(super) fn estimate_order(&self) -> f64 {
        match self {
            Self::RungeKutta(scheme) => f64::from(scheme.estimate_order()),
            Self::SemiImplicitEuler(_) => 2.0,
            Self::Adams(scheme) => scheme.estimate_order(),
            Self::OneStage(scheme) => f64::from(scheme.order() + 1),
            Self::Radau(_) => 4.0,
        }
    }

    /// Fills `delta` and, if the leg wants one, the error estimate.
    pub(super) fn attempt(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
    ) -> Result<(), Trouble> {
        match self {
            Self::RungeKutta(scheme) => scheme.attempt(problem, leg, trial),
            Self::SemiImplicitEuler(scheme) => scheme.attempt(problem, leg, trial),
            Self::Adams(scheme) => scheme.attempt(problem, leg, trial),
            Self::OneStage(scheme) => scheme.attempt(problem, leg, trial),
            Self::Radau(scheme) => scheme.attempt(problem, leg, trial),
        }
    }

    /// Fills `f1` and the polynomials of the span for the step from y0 to y1.
    pub(super) fn finish(
        &mut self,
        problem: &mut Problem,
        leg: &Leg,
        trial: &mut Trial,
        span: &mut Span,
    ) -> Result<(), Trouble> {
        match self {
            Self::RungeKutta(scheme) => scheme.finish(problem, leg, trial, span),
            Self::SemiImplicitEuler(_) => finish_hermite(problem, leg, trial, span),
            Self::Adams(scheme) => scheme.finish(problem, leg, trial, span),
            Self::OneStage(scheme) => scheme.finish(problem, leg, trial, span),
            Self::Radau(scheme) => scheme.finish(problem, leg, trial, span),
        }
    }

    /// Factor for the next step after one of length h accepted with `error`; takes the step into the history.
    pub(super) fn accept(
        &mut self,
        controller: &mut Controller,
        trial: &Trial,
        error: f64,
        h: f64,
        adaptive: bool,
    ) -> f64 {
        match self {
            Self::Adams(scheme) => {
                let factor = scheme.choose(error, &trial.tolerances, adaptive);
                scheme.commit(&trial.f1);
                factor
            }
            _ if !adaptive => 1.0,
            Self::Radau(scheme) => scheme.accept(error, h),
            _ => controller.accept(error, self.estimate_order()),
        }
    }

    /// Factor for the next attempt after one rejected with `error` > 1.
    pub(super) fn reject(&mut self, controller: &mut Controller, error: f64) -> f64 {
        match self {
            Self::Adams(scheme) => scheme.reject(error),
            Self::Radau(scheme) => scheme.reject(error),
            _ => controller.reject(error, self.estimate_order()),
        }
    }

    /// Factor for the next attempt after one that came to nothing.
    pub(super) fn fail(&mut self, controller: &mut Controller, trouble: Trouble) -> f64 {
        match self {
            Self::Adams(scheme) => {
                scheme.reject(1.0);
            }
            Self::Radau(scheme) => scheme.fail(),
            Self::OneStage(scheme) => scheme.fail(),
            Self::RungeKutta(_) | Self::SemiImplicitEuler(_) => {}
        }
        controller.fail(if trouble == Trouble::NotFinite { SHRINK } else { 0.5 })
    }

    /// Whether the next step may be any number of times longer: only a method without a past may.
    pub(super) fn forgets(&self) -> bool {
        !matches!(self, Self::Adams(_))
    }
}
