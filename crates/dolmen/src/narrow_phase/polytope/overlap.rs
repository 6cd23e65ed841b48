//! Witnesses of interpenetration.

use super::{Pair, View, rim_distances, separate};
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::{Overlap, Placed, Statistics, Witness};

/// A witness that two shapes overlap by more than rounding; `hint` is the one of the last query.
pub(crate) fn overlap(pair: &Pair, (a, b): (&Placed, &Placed), hint: Option<Overlap>) -> Option<Overlap> {
    let (p, q) = match *pair {
        Pair::Polytopes(p, q) | Pair::Plate(p, q, _) => (p, q),
        Pair::OnPlane(p, plane) => {
            let (low, _) = plane.height(p, &Relative::new(&a.pose, &b.pose), Witness::Unknown);
            return (low.lowest < 0.0).then_some(Overlap::VertexOfA(low.vertex));
        }
        Pair::UnderPolytope(plane, p) => {
            let (low, _) = plane.height(p, &Relative::new(&b.pose, &a.pose), Witness::Unknown);
            return (low.lowest < 0.0).then_some(Overlap::VertexOfB(low.vertex));
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
        return Some(hint);
    }
    let distance = separate(pair, (a, b), &mut Witness::Unknown, &mut Statistics::default()).distance;
    if distance >= -here.rounding {
        return None;
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
    Some(found.unwrap_or(Overlap::Aligned))
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
