//! Tests of boxes, and the few measures of them that decide how trees are built.

use crate::math::{Aabb, DVec3};

/// Stands for a box that holds nothing: [`meet`] is false with it, whatever the other box is.
///
/// [`Aabb::EMPTY`] would not do: −∞ ≤ −∞ and ∞ ≤ ∞, so that it seems to meet a box that is infinite.
pub(super) const NOTHING: Aabb = Aabb { min: DVec3::NAN, max: DVec3::NAN };

/// Coordinates are cut to this, m, where areas are computed: their products stay finite.
const FAR: f64 = 1e150;

/// Whether a box holds at least one point: min ≤ max on every axis, which no NaN is.
pub fn is_box(b: &Aabb) -> bool {
    b.min.cmple(b.max).all()
}

/// Whether two closed boxes have a point in common; exact.
///
/// Touching counts. A box that holds nothing (see [`is_box`]) overlaps nothing, itself included.
pub fn overlap(a: &Aabb, b: &Aabb) -> bool {
    is_box(a) && is_box(b) && meet(a, b)
}

/// As [`overlap`], for boxes that are known to hold something or are [`NOTHING`].
pub(super) fn meet(a: &Aabb, b: &Aabb) -> bool {
    (a.min.cmple(b.max) & b.min.cmple(a.max)).all()
}

/// The box itself, or [`NOTHING`].
pub(super) fn normal(b: &Aabb) -> Aabb {
    if is_box(b) { *b } else { NOTHING }
}

/// The box number `index`, or [`NOTHING`] when there is none.
pub(super) fn box_at(boxes: &[Aabb], index: u32) -> Aabb {
    boxes.get(index as usize).map_or(NOTHING, normal)
}

/// The part of the box within reach of arithmetic.
pub(super) fn finite_part(b: &Aabb) -> Aabb {
    let far = DVec3::splat(FAR);
    Aabb { min: b.min.clamp(-far, far), max: b.max.clamp(-far, far) }
}

/// Sum of the sides of the part within reach, m; 0 for a box that holds nothing.
pub(super) fn girth(b: &Aabb) -> f64 {
    if !is_box(b) {
        return 0.0;
    }
    let part = finite_part(b);
    (part.max - part.min).element_sum()
}

/// Half the surface of a box within reach, m².
pub(super) fn half_surface(b: &Aabb) -> f64 {
    let d = b.max - b.min;
    d.x * d.y + d.y * d.z + d.z * d.x
}
