//! Where a ray passes the surface of a mesh.

use super::nearest::turn_of_shadows;
use super::{MeshTree, extent};
use crate::math::double::Double;
use crate::math::{Aabb, DVec3};

/// The points `origin` + t `direction`, t ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Where it goes, of any length but zero.
    pub direction: DVec3,
}

/// A passage through the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// How far along the ray, as a multiple of its direction.
    pub t: f64,
    /// Which triangle.
    pub triangle: u32,
    /// Whether it goes into the solid there.
    pub enters: bool,
}

impl MeshTree {
    /// Fills `hits` with all passages through the surface up to t = `reach`, in the order along the ray.
    ///
    /// Watertight: a ray through an edge or a vertex passes exactly one of the triangles there, or an even number where it
    /// touches only, so from outside to outside it enters as often as it leaves. A ray within a face passes it not
    /// at all. A ray that is not finite, or without direction, hits nothing. Frame of the mesh. [Woop, Benthin, Wald,
    /// Watertight ray/triangle intersection, 2013]
    pub fn ray_hits(&self, ray: &Ray, reach: f64, hits: &mut Vec<RayHit>) {
        hits.clear();
        let Some(shear) = Shear::new(ray) else {
            return;
        };
        self.visit(
            |bounds| may_pass(ray, bounds, reach),
            |triangle| {
                if let Some((t, enters)) = shear.hit(self.corners(triangle))
                    && (0.0..=reach).contains(&t)
                {
                    hits.push(RayHit { t, triangle, enters });
                }
            },
        );
        hits.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.triangle.cmp(&b.triangle)));
    }
}

/// Coordinates in which the ray is the third axis.
struct Shear {
    origin: DVec3,
    /// Which old axes the new ones are.
    axes: [usize; 3],
    slope: [f64; 2],
    along: f64,
}

impl Shear {
    fn new(ray: &Ray) -> Option<Self> {
        let d = ray.direction;
        if !d.is_finite() || !ray.origin.is_finite() || d == DVec3::ZERO {
            return None;
        }
        let z = d.abs().max_position();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        // Mirrored where the ray goes backwards, so that outside stays outside.
        let (x, y) = if d[z] < 0.0 { (y, x) } else { (x, y) };
        Some(Self { origin: ray.origin, axes: [x, y, z], slope: [d[x] / d[z], d[y] / d[z]], along: d[z] })
    }

    /// The point as seen along the ray, and how far along. It depends on the point only: two triangles see the same.
    fn point(&self, p: DVec3) -> [f64; 3] {
        let [x, y, z] = self.axes.map(|i| p[i] - self.origin[i]);
        [x - self.slope[0] * z, y - self.slope[1] * z, z / self.along]
    }

    fn hit(&self, corners: [DVec3; 3]) -> Option<(f64, bool)> {
        let [a, b, c] = corners.map(|p| self.point(p));
        let (u, u_turn) = weight(b, c);
        let (v, v_turn) = weight(c, a);
        let (w, w_turn) = weight(a, b);
        if u_turn == 0 || u_turn != v_turn || v_turn != w_turn {
            return None;
        }
        let t = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w);
        // Two of three weights zero and the third as well only where rounding made the triangle a point.
        let t = if t.is_finite() { t } else { a[2] };
        // Seen along the ray, the triangle turns left when its normal points along the ray.
        Some((t.clamp(a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])), u_turn < 0))
    }
}

/// The signed area that p and q span with the ray, and on which side of the line from p to q the ray (moved by
/// nothing but an infinitesimal) is.
fn weight(p: [f64; 3], q: [f64; 3]) -> (f64, i8) {
    let product = |x: f64, y: f64| Double::from(x) * Double::from(y);
    let area = (product(p[0], q[1]) - product(p[1], q[0])).value();
    (area, turn_of_shadows(area, [q[0] - p[0], q[1] - p[1]]))
}

/// Whether the ray may pass a box, which is widened by more than what rounding does to its triangles.
fn may_pass(ray: &Ray, bounds: &Aabb, reach: f64) -> bool {
    let far = (bounds.min - ray.origin).abs().max((bounds.max - ray.origin).abs()).max_element();
    let bounds = bounds.grown(16.0 * f64::EPSILON * far.max(extent(bounds)));
    let (mut enter, mut leave) = (0.0_f64, reach);
    for i in 0..3 {
        let (low, high) = (bounds.min[i] - ray.origin[i], bounds.max[i] - ray.origin[i]);
        let d = ray.direction[i];
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (t0, t1) = (low / d, high / d);
        enter = enter.max(t0.min(t1));
        leave = leave.min(t0.max(t1));
    }
    enter <= leave * (1.0 + 8.0 * f64::EPSILON)
}
