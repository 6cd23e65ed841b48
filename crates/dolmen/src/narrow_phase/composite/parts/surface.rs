//! The surface of a mesh as contacts see it: flat regions, the edges between them, and the corners.
//!
//! How a solid is cut into triangles must not be felt. Triangles in one plane are one face, an edge between two of them is
//! none, edges in a line between the same two faces are one, and vertices in the middle of these are none. What is left are
//! real features, each convex or not.

use super::Numbers;
use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{Geometry, Polytope};
use crate::shape::Mesh;
use crate::triangle::hierarchy::{MeshTree, Place, Ray};
use std::sync::{Arc, OnceLock};

/// Stands for a feature that is none: a flat edge.
pub(in super::super) const NONE: u32 = u32::MAX;

/// Triangles whose corners are within this share of the mesh's size of one plane are one face: far above what rounding does
/// to corners (1e-16), far below the contact tolerance (1e-9). A decade more merges what a smaller shape may feel.
const FLAT: f64 = 1e-12;

/// Points inside that are kept: enough to notice a mesh exactly over another, where no surfaces cross.
const INNER: usize = 8;

/// An edge between two flat regions.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct SurfaceEdge {
    /// Vertices at its ends, the lower number first.
    pub(in super::super) ends: [u32; 2],
    /// The region whose triangle walks it in that order, then the other one.
    pub(in super::super) faces: [u32; 2],
    /// A triangle at it.
    pub(in super::super) triangle: u32,
    /// Whether the solid is convex there; else two faces form a groove, and nothing flat or pointed touches the edge alone.
    pub(in super::super) is_convex: bool,
}

/// A mesh in the frame of its composite.
#[derive(Debug, Clone)]
pub(in super::super) struct Surface {
    /// In the frame of the mesh.
    pub(in super::super) tree: MeshTree,
    /// The frame of the mesh in that of the composite.
    pub(in super::super) pose: Pose,
    /// In the frame of the composite.
    pub(in super::super) vertices: Vec<DVec3>,
    pub(in super::super) edges: Vec<SurfaceEdge>,
    /// For each triangle the edges after its corners, [`NONE`] where flat.
    triangle_edges: Vec<[u32; 3]>,
    /// For each triangle its region.
    regions: Vec<u32>,
    /// Outward unit normals of the regions, and a triangle of each.
    faces: Vec<(DVec3, u32)>,
    /// Edges at each vertex: a range of `spokes`; empty in the middle of a region or an edge.
    spokes: Vec<u32>,
    starts: Vec<u32>,
    /// A triangle at each vertex.
    vertex_triangles: Vec<u32>,
    /// A vertex of every piece that hangs together.
    seeds: Vec<u32>,
    /// Some points inside, in the frame of the composite.
    inner: Vec<DVec3>,
    /// Each triangle as a polytope in the frame of the composite, from when it is first asked for: most never are.
    polytopes: Vec<OnceLock<Box<Geometry>>>,
}

impl Surface {
    pub(in super::super) fn new(mesh: &Arc<Mesh>, pose: Pose) -> Self {
        let tree = MeshTree::new(mesh.clone());
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| pose.point(*v)).collect();
        let neighbours = neighbours(mesh);
        let (regions, faces) = flat_regions(mesh, &vertices, &neighbours);
        let mut surface = Self {
            inner: inner_points(&tree, &pose),
            seeds: seeds(mesh, &neighbours),
            tree,
            pose,
            vertices,
            edges: Vec::new(),
            triangle_edges: vec![[NONE; 3]; regions.len()],
            regions,
            faces,
            spokes: Vec::new(),
            starts: Vec::new(),
            vertex_triangles: Vec::new(),
            polytopes: vec![OnceLock::new(); mesh.triangles().len()],
        };
        surface.add_edges(mesh, &neighbours);
        surface.join_edges();
        surface.add_spokes(mesh);
        surface
    }

    fn add_edges(&mut self, mesh: &Mesh, neighbours: &[[u32; 3]]) {
        for (i, t) in mesh.triangles().iter().enumerate() {
            for k in 0..3 {
                let (a, b, other) = (t[k], t[(k + 1) % 3], neighbours[i][k]);
                let faces = [self.regions[i], self.regions[other as usize]];
                if a > b || faces[0] == faces[1] {
                    continue;
                }
                let number = self.edges.len() as u32;
                let along = self.vertices[b as usize] - self.vertices[a as usize];
                let normals = faces.map(|f| self.faces[f as usize].0);
                // The inside of the second face, across the edge, is below the plane of the first.
                let is_convex = normals[0].dot(along.cross(normals[1])) < 0.0;
                self.edges.push(SurfaceEdge { ends: [a, b], faces, triangle: i as u32, is_convex });
                self.triangle_edges[i][k] = number;
                let there = mesh.triangles()[other as usize];
                let place = (0..3).find(|m| there[*m] == b && there[(*m + 1) % 3] == a);
                self.triangle_edges[other as usize][place.expect("neighbours walk an edge both ways")] =
                    number;
            }
        }
    }

    /// Makes one of edges that follow each other between the same two regions: these meet in a straight line.
    fn join_edges(&mut self) {
        let mut at: Vec<([u32; 2], u32)> = vec![([NONE; 2], 0); self.vertices.len()];
        for (e, edge) in self.edges.iter().enumerate() {
            for v in edge.ends {
                let (edges, count) = &mut at[v as usize];
                if let Some(slot) = edges.get_mut(*count as usize) {
                    *slot = e as u32;
                }
                *count += 1;
            }
        }
        let faces = |e: u32| {
            let [f, g] = self.edges[e as usize].faces;
            [f.min(g), f.max(g)]
        };
        // From an edge on through a vertex: the next edge, if the vertex has no other and they lie between the same regions.
        let next = |e: u32, v: u32| {
            let ([p, q], count) = at[v as usize];
            (count == 2 && faces(p) == faces(q)).then_some(if p == e { q } else { p })
        };
        let mut numbers = vec![NONE; self.edges.len()];
        let mut joined: Vec<SurfaceEdge> = Vec::new();
        for e in 0..self.edges.len() as u32 {
            if numbers[e as usize] != NONE {
                continue;
            }
            let number = joined.len() as u32;
            numbers[e as usize] = number;
            let mut edge = self.edges[e as usize];
            for end in &mut edge.ends {
                let mut here = e;
                while let Some(there) = next(here, *end).filter(|f| numbers[*f as usize] == NONE) {
                    numbers[there as usize] = number;
                    let [p, q] = self.edges[there as usize].ends;
                    *end = if p == *end { q } else { p };
                    here = there;
                }
            }
            if edge.ends[0] > edge.ends[1] {
                edge.ends.swap(0, 1);
                edge.faces.swap(0, 1);
            }
            joined.push(edge);
        }
        self.edges = joined;
        for edge in self.triangle_edges.iter_mut().flatten().filter(|e| **e != NONE) {
            *edge = numbers[*edge as usize];
        }
    }

    fn add_spokes(&mut self, mesh: &Mesh) {
        let mut counts = vec![0_u32; self.vertices.len() + 1];
        for v in self.edges.iter().flat_map(|e| e.ends) {
            counts[v as usize + 1] += 1;
        }
        for v in 1..counts.len() {
            counts[v] += counts[v - 1];
        }
        self.starts.clone_from(&counts);
        self.spokes = vec![0; 2 * self.edges.len()];
        for (e, edge) in self.edges.iter().enumerate() {
            for v in edge.ends {
                self.spokes[counts[v as usize] as usize] = e as u32;
                counts[v as usize] += 1;
            }
        }
        self.vertex_triangles = vec![0; self.vertices.len()];
        for (i, t) in mesh.triangles().iter().enumerate().rev() {
            for v in t {
                self.vertex_triangles[*v as usize] = i as u32;
            }
        }
    }

    /// A triangle as a polytope, in the frame of the composite.
    pub(in super::super) fn geometry(&self, triangle: u32) -> &Geometry {
        let make = || Box::new(Geometry::Polytope(Polytope::triangle(self.corners(triangle))));
        self.polytopes[triangle as usize].get_or_init(make)
    }

    pub(in super::super) fn triangle_count(&self) -> u32 {
        self.regions.len() as u32
    }

    /// How many features of each kind there are.
    pub(in super::super) fn counts(&self) -> Numbers {
        let (vertex, edge) = (self.vertices.len() as u32, self.edges.len() as u32);
        Numbers { vertex, edge, face: self.faces.len() as u32, rim: 0, surface: 0 }
    }

    /// The vertices of a triangle.
    pub(in super::super) fn triangle(&self, triangle: u32) -> [u32; 3] {
        self.tree.mesh().triangles()[triangle as usize]
    }

    /// The corners of a triangle.
    pub(in super::super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangle(triangle).map(|v| self.vertices[v as usize])
    }

    pub(in super::super) fn bounds_of(&self, triangle: u32) -> Aabb {
        crate::shape::overlap::box_of(self.corners(triangle))
    }

    /// The edges of a triangle after its corners, [`NONE`] where flat.
    pub(in super::super) fn edges_of(&self, triangle: u32) -> [u32; 3] {
        self.triangle_edges[triangle as usize]
    }

    pub(in super::super) fn region(&self, triangle: u32) -> u32 {
        self.regions[triangle as usize]
    }

    /// The outward unit normal of a region.
    pub(in super::super) fn normal(&self, region: u32) -> DVec3 {
        self.faces[region as usize].0
    }

    /// A triangle of a region.
    pub(in super::super) fn triangle_of_region(&self, region: u32) -> u32 {
        self.faces[region as usize].1
    }

    pub(in super::super) fn triangle_at(&self, vertex: u32) -> u32 {
        self.vertex_triangles[vertex as usize]
    }

    /// The edges at a vertex; none in the middle of a region or an edge.
    pub(in super::super) fn edges_at(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.spokes[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// A point of every piece of the surface.
    pub(in super::super) fn seeds(&self) -> impl Iterator<Item = DVec3> {
        self.seeds.iter().map(|v| self.vertices[*v as usize])
    }

    /// Points of the solid by which its depth in another is measured: corners, middles of triangles, points inside.
    pub(in super::super) fn samples(&self) -> impl Iterator<Item = DVec3> {
        let middles = (0..self.triangle_count()).map(|t| self.corners(t).into_iter().sum::<DVec3>() / 3.0);
        self.vertices.iter().copied().chain(middles).chain(self.inner.iter().copied())
    }

    /// A point of the composite's frame in that of the mesh.
    pub(in super::super) fn seen_from_mesh(&self, point: DVec3) -> DVec3 {
        self.pose.orientation.conjugate() * (point - self.pose.position)
    }
}

/// For each triangle those beyond its edges.
fn neighbours(mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (i, t) in mesh.triangles().iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            sides.push(([a.min(b), a.max(b)], i as u32, k));
        }
    }
    sides.sort_unstable();
    let mut neighbours = vec![[NONE; 3]; mesh.triangles().len()];
    for pair in sides.chunks_exact(2) {
        let [(_, i, k), (_, j, m)] = [pair[0], pair[1]];
        neighbours[i as usize][k] = j;
        neighbours[j as usize][m] = i;
    }
    neighbours
}

/// Regions by flooding from the largest triangle left, so that their normals are those least rounded.
fn flat_regions(mesh: &Mesh, vertices: &[DVec3], beside: &[[u32; 3]]) -> (Vec<u32>, Vec<(DVec3, u32)>) {
    let at = |v: u32| vertices[v as usize];
    let bounds = vertices.iter().fold(Aabb::EMPTY, |all, v| all.join(&Aabb::point(*v)));
    let extent = bounds.max.abs().max(bounds.min.abs()).max_element();
    let flat = (FLAT * (bounds.max - bounds.min).max_element()).max(8.0 * f64::EPSILON * extent);
    // In units of the size, so that the product of tiny lengths does not vanish.
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| at(v) / extent);
        (b - a).cross(c - a)
    };
    let areas: Vec<DVec3> = mesh.triangles().iter().map(area).collect();
    let mut order: Vec<u32> = (0..areas.len() as u32).collect();
    let size = |i: u32| areas[i as usize].length_squared();
    order.sort_by(|&i, &j| size(j).total_cmp(&size(i)).then(i.cmp(&j)));
    let (mut regions, mut faces, mut open) = (vec![NONE; areas.len()], Vec::new(), Vec::new());
    for seed in order {
        if regions[seed as usize] != NONE {
            continue;
        }
        let number = faces.len() as u32;
        let normal = areas[seed as usize].normalize_or_zero();
        let origin = at(mesh.triangles()[seed as usize][0]);
        faces.push((normal, seed));
        regions[seed as usize] = number;
        open.push(seed);
        while let Some(i) = open.pop() {
            for &next in &beside[i as usize] {
                let n = next as usize;
                let fits = regions[n] == NONE
                    && areas[n].dot(normal) > 0.0
                    && mesh.triangles()[n].iter().all(|v| normal.dot(at(*v) - origin).abs() <= flat);
                if fits {
                    regions[n] = number;
                    open.push(next);
                }
            }
        }
    }
    (regions, faces)
}

/// The first vertex of every set of triangles that hang together by edges.
fn seeds(mesh: &Mesh, neighbours: &[[u32; 3]]) -> Vec<u32> {
    let (mut seen, mut open, mut seeds) = (vec![false; neighbours.len()], Vec::new(), Vec::new());
    for first in 0..neighbours.len() {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        open.push(first);
        seeds.push(mesh.triangles()[first][0]);
        while let Some(i) = open.pop() {
            for next in neighbours[i].map(|n| n as usize) {
                if !seen[next] {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
    }
    seeds
}

/// Half-way between triangles and what is opposite to them.
fn inner_points(tree: &MeshTree, pose: &Pose) -> Vec<DVec3> {
    let count = tree.mesh().triangles().len();
    let size = (tree.bounds().max - tree.bounds().min).max_element();
    let mut hits = Vec::new();
    let mut points = Vec::new();
    for triangle in (0..count).step_by(count.div_ceil(INNER).max(1)) {
        let corners = tree.corners(triangle as u32);
        let [a, b, c] = corners.map(|p| p / size);
        let origin = (corners[0] + corners[1] + corners[2]) / 3.0;
        let direction = -(b - a).cross(c - a).normalize_or_zero() * size;
        tree.ray_hits(&Ray { origin, direction }, 2.0, &mut hits);
        let Some(hit) = hits.iter().find(|hit| hit.t > 1e-9) else { continue };
        let middle = origin + direction * (0.5 * hit.t);
        if tree.place(middle) == Place::Inside {
            points.push(pose.point(middle));
        }
    }
    points
}
