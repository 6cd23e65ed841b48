//! The geometry of each form of a patch around a place on it: point, tangents, second derivatives, normal.
//!
//! A place is kept as a [`Spot`], in coordinates without a singularity; around it there is a chart u ↦ p(u) with orthonormal
//! tangents, centred anew after every step:
//!
//! | form | spot | p(u) |
//! |---|---|---|
//! | point | | p |
//! | line | distance s | p + (s + u) e |
//! | circle of radius ρ | radial unit vector e | c + ρ e(u/ρ), e(θ) turned by θ about the axis |
//! | plane | offset x in the plane | p + x + u₁t₁ + u₂t₂ |
//! | cone of half-angle α | radial unit vector e, slant s | apex + (s + u₁) g(u₂/(s sin α)), g = cos α axis + sin α e |
//! | ellipsoid | unit vector q, x = h∘q | c + x′/√(x′·M x′), x′ = x + u₁t₁ + u₂t₂, M = diag(1/h²) |

use super::Form;
use crate::math::{DVec3, real};

/// A place on a form; what the parts mean depends on the form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// Radial unit vector (circle, cone), offset in m (plane), unit vector in the axes of an ellipsoid.
    direction: DVec3,
    /// Distance along a line, slant distance from the tip of a cone, m.
    along: f64,
}

/// A form near a spot: p(u) = point + Σ tᵢuᵢ + ½ Σ bᵢⱼuᵢuⱼ + …, from the origin of the frame of the form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// p(0), m.
    pub(super) point: DVec3,
    /// How many of the tangents there are: 0 for a point, 1 for a curve, 2 for a surface.
    pub(super) dimension: usize,
    /// tᵢ, orthonormal; that of a circle turns about its axis in the positive sense.
    pub(super) tangents: [DVec3; 2],
    /// b₁₁, b₁₂, b₂₂, 1/m.
    bends: [DVec3; 3],
}

impl Frame {
    /// A point that belongs to its body.
    pub(super) fn fixed(point: DVec3) -> Self {
        Self { point, dimension: 0, tangents: [DVec3::ZERO; 2], bends: [DVec3::ZERO; 3] }
    }

    fn curve(point: DVec3, tangent: DVec3, bend: DVec3) -> Self {
        let (tangents, bends) = ([tangent, DVec3::ZERO], [bend, DVec3::ZERO, DVec3::ZERO]);
        Self { point, dimension: 1, tangents, bends }
    }

    /// bᵢⱼ.
    pub(super) fn bend(&self, i: usize, j: usize) -> DVec3 {
        self.bends[i + j]
    }

    /// The greatest |bᵢⱼ|: one by the smallest radius of curvature, 1/m.
    pub(super) fn curvature(&self) -> f64 {
        self.bends.iter().fold(0.0, |most, b| b.length().max(most))
    }

    /// Σ tᵢuᵢ.
    pub(super) fn along(&self, u: [f64; 2]) -> DVec3 {
        self.tangents[0] * u[0] + self.tangents[1] * u[1]
    }
}

/// Sine of the angle at which a point is seen off an axis below which it is on it: there every side is as near.
const ON_AXIS: f64 = 1e-14;

/// The part of v at right angles to a unit vector, as a unit vector; none when v is along it or zero.
fn radial(v: DVec3, axis: DVec3) -> Option<DVec3> {
    let part = v - axis * axis.dot(v);
    // Once more: the first difference is right to the rounding of v only.
    let part = part - axis * axis.dot(part);
    let length = part.length();
    (length > ON_AXIS * v.length() && length.is_normal()).then(|| part / length)
}

/// e turned about a unit vector at right angles to it.
fn turned(e: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = real::sin_cos(angle);
    let turned = e * cos + axis.cross(e) * sin;
    radial(turned, axis).unwrap_or(e)
}

impl Form {
    /// The place of the form that is nearest to x; none where that is not one place on the smooth part of it.
    ///
    /// Exact but for the ellipsoid, where it is right to about the root of the rounding and starts an iteration.
    pub(super) fn nearest(&self, x: DVec3) -> Option<Spot> {
        let spot = |direction, along| Some(Spot { direction, along });
        match *self {
            Self::Point(_) => spot(DVec3::ZERO, 0.0),
            Self::Line { point, direction } => spot(DVec3::ZERO, direction.dot(x - point)),
            Self::Plane { point, normal } => {
                let offset = x - point;
                spot(offset - normal * normal.dot(offset), 0.0)
            }
            Self::Circle { centre, axis, radius } => {
                radial(x - centre, axis).filter(|_| radius > 0.0).and_then(|e| spot(e, 0.0))
            }
            Self::Cone { apex, axis, sine, cosine } => {
                let offset = x - apex;
                let e = radial(offset, axis)?;
                let along = cosine * axis.dot(offset) + sine * e.dot(offset);
                if along > ON_AXIS * offset.length() && sine > 0.0 { spot(e, along) } else { None }
            }
            Self::Ellipsoid { centre, axes, half } => {
                nearest_on_ellipsoid(axes.conjugate() * (x - centre), half).and_then(|q| spot(q, 0.0))
            }
        }
    }

    /// The form near a spot.
    pub(super) fn frame(&self, spot: &Spot) -> Frame {
        match *self {
            Self::Point(point) => Frame::fixed(point),
            Self::Line { point, direction } => {
                Frame::curve(point + direction * spot.along, direction, DVec3::ZERO)
            }
            Self::Plane { point, normal } => {
                let (t1, t2) = normal.any_orthonormal_pair();
                let (tangents, bends) = ([t1, t2], [DVec3::ZERO; 3]);
                Frame { point: point + spot.direction, dimension: 2, tangents, bends }
            }
            Self::Circle { centre, axis, radius } => {
                let e = spot.direction;
                Frame::curve(centre + e * radius, axis.cross(e), -e / radius)
            }
            Self::Cone { apex, axis, sine, cosine } => {
                let (e, s) = (spot.direction, spot.along);
                let (ruling, across) = (axis * cosine + e * sine, axis.cross(e));
                let bends = [DVec3::ZERO, across / s, -e / (s * sine)];
                Frame { point: apex + ruling * s, dimension: 2, tangents: [ruling, across], bends }
            }
            Self::Ellipsoid { centre, axes, half } => {
                let x = half * spot.direction;
                let (t1, t2) = (spot.direction / half).normalize().any_orthonormal_pair();
                let (m1, m2) = (t1 / half, t2 / half);
                let place = axes * x;
                let bends = [-place * m1.dot(m1), -place * m1.dot(m2), -place * m2.dot(m2)];
                let tangents = [axes * t1, axes * t2];
                Frame { point: centre + place, dimension: 2, tangents, bends }
            }
        }
    }

    /// The spot at p(u) of the chart around `spot`, of which `frame` is the frame.
    pub(super) fn moved(&self, spot: &Spot, frame: &Frame, u: [f64; 2]) -> Spot {
        let Spot { direction, along } = *spot;
        match *self {
            Self::Point(_) => *spot,
            Self::Line { .. } => Spot { direction, along: along + u[0] },
            Self::Plane { .. } => Spot { direction: direction + frame.along(u), along },
            Self::Circle { axis, radius, .. } => {
                Spot { direction: turned(direction, axis, u[0] / radius), along }
            }
            Self::Cone { axis, sine, .. } => {
                let direction = turned(direction, axis, u[1] / (along * sine));
                Spot { direction, along: along + u[0] }
            }
            Self::Ellipsoid { axes, half, .. } => {
                let step = axes.conjugate() * frame.along(u);
                Spot { direction: (direction + step / half).normalize(), along }
            }
        }
    }

    /// How far a step leads, by the length over which the chart is straight; zero for straight forms.
    pub(super) fn stretch(&self, spot: &Spot, frame: &Frame, u: [f64; 2]) -> f64 {
        match *self {
            Self::Point(_) | Self::Line { .. } | Self::Plane { .. } => 0.0,
            Self::Circle { radius, .. } => u[0].abs() / radius,
            Self::Cone { sine, .. } => u[0].abs().max(u[1].abs() / sine) / spot.along,
            Self::Ellipsoid { axes, half, .. } => {
                // In the sphere of which it is the image, or by the turn of the normal: each is blind to one kind of tip.
                let step = axes.conjugate() * frame.along(u) / half;
                let (gradient, change) = (spot.direction / half, step / half);
                let turn = gradient.cross(change).length() / gradient.length_squared();
                step.length().max(turn)
            }
        }
    }

    /// The outward unit normal of a surface; none for points and curves.
    pub(super) fn outward(&self, spot: &Spot) -> Option<DVec3> {
        match *self {
            Self::Point(_) | Self::Line { .. } | Self::Circle { .. } => None,
            Self::Plane { normal, .. } => Some(normal),
            Self::Cone { axis, sine, cosine, .. } => Some(spot.direction * cosine - axis * sine),
            Self::Ellipsoid { axes, half, .. } => Some(axes * (spot.direction / half).normalize()),
        }
    }

    /// The place of an ellipsoid farthest along a direction of the frame; none for other forms.
    pub(super) fn farthest_on_ellipsoid(&self, direction: DVec3) -> Option<Spot> {
        let Self::Ellipsoid { axes, half, .. } = *self else { return None };
        let q = half * (axes.conjugate() * direction);
        q.try_normalize().map(|direction| Spot { direction, along: 0.0 })
    }

    /// The circle of a cone through a spot.
    pub(super) fn ring(&self, spot: &Spot) -> Option<Self> {
        let Self::Cone { apex, axis, sine, cosine } = *self else { return None };
        let s = spot.along;
        Some(Self::Circle { centre: apex + axis * (s * cosine), axis, radius: s * sine })
    }
}

/// Steps of the iteration below; it starts within a factor of three of the value sought and more than doubles its digits
/// from then on, so that ten are ample.
const NEAREST_STEPS: usize = 24;

/// The unit vector q for which h∘q is the point of an ellipsoid nearest to y, in its axes.
///
/// qᵢ = hᵢyᵢ/(t + hᵢ²) with the greatest root t of g(t) = Σ qᵢ² − 1. g falls and is convex right of −min h², and
/// t₀ = max(hᵢ|yᵢ| − hᵢ²) is left of the root with g(t₀) ≤ 2, so that Newton's steps from it go right and never past it.
fn nearest_on_ellipsoid(y: DVec3, half: DVec3) -> Option<DVec3> {
    // In units of the longest axis, so that squares neither overflow nor vanish.
    let unit = half.max_element();
    let (y, half) = (y / unit, half / unit);
    let squares = half * half;
    let mut t = (half * y.abs() - squares).max_element();
    for _ in 0..NEAREST_STEPS {
        let below = squares + t;
        let q = half * y / below;
        let slope = -2.0 * (q * q / below).element_sum();
        let step = (1.0 - q.length_squared()) / slope;
        if step.is_nan() || step <= f64::EPSILON * t.abs() {
            break;
        }
        t += step;
    }
    let q = half * y / (squares + t);
    // In the middle planes, near the centre, several points are as near and the sum stays below one.
    if (q.length_squared() - 1.0).abs() < 1e-3 { q.try_normalize() } else { None }
}
