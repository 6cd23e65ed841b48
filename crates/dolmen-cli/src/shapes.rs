//! The outlines of shapes, for pictures: `shapes.json` of a run.

use std::f64::consts::TAU;

use dolmen::math::{DMat3, DQuat, DVec3, Pose, dvec3, real};
use dolmen::shape::{Extent, Plane, Shape};
use dolmen::world::World;
use serde_json::{Map, Value, json};

/// Corners of the polygon that stands for a circle.
const ROUND: u32 = 24;

/// Every body's outline, seen from its centre of mass.
pub(crate) fn to_json(world: &World) -> Value {
    let mut all = Map::new();
    for id in world.body_ids() {
        let body = world.body(id);
        let Some(shape) = body.shape() else { continue };
        // The short forms are drawn about the centre of mass.
        let centred = body.shape_origin() == DVec3::ZERO;
        let outline = match shape {
            Shape::Sphere { radius } if centred => json!({ "kind": "sphere", "radius": radius }),
            Shape::Cuboid { half } if centred => json!({ "kind": "box", "half": half.to_array() }),
            other => {
                let mut wires = Wires::default();
                wires.add(other, &Pose { position: body.shape_origin(), ..Pose::IDENTITY });
                wires.to_json()
            }
        };
        all.insert(world.body_name(id), outline);
    }
    Value::Object(all)
}

/// Points and the lines between them.
#[derive(Default)]
struct Wires {
    points: Vec<DVec3>,
    lines: Vec<[usize; 2]>,
}

impl Wires {
    fn add(&mut self, shape: &Shape, pose: &Pose) {
        match shape {
            Shape::Sphere { radius } => self.balls(pose, DVec3::splat(*radius), 0.0),
            Shape::Ellipsoid { half } => self.balls(pose, *half, 0.0),
            Shape::Capsule { radius, half_length } => self.balls(pose, DVec3::splat(*radius), *half_length),
            Shape::Cuboid { half } => self.cuboid(pose, *half),
            Shape::Cylinder { radius, half_length } => {
                self.circle(pose, dvec3(*radius, 0.0, -half_length), dvec3(0.0, *radius, -half_length));
                self.circle(pose, dvec3(*radius, 0.0, *half_length), dvec3(0.0, *radius, *half_length));
                for corner in [dvec3(*radius, 0.0, 0.0), dvec3(0.0, *radius, 0.0)] {
                    for side in [corner, -corner] {
                        let along = dvec3(0.0, 0.0, *half_length);
                        self.line(pose, side - along, side + along);
                    }
                }
            }
            Shape::Cone { radius, height } => {
                self.circle(pose, dvec3(*radius, 0.0, 0.0), dvec3(0.0, *radius, 0.0));
                for side in [dvec3(*radius, 0.0, 0.0), dvec3(0.0, *radius, 0.0)] {
                    self.line(pose, side, dvec3(0.0, 0.0, *height));
                    self.line(pose, -side, dvec3(0.0, 0.0, *height));
                }
            }
            Shape::Disc { radius } => self.circle(pose, dvec3(*radius, 0.0, 0.0), dvec3(0.0, *radius, 0.0)),
            Shape::Hull(hull) => {
                let start = self.vertices(pose, hull.vertices());
                for edge in hull.edges() {
                    let [a, b] = edge.ends;
                    self.lines.push([start + a as usize, start + b as usize]);
                }
            }
            Shape::Mesh(mesh) => {
                let start = self.vertices(pose, mesh.vertices());
                for t in mesh.triangles() {
                    for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                        // Every edge belongs to two triangles, once in each direction.
                        if a < b {
                            self.lines.push([start + a as usize, start + b as usize]);
                        }
                    }
                }
            }
            Shape::Compound(parts) => {
                for part in parts {
                    let orientation = pose.orientation * part.pose.orientation;
                    self.add(&part.shape, &Pose { position: pose.point(part.pose.position), orientation });
                }
            }
            Shape::Plane(plane) => self.plane(pose, plane),
        }
    }

    /// The rim of a finite plane; an infinite one has none.
    fn plane(&mut self, pose: &Pose, plane: &Plane) {
        match plane.extent() {
            Extent::Infinite => {}
            Extent::Circular { centre, radius } => {
                let (u, v) = plane.normal().any_orthonormal_pair();
                let turned = DMat3::from_cols(u, v, u.cross(v));
                let orientation = pose.orientation * DQuat::from_mat3(&turned);
                let place = Pose { position: pose.point(centre), orientation };
                self.circle(&place, dvec3(radius, 0.0, 0.0), dvec3(0.0, radius, 0.0));
            }
            Extent::Square { .. } => {
                let corners = plane.corners().unwrap_or_default();
                for k in 0..4 {
                    self.line(pose, corners[k], corners[(k + 1) % 4]);
                }
            }
        }
    }

    fn vertices(&mut self, pose: &Pose, points: &[DVec3]) -> usize {
        let start = self.points.len();
        self.points.extend(points.iter().map(|p| pose.point(*p)));
        start
    }

    fn line(&mut self, pose: &Pose, a: DVec3, b: DVec3) {
        let start = self.vertices(pose, &[a, b]);
        self.lines.push([start, start + 1]);
    }

    /// A circle or ellipse with `a` and `b` on it, a quarter apart; their common part is its centre.
    fn circle(&mut self, pose: &Pose, a: DVec3, b: DVec3) {
        let centre = if a.z == b.z { dvec3(0.0, 0.0, a.z) } else { DVec3::ZERO };
        let start = self.points.len();
        for i in 0..ROUND {
            let (s, c) = real::sin_cos(TAU * f64::from(i) / f64::from(ROUND));
            self.points.push(pose.point(centre + (a - centre) * c + (b - centre) * s));
        }
        let n = ROUND as usize;
        self.lines.extend((0..n).map(|i| [start + i, start + (i + 1) % n]));
    }

    /// The three great ellipses, pulled apart along z by `half_length` on either side.
    fn balls(&mut self, pose: &Pose, half: DVec3, half_length: f64) {
        for z in if half_length > 0.0 { vec![-half_length, half_length] } else { vec![0.0] } {
            let place = Pose { position: pose.point(dvec3(0.0, 0.0, z)), orientation: pose.orientation };
            let (x, y, z) = (dvec3(half.x, 0.0, 0.0), dvec3(0.0, half.y, 0.0), dvec3(0.0, 0.0, half.z));
            self.circle(&place, x, y);
            self.circle(&place, x, z);
            self.circle(&place, y, z);
        }
        if half_length > 0.0 {
            for side in [dvec3(half.x, 0.0, 0.0), dvec3(0.0, half.y, 0.0)] {
                for side in [side, -side] {
                    let along = dvec3(0.0, 0.0, half_length);
                    self.line(pose, side - along, side + along);
                }
            }
        }
    }

    fn cuboid(&mut self, pose: &Pose, half: DVec3) {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * dvec3(sign(0), sign(1), sign(2))
        };
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let start = self.vertices(pose, &corners);
        for i in 0..8 {
            for bit in 0..3 {
                if i >> bit & 1 == 0 {
                    self.lines.push([start + i, start + (i | 1 << bit)]);
                }
            }
        }
    }

    fn to_json(&self) -> Value {
        let vertices: Vec<[f64; 3]> = self.points.iter().map(DVec3::to_array).collect();
        json!({ "kind": "mesh", "vertices": vertices, "edges": self.lines })
    }
}
