//! A crowd that falls apart: whoever nobody of it touches any more goes on by himself.

use super::Stop;
use super::agenda::Task;
use super::held::Held;
use super::simulation::Simulation;
use super::track::Track;
use crate::dynamics::Island;
use crate::world::{BodyId, Member};

impl Simulation {
    /// At the end of a step over a crowd of balls, its parts that did not touch within the step and could not have: each becomes an
    /// island of its own, to go on from here by a step or without. The largest goes on as it is, the others have some of their
    /// patience again. False where the crowd is still one.
    ///
    /// Bodies with corners stay: their own events cost more than they add to a step over all, and most are soon back (fifty boxes
    /// dropped into a bin took 29 CPU s in place of 20).
    pub(super) fn let_go(&mut self, k: usize) -> Result<bool, Stop> {
        if !self.is_of_balls(k) {
            return Ok(false);
        }
        let groups = self.parts_of(k, |_| true);
        let track = &mut self.tracks[k];
        let t = track.clock();
        let Some(held) = track.held.clone().filter(|_| groups.len() > 1) else { return Ok(false) };
        track
            .cut(t, &self.world, &mut self.states, &mut self.buffers)
            .map_err(|error| Stop::motion(&self.world, &self.tracks[k].island, t, error))?;
        let forces = self.tracks[k].island.forces.clone();
        self.retire(&[k]);
        let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
        for group in groups {
            if group.len() < largest {
                self.renew_patience(t, &group);
            }
            let (island, part) = self.part_of(&group, &forces, &held, |_| true);
            let is_free = part.bearings.is_empty();
            let (world, states) = (&self.world, &self.states);
            let track = Track::aggregated(world, (island, Some(part)), states, (t, t), (0.0, None));
            let place = self.put_on_track(track);
            if is_free {
                self.begin_anew(t, place)?;
            } else {
                let version = self.tracks[place].version;
                self.agenda.add(t, Task::Step { track: place as u32, version });
            }
        }
        Ok(true)
    }

    /// Whether only balls and planes touch on a track.
    fn is_of_balls(&self, k: usize) -> bool {
        let held = self.tracks[k].held.as_ref();
        held.is_some_and(|held| held.pairs.iter().all(|pair| self.detection.is_simple(*pair)))
    }

    /// The members of a track as such contacts between those that can move, joints and forces couple them.
    pub(super) fn parts_of(&self, k: usize, couples: impl Fn(usize) -> bool) -> Vec<Vec<Member>> {
        let (members, forces) = self.members_of(&[k]);
        let mut links: Vec<Vec<Member>> = forces.iter().map(|f| self.world.forces()[*f].members()).collect();
        links.extend(Island::joint_links(&self.world));
        let pairs = self.tracks[k].held.iter().flat_map(|held| held.pairs.iter().enumerate());
        let pairs = pairs.filter(|(i, _)| couples(*i)).map(|(_, pair)| pair);
        links.extend(pairs.map(|pair| pair.map(member).to_vec()));
        Island::coupled(&members, &links)
    }

    /// Some members of a crowd as an island, with those of their contacts among each other and with supports that are wanted.
    pub(super) fn part_of(
        &self,
        group: &[Member],
        forces: &[usize],
        held: &Held,
        is_wanted: impl Fn(usize) -> bool,
    ) -> (Island, Held) {
        let is_own = |member: &Member| group.binary_search(member).is_ok();
        let acts = |f: &usize| self.world.forces()[*f].members().iter().any(is_own);
        let forces = forces.iter().copied().filter(acts).collect();
        let is_support = |body: &u32| !self.world.body(BodyId::from_rank(*body as usize)).is_dynamic();
        let is_among = |body: &u32| is_support(body) || is_own(&member(*body));
        let touches = |i: &usize| {
            let pair = &held.pairs[*i];
            pair.iter().all(is_among) && pair.iter().any(|body| is_own(&member(*body))) && is_wanted(*i)
        };
        let own: Vec<usize> = (0..held.pairs.len()).filter(touches).collect();
        let supports = self.supports_of(own.iter().map(|i| held.pairs[*i]));
        let island = Island::of(&self.world, group, forces, &supports);
        let mut part = held.part(&island, &own);
        part.given = held.given.as_ref().map(|given| given.part(&own));
        (island, part)
    }

    /// Puts a track on a place that is free; its number.
    pub(super) fn put_on_track(&mut self, mut track: Track) -> usize {
        let place = self.vacant.pop().unwrap_or(self.tracks.len());
        for (k, id) in track.island.bodies.iter().enumerate() {
            self.place[id.index()] = Some((place, k));
        }
        for pair in track.held.iter().flat_map(|held| &held.pairs) {
            self.detection.set_resting(*pair, true);
        }
        if place == self.tracks.len() {
            self.tracks.push(track);
        } else {
            track.version = self.tracks[place].version + 1;
            self.tracks[place] = track;
        }
        place
    }
}

fn member(body: u32) -> Member {
    Member::Body(BodyId::from_rank(body as usize))
}
