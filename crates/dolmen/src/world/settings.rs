//! How motion is computed.

use crate::integrate;
use serde::{Deserialize, Serialize};

/// How the orientation of a body is carried through an integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Form {
    /// As a unit quaternion: q̇ = ½ ω q. Four numbers, and renormalising is easy.
    #[default]
    Quaternion,
    /// As a rotation matrix: Ṙ = ω* R. Nine numbers that drift into a skewed matrix. [NOTES I]
    Matrix,
}

/// Integrator, accuracy and form of the state.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionSettings {
    /// Method, tolerances and steps.
    pub integrator: integrate::Settings,
    /// Whether closed forms are used where they apply.
    pub closed_form: bool,
    /// How orientation is carried.
    pub form: Form,
    /// Whether orientations are put back to unit length (quaternion) or orthonormal (matrix) after every step.
    pub renormalise: bool,
}

impl Default for MotionSettings {
    fn default() -> Self {
        let integrator = integrate::Settings::default();
        Self { integrator, closed_form: true, form: Form::default(), renormalise: true }
    }
}
