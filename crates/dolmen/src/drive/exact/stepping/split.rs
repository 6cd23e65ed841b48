//! Island split: the parts of an island that no longer touch continue as islands of their own.

use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::resume_after_event::supports_of;
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::world::{BodyId, Member};

impl Simulation {
    /// At the end of a time step of balls, splits off the parts that did not touch within the step and could not have:
    /// each becomes an island of its own, which continues by time steps or events. The largest continues as it is, the
    /// others get a part of their event-rate limit back. False where the island stays whole.
    ///
    /// Bodies with corners stay: their own events cost more than they add to a time step over all, and most are soon
    /// back (fifty boxes dropped into a bin took 29 CPU s instead of 20).
    pub(crate) fn split_if_apart(&mut self, k: usize) -> Result<bool, Stop> {
        if !self.state.is_of_balls(k) {
            return Ok(false);
        }
        let groups = self.parts_of(k, |_| true);
        let track = &mut self.state.tracks[k];
        let t = track.clock();
        let Some(active) = track.active.clone().filter(|_| groups.len() > 1) else { return Ok(false) };
        track
            .cut(
                t,
                &self.world,
                &mut self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            )
            .map_err(|error| Stop::motion(&self.world, &self.state.tracks[k].island, t, error))?;
        let forces = self.state.tracks[k].island.forces.clone();
        self.modes().retire(&[k]);
        let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
        for group in groups {
            if group.len() < largest {
                self.renew_counters(t, &group);
            }
            let (island, part) = self.part_of(&group, &forces, &active, |_| true);
            let is_free = part.constraints.is_empty();
            let (world, states) = (&self.world, &self.state.states);
            let track = Track::time_step(world, (island, Some(part)), states, (t, t), (0.0, None));
            let place = self.insert_track(track);
            if is_free {
                self.restart_island(t, place)?;
            } else {
                let version = self.state.tracks[place].version;
                self.state.queue.add(t, Task::Step { track: place as u32, version });
            }
        }
        Ok(true)
    }

    /// The members of a track, as such contacts between dynamic bodies, joints and forces couple them.
    pub(crate) fn parts_of(&self, k: usize, couples: impl Fn(usize) -> bool) -> Vec<Vec<Member>> {
        let (members, forces) = self.state.members_of(&[k]);
        let mut links: Vec<Vec<Member>> = forces.iter().map(|f| self.world.moved_by(*f)).collect();
        links.extend(Island::joint_links(&self.world));
        let pairs = self.state.tracks[k].active.iter().flat_map(|active| active.pairs.iter().enumerate());
        let pairs = pairs.filter(|(i, _)| couples(*i)).map(|(_, pair)| pair);
        links.extend(pairs.map(|pair| pair.map(member).to_vec()));
        Island::coupled(&members, &links)
    }

    /// Some members of a track as an island, with the selected contacts among each other and with supports.
    pub(crate) fn part_of(
        &self,
        group: &[Member],
        forces: &[usize],
        active: &ActiveSet,
        is_wanted: impl Fn(usize) -> bool,
    ) -> (Island, ActiveSet) {
        let is_own = |member: &Member| group.binary_search(member).is_ok();
        let acts = |f: &usize| self.world.moved_by(*f).iter().any(is_own);
        let forces = forces.iter().copied().filter(acts).collect();
        let is_support = |body: &u32| !self.world.body(BodyId::from_rank(*body as usize)).is_dynamic();
        let is_among = |body: &u32| is_support(body) || is_own(&member(*body));
        let touches = |i: &usize| {
            let pair = &active.pairs[*i];
            pair.iter().all(is_among) && pair.iter().any(|body| is_own(&member(*body))) && is_wanted(*i)
        };
        let own: Vec<usize> = (0..active.pairs.len()).filter(touches).collect();
        let supports = supports_of(&self.world, own.iter().map(|i| active.pairs[*i]));
        let island = Island::of(&self.world, group, forces, &supports);
        let mut part = active.part(&island, &own);
        part.step_forces = active.step_forces.as_ref().map(|step_forces| step_forces.part(&own));
        (island, part)
    }

    /// Puts a track at a vacant index; returns the index.
    pub(crate) fn insert_track(&mut self, mut track: Track) -> usize {
        let place = self.state.vacant.pop().unwrap_or(self.state.tracks.len());
        for (k, id) in track.island.bodies.iter().enumerate() {
            self.state.places[id.index()] = Some((place, k));
        }
        for pair in track.active.iter().flat_map(|active| &active.pairs) {
            self.state.detection.set_resting(*pair, true);
        }
        if place == self.state.tracks.len() {
            self.state.tracks.push(track);
        } else {
            track.version = self.state.tracks[place].version + 1;
            self.state.tracks[place] = track;
        }
        place
    }
}

fn member(body: u32) -> Member {
    Member::Body(BodyId::from_rank(body as usize))
}

impl State {
    /// Whether only balls and planes touch on a track.
    pub(crate) fn is_of_balls(&self, k: usize) -> bool {
        let active = self.tracks[k].active.as_ref();
        active.is_some_and(|active| active.pairs.iter().all(|pair| self.detection.is_simple(*pair)))
    }
}
