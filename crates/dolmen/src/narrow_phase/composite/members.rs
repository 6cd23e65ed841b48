//! Shapes as sets of convex members, for the search of first contacts.

use super::super::{Geometry, Placed, Polytope, UnsupportedPair};
use super::couple::Couple;
use super::parts::Content;
use crate::math::{DVec3, Pose};
use crate::shape::{Extent, Hull, Shape};

/// A direction this close to a plane's normal is the normal: it was one before it was turned to and fro.
const PARALLEL: f64 = 1e-12;

/// A convex part of a shape, or a triangle, in the frame of the shape.
#[derive(Debug, Clone)]
pub(crate) struct Convex {
    pub(crate) geometry: Geometry,
    /// Its frame in that of the shape.
    pub(crate) pose: Pose,
    pub(crate) name: MemberName,
    outline: Outline,
}

/// Which part of a shape something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberName {
    /// The number of the convex part or mesh, with compounds within compounds flattened; 0 for a shape that is no compound.
    pub part: u32,
    /// Of a mesh, the flat region: the number of the face in [`super::super::Feature`].
    pub face: Option<u32>,
}

/// What reaches how far.
#[derive(Debug, Clone)]
enum Outline {
    Shape(Shape),
    Points(Vec<DVec3>),
}

impl Convex {
    /// Support function: the largest x·d over its points x, all in the frame of the shape.
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        let own = self.pose.orientation.conjugate() * direction;
        let reach = match &self.outline {
            Outline::Points(points) => points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(own.dot(*p))),
            Outline::Shape(Shape::Plane(plane)) if plane.extent() == Extent::Infinite => {
                let along = plane.normal().dot(own);
                let across = (own - along * plane.normal()).length();
                if across > PARALLEL * own.length() {
                    return f64::INFINITY;
                }
                plane.offset() * along
            }
            Outline::Shape(shape) => shape.reach(own),
        };
        reach + direction.dot(self.pose.position)
    }

    /// The point with the largest x·d, of a polytope.
    pub(crate) fn furthest(&self, direction: DVec3) -> Option<DVec3> {
        let Geometry::Polytope(polytope) = &self.geometry else { return None };
        let own = self.pose.orientation.conjugate() * direction;
        Some(self.pose.point(polytope.vertex(polytope.support(own, 0))))
    }

    /// The radius of a ball about a point of the shape's frame that holds it.
    pub(crate) fn radius(&self, about: DVec3) -> f64 {
        let own = self.pose.orientation.conjugate() * (about - self.pose.position);
        match &self.outline {
            Outline::Points(points) => points.iter().fold(0.0, |most, p| most.max(p.distance(own))),
            Outline::Shape(shape) => shape.bounding_radius(own),
        }
    }
}

/// A shape with its members.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    pub(crate) geometry: Geometry,
    shape: Shape,
}

impl Members {
    pub(crate) fn new(shape: &Shape) -> Self {
        Self { geometry: Geometry::new(shape), shape: shape.clone() }
    }

    /// The middle of its parts, in the frame of the shape; none for a shape without parts.
    pub(crate) fn middle(&self) -> Option<DVec3> {
        let Geometry::Composite(composite) = &self.geometry else { return None };
        let places = composite.0.pieces.iter().map(|piece| piece.pose.position);
        Some(places.sum::<DVec3>() / composite.0.pieces.len() as f64)
    }

    /// A member by its number.
    pub(crate) fn get(&self, number: u32) -> Convex {
        let Geometry::Composite(composite) = &self.geometry else { return self.whole() };
        let parts = &composite.0;
        let element = parts.elements[number as usize];
        let piece = parts.piece_of(number);
        let name = MemberName { part: element.piece, face: None };
        match &piece.content {
            Content::Convex { geometry, shape } => Convex {
                geometry: (**geometry).clone(),
                pose: piece.pose,
                name,
                outline: Outline::Shape(shape.clone()),
            },
            Content::Mesh(surface) => {
                let corners = surface.corners(element.triangle);
                let face = Some(piece.first.face + surface.region(element.triangle));
                Convex {
                    geometry: Geometry::Polytope(Polytope::triangle(corners)),
                    pose: Pose::IDENTITY,
                    name: MemberName { face, ..name },
                    outline: Outline::Points(corners.to_vec()),
                }
            }
        }
    }

    fn whole(&self) -> Convex {
        Convex {
            geometry: self.geometry.clone(),
            pose: Pose::IDENTITY,
            name: MemberName { part: 0, face: None },
            outline: Outline::Shape(self.shape.clone()),
        }
    }

    /// One member of every convex part, and one triangle of every mesh.
    pub(crate) fn kinds(&self) -> Vec<Convex> {
        let Geometry::Composite(composite) = &self.geometry else { return vec![self.whole()] };
        composite.0.pieces.iter().map(|piece| self.get(piece.first_element)).collect()
    }

    /// The parts that are infinite planes.
    pub(crate) fn planes(&self) -> Vec<Convex> {
        match &self.geometry {
            Geometry::HalfSpace(_) => vec![self.whole()],
            Geometry::Composite(composite) => {
                let first = |p: &u32| self.get(composite.0.pieces[*p as usize].first_element);
                composite.0.planes.iter().map(first).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The parts as an infinite plane meets them: convex ones, and the convex hulls of meshes.
    pub(crate) fn hulls(&self) -> Vec<Convex> {
        let Geometry::Composite(composite) = &self.geometry else { return vec![self.whole()] };
        let mut hulls = Vec::new();
        for (part, piece) in composite.0.pieces.iter().enumerate() {
            let Content::Mesh(surface) = &piece.content else {
                hulls.push(self.get(piece.first_element));
                continue;
            };
            match Hull::new(&surface.vertices) {
                Ok(hull) => hulls.push(Convex {
                    geometry: Geometry::Polytope(Polytope::hull(&hull)),
                    pose: Pose::IDENTITY,
                    name: MemberName { part: part as u32, face: None },
                    outline: Outline::Points(hull.vertices().to_vec()),
                }),
                // A mesh so thin that rounding leaves it no hull: triangle by triangle.
                Err(_) => {
                    hulls.extend((0..surface.triangle_count()).map(|t| self.get(piece.first_element + t)));
                }
            }
        }
        hulls
    }
}

/// All pairs of bounded members whose boxes are no further apart than `margin`, in ascending order; `None` when there are
/// more than `most`.
///
/// # Errors
/// When both have planes among their parts.
pub(crate) fn near_members(
    a: (&Members, &Pose),
    b: (&Members, &Pose),
    margin: f64,
    most: usize,
) -> Result<Option<Vec<[u32; 2]>>, UnsupportedPair> {
    let (placed_a, placed_b) =
        (Placed { geometry: &a.0.geometry, pose: *a.1 }, Placed { geometry: &b.0.geometry, pose: *b.1 });
    let is_composite = |g: &Geometry| matches!(g, Geometry::Composite(_));
    if !is_composite(&a.0.geometry) && !is_composite(&b.0.geometry) {
        let is_plane = |g: &Geometry| matches!(g, Geometry::HalfSpace(_));
        let any = !is_plane(&a.0.geometry) && !is_plane(&b.0.geometry);
        return Ok(Some(if any { vec![[0, 0]] } else { Vec::new() }));
    }
    let couple = Couple::new(&placed_a, &placed_b)?;
    let mut pairs = couple.near_pairs(margin, most);
    if couple.flipped
        && let Some(pairs) = &mut pairs
    {
        for pair in pairs.iter_mut() {
            pair.swap(0, 1);
        }
        pairs.sort_unstable();
    }
    Ok(pairs)
}
