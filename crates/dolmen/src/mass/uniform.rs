//! Shapes of one density, and points.

use super::{MassError, MassProperties, Moments, outer};
use crate::math::real::PI;
use crate::math::{DMat3, DVec3, dvec3};
use crate::shape::{Part, Shape};

/// Mass properties of a shape of uniform density, in the frame of the shape.
///
/// `density` is in kg/m³; for a disc, and a compound of discs, it is in kg/m². Parts of a compound that overlap count twice
/// where they do.
///
/// # Errors
/// When the density or a length is not a positive finite number, there is a plane, or the result is beyond all numbers.
pub fn of_shape(shape: &Shape, density: f64) -> Result<MassProperties, MassError> {
    if !(density > 0.0 && density.is_finite()) {
        return Err(MassError::Density { value: density });
    }
    shape.check()?;
    check_dimension(shape)?;
    of_checked(shape, density)
}

/// Refuses planes, and a mixture of discs and solids.
pub(super) fn check_dimension(shape: &Shape) -> Result<(), MassError> {
    if has_plane(shape) {
        return Err(MassError::Plane);
    }
    let (flat, solid) = dimensions(shape);
    if flat && solid { Err(MassError::MixedDensity) } else { Ok(()) }
}

fn has_plane(shape: &Shape) -> bool {
    match shape {
        Shape::Plane(_) => true,
        Shape::Compound(parts) => parts.iter().any(|p| has_plane(&p.shape)),
        _ => false,
    }
}

/// Whether there are discs, and whether there are solids.
fn dimensions(shape: &Shape) -> (bool, bool) {
    match shape {
        Shape::Disc { .. } => (true, false),
        Shape::Compound(parts) => parts
            .iter()
            .map(|p| dimensions(&p.shape))
            .fold((false, false), |all, d| (all.0 | d.0, all.1 | d.1)),
        _ => (false, true),
    }
}

/// Closed forms: any table of moments of inertia, e.g. [SLIDES, mass properties]; m is the mass of the whole.
fn of_checked(shape: &Shape, density: f64) -> Result<MassProperties, MassError> {
    let centred =
        |mass: f64, moments: DVec3| MassProperties::new(mass, DVec3::ZERO, DMat3::from_diagonal(moments));
    match shape {
        Shape::Sphere { radius: r } => {
            let m = density * ball(r * r * r);
            centred(m, DVec3::splat(0.4 * m * r * r))
        }
        Shape::Ellipsoid { half } => {
            let m = density * ball(half.x * half.y * half.z);
            centred(m, sums_of_others(*half * *half) * (m / 5.0))
        }
        Shape::Cuboid { half } => {
            let m = density * 8.0 * half.x * half.y * half.z;
            centred(m, sums_of_others(*half * *half) * (m / 3.0))
        }
        Shape::Cylinder { radius: r, half_length: h } => {
            let m = density * PI * r * r * 2.0 * h;
            let across = m * (r * r / 4.0 + h * h / 3.0);
            centred(m, dvec3(across, across, m * r * r / 2.0))
        }
        Shape::Capsule { radius: r, half_length: h } => {
            // Two halves of a ball, each with its centre of mass 3r/8 beyond the end of the straight part:
            // 2/5 r² − (3r/8)² + (h + 3r/8)² = 2/5 r² + h² + 3/4 h r.
            let (straight, caps) = (density * PI * r * r * 2.0 * h, density * ball(r * r * r));
            let across = straight * (r * r / 4.0 + h * h / 3.0) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
            centred(straight + caps, dvec3(across, across, straight * r * r / 2.0 + caps * 0.4 * r * r))
        }
        Shape::Cone { radius: r, height: h } => {
            // The centre of mass is a quarter of the height above the base.
            let m = density * PI * r * r * h / 3.0;
            let across = m * (3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h);
            let inertia = DMat3::from_diagonal(dvec3(across, across, 0.3 * m * r * r));
            MassProperties::new(m, dvec3(0.0, 0.0, h / 4.0), inertia)
        }
        Shape::Disc { radius: r } => {
            let m = density * PI * r * r;
            centred(m, dvec3(0.25, 0.25, 0.5) * (m * r * r))
        }
        Shape::Hull(hull) => polyhedron(hull.vertices(), hull.triangles(), density),
        Shape::Mesh(mesh) => polyhedron(mesh.vertices(), mesh.triangles(), density),
        Shape::Compound(parts) => {
            let each = |part: &Part| of_checked(&part.shape, density).map(|p| p.moved(&part.unit_pose()));
            MassProperties::sum(&parts.iter().map(each).collect::<Result<Vec<_>, _>>()?)
        }
        Shape::Plane(_) => Err(MassError::Plane),
    }
}

fn ball(radii: f64) -> f64 {
    4.0 / 3.0 * PI * radii
}

fn sums_of_others(v: DVec3) -> DVec3 {
    dvec3(v.y + v.z, v.z + v.x, v.x + v.y)
}

/// A closed surface as the sum of signed tetrahedra between a reference point and each triangle [SLIDES; Mirtich 1996].
///
/// Done twice: the first round finds the centre, the second takes it as reference. Nothing then cancels, and a body far
/// from the origin has the same moments to the last digits as at the origin.
fn polyhedron(vertices: &[DVec3], triangles: &[[u32; 3]], density: f64) -> Result<MassProperties, MassError> {
    let middle = mean(vertices);
    let rough = tetrahedra(vertices, triangles, middle);
    let centre = middle + rough.first / rough.mass;
    let mut moments = tetrahedra(vertices, triangles, centre);
    moments.mass *= density;
    moments.first *= density;
    moments.second *= density;
    moments.about(centre)
}

pub(super) fn mean(points: &[DVec3]) -> DVec3 {
    // From the first point, so that the sum of many cannot overflow or lose what they have in common.
    let origin = points[0];
    origin + points.iter().fold(DVec3::ZERO, |sum, p| sum + (*p - origin)) / points.len() as f64
}

/// Moments at density 1 about `reference`.
///
/// For the tetrahedron (0, a, b, c) with D = a·(b×c) and s = a + b + c:
/// ∫dV = D/6, ∫r dV = D/24 s, ∫r rᵀ dV = D/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
fn tetrahedra(vertices: &[DVec3], triangles: &[[u32; 3]], reference: DVec3) -> Moments {
    let mut total = Moments::ZERO;
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize] - reference);
        let (d, s) = (a.dot(b.cross(c)), a + b + c);
        total.add(&Moments {
            mass: d / 6.0,
            first: s * (d / 24.0),
            second: (outer(s) + outer(a) + outer(b) + outer(c)) * (d / 120.0),
        });
    }
    total
}

/// Mass properties of points (kg, m), fixed to each other.
///
/// # Errors
/// When a mass is not a positive finite number, or all points are in one place or on one line, which cannot be a rigid
/// body.
pub fn of_points(points: &[(f64, DVec3)]) -> Result<MassProperties, MassError> {
    if let Some(index) = points.iter().position(|(m, p)| !(*m > 0.0 && m.is_finite() && p.is_finite())) {
        let (mass, at) = points[index];
        return Err(MassError::PointMass { index, mass, at });
    }
    let (_, origin) = *points.first().ok_or(MassError::Nothing)?;
    let mass: f64 = points.iter().map(|(m, _)| m).sum();
    let centre = origin + points.iter().fold(DVec3::ZERO, |sum, (m, p)| sum + (*p - origin) * (m / mass));
    let mut moments = Moments::ZERO;
    for (m, p) in points {
        moments.add(&Moments::point(*m, *p - centre));
    }
    moments.about(centre)
}
