//! Which bodies overlap, and how deep.

use super::QueryError;
use super::arrangement::{Arrangement, checked_pose};
use crate::broad_phase::box_around;
use crate::math::Pose;
use crate::narrow_phase::{Geometry, Placed, Statistics, UnsupportedPair, Witness, overlap, separate};
use crate::shape::Shape;
use crate::world::BodyId;

/// Two bodies that overlap by more than rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyOverlap {
    /// The one of the lower id.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How deep, m: the shortest way to move them apart; positive.
    pub depth: f64,
}

/// All pairs of bodies that may collide and overlap, by ids.
///
/// Left out are pairs of which neither is moved by forces, and those that their groups let pass through each other.
///
/// # Errors
/// When two bodies whose boxes meet have shapes without an answer.
pub fn overlaps(bodies: &Arrangement) -> Result<Vec<BodyOverlap>, QueryError> {
    let mut found = Vec::new();
    for [i, j] in bodies.pairs() {
        let (item_a, item_b) = (&bodies.items()[*i as usize], &bodies.items()[*j as usize]);
        let (a, b) = (item_a.body, item_b.body);
        let depth = depth(&item_a.placed(), &item_b.placed());
        let depth = depth.map_err(|source| bodies.refused(Some(a), b, source))?;
        found.extend(depth.map(|depth| BodyOverlap { a, b, depth }));
    }
    Ok(found)
}

/// The bodies that a shape would overlap if its frame were at `pose`, with the depths, m, by id; whatever their groups.
///
/// # Errors
/// When shape or pose are not sound, or there is no answer for the shape and that of a body whose box it meets.
pub fn overlaps_with(
    bodies: &Arrangement,
    shape: &Shape,
    pose: &Pose,
) -> Result<Vec<(BodyId, f64)>, QueryError> {
    shape.check()?;
    let pose = checked_pose("position of the shape", || "the shape".to_owned(), pose)?;
    let geometry = Geometry::new(shape);
    let probe = Placed { geometry: &geometry, pose };
    let mut found = Vec::new();
    for i in bodies.meeting(&box_around(shape, &pose)) {
        let item = &bodies.items()[i as usize];
        let depth = depth(&probe, &item.placed());
        let depth = depth.map_err(|source| bodies.refused(None, item.body, source))?;
        found.extend(depth.map(|depth| (item.body, depth)));
    }
    Ok(found)
}

fn depth(a: &Placed, b: &Placed) -> Result<Option<f64>, UnsupportedPair> {
    if overlap(a, b, None)?.is_none() {
        return Ok(None);
    }
    let found = separate(a, b, &mut Witness::default(), &mut Statistics::default())?;
    Ok((found.distance < 0.0).then_some(-found.distance))
}
