//! Bodies as collision detection sees them.

use std::sync::Arc;

use crate::broad_phase::Groups;
use crate::drive::exact::detect::tolerances::{PARALLEL, POINT_STRIDE};
use crate::locate::{Gap, Pair};
use crate::math::{Aabb, DVec3, Pose};
use crate::motion::Prescribed;
use crate::narrow_phase::{Geometry, POINT_SIZE, Placed, Statistics, UnsupportedPair, Witness, separate};
use crate::query::Target;
use crate::shape::{Extent, Plane, Shape, Sides};
use crate::world::{Body, World};

/// A body with a shape, prepared for collision queries.
#[derive(Debug, Clone)]
pub(crate) struct Collider {
    /// Shared by bodies of one shape: with many bodies, memory access dominates the cost.
    form: Arc<Form>,
    /// The origin of the shape's frame relative to the centre of mass, body frame.
    origin: DVec3,
    /// The radius of its bounding sphere about the centre of mass, m; infinite for an infinite plane, half a millimetre for a
    /// point, which needs a size wherever speeds and times are compared.
    pub(crate) radius: f64,
    /// The radius of the shape, if it is a ball about the centre of mass.
    pub(crate) ball: Option<f64>,
    pub(crate) groups: Groups,
    pub(crate) is_mobile: bool,
    /// The plane in the world frame, if the body is a fixed infinite plane.
    pub(crate) world_plane: Option<WorldPlane>,
}

/// A shape with its prepared geometry.
#[derive(Debug)]
struct Form {
    geometry: Geometry,
    shape: Shape,
    surface: Target,
}

impl Form {
    fn new(shape: &Shape) -> Arc<Self> {
        Arc::new(Self { geometry: Geometry::new(shape), surface: Target::new(shape), shape: shape.clone() })
    }
}

/// An infinite plane in the world frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorldPlane {
    normal: DVec3,
    offset: f64,
    sides: Sides,
}

impl WorldPlane {
    fn new(plane: &Plane, motion: &Prescribed) -> Option<Self> {
        let Prescribed::Still(pose) = motion else { return None };
        let normal = pose.direction(plane.normal());
        Some(Self { normal, offset: plane.offset() + normal.dot(pose.position), sides: plane.sides() })
    }

    /// Whether a box touches the half-space of the plane, with a margin for rounding.
    pub(crate) fn reaches(&self, bounds: &Aabb) -> bool {
        let (middle, half) = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min));
        let height = self.normal.dot(middle) - self.offset;
        let reach = self.normal.abs().dot(half);
        let height = if self.sides == Sides::Both { height.abs() } else { height };
        height <= reach + 1e-12 * (reach + middle.abs().max_element() + self.offset.abs())
    }
}

impl Collider {
    /// The collider of a body with a shape; it shares the form of `last` where the shapes are equal.
    fn new(body: &Body, last: Option<&Self>) -> Option<Self> {
        let shape = body.shape()?;
        let form = last.map(|last| &last.form).filter(|form| form.shape == *shape);
        let form = form.map_or_else(|| Form::new(shape), Arc::clone);
        let origin = body.shape_origin();
        let ball = match shape {
            Shape::Sphere { radius } if origin == DVec3::ZERO => Some(*radius),
            _ => None,
        };
        let collider = Self {
            radius: if shape.is_point() { 0.5 * POINT_SIZE } else { shape.bounding_radius(-origin) },
            form,
            origin,
            ball,
            groups: body.groups(),
            is_mobile: body.is_dynamic(),
            world_plane: None,
        };
        let world_plane =
            collider.plane().zip(body.prescribed_motion()).and_then(|(p, m)| WorldPlane::new(p, m));
        Some(Self { world_plane, ..collider })
    }

    /// The colliders of all bodies of a world by id; none where contact is disabled or a body has no shape.
    pub(crate) fn all(world: &World) -> Vec<Option<Self>> {
        let mut colliders: Vec<Option<Self>> = Vec::with_capacity(world.bodies().len());
        for body in world.bodies() {
            let last = colliders.last().and_then(Option::as_ref);
            let collider = if world.contact().enabled { Self::new(body, last) } else { None };
            colliders.push(collider);
        }
        colliders
    }

    /// Whether it is composite: a mesh or a compound.
    pub(crate) fn is_composite(&self) -> bool {
        matches!(self.form.geometry, Geometry::Composite(_))
    }

    /// Its shape, and the origin of the shape's frame relative to the centre of mass.
    pub(crate) fn shape_and_origin(&self) -> (&Shape, DVec3) {
        (&self.form.shape, self.origin)
    }

    /// Whether it is a point: it meets no other point.
    pub(crate) fn is_point(&self) -> bool {
        self.ball == Some(0.0)
    }

    /// Whether it is an infinite plane that is touched from both sides.
    pub(crate) fn is_two_sided(&self) -> bool {
        self.plane().is_some_and(|plane| plane.sides() == Sides::Both)
    }

    /// The length in which the travel within a fat AABB is counted, m.
    pub(crate) fn stride(&self) -> f64 {
        if self.is_point() { POINT_STRIDE } else { self.radius }
    }

    /// Whether its contacts with others of this kind have closed forms: a ball or an infinite plane.
    pub(crate) fn is_simple(&self) -> bool {
        self.ball.is_some() || self.plane().is_some()
    }

    /// The shape placed in the world, for a pose of the body.
    pub(crate) fn placed(&self, body: &Pose) -> Placed<'_> {
        let pose = Pose { position: body.point(self.origin), orientation: body.orientation };
        Placed { geometry: &self.form.geometry, pose }
    }

    /// The distance of a point from the body in this pose, m; zero for an infinite plane.
    pub(crate) fn distance(&self, body: &Pose, point: DVec3) -> f64 {
        if self.plane().is_some() {
            return 0.0;
        }
        let local = body.orientation.conjugate() * (point - body.position) - self.origin;
        self.form.surface.nearest(local).separation.max(0.0)
    }

    /// The frame of the shape in the body frame.
    pub(crate) fn frame(&self) -> Pose {
        Pose { position: self.origin, ..Pose::IDENTITY }
    }

    /// Whether it is a plane, infinite or bounded.
    pub(crate) fn is_plane(&self) -> bool {
        matches!(self.form.shape, Shape::Plane(_))
    }

    /// The infinite plane that it is, if it is one.
    pub(crate) fn plane(&self) -> Option<&Plane> {
        match &self.form.shape {
            Shape::Plane(plane) if plane.extent() == Extent::Infinite => Some(plane),
            _ => None,
        }
    }

    fn reach(&self, direction: DVec3) -> f64 {
        let own = match self.plane() {
            Some(plane) => plane_reach(plane, direction),
            None => self.form.shape.reach(direction),
        };
        own + direction.dot(self.origin)
    }
}

/// The support of an infinite plane: its offset along its normal, infinite in any other direction.
fn plane_reach(plane: &Plane, direction: DVec3) -> f64 {
    let along = plane.normal().dot(direction);
    let across = (direction - along * plane.normal()).length();
    if across <= PARALLEL * direction.length() { plane.offset() * along } else { f64::INFINITY }
}

/// A pair of bodies as the continuous search queries it.
pub(crate) struct PairQuery<'a> {
    pub(crate) a: &'a Collider,
    pub(crate) b: &'a Collider,
    pub(crate) witness: &'a mut Witness,
    pub(crate) statistics: &'a mut Statistics,
    /// Why the narrow phase does not support the pair, if it does not.
    pub(crate) refused: Option<UnsupportedPair>,
}

impl Pair for PairQuery<'_> {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        match separate(&self.a.placed(a), &self.b.placed(b), self.witness, self.statistics) {
            Ok(found) => Gap { normal: found.normal, separation: found.distance },
            Err(refused) => {
                self.refused = Some(refused);
                Gap { normal: DVec3::Z, separation: f64::INFINITY }
            }
        }
    }

    fn gap_anew(&mut self, a: &Pose, b: &Pose, closed: Gap) -> Gap {
        let known = std::mem::take(self.witness);
        let best = self.gap(a, b);
        if closed.is_seen_from_behind(&best) {
            *self.witness = known;
            return closed;
        }
        best
    }

    fn reach_a(&self, direction_body: DVec3) -> f64 {
        self.a.reach(direction_body)
    }

    fn reach_b(&self, direction_body: DVec3) -> f64 {
        self.b.reach(direction_body)
    }

    fn radius_a(&self) -> f64 {
        self.a.radius
    }

    fn radius_b(&self) -> f64 {
        self.b.radius
    }
}
