//! gather

pub(crate) mod cluster;
pub(crate) mod impact_row;
