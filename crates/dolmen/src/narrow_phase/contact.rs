//! One point at which two shapes touch, and its name: which features touch.

use super::{ContactFunction, Feature};
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// The features that touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    pub(crate) fn rank(&self) -> u64 {
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

/// One point at which two shapes touch, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Where, m.
    pub point: DVec3,
    /// Unit normal, from b to a.
    pub normal: DVec3,
    /// Signed, positive apart, m.
    pub separation: f64,
    /// Which features touch; the same from step to step as long as they do.
    pub id: ContactId,
    /// The separation as a function of the poses of the shapes' frames.
    pub function: ContactFunction,
}

impl Contact {
    /// What touches what.
    pub fn kind(&self) -> ContactKind {
        self.id.kind()
    }

    /// The same with the roles of the shapes exchanged.
    #[must_use]
    pub fn exchanged(&self) -> Self {
        let id = ContactId { a: self.id.b, b: self.id.a };
        Self { normal: -self.normal, id, function: self.function.exchanged(), ..*self }
    }
}
