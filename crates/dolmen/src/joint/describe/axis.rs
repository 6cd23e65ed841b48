//! The six axes along and about which one frame can move in another, and the coordinates that go with them.

use serde::{Deserialize, Serialize};

/// One of the six ways in which frame a can move in frame b, or the distance of their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Axis {
    /// Along x of frame b, m.
    X,
    /// Along y of frame b, m.
    Y,
    /// Along z of frame b, m.
    Z,
    /// About x, rad.
    TurnX,
    /// About y, rad.
    TurnY,
    /// About z, rad.
    TurnZ,
    /// The distance of the two points, m.
    Distance,
}

impl Axis {
    /// The six, linear ones first.
    pub const SIX: [Self; 6] = [Self::X, Self::Y, Self::Z, Self::TurnX, Self::TurnY, Self::TurnZ];

    /// Its place among the six, or none for the distance.
    pub fn index(self) -> Option<usize> {
        Self::SIX.iter().position(|axis| *axis == self)
    }

    /// Whether its coordinate is an angle.
    pub fn is_angular(self) -> bool {
        matches!(self, Self::TurnX | Self::TurnY | Self::TurnZ)
    }

    /// As it is called in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::TurnX => "turn-x",
            Self::TurnY => "turn-y",
            Self::TurnZ => "turn-z",
            Self::Distance => "distance",
        }
    }
}

/// Which angle of a rotation a coordinate is. The rotation of frame a in frame b is R = Rx(α) Ry(β) Rz(γ); where some of the
/// three are locked at zero, forms are taken that have no singularity on the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// The only free one, about axis k; singular only where frame a is upside down.
    Twist(usize),
    /// α of Rx(α) Ry(β).
    FirstOfXy,
    /// β of Rx(α) Ry(β).
    SecondOfXy,
    /// β of Ry(β) Rz(γ).
    FirstOfYz,
    /// γ of Ry(β) Rz(γ).
    SecondOfYz,
    /// α of all three, or of Rx(α) Rz(γ); of all three singular at β = ±90°.
    First,
    /// β of all three, within ±90°; not smooth at the ends.
    Middle,
    /// γ of all three, or of Rx(α) Rz(γ); of all three singular at β = ±90°.
    Last,
}

/// The forms of the three angles, given which of them are free; none for those that are locked.
pub(in crate::joint) fn turnings(free: [bool; 3]) -> [Option<Turning>; 3] {
    use Turning::{First, FirstOfXy, FirstOfYz, Last, Middle, SecondOfXy, SecondOfYz, Twist};
    match free {
        [false, false, false] => [None; 3],
        [true, false, false] => [Some(Twist(0)), None, None],
        [false, true, false] => [None, Some(Twist(1)), None],
        [false, false, true] => [None, None, Some(Twist(2))],
        [true, true, false] => [Some(FirstOfXy), Some(SecondOfXy), None],
        [false, true, true] => [None, Some(FirstOfYz), Some(SecondOfYz)],
        [true, false, true] => [Some(First), None, Some(Last)],
        [true, true, true] => [Some(First), Some(Middle), Some(Last)],
    }
}

/// The entries `b_i`·`a_j` of the rotation that are zero while angles are locked.
pub(in crate::joint) fn locked_entries(free: [bool; 3]) -> &'static [(usize, usize)] {
    match free {
        [false, false, false] => &[(1, 0), (2, 1), (0, 2)],
        // The axis that is common to both frames has no part along the others of frame b.
        [true, false, false] => &[(1, 0), (2, 0)],
        [false, true, false] => &[(2, 1), (0, 1)],
        [false, false, true] => &[(0, 2), (1, 2)],
        // Rx Ry has no entry (x, y); Ry Rz none (y, z); Rx Rz none (x, z).
        [true, true, false] => &[(0, 1)],
        [false, true, true] => &[(1, 2)],
        [true, false, true] => &[(0, 2)],
        [true, true, true] => &[],
    }
}

/// The diagonal entries of the rotation that have to be positive: an upside-down frame has the same zeros.
pub(in crate::joint) fn upright_entries(free: [bool; 3]) -> &'static [usize] {
    match free {
        [false, false, false] => &[0, 1, 2],
        [true, false, false] => &[0],
        [false, true, false] => &[1],
        [false, false, true] => &[2],
        _ => &[],
    }
}
