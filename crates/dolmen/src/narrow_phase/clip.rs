//! The part of one face over another, and the convex hull of what is left.

use super::overlap::rim_distances;
use super::relative::View;
use crate::math::DVec3;

/// A corner of the region that two faces have in common, in the frame of the reference face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    /// On the incident face.
    pub(super) at: DVec3,
    pub(super) source: Source,
    /// The edge that leads from here to the next corner.
    leaving: Border,
}

/// What a corner of the region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
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
pub(super) struct Region {
    pub(super) corners: Vec<Corner>,
    next: Vec<Corner>,
    heights: Vec<f64>,
}

impl Region {
    /// The part of a face of a (incident) over a face of b (reference); corners within `tolerance` of the rim count as inside.
    ///
    /// Polygon clipping of Sutherland and Hodgman (1974) by the planes through the edges of the reference face, with the
    /// origin of every corner.
    pub(super) fn clip(&mut self, view: &View, incident: u32, reference: u32, tolerance: f64) {
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
        self.heights.clear();
        self.heights.extend(self.corners.iter().map(|c| inward.dot(c.at - corner)));
        self.next.clear();
        let count = self.corners.len();
        for k in 0..count {
            let (here, there) = (self.corners[k], self.corners[(k + 1) % count]);
            let (height, height_next) = (self.heights[k], self.heights[(k + 1) % count]);
            let (inside, inside_next) = (height >= -tolerance, height_next >= -tolerance);
            // A corner on the rim is the crossing: only an edge that is clear of the rim on both sides makes a new one.
            let crosses = (height > tolerance && !inside_next) || (!inside && height_next > tolerance);
            if inside {
                // Where the region goes on outside, it follows the rim from here.
                let along_rim = !inside_next && !crosses;
                let leaving = if along_rim { Border::Reference(edge) } else { here.leaving };
                self.next.push(Corner { leaving, ..here });
            }
            if crosses {
                let at = here.at + (there.at - here.at) * (height / (height - height_next));
                let leaving = if inside { Border::Reference(edge) } else { here.leaving };
                let source = source_of(view, here.leaving, edge);
                self.next.push(Corner { at, source, leaving });
            }
        }
        std::mem::swap(&mut self.corners, &mut self.next);
    }
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
/// are left when all are in one place or on a line. Andrew's monotone chain (1979).
pub(super) fn hull_in_plane(points: &[DVec3], normal: DVec3, tolerance: f64, hull: &mut Hull) {
    let Hull { places, order, flat } = hull;
    places.clear();
    order.clear();
    flat.clear();
    let (u, v) = normal.any_orthonormal_pair();
    flat.extend(points.iter().map(|p| (u.dot(*p), v.dot(*p))));
    let flat = |k: usize| flat[k];
    for k in 0..points.len() {
        let (x, y) = flat(k);
        let near = |&j: &usize| (flat(j).0 - x).abs().max((flat(j).1 - y).abs()) <= tolerance;
        if !order.iter().any(near) {
            order.push(k);
        }
    }
    order.sort_unstable_by(|&i, &j| {
        let ((x, y), (z, w)) = (flat(i), flat(j));
        x.total_cmp(&z).then(y.total_cmp(&w)).then(i.cmp(&j))
    });
    if order.len() < 3 {
        places.extend_from_slice(order);
        return;
    }
    // Whether j is not on the right of the way from i to k by more than the tolerance.
    let drops = |i: usize, j: usize, k: usize| {
        let ((xi, yi), (xj, yj), (xk, yk)) = (flat(i), flat(j), flat(k));
        let (dx, dy) = (xk - xi, yk - yi);
        dy * (xj - xi) - dx * (yj - yi) <= tolerance * (dx * dx + dy * dy).sqrt()
    };
    for pass in 0..2 {
        let start = places.len();
        for &k in order.iter() {
            while places.len() >= start + 2 && drops(places[places.len() - 2], places[places.len() - 1], k) {
                places.pop();
            }
            places.push(k);
        }
        places.pop();
        if pass == 0 {
            order.reverse();
        }
    }
}

/// Buffers for a convex hull.
#[derive(Debug, Clone, Default)]
pub(super) struct Hull {
    /// The answer.
    pub(super) places: Vec<usize>,
    order: Vec<usize>,
    flat: Vec<(f64, f64)>,
}
