//! A sphere with anything, by the point nearest to its centre: in closed form.

use super::super::relative::Relative;
use super::super::tolerances::ROUNDING;
use super::super::{Feature, Geometry, Placed, Polytope, Statistics, Witness};
use super::foot::{Foot, Way, foot_of};
use super::piece::Piece;
use super::polish::{Duo, Touch};
use super::solid::{Core, Solid};
use super::tolerances::{AGREE, NEAR};
use crate::math::{DVec3, dvec3};
use crate::shape::{Nearest, Shape, nearest};

/// A sphere and a polytope, in the frame of b.
pub(super) struct Rolling {
    /// Unit, from b to a.
    pub(super) normal: DVec3,
    /// m.
    pub(super) separation: f64,
    /// On a and on b.
    pub(super) points: [DVec3; 2],
    /// The features that hold them.
    pub(super) witness: Witness,
}

/// Where a sphere and a polytope are nearest, from what was remembered; `None` for any other pair.
///
/// What [`touch_of_ball`] finds, to the last bit, without what only contacts need.
pub(super) fn rolling(
    a: &Placed,
    b: &Placed,
    known: Witness,
    statistics: &mut Statistics,
) -> Option<Rolling> {
    let (polytope, radius, sphere_is_a) = match (a.geometry, b.geometry) {
        (Geometry::Round(Shape::Sphere { radius }), Geometry::Polytope(p)) => (p, *radius, true),
        (Geometry::Polytope(p), Geometry::Round(Shape::Sphere { radius })) => (p, *radius, false),
        _ => return None,
    };
    let frame = Relative::new(&a.pose, &b.pose);
    let shift = frame.shift;
    let rounding = ROUNDING * (radius + polytope.extent() + shift.abs().max_element());
    let x = if sphere_is_a { shift } else { frame.back(-shift) };
    let foot = foot_of(polytope, x, remembered(known, sphere_is_a), AGREE * rounding);
    count(statistics, foot.way);
    let normal = foot.normal_of(polytope);
    let separation = foot.separation - radius;
    let surface = Feature::Surface(0);
    Some(if sphere_is_a {
        let witness = Witness::Plane { a: surface, b: foot.feature };
        Rolling { normal, separation, points: [shift - normal * radius, foot.point], witness }
    } else {
        let normal = frame.turn * normal;
        let witness = Witness::Plane { a: foot.feature, b: surface };
        Rolling { normal: -normal, separation, points: [frame.point(foot.point), -normal * radius], witness }
    })
}

/// The feature of the polytope in the witness of a pair with a sphere.
fn remembered(known: Witness, sphere_is_a: bool) -> Option<Feature> {
    match known {
        Witness::Plane { a, b } => Some(if sphere_is_a { b } else { a }),
        Witness::Unknown | Witness::Behind => None,
    }
}

fn count(statistics: &mut Statistics, way: Way) {
    match way {
        Way::Remembered => statistics.hits += 1,
        Way::Walked => statistics.neighbours += 1,
        Way::Searched => statistics.searches += 1,
    }
}

impl Foot {
    /// The normal, at right angles to an edge: the difference of two points that are near each other is no good normal.
    fn normal_of(&self, polytope: &Polytope) -> DVec3 {
        let Feature::Edge(edge) = self.feature else { return self.normal };
        let axis = polytope.edge_direction(edge);
        (self.normal - axis * axis.dot(self.normal)).try_normalize().unwrap_or(self.normal)
    }
}

/// Where a sphere is nearest to the other shape; `None` when neither is one, or the other is treated in another way.
pub(super) fn touch_of_ball(duo: &Duo, known: Witness, statistics: &mut Statistics) -> Option<Touch> {
    let (own, other, sign) = match (duo.a.core, duo.b.core) {
        (Core::Point, _) => (&duo.a, &duo.b, 1.0),
        (_, Core::Point) => (&duo.b, &duo.a, -1.0),
        _ => return None,
    };
    let centre = other.point_back(own.frame.shift);
    let tolerance = AGREE * duo.rounding;
    let (mut found, piece, way) = if let Core::Polytope(polytope) = other.core {
        let foot = foot_of(polytope, centre, remembered(known, sign > 0.0), tolerance);
        let piece = match foot.feature {
            Feature::Face(face) => other.face_piece(face),
            Feature::Edge(edge) => other.edge_piece(edge),
            feature => other.point_piece(foot.point, feature),
        };
        let Foot { point, normal, separation, way, .. } = foot;
        (Nearest { point, normal, separation }, piece, way)
    } else {
        let (found, piece) = nearest_piece(other, centre, tolerance)?;
        (found, piece, Way::Remembered)
    };
    count(statistics, way);
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
        Core::Polytope(_) | Core::Plane { .. } => None,
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
