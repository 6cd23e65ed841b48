//! What contact rows read and write of a body.

use super::number::{Real, V3, v3};
use crate::drive::fixed::tolerances::LANES;

/// What the passes read and write of a body: 64 bytes in single precision.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(in crate::drive::fixed) struct Record<R> {
    /// Velocity, one free, spin, one free.
    pub(in crate::drive::fixed) twist: [R; LANES],
    /// Displacement and rotation vector since the step began, in the same places.
    pub(in crate::drive::fixed) moved: [R; LANES],
}

impl<R: Real> Record<R> {
    pub(in crate::drive::fixed) fn velocity(&self) -> V3<R> {
        v3(self.twist[0], self.twist[1], self.twist[2])
    }
    pub(in crate::drive::fixed) fn spin(&self) -> V3<R> {
        v3(self.twist[4], self.twist[5], self.twist[6])
    }
    pub(in crate::drive::fixed) fn set_twist(&mut self, v: V3<R>, w: V3<R>) {
        let zero = R::of(0.0);
        self.twist = [v.x, v.y, v.z, zero, w.x, w.y, w.z, zero];
    }
}

/// Inverse inertia (world) and inverse mass: xx, yy, zz, xy, xz, yz, 1/m, free.
pub(in crate::drive::fixed) type Mobility<R> = [R; LANES];
