//! A sphere with anything, by the point nearest to its centre: in closed form.

use super::super::Feature;
use super::super::Polytope;
use super::piece::Piece;
use super::polish::{Duo, Touch};
use super::solid::{Core, Solid};
use super::tolerance::{AGREE, FEW_EDGES, NEAR};
use crate::math::{DVec3, dvec3};
use crate::shape::{Nearest, nearest};

/// Where a sphere is nearest to the other shape; `None` when neither is one, or the other is looked at in another way.
pub(super) fn touch_of_ball(duo: &Duo) -> Option<Touch> {
    let (own, other, sign) = match (duo.a.core, duo.b.core) {
        (Core::Point, _) => (&duo.a, &duo.b, 1.0),
        (_, Core::Point) => (&duo.b, &duo.a, -1.0),
        _ => return None,
    };
    let centre = other.point_back(own.frame.shift);
    let (mut found, piece) = nearest_piece(other, centre, AGREE * duo.rounding)?;
    // The difference of two points that are near each other is no good normal; the piece knows more about it.
    found.normal = piece.normal_near(found.normal);
    let normal = other.frame.turn * found.normal * sign;
    let surface = other.frame.point(found.point);
    let on_ball = own.frame.shift - other.frame.turn * found.normal * own.ball;
    let ball = own.pieces(own.back(normal * -sign), NEAR, &[]).as_slice().first().copied()?;
    // The foot on an ellipsoid is known to the root of rounding where it is the nearest of many; the support function is not
    // sensitive to that.
    let is_ellipsoid = matches!(other.core, Core::Ellipsoid { .. });
    let separation = if is_ellipsoid { duo.gap(normal) } else { found.separation - own.ball };
    let (a, b, points) =
        if sign > 0.0 { (ball, piece, [on_ball, surface]) } else { (piece, ball, [surface, on_ball]) };
    Some(Touch { normal, separation, a, b, points, residual: 0.0 })
}

/// The point of the surface of a shape (with its ball) nearest to x, and the piece that it is on; all in the core's frame.
fn nearest_piece(solid: &Solid, x: DVec3, tolerance: f64) -> Option<(Nearest, Piece)> {
    let around = |core: DVec3, piece: Piece, fallback: DVec3| {
        let away = x - core;
        let distance = away.length();
        let normal = if distance > 0.0 { away / distance } else { fallback };
        let point = core + normal * solid.ball;
        (Nearest { point, normal, separation: distance - solid.ball }, piece)
    };
    match solid.core {
        Core::Point => {
            Some(around(DVec3::ZERO, solid.point_piece(DVec3::ZERO, Feature::Surface(0)), DVec3::X))
        }
        Core::Segment { half } => {
            let on_axis = dvec3(0.0, 0.0, x.z.clamp(-half, half));
            let piece = if x.z <= -half || x.z >= half {
                solid.point_piece(on_axis, Feature::Surface(if x.z < 0.0 { 1 } else { 2 }))
            } else {
                solid.side(half, 0.0)
            };
            Some(around(on_axis, piece, DVec3::X))
        }
        Core::Polytope(polytope) => nearest_of_polytope(solid, polytope, x, tolerance),
        Core::Plane { .. } => None,
        Core::Cylinder { .. } | Core::Cone { .. } | Core::Disc { .. } | Core::Ellipsoid { .. } => {
            let mut found = nearest(&solid.core_shape()?, x)?;
            // Deep inside an ellipsoid many points are almost as near, and the closed form may take the wrong one.
            if matches!(solid.core, Core::Ellipsoid { .. }) && found.separation < -tolerance {
                return None;
            }
            if found.separation.abs() <= tolerance {
                found.normal = solid.supporting(found.normal, x, tolerance);
            }
            let pieces = solid.pieces(found.normal, NEAR, &[]);
            // The point must be on the piece, and the line to x along one of its normals.
            let distance = |piece: &Piece| {
                let form = piece.nearest(solid, found.normal, found.point - found.normal * piece.radius);
                let aside = piece.normal_near(found.normal).distance(found.normal) * found.separation.abs();
                (form + found.normal * piece.radius).distance(found.point).max(aside)
            };
            let mut best: Option<(f64, Piece)> = None;
            for piece in pieces.as_slice() {
                let off = distance(piece);
                if best.is_none_or(|(least, _)| least > tolerance && off < least) {
                    best = Some((off, *piece));
                }
            }
            Some((found, best?.1))
        }
    }
}

/// The point of a polytope nearest to x; `None` where there are too many edges to look at all.
///
/// The face with x highest above it holds the nearest point if it holds the foot of x. If not, the nearest point is on an
/// edge: within another face the distance would be the height above that one, and no height exceeds the distance.
fn nearest_of_polytope(
    solid: &Solid,
    polytope: &Polytope,
    x: DVec3,
    tolerance: f64,
) -> Option<(Nearest, Piece)> {
    if polytope.edges().len() > FEW_EDGES {
        return None;
    }
    let height = |face: u32| {
        let (normal, offset) = polytope.plane(face);
        normal.dot(x) - offset
    };
    let mut top = (0, height(0));
    for face in 1..polytope.face_count() {
        let over = height(face);
        if over > top.1 {
            top = (face, over);
        }
    }
    let (face, over) = top;
    let normal = polytope.plane(face).0;
    let foot = x - normal * over;
    let piece = solid.face_piece(face);
    let inside = |(corner, inward): (DVec3, DVec3)| inward.dot(foot - corner) >= 0.0;
    if over <= 0.0 && polytope.face_count() > 2
        || super::super::overlap::rim_distances(polytope, face).all(inside)
    {
        return Some((Nearest { point: foot, normal, separation: over }, piece));
    }
    let mut least = (f64::INFINITY, DVec3::ZERO, Feature::Edge(0));
    for (number, edge) in polytope.edges().iter().enumerate() {
        let [p, q] = edge.ends.map(|v| polytope.vertex(v));
        let along = q - p;
        let t = ((x - p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let near = if t <= 0.5 { p + along * t } else { q - along * (1.0 - t) };
        let distance2 = near.distance_squared(x);
        if distance2 < least.0 {
            let feature = if t == 0.0 {
                Feature::Vertex(edge.ends[0])
            } else if t == 1.0 {
                Feature::Vertex(edge.ends[1])
            } else {
                Feature::Edge(number as u32)
            };
            least = (distance2, near, feature);
        }
    }
    let (_, point, feature) = least;
    let away = x - point;
    let distance = away.length();
    if distance <= tolerance {
        return Some((Nearest { point: foot, normal, separation: over }, piece));
    }
    let normal = away / distance;
    let piece = match feature {
        Feature::Edge(edge) => solid.edge_piece(edge),
        feature => solid.point_piece(point, feature),
    };
    Some((Nearest { point, normal, separation: distance }, piece))
}

impl Solid<'_> {
    /// The outward normal at a point of the surface of a round core: the one given if it is one, else that of its nearest
    /// side or face. On an edge, a point and its nearest point differ by rounding only, and so does their direction.
    fn supporting(&self, given: DVec3, x: DVec3, tolerance: f64) -> DVec3 {
        let depth = |m: DVec3| self.reach_own(m) - self.ball - m.dot(x);
        if depth(given) <= tolerance {
            return given;
        }
        let outwards = dvec3(x.x, x.y, 0.0).try_normalize().unwrap_or(DVec3::X);
        let side = match self.core {
            Core::Cone { radius, height } => (outwards * height + DVec3::Z * radius).normalize(),
            _ => outwards,
        };
        let others = [side, DVec3::Z, -DVec3::Z];
        others.into_iter().fold(given, |best, m| if depth(m) < depth(best) { m } else { best })
    }
}
