//! A joint as described: its kind, the frames on its two sides, its limits, springs, friction and motors.
//!
//! - `joint`: the description.
//! - `axis`: the axes of kinds, and which of them turn.
//! - `course`: targets of motors over time.
//! - `law`: what an equation asks for: equality, one side, friction.
//! - `own`: constraints that a user writes.

pub(super) mod axis;
mod course;
mod joint;
mod law;
pub(super) mod own;

pub use axis::{Axis, Turning};
pub use course::{Course, TableCourse, UserCourse};
pub use joint::{Cone, Control, Frame, Joint, JointKind, Placement, Side, Turned};
pub use law::{Friction, Law};
pub use own::Constraint;
