//! A pile that stands: the forces of its last step hold it, and it is at rest for good.
//!
//! Forces within their cones under which nobody accelerates, of bodies that do not move, are an equilibrium, whichever way they were
//! found: a time step from rest to rest leaves such forces. To seek them from no start takes as long as a hundred steps where
//! there are a thousand contacts, and may end with others, under which something begins to slide.

use crate::contact::rest::{Mode, NO_FORCE};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::step_forces::{Push, StepForces};
use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::resume_after_event::{NO_ACCELERATION, is_steady};
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::event_rate::STILL;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::math::DVec3;
use crate::solve::Outcome;

/// An island that stands, with the contacts that hold it.
type Standing = (Island, ActiveSet);

impl Simulation {
    /// At the end of a time step: whether all of it stands still under the forces of the step. Then it is at rest from here on.
    pub(crate) fn rest_after_step(&mut self, k: usize) -> Result<bool, Stop> {
        let t = self.state.tracks[k].clock();
        if !self.may_stand(k, t) {
            return Ok(false);
        }
        self.state.tracks[k].read(t, &mut self.state.states);
        let Some(parts) = self.standing_parts(k, t) else { return Ok(false) };
        let before = self.active_contacts(t, &[k]);
        let cut = self.state.tracks[k].cut(
            t,
            &self.world,
            &mut self.state.states,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
        );
        cut.map_err(|error| Stop::motion(&self.world, &self.state.tracks[k].island, t, error))?;
        self.retire(&[k]);
        self.scratch.new_tracks.clear();
        let mut changed = Vec::new();
        for (island, active) in parts {
            changed.extend(island.bodies.iter().map(|id| id.index() as u32));
            self.stop_moving(&island);
            let track = Track::at_rest(&self.world, (island, Some(active)), &self.state.states, t);
            let place = self.put_on_track(track);
            self.scratch.new_tracks.push(place);
        }
        self.log_modes(t, &before);
        changed.sort_unstable();
        for body in &changed {
            self.state.detection.forget(*body);
        }
        self.refit(&changed, t)?;
        Ok(true)
    }

    /// Whether it is worth looking: nobody moves, and so many contacts are not tried without steps.
    fn may_stand(&self, k: usize, t: f64) -> bool {
        let track = &self.state.tracks[k];
        let contacts = track.active.as_ref().map_or(0, |active| active.constraints.len());
        let is_asked = self.world.contact().equilibrium_shortcut && track.island.joints.is_empty();
        let mut bodies = track.island.bodies.iter().map(|id| id.index() as u32);
        is_asked
            && contacts > self.scratch.island.constraints.most_dense()
            && bodies.all(|body| self.speed_ratio_of(t, body) < STILL)
    }

    /// The islands of a pile in its present states as forces couple them, each with the forces of least norm that hold it; none
    /// where one of them is not held.
    fn standing_parts(&mut self, k: usize, t: f64) -> Option<Vec<Standing>> {
        let active = self.state.tracks[k].active.clone()?;
        let step_forces = active.step_forces.as_ref()?;
        let largest = step_forces.pushes.iter().fold(0.0_f64, |most, push| most.max(push.force.x));
        let groups = self.parts_of(k, |i| step_forces.pushes[i].force.x > NO_FORCE * largest);
        let forces = self.state.tracks[k].island.forces.clone();
        let touches = |i: usize| {
            let [a, b] = active.pairs[i].map(|body| self.pose_and_twist(t, body).0);
            active.constraints[i].function.value(&a, &b) <= step_forces.pushes[i].tolerance
        };
        let touching: Vec<bool> = (0..active.pairs.len()).map(touches).collect();
        let mut parts = Vec::new();
        for group in groups {
            let (island, part) = self.part_of(&group, &forces, &active, |i| touching[i]);
            parts.push(self.standing(t, island, part)?);
        }
        Some(parts)
    }

    /// An island with contacts that touch, and forces that may hold it: with those of least norm, if they do.
    fn standing(&mut self, t: f64, island: Island, mut active: ActiveSet) -> Option<Standing> {
        let step_forces = active.step_forces.take()?;
        if !is_steady(&self.world, &island, t) {
            return None;
        }
        for constraint in &mut active.constraints {
            constraint.mode = Mode::Stick;
        }
        let start: Vec<DVec3> = step_forces.pushes.iter().map(|push| push.force).collect();
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let (world, smooth) = (&self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let mut equations = IslandEquations::new(world, &island, Some(&active), workspace, smooth);
        let outcome = equations.stand(t, &y, &active, &start)?;
        let found = self.scratch.island.constraints.forces.clone();
        let largest = found.iter().fold(0.0_f64, |most, force| most.max(force.x));
        let carrying: Vec<usize> = (0..found.len()).filter(|i| found[*i].x > NO_FORCE * largest).collect();
        let push = |i: &usize| Push { force: found[*i], braked: 0.0, ..step_forces.pushes[*i] };
        let pushes = carrying.iter().map(push).collect();
        let mut holding = active.part(&island, &carrying);
        holding.step_forces = Some(StepForces { pushes, rolling: Vec::new(), outcome });
        Some((island, holding))
    }
}

impl IslandEquations<'_> {
    /// The forces of least norm that hold the bodies still, found from some that do but for rounding; none where those do not.
    fn stand(&mut self, t: f64, y: &[f64], active: &ActiveSet, start: &[DVec3]) -> Option<Outcome> {
        self.load_bodies(t, y);
        let buffers = &mut *self.scratch;
        let outcome = buffers.constraints.hold_standing(&buffers.loaded, &active.constraints, start)?;
        self.balances(active, STILL, NO_ACCELERATION).then_some(outcome)
    }
}
