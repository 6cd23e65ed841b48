//! The nearest point of a mesh, and on which side of the surface a point is.

use super::{MeshTree, Node, STACK};
use crate::math::real::atan2;
use crate::math::{Aabb, DVec3};
use crate::shape::Mesh;
use crate::shape::exact::{Drop, side};
use crate::shape::overlap::corners;
use crate::triangle::intersect::{locate, normal};
use crate::triangle::{Feature, Triangle, closest_on_triangle};

/// The point of a surface that is nearest to a given one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The triangle it is on; the first of several.
    pub triangle: u32,
    /// The feature of that triangle.
    pub feature: Feature,
    /// Where it is, in the frame of the mesh.
    pub point: DVec3,
    /// Distance from the surface, m: positive outside, negative inside, zero on it.
    pub separation: f64,
}

/// Where a point is with respect to a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the solid, off its surface.
    Inside,
    /// On the surface, exactly.
    Surface,
    /// Not in the solid.
    Outside,
}

/// Cosine of the angle between pseudonormal and direction, below which its sign is not trusted: rounding turns
/// directions by far less, see [`NEAR`], and a spike whose pseudonormal is shorter than this is asked exactly. A decade
/// more asks exactly more often, a decade less trusts sharper spikes.
const FLAT: f64 = 1e-6;
/// Distance over size of coordinates below which the direction to the surface is not trusted: above it rounding of
/// 1e-16 turns the direction by less than 1e-6. A decade more costs time, a decade less comes too near [`FLAT`].
const NEAR: f64 = 1e-9;

/// Directions that point out of the solid at every feature. [Bærentzen, Aanæs, Signed distance computation using the
/// angle weighted pseudonormal, 2005]
#[derive(Debug, Clone)]
pub(super) struct Normals {
    /// Unit normal of each triangle.
    faces: Vec<DVec3>,
    /// Sum of the unit normals on both sides of each edge of each triangle.
    edges: Vec<[DVec3; 3]>,
    /// Sum of the unit normals at each vertex times the angles there.
    vertices: Vec<DVec3>,
}

impl Normals {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let corners = |t: &[u32; 3]| corners(mesh.vertices(), *t);
        let faces: Vec<DVec3> =
            mesh.triangles().iter().map(|t| normal(corners(t)).normalize_or_zero()).collect();

        let mut vertices = vec![DVec3::ZERO; mesh.vertices().len()];
        // (ends in ascending order, triangle, edge of it)
        let mut sides: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * faces.len());
        for (i, t) in mesh.triangles().iter().enumerate() {
            let points = corners(t);
            for k in 0..3 {
                let (next, last) = ((k + 1) % 3, (k + 2) % 3);
                let angle = angle([points[k], points[next], points[last]]);
                vertices[t[k] as usize] += faces[i] * angle;
                sides.push(([t[k].min(t[next]), t[k].max(t[next])], i, k));
            }
        }
        sides.sort_unstable();
        let mut edges = vec![[DVec3::ZERO; 3]; faces.len()];
        for pair in sides.chunk_by(|a, b| a.0 == b.0) {
            let sum = pair.iter().map(|(_, i, _)| faces[*i]).sum();
            for (_, i, k) in pair {
                edges[*i][*k] = sum;
            }
        }
        Self { faces, edges, vertices }
    }

    fn at(&self, mesh: &Mesh, triangle: u32, feature: Feature) -> DVec3 {
        let i = triangle as usize;
        match feature {
            Feature::Face => self.faces[i],
            Feature::Edge(k) => self.edges[i][k as usize],
            Feature::Vertex(k) => self.vertices[mesh.triangles()[i][k as usize] as usize],
        }
    }
}

/// The angle of a triangle at its first corner.
fn angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (u, v) = ((b - a).normalize_or_zero(), (c - a).normalize_or_zero());
    let across = normal([a, b, c]).length() / ((b - a).length() * (c - a).length());
    atan2(across, u.dot(v))
}

impl MeshTree {
    /// The point of the surface nearest to `point`, both in the frame of the mesh; `None` when that is not finite.
    ///
    /// Of equally near triangles the one with the lowest number. The sign is that of the pseudonormal at the nearest
    /// feature; where rounding could decide it, that of [`MeshTree::place`].
    pub fn nearest(&self, point: DVec3) -> Option<Nearest> {
        if !point.is_finite() {
            return None;
        }
        let mut best: Option<(f64, u32, DVec3, Feature)> = None;
        let mut open = [(0.0, 0_u32); STACK];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (least, i) = open[count];
            if best.is_some_and(|b| least > b.0) {
                continue;
            }
            let node = &self.nodes[i as usize];
            if node.count == 0 {
                let mut children =
                    [i + 1, node.at].map(|c| (distance_squared(&self.nodes[c as usize], point), c));
                if children[0].0 <= children[1].0 {
                    children.swap(0, 1); // the nearer one is visited first
                }
                open[count..count + 2].copy_from_slice(&children);
                count += 2;
                continue;
            }
            for &triangle in self.in_leaf(node) {
                let (at, feature) = closest_on_triangle(point, self.corners(triangle));
                let distance = point.distance_squared(at);
                let nearer = |b: (f64, u32, DVec3, Feature)| (distance, triangle) < (b.0, b.1);
                if best.is_none_or(nearer) {
                    best = Some((distance, triangle, at, feature));
                }
            }
        }
        best.map(|(_, triangle, at, feature)| {
            let separation = self.sign(point, triangle, at, feature) * point.distance(at);
            Nearest { triangle, feature, point: at, separation }
        })
    }

    fn sign(&self, point: DVec3, triangle: u32, at: DVec3, feature: Feature) -> f64 {
        let (arm, out) = (point - at, self.normals.at(&self.mesh, triangle, feature));
        let (length, cosine) = (arm.length(), arm.normalize_or_zero().dot(out));
        let size = point.abs().max(at.abs()).max_element();
        if cosine.abs() > FLAT && length > NEAR * size {
            return cosine.signum();
        }
        match self.place(point) {
            Place::Inside => -1.0,
            Place::Surface => 0.0,
            Place::Outside => 1.0,
        }
    }

    /// Whether a point, in the frame of the mesh, is in the solid; exact.
    ///
    /// Counts the triangles above the point, moved by nothing but an infinitesimal (ε², ε, 0): so it never is above an
    /// edge or a vertex, and where it is not on the surface the move changes nothing. A point that is not finite is outside.
    pub fn place(&self, point: DVec3) -> Place {
        let above = |b: &Aabb| {
            b.min.x <= point.x
                && point.x <= b.max.x
                && b.min.y <= point.y
                && point.y <= b.max.y
                && point.z <= b.max.z
        };
        let (mut inside, mut on_surface) = (false, false);
        self.visit(above, |triangle| {
            let [a, b, c] = self.corners(triangle);
            let height = side(a, b, c, point);
            if height == 0.0 {
                on_surface |= Triangle::new([a, b, c]).is_ok_and(|t| locate(&t, point).is_some());
                return;
            }
            let turn = turn_beside(point, a, b);
            let within = turn != 0 && turn == turn_beside(point, b, c) && turn == turn_beside(point, c, a);
            // The normal points up when the shadow turns left, and then a point below has a negative height.
            if within && (height > 0.0) == (turn < 0) {
                inside = !inside;
            }
        });
        match (on_surface, inside) {
            (true, _) => Place::Surface,
            (_, true) => Place::Inside,
            _ => Place::Outside,
        }
    }
}

/// On which side of the line from a to b the point moved by (ε², ε) is, seen along z: 1 left, −1 right, and 0 only when
/// a and b are above one another.
fn turn_beside(p: DVec3, a: DVec3, b: DVec3) -> i8 {
    turn_of_shadows(Drop::Z.turn(a, b, p), [b.x - a.x, b.y - a.y])
}

/// The sign of (b − a)×(p − a), and where that is zero, of (b − a)×(ε², ε).
pub(super) fn turn_of_shadows(turn: f64, along: [f64; 2]) -> i8 {
    let sign = |x: f64| i8::from(x > 0.0) - i8::from(x < 0.0);
    match (sign(turn), sign(along[0])) {
        (0, 0) => -sign(along[1]),
        (0, moved) => moved,
        (turn, _) => turn,
    }
}

fn distance_squared(node: &Node, p: DVec3) -> f64 {
    (node.bounds.min - p).max(p - node.bounds.max).max(DVec3::ZERO).length_squared()
}
