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
    /// Whether orientations are projected to unit length (quaternion) or orthonormal (matrix) after every step.
    pub renormalise: bool,
}

/// What to do with joints that cannot all be satisfied: at the start, and at every instant after it. [PAPER, appendix]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflict {
    /// Refuse a start that contradicts itself, with the names of the joints. A run that comes to contradict itself drifts by the least
    /// squares, which the law of drift reports.
    #[default]
    Refuse,
    /// Put up with the least sum of squares of what is left.
    LeastSquares,
    /// Put up with the least sum of absolute values of what is left: few joints miss, and they miss by more.
    LeastAbsolute,
}

impl Default for MotionSettings {
    fn default() -> Self {
        let integrator = integrate::Settings::default();
        Self { integrator, closed_form: true, form: Form::default(), renormalise: true }
    }
}
