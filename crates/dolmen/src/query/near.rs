//! What is nearest to a point, what it is in, and how far apart two bodies are.

use super::arrangement::{Arrangement, Item, ROUNDING};
use super::{QueryError, finite};
use crate::math::{Aabb, DVec3};
use crate::narrow_phase::{Closest, ClosestHint, closest};
use crate::world::BodyId;

/// The body that is nearest to a point, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestBody {
    /// Which.
    pub body: BodyId,
    /// Distance of the point from its surface, m: negative inside. What has no thickness has no inside.
    pub separation: f64,
    /// The nearest point of the surface.
    pub point: DVec3,
    /// Unit normal there, out of the body, along the line to the given point.
    pub normal: DVec3,
}

/// The closest points of two bodies: distance 0 and no normal where they overlap. The normal points from b to a.
///
/// # Errors
/// When a body has no shape, or there is no answer for the pair of shapes.
pub fn closest_points(bodies: &Arrangement, a: BodyId, b: BodyId) -> Result<Closest, QueryError> {
    let (item_a, item_b) = (bodies.item(a)?, bodies.item(b)?);
    let found = closest(&item_a.placed(), &item_b.placed(), &mut ClosestHint::default());
    found.map_err(|source| bodies.refused(Some(a), b, source))
}

/// The body whose surface has the least separation from a point; of equal ones that of the lowest id, none if no body has a
/// shape.
///
/// Within a body, separations are negative: the nearest is then the one in which the point is deepest.
///
/// # Errors
/// When the point is not finite.
pub fn nearest_body(bodies: &Arrangement, point: DVec3) -> Result<Option<NearestBody>, QueryError> {
    finite("point", point)?;
    // A cube about the point, as large as the nearest box is far, meets that box; grown to the least separation found it
    // meets every body that could be nearer.
    let farness = |b: &Aabb| (b.min - point).max(point - b.max).max_element().max(0.0);
    let mut half = bodies.boxes().iter().map(farness).fold(f64::INFINITY, f64::min);
    let mut best: Option<NearestBody> = None;
    loop {
        let margin = half + ROUNDING * (half + point.abs().max_element());
        let cube = Aabb::point(point).grown(margin);
        for i in bodies.meeting(&cube) {
            let found = of_item(&bodies.items()[i as usize], point);
            if best.is_none_or(|b| (found.separation, found.body) < (b.separation, b.body)) {
                best = Some(found);
            }
        }
        match best {
            Some(b) if b.separation > half => half = b.separation,
            _ => return Ok(best),
        }
    }
}

fn of_item(item: &Item, point: DVec3) -> NearestBody {
    let found = item.target.nearest(item.pose.orientation.conjugate() * (point - item.pose.position));
    NearestBody {
        body: item.body,
        separation: found.separation,
        point: item.pose.point(found.point),
        normal: item.pose.direction(found.normal),
    }
}

/// The bodies that a point is in, their surfaces included (to rounding), by id; discs and planes touched from both sides
/// contain nothing, one touched from its front only all that is behind it if it is infinite.
///
/// # Errors
/// When the point is not finite.
pub fn contains(bodies: &Arrangement, point: DVec3) -> Result<Vec<BodyId>, QueryError> {
    finite("point", point)?;
    let near = bodies.meeting(&Aabb::point(point));
    let items = near.into_iter().map(|i| &bodies.items()[i as usize]);
    let is_in =
        |item: &&Item| item.target.contains(item.pose.orientation.conjugate() * (point - item.pose.position));
    Ok(items.filter(is_in).map(|item| item.body).collect())
}
