//! The contacts of a pair: the corners of the region in which two flat parts lie on each other.
//!
//! The curved border of a region is represented by points of the rim at eight fixed angles of the body's own frame, as far
//! as they are over the other face, by the corners of the other face within the circle, by the crossings of the rim with
//! the other's border, and by the middle of every arc between crossings that is shorter than a quarter turn; of all these the
//! corners of their convex hull are contacts. Straight borders are exact. No arc of more than π/4 is without a point, so that
//! what is left out at a round border is no deeper than 1 − cos π/8 = 0.076 of its radius, and less than 0.3 of the area
//! between an arc and its chord.

use super::super::polytope::{Contacts, hull_in_plane, rim_distances};
use super::super::{Contact, ContactFunction, ContactId, Feature, Form, NormalRule, Patch};
use super::flat::{Circle, Flat, Spot};
use super::piece::Piece;
use super::polish::{Duo, Touch};
use super::solid::{Core, Solid};
use super::tolerance::{PARALLEL, SHALLOW};
use crate::math::{DVec3, Pose, dvec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// Rims, as wholes: by their number. Places on rim r are `r + RIMS × place` with these places.
pub(super) const RIMS: u32 = 2;
/// Place 1 + k is the point at angle kπ/4 from x towards y.
const FIRST_ANGLE: u32 = 1;
/// Where the border of the other face comes into the circle.
const ENTERING: u32 = 9;
/// Where it leaves it.
const LEAVING: u32 = 10;
/// Place 11 + k is the middle of the arc that ends where side k of the other's border comes into the circle.
const FIRST_ARC: u32 = 11;

/// Cosine and sine of kπ/4.
const ANGLES: [(f64, f64); 8] = [
    (1.0, 0.0),
    (FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    (0.0, 1.0),
    (-FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    (-1.0, 0.0),
    (-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    (0.0, -1.0),
    (FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
];

/// Which of the two shapes; the other one is `!is_a`.
#[derive(Clone, Copy)]
struct Side {
    is_a: bool,
}

/// A pair that touches, its normal, and its contacts so far.
pub(super) struct Region<'a, 'b> {
    duo: &'b Duo<'a>,
    /// From b to a, common frame.
    normal: DVec3,
    tolerance: f64,
    contacts: &'b mut Contacts,
}

/// How an end of a clipped segment came about.
#[derive(Clone, Copy)]
enum Cut {
    /// It is the end itself, by its number.
    End(usize),
    /// By a piece of the other's border.
    Border(Piece),
}

/// Adds the contacts of a touch.
pub(super) fn collect(duo: &Duo, touch: &Touch, tolerance: f64, contacts: &mut Contacts) {
    if touch.separation > tolerance {
        return;
    }
    let mut n = touch.normal;
    let mut flat_a = duo.a.flat(duo.a.back(-n), touch.a.feature, tolerance);
    let mut flat_b = duo.b.flat(n, touch.b.feature, tolerance);
    // A face knows its normal better than anything that was found by rolling on it.
    let exact = flat_b.face().or(flat_a.face().filter(|_| flat_b.face().is_none()));
    if let Some(Form::Plane { normal, .. }) = exact.map(|face| face.form) {
        let of_b = flat_b.face().is_some();
        let exact = if of_b { normal } else { -(duo.a.frame.turn * normal) };
        if duo.gap(exact) >= touch.separation - tolerance {
            n = exact;
            if of_b {
                flat_a = duo.a.flat(duo.a.back(-n), touch.a.feature, tolerance);
            } else {
                flat_b = duo.b.flat(n, touch.b.feature, tolerance);
            }
        }
    }
    let mut region = Region { duo, normal: n, tolerance, contacts };
    let (a, b) = (Side { is_a: true }, Side { is_a: false });
    match (flat_a, flat_b) {
        (Flat::Segment { ends: p, middle: u }, Flat::Segment { ends: q, middle: v }) => {
            region.along((p, u), (q, v));
        }
        (Flat::Segment { ends, middle }, face) if face.face().is_some() => {
            region.segment(a, (ends, middle), &face);
        }
        (face, Flat::Segment { ends, middle }) if face.face().is_some() => {
            region.segment(b, (ends, middle), &face);
        }
        (over, under) if over.face().is_some() && under.face().is_some() => region.faces(&over, &under),
        _ => {}
    }
    region.keep_hull();
    if region.contacts.found.is_empty() {
        let spot = |solid: &Solid, at: DVec3, piece: Piece| {
            let at = solid.point_back(at);
            Spot { at, piece: solid.tip_instead(piece, at, tolerance) }
        };
        region.normal = touch.normal;
        let spots = (spot(&duo.a, touch.points[0], touch.a), spot(&duo.b, touch.points[1], touch.b));
        region.push(a, spots.0, spots.1);
    }
}

impl<'a> Region<'a, '_> {
    fn solid(&self, side: Side) -> &Solid<'a> {
        if side.is_a { &self.duo.a } else { &self.duo.b }
    }

    fn other(&self, side: Side) -> &Solid<'a> {
        if side.is_a { &self.duo.b } else { &self.duo.a }
    }

    /// A contact of a spot of one shape and one of the other.
    fn push(&mut self, side: Side, own: Spot, other: Spot) {
        let (a, b) = if side.is_a { (own, other) } else { (other, own) };
        let contact = contact(self.duo, a, b, self.normal);
        self.contacts.found.push(contact);
    }

    /// The point of a face over or under x, seen along the normal; all in the common frame.
    fn lift(&self, solid: &Solid, face: &Piece, x: DVec3) -> DVec3 {
        let Form::Plane { point, normal } = face.form else { return x };
        let (point, normal) = (solid.frame.point(point), solid.frame.turn * normal);
        let along = normal.dot(self.normal);
        // A face within the tolerance of the contact plane is never at right angles to it.
        if along == 0.0 { x } else { x + self.normal * (normal.dot(point - x) / along) }
    }

    /// A spot on the other's face (or on a piece of its border) at a point of the common frame.
    fn spot_on(&self, solid: &Solid, face: &Piece, piece: Piece, x: DVec3) -> Spot {
        Spot { at: solid.point_back(self.lift(solid, face, x)), piece }
    }

    /// Two segments on each other: the ends of the common part.
    fn along(&mut self, (ends_a, middle_a): ([Spot; 2], Piece), (ends_b, middle_b): ([Spot; 2], Piece)) {
        let [p, q] = ends_a.map(|end| self.duo.a.frame.point(end.at));
        let [r, s] = ends_b.map(|end| end.at);
        let (d, e) = (q - p, s - r);
        let (length_a, length_b) = (d.length(), e.length());
        let (u, w) = (d / length_a, e / length_b);
        let n = self.normal;
        let aside = |x: DVec3| n.cross(u).dot(x).abs();
        let shorter = length_a.min(length_b);
        if aside(w) * shorter > self.tolerance
            || aside(r - p + w * w.dot(p - r)) > 4.0 * self.tolerance
            || u.dot(w).abs() < 0.5
        {
            return;
        }
        // Places of the ends along a.
        let (first, last) = (u.dot(r - p), u.dot(s - p));
        let order = if first <= last { [0, 1] } else { [1, 0] };
        let (start, end) = (first.min(last), first.max(last));
        if end.min(length_a) - start.max(0.0) <= self.tolerance {
            return;
        }
        for (on_a, on_b, here, there, sign) in
            [(0.0, start, 0, order[0], 1.0), (length_a, end, 1, order[1], -1.0)]
        {
            let own = if sign > 0.0 { f64::max(on_a, on_b) } else { f64::min(on_a, on_b) };
            let x = p + u * own;
            let y = r + w * (w.dot(x - r));
            let a_ends = (own - on_a).abs() <= self.tolerance;
            let b_ends = (own - on_b).abs() <= self.tolerance;
            let spot_a = Spot { at: self.duo.a.point_back(x), piece: middle_a };
            let spot_a = if a_ends { ends_a[here] } else { spot_a };
            // Where both end, two rims that lie along each other have no distance that is smooth: that of one from the
            // other's side has.
            let spot_b = if b_ends && !a_ends { ends_b[there] } else { Spot { at: y, piece: middle_b } };
            self.push(Side { is_a: true }, spot_a, spot_b);
        }
    }

    /// A segment on a face: the ends of the part that is over the face.
    fn segment(&mut self, side: Side, (ends, middle): ([Spot; 2], Piece), flat: &Flat) {
        let Some(face) = flat.face().copied() else { return };
        let (solid, other) = (self.solid(side), self.other(side));
        let points = ends.map(|end| solid.frame.point(end.at));
        let Some(cuts) = self.clip(other, flat, points.map(|x| other.point_back(x))) else { return };
        let length = points[0].distance(points[1]);
        if (cuts[1].0 - cuts[0].0) * length <= self.tolerance {
            return;
        }
        for (t, cut) in cuts {
            let x = points[0] + (points[1] - points[0]) * t;
            let (solid, other) = (self.solid(side), self.other(side));
            let (own, on_face) = match cut {
                Cut::End(k) => (ends[k], self.spot_on(other, &face, face, x)),
                Cut::Border(border) => {
                    (Spot { at: solid.point_back(x), piece: middle }, self.spot_on(other, &face, border, x))
                }
            };
            self.push(side, own, on_face);
        }
    }

    /// The part of a segment (in the frame of a face's core) over the face, as shares of its length.
    fn clip(&self, solid: &Solid, flat: &Flat, [p, q]: [DVec3; 2]) -> Option<[(f64, Cut); 2]> {
        let mut low = (0.0, Cut::End(0));
        let mut high = (1.0, Cut::End(1));
        match (flat, solid.core) {
            (Flat::Polygon { number, .. }, Core::Polytope(polytope)) => {
                let edges = polytope.face_edges(*number);
                for ((corner, inward), edge) in rim_distances(polytope, *number).zip(edges) {
                    let (h, k) = (inward.dot(p - corner), inward.dot(q - corner));
                    if h.max(k) < -self.tolerance {
                        return None;
                    }
                    if h < -self.tolerance && h / (h - k) > low.0 {
                        low = (h / (h - k), Cut::Border(solid.edge_piece(*edge)));
                    }
                    if k < -self.tolerance && h / (h - k) < high.0 {
                        high = (h / (h - k), Cut::Border(solid.edge_piece(*edge)));
                    }
                }
            }
            (Flat::Disc { circle, .. }, _) => {
                let flat = |x: DVec3| dvec3(x.x, x.y, 0.0);
                let (start, along) = (flat(p), flat(q - p));
                let border =
                    |place: u32| Cut::Border(solid.rim(circle.z, circle.radius, circle.rim + RIMS * place));
                let (dd, pd) = (along.length_squared(), start.dot(along));
                let rest = pd * pd - dd * (start.length_squared() - circle.radius * circle.radius);
                if rest < 0.0 || dd == 0.0 {
                    return None;
                }
                let (enter, leave) = ((-pd - rest.sqrt()) / dd, (-pd + rest.sqrt()) / dd);
                if start.length() > circle.radius + self.tolerance {
                    low = (enter, border(ENTERING));
                }
                if flat(q).length() > circle.radius + self.tolerance {
                    high = (leave, border(LEAVING));
                }
            }
            _ => {}
        }
        (low.0 < high.0 && low.0 >= 0.0 && high.0 <= 1.0).then_some([low, high])
    }

    /// A flat round face on another flat face.
    fn faces(&mut self, over: &Flat, under: &Flat) {
        let (a, b) = (Side { is_a: true }, Side { is_a: false });
        if let Flat::Disc { circle, .. } = over {
            self.angles(a, circle, under);
            self.corners_within(a, (circle, over), under);
        }
        if let Flat::Disc { circle, .. } = under {
            self.angles(b, circle, over);
            self.corners_within(b, (circle, under), over);
        }
        if let (Flat::Disc { circle: c, .. }, Flat::Disc { circle: d, .. }) = (over, under) {
            self.crossings((over, c), (under, d));
        }
        for (side, own, other) in [(a, over, under), (b, under, over)] {
            if let Flat::Disc { circle, .. } = own {
                self.arcs(side, circle, other);
            }
        }
    }

    /// The middles of the short arcs of a rim over the other face; the crossings that bound them are among the contacts already.
    fn arcs(&mut self, side: Side, circle: &Circle, flat: &Flat) {
        let Some(face) = flat.face().copied() else { return };
        let (solid, other) = (self.solid(side), self.other(side));
        // The crossings on this rim, by their direction from its centre.
        let mut ends: Vec<(DVec3, u32)> = Vec::new();
        for contact in &self.contacts.found {
            let feature = |id: ContactId, of_a: bool| if of_a { id.a } else { id.b };
            let own = feature(contact.id, side.is_a);
            let place = |place: u32| Feature::Rim(circle.rim + RIMS * place);
            if own == place(ENTERING) || own == place(LEAVING) {
                let pose = &self.duo.b.pose;
                let at = solid.point_back(pose.orientation.conjugate() * (contact.point - pose.position));
                let number = match feature(contact.id, !side.is_a) {
                    Feature::Edge(edge) => edge,
                    _ => 0,
                };
                ends.push((dvec3(at.x, at.y, 0.0).normalize_or(DVec3::X), number));
            }
        }
        if ends.len() < 2 {
            return;
        }
        ends.sort_by(|(p, _), (q, _)| turn_of(*p).total_cmp(&turn_of(*q)));
        let mut found = Vec::new();
        for (k, (from, _)) in ends.iter().enumerate() {
            let (to, number) = ends[(k + 1) % ends.len()];
            // Counterclockwise and short of a quarter turn.
            let is_short = from.cross(to).z > 0.0 && from.dot(to) > 0.0;
            let Some(middle) = (*from + to).try_normalize().filter(|_| is_short) else { continue };
            let at = middle * circle.radius + dvec3(0.0, 0.0, circle.z);
            let x = solid.frame.point(at);
            if self.is_within(other, flat, other.point_back(x)) {
                let feature = Feature::Rim(circle.rim + RIMS * (FIRST_ARC + number));
                let own = Spot { at, piece: solid.point_piece(at, feature) };
                found.push((own, self.spot_on(other, &face, face, x)));
            }
        }
        for (own, on_face) in found {
            self.push(side, own, on_face);
        }
    }

    /// The points at fixed angles of a rim that are over the other face.
    fn angles(&mut self, side: Side, circle: &Circle, flat: &Flat) {
        let Some(face) = flat.face().copied() else { return };
        for (k, (cosine, sine)) in ANGLES.into_iter().enumerate() {
            let (solid, other) = (self.solid(side), self.other(side));
            let at = dvec3(circle.radius * cosine, circle.radius * sine, circle.z);
            let x = solid.frame.point(at);
            if !self.is_within(other, flat, other.point_back(x)) {
                continue;
            }
            let feature = Feature::Rim(circle.rim + RIMS * (FIRST_ANGLE + k as u32));
            let own = Spot { at, piece: solid.point_piece(at, feature) };
            let on_face = self.spot_on(other, &face, face, x);
            self.push(side, own, on_face);
        }
    }

    /// Whether a point, in the frame of the core, is over a flat face, its border included.
    fn is_within(&self, solid: &Solid, flat: &Flat, x: DVec3) -> bool {
        match (flat, solid.core) {
            (Flat::Polygon { number, .. }, Core::Polytope(polytope)) => rim_distances(polytope, *number)
                .all(|(corner, inward)| inward.dot(x - corner) >= -self.tolerance),
            (Flat::Disc { circle, .. }, _) => {
                (x.x * x.x + x.y * x.y).sqrt() <= circle.radius + self.tolerance
            }
            _ => true,
        }
    }

    /// The corners of the other's polygon within a circle, and where its edges cross the rim.
    fn corners_within(&mut self, side: Side, (circle, disc): (&Circle, &Flat), flat: &Flat) {
        let (Some(face), Flat::Polygon { number, face: polygon }) = (disc.face().copied(), flat) else {
            return;
        };
        let Core::Polytope(polytope) = self.other(side).core else { return };
        for (&vertex, &edge) in polytope.face(*number).iter().zip(polytope.face_edges(*number)) {
            let (solid, other) = (self.solid(side), self.other(side));
            let at = polytope.vertex(vertex);
            let ends = polytope.edge(edge).ends;
            // Along the loop of the face, so that entering and leaving do not change places.
            let next = polytope.vertex(if ends[0] == vertex { ends[1] } else { ends[0] });
            let (x, y) = (other.frame.point(at), other.frame.point(next));
            let flat_own = |x: DVec3| dvec3(x.x, x.y, 0.0);
            let (start, stop) = (flat_own(solid.point_back(x)), flat_own(solid.point_back(y)));
            let corner = (start.length() <= circle.radius + self.tolerance).then(|| {
                let own = self.spot_on(solid, &face, face, x);
                (own, Spot { at, piece: other.point_piece(at, Feature::Vertex(vertex)) })
            });
            let crossings = self.crossings_of_edge(circle, start, stop).map(|crossing| {
                let (t, place) = crossing?;
                let z = x + (y - x) * t;
                let piece = solid.rim(circle.z, circle.radius, circle.rim + RIMS * place);
                let own = self.spot_on(solid, &face, piece, z);
                Some((own, self.spot_on(other, polygon, other.edge_piece(edge), z)))
            });
            for (own, on_other) in [corner].into_iter().chain(crossings).flatten() {
                self.push(side, own, on_other);
            }
        }
    }

    /// Where an edge (in the plane of a circle about the origin) comes into the circle and leaves it, within its length.
    fn crossings_of_edge(&self, circle: &Circle, start: DVec3, stop: DVec3) -> [Option<(f64, u32)>; 2] {
        let along = stop - start;
        let (dd, pd) = (along.length_squared(), start.dot(along));
        let rest = pd * pd - dd * (start.length_squared() - circle.radius * circle.radius);
        if rest.is_nan() || rest <= 0.0 || dd == 0.0 {
            return [None, None];
        }
        let slack = self.tolerance / dd.sqrt();
        let within = |t: f64| (t > slack && t < 1.0 - slack).then_some(t);
        [
            within((-pd - rest.sqrt()) / dd).map(|t| (t, ENTERING)),
            within((-pd + rest.sqrt()) / dd).map(|t| (t, LEAVING)),
        ]
    }

    /// Where two rims cross.
    fn crossings(&mut self, (flat_a, c): (&Flat, &Circle), (flat_b, d): (&Flat, &Circle)) {
        let (Some(face_a), Some(face_b)) = (flat_a.face().copied(), flat_b.face().copied()) else { return };
        let centre_a = self.duo.a.frame.point(dvec3(0.0, 0.0, c.z));
        let centre_b = self.duo.b.frame.point(dvec3(0.0, 0.0, d.z));
        let apart = centre_a - centre_b;
        let apart = apart - self.normal * self.normal.dot(apart);
        let distance = apart.length();
        if distance <= PARALLEL * (c.radius + d.radius) {
            return;
        }
        // From the centre of b: along by (D² + r_b² − r_a²)/2D, then aside.
        let along = 0.5 * (distance + (d.radius - c.radius) * (d.radius + c.radius) / distance);
        let aside2 = (d.radius - along) * (d.radius + along);
        if aside2 < 0.0 {
            return;
        }
        let u = apart / distance;
        let aside = self.normal.cross(u) * aside2.sqrt();
        for (x, place) in [(centre_b + u * along + aside, ENTERING), (centre_b + u * along - aside, LEAVING)]
        {
            let rim = |solid: &Solid, circle: &Circle| {
                solid.rim(circle.z, circle.radius, circle.rim + RIMS * place)
            };
            let spot_a = self.spot_on(&self.duo.a, &face_a, rim(&self.duo.a, c), x);
            let spot_b = self.spot_on(&self.duo.b, &face_b, rim(&self.duo.b, d), x);
            self.push(Side { is_a: true }, spot_a, spot_b);
        }
    }

    /// Leaves the corners of the convex hull.
    fn keep_hull(&mut self) {
        let Contacts { found: contacts, points, hull, .. } = &mut *self.contacts;
        if contacts.len() < 3 {
            return;
        }
        points.clear();
        points.extend(contacts.iter().map(|c| c.point));
        let normal = self.duo.b.pose.direction(self.normal);
        hull_in_plane(points, normal, self.tolerance, hull);
        let mut number = 0;
        contacts.retain(|_| {
            number += 1;
            hull.places.contains(&(number - 1))
        });
    }
}

/// A number that grows with the angle of a direction in the plane, from 0 to 4 counterclockwise from x.
fn turn_of(d: DVec3) -> f64 {
    let slope = d.y / (d.x.abs() + d.y.abs());
    match (d.x < 0.0, d.y < 0.0) {
        (true, _) => 2.0 - slope,
        (false, true) => 4.0 + slope,
        (false, false) => slope,
    }
}

/// A contact between two spots.
fn contact(duo: &Duo, a: Spot, b: Spot, normal: DVec3) -> Contact {
    let (on_a, on_b) = (duo.a.frame.point(a.at), b.at);
    let poses = [duo.a.shape_pose(), duo.b.shape_pose()];
    let (spot_a, spot_b) = (On::new(&duo.a, a, duo.a.back(-normal)), On::new(&duo.b, b, normal));
    let world = duo.b.pose.direction(normal);
    let mut function = patches_function(&spot_a, &spot_b, [&poses[0], &poses[1]], world);
    let separation = normal.dot(on_a - on_b);
    // Deep in each other the nearest points of two forms need not be those of the least depth; rims along each other have no
    // common normal, and of rims that are almost so it is badly determined.
    let is_shallow = function.crossing([&poses[0], &poses[1]]).is_some_and(|sine| sine < SHALLOW);
    if is_shallow || (function.value(&poses[0], &poses[1]) - separation).abs() > duo.touching {
        let rule = NormalRule::OfB(poses[1].orientation.conjugate() * world);
        function = ContactFunction { point_a: spot_a.surface, point_b: spot_b.surface, normal: rule };
    }
    Contact {
        point: duo.b.pose.point(0.5 * (on_a + on_b)),
        normal: world,
        separation,
        id: ContactId { a: a.piece.feature, b: b.piece.feature },
        function,
    }
}

/// A point of a patch, in the frame of the shape.
struct On {
    /// On the form.
    point: DVec3,
    /// On the surface.
    surface: DVec3,
    patch: Patch,
}

impl On {
    /// A spot and the outward normal there, in the core's frame.
    fn new(solid: &Solid, spot: Spot, outward: DVec3) -> Self {
        Self {
            point: solid.inner.point(spot.at - outward * spot.piece.radius),
            surface: solid.inner.point(spot.at),
            patch: spot.piece.patch(&solid.inner),
        }
    }

    /// Whether its form has a normal everywhere.
    fn is_surface(&self) -> bool {
        matches!(self.patch.form, Form::Plane { .. } | Form::Cone { .. } | Form::Ellipsoid { .. })
    }
}

/// The separation of two patches that face each other at these points, as a function of the poses; `normal` is from b to a in
/// the world.
fn patches_function(a: &On, b: &On, poses: [&Pose; 2], normal: DVec3) -> ContactFunction {
    let is_sharp = |on: &On| matches!(on.patch.form, Form::Point(_)) && on.patch.radius == 0.0;
    let rule = match (a.patch.form, b.patch.form) {
        (_, Form::Plane { normal, .. }) if is_sharp(a) => NormalRule::OfB(normal),
        (Form::Plane { normal, .. }, _) if is_sharp(b) => NormalRule::OfA(-normal),
        // Corners that meet, or a corner on a rim, have no normal of their own: that of the moment.
        _ if (is_sharp(a) && b.patch.radius == 0.0 && !b.is_surface())
            || (is_sharp(b) && a.patch.radius == 0.0 && !a.is_surface()) =>
        {
            NormalRule::OfB(poses[1].orientation.conjugate() * normal)
        }
        _ => return ContactFunction::between_patches([a.patch, b.patch], [a.point, b.point], poses, normal),
    };
    ContactFunction { point_a: a.surface, point_b: b.surface, normal: rule }
}
