//! The search for a separating plane of two polytopes.
//!
//! In comes a [`View`](super::View) of a pair, and where to start; out comes an [`Axis`] with its separation, or a proof that there is
//! none.
//!
//! - `axes`: the axes of one face, of one edge pair, of all at a corner, of all there are.
//! - `gjk`: the walk to the closest features.
//! - `expand`: the least depth of two that overlap.

mod axes;
mod expand;
mod gjk;

pub(super) use axes::Axis;
pub(super) use expand::expand;
pub(crate) use gjk::{Corner, Simplex};
pub(super) use gjk::{Outcome, walk};
