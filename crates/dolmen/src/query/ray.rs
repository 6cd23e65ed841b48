//! Where a ray passes the surfaces of bodies.

use super::arrangement::{Arrangement, Item, ROUNDING};
use super::line::Line;
use super::target::{Crossing, Passage};
use super::{QueryError, finite};
use crate::math::DVec3;
use crate::world::BodyId;

/// A passage of a ray through the surface of a body, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// Which body.
    pub body: BodyId,
    /// How far along the ray, m.
    pub distance: f64,
    /// Where.
    pub point: DVec3,
    /// Unit normal there: out of the solid, or for something without thickness to the side the ray came from.
    pub normal: DVec3,
    /// Whether the ray goes in, out, or through.
    pub crossing: Crossing,
}

/// A ray that can be cast.
struct Ray {
    origin: DVec3,
    /// Unit.
    direction: DVec3,
    max: f64,
}

impl Ray {
    fn new(origin: DVec3, direction: DVec3, max: f64) -> Result<Self, QueryError> {
        finite("origin of the ray", origin)?;
        let largest = direction.abs().max_element();
        if !(largest > 0.0 && direction.is_finite()) {
            return Err(QueryError::Direction { direction });
        }
        if max.is_nan() || max < 0.0 {
            return Err(QueryError::Reach { max });
        }
        // Huge and tiny directions have a length, too.
        Ok(Self { origin, direction: (direction / largest).normalize(), max })
    }

    /// Fills `found` with the passages through one body up to the end of the ray, in order.
    fn passages(&self, item: &Item, found: &mut Vec<Passage>) {
        found.clear();
        let back = item.pose.orientation.conjugate();
        let line =
            Line { origin: back * (self.origin - item.pose.position), direction: back * self.direction };
        item.target.passages(&line, found);
        found.retain(|passage| passage.t <= self.max && passage.t.is_finite());
        found.sort_by(Passage::compare);
    }

    fn hit(&self, item: &Item, passage: &Passage) -> RayHit {
        // −0 is no distance to show.
        let distance = passage.t + 0.0;
        RayHit {
            body: item.body,
            distance,
            point: self.origin + distance * self.direction,
            normal: item.pose.direction(passage.normal),
            crossing: passage.crossing,
        }
    }
}

/// The first passage of a ray through a surface, at a distance of at most `max` m; of several at one distance that of the
/// lowest id.
///
/// From within a solid that is where it leaves. `max` may be infinite. See the conventions of [`crate::query`].
///
/// # Errors
/// When the origin is not finite, the direction has none, or `max` is negative or NaN.
pub fn cast_ray(
    bodies: &Arrangement,
    origin: DVec3,
    direction: DVec3,
    max: f64,
) -> Result<Option<RayHit>, QueryError> {
    let mut ray = Ray::new(origin, direction, max)?;
    let mut best: Option<RayHit> = None;
    let mut passages = Vec::new();
    let (start, way) = (ray.origin, ray.direction);
    bodies.tree().visit_ray(start, way, max, |i| {
        let item = &bodies.items()[i as usize];
        ray.passages(item, &mut passages);
        if let Some(first) = passages.first() {
            let hit = ray.hit(item, first);
            if best.is_none_or(|b| (hit.distance, hit.body) < (b.distance, b.body)) {
                best = Some(hit);
                // Nothing behind it matters, but what is beside it might be as near: boxes are rounded in their own way.
                let slack = ROUNDING * (hit.distance + start.abs().max_element());
                ray.max = ray.max.min(hit.distance + slack);
            }
        }
        ray.max
    });
    Ok(best)
}

/// All passages of a ray through surfaces, at distances of at most `max` m, by distance and then by id.
///
/// # Errors
/// As [`cast_ray`].
pub fn cast_ray_all(
    bodies: &Arrangement,
    origin: DVec3,
    direction: DVec3,
    max: f64,
) -> Result<Vec<RayHit>, QueryError> {
    let ray = Ray::new(origin, direction, max)?;
    let mut hits = Vec::new();
    let mut passages = Vec::new();
    bodies.tree().visit_ray(ray.origin, ray.direction, max, |i| {
        let item = &bodies.items()[i as usize];
        ray.passages(item, &mut passages);
        hits.extend(passages.iter().map(|passage| ray.hit(item, passage)));
        max
    });
    hits.sort_by(|a, b| {
        a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body)).then(a.crossing.cmp(&b.crossing))
    });
    Ok(hits)
}
