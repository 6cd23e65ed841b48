//! Why a body or a set of particles was refused.

use crate::mass::MassError;
use crate::motion::MotionError;

/// Why a body or a set of particles was refused: which, which value, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MemberError {
    /// Two things share a name.
    #[error("the name {name:?} is used twice; every body and particle set needs its own")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name that is kept for bodies without one.
    #[error("the name {name:?} begins with #, as the numbers of bodies without a name do; choose another")]
    ReservedName {
        /// The name.
        name: String,
    },
    /// A number of a body is NaN or infinite.
    #[error("{what} of body {body:?} is not finite; give finite numbers")]
    NotFinite {
        /// The body.
        body: String,
        /// Which quantity.
        what: &'static str,
    },
    /// A list of particles does not fit the others.
    #[error("particle set {set:?} has {positions} positions but {found} {what}; give one per particle")]
    Particles {
        /// The set.
        set: String,
        /// Number of positions.
        positions: usize,
        /// Which list differs.
        what: &'static str,
        /// Its length.
        found: usize,
    },
    /// A particle has a mass that cannot be.
    #[error("particle {index} of set {set:?} has mass {mass}; masses are positive and finite")]
    ParticleMass {
        /// The set.
        set: String,
        /// Which particle.
        index: usize,
        /// Its mass, kg.
        mass: f64,
    },
    /// A prescribed motion that cannot be.
    #[error("the motion of body {body:?} cannot be: {problem}")]
    Motion {
        /// The body.
        body: String,
        /// What is wrong.
        problem: MotionError,
    },
    /// A prescribed body was placed by hand.
    #[error("body {body:?} is fixed or kinematic: its motion says where it is; give the place to the motion")]
    Placed {
        /// The body.
        body: String,
    },
    /// Mass properties that cannot be.
    #[error(transparent)]
    Mass(#[from] MassError),
}
