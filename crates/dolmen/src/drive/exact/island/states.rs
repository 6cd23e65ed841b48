//! The states of everything dynamic.

use crate::body::BodyState;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// The states of all bodies and particles of a world, by id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct States {
    pub(crate) bodies: Vec<BodyState>,
    pub(crate) sets: Vec<(Vec<DVec3>, Vec<DVec3>)>,
    /// Buffer: a state vector between a span and the states.
    #[serde(skip)]
    pub(crate) vector: Vec<f64>,
}
