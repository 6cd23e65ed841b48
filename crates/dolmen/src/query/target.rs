//! A shape prepared for rays and points, in its own frame.

use std::sync::Arc;

use super::line::{
    Line, Stretch, through_ball, through_box, through_capsule, through_cone, through_cylinder,
    through_ellipsoid, through_half_space, through_polytope,
};
use crate::math::{DVec3, Pose, dvec3};
use crate::narrow_phase::Polytope;
use crate::shape::{Extent, Nearest, Plane, Shape, Sides, nearest};
use crate::triangle::hierarchy::{MeshTree, Place, Ray, RayHit};

/// Gaps between the parts of a compound below this, over the lengths involved, are rounding: two roundings of each of the
/// two surfaces and of the turn into the part. A decade more closes slits that can be seen.
const SEAM: f64 = 32.0 * f64::EPSILON;

/// A shape with what makes questions about it quick.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    shape: Shape,
    more: More,
}

#[derive(Debug, Clone)]
enum More {
    Nothing,
    Faces(Polytope),
    Triangles(MeshTree),
    /// With the poses of their frames.
    Parts(Vec<(Pose, Target)>),
}

/// How a ray passes a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// Into the solid.
    In,
    /// Through something without thickness.
    Through,
    /// Out of the solid: from there, or from the start of the ray, back to the hit before it was inside.
    Out,
}

/// A passage of a line through a surface, in the frame of the shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub t: f64,
    pub normal: DVec3,
    pub crossing: Crossing,
}

impl Target {
    pub(crate) fn new(shape: &Shape) -> Self {
        let more = match shape {
            Shape::Hull(hull) => More::Faces(Polytope::hull(hull)),
            Shape::Mesh(mesh) => More::Triangles(MeshTree::new(Arc::clone(mesh))),
            Shape::Compound(parts) => {
                More::Parts(parts.iter().map(|part| (part.unit_pose(), Self::new(&part.shape))).collect())
            }
            _ => More::Nothing,
        };
        Self { shape: shape.clone(), more }
    }

    /// Adds all passages at t ≥ 0, in any order; the way out of a half space that never ends is at infinity.
    pub(super) fn passages(&self, line: &Line, found: &mut Vec<Passage>) {
        let inside = match (&self.shape, &self.more) {
            (_, More::Faces(polytope)) => through_polytope(line, polytope),
            (_, More::Triangles(tree)) => return merge(of_mesh(tree, line), self.seam(line), found),
            (_, More::Parts(parts)) => return self.of_parts(parts, line, found),
            (Shape::Sphere { radius }, _) => through_ball(line, DVec3::ZERO, *radius),
            (Shape::Cuboid { half }, _) => through_box(line, *half),
            (Shape::Capsule { radius, half_length }, _) => through_capsule(line, *radius, *half_length),
            (Shape::Cylinder { radius, half_length }, _) => through_cylinder(line, *radius, *half_length),
            (Shape::Cone { radius, height }, _) => through_cone(line, *radius, *height),
            (Shape::Ellipsoid { half }, _) => through_ellipsoid(line, *half),
            (Shape::Disc { radius }, _) => {
                return found.extend(through_sheet(line, DVec3::Z, 0.0, |p| p.length() <= *radius));
            }
            (Shape::Plane(plane), _) if is_half_space(plane) => through_half_space(line, plane),
            (Shape::Plane(plane), _) => return found.extend(of_plane(line, plane)),
            (Shape::Hull(_) | Shape::Mesh(_) | Shape::Compound(_), More::Nothing) => None,
        };
        if let Some(Stretch { t, normals }) = inside {
            for (end, crossing) in [(0, Crossing::In), (1, Crossing::Out)] {
                if t[end] >= 0.0 {
                    found.push(Passage { t: t[end], normal: normals[end], crossing });
                }
            }
        }
    }

    /// One solid made of several: only where the line comes out of the last of them, or into the first.
    fn of_parts(&self, parts: &[(Pose, Self)], line: &Line, found: &mut Vec<Passage>) {
        let mut all = Vec::new();
        for (pose, part) in parts {
            let back = pose.orientation.conjugate();
            let own = Line { origin: back * (line.origin - pose.position), direction: back * line.direction };
            let start = all.len();
            part.passages(&own, &mut all);
            for passage in &mut all[start..] {
                passage.normal = pose.direction(passage.normal);
            }
        }
        merge(all, self.seam(line), found);
    }

    /// How far apart surfaces may be along a line and still be one.
    fn seam(&self, line: &Line) -> f64 {
        let radius = self.shape.bounding_radius(DVec3::ZERO);
        SEAM * (line.origin.length() + if radius.is_finite() { radius } else { 0.0 })
    }

    /// The nearest point of the surface; the separation is negative inside. What has no thickness has no inside.
    pub(crate) fn nearest(&self, point: DVec3) -> Nearest {
        match (&self.shape, &self.more) {
            (_, More::Triangles(tree)) => nearest_of_mesh(tree, point),
            (_, More::Parts(parts)) => {
                let of_part = |(pose, part): &(Pose, Self)| {
                    let found = part.nearest(pose.orientation.conjugate() * (point - pose.position));
                    Nearest {
                        point: pose.point(found.point),
                        normal: pose.direction(found.normal),
                        separation: found.separation,
                    }
                };
                let all = parts.iter().map(of_part);
                all.min_by(|a, b| a.separation.total_cmp(&b.separation)).unwrap_or(NOWHERE)
            }
            (Shape::Plane(plane), _) => nearest_of_plane(plane, point),
            (shape, _) => nearest(shape, point).unwrap_or(NOWHERE),
        }
    }

    /// Whether a point is in the solid, its surface included.
    pub(super) fn contains(&self, point: DVec3) -> bool {
        match (&self.shape, &self.more) {
            (_, More::Triangles(tree)) => tree.place(point) != Place::Outside,
            (_, More::Parts(parts)) => parts
                .iter()
                .any(|(pose, part)| part.contains(pose.orientation.conjugate() * (point - pose.position))),
            (Shape::Disc { .. }, _) => false,
            (Shape::Plane(plane), _) => {
                is_half_space(plane) && plane.normal().dot(point) - plane.offset() <= 0.0
            }
            (shape, _) => nearest(shape, point).is_some_and(|found| found.separation <= 0.0),
        }
    }
}

/// Of a shape without parts, which cannot be.
const NOWHERE: Nearest = Nearest { point: DVec3::ZERO, normal: DVec3::Z, separation: f64::INFINITY };

impl Passage {
    /// Along the line; at one place into solids before out of others, so that solids that touch have no gap.
    pub(super) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.t.total_cmp(&other.t).then(self.crossing.cmp(&other.crossing))
    }
}

/// Adds the passages of a solid that is made of what all these are passages of: where the line comes into the first, and out
/// of the last that it is in.
fn merge(mut all: Vec<Passage>, seam: f64, found: &mut Vec<Passage>) {
    all.sort_by(Passage::compare);
    let count = |crossing| all.iter().filter(|p| p.crossing == crossing).count();
    let (ins, outs) = (count(Crossing::In), count(Crossing::Out));
    // What it comes out of without having gone in it started in. What it goes into and never leaves it only touched where it
    // started, and the way out was lost behind the start by rounding.
    let mut depth = outs.saturating_sub(ins);
    let mut touched = ins.saturating_sub(outs);
    let before = found.len();
    for passage in all {
        let was = depth;
        match passage.crossing {
            Crossing::In if touched > 0 => {
                touched -= 1;
                continue;
            }
            Crossing::In => depth += 1,
            Crossing::Out => depth = depth.saturating_sub(1),
            Crossing::Through => {}
        }
        if was != 0 && depth != 0 {
            continue;
        }
        let closes = passage.crossing == Crossing::In
            && found[before..]
                .last()
                .is_some_and(|last| last.crossing == Crossing::Out && passage.t - last.t <= seam);
        if closes {
            found.pop();
        } else {
            found.push(passage);
        }
    }
}

fn of_mesh(tree: &MeshTree, line: &Line) -> Vec<Passage> {
    let mut hits = Vec::new();
    let ray = Ray { origin: line.origin, direction: line.direction };
    tree.ray_hits(&ray, f64::INFINITY, &mut hits);
    let passage = |hit: &RayHit| Passage {
        t: hit.t,
        normal: normal_of(tree.corners(hit.triangle)),
        crossing: if hit.enters { Crossing::In } else { Crossing::Out },
    };
    hits.iter().map(passage).collect()
}

/// The unit normal of a triangle; its sides are scaled first, so that nothing overflows.
fn normal_of([a, b, c]: [DVec3; 3]) -> DVec3 {
    let (u, v) = (b - a, c - a);
    let size = u.abs().max(v.abs()).max_element();
    (u / size).cross(v / size).normalize_or_zero()
}

/// Through a piece of the plane n·x = offset; `is_in` is asked for the point.
fn through_sheet(line: &Line, n: DVec3, offset: f64, is_in: impl Fn(DVec3) -> bool) -> Option<Passage> {
    let slope = n.dot(line.direction);
    let t = (offset - n.dot(line.origin)) / slope;
    // Along the plane there is no passage: t is infinite or NaN.
    if slope == 0.0 || !(0.0..f64::INFINITY).contains(&t) || !is_in(line.at(t)) {
        return None;
    }
    let normal = if slope > 0.0 { -n } else { n };
    Some(Passage { t, normal, crossing: Crossing::Through })
}

fn is_half_space(plane: &Plane) -> bool {
    plane.extent() == Extent::Infinite && plane.sides() == Sides::Front
}

/// Through a plane that is no half space.
fn of_plane(line: &Line, plane: &Plane) -> Option<Passage> {
    let found = through_sheet(line, plane.normal(), plane.offset(), |p| match plane.extent() {
        Extent::Infinite => true,
        Extent::Circular { centre, radius } => p.distance(centre) <= radius,
        Extent::Square { centre, half_side, direction } => {
            let (arm, other) = (p - centre, plane.normal().cross(direction));
            arm.dot(direction).abs() <= half_side && arm.dot(other).abs() <= half_side
        }
    })?;
    let from_front = found.normal == plane.normal();
    (from_front || plane.sides() == Sides::Both).then_some(found)
}

fn nearest_of_mesh(tree: &MeshTree, point: DVec3) -> Nearest {
    let Some(found) = tree.nearest(point) else { return NOWHERE };
    let arm = (point - found.point) / found.separation;
    let normal =
        if arm.is_finite() { arm.normalize_or_zero() } else { normal_of(tree.corners(found.triangle)) };
    Nearest { point: found.point, normal, separation: found.separation }
}

fn nearest_of_plane(plane: &Plane, point: DVec3) -> Nearest {
    let n = plane.normal();
    let height = n.dot(point) - plane.offset();
    let foot = point - height * n;
    let near = match plane.extent() {
        Extent::Infinite if plane.sides() == Sides::Front => {
            return Nearest { point: foot, normal: n, separation: height };
        }
        Extent::Infinite => foot,
        Extent::Circular { centre, radius } => {
            let out = foot - centre;
            let distance = out.length();
            if distance <= radius { foot } else { centre + out * (radius / distance) }
        }
        Extent::Square { centre, half_side, direction } => {
            let other = n.cross(direction);
            let (u, v) = ((foot - centre).dot(direction), (foot - centre).dot(other));
            let clamped = dvec3(u.clamp(-half_side, half_side), v.clamp(-half_side, half_side), 0.0);
            centre + clamped.x * direction + clamped.y * other
        }
    };
    let separation = point.distance(near);
    let normal = if separation > 0.0 { (point - near) / separation } else { n };
    Nearest { point: near, normal, separation }
}
