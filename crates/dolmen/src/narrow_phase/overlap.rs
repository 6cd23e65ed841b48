//! Witnesses of interpenetration.

use super::relative::{Relative, View};
use super::{Pair, Placed, Polytope, Statistics, UnsupportedPair, Witness, composite, pair, round, separate};
use crate::math::DVec3;

/// Why two shapes certainly overlap. [NOTES, collision detection]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// A vertex of a is inside of b.
    VertexOfA(u32),
    /// A vertex of b is inside of a.
    VertexOfB(u32),
    /// An edge of a goes through a face of b.
    EdgeOfA {
        /// Of a.
        edge: u32,
        /// Of b.
        face: u32,
    },
    /// An edge of b goes through a face of a.
    EdgeOfB {
        /// Of b.
        edge: u32,
        /// Of a.
        face: u32,
    },
    /// None of these, and still they overlap: equal cubes exactly over each other, one lowered into the other.
    Aligned,
    /// One has a curved surface or is not convex: their separation is negative by more than rounding.
    Measured,
}

/// A witness that two shapes overlap by more than rounding, or `None` when they do not; `hint` is the one of the last query.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn overlap(a: &Placed, b: &Placed, hint: Option<Overlap>) -> Result<Option<Overlap>, UnsupportedPair> {
    let (p, q) = match pair(a, b)? {
        Pair::Round => return round::overlap(a, b),
        Pair::Composite => return composite::overlap(a, b),
        Pair::Polytopes(p, q) | Pair::Plate(p, q, _) => (p, q),
        Pair::OnPlane(p, plane) => {
            let (low, _) = plane.height(p, &Relative::new(&a.pose, &b.pose), Witness::Unknown);
            return Ok((low.lowest < 0.0).then_some(Overlap::VertexOfA(low.vertex)));
        }
        Pair::UnderPolytope(plane, p) => {
            let (low, _) = plane.height(p, &Relative::new(&b.pose, &a.pose), Witness::Unknown);
            return Ok((low.lowest < 0.0).then_some(Overlap::VertexOfB(low.vertex)));
        }
    };
    let here = View::new(p, q, Relative::new(&a.pose, &b.pose));
    let there = here.exchanged();
    let holds = |witness: &Overlap| match *witness {
        Overlap::VertexOfA(v) => v < p.vertices().len() as u32 && here.vertex_inside(v),
        Overlap::VertexOfB(v) => v < q.vertices().len() as u32 && there.vertex_inside(v),
        Overlap::EdgeOfA { edge, face } => here.is_through(edge, face),
        Overlap::EdgeOfB { edge, face } => there.is_through(edge, face),
        Overlap::Aligned | Overlap::Measured => false,
    };
    if let Some(hint) = hint.filter(holds) {
        return Ok(Some(hint));
    }
    let distance = separate(a, b, &mut Witness::Unknown, &mut Statistics::default())?.distance;
    if distance >= -here.rounding {
        return Ok(None);
    }
    let vertex = |view: &View| (0..view.a.vertices().len() as u32).find(|v| view.vertex_inside(*v));
    let edge = |view: &View| {
        let faces = |e: u32| (0..view.b.face_count()).map(move |f| (e, f));
        (0..view.a.edges().len() as u32).flat_map(faces).find(|&(e, f)| view.is_through(e, f))
    };
    let found = vertex(&here).map(Overlap::VertexOfA);
    let found = found.or_else(|| vertex(&there).map(Overlap::VertexOfB));
    let found = found.or_else(|| edge(&here).map(|(edge, face)| Overlap::EdgeOfA { edge, face }));
    let found = found.or_else(|| edge(&there).map(|(edge, face)| Overlap::EdgeOfB { edge, face }));
    Ok(Some(found.unwrap_or(Overlap::Aligned)))
}

impl View<'_> {
    /// Whether a vertex of a is inside of b by more than rounding.
    fn vertex_inside(&self, vertex: u32) -> bool {
        let x = self.vertex_a(vertex);
        (0..self.b.face_count()).all(|f| {
            let (normal, offset) = self.b.plane(f);
            normal.dot(x) < offset - self.rounding
        })
    }

    /// Whether an edge of a has ends on both sides of a face of b, by more than rounding, and goes through its inside.
    fn is_through(&self, edge: u32, face: u32) -> bool {
        if edge as usize >= self.a.edges().len() || face >= self.b.face_count() {
            return false;
        }
        let (normal, offset) = self.b.plane(face);
        let [p, q] = self.a.edge(edge).ends.map(|v| self.vertex_a(v));
        let (height_p, height_q) = (normal.dot(p) - offset, normal.dot(q) - offset);
        if height_p.min(height_q) >= -self.rounding || height_p.max(height_q) <= self.rounding {
            return false;
        }
        let x = p + (q - p) * (height_p / (height_p - height_q));
        rim_distances(self.b, face).all(|(corner, inward)| inward.dot(x - corner) > self.rounding)
    }
}

/// For each edge of a face, in the order of its loop, its first corner and the unit vector across it, into the face.
pub(super) fn rim_distances(polytope: &Polytope, face: u32) -> impl Iterator<Item = (DVec3, DVec3)> {
    polytope.face(face).iter().zip(polytope.face_edges(face)).map(move |(corner, edge)| {
        let side = polytope.side(*edge);
        let first = polytope.edge(*edge).faces[0] == face;
        (polytope.vertex(*corner), side.inward[usize::from(!first)])
    })
}
