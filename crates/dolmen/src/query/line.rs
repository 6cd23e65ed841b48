//! Where a line is inside a convex solid, in closed form.
//!
//! Lines are o + t d with d of unit length, in the frame of the shape. To keep digits, o is first moved along the line to
//! where it is nearest to the middle of the shape, so that all quantities are of the size of the shape.

use crate::math::{DVec3, dvec3};
use crate::narrow_phase::Polytope;
use crate::shape::Plane;

/// A line o + t d.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub origin: DVec3,
    /// Unit.
    pub direction: DVec3,
}

impl Line {
    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }

    /// The same line from its point nearest to `middle`, and how far that is along.
    fn moved_to(&self, middle: DVec3) -> (Self, f64) {
        let along = (middle - self.origin).dot(self.direction);
        (Self { origin: self.at(along), ..*self }, along)
    }
}

/// The part of a line inside a convex solid: from t₀ to t₁ > t₀, with the normals out of the solid there.
///
/// The solid is taken without its surface: a line that only touches has no such part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    pub t: [f64; 2],
    pub normals: [DVec3; 2],
}

impl Stretch {
    /// The whole line.
    const ALL: Self = Self { t: [f64::NEG_INFINITY, f64::INFINITY], normals: [DVec3::ZERO; 2] };

    fn new(t: [f64; 2], normals: [DVec3; 2]) -> Option<Self> {
        (t[0] < t[1]).then_some(Self { t, normals })
    }

    /// What is in both.
    fn and(self, other: Self) -> Option<Self> {
        let first = if self.t[0] >= other.t[0] { &self } else { &other };
        let last = if self.t[1] <= other.t[1] { &self } else { &other };
        Self::new([first.t[0], last.t[1]], [first.normals[0], last.normals[1]])
    }

    /// From the first point in either to the last: what is in one of two that together are convex.
    fn or(self, other: Self) -> Self {
        let first = if self.t[0] <= other.t[0] { &self } else { &other };
        let last = if self.t[1] >= other.t[1] { &self } else { &other };
        Self { t: [first.t[0], last.t[1]], normals: [first.normals[0], last.normals[1]] }
    }

    fn later(self, by: f64) -> Self {
        Self { t: self.t.map(|t| t + by), ..self }
    }
}

/// |o + t d|² < r², t = t_c ± √(r² − h²) with h the distance of the line from the centre.
pub(super) fn through_ball(line: &Line, centre: DVec3, radius: f64) -> Option<Stretch> {
    let (line, along) = line.moved_to(centre);
    let arm = line.origin - centre;
    let h = arm.length();
    let s = ((radius - h) * (radius + h)).max(0.0).sqrt();
    let normal = |t: f64| (arm + t * line.direction).normalize_or_zero();
    Some(Stretch::new([-s, s], [normal(-s), normal(s)])?.later(along))
}

/// A ball in coordinates divided by the semi-axes, in which the direction is no unit vector.
pub(super) fn through_ellipsoid(line: &Line, half: DVec3) -> Option<Stretch> {
    let (line, along) = line.moved_to(DVec3::ZERO);
    let (o, d) = (line.origin / half, line.direction / half);
    let a = d.length_squared();
    let middle = -o.dot(d) / a;
    let h = (o + middle * d).length();
    let s = ((1.0 - h) * (1.0 + h) / a).max(0.0).sqrt();
    // The gradient 2x/a² of Σ (x/a)², in range for semi-axes of any size.
    let least = half.min_element();
    let normal = |t: f64| ((o + t * d) * (least / half)).normalize_or_zero();
    let ends = [middle - s, middle + s];
    Some(Stretch::new(ends, ends.map(normal))?.later(along))
}

/// Between two planes at right angles to an axis.
fn through_slab(line: &Line, axis: usize, low: f64, high: f64) -> Option<Stretch> {
    let (o, d, normal) = (line.origin[axis], line.direction[axis], DVec3::AXES[axis]);
    if d == 0.0 {
        return (low < o && o < high).then_some(Stretch::ALL);
    }
    let ends = [(low - o) / d, (high - o) / d];
    if d > 0.0 {
        Stretch::new(ends, [-normal, normal])
    } else {
        Stretch::new([ends[1], ends[0]], [normal, -normal])
    }
}

pub(super) fn through_box(line: &Line, half: DVec3) -> Option<Stretch> {
    let (line, along) = line.moved_to(DVec3::ZERO);
    let slab = |axis: usize| through_slab(&line, axis, -half[axis], half[axis]);
    Some(slab(0)?.and(slab(1)?)?.and(slab(2)?)?.later(along))
}

/// Behind the plane n·x = offset.
fn behind(line: &Line, normal: DVec3, offset: f64) -> Option<Stretch> {
    let (height, slope) = (normal.dot(line.origin) - offset, normal.dot(line.direction));
    if slope == 0.0 {
        return (height < 0.0).then_some(Stretch::ALL);
    }
    let t = -height / slope;
    if slope < 0.0 {
        Stretch::new([t, f64::INFINITY], [normal, DVec3::ZERO])
    } else {
        Stretch::new([f64::NEG_INFINITY, t], [DVec3::ZERO, normal])
    }
}

pub(super) fn through_half_space(line: &Line, plane: &Plane) -> Option<Stretch> {
    behind(line, plane.normal(), plane.offset())
}

/// Behind all planes n·x < offset of a polyhedron. [Cyrus, Beck 1978]
pub(super) fn through_polytope(line: &Line, polytope: &Polytope) -> Option<Stretch> {
    let (line, along) = line.moved_to(polytope.centre());
    let mut inside = Stretch::ALL;
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        inside = inside.and(behind(&line, normal, offset)?)?;
    }
    Some(inside.later(along))
}

/// Within `radius` of the z axis.
fn through_tube(line: &Line, radius: f64) -> Option<Stretch> {
    let (o, d) = (line.origin, line.direction);
    let a = d.x * d.x + d.y * d.y;
    if a == 0.0 {
        return (o.x * o.x + o.y * o.y < radius * radius).then_some(Stretch::ALL);
    }
    let middle = -(o.x * d.x + o.y * d.y) / a;
    let h = (o.x * d.y - o.y * d.x).abs() / a.sqrt();
    let s = ((radius - h) * (radius + h) / a).max(0.0).sqrt();
    let normal = |t: f64| dvec3(o.x + t * d.x, o.y + t * d.y, 0.0).normalize_or_zero();
    let ends = [middle - s, middle + s];
    Stretch::new(ends, ends.map(normal))
}

pub(super) fn through_cylinder(line: &Line, radius: f64, half_length: f64) -> Option<Stretch> {
    let (line, along) = line.moved_to(DVec3::ZERO);
    let within = through_slab(&line, 2, -half_length, half_length)?;
    Some(through_tube(&line, radius)?.and(within)?.later(along))
}

/// A cylinder and a ball at either end: together convex, so that the line is in them without a break.
pub(super) fn through_capsule(line: &Line, radius: f64, half_length: f64) -> Option<Stretch> {
    let end = dvec3(0.0, 0.0, half_length);
    let pieces = [
        through_cylinder(line, radius, half_length),
        through_ball(line, end, radius),
        through_ball(line, -end, radius),
    ];
    pieces.into_iter().flatten().reduce(Stretch::or)
}

/// Of a cone about −z with its apex in the origin, ρ < −k z, and above its base.
///
/// With q(x) = x² + y² − k² z² and its bilinear form ⟨,⟩: q(o + t d) = A t² + 2 B t + C with A = q(d), B = ⟨o, d⟩, C = q(o),
/// and B² − A C = k² ((`o_x d_z` − `o_z d_x`)² + (`o_y d_z` − `o_z d_y`)²) − (`o_x d_y` − `o_y d_x`)² (Lagrange). Where A > 0 the line
/// is in one of the two cones of q < 0 between the roots; where A < 0 in either, before the first root and after the last.
pub(super) fn through_cone(line: &Line, radius: f64, height: f64) -> Option<Stretch> {
    let (line, along) = line.moved_to(dvec3(0.0, 0.0, 0.5 * height));
    let above_base = through_slab(&line, 2, 0.0, f64::INFINITY)?;
    let (o, d) = (line.origin - dvec3(0.0, 0.0, height), line.direction);
    let k = radius / height;
    let across = (d.x * d.x + d.y * d.y).sqrt();
    let a = (across - k * d.z.abs()) * (across + k * d.z.abs());
    let b = o.x * d.x + o.y * d.y - k * k * o.z * d.z;
    let c = o.x * o.x + o.y * o.y - k * k * o.z * o.z;
    let (m, n, l) = (o.x * d.z - o.z * d.x, o.y * d.z - o.z * d.y, o.x * d.y - o.y * d.x);
    let discriminant = k * k * (m * m + n * n) - l * l;
    // Along a side of the cone the line is in it at one end only: below, if it goes in on its way down.
    let misses = if a > 0.0 { discriminant <= 0.0 } else { a == 0.0 && b * d.z <= 0.0 };
    if misses {
        return None;
    }
    // Both roots without cancellation; where A = 0 one of them is infinite.
    let root = discriminant.max(0.0).sqrt();
    let sum = -(b + root.copysign(b));
    let (mut low, mut high) = (sum / a, c / sum);
    if low > high {
        (low, high) = (high, low);
    }
    let side = |t: f64| {
        let p = o + t * d;
        let rho = (p.x * p.x + p.y * p.y).sqrt();
        // On the apex all directions are as good.
        if rho > 0.0 { dvec3(height * p.x / rho, height * p.y / rho, radius).normalize() } else { DVec3::Z }
    };
    let inside = if a > 0.0 {
        let middle = 0.5 * (low + high);
        if o.z + middle * d.z >= 0.0 {
            return None;
        }
        Stretch::new([low, high], [side(low), side(high)])?
    } else if d.z < 0.0 {
        // Downwards, into the cone for good: from the last root that there is.
        let from = if high.is_finite() { high } else { low };
        Stretch::new([from, f64::INFINITY], [side(from), DVec3::ZERO])?
    } else {
        let to = if low.is_finite() { low } else { high };
        Stretch::new([f64::NEG_INFINITY, to], [DVec3::ZERO, side(to)])?
    };
    Some(inside.and(above_base)?.later(along))
}
