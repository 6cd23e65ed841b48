//! Rest after a time step: the forces of the last step keep an island in equilibrium.
//!
//! Forces within their friction cones under which no body accelerates, with all bodies at rest, are an equilibrium,
//! however they were found: a time step from rest to rest leaves such forces. A cold search for them takes as long as a
//! hundred time steps with a thousand contacts, and may end with other forces, under which something begins to slide.

use crate::contact::rest::{Mode, NO_FORCE};
use crate::drive::exact::island::equations::step_forces::{StepForce, StepForces};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::resume_after_event::is_steady;
use crate::drive::exact::modes::tolerances::ZERO_ACCELERATION;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::tolerances::REST_RATIO;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::math::DVec3;
use crate::solve::Outcome;
use crate::solve::choose::Note as SolverNote;

/// An island in equilibrium, with its active set.
type EquilibriumIsland = (Island, ActiveSet);

impl Simulation {
    /// At the end of a time step: whether all of it is in equilibrium under the forces of the step. Then it is at rest
    /// from here on.
    pub(crate) fn rest_after_step(&mut self, k: usize) -> Result<bool, Stop> {
        let t = self.state.tracks[k].clock();
        if !self.may_be_at_rest(k, t) {
            return Ok(false);
        }
        self.state.tracks[k].read(t, &mut self.state.states);
        let Some(parts) = self.equilibrium_islands(k, t) else { return Ok(false) };
        let before = self.state.active_contacts(&self.world, t, &[k]);
        let cut = self.state.tracks[k].cut(
            t,
            &self.world,
            &mut self.state.states,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
        );
        cut.map_err(|error| Stop::motion(&self.world, &self.state.tracks[k].island, t, error))?;
        self.modes().retire(&[k]);
        let (mut changed, mut new_tracks) = (Vec::new(), Vec::new());
        for (island, active) in parts {
            changed.extend(island.bodies.iter().map(|id| id.index() as u32));
            self.modes().zero_velocities(&island);
            let track = Track::at_rest(&self.world, (island, Some(active)), &self.state.states, t);
            new_tracks.push(self.insert_track(track));
        }
        self.modes().log_modes(t, &before, &new_tracks, (SolverNote::Exact, true));
        changed.sort_unstable();
        for body in &changed {
            self.state.detection.forget(*body);
        }
        self.refit(&changed, t)?;
        Ok(true)
    }

    /// Whether the check is worth its cost: all bodies are at rest, and there are too many contacts to try without time
    /// steps.
    fn may_be_at_rest(&self, k: usize, t: f64) -> bool {
        let track = &self.state.tracks[k];
        let contacts = track.active.as_ref().map_or(0, |active| active.constraints.len());
        let is_enabled = self.world.contact().equilibrium_shortcut && track.island.joints.is_empty();
        let mut bodies = track.island.bodies.iter().map(|id| id.index() as u32);
        is_enabled
            && contacts > self.scratch.island.constraints.most_dense()
            && bodies.all(|body| self.state.speed_ratio_of(&self.world, t, body) < REST_RATIO)
    }

    /// The islands of a track in its current states, as contact forces couple them, each with its equilibrium forces of
    /// least norm; none where one of them is not in equilibrium.
    fn equilibrium_islands(&mut self, k: usize, t: f64) -> Option<Vec<EquilibriumIsland>> {
        let active = self.state.tracks[k].active.clone()?;
        let step_forces = active.step_forces.as_ref()?;
        let largest =
            step_forces.forces.iter().fold(0.0_f64, |most, step_force| most.max(step_force.force.x));
        let groups = self.parts_of(k, |i| step_forces.forces[i].force.x > NO_FORCE * largest);
        let forces = self.state.tracks[k].island.forces.clone();
        let touches = |i: usize| {
            let [a, b] = active.pairs[i].map(|body| self.state.pose_and_twist(&self.world, t, body).0);
            active.constraints[i].function.value(&a, &b) <= step_forces.forces[i].tolerance
        };
        let touching: Vec<bool> = (0..active.pairs.len()).map(touches).collect();
        let mut parts = Vec::new();
        for group in groups {
            let (island, part) = self.part_of(&group, &forces, &active, |i| touching[i]);
            parts.push(self.equilibrium_island(t, island, part)?);
        }
        Some(parts)
    }

    /// An island with touching contacts and forces close to equilibrium: with the equilibrium forces of least norm, if
    /// they exist.
    fn equilibrium_island(
        &mut self,
        t: f64,
        island: Island,
        mut active: ActiveSet,
    ) -> Option<EquilibriumIsland> {
        let step_forces = active.step_forces.take()?;
        if !is_steady(&self.world, &island, t) {
            return None;
        }
        for constraint in &mut active.constraints {
            constraint.mode = Mode::Stick;
        }
        let start: Vec<DVec3> = step_forces.forces.iter().map(|step_force| step_force.force).collect();
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let (world, smooth) = (&self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let mut equations = IslandEquations::new(world, &island, Some(&active), workspace, smooth);
        let outcome = equations.find_equilibrium_forces(t, &y, &active, &start)?;
        let found = self.scratch.island.constraints.forces.clone();
        let largest = found.iter().fold(0.0_f64, |most, force| most.max(force.x));
        let carrying: Vec<usize> = (0..found.len()).filter(|i| found[*i].x > NO_FORCE * largest).collect();
        let step_force =
            |i: &usize| StepForce { force: found[*i], closing_speed: 0.0, ..step_forces.forces[*i] };
        let forces = carrying.iter().map(step_force).collect();
        let mut carrying_set = active.part(&island, &carrying);
        carrying_set.step_forces = Some(StepForces { forces, rolling: Vec::new(), outcome });
        Some((island, carrying_set))
    }
}

impl IslandEquations<'_> {
    /// The equilibrium forces of least norm, found from forces that are in equilibrium up to rounding; none where these
    /// are not.
    fn find_equilibrium_forces(
        &mut self,
        t: f64,
        y: &[f64],
        active: &ActiveSet,
        start: &[DVec3],
    ) -> Option<Outcome> {
        self.load_bodies(t, y);
        let buffers = &mut *self.scratch;
        let outcome = buffers.constraints.solve_equilibrium(&buffers.loaded, &active.constraints, start)?;
        self.is_balanced(active, REST_RATIO, ZERO_ACCELERATION).then_some(outcome)
    }
}
