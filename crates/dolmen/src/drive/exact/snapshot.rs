//! A state as bytes, and back.
//!
//! ```text
//! "dolmen state"  version u32  hash of the world [32]  hash of the rest [32]  the state, by serde in postcard's encoding
//! ```
//!
//! Numbers keep their bits, so a restored run continues with the same ones. What follows from the world (shapes, the
//! structure of joints, forces) is not in it: the caller gives the world again, and its hash must be the same.

use std::sync::Arc;

use thiserror::Error;

use crate::drive::exact::scratch::Scratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stage::Profile;
use crate::drive::exact::state::State;
use crate::world::World;

const MAGIC: &[u8; 12] = b"dolmen state";

/// Changes whenever the content changes.
const VERSION: u32 = 2;

const HEADER: usize = MAGIC.len() + 4 + 32 + 32;

/// Why bytes are not a state of this world.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// They do not begin as a snapshot does.
    #[error("this is not a snapshot of a simulation; give what `Simulation::snapshot` wrote")]
    NotASnapshot,
    /// Another version wrote them.
    #[error(
        "the snapshot is of version {found}, and this program reads version {VERSION}; run the scene again"
    )]
    Version {
        /// The version of the snapshot.
        found: u32,
    },
    /// They belong to another world.
    #[error(
        "the snapshot is of another world: its bodies, shapes, joints, forces or settings differ; restore it with the world that \
         it was made of"
    )]
    World,
    /// They are cut short or were changed.
    #[error("the snapshot is damaged ({what}); take an earlier one, or run the scene again")]
    Damaged {
        /// In which way.
        what: String,
    },
}

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
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(self.world_hash.get_or_init(|| hash(&self.world)));
        bytes.extend_from_slice(blake3::hash(&body).as_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Continues from a snapshot of a simulation of this world.
    ///
    /// # Errors
    /// When the bytes are no snapshot, damaged, of another version or of another world.
    pub fn restore(world: impl Into<Arc<World>>, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let world = world.into();
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::NotASnapshot)?;
        let cut = || SnapshotError::Damaged { what: format!("it ends after {} bytes", bytes.len()) };
        let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(SnapshotError::Version { found });
        }
        let (of_world, rest) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
        let (of_body, body) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
        let world_hash = hash(&world);
        if *of_world != world_hash {
            return Err(SnapshotError::World);
        }
        if blake3::hash(body).as_bytes() != of_body {
            return Err(SnapshotError::Damaged { what: "its checksum is another".to_owned() });
        }
        let damaged = |what: &str| SnapshotError::Damaged { what: what.to_owned() };
        let mut state: State =
            postcard::from_bytes(body).map_err(|error| SnapshotError::Damaged { what: error.to_string() })?;
        state.check(&world).map_err(damaged)?;
        state.detection.set_geometry(&world);
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

/// The hash of everything that a world describes. Numbers are shown as the shortest decimals with the same bits.
fn hash(world: &World) -> [u8; 32] {
    *blake3::hash(format!("{world:?}").as_bytes()).as_bytes()
}
