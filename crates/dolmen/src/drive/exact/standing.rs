//! A crowd that stands: the forces of its last step hold it, and it is at rest for good.
//!
//! Forces within their cones under which nobody accelerates, of bodies that do not move, are an equilibrium, whichever way they were
//! found: a step over a crowd from rest to rest leaves such forces. To seek them from no start takes as long as a hundred steps where
//! there are a thousand contacts, and may end with others, under which something begins to slide.

use super::Stop;
use super::given::{Given, Push};
use super::held::{Held, IslandEquations};
use super::patience::STILL;
use super::settle::{NO_ACCELERATION, is_steady};
use super::simulation::Simulation;
use super::track::Track;
use crate::contact::rest::{Mode, NO_FORCE};
use crate::dynamics::Island;
use crate::math::DVec3;
use crate::solve::Outcome;

/// An island that stands, with the contacts that hold it.
type Standing = (Island, Held);

impl Simulation {
    /// At the end of a step over a crowd: whether all of it stands still under the forces of the step. Then it is at rest from here on.
    pub(super) fn leave_standing(&mut self, k: usize) -> Result<bool, Stop> {
        let t = self.tracks[k].clock();
        if !self.may_stand(k, t) {
            return Ok(false);
        }
        self.tracks[k].read(t, &mut self.states);
        let Some(parts) = self.standing_parts(k, t) else { return Ok(false) };
        let before = self.held_by(t, &[k]);
        let cut = self.tracks[k].cut(t, &self.world, &mut self.states, &mut self.buffers);
        cut.map_err(|error| Stop::motion(&self.world, &self.tracks[k].island, t, error))?;
        self.retire(&[k]);
        self.made.clear();
        let mut changed = Vec::new();
        for (island, held) in parts {
            changed.extend(island.bodies.iter().map(|id| id.index() as u32));
            self.stop_moving(&island);
            let track = Track::at_rest(&self.world, (island, Some(held)), &self.states, t);
            let place = self.put_on_track(track);
            self.made.push(place);
        }
        self.log_modes(t, &before);
        changed.sort_unstable();
        for body in &changed {
            self.detection.forget(*body);
        }
        self.cover(&changed, t)?;
        Ok(true)
    }

    /// Whether it is worth looking: nobody moves, and so many contacts are not tried without steps.
    fn may_stand(&self, k: usize, t: f64) -> bool {
        let track = &self.tracks[k];
        let contacts = track.held.as_ref().map_or(0, |held| held.bearings.len());
        let is_asked = self.world.contact().equilibrium_shortcut && track.island.joints.is_empty();
        let mut bodies = track.island.bodies.iter().map(|id| id.index() as u32);
        is_asked
            && contacts > self.buffers.bearings.most_dense()
            && bodies.all(|body| self.share_of_fall(t, body) < STILL)
    }

    /// The islands of a crowd in its present states as forces couple them, each with the forces of least norm that hold it; none
    /// where one of them is not held.
    fn standing_parts(&mut self, k: usize, t: f64) -> Option<Vec<Standing>> {
        let held = self.tracks[k].held.clone()?;
        let given = held.given.as_ref()?;
        let largest = given.pushes.iter().fold(0.0_f64, |most, push| most.max(push.force.x));
        let groups = self.parts_of(k, |i| given.pushes[i].force.x > NO_FORCE * largest);
        let forces = self.tracks[k].island.forces.clone();
        let touches = |i: usize| {
            let [a, b] = held.pairs[i].map(|body| self.pose_and_twist(t, body).0);
            held.bearings[i].function.value(&a, &b) <= given.pushes[i].tolerance
        };
        let touching: Vec<bool> = (0..held.pairs.len()).map(touches).collect();
        let mut parts = Vec::new();
        for group in groups {
            let (island, part) = self.part_of(&group, &forces, &held, |i| touching[i]);
            parts.push(self.standing(t, island, part)?);
        }
        Some(parts)
    }

    /// An island with contacts that touch, and forces that may hold it: with those of least norm, if they do.
    fn standing(&mut self, t: f64, island: Island, mut held: Held) -> Option<Standing> {
        let given = held.given.take()?;
        if !is_steady(&self.world, &island, t) {
            return None;
        }
        for bearing in &mut held.bearings {
            bearing.mode = Mode::Stick;
        }
        let start: Vec<DVec3> = given.pushes.iter().map(|push| push.force).collect();
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y);
        let (world, buffers, smooth) = (&self.world, &mut self.buffers, island.smooth_interval(t));
        let mut equations = IslandEquations { world, island: &island, held: Some(&held), buffers, smooth };
        let outcome = equations.stand(t, &y, &held, &start)?;
        let found = self.buffers.bearings.forces.clone();
        let largest = found.iter().fold(0.0_f64, |most, force| most.max(force.x));
        let carrying: Vec<usize> = (0..found.len()).filter(|i| found[*i].x > NO_FORCE * largest).collect();
        let push = |i: &usize| Push { force: found[*i], braked: 0.0, ..given.pushes[*i] };
        let pushes = carrying.iter().map(push).collect();
        let mut holding = held.part(&island, &carrying);
        holding.given = Some(Given { pushes, turning: Vec::new(), outcome });
        Some((island, holding))
    }
}

impl IslandEquations<'_> {
    /// The forces of least norm that hold the bodies still, found from some that do but for rounding; none where those do not.
    fn stand(&mut self, t: f64, y: &[f64], held: &Held, start: &[DVec3]) -> Option<Outcome> {
        self.load_bodies(t, y);
        let buffers = &mut *self.buffers;
        let outcome = buffers.bearings.hold_standing(&buffers.loaded, &held.bearings, start)?;
        self.balances(held, STILL, NO_ACCELERATION).then_some(outcome)
    }
}
