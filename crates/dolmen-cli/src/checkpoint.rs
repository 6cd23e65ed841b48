//! `checkpoint.bin`: all that a later process needs to go on with a run.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `DOLMENCP` |
//! | 4 | version of this form |
//! | 8 | length of the part about the run |
//! | … | the part about the run, by serde in postcard's encoding |
//! | 8 | length of the state of the simulation |
//! | … | the state of the simulation, which has a form of its own |
//! | 32 | BLAKE3 of everything before |
//!
//! Numbers are little-endian.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use dolmen::record::Progress;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::Timing;
use crate::failure::Failure;
use crate::files::replace_file_synced;

/// The file, in the folder of its run.
pub(crate) const NAME: &str = "checkpoint.bin";

const MAGIC: &[u8; 8] = b"DOLMENCP";
const VERSION: u32 = 3;

/// A run at an instant at which everything before it is in its tables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checkpoint {
    /// Bytes of each table, by its name.
    pub(crate) lengths: BTreeMap<String, u64>,
    /// What the tables have come to.
    pub(crate) progress: Progress,
    /// How far the run is.
    pub(crate) run: RunState,
    /// The state of the simulation.
    pub(crate) engine: Vec<u8>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunState {
    /// The sample that comes next, from 0.
    pub(crate) next: u64,
    /// What it has taken.
    pub(crate) timing: Timing,
}

/// All but the state of the simulation.
#[derive(Serialize, Deserialize)]
struct Head {
    lengths: BTreeMap<String, u64>,
    progress: Progress,
    run: RunState,
}

/// Why a checkpoint is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CheckpointError {
    #[error("it is not a checkpoint")]
    NotOne,
    #[error("it has version {0} of its form and this program reads version {VERSION}")]
    Version(u32),
    #[error("it is damaged")]
    Damaged,
}

impl Checkpoint {
    /// As it is written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self { lengths, progress, run, engine } = self.clone();
        let head =
            postcard::to_stdvec(&Head { lengths, progress, run }).expect("text and numbers can be written");
        let mut bytes = Vec::with_capacity(head.len() + engine.len() + 60);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        for part in [&head, &engine] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        bytes
    }

    /// From what was written.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        use CheckpointError::{Damaged, NotOne, Version};
        let rest = bytes.strip_prefix(MAGIC).ok_or(NotOne)?;
        let (version, _) = rest.split_first_chunk().ok_or(Damaged)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(Version(version));
        }
        let (content, hash) = bytes.split_last_chunk::<32>().ok_or(Damaged)?;
        if blake3::hash(content).as_bytes() != hash {
            return Err(Damaged);
        }
        let content = content.get(MAGIC.len() + 4..).ok_or(Damaged)?;
        let (head, content) = part(content).ok_or(Damaged)?;
        let (engine, []) = part(content).ok_or(Damaged)? else { return Err(Damaged) };
        let Head { lengths, progress, run } = postcard::from_bytes(head).map_err(|_| Damaged)?;
        Ok(Self { lengths, progress, run, engine: engine.to_vec() })
    }
}

/// The first part, by the length before it, and the rest.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// Replaces the checkpoint in a file.
pub(crate) fn write(path: &Path, checkpoint: &Checkpoint) -> Result<(), Failure> {
    replace_file_synced(path, &checkpoint.to_bytes())
}

/// Reads the checkpoint in a file; none if there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<Checkpoint>, Failure> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))?,
    };
    Checkpoint::from_bytes(&bytes).map(Some).map_err(|error| useless(path, &error))
}

/// That a run cannot go on from its checkpoint, and what to do.
pub(crate) fn useless(path: &Path, why: &impl std::fmt::Display) -> Failure {
    let help = "start again from the beginning: delete the file and resume";
    Failure::input(format!("cannot go on from {}: {why}\n  help: {help}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dolmen::record::{Balance, LastSample, Ledger, Tally};

    fn checkpoint() -> Checkpoint {
        let ledger =
            Ledger { kinetic: 1.0 / 3.0, potential: f64::NEG_INFINITY, work: -0.0, ..Ledger::default() };
        let last = LastSample { t: 0.7, ledger, state_hash: "0123".to_owned() };
        let mut balance = Balance::default();
        balance.add(&Ledger { kinetic: 0.1, ..Ledger::default() });
        let mut tally = Tally { chosen_forces: 3, largest_residual: 5e-324, ..Tally::default() };
        tally.events.insert("collision".into(), u64::MAX);
        tally.open.insert("least-norm".into(), 1);
        Checkpoint {
            lengths: [("states.csv".to_owned(), 12_345), ("a \"name\".csv".to_owned(), 0)].into(),
            progress: Progress { balance, tally, violations: Vec::new(), samples: 7, last: Some(last) },
            run: RunState { next: 8, timing: Timing { wall_seconds: 1.5, cpu_seconds: None } },
            engine: (0..=255).collect(),
        }
    }

    /// Every bit comes back, infinities and zeros with a sign among them.
    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        let written = checkpoint();
        let read = Checkpoint::from_bytes(&written.to_bytes()).unwrap();
        assert_eq!(read, written);
        assert!(read.progress.last.unwrap().ledger.work.is_sign_negative());
        let mut odd = checkpoint();
        odd.progress.tally.largest_residual = f64::NAN;
        let read = Checkpoint::from_bytes(&odd.to_bytes()).unwrap();
        assert!(read.progress.tally.largest_residual.is_nan());
    }

    /// Cut anywhere, or with any bit turned, it is refused; and so is one of another version.
    #[test]
    fn a_damaged_checkpoint_is_refused() {
        let bytes = checkpoint().to_bytes();
        for length in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
        for i in 0..bytes.len() {
            let mut turned = bytes.clone();
            turned[i] ^= 1 << (i % 8);
            assert!(Checkpoint::from_bytes(&turned).is_err(), "byte {i}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(Checkpoint::from_bytes(&longer), Err(CheckpointError::Damaged));
        let mut other = bytes;
        other[8] = 1;
        assert_eq!(Checkpoint::from_bytes(&other), Err(CheckpointError::Version(1)));
        assert_eq!(Checkpoint::from_bytes(b"PK"), Err(CheckpointError::NotOne));
    }

    /// A refusal names the file and the remedy.
    #[test]
    fn a_refusal_has_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(NAME);
        assert_eq!(read(&file).unwrap(), None);
        fs::write(&file, b"DOLMENCP\x09\0\0\0").unwrap();
        let said = read(&file).unwrap_err().to_string();
        assert!(
            said.contains("checkpoint.bin: it has version 9") && said.contains("help: start again"),
            "{said}"
        );
    }
}
