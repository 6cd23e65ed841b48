//! A convex shape as a core and a ball that rolls around it.

use super::super::relative::Relative;
use super::super::{Feature, Geometry, Placed, Polytope};
use crate::math::{DQuat, DVec3, Pose, dvec3};
use crate::shape::{Extent, Shape, Sides};
use std::cell::Cell;

/// The core of a shape in its own frame, with axis z where it has one: the shape less its ball.
#[derive(Debug, Clone, Copy)]
pub(super) enum Core<'a> {
    /// Of a sphere: the origin.
    Point,
    /// Of a capsule: on z, about the origin.
    Segment {
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    /// The base in z = 0, the apex at `height`.
    Cone {
        radius: f64,
        height: f64,
    },
    /// A disc or circular plane, in z = 0.
    Disc {
        radius: f64,
    },
    Ellipsoid {
        half: DVec3,
    },
    /// A box, hull or square plane.
    Polytope(&'a Polytope),
    /// An infinite plane, n·x = offset, seen along ±n only.
    Plane {
        normal: DVec3,
        offset: f64,
    },
}

/// A shape in a frame that it shares with another one.
#[derive(Debug, Clone)]
pub(super) struct Solid<'a> {
    pub(super) core: Core<'a>,
    /// Of the ball, m.
    pub(super) ball: f64,
    /// The core's frame in that of the shape; only a circular plane has one of its own.
    pub(super) inner: Pose,
    /// The core's frame in the world.
    pub(super) pose: Pose,
    /// From the core's frame to the common one.
    pub(super) frame: Relative,
    /// The largest coordinate of the core, m; of an infinite plane, how far it is from its origin.
    pub(super) extent: f64,
    /// Of a finite plane that is touched from its front only: that front, in the core's frame.
    pub(super) front: Option<DVec3>,
    hint: Cell<u32>,
}

impl<'a> Solid<'a> {
    /// Where the frame of the shape is in the world.
    pub(super) fn shape_pose(&self) -> Pose {
        let orientation = self.pose.orientation * self.inner.orientation.conjugate();
        Pose { position: self.pose.position - orientation * self.inner.position, orientation }
    }

    /// A convex shape; `None` for a mesh or compound.
    pub(super) fn new(placed: &Placed<'a>) -> Option<Self> {
        let mut ball = 0.0;
        let mut inner = Pose::IDENTITY;
        let mut front = None;
        let core = match placed.geometry {
            Geometry::Polytope(polytope) => Core::Polytope(polytope),
            Geometry::Plate { polytope, sides } => {
                front = (*sides == Sides::Front).then(|| polytope.plane(0).0);
                Core::Polytope(polytope)
            }
            Geometry::HalfSpace(plane) => Core::Plane { normal: plane.normal, offset: plane.offset },
            Geometry::Composite(_) => return None,
            Geometry::Round(shape) => match shape {
                Shape::Sphere { radius } => {
                    ball = *radius;
                    Core::Point
                }
                Shape::Capsule { radius, half_length } => {
                    ball = *radius;
                    Core::Segment { half: *half_length }
                }
                Shape::Cylinder { radius, half_length } => {
                    Core::Cylinder { radius: *radius, half: *half_length }
                }
                Shape::Cone { radius, height } => Core::Cone { radius: *radius, height: *height },
                Shape::Disc { radius } => Core::Disc { radius: *radius },
                Shape::Ellipsoid { half } => Core::Ellipsoid { half: *half },
                Shape::Plane(plane) => {
                    let Extent::Circular { centre, radius } = plane.extent() else { return None };
                    let orientation = DQuat::from_rotation_arc(DVec3::Z, plane.normal());
                    inner = Pose { position: centre, orientation };
                    front = (plane.sides() == Sides::Front).then_some(DVec3::Z);
                    Core::Disc { radius }
                }
                Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::Compound(_) => return None,
            },
        };
        let pose = &placed.pose;
        let pose = if inner == Pose::IDENTITY {
            *pose
        } else {
            Pose { position: pose.point(inner.position), orientation: pose.orientation * inner.orientation }
        };
        let frame = Relative::new(&Pose::IDENTITY, &Pose::IDENTITY);
        Some(Self { core, ball, inner, pose, frame, extent: core.extent(), front, hint: Cell::new(0) })
    }

    /// A direction of the common frame in the core's.
    pub(super) fn back(&self, direction: DVec3) -> DVec3 {
        self.frame.back(direction)
    }

    /// A point of the common frame in the core's.
    pub(super) fn point_back(&self, point: DVec3) -> DVec3 {
        self.frame.back(point - self.frame.shift)
    }

    /// The point of the core furthest in a direction, both in the common frame.
    pub(super) fn support(&self, direction: DVec3) -> DVec3 {
        self.frame.point(self.support_own(self.back(direction)))
    }

    /// The same in the core's frame; where many are as far, one of them.
    pub(super) fn support_own(&self, d: DVec3) -> DVec3 {
        let across = (d.x * d.x + d.y * d.y).sqrt();
        let rim = |radius: f64, z: f64| {
            let scale = if across > 0.0 { radius / across } else { 0.0 };
            dvec3(d.x * scale, d.y * scale, z)
        };
        match self.core {
            Core::Point => DVec3::ZERO,
            Core::Segment { half } => dvec3(0.0, 0.0, if d.z < 0.0 { -half } else { half }),
            Core::Cylinder { radius, half } => rim(radius, if d.z < 0.0 { -half } else { half }),
            Core::Cone { radius, height } => {
                if radius * across > height * d.z || (across == 0.0 && d.z < 0.0) {
                    rim(radius, 0.0)
                } else {
                    dvec3(0.0, 0.0, height)
                }
            }
            Core::Disc { radius } => rim(radius, 0.0),
            Core::Ellipsoid { half } => {
                let scaled = half * d;
                let length = scaled.length();
                if length > 0.0 { half * (scaled / length) } else { DVec3::ZERO }
            }
            Core::Polytope(polytope) => polytope.vertex(self.furthest(polytope, d)),
            Core::Plane { normal, offset } => normal * offset,
        }
    }

    /// The vertex of the last support point, if the core has vertices.
    pub(super) fn last_vertex(&self) -> u32 {
        self.hint.get()
    }

    /// The furthest vertex of the core, looked for from the one found last.
    pub(super) fn furthest(&self, polytope: &Polytope, d: DVec3) -> u32 {
        let vertex = polytope.support(d, self.hint.get());
        self.hint.set(vertex);
        vertex
    }

    /// How far the shape with its ball reaches in a unit direction of the common frame, from the origin of its own.
    pub(super) fn reach(&self, direction: DVec3) -> f64 {
        self.reach_own(self.back(direction))
    }

    /// The same for a unit direction of the core's frame.
    pub(super) fn reach_own(&self, d: DVec3) -> f64 {
        let across = (d.x * d.x + d.y * d.y).sqrt();
        let core = match self.core {
            Core::Point => 0.0,
            Core::Segment { half } => half * d.z.abs(),
            Core::Cylinder { radius, half } => radius * across + half * d.z.abs(),
            Core::Cone { radius, height } => (radius * across).max(height * d.z),
            Core::Disc { radius } => radius * across,
            Core::Ellipsoid { half } => (half * d).length(),
            Core::Polytope(_) => d.dot(self.support_own(d)),
            Core::Plane { normal, offset } => d.dot(normal) * offset,
        };
        core + self.ball
    }

    /// The outward normal of a face of a shape without thickness, core's frame; none of others, nor of a rim or an edge.
    pub(super) fn thin_face(&self, feature: Feature) -> Option<DVec3> {
        let Feature::Face(face) = feature else { return None };
        match self.core {
            Core::Disc { .. } => Some(if face == 0 { DVec3::Z } else { -DVec3::Z }),
            Core::Polytope(polytope) if polytope.face_count() == 2 => Some(polytope.plane(face.min(1)).0),
            _ => None,
        }
    }

    /// A point well inside, in the common frame.
    pub(super) fn centre(&self) -> DVec3 {
        self.frame.point(match self.core {
            Core::Cone { height, .. } => dvec3(0.0, 0.0, 0.25 * height),
            Core::Polytope(polytope) => polytope.centre(),
            Core::Plane { normal, offset } => normal * offset,
            _ => DVec3::ZERO,
        })
    }

    /// The shape of the core, for those that are round and have an inside.
    pub(super) fn core_shape(&self) -> Option<Shape> {
        Some(match self.core {
            Core::Cylinder { radius, half } => Shape::Cylinder { radius, half_length: half },
            Core::Cone { radius, height } => Shape::Cone { radius, height },
            Core::Disc { radius } => Shape::Disc { radius },
            Core::Ellipsoid { half } => Shape::Ellipsoid { half },
            Core::Point | Core::Segment { .. } | Core::Polytope(_) | Core::Plane { .. } => return None,
        })
    }
}

impl Core<'_> {
    fn extent(&self) -> f64 {
        match *self {
            Self::Point => 0.0,
            Self::Plane { offset, .. } => offset.abs(),
            Self::Segment { half } => half,
            Self::Cylinder { radius, half } => radius.max(half),
            Self::Cone { radius, height } => radius.max(height),
            Self::Disc { radius } => radius,
            Self::Ellipsoid { half } => half.max_element(),
            Self::Polytope(polytope) => polytope.extent(),
        }
    }
}
