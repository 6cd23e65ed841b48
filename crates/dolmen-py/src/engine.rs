//! The two drivers behind one set of methods.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::drive::fixed::{FixedError, FixedSimulation};
use dolmen::math::work::Interrupt;
use dolmen::math::{Pose, Twist};
use dolmen::record::{Ledger, Sample, Violation};
use dolmen::world::{BodyId, Change, World};
use pyo3::prelude::*;

use crate::errors;

/// A world on its way through time.
#[derive(Clone)]
pub(crate) enum Engine {
    /// Every event at its instant.
    Exact(Box<Simulation>),
    /// Steps of one length.
    Fixed(Box<FixedSimulation>),
}

/// Why an engine does not go on.
pub(crate) enum Halt {
    /// Of the exact driver.
    Exact(Stop),
    /// Of the driver of fixed steps.
    Fixed(FixedError),
    /// Somebody asked for it.
    Interrupted,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Exact(stop)
    }
}

impl From<FixedError> for Halt {
    fn from(error: FixedError) -> Self {
        Self::Fixed(error)
    }
}

impl From<Halt> for PyErr {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Exact(stop) => errors::stopped(&stop),
            Halt::Fixed(
                error @ (FixedError::Time { .. } | FixedError::Change { .. } | FixedError::Setting { .. }),
            ) => errors::input(error.to_string()),
            Halt::Fixed(error) => errors::failed(error.to_string()),
            Halt::Interrupted => errors::failed("interrupted"),
        }
    }
}

/// How far an engine is, for those who wait for it.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    pub(crate) interrupt: Interrupt,
    time: Arc<AtomicU64>,
}

impl Watch {
    /// Of something that stands at `t`.
    pub(crate) fn starting(t: f64) -> Self {
        let watch = Self::default();
        watch.tell(t);
        watch
    }

    pub(crate) fn tell(&self, t: f64) {
        self.time.store(t.to_bits(), Ordering::Relaxed);
    }

    /// The time that was reached, s.
    pub(crate) fn time(&self) -> f64 {
        f64::from_bits(self.time.load(Ordering::Relaxed))
    }
}

/// Reads the same of either.
macro_rules! either {
    ($engine:expr, $it:ident => $body:expr) => {
        match $engine {
            Engine::Exact($it) => $body,
            Engine::Fixed($it) => $body,
        }
    };
}

impl Engine {
    pub(crate) fn world(&self) -> &World {
        either!(self, it => dolmen::drive::Driver::world(&**it))
    }

    pub(crate) fn time(&self) -> f64 {
        either!(self, it => dolmen::drive::Driver::time(&**it))
    }

    pub(crate) fn pose(&self, id: BodyId) -> Pose {
        either!(self, it => it.pose(id))
    }

    pub(crate) fn twist(&self, id: BodyId) -> Twist {
        either!(self, it => it.twist(id))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        either!(self, it => it.ledger())
    }

    pub(crate) fn sample(&self) -> Sample {
        either!(self, it => it.sample())
    }

    /// Goes on to `t`, without looking at laws.
    pub(crate) fn advance(&mut self, t: f64, watch: &Watch) -> Result<(), Halt> {
        match self {
            Self::Exact(simulation) => {
                simulation.set_interrupt(watch.interrupt.clone());
                let mut look = |now: f64| {
                    watch.tell(now);
                    true
                };
                Ok(simulation.advance_while(t, &mut look)?)
            }
            Self::Fixed(simulation) => {
                let mut look = |now: f64| {
                    watch.tell(now);
                    !watch.interrupt.is_raised()
                };
                if simulation.advance_while(t, &mut look)? { Ok(()) } else { Err(Halt::Interrupted) }
            }
        }
    }

    /// Holds the present against the laws; a driver of fixed steps has none.
    pub(crate) fn check_laws(&mut self) -> Result<(), Halt> {
        match self {
            Self::Exact(simulation) => Ok(simulation.check_laws()?),
            Self::Fixed(_) => Ok(()),
        }
    }

    /// Laws that were broken since this was last asked.
    pub(crate) fn take_violations(&mut self) -> Vec<Violation> {
        match self {
            Self::Exact(simulation) => simulation.take_violations(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    pub(crate) fn intervene(&mut self, change: &Change) -> Result<(), Halt> {
        match self {
            Self::Exact(simulation) => Ok(simulation.intervene(change)?),
            Self::Fixed(simulation) => Ok(simulation.intervene(change)?),
        }
    }

    /// The exact driver, which alone has `what`.
    pub(crate) fn exact(&self, what: &str) -> PyResult<&Simulation> {
        match self {
            Self::Exact(simulation) => Ok(simulation),
            Self::Fixed(_) => Err(lacks(what)),
        }
    }

    /// As [`Engine::exact`], to change it.
    pub(crate) fn exact_mut(&mut self, what: &str) -> PyResult<&mut Simulation> {
        match self {
            Self::Exact(simulation) => Ok(simulation),
            Self::Fixed(_) => Err(lacks(what)),
        }
    }
}

fn lacks(what: &str) -> PyErr {
    errors::UnsupportedError::new_err(format!("the driver of fixed steps has no {what}; use dolmen.Exact"))
}
