//! Questions about points whose answer is never rounded.
//!
//! All rest on the adaptive determinants of `robust` [Shewchuk 1997],
//! which are exact as long as no product overflows or underflows. [`in_range`] is the condition for that.

use crate::math::{DVec3, dvec3};
use robust::{Coord, Coord3D};

/// Largest coordinate, m, for which the predicates are exact: a product of three differences stays below 1e181.
pub const LARGEST: f64 = 1e60;

/// Smallest coordinate other than zero, m: its last bit is 1e-76, and the cube of that is still a normal number.
pub const SMALLEST: f64 = 1e-60;

/// Whether all coordinates are finite and either zero or within [[`SMALLEST`], [`LARGEST`]] in size.
pub(crate) fn in_range(point: DVec3) -> bool {
    point.to_array().iter().all(|x| *x == 0.0 || (SMALLEST..=LARGEST).contains(&x.abs()))
}

/// Positive when `d` is on the side of the plane abc from which a, b, c run counterclockwise, zero exactly on it.
///
/// The sign of (b − a)×(c − a)·(d − a). The size is that of the determinant, rounded.
pub(crate) fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    // `robust` counts the other side as positive.
    -robust::orient3d(coord3(a), coord3(b), coord3(c), coord3(d))
}

/// Whether the three points lie on one line, coincident points included.
pub(crate) fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    plane_of(a, b, c).is_none()
}

/// A coordinate plane on which the triangle abc casts a shadow with an area, or `None` when it has no area itself.
///
/// The cross product (b − a)×(c − a) is zero exactly when its three components, which are planar determinants, are.
pub(crate) fn plane_of(a: DVec3, b: DVec3, c: DVec3) -> Option<Drop> {
    [Drop::Z, Drop::X, Drop::Y].into_iter().find(|drop| drop.turn(a, b, c) != 0.0)
}

/// Which coordinate a projection forgets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Drop {
    /// (y, z) remain.
    X,
    /// (z, x) remain.
    Y,
    /// (x, y) remain.
    Z,
}

impl Drop {
    /// Positive when the shadows of a, b, c turn left, zero exactly when they are in line.
    pub(crate) fn turn(self, a: DVec3, b: DVec3, c: DVec3) -> f64 {
        robust::orient2d(self.shadow(a), self.shadow(b), self.shadow(c))
    }

    fn shadow(self, p: DVec3) -> Coord<f64> {
        match self {
            Self::X => Coord { x: p.y, y: p.z },
            Self::Y => Coord { x: p.z, y: p.x },
            Self::Z => Coord { x: p.x, y: p.y },
        }
    }
}

/// Whether the closed segment pq meets the closed triangle, which must have an area.
pub(crate) fn segment_meets_triangle(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let (side_p, side_q) = (side(a, b, c, p), side(a, b, c, q));
    if (side_p > 0.0 && side_q > 0.0) || (side_p < 0.0 && side_q < 0.0) {
        return false;
    }
    if side_p == 0.0 && side_q == 0.0 {
        let drop = plane_of(a, b, c).expect("a triangle with an area has a shadow");
        return segment_meets_triangle_in_plane(drop, p, q, [a, b, c]);
    }
    // The line crosses the plane at one point, which is in the triangle when no two edges see it on opposite sides.
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
}

fn segment_meets_triangle_in_plane(drop: Drop, p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let inside = |x: DVec3| {
        let around = [drop.turn(a, b, x), drop.turn(b, c, x), drop.turn(c, a, x)];
        around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
    };
    inside(p)
        || inside(q)
        || [(a, b), (b, c), (c, a)].iter().any(|&(u, v)| segments_meet_in_plane(drop, [p, q], [u, v]))
}

/// Whether two closed segments of one plane meet; the plane must not be dropped to a line.
fn segments_meet_in_plane(drop: Drop, [p, q]: [DVec3; 2], [u, v]: [DVec3; 2]) -> bool {
    let (u_side, v_side) = (drop.turn(p, q, u), drop.turn(p, q, v));
    let (p_side, q_side) = (drop.turn(u, v, p), drop.turn(u, v, q));
    if u_side == 0.0 && v_side == 0.0 {
        // On one line, if pq is not a point beside it: they meet when their boxes do.
        return p_side == 0.0 && (p.min(q).cmple(u.max(v)) & u.min(v).cmple(p.max(q))).all();
    }
    let apart = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    !apart(u_side, v_side) && !apart(p_side, q_side)
}

/// The point with every −0 made +0, so that equal points have equal bits.
pub(crate) fn canonical(p: DVec3) -> DVec3 {
    // (−0) + 0 = +0, and any other x + 0 = x.
    dvec3(p.x + 0.0, p.y + 0.0, p.z + 0.0)
}

/// A total order of finite points: by x, then y, then z.
pub(crate) fn compare(a: DVec3, b: DVec3) -> std::cmp::Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

/// The point as an error shows it: short for huge and tiny coordinates as well.
pub(crate) fn shown(p: DVec3) -> String {
    format!("({:?}, {:?}, {:?})", p.x, p.y, p.z)
}

fn coord3(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}
