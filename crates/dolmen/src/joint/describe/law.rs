//! What the force of an equation of a joint may be.

/// Friction in a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// What it is without load, N or N·m.
    pub constant: f64,
    /// μ of the reaction across the axis.
    pub coefficient: f64,
    /// Radius of the journal at which friction under the reaction acts, m; 1 for a sliding axis.
    pub arm: f64,
}

/// What the force of an equation may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// g = 0, with a force of either sign.
    Equal,
    /// g ≥ 0, with a force that is not negative, and zero where g > 0.
    AtLeast {
        /// Share of the speed with which it bounces back.
        restitution: f64,
    },
    /// ġ = 0 as long as that takes no more than the largest force; `value` has no meaning.
    Driven {
        /// N or N·m.
        largest: f64,
    },
    /// As `Driven`, with a limit that grows with the reaction of the joint; see [`crate::joint::FittedJoint::friction_limit`].
    Friction(Friction),
}

impl Law {
    /// Whether it is always an equation: an equality, or a motor by velocity without a largest force.
    pub fn is_always_kept(&self) -> bool {
        match self {
            Self::Equal => true,
            Self::Driven { largest } => *largest == f64::INFINITY,
            Self::AtLeast { .. } | Self::Friction(_) => false,
        }
    }
}
