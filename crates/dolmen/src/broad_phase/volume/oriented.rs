//! Boxes turned to fit.

use super::{ROUNDING, box_of_points};
use crate::math::{Aabb, DMat3, DVec3, Pose, eigen};
use crate::shape::Hull;

/// A closed box with sides along axes of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    /// Centre, m.
    pub centre: DVec3,
    /// Its axes, as columns: a rotation.
    pub axes: DMat3,
    /// Half of each side, m.
    pub half: DVec3,
}

impl OrientedBox {
    /// A small box around points: along their principal axes, or those of the frame if that box is smaller.
    ///
    /// Holds all of them; no bound on how much larger than the smallest it is. No points give a box at the origin.
    pub fn around(points: &[DVec3]) -> Self {
        let count = points.len().max(1) as f64;
        let mean = points.iter().fold(DVec3::ZERO, |sum, point| sum + *point / count);
        let mut spread = DMat3::ZERO;
        for point in points {
            let d = *point - mean;
            spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
        let (_, principal) = eigen::symmetric(spread);
        smallest(points, [DMat3::IDENTITY, principal].into_iter())
    }

    /// A small box around a hull: of the boxes that have a side along one of its faces and an edge along one of the edges of
    /// that face, the smallest; never larger than [`OrientedBox::around`] its vertices.
    pub fn around_hull(hull: &Hull) -> Self {
        let vertices = hull.vertices();
        let frames = hull.edges().iter().flat_map(|edge| {
            let [from, to] = edge.ends.map(|end| vertices[end as usize]);
            edge.faces.map(|face| {
                let z = face_normal(hull, face as usize);
                let along = to - from;
                let x = (along - z * along.dot(z)).normalize_or_zero();
                DMat3::from_cols(x, z.cross(x), z)
            })
        });
        let by_faces = smallest(vertices, frames);
        let by_points = Self::around(vertices);
        if by_faces.volume() <= by_points.volume() { by_faces } else { by_points }
    }

    /// A box along the axes of its frame.
    pub fn from_aabb(b: &Aabb) -> Self {
        Self { centre: 0.5 * b.min + 0.5 * b.max, axes: DMat3::IDENTITY, half: 0.5 * b.max - 0.5 * b.min }
    }

    /// The box where the body is; larger by the rounding of that.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        let size = self.centre.abs().max(pose.position.abs()).max(self.half).max_element();
        Self {
            centre: pose.point(self.centre),
            axes: DMat3::from_quat(pose.orientation) * self.axes,
            half: self.half + ROUNDING * size,
        }
    }

    /// Its volume, m³.
    pub fn volume(&self) -> f64 {
        8.0 * self.half.x * self.half.y * self.half.z
    }

    /// Whether a point is inside or nearer than a few roundings.
    pub fn contains(&self, point: DVec3) -> bool {
        let arm = self.axes.transpose() * (point - self.centre);
        let size = self.centre.abs().max(point.abs()).max(self.half).max_element();
        arm.abs().cmple(self.half + ROUNDING * size).all()
    }

    /// Whether two boxes have a point in common; never false when they do, whatever the rounding.
    ///
    /// They are apart when their shadows are, on one of 15 axes: the three of each, and the nine products aⱼ × bₖ
    /// [Gottschalk, Lin, Manocha 1996]. Products of nearly parallel axes are short and separate nothing, as they should:
    /// every half shadow is taken larger by rounding.
    pub fn overlaps(&self, other: &Self) -> bool {
        // In the frame of this box: bₖ are the columns of `turn`.
        let turn = self.axes.transpose() * other.axes;
        let offset = self.axes.transpose() * (other.centre - self.centre);
        let reach = turn.abs();
        let size = self.centre.abs().max(other.centre.abs()).max_element();
        let slack = ROUNDING * (size + self.half.element_sum() + other.half.element_sum());

        let apart_on_own = offset.abs().cmpgt(self.half + reach * other.half + slack).any();
        let on_other = (turn.transpose() * offset).abs();
        if apart_on_own || on_other.cmpgt(other.half + reach.transpose() * self.half + slack).any() {
            return false;
        }
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            for k in 0..3 {
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                // (eⱼ × bₖ)·offset, and the half shadows of both.
                let (b, c) = (turn.col(k), reach.col(k));
                let distance = (offset[j2] * b[j1] - offset[j1] * b[j2]).abs();
                let own = self.half[j1] * c[j2] + self.half[j2] * c[j1];
                let others = other.half[k1] * reach.col(k2)[j] + other.half[k2] * reach.col(k1)[j];
                if distance > own + others + slack {
                    return false;
                }
            }
        }
        true
    }
}

/// Unit normal of a face, by the sum of the cross products around its loop [Newell]; zero when that vanishes by rounding.
fn face_normal(hull: &Hull, face: usize) -> DVec3 {
    let corners = hull.face(face);
    let at = |k: usize| {
        hull.vertices()[corners[k % corners.len()] as usize] - hull.vertices()[corners[0] as usize]
    };
    (0..corners.len()).fold(DVec3::ZERO, |sum, k| sum + at(k).cross(at(k + 1))).normalize_or_zero()
}

/// The smallest box around points of those along the given axes; frames that are no rotations are left out.
fn smallest(points: &[DVec3], frames: impl Iterator<Item = DMat3>) -> OrientedBox {
    let mut best: Option<OrientedBox> = None;
    for axes in frames {
        let b =
            points.iter().fold(Aabb::EMPTY, |all, point| all.join(&Aabb::point(axes.transpose() * *point)));
        let size = b.min.abs().max(b.max.abs()).max_element();
        let own = OrientedBox::from_aabb(&b.grown(ROUNDING * size));
        let is_rotation = (axes.determinant() - 1.0).abs() < UNIT_TOLERANCE;
        // Compared with the rounding in: of boxes around something flat, the one of the smallest area wins.
        if is_rotation && best.is_none_or(|other| own.volume() < other.volume()) {
            best = Some(OrientedBox { centre: axes * own.centre, axes, half: own.half });
        }
    }
    // Every list of frames has the identity in it, or the faces of a hull: only points that are no numbers get here.
    best.unwrap_or_else(|| {
        let b = box_of_points(points);
        if b.min.is_finite() && b.max.is_finite() {
            OrientedBox::from_aabb(&b)
        } else {
            OrientedBox { centre: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO }
        }
    })
}

/// How far from 1 the determinant of a frame may be: a frame from a degenerate edge is 0.
const UNIT_TOLERANCE: f64 = 1e-9;
