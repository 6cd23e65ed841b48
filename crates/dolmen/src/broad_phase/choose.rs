//! A good method without asking.

use super::{Method, is_box};
use crate::math::Aabb;

/// The method that the measured table recommends for boxes like these; see `docs/performance-broad-phase.md`.
pub fn choose(boxes: &[Aabb]) -> Method {
    let count = boxes.iter().filter(|b| is_box(b)).count();
    if count <= 32 { Method::BruteForce } else { Method::UniformGrid }
}
