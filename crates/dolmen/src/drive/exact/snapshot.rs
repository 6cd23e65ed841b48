//! A state as bytes, and back.

use std::sync::Arc;

use crate::drive::exact::scratch::Scratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stage::Profile;
use crate::drive::exact::state::State;
use crate::drive::snapshot::{Form, SnapshotError, hash};
use crate::world::World;

const FORM: Form = Form { magic: b"dolmen state", version: 3 };

impl Simulation {
    /// The current state as bytes, from which [`Simulation::restore`] continues with the same bits, in this process or
    /// another.
    ///
    /// Events that were kept and not taken are part of it. User forces and constraints are known by their names alone:
    /// the world given to `restore` must have the same ones.
    ///
    /// # Panics
    /// Never: every part of a state can be written.
    pub fn snapshot(&self) -> Vec<u8> {
        let body = postcard::to_stdvec(&self.state).expect("every part of a state can be written");
        FORM.seal(self.world_hash.get_or_init(|| hash(&self.world)), &body)
    }

    /// Continues from a snapshot of a simulation of this world.
    ///
    /// # Errors
    /// When the bytes are no snapshot, damaged, of another version or of another world.
    pub fn restore(world: impl Into<Arc<World>>, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let world = world.into();
        let world_hash = hash(&world);
        let body = FORM.open(&world_hash, bytes)?;
        let damaged = |what: &str| SnapshotError::Damaged { what: what.to_owned() };
        let mut state: State =
            postcard::from_bytes(body).map_err(|error| SnapshotError::Damaged { what: error.to_string() })?;
        state.detection.set_geometry(&world);
        state.check(&world).map_err(damaged)?;
        state.tracks.iter_mut().for_each(|track| track.renew_flights(&world));
        let scratch = Scratch::for_state(&world, &state);
        Ok(Self {
            world,
            state,
            scratch,
            profile: Profile::default(),
            interrupt: None,
            world_hash: world_hash.into(),
        })
    }
}
