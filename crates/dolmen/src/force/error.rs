//! Why a force was refused.

/// Why a force was refused: which kind, which parameter, its value, and what would do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForceError {
    /// A parameter of a force is out of range.
    #[error("{force}: {what} is {value}; it must be {allowed}")]
    Parameter {
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
}
