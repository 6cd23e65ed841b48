//! impact

pub(crate) mod collide;
pub(crate) mod ghost;
pub(crate) mod impact_rate;
pub(crate) mod joint_friction;
pub(crate) mod joint_impact;
pub(crate) mod prefetch;
