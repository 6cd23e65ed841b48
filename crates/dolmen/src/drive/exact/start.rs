//! The start of a run: checks for overlaps, and queues the first tasks.

use crate::drive::exact::island::equations::joint_scales::evaluate_at;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::joint_check::check_values;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::drive::exact::tolerances::PLACEMENT_TOLERANCE;
use crate::world::World;

impl Simulation {
    /// Queues the first tasks.
    pub(crate) fn prepare(&mut self) -> Result<(), Stop> {
        for (k, track) in self.state.tracks.iter().enumerate() {
            // Pairs at the start are searched when all motions are known: −0 comes before 0.
            let due = if track.is_known() { track.clock() } else { -0.0 };
            self.state.queue.add(due, Task::Step { track: k as u32, version: track.version });
        }
        if self.state.detection.is_off() {
            return self.begin_joints();
        }
        self.state.check_planes(&self.world)?;
        let known = |body: &u32| match self.state.places[*body as usize] {
            Some((track, _)) => self.state.tracks[track].is_known(),
            None => true,
        };
        let bodies: Vec<u32> = (0..self.state.places.len() as u32).filter(known).collect();
        self.refit(&bodies, 0.0)?;
        self.begin_joints()
    }

    /// Decides the modes of limits, friction and motors of joints at the start, and puts mechanisms in equilibrium at
    /// rest.
    fn begin_joints(&mut self) -> Result<(), Stop> {
        for k in 0..self.state.tracks.len() {
            let island = &self.state.tracks[k].island;
            if island.joints.is_empty() {
                continue;
            }
            if self.scratch.island.has_rows(&self.state.joints, island) || self.modes().is_at_rest_now(k) {
                self.restart_island(0.0, k)?;
            }
        }
        (0..self.state.tracks.len()).try_for_each(|k| self.modes().check_rigidity(k))
    }
}

impl Modes<'_> {
    /// Checks that the bodies of a track satisfy their joints nearly, in the current states.
    pub(crate) fn check_joints_of(&mut self, track: usize) -> Result<(), Stop> {
        let present: Vec<usize> =
            self.scratch.articulation_index.of_island(&self.state.tracks[track].island).collect();
        for k in present {
            evaluate_at(
                self.world,
                &self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: self.scratch },
                (k, self.state.t),
            );
            check_values(
                self.world,
                &self.scratch.constraints.articulations[k].system,
                (self.state.t, PLACEMENT_TOLERANCE),
            )?;
        }
        Ok(())
    }
}

impl State {
    /// Checks that an infinite plane does not rotate; it may slide along.
    pub(crate) fn check_planes(&self, world: &World) -> Result<(), Stop> {
        for id in world.body_ids() {
            let collider = self.detection.collider(id.index() as u32);
            let is_plane = collider.is_some_and(|collider| collider.plane().is_some());
            let turns = world.body(id).prescribed_motion().is_none_or(|motion| !motion.keeps_orientation());
            if is_plane && turns {
                let body = world.body_name(id);
                let problem = "an infinite plane cannot turn; use a large box";
                return Err(Stop { t: 0.0, reason: Reason::Intervention { body, problem } });
            }
        }
        Ok(())
    }
}
