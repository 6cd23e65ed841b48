//! The pieces of a surface: which there are, their normals and their points.
//!
//! A piece is a [`Form`] of limited extent with a ball around it. As a function of the unit outward normal m it has a support
//! point p(m); where the normal belongs to many points (along a line, over a face) it is bound by a condition instead.

use super::super::polytope::rim_distances;
use super::super::{Feature, Form, Patch};
use super::solid::{Core, Solid};
use crate::math::{DQuat, DVec3, Pose, dvec3};

/// A piece of a surface, in the frame of the core.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) form: Form,
    /// Of the ball around the form, m.
    pub(super) radius: f64,
    pub(super) feature: Feature,
    span: Span,
}

/// How much there is of a form.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// All of it.
    All,
    /// So much of a line, on both sides of its point.
    Half(f64),
    /// So much of a generator of a cone, from the apex.
    Slant(f64),
    /// So much of a plane about its point.
    Round(f64),
    /// A face of the polytope.
    Face(u32),
}

/// What the normals of a piece have in common, in the frame of the core.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// Nothing: each belongs to a point of its own.
    Free,
    /// m·axis = level, and `across` is the length of the rest of m: the normals of a line or of the side of a cone.
    Circle { axis: DVec3, level: f64, across: f64 },
    /// There is only this one: a face.
    Fixed(DVec3),
}

/// The most pieces that meet near one direction and are tried; the rest are smaller than what is told apart.
const MOST: usize = 12;

/// A short list of pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    list: [Piece; MOST],
    count: usize,
}

impl Pieces {
    pub(super) fn as_slice(&self) -> &[Piece] {
        &self.list[..self.count]
    }

    fn new() -> Self {
        let piece = Piece::new(Form::Point(DVec3::ZERO), 0.0, Feature::Vertex(0), Span::All);
        Self { list: [piece; MOST], count: 0 }
    }

    fn push(&mut self, piece: Piece) {
        if self.count < MOST && !self.as_slice().iter().any(|p| p.feature == piece.feature) {
            self.list[self.count] = piece;
            self.count += 1;
        }
    }
}

/// The circle about z.
fn circle(z: f64, radius: f64) -> Form {
    Form::Circle { centre: dvec3(0.0, 0.0, z), axis: DVec3::Z, radius }
}

impl Piece {
    fn new(form: Form, radius: f64, feature: Feature, span: Span) -> Self {
        Self { form, radius, feature, span }
    }

    /// The normals of the piece.
    pub(super) fn bound(&self) -> Bound {
        match self.form {
            Form::Line { direction, .. } => Bound::Circle { axis: direction, level: 0.0, across: 1.0 },
            Form::Cone { axis, sine, cosine, .. } => Bound::Circle { axis, level: -sine, across: cosine },
            Form::Plane { normal, .. } => Bound::Fixed(normal),
            _ => Bound::Free,
        }
    }

    /// The normal of the piece that is nearest to m.
    pub(super) fn normal_near(&self, m: DVec3) -> DVec3 {
        match self.bound() {
            Bound::Free => m,
            Bound::Fixed(normal) => normal,
            Bound::Circle { axis, level, across } => {
                let rest = m - axis * axis.dot(m);
                rest.try_normalize().map_or(m, |e| axis * level + e * across)
            }
        }
    }

    /// The point of the form with normal m; any one where there are many.
    pub(super) fn base(&self, m: DVec3) -> DVec3 {
        match self.form {
            Form::Point(point) | Form::Line { point, .. } | Form::Plane { point, .. } => point,
            Form::Cone { apex, .. } => apex,
            Form::Circle { centre, axis, radius } => {
                let across = m - axis * axis.dot(m);
                centre + across.normalize_or_zero() * radius
            }
            Form::Ellipsoid { centre, half, .. } => {
                let scaled = half * m;
                let length = scaled.length();
                if length > 0.0 { centre + half * (scaled / length) } else { centre }
            }
        }
    }

    /// How the point moves when the normal m turns by v: ∂p/∂m v, the second derivative of the support function.
    ///
    /// Circle: R/ρ t (t·v) with ρ the part of m in its plane and t the tangent. Ellipsoid, A = diag(half):
    /// A²v/|Am| − A²m (A²m·v)/|Am|³.
    pub(super) fn bend(&self, m: DVec3, v: DVec3) -> DVec3 {
        match self.form {
            Form::Circle { axis, radius, .. } => {
                let across = m - axis * axis.dot(m);
                let rho = across.length();
                if rho == 0.0 {
                    return DVec3::ZERO;
                }
                let tangent = axis.cross(across / rho);
                tangent * (tangent.dot(v) * radius / rho)
            }
            Form::Ellipsoid { half, .. } => {
                let length = (half * m).length();
                if length == 0.0 {
                    return DVec3::ZERO;
                }
                let (square, reach) = (half * half, half * (half * (m / length)));
                (square * v - reach * reach.dot(v)) / length
            }
            _ => DVec3::ZERO,
        }
    }

    /// The ends of the straight part of the form with normal m.
    pub(super) fn segment(&self, m: DVec3) -> Option<[DVec3; 2]> {
        match (self.form, self.span) {
            (Form::Line { point, direction }, Span::Half(half)) => {
                Some([point - direction * half, point + direction * half])
            }
            (Form::Cone { apex, axis, sine, cosine }, Span::Slant(length)) => {
                let outwards = (m - axis * axis.dot(m)).normalize_or_zero();
                Some([apex, apex + (axis * cosine + outwards * sine) * length])
            }
            _ => None,
        }
    }

    /// The centre of a flat round face.
    pub(super) fn centre_of_face(&self) -> Option<DVec3> {
        match (self.form, self.span) {
            (Form::Plane { point, .. }, Span::Round(_)) => Some(point),
            _ => None,
        }
    }

    /// The point of the form with normal m that is nearest to x.
    pub(super) fn nearest(&self, solid: &Solid, m: DVec3, x: DVec3) -> DVec3 {
        if let Some([p, q]) = self.segment(m) {
            return on_segment([p, q], x);
        }
        let Form::Plane { point, normal } = self.form else { return self.base(m) };
        let foot = x - normal * normal.dot(x - point);
        match (self.span, solid.core) {
            (Span::Round(radius), _) => {
                let away = foot - point;
                let distance = away.length();
                if distance > radius { point + away * (radius / distance) } else { foot }
            }
            (Span::Face(face), Core::Polytope(polytope)) => {
                let inside = |(corner, inward): (DVec3, DVec3)| inward.dot(foot - corner) >= 0.0;
                if rim_distances(polytope, face).all(inside) {
                    return foot;
                }
                let corners = polytope.face(face);
                let mut best = foot;
                let mut least = f64::INFINITY;
                for k in 0..corners.len() {
                    let ends = [corners[k], corners[(k + 1) % corners.len()]].map(|v| polytope.vertex(v));
                    let near = on_segment(ends, foot);
                    let distance = near.distance_squared(foot);
                    if distance < least {
                        (best, least) = (near, distance);
                    }
                }
                best
            }
            _ => foot,
        }
    }

    /// The piece as the contact function sees it, in a frame in which the core's has this pose.
    pub(super) fn patch(&self, inner: &Pose) -> Patch {
        Patch { form: placed(self.form, inner), radius: self.radius }
    }
}

/// The form in a frame in which its own has a pose.
fn placed(form: Form, pose: &Pose) -> Form {
    if *pose == Pose::IDENTITY {
        return form;
    }
    let (p, d) = (|x| pose.point(x), |x| pose.direction(x));
    match form {
        Form::Point(point) => Form::Point(p(point)),
        Form::Line { point, direction } => Form::Line { point: p(point), direction: d(direction) },
        Form::Circle { centre, axis, radius } => Form::Circle { centre: p(centre), axis: d(axis), radius },
        Form::Plane { point, normal } => Form::Plane { point: p(point), normal: d(normal) },
        Form::Cone { apex, axis, sine, cosine } => Form::Cone { apex: p(apex), axis: d(axis), sine, cosine },
        Form::Ellipsoid { centre, axes, half } => {
            Form::Ellipsoid { centre: p(centre), axes: pose.orientation * axes, half }
        }
    }
}

fn on_segment([p, q]: [DVec3; 2], x: DVec3) -> DVec3 {
    let along = q - p;
    let length2 = along.length_squared();
    if length2 == 0.0 {
        return p;
    }
    let t = ((x - p).dot(along) / length2).clamp(0.0, 1.0);
    if t <= 0.5 { p + along * t } else { q - along * (1.0 - t) }
}

impl Solid<'_> {
    /// The face of a disc, cylinder or cone towards ±z.
    pub(super) fn flat_face(&self, z: f64, radius: f64, side: f64, face: u32) -> Piece {
        let form = Form::Plane { point: dvec3(0.0, 0.0, z), normal: dvec3(0.0, 0.0, side) };
        Piece::new(form, self.ball, Feature::Face(face), Span::Round(radius))
    }

    /// A rim about z.
    pub(super) fn rim(&self, z: f64, radius: f64, number: u32) -> Piece {
        Piece::new(circle(z, radius), self.ball, Feature::Rim(number), Span::All)
    }

    /// A point, as that feature.
    pub(super) fn point_piece(&self, point: DVec3, feature: Feature) -> Piece {
        Piece::new(Form::Point(point), self.ball, feature, Span::All)
    }

    /// The side of a capsule or cylinder.
    pub(super) fn side(&self, half: f64, radius: f64) -> Piece {
        let form = Form::Line { point: DVec3::ZERO, direction: DVec3::Z };
        Piece::new(form, self.ball + radius, Feature::Surface(0), Span::Half(half))
    }

    /// The side of a cone.
    pub(super) fn cone_side(&self, radius: f64, height: f64) -> Piece {
        let slant = (radius * radius + height * height).sqrt();
        let apex = dvec3(0.0, 0.0, height);
        let form = Form::Cone { apex, axis: -DVec3::Z, sine: radius / slant, cosine: height / slant };
        Piece::new(form, self.ball, Feature::Surface(0), Span::Slant(slant))
    }

    /// An edge of a polytope.
    pub(super) fn edge_piece(&self, edge: u32) -> Piece {
        let Core::Polytope(polytope) = self.core else {
            return self.point_piece(DVec3::ZERO, Feature::Edge(edge));
        };
        let [p, q] = polytope.edge(edge).ends.map(|v| polytope.vertex(v));
        let form = Form::Line { point: 0.5 * (p + q), direction: polytope.edge_direction(edge) };
        Piece::new(form, self.ball, Feature::Edge(edge), Span::Half(0.5 * p.distance(q)))
    }

    /// A face of a polytope.
    pub(super) fn face_piece(&self, face: u32) -> Piece {
        let Core::Polytope(polytope) = self.core else {
            return self.point_piece(DVec3::ZERO, Feature::Face(face));
        };
        let (normal, offset) = polytope.plane(face);
        let corner = polytope.vertex(polytope.face(face)[0]);
        let point = corner - normal * (normal.dot(corner) - offset);
        Piece::new(Form::Plane { point, normal }, self.ball, Feature::Face(face), Span::Face(face))
    }

    /// A side of an infinite plane: 0 the front, 1 the back.
    pub(super) fn plane_piece(&self, normal: DVec3, offset: f64, face: u32) -> Piece {
        let form = Form::Plane { point: normal * offset, normal };
        Piece::new(form, self.ball, Feature::Face(face), Span::All)
    }

    /// The surface of an ellipsoid.
    pub(super) fn ellipsoid_piece(&self, half: DVec3) -> Piece {
        let form = Form::Ellipsoid { centre: DVec3::ZERO, axes: DQuat::IDENTITY, half };
        Piece::new(form, self.ball, Feature::Surface(0), Span::All)
    }

    /// The pieces with an outward normal within an angle of m, those with the most points first; all in the core's frame.
    ///
    /// Of a polytope also those between vertices that were `seen` on the way: a needle has so many edges along m that the
    /// angle alone does not tell them apart.
    pub(super) fn pieces(&self, m: DVec3, angle: f64, seen: &[u32]) -> Pieces {
        let mut found = Pieces::new();
        let across = (m.x * m.x + m.y * m.y).sqrt();
        match self.core {
            Core::Point => found.push(self.point_piece(DVec3::ZERO, Feature::Surface(0))),
            Core::Segment { half } => {
                if m.z.abs() <= angle {
                    found.push(self.side(half, 0.0));
                }
                for (sign, number) in [(-1.0, 1), (1.0, 2)] {
                    if sign * m.z >= -angle {
                        let end = dvec3(0.0, 0.0, sign * half);
                        found.push(self.point_piece(end, Feature::Surface(number)));
                    }
                }
            }
            Core::Cylinder { radius, half } => {
                if m.z.abs() <= angle {
                    found.push(self.side(half, radius));
                }
                for (sign, number) in [(-1.0, 0), (1.0, 1)] {
                    if across <= angle && sign * m.z > 0.0 {
                        found.push(self.flat_face(sign * half, radius, sign, number));
                    }
                    if sign * m.z >= -angle {
                        found.push(self.rim(sign * half, radius, number));
                    }
                }
            }
            Core::Cone { radius, height } => self.pieces_of_cone((radius, height), m, angle, &mut found),
            Core::Disc { radius } => {
                if across <= angle {
                    let (side, face) = if m.z < 0.0 { (-1.0, 1) } else { (1.0, 0) };
                    found.push(self.flat_face(0.0, radius, side, face));
                }
                found.push(self.rim(0.0, radius, 0));
            }
            Core::Ellipsoid { half } => found.push(self.ellipsoid_piece(half)),
            Core::Polytope(_) => self.pieces_of_polytope(m, angle, seen, &mut found),
            Core::Plane { normal, offset } => {
                let (side, face) = if m.dot(normal) < 0.0 { (-1.0, 1) } else { (1.0, 0) };
                found.push(self.plane_piece(side * normal, side * offset, face));
            }
        }
        if found.count == 0 {
            // A direction that is none (NaN from a pose that is none) has an answer that is none, and no panic.
            found.push(self.point_piece(self.support_own(m), Feature::Surface(0)));
        }
        found
    }

    fn pieces_of_cone(&self, (radius, height): (f64, f64), m: DVec3, angle: f64, found: &mut Pieces) {
        let across = (m.x * m.x + m.y * m.y).sqrt();
        let slant = (radius * radius + height * height).sqrt();
        // Along the generator on the side of m, from apex to rim: which end is further in the direction m?
        let down = (radius * across - height * m.z) / slant;
        if down.abs() <= angle {
            found.push(self.cone_side(radius, height));
        }
        if across <= angle && m.z < 0.0 {
            found.push(self.flat_face(0.0, radius, -1.0, 0));
        }
        if down >= -angle {
            found.push(self.rim(0.0, radius, 0));
        }
        if down <= angle {
            found.push(self.point_piece(dvec3(0.0, 0.0, height), Feature::Vertex(0)));
        }
    }

    fn pieces_of_polytope(&self, m: DVec3, angle: f64, seen: &[u32], found: &mut Pieces) {
        let Core::Polytope(polytope) = self.core else { return };
        let top = self.furthest(polytope, m);
        let has = |list: &[u32], v: u32| list.contains(&v);
        for &vertex in seen {
            let others = || seen.iter().filter(move |v| **v != vertex);
            for &face in polytope.faces_at(vertex) {
                let shared = others().filter(|v| has(polytope.face(face), **v)).count();
                if shared >= 2 || (shared == 1 && polytope.plane(face).0.distance(m) <= angle) {
                    found.push(self.face_piece(face));
                }
            }
            for &edge in polytope.edges_at(vertex) {
                if others().any(|v| has(&polytope.edge(edge).ends, *v)) {
                    found.push(self.edge_piece(edge));
                }
            }
        }
        for &face in polytope.faces_at(top) {
            if polytope.plane(face).0.distance(m) <= angle {
                found.push(self.face_piece(face));
            }
        }
        let lies_along = |e: &&u32| polytope.edge_direction(**e).dot(m).abs() <= angle;
        for &edge in polytope.edges_at(top).iter().filter(lies_along).take(3) {
            found.push(self.edge_piece(edge));
        }
        for &vertex in [top].iter().chain(seen) {
            found.push(self.point_piece(polytope.vertex(vertex), Feature::Vertex(vertex)));
        }
        for &edge in polytope.edges_at(top).iter().filter(lies_along) {
            for vertex in polytope.edge(edge).ends {
                found.push(self.point_piece(polytope.vertex(vertex), Feature::Vertex(vertex)));
            }
        }
    }
}
