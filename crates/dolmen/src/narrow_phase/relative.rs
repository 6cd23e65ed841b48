//! One shape seen from the other.

use super::Polytope;
use super::tolerance::ROUNDING;
use crate::math::{DMat3, DVec3, Pose};

/// The frame of a in that of b: x ↦ turn x + shift.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    pub(super) turn: DMat3,
    pub(super) shift: DVec3,
}

impl Relative {
    /// Only the difference of the positions enters, so that coordinates far from the origin cost one rounding.
    #[inline]
    pub(super) fn new(a: &Pose, b: &Pose) -> Self {
        let back = b.orientation.conjugate();
        Self { turn: DMat3::from_quat(back * a.orientation), shift: back * (a.position - b.position) }
    }

    /// b in the frame of a.
    pub(super) fn inverse(&self) -> Self {
        let turn = self.turn.transpose();
        Self { turn, shift: -(turn * self.shift) }
    }

    /// A point of a in the frame of b.
    #[inline]
    pub(super) fn point(&self, x: DVec3) -> DVec3 {
        self.turn * x + self.shift
    }

    /// A direction of the frame of b in that of a.
    #[inline]
    pub(super) fn back(&self, d: DVec3) -> DVec3 {
        let m = &self.turn;
        DVec3::new(m.x_axis.dot(d), m.y_axis.dot(d), m.z_axis.dot(d))
    }
}

/// Two polytopes in one frame, that of b.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) a: &'a Polytope,
    pub(super) b: &'a Polytope,
    pub(super) frame: Relative,
    /// The rounding of a separation, m.
    pub(super) rounding: f64,
}

impl<'a> View<'a> {
    pub(super) fn new(a: &'a Polytope, b: &'a Polytope, frame: Relative) -> Self {
        let lengths = a.extent() + b.extent() + frame.shift.abs().max_element();
        Self { a, b, frame, rounding: ROUNDING * lengths }
    }

    /// With the roles exchanged, in the frame of a.
    pub(super) fn exchanged(&self) -> Self {
        Self { a: self.b, b: self.a, frame: self.frame.inverse(), rounding: self.rounding }
    }

    /// A vertex of a in the frame of b.
    pub(super) fn vertex_a(&self, vertex: u32) -> DVec3 {
        self.frame.point(self.a.vertex(vertex))
    }
}
