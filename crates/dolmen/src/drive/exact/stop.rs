//! Why a simulation stopped.

use crate::drive::exact::island::equations::ActiveSet;
use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::math::Digits;
use crate::narrow_phase::UnsupportedPair;
use crate::world::{BodyId, World};

/// Why a simulation stopped: when, at which bodies, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("at t = {} s {reason}", Digits(*.t))]
pub struct Stop {
    /// The time that was reached; everything up to it is known.
    pub t: f64,
    /// Why.
    pub reason: Reason,
}

/// Joints and contacts of bodies whose motion cannot go on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MotionPlace {
    /// The names of the joints.
    pub joints: Vec<String>,
    /// The names of the pairs that are in contact.
    pub contacts: Vec<[String; 2]>,
}

/// The reason of a stop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Reason {
    /// The integrator could not follow the equations of motion.
    #[error("the motion of {members}{} could not go on: {}", among(.place), explain(.error, .component.as_deref()))]
    Motion {
        /// The bodies and particles concerned.
        members: String,
        /// The joints and contacts among them.
        place: Box<MotionPlace>,
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
    #[error("the time {} s was asked for: it must be finite and not before the present", Digits(*.asked))]
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
        "the solver {solver:?} of contact forces does not know such joints (limits, friction, motors that saturate, and for \"sparse\" couplings); take \"complementarity\" or \"cone\" under [contact]"
    )]
    Solver {
        /// Its name.
        solver: &'static str,
    },
    /// Much was computed and little time went by.
    #[error(
        "{members}: next to no progress. {events} events and steps took {operations:.1e} operations for each body in {time:.1e} s, in \
         which it moves by less than its size; {limit:.1e} are allowed. Make the scene simpler there, loosen `tolerance` under \
         [accuracy], or allow more with `work` under [laws]"
    )]
    NoProgress {
        /// The bodies concerned.
        members: String,
        /// Events and steps.
        events: u64,
        /// In this time, s.
        time: f64,
        /// What they took, in floating-point operations for each body.
        operations: f64,
        /// What they may take.
        limit: f64,
    },
    /// It was interrupted in the middle of an event: what came before is kept, and a run goes on from a snapshot.
    #[error("the run was interrupted in the middle of an event")]
    Abandoned,
    /// The watcher of the run ended it.
    #[error("the run was interrupted")]
    Interrupted,
    /// A change on the way that cannot be.
    #[error("the change was refused: {problem}")]
    Change {
        /// What, and why.
        problem: String,
    },
}

impl Stop {
    /// The names of the bodies it is about.
    pub fn bodies(&self) -> Vec<&str> {
        match &self.reason {
            Reason::Overlap { bodies, .. }
            | Reason::Unsupported { bodies, .. }
            | Reason::Jammed { bodies, .. }
            | Reason::Unresolved { bodies, .. }
            | Reason::Resting { bodies, .. } => bodies.iter().map(String::as_str).collect(),
            Reason::Intervention { body, .. } => vec![body],
            Reason::Motion { members, .. } | Reason::NoProgress { members, .. } => {
                members.split(", ").collect()
            }
            _ => Vec::new(),
        }
    }

    /// The name of the joint it is about.
    pub fn joint(&self) -> Option<&str> {
        match &self.reason {
            Reason::Joint { joint, .. } => Some(joint),
            _ => None,
        }
    }

    /// Two bodies, by rank, whose shapes have no contact.
    pub(crate) fn unsupported(world: &World, t: f64, bodies: [u32; 2], pair: UnsupportedPair) -> Self {
        let bodies = bodies.map(|body| world.body_name(BodyId::from_rank(body as usize)));
        Self { t, reason: Reason::Unsupported { bodies, pair } }
    }

    pub(crate) fn motion(world: &World, island: &Island, t: f64, error: StepError) -> Self {
        let component = match &error {
            StepError::StepTooSmall { component, .. } => Some(island.component_name(world, *component)),
            _ => None,
        };
        let name = |joint: &usize| world.joints()[*joint].name().to_owned();
        let joints = island.joints.iter().map(name).collect();
        let place = Box::new(MotionPlace { joints, contacts: Vec::new() });
        Self { t, reason: Reason::Motion { members: island.names(world), place, component, error } }
    }

    /// The same with the contacts of its island.
    pub(crate) fn at_contacts(mut self, world: &World, active: Option<&ActiveSet>) -> Self {
        if let (Reason::Motion { place, .. }, Some(active)) = (&mut self.reason, active) {
            let mut pairs = active.pairs.clone();
            pairs.dedup();
            let name = |body: u32| world.body_name(BodyId::from_rank(body as usize));
            place.contacts = pairs.into_iter().map(|pair| pair.map(name)).collect();
        }
        self
    }
}

/// Joints and contacts of an island, the first of them by name.
fn among(place: &MotionPlace) -> String {
    let list = |what: &str, names: Vec<String>| {
        let more = names.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = &names[..names.len() - names.len().saturating_sub(3)];
        if names.is_empty() { String::new() } else { format!(", {what} {}{more}", shown.join(", ")) }
    };
    let quoted = place.joints.iter().map(|name| format!("{name:?}")).collect();
    let pairs = place.contacts.iter().map(|[a, b]| format!("{a} with {b}")).collect();
    let text = list("with the joints", quoted) + &list("in contact:", pairs);
    if text.is_empty() { text } else { format!("{text},") }
}

/// The error of the integrator, in the words of a scene.
fn explain(error: &StepError, component: Option<&str>) -> String {
    match error {
        StepError::StepTooSmall { h, .. } => format!(
            "the step fell to {h:e} s for the sake of {}. Two bodies may have met under a force without `softening`; else \
             loosen `tolerance`",
            component.unwrap_or("its accuracy")
        ),
        StepError::NotFinite { h, .. } => format!(
            "within {h:e} s a force or the state is not finite. A force may have no bound there (a force between bodies that meet needs \
             `softening`; joint friction that grows with its own load, a smaller `load` coefficient), or numbers have grown too large"
        ),
        StepError::TooManySteps { h, max_steps, .. } => format!(
            "{max_steps} steps were not enough, the last of {h:e} s. Raise `max_steps`, or loosen `tolerance`"
        ),
        StepError::Newton { h, .. } => format!(
            "the implicit equations of a step of {h:e} s could not be solved. Use a smaller `step`, or leave it out to let \
             it adapt"
        ),
        other => other.to_string(),
    }
}
