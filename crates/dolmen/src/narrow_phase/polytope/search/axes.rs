//! Axes of separation: of one face, of one edge pair, of all at a corner, of all there are.

use crate::math::DVec3;
use crate::narrow_phase::polytope::View;
use crate::narrow_phase::polytope::polyhedron::Side;
use crate::narrow_phase::tolerances::PARALLEL;
use crate::narrow_phase::{Feature, Witness};

/// A plane between two polytopes and how far they are from each other across it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// Unit normal from b to a, in the frame of b.
    pub(crate) normal: DVec3,
    /// min n·x over a − max n·y over b.
    pub(crate) separation: f64,
    pub(crate) a: Feature,
    pub(crate) b: Feature,
    /// The vertices that reach furthest across, of a and of b.
    pub(crate) nearest: [u32; 2],
}

impl Axis {
    pub(crate) fn witness(&self) -> Witness {
        Witness::Plane { a: self.a, b: self.b }
    }
}

impl View<'_> {
    /// The axis of a face of b; `hint` is a vertex of a.
    #[inline]
    pub(crate) fn face_of_b(&self, face: u32, hint: u32) -> Axis {
        let (normal, offset) = self.b.plane(face);
        let inward = -self.frame.back(normal);
        let vertex = self.a.support(inward, hint);
        let separation = normal.dot(self.frame.shift) - inward.dot(self.a.vertex(vertex)) - offset;
        let nearest = [vertex, self.b.face(face)[0]];
        Axis { normal, separation, a: Feature::Vertex(vertex), b: Feature::Face(face), nearest }
    }

    /// The axis of a face of a; `hint` is a vertex of b.
    #[inline]
    pub(crate) fn face_of_a(&self, face: u32, hint: u32) -> Axis {
        let (outward, offset) = self.a.plane(face);
        let normal = -(self.frame.turn * outward);
        let vertex = self.b.support(normal, hint);
        let separation = normal.dot(self.frame.shift) - normal.dot(self.b.vertex(vertex)) - offset;
        let nearest = [self.a.face(face)[0], vertex];
        Axis { normal, separation, a: Feature::Face(face), b: Feature::Vertex(vertex), nearest }
    }

    /// The axis along an edge of each; `None` when they are parallel.
    pub(crate) fn edges(&self, edge_a: u32, edge_b: u32) -> Option<Axis> {
        let (a, b) = (self.a.side(edge_a), self.b.side(edge_b));
        let along = self.frame.turn * a.along;
        let cross = along.cross(b.along);
        let length = cross.length();
        if length.is_nan() || length <= PARALLEL {
            return None;
        }
        // For edges almost parallel the rounded product leans along them. Made orthogonal to one, what is left of the
        // error turns the plane about the edges, whose points are as near to the plane as the angle is small.
        let normal = cross / length;
        let normal = (normal - along * along.dot(normal)).normalize();
        let towards_a = self.frame.turn * (a.inward[0] + a.inward[1]) - (b.inward[0] + b.inward[1]);
        let normal = if normal.dot(towards_a) < 0.0 { -normal } else { normal };
        Some(self.along(normal, (edge_a, edge_b)))
    }

    /// The axis with a given normal (frame of b), named after two edges.
    fn along(&self, normal: DVec3, (edge_a, edge_b): (u32, u32)) -> Axis {
        let inward = -self.frame.back(normal);
        let a = self.a.support(inward, self.a.edge(edge_a).ends[0]);
        let b = self.b.support(normal, self.b.edge(edge_b).ends[0]);
        let separation = self.separation_along(normal, [a, b]);
        Axis { normal, separation, a: Feature::Edge(edge_a), b: Feature::Edge(edge_b), nearest: [a, b] }
    }

    fn separation_along(&self, normal: DVec3, [a, b]: [u32; 2]) -> f64 {
        normal.dot(self.vertex_a(a) - self.b.vertex(b))
    }

    /// min n·x over a − max n·y over b for any unit normal in the frame of b.
    pub(crate) fn separation_of(&self, normal: DVec3) -> f64 {
        let a = self.a.support(-self.frame.back(normal), 0);
        self.separation_along(normal, [a, self.b.support(normal, 0)])
    }

    /// The axis of a cached witness, if it names features that there are.
    pub(crate) fn of_witness(&self, witness: Witness) -> Option<Axis> {
        let Witness::Plane { a, b } = witness else { return None };
        match (a, b) {
            (Feature::Vertex(hint), Feature::Face(face)) if face < self.b.face_count() => {
                Some(self.face_of_b(face, hint))
            }
            (Feature::Face(face), Feature::Vertex(hint)) if face < self.a.face_count() => {
                Some(self.face_of_a(face, hint))
            }
            (Feature::Edge(a), Feature::Edge(b))
                if (a as usize) < self.a.edges().len() && (b as usize) < self.b.edges().len() =>
            {
                self.edges(a, b)
            }
            _ => None,
        }
    }

    /// The best axis among the faces at two vertices and the pairs of edges at them.
    ///
    /// When the shapes are apart and these are their closest vertices, one of these axes separates: they are the facets of
    /// the difference body a − b at its vertex closest to the origin, and were the origin inside of all of them, the body
    /// would hold points closer to it.
    pub(crate) fn best_at(&self, [a, b]: [u32; 2]) -> Axis {
        let mut best = self.face_of_b(self.b.faces_at(b)[0], a);
        for &face in &self.b.faces_at(b)[1..] {
            replace_if_better(&mut best, self.face_of_b(face, a), 0.0);
        }
        for &face in self.a.faces_at(a) {
            replace_if_better(&mut best, self.face_of_a(face, b), 0.0);
        }
        for &edge_a in self.a.edges_at(a) {
            let side = self.turned(edge_a);
            for &edge_b in self.b.edges_at(b) {
                self.try_edges((edge_a, &side), edge_b, &mut best);
            }
        }
        best
    }

    /// The best axis of all: over every face and every pair of edges.
    pub(crate) fn best(&self) -> Axis {
        let mut best = self.face_of_b(0, 0);
        for face in 1..self.b.face_count() {
            let axis = self.face_of_b(face, best.nearest[0]);
            replace_if_better(&mut best, axis, 0.0);
        }
        for face in 0..self.a.face_count() {
            let axis = self.face_of_a(face, best.nearest[1]);
            replace_if_better(&mut best, axis, 0.0);
        }
        for edge_a in 0..self.a.edges().len() as u32 {
            let side = self.turned(edge_a);
            for edge_b in 0..self.b.edges().len() as u32 {
                self.try_edges((edge_a, &side), edge_b, &mut best);
            }
        }
        best
    }

    /// An edge of a in the frame of b.
    fn turned(&self, edge_a: u32) -> Side {
        let side = self.a.side(edge_a);
        Side {
            along: self.frame.turn * side.along,
            length: side.length,
            inward: side.inward.map(|t| self.frame.turn * t),
        }
    }

    /// Takes an edge pair when it is better; pairs that do not face each other are dismissed at once.
    ///
    /// The normal n must have all of a above its edge and all of b below: n·t ≥ 0 for the inward tangents t of a's faces,
    /// n·t ≤ 0 for those of b. (The arcs of the edges then cross on the Gauss map.) The tangents of a flat polygon's two
    /// faces are the same, so this holds for it as well.
    #[inline]
    fn try_edges(&self, (edge_a, side): (u32, &Side), edge_b: u32, best: &mut Axis) {
        let other = self.b.side(edge_b);
        let cross = side.along.cross(other.along);
        let up = cross.dot(side.inward[0]);
        // Up to rounding, on either side: a pair too many costs a little time, one too few may be the answer.
        let slack = 4.0 * f64::EPSILON;
        let sign = if up + cross.dot(side.inward[1]) < 0.0 { -1.0 } else { 1.0 };
        if sign * up < -slack
            || sign * cross.dot(side.inward[1]) < -slack
            || sign * cross.dot(other.inward[0]) > slack
            || sign * cross.dot(other.inward[1]) > slack
        {
            return;
        }
        let end_a = self.vertex_a(self.a.edge(edge_a).ends[0]);
        let apart = sign * cross.dot(end_a - self.b.vertex(self.b.edge(edge_b).ends[0]));
        let length = cross.length();
        // A bound that costs no support: most pairs are worse than the best by far.
        if apart < (best.separation - 1e3 * self.rounding) * length - self.rounding {
            return;
        }
        if let Some(axis) = self.edges(edge_a, edge_b) {
            replace_if_better(best, axis, self.rounding);
        }
    }
}

/// Ties go to the earlier one, that is to faces: they give whole contact regions.
fn replace_if_better(best: &mut Axis, other: Axis, margin: f64) {
    if other.separation > best.separation + margin {
        *best = other;
    }
}
