//! A run as one file: a page that opens from disk, an animated glTF, a picture that stands or moves.

mod columns;
pub mod glb;
pub mod html;
pub mod keys;
mod pairs;
mod palette;
pub mod png;
mod raster;

use dolmen::world::World;

use crate::recording::Recording;
use crate::session::DriverChoice;
use crate::stage::base_rate;
use crate::take::{Take, Went};

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The world cannot be simulated.
    #[error("{0}")]
    World(String),
    /// There is no end.
    #[error("the scene has no duration; give --for SECONDS")]
    NoEnd,
    /// The page was not built into this program.
    #[error(
        "this program was built without its page; build it with `cargo xtask page`, then build the program again"
    )]
    NoPage,
    /// Something is too large for the format.
    #[error("{what} is {value}; at most {most} fits: export a shorter piece or fewer bodies")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large.
        value: usize,
        /// The limit.
        most: usize,
    },
    /// The picture could not be encoded.
    #[error("cannot encode the picture: {0}; try another size")]
    Picture(String),
    /// A number for a picture is out of range.
    #[error("{what} is {value}; give a number from {least} to {most}")]
    Range {
        /// What.
        what: &'static str,
        /// As given.
        value: usize,
        /// Smallest.
        least: usize,
        /// Largest.
        most: usize,
    },
}

/// Frames a second of time at the default speed: events have frames of their own.
const FRAMES: f64 = 60.0;

/// Memory for the recording, bytes.
const MEMORY: usize = 1 << 30;

/// Simulates a world to `end`, s, and records it; a run that cannot go on ends where it stops.
///
/// # Errors
/// When it cannot even start.
pub fn record(world: World, end: f64) -> Result<Take, ExportError> {
    record_by(world, &DriverChoice::Exact, end)
}

/// As [`record`], by the driver that is chosen.
///
/// # Errors
/// As [`record`].
pub fn record_by(world: World, choice: &DriverChoice, end: f64) -> Result<Take, ExportError> {
    if !(end.is_finite() && end >= 0.0) {
        return Err(ExportError::NoEnd);
    }
    let recording = Recording::new(choice.frame_interval(base_rate(Some(end)) / FRAMES), MEMORY);
    let mut take = Take::new(world, choice, recording, None).map_err(ExportError::World)?;
    while take.go(end, &mut || true) == Went::Waits {}
    take.record_end();
    Ok(take)
}
