//! A body: how heavy it is, where it is, and everything that follows from the two.

mod inertia;
mod state;

pub use inertia::Inertia;
pub(crate) use inertia::gyration;
pub use state::{BodyState, Kinematics, Load};
