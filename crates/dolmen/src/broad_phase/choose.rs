//! A good method without asking.

use super::{BroadPhase, Method, is_box};
use crate::math::Aabb;

/// Up to so many boxes all pairs are tested as soon as anything is sorted, however they move. Measured: equal at 32, and
/// up to three times slower than a tree at 100 in coherent motion.
const FEW: usize = 40;
/// From so many boxes of similar size on, sorting them into cells costs no more than following them with a tree, and far
/// less when they jump. Measured: equal at 10⁴ in coherent motion, two to four times slower than a tree at 10³.
const MANY: usize = 10_000;
/// Sizes are similar when the middle nine tenths differ by less than this factor: one level of a grid.
const SIMILAR: f64 = 8.0;
/// Boxes sampled for their sizes.
const SAMPLES: usize = 512;

/// What a user asks for: one of the methods, or a good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// That of [`choose`], by the boxes at the start.
    #[default]
    Auto,
    /// This one.
    Only(Method),
}

impl Choice {
    /// A broad phase that has seen nothing yet, fit for boxes like these.
    pub fn start(self, boxes: &[Aabb]) -> Box<dyn BroadPhase> {
        match self {
            Self::Auto => choose(boxes),
            Self::Only(method) => method,
        }
        .start()
    }
}

/// The method that the measured table recommends for boxes like these; see `docs/performance-broad-phase.md`.
///
/// Brute force for up to 40 boxes; a uniform grid for 10⁴ boxes and more whose sizes are similar; else the hierarchy
/// of boxes. The pairs do not depend on it.
pub fn choose(boxes: &[Aabb]) -> Method {
    let count = boxes.iter().filter(|b| is_box(b)).count();
    if count <= FEW {
        Method::BruteForce
    } else if count >= MANY && sizes_are_similar(boxes) {
        Method::UniformGrid
    } else {
        Method::Bvh
    }
}

fn sizes_are_similar(boxes: &[Aabb]) -> bool {
    let stride = boxes.len().div_ceil(SAMPLES).max(1);
    let sizes = boxes.iter().step_by(stride).filter(|b| is_box(b)).map(|b| (b.max - b.min).max_element());
    let mut sizes: Vec<f64> = sizes.filter(|size| size.is_finite()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let last = sizes.len().saturating_sub(1);
    sizes.is_empty() || sizes[last * 19 / 20] <= SIMILAR * sizes[last / 20]
}
