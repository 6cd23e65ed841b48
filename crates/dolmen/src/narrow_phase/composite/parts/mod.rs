//! A mesh or compound taken apart, once: convex pieces and the triangles of meshes, with a hierarchy over all.

mod numbers;
mod surface;

pub(super) use numbers::Numbers;
pub(super) use surface::{NONE, Surface};

use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{Feature, Geometry, POINT_SIZE};
use crate::shape::Shape;
use crate::triangle::hierarchy::BoxTree;
use numbers::counts_of;
use std::sync::Arc;

/// A mesh or compound prepared for queries. Cheap to clone.
///
/// Compounds within compounds are flattened. The features of all parts are numbered one after the other in the order of the
/// parts, those of a mesh as: its vertices, the edges where it is not flat, and its flat regions as faces.
#[derive(Debug, Clone)]
pub struct Composite(pub(super) Arc<Parts>);

impl Composite {
    pub(crate) fn new(shape: &Shape) -> Self {
        let kind = if matches!(shape, Shape::Mesh(_)) { "mesh" } else { "compound" };
        let mut pieces = Vec::new();
        let mut next = Numbers::default();
        flatten(shape, Pose::IDENTITY, &mut next, &mut pieces);
        Self(Arc::new(Parts::new(kind, pieces)))
    }

    /// The longest side of its box, m.
    pub fn size(&self) -> f64 {
        self.0.size
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        self.0.kind
    }
}

/// A part that is convex, or a mesh.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) content: Content,
    /// Where the frame of a convex part is in that of the composite; a surface is in the latter already.
    pub(super) pose: Pose,
    /// The numbers of its first features.
    pub(super) first: Numbers,
    counts: Numbers,
    /// The number of its first element.
    pub(super) first_element: u32,
    /// In the frame of the composite; infinite for an infinite plane.
    pub(super) bounds: Aabb,
}

#[derive(Debug)]
pub(super) enum Content {
    Convex { geometry: Box<Geometry>, shape: Shape },
    Mesh(Box<Surface>),
}

/// The smallest thing that queries look at: a convex part or a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) piece: u32,
    /// [`NONE`] for a convex part.
    pub(super) triangle: u32,
}

#[derive(Debug)]
pub(super) struct Parts {
    kind: &'static str,
    size: f64,
    /// The largest coordinate of what is bounded, m: what rounding is measured by.
    pub(super) extent: f64,
    pub(super) pieces: Vec<Piece>,
    pub(super) elements: Vec<Element>,
    /// Over the elements that have a box, in the frame of the composite; its items are `boxed`.
    pub(super) tree: BoxTree,
    /// The numbers of the elements in the tree.
    pub(super) boxed: Vec<u32>,
    /// Pieces that are infinite planes.
    pub(super) planes: Vec<u32>,
    /// Whether any piece is a plane, infinite or not.
    pub(super) has_plane: bool,
}

impl Parts {
    fn new(kind: &'static str, mut pieces: Vec<Piece>) -> Self {
        let (mut elements, mut boxed, mut boxes, mut planes) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (p, piece) in pieces.iter_mut().enumerate() {
            piece.first_element = elements.len() as u32;
            match &piece.content {
                Content::Convex { geometry, .. } => {
                    if matches!(**geometry, Geometry::HalfSpace(_)) {
                        planes.push(p as u32);
                    } else {
                        boxed.push(elements.len() as u32);
                        boxes.push(piece.bounds);
                    }
                    elements.push(Element { piece: p as u32, triangle: NONE });
                }
                Content::Mesh(surface) => {
                    for triangle in 0..surface.triangle_count() {
                        boxed.push(elements.len() as u32);
                        boxes.push(surface.bounds_of(triangle));
                        elements.push(Element { piece: p as u32, triangle });
                    }
                }
            }
        }
        let tree = BoxTree::new(boxes);
        let bounds = tree.bounds();
        let size = if planes.is_empty() { (bounds.max - bounds.min).max_element() } else { f64::INFINITY };
        // Points have no size of their own, joined or not: what counts as touching is the same for each of them.
        let is_point =
            |p: &Piece| matches!(&p.content, Content::Convex { geometry, .. } if geometry.is_point());
        let size = if !pieces.is_empty() && pieces.iter().all(is_point) { POINT_SIZE } else { size };
        let extent = bounds.max.abs().max(bounds.min.abs()).max_element();
        // Nothing at all has an empty box, of infinite extent.
        let (size, extent) = if boxed.is_empty() { (size.max(0.0), 0.0) } else { (size, extent) };
        let is_plane =
            |p: &Piece| matches!(&p.content, Content::Convex { geometry, .. } if geometry.is_plane());
        let has_plane = pieces.iter().any(is_plane);
        Self { kind, size, extent, pieces, elements, tree, boxed, planes, has_plane }
    }

    pub(super) fn piece_of(&self, element: u32) -> &Piece {
        &self.pieces[self.elements[element as usize].piece as usize]
    }

    /// The name of a feature of an element, as [`Member::geometry`] numbers it, in the whole.
    pub(super) fn name(&self, element: u32, feature: Feature) -> Feature {
        let Element { triangle, .. } = self.elements[element as usize];
        let piece = self.piece_of(element);
        let Content::Mesh(surface) = &piece.content else { return piece.first.name(feature) };
        piece.first.name(feature_of_triangle(surface, triangle, feature))
    }

    /// An element that has a feature of the whole.
    pub(super) fn element_with(&self, feature: Feature) -> Option<u32> {
        // The last piece that starts at or before the feature and has features of its kind.
        let place = self.pieces.partition_point(|p| p.first.within(feature).is_some());
        let piece = self.pieces[..place].iter().rfind(|p| p.counts.count(feature) > 0)?;
        let number = piece.first.within(feature).filter(|n| *n < piece.counts.count(feature))?;
        let Content::Mesh(surface) = &piece.content else { return Some(piece.first_element) };
        let triangle = match feature {
            Feature::Vertex(_) => surface.triangle_at(number),
            Feature::Edge(_) => surface.edges[number as usize].triangle,
            _ => surface.triangle_of_region(number),
        };
        Some(piece.first_element + triangle)
    }
}

/// A feature of a triangle, as the polytope of the triangle numbers it, as one of its surface; a flat edge is its face.
pub(super) fn feature_of_triangle(surface: &Surface, triangle: u32, feature: Feature) -> Feature {
    let face = Feature::Face(surface.region(triangle));
    match feature {
        Feature::Vertex(k) => Feature::Vertex(surface.triangle(triangle)[k.min(2) as usize]),
        Feature::Edge(k) => {
            // The polytope sorts its edges by their ends: 0–1, 0–2, 1–2.
            let place = [0, 2, 1][k.min(2) as usize];
            match surface.edges_of(triangle)[place] {
                NONE => face,
                edge => Feature::Edge(edge),
            }
        }
        _ => face,
    }
}

/// One pose after another.
pub(super) fn compose(outer: &Pose, inner: &Pose) -> Pose {
    Pose { position: outer.point(inner.position), orientation: outer.orientation * inner.orientation }
}

fn flatten(shape: &Shape, pose: Pose, next: &mut Numbers, pieces: &mut Vec<Piece>) {
    if let Shape::Compound(parts) = shape {
        for part in parts {
            flatten(&part.shape, compose(&pose, &part.unit_pose()), next, pieces);
        }
        return;
    }
    let (content, counts, bounds) = if let Shape::Mesh(mesh) = shape {
        let surface = Surface::new(mesh, pose);
        let bounds = surface.vertices.iter().fold(Aabb::EMPTY, |all, v| all.join(&Aabb::point(*v)));
        let counts = surface.counts();
        (Content::Mesh(Box::new(surface)), counts, bounds)
    } else {
        let geometry = Geometry::new(shape);
        let (counts, bounds) = (counts_of(&geometry), bounds_of(shape, &pose));
        (Content::Convex { geometry: Box::new(geometry), shape: shape.clone() }, counts, bounds)
    };
    let pose = if matches!(shape, Shape::Mesh(_)) { Pose::IDENTITY } else { pose };
    pieces.push(Piece { content, pose, first: *next, counts, first_element: 0, bounds });
    *next = next.plus(counts);
}

/// The box around a convex shape in its place, by what it reaches along the axes, and a little for rounding.
fn bounds_of(shape: &Shape, pose: &Pose) -> Aabb {
    let back = pose.orientation.conjugate();
    let reach = |d: DVec3| d.dot(pose.position) + shape.reach(back * d);
    let max = DVec3::from_array(DVec3::AXES.map(reach));
    let min = -DVec3::from_array(DVec3::AXES.map(|d| reach(-d)));
    let extent = max.abs().max(min.abs()).max_element();
    Aabb { min, max }.grown(8.0 * f64::EPSILON * extent)
}

/// A convex thing in its place: a part, or a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    geometry: &'a Geometry,
    is_triangle: bool,
    pub(super) pose: Pose,
}

impl<'a> Member<'a> {
    pub(super) fn shared(geometry: &'a Geometry, pose: Pose) -> Self {
        Self { geometry, is_triangle: false, pose }
    }

    pub(super) fn triangle(geometry: &'a Geometry, pose: Pose) -> Self {
        Self { geometry, is_triangle: true, pose }
    }

    pub(super) fn geometry(&self) -> &'a Geometry {
        self.geometry
    }

    pub(super) fn is_flat(&self) -> bool {
        self.is_triangle || self.geometry.is_plane()
    }
}
