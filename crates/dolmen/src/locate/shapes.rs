//! Two shapes of bodies as the search sees them.

use super::features::features;
use super::{Gap, Pair};
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{
    ContactId, Geometry, Manifold, Placed, Polytope, Statistics, UnsupportedPair, Witness, separate,
};
use crate::shape::{Extent, Plane, Shape, nearest};
use std::cell::{Cell, RefCell};

/// A direction this close to a plane's normal is the normal: it was one before it was turned to and fro.
const PARALLEL: f64 = 1e-12;

/// One side of a pair: a shape and where its frame is, seen from the body's centre of mass.
#[derive(Debug, Clone)]
struct Side {
    shape: Shape,
    geometry: Geometry,
    origin: DVec3,
    radius: f64,
    /// Of a polytope, the vertices that were furthest last, the latest first: the next one is beside one of them. Two, since a
    /// search tests both ends of a window in turn.
    furthest: Cell<[u32; 2]>,
}

impl Side {
    fn new(shape: &Shape, origin: DVec3) -> Self {
        let radius = shape.bounding_radius(-origin);
        Self {
            shape: shape.clone(),
            geometry: Geometry::new(shape),
            origin,
            radius,
            furthest: Cell::new([0, 0]),
        }
    }

    fn place(&self, body: &Pose) -> Pose {
        Pose { position: body.point(self.origin), orientation: body.orientation }
    }

    fn reach(&self, direction: DVec3) -> f64 {
        let own = match &self.shape {
            Shape::Plane(plane) if plane.extent() == Extent::Infinite => reach_of_plane(plane, direction),
            shape => match &self.geometry {
                Geometry::Polytope(polytope) => direction.dot(self.furthest_vertex(polytope, direction)),
                _ => shape.reach(direction),
            },
        };
        own + direction.dot(self.origin)
    }

    fn furthest_vertex(&self, polytope: &Polytope, direction: DVec3) -> DVec3 {
        let [last, before] = self.furthest.get();
        let height = |vertex: u32| direction.dot(polytope.vertex(vertex));
        let vertex = polytope.support(direction, if height(before) > height(last) { before } else { last });
        if vertex != last {
            self.furthest.set([vertex, last]);
        }
        polytope.vertex(vertex)
    }

    /// The furthest point, of a polytope or sphere, and of an infinite plane along its normal.
    fn furthest(&self, direction: DVec3) -> Option<DVec3> {
        let own = match (&self.geometry, &self.shape) {
            (Geometry::Polytope(polytope), _) => self.furthest_vertex(polytope, direction),
            (_, Shape::Sphere { radius }) => *radius * direction.normalize_or_zero(),
            (_, Shape::Plane(plane)) if plane.extent() == Extent::Infinite => {
                if !reach_of_plane(plane, direction).is_finite() {
                    return None;
                }
                plane.normal() * plane.offset()
            }
            _ => return None,
        };
        Some(own + self.origin)
    }
}

/// An infinite plane reaches as far as itself along its normal, and for ever in any other direction.
fn reach_of_plane(plane: &Plane, direction: DVec3) -> f64 {
    let along = plane.normal().dot(direction);
    let across = (direction - along * plane.normal()).length();
    if across <= PARALLEL * direction.length() { plane.offset() * along } else { f64::INFINITY }
}

/// Two convex shapes, with the witness of their separation kept from one query to the next.
///
/// Any that [`separate`] has an answer for; a sphere by the nearest point to its centre where that has a closed form.
#[derive(Debug, Clone)]
pub struct Shapes {
    a: Side,
    b: Side,
    witness: Witness,
    /// Where the names of what touches are found.
    manifold: RefCell<Manifold>,
    /// How the witness fared.
    pub statistics: Statistics,
}

impl Shapes {
    /// Shapes and the origins of their frames, seen from the centres of mass in the bodies' axes.
    ///
    /// # Errors
    /// When there is no answer for this pair of shapes.
    pub fn new(a: (&Shape, DVec3), b: (&Shape, DVec3)) -> Result<Self, UnsupportedPair> {
        let (a, b) = (Side::new(a.0, a.1), Side::new(b.0, b.1));
        let mut pair = Self {
            a,
            b,
            witness: Witness::default(),
            manifold: RefCell::default(),
            statistics: Statistics::default(),
        };
        // Whether the pair is supported hangs on the shapes alone.
        pair.look(&Pose::IDENTITY, &Pose::IDENTITY)?;
        (pair.witness, pair.statistics) = (Witness::default(), Statistics::default());
        Ok(pair)
    }

    fn look(&mut self, a: &Pose, b: &Pose) -> Result<Gap, UnsupportedPair> {
        let (pose_a, pose_b) = (self.a.place(a), self.b.place(b));
        if let Some(gap) = gap_of_sphere(&self.a.shape, &pose_a, &self.b.shape, &pose_b) {
            return Ok(gap);
        }
        if let Some(gap) = gap_of_sphere(&self.b.shape, &pose_b, &self.a.shape, &pose_a) {
            return Ok(Gap { normal: -gap.normal, ..gap });
        }
        let placed_a = Placed { geometry: &self.a.geometry, pose: pose_a };
        let placed_b = Placed { geometry: &self.b.geometry, pose: pose_b };
        let found = separate(&placed_a, &placed_b, &mut self.witness, &mut self.statistics)?;
        Ok(Gap { normal: found.normal, separation: found.distance })
    }
}

/// The gap between a sphere and a shape, by the nearest point to its centre; none if `sphere` is not one or the other shape
/// has no closed form.
fn gap_of_sphere(sphere: &Shape, pose: &Pose, other: &Shape, place: &Pose) -> Option<Gap> {
    let Shape::Sphere { radius } = sphere else { return None };
    if let Shape::Plane(plane) = other
        && plane.extent() == Extent::Infinite
    {
        let centre = place.orientation.conjugate() * (pose.position - place.position);
        let height = plane.normal().dot(centre) - plane.offset();
        let side = if height < 0.0 && plane.sides() == crate::shape::Sides::Both { -1.0 } else { 1.0 };
        return Some(Gap {
            normal: place.direction(side * plane.normal()),
            separation: side * height - radius,
        });
    }
    // A compound is not convex: its support function knows only its hull. Of a hull the narrow phase knows more.
    if matches!(other, Shape::Compound(_) | Shape::Hull(_)) {
        return None;
    }
    let centre = place.orientation.conjugate() * (pose.position - place.position);
    let found = nearest(other, centre)?;
    Some(Gap { normal: place.direction(found.normal), separation: found.separation - radius })
}

impl Pair for Shapes {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        self.look(a, b).expect("the pair was found to be supported when it was made")
    }

    fn gap_anew(&mut self, a: &Pose, b: &Pose, closed: Gap) -> Gap {
        let known = std::mem::take(&mut self.witness);
        let best = self.gap(a, b);
        if closed.is_seen_from_behind(&best) {
            self.witness = known;
            return closed;
        }
        best
    }

    fn features(&self, a: &Pose, b: &Pose) -> Option<ContactId> {
        let placed_a = Placed { geometry: &self.a.geometry, pose: self.a.place(a) };
        let placed_b = Placed { geometry: &self.b.geometry, pose: self.b.place(b) };
        features(&placed_a, &placed_b, self.witness, &mut self.manifold.borrow_mut())
    }

    fn reach_a(&self, direction_body: DVec3) -> f64 {
        self.a.reach(direction_body)
    }

    fn reach_b(&self, direction_body: DVec3) -> f64 {
        self.b.reach(direction_body)
    }

    fn furthest_a(&self, direction_body: DVec3) -> Option<DVec3> {
        self.a.furthest(direction_body)
    }

    fn furthest_b(&self, direction_body: DVec3) -> Option<DVec3> {
        self.b.furthest(direction_body)
    }

    fn radius_a(&self) -> f64 {
        self.a.radius
    }

    fn radius_b(&self) -> f64 {
        self.b.radius
    }
}
