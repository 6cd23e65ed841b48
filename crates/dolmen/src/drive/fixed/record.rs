//! What contact rows read and write of a body.

use super::number::{Real, V3, v3};
use super::tolerances::LANES;

/// What the passes read and write of a body: 64 bytes in single precision.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Record<R> {
    /// Velocity, one free, spin, one free.
    pub(super) twist: [R; LANES],
    /// Displacement and rotation vector since the step began, in the same places.
    pub(super) moved: [R; LANES],
}

impl<R: Real> Record<R> {
    pub(super) fn velocity(&self) -> V3<R> {
        v3(self.twist[0], self.twist[1], self.twist[2])
    }
    pub(super) fn spin(&self) -> V3<R> {
        v3(self.twist[4], self.twist[5], self.twist[6])
    }
    pub(super) fn set_twist(&mut self, v: V3<R>, w: V3<R>) {
        let zero = R::of(0.0);
        self.twist = [v.x, v.y, v.z, zero, w.x, w.y, w.z, zero];
    }
}

/// Inverse inertia (world) and inverse mass: xx, yy, zz, xy, xz, yz, 1/m, free.
pub(super) type Mobility<R> = [R; LANES];
