//! Why a world was refused.

use crate::integrate::SettingsError;
use crate::joint::JointError;
use crate::mass::MassError;
use crate::math::DVec3;
use crate::motion::MotionError;

/// Why a world was refused: what, which value, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// Two things share a name.
    #[error("the name {name:?} is used twice; every body and particle set needs its own")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Gravity is NaN or infinite.
    #[error("gravity is {gravity}; give three finite numbers")]
    Gravity {
        /// What was given.
        gravity: DVec3,
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
    /// A parameter of a force is out of range.
    #[error("{force}: {what} is {value}; it must be {allowed}")]
    Force {
        /// Which kind of force.
        force: &'static str,
        /// Which parameter.
        what: &'static str,
        /// Its value, as text.
        value: String,
        /// What would do.
        allowed: &'static str,
    },
    /// A force names something that is not in the world.
    #[error("{force} acts on something that is not in this world; take ids from the world it is added to")]
    Stranger {
        /// Which kind of force.
        force: &'static str,
    },
    /// Mass properties that cannot be.
    #[error(transparent)]
    Mass(#[from] MassError),
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
    /// A name that is kept for bodies without one.
    #[error("the name {name:?} begins with #, as the numbers of bodies without a name do; choose another")]
    ReservedName {
        /// The name.
        name: String,
    },
    /// Two user forces that cannot be told apart.
    #[error("there are two custom forces {name}; give each its own name, so that their order is defined")]
    SameForce {
        /// Its description.
        name: String,
    },
    /// A coefficient of a material that cannot be.
    #[error("the {what} of {of} is {value}; it must be {allowed}")]
    Material {
        /// Of which material, in words.
        of: String,
        /// Which coefficient.
        what: &'static str,
        /// Its value, as text.
        value: String,
        /// What would do.
        allowed: &'static str,
    },
    /// A material that nobody described.
    #[error("there is no material {name:?}; describe it, or name one that is there")]
    NoMaterial {
        /// The name.
        name: String,
    },
    /// A solver that knows no friction, with friction.
    #[error(
        "the solver {solver:?} knows no friction, and {of} has a friction of {friction}; set it to 0, or take the solver \
         \"complementarity\" or \"lemke\""
    )]
    Frictionless {
        /// Its name.
        solver: &'static str,
        /// Of which material, in words.
        of: String,
        /// Its coefficient.
        friction: f64,
    },
    /// A cone of friction with too few or too many sides.
    #[error(
        "the cone of Lemke's solver has {sides} sides; it must have 3 to 64, and 4 or more in even numbers are symmetric"
    )]
    Sides {
        /// How many.
        sides: usize,
    },
    /// A joint that cannot be.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// Settings of the integrator that cannot be.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}
