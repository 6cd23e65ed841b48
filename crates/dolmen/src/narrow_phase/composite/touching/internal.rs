//! Contacts that only the inside of a compound makes: where its parts meet, their edges and corners are none of the whole.
//!
//! At a point p of several parts, the directions that lead away from all of them are those for which no part reaches further
//! than p. A contact at an edge or corner whose normal is none of these would push along a surface that is smooth there,
//! or is no surface at all. Contacts at faces stay unless another part covers them: in a groove every face is touched by itself.

use super::super::couple::{Contents, PieceKind, PieceView, Side};
use super::super::parts::{Content, Piece, Surface};
use super::super::tolerance::{LEAN, RIM};
use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{Feature, Geometry};
use crate::shape::nearest;
use crate::triangle::closest_on_triangle;

/// Whether another piece of the side makes a contact of a piece void; `at` and the unit normal out of the side in the frame
/// of the host.
pub(super) fn is_hidden(
    (side, piece): (&Side, u32),
    feature: Feature,
    (at, out): (DVec3, DVec3),
    tolerance: f64,
) -> bool {
    let Contents::Many(parts) = side.content else { return false };
    if parts.pieces.len() < 2 {
        return false;
    }
    let back = side.pose.orientation.conjugate();
    let (at, out) = (back * (at - side.pose.position), back * out);
    let width = RIM * tolerance;
    let is_face = matches!(feature, Feature::Face(_) | Feature::Surface(_))
        || is_normal_of_face(&side.piece(piece), side, feature, out);
    parts.pieces.iter().enumerate().any(|(p, other)| {
        p as u32 != piece && holds(&other.bounds.grown(width), at) && hides(other, (at, out), width, is_face)
    })
}

fn holds(bounds: &Aabb, at: DVec3) -> bool {
    (bounds.min.cmple(at) & at.cmple(bounds.max)).all()
}

/// Whether an edge is touched along the normal of a face beside it: as the corner of a region of that face.
fn is_normal_of_face(view: &PieceView, side: &Side, feature: Feature, out: DVec3) -> bool {
    let Feature::Edge(edge) = feature else { return false };
    let edge = edge - view.first.edge;
    let back = |pose: &Pose| pose.orientation.conjugate();
    let normals = match view.kind {
        PieceKind::Convex(Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. }) => {
            let turn = back(&side.pose) * view.pose.orientation;
            p.edge(edge).faces.map(|f| turn * p.plane(f).0)
        }
        PieceKind::Mesh(s) => s.edges[edge as usize].faces.map(|f| s.normal(f)),
        PieceKind::Convex(_) => return false,
    };
    normals.iter().any(|n| n.dot(out) > 1.0 - LEAN)
}

/// Whether a piece that may be at a point covers it, or reaches beyond it along the normal.
fn hides(other: &Piece, (at, out): (DVec3, DVec3), width: f64, is_face: bool) -> bool {
    match &other.content {
        Content::Mesh(surface) => hides_mesh(surface, (at, out), width, is_face),
        Content::Convex { geometry, shape } => {
            let back = other.pose.orientation.conjugate();
            let (own, direction) = (back * (at - other.pose.position), back * out);
            let Some(separation) = separation_of(geometry, shape, own) else { return false };
            let beyond = shape.reach(direction) - direction.dot(own);
            let size = (other.bounds.max - other.bounds.min).max_element();
            separation < -width || (!is_face && separation <= width && beyond > width + LEAN * size)
        }
    }
}

/// How far a point is from a convex piece, negative inside; of a polytope the greatest height over a face. None for planes.
fn separation_of(geometry: &Geometry, shape: &crate::shape::Shape, at: DVec3) -> Option<f64> {
    match geometry {
        Geometry::Polytope(p) => {
            let height = |f: u32| p.plane(f).0.dot(at) - p.plane(f).1;
            Some((0..p.face_count()).map(height).fold(f64::NEG_INFINITY, f64::max))
        }
        Geometry::Round(_) => nearest(shape, at).map(|found| found.separation),
        _ => None,
    }
}

fn hides_mesh(surface: &Surface, (at, out): (DVec3, DVec3), width: f64, is_face: bool) -> bool {
    let Some(found) = surface.tree.nearest(surface.seen_from_mesh(at)) else { return false };
    if found.separation < -width {
        return true;
    }
    if is_face || found.separation > width {
        return false;
    }
    let own = surface.seen_from_mesh(at);
    let mut near = Vec::new();
    surface.tree.triangles_near_box(&Aabb::point(own).grown(width), &mut near);
    let is_at = |corners: &[DVec3; 3]| closest_on_triangle(at, *corners).0.distance(at) <= width;
    near.iter().map(|t| surface.corners(*t)).filter(is_at).flatten().any(|x| {
        let d = x - at;
        out.dot(d) > width + LEAN * d.length()
    })
}
