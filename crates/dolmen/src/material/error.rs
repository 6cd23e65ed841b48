//! Why materials were refused.

/// Why a material or the way in which it is used was refused: what, which value, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A coefficient of a material that cannot be.
    #[error("the {what} of {of} is {value}; it must be {allowed}")]
    Coefficient {
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
}
