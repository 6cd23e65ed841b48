//! The corners of a contact region that may have many points along its sides.

use crate::math::DVec3;
use crate::narrow_phase::polytope::{Hull, hull_in_plane};

/// The convex hull of points in a plane, and its buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    hull: Hull,
    /// The points left when those in one place are made one, and which they are.
    points: Vec<DVec3>,
    names: Vec<usize>,
    places: Vec<usize>,
}

impl Outline {
    /// The places of the corners among the points given, counterclockwise about the normal.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Finds the hull. Of points in one place the first stays, and a corner within `tolerance` of the line between its
    /// neighbours, and between them, is none; one or two are left when all are in one place or on a line.
    ///
    /// The hull is exact first, and corners are dropped after: with a tolerance in the walk itself, points along a side that
    /// rounding puts out of order can hide the end of the side.
    pub(super) fn around(&mut self, points: &[DVec3], normal: DVec3, tolerance: f64) {
        self.points.clear();
        self.names.clear();
        for (k, p) in points.iter().enumerate() {
            if !self.points.iter().any(|q| (*p - *q).reject_from(normal).length() <= tolerance) {
                self.points.push(*p);
                self.names.push(k);
            }
        }
        hull_in_plane(&self.points, normal, 0.0, &mut self.hull);
        self.places.clear();
        self.places.extend_from_slice(&self.hull.places);
        let mut k = 0;
        let mut kept = 0;
        // Until a whole round has kept every corner.
        while self.places.len() > 2 && kept < self.places.len() {
            let count = self.places.len();
            k %= count;
            let at = |i: usize| self.points[self.places[i % count]];
            if is_between(at(k), at(k + count - 1), at(k + 1), tolerance) {
                self.places.remove(k);
                kept = 0;
                k = k.saturating_sub(1);
            } else {
                kept += 1;
                k += 1;
            }
        }
        for place in &mut self.places {
            *place = self.names[*place];
        }
    }
}

/// Whether a point is within the tolerance of the segment between two others.
fn is_between(x: DVec3, p: DVec3, q: DVec3, tolerance: f64) -> bool {
    let along = q - p;
    let (from, to) = (along.dot(x - p), along.dot(q - x));
    if from <= 0.0 || to <= 0.0 {
        return false;
    }
    let foot = p + along * (from / along.length_squared());
    x.distance(foot) <= tolerance
}
