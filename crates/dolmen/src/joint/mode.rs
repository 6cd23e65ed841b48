//! What equations that need not act are doing: limits, ropes, friction, motors with a largest force.

use serde::{Deserialize, Serialize};

/// What an equation that need not act is doing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum RowMode {
    /// It carries no force: a limit that is not reached, a slack rope.
    #[default]
    Free,
    /// It is kept as an equation: a limit that is leaned on, a taut rope, friction that sticks, a motor at its speed.
    Active,
    /// Its force is at its largest, with this sign: friction of an axis that moves, a motor that is too weak.
    Saturated(f64),
}
