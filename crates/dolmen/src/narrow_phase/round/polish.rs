//! The common normal of two pieces of surface, to rounding.
//!
//! For unit n let s(n) = min n·x over a − max n·y over b, the separation along n. It is what two support functions give, its
//! gradient is the difference of the support points, and the separation of the shapes is its greatest value: apart that is
//! their distance (s is concave where it is positive), overlapping it is minus the least depth. On two given pieces s is
//! smooth, and its greatest value is found by Newton's method on the sphere of normals. What comes out is judged by the
//! support functions of the *whole* shapes: s(n) is then never too great, and points of the shapes that are s(n) apart along
//! n prove that it is not too small.

use super::super::relative::Relative;
use super::super::tolerance::ROUNDING;
use super::piece::{Bound, Piece};
use super::solid::Solid;
use super::tolerance::{AGREE, FOLLOW, LONGEST, NEWTON, PARALLEL, SETTLED, TANGENT};
use crate::math::DVec3;

/// Two shapes in one frame, that of the core of b.
pub(super) struct Duo<'a> {
    pub(super) a: Solid<'a>,
    pub(super) b: Solid<'a>,
    /// The rounding of a separation, m.
    pub(super) rounding: f64,
    /// Of the smaller of the two, m.
    pub(super) size: f64,
    /// The contact tolerance, m.
    pub(super) touching: f64,
    /// Both balls, m.
    pub(super) balls: f64,
}

/// An approximate answer to start from, common frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guess<'a> {
    /// From b to a, unit.
    pub(super) normal: DVec3,
    /// A point near where the shapes meet.
    pub(super) near: DVec3,
    /// Vertices of a and of b that were seen there, if these have any.
    pub(super) seen: [&'a [u32]; 2],
}

/// Where two shapes are nearest to each other, or deepest in each other, in the common frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// Unit, from b to a.
    pub(super) normal: DVec3,
    /// s(n), m.
    pub(super) separation: f64,
    /// The pieces that face each other.
    pub(super) a: Piece,
    pub(super) b: Piece,
    /// On the surfaces of a and b.
    pub(super) points: [DVec3; 2],
    /// How far the points are from facing each other along the normal at that separation: |p_a − p_b − s n|, m.
    pub(super) residual: f64,
}

impl<'a> Duo<'a> {
    pub(super) fn new(a: Solid<'a>, b: Solid<'a>, size: f64, touching: f64) -> Self {
        let mut a = a;
        a.frame = Relative::new(&a.pose, &b.pose);
        let lengths = a.extent + a.ball + b.extent + b.ball + a.frame.shift.abs().max_element();
        let balls = a.ball + b.ball;
        Self { a, b, rounding: ROUNDING * lengths, size, touching, balls }
    }

    /// s(n) of the whole shapes, for unit n.
    pub(super) fn gap(&self, n: DVec3) -> f64 {
        n.dot(self.a.frame.shift) - self.a.reach(-n) - self.b.reach(n)
    }

    /// p_a − p_b of two pieces at a normal n, without their balls.
    fn between(&self, a: &Piece, b: &Piece, n: DVec3) -> DVec3 {
        let on_a = self.a.frame.point(a.base(self.a.back(-n)));
        on_a - b.base(n)
    }

    /// How that difference moves against n when n turns by v: (∂p_a/∂m + ∂p_b/∂m) v.
    fn bend(&self, a: &Piece, b: &Piece, n: DVec3, v: DVec3) -> DVec3 {
        self.a.frame.turn * a.bend(self.a.back(-n), self.a.back(v)) + b.bend(n, v)
    }

    /// The normal at which the pieces face each other, from a normal near it.
    fn normal_of(&self, a: &Piece, b: &Piece, start: DVec3) -> Option<DVec3> {
        // m_a = −n: m_a·w = c is n·(−w) = c.
        let turned = |axis: DVec3| -(self.a.frame.turn * axis);
        let normal = match (a.bound(), b.bound()) {
            (_, Bound::Fixed(m)) => m,
            (Bound::Fixed(m), _) => turned(m),
            (Bound::Free, Bound::Free) => self.newton_free(a, b, start)?,
            (Bound::Circle { axis, level, across }, Bound::Free) => {
                self.newton_bound((a, b), (turned(axis), level, across), start)?
            }
            (Bound::Free, Bound::Circle { axis, level, across }) => {
                self.newton_bound((a, b), (axis, level, across), start)?
            }
            (Bound::Circle { axis: u, level: k, .. }, Bound::Circle { axis: w, level: l, across }) => {
                let u = turned(u);
                if u.cross(w).length() <= PARALLEL {
                    self.newton_bound((a, b), (w, l, across), start)?
                } else {
                    on_two_circles((u, k), (w, l), start)?
                }
            }
        };
        normal.is_finite().then_some(normal)
    }

    /// Newton for pieces with a point for every normal.
    ///
    /// With w = p_a − p_b and H = ∂p_a/∂m + ∂p_b/∂m the tangential part of w vanishes at the solution; turning n by v across it
    /// changes that part by −(H + (n·w)) v, so (H + n·w) v = w across n. For s > 0 the matrix is positive definite.
    fn newton_free(&self, a: &Piece, b: &Piece, start: DVec3) -> Option<DVec3> {
        // Sharp pieces that touch have many normals; the noise keeps the step from running through them.
        let noise = AGREE * self.rounding;
        let mut n = start;
        for _ in 0..NEWTON {
            let w = self.between(a, b, n);
            if w.length() <= noise {
                return Some(n);
            }
            let (u, v) = n.any_orthonormal_pair();
            let s = n.dot(w) + noise;
            let (bent_u, bent_v) = (self.bend(a, b, n, u), self.bend(a, b, n, v));
            let (uu, uv, vv) = (u.dot(bent_u) + s, u.dot(bent_v), v.dot(bent_v) + s);
            let (fu, fv) = (u.dot(w), v.dot(w));
            let determinant = uu * vv - uv * uv;
            let (x, y) = if determinant > 0.0 && uu + vv > 0.0 {
                ((fu * vv - fv * uv) / determinant, (fv * uu - fu * uv) / determinant)
            } else {
                // Not at a greatest value: uphill, by the size of the curvature.
                let scale = uu.abs() + vv.abs() + uv.abs();
                if scale == 0.0 {
                    return None;
                }
                (fu / scale, fv / scale)
            };
            let length = (x * x + y * y).sqrt();
            let shrink = if length > LONGEST { LONGEST / length } else { 1.0 };
            n = (n + (u * x + v * y) * shrink).normalize();
            if length.is_nan() {
                return None;
            }
            if length <= SETTLED {
                break;
            }
        }
        Some(n)
    }

    /// Newton for normals on a circle n·axis = level, of which one piece has many points.
    ///
    /// n = level axis + q e, q² = 1 − level², and e turns about the axis: with t = axis × e, s′ = q t·w and
    /// s″ = −q e·w − q² t·H t.
    fn newton_bound(
        &self,
        (a, b): (&Piece, &Piece),
        (axis, level, q): (DVec3, f64, f64),
        start: DVec3,
    ) -> Option<DVec3> {
        let noise = AGREE * self.rounding;
        let mut e = (start - axis * axis.dot(start)).try_normalize()?;
        for _ in 0..NEWTON {
            let n = axis * level + e * q;
            let w = self.between(a, b, n);
            let tangent = axis.cross(e);
            let slope = tangent.dot(w);
            if slope.abs().max(n.dot(w).abs()) <= noise {
                return Some(n);
            }
            let curvature = -e.dot(w) - noise - q * tangent.dot(self.bend(a, b, n, tangent));
            let turn = if curvature < 0.0 { -slope / curvature } else { slope / (w.length() + curvature) };
            if turn.is_nan() {
                return Some(n);
            }
            e = (e + tangent * turn.clamp(-LONGEST, LONGEST)).normalize();
            if turn.abs() <= SETTLED {
                break;
            }
        }
        // Rounding must not lean the normal along the piece, where its points are far apart.
        e = (e - axis * axis.dot(e)).try_normalize()?;
        Some(axis * level + e * q)
    }

    /// What two pieces give from a normal near theirs; x is a point near where they meet.
    fn touch(&self, a: &Piece, b: &Piece, start: DVec3, x: DVec3) -> Option<Touch> {
        let normal = self.normal_of(a, b, start)?;
        let separation = self.gap(normal);
        let points = self.points(a, b, normal, x);
        let residual = off(points, normal, separation);
        separation.is_finite().then_some(Touch { normal, separation, a: *a, b: *b, points, residual })
    }

    /// The points of two pieces that face each other across n, nearest to x where there are many.
    fn points(&self, a: &Piece, b: &Piece, n: DVec3, x: DVec3) -> [DVec3; 2] {
        let m_a = self.a.back(-n);
        let lift = |p: DVec3, q: DVec3| [p - n * a.radius, q + n * b.radius];
        if let (Some(p), Some(q)) = (a.segment(m_a), b.segment(n)) {
            let p = p.map(|end| self.a.frame.point(end));
            let [on_a, on_b] = between_segments(p, q, n);
            return lift(on_a, on_b);
        }
        let near_a = |x: DVec3| self.a.frame.point(a.nearest(&self.a, m_a, self.a.point_back(x)));
        let near_b = |x: DVec3| b.nearest(&self.b, n, x);
        // What touches a round face at its rim is nearest to its centre there; taking turns would creep towards it.
        let centre_a = a.centre_of_face().map(|centre| self.a.frame.point(centre));
        let x = match (centre_a, b.centre_of_face()) {
            (Some(centre), None) if b.segment(n).is_some() => centre,
            (None, Some(centre)) if a.segment(m_a).is_some() => centre,
            (Some(_), Some(centre)) => centre,
            _ => x,
        };
        // A piece with one point alone leads; two faces take turns, and from near the common part one turn does.
        let mut on_a = near_a(x);
        let mut on_b = near_b(on_a);
        for _ in 0..8 {
            let next = near_a(on_b);
            let moved = next.distance(on_a);
            on_a = next;
            on_b = near_b(on_a);
            if moved <= self.rounding {
                break;
            }
        }
        lift(on_a, on_b)
    }

    /// The best of the pieces near a normal: greatest s, and of equals the one whose points agree.
    ///
    /// Where the pieces lead away from the guess and do not agree, those at the place that they lead to are tried in turn.
    pub(super) fn polish(&self, guess: &Guess, angle: f64) -> Option<Touch> {
        let mut best = self.polish_once(guess, angle)?;
        let mut from = guess.normal;
        for _ in 0..FOLLOW {
            if self.agrees(&best) || best.normal.distance(from) <= 0.5 * angle {
                break;
            }
            from = best.normal;
            let next = Guess { normal: from, near: best.points[0], ..*guess };
            if let Some(found) = self.polish_once(&next, angle).filter(|found| self.is_better(found, &best)) {
                best = found;
            }
        }
        Some(best)
    }

    fn polish_once(&self, guess: &Guess, angle: f64) -> Option<Touch> {
        let (start, x) = (guess.normal, guess.near);
        let pieces_a = self.a.pieces(self.a.back(-start), angle, guess.seen[0]);
        let pieces_b = self.b.pieces(start, angle, guess.seen[1]);
        let mut best: Option<Touch> = None;
        for a in pieces_a.as_slice() {
            for b in pieces_b.as_slice() {
                let Some(found) = self.touch(a, b, start, x) else { continue };
                if best.as_ref().is_none_or(|best| self.is_better(&found, best)) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The touch of the pieces that face each other across a given normal, with normals of their own within an angle of it.
    pub(super) fn facing(&self, n: DVec3, angle: f64) -> Touch {
        let x = self.a.support(-n);
        let x = if x.is_finite() { x } else { self.b.support(n) };
        let pieces_a = self.a.pieces(self.a.back(-n), angle, &[]);
        let pieces_b = self.b.pieces(n, angle, &[]);
        let mut best: Option<Touch> = None;
        for a in pieces_a.as_slice() {
            for b in pieces_b.as_slice() {
                let points = self.points(a, b, n, x);
                let separation = self.gap(n);
                let residual = off(points, n, separation);
                let found = Touch { normal: n, separation, a: *a, b: *b, points, residual };
                if best.as_ref().is_none_or(|best| self.is_better(&found, best)) {
                    best = Some(found);
                }
            }
        }
        best.expect("every shape has a piece in every direction")
    }

    /// Whether a touch is a better answer than another: by its separation, and of equals the one whose points agree. Of shapes
    /// that touch within the tolerance all directions in which they do are equal: where sharp corners meet there are many.
    pub(super) fn is_better(&self, found: &Touch, best: &Touch) -> bool {
        let gain = found.separation - best.separation;
        let both_touch = found.separation.abs().max(best.separation.abs()) <= self.touching;
        let slack = if both_touch { self.touching } else { self.rounding };
        match (self.agrees(found), self.agrees(best)) {
            (true, false) => gain >= -slack,
            (false, true) => gain > slack,
            (true, true) => gain > self.rounding,
            (false, false) => {
                gain > self.rounding || (gain >= -self.rounding && found.residual < 0.5 * best.residual)
            }
        }
    }

    /// Whether the points of a and b face each other along the normal, so that s(n) cannot be bettered nearby.
    ///
    /// With t the part of their difference across n, |p_a − p_b|² = s² + t² bounds the distance from above: what t adds to s
    /// must be rounding.
    pub(super) fn agrees(&self, touch: &Touch) -> bool {
        let between = touch.points[0] - touch.points[1];
        let t = across(between, touch.normal).length();
        let along = (touch.normal.dot(between) - touch.separation).abs();
        let core = touch.separation + self.balls;
        along <= AGREE * self.rounding
            && (t <= AGREE * self.rounding || t * t <= 2.0 * core.abs() * self.rounding)
    }

    /// The direction n0 as it is, with the pieces of a touch near it.
    pub(super) fn as_it_is(&self, n: DVec3, points: [DVec3; 2], angle: f64) -> Option<Touch> {
        let (pieces_a, pieces_b) = (self.a.pieces(self.a.back(-n), angle, &[]), self.b.pieces(n, angle, &[]));
        let (a, b) = (pieces_a.as_slice().first()?, pieces_b.as_slice().first()?);
        let points = [points[0] - n * self.a.ball, points[1] + n * self.b.ball];
        let separation = self.gap(n);
        let residual = off(points, n, separation);
        Some(Touch { normal: n, separation, a: *a, b: *b, points, residual })
    }
}

/// |p_a − p_b − s n|.
fn off([on_a, on_b]: [DVec3; 2], n: DVec3, separation: f64) -> f64 {
    (on_a - on_b - n * separation).length()
}

/// The part of a vector across a unit one.
fn across(v: DVec3, n: DVec3) -> DVec3 {
    v - n * n.dot(v)
}

/// The unit vector near `start` with n·u = k and n·w = l; `None` where there is none.
///
/// n = α u + β w ± γ u×w with α + β u·w = k, α u·w + β = l and |n| = 1. Where the circles touch (a line along the side of a
/// cone) γ² is rounding, and its root would turn n by 1e-8: the middle of the two has both products to rounding, and γ = 0.
fn on_two_circles((u, k): (DVec3, f64), (w, l): (DVec3, f64), start: DVec3) -> Option<DVec3> {
    let cross = u.cross(w);
    let sine2 = cross.length_squared();
    let cosine = u.dot(w);
    let (alpha, beta) = ((k - cosine * l) / sine2, (l - cosine * k) / sine2);
    let square = 1.0 - alpha * k - beta * l;
    if square.is_nan() || square < -TANGENT {
        return None;
    }
    let out = if square <= TANGENT { DVec3::ZERO } else { cross * (square / sine2).sqrt() };
    let out = if out.dot(start) < 0.0 { -out } else { out };
    let n = (u * alpha + w * beta + out).try_normalize()?;
    // Rounding must not lean it along the one that it was made of last.
    (n + u * (k - n.dot(u))).try_normalize()
}

/// The points of two segments that are nearest to each other seen along n; the middle of the common part of parallel ones.
fn between_segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2], n: DVec3) -> [DVec3; 2] {
    let (d, e, between) = (across(q - p, n), across(s - r, n), across(r - p, n));
    let (dd, ee) = (d.length_squared(), e.length_squared());
    if dd == 0.0 || ee == 0.0 {
        let x = if dd == 0.0 { 0.0 } else { (between.dot(d) / dd).clamp(0.0, 1.0) };
        let y = if ee == 0.0 { 0.0 } else { ((x * d - between).dot(e) / ee).clamp(0.0, 1.0) };
        return [p + (q - p) * x, r + (s - r) * y];
    }
    let sine2 = d.cross(e).length_squared();
    let x = if sine2 > PARALLEL * PARALLEL * dd * ee {
        let x = between.cross(e).dot(d.cross(e)) / sine2;
        x.clamp(0.0, 1.0)
    } else {
        // Both ends of the other as parameters here; the middle of what is common.
        let (first, last) = (between.dot(d) / dd, (between + e).dot(d) / dd);
        let (low, high) = (first.min(last).max(0.0), first.max(last).min(1.0));
        (0.5 * (low + high)).clamp(0.0, 1.0)
    };
    let y = ((d * x - between).dot(e) / ee).clamp(0.0, 1.0);
    let x = ((between + e * y).dot(d) / dd).clamp(0.0, 1.0);
    [p + (q - p) * x, r + (s - r) * y]
}

/// Keeps the better of two touches.
pub(super) fn keep_better(duo: &Duo, best: &mut Option<Touch>, touch: &Touch) {
    if best.as_ref().is_none_or(|best| duo.is_better(touch, best)) {
        *best = Some(*touch);
    }
}
