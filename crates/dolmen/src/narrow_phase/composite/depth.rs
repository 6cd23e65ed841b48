//! How deep two shapes are in each other when they meet: over parts, over triangles, and by points inside of meshes.

use super::super::{ClosestHint, Feature, Geometry, HalfSpace, Statistics, UnsupportedPair, Witness};
use super::couple::{Couple, Near, PieceKind, PieceView};
use super::parts::{NONE, Surface};
use crate::math::DVec3;
use crate::shape::Sides;
use crate::triangle::Feature as TriangleFeature;
use crate::triangle::hierarchy::Place;
use std::ops::ControlFlow;

/// For what was not found between two elements.
const NOWHERE: [u32; 2] = [NONE, NONE];

impl<'a> Couple<'a> {
    /// The deepest of all pairs of elements that meet, and of all points of one shape inside of a mesh of the other;
    /// `near` when nothing is deeper.
    ///
    /// # Errors
    /// When there is no answer for a pair of parts.
    pub(super) fn deepest(&self, near: Near) -> Result<Near, UnsupportedPair> {
        // Where surfaces meet, their distance has no direction yet.
        let mut worst =
            if near.normal == DVec3::ZERO { Near { distance: f64::INFINITY, ..near } } else { near };
        let (mut refused, mut is_found) = (None, false);
        self.each_near_pair(self.rounding, |[g, h]| match self.signed(g, h) {
            Ok(found) => {
                // Of equals the first, in whatever order they come.
                let ties = is_found && found.distance == worst.distance;
                if found.distance < worst.distance || (ties && found.elements < worst.elements) {
                    (worst, is_found) = (found, true);
                }
                ControlFlow::Continue(())
            }
            Err(error) => {
                refused = Some(error);
                ControlFlow::Break(())
            }
        });
        if let Some(error) = refused {
            return Err(error);
        }
        Ok(match self.deepest_point() {
            Some(inside) if inside.distance < worst.distance - self.rounding => inside,
            _ => worst,
        })
    }

    /// The signed separation of two elements: their distance, or the least depth along any direction.
    fn signed(&self, guest: u32, host: u32) -> Result<Near, UnsupportedPair> {
        let (a, b) = (self.sides[0].member(guest), self.sides[1].member(host));
        let (placed_a, placed_b) = (a.placed(), b.placed());
        // Which side of a plane is meant was decided for the whole shapes: here it has been touched from its front.
        let mut witness = match self.front_only() {
            Some(_) => Witness::Plane { a: Feature::Face(0), b: Feature::Vertex(0) },
            None if [&placed_a, &placed_b].iter().any(|placed| placed.geometry.is_point()) => {
                let [a, b] = [(0, guest), (1, host)]
                    .map(|(k, element)| self.sides[k].piece(self.sides[k].element(element).piece));
                self.side_of_point(0, [&a, &b])
            }
            None => Witness::Unknown,
        };
        let found =
            super::super::convex::separate(&placed_a, &placed_b, &mut witness, &mut Statistics::default())?;
        // Two flat things in one plane have no axis of separation but those in the plane.
        if found.distance >= -self.rounding && a.is_flat() && b.is_flat() {
            let apart = super::super::convex::closest(&placed_a, &placed_b, &mut ClosestHint::default())?;
            if apart.distance > self.rounding {
                return self.distance(guest, host);
            }
        }
        let features = match found.witness {
            Witness::Plane { a, b } => Some([self.sides[0].name(guest, a), self.sides[1].name(host, b)]),
            _ => None,
        };
        let (normal, points) = (found.normal, found.points);
        Ok(Near { distance: found.distance, normal, points, elements: [guest, host], features })
    }

    /// The features of what is nearest; none for a point deep inside.
    ///
    /// # Errors
    /// When there is no answer for this pair.
    pub(super) fn features(&self, near: &Near) -> Result<Option<[Feature; 2]>, UnsupportedPair> {
        if near.features.is_some() || near.elements == NOWHERE {
            return Ok(near.features);
        }
        Ok(self.signed(near.elements[0], near.elements[1])?.features)
    }

    /// When no surfaces meet: whether a part of one is inside of a mesh of the other, and how deep.
    pub(super) fn contained(&self) -> Option<Near> {
        if self.is_contained() { self.deepest_point() } else { None }
    }

    /// When no surfaces meet: whether a part of one is inside of a mesh of the other.
    pub(super) fn is_contained(&self) -> bool {
        self.meshes_and_others().any(|(_, mesh, surface, piece)| {
            piece.any_seed(|p| surface.tree.place(into(&mesh, surface, p)) == Place::Inside)
        })
    }

    /// Every mesh of either side, with the number of the side, and every bounded piece of the other side.
    fn meshes_and_others(&self) -> impl Iterator<Item = (usize, PieceView<'a>, &'a Surface, PieceView<'a>)> {
        let sides = self.sides;
        (0..2).flat_map(move |s| {
            let meshes = sides[s].pieces().filter_map(|p| match p.kind {
                PieceKind::Mesh(surface) => Some((p, surface)),
                PieceKind::Convex(_) => None,
            });
            meshes.flat_map(move |(mesh, surface)| {
                sides[1 - s].pieces().map(move |piece| (s, mesh, surface, piece))
            })
        })
    }

    /// The point of one shape that is deepest inside of a mesh of the other.
    fn deepest_point(&self) -> Option<Near> {
        let mut worst: Option<Near> = None;
        for (side, mesh, surface, piece) in self.meshes_and_others() {
            let bounds = surface.tree.bounds();
            piece.each_sample(|point| {
                let own = into(&mesh, surface, point);
                if !(bounds.min.cmple(own) & own.cmple(bounds.max)).all() {
                    return;
                }
                let Some(found) = surface.tree.nearest(own) else { return };
                if found.separation >= worst.map_or(0.0, |w| w.distance) {
                    return;
                }
                let foot = mesh.pose.point(surface.pose.point(found.point));
                // The way out for the point's owner is towards the foot: known best where that is on a face.
                let out = match found.feature {
                    TriangleFeature::Face => {
                        mesh.pose.direction(surface.normal(surface.region(found.triangle)))
                    }
                    _ => (foot - point).normalize_or_zero(),
                };
                let (normal, points) = if side == 1 { (out, [point, foot]) } else { (-out, [foot, point]) };
                let elements = NOWHERE;
                worst = Some(Near { distance: found.separation, normal, points, elements, features: None });
            });
        }
        worst
    }

    /// The least separation of an infinite plane of one side from any piece of the other; signed.
    ///
    /// # Errors
    /// When there is no answer for a pair of parts.
    pub(super) fn over_planes(&self) -> Result<Option<Near>, UnsupportedPair> {
        let mut least: Option<Near> = None;
        for side in 0..2 {
            for &plane in self.sides[side].planes() {
                let plane = self.sides[side].piece(plane);
                for p in 0..self.sides[1 - side].piece_count() {
                    let near = self.over_plane((side, &plane), p)?;
                    if least.is_none_or(|l| near.distance < l.distance) {
                        least = Some(near);
                    }
                }
            }
        }
        Ok(least)
    }

    fn over_plane(&self, (side, plane): (usize, &PieceView), other: u32) -> Result<Near, UnsupportedPair> {
        let piece = self.sides[1 - side].piece(other);
        let PieceKind::Convex(geometry) = plane.kind else { unreachable!("a plane is convex") };
        let place = |point: &PieceView<'a>, geometry: &'a Geometry| super::super::Placed {
            geometry,
            pose: point.pose,
        };
        let mut near = match (piece.kind, geometry) {
            (PieceKind::Mesh(surface), Geometry::HalfSpace(half_space)) => {
                mesh_over(&piece, surface, &in_place(half_space, plane))
            }
            (PieceKind::Convex(own), _) => {
                let other = super::super::Placed { geometry, pose: plane.pose };
                let found = super::super::convex::separate(
                    &place(&piece, own),
                    &other,
                    &mut self.side_of_point(1 - side, [&piece, plane]),
                    &mut Statistics::default(),
                )?;
                let features = match found.witness {
                    Witness::Plane { a, b } => Some([a, b]),
                    _ => None,
                };
                let (normal, points) = (found.normal, found.points);
                Near { distance: found.distance, normal, points, elements: NOWHERE, features }
            }
            (PieceKind::Mesh(_), _) => unreachable!("only infinite planes are asked"),
        };
        near.features = near.features.map(|[on, under]| [piece.first.name(on), plane.first.name(under)]);
        if side == 0 {
            near.normal = -near.normal;
            near.points.swap(0, 1);
            near.features = near.features.map(|[a, b]| [b, a]);
        }
        Ok(near)
    }

    /// The side on which a point of a body of points is of a plane, a disc or a polygon with two sides, as the witness of the two pieces, the
    /// first of which is of this side: that of the middle of all points, for rounding would choose that of one that touches it.
    pub(super) fn side_of_point(&self, side: usize, pieces: [&PieceView; 2]) -> Witness {
        let of = |side: usize, [point, thin]: [&PieceView; 2]| {
            let PieceKind::Convex(geometry) = point.kind else { return None };
            let (normal, offset) = thin_plane(thin).filter(|_| geometry.is_point())?;
            let others = &self.sides[side];
            let height = |p: u32| normal.dot(others.piece(p).pose.position) - offset;
            let sum: f64 = (0..others.piece_count()).map(height).sum();
            Some(Witness::Plane { a: Feature::Surface(0), b: Feature::Face(u32::from(sum < 0.0)) })
        };
        let [a, b] = pieces;
        of(side, [a, b]).or_else(|| of(1 - side, [b, a]).map(Witness::exchanged)).unwrap_or_default()
    }
}

/// The plane of a piece without thickness that is touched from both sides, in the common frame.
fn thin_plane(piece: &PieceView) -> Option<(DVec3, f64)> {
    let PieceKind::Convex(geometry) = piece.kind else { return None };
    let (normal, offset) = geometry.two_sided_plane()?;
    let normal = piece.pose.direction(normal);
    Some((normal, offset + normal.dot(piece.pose.position)))
}

/// A point of the host's frame in that of a mesh.
fn into(mesh: &PieceView, surface: &Surface, point: DVec3) -> DVec3 {
    let own = mesh.pose.orientation.conjugate() * (point - mesh.pose.position);
    surface.seen_from_mesh(own)
}

/// A plane in the frame of the host.
pub(super) fn in_place(plane: &HalfSpace, piece: &PieceView) -> HalfSpace {
    let normal = piece.pose.direction(plane.normal);
    HalfSpace { normal, offset: plane.offset + normal.dot(piece.pose.position), sides: plane.sides }
}

/// A mesh over a plane, in the frame of the host: on the side where it is, or penetrates least. Features: a vertex, and the
/// side of the plane.
pub(super) fn mesh_over(piece: &PieceView, surface: &Surface, plane: &HalfSpace) -> Near {
    let over = |face: u32| {
        let sign = if face == 0 { 1.0 } else { -1.0 };
        let normal = sign * plane.normal;
        let down = surface.pose.orientation.conjugate() * (piece.pose.orientation.conjugate() * -normal);
        let vertex = surface.tree.furthest_vertex(down);
        height_of(piece, surface, (face, normal, sign * plane.offset), vertex)
    };
    let front = over(0);
    if plane.sides == Sides::Front || front.distance >= 0.0 {
        return front;
    }
    let back = over(1);
    if back.distance >= 0.0 {
        return back;
    }
    let height = |v: u32| plane.normal.dot(piece.pose.point(surface.vertices[v as usize])) - plane.offset;
    let crosses = |t: u32| {
        let [a, b, c] = surface.triangle(t).map(height);
        a.min(b).min(c) < 0.0 && a.max(b).max(c) > 0.0
    };
    if (0..surface.triangle_count()).any(crosses) {
        return if back.distance > front.distance { back } else { front };
    }
    // It has several pieces, and the plane is between them.
    let nearest = (0..surface.vertices.len() as u32)
        .min_by(|u, v| height(*u).abs().total_cmp(&height(*v).abs()))
        .unwrap_or(0);
    let (face, sign) = if height(nearest) < 0.0 { (1, -1.0) } else { (0, 1.0) };
    height_of(piece, surface, (face, sign * plane.normal, sign * plane.offset), nearest)
}

fn height_of(
    piece: &PieceView,
    surface: &Surface,
    (face, normal, offset): (u32, DVec3, f64),
    vertex: u32,
) -> Near {
    let point = piece.pose.point(surface.vertices[vertex as usize]);
    let distance = normal.dot(point) - offset;
    let features = Some([Feature::Vertex(vertex), Feature::Face(face)]);
    Near { distance, normal, points: [point, point - normal * distance], elements: NOWHERE, features }
}
