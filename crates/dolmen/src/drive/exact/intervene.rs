//! Interventions: what a program changes in the description on the way.

use std::sync::{Arc, OnceLock};

use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::scratch::Scratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::{Reason, Stop};
use crate::world::{Change, World};

impl Simulation {
    /// Changes the description, now. The spans of the bodies that it is about end here, and their island goes on under what is new.
    ///
    /// The world of this simulation is its own from then on: a snapshot is restored with a world to which the same changes were
    /// made ([`World::change`]).
    ///
    /// # Errors
    /// When the change cannot be (then nothing is changed and the simulation can go on), or the equations of motion cannot be
    /// evaluated under it (then it cannot).
    pub fn intervene(&mut self, change: &Change) -> Result<(), Stop> {
        if let Some(stop) = &self.state.stopped {
            return Err(stop.clone());
        }
        let t = self.state.t;
        let mut world = World::clone(&self.world);
        let changed = world.changed(t, change);
        let changed =
            changed.map_err(|error| Stop { t, reason: Reason::Change { problem: error.to_string() } })?;
        let mut tracks: Vec<usize> = Vec::new();
        for id in &changed.bodies {
            let track = self.state.places[id.index()].map(|(track, _)| track);
            tracks.extend(track.filter(|track| !tracks.contains(track)));
        }
        // Up to now under what was.
        for track in &tracks {
            let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
            let cut = self.state.tracks[*track].cut(t, &self.world, &mut self.state.states, workspace);
            cut.map_err(|error| Stop::motion(&self.world, &self.state.tracks[*track].island, t, error))?;
        }
        let before = self.ledger().total();
        self.world = Arc::new(world);
        self.world_hash = OnceLock::new();
        for track in &tracks {
            let forces = &mut self.state.tracks[*track].island.forces;
            forces.extend(&changed.forces);
            forces.sort_unstable();
            forces.dedup();
        }
        self.remember_solver();
        self.scratch = Scratch::for_state(&self.world, &self.state);
        self.state.log.work += self.ledger().total() - before;
        // The bodies of a change are joined or one: the tracks of all but the first are gone, if there were more.
        for id in &changed.bodies {
            let Some((track, _)) = self.state.places[id.index()] else { continue };
            if !tracks.contains(&track) {
                continue;
            }
            tracks.retain(|other| *other != track);
            if let Err(stop) = self.restart_island(t, track) {
                self.state.stopped = Some(stop.clone());
                self.modes().halt(t);
                self.state.move_to(&self.world, t);
                return Err(stop);
            }
        }
        self.remember_solver();
        self.state.move_to(&self.world, t);
        Ok(())
    }
}
