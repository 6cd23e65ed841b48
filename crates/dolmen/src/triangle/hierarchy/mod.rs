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

use crate::math::{Aabb, DVec3};
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

fn extent(bounds: &Aabb) -> f64 {
    (bounds.max - bounds.min).max_element()
}
