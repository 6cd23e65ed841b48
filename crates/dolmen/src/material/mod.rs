//! What surfaces are made of: coefficients by the name of a material, rules for pairs of them, the law of impact.
//!
//! Settings alone: [`ContactSettings`] go in with a world, and `contact` and the drivers ask it for the [`Material`] of a pair.

mod coefficients;
mod error;
mod law;
mod settings;

pub use coefficients::{Combine, Material};
pub use error::MaterialError;
pub use law::Law;
pub use settings::{ContactSettings, Overlaps};
