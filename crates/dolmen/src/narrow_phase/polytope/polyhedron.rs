//! A convex polyhedron as the narrow phase sees it: one view for boxes, hulls, plates and triangles.

use super::reach::{Reach, beside};
use crate::math::{Aabb, DVec3, dvec3, work};
use crate::shape::{Edge, Hull, edges_of};
use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

/// Vertices, faces with their planes, and edges with their neighbours, in the frame of the shape; made once.
///
/// A flat polygon is one as well: it has two faces, front (0) and back (1), and its edges lie between them.
#[derive(Debug, Clone)]
pub struct Polytope {
    vertices: Vec<DVec3>,
    /// Outward unit normals and offsets: n·x = offset on the face, and ≤ offset for every vertex in the rounded numbers.
    planes: Vec<(DVec3, f64)>,
    sides: Vec<Side>,
    topology: Arc<Topology>,
    support: Support,
    /// Where it is climbed: the neighbours of every vertex, in the order of the topology, so that they are one run
    /// through memory.
    beside: Vec<DVec3>,
    centre: DVec3,
    bounds: Aabb,
    size: f64,
    extent: f64,
}

/// Directions at an edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    /// Unit vector from the first end to the second.
    pub(crate) along: DVec3,
    /// m.
    pub(crate) length: f64,
    /// Unit vectors within the two faces, across the edge, inwards.
    pub(crate) inward: [DVec3; 2],
}

/// Two vertices of a polytope and the faces they separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolytopeEdge {
    /// Vertices at its ends, the lower number first.
    pub ends: [u32; 2],
    /// The face whose loop walks it in that order, then the other one.
    pub faces: [u32; 2],
}

/// Adjacency; all boxes share one.
#[derive(Debug)]
struct Topology {
    loops: Rows,
    /// For each place of a loop the edge to the next vertex.
    loop_edges: Rows,
    edges: Vec<PolytopeEdge>,
    /// Vertex → vertices, edges and faces at it.
    neighbours: Rows,
    vertex_edges: Rows,
    vertex_faces: Rows,
}

/// Lists of numbers, one after the other.
#[derive(Debug, Default)]
struct Rows {
    values: Vec<u32>,
    starts: Vec<u32>,
}

impl Rows {
    fn from_lists(lists: &[Vec<u32>]) -> Self {
        let mut rows = Self { values: Vec::new(), starts: vec![0] };
        for list in lists {
            rows.values.extend_from_slice(list);
            rows.starts.push(rows.values.len() as u32);
        }
        rows
    }

    fn range(&self, i: u32) -> std::ops::Range<usize> {
        let i = i as usize;
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    fn row(&self, i: u32) -> &[u32] {
        &self.values[self.range(i)]
    }
}

/// How the furthest vertex in a direction is found.
#[derive(Debug, Clone, Copy)]
enum Support {
    /// By the signs of the direction.
    Cuboid,
    /// By trying all.
    Scan,
    /// Uphill from neighbour to neighbour.
    Climb,
}

/// From this many vertices on, climbing visits fewer of them: a vertex has about six neighbours, and a hint is one off.
const CLIMB_FROM: usize = 16;

/// The faces of a box: +x, −x, +y, −y, +z, −z; bit k of a vertex number says on which side of axis k it is.
const CUBOID_FACES: [[u32; 4]; 6] =
    [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];

static CUBOID: LazyLock<Arc<Topology>> = LazyLock::new(|| {
    let loops: Vec<Vec<u32>> = CUBOID_FACES.iter().map(|face| face.to_vec()).collect();
    Arc::new(Topology::new(8, &loops))
});

static TRIANGLE: LazyLock<Arc<Topology>> =
    LazyLock::new(|| Arc::new(Topology::new(3, &[vec![0, 1, 2], vec![2, 1, 0]])));

impl Topology {
    fn new(vertex_count: usize, loops: &[Vec<u32>]) -> Self {
        let found = edges_of(loops);
        let mut edge_at = vec![0; 2 * found.len()];
        for (e, (_, places)) in found.iter().enumerate() {
            for place in places {
                edge_at[*place as usize] = e as u32;
            }
        }
        let edge = |(edge, _): &(Edge, [u32; 2])| PolytopeEdge { ends: edge.ends, faces: edge.faces };
        let edges: Vec<PolytopeEdge> = found.iter().map(edge).collect();
        let mut begin = 0;
        let mut edges_along = |face: &Vec<u32>| {
            begin += face.len();
            edge_at[begin - face.len()..begin].to_vec()
        };
        let loop_edges: Vec<Vec<u32>> = loops.iter().map(&mut edges_along).collect();
        let empty = || vec![Vec::new(); vertex_count];
        let (mut neighbours, mut vertex_edges, mut vertex_faces) = (empty(), empty(), empty());
        for (e, edge) in edges.iter().enumerate() {
            let [a, b] = edge.ends;
            for (v, other) in [(a, b), (b, a)] {
                neighbours[v as usize].push(other);
                vertex_edges[v as usize].push(e as u32);
            }
        }
        for (f, face) in loops.iter().enumerate() {
            for v in face {
                vertex_faces[*v as usize].push(f as u32);
            }
        }
        Self {
            loops: Rows::from_lists(loops),
            loop_edges: Rows::from_lists(&loop_edges),
            edges,
            neighbours: Rows::from_lists(&neighbours),
            vertex_edges: Rows::from_lists(&vertex_edges),
            vertex_faces: Rows::from_lists(&vertex_faces),
        }
    }
}

impl Polytope {
    /// A box about the origin.
    pub fn cuboid(half: DVec3) -> Self {
        let sign = |v: u32, bit: u32| if v >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8).map(|v| half * dvec3(sign(v, 0), sign(v, 1), sign(v, 2))).collect();
        let planes = (0..6)
            .map(|f| {
                let (axis, sign) = (f / 2, if f % 2 == 0 { 1.0 } else { -1.0 });
                (sign * DVec3::AXES[axis], half[axis])
            })
            .collect();
        Self::assemble(vertices, planes, CUBOID.clone(), Support::Cuboid)
    }

    /// A convex hull; the numbers of its vertices, faces and edges stay.
    pub fn hull(hull: &Hull) -> Self {
        let loops: Vec<Vec<u32>> = hull.faces().map(<[u32]>::to_vec).collect();
        Self::from_loops(hull.vertices().to_vec(), &loops)
    }

    /// A flat convex polygon, counterclockwise seen from its front; `None` without three corners or an area.
    pub fn polygon(corners: &[DVec3]) -> Option<Self> {
        let front: Vec<u32> = (0..corners.len() as u32).collect();
        let has_area = corners.len() >= 3 && newell(corners, &front).length_squared() > 0.0;
        let back = front.iter().rev().copied().collect();
        (has_area && corners.iter().all(|c| c.is_finite()))
            .then(|| Self::from_loops(corners.to_vec(), &[front, back]))
    }

    /// As [`Polytope::polygon`] for three corners, and cheaper; without an area its normals are zero.
    pub(crate) fn triangle(corners: [DVec3; 3]) -> Self {
        let normal = newell(&corners, &[0, 1, 2]).normalize_or_zero();
        let plane = |n: DVec3| (n, corners.iter().fold(f64::NEG_INFINITY, |most, v| most.max(n.dot(*v))));
        let planes = vec![plane(normal), plane(-normal)];
        Self::assemble(corners.to_vec(), planes, TRIANGLE.clone(), Support::Scan)
    }

    fn from_loops(vertices: Vec<DVec3>, loops: &[Vec<u32>]) -> Self {
        let topology = Arc::new(Topology::new(vertices.len(), loops));
        let extent = vertices.iter().fold(0.0_f64, |most, x| most.max(x.abs().max_element()));
        let tree = OnceCell::new();
        let planes = loops
            .iter()
            .map(|face| {
                let normal = newell(&vertices, face).normalize_or_zero();
                // Of a hundred thousand faces this takes long; a start that is told to end throws the hull away.
                if work::is_over() {
                    let own = face.iter().map(|v| normal.dot(vertices[*v as usize]));
                    return (normal, own.fold(f64::NEG_INFINITY, f64::max));
                }
                // Over all vertices: however badly rounded the normal of a sliver is, the body is behind the plane.
                let near = beside(&vertices, |v| topology.neighbours.row(v), normal, face, extent);
                let offset = near.unwrap_or_else(|| {
                    let own = face.iter().map(|v| normal.dot(vertices[*v as usize]));
                    let tree = tree.get_or_init(|| Reach::new(&vertices));
                    tree.along(normal, own.fold(f64::NEG_INFINITY, f64::max))
                });
                (normal, offset)
            })
            .collect();
        let support = if vertices.len() < CLIMB_FROM { Support::Scan } else { Support::Climb };
        Self::assemble(vertices, planes, topology, support)
    }

    fn assemble(
        vertices: Vec<DVec3>,
        planes: Vec<(DVec3, f64)>,
        topology: Arc<Topology>,
        support: Support,
    ) -> Self {
        let side = |edge: &PolytopeEdge| {
            let [a, b] = edge.ends.map(|v| vertices[v as usize]);
            let along = unit(b - a);
            // Walking a face counterclockwise, its inside is on the left: n × along.
            let [left, right] = edge.faces.map(|f| planes[f as usize].0.cross(along));
            Side {
                along,
                length: a.distance(b),
                inward: [left.normalize_or_zero(), -right.normalize_or_zero()],
            }
        };
        let sides = topology.edges.iter().map(side).collect();
        let (mut low, mut high) = (vertices[0], vertices[0]);
        for v in &vertices {
            (low, high) = (low.min(*v), high.max(*v));
        }
        let size = (high - low).max_element();
        let extent = low.abs().max(high.abs()).max_element();
        let centre = vertices.iter().fold(DVec3::ZERO, |sum, v| sum + *v / vertices.len() as f64);
        let bounds = Aabb { min: low, max: high };
        let beside = match support {
            Support::Climb => topology.neighbours.values.iter().map(|v| vertices[*v as usize]).collect(),
            Support::Cuboid | Support::Scan => Vec::new(),
        };
        Self { vertices, planes, sides, topology, support, beside, centre, bounds, size, extent }
    }

    /// All vertices, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// A vertex, m.
    #[inline]
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// How many faces there are.
    pub fn face_count(&self) -> u32 {
        self.planes.len() as u32
    }

    /// The vertices of a face, counterclockwise seen from outside.
    pub fn face(&self, face: u32) -> &[u32] {
        self.topology.loops.row(face)
    }

    /// The edges of a face: place k leads from vertex k of its loop to the next.
    pub fn face_edges(&self, face: u32) -> &[u32] {
        self.topology.loop_edges.row(face)
    }

    /// The outward unit normal n of a face and its offset: n·x = offset, m.
    #[inline]
    pub fn plane(&self, face: u32) -> (DVec3, f64) {
        self.planes[face as usize]
    }

    /// All edges, sorted by their ends.
    pub fn edges(&self) -> &[PolytopeEdge] {
        &self.topology.edges
    }

    /// An edge.
    #[inline]
    pub fn edge(&self, edge: u32) -> PolytopeEdge {
        self.topology.edges[edge as usize]
    }

    /// The unit vector along an edge, from its first end to its second.
    #[inline]
    pub fn edge_direction(&self, edge: u32) -> DVec3 {
        self.sides[edge as usize].along
    }

    #[inline]
    pub(crate) fn side(&self, edge: u32) -> &Side {
        &self.sides[edge as usize]
    }

    /// The edges at a vertex.
    pub fn edges_at(&self, vertex: u32) -> &[u32] {
        self.topology.vertex_edges.row(vertex)
    }

    /// The faces at a vertex.
    pub fn faces_at(&self, vertex: u32) -> &[u32] {
        self.topology.vertex_faces.row(vertex)
    }

    /// The mean of the vertices: a point inside.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// The box around it, with sides along the axes of its frame.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The longest side of its box, m.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The largest coordinate of any vertex, m: what rounding is measured by.
    pub fn extent(&self) -> f64 {
        self.extent
    }

    /// The furthest vertex in a direction (own frame); `hint` is a vertex that may be near it.
    ///
    /// On a convex body a vertex that no neighbour exceeds is the furthest. With rounded products it may fall short of the
    /// furthest by a few ulps of the size for every vertex on the way.
    #[inline]
    pub fn support(&self, direction: DVec3, hint: u32) -> u32 {
        match self.support {
            Support::Cuboid => {
                let d = direction;
                u32::from(d.x > 0.0) | u32::from(d.y > 0.0) << 1 | u32::from(d.z > 0.0) << 2
            }
            Support::Scan => self.scan(direction),
            Support::Climb => self.climb(direction, hint),
        }
    }

    /// Whether it is a box about the origin with sides along the axes: its own bounds.
    pub(crate) fn is_cuboid(&self) -> bool {
        matches!(self.support, Support::Cuboid)
    }

    fn scan(&self, direction: DVec3) -> u32 {
        let mut best = (0, direction.dot(self.vertices[0]));
        for (v, x) in self.vertices.iter().enumerate().skip(1) {
            let height = direction.dot(*x);
            if height > best.1 {
                best = (v as u32, height);
            }
        }
        best.0
    }

    fn climb(&self, direction: DVec3, hint: u32) -> u32 {
        let mut at = if (hint as usize) < self.vertices.len() { hint } else { 0 };
        let mut height = direction.dot(self.vertex(at));
        let neighbours = &self.topology.neighbours;
        // Strictly upwards, so no vertex comes twice.
        loop {
            let mut next = at;
            let row = neighbours.range(at);
            for (x, &v) in self.beside[row.clone()].iter().zip(&neighbours.values[row]) {
                let other = direction.dot(*x);
                if other > height {
                    (next, height) = (v, other);
                }
            }
            if next == at {
                return at;
            }
            at = next;
        }
    }
}

/// Twice the area of a face along its normal, from one of its corners so that nothing large cancels.
fn newell(vertices: &[DVec3], face: &[u32]) -> DVec3 {
    let origin = vertices[face[0] as usize];
    let arm = |k: usize| vertices[face[k] as usize] - origin;
    // In units of the face's size, so that the product of tiny lengths does not underflow.
    let scale = (1..face.len()).fold(0.0_f64, |most, k| most.max(arm(k).abs().max_element()));
    if scale == 0.0 {
        return DVec3::ZERO;
    }
    (1..face.len() - 1).fold(DVec3::ZERO, |sum, k| sum + (arm(k) / scale).cross(arm(k + 1) / scale))
}

/// The unit vector of a difference of any size.
fn unit(v: DVec3) -> DVec3 {
    let scale = v.abs().max_element();
    if scale > 0.0 { (v / scale).normalize() } else { DVec3::ZERO }
}

/// For each edge of a face, in the order of its loop, its first corner and the unit vector across it, into the face.
pub(crate) fn rim_distances(polytope: &Polytope, face: u32) -> impl Iterator<Item = (DVec3, DVec3)> {
    polytope.face(face).iter().zip(polytope.face_edges(face)).map(move |(corner, edge)| {
        let side = polytope.side(*edge);
        let first = polytope.edge(*edge).faces[0] == face;
        (polytope.vertex(*corner), side.inward[usize::from(!first)])
    })
}
