//! island

pub(crate) mod articulation;
pub(crate) mod articulated_motion;
pub(crate) mod equations;
pub(crate) mod step_forces;
pub(crate) mod implicit;
pub(crate) mod joint_scales;
pub(crate) mod joints;
pub(crate) mod rolling;
pub(crate) mod rounds;
pub(crate) mod row;
pub(crate) mod scratch;
pub(crate) mod states;
pub(crate) mod track;
pub(crate) mod warm_start;
