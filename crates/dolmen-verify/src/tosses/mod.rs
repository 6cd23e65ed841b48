//! Measured tosses of a real cube: restitution and friction from a few of them, the others predicted. [CASES A36]
//!
//! The data are a file `tosses.csv` with a row every 6.8 ms: toss, row, orientation (w, x, y, z), position, spin in the frame of
//! the cube, velocity. `docs/tosses.md` tells what comes out.

mod data;
mod facts;
mod fit;
mod model;

pub use data::{HALF_SIDE, INTERVAL, Row, Toss, read};
pub use facts::Facts;
pub use fit::{Fit, Grid, Split, fit};
pub use model::{Errors, Model, Start, compare, errors_of, simulate, start_of};

/// The value below which a share of all is; sorts them. There must be one at least.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}
