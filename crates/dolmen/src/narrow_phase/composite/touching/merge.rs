//! From touching features to contacts: one face against one face keeps the corners of the hull of what touches.

use super::super::parts::NONE;
use super::super::tolerance::{LEAN, NO_NORMAL, OPPOSED, SAME};
use super::facets::{Faceted, Rim, Touch, opposed_faces};
use super::hull::Outline;
use super::local::{Corner, local_contact};
use super::meeting::Meeting;
use crate::math::DVec3;
use crate::narrow_phase::{Contact, ContactFunction, Feature, NormalRule};

/// What becomes of a touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Within the hull of others.
    Dropped,
    /// On the rim of a face and not on the face: a matter of corners and edges.
    Rim,
    Kept,
}

/// Faces of the guest and of the host that touch each other, [`NONE`] for something that is no face.
type Faces = [u32; 2];

impl Meeting<'_> {
    /// The contacts of touching features, which may come more than once.
    pub(super) fn contacts(
        &self,
        touches: &mut Vec<Touch>,
        buffers: &mut Buffers,
        contacts: &mut Vec<Contact>,
    ) {
        // Those of equal features are equal.
        touches.sort_unstable_by_key(|t| (t.guest, t.host, t.rim));
        touches.dedup_by_key(|t| (t.guest, t.host));
        self.group(touches, buffers);
        let Buffers { groups, verdict, .. } = buffers;
        verdict.fates.clear();
        verdict.fates.resize(touches.len(), Fate::Dropped);
        verdict.corners.clear();
        for members in groups.chunk_by(|p, q| p.0 == q.0) {
            verdict.judge(self, members, touches);
        }
        let Verdict { fates, corners, .. } = verdict;
        let start = contacts.len();
        for (touch, fate) in touches.iter().zip(&*fates) {
            if *fate == Fate::Kept {
                contacts.push(self.contact(touch));
            }
        }
        // Corners and edges that meet where nothing better does.
        corners.sort_by_key(|c| (c.guest, c.host));
        corners.dedup_by_key(|c| (c.guest, c.host));
        for corner in &*corners {
            if !self.is_known(&contacts[start..], corner.at)
                && let Some(contact) = local_contact(self, corner)
            {
                contacts.push(contact);
            }
        }
        // Where a groove ends no plane parts a corner from a corner: it is the faces around it that are touched.
        let end = contacts.len();
        for (touch, fate) in touches.iter().zip(&*fates) {
            if *fate == Fate::Rim && !self.is_known(&contacts[start..end], touch.at) {
                contacts.push(self.contact(touch));
            }
        }
    }

    /// Whether one of these contacts is at a place, in the frame of the host.
    fn is_known(&self, contacts: &[Contact], at: DVec3) -> bool {
        let at = self.world.point(at);
        contacts.iter().any(|c| c.point.distance(at) <= SAME * self.tolerance)
    }

    /// The touches of every pair of faces, by place. Edges that cross on no face are each their own, at the end.
    fn group(&self, touches: &[Touch], buffers: &mut Buffers) {
        buffers.groups.clear();
        for (place, touch) in touches.iter().enumerate() {
            let before = buffers.groups.len();
            buffers.faces.clear();
            buffers.faces.extend(self.guest.faces_at(touch.guest));
            buffers.others.clear();
            buffers.others.extend(self.host.faces_at(touch.host));
            let opposed = opposed_faces((&self.guest, &buffers.faces), (&self.host, &buffers.others));
            buffers.groups.extend(opposed.map(|pair| ((pair, 0), place)));
            if buffers.groups.len() == before {
                let pair = self.face_of(touch, &buffers.faces, &buffers.others);
                let alone = if pair == [NONE, NONE] { place } else { 0 };
                buffers.groups.push(((pair, alone), place));
            }
        }
        buffers.groups.sort_unstable();
    }

    /// The face that a touch is a point of where no two faces are on each other; `faces` are those at it, and `others`.
    fn face_of(&self, touch: &Touch, faces: &[u32], others: &[u32]) -> Faces {
        match (touch.guest, touch.host) {
            (_, Feature::Face(f)) => [NONE, f],
            (Feature::Face(f), _) => [f, NONE],
            (Feature::Edge(a), Feature::Edge(b)) => {
                let (along_a, along_b) = (self.guest.edge(a).along, self.host.edge(b).along);
                let under = others.iter().find(|f| {
                    self.host.normal(**f).dot(along_a).abs() < LEAN
                        && touch.normal.dot(self.host.normal(**f)) > 0.5
                });
                let over = faces.iter().find(|f| {
                    self.guest.normal(**f).dot(along_b).abs() < LEAN
                        && touch.normal.dot(self.guest.normal(**f)) < -0.5
                });
                match (over, under) {
                    (_, Some(f)) => [NONE, *f],
                    (Some(f), _) => [*f, NONE],
                    _ => [NONE, NONE],
                }
            }
            _ => [NONE, NONE],
        }
    }

    /// The edges of the guest and of the host that two touches on the rim of a face are both on.
    fn common_edge(&self, p: &Touch, q: &Touch) -> Option<[Feature; 2]> {
        let is_of_guest = matches!(p.guest, Feature::Vertex(_));
        let (rim, vertex) = if is_of_guest { (&self.host, p.guest) } else { (&self.guest, p.host) };
        let owner = if is_of_guest { &self.guest } else { &self.host };
        if is_of_guest != matches!(q.guest, Feature::Vertex(_)) {
            return None;
        }
        let edge = *edges_at(rim, &p.rim).iter().find(|e| edges_at(rim, &q.rim).contains(e))?;
        // The edge of the other piece that lies along it, if any does.
        let way = (q.at - p.at).normalize_or_zero();
        let along = match vertex {
            Feature::Vertex(v) => {
                owner.edges_at(v).iter().find(|e| owner.edge(**e).along.cross(way).length() < OPPOSED)
            }
            _ => None,
        };
        let beside = along.map_or(vertex, |e| Feature::Edge(*e));
        Some(if is_of_guest { [beside, Feature::Edge(edge)] } else { [Feature::Edge(edge), beside] })
    }

    /// A vertex on a face, or two edges that cross.
    fn contact(&self, touch: &Touch) -> Contact {
        let (at, normal) = (touch.at, touch.normal);
        let fixed = |point_host: DVec3| ContactFunction {
            point_a: self.back(at),
            point_b: point_host,
            normal: NormalRule::OfB(normal),
        };
        let function = match (touch.guest, touch.host) {
            (Feature::Vertex(v), Feature::Face(f)) => {
                let foot = at - normal * self.host.height_over(f, at);
                ContactFunction { point_a: self.guest.own_vertex(v), ..fixed(foot) }
            }
            (Feature::Face(f), Feature::Vertex(v)) => {
                let foot = at + normal * self.guest.height_over(f, at);
                let inward = self.pose.orientation.conjugate() * normal;
                let normal = NormalRule::OfA(inward);
                ContactFunction { point_a: self.back(foot), point_b: self.host.own_vertex(v), normal }
            }
            (Feature::Edge(a), Feature::Edge(b)) => {
                self.crossing((a, b), normal).unwrap_or_else(|| fixed(at))
            }
            _ => fixed(at),
        };
        self.finish((touch.guest, touch.host), at, function)
    }

    /// The separation of two edges, unless they are so nearly parallel that their product is no normal here.
    fn crossing(&self, (a, b): (u32, u32), normal: DVec3) -> Option<ContactFunction> {
        let (edge_a, edge_b) = (self.guest.edge(a), self.host.edge(b));
        let cross = edge_a.along.cross(edge_b.along);
        let sine = cross.length();
        let sense = if cross.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        let agrees = (cross * (sense / sine)).dot(normal) > 1.0 - OPPOSED * OPPOSED;
        if sine.is_nan() || sine < NO_NORMAL || !agrees {
            return None;
        }
        let between = edge_b.ends[0] - edge_a.ends[0];
        let s = between.cross(edge_b.along).dot(cross) / (sine * sine);
        let t = between.cross(edge_a.along).dot(cross) / (sine * sine);
        let (on_a, on_b) = (edge_a.ends[0] + edge_a.along * s, edge_b.ends[0] + edge_b.along * t);
        let along_a = self.pose.orientation.conjugate() * edge_a.along;
        let normal = NormalRule::Edges { along_a, along_b: sense * edge_b.along };
        Some(ContactFunction { point_a: self.back(on_a), point_b: on_b, normal })
    }
}

/// The edges that a place on the rim of a face is on.
fn edges_at<'a>(piece: &Faceted<'a>, rim: &'a Rim) -> &'a [u32] {
    match rim {
        Rim::Vertex(v) => piece.edges_at(*v),
        Rim::Edge(e) => std::slice::from_ref(e),
        Rim::Inside => &[],
    }
}

/// Kept from one pair of pieces to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    /// Every touch with a pair of faces that it is a point of, and a number of its own where it is one of none.
    groups: Vec<Grouped>,
    /// At the touch that is being grouped: faces of the guest, and of the host.
    faces: Vec<u32>,
    others: Vec<u32>,
    verdict: Verdict,
}

/// A group and one of its touches.
type Grouped = ((Faces, usize), usize);

/// What becomes of the touches of two pieces.
#[derive(Debug, Clone, Default)]
struct Verdict {
    hull: Outline,
    fates: Vec<Fate>,
    /// Those on rims.
    corners: Vec<Corner>,
    /// Of the group that is being judged: where its touches are, and which are left.
    points: Vec<DVec3>,
    kept: Vec<usize>,
}

impl Verdict {
    /// Reduces the touches of a pair of faces to the corners of their hull, and tells those on the face from those on its
    /// rim only.
    fn judge(&mut self, meeting: &Meeting, members: &[Grouped], touches: &[Touch]) {
        let normal = match members[0].0.0 {
            [_, face] if face != NONE => meeting.host.normal(face),
            [face, _] if face != NONE => -meeting.guest.normal(face),
            _ => touches[members[0].1].normal,
        };
        let Self { hull, fates, corners, points, kept } = self;
        points.clear();
        points.extend(members.iter().map(|m| touches[m.1].at));
        hull.around(points, normal, meeting.tolerance);
        kept.clear();
        kept.extend(hull.places().iter().map(|k| members[*k].1));
        let shared = match kept[..] {
            [p, q] => meeting.common_edge(&touches[p], &touches[q]),
            _ => None,
        };
        let is_thin = kept.len() == 1 || shared.is_some();
        for &k in &*kept {
            let touch = &touches[k];
            let rim = match touch.rim {
                Rim::Vertex(v) if is_thin => Feature::Vertex(v),
                Rim::Edge(e) if is_thin => Feature::Edge(e),
                _ => {
                    fates[k] = Fate::Kept;
                    continue;
                }
            };
            fates[k] = Fate::Rim;
            let (guest, host) = match touch.guest {
                Feature::Vertex(_) => (touch.guest, rim),
                _ => (rim, touch.host),
            };
            corners.push(Corner { guest, host, at: touch.at, along: shared });
        }
    }
}
