//! The numbers of features: those of all parts one after the other.

use crate::narrow_phase::{Feature, Geometry};

/// How many features of each kind there are, or which number is the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Numbers {
    pub(in super::super) vertex: u32,
    pub(in super::super) edge: u32,
    pub(in super::super) face: u32,
    pub(in super::super) rim: u32,
    pub(in super::super) surface: u32,
}

impl Numbers {
    pub(in super::super) fn plus(self, other: Self) -> Self {
        Self {
            vertex: self.vertex + other.vertex,
            edge: self.edge + other.edge,
            face: self.face + other.face,
            rim: self.rim + other.rim,
            surface: self.surface + other.surface,
        }
    }

    /// The feature of a part as one of the whole.
    pub(in super::super) fn name(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(self.vertex + v),
            Feature::Edge(e) => Feature::Edge(self.edge + e),
            Feature::Face(f) => Feature::Face(self.face + f),
            Feature::Rim(r) => Feature::Rim(self.rim + r),
            Feature::Surface(s) => Feature::Surface(self.surface + s),
        }
    }

    /// The number of a feature of the whole within the part that starts here, if it is not before it.
    pub(super) fn within(&self, feature: Feature) -> Option<u32> {
        match feature {
            Feature::Vertex(v) => v.checked_sub(self.vertex),
            Feature::Edge(e) => e.checked_sub(self.edge),
            Feature::Face(f) => f.checked_sub(self.face),
            Feature::Rim(r) => r.checked_sub(self.rim),
            Feature::Surface(s) => s.checked_sub(self.surface),
        }
    }

    pub(super) fn count(&self, feature: Feature) -> u32 {
        match feature {
            Feature::Vertex(_) => self.vertex,
            Feature::Edge(_) => self.edge,
            Feature::Face(_) => self.face,
            Feature::Rim(_) => self.rim,
            Feature::Surface(_) => self.surface,
        }
    }
}

/// Room for the features of one shape with curved surfaces: more than any has.
const ROUND_FEATURES: u32 = 16;

/// Of a polytope, plane or round shape.
pub(in super::super) fn counts_of(geometry: &Geometry) -> Numbers {
    match geometry {
        Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. } => Numbers {
            vertex: p.vertices().len() as u32,
            edge: p.edges().len() as u32,
            face: p.face_count(),
            ..Numbers::default()
        },
        Geometry::HalfSpace(_) => Numbers { face: 2, ..Numbers::default() },
        Geometry::Round(_) | Geometry::Composite(_) => {
            let n = ROUND_FEATURES;
            Numbers { vertex: n, edge: n, face: n, rim: n, surface: n }
        }
    }
}
