//! Two shapes, at least one of them a mesh or compound, seen from the frame of the one called host.

use super::super::tolerance::ROUNDING;
use super::super::{Closest, ClosestHint, Feature, Geometry, Placed, UnsupportedPair, Witness};
use super::parts::Surface;
use super::parts::{Content, Element, Member, Numbers, Parts, compose};
use crate::math::{Aabb, DVec3, Pose};
use crate::shape::{Extent, Shape, Sides};
use crate::triangle::closest as closest_triangles;
use crate::triangle::hierarchy::{Between, Boxes, OneBox};
use std::cell::Cell;
use std::ops::ControlFlow;

/// One of the two shapes, with its frame seen from that of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) content: Contents<'a>,
    pub(super) pose: Pose,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Contents<'a> {
    One(&'a Geometry),
    Many(&'a Parts),
}

/// A convex part or a mesh of a side.
#[derive(Debug, Clone, Copy)]
pub(super) struct PieceView<'a> {
    pub(super) kind: PieceKind<'a>,
    /// Its frame in that of the host; for a mesh the frame of the composite.
    pub(super) pose: Pose,
    /// Its frame in that of its shape.
    pub(super) own: Pose,
    /// The numbers of its first features.
    pub(super) first: Numbers,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PieceKind<'a> {
    Convex(&'a Geometry),
    Mesh(&'a Surface),
}

impl<'a> Side<'a> {
    pub(super) fn piece_count(&self) -> u32 {
        match self.content {
            Contents::One(_) => 1,
            Contents::Many(parts) => parts.pieces.len() as u32,
        }
    }

    pub(super) fn piece(&self, piece: u32) -> PieceView<'a> {
        let parts = match self.content {
            Contents::One(geometry) => {
                let kind = PieceKind::Convex(geometry);
                return PieceView { kind, pose: self.pose, own: Pose::IDENTITY, first: Numbers::default() };
            }
            Contents::Many(parts) => parts,
        };
        let piece = &parts.pieces[piece as usize];
        let kind = match &piece.content {
            Content::Convex { geometry, .. } => PieceKind::Convex(geometry),
            Content::Mesh(surface) => PieceKind::Mesh(surface),
        };
        PieceView { kind, pose: compose(&self.pose, &piece.pose), own: piece.pose, first: piece.first }
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = PieceView<'a>> + use<'a> {
        let side = *self;
        (0..self.piece_count()).map(move |p| side.piece(p))
    }

    /// The piece that an element belongs to, and its triangle.
    pub(super) fn element(&self, element: u32) -> Element {
        match self.content {
            Contents::One(_) => Element { piece: 0, triangle: super::parts::NONE },
            Contents::Many(parts) => parts.elements[element as usize],
        }
    }

    /// The corners of a triangle, in the frame of the host.
    pub(super) fn corners(&self, element: u32) -> Option<[DVec3; 3]> {
        let Contents::Many(parts) = self.content else { return None };
        match &parts.piece_of(element).content {
            Content::Convex { .. } => None,
            Content::Mesh(surface) => {
                let triangle = parts.elements[element as usize].triangle;
                Some(surface.corners(triangle).map(|p| self.pose.point(p)))
            }
        }
    }

    /// An element as a convex geometry in the frame of the host.
    pub(super) fn member(&self, element: u32) -> Member<'a> {
        let parts = match self.content {
            Contents::One(geometry) => return Member::shared(geometry, self.pose),
            Contents::Many(parts) => parts,
        };
        let piece = parts.piece_of(element);
        match &piece.content {
            Content::Convex { geometry, .. } => Member::shared(geometry, compose(&self.pose, &piece.pose)),
            Content::Mesh(surface) => {
                let triangle = parts.elements[element as usize].triangle;
                Member::triangle(surface.geometry(triangle), self.pose)
            }
        }
    }

    /// A feature of an element as one of the whole.
    pub(super) fn name(&self, element: u32, feature: Feature) -> Feature {
        match self.content {
            Contents::One(_) => feature,
            Contents::Many(parts) => parts.name(element, feature),
        }
    }

    fn element_with(&self, feature: Feature) -> Option<u32> {
        match self.content {
            Contents::One(_) => Some(0),
            Contents::Many(parts) => parts.element_with(feature),
        }
    }

    /// The pieces that are infinite planes.
    pub(super) fn planes(&self) -> &'a [u32] {
        match self.content {
            Contents::One(Geometry::HalfSpace(_)) => &[0],
            Contents::One(_) => &[],
            Contents::Many(parts) => &parts.planes,
        }
    }

    fn has_plane(&self) -> bool {
        match self.content {
            Contents::One(geometry) => geometry.is_plane(),
            Contents::Many(parts) => parts.has_plane,
        }
    }

    /// The largest coordinate in the own frame, m.
    fn extent(&self) -> f64 {
        match self.content {
            Contents::Many(parts) => parts.extent,
            Contents::One(Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. }) => p.extent(),
            Contents::One(Geometry::HalfSpace(plane)) => plane.offset.abs(),
            Contents::One(Geometry::Round(shape)) => {
                let bounds = shape.aabb();
                bounds.min.abs().max(bounds.max.abs()).max_element()
            }
            Contents::One(Geometry::Composite(composite)) => composite.0.extent,
        }
    }
}

impl PieceView<'_> {
    /// Shows some points of the piece, among them all corners and one inside, in the frame of the host.
    pub(super) fn each_sample(&self, mut show: impl FnMut(DVec3)) {
        let place = |p: DVec3| self.pose.point(p);
        match self.kind {
            PieceKind::Mesh(surface) => surface.samples().map(place).for_each(show),
            PieceKind::Convex(Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. }) => {
                p.vertices().iter().copied().chain([p.centre()]).map(place).for_each(show);
            }
            PieceKind::Convex(Geometry::Round(shape)) => show(place(middle_of(shape))),
            PieceKind::Convex(_) => {}
        }
    }

    /// Whether something holds for a point of any part that hangs together, in the frame of the host.
    pub(super) fn any_seed(&self, holds: impl Fn(DVec3) -> bool) -> bool {
        match self.kind {
            PieceKind::Mesh(surface) => surface.seeds().any(|p| holds(self.pose.point(p))),
            PieceKind::Convex(Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. }) => {
                holds(self.pose.point(p.vertex(0)))
            }
            PieceKind::Convex(Geometry::Round(shape)) => holds(self.pose.point(middle_of(shape))),
            PieceKind::Convex(_) => false,
        }
    }
}

/// A point inside of a round shape.
fn middle_of(shape: &Shape) -> DVec3 {
    match shape {
        Shape::Cone { height, .. } => 0.25 * *height * DVec3::Z,
        Shape::Plane(plane) => match plane.extent() {
            Extent::Circular { centre, .. } | Extent::Square { centre, .. } => centre,
            Extent::Infinite => plane.offset() * plane.normal(),
        },
        _ => DVec3::ZERO,
    }
}

/// Both shapes: the guest (0) and the host (1), who is a mesh or compound. All is in the frame of the host, and normals
/// point from host to guest.
#[derive(Debug, Clone)]
pub(super) struct Couple<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) host: &'a Parts,
    /// Whether the host is the first of the pair.
    pub(super) flipped: bool,
    /// In the world: of the guest and of the host.
    pub(super) world: [Pose; 2],
    /// The rounding of a separation, m.
    pub(super) rounding: f64,
    guest: Guest<'a>,
    between: Between,
}

/// The boxes of the guest, in its own frame.
#[derive(Debug, Clone)]
enum Guest<'a> {
    Tree(Boxes<'a>),
    One(OneBox),
}

impl Guest<'_> {
    fn boxes(&self) -> Boxes<'_> {
        match self {
            Self::Tree(boxes) => *boxes,
            Self::One(one) => one.view(),
        }
    }
}

/// What is nearest, in the frame of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    /// Signed, m.
    pub(super) distance: f64,
    /// Unit, from host to guest; zero where surfaces meet and no other is known.
    pub(super) normal: DVec3,
    /// On the guest and on the host.
    pub(super) points: [DVec3; 2],
    /// Elements of the guest and of the host.
    pub(super) elements: [u32; 2],
    /// Features of the whole shapes, when known.
    pub(super) features: Option<[Feature; 2]>,
}

impl<'a> Couple<'a> {
    /// # Errors
    /// When both have planes among their parts.
    pub(super) fn new(a: &Placed<'a>, b: &Placed<'a>) -> Result<Self, UnsupportedPair> {
        let (visitor, host, parts, flipped) = match (a.geometry, b.geometry) {
            (_, Geometry::Composite(parts)) => (a, b, &*parts.0, false),
            (Geometry::Composite(parts), _) => (b, a, &*parts.0, true),
            _ => return Err(a.refused(b)),
        };
        let back = host.pose.orientation.conjugate();
        let pose = Pose {
            position: back * (visitor.pose.position - host.pose.position),
            orientation: back * visitor.pose.orientation,
        };
        let content = match visitor.geometry {
            Geometry::Composite(parts) => Contents::Many(&parts.0),
            other => Contents::One(other),
        };
        let sides = [Side { content, pose }, Side { content: Contents::Many(parts), pose: Pose::IDENTITY }];
        if sides[0].has_plane() && sides[1].has_plane() {
            let remedy = "planes are immobile; leave the pair out";
            return Err(UnsupportedPair { remedy, ..a.refused(b) });
        }
        let guest = match content {
            Contents::Many(parts) => Guest::Tree(parts.tree.view()),
            Contents::One(geometry) => match bounds_of(geometry) {
                Some(bounds) => Guest::One(OneBox::new(bounds)),
                None => Guest::Tree(Boxes::NONE),
            },
        };
        let extent = sides[0].extent() + sides[1].extent() + pose.position.abs().max_element();
        let (world, rounding) = ([visitor.pose, host.pose], ROUNDING * extent);
        Ok(Self { sides, host: parts, flipped, world, rounding, guest, between: Between::new(&pose) })
    }

    /// The element of a tree's item.
    pub(super) fn guest_element(&self, item: u32) -> u32 {
        match self.sides[0].content {
            Contents::One(_) => 0,
            Contents::Many(parts) => parts.boxed[item as usize],
        }
    }

    /// Whether the boxes around all that is bounded are apart by more than `margin`: nothing of one is near or in the other.
    pub(super) fn is_far(&self, margin: f64) -> bool {
        let guest = self.guest.boxes().bounds();
        let enough = margin + f64::EPSILON * margin + f64::MIN_POSITIVE;
        self.least_between(&self.host.tree.bounds(), &guest, DVec3::ZERO, enough) > margin
    }

    /// Visits the pairs of elements (guest, host) whose boxes are no further apart than `margin` until told to stop, in no
    /// special order; whether it came to the end.
    pub(super) fn each_near_pair(
        &self,
        margin: f64,
        mut visit: impl FnMut([u32; 2]) -> ControlFlow<()>,
    ) -> bool {
        let apart = |h: &Aabb, g: &Aabb, enough: f64| self.least_between(h, g, DVec3::ZERO, enough);
        self.host.tree.view().near_pairs(&self.guest.boxes(), margin, apart, |h, g| {
            visit([self.guest_element(g), self.host.boxed[h as usize]])
        })
    }

    /// All pairs of elements (guest, host) whose boxes are no further apart than `margin`, in ascending order; `None` when
    /// there are more than `most`.
    pub(super) fn near_pairs(&self, margin: f64, most: usize) -> Option<Vec<[u32; 2]>> {
        let mut pairs = Vec::new();
        let all = self.each_near_pair(margin, |pair| {
            pairs.push(pair);
            if pairs.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        pairs.sort_unstable();
        all.then_some(pairs)
    }

    /// The nearest two elements that have boxes, from where the witness says they were; `None` when there are none.
    ///
    /// # Errors
    /// When there is no answer for a pair of parts.
    pub(super) fn nearest(&self, witness: Witness) -> Result<Option<Near>, UnsupportedPair> {
        let mut best = match self.elements_of(witness) {
            Some([g, h]) => Some(self.distance(g, h)?),
            None => None,
        };
        // Along the line of the least distance known most others are seen to be further.
        let along = Cell::new(best.map_or(DVec3::ZERO, |near| near.normal));
        let apart = |h: &Aabb, g: &Aabb, enough: f64| self.least_between(h, g, along.get(), enough);
        let limit = best.map_or(f64::INFINITY, |near| near.distance);
        self.host.tree.view().nearest_pair(&self.guest.boxes(), limit, apart, |h, g| {
            let pair = [self.guest_element(g), self.host.boxed[h as usize]];
            let least = best.map_or(f64::INFINITY, |b| b.distance);
            if self.gap_along(pair, along.get()) >= least {
                return Ok(least);
            }
            let near = self.distance(pair[0], pair[1])?;
            if near.distance < least {
                best = Some(near);
                along.set(near.normal);
            }
            Ok::<f64, UnsupportedPair>(least.min(near.distance))
        })?;
        Ok(best)
    }

    /// No more than the distance of a box of the host's tree from one of the guest's; from `enough` on, all there is to know.
    fn least_between(&self, host: &Aabb, guest: &Aabb, along: DVec3, enough: f64) -> f64 {
        let of_boxes = self.between.least(host, guest, along, enough);
        let Contents::One(Geometry::Polytope(polytope)) = self.sides[0].content else { return of_boxes };
        // Of a box the bounds are all there is.
        if of_boxes >= enough || polytope.is_cuboid() {
            return of_boxes;
        }
        // What a polytope reaches towards a box is less than what its own box does.
        let pose = &self.sides[0].pose;
        let (centre, half) = (0.5 * (host.min + host.max), 0.5 * (host.max - host.min));
        let across = |m: DVec3| {
            let own = pose.orientation.conjugate() * m;
            let low = own.dot(polytope.vertex(polytope.support(-own, 0))) + m.dot(pose.position);
            low - m.dot(centre) - m.abs().dot(half) - self.rounding
        };
        let beside = if along == DVec3::ZERO { of_boxes } else { of_boxes.max(across(along)) };
        if beside >= enough {
            return beside;
        }
        beside.max(across((pose.point(polytope.centre()) - centre).normalize_or_zero()))
    }

    /// How far apart two elements are along a direction from host to guest, if the host's is a triangle.
    fn gap_along(&self, [guest, host]: [u32; 2], along: DVec3) -> f64 {
        let Some(corners) = self.sides[1].corners(host) else { return 0.0 };
        let high = corners.iter().fold(f64::NEG_INFINITY, |most, x| most.max(along.dot(*x)));
        let low = match (self.sides[0].corners(guest), self.sides[0].content) {
            (Some(corners), _) => corners.iter().fold(f64::INFINITY, |least, x| least.min(along.dot(*x))),
            (_, Contents::One(Geometry::Polytope(polytope))) => {
                let pose = &self.sides[0].pose;
                let own = pose.orientation.conjugate() * along;
                own.dot(polytope.vertex(polytope.support(-own, 0))) + along.dot(pose.position)
            }
            _ => return 0.0,
        };
        low - high
    }

    /// The elements that have the features of a witness, when they have boxes.
    fn elements_of(&self, witness: Witness) -> Option<[u32; 2]> {
        let Witness::Plane { a, b } = witness else { return None };
        let (guest, host) = if self.flipped { (b, a) } else { (a, b) };
        let found = [self.sides[0].element_with(guest)?, self.sides[1].element_with(host)?];
        let is_bounded = |k: usize| {
            let piece = self.sides[k].piece(self.sides[k].element(found[k]).piece);
            !matches!(piece.kind, PieceKind::Convex(Geometry::HalfSpace(_)))
        };
        (is_bounded(0) && is_bounded(1)).then_some(found)
    }

    /// The Euclidean distance of two elements; zero when they have a point in common.
    ///
    /// # Errors
    /// When there is no answer for this pair.
    pub(super) fn distance(&self, guest: u32, host: u32) -> Result<Near, UnsupportedPair> {
        let elements = [guest, host];
        if let (Some(a), Some(b)) = (self.sides[0].corners(guest), self.sides[1].corners(host)) {
            let found = closest_triangles(a, b);
            let normal = (found.point_a - found.point_b).normalize_or_zero();
            let points = [found.point_a, found.point_b];
            return Ok(Near { distance: found.distance, normal, points, elements, features: None });
        }
        let (a, b) = (self.sides[0].member(guest), self.sides[1].member(host));
        let (a, b) = (a.placed(), b.placed());
        let Closest { distance, normal, points } =
            super::super::convex::closest(&a, &b, &mut ClosestHint::default())?;
        Ok(Near { distance, normal, points, elements, features: None })
    }

    /// The unit normal to the front, and n·x on it, of a guest that is a finite plane touched from its front only.
    pub(super) fn front_only(&self) -> Option<(DVec3, f64)> {
        let (normal, offset) = match self.sides[0].content {
            Contents::One(Geometry::Plate { polytope, sides: Sides::Front }) => polytope.plane(0),
            Contents::One(Geometry::Round(Shape::Plane(plane))) if plane.sides() == Sides::Front => {
                (plane.normal(), plane.offset())
            }
            _ => return None,
        };
        let pose = &self.sides[0].pose;
        let normal = pose.direction(normal);
        Some((normal, offset + normal.dot(pose.position)))
    }

    /// How far the host reaches along a direction.
    pub(super) fn reach_of_host(&self, direction: DVec3) -> f64 {
        let reach = |piece: &super::parts::Piece| match &piece.content {
            Content::Convex { shape, .. } => {
                let own = piece.pose.orientation.conjugate() * direction;
                direction.dot(piece.pose.position) + shape.reach(own)
            }
            Content::Mesh(surface) => {
                let own = surface.pose.orientation.conjugate() * direction;
                direction.dot(surface.vertices[surface.tree.furthest_vertex(own) as usize])
            }
        };
        self.host.pieces.iter().map(reach).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Member<'_> {
    pub(super) fn placed(&self) -> Placed<'_> {
        Placed { geometry: self.geometry(), pose: self.pose }
    }
}

/// The box around a geometry in its own frame, and a little for rounding; none for what is infinite.
fn bounds_of(geometry: &Geometry) -> Option<Aabb> {
    let bounds = match geometry {
        Geometry::Polytope(p) | Geometry::Plate { polytope: p, .. } => p.bounds(),
        Geometry::Round(shape) => shape.aabb(),
        Geometry::HalfSpace(_) | Geometry::Composite(_) => return None,
    };
    let extent = bounds.max.abs().max(bounds.min.abs()).max_element();
    extent.is_finite().then(|| bounds.grown(16.0 * f64::EPSILON * extent))
}
