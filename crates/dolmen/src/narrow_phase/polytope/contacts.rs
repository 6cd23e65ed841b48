//! Where two polytopes touch: contact points with their normals, features and functions.

use super::clip::{Corner, Hull, Region, Source, corners_in_plane, hull_in_plane};
use super::found::{Found, Ground, Rule};
use super::search::Axis;
use super::search::{Outcome, walk};
use super::separate::{find, find_in_front, nearest_on_edges};
use super::{HalfSpace, Pair, Polytope, View, rim_distances};
use crate::math::{DMat3, DVec3, Pose};
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::tolerances::CROSSING;
use crate::narrow_phase::{
    Contact, ContactFunction, ContactId, Feature, NormalRule, Placed, Statistics, Witness,
};

/// The contacts of two convex shapes, and room for finding them.
///
/// Kept by the caller and filled anew by every query, so that queries in steady state do not allocate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contacts {
    pub(crate) found: Vec<Contact>,
    region: Region,
    pub(crate) points: Vec<DVec3>,
    /// Where the points are vertices: which.
    vertices: Vec<u32>,
    pub(crate) hull: Hull,
    /// Corners in the order of their ids.
    order: Vec<(u64, usize)>,
}

/// Adds the contacts of two shapes to none. What is nearer than the first `length` is one point and touches; what is
/// further apart than the second is left out.
pub(crate) fn contacts(
    pair: &Pair,
    (a, b): (&Placed, &Placed),
    (length, tolerance): (f64, f64),
    witness: &mut Witness,
    statistics: &mut Statistics,
    contacts: &mut Contacts,
) {
    match *pair {
        Pair::Polytopes(p, q) => {
            let view = View::new(p, q, Relative::new(&a.pose, &b.pose));
            let touching = Touching::new(view, [&a.pose, &b.pose], (length, tolerance));
            if touching.collect_as_before(witness, contacts) {
                statistics.queries += 1;
                statistics.hits += 1;
            } else {
                let axis = find(&view, tolerance, witness, statistics);
                touching.collect(&axis, contacts);
            }
        }
        Pair::Plate(p, q, plate_is_a) => {
            let view = View::new(p, q, Relative::new(&a.pose, &b.pose));
            if let Some(axis) = find_in_front(&view, plate_is_a, tolerance, witness, statistics) {
                Touching::new(view, [&a.pose, &b.pose], (length, tolerance)).collect(&axis, contacts);
            }
        }
        Pair::OnPlane(p, plane) => {
            statistics.queries += 1;
            statistics.hits += 1;
            on_plane((p, &a.pose), (plane, &b.pose), (length, tolerance), witness, contacts);
        }
        Pair::UnderPolytope(plane, p) => {
            statistics.queries += 1;
            statistics.hits += 1;
            let mut other = witness.exchanged();
            on_plane((p, &b.pose), (plane, &a.pose), (length, tolerance), &mut other, contacts);
            *witness = other.exchanged();
            for contact in &mut contacts.found {
                *contact = contact.exchanged();
            }
        }
    }
}

/// All low vertices of a polytope over an infinite plane.
fn on_plane(
    (a, pose_a): (&Polytope, &Pose),
    (plane, pose): (&HalfSpace, &Pose),
    (tolerance, reach): (f64, f64),
    witness: &mut Witness,
    manifold: &mut Contacts,
) {
    let frame = Relative::new(pose_a, pose);
    let (low, _) = plane.height(a, &frame, *witness);
    *witness = Witness::Plane { a: Feature::Vertex(low.vertex), b: Feature::Face(low.face) };
    if low.lowest > reach {
        return;
    }
    let height = |x: DVec3| low.normal.dot(x) - low.offset;
    let touching = |v: &u32| height(frame.point(a.vertex(*v))) <= reach;
    manifold.vertices.clear();
    manifold.vertices.extend((0..a.vertices().len() as u32).filter(touching));
    manifold.points.clear();
    manifold.points.extend(manifold.vertices.iter().map(|v| frame.point(a.vertex(*v))));
    hull_in_plane(&manifold.points, low.normal, tolerance, &mut manifold.hull);
    for &k in &manifold.hull.places {
        let (vertex, at) = (manifold.vertices[k], manifold.points[k]);
        let point_b = at - low.normal * height(at);
        let normal = NormalRule::OfB(low.normal);
        let function = ContactFunction { point_a: a.vertex(vertex), point_b, normal };
        let id = ContactId { a: Feature::Vertex(vertex), b: Feature::Face(low.face) };
        manifold.found.push(Contact {
            point: pose_a.point(a.vertex(vertex)),
            normal: pose.direction(low.normal),
            separation: height(at),
            id,
            function,
        });
    }
}

/// Two polytopes that may touch. In all that follows b has the reference face, and all is in its frame.
struct Touching<'a> {
    view: View<'a>,
    poses: [&'a Pose; 2],
    /// The contact tolerance, and as one point, m.
    tolerance: f64,
    /// How far apart what is shown may be, m.
    reach: f64,
    /// The orientations of a and b, as matrices: many vectors are turned by them.
    turns: [DMat3; 2],
    /// b in the frame of a.
    back: Relative,
    /// Whether b is really the first of the pair.
    flipped: bool,
}

impl<'a> Touching<'a> {
    fn new(view: View<'a>, poses: [&'a Pose; 2], (tolerance, reach): (f64, f64)) -> Self {
        let turns = poses.map(|pose| DMat3::from_quat(pose.orientation));
        Self { view, poses, tolerance, reach, turns, back: view.frame.inverse(), flipped: false }
    }

    fn exchanged(&self) -> Self {
        Self {
            view: self.view.exchanged(),
            poses: [self.poses[1], self.poses[0]],
            tolerance: self.tolerance,
            reach: self.reach,
            turns: [self.turns[1], self.turns[0]],
            back: self.view.frame,
            flipped: !self.flipped,
        }
    }

    /// Along the plane of the witness, when the shapes touch there still: contacts are their own proof.
    fn collect_as_before(&self, witness: &mut Witness, manifold: &mut Contacts) -> bool {
        let cached = self.view.of_witness(*witness).filter(|axis| axis.separation.abs() <= self.reach);
        let Some(axis) = cached else { return false };
        *witness = axis.witness();
        self.collect_along(&axis, manifold);
        !manifold.found.is_empty()
    }

    fn collect(&self, axis: &Axis, manifold: &mut Contacts) {
        if axis.separation > self.reach {
            return;
        }
        self.collect_along(axis, manifold);
        if !manifold.found.is_empty() {
            return;
        }
        // The plane is touched, but not within the face: the shapes are apart, or the plane is the wrong one.
        let Outcome::Apart(simplex) = walk(&self.view, &[axis.nearest]) else {
            return self.collect_along(&self.view.best(), manifold);
        };
        if simplex.nearest.length() > self.reach {
            return;
        }
        self.collect_along(&self.view.best(), manifold);
        if manifold.found.is_empty() {
            let nearest = simplex.corners()[0];
            let at = self.view.vertex_a(nearest.a);
            let features = (Feature::Vertex(nearest.a), Feature::Vertex(nearest.b));
            self.push_local(features, at, (axis.normal, features), &mut manifold.found);
        }
    }

    fn collect_along(&self, axis: &Axis, manifold: &mut Contacts) {
        let axis = self.face_instead(axis);
        match (axis.a, axis.b) {
            (_, Feature::Face(face)) => self.on_face(face, axis.nearest[0], manifold),
            (Feature::Face(face), _) => self.exchanged().on_face(face, axis.nearest[1], manifold),
            (Feature::Edge(a), Feature::Edge(b)) => {
                self.push_edges((a, b), axis.normal, &mut manifold.found);
            }
            _ => {}
        }
    }

    /// A face beside an edge pair that is as good an axis within the tolerance: it may have a whole region to show.
    fn face_instead(&self, axis: &Axis) -> Axis {
        let (Feature::Edge(a), Feature::Edge(b)) = (axis.a, axis.b) else { return *axis };
        let [vertex_a, vertex_b] = axis.nearest;
        let of_b = self.view.b.edge(b).faces.map(|f| self.view.face_of_b(f, vertex_a));
        let of_a = self.view.a.edge(a).faces.map(|f| self.view.face_of_a(f, vertex_b));
        let best = [of_b[1], of_a[0], of_a[1]]
            .into_iter()
            .fold(of_b[0], |best, other| if other.separation > best.separation { other } else { best });
        if best.separation >= axis.separation - self.reach { best } else { *axis }
    }

    /// The region of a over a face of b.
    fn on_face(&self, face: u32, lowest: u32, manifold: &mut Contacts) {
        let incident = self.incident_face(face, lowest);
        let (normal, offset) = self.view.b.plane(face);
        let ground = Ground { incident, face, normal, offset, up: self.turns[1] * normal };
        let Contacts { found: contacts, region, hull, order, .. } = manifold;
        region.clip(&self.view, incident, face, self.tolerance);
        let corners = &mut region.corners;
        corners.retain(|c| normal.dot(c.at) - offset <= self.reach);
        // What is left of a convex polygon, in its order, is one: that of the face of a, counterclockwise about −n.
        corners_in_plane(corners, -normal, self.tolerance, hull);
        // Contacts are large: in the order of their ids from the start, none has to be moved.
        order.clear();
        order.extend(hull.places.iter().map(|k| (self.id_of(&corners[*k], &ground).rank(), *k)));
        order.sort_unstable();
        match order[..] {
            [(_, k)] => self.push_point(&corners[k], &ground, contacts),
            [(_, j), (_, k)] => self.push_segment([&corners[j], &corners[k]], &ground, contacts),
            _ => {
                for &(_, k) in &*order {
                    self.push_corner(&corners[k], &ground, contacts);
                }
            }
        }
    }

    /// The face of a to be clipped: the one with most vertices at the bottom, of those the one most opposed to b's.
    fn incident_face(&self, face: u32, lowest: u32) -> u32 {
        let inward = -self.view.frame.back(self.view.b.plane(face).0);
        let bottom = inward.dot(self.view.a.vertex(lowest));
        let opposed = |f: u32| inward.dot(self.view.a.plane(f).0);
        let count = |f: u32| {
            let at_bottom = |v: &&u32| bottom - inward.dot(self.view.a.vertex(**v)) <= 2.0 * self.reach;
            self.view.a.face(f).iter().filter(at_bottom).count()
        };
        let faces = self.view.a.faces_at(lowest);
        let more_opposed = |best: u32, f: &u32| if opposed(*f) > opposed(best) { *f } else { best };
        let flattest = faces[1..].iter().fold(faces[0], more_opposed);
        // With all of its vertices at the bottom, no other has more that has no more vertices.
        let all = self.view.a.face(flattest).len();
        if count(flattest) == all && faces.iter().all(|f| self.view.a.face(*f).len() <= all) {
            return flattest;
        }
        let score = |f: u32| (count(f), opposed(f));
        let mut best = (faces[0], score(faces[0]));
        for &f in &faces[1..] {
            let (count, opposed) = score(f);
            if count > best.1.0 || (count == best.1.0 && opposed > best.1.1) {
                best = (f, (count, opposed));
            }
        }
        best.0
    }

    /// The id of the contact at a corner of a region with an area.
    fn id_of(&self, corner: &Corner, ground: &Ground) -> ContactId {
        let (a, b) = match corner.source {
            Source::Incident(v) => (Feature::Vertex(v), Feature::Face(ground.face)),
            Source::Reference(v) => (Feature::Face(ground.incident), Feature::Vertex(v)),
            Source::Crossing { incident, reference } => (Feature::Edge(incident), Feature::Edge(reference)),
        };
        if self.flipped { ContactId { a: b, b: a } } else { ContactId { a, b } }
    }

    /// A corner of a region with an area, or of an edge on a face.
    fn push_corner(&self, corner: &Corner, ground: &Ground, contacts: &mut Vec<Contact>) {
        let Ground { incident, face, normal, offset, up } = *ground;
        let at = corner.at;
        let on_face = |features: (Feature, Feature), point_a: DVec3| {
            let separation = normal.dot(at) - offset;
            let points = [point_a, at - normal * separation];
            Found { features, at, normal: up, separation, points, rule: Rule::OfB(normal) }
        };
        let found = match corner.source {
            Source::Incident(v) => on_face((Feature::Vertex(v), Feature::Face(face)), self.view.a.vertex(v)),
            Source::Reference(v) => {
                let (outward, offset_a) = self.view.a.plane(incident);
                let features = (Feature::Face(incident), Feature::Vertex(v));
                let upward = -(self.view.frame.turn * outward);
                if upward.dot(normal) > 1.0 - CROSSING * CROSSING {
                    let vertex = self.view.b.vertex(v);
                    let seen = self.back.point(vertex);
                    let depth = outward.dot(seen) - offset_a;
                    Found {
                        features,
                        at: vertex,
                        normal: self.turns[1] * upward,
                        separation: depth,
                        points: [seen - outward * depth, vertex],
                        rule: Rule::OfA(-outward),
                    }
                } else {
                    on_face(features, self.back.point(at))
                }
            }
            Source::Crossing { incident, reference } => {
                let features = (Feature::Edge(incident), Feature::Edge(reference));
                // The corner is on the edge of a; its foot on that of b is all that is wanted of the nearest points: the
                // separation is the same between any two points of the edges, and best rounded between near ones.
                let (start, side) =
                    (self.view.b.vertex(self.view.b.edge(reference).ends[0]), self.view.b.side(reference));
                let foot = start + side.along * side.along.dot(at - start).clamp(0.0, side.length);
                match self.between_edges((incident, reference), normal) {
                    Some((rule, n)) if n.dot(normal) > 1.0 - CROSSING * CROSSING => Found {
                        features,
                        at,
                        normal: self.turns[1] * n,
                        separation: n.dot(at - foot),
                        points: [self.back.point(at), foot],
                        rule,
                    },
                    _ => on_face(features, self.back.point(at)),
                }
            }
        };
        self.push(&found, contacts);
    }

    /// The rule of two edges and their normal in the frame of b, unless they are as good as parallel.
    #[expect(
        clippy::inline_always,
        reason = "a fifth of the time of a box on a box went into handing on its answer"
    )]
    #[inline(always)]
    fn between_edges(&self, (a, b): (u32, u32), normal: DVec3) -> Option<(Rule, DVec3)> {
        let (along_a, along_b) = (self.view.a.edge_direction(a), self.view.b.edge_direction(b));
        let cross = (self.view.frame.turn * along_a).cross(along_b);
        let length = cross.length();
        if length < CROSSING {
            return None;
        }
        let sense = if cross.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        Some((Rule::Edges(along_a, sense * along_b), cross * (sense / length)))
    }

    /// The contact of two crossing edges alone; at an end of one it is a matter of corners.
    fn push_edges(&self, (a, b): (u32, u32), normal: DVec3, contacts: &mut Vec<Contact>) {
        let [on_a, on_b] = nearest_on_edges(&self.view, a, b);
        let middle = 0.5 * (on_a + on_b);
        let near = |x: DVec3, y: DVec3| x.distance(y) <= 2.0 * self.tolerance;
        let ends_a = self.view.a.edge(a).ends;
        let end_a = ends_a.into_iter().find(|v| near(self.view.vertex_a(*v), on_a));
        let end_b = self.view.b.edge(b).ends.into_iter().find(|v| near(self.view.b.vertex(*v), on_b));
        if end_a.is_some() || end_b.is_some() {
            let features = (
                end_a.map_or(Feature::Edge(a), Feature::Vertex),
                end_b.map_or(Feature::Edge(b), Feature::Vertex),
            );
            return self.push_local(features, middle, (normal, features), contacts);
        }
        let (rule, normal) = self.between_edges((a, b), normal).unwrap_or((Rule::OfB(normal), normal));
        let found = Found {
            features: (Feature::Edge(a), Feature::Edge(b)),
            at: middle,
            normal: self.turns[1] * normal,
            separation: normal.dot(on_a - on_b),
            points: [self.back.point(on_a), on_b],
            rule,
        };
        self.push(&found, contacts);
    }

    /// A region that is a point: ordinary inside of the face, on the rim a matter of corners and edges.
    fn push_point(&self, corner: &Corner, ground: &Ground, contacts: &mut Vec<Contact>) {
        let on_rim = self.rim_feature(corner.at, ground.face);
        let here = match corner.source {
            Source::Incident(v) => Feature::Vertex(v),
            Source::Crossing { incident, .. } => Feature::Edge(incident),
            Source::Reference(_) => Feature::Face(ground.incident),
        };
        match (here, on_rim) {
            (Feature::Vertex(_), Some(rim)) | (Feature::Edge(_), Some(rim @ Feature::Vertex(_))) => {
                self.push_local((here, rim), corner.at, (ground.normal, (here, rim)), contacts);
            }
            _ => self.push_corner(corner, ground, contacts),
        }
    }

    /// A region that is a segment: two contacts of the face, or, along its rim, of edges that lie on each other.
    fn push_segment(&self, ends: [&Corner; 2], ground: &Ground, contacts: &mut Vec<Contact>) {
        let Ground { incident, face, normal, .. } = *ground;
        let rim = rim_distances(self.view.b, face).zip(self.view.b.face_edges(face)).find(
            |((corner, inward), _)| {
                ends.iter().all(|end| inward.dot(end.at - *corner).abs() <= 2.0 * self.tolerance)
            },
        );
        let Some((_, &edge)) = rim else {
            for end in ends {
                self.push_corner(end, ground, contacts);
            }
            return;
        };
        let back = &self.back;
        let mut sides = rim_distances(self.view.a, incident).zip(self.view.a.face_edges(incident));
        let along = sides.find(|((corner, inward), _)| {
            ends.iter().all(|end| inward.dot(back.point(end.at) - *corner).abs() <= 2.0 * self.tolerance)
        });
        let edge_a = along.map_or(Feature::Face(incident), |(_, e)| Feature::Edge(*e));
        for end in ends {
            let here = match end.source {
                Source::Incident(v) => Feature::Vertex(v),
                // Where an edge of b crosses a face of a, the ends are told apart by the sides of that face.
                Source::Crossing { incident, .. } if along.is_none() => Feature::Edge(incident),
                _ => edge_a,
            };
            let there = match (self.rim_feature(end.at, face), end.source) {
                (Some(vertex @ Feature::Vertex(_)), _) => vertex,
                (_, Source::Reference(v)) => Feature::Vertex(v),
                _ => Feature::Edge(edge),
            };
            self.push_local((here, there), end.at, (normal, (edge_a, Feature::Edge(edge))), contacts);
        }
    }

    /// The vertex or edge of a face of b that a point is at, if any.
    fn rim_feature(&self, at: DVec3, face: u32) -> Option<Feature> {
        let (mut rim, mut count) = (None, 0);
        for ((corner, inward), &edge) in rim_distances(self.view.b, face).zip(self.view.b.face_edges(face)) {
            if inward.dot(at - corner).abs() <= 2.0 * self.tolerance {
                rim = rim.or(Some(edge));
                count += 1;
            }
        }
        let edge = rim?;
        if count < 2 {
            return Some(Feature::Edge(edge));
        }
        let nearest = self.view.b.face(face).iter().min_by(|v, w| {
            let distance = |v: u32| self.view.b.vertex(v).distance_squared(at);
            distance(**v).total_cmp(&distance(**w))
        });
        nearest.map(|v| Feature::Vertex(*v))
    }

    /// A contact with a local plane: between the mean normals of `means`, else along `normal`.
    fn push_local(
        &self,
        features: (Feature, Feature),
        at: DVec3,
        (normal, means): (DVec3, (Feature, Feature)),
        contacts: &mut Vec<Contact>,
    ) {
        let (mean_a, mean_b) = (mean_normal(self.view.a, means.0), mean_normal(self.view.b, means.1));
        let between = mean_b - self.view.frame.turn * mean_a;
        let separates = between.length() > CROSSING
            && self.view.separation_of(between.normalize()) >= -2.0 * self.tolerance;
        let (rule, normal) = if separates {
            (Rule::Mean(mean_a, mean_b), between.normalize())
        } else {
            (Rule::OfB(normal), normal)
        };
        let point_a = match features.0 {
            Feature::Vertex(v) => self.view.a.vertex(v),
            _ => self.back.point(at),
        };
        let point_b = match features.1 {
            Feature::Vertex(v) => self.view.b.vertex(v),
            _ => at,
        };
        let separation = normal.dot(self.view.frame.point(point_a) - point_b);
        let (normal, points) = (self.turns[1] * normal, [point_a, point_b]);
        self.push(&Found { features, at, normal, separation, points, rule }, contacts);
    }

    /// Adds a contact, with the roles as the caller knows them.
    #[expect(clippy::inline_always, reason = "contacts are large: built in place, they are not copied twice")]
    #[inline(always)]
    fn push(&self, found: &Found, contacts: &mut Vec<Contact>) {
        let Found { features: (a, b), at, normal, separation, points: [point_a, point_b], ref rule } = *found;
        let point = self.poses[1].position + self.turns[1] * at;
        let (id, normal, point_a, point_b) = if self.flipped {
            (ContactId { a: b, b: a }, -normal, point_b, point_a)
        } else {
            (ContactId { a, b }, normal, point_a, point_b)
        };
        let function = ContactFunction { point_a, point_b, normal: rule.seen(self.flipped) };
        contacts.push(Contact { point, normal, separation, id, function });
    }
}

/// The mean of the outward normals of the faces at a feature, unit; of a flat polygon the direction out of it.
fn mean_normal(polytope: &Polytope, feature: Feature) -> DVec3 {
    let outwards = |edges: &[u32]| {
        edges.iter().fold(DVec3::ZERO, |sum, e| sum - polytope.side(*e).inward[0]).normalize_or_zero()
    };
    let mean_or = |faces: &[u32], edges: &[u32]| {
        let mean = faces.iter().fold(DVec3::ZERO, |sum, f| sum + polytope.plane(*f).0);
        if mean.length() > CROSSING { mean.normalize() } else { outwards(edges) }
    };
    match feature {
        Feature::Vertex(v) => mean_or(polytope.faces_at(v), polytope.edges_at(v)),
        Feature::Edge(e) => mean_or(&polytope.edge(e).faces, &[e]),
        Feature::Face(f) => polytope.plane(f).0,
        Feature::Rim(_) | Feature::Surface(_) => DVec3::ZERO,
    }
}
