//! What an assembly took, and why one was refused.

/// In a combination of rows that cancels, a row with a smaller share takes no part; the vectors have length one.
pub(super) const TAKES_PART: f64 = 1e-6;

/// A joint that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// Its name.
    pub joint: String,
    /// By how much, m (or m/s); angles at the longest arm of a joint.
    pub distance: f64,
}

/// What an assembly took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AssemblyReport {
    /// Joints that did not hold at first, the worst first.
    pub first: Vec<Miss>,
    /// Steps of Gauss–Newton.
    pub steps: usize,
    /// The largest way of a body in one of them, m.
    pub moved: f64,
    /// For each redundant equation, the joints that depend on one another.
    pub redundant: Vec<Vec<String>>,
    /// Joints that do not hold in the end, where that was asked for, the worst first.
    pub left: Vec<Miss>,
}

/// Why bodies could not be put onto their joints.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AssemblyError {
    /// A joint is further off than may be mended.
    #[error(
        "the frames of joint {joint:?} are {} m apart at the start{}; up to {} m is mended: \
         place the bodies nearer to where they belong",
        short(*distance), also(*others), short(*allowed)
    )]
    Apart {
        /// The worst joint.
        joint: String,
        /// By how much, m; angles at the longest arm.
        distance: f64,
        /// What would be mended, m.
        allowed: f64,
        /// How many more are too far off.
        others: usize,
    },
    /// A joint is further beyond a limit than may be mended.
    #[error(
        "joint {joint:?} is beyond a limit, or longer than its rope, by {} m at the start{}; up to {} m is mended: \
         move its bodies, or widen the limit",
        short(*distance), also(*others), short(*allowed)
    )]
    Beyond {
        /// The worst joint.
        joint: String,
        /// By how much, m; angles at the longest arm.
        distance: f64,
        /// What would be mended, m.
        allowed: f64,
        /// How many more are too far off.
        others: usize,
    },
    /// The frames of a joint look in opposite directions.
    #[error(
        "the frames of joint {joint:?} look in opposite directions at the start; turn one of the bodies, or its frame"
    )]
    UpsideDown {
        /// The joint.
        joint: String,
    },
    /// Joints contradict each other.
    #[error("these joints cannot all hold: {}; take one of them away, or move its frames", list(joints))]
    Conflict {
        /// Those that still miss, the worst first.
        joints: Vec<Miss>,
    },
    /// Joints ask for velocities that contradict each other.
    #[error(
        "these joints ask for velocities that contradict each other: {}; take one of the drives away",
        list(joints)
    )]
    Velocities {
        /// Those that still miss, the worst first.
        joints: Vec<Miss>,
    },
    /// The linear program of least absolute residual found no answer.
    #[error("the least absolute residual of the joints was not found: {problem}; ask for least squares")]
    Program {
        /// What the solver says.
        problem: String,
    },
}

/// A number with four digits, for people.
fn short(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn also(others: usize) -> String {
    if others == 0 { String::new() } else { format!(", those of {others} more too far as well") }
}

/// At most this many joints are named.
const NAMED: usize = 8;

fn list(joints: &[Miss]) -> String {
    let mut names: Vec<String> = joints
        .iter()
        .take(NAMED)
        .map(|miss| format!("{:?} (misses by {})", miss.joint, short(miss.distance)))
        .collect();
    if joints.len() > NAMED {
        names.push(format!("and {} more", joints.len() - NAMED));
    }
    names.join(", ")
}
