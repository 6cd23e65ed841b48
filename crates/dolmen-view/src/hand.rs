//! The hand: a damped spring that pulls at a point of one body while it is dragged.
//!
//! A pull is part of the description of the run: at every time the force is a function of time and state, by the list of
//! pulls. The list only ever grows at its end, at the present, where the span of the body is cut. The work of the hand is
//! integrated with the motion and is in the ledger.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::force::{Booked, Force, ForceError, Loads, Moment, View, Workspace};
use dolmen::math::DVec3;
use dolmen::math::real::TAU;
use dolmen::world::{BodyId, Member, Members, World, WorldError};

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
type Pulls = Arc<RwLock<Vec<Pull>>>;

/// The force that the hand can exert on one body.
struct HandForce {
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

/// Bodies of a world that can be dragged; beyond, a force for each would slow it down.
pub const MOST_BODIES: usize = 5000;

/// A hand that can drag one body at a time.
#[derive(Debug, Default)]
pub struct Hand {
    /// By rank; none for a body that forces do not move.
    pulls: Vec<Option<Pulls>>,
    held: Option<(BodyId, DVec3)>,
}

impl Hand {
    /// Puts a hand into a world that is not simulated yet.
    ///
    /// # Errors
    /// When the world refuses the force.
    pub fn new(world: &mut World) -> Result<Self, WorldError> {
        let ids: Vec<BodyId> = world.described_ids().collect();
        if ids.len() > MOST_BODIES {
            return Ok(Self::default());
        }
        let mut pulls = vec![None; ids.len()];
        for id in ids.into_iter().filter(|id| world.body(*id).is_dynamic()).collect::<Vec<_>>() {
            let list = Pulls::default();
            world.add_force(HandForce { body: id, pulls: Arc::clone(&list) })?;
            pulls[id.index()] = Some(list);
        }
        Ok(Self { pulls, held: None })
    }

    /// Attaches to a point of a body, in its frame from its centre of mass; returns whether that can be dragged.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn grab(
        &mut self,
        simulation: &mut Simulation,
        id: BodyId,
        at: DVec3,
        to: DVec3,
    ) -> Result<bool, Stop> {
        self.release(simulation)?;
        if self.pulls.get(id.index()).is_none_or(Option::is_none) {
            return Ok(false);
        }
        self.held = Some((id, at));
        self.pull(simulation, Some((at, to)))?;
        Ok(true)
    }

    /// Moves the hand.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn move_to(&mut self, simulation: &mut Simulation, to: DVec3) -> Result<(), Stop> {
        let Some((_, at)) = self.held else { return Ok(()) };
        self.pull(simulation, Some((at, to)))
    }

    /// Releases the body.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn release(&mut self, simulation: &mut Simulation) -> Result<(), Stop> {
        if self.held.is_none() {
            return Ok(());
        }
        self.pull(simulation, None)?;
        self.held = None;
        Ok(())
    }

    /// The body that is dragged and its point.
    pub fn held(&self) -> Option<(BodyId, DVec3)> {
        self.held
    }

    /// All pulls at a body so far.
    pub fn pulls(&self, id: BodyId) -> Vec<Pull> {
        let list = self.pulls.get(id.index()).and_then(Option::as_ref);
        list.map_or_else(Vec::new, |pulls| pulls.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn pull(&self, simulation: &mut Simulation, grip: Option<(DVec3, DVec3)>) -> Result<(), Stop> {
        let Some((id, _)) = self.held else { return Ok(()) };
        let Some(Some(list)) = self.pulls.get(id.index()) else { return Ok(()) };
        let Some(state) = simulation.state(id) else { return Ok(()) };
        // The span up to now ends under the old pull; the next one begins under the new.
        simulation.set_state(id, state)?;
        {
            let mut pulls = list.write().unwrap_or_else(PoisonError::into_inner);
            pulls.retain(|pull| pull.from < simulation.time());
            pulls.push(Pull { from: simulation.time(), grip });
        }
        simulation.set_state(id, state)
    }
}
