//! Modes of joint rows: limits, ropes, joint friction and motors.
//!
//! In come the states x⁺ and the contacts that persist; out go the modes of all rows, and along a span the first instant at which one
//! of them ends.
//!
//! - [`rows`]: the mode decision, together with contacts.
//! - [`motor_saturation`]: motors at their largest force.
//! - [`guards`]: the first instant at which a mode ends.
//! - [`rigidity`]: stops a run whose joints would need infinite force.

pub(crate) mod guards;
pub(crate) mod motor_saturation;
pub(crate) mod rigidity;
pub(crate) mod rows;
