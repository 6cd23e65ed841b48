//! Why a joint was refused.

/// Why a joint was refused: which one, what of it, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JointError {
    /// Two joints share a name.
    #[error("there are two joints named {joint:?}; give each a name of its own")]
    SameName {
        /// The name.
        joint: String,
    },
    /// A name that cannot be.
    #[error("a joint is named {joint:?}; a name is not empty and does not begin with #")]
    Name {
        /// The name.
        joint: String,
    },
    /// Both sides are the same body.
    #[error("joint {joint:?} joins body {body:?} to itself; name another body, or the world")]
    Itself {
        /// The joint.
        joint: String,
        /// The body.
        body: String,
    },
    /// A body that is not in the world.
    #[error(
        "joint {joint:?} attaches to a body that is not in this world; take ids from the world it is added to"
    )]
    Stranger {
        /// The joint.
        joint: String,
    },
    /// Neither side can be moved.
    #[error("joint {joint:?} joins two sides that no force moves; one of them must be a body with a mass")]
    Immovable {
        /// The joint.
        joint: String,
    },
    /// Directions that give no frame.
    #[error("{what} of joint {joint:?} is {value}; it must be {allowed}")]
    Value {
        /// The joint.
        joint: String,
        /// Which quantity.
        what: &'static str,
        /// Its value, as text.
        value: String,
        /// What would do.
        allowed: &'static str,
    },
    /// Bounds that leave nothing.
    #[error(
        "the limits of {axis} of joint {joint:?} exclude each other: at least {lower} and at most {upper}; exchange them"
    )]
    Limits {
        /// The joint.
        joint: String,
        /// The axis.
        axis: &'static str,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// Something acts along an axis that cannot move.
    #[error("{what} acts on {axis} of joint {joint:?}, which a {kind} joint locks; it leaves free: {free}")]
    Locked {
        /// The joint.
        joint: String,
        /// What acts.
        what: &'static str,
        /// Along which axis.
        axis: &'static str,
        /// The kind of the joint.
        kind: &'static str,
        /// The axes that are free, in words.
        free: String,
    },
    /// A joint that would have to turn a point.
    #[error(
        "the {kind} joint {joint:?} holds the point {body:?} {reach:e} m from it, or by its orientation; a point cannot be turned: hold it at its \
         centre by a ball, rod, rope, point-on-line or point-on-plane joint, or give the body a size"
    )]
    Point {
        /// The joint.
        joint: String,
        /// The point.
        body: String,
        /// The kind of the joint.
        kind: &'static str,
        /// How far from the point, m.
        reach: f64,
    },
    /// Two controls that cannot both be obeyed.
    #[error(
        "{first} and {second} both act on {axis} of joint {joint:?}; one would need infinite force against the other: keep one"
    )]
    Clash {
        /// The joint.
        joint: String,
        /// The axis.
        axis: &'static str,
        /// One.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A coupling names a joint that is not there.
    #[error("coupling {coupling:?} couples joint {joint:?}, which is not there; add that joint first")]
    NoJoint {
        /// The coupling.
        coupling: String,
        /// The name.
        joint: String,
    },
    /// A coupling couples an axis that does not move.
    #[error(
        "coupling {coupling:?} couples {axis} of joint {joint:?}, which that joint locks; couple a free axis"
    )]
    CoupledAxis {
        /// The coupling.
        coupling: String,
        /// The joint.
        joint: String,
        /// The axis.
        axis: &'static str,
    },
}
