//! The hand: a damped spring that pulls at a point of one body while it is dragged.
//!
//! A pull is part of the description of the run: at every time the force is a function of time and state, by the list of
//! pulls. The list only ever grows at its end, at the present, where the span of the body is cut. The work of the hand is
//! integrated with the motion and is in the ledger.

use std::sync::PoisonError;

use dolmen::math::DVec3;
use dolmen::world::{BodyId, World, WorldError};

pub use crate::pull::Pull;
use crate::pull::{HandForce, Pulls};
use crate::session::{DriverChoice, Halt, Session};

/// Bodies of a world that can be dragged where every one needs a force before the start; beyond, these would slow it down.
pub const MOST_BODIES: usize = 5000;

/// A hand that can drag one body at a time.
#[derive(Debug, Default)]
pub struct Hand {
    /// By rank; none for a body that forces do not move, or that has not been dragged yet.
    pulls: Vec<Option<Pulls>>,
    held: Option<(BodyId, DVec3)>,
}

impl Hand {
    /// Puts a hand into a world that is not simulated yet. Fixed steps take it when it first acts.
    ///
    /// # Errors
    /// When the world refuses the force.
    pub fn new(world: &mut World, choice: &DriverChoice) -> Result<Self, WorldError> {
        let ids: Vec<BodyId> = world.described_ids().collect();
        let mut pulls = vec![None; ids.len()];
        if matches!(choice, DriverChoice::Fixed { .. }) || ids.len() > MOST_BODIES {
            return Ok(Self { pulls, held: None });
        }
        for id in ids.into_iter().filter(|id| world.body(*id).is_dynamic()).collect::<Vec<_>>() {
            let list = Pulls::default();
            world.add_force(HandForce::new(id, &list))?;
            pulls[id.index()] = Some(list);
        }
        Ok(Self { pulls, held: None })
    }

    /// Attaches to a point of a body, in its frame from its centre of mass; returns whether that can be dragged.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn grab(&mut self, session: &mut Session, id: BodyId, at: DVec3, to: DVec3) -> Result<bool, Halt> {
        self.release(session)?;
        let Some(place) = self.pulls.get_mut(id.index()) else { return Ok(false) };
        if place.is_none() && session.world().body(id).is_dynamic() {
            let list = Pulls::default();
            if session.take_hand(HandForce::new(id, &list))? {
                *place = Some(list);
            }
        }
        if place.is_none() {
            return Ok(false);
        }
        self.held = Some((id, at));
        self.pull(session, Some((at, to)))?;
        Ok(true)
    }

    /// Moves the hand.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn move_to(&mut self, session: &mut Session, to: DVec3) -> Result<(), Halt> {
        let Some((_, at)) = self.held else { return Ok(()) };
        self.pull(session, Some((at, to)))
    }

    /// Releases the body.
    ///
    /// # Errors
    /// When the simulation cannot go on from here.
    pub fn release(&mut self, session: &mut Session) -> Result<(), Halt> {
        if self.held.is_none() {
            return Ok(());
        }
        self.pull(session, None)?;
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

    fn pull(&self, session: &mut Session, grip: Option<(DVec3, DVec3)>) -> Result<(), Halt> {
        let Some((id, _)) = self.held else { return Ok(()) };
        let Some(Some(list)) = self.pulls.get(id.index()) else { return Ok(()) };
        session.change_forces_on(id, |now| {
            let mut pulls = list.write().unwrap_or_else(PoisonError::into_inner);
            pulls.retain(|pull| pull.from < now);
            pulls.push(Pull { from: now, grip });
        })
    }
}
