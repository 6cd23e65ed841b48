//! A run that stops in the middle of an event: bodies that have no track any more keep their states.
//!
//! Impulses are booked when they are solved, and then the bodies get new motions. If some of them get none the run
//! stops there; their states are those after the impulses, so that the ledger of the stopped run balances.

use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::Modes;
use crate::dynamics::Island;
use crate::world::{BodyId, Member, SetId};

impl Modes<'_> {
    /// Puts all bodies without a track onto one that stays at `t` in their current states.
    pub(crate) fn halt(&mut self, t: f64) {
        let is_on_track = |id: &BodyId| match self.state.places[id.index()] {
            Some((track, k)) => self.state.tracks[track].island.bodies.get(k) == Some(id),
            None => true,
        };
        let is_bodies = |id: &SetId| self.world.members().particle_bodies(*id).is_some();
        let carries = |id: &SetId| self.state.tracks.iter().any(|track| track.island.sets.contains(id));
        let bodies = self.world.body_ids().filter(|id| !is_on_track(id)).map(Member::Body);
        let sets = self.world.set_ids().filter(|id| !is_bodies(id) && !carries(id)).map(Member::Set);
        let members: Vec<Member> = bodies.chain(sets).collect();
        if members.is_empty() {
            return;
        }
        let acts = |f: &usize| self.world.moved_by(*f).iter().any(|m| members.contains(m));
        let forces = (0..self.world.forces().len()).filter(acts).collect();
        let island = Island::of(self.world, &members, forces, &[]);
        for (place, id) in island.bodies.iter().enumerate() {
            self.state.places[id.index()] = Some((self.state.tracks.len(), place));
        }
        self.state.tracks.push(Track::halted(self.world, island, &self.state.states, t));
    }
}
