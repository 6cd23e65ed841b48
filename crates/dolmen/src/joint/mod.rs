//! Joints: what holds bodies together, as equations of their poses. [PAPER, holonomic constraints]
//!
//! A [`Joint`] is described and fitted into a world ([`FittedJoint`]). At an instant it gives [`Equation`]s: value, row, rate,
//! and second derivative without constraint forces, in the form that contacts have; and loads of its springs and motors.
//! `docs/joints.md` lists all kinds with their equations.

mod axis;
mod coupling;
mod course;
mod describe;
mod error;
mod fit;
mod fitted;
mod geometry;
mod jet;
mod law;
mod load;
mod mode;
mod own;

pub use axis::{Axis, Turning};
pub use coupling::{CoupledEquation, Coupling, FittedCoupling};
pub use course::{Course, UserCourse};
pub use describe::{Cone, Control, Frame, Joint, JointKind, Placement, Side, Turned};
pub use error::JointError;
pub use fitted::{Equation, FittedJoint, Turns};
pub use geometry::Geometry;
pub use jet::Jet;
pub use law::{Friction, Law};
pub use load::{JointLoad, Motor, Reaction};
pub use mode::RowMode;
pub use own::Constraint;

pub(crate) use fitted::STILL;
