//! Why a world was refused.

use crate::force::ForceError;
use crate::integrate::SettingsError;
use crate::joint::JointError;
use crate::material::MaterialError;
use crate::math::DVec3;
use crate::member::MemberError;

/// Why a world was refused: what, which value, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// Gravity is NaN or infinite.
    #[error("gravity is {gravity}; give three finite numbers")]
    Gravity {
        /// What was given.
        gravity: DVec3,
    },
    /// A body or a set of particles that cannot be.
    #[error(transparent)]
    Member(#[from] MemberError),
    /// A force that cannot act.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// Two user forces that cannot be told apart.
    #[error("there are two custom forces {name}; give each its own name, so that their order is defined")]
    SameForce {
        /// Its description.
        name: String,
    },
    /// A material, or a solver for materials, that cannot be.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A joint that cannot be.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A bound of a law that cannot be.
    #[error("the bound `{law}` of [laws] is {bound}; give a positive number, or inf to switch the law off")]
    LawBound {
        /// Which law.
        law: &'static str,
        /// What was given.
        bound: f64,
    },
    /// A sensor that cannot be.
    #[error("sensor {sensor:?}: {problem}")]
    Sensor {
        /// Its name.
        sensor: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A change on the way that cannot be.
    #[error("{what:?}: {problem}")]
    Change {
        /// The joint or the body.
        what: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Settings of the integrator that cannot be.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}
