//! modes

pub(crate) mod persisting_contacts;
pub(crate) mod guard_sampling;
pub(crate) mod guards;
pub(crate) mod joint_guards;
pub(crate) mod joint_rows;
pub(crate) mod minima;
pub(crate) mod motor_saturation;
pub(crate) mod painleve;
pub(crate) mod rigidity;
pub(crate) mod rolling;
pub(crate) mod resume_after_event;
