//! Two polytopes in one frame.

use super::Polytope;
use crate::math::DVec3;
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::tolerance::ROUNDING;

/// Two polytopes in one frame, that of b.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) a: &'a Polytope,
    pub(crate) b: &'a Polytope,
    pub(crate) frame: Relative,
    /// The rounding of a separation, m.
    pub(crate) rounding: f64,
}

impl<'a> View<'a> {
    pub(crate) fn new(a: &'a Polytope, b: &'a Polytope, frame: Relative) -> Self {
        let lengths = a.extent() + b.extent() + frame.shift.abs().max_element();
        Self { a, b, frame, rounding: ROUNDING * lengths }
    }

    /// With the roles exchanged, in the frame of a.
    pub(crate) fn exchanged(&self) -> Self {
        Self { a: self.b, b: self.a, frame: self.frame.inverse(), rounding: self.rounding }
    }

    /// A vertex of a in the frame of b.
    pub(crate) fn vertex_a(&self, vertex: u32) -> DVec3 {
        self.frame.point(self.a.vertex(vertex))
    }
}
