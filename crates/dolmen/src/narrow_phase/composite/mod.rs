//! Pairs of which at least one is a mesh or compound: over the parts that come near.
//!
//! A composite is taken apart once into convex parts and the triangles of its meshes, with one hierarchy of boxes over all.
//! Queries walk the two hierarchies together and ask the convex queries about the pairs of elements that are
//! left. All is done in the frame of one of the two, so that coordinates far from the origin cost one rounding.
//!
//! # Separation
//! Apart: the Euclidean distance of the nearest elements, along the line between their nearest points. When surfaces meet or
//! one shape is inside of the other: negative, by the most of
//! - the least depth along any direction of any two elements that meet (parts, or part and triangle, or two triangles), and
//! - the depth of any corner, middle of a triangle, or known inner point of one shape inside of a mesh of the other.
//!
//! Each of these is at most what it takes to part the shapes, tends to zero as they come to touch from outside, and at least
//! one is positive when the shapes share more than surface (but for meshes whose surfaces coincide to the last bit wherever
//! they meet, and at all these points).
//!
//! # Contacts
//! Of meshes, between features that are real (see [`parts`]): vertices on faces, faces on vertices and edges that cross.
//! Of two flat faces in contact the corners of the convex hull of their common region remain.

mod couple;
mod depth;
mod members;
mod parts;
mod tolerance;
mod touching;

pub use members::MemberName;
pub(crate) use members::{Convex, Members, near_members};
pub use parts::Composite;
pub(super) use touching::{Scratch, contacts};

use super::answer::exchanged;
use super::tolerance::contact_length;
use super::{Closest, Overlap, Placed, Separation, Statistics, UnsupportedPair, Witness};
use crate::math::DVec3;
use couple::{Couple, Near};
use std::ops::ControlFlow;

/// As [`super::separate`].
pub(super) fn separate(
    a: &Placed,
    b: &Placed,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    separate_in(&Couple::new(a, b)?, tolerance(a, b), witness, statistics)
}

/// As [`super::separate_within`].
pub(super) fn separate_within(
    reach: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Option<Separation>, UnsupportedPair> {
    let couple = Couple::new(a, b)?;
    // On which side of a plane a shape is far from it has to be remembered.
    if couple.front_only().is_none() && couple.is_beyond(reach)? {
        statistics.queries += 1;
        statistics.searches += 1;
        return Ok(None);
    }
    let found = separate_in(&couple, tolerance(a, b), witness, statistics)?;
    Ok(Some(found).filter(|found| found.distance <= reach))
}

fn separate_in(
    couple: &Couple,
    tolerance: f64,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    statistics.queries += 1;
    if couple.is_behind(witness) {
        statistics.hits += 1;
        return Ok(couple.behind());
    }
    let near = couple.signed_nearest(*witness)?;
    if near.distance >= 0.0 && couple.went_behind(tolerance) {
        *witness = Witness::Behind;
        return Ok(couple.behind());
    }
    let known = *witness;
    *witness = match couple.features(&near)? {
        Some([guest, host]) if couple.flipped => Witness::Plane { a: host, b: guest },
        Some([guest, host]) => Witness::Plane { a: guest, b: host },
        None => Witness::Unknown,
    };
    if known == *witness {
        statistics.hits += 1;
    } else {
        statistics.searches += 1;
    }
    Ok(couple.separation(&near, *witness))
}

/// As [`super::closest`].
pub(super) fn closest(a: &Placed, b: &Placed) -> Result<Closest, UnsupportedPair> {
    let couple = Couple::new(a, b)?;
    let near = couple.nearest_of_all(Witness::Unknown)?;
    let inside = if near.distance > couple.rounding { couple.contained() } else { None };
    let near = inside.unwrap_or(near);
    let Separation { distance, normal, points, .. } = couple.separation(&near, Witness::Unknown);
    if distance > 0.0 {
        return Ok(Closest { distance, normal, points });
    }
    Ok(Closest { distance: 0.0, normal: DVec3::ZERO, points: [points[0], points[0]] })
}

/// As [`super::meets`]: whether any two elements whose boxes meet do, or one shape is inside of the other.
pub(super) fn meets(a: &Placed, b: &Placed) -> Result<bool, UnsupportedPair> {
    Ok(!Couple::new(a, b)?.is_beyond(0.0)?)
}

/// As [`super::overlap`].
pub(super) fn overlap(a: &Placed, b: &Placed) -> Result<Option<Overlap>, UnsupportedPair> {
    let couple = Couple::new(a, b)?;
    let near = couple.signed_nearest(Witness::Unknown)?;
    Ok((near.distance < -couple.rounding).then_some(Overlap::Measured))
}

/// The contact tolerance of the whole shapes.
fn tolerance(a: &Placed, b: &Placed) -> f64 {
    contact_length(a.geometry.size().min(b.geometry.size()), a.pose.position, b.pose.position)
}

impl Couple<'_> {
    /// The nearest of elements and planes; infinitely far when there is nothing on one side.
    fn nearest_of_all(&self, witness: Witness) -> Result<Near, UnsupportedPair> {
        let bounded = self.nearest(witness)?;
        let planes = self.over_planes()?;
        let nearer = |a: Near, b: Near| if b.distance < a.distance { b } else { a };
        let found = [bounded, planes].into_iter().flatten().reduce(nearer);
        let nothing = Near {
            distance: f64::INFINITY,
            normal: DVec3::X,
            points: [self.sides[0].pose.position, DVec3::ZERO],
            elements: [parts::NONE; 2],
            features: None,
        };
        Ok(found.unwrap_or(nothing))
    }

    /// Whether no two elements are within `reach` of each other, or of rounding, and no shape is inside of the other.
    fn is_beyond(&self, reach: f64) -> Result<bool, UnsupportedPair> {
        let reach = reach.max(self.rounding);
        if self.over_planes()?.is_some_and(|near| near.distance <= reach) {
            return Ok(false);
        }
        if self.is_far(reach) {
            return Ok(true);
        }
        let mut answer = Ok(true);
        self.each_near_pair(reach, |[guest, host]| {
            match self.distance(guest, host) {
                Ok(near) if near.distance > reach => return ControlFlow::Continue(()),
                Ok(_) => answer = Ok(false),
                Err(refused) => answer = Err(refused),
            }
            ControlFlow::Break(())
        });
        Ok(answer? && !self.is_contained())
    }

    /// The separation as the head of this file defines it.
    fn signed_nearest(&self, witness: Witness) -> Result<Near, UnsupportedPair> {
        let near = self.nearest_of_all(witness)?;
        if near.distance > self.rounding { Ok(self.contained().unwrap_or(near)) } else { self.deepest(near) }
    }

    /// Whether the host came from behind a plane that is touched from its front only, and has not come out of it yet.
    fn is_behind(&self, witness: &mut Witness) -> bool {
        let Some((normal, offset)) = self.front_only() else { return false };
        let bounds = self.host.tree.bounds();
        let came_from_behind = match witness {
            Witness::Behind => true,
            Witness::Unknown => normal.dot(0.5 * (bounds.min + bounds.max)) < offset,
            Witness::Plane { .. } => false,
        };
        let is_behind = came_from_behind && -self.reach_of_host(-normal) - offset < -self.rounding;
        if came_from_behind {
            *witness = if is_behind { Witness::Behind } else { Witness::Unknown };
        }
        is_behind
    }

    /// Whether the host has gone around the rim of such a plane.
    fn went_behind(&self, tolerance: f64) -> bool {
        let Some((normal, offset)) = self.front_only() else { return false };
        self.reach_of_host(normal) - offset < -tolerance
    }

    /// What is behind a plane is infinitely far from touching it.
    fn behind(&self) -> Separation {
        let normal = self.front_only().map_or(DVec3::X, |(normal, _)| -normal);
        let points = [self.sides[0].pose.position, DVec3::ZERO];
        let distance = f64::INFINITY;
        let near = Near { distance, normal, points, elements: [parts::NONE; 2], features: None };
        self.separation(&near, Witness::Behind)
    }

    /// In the world, with the roles of the caller.
    fn separation(&self, near: &Near, witness: Witness) -> Separation {
        let host = &self.world[1];
        let normal = host.direction(near.normal);
        let points = near.points.map(|p| host.point(p));
        let (normal, points) = if self.flipped { exchanged(normal, points) } else { (normal, points) };
        Separation { distance: near.distance, normal, witness, points }
    }
}
