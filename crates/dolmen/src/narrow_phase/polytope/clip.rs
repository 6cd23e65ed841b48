//! The part of one face over another, and the convex hull of what is left.

use super::{View, rim_distances};
use crate::math::DVec3;
use robust::{Coord, orient2d};

/// A corner of the region that two faces have in common, in the frame of the reference face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    /// On the incident face.
    pub(crate) at: DVec3,
    pub(crate) source: Source,
    /// The edge that leads from here to the next corner.
    leaving: Border,
}

/// What a corner of the region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A vertex of the incident face.
    Incident(u32),
    /// A vertex of the reference face.
    Reference(u32),
    /// Where an edge of the incident face crosses one of the reference face.
    Crossing { incident: u32, reference: u32 },
}

/// An edge of one of the two faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    Incident(u32),
    Reference(u32),
}

/// Buffers for one clipping.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) corners: Vec<Corner>,
    next: Vec<Corner>,
    heights: Vec<f64>,
}

impl Region {
    /// The part of a face of a (incident) over a face of b (reference); corners within `tolerance` of the rim count as inside.
    ///
    /// Polygon clipping of Sutherland and Hodgman (1974) by the planes through the edges of the reference face, with the
    /// origin of every corner.
    pub(crate) fn clip(&mut self, view: &View, incident: u32, reference: u32, tolerance: f64) {
        self.corners.clear();
        let (vertices, edges) = (view.a.face(incident), view.a.face_edges(incident));
        self.corners.extend(vertices.iter().zip(edges).map(|(&v, &e)| Corner {
            at: view.vertex_a(v),
            source: Source::Incident(v),
            leaving: Border::Incident(e),
        }));
        let edges = view.b.face_edges(reference);
        for ((corner, inward), &edge) in rim_distances(view.b, reference).zip(edges) {
            self.cut(view, (corner, inward), edge, tolerance);
        }
    }

    /// Cuts off what is beyond one edge of the reference face.
    fn cut(&mut self, view: &View, (corner, inward): (DVec3, DVec3), edge: u32, tolerance: f64) {
        let Self { corners, next, heights } = self;
        heights.clear();
        heights.extend(corners.iter().map(|c| inward.dot(c.at - corner)));
        if heights.iter().all(|height| *height >= -tolerance) {
            return;
        }
        next.clear();
        let count = corners.len();
        for (k, (here, &height)) in corners.iter().zip(&*heights).enumerate() {
            let after = after(k, count);
            let (there, height_next) = (&corners[after], heights[after]);
            let (inside, inside_next) = (height >= -tolerance, height_next >= -tolerance);
            // A corner on the rim is the crossing: only an edge that is clear of the rim on both sides makes a new one.
            let crosses = (height > tolerance && !inside_next) || (!inside && height_next > tolerance);
            if inside {
                // Where the region goes on outside, it follows the rim from here.
                let along_rim = !inside_next && !crosses;
                let leaving = if along_rim { Border::Reference(edge) } else { here.leaving };
                next.push(Corner { leaving, ..*here });
            }
            if crosses {
                let at = here.at + (there.at - here.at) * (height / (height - height_next));
                let leaving = if inside { Border::Reference(edge) } else { here.leaving };
                let source = source_of(view, here.leaving, edge);
                next.push(Corner { at, source, leaving });
            }
        }
        std::mem::swap(&mut self.corners, &mut self.next);
    }
}

/// The next place around a polygon.
fn after(k: usize, count: usize) -> usize {
    if k + 1 == count { 0 } else { k + 1 }
}

/// What the crossing of an edge of the region with an edge of the reference face is.
fn source_of(view: &View, leaving: Border, edge: u32) -> Source {
    match leaving {
        Border::Incident(incident) => Source::Crossing { incident, reference: edge },
        Border::Reference(other) => {
            let (ends, others) = (view.b.edge(edge).ends, view.b.edge(other).ends);
            let common = ends.iter().find(|v| others.contains(v));
            Source::Reference(*common.unwrap_or(&ends[0]))
        }
    }
}

/// The places of the vertices of the convex hull of points in a plane, counterclockwise about `normal`.
///
/// A point within `tolerance` of the hull of the others is none, and of points in one place the first stays; one or two
/// are left when all are in one place or on a line. Andrew's monotone chain (1979) with exact turns, so that points along a
/// side keep their ends, then [`thin_out`].
pub(crate) fn hull_in_plane(points: &[DVec3], normal: DVec3, tolerance: f64, hull: &mut Hull) {
    hull.lay_flat(points.iter().copied(), normal);
    hull.wrap(tolerance);
}

/// As [`hull_in_plane`] for the corners of a region, a convex polygon in their order but for rounding: there is nothing to
/// sort.
pub(crate) fn corners_in_plane(corners: &[Corner], normal: DVec3, tolerance: f64, hull: &mut Hull) {
    hull.lay_flat(corners.iter().map(|corner| corner.at), normal);
    hull.places.clear();
    hull.places.extend(0..corners.len());
    hull.thin_out(tolerance);
    if !hull.is_convex() {
        hull.wrap(tolerance);
    }
}

/// Buffers for a convex hull.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hull {
    /// The answer.
    pub(crate) places: Vec<usize>,
    order: Vec<usize>,
    flat: Vec<Coord<f64>>,
}

impl Hull {
    fn lay_flat(&mut self, points: impl Iterator<Item = DVec3>, normal: DVec3) {
        let (u, v) = normal.any_orthonormal_pair();
        self.flat.clear();
        self.flat.extend(points.map(|p| Coord { x: u.dot(p), y: v.dot(p) }));
    }

    /// Finds the hull of the points that lie flat.
    fn wrap(&mut self, tolerance: f64) {
        let Self { places, order, flat } = &mut *self;
        places.clear();
        order.clear();
        for k in 0..flat.len() {
            let near =
                |&j: &usize| (flat[j].x - flat[k].x).abs().max((flat[j].y - flat[k].y).abs()) <= tolerance;
            if !order.iter().any(near) {
                order.push(k);
            }
        }
        order.sort_unstable_by(|&i, &j| {
            let (p, q) = (flat[i], flat[j]);
            p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(i.cmp(&j))
        });
        if order.len() < 3 {
            places.extend_from_slice(order);
            return;
        }
        let turns_left = |i: usize, j: usize, k: usize| orient2d(flat[i], flat[j], flat[k]) > 0.0;
        for pass in 0..2 {
            let start = places.len();
            for &k in order.iter() {
                while places.len() >= start + 2
                    && !turns_left(places[places.len() - 2], places[places.len() - 1], k)
                {
                    places.pop();
                }
                places.push(k);
            }
            places.pop();
            if pass == 0 {
                order.reverse();
            }
        }
        self.thin_out(tolerance);
    }

    /// Whether every corner left turns left.
    fn is_convex(&self) -> bool {
        let (places, flat, count) = (&self.places, &self.flat, self.places.len());
        count < 3
            || (0..count).all(|k| {
                let next = after(k, count);
                let [p, q, r] = [places[k], places[next], places[after(next, count)]].map(|k| flat[k]);
                (q.x - p.x) * (r.y - q.y) - (q.y - p.y) * (r.x - q.x) > 0.0
            })
    }

    /// Drops corners that are within `tolerance` of the segment between their neighbours, of two in one place the later.
    ///
    /// Of a segment, not of a line: the end of a side with several points along it stays.
    fn thin_out(&mut self, tolerance: f64) {
        let Self { places, flat, .. } = self;
        let mut k = 0;
        let mut kept = 0;
        // Once around without dropping anything.
        while kept < places.len() && places.len() > 1 {
            let count = places.len();
            let previous = if k == 0 { count - 1 } else { k - 1 };
            let [before, here, after] =
                [places[previous], places[k], places[after(k, count)]].map(|p| flat[p]);
            let is_same = |p: Coord<f64>| (p.x - here.x).abs().max((p.y - here.y).abs()) <= tolerance;
            let spare = match (count, k) {
                (2, 0) => false,
                (2, _) => is_same(before),
                // Of two in one place the first stays.
                (_, 0) if is_same(before) => false,
                _ => is_between(here, before, after, tolerance),
            };
            if spare {
                places.remove(k);
                kept = 0;
                // Its neighbours may be spare now; the one before first.
                k = if k == 0 { 0 } else { k - 1 };
            } else {
                kept += 1;
                k += 1;
            }
            if k >= places.len() {
                k = 0;
            }
        }
    }
}

/// Whether a point is within `tolerance` of a segment.
fn is_between(x: Coord<f64>, p: Coord<f64>, q: Coord<f64>, tolerance: f64) -> bool {
    let (dx, dy) = (q.x - p.x, q.y - p.y);
    let (ex, ey) = (x.x - p.x, x.y - p.y);
    let (length2, along) = (dx * dx + dy * dy, dx * ex + dy * ey);
    let tolerance2 = tolerance * tolerance;
    if along <= 0.0 {
        ex * ex + ey * ey <= tolerance2
    } else if along >= length2 {
        (x.x - q.x) * (x.x - q.x) + (x.y - q.y) * (x.y - q.y) <= tolerance2
    } else {
        let cross = dx * ey - dy * ex;
        cross * cross <= tolerance2 * length2
    }
}
