//! A hierarchy of boxes over the triangles of a closed mesh, and the questions that it answers.
//!
//! Built once; the mesh stays as it is. All lists come sorted, so that nothing depends on the shape of the tree.

mod boxes;
mod build;
mod nearest;
mod ray;

pub(crate) use boxes::{Between, BoxTree, Boxes, OneBox};
pub use nearest::{Nearest, Place};
pub use ray::{Ray, RayHit};

use crate::math::{Aabb, DMat3, DVec3, Pose};
use crate::shape::Mesh;
use crate::shape::overlap::{box_of, boxes_meet, corners};
use std::sync::Arc;

/// More than the longest path from the root to a leaf: see [`build`].
const STACK: usize = 96;

/// A box with what is in it: two children, the first of which follows it, or some triangles.
#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// The second child, or the first place in `order` of a leaf.
    at: u32,
    /// How many triangles a leaf has; 0 for a node with children.
    count: u32,
}

/// A mesh with its hierarchy, in the frame of the mesh.
#[derive(Debug, Clone)]
pub struct MeshTree {
    mesh: Arc<Mesh>,
    /// The root first, children after their parents.
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
    normals: nearest::Normals,
}

impl MeshTree {
    /// Sorts the triangles into boxes.
    pub fn new(mesh: Arc<Mesh>) -> Self {
        let (nodes, order) = build::build(&mesh);
        let normals = nearest::Normals::new(&mesh);
        Self { mesh, nodes, order, normals }
    }

    /// The mesh that it was built for.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// The box around the whole mesh.
    pub fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        corners(self.mesh.vertices(), self.mesh.triangles()[triangle as usize])
    }

    /// Fills `found` with all triangles whose boxes meet a box, touching included, in ascending order.
    pub fn triangles_near_box(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.visit(
            |node| boxes_meet(node, bounds),
            |triangle| {
                if boxes_meet(&box_of(self.corners(triangle)), bounds) {
                    found.push(triangle);
                }
            },
        );
        found.sort_unstable();
    }

    /// Fills `pairs` with all pairs of a triangle of this mesh and one of `other` whose boxes are no further apart than
    /// `margin`, m, in ascending order.
    ///
    /// `pose` turns coordinates of `other` into those of this mesh; both boxes are taken in the frame of this mesh, that of
    /// the other triangle around its moved corners.
    pub fn pairs_within(&self, other: &Self, pose: &Pose, margin: f64, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        let mover = Mover::new(pose);
        let mut open = vec![(0_u32, 0_u32)];
        while let Some((i, j)) = open.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if gap(&a.bounds, &mover.box_around(&b.bounds)).length() > margin {
                continue;
            }
            if a.count > 0 && b.count > 0 {
                for u in other.in_leaf(b) {
                    let bounds = box_of(other.corners(*u).map(|p| mover.point(p)));
                    let near = |t: &&u32| gap(&box_of(self.corners(**t)), &bounds).length() <= margin;
                    pairs.extend(self.in_leaf(a).iter().filter(near).map(|t| [*t, *u]));
                }
            } else if b.count > 0 || (a.count == 0 && extent(&a.bounds) >= extent(&b.bounds)) {
                open.extend([(i + 1, j), (a.at, j)]);
            } else {
                open.extend([(i, j + 1), (i, b.at)]);
            }
        }
        pairs.sort_unstable();
    }

    /// A vertex than which none is further along a direction, by its number.
    pub fn furthest_vertex(&self, direction: DVec3) -> u32 {
        let reach = |b: &Aabb| {
            let (centre, half) = (0.5 * (b.min + b.max), 0.5 * (b.max - b.min));
            // A little more than it is, so that rounding does not hide a vertex.
            let extent = direction.abs().dot(centre.abs() + half);
            direction.dot(centre) + direction.abs().dot(half) + 16.0 * f64::EPSILON * extent
        };
        let mut best = (f64::NEG_INFINITY, 0);
        let (mut open, mut count) = ([0_u32; STACK], 1);
        while count > 0 {
            count -= 1;
            let i = open[count];
            let node = &self.nodes[i as usize];
            if reach(&node.bounds) <= best.0 {
                continue;
            }
            if node.count == 0 {
                let children = [i + 1, node.at];
                let [first, second] = children.map(|c| reach(&self.nodes[c as usize].bounds));
                // The one that reaches further is visited first.
                let further = if first >= second { [node.at, i + 1] } else { children };
                open[count..count + 2].copy_from_slice(&further);
                count += 2;
                continue;
            }
            for v in self.in_leaf(node).iter().flat_map(|t| self.mesh.triangles()[*t as usize]) {
                let height = direction.dot(self.mesh.vertices()[v as usize]);
                if height > best.0 {
                    best = (height, v);
                }
            }
        }
        best.1
    }

    fn in_leaf(&self, node: &Node) -> &[u32] {
        &self.order[node.at as usize..(node.at + node.count) as usize]
    }

    /// Calls `leaf` for every triangle in leaves that `enter`, asked for a box, lets through.
    fn visit(&self, enter: impl Fn(&Aabb) -> bool, mut leaf: impl FnMut(u32)) {
        let (mut open, mut count) = ([0_u32; STACK], 1);
        while count > 0 {
            count -= 1;
            let i = open[count];
            let node = &self.nodes[i as usize];
            if !enter(&node.bounds) {
                continue;
            }
            if node.count > 0 {
                self.in_leaf(node).iter().for_each(|t| leaf(*t));
            } else {
                open[count] = node.at;
                open[count + 1] = i + 1;
                count += 2;
            }
        }
    }
}

/// Moves points, and boxes so that rounding does not let a moved point out of its moved box.
struct Mover {
    matrix: DMat3,
    spread: DMat3,
    position: DVec3,
}

impl Mover {
    fn new(pose: &Pose) -> Self {
        let matrix = DMat3::from_quat(pose.orientation);
        let spread = DMat3::from_cols(matrix.x_axis.abs(), matrix.y_axis.abs(), matrix.z_axis.abs());
        Self { matrix, spread, position: pose.position }
    }

    fn point(&self, p: DVec3) -> DVec3 {
        self.matrix * p + self.position
    }

    /// |R| times half the sides, about the moved centre, and room for the four roundings on the way of either.
    fn box_around(&self, bounds: &Aabb) -> Aabb {
        const ROUNDING: f64 = 16.0 * f64::EPSILON;
        let (centre, half) = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min));
        let size = self.spread * (centre.abs() + half) + self.position.abs();
        let (centre, half) = (self.point(centre), self.spread * half + ROUNDING * size);
        Aabb { min: centre - half, max: centre + half }
    }
}

/// How far apart two boxes are along each axis, not less than zero.
fn gap(a: &Aabb, b: &Aabb) -> DVec3 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO)
}

fn extent(bounds: &Aabb) -> f64 {
    (bounds.max - bounds.min).max_element()
}
