//! What the user chooses: method, tolerances, steps.

use super::Tableau;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The highest order of the Adams method.
pub const ADAMS_HIGHEST_ORDER: u8 = 12;

/// How a step is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Method {
    /// Any explicit Runge–Kutta method, by its tableau.
    Explicit(Arc<Tableau>),
    /// Momenta first, then positions with the new momenta; symplectic, of order 1. Needs [`Ode::momenta`](super::Ode::momenta).
    SemiImplicitEuler,
    /// Dormand–Prince 5(4), with dense output of order 4.
    DormandPrince,
    /// Dormand–Prince 8(5,3), with dense output of order 7; the default.
    Dop853,
    /// Adams–Bashforth–Moulton with variable step: predict, evaluate, correct, evaluate.
    Adams {
        /// The order of convergence, 1 to 12; `None` lets it vary.
        order: Option<u8>,
    },
    /// Backward Euler, order 1, for stiff problems.
    BackwardEuler,
    /// The implicit midpoint rule, order 2: symplectic, A-stable, not damping.
    ImplicitMidpoint,
    /// Radau IIA with three stages, order 5, for stiff problems.
    Radau5,
}

impl Method {
    /// The names that [`Method::named`] knows besides those of [`Tableau::named`].
    pub const NAMES: [&str; 7] = [
        "semi_implicit_euler",
        "dormand_prince",
        "dop853",
        "adams",
        "backward_euler",
        "implicit_midpoint",
        "radau5",
    ];

    /// The method with this name; "adams" has variable order.
    ///
    /// # Errors
    /// When there is none; the text lists those there are.
    pub fn named(name: &str) -> Result<Self, SettingsError> {
        Ok(match name {
            "semi_implicit_euler" => Self::SemiImplicitEuler,
            "dormand_prince" => Self::DormandPrince,
            "dop853" => Self::Dop853,
            "adams" => Self::Adams { order: None },
            "backward_euler" => Self::BackwardEuler,
            "implicit_midpoint" => Self::ImplicitMidpoint,
            "radau5" => Self::Radau5,
            _ => Self::Explicit(Arc::new(
                Tableau::named(name).map_err(|_| SettingsError::Method { name: name.to_owned() })?,
            )),
        })
    }

    /// Whether its steps solve equations with a Jacobian.
    pub fn is_implicit(&self) -> bool {
        matches!(self, Self::BackwardEuler | Self::ImplicitMidpoint | Self::Radau5)
    }

    /// Its name, as [`Method::named`] takes it; of a tableau, the tableau's.
    pub fn name(&self) -> &str {
        match self {
            Self::Explicit(tableau) => tableau.name(),
            Self::SemiImplicitEuler => "semi_implicit_euler",
            Self::DormandPrince => "dormand_prince",
            Self::Dop853 => "dop853",
            Self::Adams { .. } => "adams",
            Self::BackwardEuler => "backward_euler",
            Self::ImplicitMidpoint => "implicit_midpoint",
            Self::Radau5 => "radau5",
        }
    }
}

/// How long steps are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// Always this long, except where a step ends at a `stop`; in units of t, positive in either direction of time.
    Fixed(f64),
    /// As long as the tolerances allow.
    Adaptive {
        /// Length of the first step; `None` lets it be chosen.
        first: Option<f64>,
        /// No step is longer; `None` is no limit.
        largest: Option<f64>,
    },
}

impl Step {
    /// Adaptive, with nothing prescribed.
    pub const FREE: Self = Self::Adaptive { first: None, largest: None };
}

/// Method, tolerances and steps of an integration.
///
/// The error of a step in component i is held below `absolute` + `relative` · scale i (root mean square over the
/// components), where the scale comes from [`Ode::scales`](super::Ode::scales).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How a step is made.
    pub method: Method,
    /// Relative tolerance per step, in [1e-15, 0.1].
    pub relative: f64,
    /// Absolute tolerance per step, in the units of y; zero is allowed.
    ///
    /// With zero every component is held to its own relative error, one that grows from nothing too: that costs
    /// steps, and Adams, which starts with a low order, may not get away from the start. Give a floor here or in
    /// [`Ode::scales`](super::Ode::scales) where components start from zero and move only by way of others.
    pub absolute: f64,
    /// How long steps are.
    pub step: Step,
    /// Attempts allowed from a start or restart on.
    pub max_steps: u64,
    /// Whether the rounding of y + Δy is carried from step to step.
    pub compensated: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Dop853,
            relative: 1e-12,
            absolute: 0.0,
            step: Step::FREE,
            max_steps: 10_000_000,
            compensated: false,
        }
    }
}

impl Settings {
    /// Checks every number.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        if !(1e-15..=0.1).contains(&self.relative) {
            return Err(SettingsError::Relative { value: self.relative });
        }
        if !(self.absolute >= 0.0 && self.absolute.is_finite()) {
            return Err(SettingsError::Absolute { value: self.absolute });
        }
        let steps = match self.step {
            Step::Fixed(h) => [Some(("fixed", h)), None],
            Step::Adaptive { first, largest } => {
                [first.map(|h| ("first", h)), largest.map(|h| ("largest", h))]
            }
        };
        for (name, value) in steps.into_iter().flatten() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SettingsError::Step { name, value });
            }
        }
        if let Method::Adams { order: Some(order) } = self.method
            && !(1..=ADAMS_HIGHEST_ORDER).contains(&order)
        {
            return Err(SettingsError::Order { order });
        }
        if self.max_steps == 0 {
            return Err(SettingsError::MaxSteps);
        }
        Ok(())
    }
}

/// Why settings are refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The relative tolerance is out of range.
    #[error(
        "relative tolerance {value} is not in [1e-15, 0.1]: 1e-15 is what double precision can hold, \
         1e-12 is the default"
    )]
    Relative {
        /// As given.
        value: f64,
    },
    /// The absolute tolerance is out of range.
    #[error("absolute tolerance {value} is not a finite number of at least 0; 0 is the default")]
    Absolute {
        /// As given.
        value: f64,
    },
    /// A step length is out of range.
    #[error("the {name} step {value} is not a finite number above 0; backward in time it is positive too")]
    Step {
        /// "fixed", "first" or "largest".
        name: &'static str,
        /// As given.
        value: f64,
    },
    /// The order of the Adams method is out of range.
    #[error(
        "order {order} of the Adams method is not in 1 to {ADAMS_HIGHEST_ORDER}; leave it out to let it vary"
    )]
    Order {
        /// As given.
        order: u8,
    },
    /// No step at all is allowed.
    #[error("max_steps is 0: allow at least 1 step; 10000000 is the default")]
    MaxSteps,
    /// The system has no component.
    #[error("the system has dimension 0: give it at least one component")]
    Empty,
    /// Too many components for a dense Jacobian.
    #[error(
        "{dim} components are too many for an implicit method, whose matrices would fill the memory; at most {} do: \
         use an explicit one, or fewer bodies in one island",
        Self::MOST_IMPLICIT
    )]
    TooLarge {
        /// Number of components.
        dim: usize,
    },
    /// There is no method of this name.
    #[error("there is no method {name:?}; there are {} and {}", Tableau::NAMES.join(", "), Method::NAMES.join(", "))]
    Method {
        /// As given.
        name: String,
    },
}

impl SettingsError {
    /// Components that implicit methods take: their dense matrices then need a third of a gigabyte.
    pub const MOST_IMPLICIT: usize = 3000;
}
