//! stepping

pub(crate) mod articulated;
pub(crate) mod rest_after_step;
pub(crate) mod event_rate;
pub(crate) mod restitution;
pub(crate) mod split;
pub(crate) mod step_end;
pub(crate) mod straight;
pub(crate) mod time_step;
