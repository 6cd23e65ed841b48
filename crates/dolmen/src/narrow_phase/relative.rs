//! One shape seen from the other.

use crate::math::{DMat3, DVec3, Pose};

/// The frame of a in that of b: x ↦ turn x + shift.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relative {
    pub(crate) turn: DMat3,
    pub(crate) shift: DVec3,
}

impl Relative {
    /// Only the difference of the positions enters, so that coordinates far from the origin cost one rounding.
    #[inline]
    pub(crate) fn new(a: &Pose, b: &Pose) -> Self {
        let back = b.orientation.conjugate();
        Self { turn: DMat3::from_quat(back * a.orientation), shift: back * (a.position - b.position) }
    }

    /// b in the frame of a.
    pub(crate) fn inverse(&self) -> Self {
        let turn = self.turn.transpose();
        Self { turn, shift: -(turn * self.shift) }
    }

    /// A point of a in the frame of b.
    #[inline]
    pub(crate) fn point(&self, x: DVec3) -> DVec3 {
        self.turn * x + self.shift
    }

    /// A direction of the frame of b in that of a.
    #[inline]
    pub(crate) fn back(&self, d: DVec3) -> DVec3 {
        let m = &self.turn;
        DVec3::new(m.x_axis.dot(d), m.y_axis.dot(d), m.z_axis.dot(d))
    }
}
