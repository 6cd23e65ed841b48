//! Polytopes and meshes in one view: flat facets with their real edges and corners, in the frame of the host; and where the
//! facets of two of them touch.

use super::super::couple::{PieceKind, PieceView};
use super::super::parts::{NONE, Numbers, Surface};
use super::super::tolerance::{LEAN, OPPOSED, PARALLEL, RIM};
use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{Feature, Geometry, Polytope};

/// A piece with flat faces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Faceted<'a> {
    kind: Kind<'a>,
    pose: Pose,
    own: Pose,
    pub(super) first: Numbers,
}

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Polytope(&'a Polytope),
    Surface(&'a Surface),
}

/// A face of a polytope, or a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet<'a> {
    /// The face or flat region it is of.
    face: u32,
    normal: DVec3,
    corners: &'a [DVec3],
    /// The numbers of the corners; [`NONE`] where flat.
    vertices: &'a [u32],
    /// The edges after the corners; [`NONE`] where flat.
    edges: &'a [u32],
    bounds: Aabb,
}

/// The facets of an element, one after the other, in buffers that are filled anew.
#[derive(Debug, Clone, Default)]
pub(super) struct Facets {
    /// Face, normal, bounds and the end of the corners of each.
    all: Vec<(u32, DVec3, Aabb, usize)>,
    corners: Vec<DVec3>,
    vertices: Vec<u32>,
    edges: Vec<u32>,
}

impl Facets {
    /// Takes the facets of a piece with these numbers instead of what it has.
    pub(super) fn fill(&mut self, piece: &Faceted, numbers: std::ops::Range<u32>) {
        self.all.clear();
        self.corners.clear();
        self.vertices.clear();
        self.edges.clear();
        for number in numbers {
            let triangle;
            let (face, vertices, edges): (u32, &[u32], &[u32]) = match piece.kind {
                Kind::Polytope(p) => (number, p.face(number), p.face_edges(number)),
                Kind::Surface(s) => {
                    triangle = (s.triangle(number), s.edges_of(number));
                    (s.region(number), &triangle.0, &triangle.1)
                }
            };
            let mut bounds = Aabb::EMPTY;
            for &v in vertices {
                let corner = piece.vertex(v);
                bounds = bounds.join(&Aabb::point(corner));
                self.corners.push(corner);
                self.vertices.push(if piece.edges_at(v).is_empty() { NONE } else { v });
            }
            self.edges.extend_from_slice(edges);
            self.all.push((face, piece.normal(face), bounds, self.corners.len()));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Facet<'_>> {
        self.all.iter().enumerate().map(|(k, &(face, normal, bounds, end))| {
            let range = if k == 0 { 0 } else { self.all[k - 1].3 }..end;
            let (vertices, edges) = (&self.vertices[range.clone()], &self.edges[range.clone()]);
            Facet { face, normal, corners: &self.corners[range], vertices, edges, bounds }
        })
    }
}

/// An edge between two faces.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeView {
    pub(super) ends: [DVec3; 2],
    /// Unit, from the first end to the second.
    pub(super) along: DVec3,
    pub(super) faces: [u32; 2],
    /// Unit vectors within the faces, across the edge, inwards.
    pub(super) inward: [DVec3; 2],
}

impl<'a> Faceted<'a> {
    /// `None` for what is round or infinite.
    pub(super) fn new(piece: &PieceView<'a>) -> Option<Self> {
        let kind = match piece.kind {
            PieceKind::Mesh(surface) => Kind::Surface(surface),
            PieceKind::Convex(Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. }) => {
                Kind::Polytope(p)
            }
            PieceKind::Convex(_) => return None,
        };
        Some(Self { kind, pose: piece.pose, own: piece.own, first: piece.first })
    }

    /// Faces of a polytope; for a mesh the caller names triangles.
    pub(super) fn facet_count(&self) -> u32 {
        match self.kind {
            Kind::Polytope(p) => p.face_count(),
            Kind::Surface(s) => s.triangle_count(),
        }
    }

    /// A vertex in the frame of the host.
    pub(super) fn vertex(&self, vertex: u32) -> DVec3 {
        self.pose.point(match self.kind {
            Kind::Polytope(p) => p.vertex(vertex),
            Kind::Surface(s) => s.vertices[vertex as usize],
        })
    }

    /// A vertex in the frame of its shape.
    pub(super) fn own_vertex(&self, vertex: u32) -> DVec3 {
        match self.kind {
            Kind::Polytope(p) => self.own.point(p.vertex(vertex)),
            Kind::Surface(s) => s.vertices[vertex as usize],
        }
    }

    /// The outward unit normal of a face.
    pub(super) fn normal(&self, face: u32) -> DVec3 {
        self.pose.direction(match self.kind {
            Kind::Polytope(p) => p.plane(face).0,
            Kind::Surface(s) => s.normal(face),
        })
    }

    /// How high a point is over the plane of a face, along its outward normal.
    pub(super) fn height_over(&self, face: u32, at: DVec3) -> f64 {
        self.normal(face).dot(at - self.point_of(face))
    }

    /// A point of a face.
    fn point_of(&self, face: u32) -> DVec3 {
        match self.kind {
            Kind::Polytope(p) => self.vertex(p.face(face)[0]),
            Kind::Surface(s) => self.vertex(s.triangle(s.triangle_of_region(face))[0]),
        }
    }

    pub(super) fn edges_at(&self, vertex: u32) -> &'a [u32] {
        match self.kind {
            Kind::Polytope(p) => p.edges_at(vertex),
            Kind::Surface(s) => s.edges_at(vertex),
        }
    }

    /// Whether nothing is beside the edge but its faces: no groove.
    fn is_convex(&self, edge: u32) -> bool {
        match self.kind {
            Kind::Polytope(_) => true,
            Kind::Surface(s) => s.edges[edge as usize].is_convex,
        }
    }

    /// Whether all edges at a vertex are grooves: its faces are touched there as anywhere else.
    fn is_hollow(&self, vertex: u32) -> bool {
        self.edges_at(vertex).iter().all(|edge| !self.is_convex(*edge))
    }

    /// Whether a groove ends, or turns, at a vertex.
    fn ends_groove(&self, vertex: u32) -> bool {
        self.edges_at(vertex).iter().any(|edge| !self.is_convex(*edge))
    }

    fn edge_numbers(&self, edge: u32) -> ([u32; 2], [u32; 2]) {
        match self.kind {
            Kind::Polytope(p) => (p.edge(edge).ends, p.edge(edge).faces),
            Kind::Surface(s) => (s.edges[edge as usize].ends, s.edges[edge as usize].faces),
        }
    }

    pub(super) fn edge(&self, edge: u32) -> EdgeView {
        let (numbers, faces) = self.edge_numbers(edge);
        let ends = numbers.map(|v| self.vertex(v));
        let along = (ends[1] - ends[0]).normalize_or_zero();
        // Walking a face counterclockwise, its inside is on the left.
        let [left, right] = faces.map(|f| self.normal(f).cross(along));
        EdgeView { ends, along, faces, inward: [left, -right] }
    }

    /// The ends of an edge, by number.
    pub(super) fn ends(&self, edge: u32) -> [u32; 2] {
        self.edge_numbers(edge).0
    }

    /// The faces at a feature, in ascending order.
    pub(super) fn faces_at(&self, feature: Feature) -> impl Iterator<Item = u32> + use<'a> {
        let one = *self;
        // The least of those beyond the last one each time: there are few, and no list of them is needed.
        let after = move |least: u32| -> Option<u32> {
            let faces = |e: u32| one.edge_numbers(e).1.into_iter().filter(move |f| *f >= least);
            match feature {
                Feature::Vertex(v) => one.edges_at(v).iter().flat_map(|e| faces(*e)).min(),
                Feature::Edge(e) => faces(e).min(),
                Feature::Face(f) => Some(f).filter(|f| *f >= least),
                Feature::Rim(_) | Feature::Surface(_) => None,
            }
        };
        std::iter::successors(after(0), move |f| f.checked_add(1).and_then(after))
    }

    /// Vectors from a feature along the piece: to the other ends of the edges at a vertex, along and across an edge.
    pub(super) fn arms(&self, feature: Feature) -> impl Iterator<Item = DVec3> + use<'a> {
        let one = *self;
        let at_vertex = match feature {
            Feature::Vertex(v) => Some(v),
            _ => None,
        };
        let along_edge = match feature {
            Feature::Edge(e) => {
                let edge = self.edge(e);
                let length = edge.ends[0].distance(edge.ends[1]);
                Some([edge.along, -edge.along, edge.inward[0], edge.inward[1]].map(|d| d * length))
            }
            _ => None,
        };
        let to_others = at_vertex.into_iter().flat_map(move |v| {
            one.edges_at(v).iter().map(move |e| {
                let [p, q] = one.ends(*e);
                one.vertex(if p == v { q } else { p }) - one.vertex(v)
            })
        });
        to_others.chain(along_edge.into_iter().flatten())
    }

    /// The mean of the outward normals of the faces at a feature, unit; zero when they cancel.
    pub(super) fn mean_normal(&self, feature: Feature) -> DVec3 {
        let sum: DVec3 = self.faces_at(feature).map(|f| self.normal(f)).sum();
        sum.normalize_or_zero()
    }

    /// Whether the piece is on the side of a plane through a feature that its normal points to, up to the tolerance.
    pub(super) fn is_beyond(&self, feature: Feature, normal: DVec3, tolerance: f64) -> bool {
        self.arms(feature).all(|d| normal.dot(d) >= -(RIM * tolerance + LEAN * d.length()))
    }
}

/// Where on a face a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rim {
    /// At a corner that is not a hollow.
    Vertex(u32),
    /// On an edge that is not a groove.
    Edge(u32),
    Inside,
}

/// Two features within the contact tolerance of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// A vertex, edge or face of the guest, as its piece numbers it.
    pub(super) guest: Feature,
    pub(super) host: Feature,
    /// Where: the vertex, or between the edges.
    pub(super) at: DVec3,
    /// Unit, from host to guest.
    pub(super) normal: DVec3,
    /// Where the vertex is on the face.
    pub(super) rim: Rim,
}

/// Adds what touches between a facet of the guest and one of the host.
pub(super) fn touch(
    (guest, f): (&Faceted, &Facet),
    (host, g): (&Faceted, &Facet),
    tolerance: f64,
    touches: &mut Vec<Touch>,
) {
    if !f.comes_near(g, tolerance) {
        return;
    }
    for (k, &v) in f.vertices.iter().enumerate() {
        let at = f.corners[k];
        if v != NONE
            && let Some(rim) = g.holds(host, at, tolerance)
            && guest.is_beyond(Feature::Vertex(v), g.normal, tolerance)
        {
            let (guest, host) = (Feature::Vertex(v), Feature::Face(g.face));
            touches.push(Touch { guest, host, at, normal: g.normal, rim });
        }
    }
    for (k, &v) in g.vertices.iter().enumerate() {
        let at = g.corners[k];
        if v != NONE
            && let Some(rim) = f.holds(guest, at, tolerance)
            && host.is_beyond(Feature::Vertex(v), f.normal, tolerance)
        {
            let (guest, host) = (Feature::Face(f.face), Feature::Vertex(v));
            touches.push(Touch { guest, host, at, normal: -f.normal, rim });
        }
    }
    for &a in f.edges.iter().filter(|e| **e != NONE && guest.is_convex(**e)) {
        for &b in g.edges.iter().filter(|e| **e != NONE && host.is_convex(**e)) {
            touches.extend(crossing((guest, a), (host, b), tolerance));
        }
    }
}

impl Facet<'_> {
    /// Whether the boxes are near each other, and neither is on one side of the other's plane.
    fn comes_near(&self, other: &Self, tolerance: f64) -> bool {
        let apart = (self.bounds.min - other.bounds.max).max(other.bounds.min - self.bounds.max);
        let meets_plane = |plane: &Self, points: &[DVec3]| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in points {
                let height = plane.normal.dot(*p - plane.corners[0]);
                (low, high) = (low.min(height), high.max(height));
            }
            low <= tolerance && high >= -tolerance
        };
        apart.max_element() <= tolerance
            && meets_plane(self, other.corners)
            && meets_plane(other, self.corners)
    }

    /// Where a point within the tolerance of the facet is on its face; `None` for a point that is not.
    fn holds(&self, owner: &Faceted, at: DVec3, tolerance: f64) -> Option<Rim> {
        if self.normal.dot(at - self.corners[0]).abs() > tolerance {
            return None;
        }
        let mut rim = Rim::Inside;
        for (k, corner) in self.corners.iter().enumerate() {
            let next = self.corners[(k + 1) % self.corners.len()];
            let inward = self.normal.cross((next - *corner).normalize_or_zero());
            let height = inward.dot(at - *corner);
            if height < -tolerance {
                return None;
            }
            let edge = self.edges[k];
            if height <= RIM * tolerance && edge != NONE && owner.is_convex(edge) {
                rim = rim.min(Rim::Edge(edge));
            }
            let vertex = self.vertices[k];
            if vertex != NONE && at.distance(*corner) <= RIM * tolerance && !owner.is_hollow(vertex) {
                rim = rim.min(Rim::Vertex(vertex));
            }
        }
        Some(rim)
    }
}

/// Two edges that cross within both, by more than half the tolerance from their ends, or at the end of a groove.
fn crossing((guest, a): (&Faceted, u32), (host, b): (&Faceted, u32), tolerance: f64) -> Option<Touch> {
    let (edge_a, edge_b) = (guest.edge(a), host.edge(b));
    let cross = edge_a.along.cross(edge_b.along);
    let sine2 = cross.length_squared();
    if sine2.is_nan() || sine2 <= PARALLEL * PARALLEL {
        return None;
    }
    // p + s u and q + t v with (q − p) + t v − s u along u × v.
    let between = edge_b.ends[0] - edge_a.ends[0];
    let s = between.cross(edge_b.along).dot(cross) / sine2;
    let t = between.cross(edge_a.along).dot(cross) / sine2;
    // An edge that lies in a groove ends its contact where the groove does, at the ends of the edges beside it.
    let margins = |piece: &Faceted, edge: u32| {
        piece.ends(edge).map(|v| if piece.ends_groove(v) { -tolerance } else { 0.5 * tolerance })
    };
    let within = |x: f64, e: &EdgeView, [first, last]: [f64; 2]| {
        x >= first && x <= e.ends[0].distance(e.ends[1]) - last
    };
    if !within(s, &edge_a, margins(guest, a)) || !within(t, &edge_b, margins(host, b)) {
        return None;
    }
    let (on_a, on_b) = (edge_a.ends[0] + edge_a.along * s, edge_b.ends[0] + edge_b.along * t);
    if on_a.distance(on_b) > tolerance {
        return None;
    }
    // All of the guest is above its edge and all of the host below: so for the faces beside them.
    let parts = |normal: &DVec3| {
        edge_a.inward.iter().all(|d| normal.dot(*d) >= -LEAN)
            && edge_b.inward.iter().all(|d| normal.dot(*d) <= LEAN)
    };
    // Of two faces on each other the normal is known, even where edges are so nearly parallel that their product is not.
    let of_faces = opposed_faces((guest, &edge_a.faces), (host, &edge_b.faces))
        .map(|[_, face]| host.normal(face))
        .find(parts);
    let unit = cross / sine2.sqrt();
    let up = edge_a.inward[0] + edge_a.inward[1] - edge_b.inward[0] - edge_b.inward[1];
    let of_edges = if unit.dot(up) < 0.0 { -unit } else { unit };
    let normal = of_faces.or_else(|| Some(of_edges).filter(parts))?;
    let (guest, host) = (Feature::Edge(a), Feature::Edge(b));
    Some(Touch { guest, host, at: 0.5 * (on_a + on_b), normal, rim: Rim::Inside })
}

/// The pairs of a face of the guest and one of the host that are opposite each other.
pub(super) fn opposed_faces<'a>(
    (guest, faces): (&'a Faceted<'a>, &'a [u32]),
    (host, others): (&'a Faceted<'a>, &'a [u32]),
) -> impl Iterator<Item = [u32; 2]> + 'a {
    let pairs = faces.iter().flat_map(move |f| others.iter().map(move |g| [*f, *g]));
    pairs.filter(move |[f, g]| is_opposed(guest.normal(*f), host.normal(*g)))
}

/// Whether two unit normals are opposite each other up to the angle that counts as such.
pub(super) fn is_opposed(a: DVec3, b: DVec3) -> bool {
    a.dot(b) < 0.0 && a.cross(b).length_squared() < OPPOSED * OPPOSED
}
