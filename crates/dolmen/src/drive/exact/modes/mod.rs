//! Modes: what contacts and joint rows do from an instant on, and how long that stays valid.
//!
//! In come the states x⁺ after an event. Contacts that neither separate nor approach, and joint rows that do not move, go into
//! one complementarity problem; its solution gives the modes (stick, slide, roll; free, active, saturated) and the new islands.
//! Out go tracks with their active sets, and the end of their modes in the event queue: guards are sampled along every span. All of
//! this is done by [`Modes`], which has the state and the buffers of islands, and neither the cluster of an event nor those of detection.
//!
//! - [`resume_after_event`]: persisting contacts, mode decision, islands and their tracks.
//! - [`persisting_contacts`]: contacts as the mode decision takes them.
//! - [`obstacle`]: why bodies have no smooth motion from an event on.
//! - [`joints`]: limits, ropes, joint friction and motors: their modes, and when these end.
//! - [`guards`]: the first instant at which a mode of a contact ends.
//! - [`guard_sampling`], [`minima`]: contacts at one time on a span, minima between two samples.
//! - [`rolling`], [`painleve`]: rolling resistance, and the notes on frictional paradoxes.
//! - [`tolerances`]: the thresholds.

pub(crate) mod guards;
pub(crate) mod halt;
pub(crate) mod joints;
pub(crate) mod minima;
pub(crate) mod obstacle;
pub(crate) mod painleve;
pub(crate) mod persisting_contacts;
pub(crate) mod resume_after_event;
pub(crate) mod rolling;
pub(crate) mod guard_sampling;
pub(crate) mod tolerances;

use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::warm_start::WarmStart;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::state::view::View;
use crate::world::World;

/// What decides modes, makes islands of bodies, and samples guards: a state in its world, and the buffers of islands. It knows no cluster
/// and detects nothing.
#[derive(Debug)]
pub(crate) struct Modes<'a> {
    pub(crate) world: &'a World,
    pub(crate) state: &'a mut State,
    pub(crate) scratch: &'a mut IslandScratch,
    /// Contact forces from which decisions start; none at first.
    pub(crate) warm_start: WarmStart,
}

impl Modes<'_> {
    /// The state in its world, to be read.
    fn view(&self) -> View<'_> {
        View { world: self.world, state: self.state }
    }
}

impl Simulation {
    /// Its part that decides modes.
    pub(crate) fn modes(&mut self) -> Modes<'_> {
        Modes {
            world: &self.world,
            state: &mut self.state,
            scratch: &mut self.scratch.island,
            warm_start: WarmStart::default(),
        }
    }
}
