//! Joints between bodies, as equations of their poses. [PAPER, holonomic constraints]
//!
//! A [`Joint`] is described and fitted into a world ([`FittedJoint`]). At an instant it gives [`Equation`]s: value, row, rate,
//! and second derivative without constraint forces, in the form that contacts have; and loads of its springs and motors.
//! `docs/joints.md` lists all kinds with their equations.

mod coordinates;
mod coupling;
mod describe;
mod error;
mod fit;
mod fitted;
mod geometry;
mod jet;
mod load;
mod mode;

pub use coupling::{CoupledEquation, Coupling, FittedCoupling};
pub use describe::{
    Axis, Cone, Constraint, Control, Course, Frame, Friction, Joint, JointKind, Law, Placement, Side,
    TableCourse, Turned, Turning, UserCourse,
};
pub use error::JointError;
pub use fitted::{Equation, FittedJoint, Turns};
pub use geometry::Geometry;
pub use jet::Jet;
pub use load::{JointLoad, Motor, Reaction};
pub use mode::RowMode;

pub(crate) use fitted::STILL;
