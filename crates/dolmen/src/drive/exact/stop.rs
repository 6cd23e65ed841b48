//! Why a simulation stopped.

use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::narrow_phase::UnsupportedPair;
use crate::world::World;

/// Why a simulation stopped: when, at which bodies, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("at t = {t} s {reason}")]
pub struct Stop {
    /// The time that was reached; everything up to it is known.
    pub t: f64,
    /// Why.
    pub reason: Reason,
}

/// The reason of a stop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Reason {
    /// The integrator could not follow the equations of motion.
    #[error("the motion of {members} could not go on: {}", explain(.error, .component.as_deref()))]
    Motion {
        /// The bodies and particles concerned.
        members: String,
        /// The component of the state that fails, where there is one.
        component: Option<String>,
        /// The error of the integrator.
        error: StepError,
    },
    /// It had stopped before it was saved.
    #[error("{what}")]
    Restored {
        /// The message then.
        what: String,
    },
    /// A number left the range of double precision.
    #[error(
        "{what} is not finite any more: masses, speeds or distances are too large for double precision; scale the scene"
    )]
    NotFinite {
        /// Which quantity, of which body.
        what: String,
    },
    /// The requested time is not ahead.
    #[error("the time {asked} s was asked for: it must be finite and not before the present")]
    Time {
        /// The requested time, s.
        asked: f64,
    },
    /// An invalid intervention.
    #[error("the state given to {body:?} was refused: {problem}")]
    Intervention {
        /// The body.
        body: String,
        /// Why.
        problem: &'static str,
    },
    /// Two bodies overlap at the start.
    #[error(
        "{} and {} overlap at the start by {depth:e} m; move them apart, let them pass with `overlaps = \"report\"` under \
         [contact], or put them into groups that do not collide", bodies[0], bodies[1]
    )]
    Overlap {
        /// Their names.
        bodies: [String; 2],
        /// How deep, m.
        depth: f64,
    },
    /// Two bodies whose pair of shapes is not supported.
    #[error("{} and {}: {pair}", bodies[0], bodies[1])]
    Unsupported {
        /// Their names.
        bodies: [String; 2],
        /// Why.
        pair: UnsupportedPair,
    },
    /// Events without progress in time.
    #[error(
        "{} and {} and what touches them made {events} events or integrator steps without progress in time; they may be jammed \
         between bodies that cannot yield, or start to slip faster than the integrator can follow", bodies[0], bodies[1]
    )]
    Storm {
        /// The last pair that met.
        bodies: [String; 2],
        /// How many events.
        events: u64,
    },
    /// Bodies that cannot yield close in on others.
    #[error(
        "no impulse keeps {} and {} and what touches them apart: bodies that cannot yield close in on them, even against {impulse:e} N s \
         (a force of {force:e} N over the time step)", bodies[0], bodies[1]
    )]
    Jammed {
        /// Two of them.
        bodies: [String; 2],
        /// The largest impulse that was tried, N·s.
        impulse: f64,
        /// The same as a force over the length of the time step, N; infinite at an instant.
        force: f64,
    },
    /// Impacts in such close succession that rounding does not resolve their instants.
    #[error(
        "{} and {} met at {speed:.3e} m/s, one of them with an impact every {interval:.3e} s, a mean force of {force:.3e} N: too fast for the \
         rounding of time, {rounding:.1e} s, in which they move by {:.1e} m (the contact tolerance is {tolerance:.1e} m). Bodies that \
         cannot yield close in on them and accelerate them without bound; stop these while there is room, or drive them by a force \
         and not by a prescribed motion", bodies[0], bodies[1], speed * rounding
    )]
    Unresolved {
        /// The last pair that met.
        bodies: [String; 2],
        /// The speed of one relative to the other, m/s.
        speed: f64,
        /// The mean time between two impacts, s.
        interval: f64,
        /// The momentum of the body divided by that time, N.
        force: f64,
        /// The rounding of instants, s.
        rounding: f64,
        /// The contact tolerance, m.
        tolerance: f64,
    },
    /// Bodies came into persisting contact without consistent forces.
    #[error("{} and {} stay in contact: {problem}", bodies[0], bodies[1])]
    Resting {
        /// Their names.
        bodies: [String; 2],
        /// What is missing.
        problem: &'static str,
    },
    /// A joint that cannot be simulated.
    #[error("the joint {joint:?} cannot be simulated: {problem}")]
    Joint {
        /// Its name.
        joint: String,
        /// Why, and what to do.
        problem: String,
    },
    /// A contact solver without support for what the world has.
    #[error(
        "the solver {solver:?} of contact forces does not know joints; take \"complementarity\" or \"cone\" under [contact]"
    )]
    Solver {
        /// Its name.
        solver: &'static str,
    },
    /// The watcher of the run ended it.
    #[error("the run was interrupted")]
    Interrupted,
}

impl Stop {
    /// Whether an immediate time step may get past it: an integrator step became too short for the resolution of time,
    /// or no contact forces were found.
    pub(crate) fn is_passable(&self) -> bool {
        matches!(
            &self.reason,
            Reason::Motion { error: StepError::StepTooSmall { .. } | StepError::Newton { .. }, .. }
                | Reason::Resting { .. }
        )
    }

    pub(crate) fn motion(world: &World, island: &Island, t: f64, error: StepError) -> Self {
        let component = match &error {
            StepError::StepTooSmall { component, .. } => Some(island.component_name(world, *component)),
            _ => None,
        };
        Self { t, reason: Reason::Motion { members: island.names(world), component, error } }
    }
}

/// The error of the integrator, in the words of a scene.
fn explain(error: &StepError, component: Option<&str>) -> String {
    match error {
        StepError::StepTooSmall { h, .. } => format!(
            "the step fell to {h:e} s for the sake of {}. Two bodies may have met under a force without `softening`; a \
             stiff problem wants `method = \"radau5\"`; else loosen `tolerance`",
            component.unwrap_or("its accuracy")
        ),
        StepError::NotFinite { .. } => {
            "a force or the state is not finite. Bodies may have met under a force without \
                                        `softening`, or numbers have grown too large"
                .to_owned()
        }
        StepError::TooManySteps { h, max_steps, .. } => format!(
            "{max_steps} steps were not enough, the last of {h:e} s. Raise `max_steps`, loosen `tolerance`, or for a stiff \
             problem try `method = \"radau5\"`"
        ),
        StepError::Newton { h, .. } => format!(
            "the implicit equations of a step of {h:e} s could not be solved. Use a smaller `step`, or leave it out to let \
             it adapt"
        ),
        other => other.to_string(),
    }
}
