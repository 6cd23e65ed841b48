//! Contacts of polytopes in the making: small, until their roles are known.

use crate::math::DVec3;
use crate::narrow_phase::{Feature, NormalRule};

/// A face of b and the face of a that lies on it.
pub(super) struct Ground {
    pub(super) incident: u32,
    pub(super) face: u32,
    /// Of the face, in the frame of b.
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    /// The normal in the world.
    pub(super) up: DVec3,
}

/// A contact in the making, in the frame of b.
pub(super) struct Found {
    pub(super) features: (Feature, Feature),
    pub(super) at: DVec3,
    /// In the world, from b to a.
    pub(super) normal: DVec3,
    pub(super) separation: f64,
    /// Of the function, each in the frame of its shape.
    pub(super) points: [DVec3; 2],
    pub(super) rule: Rule,
}

/// The rules of a normal that polytopes need: small beside [`NormalRule`], which has room for curved patches.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    OfA(DVec3),
    OfB(DVec3),
    Edges(DVec3, DVec3),
    Mean(DVec3, DVec3),
}

impl Rule {
    /// With the roles exchanged or not, as [`crate::narrow_phase::ContactFunction::exchanged`] does it.
    #[inline]
    pub(super) fn seen(&self, flipped: bool) -> NormalRule {
        match (*self, flipped) {
            (Self::OfA(n), false) => NormalRule::OfA(n),
            (Self::OfB(n), false) => NormalRule::OfB(n),
            (Self::OfA(n), true) => NormalRule::OfB(-n),
            (Self::OfB(n), true) => NormalRule::OfA(-n),
            (Self::Edges(along_a, along_b), false) | (Self::Edges(along_b, along_a), true) => {
                NormalRule::Edges { along_a, along_b }
            }
            (Self::Mean(mean_a, mean_b), false) | (Self::Mean(mean_b, mean_a), true) => {
                NormalRule::Mean { mean_a, mean_b }
            }
        }
    }
}
