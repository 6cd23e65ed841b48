//! The part of a shape that lies against a plane: a point, a segment, or a flat face.

use super::super::Feature;
use super::piece::Piece;
use super::solid::{Core, Solid};
use crate::math::{DVec3, dvec3};

/// A point of a surface and the piece that it is on, in the core's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub(super) at: DVec3,
    pub(super) piece: Piece,
}

/// A circle in a flat face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circle {
    /// Its height on the axis.
    pub(super) z: f64,
    pub(super) radius: f64,
    /// Which rim of the shape it is.
    pub(super) rim: u32,
}

/// What of a shape is within the contact tolerance of its supporting plane, in the core's frame.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "two of them live on the stack for one query")]
pub(super) enum Flat {
    Point,
    Segment {
        ends: [Spot; 2],
        /// The piece between them.
        middle: Piece,
    },
    Disc {
        face: Piece,
        circle: Circle,
    },
    Polygon {
        face: Piece,
        number: u32,
    },
    /// An infinite plane.
    All {
        face: Piece,
    },
}

impl Flat {
    /// The flat face, if it is one.
    pub(super) fn face(&self) -> Option<&Piece> {
        match self {
            Self::Disc { face, .. } | Self::Polygon { face, .. } | Self::All { face } => Some(face),
            Self::Point | Self::Segment { .. } => None,
        }
    }
}

impl Solid<'_> {
    /// The part of the shape within `tolerance` of its supporting plane with outward normal m, core's frame; of several edges
    /// of a polytope the one that is known to touch.
    pub(super) fn flat(&self, m: DVec3, touching: Feature, tolerance: f64) -> Flat {
        let across = (m.x * m.x + m.y * m.y).sqrt();
        let outwards = if across > 0.0 { dvec3(m.x / across, m.y / across, 0.0) } else { DVec3::X };
        let disc = |z: f64, radius: f64, side: f64, face: u32, rim: u32| Flat::Disc {
            face: self.flat_face(z, radius, side, face),
            circle: Circle { z, radius, rim },
        };
        match self.core {
            Core::Point | Core::Ellipsoid { .. } => Flat::Point,
            Core::Segment { half } => {
                if 2.0 * half * m.z.abs() > tolerance {
                    return Flat::Point;
                }
                let end = |sign: f64, number: u32| {
                    let centre = dvec3(0.0, 0.0, sign * half);
                    let piece = self.point_piece(centre, Feature::Surface(number));
                    Spot { at: centre + m * self.ball, piece }
                };
                Flat::Segment { ends: [end(-1.0, 1), end(1.0, 2)], middle: self.side(half, 0.0) }
            }
            Core::Cylinder { radius, half } => {
                if 2.0 * radius * across <= tolerance {
                    let (side, number) = if m.z < 0.0 { (-1.0, 0) } else { (1.0, 1) };
                    return disc(side * half, radius, side, number, number);
                }
                if 2.0 * half * m.z.abs() > tolerance {
                    return Flat::Point;
                }
                let end = |z: f64, number: u32| Spot {
                    at: outwards * radius + dvec3(0.0, 0.0, z),
                    piece: self.rim(z, radius, number),
                };
                Flat::Segment { ends: [end(-half, 0), end(half, 1)], middle: self.side(half, radius) }
            }
            Core::Cone { radius, height } => {
                if 2.0 * radius * across <= tolerance && m.z < 0.0 {
                    return disc(0.0, radius, -1.0, 0, 0);
                }
                let apex = dvec3(0.0, 0.0, height);
                // How much higher one end of the generator is than the other.
                if (radius * across - height * m.z).abs() > tolerance {
                    return Flat::Point;
                }
                let tip = Spot { at: apex, piece: self.point_piece(apex, Feature::Vertex(0)) };
                let foot = Spot { at: outwards * radius, piece: self.rim(0.0, radius, 0) };
                Flat::Segment { ends: [tip, foot], middle: self.cone_side(radius, height) }
            }
            Core::Disc { radius } => {
                if 2.0 * radius * across > tolerance {
                    return Flat::Point;
                }
                let (side, face) = if m.z < 0.0 { (-1.0, 1) } else { (1.0, 0) };
                disc(0.0, radius, side, face, 0)
            }
            Core::Polytope(_) => self.flat_of_polytope(m, touching, tolerance),
            Core::Plane { normal, offset } => {
                let (side, face) = if m.dot(normal) < 0.0 { (-1.0, 1) } else { (1.0, 0) };
                Flat::All { face: self.plane_piece(side * normal, side * offset, face) }
            }
        }
    }

    /// The tip of a cone for its side, where that touches at the tip: a cone has no tangents there.
    pub(super) fn tip_instead(&self, piece: Piece, at: DVec3, tolerance: f64) -> Piece {
        let Core::Cone { height, .. } = self.core else { return piece };
        let tip = dvec3(0.0, 0.0, height);
        let is_at_tip = piece.feature == Feature::Surface(0) && at.distance(tip) <= tolerance;
        if is_at_tip { self.point_piece(tip, Feature::Vertex(0)) } else { piece }
    }

    fn flat_of_polytope(&self, m: DVec3, touching: Feature, tolerance: f64) -> Flat {
        let Core::Polytope(polytope) = self.core else { return Flat::Point };
        let top = self.furthest(polytope, m);
        let height = m.dot(polytope.vertex(top));
        let is_low = |v: &u32| height - m.dot(polytope.vertex(*v)) <= tolerance;
        let faces = polytope.faces_at(top);
        let facing = |f: u32| polytope.plane(f).0.dot(m);
        let flattest = faces.iter().fold(faces[0], |f, &g| if facing(g) > facing(f) { g } else { f });
        if facing(flattest) > 0.0 && polytope.face(flattest).iter().all(is_low) {
            return Flat::Polygon { face: self.face_piece(flattest), number: flattest };
        }
        let lying = |e: &&u32| polytope.edge(**e).ends.iter().all(is_low);
        let lying_at = |vertex: u32| polytope.edges_at(vertex).iter().copied().find(|e| lying(&e));
        let known = match touching {
            // An edge that touches with its end alone was named for the one that lies there.
            Feature::Edge(edge) => Some(edge).filter(|e| lying(&e)).or_else(|| lying_at(top)),
            Feature::Vertex(vertex) => lying_at(vertex),
            _ => lying_at(top),
        };
        let Some(edge) = known else { return Flat::Point };
        let end = |v: u32| {
            let at = polytope.vertex(v);
            Spot { at, piece: self.point_piece(at, Feature::Vertex(v)) }
        };
        Flat::Segment { ends: polytope.edge(edge).ends.map(end), middle: self.edge_piece(edge) }
    }
}
