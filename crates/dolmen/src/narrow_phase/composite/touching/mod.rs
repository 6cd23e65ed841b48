//! Where a mesh or compound touches something.

mod facets;
mod hull;
mod internal;
mod local;
mod meeting;
mod merge;

use super::couple::{Couple, PieceKind, PieceView};
use super::depth::in_place;
use super::parts::{Member, NONE, Surface, compose, feature_of_triangle};
use super::tolerances::{LEAN, RIM, SAME};
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{
    Contact, ContactFunction, ContactId, Feature, Geometry, NormalRule, Placed, Statistics, UnsupportedPair,
    Witness,
};
use crate::narrow_phase::{convex, polytope};
use crate::shape::Sides;
use facets::{Faceted, Facets, Touch, is_opposed, touch};
use hull::Outline;
use internal::is_hidden;
use meeting::Meeting;
use merge::Buffers;
use std::ops::ControlFlow;

/// What a query for contacts needs room for, kept from one to the next.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Scratch {
    found: Found,
    /// The ids of those that count, as the caller will see them, and their places.
    order: Vec<(ContactId, usize)>,
    /// Elements that are near each other.
    pairs: Vec<[u32; 2]>,
    /// Of the elements of a pair.
    facets: [Facets; 2],
    touches: Vec<Touch>,
    merging: Buffers,
    /// The contacts of two convex pieces; made when the first two are met.
    convex: Option<Box<polytope::Contacts>>,
    /// Those of a round piece with the triangles of a mesh.
    round: Vec<Contact>,
    /// Low vertices of a mesh over a plane, with the flat regions that they are of.
    low: Vec<(u32, u32)>,
    points: Vec<DVec3>,
    outline: Outline,
}

/// Contacts of a guest with a host, with the pieces they are between.
#[derive(Debug, Clone, Default)]
struct Found {
    contacts: Vec<Contact>,
    pieces: Vec<[u32; 2]>,
}

impl Found {
    /// The contacts added since the last time are between these pieces.
    fn between(&mut self, pieces: [u32; 2]) {
        self.pieces.resize(self.contacts.len(), pieces);
    }
}

/// As [`crate::narrow_phase::contacts`]; adds to none, in any order.
pub(in super::super) fn contacts(
    tolerance: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
    contacts: &mut Vec<Contact>,
    scratch: &mut Scratch,
) -> Result<(), UnsupportedPair> {
    let couple = Couple::new(a, b)?;
    statistics.queries += 1;
    if couple.is_behind(witness) {
        statistics.hits += 1;
        return Ok(());
    }
    let search = Search { couple: &couple, tolerance };
    scratch.found.contacts.clear();
    scratch.found.pieces.clear();
    search.over_planes(scratch)?;
    search.over_elements(scratch)?;
    // Contacts are large: they are put in the order of their ids, and of equals in that of finding, by numbers alone.
    let Scratch { found, order, .. } = scratch;
    order.clear();
    for (k, (contact, pieces)) in found.contacts.iter().zip(&found.pieces).enumerate() {
        if !search.is_hidden(contact, *pieces) {
            let ContactId { a, b } = contact.id;
            order.push((if couple.flipped { ContactId { a: b, b: a } } else { contact.id }, k));
        }
    }
    order.sort_unstable();
    contacts.extend(order.iter().map(|(_, k)| found.contacts[*k]));
    if contacts.is_empty() {
        statistics.searches += 1;
        if !couple.is_beyond(search.tolerance)? {
            let near = couple.signed_nearest(*witness)?;
            if near.distance <= search.tolerance {
                contacts.extend(search.deepest(&near)?);
            }
        }
    } else {
        statistics.hits += 1;
    }
    if couple.flipped {
        for contact in contacts.iter_mut() {
            *contact = contact.exchanged();
        }
    }
    let near = |c: &Contact, d: &Contact| c.point.distance(d.point) <= SAME * search.tolerance;
    contacts.dedup_by(|c, d| c.id == d.id && near(c, d));
    Ok(())
}

struct Search<'a> {
    couple: &'a Couple<'a>,
    tolerance: f64,
}

impl Search<'_> {
    /// All pairs of pieces that have elements near each other.
    fn over_elements(&self, scratch: &mut Scratch) -> Result<(), UnsupportedPair> {
        let couple = self.couple;
        let mut pairs = std::mem::take(&mut scratch.pairs);
        pairs.clear();
        couple.each_near_pair(self.tolerance, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        let pieces = |pair: &[u32; 2]| [0, 1].map(|s| couple.sides[s].element(pair[s]).piece);
        pairs.sort_unstable_by_key(|pair| (pieces(pair), *pair));
        let mut answer = Ok(());
        for near in pairs.chunk_by(|p, q| pieces(p) == pieces(q)) {
            let numbers = pieces(&near[0]);
            let [guest, host] = [0, 1].map(|s| couple.sides[s].piece(numbers[s]));
            let met = match (guest.kind, host.kind) {
                (PieceKind::Convex(_), PieceKind::Convex(_)) => self.convex(&guest, &host, scratch),
                _ => match (Faceted::new(&guest), Faceted::new(&host)) {
                    (Some(a), Some(b)) => {
                        self.faceted((a, b), near, scratch);
                        Ok(())
                    }
                    _ => self.round([&guest, &host], near, scratch),
                },
            };
            answer = answer.and(met);
            scratch.found.between(numbers);
        }
        scratch.pairs = pairs;
        answer
    }

    /// Two convex pieces, as the parent knows them.
    fn convex(
        &self,
        guest: &PieceView,
        host: &PieceView,
        scratch: &mut Scratch,
    ) -> Result<(), UnsupportedPair> {
        let mut witness = match self.start() {
            Witness::Unknown => self.couple.side_of_point(0, [guest, host]),
            known => known,
        };
        let (PieceKind::Convex(a), PieceKind::Convex(b)) = (guest.kind, host.kind) else { return Ok(()) };
        let [world_a, world_b] = self.couple.world;
        let a = Placed { geometry: a, pose: compose(&world_a, &guest.own) };
        let b = Placed { geometry: b, pose: compose(&world_b, &host.own) };
        let manifold = scratch.convex.get_or_insert_default();
        let mut statistics = Statistics::default();
        convex::contacts_within(0.0, (&a, &b), &mut witness, &mut statistics, manifold)?;
        scratch.found.contacts.extend(manifold.found.iter().map(|c| Contact {
            id: ContactId { a: guest.first.name(c.id.a), b: host.first.name(c.id.b) },
            function: c.function.in_bodies(&guest.own, &host.own),
            ..*c
        }));
        Ok(())
    }

    /// Which side of a plane is meant was decided for the whole shapes.
    fn start(&self) -> Witness {
        match self.couple.front_only() {
            Some(_) => Witness::Plane { a: Feature::Face(0), b: Feature::Vertex(0) },
            None => Witness::Unknown,
        }
    }

    /// Two pieces with flat faces, at least one of them a mesh.
    fn faceted(&self, (guest, host): (Faceted, Faceted), pairs: &[[u32; 2]], scratch: &mut Scratch) {
        let Scratch { found, facets, touches, merging, .. } = scratch;
        let sides = &self.couple.sides;
        // All facets of a polytope, or the one of a triangle.
        let fill = |s: usize, piece: &Faceted, element: u32, facets: &mut Facets| match sides[s]
            .element(element)
            .triangle
        {
            NONE => facets.fill(piece, 0..piece.facet_count()),
            t => facets.fill(piece, t..t + 1),
        };
        touches.clear();
        let mut filled = [NONE; 2];
        for pair in pairs {
            for (s, piece) in [&guest, &host].into_iter().enumerate() {
                if filled[s] != pair[s] {
                    filled[s] = pair[s];
                    fill(s, piece, pair[s], &mut facets[s]);
                }
            }
            for f in facets[0].iter() {
                for k in facets[1].iter() {
                    touch((&guest, &f), (&host, &k), self.tolerance, touches);
                }
            }
        }
        if self.couple.front_only().is_some() {
            touches.retain(|t| t.guest != Feature::Face(1));
        }
        Meeting::new(self.couple, guest, host, self.tolerance).contacts(
            touches,
            merging,
            &mut found.contacts,
        );
    }

    /// A round piece and a mesh: the contacts with every triangle that the mesh has a feature for.
    fn round(
        &self,
        pieces: [&PieceView; 2],
        pairs: &[[u32; 2]],
        scratch: &mut Scratch,
    ) -> Result<(), UnsupportedPair> {
        let mesh_side = usize::from(matches!(pieces[1].kind, PieceKind::Mesh(_)));
        let PieceKind::Mesh(surface) = pieces[mesh_side].kind else { return Ok(()) };
        let Scratch { found, convex, round: contacts, points, outline, .. } = scratch;
        let manifold = convex.get_or_insert_default();
        contacts.clear();
        let mut statistics = Statistics::default();
        for pair in pairs {
            let members = [0, 1].map(|s| self.in_world(s, pair[s]));
            let placed = [members[0].placed(), members[1].placed()];
            convex::contacts_within(
                0.0,
                (&placed[0], &placed[1]),
                &mut self.start(),
                &mut statistics,
                manifold,
            )?;
            let triangle = self.couple.sides[mesh_side].element(pair[mesh_side]).triangle;
            for c in &manifold.found {
                let out = self.couple.world[mesh_side].orientation.conjugate() * c.normal;
                let out = if mesh_side == 1 { out } else { -out };
                let feature = if mesh_side == 1 { c.id.b } else { c.id.a };
                let Some(feature) = real_feature(surface, triangle, feature, out) else { continue };
                let [a, b] = if mesh_side == 1 { [c.id.a, feature] } else { [feature, c.id.b] };
                let id = ContactId { a: pieces[0].first.name(a), b: pieces[1].first.name(b) };
                contacts.push(Contact {
                    id,
                    function: c.function.in_bodies(&pieces[0].own, &pieces[1].own),
                    ..*c
                });
            }
        }
        let near = |c: &Contact, d: &Contact| c.point.distance(d.point) <= SAME * self.tolerance;
        contacts.sort_by_key(|c| c.id);
        contacts.dedup_by(|c, d| c.id == d.id && near(c, d));
        // Contacts of one face with one feature are reduced to the corners of their hull, the others stay.
        for group in contacts.chunk_by(|c, d| c.id == d.id) {
            if group.len() < 4 {
                found.contacts.extend_from_slice(group);
                continue;
            }
            points.clear();
            points.extend(group.iter().map(|c| c.point));
            outline.around(points, group[0].normal, RIM * self.tolerance);
            found.contacts.extend(outline.places().iter().map(|k| group[*k]));
        }
        Ok(())
    }

    /// An element in the world.
    fn in_world(&self, side: usize, element: u32) -> Member<'_> {
        let mut side_in_world = self.couple.sides[side];
        side_in_world.pose = self.couple.world[side];
        side_in_world.member(element)
    }

    /// Infinite planes of either side.
    fn over_planes(&self, scratch: &mut Scratch) -> Result<(), UnsupportedPair> {
        for side in 0..2 {
            for &plane in self.couple.sides[side].planes() {
                let under = self.couple.sides[side].piece(plane);
                for p in 0..self.couple.sides[1 - side].piece_count() {
                    let piece = self.couple.sides[1 - side].piece(p);
                    let numbers = if side == 1 { [p, plane] } else { [plane, p] };
                    if let (PieceKind::Mesh(surface), PieceKind::Convex(Geometry::HalfSpace(half_space))) =
                        (piece.kind, under.kind)
                    {
                        let plane = (side, in_place(half_space, &under), &under);
                        self.mesh_on_plane(&piece, surface, plane, scratch);
                    } else {
                        let [a, b] = if side == 1 { [&piece, &under] } else { [&under, &piece] };
                        self.convex(a, b, scratch)?;
                    }
                    scratch.found.between(numbers);
                }
            }
        }
        Ok(())
    }

    /// All low vertices of a mesh over a plane: of every flat region on it the corners of its hull, and of the rest.
    fn mesh_on_plane(
        &self,
        piece: &PieceView,
        surface: &Surface,
        (side, plane, under): (usize, crate::narrow_phase::HalfSpace, &PieceView),
        scratch: &mut Scratch,
    ) {
        let Scratch { found, low, points, outline, .. } = scratch;
        let near = super::depth::mesh_over(piece, surface, &plane);
        if near.distance > self.tolerance {
            return;
        }
        let face = u32::from(plane.sides == Sides::Both && near.normal.dot(plane.normal) < 0.0);
        let (normal, offset) =
            if face == 0 { (plane.normal, plane.offset) } else { (-plane.normal, -plane.offset) };
        let at = |v: u32| piece.pose.point(surface.vertices[v as usize]);
        low.clear();
        for v in 0..surface.vertices.len() as u32 {
            let edges = surface.edges_at(v);
            if edges.is_empty() || normal.dot(at(v)) - offset > self.tolerance {
                continue;
            }
            let regions = edges.iter().flat_map(|e| surface.edges[*e as usize].faces);
            let lies_on = |f: &u32| is_opposed(piece.pose.direction(surface.normal(*f)), normal);
            let before = low.len();
            low.extend(regions.filter(lies_on).map(|f| (f, v)));
            if low.len() == before {
                low.push((NONE, v));
            }
        }
        low.sort_unstable();
        low.dedup();
        for group in low.chunk_by(|p, q| p.0 == q.0) {
            points.clear();
            points.extend(group.iter().map(|(_, v)| at(*v)));
            outline.around(points, normal, self.tolerance);
            for &k in outline.places() {
                let contact = self.on_plane((piece, under), (group[k].1, surface), (face, normal, offset));
                found.contacts.push(if side == 1 { contact } else { contact.exchanged() });
            }
        }
    }

    /// A vertex of a mesh (as a) on a side of a plane (as b).
    fn on_plane(
        &self,
        (piece, under): (&PieceView, &PieceView),
        (vertex, surface): (u32, &Surface),
        (face, normal, offset): (u32, DVec3, f64),
    ) -> Contact {
        let own = surface.vertices[vertex as usize];
        let at = piece.pose.point(own);
        let height = normal.dot(at) - offset;
        // The frame of the plane's shape in that of the host.
        let shape = compose(&under.pose, &inverse(&under.own));
        let back = |x: DVec3| shape.orientation.conjugate() * (x - shape.position);
        let function = ContactFunction {
            point_a: own,
            point_b: back(at - normal * height),
            normal: NormalRule::OfB(shape.orientation.conjugate() * normal),
        };
        let host = &self.couple.world[1];
        let id = ContactId {
            a: piece.first.name(Feature::Vertex(vertex)),
            b: under.first.name(Feature::Face(face)),
        };
        Contact { point: host.point(at), normal: host.direction(normal), separation: height, id, function }
    }

    /// Whether other pieces of one of the shapes leave no room for the contact.
    fn is_hidden(&self, contact: &Contact, pieces: [u32; 2]) -> bool {
        let host = &self.couple.world[1];
        let back = host.orientation.conjugate();
        let (at, normal) = (back * (contact.point - host.position), back * contact.normal);
        let sides = &self.couple.sides;
        is_hidden((&sides[1], pieces[1]), contact.id.b, (at, normal), self.tolerance)
            || is_hidden((&sides[0], pieces[0]), contact.id.a, (at, -normal), self.tolerance)
    }

    /// What is nearest or deepest as a contact, for shapes that touch or overlap without any feature touching.
    fn deepest(&self, near: &super::couple::Near) -> Result<Option<Contact>, UnsupportedPair> {
        let Some([a, b]) = self.couple.features(near)? else { return Ok(None) };
        let guest = &self.couple.sides[0].pose;
        let function = ContactFunction {
            point_a: guest.orientation.conjugate() * (near.points[0] - guest.position),
            point_b: near.points[1],
            normal: NormalRule::OfB(near.normal),
        };
        let host = &self.couple.world[1];
        Ok(Some(Contact {
            point: host.point(0.5 * (near.points[0] + near.points[1])),
            normal: host.direction(near.normal),
            separation: near.distance,
            id: ContactId { a, b },
            function,
        }))
    }
}

fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: orientation * -pose.position, orientation }
}

/// The feature of a surface that a contact with a triangle is at, as the triangle's polytope numbers its own: a face where
/// the normal (outwards, frame of the composite) is that of the face, else a real edge or vertex if the normal is within its
/// cone; `None` for what is inside of the surface, and for the back of the triangle.
fn real_feature(surface: &Surface, triangle: u32, feature: Feature, out: DVec3) -> Option<Feature> {
    let region = surface.region(triangle);
    if out.dot(surface.normal(region)) > 1.0 - LEAN * LEAN {
        return Some(Feature::Face(region));
    }
    match feature_of_triangle(surface, triangle, feature) {
        Feature::Edge(e) => {
            let edge = &surface.edges[e as usize];
            let [p, q] = edge.ends.map(|v| surface.vertices[v as usize]);
            let along = (q - p).normalize_or_zero();
            let [left, right] = edge.faces.map(|f| surface.normal(f).cross(along));
            let is_free = edge.is_convex && out.dot(left) <= LEAN && out.dot(-right) <= LEAN;
            is_free.then_some(Feature::Edge(e))
        }
        Feature::Vertex(v) => {
            let at = surface.vertices[v as usize];
            let arm = |e: &u32| {
                let [p, q] = surface.edges[*e as usize].ends;
                surface.vertices[(if p == v { q } else { p }) as usize] - at
            };
            let edges = surface.edges_at(v);
            let is_free = edges.iter().map(arm).all(|d| out.dot(d) <= LEAN * d.length());
            (!edges.is_empty() && is_free).then_some(Feature::Vertex(v))
        }
        _ => None,
    }
}
