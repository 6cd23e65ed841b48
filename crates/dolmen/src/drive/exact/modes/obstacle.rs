//! Why bodies have no smooth motion from an event on.

use crate::drive::exact::stop::{Reason, Stop};
use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::world::{BodyId, World};

/// Why an island has no smooth motion. Most of it a time step over the contacts gets past; without contacts the run stops.
#[derive(Debug, Clone)]
pub(crate) enum Obstacle {
    /// No contact forces keep these and others apart.
    NoForces { bodies: [u32; 2] },
    /// The forces that were found are approximate: they act for the length of a time step, and no modes follow from them.
    ApproximateForces { bodies: [u32; 2] },
    /// So many contacts in motion are followed by time steps alone.
    ManyContacts { bodies: [u32; 2] },
    /// The integrator found no first step.
    NoStep { island: Box<Island>, error: StepError },
}

impl Obstacle {
    /// Whether an immediate time step may get past it.
    pub(crate) fn yields_to_time_step(&self) -> bool {
        match self {
            Self::NoForces { .. } | Self::ApproximateForces { .. } | Self::ManyContacts { .. } => true,
            Self::NoStep { error, .. } => error.is_too_fast(),
        }
    }

    /// The end of the run, where nothing gets past it.
    pub(crate) fn into_stop(self, world: &World, t: f64) -> Stop {
        let resting = |bodies: [u32; 2], problem: &'static str| {
            let bodies = bodies.map(|body| world.body_name(BodyId::from_rank(body as usize)));
            Stop { t, reason: Reason::Resting { bodies, problem } }
        };
        match self {
            Self::NoForces { bodies } => resting(
                bodies,
                "no contact forces within the law of friction keep the bodies from overlapping",
            ),
            Self::ApproximateForces { bodies } => resting(
                bodies,
                "the forces of the linear programs are approximate, and no time step was possible",
            ),
            Self::ManyContacts { bodies } => resting(
                bodies,
                "more contacts move than smooth motion is computed for, and no time step was possible",
            ),
            Self::NoStep { island, error } => Stop::motion(world, &island, t, error),
        }
    }
}
