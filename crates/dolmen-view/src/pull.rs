//! The force of the hand on one body: a damped spring, by a list of pulls that only grows at its end.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use dolmen::force::{Booked, Force, ForceError, Loads, Moment, View, Workspace};
use dolmen::math::DVec3;
use dolmen::math::real::TAU;
use dolmen::world::{BodyId, Member, Members};

/// Frequency of a dragged body about the hand, Hz: high enough to follow, low enough for gentle forces.
const FREQUENCY: f64 = 1.2;

/// Damping by critical damping.
const DAMPING: f64 = 0.8;

/// One pull: from a time on, until the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// From when on, s.
    pub from: f64,
    /// At which point of the body (its frame, from the centre of mass) towards which point of the world; none is a release.
    pub grip: Option<(DVec3, DVec3)>,
}

/// The pulls at one body so far.
pub(crate) type Pulls = Arc<RwLock<Vec<Pull>>>;

/// The force that the hand can exert on one body.
pub(crate) struct HandForce {
    body: BodyId,
    pulls: Pulls,
}

impl fmt::Debug for HandForce {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Hand({:?})", self.body)
    }
}

/// The pull at a time.
fn pull_at(pulls: &Pulls, t: f64) -> Option<(DVec3, DVec3)> {
    let pulls = pulls.read().unwrap_or_else(PoisonError::into_inner);
    let after = pulls.partition_point(|pull| pull.from <= t);
    after.checked_sub(1).and_then(|i| pulls[i].grip)
}

impl Force for HandForce {
    fn kind(&self) -> &'static str {
        "hand"
    }

    fn members(&self) -> Vec<Member> {
        vec![Member::Body(self.body)]
    }

    /// F = −m ω² Δ − 2 ζ m ω Δ̇ at the point that is dragged.
    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let Some((at, to)) = pull_at(&self.pulls, moment.t) else { return };
        let (point, velocity) = view.point(self.body, at);
        let (m, omega) = (view.mass(self.body), TAU * FREQUENCY);
        let force = -m * omega * omega * (point - to) - 2.0 * DAMPING * m * omega * velocity;
        loads.at_point(self.body, point, force, Booked::Work);
    }

    fn is_quiet(&self, _: f64, _: f64) -> bool {
        // Asked of the present only, where a span begins: later pulls will cut it.
        let pulls = self.pulls.read().unwrap_or_else(PoisonError::into_inner);
        pulls.last().is_none_or(|pull| pull.grip.is_none())
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        if self.body.index() < members.bodies().len() {
            Ok(())
        } else {
            Err(ForceError::Stranger { force: "hand" })
        }
    }
}

impl HandForce {
    /// On a body, by these pulls.
    pub(crate) fn new(body: BodyId, pulls: &Pulls) -> Self {
        Self { body, pulls: Arc::clone(pulls) }
    }
}
