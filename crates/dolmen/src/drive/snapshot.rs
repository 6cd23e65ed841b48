//! The state of a driver as bytes, and back.
//!
//! ```text
//! magic [12]  version u32  hash of the world [32]  hash of the rest [32]  the state, by serde in postcard's encoding
//! ```
//!
//! Numbers keep their bits, so a restored run continues with the same ones. What follows from the world (shapes, the
//! structure of joints, forces) is not in it: the caller gives the world again, and its hash must be the same.

use thiserror::Error;

use crate::world::World;

/// Why bytes are not a state of this world.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// They do not begin as a snapshot of this driver does.
    #[error("this is not a snapshot of a simulation by this driver; give what its `snapshot` wrote")]
    NotASnapshot,
    /// Another version wrote them.
    #[error(
        "the snapshot is of version {found}, and this program reads version {reads}; run the scene again"
    )]
    Version {
        /// The version of the snapshot.
        found: u32,
        /// The one that can be read.
        reads: u32,
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
    /// The driver keeps none.
    #[error("the driver \"{driver}\" has no snapshots; use the exact or the fixed one")]
    Unsupported {
        /// Which.
        driver: &'static str,
    },
}

/// What stands before the state of one kind of driver.
pub(super) struct Form {
    pub(super) magic: &'static [u8; 12],
    /// Changes whenever the content changes.
    pub(super) version: u32,
}

impl Form {
    /// A state with everything before it.
    pub(super) fn seal(&self, world: &[u8; 32], state: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.magic.len() + 68 + state.len());
        bytes.extend_from_slice(self.magic);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(world);
        bytes.extend_from_slice(blake3::hash(state).as_bytes());
        bytes.extend_from_slice(state);
        bytes
    }

    /// The state alone, if it is one of this world.
    pub(super) fn open<'a>(&self, world: &[u8; 32], bytes: &'a [u8]) -> Result<&'a [u8], SnapshotError> {
        let rest = bytes.strip_prefix(self.magic).ok_or(SnapshotError::NotASnapshot)?;
        let cut = || SnapshotError::Damaged { what: format!("it ends after {} bytes", bytes.len()) };
        let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let found = u32::from_le_bytes(*version);
        if found != self.version {
            return Err(SnapshotError::Version { found, reads: self.version });
        }
        let (of_world, rest) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
        let (of_state, state) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
        if of_world != world {
            return Err(SnapshotError::World);
        }
        if blake3::hash(state).as_bytes() != of_state {
            return Err(SnapshotError::Damaged { what: "its checksum is another".to_owned() });
        }
        Ok(state)
    }
}

/// The hash of everything that a world describes. Numbers are shown as the shortest decimals with the same bits.
pub(super) fn hash(world: &World) -> [u8; 32] {
    *blake3::hash(format!("{world:?}").as_bytes()).as_bytes()
}
