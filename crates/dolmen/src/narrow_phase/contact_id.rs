//! The names of contacts: which features touch.

use super::Feature;

/// The features that touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactId {
    /// Of the first shape.
    pub a: Feature,
    /// Of the second.
    pub b: Feature,
}

/// What touches what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactKind {
    /// A vertex of one on a face of the other.
    VertexFace,
    /// Two edges that cross.
    EdgeEdge,
    /// Two vertices, with a local plane between their mean normals.
    VertexVertex,
    /// A vertex of one on an edge of the other, with a local plane between their mean normals.
    VertexEdge,
    /// Something with a curved surface or rim.
    Round,
}

impl ContactId {
    /// A number for each id of polytopes, in their order. Of features beyond the first half billion of a kind, which no
    /// memory holds, the order is not kept.
    pub(super) fn rank(&self) -> u64 {
        let rank = |feature: Feature| {
            let (kind, number) = match feature {
                Feature::Vertex(v) => (0, v),
                Feature::Edge(e) => (1, e),
                Feature::Face(f) => (2, f),
                Feature::Rim(r) => (3, r),
                Feature::Surface(s) => (4, s),
            };
            (kind << 29) | u64::from(number)
        };
        (rank(self.a) << 32) | rank(self.b)
    }

    /// What touches what.
    pub fn kind(&self) -> ContactKind {
        use Feature::{Edge, Face, Vertex};
        match (self.a, self.b) {
            (Vertex(_), Face(_)) | (Face(_), Vertex(_)) => ContactKind::VertexFace,
            (Edge(_), Edge(_)) => ContactKind::EdgeEdge,
            (Vertex(_), Vertex(_)) => ContactKind::VertexVertex,
            (Vertex(_), Edge(_)) | (Edge(_), Vertex(_)) => ContactKind::VertexEdge,
            _ => ContactKind::Round,
        }
    }
}
