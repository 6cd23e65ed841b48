//! The point of a shape's surface that is nearest to a given point, in closed form where there is one.

use super::{Hull, Shape};
use crate::math::{DVec3, dvec3};

/// The nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The point, in the frame of the shape.
    pub point: DVec3,
    /// Unit normal there, out of the shape, along the line to the given point; where several fit (an edge, a centre) one of
    /// them, always the same.
    pub normal: DVec3,
    /// Distance from the surface, m: negative inside.
    pub separation: f64,
}

impl Nearest {
    /// From a nearest surface point and a normal for the case that the given point lies on it.
    fn outside(given: DVec3, point: DVec3, fallback: DVec3) -> Self {
        let apart = given - point;
        let separation = apart.length();
        let normal = if separation > 0.0 { apart / separation } else { fallback };
        Self { point, normal, separation }
    }
}

/// The nearest point of the surface of a shape to `point`, both in the shape's frame.
///
/// None for a shape whose surface has no closed form here: meshes (which have a hierarchy of their own) and planes.
pub fn nearest(shape: &Shape, point: DVec3) -> Option<Nearest> {
    match shape {
        Shape::Sphere { radius } => Some(of_ball(point, DVec3::ZERO, *radius)),
        Shape::Capsule { radius, half_length } => {
            let axis = dvec3(0.0, 0.0, point.z.clamp(-half_length, *half_length));
            Some(of_ball(point, axis, *radius))
        }
        Shape::Cuboid { half } => Some(of_box(point, *half)),
        Shape::Cylinder { radius, half_length } => {
            let profile =
                [(0.0, -half_length), (*radius, -half_length), (*radius, *half_length), (0.0, *half_length)];
            Some(of_revolution(point, &profile))
        }
        Shape::Cone { radius, height } => {
            Some(of_revolution(point, &[(0.0, 0.0), (*radius, 0.0), (0.0, *height)]))
        }
        Shape::Disc { radius } => Some(of_disc(point, *radius)),
        Shape::Ellipsoid { half } => Some(of_ellipsoid(point, *half)),
        Shape::Hull(hull) => Some(of_hull(point, hull)),
        Shape::Compound(parts) => {
            let of_part = |part: &super::Part| {
                let pose = part.unit_pose();
                let local = pose.orientation.conjugate() * (point - pose.position);
                let found = nearest(&part.shape, local)?;
                Some(Nearest {
                    point: pose.point(found.point),
                    normal: pose.direction(found.normal),
                    ..found
                })
            };
            let all: Option<Vec<Nearest>> = parts.iter().map(of_part).collect();
            all?.into_iter().min_by(|a, b| a.separation.total_cmp(&b.separation))
        }
        Shape::Mesh(_) | Shape::Plane(_) => None,
    }
}

fn of_ball(point: DVec3, centre: DVec3, radius: f64) -> Nearest {
    let apart = point - centre;
    let distance = apart.length();
    // Every direction is as near from the centre; across the axis of a capsule, x is one.
    let normal = if distance > 0.0 { apart / distance } else { DVec3::X };
    Nearest { point: centre + normal * radius, normal, separation: distance - radius }
}

fn of_box(point: DVec3, half: DVec3) -> Nearest {
    let clamped = point.clamp(-half, half);
    if clamped != point {
        return Nearest::outside(point, clamped, DVec3::X);
    }
    // Inside: through the nearest face; of several equally near the first.
    let room = half - point.abs();
    let axis = (1..3).fold(0, |best, k| if room[k] < room[best] { k } else { best });
    let side = if point[axis] < 0.0 { -1.0 } else { 1.0 };
    let normal = DVec3::AXES[axis] * side;
    let mut surface = point;
    surface[axis] = half[axis] * side;
    Nearest { point: surface, normal, separation: -room[axis] }
}

/// The nearest place (ρ, z) of a side of a profile, and the side's normal.
struct Side {
    distance: f64,
    near: (f64, f64),
    normal: (f64, f64),
}

/// A convex solid of revolution about z: the profile (ρ, z) runs counterclockwise from the axis to the axis.
fn of_revolution(point: DVec3, profile: &[(f64, f64)]) -> Nearest {
    let rho = (point.x * point.x + point.y * point.y).sqrt();
    let outwards = if rho > 0.0 { dvec3(point.x / rho, point.y / rho, 0.0) } else { DVec3::X };
    let place = |r: f64, z: f64| outwards * r + dvec3(0.0, 0.0, z);
    let mut best: Option<Side> = None;
    let mut inside = true;
    for side in profile.windows(2) {
        let ((r0, z0), (r1, z1)) = (side[0], side[1]);
        let (dr, dz) = (r1 - r0, z1 - z0);
        let length = (dr * dr + dz * dz).sqrt();
        let normal = (dz / length, -dr / length);
        inside &= (rho - r0) * normal.0 + (point.z - z0) * normal.1 <= 0.0;
        let s = (((rho - r0) * dr + (point.z - z0) * dz) / (length * length)).clamp(0.0, 1.0);
        let near = (r0 + s * dr, z0 + s * dz);
        let (er, ez) = (rho - near.0, point.z - near.1);
        let distance = (er * er + ez * ez).sqrt();
        if best.as_ref().is_none_or(|side| distance < side.distance) {
            best = Some(Side { distance, near, normal });
        }
    }
    let Side { distance, near, normal } = best.expect("a profile has sides");
    let face = place(normal.0, normal.1);
    if inside {
        return Nearest { point: place(near.0, near.1), normal: face, separation: -distance };
    }
    Nearest::outside(point, place(near.0, near.1), face)
}

fn of_disc(point: DVec3, radius: f64) -> Nearest {
    let rho = (point.x * point.x + point.y * point.y).sqrt();
    let shrink = if rho > radius { radius / rho } else { 1.0 };
    let up = if point.z < 0.0 { -DVec3::Z } else { DVec3::Z };
    Nearest::outside(point, dvec3(point.x * shrink, point.y * shrink, 0.0), up)
}

/// The foot x of the perpendicular satisfies xₖ = aₖ² pₖ/(aₖ² − a² + s) with Σ (xₖ/aₖ)² = 1, a the shortest half axis: one
/// equation for s, monotone for s > 0, by bisection to the last bit. [Eberly, distance from a point to an ellipsoid]
///
/// s is measured from where the shortest axis vanishes, so that a point next to the plane of the longer axes, deep inside,
/// loses no digits: there s is as small as the point's distance from that plane.
fn of_ellipsoid(point: DVec3, half: DVec3) -> Nearest {
    // In units of the longest axis, so that squares neither overflow nor vanish.
    let unit = half.max_element();
    let (p, half_unit) = (point.abs() / unit, half / unit);
    let least = (0..3).fold(0, |best, k| if half[k] < half[best] { k } else { best });
    let shortest = half_unit[least];
    let squares = half_unit * half_unit;
    let room = (half_unit - shortest) * (half_unit + shortest);
    let foot = if p[least] == 0.0 && excess_at_limit(p, half_unit, room) < 0.0 {
        // On the plane of the two longer axes, so far inside that the nearest points lie off it, on either side.
        let mut foot = DVec3::ZERO;
        for k in (0..3).filter(|k| room[*k] > 0.0) {
            foot[k] = squares[k] * p[k] / room[k];
        }
        let rest = 1.0 - (foot / half_unit).length_squared();
        foot[least] = shortest * rest.max(0.0).sqrt();
        foot
    } else {
        // No ratio below exceeds one at the root.
        let low = (half_unit * p - room).max_element().max(0.0);
        let s = root_of_excess(p, half_unit, room, low);
        let foot = squares * p / (room + s);
        // 0/0 where both the axis and the point on it vanish.
        dvec3(finite_or(foot.x, p.x), finite_or(foot.y, p.y), finite_or(foot.z, p.z))
    };
    let foot = foot * unit;
    let surface = dvec3(foot.x.copysign(point.x), foot.y.copysign(point.y), foot.z.copysign(point.z));
    let normal = (surface / half * (unit / half)).normalize();
    let inside = (point / half).length_squared() < 1.0;
    let distance = point.distance(surface);
    Nearest { point: surface, normal, separation: if inside { -distance } else { distance } }
}

fn finite_or(value: f64, other: f64) -> f64 {
    if value.is_finite() { value } else { other }
}

/// The root of Σ (aₖ pₖ/(roomₖ + s))² = 1, no less than `low`.
fn root_of_excess(p: DVec3, half: DVec3, room: DVec3, low: f64) -> f64 {
    let (mut low, mut high) = (low, 1.0 + p.length());
    for _ in 0..200 {
        // Over many decades by their exponents.
        let middle =
            if low > 0.0 && high > 4.0 * low { low.sqrt() * high.sqrt() } else { 0.5 * (low + high) };
        if middle <= low || middle >= high {
            break;
        }
        if (half * p / (room + middle)).length_squared() > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Σ (aₖ pₖ/roomₖ)² − 1 over the axes longer than the shortest; infinite where the point is off the plane of these.
fn excess_at_limit(p: DVec3, half: DVec3, room: DVec3) -> f64 {
    let mut sum = -1.0;
    for k in (0..3).filter(|k| p[*k] > 0.0) {
        let ratio = half[k] * p[k] / room[k];
        sum += ratio * ratio;
    }
    sum
}

fn of_hull(point: DVec3, hull: &Hull) -> Nearest {
    let mut deepest: Option<Nearest> = None;
    let mut nearest: Option<Nearest> = None;
    for face in 0..hull.face_count() {
        let corners: Vec<DVec3> = hull.face(face).iter().map(|i| hull.vertices()[*i as usize]).collect();
        let normal = polygon_normal(&corners);
        let height = normal.dot(point - corners[0]);
        if deepest.is_none_or(|best| height > best.separation) {
            deepest = Some(Nearest { point: point - height * normal, normal, separation: height });
        }
        if height > 0.0 {
            let found = Nearest::outside(point, nearest_of_polygon(point, &corners, normal), normal);
            if nearest.is_none_or(|best| found.separation < best.separation) {
                nearest = Some(found);
            }
        }
    }
    nearest.or(deepest).expect("a hull has faces")
}

/// Unit normal of a convex polygon, by the sum of its fan: the longest sides count most.
fn polygon_normal(corners: &[DVec3]) -> DVec3 {
    let fan = corners.windows(2).skip(1).map(|w| (w[0] - corners[0]).cross(w[1] - corners[0]));
    fan.fold(DVec3::ZERO, |sum, n| sum + n).normalize()
}

fn nearest_of_polygon(point: DVec3, corners: &[DVec3], normal: DVec3) -> DVec3 {
    let foot = point - normal * normal.dot(point - corners[0]);
    let mut best = foot;
    let mut least = f64::INFINITY;
    let mut inside = true;
    for (i, a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let side = b - *a;
        inside &= normal.cross(side).dot(foot - *a) >= 0.0;
        let s = (side.dot(point - *a) / side.length_squared()).clamp(0.0, 1.0);
        let on_side = *a + s * side;
        let distance = point.distance_squared(on_side);
        if distance < least {
            (best, least) = (on_side, distance);
        }
    }
    if inside { foot } else { best }
}
